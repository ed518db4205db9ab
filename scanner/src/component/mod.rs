//! The component scan: the outermost import section, read whole, mapped to members.
//!
//! Three readings of the same bytes stand behind one another:
//! 1. [`outline`](outline::Outline) walks every section of every nesting level with a plain
//!    parser and keeps what the outermost component imports and exports by name. Decoders that
//!    build a world drop import kinds that a world cannot express; this one drops none.
//! 2. The validator checks all of it, nested modules and function bodies included, under the
//!    features that the runtime has, so that malformed data cannot hide behind a good export.
//! 3. [`imports`] takes the validator's type of each import and maps its functions to members.
//!
//! Nested components are never asked what they import: they can only reach what the outermost
//! component hands them, and a nested import may be satisfied from inside.

mod imports;
mod names;
mod outline;
mod wasi;

use sha2::{Digest as _, Sha256};
use wasmparser::{Validator, WasmFeatures};

use self::outline::Outline;
use crate::members::{self, WIT_PACKAGE, WIT_VERSION};
use crate::{Code, Diagnostic, Scan, ScanKind};

/// The largest component that a scan accepts, in bytes: 64 MiB. The largest known language
/// runtime (CPython) makes components of 18 MiB.
pub const MAX_COMPONENT_BYTES: usize = 64 << 20;

/// The WebAssembly features that components may use: what the runtime's engine has switched on.
/// The runtime holds its own configuration against this value in a test.
#[must_use]
pub fn wasm_features() -> WasmFeatures {
    let mut features = WasmFeatures::WASM3 | WasmFeatures::COMPONENT_MODEL;
    // Threads would let a guest outlive its call; garbage collection and exceptions need a
    // collector in the host that no supported language asks for.
    features.remove(WasmFeatures::THREADS | WasmFeatures::GC_TYPES | WasmFeatures::EXCEPTIONS);
    features
}

/// Scans the bytes of one component.
///
/// Never fails: what is wrong with the bytes stands in the diagnostics, with an offset where
/// there is one. Takes time and memory in proportion to the input.
#[must_use]
pub fn scan_component(bytes: &[u8]) -> Scan {
    let mut scan = Scan {
        kind: ScanKind::Component,
        digest: format!("sha256:{}", hex::encode(Sha256::digest(bytes))),
        wit: format!("{WIT_PACKAGE}@{WIT_VERSION}"),
        capabilities: Default::default(),
        members: Vec::new(),
        permissions: Default::default(),
        declared_permissions: Default::default(),
        hooks: Default::default(),
        serves: Default::default(),
        needs_egress: false,
        diagnostics: Vec::new(),
        imports: Default::default(),
    };
    if let Err(refusal) = read_into(&mut scan, bytes) {
        scan.diagnostics.push(*refusal);
    }
    scan.permissions = (scan.members.iter().filter(|used| used.granted))
        .flat_map(|used| used.member.permissions)
        .copied()
        .collect();
    scan.needs_egress = scan
        .members
        .iter()
        .any(|used| used.granted && used.member.path == "fetch");
    scan.diagnostics
        .sort_by_key(|d| (std::cmp::Reverse(d.severity), d.offset));
    scan
}

fn read_into(scan: &mut Scan, bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
    refuse_what_is_no_component(bytes)?;
    let outline = Outline::read(bytes)?;
    scan.diagnostics.extend(outline.refused.iter().cloned());

    // A refused form may only validate under features that the runtime lacks. It is refused in
    // any case; the wider reading is there to report the rest beside it.
    let features = if outline.refused.is_empty() {
        wasm_features()
    } else {
        WasmFeatures::all()
    };
    let types = Validator::new_with_features(features)
        .validate_all(bytes)
        .map_err(|error| Box::new(malformed(&error)))?;

    imports::map(scan, &outline, types.as_ref());
    for export in &outline.exports {
        let Some(row) = imports::host_interface(export).and_then(members::by_exported_interface)
        else {
            continue;
        };
        scan.capabilities.insert(row.capability);
        scan.hooks.extend(row.hook.map(str::to_owned));
    }
    Ok(())
}

fn refuse_what_is_no_component(bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
    if bytes.len() > MAX_COMPONENT_BYTES {
        let message = format!(
            "the file has {} bytes, a component at most {MAX_COMPONENT_BYTES}",
            bytes.len()
        );
        return Err(Box::new(Diagnostic::error(Code::TooLarge, message)));
    }
    if wasmparser::Parser::is_component(bytes) {
        return Ok(());
    }
    if wasmparser::Parser::is_core_wasm(bytes) {
        let core = Diagnostic::error(
            Code::NotAComponent,
            "this is a core WebAssembly module, not a component",
        );
        return Err(Box::new(core.with_help(
            "build the package with `ostler build`, or turn the module into a component with a \
             component encoder",
        )));
    }
    let header = b"\0asm";
    if !bytes.is_empty() && bytes.len() < 8 && header.starts_with(&bytes[..bytes.len().min(4)]) {
        let cut = Diagnostic::error(Code::MalformedComponent, "the file ends within its header");
        return Err(Box::new(cut.at_offset(bytes.len())));
    }
    let foreign = Diagnostic::error(Code::NotAComponent, "this is not a WebAssembly file");
    Err(Box::new(foreign.with_help(
        "give a compiled component (`.wasm`), or its text form (`.wat`)",
    )))
}

fn malformed(error: &wasmparser::BinaryReaderError) -> Diagnostic {
    Diagnostic::error(Code::MalformedComponent, error.message().to_owned())
        .at_offset(error.offset())
}
