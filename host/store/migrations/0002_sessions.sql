-- Sessions with their durable rows, what turns wrote, and what is still to be sent.
-- Times are milliseconds since 1970 (UTC).

-- One for each start of a host on this database. A started row of an older epoch has no turn.
CREATE TABLE epochs (
    epoch INTEGER PRIMARY KEY AUTOINCREMENT,
    began_at INTEGER NOT NULL CHECK (began_at >= 0)
) STRICT;

CREATE TABLE sessions (
    key TEXT PRIMARY KEY CHECK (key GLOB 'agent:*' AND octet_length(key) <= 512),
    profile TEXT NOT NULL
        CHECK (profile GLOB '[a-z]*' AND profile NOT GLOB '*[^a-z0-9-]*' AND octet_length(profile) <= 64),
    agent TEXT NOT NULL DEFAULT 'main',
    -- Where its answers go.
    route TEXT NOT NULL CHECK (json_valid(route)),
    -- The person of the platform who vouches for it, with the row that brought them. Written with
    -- that row, in one transaction.
    human_envelope TEXT CHECK (json_valid(human_envelope)),
    -- Why nothing of it runs, if so: a stable code.
    paused TEXT,
    generation INTEGER NOT NULL DEFAULT 0 CHECK (generation >= 0),
    next_seq INTEGER NOT NULL DEFAULT 1 CHECK (next_seq >= 1),
    created_at INTEGER NOT NULL CHECK (created_at >= 0),
    updated_at INTEGER NOT NULL CHECK (updated_at >= 0)
) STRICT;

CREATE INDEX sessions_by_profile ON sessions (profile, updated_at);

CREATE TABLE rows (
    -- UUIDv7.
    id TEXT PRIMARY KEY CHECK (octet_length(id) = 36),
    session TEXT NOT NULL REFERENCES sessions (key),
    seq INTEGER NOT NULL CHECK (seq >= 1),
    principal TEXT NOT NULL CHECK (octet_length(principal) BETWEEN 1 AND 512),
    request TEXT NOT NULL CHECK (octet_length(request) BETWEEN 1 AND 256),
    -- No list of kinds: a row of a kind that this program does not know pauses its session.
    kind TEXT NOT NULL CHECK (octet_length(kind) BETWEEN 1 AND 64),
    payload TEXT NOT NULL CHECK (json_valid(payload)),
    origin TEXT NOT NULL CHECK (json_valid(origin)),
    -- The chain of causes, the first cause first.
    causes TEXT NOT NULL CHECK (json_valid(causes)),
    route TEXT NOT NULL CHECK (json_valid(route)),
    status TEXT NOT NULL CHECK (status IN ('queued', 'started', 'settled', 'unknown')),
    outcome TEXT CHECK (outcome IN ('completed', 'interrupted', 'rejected', 'failed', 'cancelled')),
    -- Why it settled so: a stable code, and a sentence for people.
    reason TEXT,
    detail TEXT,
    -- Who claimed it: the host's epoch and the session's generation then.
    epoch INTEGER REFERENCES epochs (epoch),
    generation INTEGER NOT NULL,
    admitted_at INTEGER NOT NULL CHECK (admitted_at >= 0),
    started_at INTEGER,
    settled_at INTEGER,
    -- Whether the session was told that the row's turn was lost.
    told INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)),
    UNIQUE (session, seq),
    UNIQUE (principal, session, request),
    CHECK ((status = 'settled') = (outcome IS NOT NULL)),
    CHECK ((status = 'queued') = (started_at IS NULL) OR status = 'settled'),
    CHECK (status NOT IN ('started', 'unknown') OR epoch IS NOT NULL)
) STRICT;

-- A claim is one started row a session, whoever claims.
CREATE UNIQUE INDEX one_started_row_a_session ON rows (session) WHERE status = 'started';
CREATE INDEX rows_in_the_queue ON rows (session, seq) WHERE status = 'queued';
CREATE INDEX rows_that_are_unknown ON rows (session) WHERE status = 'unknown';

-- What a session's turns read back: each item with the origin of what it holds.
CREATE TABLE turn_items (
    session TEXT NOT NULL REFERENCES sessions (key),
    row TEXT NOT NULL REFERENCES rows (id),
    ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
    origin TEXT NOT NULL CHECK (json_valid(origin)),
    kind TEXT NOT NULL CHECK (kind IN ('text', 'calls', 'result')),
    content TEXT NOT NULL CHECK (json_valid(content)),
    generation INTEGER NOT NULL,
    PRIMARY KEY (row, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX turn_items_by_session ON turn_items (session, generation, row, ordinal);

-- What is to be sent, committed before it is. A post without a message is open: it is sent again
-- after a crash, under the same nonce.
CREATE TABLE posts (
    row TEXT NOT NULL REFERENCES rows (id),
    part INTEGER NOT NULL CHECK (part >= 0),
    session TEXT NOT NULL REFERENCES sessions (key),
    channel TEXT NOT NULL,
    reply_to TEXT,
    nonce TEXT NOT NULL UNIQUE CHECK (octet_length(nonce) BETWEEN 1 AND 25),
    content TEXT NOT NULL,
    epoch INTEGER NOT NULL REFERENCES epochs (epoch),
    message TEXT,
    -- Why it was given up.
    failed TEXT,
    created_at INTEGER NOT NULL CHECK (created_at >= 0),
    sent_at INTEGER,
    PRIMARY KEY (row, part),
    CHECK (message IS NULL OR failed IS NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX posts_that_are_open ON posts (session, row, part) WHERE message IS NULL AND failed IS NULL;

-- Messages that show a running turn, to be deleted when it ends, or after a crash. One without a
-- message was about to be posted.
CREATE TABLE previews (
    row TEXT PRIMARY KEY REFERENCES rows (id),
    channel TEXT NOT NULL,
    message TEXT
) STRICT, WITHOUT ROWID;

-- What was said where the assistant could hear it, and did not wake it.
CREATE TABLE overheard (
    profile TEXT NOT NULL,
    channel TEXT NOT NULL,
    message TEXT NOT NULL,
    author TEXT NOT NULL,
    author_name TEXT NOT NULL,
    is_bot INTEGER NOT NULL CHECK (is_bot IN (0, 1)),
    text TEXT NOT NULL,
    sent_at INTEGER NOT NULL,
    PRIMARY KEY (profile, channel, message)
) STRICT;

-- Who was last seen to say what in a channel: whether somebody is still addressed without being
-- named, and what to read again after the connection was lost.
CREATE TABLE channels_heard (
    profile TEXT NOT NULL,
    channel TEXT NOT NULL,
    place TEXT NOT NULL CHECK (json_valid(place)),
    -- The newest message that was taken.
    message TEXT NOT NULL,
    author TEXT NOT NULL,
    -- When that author last spoke to the assistant, nobody else having spoken since.
    addressed_at INTEGER,
    heard_at INTEGER NOT NULL,
    PRIMARY KEY (profile, channel)
) STRICT, WITHOUT ROWID;

-- Threads that the bot opened, or that somebody opened at its message. They help to see who is
-- addressed; authority always asks Discord.
CREATE TABLE bot_threads (
    profile TEXT NOT NULL,
    thread TEXT NOT NULL,
    parent TEXT,
    -- `plugin:<id>` on a plugin's turn, never the operator.
    created_by TEXT NOT NULL,
    row TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (profile, thread)
) STRICT, WITHOUT ROWID;

CREATE TABLE todos (
    session TEXT NOT NULL REFERENCES sessions (key),
    id INTEGER NOT NULL CHECK (id >= 1),
    title TEXT NOT NULL CHECK (octet_length(title) BETWEEN 1 AND 2000),
    state TEXT NOT NULL CHECK (state IN ('open', 'done')),
    -- A person's id, or `plugin:<id>`.
    created_by TEXT NOT NULL,
    row TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;

-- Sealed values; the key is a file in the home.
CREATE TABLE secrets (
    profile TEXT NOT NULL,
    name TEXT NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 64),
    sealed BLOB NOT NULL,
    updated_at INTEGER NOT NULL CHECK (updated_at >= 0),
    PRIMARY KEY (profile, name)
) STRICT;

CREATE TABLE gateway_sessions (
    profile TEXT NOT NULL,
    shard INTEGER NOT NULL CHECK (shard >= 0),
    session TEXT NOT NULL,
    resume_url TEXT NOT NULL,
    sequence INTEGER NOT NULL CHECK (sequence >= 0),
    bot TEXT NOT NULL,
    PRIMARY KEY (profile, shard)
) STRICT, WITHOUT ROWID;
