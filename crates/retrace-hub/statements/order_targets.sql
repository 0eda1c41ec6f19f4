INSERT INTO order_targets (org, id, machine, store, local_seq, starts, ends)
SELECT v.org, $4, v.machine, v.store, v.local_seq, $5, $6 FROM versions v
WHERE v.org = $1 AND v.content_sha256 = $2 AND v.machine <> $3 AND v.machine <> $7
ON CONFLICT (org, machine, id, store, local_seq) DO UPDATE SET done = false
RETURNING machine
