//! Discord's permission bits (documentation: Topics, Permissions).

pub(crate) const ADMINISTRATOR: u64 = 1 << 3;
pub(crate) const MANAGE_CHANNELS: u64 = 1 << 4;
pub(crate) const ADD_REACTIONS: u64 = 1 << 6;
pub(crate) const VIEW_CHANNEL: u64 = 1 << 10;
pub(crate) const SEND_MESSAGES: u64 = 1 << 11;
pub(crate) const MANAGE_MESSAGES: u64 = 1 << 13;
pub(crate) const EMBED_LINKS: u64 = 1 << 14;
pub(crate) const ATTACH_FILES: u64 = 1 << 15;
pub(crate) const READ_MESSAGE_HISTORY: u64 = 1 << 16;
pub(crate) const MENTION_EVERYONE: u64 = 1 << 17;
pub(crate) const MANAGE_ROLES: u64 = 1 << 28;
pub(crate) const MANAGE_THREADS: u64 = 1 << 34;
pub(crate) const CREATE_PUBLIC_THREADS: u64 = 1 << 35;
pub(crate) const CREATE_PRIVATE_THREADS: u64 = 1 << 36;
pub(crate) const SEND_MESSAGES_IN_THREADS: u64 = 1 << 38;
pub(crate) const PIN_MESSAGES: u64 = 1 << 51;
pub(crate) const BYPASS_SLOWMODE: u64 = 1 << 52;

/// Every bit that Discord knows.
pub(crate) const ALL: u64 = (1 << 53) - 1 - (1 << 47) - (1 << 48);

/// What `@everyone` may do in a new guild.
pub(crate) const EVERYONE: u64 = 1 // create invites
    | ADD_REACTIONS
    | 1 << 9 // stream
    | VIEW_CHANNEL
    | SEND_MESSAGES
    | EMBED_LINKS
    | ATTACH_FILES
    | READ_MESSAGE_HISTORY
    | MENTION_EVERYONE
    | 1 << 18 // external emojis
    | 1 << 20 // connect
    | 1 << 21 // speak
    | 1 << 25 // voice activity
    | 1 << 26 // change nickname
    | 1 << 31 // application commands
    | CREATE_PUBLIC_THREADS
    | CREATE_PRIVATE_THREADS
    | 1 << 37 // external stickers
    | SEND_MESSAGES_IN_THREADS
    | 1 << 46 // voice messages
    | 1 << 49 // polls
    | 1 << 50; // external apps

/// What the parties of a direct message may do in it.
pub(crate) const DIRECT_MESSAGE: u64 = VIEW_CHANNEL
    | SEND_MESSAGES
    | EMBED_LINKS
    | ATTACH_FILES
    | READ_MESSAGE_HISTORY
    | ADD_REACTIONS
    | PIN_MESSAGES
    | MENTION_EVERYONE;
