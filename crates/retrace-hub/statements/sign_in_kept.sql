INSERT INTO sign_ins (org, machine, issuer, client_id, person, shown, name, at, ends_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (org, machine) DO UPDATE SET issuer = $3, client_id = $4, person = $5, shown = $6, name = $7,
    at = $8, ends_at = $9
