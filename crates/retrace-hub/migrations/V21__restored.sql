-- The database was put back to an earlier state: a machine showed a row of the audit log that this hub signed and does not have.
CREATE TABLE IF NOT EXISTS restored (
    org             bytea   NOT NULL,
    found_at        bigint  NOT NULL,
    -- The newest row of the audit log that it kept, and the newest that a machine showed.
    kept_until      bigint  NOT NULL,
    lost_until      bigint  NOT NULL,
    -- One-time tokens that were ended for it.
    tokens          bigint  NOT NULL DEFAULT 0,
    acknowledged_at bigint,
    PRIMARY KEY (org, found_at)
);
ALTER TABLE restored ENABLE ROW LEVEL SECURITY;
ALTER TABLE restored FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS of_organisation ON restored;
CREATE POLICY of_organisation ON restored
    USING (org = decode(current_setting('retrace.org', true), 'hex'))
    WITH CHECK (org = decode(current_setting('retrace.org', true), 'hex'));
GRANT SELECT, INSERT ON restored TO retrace_hub;
GRANT UPDATE (lost_until, tokens, acknowledged_at) ON restored TO retrace_hub;

-- An owner said that a machine which left or was removed will not carry an order out: when, and on which machine.
ALTER TABLE order_machines ADD COLUMN IF NOT EXISTS acknowledged_at bigint;
ALTER TABLE order_machines ADD COLUMN IF NOT EXISTS acknowledged_by bytea CHECK (length(acknowledged_by) = 16);
GRANT UPDATE (acknowledged_at, acknowledged_by) ON order_machines TO retrace_hub;
