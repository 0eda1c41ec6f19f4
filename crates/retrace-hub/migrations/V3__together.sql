-- What machines do to each other: redactions that reach all of them, proposals, reviews, comments, projects.

-- A version is named by its place in the log of its machine and the beginning of its leaf hash.
CREATE INDEX versions_by_place ON versions (org, local_seq);
-- A redaction looks for a content in the chains of all machines. This index serves what the one before it did.
CREATE INDEX versions_by_sha256 ON versions (org, content_sha256, store, machine) WHERE content_sha256 IS NOT NULL;
DROP INDEX versions_by_content;
CREATE INDEX versions_by_memory ON versions (org, store, machine, memory, seq);

-- A redaction that is to reach every machine.
CREATE TABLE orders (
    org          bytea   NOT NULL,
    id           bytea   NOT NULL CHECK (length(id) = 16),
    by_machine   bytea   NOT NULL CHECK (length(by_machine) = 16),
    at           bigint  NOT NULL,
    received_at  bigint  NOT NULL,
    method       text    NOT NULL,
    live         boolean NOT NULL,
    reason       text,
    state        text    NOT NULL CHECK (state IN ('waiting', 'ordered')),
    approved_by  text,
    approved_at  bigint,
    versions     bigint  NOT NULL DEFAULT 0,
    contents     bigint  NOT NULL DEFAULT 0,
    destroyed_at bigint,
    PRIMARY KEY (org, id)
);

-- Contents that an order which waits for a second person will take out. No hash of a content stays here once it is ordered.
CREATE TABLE order_contents (
    org     bytea    NOT NULL,
    id      bytea    NOT NULL,
    sha256  bytea    NOT NULL CHECK (length(sha256) = 32),
    starts  bigint[] NOT NULL,
    ends    bigint[] NOT NULL,
    PRIMARY KEY (org, id, sha256)
);

-- What was redacted is known again by a code under a key of the key file.
CREATE TABLE kept_out (
    org     bytea    NOT NULL,
    tag     bytea    NOT NULL CHECK (length(tag) = 32),
    id      bytea    NOT NULL,
    starts  bigint[] NOT NULL,
    ends    bigint[] NOT NULL,
    PRIMARY KEY (org, tag)
);

-- Versions that machines have yet to redact, and those that they redacted.
CREATE TABLE order_targets (
    org        bytea    NOT NULL,
    id         bytea    NOT NULL,
    machine    bytea    NOT NULL,
    store      bytea    NOT NULL,
    local_seq  bigint   NOT NULL,
    starts     bigint[] NOT NULL,
    ends       bigint[] NOT NULL,
    done       boolean  NOT NULL DEFAULT false,
    PRIMARY KEY (org, machine, id, store, local_seq)
);
CREATE INDEX order_targets_left ON order_targets (org, machine) WHERE NOT done;

-- How far an order is on each machine.
CREATE TABLE order_machines (
    org      bytea   NOT NULL,
    id       bytea   NOT NULL,
    machine  bytea   NOT NULL,
    state    text    NOT NULL CHECK (state IN ('outstanding', 'done', 'refused')),
    since    bigint  NOT NULL,
    PRIMARY KEY (org, id, machine)
);

-- Receipts, as they were signed. They are never changed.
CREATE TABLE order_receipts (
    org         bytea   NOT NULL,
    id          bytea   NOT NULL,
    machine     bytea   NOT NULL,
    number      bigint  GENERATED ALWAYS AS IDENTITY,
    received_at bigint  NOT NULL,
    body        text    NOT NULL,
    signature   bytea   NOT NULL,
    PRIMARY KEY (org, id, machine, number)
);

-- What each machine's own log says is reviewed, and what was reviewed at the hub, by the place in the chain.
CREATE TABLE memories (
    org          bytea   NOT NULL,
    store        bytea   NOT NULL,
    machine      bytea   NOT NULL,
    memory       bytea   NOT NULL CHECK (length(memory) = 16),
    newest       bigint  NOT NULL,
    newest_at    bigint  NOT NULL,
    reviewed     bigint  NOT NULL DEFAULT 0,
    reviewed_hub bigint  NOT NULL DEFAULT 0,
    told         boolean NOT NULL DEFAULT false,
    -- Of its newest path: a code under a key of the key file.
    path_key     bytea,
    PRIMARY KEY (org, store, machine, memory)
);
CREATE INDEX memories_by_path ON memories (org, path_key) WHERE path_key IS NOT NULL;
CREATE INDEX memories_left ON memories (org, newest_at DESC, store, machine, memory)
    WHERE told AND newest > GREATEST(reviewed, reviewed_hub);

CREATE TABLE hub_reviews (
    org         bytea   NOT NULL,
    number      bigint  GENERATED ALWAYS AS IDENTITY,
    store       bytea   NOT NULL,
    machine     bytea   NOT NULL,
    memory      bytea   NOT NULL,
    seq         bigint  NOT NULL,
    local_seq   bigint  NOT NULL,
    verdict     text    NOT NULL CHECK (verdict IN ('approved')),
    person      text    NOT NULL,
    by_machine  bytea   NOT NULL,
    by_name     text    NOT NULL,
    at          bigint  NOT NULL,
    PRIMARY KEY (org, number)
);
CREATE INDEX hub_reviews_of ON hub_reviews (org, machine, number);
CREATE INDEX hub_reviews_of_memory ON hub_reviews (org, store, machine, memory);

-- Comments are packed and encrypted as contents are. Those on a redacted version lose text and key.
CREATE TABLE comments (
    org          bytea   NOT NULL,
    number       bigint  GENERATED ALWAYS AS IDENTITY,
    store        bytea   NOT NULL,
    machine      bytea   NOT NULL,
    seq          bigint  NOT NULL,
    person       text    NOT NULL,
    by_machine   bytea   NOT NULL,
    by_name      text    NOT NULL,
    at           bigint  NOT NULL,
    sha256       bytea,
    size         bigint,
    wrapped_key  bytea,
    bytes        bytea,
    PRIMARY KEY (org, number)
);
CREATE INDEX comments_of ON comments (org, store, machine, seq);

-- One project, whatever its directory is called on each machine.
CREATE TABLE projects (
    org      bytea   NOT NULL,
    id       bytea   NOT NULL CHECK (length(id) = 16),
    remote   bytea   NOT NULL CHECK (length(remote) = 32),
    name     text    NOT NULL,
    PRIMARY KEY (org, id),
    UNIQUE (org, remote)
);
ALTER TABLE stores ADD COLUMN project bytea;

CREATE TABLE proposals (
    org          bytea   NOT NULL,
    id           bytea   NOT NULL CHECK (length(id) = 16),
    kind         text    NOT NULL CHECK (kind IN ('rollback', 'edit', 'restore')),
    store        bytea   NOT NULL,
    machine      bytea   NOT NULL,
    memory       bytea,
    path         bytea,
    to_version   text,
    at_instant   text,
    expects      bytea,
    expects_seq  bigint,
    note         text,
    person       text    NOT NULL,
    by_machine   bytea   NOT NULL,
    by_name      text    NOT NULL,
    proposed_at  bigint  NOT NULL,
    state        text    NOT NULL CHECK (state IN ('waiting', 'done', 'conflict', 'refused', 'withdrawn')),
    body         text,
    signature    bytea,
    sha256       bytea,
    size         bigint,
    wrapped_key  bytea,
    bytes        bytea,
    PRIMARY KEY (org, id)
);
CREATE INDEX proposals_waiting ON proposals (org, machine) WHERE state = 'waiting';
CREATE INDEX proposals_newest ON proposals (org, proposed_at DESC);

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['orders', 'order_contents', 'kept_out', 'order_targets', 'order_machines', 'order_receipts',
        'memories', 'hub_reviews', 'comments', 'projects', 'proposals'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_organisation ON %I
            USING (org = decode(current_setting(''retrace.org'', true), ''hex''))
            WITH CHECK (org = decode(current_setting(''retrace.org'', true), ''hex''))', name);
    END LOOP;
END
$$;

-- Versions that came before this migration.
DO $$
DECLARE org_id bytea;
BEGIN
    SELECT org INTO org_id FROM hub WHERE id = 1;
    IF org_id IS NOT NULL THEN
        PERFORM set_config('retrace.org', encode(org_id, 'hex'), true);
        INSERT INTO memories (org, store, machine, memory, newest, newest_at)
            SELECT org, store, machine, memory, max(seq), max(created_at) FROM versions
            GROUP BY org, store, machine, memory;
    END IF;
END
$$;

GRANT SELECT, INSERT ON orders, order_targets, order_machines, order_receipts, kept_out, memories, hub_reviews, comments,
    projects, proposals TO retrace_hub;
GRANT SELECT, INSERT, DELETE ON order_contents TO retrace_hub;
GRANT UPDATE (state, approved_by, approved_at, versions, contents, destroyed_at) ON orders TO retrace_hub;
GRANT UPDATE (starts, ends, id) ON kept_out TO retrace_hub;
GRANT UPDATE (starts, ends, done) ON order_targets TO retrace_hub;
GRANT UPDATE (state, since) ON order_machines TO retrace_hub;
GRANT UPDATE (newest, newest_at, reviewed, reviewed_hub, told, path_key) ON memories TO retrace_hub;
-- A redaction alone changes a comment, and only these columns.
GRANT UPDATE (sha256, size, wrapped_key, bytes) ON comments TO retrace_hub;
GRANT UPDATE (name) ON projects TO retrace_hub;
GRANT UPDATE (state, body, signature, path, expects, sha256, size, wrapped_key, bytes, note) ON proposals TO retrace_hub;
