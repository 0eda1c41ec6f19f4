//! Output for people, from fixed wire values.

use super::names::Names;
use super::*;
use retrace_api::wire::Message;
use retrace_api::wire::{
    ActResult, ActorView, Conflict, ConflictReason, DiffLine, DiffSide, FileChange, FileDiff, FileWrite,
    Found, Hidden, Hit, Hunk, LikelyChange, MovedBlock, PutBack, Receipt, ReceiptPlace, RedactionAction,
    RedactionMatch, RedactionPlace, Scanned, ScannedStore, Store, StoreDiff, Stores, Verified, Version,
};
use std::io::Result;

/// Output of a printer; escape characters as `␛`, so that a snapshot shows them.
fn printed(print: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> String {
    let mut out = Vec::new();
    print(&mut out).expect("a buffer takes everything");
    String::from_utf8(out).expect("text").replace('\x1b', "␛")
}

/// A value of a closed vocabulary by its word.
fn word<T: std::str::FromStr<Err: std::fmt::Debug>>(word: &str) -> T {
    word.parse().expect("a word of the vocabulary")
}

fn hash(digit: char) -> String {
    digit.to_string().repeat(64)
}

fn store() -> Store {
    Store {
        id: "memstore_1".to_owned(),
        name: "notes".to_owned(),
        kind: word("claude-auto"),
        root: "/home/ada/.claude/projects/-home-ada-app/memory".to_owned(),
        state: word("recording"),
        state_detail: None,
        memories: 12,
        versions: 40,
        unreviewed: 3,
        last_change: Some("2026-11-20T14:02:17.000000Z".to_owned()),
        rules: Vec::new(),
        shared: false,
        mounted: true,
        redacted_before: Vec::new(),
    }
}

fn names() -> Names {
    Names::of(Stores { stores: vec![store()] })
}

fn version(seq: u64, operation: &str, path: &str) -> Version {
    Version {
        seq,
        operation_seq: 97,
        id: format!("memver_{seq:021}"),
        store_id: "memstore_1".to_owned(),
        memory_id: "mem_1".to_owned(),
        operation: word(operation),
        path: Some(path.to_owned()),
        previous_path: None,
        content_sha256: Some(hash('a')),
        content_size_bytes: Some(2113),
        content_kind: Some(word("text")),
        created_at: "2026-11-20T14:02:17.123456Z".to_owned(),
        recorded_at: "2026-11-20T14:02:17.123456Z".to_owned(),
        rebuilt: false,
        withdrawn: false,
        written_at: None,
        baseline_of: None,
        origin: None,
        put_back: None,
        created_by: None,
        source: word("scan"),
        note: None,
        redacted_at: None,
        redacted_by: None,
    }
}

fn versions() -> Vec<Version> {
    let ada = ActorView::UserActor { user_id: "ada".to_owned() };
    let session = |evidence: &str| ActorView::SessionActor {
        session_id: "5f3c".to_owned(),
        evidence: evidence.to_owned(),
    };
    let rollback = Version {
        operation_seq: 98,
        created_by: Some(ada.clone()),
        source: word("rollback"),
        note: Some(Message::verbatim("rollback to\nmemver_1")),
        ..version(416, "modified", "b.md")
    };
    let redacted = Version {
        path: None,
        content_sha256: None,
        content_size_bytes: None,
        content_kind: None,
        redacted_at: Some("2026-11-21T09:00:00Z".to_owned()),
        redacted_by: Some(ada),
        ..version(411, "modified", "")
    };
    vec![
        Version { path: Some("c.md".to_owned()), seq: 417, ..rollback.clone() },
        rollback,
        Version { previous_path: Some("old/a.md".to_owned()), ..version(415, "modified", "new/a.md") },
        Version { created_by: Some(session("exact_content")), ..version(414, "modified", "api/auth.md") },
        Version { created_by: Some(session("time_only")), ..version(413, "created", "日本語.md") },
        Version { content_sha256: None, ..version(412, "deleted", "a\u{1b}[31m\u{202e}.md") },
        redacted,
    ]
}

fn log(style: Style) -> String {
    let (names, mut lines) = (names(), version::Lines::default());
    printed(|out| lines.page(out, &versions(), &names, style))
}

/// Five hours after the versions.
fn later() -> Style {
    let now = retrace_model::Timestamp::parse("2026-11-20T19:10:00Z").expect("a time");
    Style { now: Some(now), ..Style::PLAIN }
}

#[test]
fn the_log() {
    insta::assert_snapshot!(log(later()));
}

#[test]
fn the_log_on_a_terminal() {
    let on = |columns| log(Style { columns: Some(columns), ..later() });
    insta::assert_snapshot!(format!("{}\n{}", on(80), on(120)));
}

#[test]
fn the_log_with_every_detail() {
    insta::assert_snapshot!(log(Style { verbose: true, ..Style::PLAIN }));
}

#[test]
fn the_log_in_colours() {
    insta::assert_snapshot!(log(Style::COLOURS));
}

#[test]
fn versions_in_full() {
    let names = names();
    let all = versions();
    insta::assert_snapshot!(printed(|out| {
        for index in [1, 2, 6] {
            version::full(out, &all[index], &names, Style::PLAIN)?;
            out.push(b'\n');
        }
        Ok(())
    }));
}

#[test]
fn stores_as_a_table() {
    let missing = Store {
        name: "覚え書き".to_owned(),
        kind: word("plain"),
        root: "/srv/notes".to_owned(),
        state: word("missing"),
        state_detail: Some(Message::verbatim("The directory does not exist.")),
        memories: 1000,
        last_change: None,
        ..store()
    };
    insta::assert_snapshot!(printed(|out| {
        stores::table(out, &[store(), missing.clone()], Style::PLAIN)?;
        stores::one(out, "added", &store())?;
        stores::one(out, "resumed", &missing)
    }));
}

#[test]
fn a_scan() {
    let store = |name: &str, state: &str, detail: Option<&str>, versions| ScannedStore {
        id: "memstore_1".to_owned(),
        name: name.to_owned(),
        state: word(state),
        state_detail: detail.map(Message::verbatim),
        versions,
        redacted_back: Vec::new(),
    };
    let scanned = Scanned {
        stores: vec![
            store("notes", "recording", None, 1),
            store("old", "missing", Some("The directory does not exist."), 0),
        ],
    };
    insta::assert_snapshot!(printed(|out| stores::scanned(out, &scanned, Style::PLAIN)));
}

#[test]
fn discoveries() {
    let found = Found {
        root: "/home/ada/.claude/projects/-home-ada-app/memory".to_owned(),
        kind: word("claude-auto"),
        name: "app".to_owned(),
        evidence: vec![Message::verbatim("It lies where Claude Code keeps auto memory.")],
        project: Some("/home/ada/app".to_owned()),
        enabled: true,
        reason: Message::verbatim("Auto memory is on by default."),
        exists: true,
        files: 3,
        store_id: None,
    };
    let recorded =
        Found { store_id: Some("memstore_1".to_owned()), files: 1, project: None, ..found.clone() };
    let unused = Found {
        enabled: false,
        exists: false,
        reason: Message::verbatim("It is switched off."),
        ..found.clone()
    };
    insta::assert_snapshot!(printed(|out| {
        [&found, &recorded, &unused].into_iter().try_for_each(|one| discover::found(out, one, Style::PLAIN))
    }));
}

#[test]
fn hits() {
    let hit = Hit {
        store_id: "memstore_1".to_owned(),
        memory_id: "mem_1".to_owned(),
        version_id: "memver_1".to_owned(),
        path: Some("api/auth.md".to_owned()),
        line: 14,
        snippet: "the to\u{200b}ken, then 認証 token".to_owned(),
        // The last one lies outside, as no answer should have it.
        matches: vec![(4, 10), (20, 25), (90, 99)],
        created_at: "2026-11-20T14:02:17Z".to_owned(),
        put_back: None,
    };
    insta::assert_snapshot!(printed(|out| {
        search::hit(out, &hit, &names(), false, Style::PLAIN)?;
        search::hit(out, &hit, &names(), true, Style::PLAIN)?;
        search::hit(out, &hit, &names(), false, Style::COLOURS)
    }));
}

fn side(version: Option<&str>, path: &str, content: Option<char>) -> DiffSide {
    DiffSide {
        target: format!("notes:{path}"),
        store_id: Some("memstore_1".to_owned()),
        version_id: version.map(str::to_owned),
        path: content.map(|_| path.to_owned()),
        content_sha256: content.map(hash),
        content_size_bytes: content.map(|_| 10),
        redacted: false,
    }
}

fn line(tag: &str, text: &str) -> DiffLine {
    DiffLine {
        tag: word(tag),
        old: None,
        new: None,
        text: text.to_owned(),
        words: Vec::new(),
        hidden: Vec::new(),
        spans: Vec::new(),
        no_newline: false,
        carriage_return: false,
    }
}

fn difference() -> FileDiff {
    let hidden =
        |at, code: &str, kind: &str| Hidden { at, length: 1, code: code.to_owned(), kind: word(kind) };
    let zero_width = hidden(7, "U+200B", "zero_width");
    let comment = Hidden { at: 0, length: 9, code: "<!--".to_owned(), kind: word("html_comment") };
    FileDiff {
        live: true,
        from: side(Some("memver_1"), "api/auth.md", Some('a')),
        to: side(None, "api/auth.md", Some('b')),
        truncated: false,
        binary: false,
        added: 3,
        removed: 2,
        hunks: vec![Hunk {
            old_start: 1,
            old_lines: 4,
            new_start: 1,
            new_lines: 5,
            lines: vec![
                DiffLine { carriage_return: true, ..line("equal", "# Auth") },
                DiffLine { words: vec![(0, 3)], ..line("delete", "the token lasts") },
                DiffLine {
                    words: vec![(0, 1), (2, 9)],
                    hidden: vec![zero_width],
                    ..line("insert", "a tok\u{301}e\u{200b}n lasts")
                },
                DiffLine { carriage_return: true, ..line("insert", "\tfor an hour\x07") },
                DiffLine { hidden: vec![comment], ..line("equal", "<!-- x --> seen") },
                DiffLine { no_newline: true, ..line("delete", "end") },
                line("insert", "end"),
            ],
        }],
    }
}

#[test]
fn a_difference() {
    insta::assert_snapshot!(printed(|out| diff::file(out, &difference(), Style::PLAIN)));
}

#[test]
fn a_difference_in_colours() {
    insta::assert_snapshot!(printed(|out| diff::file(out, &difference(), Style::COLOURS)));
}

#[test]
fn differences_that_have_no_lines() {
    let empty = FileDiff { hunks: Vec::new(), added: 0, removed: 0, ..difference() };
    let binary = FileDiff { binary: true, ..empty.clone() };
    let created = FileDiff { from: side(None, "api/auth.md", None), ..empty.clone() };
    let mut redacted = binary.clone();
    redacted.from.redacted = true;
    redacted.from.content_sha256 = None;
    let mut same = empty.clone();
    same.to.content_sha256 = same.from.content_sha256.clone();
    insta::assert_snapshot!(printed(|out| {
        [&binary, &created, &redacted, &same]
            .into_iter()
            .try_for_each(|one| diff::file(out, one, Style::PLAIN))?;
        [&binary, &difference(), &same]
            .into_iter()
            .try_for_each(|one| diff::file_stat(out, one, Style::PLAIN))
    }));
}

#[test]
fn a_difference_of_stores() {
    let change = |path: &str, operation: &str, added, removed| FileChange {
        path: path.to_owned(),
        previous_path: None,
        operation: word(operation),
        from_sha256: None,
        to_sha256: None,
        added,
        removed,
        binary: false,
    };
    let files = vec![
        change("a.md", "modified", 300, 1),
        FileChange { previous_path: Some("旧.md".to_owned()), ..change("新.md", "modified", 0, 0) },
        FileChange { binary: true, ..change("pixel.png", "created", 0, 0) },
        change("gone.md", "deleted", 0, 20),
    ];
    let moves = vec![MovedBlock {
        from_path: "a.md".to_owned(),
        from_line: 10,
        to_path: "b.md".to_owned(),
        to_line: 1,
        lines: 4,
    }];
    let from = side(None, "", None);
    let stores = StoreDiff { from: from.clone(), to: from, files, moves, warnings: Vec::new() };
    insta::assert_snapshot!(printed(|out| diff::store(out, &stores, Style::PLAIN)));
}

fn write(path: &str, from: Option<char>, to: Option<char>) -> FileWrite {
    let (from_sha256, to_sha256) = (from.map(hash), to.map(hash));
    FileWrite { store_id: "memstore_1".to_owned(), path: path.to_owned(), from_sha256, to_sha256, diff: None }
}

#[test]
fn acts() {
    let done = ActResult {
        operation_seq: Some(98),
        writes: vec![write("a.md", Some('a'), Some('b')), write("b.md", None, Some('c'))],
        deletes: vec![write("c.md", Some('d'), None)],
        warnings: vec![Message::verbatim("One thing.")],
        ..ActResult::default()
    };
    let preview = ActResult { dry_run: true, operation_seq: None, ..done.clone() };
    let conflict = Conflict {
        reason: ConflictReason::Changed,
        store_id: "memstore_1".to_owned(),
        path: "a.md".to_owned(),
        expected_sha256: Some(hash('a')),
        found_sha256: None,
        expected_version_id: Some("memver_1".to_owned()),
        found_version_id: None,
        wanted_version_id: Some("memver_2".to_owned()),
        message: Message::verbatim("The file was deleted since."),
    };
    let refused = ActResult { conflicts: vec![conflict], ..ActResult::default() };
    let partial = ActResult { partial: true, conflicts: refused.conflicts.clone(), ..done.clone() };
    insta::assert_snapshot!(printed(|out| {
        [&done, &preview, &refused, &partial, &ActResult::default()]
            .into_iter()
            .try_for_each(|result| act::act(out, "Rollback", result, &names(), Style::PLAIN))
    }));
}

/// Both are said: who wrote it, and who put it back; what a session is only likely to have written is marked so.
#[test]
fn what_was_put_back_and_what_is_likely() {
    let ada = ActorView::UserActor { user_id: "ada".to_owned() };
    let session =
        ActorView::SessionActor { session_id: "5f3c".to_owned(), evidence: "exact_content".to_owned() };
    let back = PutBack {
        version_id: "memver_7".to_owned(),
        written_by: Some(session),
        written_at: "2026-11-19T09:00:00Z".to_owned(),
        by: Some(ada.clone()),
        at: "2026-11-20T14:02:17Z".to_owned(),
        operation_seq: 97,
        source: word("rollback"),
    };
    let rolled_back = Version {
        created_by: Some(ada),
        put_back: Some(back.clone()),
        source: word("rollback"),
        ..version(418, "modified", "a.md")
    };
    let line = |style| printed(|out| version::Lines::default().page(out, [&rolled_back], &names(), style));
    let whole = line(Style { verbose: true, ..Style::PLAIN });
    assert!(whole.contains("session 5f3c, put back by ada, rollback #97"), "{whole}");
    let short = line(Style::PLAIN);
    assert!(short.ends_with("~ notes:a.md  session 5f3c, put back by ada\n"), "{short}");
    let full = printed(|out| version::full(out, &rolled_back, &names(), Style::PLAIN));
    assert!(full.contains("who        session 5f3c\n"), "{full}");
    assert!(full.contains("put back by ada, 2026-11-20T14:02:17Z, operation 97; written"), "{full}");
    let returned = PutBack { source: word("scan"), by: None, ..back.clone() };
    assert_eq!(version::put_back_by(&returned, Style::PLAIN), "came back");
    let redacted = PutBack { source: word("redact"), ..back };
    assert_eq!(version::put_back_by(&redacted, Style::PLAIN), "redacted by ada");
    let likely = |included| LikelyChange {
        version_id: "memver_9".to_owned(),
        store_id: "memstore_1".to_owned(),
        path: Some("b.md".to_owned()),
        operation: word("modified"),
        created_at: "2026-11-20T14:02:17Z".to_owned(),
        confidence: "time_only".to_owned(),
        first_sight: false,
        included,
    };
    let offered = ActResult { likely: vec![likely(false), likely(true)], ..ActResult::default() };
    let text = printed(|out| act::act(out, "Rollback", &offered, &names(), Style::PLAIN));
    assert!(
        text.contains("stays   notes:b.md  modified 2026-11-20T14:02:17Z, likely, by time alone; --include-likely takes it back"),
        "{text}"
    );
    assert!(text.contains("taken   notes:b.md"), "{text}");
    let partial =
        ActResult { partial: true, left: vec![write("c.md", Some('a'), None)], ..ActResult::default() };
    let text = printed(|out| act::act(out, "Restore", &partial, &names(), Style::PLAIN));
    assert!(text.contains("left    notes:c.md"), "{text}");
}

fn receipt(purge: &str, verified: Option<bool>) -> Receipt {
    let place = |place: &str, state: &str, hits, detail: Option<&str>| ReceiptPlace {
        place: Message::verbatim(place),
        state: word(state),
        hits,
        detail: detail.map(Message::verbatim),
        owned: false,
        remedy: None,
    };
    Receipt {
        id: "receipt_1".to_owned(),
        created_at: "2026-11-20T14:02:17Z".to_owned(),
        created_by: Some(ActorView::UserActor { user_id: "ada".to_owned() }),
        reason: Some("leaked key".to_owned()),
        method: "secret".to_owned(),
        operation_seq: 98,
        versions: 2,
        live_files: 1,
        purge: word(purge),
        places: vec![
            place("Database file, raw bytes", "clean", 0, None),
            place("Transcripts on this machine", "left", 3, Some("in 2 files")),
            place("Write-ahead log, raw bytes", "left", 0, Some("purge pending")),
            place("Backups and file sync", "out_of_reach", 0, None),
        ],
        chain_head: hash('f'),
        chain_verified: verified,
        warnings: vec![Message::verbatim("The secret is short.")],
    }
}

#[test]
fn redactions() {
    let found = |place, action, version: Option<&str>, line| RedactionMatch {
        name: None,
        place,
        store_id: Some("memstore_1".to_owned()),
        version_id: version.map(str::to_owned),
        path: Some("a.md".to_owned()),
        line,
        masked: line.map(|_| "the key is ████".to_owned()),
        hits: 2,
        action,
        detail: None,
        remedy: None,
    };
    let transcript = RedactionMatch {
        store_id: None,
        path: Some("/home/ada/.claude/projects/x.jsonl".to_owned()),
        ..found(RedactionPlace::Transcript, RedactionAction::Left, None, Some(7))
    };
    let result = ActResult {
        operation_seq: Some(98),
        writes: vec![write("a.md", Some('a'), Some('b'))],
        matches: vec![
            found(RedactionPlace::Version, RedactionAction::RedactVersion, Some("memver_1"), Some(3)),
            found(RedactionPlace::Version, RedactionAction::RedactVersion, Some("memver_2"), None),
            found(RedactionPlace::Live, RedactionAction::ReplaceInPlace, None, Some(3)),
            transcript,
        ],
        receipt: Some(receipt("done", Some(true))),
        warnings: vec![Message::verbatim("The secret is short.")],
        ..ActResult::default()
    };
    insta::assert_snapshot!(printed(|out| {
        act::act(out, "Redaction", &result, &names(), Style::PLAIN)?;
        out.push(b'\n');
        receipt::receipt(out, &receipt("pending", None), Style::PLAIN)
    }));
}

#[test]
fn verification() {
    let sound = Verified {
        ok: true,
        versions: 40,
        blobs: 1,
        chain_head: hash('f'),
        problems: Vec::new(),
        absent: Some(true),
        found_in: Vec::new(),
        warnings: Vec::new(),
    };
    let damaged = Verified {
        ok: false,
        problems: vec![Message::verbatim("Version 3 does not follow version 2.")],
        absent: Some(false),
        found_in: vec![Message::verbatim("retrace.db")],
        warnings: vec![Message::verbatim("The bytes are few.")],
        ..sound.clone()
    };
    insta::assert_snapshot!(printed(|out| {
        verify::verified(out, &sound, Style::PLAIN)?;
        verify::verified(out, &damaged, Style::PLAIN)
    }));
}
