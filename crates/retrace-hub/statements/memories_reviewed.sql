UPDATE memories m SET told = true, reviewed = n.reviewed FROM (
    SELECT k.memory, CASE WHEN l.memory IS NULL THEN k.newest ELSE coalesce((SELECT max(v.seq) FROM versions v
        WHERE v.org = k.org AND v.store = k.store AND v.machine = k.machine AND v.memory = k.memory
            AND v.local_seq <= l.base), 0) END AS reviewed
    FROM memories k LEFT JOIN (SELECT unnest($4::bytea[]) AS memory, unnest($5::int8[]) AS base) l
        ON l.memory = k.memory
    WHERE k.org = $1 AND k.store = $2 AND k.machine = $3
        AND EXISTS (SELECT 1 FROM versions v WHERE v.org = k.org AND v.store = k.store
            AND v.machine = k.machine AND v.seq = k.newest AND v.local_seq <= $6)) n
WHERE m.org = $1 AND m.store = $2 AND m.machine = $3 AND m.memory = n.memory
    AND (NOT m.told OR m.reviewed <> n.reviewed)
