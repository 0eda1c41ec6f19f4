SELECT om.id, om.machine, m.name, om.state, om.since, m.seen_at, m.left_at IS NOT NULL, r.body, r.signature,
    m.public_key, om.recheck, m.removed_at IS NOT NULL, om.acknowledged_at, k.name, d.name
FROM order_machines om JOIN machines m ON m.org = om.org AND m.machine = om.machine
LEFT JOIN machines k ON k.org = om.org AND k.machine = om.acknowledged_by
LEFT JOIN LATERAL (SELECT body, signature FROM order_receipts r WHERE r.org = om.org AND r.id = om.id
    AND r.machine = om.machine ORDER BY r.number DESC LIMIT 1) r ON true
-- The same log under another key: it has the same versions at the same places, and carried out all that this one had to.
LEFT JOIN LATERAL (SELECT n.name FROM order_machines o JOIN machines n ON n.org = o.org AND n.machine = o.machine
    WHERE m.left_at IS NOT NULL AND om.state <> 'done' AND o.org = om.org AND o.id = om.id AND o.machine <> om.machine
        AND o.state = 'done' AND EXISTS (SELECT 1 FROM order_targets t WHERE t.org = om.org AND t.id = om.id
            AND t.machine = om.machine)
        AND NOT EXISTS (SELECT 1 FROM order_targets t JOIN versions v ON v.org = t.org AND v.store = t.store
            AND v.machine = t.machine AND v.local_seq = t.local_seq
            WHERE t.org = om.org AND t.id = om.id AND t.machine = om.machine AND NOT EXISTS (SELECT 1 FROM order_targets u
                JOIN versions w ON w.org = u.org AND w.store = u.store AND w.machine = u.machine
                    AND w.local_seq = u.local_seq
                WHERE u.org = t.org AND u.id = t.id AND u.machine = o.machine AND u.store = t.store
                    AND u.local_seq = t.local_seq AND u.done AND w.leaf = v.leaf))
    LIMIT 1) d ON true
WHERE om.org = $1 AND om.id = ANY($2) ORDER BY m.name, om.machine
