INSERT INTO restored (org, found_at, kept_until, lost_until, tokens)
SELECT $1::bytea, $2::int8, coalesce((SELECT max(at) FROM audit WHERE org = $1 AND at < $3), 0), $3::int8, $4::int8
