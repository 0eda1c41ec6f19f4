INSERT INTO proposals (org, id, kind, store, machine, memory, path, to_version, at_instant, expects, expects_seq,
    note, person, by_machine, by_name, proposed_at, state, sha256, size, wrapped_key, bytes,
    verified)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 'waiting', $17, $18, $19, $20, $21)
