//! The page: how it is served, and what a person sees and does in it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on must fail"
)]

use std::env;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ostler_emulator::{Emulator, Options, RateLimits, Running, Seed, SeedUser, Seeded};
use serde_json::{Value, json};
use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, ChromiumLikeCapabilities, Key};

const TOKEN: &str = "a-token-of-the-page";
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     connect-src 'self'; img-src 'self' data:";
/// Longer than anything here takes, the three seconds of a press included.
const PATIENCE: Duration = Duration::from_secs(15);
const OFTEN: Duration = Duration::from_millis(50);
/// Markup, and characters that turn the direction of what follows them.
const HOSTILE: &str = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script> \
     \u{202e}txet detrever\u{2066} [safe](javascript:alert(1)) &lt;b&gt;";

/// An emulator with a server, a channel, two people and a bot.
async fn scene() -> (Running, Seeded) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let options = Options {
        control_token: Some(TOKEN.to_owned()),
        rate_limits: RateLimits::none(),
        ..Options::default()
    };
    let running = Emulator::start(options).await.unwrap();
    let person = |name: &str| SeedUser {
        username: name.to_owned(),
        administrator: name == "operator",
    };
    let seed = Seed {
        guild: "Stables".to_owned(),
        bot: "ostler".to_owned(),
        bot_token: Some("bot.token.here".to_owned()),
        bot_permissions: 1 << 3,
        text_channels: vec!["general".to_owned()],
        forums: vec!["ideas".to_owned()],
        users: vec![person("operator"), person("guest")],
    };
    let seeded = running.seed(&seed).unwrap();
    (running, seeded)
}

/// The addresses of everything that a text of the page loads from this server.
fn loaded(text: &str) -> Vec<String> {
    let quoted = text.split(['"', '\'']).filter_map(|part| {
        let own = part.strip_prefix("./").map(|name| format!("/page/{name}"));
        own.or_else(|| part.starts_with("/page/").then(|| part.to_owned()))
    });
    quoted.collect()
}

#[tokio::test]
async fn the_page_and_all_that_it_loads_are_served_with_types_and_a_policy() {
    let (running, _) = scene().await;
    let http = reqwest::Client::new();
    let mut waiting = vec!["/".to_owned()];
    let mut seen = Vec::new();
    while let Some(path) = waiting.pop() {
        let url = format!("{}{path}", running.origin());
        let response = http.get(url).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let headers = response.headers().clone();
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with(POLICY), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["referrer-policy"], "no-referrer", "{path}");
        let expected = match path.rsplit('.').next().unwrap() {
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "svg" => "image/svg+xml",
            _ => "text/html; charset=utf-8",
        };
        assert_eq!(headers["content-type"], expected, "{path}");
        let text = response.text().await.unwrap();
        assert!(!text.contains(TOKEN), "{path} has the token");
        assert!(!text.contains("innerHTML"), "{path} reads text as markup");
        for other in ["https://", "//cdn", "@import"] {
            assert!(!text.contains(other), "{path} names {other}");
        }
        seen.push(path);
        for found in loaded(&text) {
            if !seen.contains(&found) && !waiting.contains(&found) {
                waiting.push(found);
            }
        }
    }
    assert!(seen.len() > 20, "{seen:?}");
    let url = format!("{}/page/nothing.js", running.origin());
    assert_eq!(http.get(url).send().await.unwrap().status(), 404);
}

#[tokio::test]
async fn the_page_is_only_for_its_own_origin() {
    let (running, _) = scene().await;
    let http = reqwest::Client::new();
    let port = running.address().port();
    for path in ["/", "/page/main.js"] {
        for (name, value, status) in [
            ("host", format!("localhost:{port}"), 200),
            ("host", "rebound.example".to_owned(), 403),
            ("host", format!("127.0.0.1:{}", port ^ 1), 403),
            ("origin", running.origin(), 200),
            ("origin", "http://other.example".to_owned(), 403),
            ("origin", "null".to_owned(), 403),
        ] {
            let url = format!("{}{path}", running.origin());
            let sent = http.get(url).header(name, &value).send().await.unwrap();
            assert_eq!(sent.status(), status, "{path} {name} {value}");
            assert_ne!(sent.text().await.unwrap().is_empty(), status == 200);
        }
    }
}

/// A browser's window.
#[derive(Clone)]
struct Browser {
    driver: WebDriver,
}

/// Runs a test in a browser of its own, and closes it whatever comes of the test. Without
/// `chromedriver` there is none, which only CI does not forgive.
async fn in_a_browser<F>(test: impl FnOnce(Browser) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let Some(program) = chromedriver() else {
        assert!(env::var_os("CI").is_none(), "chromedriver is not on PATH");
        println!("skipped: chromedriver is not on PATH");
        return;
    };
    let profile = tempfile::tempdir().unwrap();
    let (mut process, port) = run(&program).await;
    let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), wanted(profile.path()));
    let driver = driver.await.unwrap();
    let browser = Browser {
        driver: driver.clone(),
    };
    let outcome = tokio::spawn(test(browser)).await;
    let closed = driver.quit().await;
    process.kill().unwrap();
    process.wait().unwrap();
    if let Err(failed) = outcome {
        std::panic::resume_unwind(failed.into_panic());
    }
    closed.unwrap();
}

fn chromedriver() -> Option<PathBuf> {
    let paths = env::var_os("PATH")?;
    let found = env::split_paths(&paths).map(|folder| folder.join("chromedriver"));
    found.into_iter().find(|path| path.is_file())
}

/// Starts chromedriver, and waits until it listens.
async fn run(program: &Path) -> (Child, u16) {
    // Free a moment ago; chromedriver cannot say which one it took.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    let port = free.unwrap().port();
    let process = Command::new(program)
        .arg(format!("--port={port}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
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
    for flag in [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1100,800",
    ] {
        wanted.add_arg(flag).unwrap();
    }
    let folder = profile.display();
    wanted
        .add_arg(&format!("--user-data-dir={folder}"))
        .unwrap();
    wanted
}

impl Browser {
    async fn find(&self, css: &str) -> WebElement {
        let query = self.driver.query(By::Css(css)).wait(PATIENCE, OFTEN);
        query.first().await.unwrap()
    }

    /// Waits until the text of an element contains something.
    async fn reads(&self, css: &str, text: &str) -> String {
        let mut seen = String::new();
        for _ in 0..300 {
            let found = self.driver.find(By::Css(css)).await;
            if let Ok(element) = found {
                // It may be drawn anew between the two.
                seen = element
                    .prop("textContent")
                    .await
                    .ok()
                    .flatten()
                    .unwrap_or_default();
            }
            if seen.contains(text) {
                return seen;
            }
            tokio::time::sleep(OFTEN).await;
        }
        panic!("{css} reads {seen:?} and not {text:?}");
    }

    async fn say(&self, text: &str) {
        let area = self.find("#text").await;
        area.send_keys(text).await.unwrap();
        area.send_keys(Key::Enter).await.unwrap();
    }

    async fn address(&self) -> String {
        self.driver.current_url().await.unwrap().to_string()
    }

    /// Chooses an option of a select by its text.
    async fn choose(&self, css: &str, text: &str) {
        let select = self.find(css).await;
        let options = select.find_all(By::Tag("option")).await.unwrap();
        for option in options {
            if option.text().await.unwrap() == text {
                option.click().await.unwrap();
                return;
            }
        }
        panic!("{css} has no option {text}");
    }
}

/// The bot posts in the channel, as its own REST client.
async fn post(running: &Running, seeded: &Seeded, body: Value) -> String {
    let channel = &seeded.channels["general"];
    let url = format!("{}/api/v10/channels/{channel}/messages", running.origin());
    let request = reqwest::Client::new().post(url).json(&body);
    let request = request.header("authorization", format!("Bot {}", seeded.bot_token));
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let message: Value = response.json().await.unwrap();
    message["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_person_reads_writes_and_presses_in_the_page() {
    let (running, seeded) = scene().await;
    in_a_browser(|browser| use_the_page(browser, running, seeded)).await;
}

async fn use_the_page(browser: Browser, running: Running, seeded: Seeded) {
    let origin = running.origin();

    // Without a token the page asks for it, and takes a whole link.
    browser.driver.goto(&origin).await.unwrap();
    let field = browser.find("#token").await;
    field.send_keys("wrong").await.unwrap();
    field.send_keys(Key::Enter).await.unwrap();
    browser.reads("#sign-in-error", "not the token").await;
    field.clear().await.unwrap();
    field
        .send_keys(format!("{origin}/#token={TOKEN}"))
        .await
        .unwrap();
    field.send_keys(Key::Enter).await.unwrap();
    browser.reads("#where h1", "general").await;

    // The printed link opens it at once, and the token leaves the address bar.
    browser.driver.goto("about:blank").await.unwrap();
    browser
        .driver
        .goto(format!("{origin}/#token={TOKEN}"))
        .await
        .unwrap();
    browser.reads("#places", "general").await;
    browser.reads("#live", "live").await;
    assert!(!browser.address().await.contains(TOKEN));

    // A person speaks, mentions the bot, and stays chosen over a reload.
    browser.choose("#speaker", "guest").await;
    browser.say("**hello** there").await;
    let said = browser.reads("#log article", "hello there").await;
    assert!(said.contains("guest") && said.contains("@ostler"), "{said}");
    assert!(browser.address().await.contains(&seeded.users["guest"]));
    browser.driver.refresh().await.unwrap();
    browser.reads("#log article strong", "hello").await;
    let chosen = browser.find("#speaker").await.prop("value").await.unwrap();
    assert_eq!(chosen.as_ref(), Some(&seeded.users["guest"]));

    // The bot's card comes live; nobody answers the press, and the page says so.
    let card = json!({"content": "May I?", "components": [{"type": 1, "components": [
        {"type": 2, "style": 3, "label": "Approve", "custom_id": "yes"},
        {"type": 2, "style": 4, "label": "Deny", "custom_id": "no", "disabled": true},
    ]}]});
    let card = post(&running, &seeded, card).await;
    let of_card = |css: &str| format!("article[data-id='{card}'] {css}");
    browser.reads(&of_card(".tag"), "BOT").await;
    let deny = browser.find(&of_card("[data-custom-id=no]")).await;
    assert!(!deny.is_enabled().await.unwrap());
    browser
        .find(&of_card("[data-custom-id=yes]"))
        .await
        .click()
        .await
        .unwrap();
    browser
        .reads(&of_card(".outcome"), "This interaction failed")
        .await;

    // Who types is named until they write.
    let channel = &seeded.channels["general"];
    let url = format!("{}/api/v10/channels/{channel}/typing", running.origin());
    let request = reqwest::Client::new()
        .post(url)
        .header("content-length", "0");
    let request = request.header("authorization", format!("Bot {}", seeded.bot_token));
    assert_eq!(request.send().await.unwrap().status(), 204);
    browser.reads("#typing", "ostler is typing").await;

    // A post in the forum opens as its thread.
    let forum = format!("[data-key='place {}']", seeded.channels["ideas"]);
    browser.find(&forum).await.click().await.unwrap();
    browser
        .find("#head-actions button")
        .await
        .click()
        .await
        .unwrap();
    browser
        .find("dialog input")
        .await
        .send_keys("Saddles")
        .await
        .unwrap();
    let body = browser.find("dialog textarea").await;
    body.send_keys("Leather, or not?").await.unwrap();
    browser.find("dialog .primary").await.click().await.unwrap();
    browser.reads("#where h1", "Saddles").await;
    browser
        .reads("#log article .content", "Leather, or not?")
        .await;
    browser.driver.back().await.unwrap();
    browser.reads("#where h1", "ideas").await;
    browser.reads("#posts", "Saddles").await;
    browser.driver.back().await.unwrap();
    browser.reads("#where h1", "general").await;

    // What is hostile is shown, letter by letter, and does nothing.
    let hostile = post(&running, &seeded, json!({"content": HOSTILE})).await;
    let content = format!("article[data-id='{hostile}'] .content");
    let shown = browser.reads(&content, "onerror").await;
    assert!(shown.contains(HOSTILE), "{shown:?}");
    let inner = format!("{content} :is(img, script, a, b)");
    assert!(
        browser
            .driver
            .find_all(By::Css(inner))
            .await
            .unwrap()
            .is_empty()
    );
    assert!(browser.driver.title().await.unwrap().contains("general"));

    // When the emulator stops, the page says that it shows an old state.
    running.shutdown().await;
    browser
        .reads("#lost", "connection to the emulator is lost")
        .await;
}

/// What Discord's Markdown gives, as selectors below a message's content with their text.
const MARKDOWN: [(&str, &str); 18] = [
    (".h1", "Title"),
    (".h3", "Third"),
    (".small", "small print"),
    ("p strong", "bold"),
    ("p strong em", "both"),
    ("p > em", "slanted"),
    ("p u", "under"),
    ("p s", "gone"),
    ("p .spoiler", "secret"),
    ("p code", "**raw**"),
    ("p .link", "https://example.org/a_b_c"),
    ("p .address", "(https://example.com/)"),
    ("p time[data-relative]", "ago"),
    ("p .mention", "@guest"),
    ("blockquote", "quoted\nlines"),
    ("ul > li > ul > li", "inner"),
    ("ol > li", "first"),
    ("pre code", "let a = '*b*';\n  <c>"),
];

fn markdown(guest: &str) -> String {
    format!(
        "# Title\n### Third\n-# small print\n**bold** ***both*** *slanted* __under__ ~~gone~~ \
         ||secret|| `**raw**` https://example.org/a_b_c [label](https://example.com/) \
         <t:1000000000:R> <@{guest}> 2 * 3 * 4 snake_case_name \\*escaped\\*\n> quoted\n> lines\n\
         - outer\n  - inner\n1. first\n```rust\nlet a = '*b*';\n  <c>\n```"
    )
}

#[tokio::test]
async fn what_bots_send_is_drawn_and_no_text_keeps_the_page_busy() {
    let (running, seeded) = scene().await;
    in_a_browser(|browser| look_at_messages(browser, running, seeded)).await;
}

async fn look_at_messages(browser: Browser, running: Running, seeded: Seeded) {
    let link = format!("{}/#token={TOKEN}", running.origin());
    browser.driver.goto(link).await.unwrap();
    browser.reads("#where h1", "general").await;

    let text = markdown(&seeded.users["guest"]);
    let message = post(&running, &seeded, json!({"content": text})).await;
    let below = |css: &str| format!("article[data-id='{message}'] .content {css}");
    for (css, text) in MARKDOWN {
        browser.reads(&below(css), text).await;
    }
    browser
        .reads(&below(""), "2 * 3 * 4 snake_case_name *escaped*")
        .await;

    let embed = json!({"embeds": [{
        "title": "Weather", "description": "*Rain*", "color": 255,
        "fields": [{"name": "Wind", "value": "**West**", "inline": true}],
        "image": {"url": "https://example.com/picture.png"},
    }]});
    let embed = post(&running, &seeded, embed).await;
    let below = |css: &str| format!("article[data-id='{embed}'] .embed {css}");
    browser.reads(&below(".embed-title"), "Weather").await;
    browser.reads(&below("dd strong"), "West").await;
    // Nothing is loaded from elsewhere.
    browser.reads(&below(".address"), "not loaded").await;

    let cards = json!({"flags": 1 << 15, "components": [{"type": 17, "components": [
        {"type": 10, "content": "## A card"},
        {"type": 14},
        {"type": 9, "components": [{"type": 10, "content": "Beside"}], "accessory":
            {"type": 2, "style": 5, "label": "Out", "url": "https://example.com/out"}},
        {"type": 1, "components": [{"type": 3, "custom_id": "m", "options": [
            {"label": "One", "value": "1"}]}]},
    ]}]});
    let cards = post(&running, &seeded, cards).await;
    let below = |css: &str| format!("article[data-id='{cards}'] .container {css}");
    browser.reads(&below(".h2"), "A card").await;
    browser.reads(&below(".section a"), "Out").await;
    browser.find(&below("hr")).await;
    browser.choose(&below("select"), "One").await;

    // Texts that make careless parsers look at every character again and again.
    for piece in [
        "`", "` ", "*", "**_", "~~|", "[", "> ", "```\n", "\n", "<t:", "http://", "  - ",
    ] {
        let content = format!("x{}", piece.repeat(1_900 / piece.len()));
        post(&running, &seeded, json!({"content": content})).await;
    }
    let last = post(&running, &seeded, json!({"content": "still awake"})).await;
    browser
        .reads(
            &format!("article[data-id='{last}'] .content"),
            "still awake",
        )
        .await;
    running.shutdown().await;
}
