//! The command line, defined once.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// A plugin host that reads a plugin's code before it hands over any key.
///
/// Permissions are derived from the host calls in the compiled component. What was derived is
/// what an installer reads, what the grant records, and what is linked.
#[derive(Debug, Parser)]
#[command(
    name = "ostler",
    version,
    after_help = "Exit codes: 0 done; 1 looked at and not fine; 2 usage or I/O; 3 needs a \
                  person's consent."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that stand anywhere on the line.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// The host's home folder [default: $OSTLER_HOME, else the platform's data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// The profile [default: main; `serve` serves all of the home]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// How results are printed
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Print results and errors only
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print what is done and what was used as well
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
}

/// The profile where none is named.
pub(crate) const MAIN_PROFILE: &str = "main";

impl Global {
    /// The profile's name.
    pub(crate) fn profile_name(&self) -> &str {
        self.profile.as_deref().unwrap_or(MAIN_PROFILE)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON document on stdout
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build a package's component
    Build {
        /// The package's folder
        #[arg(default_value = ".", value_name = "DIR")]
        package: PathBuf,
        /// Where the component goes [default: `component` in the manifest]
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Show what a component or a package can reach, and why
    Scan {
        /// A component (.wasm), its text form (.wat), or a package's folder
        #[arg(value_name = "PATH")]
        path: PathBuf,
    },
    /// Show what B asks beyond A
    Diff {
        /// A package, a package's folder, or a component
        #[arg(value_name = "A")]
        from: String,
        /// Likewise
        #[arg(value_name = "B")]
        to: String,
    },
    /// Scan, check, sign and store a version of a package
    Publish {
        /// The package's folder
        #[arg(default_value = ".", value_name = "DIR")]
        package: PathBuf,
    },
    /// List the packages of the registry
    Browse {
        /// Only packages whose name or description holds this text
        query: Option<String>,
    },
    /// Show a package: what it offers, what it can reach, who signed it
    Show {
        /// NAME or NAME@VERSION
        package: String,
    },
    /// Review a package and install it
    Install(Install),
    /// Uninstall a plugin, with its settings
    Uninstall {
        /// The plugin's name
        package: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Run one tool of an installed plugin
    Call {
        /// The plugin's name
        package: String,
        /// The tool's name
        tool: String,
        /// The tool's arguments, a JSON object
        #[arg(long, value_name = "JSON", default_value = "{}")]
        args: String,
    },
    /// Run the host: Discord and the pages
    Serve(Run),
    /// Run the host with Discord emulated, to try it and to write plugins
    Dev(Dev),
    /// Look at what the assistant did
    Sessions {
        #[command(subcommand)]
        command: Sessions,
    },
    /// Look at what waits for an answer and at what was answered, and answer as the owner
    Approvals {
        #[command(subcommand)]
        command: Approvals,
    },
    /// Let commands and plugins' rules pass without a question
    Allow {
        #[command(subcommand)]
        command: Allow,
    },
    /// Show who did what, or check that nobody changed the record of it
    Audit(Audit),
    /// Look at the configuration
    Config {
        #[command(subcommand)]
        command: Config,
    },
    /// Keep the secrets that the configuration and plugins name
    Secrets {
        #[command(subcommand)]
        command: Secrets,
    },
    /// Check this machine and the home folder, and say how to mend what is broken
    Doctor,
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(Debug, Args)]
pub(crate) struct Install {
    /// NAME, NAME@VERSION, or a package's folder, which is published first
    #[arg(value_name = "PACKAGE")]
    pub(crate) package: String,
    /// Accept these parts of what it asks for, by their ids, separated by commas
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        conflicts_with = "access_digest"
    )]
    pub(crate) accept: Vec<String>,
    /// Accept exactly the access with this digest
    #[arg(long, value_name = "DIGEST")]
    pub(crate) access_digest: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Where the pages and the API listen; port 0 picks one
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<SocketAddr>,
    /// Write the addresses and the token to this file when everything is up
    #[arg(long, value_name = "FILE")]
    pub(crate) ready_file: Option<PathBuf>,
    /// Ask nobody before commands and changes; turns that plugins or peers caused ask all the same
    #[arg(long)]
    pub(crate) yolo: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Dev {
    #[command(flatten)]
    pub(crate) run: Run,
    /// The turns that the scripted model follows, in place of the profile's model
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// List the sessions, the latest first
    List,
    /// Show a session: its rows, and what each turn read, called and said
    Show {
        /// The session's key
        session: String,
    },
    /// Ask nobody in a session, or ask again; turns that plugins or peers caused ask all the same
    Yolo {
        /// The session's key
        session: String,
        /// Whether nobody is asked
        #[arg(value_enum)]
        switch: Switch,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// Nobody is asked
    On,
    /// Whoever may answer is asked
    Off,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Approvals {
    /// List what waits for an answer, the oldest first
    List {
        /// What has ended as well, the latest first
        #[arg(long)]
        all: bool,
        /// At most so many that have ended
        #[arg(long, value_name = "N", default_value_t = 100, requires = "all")]
        limit: u32,
    },
    /// Show all of what is asked, why, and each step since
    Show {
        /// Its id, or the first 8 digits of it or more
        id: String,
    },
    /// Let it happen, once; the host must run
    Approve {
        /// Likewise
        id: String,
    },
    /// Keep it from happening; the host must run
    Deny {
        /// Likewise
        id: String,
        /// Why, for the one who asked and for the model: at most 500 characters
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Allow {
    /// Let a command, a shape of commands or a plugin's rule pass
    Add(AllowAdd),
    /// List what passes
    List,
    /// Take a grant back
    Remove {
        /// Its id, as `list` shows it
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AllowAdd {
    #[command(flatten)]
    pub(crate) what: Allowed,
    /// In this session alone
    #[arg(long, value_name = "KEY")]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Allowed {
    /// Exactly this command
    #[arg(long, value_name = "TEXT")]
    pub(crate) command: Option<String>,
    /// Commands of this shape, with `<name>` for one plain word: `git show <name>`
    #[arg(long, value_name = "TEXT")]
    pub(crate) shape: Option<String>,
    /// What this rule of a plugin asks
    #[arg(long, value_name = "PLUGIN/RULE")]
    pub(crate) rule: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Audit {
    /// At most so many entries: the newest, or the first after a place
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: u32,
    /// Entries after this place
    #[arg(long, value_name = "SEQ", conflicts_with = "verify")]
    pub(crate) after: Option<u64>,
    /// Look through the whole chain, and print its head
    #[arg(long)]
    pub(crate) verify: bool,
    /// Whether this head, which you noted earlier, still is in the chain
    #[arg(long, value_name = "HASH", requires = "verify")]
    pub(crate) head: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Print the profile's configuration as it is in force, defaults included
    Show {
        /// Print the reference of every key instead
        #[arg(long)]
        docs: bool,
    },
    /// Check the profile's file and the host's
    Check,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Secrets {
    /// Set a secret; its value is read from stdin, or asked for on a terminal
    Set {
        /// Its name: capital letters, digits and `_`, a letter first
        name: String,
    },
    /// List the names, and when each was set
    List,
    /// Remove a secret
    Remove {
        /// Its name
        name: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}
