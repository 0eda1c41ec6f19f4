SELECT om.id, om.recheck, r.body FROM order_machines om
JOIN LATERAL (SELECT body FROM order_receipts r WHERE r.org = om.org AND r.id = om.id
    AND r.machine = om.machine ORDER BY r.number DESC LIMIT 1) r ON true
WHERE om.org = $1 AND om.machine = $2 AND om.state = 'done' AND (om.recheck
    OR r.body NOT LIKE '%"places_left":0,%' OR r.body NOT LIKE '%"purge":"done"%')
ORDER BY om.recheck DESC, om.since DESC LIMIT $3
