SELECT c.name FROM (SELECT n, CASE WHEN n = 1 THEN $3::text ELSE $3 || '-' || n::text END AS name
    FROM generate_series(1, 100000) n) c
WHERE NOT EXISTS (SELECT 1 FROM machines m WHERE m.org = $1 AND m.machine <> $2 AND m.left_at IS NULL
    AND m.ends_at IS NULL AND m.name = c.name)
ORDER BY c.n LIMIT 1
