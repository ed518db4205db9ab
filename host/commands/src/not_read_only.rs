//! Why a command does not run unasked.

/// Why a command is none of the fixed table of commands that only read. [`NotReadOnly::code`] is
/// stable; the text is for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotReadOnly {
    /// The text cannot be read for certain.
    #[error("it cannot be read for certain ({0}); write it as plain commands, or have it approved")]
    Unreadable(&'static str),
    /// Something other than plain commands joined by `|`, `&&`, `||`, `;` or newlines.
    #[error(
        "it holds {0}, and only plain commands joined by `|`, `&&`, `||` or `;` run unasked; write \
         it so, or have it approved"
    )]
    Syntax(&'static str),
    /// A program that is not in the table.
    #[error("`{0}` is not among the programs that only read; have it approved")]
    Program(String),
    /// A flag that the table does not name.
    #[error(
        "`{flag}` of `{program}` is not among its flags that only read; leave it out, or have it approved"
    )]
    Flag {
        /// The program.
        program: String,
        /// The flag, as it is written.
        flag: String,
    },
    /// An operand that the program does not read but obeys, or too many or too few of them.
    #[error(
        "`{operand}` is no operand with which `{program}` only reads; change it, or have it approved"
    )]
    Operand {
        /// The program.
        program: String,
        /// The operand, as it is written.
        operand: String,
    },
    /// A path outside of the workspace.
    #[error("`{0}` is not inside of the workspace; stay inside, or have it approved")]
    Outside(String),
    /// A path of keys or of a project's secrets, or a pattern that could be one.
    #[error("`{0}` holds keys or secrets, or could; name other files, or have it approved")]
    Secret(String),
    /// A path that the operator protects, or a pattern that could be one.
    #[error(
        "`{path}` is or could be protected (`{pattern}`); name other files, or have it approved"
    )]
    Protected {
        /// The path, as it is written.
        path: String,
        /// The pattern of the operator's that it fits.
        pattern: String,
    },
    /// A search through whole folders, which could meet secrets.
    #[error(
        "`{0}` reads all files of a folder, and secrets could be among them; name files, or the \
         kinds of source files to read (`-g '*.rs'`, `-t rust`), or have it approved"
    )]
    WholeFolder(String),
}

impl NotReadOnly {
    /// The reason's stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "unreadable",
            Self::Syntax(_) => "not-plain",
            Self::Program(_) => "unknown-program",
            Self::Flag { .. } => "unknown-flag",
            Self::Operand { .. } => "unknown-operand",
            Self::Outside(_) => "outside-workspace",
            Self::Secret(_) => "secret",
            Self::Protected { .. } => "protected",
            Self::WholeFolder(_) => "whole-folder",
        }
    }
}
