-- Texts that no version holds can be redacted as well: notes of operations and reviews, names of actors, what receipts and stores say.

-- What stands in place of a redacted text is not what the chain was made from. A seal says what stands there now together with the
-- digest that was kept, and the redaction's own operation covers the seals it made. seq: of the operation, the act of review or the
-- rebuilt version, as kind says.
CREATE TABLE seals (
    operation_seq  INTEGER NOT NULL CHECK (operation_seq > 0),
    kind           TEXT    NOT NULL CHECK (kind IN ('operation', 'review', 'version')),
    seq            INTEGER NOT NULL CHECK (seq > 0),
    seal           BLOB    NOT NULL CHECK (length(seal) = 32),
    PRIMARY KEY (operation_seq, kind, seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER seals_no_update BEFORE UPDATE ON seals BEGIN SELECT RAISE (ABORT, 'seals are append-only'); END;
CREATE TRIGGER seals_no_delete BEFORE DELETE ON seals BEGIN SELECT RAISE (ABORT, 'seals are append-only'); END;
CREATE TRIGGER seals_no_replace BEFORE INSERT ON seals
    WHEN EXISTS (SELECT 1 FROM seals WHERE operation_seq = NEW.operation_seq AND kind = NEW.kind AND seq = NEW.seq)
    BEGIN SELECT RAISE (ABORT, 'seals are append-only'); END;

-- leaf: the leaf hash of a rebuilt version from before its note or its writer was redacted; its id is made from it.
ALTER TABLE rebuilt ADD COLUMN leaf BLOB CHECK (leaf IS NULL OR length(leaf) = 32);

DROP TRIGGER operations_no_update;
CREATE TRIGGER operations_no_update BEFORE UPDATE ON operations
    WHEN NOT (OLD.note IS NOT NULL AND NEW.note IS '[redacted]' AND NEW.seq IS OLD.seq AND NEW.store_id IS OLD.store_id
        AND NEW.source IS OLD.source AND NEW.created_at IS OLD.created_at AND NEW.actor_id IS OLD.actor_id
        AND NEW.undoes IS OLD.undoes AND NEW.first_version IS OLD.first_version AND NEW.created IS OLD.created
        AND NEW.modified IS OLD.modified AND NEW.deleted IS OLD.deleted AND NEW.digest IS OLD.digest)
    BEGIN SELECT RAISE (ABORT, 'operations are append-only'); END;

DROP TRIGGER review_acts_no_update;
CREATE TRIGGER review_acts_no_update BEFORE UPDATE ON review_acts
    WHEN NOT (OLD.note IS NOT NULL AND NEW.note IS '[redacted]' AND NEW.seq IS OLD.seq AND NEW.actor_id IS OLD.actor_id
        AND NEW.verdict IS OLD.verdict AND NEW.created_at IS OLD.created_at AND NEW.operation_seq IS OLD.operation_seq
        AND NEW.undoes IS OLD.undoes AND NEW.digest IS OLD.digest)
    BEGIN SELECT RAISE (ABORT, 'reviews are append-only'); END;

DROP TRIGGER actors_no_update;
CREATE TRIGGER actors_no_update BEFORE UPDATE ON actors
    WHEN NOT (substr(NEW.name, 1, 10) IS '[redacted ' AND NEW.id IS OLD.id AND NEW.type IS OLD.type
        AND NEW.evidence IS OLD.evidence)
    BEGIN SELECT RAISE (ABORT, 'actors are append-only'); END;

DROP TRIGGER rebuilt_no_update;
CREATE TRIGGER rebuilt_no_update BEFORE UPDATE ON rebuilt
    WHEN NOT (NEW.version_seq IS OLD.version_seq AND NEW.actor_id IS OLD.actor_id
        AND (NEW.leaf IS OLD.leaf OR OLD.leaf IS NULL)
        AND (NEW.note IS OLD.note OR (NEW.note IS '[redacted]' AND OLD.note IS NOT NULL AND NEW.leaf IS NOT NULL) OR
        (NEW.note IS NULL AND EXISTS (SELECT 1 FROM versions v WHERE v.seq = OLD.version_seq AND v.redaction_id IS NOT NULL))))
    BEGIN SELECT RAISE (ABORT, 'versions are append-only'); END;

-- The reason of an earlier redaction may hold what a later one takes out.
DROP TRIGGER redactions_keep_facts;
CREATE TRIGGER redactions_keep_facts BEFORE UPDATE ON redactions
    WHEN NOT (NEW.id IS OLD.id AND NEW.public IS OLD.public AND NEW.operation_seq IS OLD.operation_seq
        AND NEW.created_at IS OLD.created_at AND NEW.actor_id IS OLD.actor_id
        AND (NEW.reason IS OLD.reason OR (OLD.reason IS NOT NULL AND NEW.reason IS '[redacted]'))
        AND NEW.method IS OLD.method AND NEW.versions IS OLD.versions)
    BEGIN SELECT RAISE (ABORT, 'receipts keep their facts'); END;

-- owned: the place is the log's own, so that what is left there is not done. remedy: what takes it out of a place that is not.
ALTER TABLE receipt_places ADD COLUMN owned INTEGER NOT NULL DEFAULT 0 CHECK (owned IN (0, 1));
ALTER TABLE receipt_places ADD COLUMN remedy TEXT;

-- Where contents of the log were written to, or came from, outside of its stores: bundles, exported directories, git repositories.
-- A later redaction looks there.
CREATE TABLE elsewhere (
    id             INTEGER PRIMARY KEY,
    kind           TEXT    NOT NULL CHECK (kind IN ('bundle', 'export', 'git')),
    path           BLOB    NOT NULL CHECK (length(path) > 0),
    UNIQUE (kind, path)
) STRICT;

-- The directory of a store that was taken off the list may be redacted.
DROP TRIGGER stores_keep_identity;
CREATE TRIGGER stores_keep_identity BEFORE UPDATE ON stores
    WHEN NOT (NEW.id IS OLD.id AND NEW.public IS OLD.public AND NEW.created_at IS OLD.created_at
        AND (NEW.root IS OLD.root
            OR NEW.root IS NOT NULL AND EXISTS (SELECT 1 FROM api_stores a WHERE a.store_id = OLD.id)
                AND (substr(NEW.root, 1, 4) = CAST('log:' AS BLOB)) <> (substr(OLD.root, 1, 4) = CAST('log:' AS BLOB))
            OR OLD.removed_at IS NOT NULL AND NEW.root IS CAST('redacted:' || hex(OLD.public) AS BLOB)))
    BEGIN SELECT RAISE (ABORT, 'stores are kept'); END;
