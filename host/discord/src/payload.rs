//! What is read of Discord's objects.
//!
//! Only the fields that are used are read, each for itself: one that Discord changed, or that did
//! not exist when this was written, must not cost the whole event. (serenity's models read an
//! object whole or not at all; a click on a message with an unknown kind of poll is lost there.)

use std::str::FromStr;

use ostler_agent::{
    Attachment, Author, ChannelFacts, ChannelKind, Fact, InboundMessage, MemberFacts, MessageView,
    PermissionBits, Place,
};
use ostler_store::{ChannelId, GuildId, MessageId, PersonId};
use serde_json::Value;

use crate::snowflake::made_at;

/// The text of a field; `None` if it is absent, null or something else.
pub(crate) fn text<'a>(data: &'a Value, field: &str) -> Option<&'a str> {
    data.get(field).and_then(Value::as_str)
}

/// The id in a field. Discord writes ids as strings.
pub(crate) fn id<T: FromStr>(data: &Value, field: &str) -> Option<T> {
    text(data, field)?.parse().ok()
}

fn number(data: &Value, field: &str) -> Option<u64> {
    data.get(field).and_then(Value::as_u64)
}

fn flag(data: &Value, field: &str) -> bool {
    data.get(field).and_then(Value::as_bool).unwrap_or(false)
}

pub(crate) fn list<'a>(data: &'a Value, field: &str) -> &'a [Value] {
    data.get(field)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Permission bits from their decimal string, the unknown ones included.
pub(crate) fn permission_bits(data: &Value, field: &str) -> Fact<PermissionBits> {
    match data.get(field) {
        None | Some(Value::Null) => Fact::Absent,
        Some(Value::String(bits)) => bits
            .parse()
            .map_or(Fact::Unreadable("permissions-unreadable"), |bits| {
                Fact::Known(PermissionBits(bits))
            }),
        Some(_) => Fact::Unreadable("permissions-unreadable"),
    }
}

/// A member of an interaction. Without permissions there is no member to speak of.
pub(crate) fn member_facts(member: Option<&Value>) -> Fact<MemberFacts> {
    let Some(member) = member.filter(|member| !member.is_null()) else {
        return Fact::Absent;
    };
    match permission_bits(member, "permissions") {
        Fact::Known(permissions) => Fact::Known(MemberFacts {
            roles: roles(member),
            permissions,
        }),
        Fact::Absent => Fact::Absent,
        Fact::Unreadable(code) => Fact::Unreadable(code),
    }
}

pub(crate) fn roles(member: &Value) -> std::collections::BTreeSet<ostler_store::RoleId> {
    list(member, "roles")
        .iter()
        .filter_map(|role| role.as_str()?.parse().ok())
        .collect()
}

/// A channel object (Discord, *Channel Structure*).
pub(crate) fn channel_facts(data: &Value) -> Option<ChannelFacts> {
    let kind = u8::try_from(number(data, "type")?).ok()?;
    let metadata = data.get("thread_metadata").unwrap_or(&Value::Null);
    Some(ChannelFacts {
        id: id(data, "id")?,
        kind: ChannelKind::of(kind),
        guild: id(data, "guild_id"),
        parent: id(data, "parent_id"),
        owner: id(data, "owner_id"),
        name: text(data, "name").unwrap_or_default().to_owned(),
        is_archived: flag(metadata, "archived"),
        is_locked: flag(metadata, "locked"),
    })
}

/// An account, with the nickname that a server shows for it.
pub(crate) fn author(user: &Value, member: Option<&Value>) -> Option<Author> {
    let username = text(user, "username").unwrap_or_default();
    Some(Author {
        id: id(user, "id")?,
        username: username.to_owned(),
        display_name: member
            .and_then(|member| text(member, "nick"))
            .or_else(|| text(user, "global_name"))
            .unwrap_or(username)
            .to_owned(),
        is_bot: flag(user, "bot"),
    })
}

/// Who the bot is: its account and its application. Old bots have two different ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) bot: Option<PersonId>,
    pub(crate) application: Option<String>,
}

impl Identity {
    fn is(&self, id: Option<&str>) -> bool {
        id.is_some_and(|id| {
            self.application.as_deref() == Some(id)
                || self.bot.as_ref().map(PersonId::as_str) == Some(id)
        })
    }
}

/// A message that came in (Discord, *Message Structure*).
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) id: MessageId,
    pub(crate) channel: ChannelId,
    pub(crate) guild: Option<GuildId>,
    data: Value,
}

/// Discord, *Message Types*.
const DEFAULT: u64 = 0;
const REPLY: u64 = 19;

impl Message {
    pub(crate) fn read(data: Value) -> Option<Self> {
        Some(Self {
            id: id(&data, "id")?,
            channel: id(&data, "channel_id")?,
            guild: id(&data, "guild_id"),
            data,
        })
    }

    /// Whether somebody else wrote it: it is no notice by Discord ("… started a thread"), and not
    /// the bot's own, also where that came by a webhook of its application (follow-ups).
    pub(crate) fn is_for(&self, own: &Identity) -> bool {
        let author = self.data.get("author").unwrap_or(&Value::Null);
        matches!(
            number(&self.data, "type").unwrap_or(DEFAULT),
            DEFAULT | REPLY
        ) && !own.is(text(author, "id"))
            && !own.is(text(&self.data, "application_id"))
            && !own.is(text(&self.data, "webhook_id"))
    }

    /// A direct chat's place needs no look-up: nothing but a direct chat has no server.
    pub(crate) fn direct_place(&self) -> Option<Place> {
        if self.guild.is_some() {
            return None;
        }
        let kind = number(&self.data, "channel_type")
            .and_then(|kind| u8::try_from(kind).ok())
            .map_or(ChannelKind::Direct, ChannelKind::of);
        matches!(kind, ChannelKind::Direct | ChannelKind::GroupDirect).then(|| Place {
            channel: self.channel.clone(),
            kind,
            guild: None,
            parent: None,
        })
    }

    pub(crate) fn inbound(&self, place: Place, own: &Identity) -> Option<InboundMessage> {
        let data = &self.data;
        let mut author = author(data.get("author")?, data.get("member"))?;
        author.is_bot |= text(data, "webhook_id").is_some();
        let own_id = own.bot.as_ref().map(PersonId::as_str);
        Some(InboundMessage {
            id: self.id.clone(),
            place,
            author,
            text: text(data, "content").unwrap_or_default().to_owned(),
            mentions_bot: own_id.is_some()
                && list(data, "mentions")
                    .iter()
                    .any(|user| text(user, "id") == own_id),
            reply_to: reply_to(data).map(|message| {
                let author = data
                    .get("referenced_message")
                    .and_then(|referenced| id(referenced.get("author")?, "id"));
                (message, author)
            }),
            attachments: list(data, "attachments")
                .iter()
                .filter_map(attachment)
                .collect(),
            sent_at: made_at(self.id.as_str()),
        })
    }
}

/// The message that one replies to. A forwarded message has a reference too, but is no reply.
fn reply_to(data: &Value) -> Option<MessageId> {
    if number(data, "type") != Some(REPLY) {
        return None;
    }
    id(data.get("message_reference")?, "message_id")
}

fn attachment(data: &Value) -> Option<Attachment> {
    Some(Attachment {
        name: text(data, "filename").unwrap_or_default().to_owned(),
        content_type: text(data, "content_type").map(str::to_owned),
        bytes: number(data, "size").unwrap_or_default(),
        url: text(data, "url")?.to_owned(),
    })
}

/// A message that was read back.
pub(crate) fn message_view(data: &Value) -> Option<MessageView> {
    let author_data = data.get("author")?;
    let author = author(author_data, None)?;
    let id: MessageId = id(data, "id")?;
    Some(MessageView {
        sent_at: made_at(id.as_str()),
        id,
        author: author.id,
        author_name: author.display_name,
        is_bot: author.is_bot || text(data, "webhook_id").is_some(),
        content: text(data, "content").unwrap_or_default().to_owned(),
        attachments: list(data, "attachments")
            .iter()
            .filter_map(|attachment| text(attachment, "filename").map(str::to_owned))
            .collect(),
        reply_to: reply_to(data),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn own() -> Identity {
        Identity {
            bot: Some("7".parse().unwrap()),
            application: Some("8".to_owned()),
        }
    }

    fn message(extra: &Value) -> Message {
        let mut data = json!({
            "id": "175928847299117063", "channel_id": "2", "guild_id": "3", "type": 0,
            "content": "hi", "author": {"id": "5", "username": "ada", "global_name": "Ada"},
        });
        for (key, value) in extra.as_object().unwrap() {
            data[key] = value.clone();
        }
        Message::read(data).unwrap()
    }

    fn somewhere() -> Place {
        Place {
            channel: "2".parse().unwrap(),
            kind: ChannelKind::Text,
            guild: Some("3".parse().unwrap()),
            parent: None,
        }
    }

    #[test]
    fn the_bots_own_messages_are_dropped_by_whatever_road_they_come() {
        assert!(message(&json!({})).is_for(&own()));
        assert!(message(&json!({"webhook_id": "99"})).is_for(&own()));
        for extra in [
            json!({"author": {"id": "7", "username": "bot"}}),
            json!({"webhook_id": "8", "author": {"id": "8", "username": "bot"}}),
            json!({"application_id": "8"}),
            json!({"webhook_id": "7"}),
        ] {
            assert!(!message(&extra).is_for(&own()), "{extra}");
        }
    }

    #[test]
    fn discords_own_notices_are_no_messages() {
        assert!(message(&json!({"type": 19})).is_for(&own()));
        for kind in [1, 6, 7, 18, 20, 21, 46] {
            assert!(!message(&json!({"type": kind})).is_for(&own()), "{kind}");
        }
    }

    #[test]
    fn a_reply_names_the_message_and_its_author_where_the_payload_does() {
        let reply = json!({
            "type": 19, "message_reference": {"message_id": "11"},
            "referenced_message": {"id": "11", "author": {"id": "7"}},
        });
        let read = message(&reply).inbound(somewhere(), &own()).unwrap();
        assert_eq!(
            read.reply_to,
            Some(("11".parse().unwrap(), Some("7".parse().unwrap())))
        );
        let deleted = json!({
            "type": 19, "message_reference": {"message_id": "11"}, "referenced_message": null,
        });
        let read = message(&deleted).inbound(somewhere(), &own()).unwrap();
        assert_eq!(read.reply_to, Some(("11".parse().unwrap(), None)));
        let forwarded = json!({"message_reference": {"message_id": "11", "type": 1}});
        let read = message(&forwarded).inbound(somewhere(), &own()).unwrap();
        assert_eq!(read.reply_to, None);
    }

    #[test]
    fn a_mention_of_everybody_is_none_of_the_bot() {
        let read = message(&json!({"mention_everyone": true, "mentions": []}));
        assert!(!read.inbound(somewhere(), &own()).unwrap().mentions_bot);
        let read = message(&json!({"mentions": [{"id": "6"}, {"id": "7"}]}));
        assert!(read.inbound(somewhere(), &own()).unwrap().mentions_bot);
    }

    #[test]
    fn a_message_with_unknown_parts_is_read_all_the_same() {
        let read = message(&json!({
            "poll": {"answers": "?"}, "components": [{"type": 99}], "flags": "many",
            "attachments": [{"broken": 1}, {"url": "https://x/a.txt", "filename": "a.txt", "size": 3}],
        }))
        .inbound(somewhere(), &own())
        .unwrap();
        assert_eq!(read.attachments.len(), 1);
        assert_eq!(read.sent_at, 1_462_015_105_796);
        assert_eq!(read.author.display_name, "Ada");
    }

    #[test]
    fn unknown_permission_bits_stay_and_absent_ones_are_absent() {
        let member = |permissions: Value| json!({"roles": ["4"], "permissions": permissions});
        let bits = 1_u128 << 100 | 8;
        let read = member_facts(Some(&member(json!(bits.to_string()))));
        assert_eq!(read.known().unwrap().permissions, PermissionBits(bits));
        assert_eq!(member_facts(Some(&member(Value::Null))), Fact::Absent);
        assert_eq!(member_facts(Some(&json!({"roles": []}))), Fact::Absent);
        assert_eq!(member_facts(None), Fact::Absent);
        for bad in [json!(8), json!("eight"), json!("-1")] {
            assert_eq!(
                member_facts(Some(&member(bad))),
                Fact::Unreadable("permissions-unreadable")
            );
        }
    }
}
