//! Words and operators of a script.

use brush_parser::TokenizerOptions;

use crate::bounds::Unreadable;

/// A word with its quotes, or an operator.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) operator: bool,
    /// Whether it follows the token before it without a space.
    pub(crate) joined: bool,
}

/// Parts a script into tokens, comments left out. After the tag of a here-document come its body
/// and the tag again, each as a word.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, Unreadable> {
    // Extended patterns are off in a shell that runs one command.
    let options = TokenizerOptions {
        enable_extended_globbing: false,
        ..TokenizerOptions::default()
    };
    let found = brush_parser::uncached_tokenize_str(text, &options)
        .map_err(|_| Unreadable("a quote, bracket or here-document in it does not end"))?;
    let mut end = None;
    Ok(found
        .into_iter()
        .map(|token| {
            let location = token.location();
            let joined = end.replace(location.end.index) == Some(location.start.index);
            let (text, operator) = match token {
                brush_parser::Token::Operator(text, _) => (text, true),
                brush_parser::Token::Word(text, _) => (text, false),
            };
            Token {
                text,
                operator,
                joined,
            }
        })
        .collect())
}
