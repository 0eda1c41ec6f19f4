SELECT s.machine, e.sha256, e.size, e.wrapped_key, e.bytes, e.id, e.number, e.part FROM session_entries e
JOIN sessions s ON s.org = e.org AND s.id = e.id
WHERE e.org = $1 AND e.bytes IS NOT NULL AND (e.id, e.part, e.number) > ($2, $3, $4) AND ($5 OR s.machine = $6)
    AND octet_length(e.bytes) <= $7 ORDER BY e.id, e.part, e.number LIMIT $8
