//! Answers that nobody thought of: none makes the client panic, and none is taken that breaks a rule.

use crate::server::{MEMORY, Reply, STORE, Server, VERSION, dream, memory, page, store, version};
use proptest::prelude::*;
use retrace_model::Sha256;
use serde_json::{Map, Value, json};
use std::sync::{LazyLock, Mutex};

/// One host for all cases; it answers with what was last put here.
static ANSWER: Mutex<(u16, Vec<u8>)> = Mutex::new((0, Vec::new()));
static SERVER: LazyLock<Server> = LazyLock::new(|| {
    Server::start(|_, _| {
        let (status, body) = ANSWER.lock().unwrap().clone();
        Reply::Status(status, vec![("x-should-retry", "false".into())], body)
    })
});
/// Tests of this file take turns.
static TURN: Mutex<()> = Mutex::new(());

fn ask_everything(status: u16, body: &[u8]) {
    *ANSWER.lock().unwrap() = (status, body.to_vec());
    let host = SERVER.host();
    for memory in host.memories(STORE, None, true, 20).map(|page| page.items).unwrap_or_default() {
        assert!(memory.id.starts_with("mem_") && memory.path.starts_with('/') && memory.store_id == STORE);
        if let Some(content) = &memory.content {
            assert_eq!(memory.content_sha256, Sha256::of(content.as_bytes()));
        }
    }
    for version in host.versions(STORE, None, true, 20).map(|page| page.items).unwrap_or_default() {
        assert!(version.id.starts_with("memver_") && version.store_id == STORE);
    }
    let _ = host.stores(true);
    let _ = host.store(STORE);
    let _ = host.memory(STORE, MEMORY);
    let _ = host.version(STORE, VERSION);
    let _ = host.create(STORE, "/a", "x");
    let _ = host.update(STORE, MEMORY, None, Some("x"), None);
    let _ = host.delete(STORE, MEMORY, None);
    let _ = host.redact(STORE, VERSION);
    let _ = host.dreams(true, None);
    let _ = host.dream("drm_1");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        "(mem|memver|memstore|sesn|drm)_[a-z0-9/.]{0,6}".prop_map(Value::from),
        "(/[a-z.]{0,3}){0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// An object of the API with some members changed, taken out or added.
fn bent() -> impl Strategy<Value = Value> {
    let object = prop::sample::select(vec![store(), memory(), version(), dream()]);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(any_json())), 0..3);
    (object, changes).prop_map(|(mut object, changes)| {
        let members = object.as_object_mut().unwrap();
        for (at, value) in changes {
            let names: Vec<String> = members.keys().cloned().collect();
            if names.is_empty() {
                break;
            }
            let name = at.get(&names).clone();
            match value {
                Some(value) => members.insert(name, value),
                None => members.remove(&name),
            };
        }
        object
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_an_error_or_nothing(body: Vec<u8>, status in 200u16..600) {
        let _turn = TURN.lock();
        ask_everything(status, &body);
    }

    #[test]
    fn any_json_is_taken_only_by_its_rules(value in any_json(), status in prop::sample::select(vec![200, 400, 404, 409])) {
        let _turn = TURN.lock();
        ask_everything(status, value.to_string().as_bytes());
        ask_everything(status, json!({"type": "error", "error": value}).to_string().as_bytes());
    }

    #[test]
    fn bent_objects_are_taken_only_by_their_rules(objects in prop::collection::vec(bent(), 1..4), next in prop::option::of(".{0,8}")) {
        let _turn = TURN.lock();
        ask_everything(200, objects[0].to_string().as_bytes());
        ask_everything(200, page(&objects, next.as_deref()).to_string().as_bytes());
    }
}

#[test]
fn deep_nesting_is_refused() {
    let _turn = TURN.lock();
    ask_everything(200, "[".repeat(100_000).as_bytes());
    ask_everything(200, format!("{{\"data\":{}", "[".repeat(100_000)).as_bytes());
    ask_everything(409, "{\"error\":".repeat(100_000).as_bytes());
}
