//! The parts of an access, each with the id by which a person accepts it and a sentence.

use serde::Serialize;

use super::{Access, EgressSet, SecretAccess, SecretUse};
use crate::members;

/// One part of an access.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Part {
    /// `agentApi:todo.write`, `hook:N`, `serves:C`, `egress:HOST`, `secret:NAME`, `agent:N`,
    /// `schedule:N`, `fail-closed:HOOK`, `anyone-sender` or `publisher:KEY`.
    pub id: String,
    /// What it means, in plain language, without a full stop.
    pub sentence: String,
}

impl Access {
    /// All parts, in the order in which a review shows them.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        parts_of(self)
    }
}

pub(super) fn parts_of(access: &Access) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut add = |id: String, sentence: String| parts.push(Part { id, sentence });
    for permission in &access.permissions {
        add(permission.to_string(), permission.sentence().to_owned());
    }
    for permission in &access.declared_permissions {
        let sentence = format!(
            "{} (declared by the author; the code does not show it)",
            permission.sentence()
        );
        add(permission.to_string(), sentence);
    }
    for hook in &access.hooks {
        let sentence = members::hook_sentence(hook).unwrap_or("take part in every turn");
        add(format!("hook:{hook}"), sentence.to_owned());
    }
    for capability in &access.serves {
        add(
            format!("serves:{capability}"),
            format!("act as your {capability}"),
        );
    }
    for host in access.egress.iter() {
        add(
            format!("egress:{host}"),
            format!("send data to and read from {host}"),
        );
    }
    for (name, secret) in &access.secrets {
        add(format!("secret:{name}"), secret_sentence(name, secret));
    }
    for agent in &access.agents {
        add(
            format!("agent:{agent}"),
            format!("add the agent {agent} to your profile"),
        );
    }
    for schedule in &access.schedules {
        add(
            format!("schedule:{schedule}"),
            format!("run by itself on the schedule {schedule}"),
        );
    }
    for hook in &access.fail_closed_hooks {
        let sentence = format!("block the action whenever its {hook} hook fails or is too slow");
        add(format!("fail-closed:{hook}"), sentence);
    }
    if access.anyone_sender {
        let sentence = "let anyone who reaches its channel start a turn, not only operators";
        add("anyone-sender".to_owned(), sentence.to_owned());
    }
    if let Some(publisher) = &access.publisher {
        let sentence = "be signed by this key, and updated by whoever holds it as long as nothing more is asked";
        add(format!("publisher:{publisher}"), sentence.to_owned());
    }
    parts
}

fn secret_sentence(name: &str, secret: &SecretAccess) -> String {
    let hosts: Vec<_> = secret.hosts.iter().map(ToString::to_string).collect();
    let hosts = if hosts.is_empty() {
        "no host".to_owned()
    } else {
        hosts.join(", ")
    };
    match secret.usage {
        SecretUse::Inject => format!("use the secret {name} with {hosts}, without seeing it"),
        SecretUse::Read => format!("read the secret {name}, and use it with {hosts}"),
    }
}

/// A secret as it stands in JSON lists.
#[derive(Serialize)]
pub(super) struct NamedSecret<'a> {
    name: &'a str,
    #[serde(rename = "use")]
    usage: SecretUse,
    hosts: &'a EgressSet,
}

impl<'a> From<(&'a String, &'a SecretAccess)> for NamedSecret<'a> {
    fn from((name, secret): (&'a String, &'a SecretAccess)) -> Self {
        Self {
            name,
            usage: secret.usage,
            hosts: &secret.hosts,
        }
    }
}
