//! Findings of unreviewed changes: contents that came new, and changes that should not have happened so.

use retrace_api::wire::{InboxReq, MemoryToolReq};
use retrace_api::{commands, wire};
use retrace_tests::World;
use serde_json::{Value, json};

/// Put together here, so that no scanner takes this file for a leak.
fn token() -> String {
    format!("{}_{}", "ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo")
}

/// Path and rules of each item, by path.
fn found(world: &World) -> Vec<(String, Vec<String>)> {
    let inbox = commands::inbox(&world.app, InboxReq { limit: Some(500), ..InboxReq::default() });
    let items = inbox.expect("the inbox").groups.into_iter().flat_map(|group| group.items);
    let mut found: Vec<_> = items
        .map(|item| {
            let rules = item.findings.into_iter().map(|finding| finding.rule).collect();
            (item.path.unwrap_or_default(), rules)
        })
        .collect();
    found.sort();
    found
}

fn of_store(world: &World) -> Vec<(String, String)> {
    let request = wire::FindingsReq { store: "notes".to_owned(), path: None };
    let found = commands::findings(&world.app, request).expect("findings").findings;
    found.into_iter().map(|finding| (finding.rule, finding.message.into_text())).collect()
}

fn approve_all(world: &World) {
    let up_to = world.cursor().to_string();
    let request = wire::ReviewUpToReq { up_to, with_findings: true, ..wire::ReviewUpToReq::default() };
    commands::review_up_to(&world.app, request).expect("a review");
}

fn call(world: &World, session: &str, input: Value) -> wire::MemoryToolAnswer {
    let request = MemoryToolReq {
        store: Some("notes".to_owned()),
        session: Some(session.to_owned()),
        input,
        ..MemoryToolReq::default()
    };
    commands::memory_tool(&world.app, request).expect("an answer")
}

#[test]
fn an_item_says_what_came_new_in_its_content() {
    let world = World::new();
    world.record("a.md", format!("one {}\n", token()));
    assert_eq!(found(&world), [("a.md".to_owned(), vec!["secret/github".to_owned()])]);
    approve_all(&world);
    world.record("a.md", format!("one {}\ntwo a\u{200b}b\n", token()));
    assert_eq!(
        found(&world),
        [("a.md".to_owned(), vec!["hidden/zero-width".to_owned()])],
        "what was approved is not said again"
    );
    std::fs::rename(world.path("notes/a.md"), world.path("notes/b.md")).expect("a rename");
    world.scan();
    assert_eq!(found(&world)[0].1, ["hidden/zero-width"], "nor what moved");
    world.record("c.md", [0xff, 0, 1]);
    world.write("retrace.toml", "[rules]\nhidden = \"off\"\n");
    let rules: Vec<_> = found(&world).into_iter().flat_map(|(_, rules)| rules).collect();
    assert_eq!(rules, [""; 0], "as the directory is configured");
}

#[test]
fn a_mass_delete_is_reported_of_each_memory_and_once_of_the_store() {
    let world = World::new();
    for number in 0..8 {
        world.write(&format!("{number}.md"), format!("memory {number}\n"));
    }
    world.scan();
    approve_all(&world);
    for number in 0..6 {
        world.remove(&format!("{number}.md"));
    }
    world.scan();
    let items = found(&world);
    assert_eq!(items.len(), 6);
    assert!(items.iter().all(|(_, rules)| rules == &["events/mass-delete"]), "{items:?}");
    let message = "6 of 8 memories were deleted at once.".to_owned();
    assert_eq!(of_store(&world), [("events/mass-delete".to_owned(), message)]);
    approve_all(&world);
    assert_eq!(of_store(&world), [], "it was reviewed");
}

#[test]
fn an_index_that_shrank_and_a_restore_that_was_asked_for() {
    let world = World::new();
    let lines: String = (0..20).map(|number| format!("- line {number}\n")).collect();
    let whole = world.record("MEMORY.md", &lines);
    approve_all(&world);
    let cut = world.record("MEMORY.md", "- line 0\n");
    assert_eq!(found(&world)[0].1, ["events/index-shrank"]);
    world.rollback("MEMORY.md", &whole).expect("a rollback");
    world.rollback("MEMORY.md", &cut).expect("another");
    assert_eq!(found(&world).len(), 0, "a person asked for it");
}

#[test]
fn an_unknown_writer_among_sessions_and_two_sessions_on_one_file() {
    let world = World::new();
    for number in 0..12 {
        let path = format!("/memories/{number}.md");
        call(&world, "session-one", json!({ "command": "create", "path": path, "file_text": "one\n" }));
    }
    approve_all(&world);
    world.record("0.md", "by hand\n");
    assert_eq!(found(&world), [("0.md".to_owned(), vec!["events/unknown-writer".to_owned()])]);
    approve_all(&world);
    let insert = |line: u32, text: &str| json!({ "command": "insert", "path": "/memories/5.md", "insert_line": line, "insert_text": text });
    call(&world, "session-one", insert(1, "two\n"));
    call(&world, "session-two", insert(2, "three\n"));
    assert_eq!(found(&world), [("5.md".to_owned(), vec![])]);
    call(&world, "session-one", insert(3, "four\n"));
    assert_eq!(found(&world), [("5.md".to_owned(), vec!["events/race".to_owned()])]);
}

#[test]
fn the_guard_of_the_memory_tool() {
    let world = World::new();
    let text = format!("the token is {}\n", token());
    let write = |guard: Option<&str>, path: &str, text: &str| {
        let input = json!({ "command": "create", "path": format!("/memories/{path}"), "file_text": text });
        let request = MemoryToolReq {
            store: Some("notes".to_owned()),
            guard: guard.map(str::to_owned),
            input,
            ..MemoryToolReq::default()
        };
        commands::memory_tool(&world.app, request)
    };
    world.write("retrace.toml", "[rules]\nsecret = \"off\"\n");
    let refused = write(Some("refuse"), "a.md", &text).expect("an answer");
    assert!(refused.is_error && refused.operation_seq.is_none(), "{refused:?}");
    assert_eq!(
        refused.content,
        "Error: /memories/a.md was not written, because it would hold something sensitive: A GitHub token (secret/github)"
    );
    assert_eq!(world.read("a.md"), None);
    let warned = write(Some("warn"), "b.md", &text).expect("an answer");
    assert!(!warned.is_error && warned.content.ends_with("A GitHub token (secret/github)"), "{warned:?}");
    assert!(!warned.content.contains(&token()[4..10]));
    assert_eq!(world.read("b.md").as_deref(), Some(text.as_str()));
    assert!(!write(None, "c.md", &text).expect("an answer").content.contains("secret"));
    assert!(!write(Some("refuse"), "d.md", "plain\n").expect("an answer").is_error);
    let error = write(Some("loud"), "e.md", "x").map(drop).expect_err("no such mode");
    assert_eq!(error.code, wire::Code::Invalid);
}
