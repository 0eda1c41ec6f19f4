-- Rows that hold what was redacted and that nothing may change: those of the audit log. They are named on the redaction.
CREATE TABLE IF NOT EXISTS order_left (
    org     bytea   NOT NULL,
    id      bytea   NOT NULL,
    place   text    NOT NULL CHECK (place = 'audit'),
    number  bigint  NOT NULL,
    PRIMARY KEY (org, id, place, number)
);
ALTER TABLE order_left ENABLE ROW LEVEL SECURITY;
ALTER TABLE order_left FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS of_organisation ON order_left;
CREATE POLICY of_organisation ON order_left
    USING (org = decode(current_setting('retrace.org', true), 'hex'))
    WITH CHECK (org = decode(current_setting('retrace.org', true), 'hex'));
GRANT SELECT, INSERT, DELETE ON order_left TO retrace_hub;

-- A redaction goes through the ids of agents' keys as well.
GRANT UPDATE (id) ON agent_tokens TO retrace_hub;

-- What a redaction takes out must not stand in the planner's statistics. Setting the type drops what was collected before.
DO $$
DECLARE place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['machines name', 'api_versions redacted_by_id', 'orders approved_by', 'orders by_shown',
        'comments person', 'comments by_name', 'hub_reviews person', 'hub_reviews by_name', 'proposals person',
        'proposals by_name', 'sign_ins shown', 'sign_ins name', 'sessions agent', 'sessions key_id', 'agent_tokens id'] LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN %I TYPE text, ALTER COLUMN %2$I SET STATISTICS 0',
            split_part(place, ' ', 1), split_part(place, ' ', 2));
    END LOOP;
END
$$;
ALTER TABLE policies ALTER COLUMN policy TYPE jsonb, ALTER COLUMN policy SET STATISTICS 0;
