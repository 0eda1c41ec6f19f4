-- written_at: when a rebuilt version was written, where that was before it came to stand in the directory: on a branch that was
-- merged at happened_at, or elsewhere, before it was moved in. Covered by the leaf.
ALTER TABLE rebuilt ADD COLUMN written_at INTEGER;

DROP TRIGGER rebuilt_no_update;
CREATE TRIGGER rebuilt_no_update BEFORE UPDATE ON rebuilt
    WHEN NOT (NEW.version_seq IS OLD.version_seq AND NEW.actor_id IS OLD.actor_id AND NEW.written_at IS OLD.written_at
        AND (NEW.leaf IS OLD.leaf OR OLD.leaf IS NULL)
        AND (NEW.note IS OLD.note OR (NEW.note IS '[redacted]' AND OLD.note IS NOT NULL AND NEW.leaf IS NOT NULL) OR
        (NEW.note IS NULL AND EXISTS (SELECT 1 FROM versions v WHERE v.seq = OLD.version_seq AND v.redaction_id IS NOT NULL))))
    BEGIN SELECT RAISE (ABORT, 'versions are append-only'); END;
