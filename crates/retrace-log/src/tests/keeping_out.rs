//! Redacted content stays out, whichever way it comes; what stands on disk is recorded, and noted.

use super::harness::*;
use crate::*;
use retrace_model::{Sha256, Source, Timestamp, VersionOperation};

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

/// Masks versions and keeps exact secrets out, as a redaction does; answers how many were too short.
fn redact_secrets(log: &mut TestLog, seqs: &[u64], secrets: &[&str]) -> u64 {
    let at = log.tick();
    let mut act = log.writer.begin().expect("a transaction");
    let chosen: Vec<VersionRow> =
        seqs.iter().map(|seq| act.reader().version(*seq).expect("a version")).collect();
    let person = user("ada");
    let append =
        Append { source: Source::Redact, even_if_empty: true, ..scan(chosen[0].store, at, Vec::new()) };
    let appended = act.append(append).expect("appends");
    let receipt = NewReceipt {
        operation_seq: appended.operation_seq.expect("an operation"),
        at: Timestamp::from_micros(at),
        actor: &person,
        reason: None,
        method: "secret",
        versions: seqs.len() as u64,
    };
    let (_, redaction) = act.add_receipt(&receipt).expect("a receipt");
    let short = act.keep_out(redaction, secrets.iter().map(|secret| secret.as_bytes())).expect("tags");
    let masked = act.mask(&chosen, redaction).expect("masks");
    act.commit().expect("commits");
    log.purge(&masked.needles);
    short
}

/// A log whose first memory held the secret, which is redacted.
fn redacted() -> TestLog {
    let mut log = TestLog::new();
    log.put("keys.md", format!("key {SECRET}\n"));
    assert_eq!(redact_secrets(&mut log, &[1], &[SECRET]), 0);
    log
}

/// A content that does not stand on disk.
fn from_elsewhere(log: &mut TestLog, at: &str, text: &str) -> Result<Appended, LogError> {
    by(log, Source::Api, false, (at, text))
}

/// A content from a source, and whether the file system says anything of the file.
fn by(
    log: &mut TestLog,
    source: Source,
    is_seen: bool,
    (at, text): (&str, &str),
) -> Result<Appended, LogError> {
    let mut change = put(log.store, at, text);
    if let Payload::Content { seen, .. } = &mut change.payload {
        *seen = seen.filter(|_| is_seen);
    }
    let append = Append { source, ..scan(log.store, log.tick(), vec![change]) };
    log.writer.append(append)
}

#[test]
fn what_is_rebuilt_comes_without_it_and_says_so() {
    let mut log = redacted();
    let lines = vec![line(vec![
        past("keys.md", -30, Some("key none yet\n")),
        past("keys.md", -20, Some(&format!("key {SECRET}\n"))),
        past("keys.md", -10, Some(&format!("key {SECRET}\nand more {SECRET}\n"))),
        past(&format!("{SECRET}.md"), -5, Some("named\n")),
    ])];
    let done = log.rebuild(lines.clone());
    assert_eq!((done.versions.len(), done.redacted.versions(), done.redacted.paths), (3, 3, 1));
    assert_eq!(done.redacted.contents[&path("keys.md")], 2);
    let texts: Vec<String> = done.versions.iter().map(|version| log.text(version.seq)).collect();
    assert_eq!(texts, ["key none yet\n", "[redacted]\n", "key [redacted]\nand more [redacted]\n"]);
    let again = log.rebuild(lines);
    assert_eq!((again.operation_seq, again.known), (None, 3), "nothing comes in twice");
    assert_eq!(log.files_holding(SECRET.as_bytes()), Vec::<String>::new());
    log.assert_sound();
}

#[test]
fn notes_and_prompts_come_without_it() {
    let mut log = redacted();
    let mut version = past("other.md", -10, Some("text\n"));
    version.note = Some(format!("Add {SECRET}"));
    log.rebuild(vec![line(vec![version])]);
    let note = format!("because of {SECRET}");
    let mut append = scan(log.store, log.tick(), vec![put(log.store, "b.md", "b\n")]);
    append.note = Some(&note);
    let operation = log.writer.append(append).expect("appends").operation_seq.expect("an operation");
    let mut act = log.writer.begin().expect("a transaction");
    act.keep_prompt(operation, &Prompt { turn: None, text: Some(format!("use {SECRET}!")) }).expect("keeps");
    act.commit().expect("commits");
    let reader = log.writer.reader();
    assert_eq!(
        reader.prompt_of(operation).expect("reads").expect("a prompt").text.as_deref(),
        Some("use [redacted]!")
    );
    assert_eq!(reader.operation(operation).expect("reads").note.as_deref(), Some("because of [redacted]"));
    assert_eq!(log.files_holding(SECRET.as_bytes()), Vec::<String>::new());
    log.assert_sound();
}

#[test]
fn a_prompt_is_shortened_after_it_is_looked_through() {
    const LINES: &str = "-----BEGIN KEY-----\nb3BlbnNzaC1rZXkt\n-----END KEY-----";
    let mut log = redacted();
    let operation = log.put("pem.md", LINES).operation_seq.expect("an operation");
    assert_eq!(redact_secrets(&mut log, &[2], &[LINES]), 0);
    // One that would be cut in the middle, and one whose lines would be joined.
    let cut = format!("{} {SECRET}", "y".repeat(500 - SECRET.len()));
    for (prompt, end) in [(cut, "y [redacted]"), (format!("a\n\n  b {LINES}"), "a b [redacted]")] {
        let mut act = log.writer.begin().expect("a transaction");
        act.keep_prompt(operation, &Prompt { turn: None, text: Some(prompt) }).expect("keeps");
        act.commit().expect("commits");
        let kept = log.writer.reader().prompt_of(operation).expect("reads").expect("a prompt").text;
        assert!(kept.as_deref().is_some_and(|kept| kept.ends_with(end)), "{kept:?}");
    }
}

#[test]
fn a_content_that_nobody_compared_with_the_tags_is_refused() {
    let mut log = redacted();
    let refused = from_elsewhere(&mut log, "new.md", &format!("again {SECRET}"));
    assert!(matches!(refused, Err(LogError::KeptOut(path)) if path == "new.md"));
    let whole = from_elsewhere(&mut log, "new.md", &format!("key {SECRET}\n"));
    assert!(matches!(whole, Err(LogError::KeptOut(_))));
    from_elsewhere(&mut log, "new.md", "harmless").expect("appends");
    log.assert_sound();
}

#[test]
fn what_stands_on_disk_is_recorded_and_noted_until_it_is_redacted() {
    let mut log = redacted();
    let back = log.put("new.md", format!("again {SECRET}\n")).versions[0].seq;
    log.put("clean.md", "nothing\n");
    let noted = |log: &TestLog| log.writer.reader().redacted_back(log.store).expect("reads");
    assert_eq!(log.text(back), format!("again {SECRET}\n"));
    assert_eq!(noted(&log).into_iter().collect::<Vec<_>>(), [back]);
    log.put("new.md", "gone again\n");
    let once_more = log.put("new.md", format!("again {SECRET}\n")).versions[0].seq;
    assert_eq!(noted(&log).len(), 2, "a content that is kept already counts as well");
    redact_secrets(&mut log, &[back, once_more], &[SECRET]);
    assert!(noted(&log).is_empty());
    log.assert_sound();
}

#[test]
fn short_secrets_and_short_contents_have_no_tag() {
    let mut log = TestLog::new();
    log.put("pin.md", "pin 7391\n");
    assert_eq!(redact_secrets(&mut log, &[1], &["7391", "7391-7391-7391"]), 1);
    assert!(from_elsewhere(&mut log, "a.md", "pin 7391\n").is_ok());
    assert!(from_elsewhere(&mut log, "b.md", "7391-7391-7391").is_err());
}

#[test]
fn versions_of_a_host_come_without_it() {
    let mut log = redacted();
    let at = Timestamp::from_micros(log.tick());
    let mut act = log.writer.begin().expect("a transaction");
    let (base_url, remote_id) = ("https://host.example".to_owned(), "memstore_a".to_owned());
    let store =
        act.add_remote(&NewRemote { base_url, remote_id, name: "hosted".to_owned(), at }).expect("a mirror");
    act.begin_listing(store).expect("a listing");
    let version = |number: u64, path_of: &str, text: &str| HostVersion {
        id: format!("memver_{number}"),
        memory: format!("mem_{number}"),
        operation: VersionOperation::Created,
        path: Some(path(path_of)),
        content: Some(text.as_bytes().to_vec()),
        actor: retrace_model::Actor::Unknown,
        happened_at: at,
        redacted_at: None,
    };
    let page = [version(1, "a.md", &format!("a {SECRET}\n")), version(2, &format!("{SECRET}.md"), "b\n")];
    let held = act.keep_page(store, &page, None).expect("keeps");
    assert_eq!(held.iter().map(|version| version.id.as_str()).collect::<Vec<_>>(), ["memver_1", "memver_2"]);
    act.commit().expect("commits");
    assert_eq!(log.files_holding(SECRET.as_bytes()), Vec::<String>::new(), "not even while it waits");
    let mut act = log.writer.begin().expect("a transaction");
    while let Some(staged) = act.take_staged(store).expect("reads") {
        act.mirror(store, &staged, at).expect("mirrors");
    }
    let done = act.mirror(store, &version(3, "c.md", &format!("{SECRET}\n")), at).expect("mirrors");
    assert!(done.redacted);
    act.commit().expect("commits");
    let live = log.writer.reader().memories_at(store, None).expect("memories");
    let texts: Vec<String> = live.iter().map(|memory| log.text(memory.version.id.seq)).collect();
    assert_eq!(texts, ["a [redacted]\n", "[redacted]\n"]);
    log.assert_sound();
}

#[test]
fn without_the_key_nothing_is_brought_in_until_a_person_says_so() {
    let log = redacted();
    let key = log.files().redaction_key();
    let kept = std::fs::read(&key).expect("a key");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&key).expect("a file").permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(log.files_holding(&kept), ["redaction.key"], "it is nowhere else");
    std::fs::remove_file(&key).expect("removes");
    let mut log = log.reopen(3);
    let rebuilt = |log: &mut TestLog| {
        let at = Timestamp::from_micros(log.tick());
        let lines = vec![line(vec![past("x.md", -10, Some(&format!("{SECRET}\n")))])];
        let (actor, note) = (&user("ada"), None);
        let mut act = log.writer.begin().expect("a transaction");
        let rebuild = Rebuild { store: log.store, source: Source::Import, actor, note, at, lines };
        let done = act.rebuild(rebuild);
        if done.is_ok() {
            act.commit().expect("commits");
        }
        done
    };
    assert!(matches!(rebuilt(&mut log), Err(LogError::KeyLost(2))));
    // A further redaction makes no key of its own, with which the old one could not be put back any more.
    log.put("other.md", "another secret text\n");
    let refused = log.writer.begin().expect("a transaction").tagging(1).err();
    assert!(matches!(refused, Some(LogError::KeyLost(2))), "{refused:?}");
    assert!(!key.exists());
    std::fs::write(&key, &kept).expect("put back");
    redact_secrets(&mut log, &[2], &[]);
    assert_eq!(std::fs::read(&key).expect("a key"), kept);
    assert_eq!(rebuilt(&mut log).expect("rebuilds").redacted.versions(), 1, "the old one is good again");
    std::fs::write(&key, b"no key").expect("damaged");
    let reader = log.connection();
    let read = reader.snapshot(|reader| Ok::<_, LogError>(reader.tags_anew(&log.files()).is_err()));
    assert!(read.expect("reads"), "a file that is no key is not taken for one");
    std::fs::remove_file(&key).expect("removes");
    let mut log = log.reopen(4);
    let mut act = log.writer.begin().expect("a transaction");
    assert_eq!(act.forget_lost_tags().expect("forgets"), 3);
    assert!(act.tagging(1).is_ok(), "a person said so");
    act.commit().expect("commits");
}

#[test]
fn a_redaction_that_is_taken_back_keeps_nothing_out() {
    let mut log = TestLog::new();
    log.put("keys.md", format!("key {SECRET}\n"));
    let at = log.tick();
    let mut act = log.writer.begin().expect("a transaction");
    let chosen = [act.reader().version(1).expect("a version")];
    let append =
        Append { source: Source::Redact, even_if_empty: true, ..scan(chosen[0].store, at, Vec::new()) };
    let operation_seq = act.append(append).expect("appends").operation_seq.expect("an operation");
    let (actor, at) = (&user("ada"), Timestamp::from_micros(at));
    let receipt = NewReceipt { operation_seq, at, actor, reason: None, method: "secret", versions: 1 };
    let (_, redaction) = act.add_receipt(&receipt).expect("a receipt");
    act.keep_out(redaction, [SECRET.as_bytes()]).expect("tags");
    act.mask(&chosen, redaction).expect("masks");
    assert!(!act.tags().expect("tags").is_empty());
    drop(act);
    let mut act = log.writer.begin().expect("a transaction");
    assert!(act.tags().expect("tags").is_empty());
    drop(act);
    assert!(from_elsewhere(&mut log, "b.md", SECRET).is_ok());
    assert_eq!(log.text(1), format!("key {SECRET}\n"));
    assert_eq!(
        log.version(1).content.map(|content| content.sha256),
        Some(Sha256::of(log.text(1).as_bytes()))
    );
}

#[test]
fn what_a_source_finds_on_disk_is_recorded_though_nothing_is_known_of_the_file() {
    for (source, is_seen, is_recorded) in [
        (Source::Scan, false, true),
        (Source::Tool, false, true),
        (Source::Redact, false, true),
        (Source::Restore, true, true),
        (Source::Restore, false, false),
        (Source::Import, false, false),
    ] {
        let mut log = redacted();
        let done = by(&mut log, source, is_seen, ("new.md", &format!("again {SECRET}\n")));
        assert_eq!(done.is_ok(), is_recorded, "{source:?}");
        let noted = log.writer.reader().redacted_back(log.store).expect("reads");
        assert_eq!(noted.len(), usize::from(is_recorded), "{source:?}");
    }
}

#[test]
fn a_client_may_write_again_what_it_redacted_itself_and_only_others_are_noted() {
    let text = "a content that a client redacted\n";
    let mut log = TestLog::new();
    log.put("a.md", text);
    log.redact_alone(&[1]);
    from_elsewhere(&mut log, "b.md", text).expect("appends");
    by(&mut log, Source::Api, true, ("c.md", text)).expect("appends");
    let noted = |log: &TestLog| log.writer.reader().redacted_back(log.store).expect("reads").len();
    assert_eq!(noted(&log), 0);
    by(&mut log, Source::Scan, true, ("d.md", text)).expect("appends");
    assert_eq!(noted(&log), 1);
    let mut log = TestLog::new();
    log.put("a.md", text);
    log.redact(&[1]);
    assert!(matches!(from_elsewhere(&mut log, "b.md", text), Err(LogError::KeptOut(_))));
    by(&mut log, Source::Api, true, ("c.md", text)).expect("appends");
    assert_eq!(noted(&log), 1);
}
