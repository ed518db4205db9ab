//! Sessions, authority, turns, tools and models.

mod channel;
mod facts;
mod inbound;
pub mod model;

pub use channel::{
    Channel, ChannelError, Edit, MemberView, MessageView, NewForumPost, NewThread, Post,
    ThreadView, Window,
};
pub use facts::{ChannelFacts, ChannelKind, Fact, MemberFacts, PermissionBits};
pub use inbound::{
    Acknowledgement, Attachment, Author, Change, ClickOutcome, Form, FormField, InboundClick,
    InboundMessage, Inbox, InboxError, Place,
};
