-- Versions from before the log was there. A version is rebuilt when happened_at says when it truly was; its operation says when
-- it was rebuilt. The index finds the newest observed version of a memory, and its rebuilt ones in true order.
ALTER TABLE versions ADD COLUMN happened_at INTEGER;
DROP INDEX versions_by_memory;
CREATE INDEX versions_by_memory ON versions (memory_id, happened_at);

-- What a rebuilt version says beside that. actor_id: who made the change then. note: why, where the source tells; it goes when
-- the version is masked. withdrawn: its operation was undone, and the undoing was not; derived from operations.
CREATE TABLE rebuilt (
    version_seq    INTEGER PRIMARY KEY REFERENCES versions (seq),
    actor_id       INTEGER REFERENCES actors (id),
    note           TEXT,
    withdrawn      INTEGER NOT NULL DEFAULT 0 CHECK (withdrawn IN (0, 1))
) STRICT;

DROP TRIGGER versions_mask_only;
CREATE TRIGGER versions_mask_only BEFORE UPDATE ON versions
    WHEN NOT (OLD.redaction_id IS NULL AND NEW.redaction_id IS NOT NULL
        AND NEW.path_id IS NULL AND NEW.salt IS NULL AND length(NEW.commitment) IS 32
        AND NEW.seq IS OLD.seq AND NEW.operation_seq IS OLD.operation_seq AND NEW.store_id IS OLD.store_id
        AND NEW.memory_id IS OLD.memory_id AND NEW.number IS OLD.number AND NEW.change IS OLD.change
        AND NEW.blob_id IS OLD.blob_id AND NEW.happened_at IS OLD.happened_at)
    BEGIN SELECT RAISE (ABORT, 'versions are append-only'); END;

CREATE TRIGGER rebuilt_no_update BEFORE UPDATE ON rebuilt
    WHEN NOT (NEW.version_seq IS OLD.version_seq AND NEW.actor_id IS OLD.actor_id AND (NEW.note IS OLD.note OR
        (NEW.note IS NULL AND EXISTS (SELECT 1 FROM versions v WHERE v.seq = OLD.version_seq AND v.redaction_id IS NOT NULL))))
    BEGIN SELECT RAISE (ABORT, 'versions are append-only'); END;
CREATE TRIGGER rebuilt_no_delete BEFORE DELETE ON rebuilt BEGIN SELECT RAISE (ABORT, 'versions are append-only'); END;
CREATE TRIGGER rebuilt_no_replace BEFORE INSERT ON rebuilt
    WHEN EXISTS (SELECT 1 FROM rebuilt WHERE version_seq = NEW.version_seq)
    BEGIN SELECT RAISE (ABORT, 'versions are append-only'); END;
