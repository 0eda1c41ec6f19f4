-- Hooks that stop an agent before it breaks a rule, as a person put them into an agent's settings. Append-only. undoes: the act that
-- put in what this one took out. file, command, inserted: where it stands, what is run, and the stretch of text that was put in, by
-- which it is taken out again without a trace; nothing else of the settings is kept. made_file: the settings were made for it.
CREATE TABLE guard_acts (
    seq            INTEGER PRIMARY KEY CHECK (seq > 0),
    rule           INTEGER NOT NULL REFERENCES rule_acts (seq),
    undoes         INTEGER REFERENCES guard_acts (seq),
    actor_id       INTEGER REFERENCES actors (id),
    created_at     INTEGER NOT NULL,
    remind         INTEGER NOT NULL CHECK (remind IN (0, 1)),
    made_file      INTEGER NOT NULL CHECK (made_file IN (0, 1)),
    file           TEXT    NOT NULL,
    command        TEXT    NOT NULL,
    inserted       TEXT    NOT NULL
) STRICT;
CREATE INDEX guard_acts_by_undone ON guard_acts (undoes) WHERE undoes IS NOT NULL;
CREATE TRIGGER guard_acts_no_update BEFORE UPDATE ON guard_acts
    WHEN NOT (NEW.seq IS OLD.seq AND NEW.rule IS OLD.rule AND NEW.undoes IS OLD.undoes AND NEW.actor_id IS OLD.actor_id
        AND NEW.created_at IS OLD.created_at AND NEW.remind IS OLD.remind AND NEW.made_file IS OLD.made_file)
    BEGIN SELECT RAISE (ABORT, 'guards are append-only'); END;
CREATE TRIGGER guard_acts_no_delete BEFORE DELETE ON guard_acts BEGIN SELECT RAISE (ABORT, 'guards are append-only'); END;
CREATE TRIGGER guard_acts_no_replace BEFORE INSERT ON guard_acts
    WHEN EXISTS (SELECT 1 FROM guard_acts WHERE seq = NEW.seq)
    BEGIN SELECT RAISE (ABORT, 'guards are append-only'); END;
