//! The table of members and the WIT package say the same: whoever adds a host function to one of
//! them learns here what the other lacks, and in which file.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "helpers of tests fail the way that tests do"
)]

mod wit;

use std::collections::BTreeSet;

use ostler_scanner::Permission;
use ostler_scanner::members::{self, Capability, EXPORTS, TABLE, TYPES_INTERFACE};
use wit_parser::{Type, TypeDefKind};

use wit::*;

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
