//! From a package to an immutable version.

use std::sync::Arc;

use ostler_runtime::{
    Compiled, ExportCall, ExportResult, HostServices, InvocationContext, InvocationKind, Limits,
    MemberSet, NoSettings, Outcome,
};
use ostler_scanner::members::{Capability, WIT_PACKAGE, WIT_VERSION};
use ostler_scanner::{Access, Code, Diagnostic, SCANNER_VERSION, Scan, rules, scan_component};
use ostler_store::{Digest, PublishOutcome, VersionRow};
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::error::RegistryError;
use crate::package::Package;
use crate::registry::{Registry, now};
use crate::statement::{Statement, publisher_id};
use crate::{blobs, keys};

/// A published version.
#[derive(Clone, Debug, Serialize)]
pub struct Published {
    /// The package's name.
    pub package: String,
    /// The version.
    pub version: Version,
    /// The component's digest.
    pub digest: String,
    /// What the version asks for.
    pub access: Access,
    /// The digest of the access.
    pub access_digest: String,
    /// The tools that the component offers.
    pub tools: Vec<CatalogueTool>,
    /// Findings that do not speak against it.
    pub diagnostics: Vec<Diagnostic>,
}

/// The most tools that a package may offer.
const MAX_TOOLS: usize = 128;

/// One tool of a version's catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogueTool {
    /// The name that the assistant calls it by.
    pub name: String,
    /// What the assistant reads about it.
    pub description: String,
    /// The JSON schema of its arguments.
    pub input_schema: serde_json::Value,
}

/// What is known of a package once every check has passed, before anything is stored.
pub(crate) struct Checked {
    pub(crate) scan: Scan,
    pub(crate) access: Access,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) compiled: Compiled,
}

impl Registry {
    /// Publishes a package as an immutable version.
    ///
    /// # Errors
    /// [`RegistryError::Refused`] with every finding if the scan or a rule speaks against it;
    /// [`RegistryError::VersionExists`] if the version was published before; others as the
    /// parts of the work say. Nothing is stored on an error.
    pub async fn publish(&self, package: &Package) -> Result<Published, RegistryError> {
        let manifest = &package.manifest;
        let label = format!("{} {}", manifest.name, manifest.version);
        if let Some(earlier) = self
            .store
            .version(&manifest.name, &manifest.version.to_string())?
        {
            let is_same = package
                .component()
                .is_ok_and(|bytes| blobs::digest_of(&bytes) == earlier.digest)
                && json(manifest).is_ok_and(|text| text == earlier.manifest)
                && package.readme().is_ok_and(|text| text == earlier.readme);
            return Err(self.version_exists(package, is_same));
        }

        let bytes = package.component()?;
        let readme = package.readme()?;
        let key = keys::publisher(&self.home.keys())?;
        let checked = self.check(package, &label, &bytes, Some(publisher_id(&key)))?;
        let tools = self.catalogue(&label, &checked).await?;

        let statement = Statement {
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            digest: checked.scan.digest.clone(),
            access: checked.access.clone(),
            scanner: SCANNER_VERSION.to_owned(),
            wit: format!("{WIT_PACKAGE}@{WIT_VERSION}"),
        };
        let (statement, signature) = statement.sign(&key)?;
        let access_digest = checked
            .access
            .digest()
            .map_err(|error| RegistryError::json(&error))?;

        // The component goes first: a row never names bytes that are not there. A component
        // without a row, after a kill between the two, is harmless.
        let digest: Digest = self.blobs.put(&bytes)?;
        let outcome = self.store.publish_version(&VersionRow {
            package: manifest.name.clone(),
            version: manifest.version.to_string(),
            digest,
            manifest: json(manifest)?,
            scan: json(&checked.scan)?,
            access: checked
                .access
                .canonical_json()
                .map_err(|error| RegistryError::json(&error))?,
            access_digest: access_digest
                .parse()
                .map_err(|error| RegistryError::id(&error))?,
            catalogue: json(&tools)?,
            readme,
            statement,
            signature,
            publisher: publisher_id(&key),
            published_at: now(),
        })?;
        if let PublishOutcome::VersionConflict { .. } = outcome {
            // Another process was quicker; whether it published the same is not known here.
            return Err(self.version_exists(package, false));
        }
        Ok(Published {
            package: manifest.name.to_string(),
            version: manifest.version.clone(),
            digest: checked.scan.digest,
            access: checked.access,
            access_digest,
            tools,
            diagnostics: checked.diagnostics,
        })
    }

    /// Scans a package, holds it against the rules, and compares the scan with the runtime's own
    /// reading of the same bytes.
    pub(crate) fn check(
        &self,
        package: &Package,
        label: &str,
        bytes: &[u8],
        publisher: Option<String>,
    ) -> Result<Checked, RegistryError> {
        let scan = scan_component(bytes);
        let (access, findings) = rules::check(&scan, &package.manifest.declared(), publisher);
        let mut diagnostics = scan.diagnostics.clone();
        if !scan.has_errors() {
            // A broken component exports nothing, so that the rules would only repeat it.
            diagnostics.extend(findings);
        }
        let file = package.component_path().display().to_string();
        let refused = |diagnostics: Vec<Diagnostic>| RegistryError::Refused {
            package: label.to_owned(),
            diagnostics: diagnostics
                .into_iter()
                .map(|finding| match finding.offset {
                    Some(_) => Diagnostic {
                        file: Some(file.clone()),
                        ..finding
                    },
                    None => finding,
                })
                .collect(),
        };
        if diagnostics
            .iter()
            .any(|d| d.severity == ostler_scanner::Severity::Error)
        {
            return Err(refused(diagnostics));
        }
        let digest = blobs::digest_of(bytes);
        let compiled = match self.runtime.compile(digest.hex(), bytes) {
            Ok(compiled) => compiled,
            Err(ostler_runtime::RuntimeError::Compile(reason)) => {
                let message =
                    format!("the scan accepts the component, the runtime does not: {reason}");
                return Err(refused(vec![Diagnostic::error(
                    Code::DerivationMismatch,
                    message,
                )]));
            }
            Err(error) => return Err(error.into()),
        };
        let seen_by_runtime = self.runtime.imported_functions(&compiled);
        if let Some(import) = seen_by_runtime.symmetric_difference(&scan.imports).next() {
            let message = format!(
                "the scan and the runtime do not agree on the import `{}#{}`",
                import.interface, import.function
            );
            return Err(refused(vec![Diagnostic::error(
                Code::DerivationMismatch,
                message,
            )]));
        }
        Ok(Checked {
            scan,
            access,
            diagnostics,
            compiled,
        })
    }

    /// The component's own list of tools, taken with every member absent: what a package offers
    /// may not depend on where it is asked.
    async fn catalogue(
        &self,
        label: &str,
        checked: &Checked,
    ) -> Result<Vec<CatalogueTool>, RegistryError> {
        // Loading links every import, and finds functions of other types than the host's.
        let loaded = self
            .runtime
            .load(&checked.compiled, MemberSet::filtered(|_| true))?;
        if !checked.scan.capabilities.contains(&Capability::Tools) {
            return Ok(Vec::new());
        }
        let context = InvocationContext {
            kind: InvocationKind::Catalogue,
            has_session: false,
            has_agent: false,
            depth: 0,
            members: MemberSet::EMPTY,
            limits: Limits::for_kind(InvocationKind::Catalogue),
            services: HostServices::alone(Arc::new(NoSettings)),
        };
        let invalid = |reason: String| RegistryError::Catalogue {
            package: label.to_owned(),
            reason,
        };
        let invoked = self
            .runtime
            .invoke(&Arc::new(loaded), ExportCall::ListTools, context)
            .await;
        let tools = match invoked.outcome {
            Outcome::Returned(ExportResult::Tools(tools)) => tools,
            Outcome::Returned(_) => return Err(invalid("it is no list".to_owned())),
            Outcome::Trap(trap) => return Err(invalid(format!("`tools.list` trapped: {trap}"))),
            Outcome::Limit(hit) => {
                return Err(invalid(format!("`tools.list` crossed a limit: {hit}")));
            }
            Outcome::BadOutput(what) => return Err(invalid(format!("`tools.list` gave {what}"))),
            Outcome::HostError(fault) => return Err(invalid(fault.to_string())),
        };
        // Past the invocation no limit holds any more, and a person reads the list.
        if tools.len() > MAX_TOOLS {
            return Err(invalid(format!("it has more than {MAX_TOOLS} tools")));
        }
        let mut catalogue = Vec::<CatalogueTool>::new();
        for tool in tools {
            if !is_tool_name(&tool.name) {
                return Err(invalid(format!(
                    "{:?} is no tool name: lower-case letters, digits and `_`, at most 64",
                    tool.name
                )));
            }
            if catalogue.iter().any(|earlier| earlier.name == tool.name) {
                return Err(invalid(format!("`{}` stands twice", tool.name)));
            }
            let input_schema: serde_json::Value = serde_json::from_str(&tool.input_schema)
                .map_err(|error| {
                    invalid(format!(
                        "the input schema of `{}` is no JSON: {error}",
                        tool.name
                    ))
                })?;
            if !input_schema.is_object() {
                return Err(invalid(format!(
                    "the input schema of `{}` is no object",
                    tool.name
                )));
            }
            catalogue.push(CatalogueTool {
                name: tool.name,
                description: tool.description,
                input_schema,
            });
        }
        Ok(catalogue)
    }

    fn version_exists(&self, package: &Package, same: bool) -> RegistryError {
        RegistryError::VersionExists {
            package: package.manifest.name.to_string(),
            version: package.manifest.version.to_string(),
            same,
        }
    }
}

/// Names that every model's tool calling accepts.
fn is_tool_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 64
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

fn json(value: &impl Serialize) -> Result<String, RegistryError> {
    serde_json::to_string(value).map_err(|error| RegistryError::json(&error))
}
