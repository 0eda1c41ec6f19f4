WITH added AS (
    INSERT INTO versions (org, store, machine, seq, local_seq, operation_seq, memory, operation, source, created_at,
        received_at, leaf, digest, commitment, observed, redacted, path, salt, content_sha256, content_size, kept)
    VALUES ($1, $2, $3, $4, $4, $4, $5, $6, 'api', $7, $7, $8, $9, $10, true, false, $11, $12, $13, $14,
        $13::bytea IS NOT NULL)
), named AS (
    INSERT INTO api_versions (org, store, machine, seq, memory, actor, actor_id)
    VALUES ($1, $2, $3, $4, $5, $15, $16)
), kept AS (
    INSERT INTO contents (org, store, machine, sha256, size, wrapped_key, bytes)
    SELECT $1::bytea, $2::bytea, $3::bytea, $13::bytea, $14::int8, $17::bytea, $18::bytea
    WHERE $17::bytea IS NOT NULL ON CONFLICT DO NOTHING
), listed AS (
    INSERT INTO memories AS m (org, store, machine, memory, newest, newest_at, told) VALUES ($1, $2, $3, $5, $4, $7, true)
    ON CONFLICT (org, store, machine, memory) DO UPDATE SET newest = EXCLUDED.newest, newest_at = EXCLUDED.newest_at
)
UPDATE heads SET seq = $4, digest = $9, machine_signature = $19, signed_at = $7, signature = $20
WHERE org = $1 AND store = $2 AND machine = $3
