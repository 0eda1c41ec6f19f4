//! Texts that no version holds: each is on the list, is found, goes, and the chain still tells whether anything was altered.

use super::harness::*;
use crate::*;
use retrace_model::{Actor, Evidence, Timestamp, Verdict};
use std::collections::BTreeSet;

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

#[test]
fn every_column_that_can_hold_a_text_is_on_the_list_once() {
    let log = TestLog::new();
    let raw = log.raw();
    let mut query = raw
        .prepare(
            "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
             WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND c.type NOT IN ('INTEGER', 'INT', 'REAL')",
        )
        .expect("prepares");
    let rows = query.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)));
    let columns: BTreeSet<(String, String)> = rows
        .expect("asks")
        .map(|row| row.expect("reads"))
        // The indexes of words follow the log, and their tables are SQLite's.
        .filter(|(table, _)| !SEARCH_TABLES.iter().any(|search| table.starts_with(search)))
        .collect();
    let listed: Vec<(String, String)> =
        TEXTS.iter().map(|place| (place.table.to_owned(), place.column.to_owned())).collect();
    let once: BTreeSet<(String, String)> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), once.len());
    assert_eq!(
        columns.difference(&once).collect::<Vec<_>>(),
        Vec::<&(String, String)>::new(),
        "say in texts.rs what a redaction does with these columns"
    );
    assert_eq!(once.difference(&columns).collect::<Vec<_>>(), Vec::<&(String, String)>::new());
    for place in TEXTS {
        let reported = !matches!(place.care, TextCare::Own | TextCare::Version | TextCare::Queue);
        assert_eq!(reported, place.name.is_some(), "{}.{}", place.table, place.column);
    }
}

fn session() -> Actor {
    Actor::Session { id: format!("session-{SECRET}"), evidence: Evidence::Stated }
}

/// A log that holds the secret in every text that is no version.
fn full_of_it() -> TestLog {
    let mut log = TestLog::new();
    let (store, at, session) = (log.store, log.tick(), session());
    let note = format!("because of {SECRET}");
    let append = scan(store, at, vec![put(store, "a.md", "a fact")]);
    log.writer.append(Append { actor: &session, note: Some(&note), ..append }).expect("appends");
    log.put("b.md", "b fact");
    let writer = Actor::User { id: format!("Ada <{SECRET}@example.org>") };
    let reported = |minutes, text| PastVersion {
        actor: writer.clone(),
        note: Some(format!("rotated {SECRET} again")),
        ..past("a.md", minutes, Some(text))
    };
    log.rebuild(vec![line(vec![reported(-9, "old"), reported(-8, "older")])]);
    let reviewed_versions = log.versions().into_iter().filter(|version| !version.rebuilt).map(|version| {
        ReviewedVersion { memory: version.memory, reviewed_seq: version.id.seq, through: version.id.seq }
    });
    let reviewed_versions: Vec<ReviewedVersion> = reviewed_versions.collect();
    let mut act = log.writer.begin().expect("a transaction");
    let review = NewReview {
        person: &session,
        verdict: Verdict::Approved,
        at: Timestamp::from_micros(at),
        note: Some(&note),
        operation_seq: None,
        reviewed_versions,
    };
    act.review(review).expect("a review");
    let api = NewApiStore {
        name: format!("store of {SECRET}"),
        description: note.clone(),
        metadata: format!("{{\"key\":\"{SECRET}\"}}"),
        at: Timestamp::from_micros(at),
    };
    act.add_api_store(&api).expect("a store");
    act.remember_elsewhere(ElsewhereKind::Bundle, note.as_bytes()).expect("remembers");
    let rule = act
        .add_rule(&session, Timestamp::from_micros(at), &format!("{{\"sentence\":\"{SECRET}\"}}"))
        .expect("a rule");
    let guard = KeptGuard {
        seq: 0,
        rule,
        at: Timestamp::from_micros(at),
        remind: false,
        made_file: false,
        file: format!("/home/{SECRET}/settings.json"),
        command: format!("/opt/{SECRET} rule check"),
        inserted: SECRET.to_owned(),
    };
    act.add_guard(&session, &guard).expect("a guard");
    act.add_broken(&broken_rule(rule, SECRET)).expect("a break");
    act.commit().expect("commits");
    let gone = add_store(&mut log.writer, SECRET);
    let act = log.writer.begin().expect("a transaction");
    act.remove_store(gone, Timestamp::from_micros(at)).expect("removes");
    act.commit().expect("commits");
    {
        let mut act = log.writer.begin().expect("a transaction");
        let remote = NewRemote {
            base_url: "https://a.example".to_owned(),
            remote_id: "memstore_1".to_owned(),
            name: "hosted".to_owned(),
            at: Timestamp::from_micros(at),
        };
        act.add_remote(&remote).expect("a mirror");
        act.commit().expect("commits");
    }
    log.redact(&[2]);
    let raw = log.raw();
    let hold = |sql: &str| raw.execute(sql, [SECRET]).expect("a text");
    hold("INSERT INTO prompts (operation_seq, prompt) VALUES (1, ?1)");
    hold("UPDATE stores SET state_detail = ?1");
    hold("UPDATE stores SET root_at = CAST(?1 AS BLOB) WHERE removed_at IS NOT NULL");
    hold("UPDATE redactions SET warnings = ?1");
    hold(
        "INSERT INTO receipt_places (redaction_id, position, place, state, hits, detail, remedy) VALUES (1, 0, ?1, 'left', 1, ?1, ?1)",
    );
    hold(
        "UPDATE remotes SET description = ?1, metadata = '{\"a\":\"' || ?1 || '\"}', problem = ?1, cursor = ?1, host_name = ?1",
    );
    hold("INSERT INTO origin_transcripts (path) VALUES (CAST(?1 AS BLOB))");
    hold(
        "INSERT INTO origins (version_seq, rank, session, confidence, basis, steps, role, agent, model, transcript_id, tool, tool_use_id)
         VALUES (2, 0, ?1, 'exact', 'exact', 1, ?1, ?1, ?1, 1, ?1, ?1)",
    );
    hold(
        "INSERT INTO remote_staged (store_id, remote_version_id, listing, place, remote_memory_id, operation, path, content,
            actor_type, actor_name, happened_at)
         VALUES ((SELECT store_id FROM remotes), ?1, 1, 1, ?1, ?1, CAST(?1 AS BLOB), CAST(?1 AS BLOB), ?1, ?1, 1)",
    );
    hold(
        "INSERT INTO remote_queue (store_id, kind, source, note, created_at, message)
         SELECT store_id, 'delete', 'api', ?1, 1, ?1 FROM remotes",
    );
    raw.execute_batch("DROP TRIGGER redactions_keep_facts").expect("drops");
    hold("UPDATE redactions SET reason = ?1");
    raw.execute_batch(&trigger("redactions_keep_facts")).expect("a trigger");
    log
}

fn trigger(name: &str) -> String {
    let log = TestLog::new();
    let raw = log.raw();
    raw.query_row("SELECT sql FROM sqlite_schema WHERE name = ?1", [name], |row| row.get(0))
        .expect("a trigger")
}

fn without(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    text.contains(SECRET).then(|| text.replace(SECRET, REDACTED_TEXT).into_bytes())
}

fn found(log: &TestLog) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let visit = |place: &'static TextPlace, bytes: &[u8], rows: u64| {
        assert!(rows > 0);
        if without(bytes).is_some() {
            found.insert(format!("{}.{}", place.table, place.column));
        }
    };
    log.writer.reader().texts(visit).expect("reads");
    found
}

/// Takes it out of all texts, as a redaction does.
fn redact_texts(log: &mut TestLog) -> Masked {
    let at = log.tick();
    let mut act = log.writer.begin().expect("a transaction");
    act.redact_texts(&user("ada"), |_, bytes| without(bytes)).expect("redacts");
    let appended = act
        .append(Append { actor: &user("ada"), even_if_empty: true, ..scan(log.store, at, Vec::new()) })
        .expect("appends");
    let (_, redaction) = act
        .add_receipt(&NewReceipt {
            operation_seq: appended.operation_seq.expect("an operation"),
            at: Timestamp::from_micros(at),
            actor: &user("ada"),
            reason: None,
            method: "secret",
            versions: 0,
        })
        .expect("a receipt");
    let mut masked = act.mask(&[], redaction).expect("masks");
    act.commit().expect("commits");
    masked.needles.add(SECRET.as_bytes());
    masked
}

#[test]
fn it_is_found_in_every_text_and_goes_from_every_file() {
    let mut log = full_of_it();
    log.assert_sound();
    let everywhere: BTreeSet<String> = TEXTS
        .iter()
        .filter(|place| {
            !matches!(place.care, TextCare::Own | TextCare::Version | TextCare::Queue | TextCare::Host)
        })
        .map(|place| format!("{}.{}", place.table, place.column))
        .collect();
    assert_eq!(found(&log), everywhere);
    let ids: Vec<_> = log.versions().iter().map(|version| version.id).collect();
    let head = log.writer.reader().chain_head().expect("a head");
    let masked = redact_texts(&mut log);
    assert_eq!(found(&log), BTreeSet::new());
    log.assert_sound();
    assert_ne!(log.writer.reader().chain_head().expect("a head"), head);
    assert_eq!(log.versions().iter().map(|version| version.id).collect::<Vec<_>>(), ids, "ids stay");
    assert_eq!(log.purge(&masked.needles).total(), 0);
    assert_eq!(log.files_holding(SECRET.as_bytes()), Vec::<String>::new());
    log.assert_sound();
    // A sealed version may be redacted further, and a rebuilt one masked.
    let rebuilt: Vec<u64> =
        log.versions().iter().filter(|version| version.rebuilt).map(|version| version.id.seq).collect();
    log.redact(&rebuilt);
    log.assert_sound();
}

#[test]
fn a_second_redaction_of_the_same_texts_is_sealed_anew() {
    let mut log = full_of_it();
    let at = log.tick();
    let session = session();
    let mut act = log.writer.begin().expect("a transaction");
    // Only the notes, and then what is left of the same operations.
    act.redact_texts(&user("ada"), |place, bytes| without(bytes).filter(|_| place.column == "note"))
        .expect("redacts");
    act.append(Append { actor: &session, even_if_empty: true, ..scan(log.store, at, Vec::new()) })
        .expect("appends");
    act.commit().expect("commits");
    log.assert_sound();
    redact_texts(&mut log);
    log.assert_sound();
}

#[test]
fn seals_are_covered_by_the_operation_that_must_follow() {
    let mut log = full_of_it();
    let mut act = log.writer.begin().expect("a transaction");
    act.redact_texts(&user("ada"), |_, bytes| without(bytes)).expect("redacts");
    assert!(act.commit().is_err(), "the operation of the redaction is missing");
    log.assert_sound();
    assert!(found(&log).contains("operations.note"));
}

#[test]
fn what_was_sealed_cannot_be_altered_and_what_was_altered_is_not_sealed() {
    for (tampering, after) in [
        ("UPDATE operations SET created_at = created_at + 1 WHERE seq = 1", true),
        ("UPDATE operations SET note = 'another' WHERE seq = 1", true),
        ("UPDATE review_acts SET note = 'another' WHERE seq = 1", true),
        ("UPDATE rebuilt SET note = 'another' WHERE version_seq = 3", true),
        ("UPDATE rebuilt SET leaf = zeroblob(32) WHERE version_seq = 3", true),
        ("UPDATE actors SET name = 'eve' || id", true),
        ("UPDATE seals SET seal = zeroblob(32) WHERE seq = 1 AND kind = 'operation'", true),
        ("DELETE FROM seals WHERE seq = 1 AND kind = 'review'", true),
        ("UPDATE operations SET created_at = created_at + 1 WHERE seq = 1", false),
        ("UPDATE rebuilt SET note = note || '!' WHERE version_seq = 3", false),
    ] {
        let mut log = full_of_it();
        if after {
            redact_texts(&mut log);
        }
        let raw = log.raw();
        let triggers: Vec<String> = raw
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
            .expect("prepares")
            .query_map([], |row| row.get(0))
            .expect("asks")
            .collect::<Result<_, _>>()
            .expect("reads");
        for name in &triggers {
            raw.execute_batch(&format!("DROP TRIGGER {name}")).expect("drops");
        }
        raw.execute_batch(tampering).expect("tampers");
        for name in &triggers {
            raw.execute_batch(&trigger(name)).expect("a trigger");
        }
        if !after {
            redact_texts(&mut log);
        }
        assert_ne!(log.problems(), Vec::<String>::new(), "{tampering}, after the redaction: {after}");
    }
}

#[test]
fn the_name_of_the_one_who_redacts_stays() {
    let mut log = TestLog::new();
    let at = log.tick();
    let me = user(SECRET);
    let changes = vec![put(log.store, "a.md", "a fact")];
    log.writer.append(Append { actor: &me, ..scan(log.store, at, changes) }).expect("appends");
    let mut act = log.writer.begin().expect("a transaction");
    let done = act.redact_texts(&me, |_, bytes| without(bytes)).expect("redacts");
    assert_eq!(done, []);
    act.append(Append { actor: &me, even_if_empty: true, ..scan(log.store, at, Vec::new()) })
        .expect("appends");
    act.commit().expect("commits");
    assert_eq!(found(&log), BTreeSet::from(["actors.name".to_owned()]));
    log.assert_sound();
}

#[test]
fn texts_that_become_the_same_are_distinguished() {
    let mut log = TestLog::new();
    let raw = log.raw();
    for name in ["x1", "x2", "x3"] {
        raw.execute("INSERT INTO origin_transcripts (path) VALUES (CAST(?1 AS BLOB))", [name])
            .expect("a path");
    }
    let mut act = log.writer.begin().expect("a transaction");
    let gone = |place: &'static TextPlace, _: &[u8]| {
        (place.table == "origin_transcripts").then(|| b"[redacted]".to_vec())
    };
    act.redact_texts(&user("ada"), gone).expect("redacts");
    act.commit().expect("commits: no chain covers a path of a transcript");
    let mut query =
        raw.prepare("SELECT CAST(path AS TEXT) FROM origin_transcripts ORDER BY id").expect("prepares");
    let paths: Vec<String> =
        query.query_map([], |row| row.get(0)).expect("asks").collect::<Result<_, _>>().expect("reads");
    assert_eq!(paths, ["[redacted]", "[redacted] 2", "[redacted] 3"]);
}
