//! The WIT package as the tests of this folder read it.

#![allow(dead_code, reason = "each test file uses some of these")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ostler_scanner::members::{self, Member, TYPES_INTERFACE, WIT_PACKAGE, WIT_VERSION};
use wit_parser::{Function, Interface, Resolve, Type, TypeDefKind, TypeId, TypeOwner, WorldItem};

/// WIT files that declare no import functions, so that no group of members stands beside them.
pub(crate) const WITHOUT_GROUP: [&str; 5] = ["lifecycle", "middleware", "tools", "types", "worlds"];

/// Files in `src/members` that are no group.
pub(crate) const NO_GROUP: [&str; 2] = ["exports", "mod"];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(crate) struct Wit {
    pub(crate) resolve: Resolve,
    /// The interfaces of the package by name.
    pub(crate) interfaces: BTreeMap<String, Interface>,
}

impl Wit {
    pub(crate) fn load() -> Self {
        let mut resolve = Resolve::default();
        let (package, _) = resolve
            .push_dir(root().join("wit"))
            .unwrap_or_else(|error| panic!("wit/ does not parse: {error:#}"));
        let name = &resolve.packages[package].name;
        assert_eq!(format!("{}:{}", name.namespace, name.name), WIT_PACKAGE);
        let version = name.version.as_ref().map(ToString::to_string);
        assert_eq!(version.as_deref(), Some(WIT_VERSION));
        let interfaces = resolve.packages[package]
            .interfaces
            .iter()
            .map(|(name, id)| (name.clone(), resolve.interfaces[*id].clone()))
            .collect();
        Self {
            resolve,
            interfaces,
        }
    }

    /// The interfaces that a world imports, or exports.
    pub(crate) fn of_world(&self, world: &str, exported: bool) -> BTreeSet<String> {
        let (_, world) = self
            .resolve
            .worlds
            .iter()
            .find(|(_, candidate)| candidate.name == world)
            .unwrap_or_else(|| panic!("wit/worlds.wit has no world `{world}`"));
        let items = if exported {
            &world.exports
        } else {
            &world.imports
        };
        items
            .values()
            .map(|item| match item {
                WorldItem::Interface { id, .. } => self.resolve.interfaces[*id].name.clone(),
                other => panic!(
                    "world `{}` holds more than interfaces: {other:?}",
                    world.name
                ),
            })
            .map(|name| name.expect("the interfaces of the package have names"))
            .collect()
    }

    /// The interfaces that a plugin exports: of each world that is not for SDKs alone.
    pub(crate) fn exported(&self) -> BTreeSet<String> {
        let worlds = self
            .resolve
            .worlds
            .iter()
            .map(|(_, world)| world.name.clone());
        worlds
            .flat_map(|world| self.of_world(&world, true))
            .collect()
    }

    /// The functions that a plugin imports.
    pub(crate) fn import_functions(&self) -> impl Iterator<Item = (&str, &Function)> {
        let exported = self.exported();
        self.interfaces
            .iter()
            .filter(move |(name, _)| !exported.contains(*name))
            .flat_map(|(name, interface)| {
                interface
                    .functions
                    .values()
                    .map(move |function| (name.as_str(), function))
            })
    }

    /// The path, from the root of the repository, of the file that declares an interface.
    pub(crate) fn file_of(&self, interface: &str) -> String {
        let head = format!("interface {interface} {{");
        for file in stems("wit", "wit") {
            let path = format!("wit/{file}.wit");
            let text = fs::read_to_string(root().join(&path)).unwrap();
            if text.lines().any(|line| line == head) {
                return path;
            }
        }
        panic!("no file in wit/ has the line `{head}`");
    }

    /// The type behind aliases, such as those that `use` makes.
    pub(crate) fn behind(&self, mut id: TypeId) -> TypeId {
        while let TypeDefKind::Type(Type::Id(next)) = self.resolve.types[id].kind {
            id = next;
        }
        id
    }

    pub(crate) fn is_host_error(&self, id: TypeId) -> bool {
        let behind = &self.resolve.types[self.behind(id)];
        let home = match behind.owner {
            TypeOwner::Interface(id) => self.resolve.interfaces[id].name.as_deref(),
            _ => None,
        };
        behind.name.as_deref() == Some("host-error") && home == Some(TYPES_INTERFACE)
    }
}

/// The names, without ending, of the files with an ending in a folder of the repository.
pub(crate) fn stems(folder: &str, ending: &str) -> BTreeSet<String> {
    fs::read_dir(root().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

pub(crate) fn member_file(group: &str) -> String {
    format!("scanner/src/members/{}.rs", group.replace('-', "_"))
}

pub(crate) fn group_of(member: &Member) -> &'static str {
    members::groups()
        .find(|(_, members)| members.iter().any(|other| other.path == member.path))
        .map_or_else(
            || panic!("{} stands in no group", member.path),
            |(name, _)| name,
        )
}

/// Fails with every fault at once, so that one run is enough to repair them all.
#[track_caller]
pub(crate) fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
