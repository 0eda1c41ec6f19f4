UPDATE memories m SET newest = n.seq, newest_at = n.created_at FROM (
    SELECT DISTINCT ON (v.memory) v.memory, v.seq, v.created_at FROM versions v
    WHERE v.org = $1 AND v.store = $2 AND v.machine = $3 AND NOT v.withdrawn AND v.memory IN (
        SELECT w.memory FROM versions w WHERE w.org = $1 AND w.store = $2 AND w.machine = $3 AND NOT w.observed)
    ORDER BY v.memory, v.seq DESC) n
WHERE m.org = $1 AND m.store = $2 AND m.machine = $3 AND m.memory = n.memory AND m.newest <> n.seq
