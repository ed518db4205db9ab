-- Asks with their answers, the audit log, and what is noted of sessions and connections.
-- Times are milliseconds since 1970 (UTC).

-- What waits for a person's answer, or had one. The row is there before its card, and `message`
-- after it.
CREATE TABLE approvals (
    -- 128 random bits.
    id TEXT NOT NULL PRIMARY KEY CHECK (octet_length(id) = 32 AND id NOT GLOB '*[^0-9a-f]*'),
    profile TEXT NOT NULL
        CHECK (profile GLOB '[a-z]*' AND profile NOT GLOB '*[^a-z0-9-]*' AND octet_length(profile) <= 64),
    session TEXT NOT NULL REFERENCES sessions (key),
    row TEXT NOT NULL REFERENCES rows (id),
    epoch INTEGER NOT NULL REFERENCES epochs (epoch),
    class TEXT NOT NULL CHECK (class IN ('host', 'tool', 'clarify', 'platform')),
    tool TEXT NOT NULL CHECK (octet_length(tool) BETWEEN 1 AND 256),
    -- The author of the row, where a person is.
    asker TEXT CHECK (octet_length(asker) BETWEEN 1 AND 64),
    tier TEXT NOT NULL CHECK (octet_length(tier) BETWEEN 1 AND 64),
    -- SHA-256 of what is asked: the effect must have the same.
    digest TEXT NOT NULL
        CHECK (digest GLOB 'sha256:*' AND octet_length(digest) = 71 AND substr(digest, 8) NOT GLOB '*[^0-9a-f]*'),
    channel TEXT NOT NULL CHECK (octet_length(channel) BETWEEN 1 AND 64),
    nonce TEXT NOT NULL UNIQUE CHECK (octet_length(nonce) BETWEEN 1 AND 25),
    expires_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL CHECK (created_at >= 0),
    state TEXT NOT NULL CHECK (state IN ('creating', 'pending', 'resolved')),
    ending TEXT
        CHECK (ending IN ('approved', 'denied', 'unanswered', 'unreachable', 'cancelled', 'answered')),
    -- `length` stops at a zero byte, so the bytes are bounded too: four for each character.
    reason TEXT CHECK (length(reason) <= 500 AND octet_length(reason) <= 2000),
    answer TEXT CHECK (length(answer) <= 4000 AND octet_length(answer) <= 16000),
    decided_by TEXT CHECK (octet_length(decided_by) BETWEEN 1 AND 512),
    decided_via TEXT CHECK (decided_via IN ('discord', 'page', 'cli', 'host')),
    decided_at INTEGER CHECK (decided_at >= 0),
    -- The platform's id of the click that decided: one click decides once, whatever it names.
    event TEXT UNIQUE CHECK (octet_length(event) BETWEEN 1 AND 128),
    message TEXT CHECK (octet_length(message) BETWEEN 1 AND 64),
    -- Committed before the effect begins: at most once, whatever happens after.
    effect_started_at INTEGER CHECK (effect_started_at >= 0),
    effect_ended_at INTEGER CHECK (effect_ended_at >= 0),
    effect_outcome TEXT CHECK (effect_outcome IN ('done', 'failed')),
    -- Grows with each change that a card shows; `drawn` is what its message shows, 0 for nothing.
    revision INTEGER NOT NULL DEFAULT 1 CHECK (revision >= 1),
    drawn INTEGER NOT NULL DEFAULT 0 CHECK (drawn BETWEEN 0 AND revision),
    updated_at INTEGER NOT NULL CHECK (updated_at >= 0),
    -- All that the card shows. Last, since it may be long: reading the others does not read it.
    document TEXT NOT NULL CHECK (json_valid(document) AND octet_length(document) <= 4194304),
    CHECK (expires_at > created_at),
    CHECK (state <> 'creating' OR message IS NULL),
    CHECK (state <> 'pending' OR message IS NOT NULL),
    CHECK ((state = 'resolved') = (ending IS NOT NULL)),
    CHECK ((ending IS NULL) = (decided_by IS NULL)),
    CHECK ((ending IS NULL) = (decided_via IS NULL)),
    CHECK ((ending IS NULL) = (decided_at IS NULL)),
    CHECK (ending IS NOT NULL OR (reason IS NULL AND event IS NULL)),
    CHECK ((ending IS 'answered') = (answer IS NOT NULL)),
    -- A question is answered, everything else is approved or denied.
    CHECK (ending IS NULL OR class = 'clarify' OR ending <> 'answered'),
    CHECK (ending IS NULL OR class <> 'clarify' OR ending NOT IN ('approved', 'denied')),
    -- People answer before the window is over; silence ends it after.
    CHECK (ending IS NULL OR ending NOT IN ('approved', 'denied', 'answered') OR decided_at < expires_at),
    CHECK (ending IS NOT 'unanswered' OR decided_at >= expires_at),
    CHECK (effect_started_at IS NULL OR ending IS 'approved'),
    CHECK (effect_ended_at IS NULL OR effect_started_at IS NOT NULL),
    CHECK ((effect_ended_at IS NULL) = (effect_outcome IS NULL))
) STRICT;

CREATE INDEX approvals_that_are_open ON approvals (profile, created_at) WHERE state <> 'resolved';
CREATE INDEX approvals_that_expire ON approvals (expires_at) WHERE state <> 'resolved';
CREATE INDEX approvals_that_are_past ON approvals (profile, decided_at) WHERE state = 'resolved';
CREATE INDEX approvals_to_draw_again ON approvals (profile, decided_at)
    WHERE state = 'resolved' AND drawn < revision;
CREATE INDEX approvals_by_row ON approvals (row, created_at);

CREATE TRIGGER what_is_asked_stays BEFORE UPDATE OF
    id, profile, session, row, epoch, class, tool, asker, tier, digest, channel, expires_at,
    created_at, document
ON approvals
BEGIN
    SELECT RAISE(ABORT, 'what is asked does not change');
END;

CREATE TRIGGER what_was_decided_stays BEFORE UPDATE OF
    ending, reason, answer, decided_by, decided_via, decided_at, event
ON approvals WHEN OLD.ending IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'what was decided does not change');
END;

CREATE TRIGGER an_effect_begins_once BEFORE UPDATE OF effect_started_at
ON approvals WHEN OLD.effect_started_at IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'an effect begins once');
END;

CREATE TRIGGER an_effect_ends_once BEFORE UPDATE OF effect_ended_at, effect_outcome
ON approvals WHEN OLD.effect_ended_at IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'an effect ends once');
END;

-- Who did what, where, when and why: only ever added to, in the transaction of what it records.
-- Each entry holds the hash of the one before it.
CREATE TABLE audit (
    seq INTEGER PRIMARY KEY CHECK (seq >= 1),
    -- Canonical JSON holds whole numbers up to 2^53 - 1 (RFC 8785, section 3.2.2.3).
    at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 9007199254740991),
    profile TEXT
        CHECK (profile GLOB '[a-z]*' AND profile NOT GLOB '*[^a-z0-9-]*' AND octet_length(profile) <= 64),
    kind TEXT NOT NULL
        CHECK (kind GLOB '[a-z]*' AND kind NOT GLOB '*[^a-z0-9-]*' AND octet_length(kind) <= 64),
    actor TEXT NOT NULL CHECK (octet_length(actor) BETWEEN 1 AND 512),
    subject TEXT CHECK (octet_length(subject) BETWEEN 1 AND 512),
    place TEXT CHECK (octet_length(place) BETWEEN 1 AND 512),
    digest TEXT
        CHECK (digest GLOB 'sha256:*' AND octet_length(digest) = 71 AND substr(digest, 8) NOT GLOB '*[^0-9a-f]*'),
    detail TEXT NOT NULL
        CHECK (json_valid(detail) AND json_type(detail) = 'object' AND octet_length(detail) <= 65536),
    previous TEXT NOT NULL
        CHECK (previous GLOB 'sha256:*' AND octet_length(previous) = 71 AND substr(previous, 8) NOT GLOB '*[^0-9a-f]*'),
    hash TEXT NOT NULL UNIQUE
        CHECK (hash GLOB 'sha256:*' AND octet_length(hash) = 71 AND substr(hash, 8) NOT GLOB '*[^0-9a-f]*')
) STRICT;

CREATE INDEX audit_by_profile ON audit (profile, seq);

CREATE TRIGGER audit_is_never_updated BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is only added to');
END;

CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is only added to');
END;

-- Also against INSERT OR REPLACE, which deletes without firing the trigger above.
CREATE TRIGGER audit_is_a_chain BEFORE INSERT ON audit
WHEN NEW.seq <> coalesce((SELECT max(seq) FROM audit), 0) + 1
    OR NEW.previous <> coalesce(
        (SELECT hash FROM audit ORDER BY seq DESC LIMIT 1),
        'sha256:0000000000000000000000000000000000000000000000000000000000000000')
    OR EXISTS (SELECT 1 FROM audit WHERE hash = NEW.hash)
BEGIN
    SELECT RAISE(ABORT, 'an entry of the audit log follows the last one');
END;

-- What the operator set for a session.
CREATE TABLE session_flags (
    session TEXT PRIMARY KEY REFERENCES sessions (key),
    -- Since when, and by whom, nothing of it asks any more.
    yolo_since INTEGER CHECK (yolo_since >= 0),
    yolo_by TEXT CHECK (octet_length(yolo_by) BETWEEN 1 AND 512),
    CHECK ((yolo_since IS NULL) = (yolo_by IS NULL))
) STRICT, WITHOUT ROWID;

-- When a profile was last known to be connected to its platform.
CREATE TABLE connection_marks (
    profile TEXT PRIMARY KEY
        CHECK (profile GLOB '[a-z]*' AND profile NOT GLOB '*[^a-z0-9-]*' AND octet_length(profile) <= 64),
    at INTEGER NOT NULL CHECK (at >= 0)
) STRICT, WITHOUT ROWID;

-- The application of the bot, from READY; none where it was not known yet.
ALTER TABLE gateway_sessions
    ADD COLUMN application TEXT CHECK (octet_length(application) BETWEEN 1 AND 64);
