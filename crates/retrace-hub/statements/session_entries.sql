INSERT INTO session_entries (org, id, part, number, uuid, received_at, sha256, size, wrapped_key, bytes)
SELECT $1, $2, $3, e.number, e.uuid, $4, e.sha256, e.size, e.wrapped, e.bytes
FROM unnest($5::int8[], $6::text[], $7::bytea[], $8::int8[], $9::bytea[], $10::bytea[])
    AS e (number, uuid, sha256, size, wrapped, bytes)
