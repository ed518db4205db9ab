//! Whom a message mentions, and whom it may (documentation: Message, Allowed Mentions).

use serde_json::Value;

use crate::forms::form::ids_in;
use crate::permissions::MENTION_EVERYONE;
use crate::snowflake::Id;
use crate::world::World;
use crate::world::channel::Channel;

/// The mentions that a message carries.
#[derive(Default)]
pub(crate) struct Mentions {
    pub(crate) users: Vec<Id>,
    pub(crate) roles: Vec<Id>,
    pub(crate) everyone: bool,
}

/// What `allowed_mentions` lets through; without it everything.
struct Allowed<'a> {
    body: Option<&'a Value>,
}

impl Allowed<'_> {
    fn parses(&self, kind: &str) -> bool {
        self.body.is_none_or(|body| {
            let parse = body.get("parse").and_then(Value::as_array);
            parse.is_some_and(|parse| parse.iter().any(|value| value == kind))
        })
    }

    fn lists(&self, kind: &str, id: Id) -> bool {
        self.body
            .is_some_and(|body| ids_in(body, kind).contains(&id))
    }
}

/// The mentions of the form `<@id>`, `<@!id>` and `<@&id>`: users and roles.
fn written(content: &str) -> (Vec<Id>, Vec<Id>) {
    let (mut users, mut roles) = (Vec::new(), Vec::new());
    for rest in content.split("<@").skip(1) {
        let Some((inner, _)) = rest.split_once('>') else {
            continue;
        };
        let (list, digits) = match inner.strip_prefix('&') {
            Some(digits) => (&mut roles, digits),
            None => (&mut users, inner.strip_prefix('!').unwrap_or(inner)),
        };
        if let Ok(id) = digits.parse::<Id>()
            && !list.contains(&id)
        {
            list.push(id);
        }
    }
    (users, roles)
}

/// The mentions of a text that `author` writes in `channel`. `replied_to` is the author of the
/// message that is answered.
pub(crate) fn find(
    world: &World,
    channel: &Channel,
    author: Id,
    content: &str,
    allowed: Option<&Value>,
    replied_to: Option<Id>,
) -> Mentions {
    let body = allowed.filter(|allowed| !allowed.is_null());
    let allowed = Allowed { body };
    let power = world.permissions(author, channel) & MENTION_EVERYONE != 0;
    let guild = channel.guild.and_then(|id| world.guilds.get(&id));
    let (mut users, mut roles) = written(content);
    users.retain(|id| world.users.contains_key(id));
    users.retain(|id| allowed.parses("users") || allowed.lists("users", *id));
    roles.retain(|id| {
        let role = guild.and_then(|guild| guild.roles.get(id));
        let pingable = role.is_some_and(|role| role.mentionable || power);
        pingable && (allowed.parses("roles") || allowed.lists("roles", *id))
    });
    if let Some(replied_to) = replied_to {
        let pings = body.is_none_or(|body| body["replied_user"].as_bool().unwrap_or(false));
        if pings && !users.contains(&replied_to) {
            users.push(replied_to);
        }
    }
    let calls = content.contains("@everyone") || content.contains("@here");
    let everyone = calls && power && guild.is_some() && allowed.parses("everyone");
    Mentions {
        users,
        roles,
        everyone,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_found_once_and_in_order() {
        let (users, roles) = written("<@5> <@!6> <@&7> <@5> <@x> <@8");
        assert_eq!(users, [Id(5), Id(6)]);
        assert_eq!(roles, [Id(7)]);
    }
}
