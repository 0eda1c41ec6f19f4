SELECT v.store, v.machine, count(*), min(v.seq), max(v.seq) FROM heads h
JOIN versions v ON v.org = h.org AND v.store = h.store AND v.machine = h.machine AND v.seq > h.seq - $2
WHERE h.org = $1 AND v.kept AND NOT v.redacted AND NOT v.expired AND NOT EXISTS (SELECT 1 FROM contents c
    WHERE c.org = v.org AND c.store = v.store AND c.machine = v.machine AND c.sha256 = v.content_sha256)
GROUP BY v.store, v.machine ORDER BY v.store, v.machine
