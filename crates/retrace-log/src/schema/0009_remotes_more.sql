-- More of hosted stores.

-- host_name: the store's name at its host; none before a pull said it. swept_to: the walk through all versions of the host, for those
-- redacted there since, has those made after this instant of the host behind it; none where it begins. swept_at: when a walk last came
-- to its end.
ALTER TABLE remotes ADD COLUMN host_name TEXT;
ALTER TABLE remotes ADD COLUMN swept_to INTEGER;
ALTER TABLE remotes ADD COLUMN swept_at INTEGER;
CREATE INDEX mirrored_redacted ON mirrored (store_id) WHERE redacted_at IS NOT NULL;

-- sent_at: when the change was last being sent; its answer may have been lost. withdrawn_by: the operation that took it back; it is not
-- sent then, and undoing that operation queues it again.
ALTER TABLE remote_queue ADD COLUMN sent_at INTEGER;
ALTER TABLE remote_queue ADD COLUMN withdrawn_by INTEGER REFERENCES operations (seq);
CREATE INDEX remote_queue_by_withdrawal ON remote_queue (withdrawn_by) WHERE withdrawn_by IS NOT NULL;
