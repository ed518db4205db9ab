//! Sets of members, small enough to be copied into every invocation.

use std::collections::BTreeSet;

use ostler_scanner::Permission;
use ostler_scanner::members::{Member, TABLE};

/// A member by its place in [`TABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId(u8);

impl MemberId {
    /// The id of a member's dotted path, such as `session.todo.create`.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let place = TABLE.iter().position(|member| member.path == path)?;
        u8::try_from(place).ok().map(Self)
    }

    /// The member's row.
    #[must_use]
    pub fn member(self) -> &'static Member {
        TABLE[usize::from(self.0)]
    }

    fn all() -> impl Iterator<Item = (Self, &'static Member)> {
        (0_u8..).map(Self).zip(TABLE.iter().copied())
    }
}

/// A set of members. The table has fewer than 128 rows; a test holds it to that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberSet(u128);

impl MemberSet {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    /// The members that `permissions` grant: those whose every permission is among them, members
    /// without a permission included.
    #[must_use]
    pub fn granted(permissions: &BTreeSet<Permission>) -> Self {
        Self::filtered(|member| member.permissions.iter().all(|p| permissions.contains(p)))
    }

    /// The members for which `keep` holds.
    pub fn filtered(keep: impl Fn(&Member) -> bool) -> Self {
        MemberId::all()
            .filter(|(_, member)| keep(member))
            .fold(Self::EMPTY, |set, (id, _)| Self(set.0 | 1 << id.0))
    }

    /// Whether `member` is in the set.
    #[must_use]
    pub fn contains(self, member: MemberId) -> bool {
        self.0 & (1 << member.0) != 0
    }

    /// The members of both sets.
    #[must_use]
    pub fn meet(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The members of either set.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The members, in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = &'static Member> {
        MemberId::all()
            .filter(move |(id, _)| self.contains(*id))
            .map(|(_, member)| member)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_has_a_bit() {
        assert!(TABLE.len() < 128, "widen MemberSet");
        let all = MemberSet::filtered(|_| true);
        assert_eq!(all.iter().count(), TABLE.len());
        for member in TABLE.iter() {
            let id = MemberId::of(member.path).unwrap();
            assert_eq!(id.member().path, member.path);
            assert!(all.contains(id));
        }
    }

    #[test]
    fn a_member_with_two_permissions_needs_both() {
        let start = MemberId::of("origin.start").unwrap();
        let both: BTreeSet<Permission> = start.member().permissions.iter().copied().collect();
        assert_eq!(both.len(), 2);
        assert!(MemberSet::granted(&both).contains(start));
        for one in both {
            assert!(!MemberSet::granted(&BTreeSet::from([one])).contains(start));
        }
    }

    #[test]
    fn members_without_a_permission_are_always_granted() {
        let none = MemberSet::granted(&BTreeSet::new());
        assert!(none.contains(MemberId::of("log.info").unwrap()));
        assert!(!none.contains(MemberId::of("threads.create").unwrap()));
    }
}
