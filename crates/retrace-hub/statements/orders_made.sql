SELECT o.id, m.name, o.at, o.live, o.reason FROM order_machines om
JOIN orders o ON o.org = om.org AND o.id = om.id
JOIN machines m ON m.org = o.org AND m.machine = o.by_machine
WHERE om.org = $1 AND om.machine = $2 AND o.by_machine = $2 AND om.state = 'outstanding'
    AND NOT EXISTS (SELECT 1 FROM order_targets t WHERE t.org = om.org AND t.id = om.id
        AND t.machine = om.machine AND NOT t.done)
ORDER BY o.received_at, o.id LIMIT $3
