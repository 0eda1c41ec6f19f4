INSERT INTO sessions (org, machine, scope, session, agent, key_id, received_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (org, machine, scope, session) DO UPDATE SET received_at = EXCLUDED.received_at,
    deleted_at = NULL RETURNING id
