SELECT c.relname::text, a.privilege_type, NULL::text, a.grantee = 0, a.is_grantable
FROM pg_class c, LATERAL aclexplode(c.relacl) a
WHERE c.relnamespace = current_schema()::regnamespace
    AND (a.grantee = 0 OR a.grantee = 'retrace_hub'::regrole)
UNION ALL SELECT c.relname::text, a.privilege_type, t.attname::text, a.grantee = 0, a.is_grantable
FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid, LATERAL aclexplode(t.attacl) a
WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.attisdropped
    AND (a.grantee = 0 OR a.grantee = 'retrace_hub'::regrole)
ORDER BY 1, 2, 3
