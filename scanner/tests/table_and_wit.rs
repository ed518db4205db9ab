//! The table of members and the WIT package say the same: whoever adds a host function to one of
//! them learns here what the other lacks, and in which file.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "helpers of tests fail the way that tests do"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ostler_scanner::Permission;
use ostler_scanner::members::{
    self, Capability, EXPORTS, Member, TABLE, TYPES_INTERFACE, WIT_PACKAGE, WIT_VERSION,
};
use wit_parser::{
    Function, FunctionKind, Interface, Resolve, Type, TypeDefKind, TypeId, TypeOwner, WorldItem,
};

/// WIT files that declare no import functions, so that no group of members stands beside them.
const WITHOUT_GROUP: [&str; 5] = ["lifecycle", "middleware", "tools", "types", "worlds"];

/// Files in `src/members` that are no group.
const NO_GROUP: [&str; 2] = ["exports", "mod"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

struct Wit {
    resolve: Resolve,
    /// The interfaces of the package by name.
    interfaces: BTreeMap<String, Interface>,
}

impl Wit {
    fn load() -> Self {
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
    fn of_world(&self, world: &str, exported: bool) -> BTreeSet<String> {
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
    fn exported(&self) -> BTreeSet<String> {
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
    fn import_functions(&self) -> impl Iterator<Item = (&str, &Function)> {
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
    fn file_of(&self, interface: &str) -> String {
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
    fn behind(&self, mut id: TypeId) -> TypeId {
        while let TypeDefKind::Type(Type::Id(next)) = self.resolve.types[id].kind {
            id = next;
        }
        id
    }

    fn is_host_error(&self, id: TypeId) -> bool {
        let behind = &self.resolve.types[self.behind(id)];
        let home = match behind.owner {
            TypeOwner::Interface(id) => self.resolve.interfaces[id].name.as_deref(),
            _ => None,
        };
        behind.name.as_deref() == Some("host-error") && home == Some(TYPES_INTERFACE)
    }
}

/// The names, without ending, of the files with an ending in a folder of the repository.
fn stems(folder: &str, ending: &str) -> BTreeSet<String> {
    fs::read_dir(root().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

fn member_file(group: &str) -> String {
    format!("scanner/src/members/{}.rs", group.replace('-', "_"))
}

fn group_of(member: &Member) -> &'static str {
    members::groups()
        .find(|(_, members)| members.iter().any(|other| other.path == member.path))
        .map_or_else(
            || panic!("{} stands in no group", member.path),
            |(name, _)| name,
        )
}

/// Fails with every fault at once, so that one run is enough to repair them all.
#[track_caller]
fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// What a function's documentation says that it derives: the ids in backticks of its line that
/// begins with `Derives`.
fn derived_by_docs(function: &Function) -> Result<BTreeSet<String>, String> {
    let docs = function.docs.contents.as_deref().unwrap_or_default();
    let lines: Vec<_> = docs
        .lines()
        .filter(|line| line.starts_with("Derives "))
        .collect();
    let [line] = lines.as_slice() else {
        return Err(format!(
            "has {} lines that begin with `Derives`, not one",
            lines.len()
        ));
    };
    if line.starts_with("Derives no permission") {
        return Ok(BTreeSet::new());
    }
    let ids: BTreeSet<_> = line
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect();
    if ids.is_empty() {
        return Err(format!("derives neither an id nor `no permission`: {line}"));
    }
    Ok(ids)
}

#[test]
fn every_import_function_of_the_wit_is_in_the_table() {
    let wit = Wit::load();
    let mut faults = Vec::new();
    for (interface, function) in wit.import_functions() {
        if members::by_import(interface, &function.name).is_none() {
            let file = wit.file_of(interface);
            let group = file.trim_start_matches("wit/").trim_end_matches(".wit");
            faults.push(format!(
                "{file} declares `{interface}.{}`, which the table lacks: add a member to {}",
                function.name,
                member_file(group),
            ));
        }
    }
    none(&faults);
}

#[test]
fn every_member_of_the_table_is_an_import_function_of_the_wit() {
    let wit = Wit::load();
    let functions: BTreeSet<_> = wit
        .import_functions()
        .map(|(interface, function)| (interface, function.name.as_str()))
        .collect();
    let mut faults = Vec::new();
    for member in TABLE.iter() {
        if !functions.contains(&(member.interface, member.function)) {
            let group = group_of(member);
            faults.push(format!(
                "{} has the member `{}`, whose function `{}.{}` the WIT lacks: declare it in \
                 wit/{group}.wit",
                member_file(group),
                member.path,
                member.interface,
                member.function,
            ));
        }
    }
    none(&faults);
}

#[test]
fn every_interface_of_a_group_is_declared_in_the_wit_file_of_the_same_name() {
    let wit = Wit::load();
    let mut faults = Vec::new();
    for (group, members) in members::groups() {
        for member in members {
            let file = wit.file_of(member.interface);
            if file != format!("wit/{group}.wit") {
                faults.push(format!(
                    "`{}` stands in {}, and its interface in {file}",
                    member.path,
                    member_file(group),
                ));
            }
        }
    }
    none(&faults);
}

#[test]
fn every_group_file_has_its_wit_file_and_every_wit_file_its_group() {
    let mut wit = stems("wit", "wit");
    for name in WITHOUT_GROUP {
        assert!(wit.remove(name), "wit/{name}.wit is missing");
    }
    let mut files = stems("scanner/src/members", "rs");
    for name in NO_GROUP {
        assert!(
            files.remove(name),
            "scanner/src/members/{name}.rs is missing"
        );
    }
    let groups: BTreeSet<_> = members::groups().map(|(name, _)| name.to_owned()).collect();
    let mut faults = Vec::new();
    for name in wit.union(&groups) {
        if !wit.contains(name) {
            faults.push(format!("the group `{name}` has no file wit/{name}.wit"));
        }
        if !groups.contains(name) {
            faults.push(format!(
                "wit/{name}.wit has no group: add {} and name it in scanner/src/members/mod.rs",
                member_file(name),
            ));
        }
    }
    let wanted: BTreeSet<_> = groups.iter().map(|name| name.replace('-', "_")).collect();
    for name in wanted.symmetric_difference(&files) {
        faults.push(format!(
            "scanner/src/members/{name}.rs and its group's name do not go together"
        ));
    }
    none(&faults);
}

#[test]
fn the_table_names_each_interface_once_and_types_never() {
    let wit = Wit::load();
    let from_wit: BTreeSet<_> = wit
        .import_functions()
        .map(|(interface, _)| interface.to_owned())
        .collect();
    let from_table: Vec<_> = members::interfaces().map(str::to_owned).collect();
    assert_eq!(from_table, from_wit.into_iter().collect::<Vec<_>>());
    assert!(!from_table.iter().any(|name| name == TYPES_INTERFACE));
    assert!(
        wit.interfaces[TYPES_INTERFACE].functions.is_empty(),
        "`types` has a function"
    );
}

#[test]
fn the_world_imports_holds_every_import_interface_and_exports_nothing() {
    let wit = Wit::load();
    let exported = wit.exported();
    let mut wanted: BTreeSet<_> = wit.interfaces.keys().cloned().collect();
    wanted.retain(|name| !exported.contains(name));
    assert_eq!(
        wit.of_world("imports", false),
        wanted,
        "edit wit/worlds.wit"
    );
    assert!(wit.of_world("imports", true).is_empty());
}

#[test]
fn every_plugin_world_includes_all_imports() {
    let wit = Wit::load();
    let imports = wit.of_world("imports", false);
    for world in ["tool-plugin", "middleware-plugin", "lifecycle-plugin"] {
        assert_eq!(
            wit.of_world(world, false),
            imports,
            "world `{world}` in wit/worlds.wit"
        );
    }
}

#[test]
fn the_exports_of_the_table_are_the_exported_interfaces_of_the_wit() {
    let wit = Wit::load();
    let mut faults = Vec::new();
    let worlds = [
        ("tool-plugin", Capability::Tools),
        ("middleware-plugin", Capability::Middleware),
        ("lifecycle-plugin", Capability::Lifecycle),
    ];
    for (world, capability) in worlds {
        let from_wit = wit.of_world(world, true);
        let from_table: BTreeSet<_> = EXPORTS
            .iter()
            .filter(|export| export.capability == capability)
            .map(|export| export.interface.to_owned())
            .collect();
        for name in from_wit.difference(&from_table) {
            faults.push(format!(
                "world `{world}` exports `{name}`: add it to EXPORTS in \
                 scanner/src/members/exports.rs, for {capability}"
            ));
        }
        for name in from_table.difference(&from_wit) {
            faults.push(format!(
                "EXPORTS has `{name}` for {capability}: export it from `{world}` in \
                 wit/worlds.wit"
            ));
        }
    }
    let known: BTreeSet<_> = EXPORTS
        .iter()
        .map(|export| export.interface.to_owned())
        .collect();
    for name in wit.exported().difference(&known) {
        faults.push(format!("some world exports `{name}`, which EXPORTS lacks"));
    }
    none(&faults);
}

#[test]
fn every_hook_has_one_function_that_can_fail_and_a_sentence_for_installers() {
    let wit = Wit::load();
    let mut sentences = BTreeSet::new();
    for export in EXPORTS {
        let Some(hook) = export.hook else { continue };
        let functions = &wit.interfaces[export.interface].functions;
        assert_eq!(
            functions.keys().collect::<Vec<_>>(),
            ["handle"],
            "{}",
            export.interface
        );
        let Some(Type::Id(id)) = functions["handle"].result else {
            panic!("`{}.handle` returns no result", export.interface)
        };
        let TypeDefKind::Result(result) = &wit.resolve.types[id].kind else {
            panic!("`{}.handle` returns no result", export.interface)
        };
        assert_eq!(result.err, Some(Type::String), "{}", export.interface);
        let sentence = members::hook_sentence(hook)
            .unwrap_or_else(|| panic!("`{hook}` has no sentence in members/exports.rs"));
        assert_is_a_sentence(hook, sentence);
        assert!(sentences.insert(sentence), "two hooks say: {sentence}");
    }
    assert!(members::hook_sentence("nothing").is_none());
}

/// Holds what all texts for installers keep to: they complete *This plugin can …*.
#[track_caller]
fn assert_is_a_sentence(of: &str, sentence: &str) {
    assert!(!sentence.is_empty(), "the sentence of {of} is empty");
    assert!(
        !sentence.ends_with('.'),
        "the sentence of {of} ends with a full stop"
    );
    assert_eq!(
        sentence,
        sentence.split_whitespace().collect::<Vec<_>>().join(" "),
        "{of}"
    );
    assert!(
        sentence.starts_with(|first: char| first.is_ascii_lowercase()),
        "the sentence of {of} does not go on after *This plugin can*"
    );
}

#[test]
fn every_permission_of_a_member_has_a_sentence_of_its_own() {
    let all: BTreeSet<_> = Permission::all().collect();
    let used: BTreeSet<_> = TABLE
        .iter()
        .flat_map(|member| member.permissions)
        .copied()
        .collect();
    assert_eq!(
        used, all,
        "left: what members derive; right: what has a text"
    );
    let mut sentences = BTreeSet::new();
    for permission in all {
        let sentence = permission.sentence();
        assert_ne!(sentence, permission.as_str(), "{permission} has no text");
        assert_is_a_sentence(permission.as_str(), sentence);
        assert!(
            sentences.insert(sentence),
            "two permissions say: {sentence}"
        );
    }
}

#[test]
fn every_member_has_a_short_sentence_of_its_own_and_sorted_permissions() {
    let mut sentences = BTreeSet::new();
    for member in TABLE.iter() {
        assert_is_a_sentence(member.path, member.sentence);
        let words = member.sentence.split(' ').count();
        assert!((3..=10).contains(&words), "{}: {words} words", member.path);
        assert!(
            sentences.insert(member.sentence),
            "two members say: {}",
            member.sentence
        );
        assert!(
            member.permissions.is_sorted_by(|a, b| a < b),
            "{}",
            member.path
        );
    }
}

#[test]
fn every_path_is_the_camel_case_of_its_function() {
    // `license` and `fetch` are members that are called themselves; `session.sendError` is named
    // as authors of other hosts know it.
    for member in TABLE.iter() {
        let last = member.path.rsplit('.').next().unwrap();
        let wanted = match member.path {
            "license" => "get",
            "session.sendError" => "send",
            "settings.getSecret" => "get",
            _ => &kebab(last),
        };
        assert_eq!(member.function, wanted, "{}", member.path);
    }
}

fn kebab(camel: &str) -> String {
    let mut kebab = String::new();
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
    }
    kebab
}

#[test]
fn every_import_function_gives_a_result_with_a_host_error() {
    let wit = Wit::load();
    let mut faults = Vec::new();
    for (interface, function) in wit.import_functions() {
        let name = format!(
            "`{interface}.{}` in {}",
            function.name,
            wit.file_of(interface)
        );
        match interface {
            "log" if function.result.is_some() => faults.push(format!("{name} returns something")),
            "log" => {}
            "presence" => {
                let list = function.result.is_some_and(|result| {
                    matches!(result, Type::Id(id)
                        if matches!(wit.resolve.types[id].kind, TypeDefKind::List(Type::String)))
                });
                if !list {
                    faults.push(format!("{name} does not return `list<string>`"));
                }
            }
            _ => {
                let ruled = function.result.is_some_and(|result| {
                    let Type::Id(id) = result else { return false };
                    matches!(&wit.resolve.types[id].kind, TypeDefKind::Result(result)
                        if matches!(result.err, Some(Type::Id(id)) if wit.is_host_error(id)))
                });
                if !ruled {
                    faults.push(format!("{name} does not return `result<…, host-error>`"));
                }
            }
        }
    }
    none(&faults);
}

#[test]
fn every_function_derives_in_its_docs_what_the_table_says() {
    let wit = Wit::load();
    let mut faults = Vec::new();
    for (name, interface) in &wit.interfaces {
        for function in interface.functions.values() {
            let export = members::by_exported_interface(name);
            let wanted: BTreeSet<_> = match (export, members::by_import(name, &function.name)) {
                (Some(export), _) => export
                    .hook
                    .iter()
                    .map(|hook| format!("hook:{hook}"))
                    .collect(),
                (None, Some(member)) => {
                    member.permissions.iter().map(ToString::to_string).collect()
                }
                // Another test says that it is missing.
                (None, None) => continue,
            };
            let at = format!(
                "{}: the docs of `{name}.{}`",
                wit.file_of(name),
                function.name
            );
            match derived_by_docs(function) {
                Err(fault) => faults.push(format!("{at}: {fault}")),
                Ok(found) if found != wanted => {
                    faults.push(format!("{at} derive {found:?}, the table {wanted:?}"));
                }
                Ok(_) => {}
            }
        }
    }
    none(&faults);
}

#[test]
fn every_interface_function_type_field_and_case_is_documented() {
    let wit = Wit::load();
    let mut faults = Vec::new();
    let mut check = |what: String, docs: &wit_parser::Docs| {
        if docs
            .contents
            .as_deref()
            .is_none_or(|text| text.trim().is_empty())
        {
            faults.push(format!("{what} has no `///`"));
        }
    };
    for (name, interface) in &wit.interfaces {
        let file = wit.file_of(name);
        check(format!("{file}: interface `{name}`"), &interface.docs);
        for function in interface.functions.values() {
            check(
                format!("{file}: `{name}.{}`", function.name),
                &function.docs,
            );
        }
        for (type_name, id) in &interface.types {
            let definition = &wit.resolve.types[*id];
            let at = format!("{file}: `{name}.{type_name}`");
            match &definition.kind {
                // Brought here by `use`; it is documented at home.
                TypeDefKind::Type(Type::Id(_)) => continue,
                TypeDefKind::Record(record) => {
                    for field in &record.fields {
                        check(format!("{at}: field `{}`", field.name), &field.docs);
                    }
                }
                TypeDefKind::Variant(variant) => {
                    for case in &variant.cases {
                        check(format!("{at}: case `{}`", case.name), &case.docs);
                    }
                }
                TypeDefKind::Enum(cases) => {
                    for case in &cases.cases {
                        check(format!("{at}: case `{}`", case.name), &case.docs);
                    }
                }
                other => panic!("{at} is of a kind that plugins need not know: {other:?}"),
            }
            check(at, &definition.docs);
        }
    }
    for (_, world) in &wit.resolve.worlds {
        check(
            format!("wit/worlds.wit: world `{}`", world.name),
            &world.docs,
        );
    }
    none(&faults);
}

#[test]
fn nothing_in_the_wit_is_a_resource_a_stream_or_async() {
    let wit = Wit::load();
    for (_, definition) in &wit.resolve.types {
        assert!(
            !matches!(
                definition.kind,
                TypeDefKind::Resource
                    | TypeDefKind::Handle(_)
                    | TypeDefKind::Future(_)
                    | TypeDefKind::Stream(_)
            ),
            "{:?} is {}",
            definition.name,
            definition.kind.as_str(),
        );
    }
    for (name, interface) in &wit.interfaces {
        for function in interface.functions.values() {
            assert!(
                matches!(function.kind, FunctionKind::Freestanding),
                "`{name}.{}` is {:?}",
                function.name,
                function.kind,
            );
        }
    }
}

#[test]
fn every_list_takes_a_limit_and_a_cursor_and_gives_a_page() {
    let wit = Wit::load();
    let mut faults = Vec::new();
    for (interface, function) in wit.import_functions() {
        let has = |name: &str| function.params.iter().any(|param| param.name == name);
        let lists = function.name.starts_with("list") || has("limit") || has("cursor");
        if !lists {
            continue;
        }
        let name = format!(
            "`{interface}.{}` in {}",
            function.name,
            wit.file_of(interface)
        );
        if !(has("limit") && has("cursor")) {
            faults.push(format!("{name} does not take both `limit` and `cursor`"));
        }
        let Some(Type::Id(result)) = function.result else {
            continue;
        };
        let TypeDefKind::Result(result) = &wit.resolve.types[result].kind else {
            continue;
        };
        let fields = match result.ok {
            Some(Type::Id(page)) => match &wit.resolve.types[wit.behind(page)].kind {
                TypeDefKind::Record(record) => record
                    .fields
                    .iter()
                    .map(|field| field.name.as_str())
                    .collect(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        if fields != ["items", "next-cursor"] {
            faults.push(format!(
                "{name} gives no record of `items` and `next-cursor`"
            ));
        }
    }
    none(&faults);
}
