//! What a path on the command line may name: a component, its text form, or a package.

use std::path::Path;

use ostler_registry::Package;
use ostler_scanner::{Access, Code, Diagnostic, Scan, rules, scan_component};

use crate::failure::{Exit, Failure};

/// A scanned path.
pub(crate) struct Scanned {
    /// The component's file as the person named it.
    pub(crate) file: String,
    /// The size of the component, in bytes.
    pub(crate) bytes: usize,
    /// What the scan found, the manifest's rules included where there is a manifest.
    pub(crate) scan: Scan,
    /// What the code and the manifest ask for.
    pub(crate) access: Access,
}

/// Scans a component file, or the component of a package's folder.
pub(crate) fn scan(path: &Path) -> Result<Scanned, Failure> {
    if path.is_dir() {
        let package = Package::open(path)?;
        let bytes = package.component()?;
        let file = package.component_path().display().to_string();
        let mut scan = scan_named(&file, &bytes);
        let (access, findings) = rules::check(&scan, &package.manifest.declared(), None);
        if !scan.has_errors() {
            scan.diagnostics.extend(findings);
        }
        scan.declared_permissions = access.declared_permissions.clone();
        return Ok(Scanned {
            file,
            bytes: bytes.len(),
            scan,
            access,
        });
    }
    let file = path.display().to_string();
    let bytes = read(path)?;
    if path.extension().is_some_and(|extension| extension == "wat") {
        return Ok(match encode_text(&bytes) {
            Ok(encoded) => bare(file, &encoded),
            Err(finding) => {
                let mut refused = bare(file, &bytes);
                refused.scan.diagnostics = vec![Diagnostic {
                    file: Some(refused.file.clone()),
                    ..*finding
                }];
                refused
            }
        });
    }
    Ok(bare(file, &bytes))
}

/// A component without a manifest: what its exports mean is no question of declarations.
fn bare(file: String, bytes: &[u8]) -> Scanned {
    let scan = scan_named(&file, bytes);
    let declared = rules::Declared {
        capabilities: scan.capabilities.clone(),
        ..rules::Declared::default()
    };
    let (access, _no_manifest_to_hold_it_against) = rules::check(&scan, &declared, None);
    Scanned {
        file,
        bytes: bytes.len(),
        scan,
        access,
    }
}

/// Scans bytes whose findings are in `file`.
fn scan_named(file: &str, bytes: &[u8]) -> Scan {
    let mut scan = scan_component(bytes);
    for finding in &mut scan.diagnostics {
        finding.file = Some(file.to_owned());
    }
    scan
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    use std::io::Read as _;
    // One byte more than the limit lets the scan say that the file is too large, without
    // reading all of it.
    let limit = ostler_scanner::MAX_COMPONENT_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .map_err(|error| {
            Failure::new(Exit::Usage, "io", format!("{}: {error}", path.display()))
                .with_help("name a .wasm or .wat file, or a folder that holds an ostler.toml")
        })?;
    Ok(bytes)
}

/// The binary form of a `.wat` file.
fn encode_text(bytes: &[u8]) -> Result<Vec<u8>, Box<Diagnostic>> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Box::new(
            Diagnostic::error(Code::SyntaxError, "the file is not UTF-8 text")
                .at_offset(error.valid_up_to()),
        )
    })?;
    let located = |error: wast::Error| {
        let (line, column) = error.span().linecol_in(text);
        Box::new(Diagnostic {
            line: u32::try_from(line + 1).ok(),
            column: u32::try_from(column + 1).ok(),
            ..Diagnostic::error(Code::SyntaxError, error.message())
        })
    };
    let buffer = wast::parser::ParseBuffer::new(text).map_err(located)?;
    let mut module = wast::parser::parse::<wast::Wat<'_>>(&buffer).map_err(located)?;
    module.encode().map_err(located)
}
