SELECT v.rule, s.machine, count(DISTINCT v.id) FROM session_verdicts v
JOIN sessions s ON s.org = v.org AND s.id = v.id AND s.deleted_at IS NULL
WHERE v.org = $1 AND ($2::bytea IS NULL OR s.machine = $2) AND v.outcome <> 'predates'
GROUP BY v.rule, s.machine
