//! Redaction, first act: what masking takes, and what it leaves.

use super::harness::*;
use crate::*;
use retrace_model::{Actor, Sha256, Timestamp};

/// A note that changes by a line at a time, so that the delta base of each version is the one before.
fn note(lines: &[u64]) -> String {
    lines.iter().map(|line| format!("- {}\n", noise(*line, 60))).collect()
}

#[test]
fn content_path_and_size_go_and_the_rest_stays() {
    let mut log = TestLog::new();
    log.put("a.md", "a secret");
    log.put("a.md", "no secret");
    let (before, head) = (log.version(1), log.writer.reader().chain_head().expect("a head"));
    let masked = log.redact(&[1]);
    assert_eq!(seqs(&masked.versions), [1]);
    let after = log.version(1);
    assert_eq!(
        (after.id, after.number, after.operation, after.memory),
        (before.id, 1, before.operation, before.memory)
    );
    assert_eq!((after.created_at, after.source, after.operation_seq), (before.created_at, before.source, 1));
    assert_eq!((after.path, after.content), (None, None));
    let redaction = after.redaction.expect("it says so");
    assert_eq!(redaction.actor, Actor::User { id: "ada".to_owned() });
    assert_eq!(redaction.at, Timestamp::from_micros(START + 3 * MINUTE));
    let receipt = log.writer.reader().receipt(redaction.receipt).expect("a receipt");
    assert_eq!(
        (receipt.operation_seq, receipt.purged, receipt.reason.as_deref()),
        (3, false, Some("a test"))
    );
    assert_eq!(receipt.chain_head, log.writer.reader().chain_head().expect("a head"));
    assert_eq!(
        log.writer.reader().operation(2).expect("an operation").digest,
        head,
        "the chain is as it was"
    );
    assert_eq!(log.version(2).content.expect("kept").sha256, Sha256::of(b"no secret"));
    assert!(
        matches!(log.writer.reader().content(&before), Err(LogError::Redacted(1))),
        "read before it was masked"
    );
    log.assert_sound();
}

#[test]
fn every_version_with_the_same_content_goes() {
    let mut log = TestLog::new();
    let store = log.store;
    log.scan(vec![
        put(store, "a.md", "a secret"),
        put(store, "b.md", "a secret"),
        put(store, "c.md", "other"),
    ]);
    log.put("c.md", "a secret");
    log.put("c.md", "other");
    let chosen = [log.version(2)];
    let with_same = log.writer.reader().with_same_content(&chosen).expect("asks");
    assert_eq!(with_same.iter().map(|version| version.id.seq).collect::<Vec<_>>(), [1, 2, 4]);
    assert_eq!(seqs(&log.redact(&[2]).versions), [1, 2, 4]);
    assert_eq!([3, 5].map(|seq| log.text(seq)), ["other", "other"]);
    log.assert_sound();
}

#[test]
fn the_same_content_that_was_too_large_to_keep_goes_as_well() {
    let mut log = TestLog::new();
    let store = log.store;
    log.scan(vec![too_large(store, "a.bin", "a secret"), put(store, "b.bin", "a secret")]);
    assert_eq!(seqs(&log.redact(&[2]).versions), [1, 2]);
    assert_eq!(log.version(1).content, None, "hash and size would tell");
    log.assert_sound();
    log.scan(vec![too_large(store, "c.bin", "another")]);
    assert_eq!(seqs(&log.redact(&[3]).versions), [3]);
    log.assert_sound();
}

#[test]
fn versions_with_it_as_delta_base_still_read() {
    let texts: Vec<String> = (0..40u64).map(|n| note(&[1, 2, n + 10, 3, 4, n / 3 + 100, 5])).collect();
    for masked in
        [vec![1], vec![20], vec![40], vec![19, 20, 21], (1..=39).collect(), (2..=40).step_by(2).collect()]
    {
        let mut log = TestLog::new();
        texts.iter().for_each(|text| drop(log.put("a.md", text)));
        log.redact(&masked);
        for (seq, text) in (1..).zip(&texts) {
            match masked.contains(&seq) {
                true => assert!(log.version(seq).redaction.is_some()),
                false => assert_eq!(log.text(seq), *text, "version {seq} without {masked:?}"),
            }
        }
        log.assert_sound();
        log.put("a.md", note(&[1, 2, 3]));
        log.assert_sound();
    }
}

#[test]
fn a_live_content_can_be_masked_and_its_memory_lives_on() {
    let mut log = TestLog::new();
    log.put("dir/a.md", "a secret");
    log.redact(&[1]);
    assert_eq!(log.live(), [("dir/a.md".to_owned(), None)].into());
    let live = log.writer.reader().live_at(log.store, &path("dir/a.md")).expect("asks").expect("it lives");
    assert_eq!(live.sha256, None);
    assert_eq!(log.at(Some(1)), [("(redacted)".to_owned(), None)].into());
    let found = log.writer.reader().version_at(log.store, &path("dir/a.md"), None).expect("asks");
    assert_eq!(found.map(|version| version.id.seq), Some(1));
    log.put("dir/a.md", "clean");
    assert_eq!(log.version(2).memory, log.version(1).memory);
    assert_eq!(log.version(2).previous_path, None);
    log.delete("dir/a.md");
    log.assert_sound();
}

#[test]
fn a_deletion_can_be_masked() {
    let mut log = TestLog::new();
    log.put("secret-name.md", "x");
    log.delete("secret-name.md");
    let masked = log.redact(&[1, 2]);
    assert_eq!(seqs(&masked.versions), [1, 2]);
    assert_eq!(
        masked.needles.traces.len(),
        4,
        "hash in two forms, salt of the content, salt of the deletion"
    );
    let paths: i64 = log.raw().query_row("SELECT count(*) FROM paths", [], |row| row.get(0)).expect("counts");
    assert_eq!(paths, 0, "no version names the path any more");
    log.assert_sound();
    log.put("secret-name.md", "x");
    assert_ne!(log.version(3).memory, log.version(1).memory, "nothing says that it was here before");
    log.assert_sound();
}

#[test]
fn a_path_stays_while_something_else_names_it() {
    let mut log = TestLog::new();
    let other = add_store(&mut log.writer, "others");
    log.put("a.md", "one");
    log.put("a.md", "two");
    let at = log.tick();
    log.writer.append(scan(other, at, vec![put(other, "a.md", "other")])).expect("appends");
    log.redact(&[1]);
    assert_eq!(log.version(2).path, Some(path("a.md")));
    log.redact(&[2]);
    assert_eq!(log.live().keys().collect::<Vec<_>>(), ["a.md"], "its file still has the name");
    log.delete("a.md");
    log.redact(&[4]);
    assert_eq!(log.version(3).path, Some(path("a.md")), "the other store's");
    log.assert_sound();
}

#[test]
fn a_move_whose_former_path_is_masked_does_not_tell_it() {
    let mut log = TestLog::new();
    let store = log.store;
    log.put("secret-name.md", "one");
    log.scan(vec![moved(store, "secret-name.md", "b.md", "two")]);
    assert_eq!(reported(&log.versions()), ["+ secret-name.md", "~ secret-name.md > b.md"]);
    log.redact(&[1]);
    assert_eq!(reported(&log.versions()), ["+ (redacted)", "~ b.md"]);
    log.assert_sound();
}

#[test]
fn the_same_content_again_is_a_new_content() {
    let mut log = TestLog::new();
    log.put("a.md", "a secret");
    let first = log.redact(&[1]);
    log.put("b.md", "a secret");
    assert_eq!(log.text(2), "a secret", "as after a rollback or a file that was not cleaned");
    assert!(log.version(1).redaction.is_some());
    let second = log.redact(&[2]);
    assert_eq!(seqs(&second.versions), [2], "the first is redacted already");
    let shared: Vec<_> = first.needles.traces.intersection(&second.needles.traces).collect();
    assert_eq!(shared.len(), 2, "the same hash in two forms, another salt");
    log.assert_sound();
}

#[test]
fn two_redactions_in_a_row_keep_their_receipts() {
    let mut log = TestLog::new();
    log.put("a.md", "one secret");
    log.put("a.md", "another secret");
    let stale = log.version(1);
    log.redact(&[1]);
    log.redact(&[1, 2]);
    let reader = log.writer.reader();
    let receipts = reader.receipts().expect("receipts");
    let of = |seq: u64| log.version(seq).redaction.expect("redacted").receipt;
    assert_eq!([of(2), of(1)], [receipts[0].id, receipts[1].id]);
    assert_eq!(reader.purges_pending().expect("counts"), 2);
    // A row read before the first redaction does not bring the version into another one.
    assert!(reader.with_same_content(&[stale]).expect("asks").is_empty());
    log.assert_sound();
}

#[test]
fn a_receipt_is_finished_and_read_back() {
    let mut log = TestLog::new();
    log.put("a.md", "a secret");
    log.redact(&[1]);
    let mut receipt = log.writer.reader().receipts().expect("receipts").remove(0);
    receipt.live_files = 3;
    receipt.purged = true;
    receipt.chain_verified = Some(true);
    receipt.warnings = ["one", "two"].map(retrace_message::Message::verbatim).to_vec();
    let place = |place: &str, state, hits| {
        Place::outside(retrace_message::Message::verbatim(place), state, hits, None)
    };
    receipt.places = vec![
        place("the log", PlaceState::Clean, 0),
        place("a file", PlaceState::Left, 2),
        place("backups", PlaceState::OutOfReach, 0),
    ];
    let mut act = log.writer.begin().expect("a transaction");
    act.finish_receipt(&receipt).expect("settles");
    act.finish_receipt(&receipt).expect("settles again");
    act.commit().expect("commits");
    let read = log.writer.reader().receipt(receipt.id).expect("a receipt");
    assert_eq!(format!("{read:?}"), format!("{receipt:?}"));
    assert_eq!(
        read.places.iter().map(|place| place.state.as_str()).collect::<Vec<_>>(),
        ["clean", "left", "out_of_reach"]
    );
    assert_eq!(log.writer.reader().purges_pending().expect("counts"), 0);
    receipt.id = retrace_model::ReceiptId([9; 16]);
    let unknown = log.writer.begin().expect("a transaction").finish_receipt(&receipt);
    assert!(matches!(unknown, Err(LogError::NotFound { what: "receipt", .. })));
    log.assert_sound();
}

#[test]
fn needles_do_not_show_what_they_are() {
    let mut needles = Needles::default();
    needles.add(b"a secret");
    needles.add(b"short");
    needles.add(b"as six");
    assert_eq!(format!("{needles:?}"), "Needles(2, 0)");
}

#[test]
fn a_redaction_takes_every_prompt_out() {
    let mut log = TestLog::new();
    log.put("a.md", "one");
    let secret = "a key that only the prompt names";
    let prompt = Prompt { turn: Some(3), text: Some(secret.to_owned()) };
    let mut act = log.writer.begin().expect("begins");
    act.keep_prompt(1, &prompt).expect("keeps");
    act.keep_prompt(2, &Prompt::default()).expect("keeps nothing");
    act.commit().expect("commits");
    assert_eq!(log.writer.reader().prompt_of(1).expect("reads"), Some(prompt));
    assert_eq!(log.writer.reader().prompt_of(2).expect("reads"), None);
    log.put("b.md", "another");
    log.redact(&[2]);
    assert_eq!(log.writer.reader().prompt_of(1).expect("reads"), None);
}

#[test]
fn a_client_redacts_the_versions_it_names_and_the_content_goes_with_the_last() {
    let mut log = TestLog::new();
    let store = log.store;
    log.scan(vec![put(store, "a.md", "a secret of a client"), put(store, "b.md", "a secret of a client")]);
    let first = log.redact_alone(&[1]);
    assert_eq!(seqs(&first.versions), [1]);
    assert!(first.needles.traces.is_empty(), "the content is still there");
    assert!(log.version(1).redaction.is_some() && log.version(2).redaction.is_none());
    assert_eq!(log.text(2), "a secret of a client");
    log.assert_sound();
    let second = log.redact_alone(&[1, 2]);
    assert_eq!(seqs(&second.versions), [2], "the first is redacted already");
    assert_eq!(second.needles.traces.len(), 3, "hash in two forms, salt");
    assert_eq!(log.delta_bases(), []);
    log.assert_sound();
}

#[test]
fn nothing_is_known_any_more_of_the_file_that_held_it() {
    let mut log = TestLog::new();
    log.put("a.md", "a secret");
    log.put("b.md", "no secret");
    let known = |log: &TestLog| -> Vec<i64> {
        let raw = log.raw();
        let mut query = raw
            .prepare(
                "SELECT (size IS NOT NULL) + (modified_nanos IS NOT NULL) + (changed_nanos IS NOT NULL)
                    + (file_id IS NOT NULL) FROM live ORDER BY version_seq",
            )
            .expect("prepares");
        let rows = query.query_map([], |row| row.get(0)).expect("asks");
        rows.collect::<Result<_, _>>().expect("reads")
    };
    assert_eq!(known(&log), [4, 4]);
    log.redact(&[1]);
    assert_eq!(known(&log), [0, 4]);
}

#[test]
fn contents_that_lean_on_others_go_on_leaning() {
    let mut log = TestLog::new();
    for line in 1..=3 {
        log.put("a.md", note(&[10, 11, 12, 13, line]));
        log.put("b.md", note(&[20, 21, 22, 23, line]));
    }
    let bases = [(1, None), (2, None), (3, Some(1)), (4, Some(2)), (5, Some(3)), (6, Some(4))];
    assert_eq!(log.delta_bases(), bases);
    // Of `a.md`, the first goes, the delta base of the second, which is that of the third.
    log.redact(&[1]);
    assert_eq!(log.delta_bases(), [(2, None), (3, None), (4, Some(2)), (5, Some(3)), (6, Some(4))]);
    log.assert_sound();
}

#[test]
fn permissions_are_known_where_nothing_is_any_more_and_go_with_the_path() {
    let mut log = TestLog::new();
    log.put("d/x.md", "one");
    let known = retrace_model::Permissions { file: Some(0o600), directories: vec![0o2750] };
    let (store, at) = (log.store, log.tick());
    let act = log.writer.begin().expect("begins");
    act.keep_permissions(store, &path("d/x.md"), &known).expect("remembers");
    act.keep_permissions(store, &path("never.md"), &known).expect("of what is not known nothing is kept");
    act.commit().expect("commits");
    log.writer.append(scan(store, at, vec![gone(store, "d/x.md")])).expect("appends");
    assert_eq!(log.writer.reader().permissions_at(store, &path("d/x.md")).expect("reads"), known);
    log.redact(&[1, 2]);
    let left = |log: &TestLog| {
        log.raw()
            .query_row("SELECT count(*) FROM permissions", [], |row| row.get::<_, u64>(0))
            .expect("counts")
    };
    assert_eq!(left(&log), 0);
    log.assert_sound();
}
