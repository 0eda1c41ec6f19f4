-- Where in a content that was masked the redacted texts stood, so that what has the same content on another machine loses them alone.
-- One without a row went as a whole. tag: its code (redaction_tags), by which it is known again; NULL while it has none. parts: two
-- numbers of eight bytes for each place, its first byte and the one after its last; none where the path alone held a redacted text.
CREATE TABLE redacted_parts (
    blob_id        INTEGER PRIMARY KEY REFERENCES blobs (id),
    tag            BLOB CHECK (length(tag) = 32),
    parts          BLOB    NOT NULL CHECK (length(parts) % 16 = 0)
) STRICT;
CREATE INDEX redacted_parts_of_tag ON redacted_parts (tag) WHERE tag IS NOT NULL;
