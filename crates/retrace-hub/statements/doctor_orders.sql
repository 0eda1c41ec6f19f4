SELECT count(DISTINCT om.machine) FILTER (WHERE m.left_at IS NULL AND om.state = 'outstanding'),
    count(DISTINCT om.id) FILTER (WHERE m.left_at IS NULL AND om.state = 'outstanding'),
    count(DISTINCT om.id) FILTER (WHERE m.left_at IS NOT NULL),
    coalesce(string_agg(DISTINCT m.name || CASE WHEN m.removed_at IS NULL THEN ' (left)' ELSE ' (removed)' END, ', ')
        FILTER (WHERE m.left_at IS NOT NULL), ''),
    (SELECT count(*) FROM orders WHERE org = $1 AND state = 'waiting')
FROM order_machines om JOIN machines m ON m.org = om.org AND m.machine = om.machine
WHERE om.org = $1 AND om.state <> 'done' AND om.acknowledged_at IS NULL
