-- takes_back: the act on the list of rules, or on a break of one, that an undo took back.
ALTER TABLE rule_acts ADD COLUMN takes_back INTEGER REFERENCES rule_acts (seq);
ALTER TABLE broken_rule_acts ADD COLUMN takes_back INTEGER REFERENCES broken_rule_acts (seq);
DROP TRIGGER rule_acts_no_update;
CREATE TRIGGER rule_acts_no_update BEFORE UPDATE ON rule_acts
    WHEN NOT (NEW.seq IS OLD.seq AND NEW.rule IS OLD.rule AND NEW.act IS OLD.act AND NEW.actor_id IS OLD.actor_id
        AND NEW.created_at IS OLD.created_at AND NEW.takes_back IS OLD.takes_back
        AND OLD.fields IS NOT NULL AND NEW.fields IS NOT NULL)
    BEGIN SELECT RAISE (ABORT, 'rules are append-only'); END;
