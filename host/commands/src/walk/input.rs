//! What a command reads from its standard input, as far as the text tells.

use crate::word::Word;

/// The standard input of a command.
#[derive(Clone, Debug, Default)]
pub(crate) enum Input {
    /// Nothing that the text gives.
    #[default]
    None,
    /// Text that is known: marked text.
    Text(String),
    /// Paths that a search gives: the folders it starts from, and whether it gives only some.
    Paths { roots: Vec<Word>, some: bool },
    /// What a program that is named here writes.
    Program(String),
    /// A file.
    File(Word),
}
