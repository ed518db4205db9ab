//! The table of who may answer.

use std::collections::BTreeSet;

use ostler_store::{ApprovalId, Epoch, Profile, RowId, SessionKey};

use super::*;
use crate::approvals::Subject;

fn approval(class: ApprovalClass, asker: &str) -> Approval {
    Approval::from(ostler_store::NewApproval {
        id: ApprovalId::random().unwrap(),
        profile: "main".parse::<Profile>().unwrap(),
        session: "agent:main:discord:thread:1:1"
            .parse::<SessionKey>()
            .unwrap(),
        row: RowId::new(),
        epoch: epoch(),
        class,
        tool: "shell".to_owned(),
        asker: Some(asker.parse().unwrap()),
        tier: "guest".to_owned(),
        digest: format!("sha256:{}", "0".repeat(64)),
        document: "{}".to_owned(),
        channel: "1".parse().unwrap(),
        nonce: "n".to_owned(),
        expires_at: 2,
        created_at: 1,
    })
}

/// An epoch, as the store gives one.
fn epoch() -> Epoch {
    let folder = tempfile::tempdir().unwrap();
    let store = ostler_store::Store::open(&folder.path().join("ostler.db")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime
        .block_on(ostler_store::SessionStore::begin_epoch(&store, 1))
        .unwrap()
}

fn document(is_for_owner: bool, needs: Option<Tier>) -> AskDocument {
    AskDocument {
        tool: "shell".to_owned(),
        asker: "Ada (@ada)".to_owned(),
        subject: Subject::Changes {
            changes: Vec::new(),
        },
        reasons: Vec::new(),
        causes: Vec::new(),
        is_for_owner,
        needs,
    }
}

const OWNER: &str = "10";
const ALLOWED: &str = "20";
const STRANGER: &str = "30";
const ROLE: &str = "77";

fn snowflake(id: &str) -> Snowflake {
    Snowflake::parse(id).unwrap()
}

fn operators() -> Operators {
    Operators {
        owner: Some(snowflake(OWNER)),
        users: vec![snowflake(ALLOWED)],
        roles: vec![snowflake(ROLE)],
        is_unreadable: false,
    }
}

fn member(roles: &[&str], permissions: u128) -> Fact<MemberFacts> {
    Fact::Known(MemberFacts {
        roles: roles
            .iter()
            .map(|role| role.parse().unwrap())
            .collect::<BTreeSet<_>>(),
        permissions: PermissionBits(permissions),
    })
}

fn presser(user: &str, member: Fact<MemberFacts>) -> Presser {
    Presser::Discord {
        user: user.parse().unwrap(),
        name: "somebody".to_owned(),
        member,
    }
}

const ADMINISTRATOR: u128 = PermissionBits::ADMINISTRATOR.0;

#[test]
fn a_host_card_is_for_the_owner_and_operators_who_are_members_now() {
    let approval = approval(ApprovalClass::Host, STRANGER);
    let document = document(false, None);
    let may = |presser: &Presser| may_press(&approval, &document, presser, &operators());
    assert_eq!(may(&presser(OWNER, member(&[], 0))), Ok(()));
    assert_eq!(may(&presser(OWNER, Fact::Absent)), Ok(()), "a direct chat");
    assert_eq!(may(&presser(ALLOWED, member(&[], 0))), Ok(()));
    assert_eq!(may(&presser(STRANGER, member(&[ROLE], 0))), Ok(()));
    for (user, facts) in [
        (ALLOWED, Fact::Absent),
        (ALLOWED, Fact::Unreadable("x")),
        (STRANGER, member(&[], 0)),
        (STRANGER, member(&[], ADMINISTRATOR)),
        (STRANGER, Fact::Absent),
    ] {
        assert_eq!(
            may(&presser(user, facts.clone())),
            Err(PressRefusal::NotOperator),
            "{user} {facts:?}"
        );
    }
    assert_eq!(
        may(&Presser::Local {
            via: Via::Cli,
            owner: Fact::Absent
        }),
        Ok(())
    );
}

#[test]
fn hermes_41226_without_an_owner_nobody_answers_a_host_card() {
    let approval = approval(ApprovalClass::Host, STRANGER);
    let document = document(false, None);
    let nobody = Operators {
        owner: None,
        ..operators()
    };
    for presser in [
        presser(ALLOWED, member(&[ROLE], ADMINISTRATOR)),
        presser(OWNER, member(&[], 0)),
        Presser::Local {
            via: Via::Page,
            owner: Fact::Absent,
        },
    ] {
        assert_eq!(
            may_press(&approval, &document, &presser, &nobody),
            Err(PressRefusal::NoOwner)
        );
    }
}

#[test]
fn what_asks_for_anothers_rights_is_the_owners() {
    let approval = approval(ApprovalClass::Host, STRANGER);
    let document = document(true, None);
    let may = |presser: &Presser| may_press(&approval, &document, presser, &operators());
    assert_eq!(
        may(&presser(ALLOWED, member(&[ROLE], 0))),
        Err(PressRefusal::OwnerOnly)
    );
    assert_eq!(may(&presser(OWNER, member(&[], 0))), Ok(()));
}

#[test]
fn a_configuration_that_cannot_be_read_leaves_the_owner() {
    let approval = approval(ApprovalClass::Host, STRANGER);
    let document = document(false, None);
    let operators = Operators {
        is_unreadable: true,
        ..operators()
    };
    assert_eq!(
        may_press(
            &approval,
            &document,
            &presser(ALLOWED, member(&[], 0)),
            &operators
        ),
        Err(PressRefusal::ConfigUnreadable)
    );
    assert_eq!(
        may_press(
            &approval,
            &document,
            &presser(OWNER, member(&[], 0)),
            &operators
        ),
        Ok(())
    );
}

#[test]
fn a_tools_card_is_for_administrators_and_an_asker_who_still_holds_the_tier() {
    let approval = approval(ApprovalClass::Tool, STRANGER);
    let needs = |tier| document(false, Some(tier));
    let may = |presser: &Presser, document: &AskDocument| {
        may_press(&approval, document, presser, &operators())
    };
    let administrator = needs(Tier::Administrator);
    assert_eq!(
        may(&presser("99", member(&[], ADMINISTRATOR)), &administrator),
        Ok(())
    );
    assert_eq!(
        may(
            &presser(STRANGER, member(&[], ADMINISTRATOR)),
            &administrator
        ),
        Ok(())
    );
    assert_eq!(
        may(&presser(STRANGER, member(&[], 0)), &administrator),
        Err(PressRefusal::TierLost)
    );
    assert_eq!(
        may(&presser(STRANGER, Fact::Absent), &administrator),
        Err(PressRefusal::TierLost)
    );
    assert_eq!(
        may(&presser(OWNER, member(&[], 0)), &administrator),
        Err(PressRefusal::NotAdministrator),
        "the owner is no Administrator of every server"
    );
    assert_eq!(
        may(&presser(STRANGER, member(&[], 0)), &needs(Tier::Guest)),
        Ok(())
    );
    assert_eq!(
        may(&presser(STRANGER, Fact::Absent), &needs(Tier::Guest)),
        Err(PressRefusal::TierLost),
        "they left the server"
    );
    assert_eq!(
        may(&presser(STRANGER, member(&[], 0)), &document(false, None)),
        Err(PressRefusal::TierLost),
        "a document that does not say what it needs"
    );
    let local = |permissions| Presser::Local {
        via: Via::Cli,
        owner: member(&[], permissions),
    };
    assert_eq!(may(&local(ADMINISTRATOR), &administrator), Ok(()));
    assert_eq!(
        may(&local(0), &administrator),
        Err(PressRefusal::NotAdministrator)
    );
}

#[test]
fn a_question_is_for_its_asker() {
    let approval = approval(ApprovalClass::Clarify, STRANGER);
    let document = document(false, None);
    let may = |presser: &Presser| may_press(&approval, &document, presser, &operators());
    assert_eq!(may(&presser(STRANGER, Fact::Absent)), Ok(()));
    for presser in [
        presser(OWNER, member(&[], ADMINISTRATOR)),
        presser(ALLOWED, member(&[ROLE], 0)),
        Presser::Local {
            via: Via::Cli,
            owner: Fact::Absent,
        },
    ] {
        assert_eq!(may(&presser), Err(PressRefusal::NotAsker));
    }
}

#[test]
fn the_platforms_own_card_is_the_owners() {
    let approval = approval(ApprovalClass::Platform, STRANGER);
    let document = document(false, None);
    let may = |presser: &Presser| may_press(&approval, &document, presser, &operators());
    assert_eq!(may(&presser(OWNER, Fact::Absent)), Ok(()));
    assert_eq!(
        may(&presser(ALLOWED, member(&[ROLE], ADMINISTRATOR))),
        Err(PressRefusal::OwnerOnly)
    );
}
