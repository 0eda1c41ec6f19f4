SELECT rolsuper OR rolbypassrls, rolcanlogin,
    EXISTS (SELECT 1 FROM pg_class WHERE relowner = r.oid),
    has_table_privilege('retrace_hub', 'audit', 'UPDATE, DELETE, TRUNCATE')
FROM pg_roles r WHERE rolname = 'retrace_hub'
