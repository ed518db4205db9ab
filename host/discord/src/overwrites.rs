//! What a member may do in one channel (Discord, *Permissions*, *Permission Overwrites*).

use ostler_agent::{Fact, MemberFacts, PermissionBits};
use ostler_store::{GuildId, PersonId};
use serde_json::Value;

use crate::payload::{list, permission_bits, text};

/// `VIEW_CHANNEL`, bit 10.
const VIEW_CHANNEL: PermissionBits = PermissionBits(1 << 10);

/// Whether a member sees a channel, which is no thread. Their permissions are those in the whole
/// server.
pub(crate) fn sees(
    member: &MemberFacts,
    person: &PersonId,
    guild: &GuildId,
    channel: &Value,
) -> bool {
    in_channel(member, person, guild, channel).contains(VIEW_CHANNEL)
}

/// First what the channel says of everyone, then of the member's roles together, then of the
/// member. What cannot be read allows nothing, and denies all.
fn in_channel(
    member: &MemberFacts,
    person: &PersonId,
    guild: &GuildId,
    channel: &Value,
) -> PermissionBits {
    if member.permissions.contains(PermissionBits::ADMINISTRATOR) {
        return member.permissions;
    }
    let overwrites = list(channel, "permission_overwrites");
    let is_of_member = |overwrite: &&Value| {
        overwrite.get("type").and_then(Value::as_u64) == Some(1)
            && text(overwrite, "id") == Some(person.as_str())
    };
    let is_of_role = |overwrite: &Value, role: &str| {
        overwrite.get("type").and_then(Value::as_u64) == Some(0)
            && text(overwrite, "id") == Some(role)
    };
    let everyone = overwrites
        .iter()
        .filter(|overwrite| is_of_role(overwrite, guild.as_str()));
    let roles = overwrites.iter().filter(|overwrite| {
        member
            .roles
            .iter()
            .any(|role| role.as_str() != guild.as_str() && is_of_role(overwrite, role.as_str()))
    });
    let bits = apply(member.permissions.0, everyone);
    let bits = apply(bits, roles);
    PermissionBits(apply(bits, overwrites.iter().filter(is_of_member)))
}

fn apply<'a>(bits: u128, overwrites: impl Iterator<Item = &'a Value>) -> u128 {
    let (allow, deny) = overwrites.fold((0, 0), |(allow, deny), overwrite| {
        let read = |field: &str, unreadable: u128| match permission_bits(overwrite, field) {
            Fact::Known(bits) => bits.0,
            Fact::Absent => 0,
            Fact::Unreadable(_) => unreadable,
        };
        (allow | read("allow", 0), deny | read("deny", u128::MAX))
    });
    bits & !deny | allow
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const VIEW: u128 = 1 << 10;

    fn member(permissions: u128) -> MemberFacts {
        MemberFacts {
            roles: ["2", "3"].map(|role| role.parse().unwrap()).into(),
            permissions: PermissionBits(permissions),
        }
    }

    fn sees_it(permissions: u128, overwrites: &Value) -> bool {
        let channel = json!({"permission_overwrites": overwrites});
        let (person, guild) = ("9".parse().unwrap(), "1".parse().unwrap());
        sees(&member(permissions), &person, &guild, &channel)
    }

    fn role(id: &str, allow: u128, deny: u128) -> Value {
        json!({"id": id, "type": 0, "allow": allow.to_string(), "deny": deny.to_string()})
    }

    fn own(allow: u128, deny: u128) -> Value {
        json!({"id": "9", "type": 1, "allow": allow.to_string(), "deny": deny.to_string()})
    }

    #[test]
    fn without_overwrites_the_server_decides() {
        assert!(sees_it(VIEW, &json!([])));
        assert!(!sees_it(0, &json!([])));
    }

    #[test]
    fn a_member_outweighs_the_roles_and_those_everyone() {
        let hidden = role("1", 0, VIEW);
        assert!(!sees_it(VIEW, &json!([hidden])));
        assert!(sees_it(VIEW, &json!([role("3", VIEW, 0), hidden])));
        assert!(sees_it(0, &json!([role("2", VIEW, 0), role("3", 0, VIEW)])));
        assert!(!sees_it(VIEW, &json!([role("2", VIEW, 0), own(0, VIEW)])));
        assert!(sees_it(0, &json!([role("2", 0, VIEW), own(VIEW, 0)])));
        assert!(
            !sees_it(0, &json!([role("4", VIEW, 0)])),
            "a role of others"
        );
        assert!(
            !sees_it(0, &json!([role("9", VIEW, 0)])),
            "a role with their id"
        );
    }

    #[test]
    fn administrators_see_all_and_what_cannot_be_read_denies() {
        assert!(sees_it(VIEW | 1 << 3, &json!([own(0, VIEW)])));
        let odd = json!({"id": "1", "type": 0, "allow": VIEW, "deny": "many"});
        assert!(!sees_it(VIEW, &json!([odd])));
    }
}
