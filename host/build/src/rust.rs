//! Rust packages: cargo builds the core module, the encoder makes it a component.

mod cargo;
mod wrapper;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use wit_component::ComponentEncoder;

use crate::BuildError;

/// A Rust package to build.
#[derive(Debug, Clone)]
pub struct RustBuild {
    /// The folder of the package: where its `Cargo.toml` is.
    pub package: PathBuf,
    /// Where the component is written. The folders above it are made.
    pub component: PathBuf,
}

/// What was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// Where the component is.
    pub component: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// The version line of the compiler, such as `rustc 1.95.0 (59807616e 2026-04-14)`. The same
    /// source and another compiler give other bytes.
    pub rustc: String,
}

/// Builds the package for `wasm32-unknown-unknown` in its release profile and writes its component.
///
/// cargo runs in the caller's environment: `CARGO_TARGET_DIR`, `RUSTC`, `CARGO_HOME` and the like
/// hold, and so do the flags of `RUSTFLAGS` or `CARGO_ENCODED_RUSTFLAGS` (but not those of cargo's
/// configuration files). A lock file is followed, and gains what a
/// changed manifest adds. cargo's progress and the
/// compiler's messages go to stderr.
///
/// The component is written beside its place and renamed, so that nobody sees half of it.
///
/// # Errors
///
/// One of [`BuildError`]; an older component then stays as it is.
pub fn build_rust(request: &RustBuild) -> Result<Built, BuildError> {
    let artifact = cargo::build(&request.package)?;
    let component = encode(&artifact.module)?;
    write(&request.component, &component)?;
    Ok(Built {
        component: request.component.clone(),
        bytes: component.len() as u64,
        rustc: artifact.rustc,
    })
}

fn encode(module: &Path) -> Result<Vec<u8>, BuildError> {
    let core = fs::read(module).map_err(BuildError::io("read", module))?;
    ComponentEncoder::default()
        .validate(true)
        .module(&core)
        .and_then(|mut encoder| encoder.encode())
        .map_err(|error| BuildError::EncodeFailed {
            module: module.to_owned(),
            reason: format!("{error:#}"),
        })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder).map_err(BuildError::io("make the folder", folder))?;
    let mut builder = tempfile::Builder::new();
    // Made for secrets, temporary files are private; a component is as open as the umask allows.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
        .tempfile_in(folder)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.persist(path)?;
            Ok(())
        })
        .map_err(BuildError::io("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(manifest: &str, source: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("src")).expect("a folder");
        fs::write(folder.path().join("Cargo.toml"), manifest).expect("written");
        fs::write(folder.path().join("src/lib.rs"), source).expect("written");
        folder
    }

    fn refusal(folder: &Path) -> BuildError {
        let component = folder.join("out/plugin.wasm");
        let error = build_rust(&RustBuild {
            package: folder.to_owned(),
            component: component.clone(),
        })
        .expect_err("it gives no component");
        assert!(!component.exists());
        error
    }

    #[test]
    fn a_package_without_a_cdylib_has_no_artifact() {
        let folder = package("[package]\nname = \"plain\"\nedition = \"2024\"\n", "");
        let error = refusal(folder.path());
        assert_eq!(error.code(), "no-artifact", "{error}");
    }

    #[test]
    fn a_workspace_of_packages_has_no_artifact() {
        let folder = package("[workspace]\n", "");
        let error = refusal(folder.path());
        assert_eq!(error.code(), "no-artifact", "{error}");
    }

    #[test]
    fn a_folder_within_a_package_is_no_package() {
        let folder = package(
            "[package]\nname = \"plugin\"\n[lib]\ncrate-type = [\"cdylib\"]\n",
            "",
        );
        let error = refusal(&folder.path().join("src"));
        assert_eq!(error.code(), "no-artifact", "{error}");
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_io_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = refusal(&folder.path().join("none"));
        assert_eq!(error.code(), "io", "{error}");
    }

    #[test]
    fn a_manifest_that_cargo_refuses_fails_with_what_cargo_says() {
        let folder = package("[package]\nname = \"no good\"\n", "");
        let error = refusal(folder.path());
        assert_eq!(error.code(), "build-failed");
        assert!(error.to_string().contains("no good"), "{error}");
    }

    #[test]
    fn a_core_module_without_a_world_cannot_be_encoded_when_it_imports() {
        let folder = tempfile::tempdir().expect("a folder");
        let module = folder.path().join("foreign.wasm");
        // (module (type (func)) (import "env" "f" (func (type 0))))
        let bytes = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02\x09\x01\x03env\x01f\0\0";
        fs::write(&module, bytes).expect("written");
        let error = encode(&module).expect_err("nothing describes `env`");
        assert_eq!(error.code(), "encode-failed");
        assert!(error.to_string().contains("env"), "{error}");
    }

    #[test]
    fn a_component_replaces_the_older_one_and_can_be_read_by_all_who_may() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("made/plugin.wasm");
        write(&path, b"older").expect("written");
        write(&path, b"newer").expect("written");
        assert_eq!(fs::read(&path).expect("read"), b"newer");
        let beside = fs::read_dir(folder.path().join("made"))
            .expect("read")
            .count();
        assert_eq!(beside, 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let plain = folder.path().join("plain");
            fs::write(&plain, b"").expect("written");
            let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode();
            assert_eq!(mode(&path), mode(&plain));
        }
    }
}
