UPDATE order_machines om SET acknowledged_at = $3, acknowledged_by = $4 FROM machines m
WHERE om.org = $1 AND om.id = $2 AND om.state <> 'done' AND om.acknowledged_at IS NULL
    AND m.org = om.org AND m.machine = om.machine AND m.left_at IS NOT NULL
