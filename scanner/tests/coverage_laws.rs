//! Coverage is a partial order, and a difference says exactly what stands in its way.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};

use ostler_scanner::access::{EgressHost, EgressSet, SecretAccess, SecretUse};
use ostler_scanner::{Access, Permission};
use proptest::collection::{btree_map, btree_set};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// Few values, so that two accesses often agree.
fn names() -> impl Strategy<Value = BTreeSet<String>> {
    btree_set(select(vec!["a", "b", "c"]).prop_map(str::to_owned), 0..3)
}

fn permissions() -> impl Strategy<Value = BTreeSet<Permission>> {
    btree_set(select(Permission::all().take(4).collect::<Vec<_>>()), 0..4)
}

fn egress() -> impl Strategy<Value = EgressSet> {
    let hosts = vec![
        "example.com",
        "*.example.com",
        "a.example.com",
        "*.a.example.com",
        "b.a.example.com",
        "a.example.com:8443",
        "*.example.com:8443",
    ];
    let host = select(hosts).prop_map(|host| host.parse::<EgressHost>().expect("a good entry"));
    proptest::collection::vec(host, 0..4).prop_map(EgressSet::from_iter)
}

fn secrets() -> impl Strategy<Value = BTreeMap<String, SecretAccess>> {
    let usage = select(vec![SecretUse::Inject, SecretUse::Read]);
    let secret = (usage, egress()).prop_map(|(usage, hosts)| SecretAccess { usage, hosts });
    btree_map(
        select(vec!["KEY", "TOKEN"]).prop_map(str::to_owned),
        secret,
        0..2,
    )
}

prop_compose! {
    fn access()(
        permissions in permissions(),
        declared in permissions(),
        hooks in names(),
        serves in names(),
        egress in egress(),
        secrets in secrets(),
        agents in names(),
        schedules in names(),
        fail_closed_hooks in names(),
        anyone_sender: bool,
        publisher in option::of(select(vec!["ed25519:1", "ed25519:2"]).prop_map(str::to_owned)),
    ) -> Access {
        Access {
            declared_permissions: declared.difference(&permissions).copied().collect(),
            permissions, hooks, serves, egress, secrets, agents, schedules, fail_closed_hooks,
            anyone_sender, publisher,
        }
    }
}

/// An access and one that asks for less, as a publisher might make it.
fn access_and_part() -> impl Strategy<Value = (Access, Access)> {
    (access(), access()).prop_map(|(whole, other)| {
        let both = |a: &BTreeSet<String>, b: &BTreeSet<String>| a & b;
        let part = Access {
            permissions: &whole.permissions & &other.permissions,
            declared_permissions: &whole.declared_permissions & &other.declared_permissions,
            hooks: both(&whole.hooks, &other.hooks),
            serves: both(&whole.serves, &other.serves),
            egress: other
                .egress
                .iter()
                .filter(|host| whole.egress.covers_host(host))
                .cloned()
                .collect(),
            secrets: BTreeMap::new(),
            agents: both(&whole.agents, &other.agents),
            schedules: both(&whole.schedules, &other.schedules),
            fail_closed_hooks: both(&whole.fail_closed_hooks, &other.fail_closed_hooks),
            anyone_sender: whole.anyone_sender && other.anyone_sender,
            publisher: whole.publisher.clone(),
        };
        (whole, part)
    })
}

proptest! {
    #[test]
    fn every_access_covers_itself_and_the_empty_one(a in access()) {
        prop_assert!(a.covers(&a));
        prop_assert!(a.covers(&Access::default()));
    }

    #[test]
    fn two_that_cover_each_other_are_the_same(a in access(), b in access()) {
        if a.covers(&b) && b.covers(&a) {
            prop_assert_eq!(a, b);
        }
    }

    #[test]
    fn coverage_carries_over((a, b) in access_and_part(), c in access()) {
        prop_assert!(a.covers(&b));
        if b.covers(&c) {
            prop_assert!(a.covers(&c));
        }
        if c.covers(&a) {
            prop_assert!(c.covers(&b));
        }
    }

    #[test]
    fn accepting_the_difference_covers(a in access(), b in access()) {
        let diff = a.diff(&b);
        prop_assert_eq!(diff.covered, a.covers(&b));
        prop_assert_eq!(diff.covered, diff.added.is_nothing());
        prop_assert_eq!(
            diff.covered,
            diff.added.parts(&b.declared_permissions).is_empty()
        );
        for permission in b.all_permissions() {
            prop_assert!(!diff.removed.permissions.contains(&permission));
        }
        let asked: BTreeSet<_> = b.parts().into_iter().collect();
        for part in diff.added.parts(&b.declared_permissions) {
            prop_assert!(asked.contains(&part), "{part:?} is not among what is asked");
        }
    }

    #[test]
    fn an_access_reads_back_from_its_canonical_form_with_the_same_digest(a in access()) {
        let text = a.canonical_json().expect("every access has a JSON form");
        let back: Access = serde_json::from_str(&text).expect("what was written reads back");
        prop_assert_eq!(&back, &a);
        prop_assert_eq!(back.digest().expect("as above"), a.digest().expect("as above"));
    }
}

#[test]
fn an_access_with_an_unknown_field_or_permission_does_not_read() {
    let good = Access::default()
        .canonical_json()
        .expect("every access has a JSON form");
    assert!(serde_json::from_str::<Access>(&good).is_ok());
    for bad in [
        good.replace("\"hooks\":[]", "\"hooks\":[],\"powers\":[]"),
        good.replace(
            "\"permissions\":[]",
            "\"permissions\":[\"agentApi:everything\"]",
        ),
        good.replace("\"egress\":[]", "\"egress\":[\"*\"]"),
        good.replace("\"hooks\":[],", ""),
    ] {
        assert_ne!(bad, good);
        assert!(serde_json::from_str::<Access>(&bad).is_err(), "{bad}");
    }
}
