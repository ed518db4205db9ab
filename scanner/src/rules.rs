//! The rules at publish: a scan held against what the author's manifest says.

use std::collections::{BTreeMap, BTreeSet};

use crate::access::{EgressError, EgressHost, EgressSet, SecretAccess, SecretUse};
use crate::members::Capability;
use crate::{Access, Code, Diagnostic, Permission, Scan};

/// What a manifest says of a package, as far as the rules look at it.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// What the package says that it offers.
    pub capabilities: BTreeSet<Capability>,
    /// Permissions beyond those that the code shows.
    pub permissions: BTreeSet<Permission>,
    /// Egress entries as they were written.
    pub egress: Vec<String>,
    /// Secrets by name, each with its hosts as they were written.
    pub secrets: BTreeMap<String, Vec<String>>,
    /// Names of added agents.
    pub agents: BTreeSet<String>,
    /// Names of added schedules.
    pub schedules: BTreeSet<String>,
    /// Hooks whose failure blocks the action.
    pub fail_closed_hooks: BTreeSet<String>,
    /// Whether the package's channel admits messages of anyone.
    pub anyone_sender: bool,
}

/// The access that a version asks for, and what speaks against publishing it.
///
/// `publisher` is the key that will sign, as in [`Access::publisher`]. The access is meaningful
/// only if no diagnostic is an error, here or in the scan.
#[must_use]
pub fn check(
    scan: &Scan,
    declared: &Declared,
    publisher: Option<String>,
) -> (Access, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let egress = parse_hosts(&declared.egress, &mut findings);
    check_egress(scan, declared, &mut findings);
    check_capabilities(scan, declared, &mut findings);
    let secrets = secrets(scan, declared, &egress, &mut findings);
    let access = Access {
        permissions: scan.permissions.clone(),
        declared_permissions: declared
            .permissions
            .difference(&scan.permissions)
            .copied()
            .collect(),
        hooks: scan.hooks.clone(),
        serves: scan.serves.clone(),
        egress,
        secrets,
        agents: declared.agents.clone(),
        schedules: declared.schedules.clone(),
        fail_closed_hooks: declared.fail_closed_hooks.clone(),
        anyone_sender: declared.anyone_sender,
        publisher,
    };
    (access, findings)
}

fn parse_hosts(entries: &[String], findings: &mut Vec<Diagnostic>) -> EgressSet {
    entries
        .iter()
        .filter_map(|entry| match entry.parse::<EgressHost>() {
            Ok(host) => Some(host),
            Err(error) => {
                findings.push(egress_invalid(&error));
                None
            }
        })
        .collect()
}

fn egress_invalid(error: &EgressError) -> Diagnostic {
    Diagnostic::error(Code::EgressInvalid, error.to_string()).with_help(
        "an entry is a host (`api.example.com`), a wildcard (`*.example.com`), or either with a \
         port",
    )
}

fn check_egress(scan: &Scan, declared: &Declared, findings: &mut Vec<Diagnostic>) {
    if scan.needs_egress && declared.egress.is_empty() {
        findings.push(
            Diagnostic::error(
                Code::EgressMissing,
                "the code calls `fetch`, but the manifest names no host that it may reach",
            )
            .with_help("add `egress = [\"api.example.com\"]` to ostler.toml"),
        );
    }
}

fn check_capabilities(scan: &Scan, declared: &Declared, findings: &mut Vec<Diagnostic>) {
    for capability in declared.capabilities.difference(&scan.capabilities) {
        let message = format!(
            "the manifest declares the capability `{capability}`, but the component does not \
             export it"
        );
        findings.push(Diagnostic::error(Code::CapabilityMismatch, message));
    }
    for capability in scan.capabilities.difference(&declared.capabilities) {
        let message = format!(
            "the component exports the capability `{capability}`, but the manifest does not \
             declare it"
        );
        findings.push(
            Diagnostic::error(Code::CapabilityMismatch, message)
                .with_help("add it to `capabilities` in ostler.toml"),
        );
    }
    for hook in declared.fail_closed_hooks.difference(&scan.hooks) {
        let message = format!(
            "the manifest makes the hook `{hook}` fail closed, but the component does not export it"
        );
        findings.push(Diagnostic::error(Code::CapabilityMismatch, message));
    }
}

fn secrets(
    scan: &Scan,
    declared: &Declared,
    egress: &EgressSet,
    findings: &mut Vec<Diagnostic>,
) -> BTreeMap<String, SecretAccess> {
    let reads = scan
        .members
        .iter()
        .any(|used| used.granted && used.member.path == "settings.getSecret");
    let usage = if reads {
        SecretUse::Read
    } else {
        SecretUse::Inject
    };
    let mut secrets = BTreeMap::new();
    for (name, entries) in &declared.secrets {
        let hosts = parse_hosts(entries, findings);
        for host in egress.not_covering(&hosts) {
            let message =
                format!("the secret `{name}` is bound to {host}, which `egress` does not allow");
            findings.push(Diagnostic::error(Code::EgressMissing, message));
        }
        secrets.insert(name.clone(), SecretAccess { usage, hosts });
    }
    secrets
}
