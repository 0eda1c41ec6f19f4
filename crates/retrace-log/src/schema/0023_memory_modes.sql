-- Permission bits of the file of a memory as they were last seen, wherever it stood: another memory may have come to its path since,
-- and what is put back is readable by nobody who could not read it before.
CREATE TABLE memory_modes (
    memory_id      INTEGER PRIMARY KEY REFERENCES memories (id),
    mode           INTEGER NOT NULL CHECK (mode BETWEEN 0 AND 4095)
) STRICT;
INSERT INTO memory_modes (memory_id, mode)
    SELECT l.memory_id, p.mode FROM live l JOIN permissions p ON p.path_id = l.path_id AND p.store_id = l.store_id;
