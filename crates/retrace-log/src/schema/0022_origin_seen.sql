-- Transcripts as they were when versions were last held against them: hashes of the path and of what the file system said of it. By
-- them a later process knows which are new or have grown since. Derived; where it is empty all count as new.
CREATE TABLE origin_seen (
    transcript     INTEGER PRIMARY KEY,
    state          INTEGER NOT NULL
) STRICT;
