//! `ostler doctor`

use std::sync::Arc;

use ostler_commands::Shape;
use ostler_config::{GrantKind, Home, read_grants};
use ostler_confine::Confinement;
use ostler_registry::Registry;
use ostler_runtime::{GuestThreads, Runtime, RuntimeOptions};
use ostler_store::{AuditLog as _, AuditVerdict, Profile};
use serde::Serialize;

use crate::args::{Format, Global};
use crate::commands::{profile, store_failed};
use crate::failure::{Exit, Failure};
use crate::terminal::{self, styles};

/// One thing that was looked at.
#[derive(Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    /// The code of what is wrong, or of what this machine does not have.
    code: Option<String>,
    message: String,
    help: Option<String>,
}

impl Check {
    fn fine(name: &'static str, message: String) -> Self {
        Self {
            name,
            ok: true,
            code: None,
            message,
            help: None,
        }
    }

    /// Nothing is wrong, and something is not to be had here.
    fn limited(name: &'static str, failure: Failure) -> Self {
        Self {
            ok: true,
            ..Self::broken(name, failure)
        }
    }

    fn broken(name: &'static str, failure: Failure) -> Self {
        Self {
            name,
            ok: false,
            code: Some(failure.code),
            message: failure.message,
            help: failure.help,
        }
    }
}

pub(crate) async fn run(global: &Global) -> Exit {
    let checks = checks(global).await;
    match global.format {
        Format::Json => terminal::print_json(&checks),
        Format::Text => {
            for check in &checks {
                let (style, mark) = match (check.ok, &check.code) {
                    (true, None) => (styles::HELP, "ok"),
                    (true, Some(_)) => (styles::WARNING, " !"),
                    (false, _) => (styles::ERROR, "!!"),
                };
                let mut text = format!(
                    "{style}{mark}{style:#}  {}: {}\n",
                    check.name, check.message
                );
                if let Some(help) = &check.help {
                    text += &format!("      help: {help}\n");
                }
                terminal::print(&text);
            }
        }
    }
    if checks.iter().all(|check| check.ok) {
        Exit::Done
    } else {
        Exit::NotFine
    }
}

async fn checks(global: &Global) -> Vec<Check> {
    let mut checks = vec![Check::fine(
        "interfaces",
        format!(
            "{}@{}, and the inert parts of WASI 0.2 in scans",
            ostler_scanner::members::WIT_PACKAGE,
            ostler_scanner::members::WIT_VERSION
        ),
    )];
    checks.push(confinement().await);
    let located = Home::locate(global.home.clone(), std::env::var_os("OSTLER_HOME"));
    let home = match located.and_then(|home| home.create().map(|()| home)) {
        Ok(home) => {
            checks.push(Check::fine("home", home.path().display().to_string()));
            home
        }
        Err(error) => {
            checks.push(Check::broken("home", error.into()));
            return checks;
        }
    };
    let cache = home.cache();
    let options = RuntimeOptions {
        cache: Some(&cache),
        guest_threads: GuestThreads::Caller,
    };
    let runtime = match Runtime::new(options) {
        Ok(runtime) => {
            checks.push(Check::fine(
                "engine",
                format!("compiled code in {}", cache.display()),
            ));
            Arc::new(runtime)
        }
        Err(error) => {
            let failure = Failure::new(Exit::NotFine, error.code(), error.to_string());
            checks.push(Check::broken("engine", failure));
            return checks;
        }
    };
    match Registry::open(home.clone(), runtime) {
        Ok(registry) => match profile(global) {
            Ok(profile) => {
                checks.extend(registry_checks(&profile, &registry));
                checks.push(grants(&home, &profile));
                checks.push(audit(&registry).await);
            }
            Err(failure) => checks.push(Check::broken("profile", failure)),
        },
        Err(error) => checks.push(Check::broken("registry", error.into())),
    }
    checks
}

fn registry_checks(profile: &Profile, registry: &Registry) -> Vec<Check> {
    let found = registry
        .schema_version()
        .and_then(|schema| Ok((schema, registry.problems(profile)?)));
    match found {
        Ok((schema, problems)) if problems.is_empty() => vec![Check::fine(
            "registry",
            format!("schema {schema}; every component has its digest"),
        )],
        Ok((_, problems)) => problems
            .into_iter()
            .map(|problem| Check {
                name: "registry",
                ok: false,
                code: Some(problem.code.to_owned()),
                message: problem.message,
                help: problem.help,
            })
            .collect(),
        Err(error) => vec![Check::broken("registry", error.into())],
    }
}

/// How the assistant's commands are confined, as a host would find it at its start.
async fn confinement() -> Check {
    let launcher = match std::env::current_exe() {
        Ok(launcher) => launcher,
        Err(error) => {
            let failure = Failure::io("this program's own file is not known", &error);
            return Check::broken("confinement", failure);
        }
    };
    match Confinement::probe(launcher).await {
        Ok(confinement) => Check::fine(
            "confinement",
            format!("commands run in a box of {}", confinement.describe()),
        ),
        Err(error) => Check::limited(
            "confinement",
            Failure::new(
                Exit::NotFine,
                error.code(),
                format!("commands cannot be confined here, so only the owner may run one: {error}"),
            ),
        ),
    }
}

/// The profile's standing grants. One that cannot be read grants nothing, and so do all then.
fn grants(home: &Home, profile: &Profile) -> Check {
    let read = home
        .grants_file(profile.as_str())
        .and_then(|file| read_grants(&file));
    let grants = match read {
        Ok(grants) => grants,
        Err(error) => return Check::broken("grants", error.into()),
    };
    for grant in &grants {
        if grant.kind == GrantKind::Shape
            && let Err(error) = Shape::parse(&grant.text)
        {
            let failure = Failure::new(
                Exit::NotFine,
                error.code(),
                format!("the grant {} lets nothing pass: {error}", grant.id),
            );
            let help = format!("ostler allow remove {}", grant.id);
            return Check::broken("grants", failure.with_help(help));
        }
    }
    Check::fine("grants", format!("{} of this profile", grants.len()))
}

async fn audit(registry: &Registry) -> Check {
    match registry.store().verify_audit().await {
        Ok(AuditVerdict::Whole { entries, head }) => Check::fine(
            "audit",
            format!("{entries} entries, each after the one before it; head {head}"),
        ),
        Ok(AuditVerdict::Broken { seq, what }) => {
            let failure = Failure::new(
                Exit::NotFine,
                "audit-broken",
                format!("the chain is broken at entry {seq}: {what}"),
            );
            let help = "somebody changed the database by another way than this program: compare \
                        with a backup";
            Check::broken("audit", failure.with_help(help))
        }
        Err(error) => Check::broken("audit", store_failed(&error)),
    }
}
