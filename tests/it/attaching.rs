//! Attach lists of sessions, checked and previewed from the stores that are here.

use retrace_api::wire::{MountProblem, Mounts, MountsReq};
use retrace_api::{App, commands};
use retrace_tests::World;
use retrace_tests::api::StoreApi;
use serde_json::{Value, json};

fn check(app: &App, resources: Value) -> Mounts {
    commands::check_mounts(app, MountsReq { resources, model: None }).expect("an answer")
}

fn messages(problems: &[MountProblem]) -> Vec<String> {
    problems.iter().map(|problem| format!("{} {}", problem.severity, problem.at)).collect()
}

fn item(store: &str) -> Value {
    json!({ "type": "memory_store", "memory_store_id": store })
}

#[test]
fn what_a_session_would_get() {
    let world = World::new();
    let api = StoreApi::of(&world.app);
    let notes = api.store("Demo Memory");
    api.create(&notes, "/a.md", "hello, world\n");
    api.create(&notes, "/more/large.md", &"a longer line of words\n".repeat(40));
    let other = api.store("demo memory");
    let resources = json!({ "resources": [
        { "type": "file", "file_id": "file_1" },
        { "type": "memory_store", "memory_store_id": notes, "access": "read_only", "instructions": "Read a.md first." },
        item(&other),
        item("memstore_01HxElsewhere"),
    ] });
    let found = check(&world.app, resources);
    assert!(found.ok, "{found:?}");
    let first = &found.mounts[0];
    assert_eq!((first.index, first.access.as_str(), first.instructions_chars), (1, "read_only", 16));
    assert_eq!(first.mount_path.as_deref(), Some("/mnt/memory/demo-memory"));
    assert_eq!((first.files, first.bytes), (2, 13 + 40 * 23));
    let paths: Vec<&str> = first.largest.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["more/large.md", "a.md"]);
    let sum: u64 = first.largest.iter().filter_map(|file| file.tokens).sum();
    assert!(first.tokens > 3 && first.tokens == sum);
    assert_eq!(found.tokens, first.tokens);
    assert!(found.prompt_tokens > 0);
    assert_eq!(first.unreviewed, 2);
    let second = &found.mounts[1];
    assert_eq!(second.mount_path.as_deref(), Some("/mnt/memory/demo-memory-2"));
    assert!(second.mount_path_assumed && first.mount_path_assumed, "the rule of collisions is not public");
    assert_eq!(messages(&second.problems), ["warning /resources/2"]);
    let unknown = &found.mounts[2];
    assert_eq!((unknown.store_id.as_ref(), unknown.mount_path.as_ref()), (None, None));
    assert_eq!(messages(&unknown.problems), ["warning /resources/3/memory_store_id"]);
}

#[test]
fn an_archived_store_and_what_the_api_does_not_show() {
    let world = World::new();
    let api = StoreApi::of(&world.app);
    let store = api.store("Old");
    api.post(&format!("/v1/memory_stores/{store}/archive"), &json!({}));
    let notes = commands::stores(&world.app, retrace_api::wire::Nothing {}).expect("stores");
    let notes = notes.stores.iter().find(|store| store.name == "notes").expect("the store").id.clone();
    let found = check(&world.app, json!([item(&store), item(&notes)]));
    assert!(!found.ok);
    assert_eq!(messages(&found.mounts[0].problems), ["error /0/memory_store_id"]);
    assert_eq!(messages(&found.mounts[1].problems), ["warning /1/memory_store_id"], "no API shows it");
    let share = retrace_api::wire::ShareStoreReq { store: notes.clone(), shared: true };
    commands::share_store(&world.app, share).expect("it is shown");
    world.record("a.md", "text\n");
    world.record("b.bin", [0u8, 159, 146, 150]);
    let found = check(&world.app, json!([item(&notes)]));
    assert!(found.ok);
    assert_eq!((found.mounts[0].files, found.mounts[0].bytes), (1, 5), "what is no text is not mounted");
    assert_eq!(found.mounts[0].mount_path.as_deref(), Some("/mnt/memory/notes"));
}
