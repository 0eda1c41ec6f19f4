SELECT s.machine, m.name, s.session, s.agent, coalesce(n.stores, '{}'), coalesce(n.projects, '{}'),
    s.started_at, s.ended_at, s.requests, s.subagents, s.input, s.cache_read, s.cache_write, s.output,
    s.cost_micros, e.entries, e.without, coalesce(s.ended_at, s.received_at), s.id
FROM sessions s LEFT JOIN machines m ON m.org = s.org AND m.machine = s.machine
LEFT JOIN LATERAL (SELECT array_agg(DISTINCT t.name ORDER BY t.name) AS stores,
        array_agg(DISTINCT p.name ORDER BY p.name) FILTER (WHERE p.name IS NOT NULL) AS projects
    FROM session_stores k JOIN stores t ON t.org = k.org AND t.store = k.store AND t.machine = s.machine
    LEFT JOIN projects p ON p.org = t.org AND p.id = t.project WHERE k.org = s.org AND k.id = s.id) n ON true
LEFT JOIN LATERAL (SELECT count(*) AS entries, count(*) FILTER (WHERE bytes IS NULL) AS without
    FROM session_entries WHERE org = s.org AND id = s.id) e ON true
WHERE s.org = $1 AND s.deleted_at IS NULL AND ($2::bytea IS NULL OR s.machine = $2)
    AND ($3::bytea IS NULL OR s.machine = $3)
    AND (coalesce(s.ended_at, s.received_at), s.id) < ($4, $5)
ORDER BY coalesce(s.ended_at, s.received_at) DESC, s.id DESC LIMIT $6
