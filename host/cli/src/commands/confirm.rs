//! The question before what cannot be undone.

use std::io::{IsTerminal as _, Write as _};

use crate::args::{Format, Global};
use crate::failure::{Exit, Failure};

/// Asks a person whether to go on. `question` says what is lost, `declined` what a *no* leaves.
///
/// # Errors
/// `confirmation-needed` where nobody can be asked, `declined` after a *no*.
pub(crate) fn ask(global: &Global, question: String, declined: &str) -> Result<(), Failure> {
    let is_interactive = global.format == Format::Text
        && std::io::stdin().is_terminal()
        && std::io::stderr().is_terminal();
    if !is_interactive {
        return Err(
            Failure::new(Exit::ConsentNeeded, "confirmation-needed", question)
                .with_help("give `--yes`"),
        );
    }
    anstream::eprint!("{question}. Go on? [y/N] ");
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::io("the answer cannot be read", &error))?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(());
    }
    Err(Failure::new(Exit::NotFine, "declined", declined))
}
