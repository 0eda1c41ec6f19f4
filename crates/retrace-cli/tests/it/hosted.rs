//! A hosted store from end to end with the built program: one `retrace serve` is the host, another data directory mirrors it,
//! reviews it, and sends a rollback back; a pull is killed in its middle and goes on.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

const PROGRAM: &str = env!("CARGO_BIN_EXE_retrace");

/// The program with a home and a data directory of its own, and nothing of the machine's settings.
fn program(folder: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy().to_ascii_lowercase();
        if text.starts_with("anthropic_") || text.ends_with("_proxy") {
            command.env_remove(name);
        }
    }
    command
        .env("HOME", folder)
        .env("RETRACE_DATA_DIR", folder.join("data"))
        // No keyring: the key comes from the environment alone.
        .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
        .env("XDG_RUNTIME_DIR", "/nowhere");
    command
}

/// `retrace serve`, ended when it goes.
struct Host {
    child: Child,
    /// `127.0.0.1:PORT`
    address: String,
    token: String,
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Host {
    fn start(folder: &Path) -> Self {
        let token = folder.join("token");
        let mut child = program(folder)
            .args(["--json", "serve", "--listen", "127.0.0.1:0", "--token-file"])
            .arg(&token)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).expect("it says where it is");
        let printed: Value = serde_json::from_str(&line).expect("JSON");
        let address = printed["origin"].as_str().unwrap().trim_start_matches("http://").to_owned();
        let token = std::fs::read_to_string(token).expect("the token").trim().to_owned();
        Self { child, address, token }
    }

    /// A call of the Memory Stores API, as another client makes it.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} /v1/memory_stores{path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\
             anthropic-version: 2026-10-21\r\nanthropic-beta: agent-memory-2026-07-22\r\n\
             content-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        let mut stream = TcpStream::connect(&self.address).expect("the host listens");
        stream.write_all(head.as_bytes()).expect("it takes the call");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("head and body");
        assert!(head.starts_with("HTTP/1.1 200"), "{method} {path}: {answer}");
        serde_json::from_str(body).expect("JSON")
    }

    fn store(&self) -> String {
        self.ask("POST", "", &json!({"name": "Team Notes"}))["id"].as_str().unwrap().to_owned()
    }

    fn create(&self, store: &str, path: &str, content: &str) -> String {
        let made =
            self.ask("POST", &format!("/{store}/memories"), &json!({"path": path, "content": content}));
        made["id"].as_str().unwrap().to_owned()
    }

    fn update(&self, store: &str, memory: &str, content: &str) {
        self.ask("POST", &format!("/{store}/memories/{memory}"), &json!({"content": content}));
    }

    fn content(&self, store: &str, memory: &str) -> String {
        let memory = self.ask("GET", &format!("/{store}/memories/{memory}"), &Value::Null);
        memory["content"].as_str().expect("a content").to_owned()
    }
}

/// The data directory that mirrors.
struct Mirror<'a> {
    folder: &'a Path,
    /// Base URL and key of the host.
    url: String,
    key: String,
}

impl Mirror<'_> {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program(self.folder);
        command.args(arguments).env("ANTHROPIC_BASE_URL", &self.url).env("ANTHROPIC_API_KEY", &self.key);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program runs")
    }

    /// Lines of JSON of a command that must do what it was asked.
    fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        let ran = self.run(&[&["--json"], arguments].concat());
        let error = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(0), "{arguments:?}: {error}");
        let lines = String::from_utf8(ran.stdout).expect("text");
        lines.lines().map(|line| serde_json::from_str(line).expect("one object a line")).collect()
    }

    /// Ids of the versions of a path, newest first.
    fn versions(&self, path: &str) -> Vec<String> {
        let versions = self.lines(&["log", "notes", "--path", path, "--limit", "500"]);
        versions.iter().map(|version| version["id"].as_str().unwrap().to_owned()).collect()
    }

    fn content(&self, version: &str) -> Value {
        self.lines(&["show", version, "--content"]).remove(0)["content"].clone()
    }
}

#[test]
fn a_hosted_store_is_mirrored_reviewed_and_written_back() {
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = Host::start(theirs.path());
    let store = host.store();
    let memory = host.create(&store, "/prefs/format.md", "Use tabs.\n");
    host.create(&store, "/notes.md", "One.\n");
    let url = format!("http://{}", host.address);
    let mirror = Mirror { folder: ours.path(), url: url.clone(), key: host.token.clone() };

    let listed = mirror.lines(&["remote", "list"]);
    assert_eq!((&listed[0]["remote_id"], &listed[0]["store_id"]), (&json!(store), &Value::Null));
    let added = mirror.lines(&["remote", "add", &url, &store, "--name", "notes"]).remove(0);
    assert_eq!(
        (&added["name"], &added["kind"], &added["memories"]),
        (&json!("notes"), &json!("remote"), &json!(2))
    );
    let first = mirror.versions("prefs/format.md").remove(0);
    assert_eq!(mirror.content(&first), "Use tabs.\n");

    // Edited at the host, by somebody else.
    host.update(&store, &memory, "Use two spaces.\n");
    let pulled = mirror.lines(&["remote", "pull"]).remove(0);
    assert_eq!(
        (&pulled["stores"][0]["versions"], &pulled["stores"][0]["finished"]),
        (&json!(1), &json!(true))
    );
    let versions = mirror.versions("prefs/format.md");
    assert_eq!(versions.len(), 2);
    assert_eq!(mirror.content(&versions[0]), "Use two spaces.\n");
    assert_eq!(mirror.lines(&["remote", "pull"])[0]["stores"][0]["versions"], 0, "nothing is new");

    // Put back: queued, seen, taken back, queued again, sent.
    let rollback = ["rollback", "notes:prefs/format.md", "--to", first.as_str()];
    mirror.lines(&rollback);
    assert_eq!(host.content(&store, &memory), "Use two spaces.\n", "nothing is sent before a push");
    let queued = mirror.lines(&["remote", "queue"]);
    assert_eq!(
        (queued.len(), &queued[0]["kind"], &queued[0]["path"]),
        (1, &json!("update"), &json!("prefs/format.md"))
    );
    let shown = mirror.run(&["remote", "queue", "--diff"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("Use two spaces.") && shown.contains("Use tabs."), "{shown}");
    let number = queued[0]["id"].to_string();
    assert!(mirror.lines(&["remote", "withdraw", &number]).is_empty());
    let printed = String::from_utf8(mirror.run(&rollback).stdout).unwrap();
    assert!(printed.contains("1 change queued for the host"), "{printed}");
    assert_eq!(mirror.lines(&["remote", "push", "--dry-run"]).len(), 1);
    let pushed = mirror.lines(&["remote", "push"]).remove(0);
    assert_eq!((&pushed["sent"], &pushed["conflicts"]), (&json!(1), &json!(0)));
    assert_eq!(host.content(&store, &memory), "Use tabs.\n");
    assert!(mirror.lines(&["remote", "queue"]).is_empty());

    // A newer edit at the host is not overwritten.
    mirror.lines(&["rollback", "notes:prefs/format.md", "--to", versions[0].as_str()]);
    host.update(&store, &memory, "Somebody was faster.\n");
    let refused = mirror.run(&["--json", "remote", "push"]);
    assert_eq!(refused.status.code(), Some(4), "{}", String::from_utf8_lossy(&refused.stderr));
    assert_eq!(host.content(&store, &memory), "Somebody was faster.\n");
    assert_eq!(mirror.lines(&["remote", "queue"])[0]["state"], "conflict");

    // A host that is gone.
    drop(host);
    let unreachable = mirror.run(&["--json", "remote", "pull"]);
    assert_eq!(unreachable.status.code(), Some(7), "{}", String::from_utf8_lossy(&unreachable.stderr));
    assert_eq!(
        mirror.lines(&["remote", "status"])[0]["stores"][0]["conflicts"],
        1,
        "answered without the host"
    );
}

/// Stands before a host, and holds back the answer of one call so that the caller can be killed while it waits.
struct Gate {
    address: String,
    /// Calls until one is held back; none is when it is `None`.
    left: Arc<Mutex<Option<u64>>>,
    sender: Sender<News>,
    news: Receiver<News>,
}

#[derive(Debug, PartialEq)]
enum News {
    /// An answer is held back.
    Held,
    /// The program has ended.
    Ended,
}

impl Gate {
    fn before(host: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let left = Arc::new(Mutex::new(None));
        let (sender, news) = channel();
        let (counter, host, holds) = (left.clone(), host.to_owned(), sender.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (counter, host, holds) = (counter.clone(), host.clone(), holds.clone());
                std::thread::spawn(move || carry(stream, &host, &counter, &holds));
            }
        });
        Self { address, left, sender, news }
    }
}

/// One call, with a body of known length, to the host and back. A failure to read or write is somebody's leaving.
fn carry(stream: TcpStream, host: &str, left: &Mutex<Option<u64>>, holds: &Sender<News>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
        match name.as_str() {
            "host" | "connection" => continue,
            "content-length" => length = line.split(':').nth(1)?.trim().parse().ok()?,
            _ => {}
        }
        if line == "\r\n" {
            head.push_str(&format!("host: {host}\r\nconnection: close\r\n\r\n"));
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut upstream = TcpStream::connect(host).ok()?;
    upstream.write_all(&[head.as_bytes(), &body].concat()).ok()?;
    let mut answer = Vec::new();
    upstream.read_to_end(&mut answer).ok()?;
    let hold = {
        let mut left = left.lock().ok()?;
        let now = *left == Some(1);
        *left = left.and_then(|calls| calls.checked_sub(1)).filter(|calls| *calls > 0);
        now
    };
    if hold {
        holds.send(News::Held).ok()?;
        // Until the caller is gone.
        reader.read_to_end(&mut Vec::new()).ok()?;
        return None;
    }
    reader.get_mut().write_all(&answer).ok()
}

#[test]
fn a_pull_that_is_killed_goes_on_where_it_was() {
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = Host::start(theirs.path());
    let store = host.store();
    // More versions than a page holds.
    let memories: Vec<String> =
        (0..30).map(|at| host.create(&store, &format!("/{at:02}.md"), &format!("{at}\n"))).collect();
    let gate = Gate::before(&host.address);
    let url = format!("http://{}", gate.address);
    let mirror = Mirror { folder: ours.path(), url: url.clone(), key: host.token.clone() };

    // The baseline is killed after its first page of versions, then wherever it goes on.
    for (round, calls) in [5, 1, 2, 3, 4, 5, 6].into_iter().enumerate() {
        *gate.left.lock().unwrap() = Some(calls);
        let arguments: &[&str] =
            if round == 0 { &["remote", "add", &store, "--name", "notes"] } else { &["remote", "pull"] };
        kill_when_held(&mirror, arguments, &gate);
        assert_eq!(mirror.run(&["verify"]).status.code(), Some(0), "the log is whole after {calls} calls");
    }
    *gate.left.lock().unwrap() = None;
    mirror.lines(&["remote", "pull"]);
    assert_eq!(mirror.lines(&["log", "notes", "--limit", "500"]).len(), 30);

    // The same for what is new.
    for round in 0..2 {
        for (at, memory) in memories.iter().enumerate() {
            host.update(&store, memory, &format!("{at} again, round {round}\n"));
        }
    }
    for calls in 1..=6 {
        *gate.left.lock().unwrap() = Some(calls);
        kill_when_held(&mirror, &["remote", "pull"], &gate);
        assert_eq!(mirror.run(&["verify"]).status.code(), Some(0), "the log is whole after {calls} calls");
    }
    *gate.left.lock().unwrap() = None;
    let pulled = mirror.lines(&["remote", "pull"]).remove(0);
    assert_eq!(pulled["stores"][0]["finished"], true);
    assert_eq!(mirror.lines(&["log", "notes", "--limit", "500"]).len(), 90, "each version once");
    let newest = mirror.versions("07.md").remove(0);
    assert_eq!(mirror.content(&newest), "7 again, round 1\n");
    assert_eq!(mirror.run(&["verify"]).status.code(), Some(0));
}

/// Kills the program while it waits for the answer that is held back; one that needs fewer calls ends by itself.
fn kill_when_held(mirror: &Mirror<'_>, arguments: &[&str], gate: &Gate) {
    signal_when_held("-KILL", mirror, arguments, gate);
}

/// The same with any signal; what the program left.
fn signal_when_held(signal: &str, mirror: &Mirror<'_>, arguments: &[&str], gate: &Gate) -> Output {
    let child =
        mirror.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let (id, ends) = (child.id().to_string(), gate.sender.clone());
    let waits = std::thread::spawn(move || {
        let output = child.wait_with_output();
        ends.send(News::Ended).expect("somebody listens");
        output
    });
    if gate.news.recv().expect("either comes") == News::Held {
        assert!(Command::new("kill").args([signal, &id]).status().expect("kill runs").success());
        assert_eq!(gate.news.recv().expect("the end"), News::Ended);
    }
    waits.join().expect("the wait ends").expect("an output")
}

#[test]
fn ctrl_c_stops_a_pull_without_harm() {
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = Host::start(theirs.path());
    let store = host.store();
    for at in 0..25 {
        host.create(&store, &format!("/{at:02}.md"), "one\n");
    }
    let gate = Gate::before(&host.address);
    let mirror =
        Mirror { folder: ours.path(), url: format!("http://{}", gate.address), key: host.token.clone() };

    *gate.left.lock().unwrap() = Some(5);
    let stopped = signal_when_held("-INT", &mirror, &["remote", "add", &store, "--name", "notes"], &gate);
    let printed = String::from_utf8_lossy(&stopped.stderr).into_owned();
    assert_eq!(stopped.status.code(), Some(0), "{printed}");
    assert!(printed.contains("stopped before its end"), "{printed}");

    *gate.left.lock().unwrap() = Some(2);
    let stopped = signal_when_held("-INT", &mirror, &["--json", "remote", "pull"], &gate);
    assert_eq!(stopped.status.code(), Some(0));
    let pulled: Value = serde_json::from_slice(&stopped.stdout).expect("one object");
    assert_eq!(pulled["stores"][0]["finished"], false);
    assert_eq!(mirror.lines(&["remote", "status"])[0]["stores"][0]["pulling"], true);

    assert_eq!(mirror.lines(&["remote", "pull"])[0]["stores"][0]["finished"], true);
    assert_eq!(mirror.lines(&["log", "notes", "--limit", "500"]).len(), 25);
}
