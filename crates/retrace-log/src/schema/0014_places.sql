-- Which directory a store's is, whatever its path: the numbers of the file system and of the directory in it, as bits, and the boot of
-- the machine they were seen in, for the first may differ after another one. root_at: where the path leads, where a person said that
-- another place than the path itself is the store's.
ALTER TABLE stores ADD COLUMN root_device INTEGER;
ALTER TABLE stores ADD COLUMN root_file INTEGER;
ALTER TABLE stores ADD COLUMN root_boot TEXT;
ALTER TABLE stores ADD COLUMN root_at BLOB;
