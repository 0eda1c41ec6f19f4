-- Which session wrote a version, where that was not recorded. Derived from transcripts, and never anything of a memory: no content,
-- no path of it, no prompt. A redaction has nothing to take out here.

-- Transcripts by path, as bytes.
CREATE TABLE origin_transcripts (
    id             INTEGER PRIMARY KEY,
    path           BLOB    NOT NULL UNIQUE
) STRICT;

-- rank 0 is the answer; further ones are candidates. conversation, message, block, part, line: where the call stands.
CREATE TABLE origins (
    version_seq    INTEGER NOT NULL REFERENCES versions (seq),
    rank           INTEGER NOT NULL CHECK (rank >= 0),
    session        TEXT,
    confidence     TEXT    NOT NULL,
    basis          TEXT    NOT NULL,
    steps          INTEGER NOT NULL,
    role           TEXT,
    agent          TEXT,
    model          TEXT,
    transcript_id  INTEGER REFERENCES origin_transcripts (id),
    conversation   INTEGER,
    message        INTEGER,
    block          INTEGER,
    part           INTEGER,
    line           INTEGER,
    turn           INTEGER,
    tool           TEXT,
    tool_use_id    TEXT,
    at             INTEGER,
    PRIMARY KEY (version_seq, rank)
) STRICT, WITHOUT ROWID;
CREATE INDEX origins_by_session ON origins (session) WHERE rank = 0 AND session IS NOT NULL;

-- How far versions were held against transcripts.
CREATE TABLE origin_state (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    joined_seq     INTEGER NOT NULL
) STRICT;
INSERT INTO origin_state VALUES (1, 0);
