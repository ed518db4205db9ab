//! What every interface of the WIT package keeps to: its errors, its documentation, its lists.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "helpers of tests fail the way that tests do"
)]

mod wit;

use std::collections::BTreeSet;

use ostler_scanner::members::{self};
use wit_parser::{Function, FunctionKind, Type, TypeDefKind};

use wit::*;

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
