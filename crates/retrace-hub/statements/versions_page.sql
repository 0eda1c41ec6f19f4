SELECT v.store, v.machine, v.seq, v.memory, v.operation, v.source, v.created_at, v.path, v.content_sha256,
    v.content_size, v.redacted, m.name, s.name, v.expired, v.withdrawn, EXISTS (SELECT 1 FROM contents c WHERE c.org = v.org
        AND c.store = v.store AND c.machine = v.machine AND c.sha256 = v.content_sha256)
FROM (SELECT * FROM versions WHERE org = $1 AND (store, machine, seq) > ($2, $3, $4)
    ORDER BY store, machine, seq LIMIT $5) v
JOIN machines m ON m.org = v.org AND m.machine = v.machine
JOIN stores s ON s.org = v.org AND s.store = v.store AND s.machine = v.machine
ORDER BY v.store, v.machine, v.seq
