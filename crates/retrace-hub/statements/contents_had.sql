SELECT sha256 FROM contents WHERE org = $1 AND machine = $2 AND sha256 = ANY($3)
UNION SELECT sha256 FROM session_rules
    WHERE org = $1 AND machine = $2 AND sha256 = ANY($3) AND bytes IS NOT NULL
UNION SELECT e.sha256 FROM session_entries e JOIN sessions s ON s.org = e.org AND s.id = e.id
    WHERE e.org = $1 AND s.machine = $2 AND e.sha256 = ANY($3) AND e.bytes IS NOT NULL
