-- Rules that a person confirmed for their memories. Append-only: an act adds a rule, takes it off the list, or puts it back; the last
-- act on a rule says which. rule: the act that added it. fields: the rule as JSON, of which a redaction replaces what it takes out.
CREATE TABLE rule_acts (
    seq            INTEGER PRIMARY KEY CHECK (seq > 0),
    rule           INTEGER NOT NULL REFERENCES rule_acts (seq),
    act            TEXT    NOT NULL CHECK (act IN ('added', 'removed', 'put_back')),
    actor_id       INTEGER REFERENCES actors (id),
    created_at     INTEGER NOT NULL,
    fields         TEXT,
    CHECK ((act = 'added') = (rule = seq)),
    CHECK ((act = 'added') = (fields IS NOT NULL))
) STRICT;
CREATE INDEX rule_acts_by_rule ON rule_acts (rule);
CREATE TRIGGER rule_acts_no_update BEFORE UPDATE ON rule_acts
    WHEN NOT (NEW.seq IS OLD.seq AND NEW.rule IS OLD.rule AND NEW.act IS OLD.act AND NEW.actor_id IS OLD.actor_id
        AND NEW.created_at IS OLD.created_at AND OLD.fields IS NOT NULL AND NEW.fields IS NOT NULL)
    BEGIN SELECT RAISE (ABORT, 'rules are append-only'); END;
CREATE TRIGGER rule_acts_no_delete BEFORE DELETE ON rule_acts BEGIN SELECT RAISE (ABORT, 'rules are append-only'); END;
CREATE TRIGGER rule_acts_no_replace BEFORE INSERT ON rule_acts
    WHEN EXISTS (SELECT 1 FROM rule_acts WHERE seq = NEW.seq)
    BEGIN SELECT RAISE (ABORT, 'rules are append-only'); END;
