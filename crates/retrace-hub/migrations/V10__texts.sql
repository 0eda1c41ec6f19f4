-- What is redacted is searched for in comments and proposals as well: how many of them an order took it out of.
ALTER TABLE orders ADD COLUMN texts bigint NOT NULL DEFAULT 0;
GRANT UPDATE (texts) ON orders TO retrace_hub;
CREATE INDEX comments_by_sha256 ON comments (org, sha256) WHERE sha256 IS NOT NULL;

-- Each sync asks how many versions of its machine are redacted here.
CREATE INDEX versions_redacted ON versions (org, machine) WHERE redacted;
