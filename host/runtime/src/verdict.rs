//! The bounds of what a hook says of a tool call.
//!
//! They stand in `wit/middleware.wit`, interface `hook-pre-tool-call`, as words: WIT has no type
//! for them. This is where they hold. Lengths of texts for people and models are counted in
//! characters (Unicode scalar values), the arguments in bytes of UTF-8.

use std::ops::RangeInclusive;

use crate::bindings::CallVerdict;

/// The length of a reason to block, which the model reads.
const BLOCK_REASON: RangeInclusive<usize> = 1..=1_000;

/// The length of the words on a card.
const ASK_MESSAGE: RangeInclusive<usize> = 1..=500;

/// The length of a rule's name.
const RULE_KEY: RangeInclusive<usize> = 1..=64;

/// The longest error of a hook.
const ERROR: usize = 500;

/// The most bytes of changed arguments.
const CHANGED_ARGUMENTS: usize = 256 << 10;

/// What is wrong with a hook's answer. The hook counts as failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerdictError {
    /// A text is too short or too long.
    #[error(
        "`hook-pre-tool-call` gave {what} of {length} characters; it has {} to {}",
        allowed.start(), allowed.end()
    )]
    Length {
        /// Which text.
        what: &'static str,
        /// How many characters it has.
        length: usize,
        /// How many it may have.
        allowed: RangeInclusive<usize>,
    },
    /// The name of a rule is not of its form.
    #[error(
        "`hook-pre-tool-call` gave a rule key that is none; one is `[a-z][a-z0-9-]{{0,63}}`: a \
         lower-case letter, then letters, digits and `-`, at most 64 in all"
    )]
    RuleKey,
    /// The changed arguments are too long.
    #[error(
        "`hook-pre-tool-call` gave changed arguments of {bytes} bytes; they have at most \
         {CHANGED_ARGUMENTS}"
    )]
    ArgumentsTooLong {
        /// How many bytes they have.
        bytes: usize,
    },
    /// The changed arguments are no JSON object.
    #[error("`hook-pre-tool-call` gave changed arguments that are no JSON object: {reason}")]
    Arguments {
        /// What is wrong with them.
        reason: String,
    },
}

impl VerdictError {
    /// The error's stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Length { .. } => "verdict-length",
            Self::RuleKey => "verdict-rule-key",
            Self::ArgumentsTooLong { .. } => "verdict-arguments-too-long",
            Self::Arguments { .. } => "verdict-arguments",
        }
    }
}

impl CallVerdict {
    /// Holds a verdict to the bounds of the interface `hook-pre-tool-call`: a reason to block has
    /// 1 to 1,000 characters, a question 1 to 500, a rule key is `[a-z][a-z0-9-]{0,63}`, changed
    /// arguments are a JSON object of at most 256 KiB. Whether those follow the tool's schema is
    /// for whoever knows the tool.
    ///
    /// [`Runtime::invoke`](crate::Runtime::invoke) gives no verdict that breaks one; it ends as
    /// [`Outcome::BadOutput`](crate::Outcome::BadOutput).
    ///
    /// # Errors
    /// The first bound that it breaks.
    pub fn check(&self) -> Result<(), VerdictError> {
        match self {
            Self::Allow => Ok(()),
            Self::Block(reason) => check_length("a reason to block", reason, BLOCK_REASON),
            Self::Ask(ask) => {
                check_length("a question", &ask.message, ASK_MESSAGE)?;
                if is_rule_key(&ask.rule_key) {
                    Ok(())
                } else {
                    Err(VerdictError::RuleKey)
                }
            }
            Self::Change(arguments) => check_arguments(arguments),
        }
    }
}

/// Holds all that the hook can give to its bounds: a verdict, or an error of its own.
pub(crate) fn check_answer(answer: &Result<CallVerdict, String>) -> Result<(), VerdictError> {
    match answer {
        Ok(verdict) => verdict.check(),
        Err(message) => check_length("an error", message, 0..=ERROR),
    }
}

fn check_length(
    what: &'static str,
    text: &str,
    allowed: RangeInclusive<usize>,
) -> Result<(), VerdictError> {
    let length = text.chars().count();
    if allowed.contains(&length) {
        Ok(())
    } else {
        Err(VerdictError::Length {
            what,
            length,
            allowed,
        })
    }
}

fn is_rule_key(key: &str) -> bool {
    RULE_KEY.contains(&key.len())
        && key.starts_with(|c: char| c.is_ascii_lowercase())
        && key
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn check_arguments(arguments: &str) -> Result<(), VerdictError> {
    // Before it is parsed, which takes memory for what it holds.
    if arguments.len() > CHANGED_ARGUMENTS {
        return Err(VerdictError::ArgumentsTooLong {
            bytes: arguments.len(),
        });
    }
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(arguments)
        .map(drop)
        .map_err(|error| VerdictError::Arguments {
            reason: error.to_string(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::AskRequest;

    fn ask(message: &str, rule_key: &str) -> CallVerdict {
        CallVerdict::Ask(AskRequest {
            message: message.to_owned(),
            rule_key: rule_key.to_owned(),
            review: false,
        })
    }

    fn code(verdict: &CallVerdict) -> Option<&'static str> {
        verdict.check().err().map(|error| error.code())
    }

    #[test]
    fn a_reason_to_block_has_1_to_1000_characters() {
        let length = Some("verdict-length");
        for (reason, expected) in [
            (String::new(), length),
            ("x".to_owned(), None),
            // Characters, not bytes.
            ("ä".repeat(1_000), None),
            ("ä".repeat(1_001), length),
        ] {
            let verdict = CallVerdict::Block(reason.clone());
            assert_eq!(code(&verdict), expected, "{}", reason.len());
        }
    }

    #[test]
    fn a_question_has_1_to_500_characters() {
        let length = Some("verdict-length");
        for (message, expected) in [
            (String::new(), length),
            ("?".to_owned(), None),
            ("ä".repeat(500), None),
            ("ä".repeat(501), length),
        ] {
            assert_eq!(code(&ask(&message, "rule")), expected, "{}", message.len());
        }
    }

    #[test]
    fn a_rule_key_is_a_letter_and_at_most_63_more() {
        let long = format!("a{}", "-".repeat(63));
        for good in ["a", "no-deletes", "r2-d2", long.as_str()] {
            assert_eq!(code(&ask("Really?", good)), None, "{good}");
        }
        let longer = format!("{long}a");
        for bad in [
            "", "2r", "-r", "No", "a_b", "a b", "a/b", "ä", "a\n", &longer,
        ] {
            assert_eq!(
                code(&ask("Really?", bad)),
                Some("verdict-rule-key"),
                "{bad:?}"
            );
        }
    }

    #[test]
    fn changed_arguments_are_an_object_of_at_most_256_kib() {
        let of = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8));
        assert_eq!(of(262_144).len(), 262_144);
        for (arguments, expected) in [
            ("{}".to_owned(), None),
            (" {\"a\": [1, {}]}\n".to_owned(), None),
            (of(262_144), None),
            (of(262_145), Some("verdict-arguments-too-long")),
            (String::new(), Some("verdict-arguments")),
            ("null".to_owned(), Some("verdict-arguments")),
            ("[{}]".to_owned(), Some("verdict-arguments")),
            ("{} {}".to_owned(), Some("verdict-arguments")),
            ("{\"a\":}".to_owned(), Some("verdict-arguments")),
            // As deep as no reader goes: refused, not a stack that overflows.
            (
                format!("{{\"a\":{}{}}}", "[".repeat(9_999), "]".repeat(9_999)),
                Some("verdict-arguments"),
            ),
        ] {
            let start: String = arguments.chars().take(40).collect();
            assert_eq!(code(&CallVerdict::Change(arguments)), expected, "{start}");
        }
    }

    #[test]
    fn an_error_has_at_most_500_characters() {
        assert_eq!(check_answer(&Err("ä".repeat(500))), Ok(()));
        assert_eq!(check_answer(&Err(String::new())), Ok(()));
        let error = check_answer(&Err("ä".repeat(501))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`hook-pre-tool-call` gave an error of 501 characters; it has 0 to 500"
        );
    }
}
