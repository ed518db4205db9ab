//! The types of the host's functions, and of those that it calls in plugins, as the WIT package
//! has them.
//!
//! Typed bindings of imports are checked by wasmtime when a component is linked. A member that is
//! linked to the untyped stub is checked against these, and so is what a component exports:
//! wasmtime looks at an export's type only when it is called.

use std::collections::HashMap;
use std::sync::OnceLock;

use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::{ComponentFunc, ComponentItem};

use crate::error::RuntimeError;

/// A component that imports all members; made by the build script.
const IMPORTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/imports.wasm"));

/// A component that imports what the host calls in plugins; made by the build script.
const EXPORTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/exports.wasm"));

/// Function types by function, by interface (`ostler:host/threads@0.1.0`).
type Interfaces = HashMap<String, HashMap<String, ComponentFunc>>;

/// Both are made at their first use: most plugins import nothing but what is linked typed.
#[derive(Default)]
pub(crate) struct HostTypes {
    imports: OnceLock<Interfaces>,
    exports: OnceLock<Interfaces>,
}

impl HostTypes {
    /// Whether `found`, which a component imports, is the type that the host has.
    pub(crate) fn fits(
        &self,
        engine: &Engine,
        interface: &str,
        function: &str,
        found: &ComponentFunc,
    ) -> Result<bool, RuntimeError> {
        Ok(types(&self.imports, engine, IMPORTS)?
            .get(interface)
            .and_then(|functions| functions.get(function))
            .is_some_and(|expected| is_same(expected, found)))
    }

    /// Holds what a component exports, and the host calls, to its types. Functions beyond those of
    /// an interface are never called and do not matter.
    pub(crate) fn check_exports(
        &self,
        engine: &Engine,
        component: &Component,
    ) -> Result<(), RuntimeError> {
        for (interface, functions) in types(&self.exports, engine, EXPORTS)? {
            let Some((item, _)) = component.get_export(None, interface.as_str()) else {
                continue;
            };
            let ComponentItem::ComponentInstance(found) = item else {
                return Err(RuntimeError::Signature(format!(
                    "the export {interface} is no interface"
                )));
            };
            for (function, expected) in functions {
                match found.get_export(engine, function).map(|item| item.ty) {
                    Some(ComponentItem::ComponentFunc(ty)) if is_same(expected, &ty) => {}
                    Some(_) => {
                        return Err(RuntimeError::Signature(format!(
                            "the export {interface}#{function} has another type than the host \
                             calls"
                        )));
                    }
                    None => {
                        return Err(RuntimeError::Signature(format!(
                            "the export {interface} has no function `{function}`"
                        )));
                    }
                }
            }
        }
        Ok(())
    }
}

fn types<'a>(
    known: &'a OnceLock<Interfaces>,
    engine: &Engine,
    component: &[u8],
) -> Result<&'a Interfaces, RuntimeError> {
    match known.get() {
        Some(types) => Ok(types),
        None => {
            let read = read(engine, component)?;
            Ok(known.get_or_init(|| read))
        }
    }
}

fn is_same(a: &ComponentFunc, b: &ComponentFunc) -> bool {
    a.async_() == b.async_() && a.params().eq(b.params()) && a.results().eq(b.results())
}

fn read(engine: &Engine, component: &[u8]) -> Result<Interfaces, RuntimeError> {
    let component = Component::new(engine, component)
        .map_err(|error| RuntimeError::Engine(format!("the host's own types: {error:#}")))?;
    let mut types = Interfaces::new();
    for (interface, item) in component.component_type().imports(engine) {
        if let ComponentItem::ComponentInstance(instance) = item.ty {
            for (function, item) in instance.exports(engine) {
                if let ComponentItem::ComponentFunc(ty) = item.ty {
                    types
                        .entry(interface.to_owned())
                        .or_default()
                        .insert(function.to_owned(), ty);
                }
            }
        }
    }
    Ok(types)
}
