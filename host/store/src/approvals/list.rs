//! Approvals as they are found. Each query has an index that it uses.

use rusqlite::{Connection, OptionalExtension as _, Params};

use super::ApprovalId;
use super::approval::{Approval, read};
use crate::error::Fault;
use crate::{Epoch, Profile, RowId};

const ONE: &str = "SELECT * FROM approvals WHERE id = ?1";
const OPEN: &str = "SELECT * FROM approvals WHERE profile = ?1 AND state <> 'resolved'
    ORDER BY created_at, rowid";
const PAST: &str = "SELECT * FROM approvals WHERE profile = ?1 AND state = 'resolved'
    ORDER BY decided_at DESC, rowid DESC LIMIT ?2";
const EXPIRED: &str = "SELECT * FROM approvals WHERE expires_at <= ?1 AND state <> 'resolved'
    ORDER BY expires_at, rowid LIMIT ?2";
const OF_ROW: &str = "SELECT * FROM approvals WHERE row = ?1 ORDER BY created_at, rowid";
const ABANDONED: &str = "SELECT * FROM approvals WHERE profile = ?1 AND state <> 'resolved'
    AND NOT EXISTS (
        SELECT 1 FROM rows
        WHERE rows.id = approvals.row AND rows.status = 'started' AND rows.epoch = ?2)
    ORDER BY created_at, rowid";
const UNDRAWN: &str = "SELECT * FROM approvals
    WHERE profile = ?1 AND state = 'resolved' AND drawn < revision ORDER BY decided_at, rowid";

fn all(
    connection: &Connection,
    query: &str,
    parameters: impl Params,
) -> Result<Vec<Approval>, Fault> {
    Ok(connection
        .prepare_cached(query)?
        .query_map(parameters, read)?
        .collect::<Result<_, _>>()?)
}

pub(super) fn one(connection: &Connection, id: ApprovalId) -> Result<Option<Approval>, Fault> {
    Ok(connection
        .prepare_cached(ONE)?
        .query_row([id], read)
        .optional()?)
}

pub(super) fn open(connection: &Connection, profile: &Profile) -> Result<Vec<Approval>, Fault> {
    all(connection, OPEN, [profile])
}

pub(super) fn past(
    connection: &Connection,
    profile: &Profile,
    limit: u32,
) -> Result<Vec<Approval>, Fault> {
    all(connection, PAST, (profile, limit))
}

pub(super) fn expired(
    connection: &Connection,
    now: i64,
    limit: u32,
) -> Result<Vec<Approval>, Fault> {
    all(connection, EXPIRED, (now, limit))
}

pub(super) fn of_row(connection: &Connection, row: RowId) -> Result<Vec<Approval>, Fault> {
    all(connection, OF_ROW, [row])
}

pub(super) fn abandoned(
    connection: &Connection,
    profile: &Profile,
    epoch: Epoch,
) -> Result<Vec<Approval>, Fault> {
    all(connection, ABANDONED, (profile, epoch))
}

pub(super) fn undrawn(connection: &Connection, profile: &Profile) -> Result<Vec<Approval>, Fault> {
    all(connection, UNDRAWN, [profile])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migrations::{open_and_migrate, plan_of};

    #[test]
    fn every_query_finds_its_rows_by_an_index_in_the_order_in_which_they_are_given() {
        let folder = tempfile::tempdir().unwrap();
        let connection = open_and_migrate(&folder.path().join("ostler.db")).unwrap();
        for (query, index) in [
            (ONE, "sqlite_autoindex_approvals_1"),
            (OPEN, "approvals_that_are_open"),
            (PAST, "approvals_that_are_past"),
            (EXPIRED, "approvals_that_expire"),
            (OF_ROW, "approvals_by_row"),
            (ABANDONED, "approvals_that_are_open"),
            (UNDRAWN, "approvals_to_draw_again"),
        ] {
            let plan = plan_of(&connection, query);
            let steps = plan.join("\n");
            assert!(plan[0].starts_with("SEARCH approvals"), "{query}\n{steps}");
            assert!(plan[0].contains(index), "{query}\n{steps}");
            assert!(!steps.contains("SCAN"), "{query}\n{steps}");
            assert!(!steps.contains("TEMP B-TREE"), "{query}\n{steps}");
        }
    }
}
