//! The chain: how entries are hashed, added, read and looked through.

use rusqlite::{Connection, OptionalExtension as _, named_params};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{AuditEntry, AuditVerdict, NewAuditEntry};
use crate::error::Fault;
use crate::{Digest, Profile};

/// In front of what is hashed, so that the hash of an entry is the hash of nothing else.
const DOMAIN: &[u8] = b"ostler.audit.v1\0";
/// What the first entry follows. The schema's trigger names it too.
const ROOT: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// Selects an entry's fields in the order in which [`read`] takes them.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT seq, at, profile, kind, actor, subject, place, digest, detail, previous, hash
             FROM audit ",
            $rest
        )
    };
}

const ALL: &str = select!("ORDER BY seq");
const AFTER: &str = select!("WHERE seq > ?1 ORDER BY seq LIMIT ?2");
const AFTER_OF_PROFILE: &str = select!("WHERE seq > ?1 AND profile = ?3 ORDER BY seq LIMIT ?2");
const LAST: &str = "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1";
const PLACE: &str = "SELECT seq FROM audit WHERE hash = ?1";

/// What is hashed of an entry.
#[derive(Serialize)]
struct Hashed<'a> {
    seq: i64,
    at: i64,
    profile: Option<&'a Profile>,
    kind: &'a str,
    actor: &'a str,
    subject: Option<&'a str>,
    place: Option<&'a str>,
    digest: Option<&'a str>,
    // As a string: every byte counts, also of what JSON takes for the same.
    detail: &'a str,
}

impl Hashed<'_> {
    fn after(&self, previous: &str) -> Result<String, Fault> {
        let canonical = serde_json_canonicalizer::to_vec(self)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        let hash = Sha256::new()
            .chain_update(DOMAIN)
            .chain_update(previous)
            .chain_update(canonical)
            .finalize();
        Ok(Digest::from_sha256(hash.into()).as_str().to_owned())
    }
}

/// Adds an entry in the caller's transaction. The last one is read in it, so that entries of one
/// group of writes follow each other, and one that is rolled back leaves no gap.
pub(crate) fn append(connection: &Connection, entry: &NewAuditEntry) -> Result<u64, Fault> {
    let last: Option<(i64, String)> = connection
        .prepare_cached(LAST)?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (last, previous) = last.unwrap_or((0, ROOT.to_owned()));
    let seq = last + 1;
    let hash = Hashed {
        seq,
        at: entry.at,
        profile: entry.profile.as_ref(),
        kind: &entry.kind,
        actor: &entry.actor,
        subject: entry.subject.as_deref(),
        place: entry.place.as_deref(),
        digest: entry.digest.as_deref(),
        detail: &entry.detail,
    }
    .after(&previous)?;
    connection
        .prepare_cached(
            "INSERT INTO audit (seq, at, profile, kind, actor, subject, place, digest, detail,
                 previous, hash)
             VALUES (:seq, :at, :profile, :kind, :actor, :subject, :place, :digest, :detail,
                 :previous, :hash)",
        )?
        .execute(named_params! {
            ":seq": seq,
            ":at": entry.at,
            ":profile": entry.profile,
            ":kind": entry.kind,
            ":actor": entry.actor,
            ":subject": entry.subject,
            ":place": entry.place,
            ":digest": entry.digest,
            ":detail": entry.detail,
            ":previous": previous,
            ":hash": hash,
        })?;
    Ok(unsigned(seq))
}

pub(super) fn entries(
    connection: &Connection,
    after: u64,
    limit: u32,
    profile: Option<&Profile>,
) -> Result<Vec<AuditEntry>, Fault> {
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(match profile {
        None => AFTER,
        Some(_) => AFTER_OF_PROFILE,
    })?;
    let entries = match profile {
        None => statement.query_map((after, limit), read)?,
        Some(profile) => statement.query_map((after, limit, profile), read)?,
    };
    Ok(entries.collect::<Result<_, _>>()?)
}

pub(super) fn verify(connection: &Connection) -> Result<AuditVerdict, Fault> {
    let mut statement = connection.prepare(ALL)?;
    let mut rows = statement.query([])?;
    let mut entries = 0;
    let mut head = ROOT.to_owned();
    while let Some(row) = rows.next()? {
        let expected = entries + 1;
        let broken = |what: String| {
            Ok(AuditVerdict::Broken {
                seq: expected,
                what,
            })
        };
        let entry = match read(row) {
            Ok(entry) => entry,
            // A value that no entry can have was written past the store.
            Err(error) => return broken(format!("the entry cannot be read: {error}")),
        };
        if entry.seq != expected {
            return broken(format!(
                "the entry is missing; the next one is {}",
                entry.seq
            ));
        }
        if entry.previous != head {
            return broken("the entry does not follow the one before it".to_owned());
        }
        // A number that canonical JSON cannot hold was written past the store too.
        if entry.hashed().after(&head).ok().as_ref() != Some(&entry.hash) {
            return broken("the entry's hash is not that of what it says".to_owned());
        }
        entries = expected;
        head = entry.hash;
    }
    Ok(AuditVerdict::Whole { entries, head })
}

pub(super) fn place_of(connection: &Connection, hash: &str) -> Result<Option<u64>, Fault> {
    Ok(connection
        .prepare_cached(PLACE)?
        .query_row([hash], |row| row.get(0).map(unsigned))
        .optional()?)
}

impl AuditEntry {
    fn hashed(&self) -> Hashed<'_> {
        Hashed {
            seq: i64::try_from(self.seq).unwrap_or(i64::MAX),
            at: self.at,
            profile: self.profile.as_ref(),
            kind: &self.kind,
            actor: &self.actor,
            subject: self.subject.as_deref(),
            place: self.place.as_deref(),
            digest: self.digest.as_deref(),
            detail: &self.detail,
        }
    }
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<AuditEntry> {
    Ok(AuditEntry {
        seq: unsigned(row.get(0)?),
        at: row.get(1)?,
        profile: row.get(2)?,
        kind: row.get(3)?,
        actor: row.get(4)?,
        subject: row.get(5)?,
        place: row.get(6)?,
        digest: row.get(7)?,
        detail: row.get(8)?,
        previous: row.get(9)?,
        hash: row.get(10)?,
    })
}

/// A column with a `CHECK` that it is at least 1.
fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migrations::{open_and_migrate, plan_of};

    #[test]
    fn entries_are_found_by_their_place_their_profile_or_their_hash() {
        let folder = tempfile::tempdir().unwrap();
        let connection = open_and_migrate(&folder.path().join("ostler.db")).unwrap();
        for (query, step) in [
            (AFTER, "SEARCH audit USING INTEGER PRIMARY KEY (rowid>?)"),
            (
                AFTER_OF_PROFILE,
                "SEARCH audit USING INDEX audit_by_profile (profile=? AND seq>?)",
            ),
            (
                PLACE,
                "SEARCH audit USING COVERING INDEX sqlite_autoindex_audit_1 (hash=?)",
            ),
            // From the end of the table; the limit ends it after one step.
            (LAST, "SCAN audit"),
        ] {
            assert_eq!(plan_of(&connection, query), [step], "{query}");
        }
    }

    /// The hash of the first entry, computed here step by step from the text that is promised:
    /// whoever checks a log without this program can do the same.
    #[test]
    fn the_hash_is_what_the_documentation_says() {
        let entry = AuditEntry {
            seq: 1,
            at: 1_700_000_000_000,
            profile: Some("main".parse().unwrap()),
            kind: "approved".to_owned(),
            actor: "discord:7".to_owned(),
            subject: None,
            place: Some("10".to_owned()),
            digest: None,
            detail: r#"{"b": 1,"a":"é"}"#.to_owned(),
            previous: ROOT.to_owned(),
            hash: String::new(),
        };
        // RFC 8785: names sorted, no spaces, `"` escaped and nothing else.
        let canonical = concat!(
            r#"{"actor":"discord:7","at":1700000000000,"detail":"{\"b\": 1,\"a\":\"é\"}","#,
            r#""digest":null,"kind":"approved","place":"10","profile":"main","seq":1,"#,
            r#""subject":null}"#
        );
        let bytes = [DOMAIN, ROOT.as_bytes(), canonical.as_bytes()].concat();
        let expected = format!("sha256:{}", hex::encode(Sha256::digest(bytes)));
        assert_eq!(entry.hashed().after(ROOT).unwrap(), expected);
    }
}
