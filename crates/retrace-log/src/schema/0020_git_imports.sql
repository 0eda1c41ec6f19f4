-- Operations that brought in what git kept. replaced_for: of an undoing of such a one, the later import that made it, because git
-- tells otherwise since; that one's undoing takes it back.
CREATE TABLE git_imports (
    operation_seq  INTEGER PRIMARY KEY REFERENCES operations (seq),
    replaced_for   INTEGER REFERENCES operations (seq),
    CHECK (replaced_for > operation_seq)
) STRICT;
CREATE INDEX git_imports_by_import ON git_imports (replaced_for) WHERE replaced_for IS NOT NULL;

-- What was imported before this was recorded.
INSERT INTO git_imports (operation_seq)
    SELECT seq FROM operations
    WHERE source = 'import' AND undoes IS NULL AND substr(note, 1, 19) = 'import from git of ';

CREATE TRIGGER git_imports_no_update BEFORE UPDATE ON git_imports BEGIN SELECT RAISE (ABORT, 'operations are append-only'); END;
CREATE TRIGGER git_imports_no_delete BEFORE DELETE ON git_imports BEGIN SELECT RAISE (ABORT, 'operations are append-only'); END;
CREATE TRIGGER git_imports_no_replace BEFORE INSERT ON git_imports
    WHEN EXISTS (SELECT 1 FROM git_imports WHERE operation_seq = NEW.operation_seq)
    BEGIN SELECT RAISE (ABORT, 'operations are append-only'); END;
