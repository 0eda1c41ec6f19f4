-- Versions whose file was not known to be on the disk when they were recorded, and the boot of the machine they were recorded in.
-- After another boot the file may be as it was before. A row goes when the file is on the disk, or the version is masked.
CREATE TABLE unsettled (
    version_seq    INTEGER PRIMARY KEY REFERENCES versions (seq),
    boot           TEXT    NOT NULL
) STRICT;
