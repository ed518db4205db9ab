//! Secrets that must not pass through calls and questions.

use std::sync::LazyLock;

use ostler_config::SecretName;
use regex::Regex;

use super::{ToolContext, ToolFailure};

/// Values shorter than this are not looked for: they would stand in ordinary text.
const SHORTEST: usize = 6;

/// Whether a text holds the value of a secret of the profile.
///
/// # Errors
/// The secrets cannot be read: then nothing that could hold one may pass.
pub(super) async fn holds_known_secret(
    context: &ToolContext<'_>,
    text: &str,
) -> Result<bool, ToolFailure> {
    let services = context.services;
    let failed = |error: ostler_registry::RegistryError| {
        ToolFailure::new(
            "secrets-unreadable",
            format!("whether this holds a secret is not known ({error}). Nothing ran."),
        )
    };
    let listed = services
        .registry
        .secrets(&services.profile)
        .await
        .map_err(failed)?;
    for secret in listed {
        let name = SecretName::try_from(secret.name).map_err(|error| failed(error.into()))?;
        let value = services
            .registry
            .secret(&services.profile, &name)
            .await
            .map_err(failed)?;
        if value.is_some_and(|value| {
            let value = value.expose().trim();
            value.len() >= SHORTEST && text.contains(value)
        }) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a question asks somebody to type a secret. A key that is typed into a channel belongs
/// to everybody in it.
pub(crate) fn asks_for_secret(question: &str) -> bool {
    static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)\b(pass ?words?|pass ?phrases?|pass ?codes?|passwd|pin ?(code|number)|api[ _-]?keys?|access[ _-]?keys?|secret[ _-]?keys?|private[ _-]?keys?|ssh[ _-]?keys?|client[ _-]?secrets?|secrets?|tokens?|credentials?|seed ?phrases?|recovery ?(codes?|phrases?|keys?)|one[- ]time ?(codes?|passwords?)|otp|2fa|mfa ?codes?|verification ?codes?|cvv|cvc|card ?numbers?|bearer)\b",
        )
        .ok()
    });
    static WANTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)(\b(what|which|enter|type|paste|give|provide|send|share|tell|post|write|reply|supply|input|fill|need|drop|put|insert|show|let me (have|know))\b|\?)",
        )
        .ok()
    });
    // An expression that does not compile counts as a match: it is tested below.
    let matches = |regex: &LazyLock<Option<Regex>>| {
        regex.as_ref().is_none_or(|regex| regex.is_match(question))
    };
    matches(&NAMES) && matches(&WANTS)
}

#[cfg(test)]
mod tests {
    use super::asks_for_secret;

    #[test]
    fn questions_for_secrets_are_known_and_others_are_not() {
        for question in [
            "What is your password?",
            "Please paste the API key here",
            "Enter the api_key",
            "I need your GitHub token to go on.",
            "Send me the one-time code",
            "Which seed phrase do you use?",
            "private key?",
            "Give me the AWS credentials",
            "PASSWORD?",
        ] {
            assert!(asks_for_secret(question), "{question}");
        }
        for question in [
            "Which branch shall I deploy?",
            "Shall I rename the tokenizer?",
            "What colour should the button have?",
            "How many people come?",
        ] {
            assert!(!asks_for_secret(question), "{question}");
        }
    }
}
