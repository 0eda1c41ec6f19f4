SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relname <> 'hub'
    AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'org' AND NOT a.attisdropped)
    AND CASE WHEN c.relispartition
        THEN has_table_privilege('retrace_hub', c.oid, 'SELECT, INSERT, UPDATE, DELETE')
        ELSE NOT (c.relrowsecurity AND c.relforcerowsecurity) END
ORDER BY 1
