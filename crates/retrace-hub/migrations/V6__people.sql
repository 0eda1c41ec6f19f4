-- People: who signed in at the organisation's identity provider, on which machine, until when.

-- The provider whose people are believed. A start of the hub writes it; requests read it.
CREATE TABLE provider (
    org         bytea   PRIMARY KEY,
    issuer      text    NOT NULL,
    client_id   text    NOT NULL,
    domains     text[]  NOT NULL,
    -- Microseconds that a sign-in lasts.
    lasts       bigint  NOT NULL CHECK (lasts > 0),
    changed_at  bigint  NOT NULL
);

-- One person at a machine. No token of the provider is kept: what is here is what was read from a verified one.
CREATE TABLE sign_ins (
    org         bytea   NOT NULL,
    machine     bytea   NOT NULL CHECK (length(machine) = 16),
    issuer      text    NOT NULL,
    client_id   text    NOT NULL,
    -- Hash of issuer and subject: the same person on every machine.
    person      bytea   NOT NULL CHECK (length(person) = 32),
    shown       text    NOT NULL,
    name        text    NOT NULL,
    at          bigint  NOT NULL,
    ends_at     bigint  NOT NULL,
    PRIMARY KEY (org, machine)
);

-- True where the person is who signed in, and not who the machine says.
ALTER TABLE audit ADD COLUMN verified boolean NOT NULL DEFAULT false;
ALTER TABLE comments ADD COLUMN verified boolean NOT NULL DEFAULT false;
ALTER TABLE hub_reviews ADD COLUMN verified boolean NOT NULL DEFAULT false;
ALTER TABLE proposals ADD COLUMN verified boolean NOT NULL DEFAULT false;

-- The first of two persons of a redaction: who was signed in where it was made, else the first who approved it.
ALTER TABLE orders ADD COLUMN by_person bytea;
ALTER TABLE orders ADD COLUMN by_shown text;
ALTER TABLE orders ADD COLUMN approved_verified boolean NOT NULL DEFAULT false;

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['provider', 'sign_ins'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_organisation ON %I
            USING (org = decode(current_setting(''retrace.org'', true), ''hex''))
            WITH CHECK (org = decode(current_setting(''retrace.org'', true), ''hex''))', name);
    END LOOP;
END
$$;
-- Who asks a hub cannot change whom it believes.
GRANT SELECT ON provider TO retrace_hub;
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_ins TO retrace_hub;
GRANT UPDATE (by_person, by_shown, approved_verified) ON orders TO retrace_hub;
