//! From a grant to a linker that holds nothing else.

use std::collections::BTreeSet;

use ostler_scanner::members::{self, Member, WIT_PACKAGE, WIT_VERSION};
use wasmtime::Engine;
use wasmtime::component::types::{ComponentFunc, ComponentItem};
use wasmtime::component::{Component, Linker, LinkerInstance, Type, Val};

use crate::bindings::ErrorCode;
use crate::error::RuntimeError;
use crate::member_set::{MemberId, MemberSet};
use crate::members::SERVED;
use crate::state::State;

/// Makes a linker for one component and one grant. It holds the granted members that the
/// component imports; a component that wants another does not get one.
pub(crate) fn linker(
    engine: &Engine,
    component: &Component,
    granted: MemberSet,
) -> Result<Linker<State>, RuntimeError> {
    let mut linker = Linker::<State>::new(engine);
    let mut linked = BTreeSet::new();
    for (import, item) in component.component_type().imports(engine) {
        let ComponentItem::ComponentInstance(instance) = item.ty else {
            return Err(RuntimeError::UnknownImport { import: import.to_owned() });
        };
        let mut wanted = Vec::new();
        for (name, item) in instance.exports(engine) {
            if let ComponentItem::ComponentFunc(_) = item.ty {
                wanted.push(member(import, name)?);
            }
        }
        for member in &wanted {
            let is_granted = MemberId::of(member.path).is_some_and(|id| granted.contains(id));
            if !is_granted {
                return Err(RuntimeError::NotGranted { member: member.path.to_owned() });
            }
        }
        // An interface stands for one permission, so that linking it whole links nothing more
        // than was granted. Two versions of a track lead to the same functions.
        if let Some(interface) = wanted.first().map(|member| member.interface)
            && linked.insert(interface)
        {
            link_interface(&mut linker, interface).map_err(signature)?;
        }
    }
    Ok(linker)
}

/// The member behind an import as the component spells it.
fn member(import: &str, function: &str) -> Result<&'static Member, RuntimeError> {
    import
        .split_once('@')
        .and_then(|(path, _version)| path.strip_prefix(WIT_PACKAGE)?.strip_prefix('/'))
        .and_then(|interface| members::by_import(interface, function))
        .ok_or_else(|| RuntimeError::UnknownImport { import: format!("{import}#{function}") })
}

fn link_interface(linker: &mut Linker<State>, interface: &str) -> wasmtime::Result<()> {
    if let Some(served) = SERVED.iter().find(|served| served.interface == interface) {
        return (served.link)(linker);
    }
    let mut instance = linker.instance(&format!("{WIT_PACKAGE}/{interface}@{WIT_VERSION}"))?;
    for member in members::TABLE.iter().filter(|member| member.interface == interface) {
        link_unserved(&mut instance, member)?;
    }
    Ok(())
}

/// A member that no part of this host serves yet: it is counted and checked like any other, and
/// answers `unsupported`.
fn link_unserved(
    instance: &mut LinkerInstance<'_, State>,
    member: &'static Member,
) -> wasmtime::Result<()> {
    let Some(id) = MemberId::of(member.path) else {
        wasmtime::bail!("{} is not in the members' table", member.path);
    };
    instance.func_new(member.function, move |mut store, ty, _arguments, results| {
        let refusal = match store.data_mut().enter(id)? {
            Ok(()) => (
                ErrorCode::Unsupported,
                format!("this host does not serve `{}` yet", member.path),
                None,
            ),
            Err(refusal) => (refusal.code, refusal.message, refusal.permission),
        };
        let Some(result) = results.first_mut() else {
            wasmtime::bail!("`{}` gives no result that could carry a refusal", member.path);
        };
        *result = error_value(&ty, refusal)?;
        Ok(())
    })
}

/// A `result` whose error case is a `host-error` record, made without knowing the type of its
/// success case.
fn error_value(
    ty: &ComponentFunc,
    (code, message, permission): (ErrorCode, String, Option<String>),
) -> wasmtime::Result<Val> {
    let is_result = matches!(ty.results().next(), Some(Type::Result(_)));
    wasmtime::ensure!(is_result, "the function's result cannot carry a refusal");
    let permission = permission.map(|text| Box::new(Val::String(text)));
    Ok(Val::Result(Err(Some(Box::new(Val::Record(vec![
        ("code".to_owned(), Val::Enum(code_name(code))),
        ("message".to_owned(), Val::String(message)),
        ("permission".to_owned(), Val::Option(permission)),
    ]))))))
}

/// The name of an error code as WIT spells it.
fn code_name(code: ErrorCode) -> String {
    // The generated enum has no names at run time; its `Debug` prints `ErrorCode::NoSession`.
    let debug = format!("{code:?}");
    let camel = debug.rsplit("::").next().unwrap_or_default();
    let mut kebab = String::new();
    for (place, letter) in camel.char_indices() {
        if letter.is_ascii_uppercase() && place > 0 {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
    }
    kebab
}

fn signature(error: wasmtime::Error) -> RuntimeError {
    RuntimeError::Signature(format!("{error:#}"))
}

/// The functions of the component's outermost imports, as the runtime reads them.
pub(crate) fn imported_functions(
    engine: &Engine,
    component: &Component,
) -> BTreeSet<ostler_scanner::ImportedFunction> {
    let mut functions = BTreeSet::new();
    let mut add = |interface: &str, function: &str| {
        functions.insert(ostler_scanner::ImportedFunction {
            interface: interface.to_owned(),
            function: function.to_owned(),
        });
    };
    for (import, item) in component.component_type().imports(engine) {
        match item.ty {
            ComponentItem::ComponentFunc(_) => add("", import),
            ComponentItem::ComponentInstance(instance) => {
                for (name, item) in instance.exports(engine) {
                    if let ComponentItem::ComponentFunc(_) = item.ty {
                        add(import, name);
                    }
                }
            }
            ComponentItem::CoreFunc(_)
            | ComponentItem::Module(_)
            | ComponentItem::Component(_)
            | ComponentItem::Type(_)
            | ComponentItem::Resource(_) => {}
        }
    }
    functions
}
