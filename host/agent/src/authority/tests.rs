//! Tables over [`derive()`].

use ostler_store::{ChatType, Descriptor, RowId, RowStatus, SessionKey};

use super::*;

fn row(origin: Origin) -> Row {
    let profile = "main".parse().unwrap();
    Row {
        id: RowId::new(),
        session: SessionKey::thread(&profile, "discord", &"10".parse().unwrap(), None),
        seq: 1,
        principal: Principal("discord:7".to_owned()),
        request: "1".to_owned(),
        descriptor: Descriptor {
            kind: "native_text_v1".to_owned(),
            payload: "{}".to_owned(),
        },
        origin,
        causes: Vec::new(),
        route: route(Some("1")),
        status: RowStatus::Queued,
        outcome: None,
        reason: None,
        detail: None,
        epoch: None,
        generation: 0,
        admitted_at: 0,
        started_at: None,
        settled_at: None,
    }
}

fn route(guild: Option<&str>) -> Route {
    Route {
        platform: "discord".to_owned(),
        chat_type: ChatType::Thread,
        guild: guild.map(|id| id.parse().unwrap()),
        chat: "10".parse().unwrap(),
        parent: None,
    }
}

fn person(id: &str) -> Origin {
    Origin::Person {
        id: id.parse().unwrap(),
    }
}

fn catalog() -> ToolCatalog {
    let own = REGISTRY
        .iter()
        .map(|tool| (ToolName(tool.name.to_owned()), ToolSource::Own(tool)));
    let plugin = (
        ToolName("handoff__hand_off".to_owned()),
        ToolSource::Plugin("handoff".to_owned()),
    );
    own.chain([plugin]).collect()
}

fn facts(permissions: &Fact<u128>) -> LiveFacts {
    let member = match permissions {
        Fact::Known(bits) => Fact::Known(MemberFacts {
            roles: BTreeSet::new(),
            permissions: PermissionBits(*bits),
        }),
        Fact::Absent => Fact::Absent,
        Fact::Unreadable(code) => Fact::Unreadable(code),
    };
    LiveFacts {
        stop: Fact::Absent,
        people: [("7".parse().unwrap(), member)].into(),
        surface: Fact::Known(Surface {
            route: route(Some("1")),
        }),
        catalog: catalog(),
    }
}

fn config(owner: Option<&str>, listed: &[&str]) -> ProfileView {
    ProfileView {
        owner: owner.map(|id| id.parse().unwrap()),
        discord_toolset: listed
            .iter()
            .map(|name| (*name).to_owned().try_into().unwrap())
            .collect(),
        cotal_toolset: Vec::new(),
    }
}

const ADMINISTRATOR: u128 = 1 << 3;

/// How many of the thirty-three a turn is offered.
fn of_the_thirty_three(authority: &TurnAuthority) -> usize {
    let counts = |name: &&ToolName| {
        registered(&name.0).is_some_and(|tool| tool.audience != Audience::OwnerIfListed)
    };
    authority.tools.iter().filter(counts).count()
}

#[test]
fn guests_administrators_and_the_owner_are_offered_10_14_27_and_31_of_33() {
    let derived = |owner, bits| {
        derive(
            &row(person("7")),
            &route(Some("1")),
            &config(owner, &[]),
            &facts(&Fact::Known(bits)),
        )
        .unwrap()
    };
    for (owner, bits, tier, count) in [
        (None, 0, Tier::Guest, 10),
        (Some("8"), 0, Tier::Guest, 10),
        (Some("8"), ADMINISTRATOR, Tier::Administrator, 14),
        (Some("7"), 0, Tier::Owner, 27),
        (Some("7"), ADMINISTRATOR, Tier::Owner, 31),
    ] {
        let authority = derived(owner, bits);
        assert_eq!(authority.tier, tier);
        assert_eq!(of_the_thirty_three(&authority), count, "{tier}");
        assert_eq!(
            authority.tools.len() + authority.withheld.len(),
            catalog().len(),
            "each tool is offered, or withheld for a reason"
        );
    }
}

#[test]
fn a_member_that_cannot_be_read_is_a_guest() {
    for unknown in [Fact::Absent, Fact::Unreadable("discord-unavailable")] {
        let authority = derive(
            &row(person("7")),
            &route(Some("1")),
            &config(Some("8"), &[]),
            &facts(&unknown),
        )
        .unwrap();
        assert_eq!(authority.tier, Tier::Guest);
        assert_eq!(authority.scope, Scope::AskerSees("7".parse().unwrap()));
    }
}

#[test]
fn nobody_is_an_administrator_of_a_direct_chat() {
    let authority = derive(
        &row(person("7")),
        &route(None),
        &config(None, &[]),
        &facts(&Fact::Known(ADMINISTRATOR)),
    )
    .unwrap();
    assert_eq!(authority.tier, Tier::Guest);
}

#[test]
fn without_an_owner_nobody_has_an_owners_tools() {
    let authority = derive(
        &row(person("7")),
        &route(Some("1")),
        &config(None, &["discord", "plugin:handoff"]),
        &facts(&Fact::Known(ADMINISTRATOR)),
    )
    .unwrap();
    for (name, source) in catalog() {
        let is_the_owners = match source {
            ToolSource::Own(tool) => {
                matches!(tool.audience, Audience::Owner | Audience::OwnerIfListed)
            }
            ToolSource::Plugin(_) => true,
        };
        if is_the_owners {
            assert_eq!(authority.withheld.get(&name), Some(&RuleId::OwnerOnly));
        }
    }
}

#[test]
fn the_operators_discord_tools_and_plugins_are_the_owners_and_only_where_they_are_listed() {
    let has = |owner: &str, listed: &[&str], name: &str| {
        derive(
            &row(person("7")),
            &route(Some("1")),
            &config(Some(owner), listed),
            &facts(&Fact::Known(ADMINISTRATOR)),
        )
        .unwrap()
        .tools
        .contains(&ToolName(name.to_owned()))
    };
    for (family, name) in [
        ("discord", "discord"),
        ("discord_admin", "discord_admin"),
        ("plugin:handoff", "handoff__hand_off"),
    ] {
        assert!(has("7", &[family], name));
        assert!(!has("7", &["plugin:other"], name));
        assert!(!has("8", &[family], name), "not an administrator's");
    }
}

#[test]
fn what_discord_cannot_draw_is_offered_to_nobody() {
    let authority = derive(
        &row(person("7")),
        &route(Some("1")),
        &config(Some("7"), &["core"]),
        &facts(&Fact::Known(ADMINISTRATOR)),
    )
    .unwrap();
    for name in ["ask_user", "open_link"] {
        assert_eq!(
            authority.withheld.get(&ToolName(name.to_owned())),
            Some(&RuleId::NotOnDiscord)
        );
    }
}

#[test]
fn a_stop_refuses_and_one_that_cannot_be_read_counts_as_set() {
    for stop in [
        Fact::Known(Stop {
            reason: Some("lunch".to_owned()),
        }),
        Fact::Unreadable("stop-unreadable"),
    ] {
        let facts = LiveFacts {
            stop,
            ..facts(&Fact::Known(ADMINISTRATOR))
        };
        let refusal = derive(
            &row(person("7")),
            &route(Some("1")),
            &config(Some("7"), &[]),
            &facts,
        )
        .unwrap_err();
        assert_eq!(refusal.code(), "stopped");
    }
}

#[test]
fn a_row_whose_origin_has_no_rules_yet_gets_no_turn() {
    for origin in [
        Origin::System,
        Origin::Peer {
            principal: "local.ann".to_owned(),
        },
        Origin::Schedule {
            created_by: "7".to_owned(),
        },
    ] {
        let refusal = derive(
            &row(origin),
            &route(Some("1")),
            &config(Some("7"), &[]),
            &facts(&Fact::Absent),
        )
        .unwrap_err();
        assert_eq!(refusal.code(), "permission_denied");
    }
}

#[test]
fn a_plugins_note_has_the_narrow_list_whoever_the_owner_is_and_never_discord_admin() {
    let note = row(Origin::Plugin {
        id: "handoff".to_owned(),
    });
    let listed = |names: &[&str]| {
        let config = ProfileView {
            cotal_toolset: names
                .iter()
                .map(|name| (*name).to_owned().try_into().unwrap())
                .collect(),
            ..config(Some("7"), &["discord", "discord_admin"])
        };
        derive(
            &note,
            &route(Some("1")),
            &config,
            &facts(&Fact::Known(ADMINISTRATOR)),
        )
        .unwrap()
    };
    let unset = listed(&[]);
    assert!(unset.tools.is_empty(), "unset is empty");
    assert_eq!(unset.tier, Tier::PluginOrigin);
    assert_eq!(unset.scope, Scope::Mesh);
    assert_eq!(unset.approvals, ApprovalPolicy::CardToOperators);
    let some = listed(&[
        "discord",
        "discord_admin",
        "todo",
        "terminal",
        "plugin:handoff",
    ]);
    let names: Vec<&str> = some.tools.iter().map(|name| name.0.as_str()).collect();
    assert_eq!(names, ["discord", "handoff__hand_off", "shell", "todo"]);
    let admin = ToolName("discord_admin".to_owned());
    assert_eq!(some.withheld.get(&admin), Some(&RuleId::NeverNarrow));
    let web = ToolName("web_search".to_owned());
    assert_eq!(some.withheld.get(&web), Some(&RuleId::NotListed));
}
