DELETE FROM order_contents c
WHERE c.org = $1 AND c.sha256 = ANY($2) AND (c.id = $3 OR NOT EXISTS (SELECT 1 FROM versions v
    WHERE v.org = c.org AND v.content_sha256 = c.sha256))
