//! Stores that were taken off the list: what was sent of them is told of redactions. And every other text that the hub keeps.

use super::{Hub, Machine};
use retrace_api::commands;
use retrace_api::wire::{HubAgentTokenReq, HubCommentReq, HubHistoryReq, Nothing, RedactReq, StoreRef};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

const SECRET: &str = "quartz-heron-5521-opens";

fn redact_secret(machine: &Machine) {
    let request = RedactReq { find: Some(SECRET.to_owned()), live: true, ..RedactReq::default() };
    commands::redact(&machine.world.app, request).expect("a redaction");
}

fn take_off(machine: &Machine, store: &str) {
    let request = StoreRef { store: store.to_owned() };
    commands::remove_store(&machine.world.app, request).expect("it is taken off the list");
}

fn file(machine: &Machine, path: &str, text: &str) {
    std::fs::write(machine.world.path(path), text).expect("a file");
    machine.world.scan();
}

#[test]
fn what_was_sent_of_a_store_is_told_of_redactions_when_it_is_off_the_list() {
    for left in [1, 2] {
        let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
        a.world.add("old");
        file(&a, "old/gone.md", &format!("password {SECRET} here\n"));
        if left == 2 {
            a.world.add("keep");
            file(&a, "keep/k.md", "what stays\n");
        }
        a.record("stays.md", "what stays as well\n");
        b.record("x.md", "of b\n");
        a.synced();
        b.synced();
        take_off(&a, "old");
        redact_secret(&a);
        let told = a.synced().stores.into_iter().find(|store| store.name == "old").expect("it is told");
        assert_eq!((told.redacted, told.versions), (1, 0));
        let gone = b.versions().into_iter().find(|version| version.store_name == "old").expect("a version");
        assert_eq!((gone.content.as_str(), gone.path), ("redacted", None), "with {left} stores left");
        assert_eq!(hub.tables_with("gone.md"), Vec::<String>::new());
        assert!(a.synced().stores.iter().all(|store| store.name != "old"), "told once");
        // Nothing new of it is sent.
        std::fs::write(a.world.path("old/new.md"), "new\n").expect("a file");
        a.synced();
        assert!(b.versions().iter().all(|version| version.path.as_deref() != Some("new.md")));
    }
}

/// A call of the Memory Stores API.
pub(super) fn api(hub: &Hub, key: &str, path: &str, body: &Value, session: &str) -> Value {
    let (_, address) = hub.url().split_once("://").expect("a scheme");
    let mut stream = TcpStream::connect(address).expect("the hub listens");
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nx-api-key: {key}\r\nanthropic-beta: \
         agent-memory-2026-07-22\r\nx-retrace-session: {session}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
    serde_json::from_str(body).expect("JSON")
}

#[test]
fn a_redaction_goes_through_every_text_that_the_hub_keeps() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    a.world.add(&format!("store-{SECRET}"));
    file(&a, &format!("store-{SECRET}/n.md"), "of a named store\n");
    a.record("keys.md", format!("deploy with {SECRET}\n"));
    b.world.add(&format!("other-{SECRET}"));
    file(&b, &format!("other-{SECRET}/n.md"), "of another named store\n");
    let clean = b.record("clean.md", "what stays\n");
    a.synced();
    b.synced();
    let key = commands::hub_agent_token(&a.world.app, HubAgentTokenReq::default()).expect("a key").token;
    let session = format!("sesn_{SECRET}");
    let named = json!({
        "name": format!("api {SECRET}"), "description": format!("see {SECRET}"),
        "metadata": { "where": format!("at {SECRET}") },
    });
    let store = api(&hub, &key, "/v1/memory_stores", &named, &session);
    let memories = format!("/v1/memory_stores/{}/memories", store["id"].as_str().expect("an id"));
    let both = json!({ "path": format!("/q-{SECRET}.md"), "content": format!("both {SECRET}\n") });
    api(&hub, &key, &memories, &both, &session);
    let named = json!({ "path": format!("/p/{SECRET}.md"), "content": "nothing of it\n" });
    let in_path = api(&hub, &key, &memories, &named, "sesn_other");
    let comment = HubCommentReq { version: clean.id, text: "what a person said".to_owned() };
    commands::hub_comment(&a.world.app, comment).expect("a comment");
    for column in ["person", "by_name"] {
        let _ = hub.database.query(&format!("UPDATE comments SET {column} = 'x {SECRET}' RETURNING 1"));
    }
    let _ =
        hub.database.query(&format!("UPDATE machines SET name = 'b {SECRET}' WHERE name = 'b' RETURNING 1"));
    assert!(hub.tables_with(SECRET).len() >= 5, "{:?}", hub.tables_with(SECRET));

    redact_secret(&a);
    a.synced();
    assert_eq!(hub.tables_with(SECRET), Vec::<String>::new());
    let names: Vec<String> = a.versions().into_iter().map(|version| version.store_name).collect();
    assert!(names.iter().any(|name| name == "store-[redacted]"), "{names:?}");
    assert!(names.iter().any(|name| name == "api [redacted]"), "{names:?}");
    let path = hub.database.query("SELECT convert_from(path, 'UTF8') FROM api_memories");
    assert!(path.starts_with("redacted-"), "{path}");
    // Its content, which holds nothing of it, stays.
    let sha256 = in_path["content_sha256"].as_str().expect("a hash");
    let kept = format!("SELECT count(*) FROM contents WHERE encode(sha256, 'hex') = '{sha256}'");
    assert_eq!(hub.database.query(&kept), "1");
    // A machine that does not know the secret sends the name of its store again.
    b.record("clean.md", "what stays, with more\n");
    file(&b, &format!("other-{SECRET}/n.md"), "of another named store, with more\n");
    b.synced();
    assert_eq!(hub.tables_with(SECRET), Vec::<String>::new());
    let names: Vec<String> = b.versions().into_iter().map(|version| version.store_name).collect();
    assert!(names.iter().any(|name| name == "other-[redacted]"), "{names:?}");
    // What a program says anew is its own: the hub does not know the secret.
    let new = json!({ "path": "/new.md", "content": "it works as before\n" });
    let listed = api(&hub, &key, &memories, &new, "sesn_other");
    assert_eq!(listed["path"], "/new.md", "{listed}");

    // A path that holds it comes later, on the machine that knows it.
    a.record(&format!("new-{SECRET}.md"), "nothing of it in the content\n");
    a.record("new.md", "nothing of it in either\n");
    a.synced();
    assert_eq!(hub.tables_with(SECRET), Vec::<String>::new());
    let history = HubHistoryReq { memory: "notes:new.md".to_owned(), ..HubHistoryReq::default() };
    assert_eq!(commands::hub_history(&a.world.app, history).expect("a history").versions.len(), 1);
    assert_eq!(commands::hub_status(&a.world.app, Nothing {}).expect("a status").stores.len(), 2);
}

/// The newest migration runs over a database that has rows, as a hub of the version before left it.
#[test]
fn the_newest_migration_runs_over_what_is_there() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    a.record("keys.md", format!("deploy with {SECRET}\n"));
    a.synced();
    let newest = hub.database.query("SELECT max(version) FROM refinery_schema_history");
    let _ = hub
        .database
        .query(&format!("DELETE FROM refinery_schema_history WHERE version = {newest} RETURNING 1"));
    let _ = hub.database.query("REVOKE UPDATE (actor_id) ON api_versions FROM retrace_hub");
    let _ = hub.database.query("REVOKE UPDATE (person, by_name) ON comments, hub_reviews FROM retrace_hub");
    let again = hub.another();
    assert_eq!(hub.database.query("SELECT max(version) FROM refinery_schema_history"), newest);
    again.stop();
    redact_secret(&a);
    a.synced();
    assert!(hub.tables_with(SECRET).is_empty());
}
