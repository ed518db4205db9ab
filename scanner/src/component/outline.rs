//! What the outermost component imports and exports, by name, in the order of the file.

use wasmparser::{
    ComponentExternName, ComponentExternalKind, ComponentImport, ComponentTypeRef, Parser, Payload,
    TypeBounds,
};

use super::malformed;
use crate::{Code, Diagnostic};

/// The outermost component's names.
#[derive(Debug, Default)]
pub(super) struct Outline<'a> {
    /// Imports of instances, functions and type aliases.
    pub(super) imports: Vec<Import<'a>>,
    /// Names of exported instances.
    pub(super) exports: Vec<&'a str>,
    /// Imports of forms that no plugin may use.
    pub(super) refused: Vec<Diagnostic>,
}

/// One import of the outermost component.
#[derive(Debug)]
pub(super) struct Import<'a> {
    pub(super) name: &'a str,
    pub(super) kind: ImportKind,
    /// Offset of the import in the file, in bytes.
    pub(super) offset: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImportKind {
    Instance,
    Function,
    /// A type that is equal to another: inert.
    TypeAlias,
    /// A new resource type: its owner would have to be the host.
    Resource,
}

impl<'a> Outline<'a> {
    /// Walks the whole file. Every section at every depth is read, so that broken data in a
    /// place that nothing uses is found as well.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Box<Diagnostic>> {
        let mut outline = Self::default();
        let mut depth = 0_usize;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload.map_err(|error| Box::new(malformed(&error)))? {
                Payload::Version { .. } => depth += 1,
                Payload::End(_) => depth -= 1,
                Payload::ComponentImportSection(section) if depth == 1 => {
                    for import in section.into_iter_with_offsets() {
                        let (offset, import) =
                            import.map_err(|error| Box::new(malformed(&error)))?;
                        outline.take_import(&import, offset);
                    }
                }
                Payload::ComponentExportSection(section) if depth == 1 => {
                    for export in section {
                        let export = export.map_err(|error| Box::new(malformed(&error)))?;
                        if export.kind == ComponentExternalKind::Instance {
                            outline.exports.push(export.name.name);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(outline)
    }

    fn take_import(&mut self, import: &ComponentImport<'a>, offset: usize) {
        if let Some(form) = refused_form(&import.name) {
            return self.refuse(import.name.name, form, offset);
        }
        let kind = match import.ty {
            ComponentTypeRef::Instance(_) => ImportKind::Instance,
            ComponentTypeRef::Func(_) => ImportKind::Function,
            ComponentTypeRef::Type(TypeBounds::Eq(_)) => ImportKind::TypeAlias,
            ComponentTypeRef::Type(TypeBounds::SubResource) => ImportKind::Resource,
            ComponentTypeRef::Module(_) => {
                return self.refuse(import.name.name, "a core module", offset);
            }
            ComponentTypeRef::Component(_) => {
                return self.refuse(import.name.name, "a component", offset);
            }
            ComponentTypeRef::Value(_) => return self.refuse(import.name.name, "a value", offset),
        };
        self.imports.push(Import {
            name: import.name.name,
            kind,
            offset,
        });
    }

    fn refuse(&mut self, name: &str, form: &str, offset: usize) {
        let message = format!("the import `{name}` is {form}, which a plugin may not import");
        self.refused.push(
            Diagnostic::error(Code::UnsupportedImport, message)
                .with_help("import functions and interfaces of `ostler:host` by their names")
                .at_offset(offset),
        );
    }
}

/// Names that stand for something else than what they spell: an installer could not tell from
/// the name what is reached.
pub(super) fn refused_form(name: &ComponentExternName<'_>) -> Option<&'static str> {
    if name.implements.is_some() {
        return Some("an `implements` import");
    }
    if name.external_id.is_some() {
        return Some("an `external-id` import");
    }
    if name.version_suffix.is_some() {
        return Some("a `version-suffix` import");
    }
    let forms = [
        ("url=", "a `url=` import"),
        ("integrity=", "an `integrity=` import"),
        ("locked-dep=", "a `locked-dep=` import"),
        ("unlocked-dep=", "an `unlocked-dep=` import"),
        ("relative-url=", "a `relative-url=` import"),
    ];
    forms
        .iter()
        .find(|(prefix, _)| name.name.starts_with(prefix))
        .map(|(_, form)| *form)
}
