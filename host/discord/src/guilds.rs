//! Which servers the bot is in, as the gateway tells.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ostler_store::GuildId;

/// The servers of all shards.
#[derive(Debug, Default)]
pub(crate) struct Guilds(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    known: BTreeSet<GuildId>,
    /// Those that READY named and GUILD_CREATE has not described yet.
    awaited: BTreeSet<GuildId>,
    /// The shards that told theirs in this process: after a resume there is no READY.
    told: BTreeSet<u32>,
    /// How many shards there are; none if none told anything yet.
    shards: Option<u32>,
}

impl Guilds {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// READY names the servers of a shard, one of `count`.
    pub(crate) fn begin(&self, shard: u32, count: u32, named: Vec<GuildId>) {
        let mut state = self.state();
        state.known.retain(|guild| shard_of(guild, count) != shard);
        state
            .awaited
            .retain(|guild| shard_of(guild, count) != shard);
        state.awaited.extend(named.iter().cloned());
        state.known.extend(named);
        state.told.insert(shard);
        state.shards = Some(count);
    }

    /// GUILD_CREATE: whether it is news, and does not just follow READY.
    pub(crate) fn came(&self, guild: &GuildId) -> bool {
        let mut state = self.state();
        state.known.insert(guild.clone());
        !state.awaited.remove(guild)
    }

    /// GUILD_DELETE of a server that is away for a while: that it comes back will be news.
    pub(crate) fn is_away(&self, guild: &GuildId) {
        self.state().awaited.remove(guild);
    }

    /// GUILD_DELETE of a server that the bot is in no longer.
    pub(crate) fn went(&self, guild: &GuildId) {
        let mut state = self.state();
        state.awaited.remove(guild);
        state.known.remove(guild);
    }

    /// All of them, if every shard told its own.
    pub(crate) fn all(&self) -> Option<Vec<GuildId>> {
        let state = self.state();
        let is_whole = (0..state.shards?).all(|shard| state.told.contains(&shard));
        is_whole.then(|| state.known.iter().cloned().collect())
    }
}

/// Discord, *Gateway*, *Sharding Formula*.
fn shard_of(guild: &GuildId, count: u32) -> u32 {
    let id: u64 = guild.as_str().parse().unwrap_or_default();
    u32::try_from((id >> 22) % u64::from(count.max(1))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first server of a shard, of two.
    fn guild(shard: u64, number: u64) -> GuildId {
        ((shard << 22) + number).to_string().parse().unwrap()
    }

    #[test]
    fn what_follows_ready_is_no_news_and_what_comes_later_is() {
        let guilds = Guilds::default();
        let (one, two) = (guild(0, 1), guild(0, 2));
        guilds.begin(0, 1, vec![one.clone(), two.clone()]);
        assert!(!guilds.came(&one));
        assert!(guilds.came(&one), "it comes back from an outage");
        guilds.is_away(&two);
        assert!(guilds.came(&two), "it was away since READY");
        assert!(guilds.came(&guild(0, 3)), "the bot joined it");
        guilds.went(&one);
        assert_eq!(guilds.all(), Some(vec![two, guild(0, 3)]));
    }

    #[test]
    fn a_new_session_of_a_shard_forgets_the_servers_that_the_bot_left_meanwhile() {
        let guilds = Guilds::default();
        assert_eq!(guilds.all(), None);
        guilds.begin(0, 2, vec![guild(0, 1), guild(0, 2)]);
        assert_eq!(guilds.all(), None, "the other shard said nothing yet");
        guilds.begin(1, 2, vec![guild(1, 1)]);
        guilds.begin(0, 2, vec![guild(0, 2)]);
        assert_eq!(guilds.all(), Some(vec![guild(0, 2), guild(1, 1)]));
    }
}
