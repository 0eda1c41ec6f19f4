-- The hub's own Memory Stores. Their versions lie in chains as those of machines do; the machine is the hub itself.

CREATE TABLE api_stores (
    org          bytea   NOT NULL,
    store        bytea   NOT NULL CHECK (length(store) = 16),
    place        bigint  GENERATED ALWAYS AS IDENTITY,
    name         text    NOT NULL,
    -- As bytes: a text of a client may have a NUL, which `text` cannot.
    description  bytea   NOT NULL,
    metadata     text    NOT NULL,
    created_at   bigint  NOT NULL,
    updated_at   bigint  NOT NULL,
    archived_at  bigint,
    deleted_at   bigint,
    PRIMARY KEY (org, store)
);
CREATE INDEX api_stores_shown ON api_stores (org, place DESC) WHERE deleted_at IS NULL;

-- Live memories. `head` is the place of the newest version in the store's chain.
CREATE TABLE api_memories (
    org         bytea   NOT NULL,
    store       bytea   NOT NULL,
    memory      bytea   NOT NULL CHECK (length(memory) = 16),
    path        bytea   NOT NULL CHECK (length(path) BETWEEN 1 AND 1023),
    head        bigint  NOT NULL CHECK (head > 0),
    created_at  bigint  NOT NULL,
    PRIMARY KEY (org, store, memory),
    UNIQUE (org, store, path)
);

-- What the API says of a version beside what its chain has.
CREATE TABLE api_versions (
    org             bytea   NOT NULL,
    store           bytea   NOT NULL,
    machine         bytea   NOT NULL,
    seq             bigint  NOT NULL,
    memory          bytea   NOT NULL,
    actor           text    NOT NULL CHECK (actor IN ('api', 'session')),
    actor_id        text    NOT NULL,
    redacted_at     bigint,
    redacted_by     text,
    redacted_by_id  text,
    PRIMARY KEY (org, store, machine, seq)
);
CREATE INDEX api_versions_by_memory ON api_versions (org, store, machine, memory, seq);

-- Keys of agents. The hash alone is kept; no store means all stores.
CREATE TABLE agent_tokens (
    org         bytea   NOT NULL,
    id          text    NOT NULL,
    sha256      bytea   NOT NULL CHECK (length(sha256) = 32),
    store       bytea   CHECK (length(store) = 16),
    read_only   boolean NOT NULL,
    created_at  bigint  NOT NULL,
    created_by  bytea   NOT NULL,
    revoked_at  bigint,
    PRIMARY KEY (org, id),
    UNIQUE (org, sha256)
);

-- No path lies on another one's way: `notes` and `notes/a.md` cannot both live. The store's row is locked by whoever writes, so
-- that two writers cannot pass each other.
CREATE FUNCTION api_directories(path bytea) RETURNS bytea[] LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(array_agg(substr(path, 1, i - 1)), '{}') FROM generate_series(2, length(path)) AS i
    WHERE get_byte(path, i - 1) = 47
$$;
CREATE FUNCTION api_path_is_free() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM api_stores s WHERE s.org = NEW.org AND s.store = NEW.store FOR UPDATE;
    IF EXISTS (SELECT 1 FROM api_memories m WHERE m.org = NEW.org AND m.store = NEW.store AND m.memory <> NEW.memory
            AND m.path = ANY (api_directories(NEW.path)))
        OR EXISTS (SELECT 1 FROM api_memories m WHERE m.org = NEW.org AND m.store = NEW.store AND m.memory <> NEW.memory
            AND m.path >= NEW.path || '\x2f'::bytea AND m.path < NEW.path || '\x30'::bytea) THEN
        RAISE EXCEPTION 'a memory is in the way' USING ERRCODE = 'exclusion_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER api_path_is_free BEFORE INSERT OR UPDATE OF path ON api_memories
    FOR EACH ROW EXECUTE FUNCTION api_path_is_free();

-- Who makes a version, and of which memory, never changes, and neither does when it was redacted.
CREATE FUNCTION api_version_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.redacted_at IS NOT NULL THEN
        RAISE EXCEPTION 'a version is redacted once' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER api_version_stays BEFORE UPDATE ON api_versions
    FOR EACH ROW EXECUTE FUNCTION api_version_stays();

-- A redaction that came from a machine is one for the API as well.
CREATE FUNCTION api_version_redacted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE api_versions SET redacted_at = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
    WHERE org = NEW.org AND store = NEW.store AND machine = NEW.machine AND seq = NEW.seq AND redacted_at IS NULL;
    RETURN NULL;
END
$$;
CREATE TRIGGER api_version_redacted AFTER UPDATE OF redacted ON versions
    FOR EACH ROW WHEN (NEW.redacted AND NOT OLD.redacted) EXECUTE FUNCTION api_version_redacted();

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['api_stores', 'api_memories', 'api_versions', 'agent_tokens'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_organisation ON %I
            USING (org = decode(current_setting(''retrace.org'', true), ''hex''))
            WITH CHECK (org = decode(current_setting(''retrace.org'', true), ''hex''))', name);
    END LOOP;
END
$$;
GRANT SELECT, INSERT ON api_stores, api_memories, api_versions, agent_tokens TO retrace_hub;
GRANT UPDATE (name, description, metadata, updated_at, archived_at, deleted_at) ON api_stores TO retrace_hub;
GRANT UPDATE (path, head) ON api_memories TO retrace_hub;
GRANT DELETE ON api_memories TO retrace_hub;
-- A redaction alone changes a version, and only these columns.
GRANT UPDATE (redacted_at, redacted_by, redacted_by_id) ON api_versions TO retrace_hub;
GRANT UPDATE (revoked_at) ON agent_tokens TO retrace_hub;
