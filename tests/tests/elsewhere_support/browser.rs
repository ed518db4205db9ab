//! A real browser, by chromedriver.

use std::env;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use thirtyfour::extensions::cdp::ChromeDevTools;
use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, ChromiumLikeCapabilities};

const PATIENCE: Duration = Duration::from_secs(15);
const OFTEN: Duration = Duration::from_millis(50);

/// A browser's window.
#[derive(Clone)]
pub struct Browser {
    pub driver: WebDriver,
}

/// Runs a test in a browser of its own, and closes it whatever comes of the test. Without
/// `chromedriver` there is none, which only CI does not forgive.
pub async fn in_a_browser<F>(test: impl FnOnce(Browser) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let Some(program) = chromedriver() else {
        assert!(env::var_os("CI").is_none(), "chromedriver is not on PATH");
        println!("skipped: chromedriver is not on PATH");
        return;
    };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let profile = tempfile::tempdir().expect("a folder");
    let (mut process, port) = run(&program).await;
    let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), wanted(profile.path()));
    let driver = driver.await.expect("a browser");
    let browser = Browser {
        driver: driver.clone(),
    };
    let outcome = tokio::spawn(test(browser)).await;
    let closed = driver.quit().await;
    process.kill().expect("killed");
    process.wait().expect("an end");
    if let Err(failed) = outcome {
        std::panic::resume_unwind(failed.into_panic());
    }
    closed.expect("closed");
}

fn chromedriver() -> Option<PathBuf> {
    let paths = env::var_os("PATH")?;
    let found = env::split_paths(&paths).map(|folder| folder.join("chromedriver"));
    found.into_iter().find(|path| path.is_file())
}

/// Starts chromedriver, and waits until it listens.
async fn run(program: &Path) -> (Child, u16) {
    // Free a moment ago; chromedriver cannot say which one it took.
    let free = TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr();
    let port = free.expect("an address").port();
    let process = Command::new(program)
        .arg(format!("--port={port}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver starts");
    for _ in 0..200 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            break;
        }
        tokio::time::sleep(OFTEN).await;
    }
    (process, port)
}

fn wanted(profile: &Path) -> ChromeCapabilities {
    let mut wanted = DesiredCapabilities::chrome();
    let folder = format!("--user-data-dir={}", profile.display());
    for flag in [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        folder.as_str(),
    ] {
        wanted.add_arg(flag).expect("a flag");
    }
    wanted
}

impl Browser {
    pub async fn goto(&self, url: &str) {
        self.driver.goto(url).await.expect("a page");
    }

    pub async fn find(&self, css: &str) -> WebElement {
        let query = self.driver.query(By::Css(css)).wait(PATIENCE, OFTEN);
        query.first().await.expect("an element")
    }

    /// Waits until the page's main part has a text: all of it.
    pub async fn reads(&self, text: &str) -> String {
        let mut seen = String::new();
        for _ in 0..300 {
            if let Ok(main) = self.driver.find(By::Tag("main")).await {
                // It may be gone between the two.
                seen = main.text().await.unwrap_or_default();
            }
            if seen.contains(text) {
                return seen;
            }
            tokio::time::sleep(OFTEN).await;
        }
        panic!("the page reads {seen:?} and not {text:?}");
    }

    /// What a script that is not the page's own finds.
    pub async fn evaluate(&self, script: &str) -> Value {
        let found = self.driver.execute(script, Vec::new()).await;
        found.expect("a value").json().clone()
    }

    async fn devtools(&self, command: &str, parameters: Value) {
        ChromeDevTools::new(std::sync::Arc::clone(&self.driver.handle))
            .execute_cdp_with_params(command, parameters)
            .await
            .expect("the browser obeys");
    }

    /// A phone that is `width` pixels wide and prefers a theme.
    pub async fn be_a_phone(&self, width: u32, theme: &str) {
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": 740, "deviceScaleFactor": 2, "mobile": true}),
        )
        .await;
        self.devtools(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": theme}]}),
        )
        .await;
    }

    /// How wide the page is, in pixels, with what would have to be scrolled to.
    pub async fn width(&self) -> i64 {
        let script = "return document.documentElement.scrollWidth";
        self.evaluate(script).await.as_i64().expect("a number")
    }
}
