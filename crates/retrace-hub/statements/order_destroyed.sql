UPDATE orders SET versions = versions + $3, contents = contents + $4, texts = texts + $5,
    destroyed_at = CASE WHEN $3 + $4 + $5 > 0 THEN $6 ELSE coalesce(destroyed_at, $6) END
WHERE org = $1 AND id = $2
