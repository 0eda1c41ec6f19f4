//! Requests, and readings of good answers.

use crate::server::{EMPTY_SHA256, KEY, MEMORY, STORE, Server, VERSION, memory, ok, page, store, version};
use retrace_model::{Actor, Evidence, Sha256, VersionOperation};
use serde_json::{Value, json};

/// Sends with `act`, answers with `body`; the call that came in.
fn sent<T>(body: Value, act: impl FnOnce(&retrace_remote::Host) -> T) -> (crate::server::Seen, T) {
    let server = Server::start(move |_, _| ok(&body));
    let done = act(&server.host());
    (server.seen().remove(0), done)
}

/// Recorded by running `anthropic` 2.11.0 against a local server: which headers it sends with which method.
#[test]
fn headers_are_the_sdks() {
    let (get, _) = sent(store(), |host| host.store(STORE));
    let (post, _) = sent(store(), |host| host.archive(STORE));
    let (delete, _) = sent(json!({}), |host| host.delete(STORE, MEMORY, None));
    for (call, line, length) in [
        (&get, "GET /base/v1/memory_stores/memstore_01a", None),
        (&post, "POST /base/v1/memory_stores/memstore_01a/archive", Some("0")),
        (&delete, "DELETE /base/v1/memory_stores/memstore_01a/memories/mem_01b", None),
    ] {
        assert_eq!(call.line(), line);
        assert_eq!(call.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        assert_eq!(call.header("anthropic-version"), Some("2026-10-21"));
        assert_eq!(call.header("anthropic-beta"), Some("agent-memory-2026-07-22"));
        assert_eq!(call.header("accept"), Some("application/json"));
        assert_eq!(call.header("x-api-key"), None);
        assert_eq!(call.header("content-length"), length, "{line}");
        let typed = (call.method != "GET").then_some("application/json");
        assert_eq!(call.header("content-type"), typed, "{line}");
    }
}

#[test]
fn stores_are_paged_through() {
    let server = Server::start(|at, _| match at {
        0 => ok(&page(&[store()], Some("page_ä b"))),
        _ => ok(&page(&[store(), json!({"type": "a later kind"})], None)),
    });
    let stores = server.host().stores(true).unwrap();
    assert_eq!(stores.len(), 2);
    assert_eq!(
        (stores[0].id.as_str(), stores[0].name.as_str(), stores[0].archived_at),
        (STORE, "Demo", None)
    );
    assert_eq!(stores[0].updated_at.to_rfc3339(), "2026-11-20T10:00:00.500000Z");
    let lines: Vec<String> = server.seen().iter().map(crate::server::Seen::line).collect();
    assert_eq!(
        lines,
        [
            "GET /base/v1/memory_stores?limit=100&include_archived=true",
            "GET /base/v1/memory_stores?limit=100&page=page_%C3%A4%20b&include_archived=true",
        ]
    );
}

#[test]
fn versions_are_asked_for_up_to_an_instant() {
    let until = retrace_model::Timestamp::parse("2026-11-20T10:00:00Z").unwrap();
    let (call, read) =
        sent(page(&[version()], None), |host| host.versions_until(STORE, until, Some("page_1"), 100));
    assert_eq!(
        call.line(),
        "GET /base/v1/memory_stores/memstore_01a/memory_versions?limit=100&page=page_1&view=basic\
         &created_at%5Blte%5D=2026-11-20T10%3A00%3A00.000000Z"
    );
    assert_eq!(read.unwrap().items.len(), 1);
}

#[test]
fn memories_come_a_page_at_a_time() {
    let prefix = json!({"type": "memory_prefix", "path": "/prefs/"});
    let body = page(&[prefix, memory()], Some("page_2"));
    let (call, read) = sent(body, |host| host.memories(STORE, Some("page_1"), true, 500));
    assert_eq!(
        call.line(),
        "GET /base/v1/memory_stores/memstore_01a/memories?limit=20&page=page_1&view=full"
    );
    let read = read.unwrap();
    assert_eq!((read.items.len(), read.next.as_deref()), (1, Some("page_2")));
    assert_eq!(read.items[0].path, "/prefs/format.md");
    assert_eq!(read.items[0].content.as_deref(), Some(""));
    assert_eq!(read.items[0].content_sha256.to_hex(), EMPTY_SHA256);

    let mut basic = memory();
    basic["content"] = Value::Null;
    let (call, read) = sent(page(&[basic], Some("")), |host| host.memories(STORE, None, false, 500));
    assert_eq!(call.line(), "GET /base/v1/memory_stores/memstore_01a/memories?limit=100&view=basic");
    let read = read.unwrap();
    assert_eq!((read.items[0].content.clone(), read.next), (None, None));
}

#[test]
fn versions_say_who_and_what() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut version = version();
        change(&mut version);
        version
    };
    let versions = [
        version(),
        with(&|version| {
            version["operation"] = "deleted".into();
            for member in ["content", "content_sha256", "content_size_bytes"] {
                version[member] = Value::Null;
            }
            version["created_by"] = json!({"type": "session_actor", "session_id": "sesn_1"});
        }),
        with(&|version| {
            for member in ["content", "content_sha256", "content_size_bytes", "path"] {
                version[member] = Value::Null;
            }
            version["created_by"] = json!({"type": "robot_actor", "robot": 7});
            version["redacted_at"] = "2026-11-20T10:06:00Z".into();
            version["redacted_by"] = json!({"type": "user_actor", "user_id": "user_1"});
        }),
        with(&|version| {
            let members = version.as_object_mut().unwrap();
            for member in ["created_by", "redacted_at", "redacted_by"] {
                members.remove(member);
            }
            members.insert("is_new".into(), json!([1]));
        }),
    ];
    let (call, read) = sent(page(&versions, None), |host| host.versions(STORE, None, false, 0));
    assert_eq!(call.line(), "GET /base/v1/memory_stores/memstore_01a/memory_versions?limit=1&view=basic");
    let items = read.unwrap().items;
    assert_eq!(items[0].created_by, Some(Actor::Api { id: "apikey_01Hx".into() }));
    assert_eq!((items[1].operation, items[1].content_sha256), (VersionOperation::Deleted, None));
    assert_eq!(items[1].created_by, Some(Actor::Session { id: "sesn_1".into(), evidence: Evidence::Stated }));
    assert_eq!((items[2].path.as_ref(), &items[2].created_by), (None, &Some(Actor::Unknown)));
    assert_eq!(items[2].redacted_by, Some(Actor::User { id: "user_1".into() }));
    assert_eq!((&items[3].created_by, items[3].redacted_at), (&None, None));
}

#[test]
fn one_object_is_asked_for_with_its_content() {
    let (call, read) = sent(memory(), |host| host.memory(STORE, MEMORY));
    assert_eq!(call.line(), "GET /base/v1/memory_stores/memstore_01a/memories/mem_01b?view=full");
    assert_eq!(read.unwrap().version_id, VERSION);
    let (call, read) = sent(version(), |host| host.version(STORE, VERSION));
    assert_eq!(call.line(), "GET /base/v1/memory_stores/memstore_01a/memory_versions/memver_01c?view=full");
    assert_eq!(read.unwrap().memory_id, MEMORY);
}

#[test]
fn writes_say_what_they_expect() {
    let empty = Sha256::of(b"");
    let (call, made) = sent(memory(), |host| host.create(STORE, "/prefs/format.md", "é\n"));
    assert_eq!(call.line(), "POST /base/v1/memory_stores/memstore_01a/memories");
    assert_eq!(
        serde_json::from_slice::<Value>(&call.body).unwrap(),
        json!({"path": "/prefs/format.md", "content": "é\n"})
    );
    assert_eq!(made.unwrap().id, MEMORY);

    let (call, _) =
        sent(memory(), |host| host.update(STORE, MEMORY, Some("/a"), Some("x"), Some(empty)).unwrap());
    assert_eq!(call.line(), "POST /base/v1/memory_stores/memstore_01a/memories/mem_01b");
    assert_eq!(
        serde_json::from_slice::<Value>(&call.body).unwrap(),
        json!({"path": "/a", "content": "x",
            "precondition": {"type": "content_sha256", "content_sha256": EMPTY_SHA256}})
    );
    let (call, _) = sent(memory(), |host| host.update(STORE, MEMORY, None, Some("x"), None).unwrap());
    assert_eq!(serde_json::from_slice::<Value>(&call.body).unwrap(), json!({"content": "x"}));

    let gone = json!({"id": MEMORY, "type": "memory_deleted"});
    let (call, done) = sent(gone, |host| host.delete(STORE, MEMORY, Some(empty)));
    assert_eq!(
        call.line(),
        format!(
            "DELETE /base/v1/memory_stores/memstore_01a/memories/mem_01b?expected_content_sha256={EMPTY_SHA256}"
        )
    );
    done.unwrap();

    let (call, _) = sent(version(), |host| host.redact(STORE, VERSION).unwrap());
    assert_eq!(call.line(), "POST /base/v1/memory_stores/memstore_01a/memory_versions/memver_01c/redact");
    assert_eq!(call.body, b"");
}
