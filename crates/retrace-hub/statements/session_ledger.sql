SELECT v.rule, s.machine, m.name, v.version, v.outcome, v.present, v.cause, count(*),
    max(v.at) FILTER (WHERE v.outcome <> 'predates')
FROM session_verdicts v JOIN sessions s ON s.org = v.org AND s.id = v.id AND s.deleted_at IS NULL
JOIN session_rules r ON r.org = v.org AND r.machine = s.machine AND r.rule = v.rule
LEFT JOIN machines m ON m.org = s.org AND m.machine = s.machine
WHERE v.org = $1 AND ($2::bytea IS NULL OR s.machine = $2)
GROUP BY v.rule, s.machine, m.name, v.version, v.outcome, v.present, v.cause ORDER BY m.name, s.machine
