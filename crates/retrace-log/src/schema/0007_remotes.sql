-- Hosted stores: what is known of a store that another machine serves, beside its versions, which are versions like any other.
-- A mirror's root begins with "remote:".

-- listing: a listing of the host's versions was begun and did not come to its end; cursor: where it goes on. pulls: how many were begun; only the
-- newest may keep pages.
CREATE TABLE remotes (
    store_id       INTEGER PRIMARY KEY REFERENCES stores (id),
    base_url       TEXT    NOT NULL,
    remote_id      TEXT    NOT NULL,
    description    TEXT    NOT NULL DEFAULT '',
    metadata       TEXT    NOT NULL DEFAULT '{}',
    archived_at    INTEGER,
    pulled_at      INTEGER,
    problem        TEXT,
    listing        INTEGER NOT NULL DEFAULT 0 CHECK (listing IN (0, 1)),
    listings       INTEGER NOT NULL DEFAULT 0,
    cursor         TEXT,
    pulls          INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Which version here a version of the host is. version_seq: none when it brought nothing, because the host had redacted it
-- before, or because the memory had that content already, in the version equal_seq. memory_id: none when its memory was never
-- seen. happened_at: when it happened at the host. redacted_at: when the host redacted it.
CREATE TABLE mirrored (
    id                INTEGER PRIMARY KEY,
    store_id          INTEGER NOT NULL REFERENCES stores (id),
    remote_version_id TEXT    NOT NULL,
    remote_memory_id  TEXT    NOT NULL,
    memory_id         INTEGER REFERENCES memories (id),
    version_seq       INTEGER REFERENCES versions (seq),
    equal_seq         INTEGER REFERENCES versions (seq),
    happened_at       INTEGER NOT NULL,
    redacted_at       INTEGER,
    UNIQUE (store_id, remote_version_id),
    CHECK (version_seq IS NULL OR equal_seq IS NULL),
    CHECK (memory_id IS NOT NULL OR (version_seq IS NULL AND equal_seq IS NULL))
) STRICT;
CREATE UNIQUE INDEX mirrored_by_version ON mirrored (version_seq) WHERE version_seq IS NOT NULL;
CREATE INDEX mirrored_by_equal ON mirrored (equal_seq) WHERE equal_seq IS NOT NULL;
CREATE INDEX mirrored_by_memory ON mirrored (store_id, remote_memory_id);
CREATE INDEX mirrored_by_own_memory ON mirrored (memory_id) WHERE memory_id IS NOT NULL;

CREATE TRIGGER mirrored_no_delete BEFORE DELETE ON mirrored BEGIN SELECT RAISE (ABORT, 'mirrored versions are kept'); END;
CREATE TRIGGER mirrored_keep_facts BEFORE UPDATE ON mirrored
    WHEN NOT (NEW.id IS OLD.id AND NEW.store_id IS OLD.store_id AND NEW.remote_version_id IS OLD.remote_version_id
        AND NEW.remote_memory_id IS OLD.remote_memory_id AND NEW.memory_id IS OLD.memory_id
        AND NEW.version_seq IS OLD.version_seq AND NEW.equal_seq IS OLD.equal_seq AND NEW.happened_at IS OLD.happened_at
        AND (OLD.redacted_at IS NULL OR NEW.redacted_at IS OLD.redacted_at))
    BEGIN SELECT RAISE (ABORT, 'mirrored versions are kept'); END;
CREATE TRIGGER mirrored_no_replace BEFORE INSERT ON mirrored
    WHEN EXISTS (SELECT 1 FROM mirrored WHERE id = NEW.id OR version_seq = NEW.version_seq
        OR (store_id = NEW.store_id AND remote_version_id = NEW.remote_version_id))
    BEGIN SELECT RAISE (ABORT, 'mirrored versions are kept'); END;

-- Pages of a pull before they are appended. They can be fetched again, so that a redaction empties this table. listing and place:
-- the listing that brought the version and its place there, newest first; a later listing is of newer versions.
CREATE TABLE remote_staged (
    store_id          INTEGER NOT NULL REFERENCES stores (id),
    remote_version_id TEXT    NOT NULL,
    listing           INTEGER NOT NULL,
    place             INTEGER NOT NULL,
    remote_memory_id  TEXT    NOT NULL,
    operation         TEXT    NOT NULL,
    path              BLOB,
    content           BLOB,
    actor_type        TEXT,
    actor_name        TEXT,
    happened_at       INTEGER NOT NULL,
    redacted_at       INTEGER,
    PRIMARY KEY (store_id, remote_version_id)
) STRICT;
CREATE INDEX remote_staged_in_order ON remote_staged (store_id, listing, place);

-- Changes that wait to be sent to a host. remote_version_id: with redact, the version to redact; otherwise the version the change
-- was made against. expected_sha256 goes when the content it is of is redacted; the version it was of is asked for then.
CREATE TABLE remote_queue (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    store_id          INTEGER NOT NULL REFERENCES stores (id),
    kind              TEXT    NOT NULL CHECK (kind IN ('create', 'update', 'delete', 'redact', 'archive')),
    path              BLOB,
    moved_from        BLOB,
    remote_memory_id  TEXT,
    remote_version_id TEXT,
    expected_sha256   BLOB CHECK (expected_sha256 IS NULL OR length(expected_sha256) = 32),
    content           BLOB,
    content_sha256    BLOB CHECK (content_sha256 IS NULL OR length(content_sha256) = 32),
    operation_seq     INTEGER REFERENCES operations (seq),
    source            TEXT    NOT NULL,
    note              TEXT,
    created_at        INTEGER NOT NULL,
    state             TEXT    NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'conflict', 'failed')),
    message           TEXT,
    CHECK ((content IS NULL) = (content_sha256 IS NULL))
) STRICT;
CREATE INDEX remote_queue_by_store ON remote_queue (store_id);
CREATE INDEX remote_queue_by_operation ON remote_queue (operation_seq) WHERE operation_seq IS NOT NULL;

-- Which operation queued a change and which one says that the host took it, so that the first can be undone as a whole.
CREATE TABLE remote_sent (
    sent_seq       INTEGER PRIMARY KEY REFERENCES operations (seq),
    operation_seq  INTEGER NOT NULL REFERENCES operations (seq)
) STRICT;
CREATE INDEX remote_sent_by_operation ON remote_sent (operation_seq);
