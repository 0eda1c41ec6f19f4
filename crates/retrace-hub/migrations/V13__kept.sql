-- The hub took the content of the version: where neither a redaction nor the end of its time took it out, it is there, or was lost.
ALTER TABLE versions ADD COLUMN IF NOT EXISTS kept boolean NOT NULL DEFAULT false;
GRANT UPDATE (kept) ON versions TO retrace_hub;

-- This role owns the tables, and row-level security is forced on it too: without this the update would see no row.
ALTER TABLE versions NO FORCE ROW LEVEL SECURITY;
ALTER TABLE contents NO FORCE ROW LEVEL SECURITY;
UPDATE versions v SET kept = true FROM contents c
WHERE c.org = v.org AND c.store = v.store AND c.machine = v.machine AND c.sha256 = v.content_sha256;
ALTER TABLE versions FORCE ROW LEVEL SECURITY;
ALTER TABLE contents FORCE ROW LEVEL SECURITY;
