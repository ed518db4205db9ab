//! What a close code of the gateway asks for (Discord, *Gateway Close Event Codes*).

use crate::error::Fatal;

/// What to do after the gateway closed a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AfterClose {
    /// Continue the session.
    Resume,
    /// The session is gone: begin a new one.
    Identify,
    /// The privileged intents are switched off.
    WithoutPrivileged,
    /// Trying again would end the same way.
    End(Fatal),
}

pub(crate) fn after(code: Option<u16>) -> AfterClose {
    match code {
        Some(4004) => AfterClose::End(Fatal::TokenRefused),
        Some(4010) => AfterClose::End(Fatal::InvalidShard),
        Some(4011) => AfterClose::End(Fatal::ShardingRequired),
        Some(4012) => AfterClose::End(Fatal::VersionRetired),
        Some(4013) => AfterClose::End(Fatal::InvalidIntents),
        Some(4014) => AfterClose::WithoutPrivileged,
        // 4007 says that the sequence is wrong, 4009 that the session timed out, 4003 that there
        // was none: the documentation asks for a new session after each.
        Some(4003 | 4007 | 4009) => AfterClose::Identify,
        _ => AfterClose::Resume,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fatal_code_says_what_to_change() {
        for code in [4004, 4010, 4011, 4012, 4013] {
            let AfterClose::End(fatal) = after(Some(code)) else {
                panic!("{code} is fatal");
            };
            let text = fatal.to_string();
            assert!(
                ["reset", "remove", "update"]
                    .iter()
                    .any(|advice| text.contains(advice)),
                "{code}: {text}"
            );
        }
        assert_eq!(after(Some(4014)), AfterClose::WithoutPrivileged);
    }

    #[test]
    fn every_other_close_recovers() {
        for code in [
            None,
            Some(1000),
            Some(1001),
            Some(1006),
            Some(4000),
            Some(4008),
        ] {
            assert_eq!(after(code), AfterClose::Resume, "{code:?}");
        }
        for code in [4003, 4007, 4009] {
            assert_eq!(after(Some(code)), AfterClose::Identify, "{code}");
        }
    }
}
