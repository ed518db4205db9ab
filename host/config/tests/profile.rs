//! A profile's and the host's configuration, in files as operators write them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use std::fs;
use std::path::{Path, PathBuf};

use ostler_config::{
    ApprovalMode, ConfigError, EXAMPLE_PROFILE, Home, HostConfig, InboundMedia, ProfileConfig,
    Provider, TurnVerbosity, WidePostChannels, check_host, check_profile, read_host, read_profile,
};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("profile.toml")
    }

    fn write(&self, text: &str) -> PathBuf {
        fs::write(self.file(), text).unwrap();
        self.file()
    }
}

fn read(text: &str) -> ProfileConfig {
    read_profile(&Folder::new().write(text)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The code and the text of the one thing that is wrong, without the file's path.
fn wrong(text: &str) -> (&'static str, String) {
    let folder = Folder::new();
    let errors = check_profile(&folder.write(text));
    assert_eq!(errors.len(), 1, "{errors:?}\n{text}");
    without_path(&folder.file(), &errors[0])
}

fn without_path(file: &Path, error: &ConfigError) -> (&'static str, String) {
    let text = error.to_string();
    let rest = text.strip_prefix(&format!("{}:", file.display()));
    let rest = rest.unwrap_or_else(|| panic!("it does not begin with the file: {text}"));
    (error.code(), rest.to_owned())
}

#[test]
fn a_file_that_is_missing_or_empty_gives_the_defaults() {
    let folder = Folder::new();
    let defaults = read_profile(&folder.file()).unwrap();
    assert_eq!(defaults, ProfileConfig::default());
    assert_eq!(read(""), defaults);
    assert_eq!(defaults.owner_id, None);
    assert_eq!(defaults.turn_verbosity, TurnVerbosity::Auto);
    assert_eq!(defaults.inbound_media, InboundMedia::Model);
    assert_eq!(defaults.approvals.mode, ApprovalMode::Manual);
    assert_eq!(defaults.approvals.window_seconds.get(), 180);
    assert!(
        defaults
            .approvals
            .protected
            .contains(&"**/.ssh/**".to_owned())
    );
    assert!(!defaults.shell.network && defaults.shell.environment.is_empty());
    assert_eq!(defaults.shell.timeout_seconds.get(), 120);
    assert!(defaults.discord.api_base.is_discord());
    assert!(defaults.platform_toolsets.cotal.is_empty());
    // A table that is begun keeps the defaults of what it does not say.
    assert_eq!(
        read("[approvals]\n[discord]\n[platform_toolsets]\n[shell]\n"),
        defaults
    );
}

#[test]
fn the_example_is_in_order_with_and_without_its_comments() {
    let config = read(EXAMPLE_PROFILE);
    assert_eq!(config.model.as_ref().unwrap().provider, Provider::Openai);
    assert_eq!(config.discord.narrow_post_channels().len(), 1);
    let all = read(&uncommented(EXAMPLE_PROFILE));
    assert!(all.mesh.is_some() && all.may_set_up);
    assert_eq!(
        all.agent_model(&all.agent("main").unwrap()),
        all.models.get("small")
    );
}

/// The example with every key in it.
fn uncommented(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix('#') {
        Some(rest) if !rest.starts_with(' ') => rest.to_owned(),
        _ => line.to_owned(),
    };
    text.lines().map(|text| line(text) + "\n").collect()
}

#[test]
fn the_example_shows_every_key() {
    fn missing(shown: &toml::Value, known: &toml::Value, path: &str, out: &mut Vec<String>) {
        for (key, below) in known.as_table().unwrap() {
            let path = format!("{path}.{key}");
            match shown.get(key) {
                None => out.push(path),
                Some(shown) if below.is_table() => missing(shown, below, &path, out),
                Some(_) => {}
            }
        }
    }
    let shown: toml::Value = toml::from_str(&uncommented(EXAMPLE_PROFILE)).unwrap();
    // What is unset by default is not in this text; the reference lists it, see documentation.rs.
    let known = toml::Value::try_from(ProfileConfig::default()).unwrap();
    let mut out = Vec::new();
    missing(&shown, &known, "", &mut out);
    assert!(out.is_empty(), "{out:?}");
}

#[test]
fn an_unknown_key_is_refused_with_its_place_and_the_nearest_known_one() {
    for (text, expected) in [
        (
            "owner_id = \"1\"\nownr_id = \"1\"\n",
            "2:1: unknown key `ownr_id`; did you mean `owner_id`?",
        ),
        (
            "[discord]\n  token_secrt = \"A\"\n",
            "2:3: unknown key `discord.token_secrt`; did you mean `token_secret`?",
        ),
        (
            "discord.post_chanels = []\n",
            "1:9: unknown key `discord.post_chanels`; did you mean `post_channels`?",
        ),
        (
            "discord = { x = 1 }\n",
            "1:13: unknown key `discord.x`; `ostler config show --docs` lists the keys",
        ),
        (
            "[plugins.handoff]\nallow_origin_session = true\n",
            "2:1: unknown key `plugins.handoff.allow_origin_session`; did you mean \
             `allow_origin_sessions`?",
        ),
        (
            "[models.small]\nprovider = \"ollama\"\nname = \"x\"\nurl = \"y\"\n",
            "4:1: unknown key `models.small.url`; `ostler config show --docs` lists the keys",
        ),
        (
            "[mesh]\nurl = \"nats://a\"\nspace = \"a\"\nactr = \"b\"\n",
            "4:1: unknown key `mesh.actr`; did you mean `actor`?",
        ),
        (
            "[approval]\nmode = \"off\"\n",
            "1:2: unknown key `approval`; did you mean `approvals`?",
        ),
    ] {
        assert_eq!(
            wrong(text),
            ("config-unknown-key", expected.to_owned()),
            "{text}"
        );
    }
}

#[test]
fn every_unknown_key_is_told_at_once() {
    let folder = Folder::new();
    let file = folder.write("a = 1\n[discord]\nb = 2\n[agents.x]\nc = 3\n");
    let keys: Vec<_> = check_profile(&file)
        .iter()
        .map(|error| match error {
            ConfigError::UnknownKey { key, .. } => key.clone(),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(keys, ["a", "discord.b", "agents.x.c"]);
    assert_eq!(
        read_profile(&file).unwrap_err().code(),
        "config-unknown-key"
    );
}

#[test]
fn a_wrong_value_is_refused_by_key_and_place() {
    let mut misses = Vec::new();
    for (text, place, parts) in [
        (
            "owner_id = 112233445566778899\n",
            "1:12",
            &["`owner_id`", "in quotes"][..],
        ),
        ("owner_id = \"me\"\n", "1:12", &["`owner_id`", "its digits"]),
        ("home_channel = \"0\"\n", "1:16", &["`home_channel`"]),
        (
            "turn_verbosity = \"loud\"\n",
            "1:18",
            &["`turn_verbosity`", "`auto`", "`verbose`", "`quiet`"],
        ),
        (
            "inbound_media = \"none\"\n",
            "1:17",
            &["`images-protected`"],
        ),
        (
            "may_set_up = \"yes\"\n",
            "1:14",
            &["`may_set_up`", "boolean"],
        ),
        (
            "[approvals]\nwindow_seconds = 29\n",
            "2:18",
            &["`approvals.window_seconds`", "from 30 to 900"],
        ),
        (
            "[approvals]\nwindow_seconds = 901\n",
            "2:18",
            &["from 30 to 900"],
        ),
        (
            "[approvals]\nwindow_seconds = -1\n",
            "2:18",
            &["from 30 to 900"],
        ),
        ("[approvals]\nmode = false\n", "2:8", &["`approvals.mode`"]),
        (
            "[discord]\nallowed_users = [\"1\", \"x\"]\n",
            "2:23",
            &["`discord.allowed_users[1]`"],
        ),
        (
            "[discord]\ntoken_secret = \"my.token.value\"\n",
            "2:16",
            &["`discord.token_secret`", "no secret's name"],
        ),
        (
            "[discord]\napi_base = \"http://10.1.2.3\"\n",
            "2:12",
            &["`discord.api_base`", "in the clear"],
        ),
        (
            "[platform_toolsets]\ncotal = [\"todo\", \"terminl\"]\n",
            "2:18",
            &["`platform_toolsets.cotal[1]`", "did you mean \"terminal\""],
        ),
        (
            "[model]\nname = \"x\"\n",
            "1:1",
            &["`model`", "missing field `provider`"],
        ),
        (
            "[model]\nprovider = \"gemini\"\n",
            "2:12",
            &["`model.provider`", "`ollama`"],
        ),
        (
            "[mesh]\nurl = \"http://a\"\nspace = \"a\"\n",
            "2:7",
            &["`mesh.url`", "nats://"],
        ),
        (
            "[mesh]\nurl = \"nats://a\"\nspace = \"a.b\"\n",
            "3:9",
            &["`mesh.space`"],
        ),
        (
            "[mesh]\nurl = \"nats://a\"\nspace = \"a\"\nchannels = [\"a.>\"]\n",
            "4:13",
            &["`mesh.channels[0]`"],
        ),
        (
            "[shell]\ntimeout_seconds = 0\n",
            "2:19",
            &["`shell.timeout_seconds`", "from 1 to 600"],
        ),
        (
            "[shell]\ntimeout_seconds = 601\n",
            "2:19",
            &["from 1 to 600"],
        ),
        (
            "[shell]\nnetwork = \"yes\"\n",
            "2:11",
            &["`shell.network`", "boolean"],
        ),
        (
            "[shell]\nenvironment = \"TZ\"\n",
            "2:15",
            &["`shell.environment`"],
        ),
        (
            "[approvals]\ndeny = \"rm *\"\n",
            "2:8",
            &["`approvals.deny`"],
        ),
        ("discord = 1\n", "1:11", &["`discord`"]),
        ("[plugins.Handoff]\n", "1:10", &["\"Handoff\" is no"]),
    ] {
        let (code, found) = wrong(text);
        let is_right = code == "config-invalid"
            && found.starts_with(&format!("{place}: "))
            && parts.iter().all(|part| found.contains(part));
        if !is_right {
            misses.push(format!("{text}{place} {parts:?}\n{code} {found}\n"));
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

#[test]
fn the_shells_settings_are_read() {
    let shell = read(
        "[shell]\nnetwork = true\ntimeout_seconds = 600\n\
         environment = [\"TZ\", \"_a1\", \"LC_ALL\"]\n",
    )
    .shell;
    assert!(shell.network);
    assert_eq!(shell.timeout_seconds.get(), 600);
    assert_eq!(shell.environment, ["TZ", "_a1", "LC_ALL"]);
}

#[test]
fn the_shell_sees_no_variable_that_looks_like_a_secret() {
    for (name, part) in [
        ("GITHUB_TOKEN", "TOKEN"),
        ("github_token", "TOKEN"),
        ("Aws_Secret_Access", "SECRET"),
        ("AWS_ACCESS_KEY_ID", "KEY"),
        ("PGPASSWORD", "PASSWORD"),
        ("PGPASSFILE", "PASS"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "CREDENTIAL"),
        ("KEY", "KEY"),
    ] {
        let text = format!("[shell]\nenvironment = [\"TZ\", \"{name}\"]\n");
        let folder = Folder::new();
        let error = read_profile(&folder.write(&text)).unwrap_err();
        assert_eq!(error.code(), "secret-in-environment", "{name}");
        assert_eq!(error.key(), Some("shell.environment[1]"));
        assert_eq!(error.place().unwrap().to_string(), "2:22");
        let told = error.to_string();
        assert!(told.contains(&format!("`{part}` in its name")), "{told}");
        // What stands there is perhaps the secret itself.
        assert!(name.len() < 4 || !told.contains(name), "{told}");
    }
    // Each is told, by its place.
    let text = "shell.environment = [\n  \"A_TOKEN\",\n  \"TZ\",\n  \"B_KEY\",\n]\n";
    let folder = Folder::new();
    let errors = check_profile(&folder.write(text));
    let told: Vec<_> = errors
        .iter()
        .map(|error| (error.key().unwrap(), error.place().unwrap().to_string()))
        .collect();
    assert_eq!(
        told,
        [
            ("shell.environment[0]", "2:3".to_owned()),
            ("shell.environment[2]", "4:3".to_owned()),
        ]
    );
}

#[test]
fn what_is_no_variables_name_is_refused_and_not_printed() {
    let long = "x".repeat(129);
    for name in [
        "",
        " ",
        "1A",
        "A-B",
        "A B",
        "A=b",
        "API_KEY=abcd",
        "é",
        "*",
        "$TZ",
        &long,
    ] {
        let (code, told) = wrong(&format!("[shell]\nenvironment = ['{name}']\n"));
        assert_eq!(code, "config-invalid", "{name}");
        let start = "2:16: `shell.environment[0]`: it is no variable's name";
        assert!(told.starts_with(start), "{told}");
        assert!(name.len() < 4 || !told.contains(name), "{told}");
    }
    assert_eq!(
        read(&format!("shell.environment = ['{}']", &long[1..]))
            .shell
            .environment
            .len(),
        1
    );
}

#[test]
fn patterns_are_not_empty_and_within_bounds() {
    let list = |pattern: &str, count: usize| {
        let patterns = vec![format!("\"{pattern}\""); count];
        format!("[{}]", patterns.join(", "))
    };
    // Characters, not bytes.
    let (longest, too_long) = ("é".repeat(500), "é".repeat(501));
    for key in ["deny", "protected"] {
        let text = |list: &str| format!("[approvals]\n{key} = {list}\n");
        for good in ["[]".to_owned(), list(&longest, 1), list("git push *", 200)] {
            read(&text(&good));
        }
        let column = key.len() + 5;
        for (bad, at, reason) in [
            ("[\"\"]".to_owned(), 0, "the pattern is empty"),
            ("[' \t']".to_owned(), 0, "the pattern is empty"),
            ("[\"a\", \"\"]".to_owned(), 5, "the pattern is empty"),
            (list(&too_long, 1), 0, "the pattern has 501 characters"),
        ] {
            let (code, told) = wrong(&text(&bad));
            assert_eq!(code, "config-invalid");
            let element = usize::from(at > 0);
            let start = format!("2:{}: `approvals.{key}[{element}]`: {reason}", column + at);
            assert!(told.starts_with(&start), "{told}\n{start}");
        }
        // Once, and not for each that is too many.
        let (code, told) = wrong(&text(&list("", 201)));
        assert_eq!(code, "config-invalid");
        let start = format!("2:{}: `approvals.{key}`: it has 201 patterns", column - 1);
        assert!(told.starts_with(&start), "{told}\n{start}");
    }
}

#[test]
fn values_that_do_not_go_together_are_all_told() {
    let folder = Folder::new();
    let file = folder.write(
        "utility_model = \"smal\"\n\
         workspace = \"here\"\n\
         [approvals]\n\
         guardian_model = \"nobody\"\n\
         [agents.scribe]\n\
         model = \"nobody\"\n\
         [model]\n\
         provider = \"openai\"\n\
         base_url = \"http://models.example.com\"\n\
         key_secret = \"KEY\"\n\
         [models.small]\n\
         provider = \"scripted\"\n\
         base_url = \"http://127.0.0.1\"\n\
         [models.large]\n\
         provider = \"ollama\"\n\
         name = \"x\"\n\
         script = \"x.toml\"\n",
    );
    let found: Vec<_> = check_profile(&file)
        .iter()
        .map(|error| {
            let (code, text) = without_path(&file, error);
            assert_eq!(code, "config-invalid");
            text
        })
        .collect();
    let expected = [
        "2:13: `workspace`: it must be an absolute",
        "1:17: `utility_model`: there is no [models.smal]; did you mean \"small\"?",
        "4:18: `approvals.guardian_model`: there is no [models.nobody]",
        "6:9: `agents.scribe.model`: there is no [models.nobody]",
        "7:2: `model.name`: it is required",
        "9:12: `model.base_url`: it would send the key in the clear",
        "17:10: `models.large.script`: it is for `scripted` alone",
        "13:12: `models.small.base_url`: `scripted` reaches no provider",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\n{expected}");
    }
}

#[test]
fn a_file_that_is_no_toml_is_unreadable_at_its_place() {
    let (code, text) = wrong("owner_id = \"1\"\n[discord\n");
    assert_eq!(code, "config-unreadable");
    assert!(text.starts_with("2:9: "), "{text}");
    let folder = Folder::new();
    fs::write(folder.file(), b"# \xff\n").unwrap();
    assert_eq!(
        read_profile(&folder.file()).unwrap_err().code(),
        "config-unreadable"
    );
    let folder = Folder::new();
    fs::create_dir(folder.file()).unwrap();
    assert_eq!(
        read_profile(&folder.file()).unwrap_err().code(),
        "config-unreadable"
    );
    // However deep it goes, it ends in an error.
    let (code, _) = wrong(&format!("x = {}", "[".repeat(100_000)));
    assert_eq!(code, "config-unreadable");
}

#[test]
fn unset_post_channels_are_none_for_narrow_turns_and_all_for_others() {
    let unset = read("").discord;
    assert!(unset.narrow_post_channels().is_empty());
    assert_eq!(unset.wide_post_channels(), WidePostChannels::Unrestricted);
    let empty = read("[discord]\npost_channels = []\n").discord;
    assert!(empty.narrow_post_channels().is_empty());
    assert_eq!(empty.wide_post_channels(), WidePostChannels::Only(&[]));
    let one = read("[discord]\npost_channels = [\"7\"]\n").discord;
    assert_eq!(one.narrow_post_channels()[0].as_str(), "7");
    let WidePostChannels::Only(channels) = one.wide_post_channels() else {
        panic!("{one:?}");
    };
    assert_eq!(channels, one.narrow_post_channels());
}

#[test]
fn the_main_agent_is_there_without_being_written_down() {
    let config = read(
        "[model]\nprovider = \"scripted\"\n\
         [models.small]\nprovider = \"ollama\"\nname = \"x\"\n\
         [agents.scribe]\nmodel = \"small\"\n",
    );
    assert_eq!(config.agent("nobody"), None);
    let main = config.agent("main").unwrap();
    assert_eq!(main.families, None);
    assert_eq!(config.agent_model(&main), config.model.as_ref());
    let scribe = config.agent("scribe").unwrap();
    assert_eq!(config.agent_model(&scribe), config.models.get("small"));
    let told = read("[agents.main]\ninstructions = \"Be brief.\"\n");
    let main = told.agent("main").unwrap();
    assert_eq!(main.instructions.as_deref(), Some("Be brief."));
}

#[test]
fn what_is_shown_reads_back_as_the_same_configuration() {
    for text in ["", EXAMPLE_PROFILE, &uncommented(EXAMPLE_PROFILE)] {
        let config = read(text);
        assert_eq!(read(&config.to_toml()), config, "{}", config.to_toml());
    }
}

#[test]
fn the_workspace_lies_beside_the_home_and_never_in_it() {
    let folder = Folder::new();
    let path = folder.0.path().join("home");
    let home = Home::locate(Some(path.clone()), None).unwrap();
    home.create().unwrap();
    let default = ProfileConfig::default().workspace(&home, "main").unwrap();
    assert_eq!(default, folder.0.path().join("home-workspaces/main"));
    std::os::unix::fs::symlink(&path, folder.0.path().join("link")).unwrap();
    for bad in [
        path.clone(),
        path.join("a/b"),
        folder.0.path().join("link/a"),
        "/".into(),
    ] {
        let config = ProfileConfig {
            workspace: Some(bad.clone()),
            ..ProfileConfig::default()
        };
        let error = config.workspace(&home, "main").unwrap_err();
        assert_eq!(error.code(), "workspace-in-home", "{}", bad.display());
    }
    let config = ProfileConfig {
        workspace: Some(folder.0.path().join("elsewhere")),
        ..ProfileConfig::default()
    };
    assert!(config.workspace(&home, "main").is_ok());
}

#[test]
fn the_host_listens_on_loopback_unless_a_proxy_is_named() {
    let folder = Folder::new();
    let file = folder.0.path().join("host.toml");
    assert_eq!(read_host(&file).unwrap(), HostConfig::default());
    let default = HostConfig::default();
    assert_eq!(default.listen.to_string(), "127.0.0.1:7373");
    assert_eq!(default.max_turns.get(), 8);
    for (text, code) in [
        ("listen = \"0.0.0.0:80\"\n", Some("config-invalid")),
        ("listen = \"0.0.0.0:80\"\nbehind_proxy = true\n", None),
        ("listen = \"[::1]:0\"\nlog_format = \"json\"\n", None),
        ("listen = \"localhost\"\n", Some("config-invalid")),
        ("max_turns = 0\n", Some("config-invalid")),
        ("max_turn = 1\n", Some("config-unknown-key")),
    ] {
        fs::write(&file, text).unwrap();
        let errors = check_host(&file);
        assert_eq!(errors.first().map(ConfigError::code), code, "{text}");
    }
}
