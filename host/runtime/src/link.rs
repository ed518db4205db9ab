//! From a grant to a linker that holds nothing else.

use std::collections::BTreeSet;

use ostler_scanner::members::{self, Member, WIT_PACKAGE, WIT_VERSION};
use wasmtime::Engine;
use wasmtime::component::types::{ComponentFunc, ComponentItem};
use wasmtime::component::{Component, Linker, LinkerInstance, Type, Val};

use crate::bindings::{ErrorCode, HostError};
use crate::error::RuntimeError;
use crate::host_types::HostTypes;
use crate::member_set::{MemberId, MemberSet};
use crate::members::{SERVED, Served};
use crate::state::State;

/// Makes a linker for one component and one grant. It holds the granted members that the
/// component imports; a component that wants another does not get one.
pub(crate) fn linker(
    engine: &Engine,
    types: &HostTypes,
    component: &Component,
    granted: MemberSet,
) -> Result<Linker<State>, RuntimeError> {
    let mut linker = Linker::<State>::new(engine);
    let mut linked = BTreeSet::new();
    for (import, item) in component.component_type().imports(engine) {
        let ComponentItem::ComponentInstance(instance) = item.ty else {
            return Err(RuntimeError::UnknownImport {
                import: import.to_owned(),
            });
        };
        let mut wanted = Vec::new();
        for (name, item) in instance.exports(engine) {
            if let ComponentItem::ComponentFunc(ty) = item.ty {
                wanted.push((member(import, name)?, ty));
            }
        }
        for (member, ty) in &wanted {
            let is_granted = MemberId::of(member.path).is_some_and(|id| granted.contains(id));
            if !is_granted {
                return Err(RuntimeError::NotGranted {
                    member: member.path.to_owned(),
                });
            }
            if served(member.interface).is_none()
                && !types.fits(
                    engine,
                    &host_interface(member.interface),
                    member.function,
                    ty,
                )?
            {
                return Err(RuntimeError::Signature(format!(
                    "{import}#{} has another type than the host's function",
                    member.function
                )));
            }
        }
        // An interface stands for one permission, so that linking it whole links nothing more
        // than was granted. Two versions of a track lead to the same functions.
        if let Some(interface) = wanted.first().map(|(member, _)| member.interface)
            && linked.insert(interface)
        {
            link_interface(&mut linker, interface).map_err(|error| signature(&error))?;
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
        .ok_or_else(|| RuntimeError::UnknownImport {
            import: format!("{import}#{function}"),
        })
}

fn served(interface: &str) -> Option<&'static Served> {
    SERVED.iter().find(|served| served.interface == interface)
}

/// The full name of an interface of the host.
pub(crate) fn host_interface(interface: &str) -> String {
    format!("{WIT_PACKAGE}/{interface}@{WIT_VERSION}")
}

fn link_interface(linker: &mut Linker<State>, interface: &str) -> wasmtime::Result<()> {
    if let Some(served) = served(interface) {
        return (served.link)(linker);
    }
    let mut instance = linker.instance(&host_interface(interface))?;
    for member in members::TABLE
        .iter()
        .filter(|member| member.interface == interface)
    {
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
    instance.func_new(
        member.function,
        move |mut store, ty, _arguments, results| {
            let refusal = match store.data_mut().enter(id)? {
                Ok(()) => HostError {
                    code: ErrorCode::Unsupported,
                    message: format!("this host does not serve `{}` yet", member.path),
                    permission: None,
                },
                Err(refusal) => refusal,
            };
            let Some(result) = results.first_mut() else {
                wasmtime::bail!(
                    "`{}` gives no result that could carry a refusal",
                    member.path
                );
            };
            *result = error_value(&ty, refusal)?;
            Ok(())
        },
    )
}

/// A `result` whose error case is a `host-error` record, made without knowing the type of its
/// success case.
fn error_value(ty: &ComponentFunc, refusal: HostError) -> wasmtime::Result<Val> {
    let is_result = matches!(ty.results().next(), Some(Type::Result(_)));
    wasmtime::ensure!(is_result, "the function's result cannot carry a refusal");
    let permission = refusal.permission.map(|text| Box::new(Val::String(text)));
    Ok(Val::Result(Err(Some(Box::new(Val::Record(vec![
        (
            "code".to_owned(),
            Val::Enum(refusal.code.as_str().to_owned()),
        ),
        ("message".to_owned(), Val::String(refusal.message)),
        ("permission".to_owned(), Val::Option(permission)),
    ]))))))
}

fn signature(error: &wasmtime::Error) -> RuntimeError {
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
