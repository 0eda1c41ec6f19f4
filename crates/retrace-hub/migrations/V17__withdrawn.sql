-- It came in with an import that its machine took back: the log there does not list it any more.
ALTER TABLE versions ADD COLUMN IF NOT EXISTS withdrawn boolean NOT NULL DEFAULT false;
GRANT UPDATE (withdrawn) ON versions TO retrace_hub;
