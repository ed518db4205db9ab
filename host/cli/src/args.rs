//! The command line, defined once.

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
    /// The profile that plugins are installed in
    #[arg(long, global = true, value_name = "NAME", default_value = "main")]
    pub(crate) profile: String,
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
