UPDATE orders o SET state = 'ordered'
WHERE o.org = $1 AND o.state = 'waiting' AND NOT EXISTS (SELECT 1 FROM order_contents c
    WHERE c.org = o.org AND c.id = o.id)
RETURNING o.id, o.by_machine
