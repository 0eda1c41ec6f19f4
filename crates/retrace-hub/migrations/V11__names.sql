-- A redaction goes through every column with a text of people and programs: names, authors, reasons.
GRANT UPDATE (actor_id) ON api_versions TO retrace_hub;
GRANT UPDATE (reason) ON orders TO retrace_hub;
GRANT UPDATE (person, by_name) ON comments, hub_reviews TO retrace_hub;
GRANT UPDATE (person, by_name, at_instant) ON proposals TO retrace_hub;

-- A version is redacted once; whom it names may be redacted later.
CREATE OR REPLACE FUNCTION api_version_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.redacted_at IS NOT NULL
        AND (NEW.redacted_at, NEW.redacted_by) IS DISTINCT FROM (OLD.redacted_at, OLD.redacted_by) THEN
        RAISE EXCEPTION 'a version is redacted once' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;

-- What a redaction takes out must not stand in the planner's statistics, which nobody redacts.
DO $$
DECLARE place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['stores name', 'projects name', 'api_stores name', 'api_stores description',
        'api_stores metadata', 'api_versions actor_id', 'orders reason', 'proposals at_instant'] LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET STATISTICS 0', split_part(place, ' ', 1), split_part(place, ' ', 2));
    END LOOP;
END
$$;
