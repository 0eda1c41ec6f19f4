-- Chains of many machines. Row-level security is forced on every table with an organisation, and requests run under a role that
-- owns nothing and sees the organisation that its transaction names.
DO $$
BEGIN
    CREATE ROLE retrace_hub NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
WHEN insufficient_privilege THEN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'retrace_hub') THEN
        RAISE EXCEPTION 'the user % may not create the role that requests run under; a superuser says: CREATE ROLE retrace_hub NOLOGIN; GRANT retrace_hub TO %', current_user, quote_ident(current_user) USING ERRCODE = 'insufficient_privilege';
    END IF;
END
$$;
DO $$
BEGIN
    IF NOT pg_has_role(current_user, 'retrace_hub', 'MEMBER') THEN
        EXECUTE format('GRANT retrace_hub TO %I', current_user);
    END IF;
END
$$;

-- One row: which key file belongs to this database.
CREATE TABLE hub (
    id          integer PRIMARY KEY CHECK (id = 1),
    org         bytea   NOT NULL CHECK (length(org) = 16),
    public_key  bytea   NOT NULL CHECK (length(public_key) = 32),
    created_at  bigint  NOT NULL
);

CREATE TABLE machines (
    org         bytea   NOT NULL,
    machine     bytea   NOT NULL CHECK (length(machine) = 16),
    public_key  bytea   NOT NULL CHECK (length(public_key) = 32),
    name        text    NOT NULL,
    role        text    NOT NULL CHECK (role IN ('owner', 'member')),
    joined_at   bigint  NOT NULL,
    seen_at     bigint  NOT NULL,
    skew        bigint  NOT NULL DEFAULT 0,
    left_at     bigint,
    PRIMARY KEY (org, machine)
);

CREATE TABLE tokens (
    org         bytea   NOT NULL,
    sha256      bytea   NOT NULL CHECK (length(sha256) = 32),
    role        text    NOT NULL CHECK (role IN ('owner', 'member')),
    created_at  bigint  NOT NULL,
    expires_at  bigint  NOT NULL,
    created_by  bytea,
    used_by     bytea,
    PRIMARY KEY (org, sha256)
);

CREATE TABLE stores (
    org         bytea   NOT NULL,
    store       bytea   NOT NULL CHECK (length(store) = 16),
    machine     bytea   NOT NULL,
    name        text    NOT NULL,
    kind        text    NOT NULL,
    PRIMARY KEY (org, store, machine)
);

-- An append locks its row. The truth about how far a chain goes.
CREATE TABLE heads (
    org               bytea   NOT NULL,
    store             bytea   NOT NULL,
    machine           bytea   NOT NULL,
    seq               bigint  NOT NULL CHECK (seq >= 0),
    digest            bytea   NOT NULL CHECK (length(digest) = 32),
    machine_signature bytea   NOT NULL,
    signed_at         bigint  NOT NULL,
    signature         bytea   NOT NULL,
    PRIMARY KEY (org, store, machine)
);

CREATE TABLE versions (
    org             bytea   NOT NULL,
    store           bytea   NOT NULL,
    machine         bytea   NOT NULL,
    seq             bigint  NOT NULL CHECK (seq > 0),
    local_seq       bigint  NOT NULL,
    operation_seq   bigint  NOT NULL,
    memory          bytea   NOT NULL CHECK (length(memory) = 16),
    operation       text    NOT NULL,
    source          text    NOT NULL,
    created_at      bigint  NOT NULL,
    received_at     bigint  NOT NULL,
    leaf            bytea   NOT NULL CHECK (length(leaf) = 32),
    digest          bytea   NOT NULL CHECK (length(digest) = 32),
    commitment      bytea   NOT NULL CHECK (length(commitment) = 32),
    observed        boolean NOT NULL,
    redacted        boolean NOT NULL,
    path            bytea,
    salt            bytea,
    content_sha256  bytea,
    content_size    bigint,
    PRIMARY KEY (org, store, machine, seq),
    CHECK (redacted = (path IS NULL)),
    CHECK (NOT redacted OR (salt IS NULL AND content_sha256 IS NULL AND content_size IS NULL))
) PARTITION BY HASH (org);
CREATE TABLE versions_0 PARTITION OF versions FOR VALUES WITH (MODULUS 4, REMAINDER 0);
CREATE TABLE versions_1 PARTITION OF versions FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE versions_2 PARTITION OF versions FOR VALUES WITH (MODULUS 4, REMAINDER 2);
CREATE TABLE versions_3 PARTITION OF versions FOR VALUES WITH (MODULUS 4, REMAINDER 3);
CREATE INDEX versions_by_local ON versions (org, store, machine, local_seq);
CREATE INDEX versions_by_content ON versions (org, store, machine, content_sha256) WHERE content_sha256 IS NOT NULL;

-- Packed, then encrypted under a key of its own, which is wrapped by the key file.
CREATE TABLE contents (
    org             bytea   NOT NULL,
    store           bytea   NOT NULL,
    machine         bytea   NOT NULL,
    sha256          bytea   NOT NULL CHECK (length(sha256) = 32),
    size            bigint  NOT NULL,
    wrapped_key     bytea   NOT NULL,
    bytes           bytea   NOT NULL,
    PRIMARY KEY (org, store, machine, sha256)
);
ALTER TABLE contents ALTER COLUMN bytes SET STORAGE EXTERNAL;

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['machines', 'tokens', 'stores', 'heads', 'versions', 'contents'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_organisation ON %I
            USING (org = decode(current_setting(''retrace.org'', true), ''hex''))
            WITH CHECK (org = decode(current_setting(''retrace.org'', true), ''hex''))', name);
    END LOOP;
END
$$;
GRANT SELECT, INSERT, UPDATE ON machines, tokens, stores, heads TO retrace_hub;
GRANT SELECT, INSERT ON versions TO retrace_hub;
-- A redaction alone changes a version, and only these columns.
GRANT UPDATE (redacted, path, salt, content_sha256, content_size) ON versions TO retrace_hub;
GRANT SELECT, INSERT, DELETE ON contents TO retrace_hub;
