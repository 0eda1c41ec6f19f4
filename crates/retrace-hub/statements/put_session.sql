INSERT INTO sessions (org, machine, session, agent, started_at, ended_at, requests, subagents, input, cache_read,
    cache_write, output, cost_micros, digest, received_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
ON CONFLICT (org, machine, scope, session) DO UPDATE SET agent = EXCLUDED.agent,
    started_at = EXCLUDED.started_at, ended_at = EXCLUDED.ended_at, requests = EXCLUDED.requests,
    subagents = EXCLUDED.subagents, input = EXCLUDED.input, cache_read = EXCLUDED.cache_read,
    cache_write = EXCLUDED.cache_write, output = EXCLUDED.output, cost_micros = EXCLUDED.cost_micros,
    digest = EXCLUDED.digest, received_at = EXCLUDED.received_at
RETURNING id
