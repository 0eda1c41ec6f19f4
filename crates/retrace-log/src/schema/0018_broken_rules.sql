-- Rules that sessions broke while something recorded. Append-only. mark: digest of ids, by which a break that is read again is known;
-- it is made of nothing a memory holds. what: the call or the path. present, cause, grade: whether the rule's line was before the model
-- then, as far as that was known when the break was found.
CREATE TABLE broken_rules (
    seq            INTEGER PRIMARY KEY CHECK (seq > 0),
    rule           INTEGER NOT NULL REFERENCES rule_acts (seq),
    mark           BLOB    NOT NULL CHECK (length(mark) = 16),
    found_at       INTEGER NOT NULL,
    made_at        INTEGER,
    session        TEXT    NOT NULL,
    transcript     TEXT    NOT NULL,
    subagent       INTEGER NOT NULL CHECK (subagent IN (0, 1)),
    turn           INTEGER,
    line           INTEGER NOT NULL,
    what           TEXT    NOT NULL,
    present        INTEGER CHECK (present IN (0, 1)),
    cause          TEXT,
    grade          TEXT
) STRICT;
CREATE UNIQUE INDEX broken_rules_by_mark ON broken_rules (rule, mark);
CREATE TRIGGER broken_rules_no_update BEFORE UPDATE ON broken_rules
    WHEN NOT (NEW.seq IS OLD.seq AND NEW.rule IS OLD.rule AND NEW.mark IS OLD.mark AND NEW.found_at IS OLD.found_at
        AND NEW.made_at IS OLD.made_at AND NEW.subagent IS OLD.subagent AND NEW.turn IS OLD.turn AND NEW.line IS OLD.line
        AND NEW.present IS OLD.present AND NEW.cause IS OLD.cause AND NEW.grade IS OLD.grade)
    BEGIN SELECT RAISE (ABORT, 'broken rules are append-only'); END;
CREATE TRIGGER broken_rules_no_delete BEFORE DELETE ON broken_rules
    BEGIN SELECT RAISE (ABORT, 'broken rules are append-only'); END;
CREATE TRIGGER broken_rules_no_replace BEFORE INSERT ON broken_rules
    WHEN EXISTS (SELECT 1 FROM broken_rules WHERE seq = NEW.seq OR (rule = NEW.rule AND mark = NEW.mark))
    BEGIN SELECT RAISE (ABORT, 'broken rules are append-only'); END;
-- What became of a break: a person saw it, put it back, or what the session did later shows that it was none. The last act counts.
CREATE TABLE broken_rule_acts (
    seq            INTEGER PRIMARY KEY CHECK (seq > 0),
    broken         INTEGER NOT NULL REFERENCES broken_rules (seq),
    act            TEXT    NOT NULL CHECK (act IN ('seen', 'put_back', 'withdrawn')),
    actor_id       INTEGER REFERENCES actors (id),
    created_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX broken_rule_acts_by_break ON broken_rule_acts (broken);
CREATE TRIGGER broken_rule_acts_no_update BEFORE UPDATE ON broken_rule_acts
    BEGIN SELECT RAISE (ABORT, 'broken rules are append-only'); END;
CREATE TRIGGER broken_rule_acts_no_delete BEFORE DELETE ON broken_rule_acts
    BEGIN SELECT RAISE (ABORT, 'broken rules are append-only'); END;
CREATE TRIGGER broken_rule_acts_no_replace BEFORE INSERT ON broken_rule_acts
    WHEN EXISTS (SELECT 1 FROM broken_rule_acts WHERE seq = NEW.seq)
    BEGIN SELECT RAISE (ABORT, 'broken rules are append-only'); END;
-- takes_back: the act on a guard that an undo took back.
ALTER TABLE guard_acts ADD COLUMN takes_back INTEGER REFERENCES guard_acts (seq);
DROP TRIGGER guard_acts_no_update;
CREATE TRIGGER guard_acts_no_update BEFORE UPDATE ON guard_acts
    WHEN NOT (NEW.seq IS OLD.seq AND NEW.rule IS OLD.rule AND NEW.undoes IS OLD.undoes AND NEW.actor_id IS OLD.actor_id
        AND NEW.created_at IS OLD.created_at AND NEW.remind IS OLD.remind AND NEW.made_file IS OLD.made_file
        AND NEW.takes_back IS OLD.takes_back)
    BEGIN SELECT RAISE (ABORT, 'guards are append-only'); END;
