SELECT o.id, o.by_machine, m.name, o.at, o.live, o.reason, t.store, t.local_seq, t.starts, t.ends
FROM order_targets t JOIN orders o ON o.org = t.org AND o.id = t.id
JOIN machines m ON m.org = o.org AND m.machine = o.by_machine
WHERE t.org = $1 AND t.machine = $2 AND NOT t.done
ORDER BY o.received_at, o.id, t.store, t.local_seq LIMIT $3
