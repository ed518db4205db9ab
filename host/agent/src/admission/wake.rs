//! Which messages wake a turn.

use ostler_store::{Heard, PersonId};

use crate::facts::ChannelKind;
use crate::inbound::InboundMessage;

/// How long somebody who spoke to the assistant is heard without naming it: 90 s, and only while
/// nobody else speaks.
pub(crate) const CONVERSATION_MS: i64 = 90_000;

/// What is known around a message.
pub(crate) struct Hearing<'a> {
    /// The bot's account.
    pub(crate) own: &'a PersonId,
    /// Whether it stands in a thread of the bot's.
    pub(crate) is_own_thread: bool,
    /// What was heard in the channel before it.
    pub(crate) before: Option<&'a Heard>,
    /// Whether the profile lists the author as a bot that may wake the assistant.
    pub(crate) listens_to_bot: bool,
}

/// How a message speaks to the assistant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Address {
    /// It mentions it.
    Mention,
    /// It replies to a message of its.
    Reply,
    /// It stands in a direct chat.
    Direct,
    /// It stands in a thread of the bot's.
    OwnThread,
    /// Its author spoke to it just before.
    Conversation,
}

/// How a message speaks to the assistant; none if it does not, or may not.
pub(crate) fn address(message: &InboundMessage, hearing: &Hearing<'_>) -> Option<Address> {
    let author = &message.author;
    if author.id == *hearing.own || (author.is_bot && !hearing.listens_to_bot) {
        return None;
    }
    if message.mentions_bot {
        return Some(Address::Mention);
    }
    let replies_to_bot = message
        .reply_to
        .as_ref()
        .is_some_and(|(_, to)| to.as_ref() == Some(hearing.own));
    if replies_to_bot {
        return Some(Address::Reply);
    }
    if message.place.kind == ChannelKind::Direct {
        return Some(Address::Direct);
    }
    if message.place.kind == ChannelKind::Thread && hearing.is_own_thread {
        return Some(Address::OwnThread);
    }
    // Only people go on without naming it: two bots would never stop.
    let goes_on = !author.is_bot
        && hearing.before.is_some_and(|before| {
            before.author == author.id
                && before
                    .addressed_at
                    .is_some_and(|at| message.sent_at.saturating_sub(at) <= CONVERSATION_MS)
        });
    goes_on.then_some(Address::Conversation)
}

/// When the author of `message` last spoke to the assistant with nobody between.
pub(crate) fn addressed_at(
    message: &InboundMessage,
    address: Option<Address>,
    before: Option<&Heard>,
) -> Option<i64> {
    match (address, before) {
        (Some(_), _) => Some(message.sent_at),
        (None, Some(before)) if before.author == message.author.id => before.addressed_at,
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbound::{Author, Place};

    fn message(author: &str) -> InboundMessage {
        InboundMessage {
            id: "100".parse().unwrap(),
            place: Place {
                channel: "10".parse().unwrap(),
                kind: ChannelKind::Text,
                guild: Some("1".parse().unwrap()),
                parent: None,
            },
            author: Author {
                id: author.parse().unwrap(),
                username: "ann".to_owned(),
                display_name: "Ann".to_owned(),
                is_bot: false,
            },
            text: "hello".to_owned(),
            mentions_bot: false,
            reply_to: None,
            attachments: Vec::new(),
            sent_at: 1_000_000,
        }
    }

    fn heard(author: &str, addressed_at: Option<i64>) -> Heard {
        Heard {
            profile: "main".parse().unwrap(),
            channel: "10".parse().unwrap(),
            place: "{}".to_owned(),
            message: "99".parse().unwrap(),
            author: author.parse().unwrap(),
            addressed_at,
            heard_at: 999_000,
        }
    }

    fn wakes(
        message: &InboundMessage,
        before: Option<&Heard>,
        own_thread: bool,
    ) -> Option<Address> {
        let hearing = Hearing {
            own: &"1000".parse().unwrap(),
            is_own_thread: own_thread,
            before,
            listens_to_bot: false,
        };
        address(message, &hearing)
    }

    #[test]
    fn mentions_replies_direct_chats_and_own_threads_wake() {
        let plain = message("7");
        assert_eq!(wakes(&plain, None, false), None);
        let mention = InboundMessage {
            mentions_bot: true,
            ..plain.clone()
        };
        assert_eq!(wakes(&mention, None, false), Some(Address::Mention));
        let mut reply = plain.clone();
        reply.reply_to = Some(("90".parse().unwrap(), Some("1000".parse().unwrap())));
        assert_eq!(wakes(&reply, None, false), Some(Address::Reply));
        reply.reply_to = Some(("90".parse().unwrap(), Some("8".parse().unwrap())));
        assert_eq!(wakes(&reply, None, false), None);
        let mut direct = plain.clone();
        direct.place.kind = ChannelKind::Direct;
        assert_eq!(wakes(&direct, None, false), Some(Address::Direct));
        let mut thread = plain;
        thread.place.kind = ChannelKind::Thread;
        assert_eq!(wakes(&thread, None, false), None);
        assert_eq!(wakes(&thread, None, true), Some(Address::OwnThread));
    }

    #[test]
    fn a_person_goes_on_within_90_seconds_while_nobody_else_speaks() {
        let plain = message("7");
        let at = plain.sent_at;
        for (before, expected) in [
            (heard("7", Some(at - 90_000)), Some(Address::Conversation)),
            (heard("7", Some(at - 90_001)), None),
            (heard("7", None), None),
            (heard("8", Some(at - 1)), None),
        ] {
            assert_eq!(wakes(&plain, Some(&before), false), expected, "{before:?}");
        }
    }

    #[test]
    fn somebody_elses_word_ends_the_conversation() {
        let spoke = heard("7", Some(999_000));
        let other = message("8");
        assert_eq!(addressed_at(&other, None, Some(&spoke)), None);
        assert_eq!(
            addressed_at(&message("7"), None, Some(&spoke)),
            Some(999_000)
        );
        assert_eq!(
            addressed_at(&other, Some(Address::Mention), Some(&spoke)),
            Some(other.sent_at)
        );
    }

    #[test]
    fn another_bot_wakes_only_if_it_is_listed_and_never_by_going_on() {
        let mut bot = message("50");
        bot.author.is_bot = true;
        bot.mentions_bot = true;
        assert_eq!(wakes(&bot, None, false), None);
        let before = heard("50", Some(bot.sent_at - 1));
        let listed = Hearing {
            own: &"1000".parse().unwrap(),
            is_own_thread: false,
            before: Some(&before),
            listens_to_bot: true,
        };
        assert_eq!(address(&bot, &listed), Some(Address::Mention));
        bot.mentions_bot = false;
        assert_eq!(address(&bot, &listed), None);
    }

    #[test]
    fn the_bots_own_messages_never_wake() {
        let mut own = message("1000");
        own.mentions_bot = true;
        own.place.kind = ChannelKind::Direct;
        let hearing = Hearing {
            own: &"1000".parse().unwrap(),
            is_own_thread: true,
            before: None,
            listens_to_bot: true,
        };
        assert_eq!(address(&own, &hearing), None);
    }
}
