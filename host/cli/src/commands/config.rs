//! `ostler config`

use std::path::{Path, PathBuf};

use ostler_config::{ConfigError, Home};
use serde::Serialize;

use crate::args::{Config, Format, Global};
use crate::failure::{Exit, Failure};
use crate::terminal::{self, styles, visible};

pub(crate) fn run(global: &Global, command: &Config) -> Result<Exit, Failure> {
    match command {
        Config::Show { docs: true } => {
            docs(global);
            Ok(Exit::Done)
        }
        Config::Show { docs: false } => show(global),
        Config::Check => check(global),
    }
}

/// The reference of all keys.
fn docs(global: &Global) {
    #[derive(Serialize)]
    struct Document {
        docs: String,
    }
    let docs = ostler_config::documentation();
    match global.format {
        Format::Json => terminal::print_json(&Document { docs }),
        Format::Text => terminal::print(&docs),
    }
}

/// The profile's configuration as it is in force, defaults included.
fn show(global: &Global) -> Result<Exit, Failure> {
    let file = home(global)?.profile_file(global.profile_name())?;
    let config = ostler_config::read_profile(&file)?;
    match global.format {
        Format::Json => terminal::print_json(&config),
        Format::Text => {
            let missing = if file.exists() {
                ""
            } else {
                ", which is missing"
            };
            terminal::print(&visible(&format!(
                "# {}{missing}\n{}",
                file.display(),
                config.to_toml()
            )));
        }
    }
    Ok(Exit::Done)
}

/// A file that was looked at.
#[derive(Serialize)]
struct Checked {
    file: PathBuf,
    exists: bool,
    problems: Vec<Problem>,
}

/// One thing that is wrong with it.
#[derive(Serialize)]
struct Problem {
    code: &'static str,
    message: String,
    key: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
}

impl From<&ConfigError> for Problem {
    fn from(error: &ConfigError) -> Self {
        Self {
            code: error.code(),
            message: error.to_string(),
            key: error.key().map(str::to_owned),
            line: error.place().map(|place| place.line),
            column: error.place().map(|place| place.column),
        }
    }
}

/// Looks over the profile's file and the host's.
fn check(global: &Global) -> Result<Exit, Failure> {
    let home = home(global)?;
    let profile = home.profile_file(global.profile_name())?;
    let workspace = ostler_config::read_profile(&profile)
        .ok()
        .and_then(|config| config.workspace(&home, global.profile_name()).err());
    let errors = ostler_config::check_profile(&profile);
    let host = home.host_file();
    let checked = [
        checked(&profile, errors.iter().chain(&workspace)),
        checked(&host, ostler_config::check_host(&host).iter()),
    ];
    match global.format {
        Format::Json => terminal::print_json(&checked),
        Format::Text => checked.iter().for_each(print),
    }
    if checked.iter().all(|checked| checked.problems.is_empty()) {
        Ok(Exit::Done)
    } else {
        Ok(Exit::NotFine)
    }
}

fn checked<'a>(file: &Path, errors: impl Iterator<Item = &'a ConfigError>) -> Checked {
    Checked {
        file: file.to_owned(),
        exists: file.exists(),
        problems: errors.map(Problem::from).collect(),
    }
}

fn print(checked: &Checked) {
    if checked.problems.is_empty() {
        let missing = if checked.exists {
            ""
        } else {
            " is missing: the defaults are in force"
        };
        terminal::print(&format!(
            "{ok}ok{ok:#}  {}{missing}\n",
            visible(&checked.file.display().to_string()),
            ok = styles::HELP,
        ));
    }
    for problem in &checked.problems {
        terminal::print(&format!(
            "{red}!!{red:#}  {red}error[{}]{red:#}: {}\n",
            problem.code,
            // Indented, so that no line of a value passes for one of ours.
            visible(&problem.message).replace('\n', "\n    "),
            red = styles::ERROR,
        ));
    }
}

/// The home that the command line and the environment name. Looking at it makes nothing.
fn home(global: &Global) -> Result<Home, Failure> {
    let home = Home::locate(global.home.clone(), std::env::var_os("OSTLER_HOME"))?;
    Ok(home)
}
