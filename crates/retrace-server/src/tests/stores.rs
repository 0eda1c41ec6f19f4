//! Stores over HTTP: what the Memory Stores API writes and what commands do with it, each as a client sees it.

use super::{Reply, Server, TOKEN, request};
use axum::body::Body;
use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

/// Headers of a client of the API.
const CLIENT: [(&str, &str); 3] = [
    ("content-type", "application/json"),
    ("authorization", const_bearer()),
    ("anthropic-beta", "agent-memory-2026-07-22"),
];

const fn const_bearer() -> &'static str {
    "Bearer 0123456789abcdef"
}

impl Server {
    async fn api(&self, method: Method, path: &str, body: &Value) -> Reply {
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        self.send(request(method, path, &CLIENT).body(body).expect("a request")).await
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let reply = self.api(Method::POST, path, &body).await;
        assert_eq!(reply.status, StatusCode::OK, "{path}: {}", reply.json());
        reply.json()
    }

    async fn read(&self, path: &str) -> Value {
        let reply = self.api(Method::GET, path, &Value::Null).await;
        assert_eq!(reply.status, StatusCode::OK, "{path}: {}", reply.json());
        reply.json()
    }

    /// Runs a command, which must succeed.
    async fn done(&self, command: &str, body: Value) -> Value {
        let reply = self.call(command, &body).await;
        assert_eq!(reply.status, StatusCode::OK, "{command}: {}", reply.json());
        reply.json()
    }

    /// A store of the API, by its path.
    async fn store(&self, name: &str) -> (String, String) {
        let made = self.post("/v1/memory_stores", json!({ "name": name })).await;
        let id = text(&made["id"]);
        (format!("/v1/memory_stores/{id}"), id)
    }

    async fn memory(&self, store: &str, path: &str, content: &str) -> Value {
        self.post(&format!("{store}/memories"), json!({ "path": path, "content": content })).await
    }

    /// Paths and contents of a store.
    async fn contents(&self, store: &str) -> Vec<(String, String)> {
        let page = self.read(&format!("{store}/memories?view=full")).await;
        let memories = page["data"].as_array().expect("a page").clone();
        memories.iter().map(|memory| (text(&memory["path"]), text(&memory["content"]))).collect()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(path, content)| ((*path).to_owned(), (*content).to_owned())).collect()
}

#[tokio::test]
async fn a_redaction_masks_one_version_alone() {
    let server = Server::new();
    let (store, _) = server.store("Demo").await;
    let first = server.memory(&store, "/a.md", "the same words\n").await;
    let twin = server.memory(&store, "/b.md", "the same words\n").await;
    let memory = format!("{store}/memories/{}", text(&first["id"]));
    server.post(&memory, json!({ "content": "others\n" })).await;
    let redact = format!("{store}/memory_versions/{}/redact", text(&first["memory_version_id"]));
    let redacted = server.post(&redact, json!({})).await;
    for gone in ["content", "content_sha256", "content_size_bytes", "path"] {
        assert!(redacted[gone].is_null(), "{redacted}");
    }
    assert_eq!(redacted["redacted_by"]["type"], "api_actor");
    let other = format!("{store}/memory_versions/{}", text(&twin["memory_version_id"]));
    assert_eq!(server.read(&other).await["content"], "the same words\n", "the others keep what they have");
    let expected = pairs(&[("/a.md", "others\n"), ("/b.md", "the same words\n")]);
    assert_eq!(server.contents(&store).await, expected);
    let head = format!("{store}/memory_versions/{}/redact", text(&twin["memory_version_id"]));
    assert_eq!(server.api(Method::POST, &head, &Value::Null).await.status, StatusCode::BAD_REQUEST);
    let receipts = server.done("receipts", json!({})).await;
    assert_eq!(receipts["receipts"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_store_gets_a_directory_and_loses_it_again() {
    let server = Server::new();
    let (store, id) = server.store("Demo").await;
    server.memory(&store, "/a.md", "one\n").await;
    let directory = server.folder("mounted");
    let mounted = server.done("mount_store", json!({ "store": id, "directory": directory })).await;
    assert_eq!(mounted["mounted"], true);
    assert_eq!(std::fs::read_to_string(directory.join("a.md")).expect("the file"), "one\n");
    server.memory(&store, "/b.md", "by the API\n").await;
    std::fs::write(directory.join("c.md"), "by hand\n").expect("a file");
    // Changes that nobody recorded yet are recorded before the directory goes.
    let taken = server.done("mount_store", json!({ "store": id, "directory": null })).await;
    assert_eq!(taken["mounted"], false);
    let expected = pairs(&[("/a.md", "one\n"), ("/b.md", "by the API\n"), ("/c.md", "by hand\n")]);
    assert_eq!(server.contents(&store).await, expected);
    server.memory(&store, "/d.md", "without files\n").await;
    let mut left: Vec<String> = std::fs::read_dir(&directory)
        .expect("the directory stays")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    left.sort_unstable();
    assert_eq!(left, ["a.md", "b.md", "c.md"], "its files stay, and get no more");
    let again = server.call("mount_store", &json!({ "store": id, "directory": null })).await;
    assert_eq!(again.refusal(), (400, "invalid".to_owned()));
}

#[tokio::test]
async fn a_directory_is_shown_and_hidden() {
    let server = Server::new();
    let directory = server.folder("notes");
    std::fs::write(directory.join("a.md"), "one\n").expect("a file");
    let added = server.done("add_store", json!({ "root": directory, "name": "notes" })).await;
    let store = format!("/v1/memory_stores/{}", text(&added["id"]));
    assert_eq!(server.api(Method::GET, &store, &Value::Null).await.status, StatusCode::NOT_FOUND);
    server.done("share_store", json!({ "store": "notes", "shared": true })).await;
    assert_eq!(server.contents(&store).await, pairs(&[("/a.md", "one\n")]));
    server.memory(&store, "/deep/b.md", "by the API\n").await;
    assert_eq!(std::fs::read_to_string(directory.join("deep/b.md")).expect("the file"), "by the API\n");
    server.done("share_store", json!({ "store": "notes", "shared": false })).await;
    assert_eq!(server.api(Method::GET, &store, &Value::Null).await.status, StatusCode::NOT_FOUND);
    let (_, hosted) = server.store("Demo").await;
    let alone = server.call("share_store", &json!({ "store": hosted, "shared": false })).await;
    assert_eq!(alone.refusal(), (400, "invalid".to_owned()), "it would be nowhere");
}

#[tokio::test]
async fn the_seed_is_served_where_it_is_asked_for() {
    let today = Server::new();
    let (store, _) = today.store("Demo").await;
    today.memory(&store, "/a.md", "one\n").await;
    let body = json!({ "path": "/a.md", "content": "two\n" });
    let refused = today.api(Method::POST, &format!("{store}/memories"), &body).await;
    assert_eq!(
        (refused.status.as_u16(), refused.json()["error"]["type"].clone()),
        (409, json!("memory_path_conflict_error"))
    );
    assert_eq!(refused.headers["x-should-retry"], "false");
    assert_eq!(
        today.api(Method::GET, "/v1/memory_stores/tools", &Value::Null).await.status,
        StatusCode::NOT_FOUND
    );

    let seed = Server::serving(true);
    let (store, _) = seed.store("Demo").await;
    seed.memory(&store, "/a.md", "one\n").await;
    let over = seed.memory(&store, "/a.md", "two\n").await;
    assert_eq!((&over["size_bytes"], &over["content_size_bytes"]), (&json!(4), &json!(4)));
    let only_new = json!({ "path": "/a.md", "content": "three\n", "precondition": { "type": "not_exists" } });
    let refused = seed.api(Method::POST, &format!("{store}/memories"), &only_new).await;
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.json());
    let memory = format!("{store}/memories/{}", text(&over["id"]));
    let patched = seed.api(Method::PATCH, &memory, &json!({ "content": "three\n" })).await;
    assert_eq!(patched.status, StatusCode::OK, "{}", patched.json());
    let tools = seed.read("/v1/memory_stores/tools").await;
    assert_eq!(tools["data"].as_array().map(Vec::len), Some(6));
    let tool = |name: &str| format!("{store}/tools/{name}");
    let input = json!({ "input": { "path": "/b.md", "content": "four\n" }, "session_id": "sesn_1" });
    assert_eq!(seed.post(&tool("memory_write"), input).await["is_error"], false);
    let edit = json!({ "input": { "path": "/b.md", "old_str": "four", "new_str": "five" } });
    assert_eq!(seed.post(&tool("memory_edit"), edit).await["is_error"], false);
    let found = seed.post(&tool("memory_search"), json!({ "input": { "query": "FIVE" } })).await;
    assert_eq!(found["content"], "/b.md:1: five");
    let written = seed.read(&format!("{store}/memory_versions?session_id=sesn_1")).await;
    assert_eq!(written["data"].as_array().map(Vec::len), Some(1));
    let gone = seed.post(&tool("memory_delete"), json!({ "input": { "path": "/b.md" } })).await;
    assert_eq!(gone["is_error"], false);
    assert_eq!(seed.contents(&store).await, pairs(&[("/a.md", "three\n")]));
    // The seed's name of a session's instructions is told by its name of today.
    let attached = json!({ "resources": [
        { "type": "memory_store", "memory_store_id": store.rsplit('/').next(), "prompt": "Read first." },
    ] });
    let mounts = seed.done("check_mounts", json!({ "resources": attached })).await;
    let problem = &mounts["mounts"][0]["problems"][0];
    assert_eq!((&mounts["ok"], &problem["severity"]), (&json!(true), &json!("warning")));
    assert!(text(&problem["message"]["text"]).contains("`instructions`"), "{problem}");
}

#[tokio::test]
async fn a_store_without_a_directory_is_put_back() {
    let server = Server::new();
    let (store, id) = server.store("Demo").await;
    let first = server.memory(&store, "/a.md", "good\n").await;
    let memory = format!("{store}/memories/{}", text(&first["id"]));
    server.post(&memory, json!({ "content": "bad\n", "path": "/moved.md" })).await;
    let log = server.done("log", json!({ "store": id })).await;
    let before =
        log["versions"].as_array().expect("versions").last().expect("the first")["operation_seq"].clone();
    let back = json!({ "memory": first["id"], "to": first["memory_version_id"] });
    let preview =
        server.done("rollback", json!({ "dry_run": true, "memory": back["memory"], "to": back["to"] })).await;
    let done = server.done("rollback", back).await;
    assert_eq!((&preview["writes"], &preview["deletes"]), (&done["writes"], &done["deletes"]));
    assert_eq!(server.contents(&store).await, pairs(&[("/a.md", "good\n")]));
    let same = server.read(&format!("{memory}?view=full")).await;
    assert_eq!(same["path"], "/a.md", "it is the same memory");
    server.done("undo", json!({})).await;
    assert_eq!(server.contents(&store).await, pairs(&[("/moved.md", "bad\n")]));
    server.memory(&store, "/new.md", "new\n").await;
    server.done("restore", json!({ "store": id, "at": before.to_string() })).await;
    assert_eq!(server.contents(&store).await, pairs(&[("/a.md", "good\n")]));
    let versions = server.read(&format!("{store}/memory_versions")).await;
    assert_eq!(versions["data"][0]["created_by"]["type"], "user_actor", "{}", versions["data"][0]);
}

#[tokio::test]
async fn what_is_wrong_in_a_store_without_a_directory() {
    let server = Server::new();
    let (store, id) = server.store("Demo").await;
    // Put together here, so that no scanner takes this file for a leak.
    let token = format!("{}_{}", "ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo");
    let memory = server.memory(&store, "/a.md", &format!("the token is {token}\n")).await;
    server.memory(&store, "/MEMORY.md", "- [A](a.md)\n- [Nowhere](nowhere.md)\n").await;
    let rules = |answer: &Value| -> Vec<(String, String)> {
        let findings = answer["findings"].as_array().expect("findings").clone();
        findings.iter().map(|one| (text(&one["rule"]), text(&one["path"]))).collect()
    };
    let checked = server.done("check", json!({ "target": id })).await;
    let found = rules(&checked);
    assert!(found.contains(&("secret/github".to_owned(), "a.md".to_owned())), "{found:?}");
    assert!(found.iter().any(|(rule, path)| rule.starts_with("links/") && path == "MEMORY.md"), "{found:?}");
    assert_eq!((&checked["failed"], &checked["files"]), (&json!(true), &json!(2)));
    let first = server.done("findings", json!({ "store": id })).await;
    assert_eq!((&first["files"], &first["reused"]), (&json!(2), &json!(0)));
    let again = server.done("findings", json!({ "store": id })).await;
    assert_eq!(again["reused"], 2, "only what changed is checked anew");
    assert_eq!(rules(&first), rules(&again));
    let health = server.done("health", json!({ "store": id })).await;
    let row = &health["stores"][0];
    assert_eq!((&row["files"], &row["problems"]), (&json!(2), &json!([])));
    assert_eq!(row["indexes"][0]["path"], "MEMORY.md");
    assert!(row["errors"].as_u64() >= Some(1), "{row}");
    let inbox = server.done("inbox", json!({})).await;
    assert!(inbox.to_string().contains("secret/github"), "{inbox}");
    // Deleted and redacted, it is found no more.
    let path = format!("{store}/memories/{}", text(&memory["id"]));
    server.api(Method::DELETE, &path, &Value::Null).await;
    let checked = server.done("check", json!({ "target": id })).await;
    assert!(!checked.to_string().contains("secret/github"));
    // A configuration lies with the memories here as well.
    let config = "[rules]\nlinks = \"off\"\n";
    server.memory(&store, "/retrace.toml", config).await;
    let checked = server.done("check", json!({ "target": id })).await;
    assert_eq!((rules(&checked), &checked["files"]), (Vec::new(), &json!(1)));
    assert_eq!(server.done("instructions", json!({ "store": id })).await["repository"], Value::Null);
}

#[tokio::test]
async fn the_memory_tool_says_what_to_do_without_a_directory() {
    let server = Server::new();
    let (store, id) = server.store("Demo").await;
    server.memory(&store, "/a.md", "one\n").await;
    let view = json!({ "store": id, "input": { "command": "view", "path": "/memories" } });
    let refused = server.call("memory_tool", &view).await;
    assert_eq!(refused.refusal(), (503, "store_unavailable".to_owned()));
    assert!(text(&refused.json()["error"]["hint"]).contains("mount_store"));
    server.done("mount_store", json!({ "store": id, "directory": server.folder("mounted") })).await;
    let shown = server.done("memory_tool", view).await;
    assert_eq!(shown["is_error"], false);
    let create = json!({ "command": "create", "path": "/memories/b.md", "file_text": "two\n" });
    server.done("memory_tool", json!({ "store": id, "session": "s1", "input": create })).await;
    assert_eq!(server.contents(&store).await, pairs(&[("/a.md", "one\n"), ("/b.md", "two\n")]));
}

#[tokio::test]
async fn a_guard_that_refuses_writes_nothing() {
    let token = format!("{}_{}", "ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo");
    for dialect in ["docs", "py", "ts"] {
        let server = Server::new();
        let root = server.folder("memories");
        let call = |guard: &str, file_text: &str| {
            let input = json!({ "command": "create", "path": "/memories/a.md", "file_text": file_text });
            json!({ "root": root, "dialect": dialect, "guard": guard, "session": "s1", "input": input })
        };
        let secret = format!("the token is {token}\n");
        let refused = server.done("memory_tool", call("refuse", &secret)).await;
        assert_eq!(
            (&refused["is_error"], &refused["operation_seq"]),
            (&json!(true), &Value::Null),
            "{dialect}"
        );
        let reply_text = text(&refused["content"]);
        assert!(
            reply_text.contains("secret/github") && !reply_text.contains(&token),
            "{dialect}: {reply_text}"
        );
        assert!(!root.join("a.md").exists(), "{dialect}");
        let warned = server.done("memory_tool", call("warn", &secret)).await;
        assert_eq!(warned["is_error"], false, "{dialect}");
        assert!(text(&warned["content"]).contains("secret/github"), "{dialect}");
        std::fs::remove_file(root.join("a.md")).expect("it was written");
        let clean = server.done("memory_tool", call("refuse", "clean\n")).await;
        assert_eq!(clean["is_error"], false, "{dialect}: {clean}");
        let log = server.done("log", json!({ "limit": 1 })).await;
        assert_eq!(log["versions"][0]["created_by"]["session_id"], "s1");
        let unknown = server.call("memory_tool", &call("sometimes", "x")).await;
        assert_eq!(unknown.refusal(), (400, "invalid".to_owned()));
    }
}

#[tokio::test]
async fn a_store_is_taken_over_from_another() {
    let server = Server::new();
    let (input, input_id) = server.store("Notes").await;
    let (output, output_id) = server.store("Notes as dreamt").await;
    server.memory(&input, "/a.md", "one\n").await;
    server.memory(&input, "/old.md", "moved\n").await;
    server.memory(&output, "/a.md", "one\ntwo\n").await;
    server.memory(&output, "/new.md", "moved\n").await;
    let compared = server.done("compare_stores", json!({ "from": input_id, "to": output_id })).await;
    let changes: Vec<String> =
        compared["memories"].as_array().expect("memories").iter().map(|one| text(&one["change"])).collect();
    assert_eq!(changes, ["modified", "moved"]);
    let request = json!({ "from": output_id, "into": input_id, "delete": true });
    server.done("accept_memories", request).await;
    let expected = pairs(&[("/a.md", "one\ntwo\n"), ("/new.md", "moved\n")]);
    assert_eq!(server.contents(&input).await, expected);
    let unauthorised = request_without_token(&server).await;
    assert_eq!(unauthorised, StatusCode::UNAUTHORIZED);
}

async fn request_without_token(server: &Server) -> StatusCode {
    let call = request(Method::POST, "/api/v1/accept_memories", &[("content-type", "application/json")]);
    server.send(call.body(Body::from("{}")).expect("a request")).await.status
}

#[test]
fn the_client_has_the_token() {
    assert_eq!(const_bearer().strip_prefix("Bearer "), Some(TOKEN));
}
