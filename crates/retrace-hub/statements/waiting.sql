SELECT (SELECT count(DISTINCT id) FROM order_targets WHERE org = $1 AND machine = $2 AND NOT done),
    (SELECT count(DISTINCT id) FROM order_machines WHERE org = $1 AND state <> 'done' AND acknowledged_at IS NULL),
    (SELECT count(*) FROM orders WHERE org = $1 AND state = 'waiting'),
    (SELECT count(*) FROM proposals WHERE org = $1 AND machine = $2 AND state = 'waiting')
