UPDATE sessions s SET started_at = LEAST(s.started_at, $3), ended_at = GREATEST(s.ended_at, $4),
    requests = c.requests, input = c.input, cache_read = c.cache_read, cache_write = c.cache_write,
    output = c.output, subagents = (SELECT count(DISTINCT part) FROM session_entries
        WHERE org = $1 AND id = $2 AND part <> '')
FROM (SELECT count(*) AS requests, coalesce(sum(input), 0)::int8 AS input,
        coalesce(sum(cache_read), 0)::int8 AS cache_read,
        coalesce(sum(cache_write), 0)::int8 AS cache_write, coalesce(sum(output), 0)::int8 AS output
    FROM session_calls WHERE org = $1 AND id = $2) c
WHERE s.org = $1 AND s.id = $2
