-- What people decided about what was recorded. An act of review says of memories up to which version a person knows them; it
-- counts until another act takes it back.

CREATE TABLE review_acts (
    seq            INTEGER PRIMARY KEY CHECK (seq > 0),
    actor_id       INTEGER NOT NULL REFERENCES actors (id),
    verdict        TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    note           TEXT,
    operation_seq  INTEGER REFERENCES operations (seq),
    undoes         INTEGER REFERENCES review_acts (seq),
    digest         BLOB    NOT NULL CHECK (length(digest) = 32),
    CHECK ((verdict = 'undone') = (undoes IS NOT NULL))
) STRICT;
CREATE INDEX review_acts_by_actor ON review_acts (actor_id);
CREATE INDEX review_acts_by_operation ON review_acts (operation_seq) WHERE operation_seq IS NOT NULL;
CREATE UNIQUE INDEX review_acts_by_undone ON review_acts (undoes) WHERE undoes IS NOT NULL;

-- judged_seq: the version the person saw. through_seq: the newest one that is known from then on, which after a rejection
-- is the one that put the memory back.
CREATE TABLE reviews (
    id             INTEGER PRIMARY KEY,
    act_seq        INTEGER NOT NULL REFERENCES review_acts (seq),
    memory_id      INTEGER NOT NULL REFERENCES memories (id),
    judged_seq     INTEGER NOT NULL REFERENCES versions (seq),
    through_seq    INTEGER NOT NULL REFERENCES versions (seq),
    UNIQUE (act_seq, memory_id)
) STRICT;
CREATE INDEX reviews_by_memory ON reviews (memory_id);
CREATE INDEX reviews_by_judged ON reviews (judged_seq);

-- Whoever reviewed anything yet. 0 stands for everybody else. Derived.
CREATE TABLE reviewers (
    id             INTEGER PRIMARY KEY
) STRICT;
INSERT INTO reviewers VALUES (0);

-- Memories that changed since a reviewer last knew them, and what changed them last. base_seq: the newest version that is
-- known, 0 for none. Derived from versions, baselines of stores and reviews.
CREATE TABLE unreviewed (
    reviewer_id    INTEGER NOT NULL,
    memory_id      INTEGER NOT NULL,
    store_id       INTEGER NOT NULL,
    base_seq       INTEGER NOT NULL,
    newest_seq     INTEGER NOT NULL,
    operation_seq  INTEGER NOT NULL,
    writer_id      INTEGER,
    at             INTEGER NOT NULL,
    PRIMARY KEY (reviewer_id, memory_id)
) STRICT, WITHOUT ROWID;

-- What was there when a store was added is known to everybody; what was recorded after that is not.
INSERT INTO unreviewed
    WITH baselines (store_id, seq) AS MATERIALIZED (
        SELECT s.id, coalesce(max(v.seq), 0) FROM stores s LEFT JOIN
            (SELECT store_id, seq, row_number() OVER (PARTITION BY store_id ORDER BY seq) AS place FROM versions) v
            ON v.store_id = s.id AND v.place <= s.baseline
        GROUP BY s.id)
    SELECT 0, m.id, m.store_id,
        coalesce((SELECT max(k.seq) FROM versions k WHERE k.memory_id = m.id AND k.seq <= b.seq), 0),
        n.seq, n.operation_seq, o.actor_id, o.created_at
    FROM memories m
    JOIN baselines b ON b.store_id = m.store_id
    JOIN versions n ON n.seq = (SELECT max(w.seq) FROM versions w WHERE w.memory_id = m.id)
    JOIN operations o ON o.seq = n.operation_seq
    WHERE n.seq > b.seq;

CREATE TRIGGER review_acts_no_update BEFORE UPDATE ON review_acts BEGIN SELECT RAISE (ABORT, 'reviews are append-only'); END;
CREATE TRIGGER review_acts_no_delete BEFORE DELETE ON review_acts BEGIN SELECT RAISE (ABORT, 'reviews are append-only'); END;
CREATE TRIGGER review_acts_no_replace BEFORE INSERT ON review_acts
    WHEN EXISTS (SELECT 1 FROM review_acts WHERE seq = NEW.seq OR (undoes = NEW.undoes AND NEW.undoes IS NOT NULL))
    BEGIN SELECT RAISE (ABORT, 'reviews are append-only'); END;

CREATE TRIGGER reviews_no_update BEFORE UPDATE ON reviews BEGIN SELECT RAISE (ABORT, 'reviews are append-only'); END;
CREATE TRIGGER reviews_no_delete BEFORE DELETE ON reviews BEGIN SELECT RAISE (ABORT, 'reviews are append-only'); END;
CREATE TRIGGER reviews_no_replace BEFORE INSERT ON reviews
    WHEN EXISTS (SELECT 1 FROM reviews WHERE id = NEW.id OR (act_seq = NEW.act_seq AND memory_id = NEW.memory_id))
    BEGIN SELECT RAISE (ABORT, 'reviews are append-only'); END;
