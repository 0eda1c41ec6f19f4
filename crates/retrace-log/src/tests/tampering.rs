//! Changes behind the log's back are found.
//!
//! One thing cannot be found from inside: that the newest operations were taken off the end, with everything that says
//! so. The head of the chain, kept elsewhere, is the witness for that.

use super::harness::*;
use crate::*;
use retrace_model::{Actor, Sha256, Verdict};
use rusqlite::Connection;

/// A log to tamper with, past all triggers, and what brings those back.
fn open_to_all() -> (TestLog, Connection, Vec<String>) {
    let mut log = TestLog::new();
    let other = add_store(&mut log.writer, "others");
    let at = log.tick();
    let ada = Actor::User { id: "ada".to_owned() };
    let changes = vec![put(log.store, "a.md", "a fact"), put(log.store, "b.md", "b fact")];
    log.writer
        .append(Append { actor: &ada, note: Some("why"), ..scan(log.store, at, changes) })
        .expect("appends");
    log.put("a.md", "a fact, corrected");
    log.delete("b.md");
    log.put("c.md", "a secret");
    log.put("d.md", "the last fact");
    log.redact(&[5]);
    let at = log.tick();
    log.writer.append(scan(other, at, vec![put(other, "e.md", "elsewhere")])).expect("appends");
    log.review(Verdict::Approved, &[1]);
    log.undo_review(1);
    log.review(Verdict::Approved, &[2, 6]);
    log.assert_sound();
    let raw = log.raw();
    let triggers: Vec<(String, String)> = raw
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        .expect("prepares")
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("asks")
        .collect::<Result<_, _>>()
        .expect("reads");
    for (trigger, _) in &triggers {
        raw.execute_batch(&format!("DROP TRIGGER {trigger}")).expect("drops");
    }
    (log, raw, triggers.into_iter().map(|(_, sql)| sql).collect())
}

/// Tampers, brings the triggers back so that the schema is as before, and says what verification finds.
fn found_after(sql: &str) -> Vec<String> {
    let (log, raw, triggers) = open_to_all();
    raw.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    for trigger in triggers {
        raw.execute_batch(&trigger).expect("a trigger");
    }
    let problems = log.connection().snapshot(|reader| reader.verify()).expect("verifies").problems;
    let chain = log.connection().snapshot(|reader| reader.verify_chain()).expect("verifies");
    assert!(chain.iter().all(|problem| problems.contains(problem)), "{chain:?} in {problems:?}");
    problems.into_iter().map(retrace_message::Message::into_text).collect()
}

#[test]
fn an_untouched_log_is_sound_after_the_triggers_were_taken_and_brought_back() {
    assert_eq!(found_after(""), Vec::<String>::new());
}

#[test]
fn what_the_chain_covers_cannot_be_altered() {
    let altered = |operation: u64| format!("operation {operation} or one of its versions was altered");
    for (sql, operation) in [
        ("UPDATE operations SET note = 'another reason' WHERE seq = 1", 1),
        ("UPDATE operations SET note = NULL WHERE seq = 1", 1),
        ("UPDATE operations SET note = '' WHERE seq = 2", 2),
        ("UPDATE operations SET created_at = created_at + 1 WHERE seq = 2", 2),
        ("UPDATE operations SET source = 'api' WHERE seq = 2", 2),
        ("UPDATE operations SET actor_id = NULL WHERE seq = 1", 1),
        ("UPDATE actors SET name = 'eve'", 1),
        ("UPDATE operations SET undoes = 2 WHERE seq = 3", 3),
        ("UPDATE operations SET store_id = 2 WHERE seq = 3", 3),
        ("UPDATE operations SET digest = randomblob(32) WHERE seq = 3", 3),
        ("UPDATE paths SET bytes = CAST('z.md' AS BLOB) WHERE bytes = CAST('a.md' AS BLOB)", 1),
        ("UPDATE versions SET change = 1 WHERE seq = 3", 2),
        ("UPDATE versions SET path_id = (SELECT path_id FROM versions WHERE seq = 2) WHERE seq = 1", 1),
        ("UPDATE versions SET blob_id = (SELECT blob_id FROM versions WHERE seq = 3) WHERE seq = 1", 1),
        ("UPDATE versions SET memory_id = (SELECT memory_id FROM versions WHERE seq = 2) WHERE seq = 1", 1),
        ("UPDATE versions SET store_id = 2 WHERE seq = 6", 5),
        ("UPDATE versions SET salt = randomblob(16) WHERE seq = 4", 3),
        ("UPDATE versions SET commitment = randomblob(32) WHERE seq = 5", 4),
        ("UPDATE blobs SET salt = randomblob(16) WHERE id = 1", 1),
        ("UPDATE blobs SET sha256 = randomblob(32) WHERE id = 1", 1),
        ("UPDATE blobs SET size = size + 1 WHERE id = 1", 1),
        ("UPDATE memories SET public = randomblob(16) WHERE id = 1", 1),
        ("UPDATE stores SET public = randomblob(16) WHERE id = 1", 1),
    ] {
        let problems = found_after(sql);
        assert!(problems.contains(&altered(operation)), "{sql}: {problems:?}");
    }
}

#[test]
fn what_the_chain_of_reviews_covers_cannot_be_altered() {
    let altered = |review: u64| format!("review {review} or what it says of a memory was altered");
    for (sql, sentence) in [
        ("UPDATE review_acts SET verdict = 'rejected' WHERE seq = 1", altered(1)),
        ("UPDATE review_acts SET note = NULL WHERE seq = 1", altered(1)),
        ("UPDATE review_acts SET created_at = created_at + 1 WHERE seq = 3", altered(3)),
        ("UPDATE review_acts SET operation_seq = 2 WHERE seq = 3", altered(3)),
        ("UPDATE review_acts SET digest = randomblob(32) WHERE seq = 2", altered(2)),
        ("UPDATE review_acts SET undoes = 3 WHERE seq = 2", altered(2)),
        ("UPDATE actors SET name = 'eve'", altered(1)),
        ("UPDATE reviews SET judged_seq = 1 WHERE act_seq = 3 AND judged_seq = 2", altered(3)),
        ("UPDATE reviews SET through_seq = 1 WHERE act_seq = 1", altered(1)),
        ("DELETE FROM reviews WHERE act_seq = 3 AND judged_seq = 6", altered(3)),
        ("INSERT INTO reviews (act_seq, memory_id, judged_seq, through_seq) VALUES (3, 1, 1, 1)", altered(3)),
        (
            "DELETE FROM reviews WHERE act_seq = 1; DELETE FROM review_acts WHERE seq = 1",
            "reviews 1 to 1 are missing".to_owned(),
        ),
        (
            "UPDATE review_acts SET verdict = 'liked' WHERE seq = 1",
            "review 1: \"liked\" is not one of".to_owned(),
        ),
        (
            "UPDATE reviews SET through_seq = 6 WHERE act_seq = 1",
            "1 reviews name versions of other memories".to_owned(),
        ),
        ("DELETE FROM reviewers WHERE id <> 0", "1 people who reviewed are not known as such".to_owned()),
        (
            "DELETE FROM unreviewed WHERE memory_id = 1",
            "2 memories are said to be unreviewed otherwise".to_owned(),
        ),
        ("UPDATE unreviewed SET base_seq = 1", "memories are said to be unreviewed otherwise".to_owned()),
    ] {
        let problems = found_after(sql);
        assert!(problems.iter().any(|problem| problem.contains(&sentence)), "{sql}: {problems:?}");
    }
}

#[test]
fn altered_contents_are_found() {
    let found = |sql: &str, sentence: &str| {
        let problems = found_after(sql);
        assert!(problems.iter().any(|problem| problem.contains(sentence)), "{sql}: {problems:?}");
    };
    found("UPDATE blobs SET data = CAST('b fact' AS BLOB) WHERE id = 1", "content 1 has another hash");
    found("UPDATE blobs SET data = x'00' WHERE id = 1", "content 1 has encoding 0 and no sense");
    found("UPDATE blobs SET encoding = 1 WHERE id = 1", "does not unpack");
    found("UPDATE blobs SET is_text = 0 WHERE id = 1", "content 1 is marked as text or as binary");
    found("UPDATE blobs SET encoding = 2, base_id = 2 WHERE id = 1", "does not unpack");
    found(
        "UPDATE blobs SET encoding = 2, base_id = 1 WHERE id = 1",
        "has too long a chain of delta bases, or is its own delta base",
    );
    found("UPDATE blobs SET encoding = 2, base_id = 99 WHERE id = 1", "content 99 is missing");
    found("UPDATE blobs SET size = 1 << 62, encoding = 1 WHERE id = 1", "claims to be too large");
    found(
        "INSERT INTO blobs (encoding, is_text, depth, size, salt, sha256, data)
           VALUES (0, 1, 0, 1, randomblob(16), randomblob(32), x'41')",
        "1 contents belong to no version",
    );
    // Two contents change places: both read, neither is what it was.
    found(
        "UPDATE blobs SET data = (SELECT b.data FROM blobs b WHERE b.id = 3 - blobs.id) WHERE id IN (1, 2)",
        "content 1 has another hash",
    );
}

#[test]
fn versions_that_change_places_are_found() {
    let problems = found_after(
        "UPDATE versions SET seq = 100 WHERE seq = 1; UPDATE versions SET seq = 1 WHERE seq = 2;
         UPDATE versions SET seq = 2 WHERE seq = 100;",
    );
    assert!(problems.contains(&"operation 1 or one of its versions was altered".to_owned()), "{problems:?}");
    let problems = found_after(
        "UPDATE versions SET seq = 100, operation_seq = 3 WHERE seq = 3;
         UPDATE versions SET seq = 3, operation_seq = 2 WHERE seq = 4;
         UPDATE versions SET seq = 4 WHERE seq = 100;",
    );
    assert!(problems.contains(&"operation 2 or one of its versions was altered".to_owned()), "{problems:?}");
}

#[test]
fn what_is_missing_or_too_much_is_found() {
    for (sql, sentence) in [
        ("DELETE FROM versions WHERE seq = 2", "operation 1 counts other versions than it has"),
        ("DELETE FROM versions WHERE seq = 7", "operation 7 counts other versions than it has"),
        ("DELETE FROM operations WHERE seq = 2", "operations 2 to 2 are missing"),
        ("DELETE FROM operations WHERE seq = 7", "there are versions of no operation"),
        ("UPDATE operations SET first_version = 2 WHERE seq = 1", "operation 1 does not begin at version 1"),
        (
            "UPDATE operations SET created = 9223372036854775807 WHERE seq = 1",
            "operation 1 counts other versions",
        ),
        ("UPDATE versions SET number = 9 WHERE seq = 3", "version 3 has another number"),
        (
            "UPDATE versions SET operation_seq = 2 WHERE seq = 1",
            "version 1 names another operation than its own",
        ),
        (
            "INSERT INTO versions (seq, operation_seq, store_id, memory_id, number, change, path_id, blob_id)
          SELECT 99, 7, store_id, memory_id, 2, 2, path_id, blob_id FROM versions WHERE seq = 7",
            "there are versions of no operation",
        ),
        ("DELETE FROM paths WHERE bytes = CAST('a.md' AS BLOB)", "versions name paths that are not kept"),
        ("DELETE FROM memory_paths", "where their memories are not said to have been"),
        ("DELETE FROM live", "memories are live although their newest version deleted them"),
        ("UPDATE live SET version_seq = 1 WHERE memory_id = 1", "do not stand at their newest version"),
        (
            "UPDATE live SET path_id = 2 WHERE memory_id = 1",
            "stand at another path than their newest version",
        ),
        ("UPDATE stores SET versions = 1", "stores count another number of versions"),
        (
            "INSERT INTO origins (version_seq, rank, confidence, basis, steps) VALUES (99, 0, 'unknown', '', 0)",
            "answers to who wrote are about versions that are not there",
        ),
        (
            "INSERT INTO origins (version_seq, rank, confidence, basis, steps) VALUES (1, 1, 'unknown', '', 0)",
            "versions have candidates for who wrote them without an answer",
        ),
        (
            "INSERT INTO origins (version_seq, rank, confidence, basis, steps)
             VALUES (1, 0, 'unknown', '', 0), (1, 2, 'unknown', '', 0)",
            "or with a gap between",
        ),
        ("UPDATE origin_state SET joined_seq = 99", "compared with transcripts that are not there yet"),
        ("DELETE FROM origin_state", "compared with transcripts that are not there yet"),
        ("DELETE FROM memories WHERE id = 1", "names a row of memories that does not exist"),
        (
            "UPDATE versions SET redaction_id = 1, path_id = NULL, commitment = randomblob(32) WHERE seq = 6",
            "versions and their contents disagree on what is redacted",
        ),
        (
            "DROP TRIGGER IF EXISTS versions_no_delete; DROP INDEX versions_by_blob",
            "the schema lacks index versions_by_blob",
        ),
        ("CREATE TABLE extra (x)", "the schema has an unknown table extra"),
    ] {
        let problems = found_after(sql);
        assert!(problems.iter().any(|problem| problem.contains(sentence)), "{sql}: {problems:?}");
    }
}

#[test]
fn a_schema_without_its_triggers_is_found() {
    let (log, ..) = open_to_all();
    let problems = log.writer.reader().verify().expect("verifies").problems;
    assert!(
        problems.iter().any(|problem| *problem == "the schema lacks trigger versions_no_delete"),
        "{problems:?}"
    );
}

/// The one thing that cannot be seen without a witness outside the log.
#[test]
fn a_last_operation_taken_off_cleanly_shows_only_in_the_head_of_the_chain() {
    let (log, ..) = open_to_all();
    let witness = log.writer.reader().chain_head().expect("a head");
    drop(log);
    let problems = found_after(
        "DELETE FROM live WHERE version_seq = 7; DELETE FROM versions WHERE seq = 7;
         DELETE FROM operations WHERE seq = 7; DELETE FROM blobs WHERE id = (SELECT max(id) FROM blobs);
         DELETE FROM memory_paths WHERE memory_id = (SELECT max(id) FROM memories);
         DELETE FROM memory_modes WHERE memory_id = (SELECT max(id) FROM memories);
         DELETE FROM unreviewed WHERE newest_seq = 7;
         DELETE FROM memories WHERE id = (SELECT max(id) FROM memories);
         UPDATE stores SET versions = 0 WHERE id = 2;",
    );
    assert_eq!(problems, Vec::<String>::new(), "from inside, the log looks sound");
    let (log, raw, _) = open_to_all();
    raw.execute_batch("DELETE FROM operations WHERE seq = 7").expect("deletes");
    let left: Sha256 = log.writer.reader().chain_head().expect("a head");
    assert_ne!(left, witness);
}

#[test]
fn a_log_with_many_problems_says_the_first_hundred() {
    let mut log = TestLog::new();
    log.scan((0..300).map(|n| put(log.store, &format!("{n}.md"), format!("fact {n}"))).collect());
    let raw = log.raw();
    raw.execute_batch("DROP TRIGGER blobs_mask_or_encode; UPDATE blobs SET data = x'41'").expect("tampers");
    let verified = log.writer.reader().verify().expect("verifies");
    assert_eq!(verified.problems.len(), 100);
}
