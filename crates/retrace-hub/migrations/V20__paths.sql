-- The history of a memory is found by every path that it had, and that of the API's stores as well. A path may be longer than an entry of
-- an index, so its hash is there; of that no figures are collected, nor are they of the path.
CREATE INDEX IF NOT EXISTS versions_by_path ON versions (org, store, machine, sha256(path)) WHERE path IS NOT NULL;
ALTER INDEX versions_by_path ALTER COLUMN 4 SET STATISTICS 0;

-- A content that was redacted where its path was before kept hash and size, although its bytes were gone.
-- This role owns the tables, and row-level security is forced on it too: without this the update would see no row.
ALTER TABLE versions NO FORCE ROW LEVEL SECURITY;
ALTER TABLE contents NO FORCE ROW LEVEL SECURITY;
UPDATE versions v SET content_sha256 = NULL, content_size = NULL
WHERE v.redacted AND v.content_sha256 IS NOT NULL AND NOT v.expired AND NOT EXISTS (SELECT 1 FROM contents c
    WHERE c.org = v.org AND c.store = v.store AND c.machine = v.machine AND c.sha256 = v.content_sha256);
ALTER TABLE versions FORCE ROW LEVEL SECURITY;
ALTER TABLE contents FORCE ROW LEVEL SECURITY;
