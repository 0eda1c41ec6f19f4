-- Roles, policy, the audit log, contents that ended with their time.

-- This role owns the tables, and row-level security is forced on it too: without this the update would see no row.
ALTER TABLE machines NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tokens NO FORCE ROW LEVEL SECURITY;
ALTER TABLE machines DISABLE ROW LEVEL SECURITY;
ALTER TABLE tokens DISABLE ROW LEVEL SECURITY;
ALTER TABLE machines DROP CONSTRAINT machines_role_check;
ALTER TABLE tokens DROP CONSTRAINT tokens_role_check;
UPDATE machines SET role = 'writer' WHERE role = 'member';
UPDATE tokens SET role = 'writer' WHERE role = 'member';
ALTER TABLE machines ADD CONSTRAINT machines_role_check CHECK (role IN ('owner', 'reviewer', 'writer', 'auditor'));
ALTER TABLE tokens ADD CONSTRAINT tokens_role_check CHECK (role IN ('owner', 'reviewer', 'writer', 'auditor'));
ALTER TABLE machines ENABLE ROW LEVEL SECURITY;
ALTER TABLE tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE machines FORCE ROW LEVEL SECURITY;
ALTER TABLE tokens FORCE ROW LEVEL SECURITY;

-- Removed by an owner: no token brings this key back.
ALTER TABLE machines ADD COLUMN removed_at bigint;

-- Its content was taken out by the retention of the policy.
ALTER TABLE versions ADD COLUMN expired boolean NOT NULL DEFAULT false;
GRANT UPDATE (expired) ON versions TO retrace_hub;

CREATE TABLE policies (
    org         bytea   PRIMARY KEY,
    policy      jsonb   NOT NULL,
    changed_at  bigint  NOT NULL
);

-- Who did and saw what. Rows are only ever added.
CREATE TABLE audit (
    org         bytea   NOT NULL,
    seq         bigint  GENERATED ALWAYS AS IDENTITY,
    at          bigint  NOT NULL,
    machine     bytea,
    person      text,
    action      text    NOT NULL,
    subject     text    NOT NULL,
    before      text,
    after       text,
    outcome     text    NOT NULL CHECK (outcome IN ('done', 'refused')),
    PRIMARY KEY (org, seq)
);
CREATE INDEX audit_by_time ON audit (org, at, seq);

CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is only ever added to' USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER audit_rows_stay BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();
CREATE TRIGGER audit_stays BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['policies', 'audit'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_organisation ON %I
            USING (org = decode(current_setting(''retrace.org'', true), ''hex''))
            WITH CHECK (org = decode(current_setting(''retrace.org'', true), ''hex''))', name);
    END LOOP;
END
$$;
GRANT SELECT, INSERT, UPDATE ON policies TO retrace_hub;
GRANT SELECT, INSERT ON audit TO retrace_hub;
