//! Which members are present in an invocation.
//!
//! Having a permission is one thing; a member can also lack what it acts on (a session, an
//! agent, a model). The rules are the column *presence* of the members' table.

use std::sync::LazyLock;

use ostler_scanner::members::{Presence, TABLE};

use crate::context::{InvocationContext, InvocationKind};
use crate::member_set::MemberSet;

/// The longest chain of plugin-caused steps in which platform members are present.
pub(crate) const HOP_DEPTH_FUSE: u8 = 5;

/// The members that are present in an invocation of these circumstances, granted or not.
#[must_use]
pub fn present(context: &InvocationContext) -> MemberSet {
    if context.kind == InvocationKind::Catalogue {
        return MemberSet::EMPTY;
    }
    ROWS.iter()
        .filter(|(presence, _)| holds(*presence, context))
        .fold(MemberSet::EMPTY, |set, (_, members)| set.join(*members))
}

/// Whether the circumstances of one row of the presence table are given. That the member must
/// be granted as well is looked at apart, so that a refusal can say which of the two is missing.
fn holds(presence: Presence, context: &InvocationContext) -> bool {
    let fuse_holds = context.depth <= HOP_DEPTH_FUSE;
    match presence {
        // Decisions are there in all kinds of run that exist so far.
        Presence::Always | Presence::Media | Presence::Decide => true,
        Presence::Session | Presence::Platform | Presence::Threads => fuse_holds,
        Presence::SendError | Presence::Cards => fuse_holds && context.has_session,
        Presence::SessionLlm => fuse_holds && context.has_session && context.has_agent,
        Presence::Workspace => context.has_agent,
        // What these act on does not exist in any kind of run so far.
        Presence::Llm | Presence::Ssh | Presence::Connection => false,
    }
}

/// The members of each row of the presence table, so that an invocation costs one look at each
/// row instead of one at each member.
static ROWS: LazyLock<Vec<(Presence, MemberSet)>> = LazyLock::new(|| {
    let mut rows = Vec::<(Presence, MemberSet)>::new();
    for presence in TABLE.iter().map(|member| member.presence) {
        if !rows.iter().any(|(row, _)| *row == presence) {
            rows.push((
                presence,
                MemberSet::filtered(|member| member.presence == presence),
            ));
        }
    }
    rows
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::test_context;
    use crate::member_set::MemberId;

    fn is_present(path: &str, context: &InvocationContext) -> bool {
        present(context).contains(MemberId::of(path).unwrap())
    }

    #[test]
    fn nothing_is_present_when_the_catalogue_is_taken() {
        let context = InvocationContext {
            kind: InvocationKind::Catalogue,
            ..test_context()
        };
        assert_eq!(present(&context), MemberSet::EMPTY);
    }

    #[test]
    fn members_that_act_on_a_session_or_an_agent_need_one() {
        let bare = test_context();
        let session = InvocationContext {
            has_session: true,
            ..bare.clone()
        };
        let both = InvocationContext {
            has_agent: true,
            ..session.clone()
        };
        for (path, in_bare, in_session, in_both) in [
            ("log.info", true, true, true),
            ("session.get", true, true, true),
            ("session.sendError", false, true, true),
            ("cards.show", false, true, true),
            ("session.llm.complete", false, false, true),
            ("workspace.read", false, false, true),
            ("llm.complete", false, false, false),
            ("ssh.command", false, false, false),
            ("connection.send", false, false, false),
        ] {
            assert_eq!(is_present(path, &bare), in_bare, "{path}, bare");
            assert_eq!(
                is_present(path, &session),
                in_session,
                "{path}, with a session"
            );
            assert_eq!(
                is_present(path, &both),
                in_both,
                "{path}, with a session and an agent"
            );
        }
    }

    #[test]
    fn past_the_fuse_platform_members_and_threads_are_absent() {
        let holds = InvocationContext {
            has_session: true,
            has_agent: true,
            depth: HOP_DEPTH_FUSE,
            ..test_context()
        };
        let tripped = InvocationContext {
            depth: HOP_DEPTH_FUSE + 1,
            ..holds.clone()
        };
        for path in [
            "session.get",
            "agents.list",
            "threads.create",
            "origin.start",
            "cards.ask",
        ] {
            assert!(is_present(path, &holds), "{path}");
            assert!(!is_present(path, &tripped), "{path}");
        }
        assert!(is_present("log.info", &tripped));
    }
}
