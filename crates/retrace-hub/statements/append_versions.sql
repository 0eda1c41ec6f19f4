INSERT INTO versions (org, store, machine, received_at, seq, local_seq, operation_seq, memory, operation,
    source, created_at, leaf, digest, commitment, observed, redacted, path, salt, content_sha256, content_size)
SELECT $1, $2, $3, $4, v.* FROM unnest($5::int8[], $6::int8[], $7::int8[], $8::bytea[], $9::text[], $10::text[],
    $11::int8[], $12::bytea[], $13::bytea[], $14::bytea[], $15::bool[], $16::bool[], $17::bytea[],
    $18::bytea[], $19::bytea[], $20::int8[]) AS v
