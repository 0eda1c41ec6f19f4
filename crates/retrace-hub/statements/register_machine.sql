INSERT INTO machines (org, machine, public_key, name, role, joined_at, seen_at, ends_at, by_provider)
VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8)
ON CONFLICT (org, machine) DO UPDATE SET name = $4, role = $5, left_at = NULL, seen_at = $6, ends_at = $7,
    by_provider = $8
