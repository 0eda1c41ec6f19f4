SELECT a.sha256, EXISTS (SELECT 1 FROM contents c WHERE c.org = $1 AND c.store = $2 AND c.machine = $3
    AND c.sha256 = a.sha256)
FROM (SELECT DISTINCT unnest($4::bytea[]) AS sha256) a WHERE EXISTS (SELECT 1 FROM versions v
    WHERE v.org = $1 AND v.store = $2 AND v.machine = $3 AND v.content_sha256 = a.sha256
        AND NOT v.expired)
