//! Calls about dreams.

use crate::server::{STORE, Server, dream, ok, page};
use retrace_remote::{DreamUsage, NewDream, OutputBehavior, RemoteError};
use serde_json::{Value, json};

#[test]
fn dreams_are_read_whole() {
    let server = Server::start(|_, _| ok(&page(&[dream()], Some("page_2"))));
    let read = server.host().dreams(true, None).unwrap();
    assert_eq!(read.next.as_deref(), Some("page_2"));
    let read = &read.items[0];
    assert_eq!(
        (read.id.as_str(), read.status.as_str(), read.model.as_str()),
        ("drm_1", "completed", "claude-opus-5")
    );
    assert_eq!(
        (read.input_store.as_deref(), read.output_store.as_deref()),
        (Some(STORE), Some("memstore_02"))
    );
    assert_eq!(read.sessions, ["sesn_1", "sesn_2"]);
    assert_eq!(read.output_behavior, OutputBehavior::CreateNew);
    let usage = DreamUsage {
        input_tokens: 1,
        output_tokens: 2,
        cache_creation_input_tokens: 3,
        cache_read_input_tokens: 4,
    };
    assert_eq!(read.usage, usage);
    let call = server.seen().remove(0);
    assert_eq!(call.line(), "GET /base/v1/dreams?limit=100&include_archived=true");
    assert_eq!(call.header("anthropic-beta"), Some("dreaming-2026-04-21"));
}

#[test]
fn what_a_host_may_add_is_passed_over() {
    let server = Server::start(|_, _| {
        let mut later = dream();
        later["status"] = "paused".into();
        later["output_behavior"] = json!({"type": "elsewhere"});
        later["inputs"][1] = json!({"type": "files", "file_ids": []});
        later["outputs"] = json!([]);
        later["error"] = json!({"type": "timeout", "message": "too long"});
        later["usage"] = Value::Null;
        ok(&later)
    });
    let read = server.host().dream("drm_1").unwrap();
    assert_eq!((read.status.as_str(), read.output_store), ("paused", None));
    assert_eq!((read.output_behavior, read.sessions.len()), (OutputBehavior::Unknown, 0));
    assert_eq!(read.error.unwrap().kind, "timeout");
}

#[test]
fn a_dream_is_asked_for_stopped_and_put_away() {
    let server = Server::start(|_, _| ok(&dream()));
    let host = server.host();
    let new = NewDream {
        input_store: STORE.into(),
        sessions: vec!["sesn_1".into()],
        model: "claude-opus-5".into(),
        instructions: Some("Merge.".into()),
        update_existing: true,
    };
    host.create_dream(&new).unwrap();
    host.create_dream(&NewDream { instructions: None, update_existing: false, ..new.clone() }).unwrap();
    host.cancel_dream("drm_1").unwrap();
    host.archive_dream("drm_1").unwrap();
    let seen = server.seen();
    let body = |at: usize| serde_json::from_slice::<Value>(&seen[at].body).unwrap();
    let inputs = json!([{"type": "memory_store", "memory_store_id": STORE},
        {"type": "sessions", "session_ids": ["sesn_1"]}]);
    assert_eq!(
        body(0),
        json!({"inputs": inputs, "model": "claude-opus-5", "instructions": "Merge.",
            "output_behavior": {"type": "update_existing", "memory_store_id": STORE}})
    );
    assert_eq!(
        body(1),
        json!({"inputs": inputs, "model": "claude-opus-5", "output_behavior": {"type": "create_new"}})
    );
    assert_eq!(seen[2].line(), "POST /base/v1/dreams/drm_1/cancel");
    assert_eq!(seen[3].line(), "POST /base/v1/dreams/drm_1/archive");

    let other = NewDream { sessions: vec!["../x".into()], ..new };
    assert!(matches!(host.create_dream(&other), Err(RemoteError::BadId { .. })));
    assert!(matches!(host.dream("drm_2"), Err(RemoteError::NotUnderstood { .. })));
}
