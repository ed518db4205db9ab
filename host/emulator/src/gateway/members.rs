//! Op 8: a client asks for members of a guild.

use serde_json::{Value, json};

use crate::forms::form::{id_of, ids_in, text_in};
use crate::snowflake::Id;
use crate::state::{AppState, lock};

/// Answers with one chunk of members.
pub(super) fn request(state: &AppState, session: &str, bot: Id, data: &Value) {
    let Some(guild) = data.get("guild_id").and_then(id_of) else {
        return;
    };
    let world = lock(&state.world);
    let Some(found) = world
        .guilds
        .get(&guild)
        .filter(|guild| guild.members.contains_key(&bot))
    else {
        return;
    };
    let ids = ids_in(data, "user_ids");
    let query = text_in(data, "query").unwrap_or_default().to_lowercase();
    let limit = data.get("limit").and_then(Value::as_u64).unwrap_or(0);
    let limit = if limit == 0 {
        usize::MAX
    } else {
        usize::try_from(limit).unwrap_or(100)
    };
    let wanted = |user: &Id| {
        let name = world
            .users
            .get(user)
            .map(|user| user.username.to_lowercase());
        if ids.is_empty() {
            name.is_some_and(|n| n.starts_with(&query))
        } else {
            ids.contains(user)
        }
    };
    let members: Vec<Value> = found
        .members
        .values()
        .filter(|member| wanted(&member.user))
        .take(limit)
        .map(|member| world.render_member(member))
        .collect();
    let missing: Vec<&Id> = ids
        .iter()
        .filter(|id| !found.members.contains_key(id))
        .collect();
    let mut chunk = json!({
        "guild_id": guild, "members": members, "chunk_index": 0, "chunk_count": 1,
        "not_found": missing,
    });
    if let Some(nonce) = data.get("nonce") {
        chunk["nonce"] = nonce.clone();
    }
    lock(&state.hub).push(session, "GUILD_MEMBERS_CHUNK", &chunk);
}
