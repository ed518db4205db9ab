//! Makes `imports.wasm`: a component that imports every function of the WIT package's world
//! `imports` and does nothing. The runtime reads from it which types the functions have that it
//! links without typed bindings.

use std::path::Path;

use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, Resolve};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
    println!("cargo::rerun-if-changed={}", wit.display());
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(&wit)?;
    let world = resolve.select_world(&[package], Some("imports"))?;
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
    let component = ComponentEncoder::default().module(&module)?.encode()?;
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("imports.wasm"), component)?;
    Ok(())
}
