-- A copy of the machine's data directory was refused, last: when, and where its chain leaves the machine's.
ALTER TABLE machines ADD COLUMN IF NOT EXISTS copy_at bigint;
ALTER TABLE machines ADD COLUMN IF NOT EXISTS copy_store bytea CHECK (length(copy_store) = 16);
ALTER TABLE machines ADD COLUMN IF NOT EXISTS copy_seq bigint;
