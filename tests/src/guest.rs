//! Components for tests, from core WebAssembly text.
//!
//! The text imports host functions and exports its own under their canonical names, as a compiler
//! would (`(import "ostler:host/log@0.1.0" "info" (func …))`); the component around it is made by
//! the same encoder that builds plugins, so that it imports exactly what the text does.

mod rule;

use std::path::Path;

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{PackageId, Resolve, WorldId};

pub use rule::{RuleVerdict, package_with_rule, rule};

/// A tool's good answer: `done`. The template of [`tool`] has it at this address.
pub const DONE: &str = "(i32.const 64)";

/// The allocator of a guest's core module, which never frees: it hands out the memory from the
/// module's global `$next` on.
const REALLOC: &str = r#"
    (func $realloc (export "cabi_realloc")
        (param i32 i32 i32) (param $size i32) (result i32)
        (local $place i32)
        (local.set $place (global.get $next))
        (global.set $next (i32.and
            (i32.add (i32.add (global.get $next) (local.get $size)) (i32.const 7))
            (i32.const -8)))
        (block $fits
            (br_if $fits (i32.le_u (global.get $next)
                (i32.mul (memory.size) (i32.const 65536))))
            (drop (memory.grow (i32.add (i32.const 1)
                (i32.div_u (local.get $size) (i32.const 65536))))))
        (local.get $place))"#;

/// Encodes a core module, given as text, as a component of one of the worlds of `wit/`.
///
/// # Panics
/// If the text does not parse or does not fit the world.
#[must_use]
pub fn component(world: &str, core: &str) -> Vec<u8> {
    let (resolve, package) = wit();
    let world = resolve
        .select_world(&[package], Some(world))
        .expect("the world exists");
    encode(&resolve, world, core)
}

/// Encodes a core module, given as text, as a component that may import all that the host has and
/// exports one interface of `wit/`, such as `hook-pre-tool-call`. The worlds there export all
/// hooks at once.
fn component_exporting(interface: &str, core: &str) -> Vec<u8> {
    let (mut resolve, _) = wit();
    let world = format!(
        "package ostler:test-guest;
         world guest {{
             include ostler:host/imports@0.1.0;
             export ostler:host/{interface}@0.1.0;
         }}"
    );
    let package = resolve
        .push_str("guest.wit", &world)
        .expect("the interface exists");
    let world = resolve
        .select_world(&[package], Some("guest"))
        .expect("the world exists");
    encode(&resolve, world, core)
}

fn wit() -> (Resolve, PackageId) {
    let mut resolve = Resolve::default();
    let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit");
    let (package, _) = resolve.push_dir(wit).expect("the WIT package is whole");
    (resolve, package)
}

fn encode(resolve: &Resolve, world: WorldId, core: &str) -> Vec<u8> {
    let mut module = wat::parse_str(core).expect("the text parses");
    embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8)
        .expect("the world can be embedded");
    ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|mut encoder| encoder.encode())
        .expect("the module fits the world")
}

/// The binary form of a component that is written as text.
///
/// # Panics
/// If the text does not parse.
#[must_use]
pub fn binary(component: &str) -> Vec<u8> {
    wat::parse_str(component).expect("the text parses")
}

/// A plugin with one tool, `run`.
///
/// `imports` are core imports. `body` is the body of `tools.call`: it has the parameters `$name`,
/// `$name_len`, `$args`, `$args_len` and gives the address of a `result<string, tool-error>`, such
/// as [`DONE`]. `rest` are further fields of the module. Addresses from 2,048 to 4,095 are free;
/// memory from 4,096 on belongs to the allocator, which never frees.
#[must_use]
pub fn tool(imports: &str, body: &str, rest: &str) -> Vec<u8> {
    component(
        "tool-plugin",
        &format!(
            r#"(module
                {imports}
                (memory (export "memory") 1)
                (global $next (mut i32) (i32.const 4096))
                {REALLOC}
                (func $list (export "ostler:host/tools@0.1.0#list") (result i32) (i32.const 16))
                (func $call (export "ostler:host/tools@0.1.0#call")
                    (param $name i32) (param $name_len i32)
                    (param $args i32) (param $args_len i32)
                    (result i32)
                    {body})
                {rest}
                ;; 16: the list (one element at 24); 24: its record
                (data (i32.const 16) "\18\00\00\00\01\00\00\00")
                (data (i32.const 24)
                    "\00\04\00\00\03\00\00\00\10\04\00\00\04\00\00\00\20\04\00\00\02\00\00\00")
                ;; 64: ok("done")
                (data (i32.const 64) "\00\00\00\00\30\04\00\00\04\00\00\00")
                (data (i32.const 1024) "run")
                (data (i32.const 1040) "Runs")
                (data (i32.const 1056) "{{}}")
                (data (i32.const 1072) "done"))"#
        ),
    )
}
