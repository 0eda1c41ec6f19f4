UPDATE orders SET state = 'waiting',
    by_person = CASE WHEN state = 'ordered' OR by_person IS NOT DISTINCT FROM $3 THEN $3 END,
    by_shown = CASE WHEN state = 'ordered' OR by_person IS NOT DISTINCT FROM $3 THEN $4 END
WHERE org = $1 AND id = $2
