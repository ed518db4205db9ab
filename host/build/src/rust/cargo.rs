//! Running cargo so that the bytes depend on nothing but the source and the compiler.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{Message, Metadata, MetadataCommand, Package};

use super::wrapper;
use crate::BuildError;

const TARGET: &str = "wasm32-unknown-unknown";

/// A core module that cargo built.
pub(super) struct Artifact {
    pub(super) module: PathBuf,
    /// The version line of the compiler.
    pub(super) rustc: String,
}

pub(super) fn build(package: &Path) -> Result<Artifact, BuildError> {
    let package = &fs::canonicalize(package).map_err(BuildError::io("open the folder", package))?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Known before cargo resolves anything: what is wrong with the package itself.
    let outline = metadata(&cargo, package, &["--no-deps"])?;
    cdylib(package, &outline)?;
    let rustc = rustc(package)?;

    let whole = metadata(&cargo, package, &["--filter-platform", TARGET])?;
    let root = cdylib(package, &whole)?;
    let mut command = Command::new(&cargo);
    command
        .args(["build", "--lib", "--release", "--target", TARGET])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(package)
        .env_remove("RUSTFLAGS")
        .env("CARGO_ENCODED_RUSTFLAGS", rustflags(&whole))
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if let Some(path) = wrapper::install(whole.target_directory.as_std_path())? {
        let inner = env::var_os("RUSTC_WRAPPER").unwrap_or_default();
        command
            .env(wrapper::PACKAGES, path_packages(&whole).join("\n"))
            .env(wrapper::INNER, inner)
            .env("RUSTC_WRAPPER", path);
    }
    let module = run(command, &cargo, package, root)?;
    Ok(Artifact { module, rustc })
}

fn metadata(cargo: &OsStr, package: &Path, options: &[&str]) -> Result<Metadata, BuildError> {
    MetadataCommand::new()
        .cargo_path(cargo)
        .current_dir(package)
        .other_options(
            options
                .iter()
                .copied()
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        )
        .exec()
        .map_err(|error| match error {
            cargo_metadata::Error::Io(source) => cannot_run(cargo, source),
            cargo_metadata::Error::CargoMetadata { stderr } => BuildError::BuildFailed {
                package: package.to_owned(),
                reason: stderr.trim().to_owned(),
            },
            other => BuildError::BuildFailed {
                package: package.to_owned(),
                reason: other.to_string(),
            },
        })
}

/// The folder's own package, which must have a library that can become a component.
fn cdylib<'a>(package: &Path, metadata: &'a Metadata) -> Result<&'a Package, BuildError> {
    let none = |reason| BuildError::NoArtifact {
        package: package.to_owned(),
        reason,
    };
    // cargo also looks in the folders above, and its own notion of the root needs the dependencies.
    let here = |found: &&Package| {
        let folder = found.manifest_path.parent();
        folder.is_some_and(|folder| fs::canonicalize(folder).is_ok_and(|folder| folder == package))
    };
    let root = metadata
        .packages
        .iter()
        .find(here)
        .ok_or_else(|| none("the folder holds no package"))?;
    if root.targets.iter().any(cargo_metadata::Target::is_cdylib) {
        Ok(root)
    } else {
        Err(none("its library's `crate-type` has no `cdylib`"))
    }
}

/// The version line of the compiler that cargo will use, once it is known to have the target.
fn rustc(package: &Path) -> Result<String, BuildError> {
    let program = ["RUSTC", "CARGO_BUILD_RUSTC"]
        .into_iter()
        .find_map(env::var_os)
        .unwrap_or_else(|| "rustc".into());
    let ask = |arguments: &[&str]| -> Result<String, BuildError> {
        let output = Command::new(&program)
            .args(arguments)
            .current_dir(package)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|source| cannot_run(&program, source))?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().next().unwrap_or_default().to_owned())
    };
    let version = ask(&["--version"])?;
    let libdir = PathBuf::from(ask(&["--print", "target-libdir", "--target", TARGET])?);
    if libdir.is_dir() {
        Ok(version)
    } else {
        Err(BuildError::TargetMissing {
            rustc: version,
            target: TARGET,
            libdir,
        })
    }
}

/// The caller's flags, and one for each folder whose name would else stand in the bytes, where a
/// panic tells its place.
fn rustflags(metadata: &Metadata) -> OsString {
    let mut flags: Vec<OsString> = match env::var("CARGO_ENCODED_RUSTFLAGS") {
        Ok(flags) if flags.is_empty() => Vec::new(),
        Ok(flags) => flags.split(SEPARATOR).map(OsString::from).collect(),
        Err(_) => env::var("RUSTFLAGS")
            .unwrap_or_default()
            .split_whitespace()
            .map(OsString::from)
            .collect(),
    };
    flags.extend(
        remappings(metadata)
            .into_iter()
            .map(|(from, to)| OsString::from(format!("--remap-path-prefix={from}={to}"))),
    );
    flags.join(OsStr::new(SEPARATOR))
}

/// What stands between two flags in `CARGO_ENCODED_RUSTFLAGS`.
const SEPARATOR: &str = "\u{1f}";

/// Folders and what to call them, outer folders before those within: the compiler takes the last
/// that fits.
fn remappings(metadata: &Metadata) -> BTreeSet<(String, String)> {
    let mut remappings = BTreeSet::from([
        (metadata.target_directory.to_string(), "/target".to_owned()),
        (metadata.workspace_root.to_string(), "/workspace".to_owned()),
    ]);
    for package in &metadata.packages {
        let Some(folder) = package.manifest_path.parent() else {
            continue;
        };
        let registry = package
            .source
            .as_ref()
            .is_some_and(|source| !source.repr.starts_with("git+"));
        remappings.insert(match folder.parent() {
            // One flag for all crates of a registry, lest they fill the command line.
            Some(crates) if registry => (crates.to_string(), "/crates".to_owned()),
            _ => (
                folder.to_string(),
                format!("/packages/{}-{}", package.name, package.version),
            ),
        });
    }
    remappings
}

/// The folders of the packages that come from no registry and no repository.
fn path_packages(metadata: &Metadata) -> Vec<&str> {
    metadata
        .packages
        .iter()
        .filter(|package| package.source.is_none())
        .filter_map(|package| package.manifest_path.parent())
        .map(cargo_metadata::camino::Utf8Path::as_str)
        .collect()
}

/// Runs the build and gives the core module of `root`.
fn run(
    mut command: Command,
    cargo: &OsStr,
    package: &Path,
    root: &Package,
) -> Result<PathBuf, BuildError> {
    let mut child = command
        .spawn()
        .map_err(|source| cannot_run(cargo, source))?;
    let mut module = None;
    if let Some(stdout) = child.stdout.take() {
        for message in Message::parse_stream(BufReader::new(stdout)) {
            let message = message.map_err(BuildError::io("read cargo's messages for", package))?;
            if let Message::CompilerArtifact(artifact) = message
                && artifact.package_id == root.id
                && artifact.target.is_cdylib()
            {
                module = artifact
                    .filenames
                    .into_iter()
                    .find(|file| file.extension() == Some("wasm"));
            }
        }
    }
    let status = child
        .wait()
        .map_err(BuildError::io("wait for cargo in", package))?;
    if !status.success() {
        return Err(BuildError::BuildFailed {
            package: package.to_owned(),
            reason: "cargo's messages tell why".to_owned(),
        });
    }
    module
        .map(PathBuf::from)
        .ok_or_else(|| BuildError::NoArtifact {
            package: package.to_owned(),
            reason: "cargo built no WebAssembly module",
        })
}

fn cannot_run(program: &OsStr, source: io::Error) -> BuildError {
    BuildError::CargoMissing {
        program: program.to_string_lossy().into_owned(),
        source,
    }
}
