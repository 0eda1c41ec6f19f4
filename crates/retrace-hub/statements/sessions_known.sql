SELECT s.session, s.digest, e.part, e.entries FROM sessions s LEFT JOIN LATERAL
    (SELECT part, max(number) AS entries FROM session_entries WHERE org = s.org AND id = s.id GROUP BY part) e
    ON true
WHERE s.org = $1 AND s.machine = $2 AND s.scope = '' AND s.session = ANY($3)
