//! The command's own folder: made before the box, removed after it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::{Failure, In as _};

const LAYER: &str = "private folder";

/// A fresh folder. Dropping it removes it.
#[derive(Debug)]
pub(super) struct Private(PathBuf);

impl Private {
    /// Makes one in `parent`, for this user alone.
    pub(super) fn create(parent: &Path) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new()
            .prefix("ostler-box-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(parent)
            .at(LAYER, &parent.display())?
            .keep();
        let private = Self(folder);
        for name in [private.root(), private.tmp(), private.tmp().join("home")] {
            let made = fs::DirBuilder::new().mode(0o700).create(&name);
            made.at(LAYER, &name.display())?;
        }
        Ok(private)
    }

    /// The one that the `outer` stage made. Removed by that stage.
    #[cfg(target_os = "linux")]
    pub(super) fn of_outer(folder: &Path) -> std::mem::ManuallyDrop<Self> {
        std::mem::ManuallyDrop::new(Self(folder.to_owned()))
    }

    #[cfg(any(test, target_os = "linux"))]
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Where the box's root is built.
    pub(super) fn root(&self) -> PathBuf {
        self.0.join("root")
    }

    /// What the command finds as its temporary folder.
    pub(super) fn tmp(&self) -> PathBuf {
        self.0.join("tmp")
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        if fs::remove_dir_all(&self.0).is_err() {
            // A command may have left folders that their own owner cannot list.
            open_up(&self.0);
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// Lets the owner into every folder below `folder`. Follows no link.
fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_removed_whatever_is_in_it() {
        let parent = tempfile::tempdir().expect("a folder");
        let private = Private::create(parent.path()).expect("a private folder");
        let mode = fs::metadata(private.path())
            .expect("its mode")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
        let deep = private.tmp().join("closed/deeper");
        fs::create_dir_all(&deep).expect("folders");
        fs::write(deep.join("file"), "x").expect("a file");
        std::os::unix::fs::symlink("/", private.tmp().join("link")).expect("a link");
        for closed in [deep.as_path(), &private.tmp().join("closed")] {
            fs::set_permissions(closed, Permissions::from_mode(0o000)).expect("a closed folder");
        }
        drop(private);
        assert_eq!(fs::read_dir(parent.path()).expect("the parent").count(), 0);
    }
}
