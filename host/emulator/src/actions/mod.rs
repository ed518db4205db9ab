//! What can happen in the world. Each action checks what Discord checks, changes the state, and
//! leaves events for the gateway. A refused action changes nothing.

pub(crate) mod channels;
pub(crate) mod compose;
pub(crate) mod delivery;
pub(crate) mod follow_ups;
pub(crate) mod guilds;
pub(crate) mod history;
mod media_type;
pub(crate) mod mentions;
pub(crate) mod messages;
pub(crate) mod pins;
pub(crate) mod press;
pub(crate) mod reactions;
pub(crate) mod responses;
pub(crate) mod roles;
pub(crate) mod threads;
