//! The result of a scan. It serialises to the JSON of `ostler scan --format json`.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::members::{Capability, Member};
use crate::{Diagnostic, Permission, Severity};

/// What was scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScanKind {
    /// A WebAssembly component.
    Component,
}

/// All that one scan found. Lists are sorted, so that equal findings print equal.
#[derive(Clone, Debug, Serialize)]
pub struct Scan {
    /// What was scanned.
    pub kind: ScanKind,
    /// `sha256:` and the digest of the scanned bytes in lower-case hexadecimal.
    pub digest: String,
    /// The WIT package that the members were read against.
    pub wit: String,
    /// What the component offers, by its exports.
    pub capabilities: BTreeSet<Capability>,
    /// Each member that the component imports, sorted by path.
    pub members: Vec<MemberUse>,
    /// The permissions derived from the granted members.
    pub permissions: BTreeSet<Permission>,
    /// The permissions that the manifest adds and the code does not show.
    pub declared_permissions: BTreeSet<Permission>,
    /// The middleware hooks that the component exports, by name.
    pub hooks: BTreeSet<String>,
    /// The provider capabilities that the component exports, by name.
    pub serves: BTreeSet<String>,
    /// Whether a granted member reaches the network, so that the manifest must name hosts.
    pub needs_egress: bool,
    /// What else there is to say, errors first in the order of their place.
    pub diagnostics: Vec<Diagnostic>,
    /// Every function of the outermost imports, to be held against the runtime's own list.
    #[serde(skip)]
    pub imports: BTreeSet<ImportedFunction>,
}

impl Scan {
    /// Whether a diagnostic is an error: then nothing may be published from these bytes.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    }
}

/// One function that the outermost component imports.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImportedFunction {
    /// The import's name as the component spells it, version included
    /// (`ostler:host/log@0.1.0`); empty for a function that is imported by itself.
    pub interface: String,
    /// The function's name within it.
    pub function: String,
}

/// One member that the code may call, and why.
#[derive(Clone, Debug)]
pub struct MemberUse {
    /// The row of the table.
    pub member: &'static Member,
    /// Whether the member becomes part of the grant; an import that no export can reach does
    /// not.
    pub granted: bool,
    /// The places that show the use, at least one.
    pub evidence: Vec<Evidence>,
}

impl Serialize for MemberUse {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shape<'a> {
            member: &'a str,
            permissions: &'a [Permission],
            granted: bool,
            evidence: &'a [Evidence],
        }
        Shape {
            member: self.member.path,
            permissions: self.member.permissions,
            granted: self.granted,
            evidence: &self.evidence,
        }
        .serialize(serializer)
    }
}

/// Why a member was derived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Evidence {
    /// The outermost component imports the function.
    Import {
        /// The interface as the component spells it, version included.
        interface: String,
        /// The function's name.
        function: String,
        /// The shortest call path from an export to the import, outermost first. Empty while
        /// reachability is not known.
        path: Vec<String>,
    },
}
