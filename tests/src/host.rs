//! The `ostler` binary as a child process, in a home of its own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

/// The binary: `OSTLER_BIN` where it is set, else built from this workspace at the first use.
///
/// # Panics
/// If it cannot be built.
#[must_use]
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        if let Some(binary) = std::env::var_os("OSTLER_BIN") {
            return binary.into();
        }
        let built = Command::new(env!("CARGO"))
            .args([
                "build",
                "--quiet",
                "--workspace",
                "--bin",
                "ostler",
                "--tests",
                "--features",
                "ostler/failpoints",
            ])
            .current_dir(workspace())
            .status()
            .expect("cargo runs");
        assert!(built.success(), "the binary does not build");
        // Test binaries stand in `deps`, one folder below the binary.
        let test = std::env::current_exe().expect("a test has a path");
        test.ancestors()
            .nth(2)
            .expect("the target folder")
            .join("ostler")
    })
}

/// The workspace's folder.
#[must_use]
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace is above this crate")
}

/// A host's home, with a folder beside it for packages. Both go with the value.
pub struct Host {
    folder: TempDir,
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

impl Host {
    /// A fresh, empty one.
    ///
    /// # Panics
    /// If there is no room for temporary files.
    #[must_use]
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// The home.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A folder outside the home.
    #[must_use]
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// A command that has not been started, with its home given and nothing else of this
    /// process's environment that could matter.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .env("OSTLER_HOME", self.home())
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    ///
    /// # Panics
    /// If the binary cannot be started.
    #[must_use]
    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran(self.command(arguments).output().expect("the binary starts"))
    }

    /// Starts a command, to be killed.
    ///
    /// # Panics
    /// If the binary cannot be started.
    #[must_use]
    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts")
    }

    /// Writes a package with a component and gives its folder. `more` stands in the manifest
    /// before `[build]`.
    ///
    /// # Panics
    /// If the files cannot be written.
    #[must_use]
    pub fn package(&self, name: &str, version: &str, component: &[u8], more: &str) -> PathBuf {
        let folder = self.outside().join(format!("{name}-{version}"));
        std::fs::create_dir_all(&folder).expect("a folder");
        let manifest = format!(
            "name = \"{name}\"\nversion = \"{version}\"\ndescription = \"A test.\"\n\
             license = \"MIT\"\ncapabilities = [\"tools\"]\n{more}\n[build]\n\
             component = \"plugin.wasm\"\n"
        );
        std::fs::write(folder.join("ostler.toml"), manifest).expect("a manifest");
        std::fs::write(folder.join("plugin.wasm"), component).expect("a component");
        folder
    }
}

/// What a command printed, and how it ended.
#[derive(Debug)]
pub struct Ran(Output);

impl Ran {
    /// The exit code; -1 after a signal.
    #[must_use]
    pub fn code(&self) -> i32 {
        self.0.status.code().unwrap_or(-1)
    }

    /// All of stdout.
    #[must_use]
    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    /// All of stderr.
    #[must_use]
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    /// The JSON document on stdout.
    ///
    /// # Panics
    /// If stdout is not one JSON document.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.0.stdout)
            .unwrap_or_else(|error| panic!("stdout is no JSON ({error}): {self}"))
    }

    /// The same, after a check of the exit code.
    ///
    /// # Panics
    /// If the command ended with another code.
    pub fn ended(self, code: i32) -> Self {
        assert_eq!(self.code(), code, "{self}");
        self
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "exit {}\n{}\n{}",
            self.code(),
            self.stdout(),
            self.stderr()
        )
    }
}
