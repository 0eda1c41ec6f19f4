//! Who wrote a content survives every act of a person on it.

use base64::Engine as _;
use proptest::prelude::*;
use retrace_api::{commands, wire};
use retrace_tests::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A call of the memory tool by a session on the store `memories`.
fn call(world: &World, session: &str, input: Value) {
    let request = wire::MemoryToolReq {
        root: Some(world.path("memories").to_string_lossy().into_owned()),
        session: Some(session.to_owned()),
        input,
        ..wire::MemoryToolReq::default()
    };
    let answer = commands::memory_tool(&world.app, request).expect("an answer");
    // A text that was redacted stays out, even where it is only a part of another one.
    let stays_out = answer.content.contains("a text that was redacted");
    assert!(!answer.is_error || stays_out, "{}", answer.content);
}

fn creates(world: &World, session: &str, path: &str, text: &str) {
    call(
        world,
        session,
        json!({ "command": "create", "path": format!("/memories/{path}"), "file_text": text }),
    );
}

fn replaces(world: &World, session: &str, path: &str, (old, new): (&str, &str)) {
    let path = format!("/memories/{path}");
    call(world, session, json!({ "command": "str_replace", "path": path, "old_str": old, "new_str": new }));
}

fn session_of(actor: Option<&wire::ActorView>) -> String {
    match actor {
        Some(wire::ActorView::SessionActor { session_id, .. }) => session_id.clone(),
        Some(wire::ActorView::UserActor { .. }) => "(a person)".to_owned(),
        _ => "(nobody)".to_owned(),
    }
}

/// Each line with the session that wrote it.
fn blamed(world: &World, path: &str) -> Vec<(String, String)> {
    let request = wire::BlameReq { target: format!("memories:{path}"), job: None };
    let blame = commands::blame(&world.app, request).expect("a blame");
    let writer = |line: &wire::BlameLine| {
        let version = line.version.map(|place| &blame.versions[place as usize]);
        version.map_or_else(String::new, |version| session_of(version.created_by.as_ref()))
    };
    blame.lines.iter().map(|line| (line.text.clone(), writer(line))).collect()
}

fn newest(world: &World, path: &str) -> wire::Version {
    world.log(path).into_iter().next().expect("a version")
}

fn origin(world: &World, version: &wire::Version) -> wire::Origin {
    let request = wire::OriginReq { version: version.id.clone(), around: None };
    commands::origin(&world.app, request).expect("an origin")
}

/// Every place that names a writer reports this of the newest version of `a.md`: the session, put back by the person.
fn assert_put_back(world: &World, session: &str) {
    assert_put_back_by(world, session, "(a person)");
}

/// The same, where it was put back by somebody else, or by nobody that is known.
fn assert_put_back_by(world: &World, session: &str, by: &str) {
    let version = newest(world, "a.md");
    let back = version.put_back.clone().expect("it was put back");
    assert_eq!(session_of(back.written_by.as_ref()), session);
    assert_eq!(session_of(back.by.as_ref()), by);
    assert_eq!(back.operation_seq, version.operation_seq);
    assert_eq!(session_of(version.created_by.as_ref()), by, "the act stays theirs");
    let noted = version.origin.as_ref().and_then(|origin| origin.session_id.as_deref());
    assert_eq!(noted, Some(session));
    let origin = origin(world, &version);
    assert_eq!((origin.note.session_id.as_deref(), origin.put_back.as_ref()), (Some(session), Some(&back)));
    let by = wire::LogReq { actor: Some(session.to_owned()), ..wire::LogReq::default() };
    let listed = commands::log(&world.app, by).expect("the log").versions;
    assert!(listed.iter().any(|listed| listed.id == version.id), "found by its writer");
    let request = wire::SessionRef { session: session.to_owned() };
    let wrote = commands::session_writes(&world.app, request).expect("a session").versions;
    assert!(wrote.iter().any(|wrote| wrote.version.id == version.id && wrote.version.put_back.is_some()));
    let words = version.path.as_ref().map(|_| "port".to_owned()).unwrap_or_default();
    let found = commands::search(&world.app, wire::SearchReq { query: words, ..wire::SearchReq::default() });
    assert!(found.expect("hits").hits.iter().all(|hit| hit.put_back.as_ref() == Some(&back)));
}

fn undo(world: &World) {
    commands::undo(&world.app, wire::UndoReq::default()).expect("an undo");
}

fn reject(world: &World, version: &wire::Version) {
    review(world, version, "reject");
}

fn review(world: &World, version: &wire::Version, verdict: &str) {
    let request = wire::ReviewReq {
        versions: vec![version.id.clone()],
        verdict: verdict.to_owned(),
        ..wire::ReviewReq::default()
    };
    assert_eq!(commands::review(&world.app, request).expect("a review").done.len(), 1);
}

#[test]
fn undo_of_a_rollback_a_restore_and_a_reject_keeps_the_writer() {
    let world = World::new();
    creates(&world, "one", "a.md", "- port 8080\n- host a\n");
    let first = newest(&world, "a.md");
    replaces(&world, "two", "a.md", ("8080", "9090"));
    let second = newest(&world, "a.md");
    let lines = [("- port 9090".to_owned(), "two".to_owned()), ("- host a".to_owned(), "one".to_owned())];
    // A rollback, and its undo.
    let request = wire::RollbackReq {
        memory: Some("memories:a.md".to_owned()),
        to: Some(first.id.clone()),
        ..wire::RollbackReq::default()
    };
    commands::rollback(&world.app, request).expect("a rollback");
    assert_put_back(&world, "one");
    assert!(blamed(&world, "a.md").iter().all(|(_, writer)| writer == "one"));
    undo(&world);
    assert_put_back(&world, "two");
    assert_eq!(blamed(&world, "a.md"), lines);
    // A restore, and its undo.
    let at = first.operation_seq.to_string();
    let request = wire::RestoreReq { store: "memories".to_owned(), at, ..wire::RestoreReq::default() };
    commands::restore(&world.app, request).expect("a restore");
    assert_put_back(&world, "one");
    undo(&world);
    assert_put_back(&world, "two");
    assert_eq!(blamed(&world, "a.md"), lines);
    // A blame says who put the lines back, too.
    let request = wire::BlameReq { target: "memories:a.md".to_owned(), job: None };
    let blame = commands::blame(&world.app, request).expect("a blame");
    let newest_act = newest(&world, "a.md").operation_seq;
    assert!(
        blame.versions.iter().all(|version| {
            version.put_back.as_ref().is_some_and(|back| back.operation_seq == newest_act)
        })
    );
    // A reject, and its undo: the item is back in the inbox, in the group of who wrote it.
    replaces(&world, "three", "a.md", ("host a", "host b"));
    let third = newest(&world, "a.md");
    reject(&world, &third);
    commands::undo_review(&world.app, wire::UndoReviewReq::default()).expect("taken back");
    assert_put_back(&world, "three");
    let inbox = commands::inbox(&world.app, wire::InboxReq::default()).expect("the inbox");
    assert_eq!((inbox.groups.len(), inbox.groups[0].session.as_deref()), (1, Some("three")));
    let item = &inbox.groups[0].items[0];
    assert_eq!(item.put_back.as_ref().map(|back| &back.version_id), Some(&third.id));
    assert_eq!(session_of(item.created_by.as_ref()), "three");
    assert_eq!(item.origin.as_ref().and_then(|origin| origin.session_id.as_deref()), Some("three"));
    // A session's writes can be taken back after all that.
    let request = wire::RollbackReq { session: Some("three".to_owned()), ..wire::RollbackReq::default() };
    assert_eq!(commands::rollback(&world.app, request).expect("a rollback").conflicts.len(), 0);
    assert_eq!(blamed(&world, "a.md"), lines);
    assert_ne!(second.id, third.id);
}

#[test]
fn a_deletion_that_is_put_back_is_who_deleted_first() {
    let world = World::new();
    creates(&world, "one", "a.md", "- port 8080\n");
    review(&world, &newest(&world, "a.md"), "approve");
    call(&world, "two", json!({ "command": "delete", "path": "/memories/a.md" }));
    let deleted = newest(&world, "a.md");
    reject(&world, &deleted);
    assert_put_back(&world, "one");
    assert_eq!(blamed(&world, "a.md"), [("- port 8080".to_owned(), "one".to_owned())]);
    commands::undo_review(&world.app, wire::UndoReviewReq::default()).expect("taken back");
    let inbox = commands::inbox(&world.app, wire::InboxReq::default()).expect("the inbox");
    let item = &inbox.groups[0].items[0];
    assert_eq!((inbox.groups[0].session.as_deref(), item.verb.as_str()), (Some("two"), "deleted"));
    assert_eq!(item.put_back.as_ref().map(|back| &back.version_id), Some(&deleted.id));
}

#[test]
fn a_directory_that_is_moved_away_and_back_keeps_its_writers() {
    let world = World::new();
    creates(&world, "one", "a.md", "- port 8080\n- host a\n");
    replaces(&world, "two", "a.md", ("host a", "host b"));
    let lines = blamed(&world, "a.md");
    let (there, away) = (world.path("memories/a.md"), world.path("away.md"));
    std::fs::rename(&there, &away).expect("moved away");
    world.scan();
    assert_eq!(newest(&world, "a.md").operation.as_str(), "deleted");
    std::fs::rename(&away, &there).expect("moved back");
    world.scan();
    assert_put_back_by(&world, "two", "(nobody)");
    assert_eq!(blamed(&world, "a.md"), lines);
    let inbox = commands::inbox(&world.app, wire::InboxReq::default()).expect("the inbox");
    assert_eq!((inbox.groups.len(), inbox.groups[0].session.as_deref()), (1, Some("two")));
    // It is taken back with what the session wrote.
    let request = wire::RollbackReq { session: Some("two".to_owned()), ..wire::RollbackReq::default() };
    assert_eq!(commands::rollback(&world.app, request).expect("a rollback").conflicts.len(), 0);
    assert_eq!(std::fs::read_to_string(&there).expect("a text"), "- port 8080\n- host a\n");
}

#[test]
fn a_redaction_leaves_every_other_line_to_who_wrote_it() {
    let world = World::new();
    creates(&world, "one", "a.md", "- port 8080\n- host a\n");
    replaces(&world, "two", "a.md", ("- host a\n", "- host a\n- key ABCDEFGH-0123456789\n"));
    replaces(&world, "three", "a.md", ("8080", "9090"));
    let redact = |secret: &str| {
        let request = wire::RedactReq {
            secret_base64: Some(base64::engine::general_purpose::STANDARD.encode(secret)),
            live: true,
            ..wire::RedactReq::default()
        };
        commands::redact(&world.app, request).expect("a redaction");
    };
    redact("ABCDEFGH-0123456789");
    let writers =
        |world: &World| blamed(world, "a.md").into_iter().map(|(_, writer)| writer).collect::<Vec<_>>();
    assert_eq!(writers(&world), ["three", "one", "two"]);
    let version = newest(&world, "a.md");
    let back = version.put_back.expect("what is left of what three wrote");
    assert_eq!((session_of(back.written_by.as_ref()), back.source.as_str()), ("three".to_owned(), "redact"));
    // A later redaction takes the kept lines along; and a session's own lines stay its own.
    replaces(&world, "four", "a.md", ("- host a\n", "- host a\n- name b\n"));
    redact("9090");
    assert_eq!(writers(&world), ["three", "one", "four", "two"]);
    redact("host a");
    assert_eq!(writers(&world), ["three", "one", "four", "two"]);
    // A rollback to what a redaction left, and its undo, follow it too.
    let versions = world.log("a.md");
    let left = versions.iter().find(|version| version.source == "redact" && version.redacted_at.is_none());
    let left = left.expect("what a redaction left").clone();
    replaces(&world, "five", "a.md", ("- name b", "- name c"));
    let request = wire::RollbackReq {
        memory: Some("memories:a.md".to_owned()),
        to: Some(left.id),
        ..wire::RollbackReq::default()
    };
    commands::rollback(&world.app, request).expect("a rollback");
    assert_eq!(writers(&world), ["three", "one", "four", "two"]);
    let inbox = commands::inbox(&world.app, wire::InboxReq::default()).expect("the inbox");
    assert!(inbox.groups.iter().all(|group| group.session.is_some()), "{inbox:?}");
}

#[test]
fn an_entry_a_person_moves_and_what_they_take_over_stay_whose_they_were() {
    let world = World::new();
    creates(&world, "one", "MEMORY.md", "- port 8080\n- host a\n");
    replaces(&world, "two", "MEMORY.md", ("- host a\n", "- host a\n- name b\n"));
    let request = wire::MoveEntryReq {
        store: "memories".to_owned(),
        path: "MEMORY.md".to_owned(),
        line: 3,
        to: "names.md".to_owned(),
        ..wire::MoveEntryReq::default()
    };
    commands::move_entry(&world.app, request).expect("moved");
    let writers: BTreeMap<String, String> = blamed(&world, "names.md").into_iter().collect();
    assert_eq!(writers["- name b"], "two");
    assert_eq!(
        &blamed(&world, "MEMORY.md")[..2],
        [("- port 8080".to_owned(), "one".to_owned()), ("- host a".to_owned(), "one".to_owned())]
    );
    // Taken over into another store, a content is still whose it was.
    let request = wire::AcceptMemoriesReq {
        from: "memories".to_owned(),
        into: "notes".to_owned(),
        paths: vec!["names.md".to_owned()],
        ..wire::AcceptMemoriesReq::default()
    };
    commands::accept_memories(&world.app, request).expect("taken over");
    let request = wire::BlameReq { target: "notes:names.md".to_owned(), job: None };
    let blame = commands::blame(&world.app, request).expect("a blame");
    let line = blame.lines.iter().find(|line| line.text == "- name b").expect("the line");
    let version = &blame.versions[line.version.expect("a version") as usize];
    assert_eq!(session_of(version.created_by.as_ref()), "two");
}

/// One step of the property test: what, which file, and which of the possible choices.
type Step = (u8, usize, usize);

const FILES: [&str; 3] = ["a.md", "b.md", "c.md"];

/// Does one step; `text` numbers the lines that sessions write, so that each line says who wrote it.
fn step(world: &World, (kind, file, choice): Step, number: usize) {
    let path = FILES[file];
    let live = std::fs::read_to_string(world.path("memories").join(path)).ok();
    let session = format!("s{}", choice % 4);
    let line = format!("{session} wrote {number}");
    match (kind, live) {
        (0..=2, None) => creates(world, &session, path, &format!("{line}\n{session} also wrote {number}\n")),
        (0 | 1, Some(text)) => {
            let at = choice % (text.lines().count() + 1);
            let input = json!({ "command": "insert", "path": format!("/memories/{path}"), "insert_line": at,
                "insert_text": format!("{line}\n") });
            call(world, &session, input);
        }
        (2, Some(text)) => {
            let lines: Vec<&str> = text.lines().collect();
            match lines.get(choice % lines.len().max(1)) {
                Some(old) if !old.is_empty() && text.matches(old).count() == 1 => {
                    replaces(world, &session, path, (old, &line));
                }
                _ => {}
            }
        }
        (3, Some(_)) => {
            call(world, &session, json!({ "command": "delete", "path": format!("/memories/{path}") }));
        }
        // A person: a rollback to any version, a restore to any operation, an undo, a reject, its undo, a session's rollback.
        (4, _) => {
            let versions: Vec<_> =
                world.log(path).into_iter().filter(|version| version.operation != "deleted").collect();
            let Some(to) = versions.get(choice % versions.len().max(1)) else { return };
            let request = wire::RollbackReq {
                memory: Some(to.memory_id.clone()),
                to: Some(to.id.clone()),
                ..wire::RollbackReq::default()
            };
            drop(commands::rollback(&world.app, request));
        }
        (5, _) => {
            let at = (1 + choice as u64 % world.cursor().max(1)).to_string();
            let request =
                wire::RestoreReq { store: "memories".to_owned(), at, ..wire::RestoreReq::default() };
            drop(commands::restore(&world.app, request));
        }
        (6, _) => drop(commands::undo(&world.app, wire::UndoReq::default())),
        (7, _) => {
            let inbox = commands::inbox(&world.app, wire::InboxReq::default()).expect("the inbox");
            let items: Vec<_> = inbox.groups.iter().flat_map(|group| &group.items).collect();
            let Some(item) = items.get(choice % items.len().max(1)) else { return };
            let request = wire::ReviewReq {
                versions: vec![item.version_id.clone()],
                verdict: "reject".to_owned(),
                ..wire::ReviewReq::default()
            };
            commands::review(&world.app, request).expect("a review");
        }
        (8, _) => drop(commands::undo_review(&world.app, wire::UndoReviewReq::default())),
        (9, _) => {
            let request = wire::RollbackReq { session: Some(session), ..wire::RollbackReq::default() };
            drop(commands::rollback(&world.app, request));
        }
        // A redaction, in history and on disk, of a line that somebody wrote: its place keeps its writer.
        (10, Some(text)) => {
            let lines: Vec<&str> = text.lines().collect();
            let Some(line) = lines.get(choice % lines.len().max(1)).filter(|line| line.contains(" wrote "))
            else {
                return;
            };
            let secret = line.split_once(' ').map(|(_, rest)| rest).unwrap_or_default();
            let request = wire::RedactReq {
                secret_base64: Some(base64::engine::general_purpose::STANDARD.encode(secret)),
                live: true,
                ..wire::RedactReq::default()
            };
            drop(commands::redact(&world.app, request));
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// The reference model is the text itself: every line says who wrote it, and no act of a person makes that untrue.
    #[test]
    fn any_row_of_writes_and_acts_keeps_the_writer_of_every_line(
        steps in prop::collection::vec((0_u8..11, 0_usize..3, 0_usize..97), 4..28)
    ) {
        let world = World::new();
        creates(&world, "s0", "first.md", "s0 wrote this\n");
        for (number, taken) in steps.into_iter().enumerate() {
            step(&world, taken, number);
        }
        for path in FILES.into_iter().filter(|path| world.path("memories").join(path).exists()) {
            for (text, writer) in blamed(&world, path) {
                let wrote = text.split(' ').next().unwrap_or_default();
                prop_assert_eq!(wrote, writer.as_str(), "{}: {}", path, text);
            }
        }
        let inbox = commands::inbox(&world.app, wire::InboxReq::default()).expect("the inbox");
        for group in &inbox.groups {
            prop_assert!(group.session.is_some(), "what is left to review is some session's: {:?}", group);
        }
    }
}
