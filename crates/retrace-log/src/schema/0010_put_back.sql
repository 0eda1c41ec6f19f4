-- Which version's content (or deletion) a person's act put back: who wrote a content survives every act on it. of_seq is the
-- version that brought the content; where a redaction replaced a live content in place, what it left is put back of what stood there. Recorded with the act, as what was put back may be one of several.
CREATE TABLE put_back (
    version_seq    INTEGER PRIMARY KEY REFERENCES versions (seq),
    of_seq         INTEGER NOT NULL REFERENCES versions (seq),
    CHECK (of_seq < version_seq)
) STRICT;
CREATE INDEX put_back_by_of ON put_back (of_seq);

-- What was done before this was recorded: the newest version of the memory before with the same content, an observed one first.
INSERT INTO put_back
    SELECT seq, before FROM (
        SELECT v.seq, (SELECT w.seq FROM versions w
                WHERE w.memory_id = v.memory_id AND w.seq < v.seq AND w.blob_id IS v.blob_id
                ORDER BY w.happened_at IS NOT NULL, w.seq DESC LIMIT 1) AS before
        FROM operations o
        JOIN actors a ON a.id = o.actor_id AND a.type = 'user'
        JOIN versions v ON v.seq BETWEEN o.first_version AND o.first_version + o.created + o.modified + o.deleted - 1
        WHERE v.happened_at IS NULL AND (o.source IN ('rollback', 'restore') OR (o.source = 'api' AND v.blob_id IS NOT NULL)))
    WHERE before IS NOT NULL;
UPDATE put_back SET of_seq = (
    WITH RECURSIVE further (seq) AS (
        SELECT put_back.of_seq
        UNION ALL SELECT p.of_seq FROM further f JOIN put_back p ON p.version_seq = f.seq)
    SELECT min(seq) FROM further);

-- Where the lines of a version came from whose predecessors are redacted, so that whoever redacts does not stand as their writer: lines
-- from first_line on, from 0, came from lines from of_line on of the version of_seq; of_line is null where that one brought them in and
-- is redacted itself. Nothing of a content.
CREATE TABLE kept_lines (
    version_seq    INTEGER NOT NULL REFERENCES versions (seq),
    first_line     INTEGER NOT NULL CHECK (first_line >= 0),
    lines          INTEGER NOT NULL CHECK (lines > 0),
    of_seq         INTEGER NOT NULL REFERENCES versions (seq),
    of_line        INTEGER CHECK (of_line >= 0),
    PRIMARY KEY (version_seq, first_line)
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_lines_by_of ON kept_lines (of_seq);

CREATE TRIGGER put_back_no_update BEFORE UPDATE ON put_back BEGIN SELECT RAISE (ABORT, 'versions are append-only'); END;
CREATE TRIGGER put_back_no_delete BEFORE DELETE ON put_back BEGIN SELECT RAISE (ABORT, 'versions are append-only'); END;
CREATE TRIGGER put_back_no_replace BEFORE INSERT ON put_back
    WHEN EXISTS (SELECT 1 FROM put_back WHERE version_seq = NEW.version_seq)
    BEGIN SELECT RAISE (ABORT, 'versions are append-only'); END;
