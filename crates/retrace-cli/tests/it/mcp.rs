//! The program itself as an MCP server, on its real standard streams, which the tests beside the code cannot stand in for.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_retrace"))
            .args(["memory-tool", "--mcp", "--root"])
            .arg(folder.join("memories"))
            .env("RETRACE_DATA_DIR", folder.join("data"))
            .env("HOME", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self { input: child.stdin.take(), output, child }
    }

    fn say(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("its input is open");
        writeln!(input, "{message}").expect("it listens");
    }

    #[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
    fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        let answer: Value =
            serde_json::from_str(&line).expect("nothing but the protocol is on standard output");
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }
}

#[test]
fn a_conversation_over_standard_streams_is_recorded_and_ends_with_its_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(folder.path());
    let hello = server.ask(
        1,
        "initialize",
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } }),
    );
    assert_eq!(hello["result"]["serverInfo"]["name"], "retrace");
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    server.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let create = json!({ "command": "create", "path": "/memories/a.md", "file_text": "one\n" });
    let answer = server.ask(2, "tools/call", json!({ "name": "memory", "arguments": create }));
    assert_eq!(answer["result"]["content"][0]["text"], "File created successfully at: /memories/a.md");
    drop(server.input.take());
    assert!(server.child.wait().expect("it ends").success(), "leaving is no failure");
    assert_eq!(std::fs::read(folder.path().join("memories/a.md")).expect("the file"), b"one\n");

    let log = Command::new(env!("CARGO_BIN_EXE_retrace"))
        .args(["--json", "log"])
        .env("RETRACE_DATA_DIR", folder.path().join("data"))
        .env("HOME", folder.path())
        .output()
        .expect("the log");
    let version: Value = serde_json::from_slice(&log.stdout).expect("one version");
    assert_eq!(version["source"], "tool");
    let session = version["created_by"]["session_id"].as_str().expect("a session");
    assert!(session.starts_with("mcp-"), "{session}");
}

#[test]
fn a_client_that_leaves_before_it_sent_anything_is_no_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(folder.path());
    drop(server.input.take());
    assert!(server.child.wait().expect("it ends").success());
}
