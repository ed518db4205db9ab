//! `ostler doctor`

use std::sync::Arc;

use ostler_config::Home;
use ostler_registry::Registry;
use ostler_runtime::{GuestThreads, Runtime, RuntimeOptions};
use serde::Serialize;

use crate::args::{Format, Global};
use crate::commands::profile;
use crate::failure::{Exit, Failure};
use crate::terminal::{self, styles};

/// One thing that was looked at.
#[derive(Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    /// The code of what is wrong.
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

pub(crate) fn run(global: &Global) -> Exit {
    let checks = checks(global);
    match global.format {
        Format::Json => terminal::print_json(&checks),
        Format::Text => {
            for check in &checks {
                let (style, mark) = if check.ok {
                    (styles::HELP, "ok")
                } else {
                    (styles::ERROR, "!!")
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

fn checks(global: &Global) -> Vec<Check> {
    let mut checks = vec![Check::fine(
        "interfaces",
        format!(
            "{}@{}, and the inert parts of WASI 0.2 in scans",
            ostler_scanner::members::WIT_PACKAGE,
            ostler_scanner::members::WIT_VERSION
        ),
    )];
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
    match Registry::open(home, runtime) {
        Ok(registry) => checks.extend(registry_checks(global, &registry)),
        Err(error) => checks.push(Check::broken("registry", error.into())),
    }
    checks
}

fn registry_checks(global: &Global, registry: &Registry) -> Vec<Check> {
    let profile = match profile(global) {
        Ok(profile) => profile,
        Err(failure) => return vec![Check::broken("profile", failure)],
    };
    let found = registry
        .schema_version()
        .and_then(|schema| Ok((schema, registry.problems(&profile)?)));
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
