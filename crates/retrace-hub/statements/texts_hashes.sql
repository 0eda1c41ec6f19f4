SELECT sha256 FROM comments WHERE org = $1 AND sha256 = ANY($2)
UNION SELECT sha256 FROM proposals WHERE org = $1 AND sha256 = ANY($2)
UNION SELECT sha256(convert_to(note, 'UTF8')) FROM proposals
    WHERE org = $1 AND note IS NOT NULL AND sha256(convert_to(note, 'UTF8')) = ANY($2)
