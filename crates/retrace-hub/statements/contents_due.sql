SELECT c.sha256 FROM contents c
WHERE c.org = $1 AND c.store = $2 AND c.machine = $3
    AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.org = $1 AND v.store = $2 AND v.machine = $3
        AND v.content_sha256 = c.sha256 AND v.received_at > $4)
    AND NOT EXISTS (SELECT 1 FROM (SELECT DISTINCT ON (n.memory) n.content_sha256 FROM versions n
            WHERE n.org = $1 AND n.store = $2 AND n.machine = $3 ORDER BY n.memory, n.seq DESC) newest
        WHERE newest.content_sha256 = c.sha256)
