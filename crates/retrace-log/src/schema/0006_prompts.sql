-- What a writer said it wrote after. Kept beside the log and not in it, so that it can go: a redaction empties this table.
CREATE TABLE prompts (
    operation_seq  INTEGER PRIMARY KEY,
    turn           INTEGER,
    prompt         TEXT
) STRICT;
