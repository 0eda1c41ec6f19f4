-- The version log, first form. Numbers in CHECKs are explained in crates/retrace-log/src/{rows,blob}.rs.

CREATE TABLE stores (
    id             INTEGER PRIMARY KEY,
    public         BLOB    NOT NULL UNIQUE CHECK (length(public) = 16),
    kind           TEXT    NOT NULL,
    root           BLOB    NOT NULL UNIQUE,
    name           TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    paused         INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    removed_at     INTEGER,
    state          TEXT    NOT NULL DEFAULT 'recording',
    state_detail   TEXT,
    versions       INTEGER NOT NULL DEFAULT 0,
    baseline       INTEGER NOT NULL DEFAULT 0,
    last_change    INTEGER
) STRICT;

CREATE TABLE memories (
    id             INTEGER PRIMARY KEY,
    public         BLOB    NOT NULL UNIQUE CHECK (length(public) = 16),
    store_id       INTEGER NOT NULL REFERENCES stores (id)
) STRICT;
CREATE INDEX memories_by_store ON memories (store_id);

-- A path is kept once. It goes when the last version that names it is redacted.
CREATE TABLE paths (
    id             INTEGER PRIMARY KEY,
    bytes          BLOB    NOT NULL UNIQUE CHECK (length(bytes) > 0)
) STRICT;

CREATE TABLE actors (
    id             INTEGER PRIMARY KEY,
    type           TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    evidence       TEXT    NOT NULL,
    UNIQUE (type, name, evidence)
) STRICT;

-- Its versions are the created + modified + deleted ones from first_version on.
CREATE TABLE operations (
    seq            INTEGER PRIMARY KEY CHECK (seq > 0),
    store_id       INTEGER REFERENCES stores (id),
    source         TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    actor_id       INTEGER REFERENCES actors (id),
    note           TEXT,
    undoes         INTEGER REFERENCES operations (seq),
    first_version  INTEGER NOT NULL CHECK (first_version > 0),
    created        INTEGER NOT NULL CHECK (created >= 0),
    modified       INTEGER NOT NULL CHECK (modified >= 0),
    deleted        INTEGER NOT NULL CHECK (deleted >= 0),
    digest         BLOB    NOT NULL CHECK (length(digest) = 32)
) STRICT;
CREATE INDEX operations_by_store ON operations (store_id);
CREATE INDEX operations_by_time ON operations (created_at);
CREATE UNIQUE INDEX operations_by_undone ON operations (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX operations_by_actor ON operations (actor_id) WHERE actor_id IS NOT NULL;

-- encoding: 0 as it is, 1 zstd, 2 zstd against base_id, 3 not kept (too large), 9 masked.
CREATE TABLE blobs (
    id             INTEGER PRIMARY KEY,
    encoding       INTEGER NOT NULL CHECK (encoding IN (0, 1, 2, 3, 9)),
    is_text        INTEGER CHECK (is_text IN (0, 1)),
    depth          INTEGER NOT NULL CHECK (depth BETWEEN 0 AND 63),
    base_id        INTEGER REFERENCES blobs (id),
    size           INTEGER,
    salt           BLOB,
    sha256         BLOB,
    data           BLOB,
    CHECK ((encoding = 2) = (base_id IS NOT NULL)),
    CHECK ((encoding = 9) = (sha256 IS NULL)),
    CHECK ((encoding = 9) = (salt IS NULL)),
    CHECK ((encoding = 9) = (size IS NULL)),
    CHECK ((encoding = 9) = (is_text IS NULL)),
    CHECK ((encoding IN (3, 9)) = (data IS NULL))
) STRICT;
CREATE INDEX blobs_by_key ON blobs (substr(sha256, 1, 8)) WHERE sha256 IS NOT NULL;
-- No index over base_id: only a redaction asks for it, and reads the table through anyway.

CREATE TABLE redactions (
    id             INTEGER PRIMARY KEY,
    public         BLOB    NOT NULL UNIQUE CHECK (length(public) = 16),
    operation_seq  INTEGER NOT NULL REFERENCES operations (seq),
    created_at     INTEGER NOT NULL,
    actor_id       INTEGER REFERENCES actors (id),
    reason         TEXT,
    method         TEXT    NOT NULL,
    versions       INTEGER NOT NULL,
    live_files     INTEGER NOT NULL,
    purge          TEXT    NOT NULL CHECK (purge IN ('pending', 'done')),
    chain_head     BLOB    NOT NULL,
    chain_verified INTEGER CHECK (chain_verified IN (0, 1)),
    warnings       TEXT    NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE receipt_places (
    redaction_id   INTEGER NOT NULL REFERENCES redactions (id),
    position       INTEGER NOT NULL,
    place          TEXT    NOT NULL,
    state          TEXT    NOT NULL CHECK (state IN ('clean', 'left', 'out_of_reach')),
    hits           INTEGER NOT NULL,
    detail         TEXT,
    PRIMARY KEY (redaction_id, position)
) STRICT, WITHOUT ROWID;

-- change: 1 created, 2 modified, 3 deleted, 4 modified and at another path than before. number: the how-manieth version
-- of its memory. A version with content takes its salt from its blob; one without has its own. operation_seq references
-- no operation, because an operation is written after its versions, whose digest it holds, and SQLite would then look
-- through all versions for those that waited for it; the chain says whether the two belong together.
CREATE TABLE versions (
    seq            INTEGER PRIMARY KEY CHECK (seq > 0),
    operation_seq  INTEGER NOT NULL,
    store_id       INTEGER NOT NULL REFERENCES stores (id),
    memory_id      INTEGER NOT NULL REFERENCES memories (id),
    number         INTEGER NOT NULL CHECK (number > 0),
    change         INTEGER NOT NULL CHECK (change IN (1, 2, 3, 4)),
    path_id        INTEGER,
    blob_id        INTEGER REFERENCES blobs (id),
    salt           BLOB,
    commitment     BLOB,
    redaction_id   INTEGER REFERENCES redactions (id),
    CHECK ((change = 3) = (blob_id IS NULL)),
    CHECK ((redaction_id IS NULL) = (path_id IS NOT NULL)),
    CHECK ((redaction_id IS NULL) = (commitment IS NULL)),
    CHECK ((salt IS NOT NULL) = (change = 3 AND redaction_id IS NULL))
) STRICT;
CREATE INDEX versions_by_memory ON versions (memory_id);
CREATE INDEX versions_by_store ON versions (store_id);
CREATE INDEX versions_by_blob ON versions (blob_id) WHERE blob_id IS NOT NULL;

-- Where each memory has been, so that a path finds its history. Derived; a redaction takes rows out.
CREATE TABLE memory_paths (
    store_id       INTEGER NOT NULL REFERENCES stores (id),
    path_id        INTEGER NOT NULL,
    memory_id      INTEGER NOT NULL REFERENCES memories (id),
    PRIMARY KEY (store_id, path_id, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_paths_by_path ON memory_paths (path_id);

-- The memories that are there now. Derived from versions, except for what the last look at the file saw.
-- shadow: a live file whose newest version is redacted, known by a salted hash of what the file system says of it.
CREATE TABLE live (
    memory_id      INTEGER PRIMARY KEY REFERENCES memories (id),
    store_id       INTEGER NOT NULL REFERENCES stores (id),
    path_id        INTEGER NOT NULL REFERENCES paths (id),
    version_seq    INTEGER NOT NULL REFERENCES versions (seq),
    size           INTEGER,
    modified_nanos INTEGER,
    changed_nanos  INTEGER,
    file_id        INTEGER,
    seen_at        INTEGER NOT NULL,
    shadow         BLOB,
    UNIQUE (store_id, path_id)
) STRICT;
CREATE INDEX live_by_path ON live (path_id);

-- Full text, fed with words already split and folded (search/words.rs). Derived; follows the log by search_state.
CREATE VIRTUAL TABLE live_text USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
CREATE VIRTUAL TABLE history_text USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');

CREATE TABLE search_live (
    memory_id      INTEGER PRIMARY KEY REFERENCES memories (id),
    version_seq    INTEGER NOT NULL
) STRICT;
CREATE TABLE search_state (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    indexed_seq    INTEGER NOT NULL
) STRICT;
INSERT INTO search_state VALUES (1, 0);

-- Law: what is recorded is never updated, deleted or replaced. Redaction alone masks, and masking is one way.
CREATE TRIGGER operations_no_update BEFORE UPDATE ON operations BEGIN SELECT RAISE (ABORT, 'operations are append-only'); END;
CREATE TRIGGER operations_no_delete BEFORE DELETE ON operations BEGIN SELECT RAISE (ABORT, 'operations are append-only'); END;
CREATE TRIGGER operations_no_replace BEFORE INSERT ON operations
    WHEN EXISTS (SELECT 1 FROM operations WHERE seq = NEW.seq OR (undoes = NEW.undoes AND NEW.undoes IS NOT NULL))
    BEGIN SELECT RAISE (ABORT, 'operations are append-only'); END;

CREATE TRIGGER versions_mask_only BEFORE UPDATE ON versions
    WHEN NOT (OLD.redaction_id IS NULL AND NEW.redaction_id IS NOT NULL
        AND NEW.path_id IS NULL AND NEW.salt IS NULL AND length(NEW.commitment) IS 32
        AND NEW.seq IS OLD.seq AND NEW.operation_seq IS OLD.operation_seq AND NEW.store_id IS OLD.store_id
        AND NEW.memory_id IS OLD.memory_id AND NEW.number IS OLD.number AND NEW.change IS OLD.change
        AND NEW.blob_id IS OLD.blob_id)
    BEGIN SELECT RAISE (ABORT, 'versions are append-only'); END;
CREATE TRIGGER versions_no_delete BEFORE DELETE ON versions BEGIN SELECT RAISE (ABORT, 'versions are append-only'); END;
CREATE TRIGGER versions_no_replace BEFORE INSERT ON versions
    WHEN EXISTS (SELECT 1 FROM versions WHERE seq = NEW.seq)
    BEGIN SELECT RAISE (ABORT, 'versions are append-only'); END;

-- A content may be written down another way, so that another one can be masked without losing it.
CREATE TRIGGER blobs_mask_or_encode BEFORE UPDATE ON blobs
    WHEN NOT (NEW.id IS OLD.id AND OLD.encoding IS NOT 9 AND (NEW.encoding IS 9 AND NEW.is_text IS NULL OR
        (NEW.sha256 IS OLD.sha256 AND NEW.size IS OLD.size AND NEW.salt IS OLD.salt AND NEW.is_text IS OLD.is_text)))
    BEGIN SELECT RAISE (ABORT, 'contents are append-only'); END;
CREATE TRIGGER blobs_no_delete BEFORE DELETE ON blobs BEGIN SELECT RAISE (ABORT, 'contents are append-only'); END;
CREATE TRIGGER blobs_no_replace BEFORE INSERT ON blobs
    WHEN EXISTS (SELECT 1 FROM blobs WHERE id = NEW.id)
    BEGIN SELECT RAISE (ABORT, 'contents are append-only'); END;

CREATE TRIGGER memories_no_update BEFORE UPDATE ON memories BEGIN SELECT RAISE (ABORT, 'memories are append-only'); END;
CREATE TRIGGER memories_no_delete BEFORE DELETE ON memories BEGIN SELECT RAISE (ABORT, 'memories are append-only'); END;
CREATE TRIGGER memories_no_replace BEFORE INSERT ON memories
    WHEN EXISTS (SELECT 1 FROM memories WHERE id = NEW.id OR public = NEW.public)
    BEGIN SELECT RAISE (ABORT, 'memories are append-only'); END;

CREATE TRIGGER stores_no_delete BEFORE DELETE ON stores BEGIN SELECT RAISE (ABORT, 'stores are kept'); END;
CREATE TRIGGER stores_no_replace BEFORE INSERT ON stores
    WHEN EXISTS (SELECT 1 FROM stores WHERE id = NEW.id OR public = NEW.public OR root = NEW.root)
    BEGIN SELECT RAISE (ABORT, 'stores are kept'); END;
CREATE TRIGGER stores_keep_identity BEFORE UPDATE ON stores
    WHEN NOT (NEW.id IS OLD.id AND NEW.public IS OLD.public AND NEW.root IS OLD.root
        AND NEW.created_at IS OLD.created_at)
    BEGIN SELECT RAISE (ABORT, 'stores are kept'); END;

CREATE TRIGGER paths_no_update BEFORE UPDATE ON paths BEGIN SELECT RAISE (ABORT, 'paths are kept'); END;
CREATE TRIGGER paths_no_delete BEFORE DELETE ON paths
    WHEN EXISTS (SELECT 1 FROM memory_paths WHERE path_id = OLD.id)
    BEGIN SELECT RAISE (ABORT, 'paths are kept'); END;
CREATE TRIGGER paths_no_replace BEFORE INSERT ON paths
    WHEN EXISTS (SELECT 1 FROM paths WHERE id = NEW.id OR bytes = NEW.bytes)
    BEGIN SELECT RAISE (ABORT, 'paths are kept'); END;

CREATE TRIGGER actors_no_update BEFORE UPDATE ON actors BEGIN SELECT RAISE (ABORT, 'actors are append-only'); END;
CREATE TRIGGER actors_no_delete BEFORE DELETE ON actors BEGIN SELECT RAISE (ABORT, 'actors are append-only'); END;
CREATE TRIGGER actors_no_replace BEFORE INSERT ON actors
    WHEN EXISTS (SELECT 1 FROM actors WHERE id = NEW.id OR (type = NEW.type AND name = NEW.name AND evidence = NEW.evidence))
    BEGIN SELECT RAISE (ABORT, 'actors are append-only'); END;

CREATE TRIGGER redactions_keep_facts BEFORE UPDATE ON redactions
    WHEN NOT (NEW.id IS OLD.id AND NEW.public IS OLD.public AND NEW.operation_seq IS OLD.operation_seq
        AND NEW.created_at IS OLD.created_at AND NEW.actor_id IS OLD.actor_id AND NEW.reason IS OLD.reason
        AND NEW.method IS OLD.method AND NEW.versions IS OLD.versions)
    BEGIN SELECT RAISE (ABORT, 'receipts keep their facts'); END;
CREATE TRIGGER redactions_no_delete BEFORE DELETE ON redactions BEGIN SELECT RAISE (ABORT, 'receipts are kept'); END;
CREATE TRIGGER redactions_no_replace BEFORE INSERT ON redactions
    WHEN EXISTS (SELECT 1 FROM redactions WHERE id = NEW.id OR public = NEW.public)
    BEGIN SELECT RAISE (ABORT, 'receipts are kept'); END;
