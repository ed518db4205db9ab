//! Where a path leads, worked out from its text: nothing is looked up, so links count as what
//! they are named.

use std::path::{Component, Path, PathBuf};

use crate::word;

/// Where a path starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Root,
    /// Somebody's home folder.
    Home,
    /// Somewhere that is not known.
    Unknown,
}

/// A path with `.`, `..` and doubled slashes resolved. Its names are marked text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) base: Base,
    pub(crate) names: Vec<String>,
}

impl Place {
    /// The root of the file system.
    pub(crate) fn root() -> Self {
        Self {
            base: Base::Root,
            names: Vec::new(),
        }
    }

    /// A folder that is given as an absolute path; any other is somewhere unknown.
    pub(crate) fn of_path(path: &Path) -> Self {
        let mut place = Self::root();
        if !path.is_absolute() {
            place.base = Base::Unknown;
        }
        for component in path.components() {
            match component {
                Component::Normal(name) => place.names.push(name.to_string_lossy().into_owned()),
                Component::ParentDir => place.up(),
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
        place
    }

    /// Where a path of marked text leads from a folder.
    pub(crate) fn of_text(marked: &str, folder: &Self) -> Self {
        let mut chars = marked.chars();
        let (mut place, rest) = match chars.next() {
            Some('/') => (Self::root(), chars.as_str()),
            Some(word::HOME) => (
                Self {
                    base: Base::Home,
                    names: Vec::new(),
                },
                chars.as_str(),
            ),
            Some(c) if word::is_unknown(c) => (
                Self {
                    base: Base::Unknown,
                    names: Vec::new(),
                },
                marked,
            ),
            _ => (folder.clone(), marked),
        };
        for name in rest.split('/') {
            match name {
                "" | "." => {}
                ".." => place.up(),
                name => place.names.push(name.to_owned()),
            }
        }
        place
    }

    fn up(&mut self) {
        if self.names.pop().is_none() && self.base == Base::Home {
            // The folder of home folders.
            self.base = Base::Root;
            self.names.push("home".to_owned());
        }
    }

    /// Its last name, if it has one.
    pub(crate) fn name(&self) -> Option<&str> {
        self.names.last().map(String::as_str)
    }

    /// The path as marked text.
    pub(crate) fn text(&self) -> String {
        let names = self.names.join("/");
        match self.base {
            Base::Root => format!("/{names}"),
            Base::Home if names.is_empty() => word::HOME.to_string(),
            Base::Home => format!("{}/{names}", word::HOME),
            Base::Unknown => names,
        }
    }

    /// The path as a person would write it.
    pub(crate) fn shown(&self) -> String {
        word::shown(&self.text())
    }

    /// The names below another place, if this one is inside of it or the same.
    pub(crate) fn below(&self, outer: &Self) -> Option<&[String]> {
        (self.base == outer.base && outer.base != Base::Unknown)
            .then(|| self.names.strip_prefix(outer.names.as_slice()))
            .flatten()
    }

    /// The path, if it is wholly known.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        let text = self.text();
        (self.base == Base::Root && !text.contains(word::is_mark)).then(|| PathBuf::from(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_where_its_text_says() {
        let folder = Place::of_path(Path::new("/work/ws/src"));
        for (text, leads) in [
            ("a", "/work/ws/src/a"),
            ("./a//b/", "/work/ws/src/a/b"),
            ("..", "/work/ws"),
            ("../../../../..", "/"),
            ("/usr/..", "/"),
            ("/./", "/"),
            ("//", "/"),
            ("\u{E006}", "~"),
            ("\u{E006}/x/..", "~"),
            ("\u{E006}/..", "/home"),
            ("\u{E006}/../..", "/"),
            ("\u{100000}/a", "…/a"),
        ] {
            assert_eq!(Place::of_text(text, &folder).shown(), leads, "{text:?}");
        }
    }
}
