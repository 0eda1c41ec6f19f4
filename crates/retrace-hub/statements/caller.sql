SELECT m.public_key, m.role, s.person, s.shown, m.ends_at IS NOT NULL FROM machines m
LEFT JOIN (sign_ins s JOIN provider p ON p.org = s.org AND p.issuer = s.issuer AND p.client_id = s.client_id)
    ON s.org = m.org AND s.machine = m.machine AND s.ends_at > $3
WHERE m.org = $1 AND m.machine = $2 AND m.left_at IS NULL AND (m.ends_at IS NULL OR m.ends_at > $3)
    AND (NOT m.by_provider OR s.machine IS NOT NULL)
