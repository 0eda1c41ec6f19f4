-- The operation of the machine's log by which recording of a store began: what a version of it or of an earlier one has may be older.
-- None where the machine did not say.
ALTER TABLE stores ADD COLUMN recorded_since bigint;
