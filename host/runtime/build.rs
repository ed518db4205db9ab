//! Makes two components that import functions of the WIT package and do nothing: `imports.wasm`
//! those of the world `imports`, `exports.wasm` those that the host calls in plugins. The runtime
//! reads from them which types the functions have that it links without typed bindings, and those
//! that a plugin exports.

use std::path::Path;

use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, Resolve, WorldId};

type Error = Box<dyn std::error::Error>;

/// What the host calls in plugins, as `src/bindings.rs` has it. An interface that plugins export
/// has the same types when it is imported.
const CALLED: &str = "
    package ostler:runtime-host;
    world called {
        import ostler:host/tools@0.1.0;
        import ostler:host/lifecycle@0.1.0;
        import ostler:host/hook-pre-tool-call@0.1.0;
    }
";

fn main() -> Result<(), Error> {
    // Read when it runs: a script that was built for another checkout must not look there.
    let wit = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../wit");
    println!("cargo::rerun-if-changed={}", wit.display());
    println!("cargo::rerun-if-changed=build.rs");
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(&wit)?;
    let world = resolve.select_world(&[package], Some("imports"))?;
    write(&resolve, world, "imports.wasm")?;
    let package = resolve.push_str("called.wit", CALLED)?;
    let world = resolve.select_world(&[package], Some("called"))?;
    write(&resolve, world, "exports.wasm")
}

fn write(resolve: &Resolve, world: WorldId, file: &str) -> Result<(), Error> {
    let mut module = dummy_module(resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8)?;
    let component = ComponentEncoder::default().module(&module)?.encode()?;
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join(file), component)?;
    Ok(())
}
