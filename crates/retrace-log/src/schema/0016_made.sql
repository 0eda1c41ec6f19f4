-- When a store's directory was made, in nanoseconds: file systems give the number of a removed directory to the next one. NULL where that
-- was not kept, or the file system does not say.
ALTER TABLE stores ADD COLUMN root_made INTEGER;
