-- Published versions, what is installed in which profile, and each install's settings.
-- Times are milliseconds since 1970 (UTC). JSON is the canonical text that the caller gave.

CREATE TABLE versions (
    package TEXT NOT NULL
        CHECK (package GLOB '[a-z]*' AND package NOT GLOB '*[^a-z0-9-]*' AND octet_length(package) <= 64),
    version TEXT NOT NULL CHECK (octet_length(version) BETWEEN 1 AND 256),
    -- SHA-256 of the component's bytes.
    digest TEXT NOT NULL
        CHECK (digest GLOB 'sha256:*' AND octet_length(digest) = 71 AND substr(digest, 8) NOT GLOB '*[^0-9a-f]*'),
    manifest TEXT NOT NULL CHECK (json_valid(manifest)),
    scan TEXT NOT NULL CHECK (json_valid(scan)),
    access TEXT NOT NULL CHECK (json_valid(access)),
    access_digest TEXT NOT NULL
        CHECK (access_digest GLOB 'sha256:*' AND octet_length(access_digest) = 71 AND substr(access_digest, 8) NOT GLOB '*[^0-9a-f]*'),
    catalogue TEXT NOT NULL CHECK (json_valid(catalogue)),
    readme TEXT,
    -- The signed text, byte for byte.
    statement TEXT NOT NULL CHECK (json_valid(statement)),
    -- Ed25519.
    signature BLOB NOT NULL CHECK (length(signature) = 64),
    publisher TEXT NOT NULL CHECK (publisher <> ''),
    published_at INTEGER NOT NULL CHECK (published_at >= 0),
    PRIMARY KEY (package, version)
) STRICT;

CREATE TRIGGER versions_are_never_updated BEFORE UPDATE ON versions
BEGIN
    SELECT RAISE(ABORT, 'a published version is immutable');
END;

CREATE TRIGGER versions_are_never_deleted BEFORE DELETE ON versions
BEGIN
    SELECT RAISE(ABORT, 'a published version is immutable');
END;

-- INSERT OR REPLACE deletes without firing the trigger above.
CREATE TRIGGER versions_are_never_replaced BEFORE INSERT ON versions
WHEN EXISTS (SELECT 1 FROM versions WHERE package = NEW.package AND version = NEW.version)
BEGIN
    SELECT RAISE(ABORT, 'a published version is immutable');
END;

CREATE TABLE installs (
    profile TEXT NOT NULL
        CHECK (profile GLOB '[a-z]*' AND profile NOT GLOB '*[^a-z0-9-]*' AND octet_length(profile) <= 64),
    package TEXT NOT NULL,
    version TEXT NOT NULL,
    digest TEXT NOT NULL
        CHECK (digest GLOB 'sha256:*' AND octet_length(digest) = 71 AND substr(digest, 8) NOT GLOB '*[^0-9a-f]*'),
    -- What the installer accepted: the grant. It may be narrower than the version's access.
    access TEXT NOT NULL CHECK (json_valid(access)),
    access_digest TEXT NOT NULL
        CHECK (access_digest GLOB 'sha256:*' AND octet_length(access_digest) = 71 AND substr(access_digest, 8) NOT GLOB '*[^0-9a-f]*'),
    publisher TEXT NOT NULL CHECK (publisher <> ''),
    state TEXT NOT NULL CHECK (state IN ('pending-keys', 'active', 'removing')),
    -- The keys that are still to be written to the profile's file, a list.
    pending_keys TEXT NOT NULL CHECK (json_valid(pending_keys)),
    installed_at INTEGER NOT NULL CHECK (installed_at >= 0),
    updated_at INTEGER NOT NULL CHECK (updated_at >= 0),
    -- Keys that are written are no longer pending: a later version must not write them again,
    -- since the operator may have taken one away.
    CHECK (state <> 'active' OR pending_keys = '[]'),
    PRIMARY KEY (profile, package),
    FOREIGN KEY (package, version) REFERENCES versions (package, version)
) STRICT;

CREATE INDEX installs_by_version ON installs (package, version);

CREATE TABLE settings (
    profile TEXT NOT NULL,
    package TEXT NOT NULL,
    key TEXT NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 256),
    value TEXT NOT NULL CHECK (octet_length(value) <= 65536),
    PRIMARY KEY (profile, package, key),
    -- An install is replaced by UPDATE, never by delete and insert, so this drops settings
    -- only with the install itself.
    FOREIGN KEY (profile, package) REFERENCES installs (profile, package) ON DELETE CASCADE
) STRICT;
