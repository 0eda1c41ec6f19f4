INSERT INTO memories AS m (org, store, machine, memory, newest, newest_at, path_key)
SELECT $1, $2, $3, n.* FROM unnest($4::bytea[], $5::int8[], $6::int8[], $7::bytea[]) AS n
ON CONFLICT (org, store, machine, memory) DO UPDATE SET newest = EXCLUDED.newest,
    newest_at = EXCLUDED.newest_at, path_key = coalesce(EXCLUDED.path_key, m.path_key)
