WITH named AS (SELECT store, machine, project FROM stores
        WHERE org = $1 AND (store = $2 OR ($2 IS NULL AND name = $3))),
    wanted AS (SELECT store, machine FROM named UNION SELECT s.store, s.machine FROM stores s JOIN named n
        ON n.project = s.project WHERE s.org = $1),
    held AS (SELECT k.store, k.machine, array_agg(k.memory) AS memories FROM memories k
        JOIN wanted w ON w.store = k.store AND w.machine = k.machine
        WHERE k.org = $1 AND k.path_key = $4 GROUP BY k.store, k.machine),
    came AS (SELECT h.store, h.machine, min(v.created_at) AS at FROM held h
        JOIN stores s ON s.org = $1 AND s.store = h.store AND s.machine = h.machine
        JOIN versions v ON v.org = $1 AND v.store = h.store AND v.machine = h.machine
            AND v.memory = ANY(h.memories)
        GROUP BY h.store, h.machine
        HAVING bool_and(v.observed AND v.operation_seq > s.recorded_since)),
    told AS (SELECT h.store, h.machine, s.id, bool_or(p.lines > 0) IS TRUE AS had,
            bool_or(p.lines > 0 AND p.grade <> 'inferred') IS TRUE AS sure,
            max(p.at) FILTER (WHERE p.lines > 0) AS last_at,
            bool_or(coalesce(s.ended_at, s.started_at) < c.at) IS TRUE AS early,
            (array_agg(p.cause ORDER BY p.to_req - p.from_req DESC) FILTER (WHERE p.cause IS NOT NULL))[1] AS cause
        FROM held h JOIN session_stores t ON t.org = $1 AND t.store = h.store
        JOIN sessions s ON s.org = $1 AND s.id = t.id AND s.machine = h.machine AND s.deleted_at IS NULL
        LEFT JOIN came c ON c.store = h.store AND c.machine = h.machine
        LEFT JOIN session_presence p ON p.org = $1 AND p.id = s.id AND p.store = h.store
            AND p.memory = ANY(h.memories)
        WHERE $5::bytea IS NULL OR s.machine = $5 GROUP BY h.store, h.machine, s.id)
SELECT t.machine, m.name, t.store, s.name, t.had,
    CASE WHEN t.had THEN '' WHEN t.cause IS NULL AND t.early THEN 'did_not_exist'
        ELSE coalesce(t.cause, 'not_opened') END AS why,
    count(*), count(*) FILTER (WHERE NOT t.sure), max(t.last_at)
FROM told t JOIN stores s ON s.org = $1 AND s.store = t.store AND s.machine = t.machine
LEFT JOIN machines m ON m.org = $1 AND m.machine = t.machine
GROUP BY t.machine, m.name, t.store, s.name, t.had, why ORDER BY m.name, t.machine, t.store
