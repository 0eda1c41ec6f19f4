-- A machine is to look again at what its receipt says is left, at its next sync.
ALTER TABLE order_machines ADD COLUMN IF NOT EXISTS recheck boolean NOT NULL DEFAULT false;
GRANT UPDATE (recheck) ON order_machines TO retrace_hub;
