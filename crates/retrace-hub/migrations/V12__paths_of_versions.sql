-- The path of a version may hold what was redacted where its content does not: the path goes with the salt, and the content stays.
ALTER TABLE versions DROP CONSTRAINT IF EXISTS versions_check1;
ALTER TABLE versions DROP CONSTRAINT IF EXISTS versions_redacted_salt;
ALTER TABLE versions ADD CONSTRAINT versions_redacted_salt CHECK (NOT redacted OR salt IS NULL);
