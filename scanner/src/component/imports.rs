//! From the outermost imports to members.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use semver::Version;
use wasmparser::component_types::{ComponentAnyTypeId, ComponentEntityType, ComponentItem};
use wasmparser::types::TypesRef;

use super::names::InterfaceName;
use super::outline::{Import, ImportKind, Outline};
use super::wasi::{self, Wasi};
use crate::members::{self, Member, WIT_PACKAGE, WIT_VERSION};
use crate::{Code, Diagnostic, Evidence, ImportedFunction, MemberUse, Scan};

static HOST_VERSION: LazyLock<Version> = LazyLock::new(|| {
    #[allow(
        clippy::expect_used,
        reason = "the constant is a semantic version; a test reads it"
    )]
    Version::parse(WIT_VERSION).expect("WIT_VERSION is a semantic version")
});

/// The interface's own name (`todo-write`) when `name` is one that links to this host.
pub(super) fn host_interface(name: &str) -> Option<&str> {
    let parsed = InterfaceName::parse(name)?;
    (parsed.package == WIT_PACKAGE && parsed.links_to(&HOST_VERSION)).then_some(parsed.interface)
}

/// Adds each import's members and findings to the scan.
pub(super) fn map(scan: &mut Scan, outline: &Outline<'_>, types: TypesRef<'_>) {
    let mut uses = BTreeMap::<&'static str, MemberUse>::new();
    for import in &outline.imports {
        match import.kind {
            ImportKind::TypeAlias => {}
            ImportKind::Resource => {
                scan.diagnostics
                    .push(unknown(import, "a resource type of its own", None));
            }
            ImportKind::Function => {
                scan.imports.insert(ImportedFunction {
                    interface: String::new(),
                    function: import.name.to_owned(),
                });
                scan.diagnostics
                    .push(unknown(import, "a function outside any interface", None));
            }
            ImportKind::Instance => {
                let Some(ComponentItem {
                    ty: ComponentEntityType::Instance(id),
                    ..
                }) = types.component_item_for_import(import.name)
                else {
                    // The validator gives every instance import an instance type. Were that to
                    // change, an import without one must not pass in silence.
                    scan.diagnostics
                        .push(unknown(import, "an instance without a type", None));
                    continue;
                };
                let instance = Instance {
                    import,
                    items: &types[*id].exports,
                };
                instance.map(scan, &mut uses);
            }
        }
    }
    scan.members = uses.into_values().collect();
}

struct Instance<'a> {
    import: &'a Import<'a>,
    items: &'a wasmparser::collections::IndexMap<String, ComponentItem>,
}

/// Where the functions of an imported interface lead.
enum Target<'a> {
    /// An interface of the host's WIT package.
    Host(&'a str),
    /// HTTP by way of WASI: every function is the member `fetch`.
    Fetch,
    /// Nothing that needs a permission.
    Inert,
}

impl Instance<'_> {
    fn map(&self, scan: &mut Scan, uses: &mut BTreeMap<&'static str, MemberUse>) {
        let target = match self.target() {
            Ok((target, note)) => {
                scan.diagnostics.extend(note);
                Some(target)
            }
            Err(refusal) => {
                scan.diagnostics.push(*refusal);
                None
            }
        };
        for (name, item) in self.items {
            match item.ty {
                ComponentEntityType::Func(_) => {
                    scan.imports.insert(ImportedFunction {
                        interface: self.import.name.to_owned(),
                        function: name.clone(),
                    });
                    match target.as_ref().map(|target| self.member(target, name)) {
                        Some(Ok(Some(member))) => self.record(member, name, uses),
                        Some(Err(finding)) => scan.diagnostics.push(*finding),
                        Some(Ok(None)) | None => {}
                    }
                }
                ComponentEntityType::Type { created, .. } => {
                    let is_resource = matches!(created, ComponentAnyTypeId::Resource(_));
                    if is_resource && matches!(target, Some(Target::Host(_))) {
                        let what = format!("the resource `{name}`, which the host does not have");
                        scan.diagnostics.push(unknown(self.import, &what, None));
                    }
                }
                ComponentEntityType::Module(_)
                | ComponentEntityType::Value(_)
                | ComponentEntityType::Instance(_)
                | ComponentEntityType::Component(_) => scan.diagnostics.push(
                    Diagnostic::error(
                        Code::UnsupportedImport,
                        format!(
                            "the import `{}` asks for `{name}`, which is neither a function nor a \
                             type",
                            self.import.name
                        ),
                    )
                    .at_offset(self.import.offset),
                ),
            }
        }
    }

    fn target(&self) -> Result<(Target<'_>, Option<Diagnostic>), Box<Diagnostic>> {
        let Some(parsed) = InterfaceName::parse(self.import.name) else {
            return Err(Box::new(unknown(
                self.import,
                "an interface that the host does not have",
                None,
            )));
        };
        if parsed.package.starts_with("wasi:") {
            return match wasi::classify(&parsed) {
                Wasi::Inert => Ok((Target::Inert, None)),
                Wasi::Fetch => Ok((Target::Fetch, None)),
                Wasi::Refusing => Ok((Target::Inert, Some(self.refusing_sockets()))),
                Wasi::Unsupported => Err(Box::new(self.unsupported_wasi())),
            };
        }
        if parsed.package != WIT_PACKAGE {
            let help = format!("plugins import the interfaces of `{WIT_PACKAGE}` and inert WASI");
            return Err(Box::new(unknown(
                self.import,
                "an interface that the host does not have",
                Some(help),
            )));
        }
        if !parsed.links_to(&HOST_VERSION) {
            let what = match &parsed.version {
                Some(version) => format!(
                    "version {version} of the interface; this host has {WIT_PACKAGE}@{WIT_VERSION}"
                ),
                None => format!(
                    "the interface without a version; this host has {WIT_PACKAGE}@{WIT_VERSION}"
                ),
            };
            let help = format!("build against the WIT package {WIT_PACKAGE}@{WIT_VERSION}");
            return Err(Box::new(unknown(self.import, &what, Some(help))));
        }
        if members::interfaces().any(|known| known == parsed.interface) {
            return Ok((Target::Host(parsed.interface), None));
        }
        // Shared records and errors: types, no functions. An interface that a host may export
        // (`tools`) can be imported for its types alone.
        let has_functions = self
            .items
            .values()
            .any(|item| matches!(item.ty, ComponentEntityType::Func(_)));
        if !has_functions && is_known_by_name(parsed.interface) {
            return Ok((Target::Inert, None));
        }
        let help = nearest(parsed.interface, members::interfaces())
            .map(|known| format!("did you mean `{known}`?"));
        Err(Box::new(unknown(
            self.import,
            "an interface that the host does not have",
            help,
        )))
    }

    /// The member behind one function; `None` where the interface is inert.
    fn member(
        &self,
        target: &Target<'_>,
        function: &str,
    ) -> Result<Option<&'static Member>, Box<Diagnostic>> {
        match target {
            Target::Inert => Ok(None),
            Target::Fetch => Ok(members::by_path("fetch")),
            Target::Host(interface) => match members::by_import(interface, function) {
                Some(member) => Ok(Some(member)),
                None => {
                    let what = format!("the function `{function}`, which the interface lacks");
                    let functions = members::TABLE
                        .iter()
                        .filter(|member| member.interface == *interface)
                        .map(|member| member.function);
                    let help = nearest(function, functions)
                        .map(|known| format!("did you mean `{known}`?"));
                    Err(Box::new(unknown(self.import, &what, help)))
                }
            },
        }
    }

    fn record(
        &self,
        member: &'static Member,
        function: &str,
        uses: &mut BTreeMap<&'static str, MemberUse>,
    ) {
        let used = uses.entry(member.path).or_insert_with(|| MemberUse {
            member,
            granted: true,
            evidence: Vec::new(),
        });
        used.evidence.push(Evidence::Import {
            interface: self.import.name.to_owned(),
            function: function.to_owned(),
            path: Vec::new(),
        });
    }

    fn refusing_sockets(&self) -> Diagnostic {
        Diagnostic::note(
            Code::UnsupportedImport,
            format!(
                "the import `{}` is linked to stubs that always refuse",
                self.import.name
            ),
        )
        .with_help("reach the network with `fetch` or `wasi:http`")
        .at_offset(self.import.offset)
    }

    fn unsupported_wasi(&self) -> Diagnostic {
        Diagnostic::error(
            Code::UnsupportedImport,
            format!(
                "the import `{}` is a WASI interface that the host does not have",
                self.import.name
            ),
        )
        .with_help("the host has the inert parts of WASI 0.2, and `wasi:http/outgoing-handler`")
        .at_offset(self.import.offset)
    }
}

fn unknown(import: &Import<'_>, what: &str, help: Option<String>) -> Diagnostic {
    let message = format!("the import `{}` asks for {what}", import.name);
    Diagnostic {
        help,
        ..Diagnostic::error(Code::UnknownImport, message).at_offset(import.offset)
    }
}

/// Whether the WIT package has an interface of this name that no import table lists: the shared
/// types, or an interface that plugins export.
fn is_known_by_name(interface: &str) -> bool {
    interface == members::TYPES_INTERFACE || members::by_exported_interface(interface).is_some()
}

/// The known name that a person most likely meant.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
