//! Compares sent requests with those `anthropic` 2.11.0 sent for the same calls (`sdk/record.py` made the recording).

use crate::server::{MEMORY, STORE, Seen, Server, VERSION, ok};
use retrace_model::Sha256;
use retrace_remote::{Host, NewDream};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The SDK's own words about itself, its compression, its patience, and the reuse of connections.
const OF_THE_SDK: [&str; 13] = [
    "user-agent",
    "accept-encoding",
    "connection",
    "x-stainless-async",
    "x-stainless-timeout",
    "x-stainless-read-timeout",
    "x-stainless-lang",
    "x-stainless-package-version",
    "x-stainless-os",
    "x-stainless-arch",
    "x-stainless-runtime",
    "x-stainless-runtime-version",
    "host",
];

/// Makes the call of that name. What comes of it does not matter here.
fn call(host: &Host, name: &str) {
    let empty = Some(Sha256::of(b""));
    let dream = NewDream {
        input_store: STORE.into(),
        sessions: vec!["sesn_1".into()],
        model: "claude-opus-5".into(),
        instructions: Some("Merge.".into()),
        update_existing: true,
    };
    match name {
        "stores" => drop(host.stores(true)),
        "store" => drop(host.store(STORE)),
        "archive" => drop(host.archive(STORE)),
        "memories" => drop(host.memories(STORE, Some("page_ä b"), true, 20)),
        "memory" => drop(host.memory(STORE, MEMORY)),
        "versions" => drop(host.versions(STORE, None, false, 100)),
        "version" => drop(host.version(STORE, VERSION)),
        "create" => drop(host.create(STORE, "/é.md", "one\n\u{1}日本")),
        "update" => drop(host.update(STORE, MEMORY, Some("/b.md"), Some("two\n"), empty)),
        "delete" => drop(host.delete(STORE, MEMORY, empty)),
        "redact" => drop(host.redact(STORE, VERSION)),
        "dreams" => drop(host.dreams(true, None)),
        "dream" => drop(host.dream("drm_1")),
        "create_dream" => drop(host.create_dream(&dream)),
        "cancel_dream" => drop(host.cancel_dream("drm_1")),
        "archive_dream" => drop(host.archive_dream("drm_1")),
        // No call is made, which fails below.
        _ => {}
    }
}

/// Path, and the parts of the query in any order; a space may be written in either way.
fn parts(target: &str) -> (String, BTreeSet<String>) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    (path.to_owned(), query.replace('+', "%20").split('&').map(str::to_owned).collect())
}

fn body(text: &[u8]) -> Value {
    if text.is_empty() { Value::Null } else { serde_json::from_slice(text).unwrap() }
}

#[test]
fn every_call_is_the_sdks() {
    let recording: Value = serde_json::from_str(include_str!("../sdk/recorded.json")).unwrap();
    assert_eq!(recording["sdk"], "anthropic 2.11.0");
    let calls = recording["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 16);
    for theirs in calls {
        let name = theirs["name"].as_str().unwrap();
        let server = Server::start(|_, _| ok(&json!({"data": []})));
        call(&server.host(), name);
        let ours: Seen = server.seen().remove(0);
        assert_eq!(ours.method, theirs["method"], "{name}");
        let (path, query) = parts(theirs["target"].as_str().unwrap());
        assert_eq!(parts(&ours.target), (format!("/base{path}"), query), "{name}");
        assert_eq!(body(&ours.body), body(theirs["body"].as_str().unwrap().as_bytes()), "{name}");

        let headers = theirs["headers"].as_object().unwrap();
        let counts = |header: &str| !OF_THE_SDK.contains(&header);
        for (header, value) in headers.iter().filter(|(header, _)| counts(header)) {
            // The bodies are equal as JSON, not byte for byte.
            if header != "content-length" || ours.body.is_empty() {
                assert_eq!(ours.header(header), value.as_str(), "{name}: {header}");
            }
        }
        for (header, value) in ours.headers.iter().filter(|(header, _)| counts(header)) {
            assert!(headers.contains_key(header), "{name}: {header}: {value} is not the SDK's");
        }
    }
}
