-- Permission bits of files as they were last seen, and of the directories on the way to each, from the top, two bytes each, so that
-- what is put back is readable by nobody who could not read it before. Kept where nothing is any more; goes with the path.
CREATE TABLE permissions (
    path_id        INTEGER NOT NULL,
    store_id       INTEGER NOT NULL REFERENCES stores (id),
    mode           INTEGER NOT NULL CHECK (mode BETWEEN 0 AND 4095),
    directories    BLOB    NOT NULL DEFAULT x'',
    PRIMARY KEY (path_id, store_id)
) STRICT, WITHOUT ROWID;
