//! The assistant: sessions, authority, turns, tools and models.
//!
//! A message comes in through [`Inbox`], is judged and admitted as a durable row, and waits in its
//! session's queue. A worker claims the row, [`authority::derive`] says who the turn is, the model
//! and the tools go on until there is an answer, and the answer is committed before it is sent
//! through [`Channel`].
//!
//! # What it promises
//! - **One place decides.** [`authority::derive`] is pure; every check reads the
//!   [`TurnAuthority`](authority::TurnAuthority) that comes of it, and none asks its surroundings
//!   who is speaking.
//! - **One place performs.** A tool runs through the dispatcher or not at all, and what could hurt
//!   needs the permit that the gate gives for exactly that.
//! - **Nothing is lost or done twice.** What is admitted is answered once, or told as unknown,
//!   wherever the process is killed.
//! - **Foreign text is data.** What guests, bots and plugins write reaches a model as a quotation.
//!
//! # Where to start
//! [`Assistant::start`] with [`Options`]; adapters implement [`Channel`] and call [`Inbox`].

mod admission;
mod approvals;
mod assistant;
pub mod authority;
mod channel;
mod clock;
mod facts;
mod failpoint;
mod gate;
mod inbound;
mod media;
pub mod model;
mod rows;
mod tools;
mod turn;
pub mod view;

pub use approvals::{
    Answer, AskDocument, Decision, PressRefusal, Presser, Reason, ReasonBy, Resolution, Subject,
    in_code,
};
pub use assistant::{Assistant, Options, ShellOptions};
pub use channel::{
    Channel, ChannelError, Edit, MemberView, MessageView, NamedThing, NewChannelKind, NewForumPost,
    NewThread, Post, PostFile, ServerChange, ServerView, ThreadView, Window,
};
pub use clock::{Clock, SystemClock};
pub use facts::{ChannelFacts, ChannelKind, Fact, MemberFacts, PermissionBits};
pub use inbound::{
    Acknowledgement, Attachment, Author, Change, ClickOutcome, Form, FormField, InboundClick,
    InboundMessage, Inbox, InboxError, Place,
};
