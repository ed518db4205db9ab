//! A session, what was said in it, and messages into it.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `agentApi:session.read`.
    pub const SESSION_READ: Self = Self::new("agentApi:session.read");

    /// `agentApi:conversation.read`.
    pub const CONVERSATION_READ: Self = Self::new("agentApi:conversation.read");

    /// `agentApi:message.post`.
    pub const MESSAGE_POST: Self = Self::new("agentApi:message.post");

    /// `host:session:sendError`.
    pub const SESSION_SEND_ERROR: Self = Self::new("host:session:sendError");
}

pub(super) static GROUP: Group = Group {
    name: "session",
    permissions: &[
        PermissionText {
            permission: Permission::SESSION_READ,
            sentence: "see which conversation it is working in: the assistant, the server, the \
                channel or thread, and when it was last active",
        },
        PermissionText {
            permission: Permission::CONVERSATION_READ,
            sentence: "read the conversation it is working in: what people wrote, what the \
                assistant answered, and what its tools did",
        },
        PermissionText {
            permission: Permission::MESSAGE_POST,
            sentence: "post messages through the assistant's account in the conversation it is \
                working in",
        },
        PermissionText {
            permission: Permission::SESSION_SEND_ERROR,
            sentence: "show its own error messages in the conversation it is working in",
        },
    ],
    members: &[
        Member {
            interface: "session",
            function: "get",
            path: "session.get",
            permissions: &[Permission::SESSION_READ],
            presence: Presence::Session,
            sentence: "look up the session it works in",
        },
        Member {
            interface: "session",
            function: "channel-chat",
            path: "session.channelChat",
            permissions: &[Permission::SESSION_READ],
            presence: Presence::Session,
            sentence: "look up the chat that the session lives in",
        },
        Member {
            interface: "conversation",
            function: "read",
            path: "session.conversation.read",
            permissions: &[Permission::CONVERSATION_READ],
            presence: Presence::Session,
            sentence: "read the entries of a conversation",
        },
        Member {
            interface: "message",
            function: "post",
            path: "session.message.post",
            permissions: &[Permission::MESSAGE_POST],
            presence: Presence::Session,
            sentence: "post a message in the session's chat",
        },
        Member {
            interface: "session-error",
            function: "send",
            path: "session.sendError",
            permissions: &[Permission::SESSION_SEND_ERROR],
            presence: Presence::SendError,
            sentence: "show an error in the session's chat",
        },
    ],
};
