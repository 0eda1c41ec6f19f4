-- Sessions that machines share, and those that agents mirror.

CREATE TABLE sessions (
    org          bytea   NOT NULL,
    id           bigint  GENERATED ALWAYS AS IDENTITY,
    machine      bytea   NOT NULL CHECK (length(machine) = 16),
    -- Of an agent: a code of the store that its key is for, and of its project. Nothing for a machine's.
    scope        bytea   NOT NULL DEFAULT '',
    session      text    NOT NULL,
    agent        text    NOT NULL,
    key_id       text,
    started_at   bigint,
    ended_at     bigint,
    requests     bigint  NOT NULL DEFAULT 0,
    subagents    bigint  NOT NULL DEFAULT 0,
    input        bigint  NOT NULL DEFAULT 0,
    cache_read   bigint  NOT NULL DEFAULT 0,
    cache_write  bigint  NOT NULL DEFAULT 0,
    output       bigint  NOT NULL DEFAULT 0,
    cost_micros  bigint,
    -- What a machine sent last, once that came to its end.
    digest       bytea   CHECK (length(digest) = 32),
    received_at  bigint  NOT NULL,
    deleted_at   bigint,
    PRIMARY KEY (org, id),
    UNIQUE (org, machine, scope, session)
);
CREATE INDEX sessions_newest ON sessions (org, (coalesce(ended_at, received_at)) DESC, id DESC) WHERE deleted_at IS NULL;

-- Stores that share a session.
CREATE TABLE session_stores (
    org      bytea   NOT NULL,
    id       bigint  NOT NULL,
    store    bytea   NOT NULL CHECK (length(store) = 16),
    PRIMARY KEY (org, id, store)
);
CREATE INDEX session_stores_of ON session_stores (org, store, id);

-- What requests had of a memory, a row for each run of requests in which nothing changes. Its path is that of its versions.
CREATE TABLE session_presence (
    org        bytea   NOT NULL,
    id         bigint  NOT NULL,
    store      bytea   NOT NULL CHECK (length(store) = 16),
    memory     bytea   NOT NULL CHECK (length(memory) = 16),
    part       text    NOT NULL,
    from_req   bigint  NOT NULL,
    to_req     bigint  NOT NULL,
    version    text,
    lines      bigint  NOT NULL,
    grade      text    NOT NULL,
    cause      text,
    at         bigint,
    PRIMARY KEY (org, id, store, memory, part, from_req)
);
CREATE INDEX session_presence_of ON session_presence (org, store, memory, id);

-- What became of a rule at one point of a session.
CREATE TABLE session_verdicts (
    org       bytea   NOT NULL,
    id        bigint  NOT NULL,
    number    bigint  NOT NULL,
    rule      bytea   NOT NULL CHECK (length(rule) = 32),
    part      text    NOT NULL,
    request   bigint,
    version   text,
    outcome   text    NOT NULL CHECK (outcome IN ('followed', 'broken', 'excepted', 'predates', 'undecidable')),
    present   boolean,
    cause     text,
    at        bigint,
    PRIMARY KEY (org, id, number)
);
CREATE INDEX session_verdicts_of ON session_verdicts (org, rule, id);

-- Rules of machines. Their fields are packed and encrypted as contents are.
CREATE TABLE session_rules (
    org          bytea   NOT NULL,
    machine      bytea   NOT NULL,
    rule         bytea   NOT NULL CHECK (length(rule) = 32),
    kind         text    NOT NULL,
    tokens       bigint  NOT NULL,
    sha256       bytea,
    size         bigint,
    wrapped_key  bytea,
    bytes        bytea,
    PRIMARY KEY (org, machine, rule)
);
CREATE INDEX session_rules_by_sha256 ON session_rules (org, sha256) WHERE sha256 IS NOT NULL;

-- Entries of transcripts, packed and encrypted under keys of their own. One without bytes was withheld, or was redacted.
CREATE TABLE session_entries (
    org          bytea   NOT NULL,
    id           bigint  NOT NULL,
    part         text    NOT NULL,
    number       bigint  NOT NULL CHECK (number > 0),
    uuid         text,
    received_at  bigint  NOT NULL,
    sha256       bytea,
    size         bigint,
    wrapped_key  bytea,
    bytes        bytea,
    PRIMARY KEY (org, id, part, number)
);
CREATE UNIQUE INDEX session_entries_once ON session_entries (org, id, part, uuid) WHERE uuid IS NOT NULL;
CREATE INDEX session_entries_by_sha256 ON session_entries (org, sha256) WHERE sha256 IS NOT NULL;
ALTER TABLE session_entries ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Calls of the model in sessions that agents mirror: an answer comes in several entries, each with the figures so far.
CREATE TABLE session_calls (
    org          bytea   NOT NULL,
    id           bigint  NOT NULL,
    call         bytea   NOT NULL CHECK (length(call) = 16),
    input        bigint  NOT NULL,
    cache_read   bigint  NOT NULL,
    cache_write  bigint  NOT NULL,
    output       bigint  NOT NULL,
    PRIMARY KEY (org, id, call)
);

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['sessions', 'session_stores', 'session_presence', 'session_verdicts', 'session_rules',
        'session_entries', 'session_calls'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_organisation ON %I
            USING (org = decode(current_setting(''retrace.org'', true), ''hex''))
            WITH CHECK (org = decode(current_setting(''retrace.org'', true), ''hex''))', name);
    END LOOP;
END
$$;
GRANT SELECT, INSERT, DELETE ON sessions TO retrace_hub;
GRANT UPDATE (agent, key_id, started_at, ended_at, requests, subagents, input, cache_read, cache_write, output, cost_micros, digest,
    received_at, deleted_at) ON sessions TO retrace_hub;
GRANT SELECT, INSERT, DELETE ON session_stores, session_presence, session_verdicts, session_rules, session_entries, session_calls
    TO retrace_hub;
GRANT UPDATE (kind, tokens, sha256, size, wrapped_key, bytes) ON session_rules TO retrace_hub;
-- A redaction, a narrower policy and the end of its time alone change an entry, and only these columns.
GRANT UPDATE (sha256, size, wrapped_key, bytes) ON session_entries TO retrace_hub;
GRANT UPDATE (input, cache_read, cache_write, output) ON session_calls TO retrace_hub;

-- What a redaction takes out must not stand in the planner's statistics, which nobody redacts.
DO $$
DECLARE place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['session_rules sha256', 'session_rules wrapped_key', 'session_rules bytes', 'session_rules rule',
        'session_verdicts rule', 'session_entries sha256', 'session_entries wrapped_key', 'session_entries bytes'] LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET STATISTICS 0', split_part(place, ' ', 1), split_part(place, ' ', 2));
    END LOOP;
END
$$;
