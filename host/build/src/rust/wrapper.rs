//! The compiler's wrapper that makes the names of symbols the same in every folder.
//!
//! rustc mixes what cargo passes as `-C metadata` into the hash of each symbol, and orders generic
//! functions by their symbols. cargo makes that value of the package's place: relative within the
//! workspace's folder, absolute elsewhere. With a path dependency outside of the workspace the bytes
//! would hence differ from folder to folder. cargo has no setting for it, and rustc only adds to
//! what it was given. So the wrapper puts the package's name and version there, which cannot clash:
//! a lock file holds no two path packages of one name and version.

use std::path::Path;

#[cfg(unix)]
use std::{fs, io::Write, os::unix::fs::PermissionsExt};

use crate::BuildError;

/// The variable that names the folders of path packages, one a line.
pub(super) const PACKAGES: &str = "OSTLER_PATH_PACKAGES";

/// The variable that names the wrapper that the caller wants around the compiler; may be empty.
pub(super) const INNER: &str = "OSTLER_RUSTC_WRAPPER";

#[cfg(unix)]
const SCRIPT: &str = r#"#!/bin/sh
# Written by `ostler build`: gives path packages the same symbols wherever they lie.
case "
$OSTLER_PATH_PACKAGES
" in
*"
${CARGO_MANIFEST_DIR:-none}
"*)
    left=$#
    while [ "$left" -gt 0 ]; do
        argument=$1
        shift
        case $argument in
        metadata=*) argument=metadata=$CARGO_PKG_NAME-$CARGO_PKG_VERSION ;;
        esac
        set -- "$@" "$argument"
        left=$((left - 1))
    done
    ;;
esac
if [ -n "${OSTLER_RUSTC_WRAPPER:-}" ]; then
    exec "$OSTLER_RUSTC_WRAPPER" "$@"
fi
exec "$@"
"#;

/// Writes the wrapper into the target folder, always at the same place: build scripts that watch
/// `RUSTC_WRAPPER` would else run again each time. Gives nothing where there is no `sh`.
#[cfg(unix)]
pub(super) fn install(target: &Path) -> Result<Option<std::path::PathBuf>, BuildError> {
    let folder = target.join("ostler");
    let path = folder.join("rustc-wrapper");
    if fs::read(&path).is_ok_and(|script| script == SCRIPT.as_bytes()) {
        return Ok(Some(path));
    }
    fs::create_dir_all(&folder).map_err(BuildError::io("make the folder", &folder))?;
    tempfile::Builder::new()
        .permissions(fs::Permissions::from_mode(0o755))
        .tempfile_in(&folder)
        .and_then(|mut file| {
            file.write_all(SCRIPT.as_bytes())?;
            file.persist(&path)?;
            Ok(())
        })
        .map_err(BuildError::io("write", &path))?;
    Ok(Some(path))
}

/// Writes the wrapper into the target folder. Gives nothing where there is no `sh`.
#[cfg(not(unix))]
pub(super) fn install(_target: &Path) -> Result<Option<std::path::PathBuf>, BuildError> {
    Ok(None)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::Command;

    use super::*;

    /// What the wrapper passes on, one argument a line.
    fn passed(manifest: &str, inner: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = install(folder.path()).expect("written").expect("a path");
        let again = install(folder.path()).expect("found");
        assert_eq!(again.as_ref(), Some(&path));
        let output = Command::new(path)
            .args([
                "printf",
                "%s\n",
                "-C",
                "metadata=0123",
                "a b",
                "",
                "x=metadata=1",
            ])
            .env(PACKAGES, "/a/one\n/a/two words")
            .env(INNER, inner)
            .env("CARGO_MANIFEST_DIR", manifest)
            .env("CARGO_PKG_NAME", "one")
            .env("CARGO_PKG_VERSION", "1.2.3")
            .output()
            .expect("it runs");
        assert!(output.status.success());
        String::from_utf8(output.stdout).expect("text")
    }

    #[test]
    fn a_path_packages_metadata_is_its_name_and_all_else_is_kept() {
        let kept = "-C\nmetadata=one-1.2.3\na b\n\nx=metadata=1\n";
        assert_eq!(passed("/a/one", ""), kept);
        assert_eq!(passed("/a/two words", ""), kept);
    }

    #[test]
    fn another_packages_metadata_is_kept() {
        let kept = "-C\nmetadata=0123\na b\n\nx=metadata=1\n";
        assert_eq!(passed("/a/on", ""), kept);
        assert_eq!(passed("/a", ""), kept);
    }

    #[test]
    fn the_callers_wrapper_is_run_around_the_compiler() {
        assert!(passed("/a/one", "echo").starts_with("printf %s\n -C metadata=one-1.2.3 a b"));
    }
}
