use super::*;
use retrace_api::wire::{LogReq, Version};
use retrace_api::{AppOptions, KeyInMemory};
use rmcp::service::{RoleClient, RunningService};
use serde_json::json;
use std::path::Path;

struct World {
    folder: tempfile::TempDir,
    app: Arc<App>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut options = AppOptions::for_this_machine(Some(folder.path().join("data"))).expect("options");
        options.keys = Arc::new(KeyInMemory::default());
        let app = Arc::new(App::open(options).expect("an app"));
        Self { folder, app }
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("memories")
    }

    async fn client(&self, session: &str) -> RunningService<RoleClient, ()> {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let request = MemoryToolReq {
            root: Some(self.root().display().to_string()),
            session: Some(session.to_owned()),
            ..MemoryToolReq::default()
        };
        let server = MemoryServer::new(Arc::clone(&self.app), request);
        let (read, write) = tokio::io::split(ours);
        tokio::spawn(server.serve(read, write));
        ServiceExt::serve((), tokio::io::split(theirs)).await.expect("a client")
    }

    fn versions(&self) -> Vec<Version> {
        commands::log(&self.app, LogReq::default()).expect("the log").versions
    }
}

async fn call(client: &RunningService<RoleClient, ()>, input: Value) -> (String, bool) {
    let Value::Object(input) = input else { panic!("an object") };
    let answer = client
        .call_tool(CallToolRequestParams::new(schema::NAME).with_arguments(input))
        .await
        .expect("an answer");
    let text =
        answer.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.clone()).collect();
    (text, answer.is_error.unwrap_or_default())
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file")
}

#[tokio::test]
async fn a_client_finds_one_tool_with_a_schema_that_holds_every_command() {
    let client = World::new().client("s").await;
    let tools = client.list_all_tools().await.expect("tools");
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0].name, "memory");
    let commands = &tools[0].input_schema["properties"]["command"]["enum"];
    assert_eq!(*commands, json!(["view", "create", "str_replace", "insert", "delete", "rename"]));
    assert_eq!(client.peer_info().and_then(|info| info.server_info.clone()).expect("who").name, "retrace");
}

#[tokio::test]
async fn calls_change_the_directory_and_are_recorded_with_their_session() {
    let world = World::new();
    let client = world.client("5f2c").await;
    let create = json!({ "command": "create", "path": "/memories/a.md", "file_text": "one\n" });
    assert_eq!(
        call(&client, create.clone()).await,
        ("File created successfully at: /memories/a.md".to_owned(), false)
    );
    assert_eq!(read(&world.root().join("a.md")), "one\n");
    assert_eq!(call(&client, create).await, ("Error: File /memories/a.md already exists".to_owned(), true));
    let rename = json!({ "command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b.md" });
    assert!(!call(&client, rename).await.1);
    let versions = world.versions();
    assert_eq!(versions.len(), 2);
    for version in &versions {
        assert_eq!(version.source, "tool");
        let actor = version.created_by.as_ref().expect("an actor");
        assert!(
            matches!(actor, retrace_api::wire::ActorView::SessionActor { session_id, evidence }
                if session_id == "5f2c" && evidence == "stated"),
            "{actor:?}"
        );
    }
    assert_eq!(versions[0].memory_id, versions[1].memory_id, "a rename is the same memory");
}

#[tokio::test]
async fn what_is_wrong_with_a_call_is_reported_and_changes_nothing() {
    let world = World::new();
    let client = world.client("s").await;
    for input in [
        json!({}),
        json!({ "command": "shred" }),
        json!({ "command": "create", "path": "/memories/../x", "file_text": "" }),
        json!({ "command": "view", "path": 7 }),
    ] {
        let (text, is_error) = call(&client, input.clone()).await;
        assert!(is_error && !text.is_empty(), "{input}: {text}");
    }
    let other = client.call_tool(CallToolRequestParams::new("shell")).await;
    assert!(other.is_err(), "another tool is a protocol error");
    assert!(world.versions().is_empty());
    assert!(!world.folder.path().join("x").exists());
}

#[tokio::test]
async fn several_clients_write_at_once_and_each_is_known_by_its_session() {
    let world = World::new();
    let mut tasks = Vec::new();
    for number in 0..4 {
        let client = world.client(&format!("session-{number}")).await;
        tasks.push(tokio::spawn(async move {
            for note in 0..5 {
                let path = format!("/memories/{number}-{note}.md");
                let input =
                    json!({ "command": "create", "path": path, "file_text": format!("{number} {note}\n") });
                assert!(!call(&client, input).await.1);
            }
        }));
    }
    for task in tasks {
        task.await.expect("writes");
    }
    let versions = world.versions();
    assert_eq!(versions.len(), 20);
    for version in versions {
        let path = version.path.expect("a path");
        let session = format!("session-{}", path.chars().next().expect("a name"));
        let actor = serde_json::to_value(version.created_by).expect("JSON");
        assert_eq!(actor["session_id"], session, "{path}");
    }
}

#[tokio::test]
async fn calls_that_come_together_are_done_in_their_order() {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    const EDITS: usize = 20;
    let world = World::new();
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let request =
        MemoryToolReq { root: Some(world.root().display().to_string()), ..MemoryToolReq::default() };
    let (input, output) = tokio::io::split(ours);
    tokio::spawn(MemoryServer::new(Arc::clone(&world.app), request).serve(input, output));
    let call = |id: usize, input: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "memory", "arguments": input}});
    let mut sent = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(1, json!({"command": "create", "path": "/memories/a.md", "file_text": "edit 0\n"})),
    ];
    sent.extend((0..EDITS).map(|edit| {
        let (old, new) = (format!("edit {edit}\n"), format!("edit {}\n", edit + 1));
        let path = "/memories/a.md";
        call(edit + 2, json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new}))
    }));
    let lines: String = sent.iter().map(|message| format!("{message}\n")).collect();
    let (input, mut output) = tokio::io::split(theirs);
    output.write_all(lines.as_bytes()).await.expect("written at once");
    let mut answers = BufReader::new(input).lines();
    for _ in 0..=EDITS + 1 {
        let line = answers.next_line().await.expect("a line").expect("an answer");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        assert_ne!(answer["result"]["isError"], true, "{line}");
    }
    assert_eq!(read(&world.root().join("a.md")), format!("edit {EDITS}\n"));
}
