//! The search indexes follow the log, and hold what one made from scratch would hold.

use super::harness::*;
use crate::*;
use std::collections::BTreeSet;

/// Every word of an index with the row it is in.
fn entries(connection: &rusqlite::Connection, index: &str) -> BTreeSet<(String, i64)> {
    connection
        .execute_batch(&format!(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.{index}_words USING fts5vocab('main', '{index}', 'instance')"
        ))
        .expect("a view of the words");
    let mut query =
        connection.prepare(&format!("SELECT term, doc FROM temp.{index}_words")).expect("prepares");
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("asks");
    rows.collect::<Result<_, _>>().expect("reads")
}

/// Compares both indexes with ones made from scratch over a copy of the log.
pub(super) fn assert_like_new(log: &TestLog) {
    let copy = tempfile::tempdir().expect("a folder");
    let files = LogFiles::new(copy.path());
    log.raw().execute("VACUUM INTO ?1", [files.database().to_str().expect("text")]).expect("a copy");
    let mut fresh = Writer::open(files, entropy(9)).expect("the copy opens");
    fresh
        .connection
        .execute_batch(
            "INSERT INTO live_text (live_text) VALUES ('delete-all');
             INSERT INTO history_text (history_text) VALUES ('delete-all');
             DELETE FROM search_live; UPDATE search_state SET indexed_seq = 0;",
        )
        .expect("empties");
    while fresh.index_some().expect("indexes") {}
    let raw = log.raw();
    for index in ["live_text", "history_text"] {
        assert_eq!(entries(&raw, index), entries(&fresh.connection, index), "{index}");
    }
}

#[test]
fn history_is_found_where_words_came_in_and_live_where_they_are() {
    let mut log = TestLog::new();
    log.put("a.md", "never retry a payment\n");
    log.put("a.md", "never retry a payment\nthe queue is RabbitMQ\n");
    log.put("b.md", "the queue is empty\n");
    log.put("a.md", "the queue is RabbitMQ\n");
    assert!(!log.writer.reader().search_is_current().expect("asks"));
    assert_eq!(log.search_history("payment"), [0; 0], "not yet indexed");
    log.index();
    assert!(log.writer.reader().search_is_current().expect("asks"));
    assert_eq!(log.search_history("PAYMENT retry"), [1]);
    assert_eq!(log.search_history("queue"), [3, 2]);
    assert_eq!(log.search_history("queue rabbit"), [2], "by the beginning of a word");
    assert_eq!(log.search_history("payment queue"), [0; 0], "not brought in together");
    assert_eq!(log.search_live("queue"), ["a.md", "b.md"]);
    assert_eq!(log.search_live("payment"), [""; 0]);
    assert_eq!(log.search_live(""), [""; 0]);
    assert_eq!(log.search_history("\" OR *"), [0; 0]);
    assert_like_new(&log);
}

#[test]
fn a_hit_shows_the_line() {
    let mut log = TestLog::new();
    log.put("a.md", "the queue\nis old\n");
    log.put("a.md", "the queue\nis old\nso is the other queue\n");
    log.index();
    let hits = log.writer.reader().search_history(&Words::parse("queue"), None, 10).expect("searches");
    let shown: Vec<(u64, usize, &str)> =
        hits.iter().map(|hit| (hit.version.id.seq, hit.line, hit.text.as_str())).collect();
    assert_eq!(
        shown,
        [(2, 3, "so is the other queue"), (1, 1, "the queue")],
        "the line that came in, not an older one"
    );
    assert_eq!(&hits[0].text[hits[0].matches[0].clone()], "queue");
    assert_eq!(
        log.writer.reader().search_history(&Words::parse("queue"), None, 1).expect("searches").len(),
        1
    );
}

#[test]
fn search_keeps_to_its_store_and_to_stores_on_the_list() {
    let mut log = TestLog::new();
    let other = add_store(&mut log.writer, "others");
    log.put("a.md", "a word");
    let at = log.tick();
    log.writer.append(scan(other, at, vec![put(other, "b.md", "a word")])).expect("appends");
    log.index();
    let words = Words::parse("word");
    let live =
        |log: &TestLog, store| log.writer.reader().search_live(&words, store, 10).expect("searches").len();
    let history =
        |log: &TestLog, store| log.writer.reader().search_history(&words, store, 10).expect("searches").len();
    assert_eq!((live(&log, None), live(&log, Some(other)), history(&log, Some(other))), (2, 1, 1));
    let act = log.writer.begin().expect("a transaction");
    act.remove_store(other, retrace_model::Timestamp::from_micros(START)).expect("removes");
    act.commit().expect("commits");
    assert_eq!((live(&log, None), history(&log, None)), (1, 2), "history stays");
    let nowhere = retrace_model::StoreId([9; 16]);
    assert!(log.writer.reader().search_live(&words, Some(nowhere), 10).is_err());
}

#[test]
fn what_is_no_text_is_not_found_and_harms_nothing() {
    let mut log = TestLog::new();
    let store = log.store;
    log.scan(vec![
        put(store, "a.bin", b"word\0"),
        put(store, "b.txt", b"word \xff"),
        too_large(store, "c.md", "word"),
        put(store, "empty.md", ""),
        put(store, "signs.md", "-- !! --\n"),
        put(store, "d.md", "word"),
    ]);
    log.put("a.bin", "word");
    log.put("d.md", b"word\0");
    log.delete("empty.md");
    log.index();
    assert_eq!(log.search_history("word"), [7, 6]);
    assert_eq!(log.search_live("word"), ["a.bin"]);
    assert_like_new(&log);
}

#[test]
fn catching_up_in_batches_comes_to_the_same() {
    let mut log = TestLog::new();
    for round in 0..8u64 {
        let changes = (0..200u64)
            .map(|n| put(log.store, &format!("{n}.md"), format!("{} {}", noise(n, 10), noise(round, 10))));
        log.scan(changes.collect());
    }
    assert!(log.writer.index_some().expect("indexes"), "1600 versions are more than a batch");
    assert_eq!(log.search_live(&noise(7, 10)), [""; 0], "those memories have changed again since");
    log.index();
    assert!(!log.writer.index_some().expect("nothing to do"));
    assert_eq!(log.search_live(&noise(7, 10)).len(), 200);
    assert_like_new(&log);
}

#[test]
fn a_redaction_leaves_the_indexes_as_if_it_had_always_been() {
    let texts =
        ["one two\n", "one two\nsecret three\n", "one two\nthree\n", "secret three\nthree\nfour\n", "four\n"];
    for masked in [vec![1], vec![2], vec![2, 3], vec![5], vec![4, 5], vec![1, 2, 3, 4, 5]] {
        // Redacted before, in the middle of, and after indexing.
        for indexed_at in 0..=texts.len() {
            let mut log = TestLog::new();
            for (n, text) in texts.iter().enumerate() {
                if n == indexed_at {
                    log.index();
                }
                log.put("a.md", text);
            }
            if indexed_at == texts.len() {
                log.index();
            }
            log.redact(&masked);
            log.put("b.md", "one more");
            log.index();
            assert_like_new(&log);
            log.purge(&Needles::default());
            assert_like_new(&log);
            log.assert_sound();
        }
    }
}

#[test]
fn a_redacted_word_is_in_no_entry_of_the_indexes() {
    let mut log = TestLog::new();
    for n in 0..300u64 {
        log.put(&format!("{}.md", n % 30), format!("{}\n{}\n", noise(n, 12), noise(n / 2, 12)));
        if n % 40 == 0 {
            log.index();
        }
    }
    log.put("a.md", "the key is xyzzyplugh\n");
    log.index();
    log.put("a.md", "the key is gone\n");
    log.index();
    log.redact(&[301]);
    log.purge(&Needles::default());
    let raw = log.raw();
    for index in ["live_text", "history_text"] {
        assert!(!entries(&raw, index).iter().any(|(word, _)| word.contains("xyzzy")), "{index}");
    }
    assert_eq!(log.files_holding(b"plugh"), [""; 0], "nor in what shows the way to entries");
    assert_like_new(&log);
}
