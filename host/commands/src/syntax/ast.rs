//! The commands of a script, as they are written.

/// Commands one after the other. Any of them may run, however they are joined.
#[derive(Clone, Debug, Default)]
pub(crate) struct List(pub(crate) Vec<Item>);

/// A pipeline.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) pipeline: Vec<Command>,
    /// Whether it ends with `&`.
    pub(crate) background: bool,
    /// Whether it follows an `&&` or `||`, and so may not run.
    pub(crate) conditional: bool,
}

/// A command of a pipeline.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Simple(Simple),
    Compound(Compound),
    Function { name: String, body: Box<Self> },
}

/// A simple command as it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) redirects: Vec<Redirect>,
}

/// `NAME=value`, or `NAME=(value value)`.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) values: Vec<String>,
    /// Whether the value is not simply the one written: `+=`, an array, an element.
    pub(crate) partial: bool,
}

/// A word, or a process substitution.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Word(String),
    Process(List),
}

/// A redirection.
#[derive(Clone, Debug)]
pub(crate) struct Redirect {
    pub(crate) operator: String,
    pub(crate) target: Target,
}

/// Where a redirection leads.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Word(String),
    Process(List),
    /// A here-document; `expands` when its tag has no quotes.
    Here {
        body: String,
        expands: bool,
    },
}

/// Any other command: a group, a loop, a choice, a test.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compound {
    /// The variable of a `for` loop and the words it goes through.
    pub(crate) variable: Option<(String, Vec<String>)>,
    /// Words that are expanded: a `case`'s subject and patterns, a test's operands, arithmetic.
    pub(crate) words: Vec<String>,
    pub(crate) bodies: Vec<List>,
    pub(crate) redirects: Vec<Redirect>,
    /// Whether it is a process of its own, so that its `cd` ends with it.
    pub(crate) subshell: bool,
    /// Whether its words are evaluated as arithmetic, which can run commands.
    pub(crate) arithmetic: bool,
}
