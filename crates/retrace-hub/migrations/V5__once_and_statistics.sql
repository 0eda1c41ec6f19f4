-- Signed requests that must not be carried out twice, for as long as their time would be taken.
CREATE TABLE spent (
    org         bytea   NOT NULL,
    request     bytea   NOT NULL CHECK (length(request) = 32),
    at          bigint  NOT NULL,
    PRIMARY KEY (org, request)
);
CREATE INDEX spent_by_time ON spent (org, at);
ALTER TABLE spent ENABLE ROW LEVEL SECURITY;
ALTER TABLE spent FORCE ROW LEVEL SECURITY;
CREATE POLICY of_organisation ON spent
    USING (org = decode(current_setting('retrace.org', true), 'hex'))
    WITH CHECK (org = decode(current_setting('retrace.org', true), 'hex'));
GRANT SELECT, INSERT, DELETE ON spent TO retrace_hub;

-- What a redaction takes out must not stand in the planner's statistics, which nobody redacts.
DO $$
DECLARE place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['versions path', 'versions salt', 'versions content_sha256', 'contents sha256',
        'contents wrapped_key', 'contents bytes', 'order_contents sha256', 'comments sha256', 'comments wrapped_key',
        'comments bytes', 'proposals path', 'proposals note', 'proposals sha256', 'proposals wrapped_key', 'proposals bytes',
        'api_memories path'] LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET STATISTICS 0', split_part(place, ' ', 1), split_part(place, ' ', 2));
    END LOOP;
END
$$;
