//! The types of the host's functions, as the WIT package has them.
//!
//! Typed bindings are checked by wasmtime when a component is linked. A member that is linked to
//! the untyped stub is checked against these.

use std::collections::HashMap;
use std::sync::OnceLock;

use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::{ComponentFunc, ComponentItem};

use crate::error::RuntimeError;

/// A component that imports all of them; made by the build script.
const IMPORTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/imports.wasm"));

/// Function types by interface (`ostler:host/threads@0.1.0`) and function. Made at the first use.
#[derive(Default)]
pub(crate) struct HostTypes(OnceLock<HashMap<(String, String), ComponentFunc>>);

impl HostTypes {
    /// Whether `found`, which a component imports, is the type that the host has.
    pub(crate) fn fits(
        &self,
        engine: &Engine,
        interface: &str,
        function: &str,
        found: &ComponentFunc,
    ) -> Result<bool, RuntimeError> {
        let types = match self.0.get() {
            Some(types) => types,
            None => {
                let read = read(engine)?;
                self.0.get_or_init(|| read)
            }
        };
        Ok(types
            .get(&(interface.to_owned(), function.to_owned()))
            .is_some_and(|expected| is_same(expected, found)))
    }
}

fn is_same(a: &ComponentFunc, b: &ComponentFunc) -> bool {
    a.async_() == b.async_() && a.params().eq(b.params()) && a.results().eq(b.results())
}

fn read(engine: &Engine) -> Result<HashMap<(String, String), ComponentFunc>, RuntimeError> {
    let component = Component::new(engine, IMPORTS)
        .map_err(|error| RuntimeError::Engine(format!("the host's own types: {error:#}")))?;
    let mut types = HashMap::new();
    for (interface, item) in component.component_type().imports(engine) {
        if let ComponentItem::ComponentInstance(instance) = item.ty {
            for (function, item) in instance.exports(engine) {
                if let ComponentItem::ComponentFunc(ty) = item.ty {
                    types.insert((interface.to_owned(), function.to_owned()), ty);
                }
            }
        }
    }
    Ok(types)
}
