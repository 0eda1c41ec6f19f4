-- Hash of what the machine told beside versions, and of the reviews it took, when its last sync came to an end.
ALTER TABLE machines ADD COLUMN IF NOT EXISTS told bytea CHECK (length(told) = 32);
