//! `ostler serve` as a child process, against the test's own Discord.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::discord::{Discord, PATIENCE};
use crate::host::{Host, Ran};

/// A home that is set up for a [`Discord`], with a script for the model.
pub struct Served {
    host: Host,
}

/// A running host. Dropping it kills it.
pub struct Serving {
    child: Child,
    ready: PathBuf,
}

impl Served {
    /// Writes a profile for the bot: owned by `operator`, its model following `script`. `more`
    /// stands in the profile before the tables, such as `turn_verbosity = "verbose"`.
    ///
    /// # Panics
    /// If the files cannot be written, or the secret cannot be set.
    #[must_use]
    pub fn new(discord: &Discord, script: &str, more: &str) -> Self {
        let model = "provider = \"scripted\"\nscript = \"script.toml\"";
        Self::with_model(discord, script, more, model)
    }

    /// The same, with another `[model]` table.
    ///
    /// # Panics
    /// If the files cannot be written, or the secret cannot be set.
    #[must_use]
    pub fn with_model(discord: &Discord, script: &str, more: &str, model: &str) -> Self {
        let served = Self { host: Host::new() };
        let folder = served.host.home().join("profiles/main");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("script.toml"), script).expect("a script");
        let profile = format!(
            "owner_id = \"{owner}\"\n{more}\n[discord]\ntoken_secret = \"DISCORD_TOKEN\"\n\
             api_base = \"{base}\"\n[platform_toolsets]\n\
             discord = [\"discord\", \"plugin:notebook\"]\n[model]\n{model}\n",
            owner = discord.user("operator"),
            base = discord.origin(),
        );
        served.write_profile(&profile);
        served.set_secret("DISCORD_TOKEN", discord.bot_token());
        served
    }

    /// The home and its commands.
    #[must_use]
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The profile's file.
    #[must_use]
    pub fn profile_file(&self) -> PathBuf {
        self.host.home().join("profiles/main/profile.toml")
    }

    /// The folder that the assistant's shell works in.
    #[must_use]
    pub fn workspace(&self) -> PathBuf {
        let mut beside = self.host.home().into_os_string();
        beside.push("-workspaces");
        PathBuf::from(beside).join("main")
    }

    /// How often a token stands in a file of the workspace: effects are counted from outside.
    #[must_use]
    pub fn count(&self, file: &str, token: &str) -> usize {
        std::fs::read_to_string(self.workspace().join(file))
            .unwrap_or_default()
            .matches(token)
            .count()
    }

    /// Adds a line at the head of a table of the profile, or the table.
    ///
    /// # Panics
    /// If the profile cannot be read or written.
    pub fn add_to_table(&self, table: &str, line: &str) {
        let text = std::fs::read_to_string(self.profile_file()).expect("a profile");
        let head = format!("[{table}]\n");
        if text.contains(&head) {
            self.write_profile(&text.replace(&head, &format!("{head}{line}\n")));
        } else {
            self.write_profile(&format!("{text}\n{head}{line}\n"));
        }
    }

    /// Writes the profile's file anew.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write_profile(&self, text: &str) {
        std::fs::write(self.profile_file(), text).expect("a profile");
    }

    /// Sets a secret, as an operator does.
    ///
    /// # Panics
    /// If the command fails.
    pub fn set_secret(&self, name: &str, value: &str) {
        use std::io::Write as _;
        let mut child = self
            .host
            .command(&["secrets", "set", name])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(value.as_bytes()).expect("a value");
        drop(stdin);
        assert!(child.wait().expect("an end").success(), "the secret is set");
    }

    /// Starts the host and waits until it is ready.
    ///
    /// # Panics
    /// If it does not become ready.
    pub async fn serve(&self) -> Serving {
        let serving = self.start(&[]);
        serving.wait_until_ready().await;
        serving
    }

    /// Starts the host with more of an environment, such as a failpoint.
    ///
    /// # Panics
    /// If the binary cannot be started.
    #[must_use]
    pub fn start(&self, environment: &[(&str, &str)]) -> Serving {
        self.start_with(&[], environment)
    }

    /// The same with more arguments, such as `--yolo`.
    ///
    /// # Panics
    /// If the binary cannot be started.
    #[must_use]
    pub fn start_with(&self, more: &[&str], environment: &[(&str, &str)]) -> Serving {
        let ready = self.host.outside().join("ready.json");
        let _ = std::fs::remove_file(&ready);
        let mut command: Command = self.host.command(&["serve", "--listen", "127.0.0.1:0"]);
        let child = command
            .arg("--ready-file")
            .arg(&ready)
            .args(more)
            .envs(environment.iter().copied())
            .stdout(Stdio::null())
            .stderr(self.log())
            .spawn()
            .expect("the binary starts");
        Serving { child, ready }
    }

    /// The log of all hosts of this home, for whoever looks at a failed test.
    fn log(&self) -> Stdio {
        let path = self.host.outside().join("log.txt");
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_or_else(|_| Stdio::null(), Stdio::from)
    }

    /// What all hosts of this home logged.
    #[must_use]
    pub fn logged(&self) -> String {
        std::fs::read_to_string(self.host.outside().join("log.txt")).unwrap_or_default()
    }

    /// The only session of the profile, with its rows.
    ///
    /// # Panics
    /// If there is not exactly one.
    #[must_use]
    pub fn session(&self) -> Value {
        let sessions = self.sessions();
        assert_eq!(sessions.len(), 1, "one session: {sessions:?}");
        self.show(sessions[0]["key"].as_str().expect("a key"))
    }

    /// The profile's sessions.
    #[must_use]
    pub fn sessions(&self) -> Vec<Value> {
        let listed = self.json(&["sessions", "list"]);
        listed["sessions"].as_array().cloned().unwrap_or_default()
    }

    /// A session with its rows.
    #[must_use]
    pub fn show(&self, key: &str) -> Value {
        self.json(&["sessions", "show", key])
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let arguments = [arguments, &["--format", "json"]].concat();
        let ran: Ran = self.host.run(&arguments).ended(0);
        ran.json()
    }
}

impl Serving {
    /// Waits for the ready file, and gives what it holds.
    ///
    /// # Panics
    /// If it does not come.
    pub async fn wait_until_ready(&self) -> Value {
        let began = Instant::now();
        loop {
            let ready = std::fs::read(&self.ready)
                .ok()
                .and_then(|text| serde_json::from_slice(&text).ok());
            if let Some(ready) = ready {
                return ready;
            }
            assert!(began.elapsed() < PATIENCE, "the host does not become ready");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Whether the process still runs.
    ///
    /// # Panics
    /// If the system does not say.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a status").is_none()
    }

    /// Kills it, as a crash would.
    ///
    /// # Panics
    /// If it cannot be killed.
    pub fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("an end");
    }

    /// Waits until it ends by itself: its exit code, -1 after a signal.
    ///
    /// # Panics
    /// If it does not end.
    pub async fn wait_for_end(mut self) -> i32 {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                return status.code().unwrap_or(-1);
            }
            assert!(began.elapsed() < PATIENCE, "the host does not end");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Asks it to end (SIGTERM): its exit code, and how long that took.
    ///
    /// # Panics
    /// If it does not end.
    pub async fn terminate(self) -> (i32, Duration) {
        let began = Instant::now();
        let id = i32::try_from(self.child.id()).expect("a process id");
        let process = rustix::process::Pid::from_raw(id).expect("a process id");
        rustix::process::kill_process(process, rustix::process::Signal::TERM).expect("a signal");
        (self.wait_for_end().await, began.elapsed())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
