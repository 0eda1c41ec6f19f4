INSERT INTO session_calls AS c (org, id, call, input, cache_read, cache_write, output)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (org, id, call) DO UPDATE SET input = GREATEST(c.input, EXCLUDED.input),
    cache_read = GREATEST(c.cache_read, EXCLUDED.cache_read),
    cache_write = GREATEST(c.cache_write, EXCLUDED.cache_write),
    output = GREATEST(c.output, EXCLUDED.output)
