SELECT o.id, o.by_machine, m.name, o.at, o.method, o.live, o.reason, o.state, o.approved_by, o.approved_at,
    o.versions, o.contents, o.destroyed_at, o.by_shown, o.approved_verified, o.texts
FROM orders o JOIN machines m ON m.org = o.org AND m.machine = o.by_machine
WHERE o.org = $1 ORDER BY o.received_at DESC, o.id LIMIT $2
