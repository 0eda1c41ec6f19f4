-- What was redacted, known again without being kept (src/kept_out.rs). A tag is made with the key in the file beside the log, and
-- key_check says with which key. size: the bytes of an exact secret; NULL for a whole content. rolling: of an exact secret, its rolling
-- hash, hidden by the key. anew: a client of the API redacted the content, and may write it again.
CREATE TABLE redaction_tags (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    redaction_id   INTEGER NOT NULL REFERENCES redactions (id),
    key_check      BLOB    NOT NULL CHECK (length(key_check) = 16),
    size           INTEGER CHECK (size >= 12),
    rolling        BLOB    CHECK (length(rolling) = 8),
    tag            BLOB    NOT NULL UNIQUE CHECK (length(tag) = 32),
    anew           INTEGER NOT NULL DEFAULT 0 CHECK (anew IN (0, 1)),
    CHECK ((size IS NULL) = (rolling IS NULL))
) STRICT;

-- Versions found on disk whose content holds something that was redacted before. Derived; a redaction takes rows out.
CREATE TABLE redacted_back (
    version_seq    INTEGER PRIMARY KEY REFERENCES versions (seq)
) STRICT;
