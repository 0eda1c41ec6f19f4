SELECT om.id, om.machine, m.name, om.state, om.since, m.seen_at, m.left_at IS NOT NULL, r.body, r.signature,
    m.public_key, om.recheck
FROM order_machines om JOIN machines m ON m.org = om.org AND m.machine = om.machine
LEFT JOIN LATERAL (SELECT body, signature FROM order_receipts r WHERE r.org = om.org AND r.id = om.id
    AND r.machine = om.machine ORDER BY r.number DESC LIMIT 1) r ON true
WHERE om.org = $1 AND om.id = ANY($2) ORDER BY m.name, om.machine
