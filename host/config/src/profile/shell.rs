//! `[shell]`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Bounded;
use crate::read::Misfit;

/// The longest name of an environment variable, in bytes.
const NAME_BYTES: usize = 128;

/// What a name of a secret has in it, in upper case; the longer one of two first.
const SECRETIVE: &[&str] = &["TOKEN", "KEY", "SECRET", "PASSWORD", "PASS", "CREDENTIAL"];

/// What the assistant's shell gives its commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShellConfig {
    /// Whether the shell's commands may use the network, at the ports 80 and 443.
    pub network: bool,
    /// How long a command may run at most, in seconds; then it is ended, with all that it started.
    pub timeout_seconds: Bounded<1, 600>,
    /// Environment variables of the host that the shell's commands see beside `PATH`, `LANG` and
    /// the like, by their names. One with `TOKEN`, `KEY`, `SECRET`, `PASS` or `CREDENTIAL` in its
    /// name, in upper or lower case, is refused.
    pub environment: Vec<String>,
}

impl Default for ShellConfig {
    fn default() -> Self {
        Self {
            network: false,
            timeout_seconds: Bounded::constant::<120>(),
            environment: Vec::new(),
        }
    }
}

impl ShellConfig {
    pub(crate) fn misfits(&self) -> impl Iterator<Item = Misfit> {
        let names = self.environment.iter().enumerate();
        names.filter_map(|(at, name)| misfit(at, name))
    }
}

fn misfit(at: usize, name: &str) -> Option<Misfit> {
    const KEY: &str = "environment";
    if !is_name(name) {
        // What stands there may be `NAME=value`: it is not printed.
        return Some(Misfit::of_element(
            KEY,
            at,
            format!(
                "it is no variable's name: use letters, digits and `_`, no digit first, at most \
                 {NAME_BYTES}; the value is the host's own and does not stand here"
            ),
        ));
    }
    let upper = name.to_ascii_uppercase();
    let part = SECRETIVE.iter().find(|part| upper.contains(**part))?;
    Some(Misfit::secret_in_environment(KEY, at, part))
}

/// A name as POSIX has it (Base Definitions, *Name*): `[A-Za-z_][A-Za-z0-9_]*`.
fn is_name(name: &str) -> bool {
    (1..=NAME_BYTES).contains(&name.len())
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
