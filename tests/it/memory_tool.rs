//! The memory tool with its recording: each accepted call is one operation with its session, whoever writes at once.

use retrace_api::commands;
use retrace_api::wire::{MemoryToolAnswer, MemoryToolReq};
use retrace_tests::World;
use serde_json::{Value, json};

fn call(world: &World, session: &str, input: Value) -> MemoryToolAnswer {
    let request = MemoryToolReq {
        root: Some(world.path("memories").to_string_lossy().into_owned()),
        session: Some(session.to_owned()),
        input,
        ..MemoryToolReq::default()
    };
    commands::memory_tool(&world.app, request).expect("an answer")
}

#[test]
fn each_call_is_an_operation_with_its_session() {
    let world = World::new();
    let file = "/memories/a.md";
    call(&world, "one", json!({ "command": "create", "path": file, "file_text": "first\n" }));
    let store = commands::stores(&world.app, retrace_api::wire::Nothing {}).expect("stores");
    assert!(store.stores.iter().any(|store| store.kind == "memory-tool" && store.name == "memories"));
    let edit = json!({ "command": "str_replace", "path": file, "old_str": "first", "new_str": "second" });
    let edited = call(&world, "two", edit);
    assert!(!edited.is_error && edited.versions.len() == 1, "{edited:?}");
    let moved =
        call(&world, "two", json!({ "command": "rename", "old_path": file, "new_path": "/memories/d/b.md" }));
    assert_eq!(moved.versions.len(), 1);
    // Somebody else writes: that is recorded before the tool touches the file.
    std::fs::write(world.path("memories/d/b.md"), "by hand\n").expect("a file");
    call(&world, "three", json!({ "command": "delete", "path": "/memories/d" }));
    let found: Vec<(String, String, String)> = world
        .log("")
        .into_iter()
        .rev()
        .map(|version| {
            let actor = serde_json::to_value(&version.created_by).expect("JSON");
            let who = actor["id"].as_str().or(actor["session_id"].as_str()).unwrap_or("nobody").to_owned();
            (version.operation.to_string(), version.path.unwrap_or_default(), who)
        })
        .collect();
    let expected = [
        ("created", "a.md", "one"),
        ("modified", "a.md", "two"),
        ("modified", "d/b.md", "two"),
        ("modified", "d/b.md", "nobody"),
        ("deleted", "d/b.md", "three"),
    ];
    let expected: Vec<(String, String, String)> =
        expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())).to_vec();
    assert_eq!(found, expected);
    assert_eq!(world.scan(), 0, "nothing is left for a scan to find");
}

#[test]
fn many_writers_at_once_are_recorded_one_by_one() {
    const WRITERS: usize = 8;
    const CALLS: usize = 10;
    let world = World::new();
    call(&world, "first", json!({ "command": "create", "path": "/memories/a.md", "file_text": "" }));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let world = &world;
            scope.spawn(move || {
                for at in 0..CALLS {
                    let text = format!("{writer}.{at}");
                    let input =
                        json!({ "command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": text });
                    let answer = call(world, &format!("session {writer}"), input);
                    assert!(!answer.is_error && answer.versions.len() == 1, "{answer:?}");
                }
            });
        }
    });
    assert_eq!(world.log("a.md").len(), 1 + WRITERS * CALLS);
    let text = std::fs::read_to_string(world.path("memories/a.md")).expect("the file");
    assert_eq!(text.lines().filter(|line| !line.is_empty()).count(), WRITERS * CALLS);
    assert_eq!(world.scan(), 0);
}

#[test]
fn what_the_rules_leave_out_is_recorded_before_it_is_deleted() {
    let world = World::new();
    let create = |path: &str| json!({ "command": "create", "path": path, "file_text": "v\n" });
    call(&world, "one", create("/memories/h/v.md"));
    let file = |name: &str| world.path("memories").join(name);
    std::fs::write(file("h/.keep"), "hidden\n").expect("a file");
    std::fs::write(file("h/x.tmp"), "v\n").expect("a file");
    std::fs::write(file(".alone"), "alone\n").expect("a file");
    let delete = |path: &str| call(&world, "two", json!({ "command": "delete", "path": path }));
    for (path, names) in [("/memories/h", vec!["h/.keep", "h/x.tmp"]), ("/memories/.alone", vec![".alone"])] {
        let deleted = delete(path);
        assert!(!deleted.is_error && deleted.not_recorded.is_empty(), "{deleted:?}");
        for name in names {
            let versions = world.log(name);
            let kinds: Vec<&str> = versions.iter().map(|version| version.operation.as_str()).collect();
            assert_eq!(kinds, ["deleted", "created"], "{name}");
            let request = retrace_api::wire::ShowReq {
                version: versions[1].id.clone(),
                ..retrace_api::wire::ShowReq::default()
            };
            assert!(commands::show(&world.app, request).is_ok(), "{name}");
        }
    }
    assert!(!file("h").exists() && world.scan() == 0);

    // Nothing goes that could not be kept.
    call(&world, "one", create("/memories/h/v.md"));
    std::fs::write(file("h/.large"), vec![b'x'; 10 * 1024 * 1024 + 1]).expect("a file");
    let refused = delete("/memories/h");
    assert!(refused.is_error && refused.content.contains("h/.large"), "{refused:?}");
    assert!(file("h/.large").exists() && file("h/v.md").exists());
    assert_eq!(world.scan(), 0);
}
