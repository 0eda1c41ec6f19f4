//! Who wrote a version, and why: versions joined with the transcripts that explain them.

#![expect(
    clippy::needless_pass_by_value,
    reason = "values made for one line of a transcript read better where it is called"
)]

use retrace_api::{commands, wire};
use retrace_model::Timestamp;
use retrace_tests::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// 2026-11-20T10:00:00Z, in seconds.
const START: i64 = 1_795_168_800;

/// A machine with an agent: a clock that is set by hand, and a memory directory of Claude Code below its home.
pub(super) struct Machine {
    pub(super) world: World,
    now: Arc<AtomicI64>,
}

impl Machine {
    pub(super) fn new() -> Self {
        let now = Arc::new(AtomicI64::new(START));
        let clock = Arc::clone(&now);
        let world = World::with(|options| {
            options.clock =
                Arc::new(move || Timestamp::from_micros(clock.load(Ordering::SeqCst) * 1_000_000));
        });
        let machine = Self { world, now };
        std::fs::create_dir_all(machine.memory("")).expect("a directory");
        let request = wire::AddStore {
            root: machine.memory("").to_string_lossy().into_owned(),
            kind: None,
            name: Some("memory".to_owned()),
        };
        commands::add_store(&machine.world.app, request).expect("the store is added");
        machine
    }

    pub(super) fn project(&self) -> PathBuf {
        self.world.path("home/.claude/projects/-home-ada-app")
    }

    pub(super) fn memory(&self, name: &str) -> PathBuf {
        let folder = self.project().join("memory");
        if name.is_empty() { folder } else { folder.join(name) }
    }

    fn path(&self, name: &str) -> String {
        self.memory(name).to_string_lossy().into_owned()
    }

    pub(super) fn pass(&self, seconds: i64) {
        self.now.fetch_add(seconds, Ordering::SeqCst);
    }

    fn time(&self) -> String {
        Timestamp::from_micros(self.now.load(Ordering::SeqCst) * 1_000_000).to_rfc3339()
    }

    /// A scan some seconds later, and the versions it made, newest first.
    pub(super) fn scan(&self) -> Vec<wire::Version> {
        self.pass(2);
        self.world.scan();
        let newest = self.world.cursor();
        self.world.log("").into_iter().filter(|version| version.operation_seq == newest).collect()
    }

    fn origin(&self, version: &wire::Version) -> wire::Origin {
        let request = wire::OriginReq { version: version.id.clone(), around: None };
        commands::origin(&self.world.app, request).expect("an origin")
    }

    pub(super) fn agent<'m>(&'m self, session: &str) -> Agent<'m> {
        let file = self.project().join(format!("{session}.jsonl"));
        Agent { machine: self, session: session.to_owned(), file, last: Value::Null, lines: 0, calls: 0 }
    }
}

/// A session that does what it writes into its transcript.
pub(super) struct Agent<'m> {
    machine: &'m Machine,
    session: String,
    file: PathBuf,
    last: Value,
    lines: u64,
    calls: u64,
}

impl Agent<'_> {
    pub(super) fn line(&mut self, kind: &str, message: Value, more: &Value) {
        self.lines += 1;
        let uuid = format!("{}-{}", self.session, self.lines);
        let mut line = json!({
            "type": kind, "uuid": uuid, "parentUuid": self.last, "sessionId": self.session, "isSidechain": false,
            "cwd": "/home/ada/app", "version": "2.1.181", "timestamp": self.machine.time(), "message": message,
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            line[key] = value.clone();
        }
        self.last = uuid.into();
        let mut text = std::fs::read_to_string(&self.file).unwrap_or_default();
        text.push_str(&line.to_string());
        text.push('\n');
        std::fs::create_dir_all(self.file.parent().expect("a parent")).expect("a folder");
        std::fs::write(&self.file, text).expect("a transcript");
    }

    pub(super) fn asked(&mut self, prompt: &str) {
        self.line("user", json!({"role": "user", "content": prompt}), &Value::Null);
        self.machine.pass(1);
    }

    pub(super) fn call(&mut self, tool: &str, input: &Value, result: &Value) {
        self.calls += 1;
        let id = format!("toolu_{}_{}", self.session, self.calls);
        let message = json!({
            "id": format!("msg_{}_{}", self.session, self.calls), "role": "assistant", "model": "claude-opus-4-6",
            "stop_reason": "tool_use", "usage": {"input_tokens": 5, "output_tokens": 5},
            "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}],
        });
        self.line("assistant", message, &Value::Null);
        self.machine.pass(1);
        let content = json!([{"type": "tool_result", "tool_use_id": id, "content": "done"}]);
        self.line("user", json!({"role": "user", "content": content}), &json!({"toolUseResult": result}));
    }

    pub(super) fn writes(&mut self, name: &str, text: &str) {
        let path = self.machine.memory(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        let before = std::fs::read_to_string(&path).ok();
        std::fs::write(&path, text).expect("a file");
        let input = json!({"file_path": path.to_string_lossy(), "content": text});
        let kind = if before.is_some() { "update" } else { "create" };
        let result = json!({"type": kind, "filePath": path.to_string_lossy(), "content": text, "originalFile": before});
        self.call("Write", &input, &result);
    }

    fn edits(&mut self, name: &str, old: &str, new: &str) {
        let path = self.machine.memory(name);
        let before = std::fs::read_to_string(&path).expect("a file");
        std::fs::write(&path, before.replacen(old, new, 1)).expect("a file");
        let input = json!({"file_path": path.to_string_lossy(), "old_string": old, "new_string": new});
        let result = json!({"filePath": path.to_string_lossy(), "oldString": old, "newString": new, "originalFile": before,
            "replaceAll": false, "userModified": false});
        self.call("Edit", &input, &result);
    }

    pub(super) fn runs(&mut self, command: &str) {
        let status = std::process::Command::new("sh").arg("-c").arg(command).status().expect("a shell");
        assert!(status.success());
        self.call("Bash", &json!({"command": command}), &json!({"stdout": "", "stderr": ""}));
    }
}

fn reported(origin: &wire::Origin) -> (&str, Option<&str>, Option<u64>) {
    let note = &origin.note;
    (note.confidence.as_str(), note.session_id.as_deref(), note.turn)
}

#[test]
fn a_write_an_edit_and_several_in_a_row_are_known_with_turn_prompt_and_neighbours() {
    let machine = Machine::new();
    let mut agent = machine.agent("aaaa-1");
    agent.asked("Remember that the port is 8080.\nAnd the host.");
    agent.writes("MEMORY.md", "- port 8080\n");
    let first = machine.scan().remove(0);
    agent.asked("It is 9090 now.");
    agent.edits("MEMORY.md", "8080", "9090");
    let second = machine.scan().remove(0);
    agent.asked("Tidy up.");
    agent.edits("MEMORY.md", "- port", "- the port");
    agent.edits("MEMORY.md", "9090", "9090, behind the proxy");
    agent.edits("MEMORY.md", "- the", "- The");
    let third = machine.scan().remove(0);
    let origin = machine.origin(&first);
    assert_eq!(reported(&origin), ("exact_content", Some("aaaa-1"), Some(1)));
    assert_eq!(origin.prompt.as_deref(), Some("Remember that the port is 8080.\nAnd the host."));
    assert_eq!(origin.note.prompt.as_deref(), Some("Remember that the port is 8080. And the host."));
    assert_eq!(origin.note.model.as_deref(), Some("claude-opus-4-6"));
    assert_eq!(
        (origin.note.role.as_deref(), origin.note.transcript.as_deref()),
        (Some("main"), Some("aaaa-1"))
    );
    let write = origin.write.expect("the call");
    assert_eq!((write.tool.as_str(), write.line), ("Write", 2));
    assert!(write.input.contains("- port 8080"));
    assert_eq!(origin.around.iter().filter(|message| message.is_write).count(), 1);
    assert!(origin.around.iter().any(|message| message.text.starts_with("Remember that")));
    assert_eq!(
        (origin.agent.as_deref(), origin.project.as_deref()),
        (Some("claude-code"), Some("/home/ada/app"))
    );
    assert_eq!(reported(&machine.origin(&second)), ("exact_content", Some("aaaa-1"), Some(2)));
    let origin = machine.origin(&third);
    assert_eq!(reported(&origin), ("exact_content", Some("aaaa-1"), Some(5)));
    assert_eq!(origin.note.prompt.as_deref(), Some("Tidy up."));
    assert!(origin.evidence[0].contains("call of Edit"), "{:?}", origin.evidence);
    // The writer is shown, found by name, and its changes are put back together.
    let log = machine.world.log("");
    let writers: Vec<Value> = log.iter().map(|version| json!(version.created_by)).collect();
    assert!(
        writers
            .iter()
            .all(|writer| writer["session_id"] == "aaaa-1" && writer["evidence"] == "exact_content")
    );
    let by = wire::LogReq { actor: Some("aaaa-1".to_owned()), ..wire::LogReq::default() };
    assert_eq!(commands::log(&machine.world.app, by).expect("the log").versions.len(), 3);
    let inbox = commands::inbox(&machine.world.app, wire::InboxReq::default()).expect("the inbox");
    assert_eq!(inbox.groups[0].session.as_deref(), Some("aaaa-1"));
    let note = inbox.groups[0].items[0].origin.as_ref().expect("a note");
    assert_eq!((note.turn, note.prompt.as_deref()), (Some(5), Some("Tidy up.")));
    let request = wire::RollbackReq { session: Some("aaaa-1".to_owned()), ..wire::RollbackReq::default() };
    commands::rollback(&machine.world.app, request).expect("a rollback");
    assert!(!machine.memory("MEMORY.md").exists(), "the session made it");
}

#[test]
fn shells_moves_and_deletions_are_known() {
    let machine = Machine::new();
    let mut agent = machine.agent("aaaa-2");
    agent.asked("Keep notes.");
    let (a, b) = (machine.path("a.md"), machine.path("b.md"));
    agent.runs(&format!("cat > '{a}' <<'EOF'\n# Notes\nEOF"));
    let made = machine.scan().remove(0);
    agent.runs(&format!("echo '- more' >> '{a}'"));
    let appended = machine.scan().remove(0);
    agent.runs(&format!("mv '{a}' '{b}'"));
    let moved = machine.scan().remove(0);
    agent.runs(&format!("rm '{b}'"));
    let gone = machine.scan().remove(0);
    for (version, turn) in [(&made, 1), (&appended, 2), (&moved, 3), (&gone, 4)] {
        let origin = machine.origin(version);
        assert_eq!(reported(&origin), ("exact_content", Some("aaaa-2"), Some(turn)), "{:?}", origin.evidence);
    }
    assert_eq!(moved.previous_path.as_deref(), Some("a.md"));
}

#[test]
fn what_a_person_did_and_what_two_sessions_did_alike_is_nobodys() {
    let machine = Machine::new();
    let mut one = machine.agent("aaaa-3");
    one.asked("Note it.");
    one.writes("a.md", "agreed\n");
    let mut other = machine.agent("bbbb-3");
    other.asked("Note it, too.");
    other.writes("a.md", "agreed\n");
    let both = machine.scan().remove(0);
    let origin = machine.origin(&both);
    assert_eq!(reported(&origin), ("unknown", None, None));
    let mut candidates: Vec<_> =
        origin.candidates.iter().filter_map(|note| note.session_id.as_deref()).collect();
    candidates.sort_unstable();
    assert_eq!(candidates, ["aaaa-3", "bbbb-3"]);
    machine.pass(3600);
    std::fs::write(machine.memory("a.md"), "by hand\n").expect("a file");
    let by_hand = machine.scan().remove(0);
    assert_eq!(reported(&machine.origin(&by_hand)), ("unknown", None, None));
    let unknown = wire::LogReq { actor: Some("unknown".to_owned()), ..wire::LogReq::default() };
    assert_eq!(commands::log(&machine.world.app, unknown).expect("the log").versions.len(), 2);
}

#[test]
fn a_transcript_that_comes_later_explains_and_a_file_may_name_its_session() {
    let machine = Machine::new();
    let named = "---\nname: a\noriginSessionId: gone-4\n---\nText\n";
    std::fs::write(machine.memory("a.md"), named).expect("a file");
    let by_name = machine.scan().remove(0);
    assert_eq!(reported(&machine.origin(&by_name)), ("front_matter", Some("gone-4"), None));
    machine.pass(60);
    let mut agent = machine.agent("aaaa-4");
    agent.asked("Note the host.");
    agent.writes("b.md", "host\n");
    let text = std::fs::read(&agent.file).expect("a transcript");
    std::fs::remove_file(&agent.file).expect("it is not written yet");
    let version = machine.scan().remove(0);
    assert_eq!(reported(&machine.origin(&version)), ("unknown", None, None));
    std::fs::write(&agent.file, text).expect("a transcript");
    assert_eq!(reported(&machine.origin(&version)), ("exact_content", Some("aaaa-4"), Some(1)));
}

#[test]
fn a_redaction_leaves_who_wrote_and_nothing_of_the_memory() {
    let machine = Machine::new();
    let mut agent = machine.agent("aaaa-5");
    agent.asked("Keep the word.");
    // Nothing of what is redacted is spelt here as a whole.
    let word = ["correct", "horse", "battery"].join("-");
    agent.writes("kept.md", &format!("{word}\n"));
    let version = machine.scan().remove(0);
    assert_eq!(reported(&machine.origin(&version)), ("exact_content", Some("aaaa-5"), Some(1)));
    std::fs::remove_file(machine.memory("kept.md")).expect("it goes");
    let gone = machine.scan().remove(0);
    let versions = vec![version.id.clone(), gone.id];
    let request = wire::RedactReq { versions, ..wire::RedactReq::default() };
    commands::redact(&machine.world.app, request).expect("a redaction");
    assert!(!retrace_tests::holds_bytes(&machine.world.path("data"), word.as_bytes()));
    assert!(!retrace_tests::holds_bytes(&machine.world.path("data"), b"kept.md"));
    let shown =
        commands::show(&machine.world.app, wire::ShowReq { version: version.id.clone(), content: false });
    let writer = json!(shown.expect("a version").version.created_by);
    assert_eq!(writer["session_id"], "aaaa-5", "who wrote stays");
}

#[test]
fn a_session_tells_what_it_wrote_anywhere_and_what_left_no_version() {
    let machine = Machine::new();
    let mut agent = machine.agent("aaaa-6");
    agent.asked("Keep notes.");
    agent.writes("a.md", "one\n");
    agent.writes("a.md", "two\n");
    agent.writes("b.md", "other\n");
    machine.scan();
    agent.writes("c.md", "seen by nobody\n");
    std::fs::remove_file(machine.memory("c.md")).expect("it goes");
    machine.scan();
    let writes =
        commands::session_writes(&machine.world.app, wire::SessionRef { session: "aaaa".to_owned() });
    let writes = writes.expect("what it wrote");
    assert_eq!((writes.session_id.as_str(), writes.title.as_deref()), ("aaaa-6", Some("Keep notes.")));
    let mut paths: Vec<_> =
        writes.versions.iter().filter_map(|written| written.version.path.as_deref()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["a.md", "b.md"]);
    assert!(
        writes
            .versions
            .iter()
            .all(|written| written.confidence == "exact_content" && written.store == "memory")
    );
    let page = commands::log(&machine.world.app, wire::LogReq::default()).expect("the log");
    let timeline = commands::timeline(&machine.world.app, wire::TimelineReq::default()).expect("a timeline");
    let in_operations = timeline.operations.iter().flat_map(|operation| &operation.versions);
    for version in page.versions.iter().chain(in_operations) {
        let origin = version.origin.as_ref();
        let titles = (origin.and_then(|origin| origin.title.as_deref()), version.created_by.is_some());
        assert!(matches!(titles, (Some("Keep notes."), true) | (None, false)), "{version:?}");
        assert_eq!(origin.map(|origin| origin.turn.is_some()), origin.map(|_| true), "{version:?}");
    }
    assert!(page.versions.iter().any(|version| version.origin.is_some()));
    let left: Vec<_> =
        writes.unrecorded.iter().map(|left| (left.turn, left.write.path.ends_with("c.md"))).collect();
    assert!(left.contains(&(Some(4), true)), "{left:?}");
    let unknown =
        commands::session_writes(&machine.world.app, wire::SessionRef { session: "nobody".to_owned() });
    assert_eq!(unknown.expect_err("no session").code, wire::Code::NotFound);
}

/// Sessions of the real set that write a `MEMORY.md`.
fn real_sessions() -> Option<Vec<PathBuf>> {
    let shared = std::env::var_os("RETRACE_SHARED_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let folder = [shared.join("data/home"), shared.join("home")].into_iter().find(|folder| folder.is_dir());
    let projects = folder.map(|folder| folder.join(".claude/projects"));
    let found = projects.iter().flat_map(std::fs::read_dir).flatten().flatten();
    let found = found.filter(|entry| entry.file_name().to_string_lossy().ends_with("cipher-box"));
    let mut files: Vec<PathBuf> = found
        .flat_map(|entry| std::fs::read_dir(entry.path()))
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    if files.is_empty() {
        println!(
            "skipped: there are no sessions below {} (RETRACE_SHARED_DATA names another place)",
            shared.display()
        );
        return None;
    }
    Some(files)
}

#[test]
fn the_memory_writes_of_real_sessions_are_joined_exactly() {
    let Some(files) = real_sessions() else { return };
    let machine = Machine::new();
    let slug = files[0].parent().and_then(Path::file_name).expect("a folder").to_owned();
    let folder = machine.world.path("home/.claude/projects").join(&slug);
    let memory = folder.join("memory");
    std::fs::create_dir_all(&memory).expect("a folder");
    let mut steps: Vec<(String, String, retrace_origin::Write)> = Vec::new();
    for file in &files {
        let bytes = std::fs::read(file).expect("a transcript");
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let found = retrace_origin::read_where(&bytes, |path| path.ends_with("/memory/MEMORY.md"))
            .expect("a transcript");
        let done = found.writes.into_iter().filter(|write| write.succeeded == Some(true));
        steps.extend(done.map(|write| (write.at.expect("a time").to_rfc3339(), name.clone(), write)));
        std::fs::copy(file, folder.join(file.file_name().expect("a name"))).expect("a copy");
    }
    steps.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(!steps.is_empty(), "the set has sessions that write MEMORY.md");
    let request = wire::AddStore {
        root: memory.to_string_lossy().into_owned(),
        kind: None,
        name: Some("real".to_owned()),
    };
    commands::add_store(&machine.world.app, request).expect("the store is added");
    let mut expected = BTreeMap::new();
    let target = memory.join("MEMORY.md");
    for (_, session, write) in &steps {
        // A change by others between two sessions was nobody's here.
        let reported = write.reported.before.as_ref().expect("the file before is told");
        let now = std::fs::read_to_string(&target).ok();
        if now.as_ref() != Some(reported) {
            machine.pass(600);
            std::fs::write(&target, reported).expect("a file");
            machine.scan();
        }
        let after = retrace_origin::apply(write, Some(reported.as_bytes())).expect("it fits");
        std::fs::write(&target, after).expect("a file");
        let version = machine.scan().remove(0);
        expected.insert(version.id.clone(), (version, session.clone(), write));
    }
    for (version, session, write) in expected.values() {
        let origin = machine.origin(version);
        assert_eq!(
            reported(&origin),
            ("exact_content", Some(session.as_str()), write.turn),
            "{:?}",
            origin.evidence
        );
        let prompt = write.prompt.as_ref().expect("a prompt");
        assert_eq!(origin.prompt.as_deref(), Some(&*prompt.text));
        assert_eq!(origin.write.expect("the call").tool_use_id, write.tool_use_id);
    }
    println!("{} writes of {} real sessions joined exactly", expected.len(), files.len());
}

#[test]
fn what_a_person_puts_back_keeps_session_turn_and_prompt() {
    let machine = Machine::new();
    let world = &machine.world;
    let mut agent = machine.agent("aaaa-8");
    agent.asked("Remember the port.");
    agent.writes("MEMORY.md", "- port 8080\n");
    let first = machine.scan().remove(0);
    let reject = wire::ReviewReq {
        versions: vec![first.id.clone()],
        verdict: "reject".to_owned(),
        ..wire::ReviewReq::default()
    };
    commands::review(&world.app, reject).expect("a review");
    assert!(!machine.memory("MEMORY.md").exists());
    commands::undo_review(&world.app, wire::UndoReviewReq::default()).expect("taken back");
    let back = world.log("").remove(0);
    let origin = machine.origin(&back);
    assert_eq!(reported(&origin), ("exact_content", Some("aaaa-8"), Some(1)), "{:?}", origin.evidence);
    assert_eq!(origin.prompt.as_deref(), Some("Remember the port."));
    assert_eq!(origin.write.map(|write| write.tool).as_deref(), Some("Write"));
    assert_eq!(origin.put_back.expect("it was put back").version_id, first.id);
    let inbox = commands::inbox(&world.app, wire::InboxReq::default()).expect("the inbox");
    assert_eq!(inbox.groups[0].session.as_deref(), Some("aaaa-8"));
    let note = inbox.groups[0].items[0].origin.as_ref().expect("a note");
    assert_eq!((note.turn, note.prompt.as_deref()), (Some(1), Some("Remember the port.")));
    let blame = wire::BlameReq { target: "memory:MEMORY.md".to_owned(), job: None };
    let blame = commands::blame(&world.app, blame).expect("a blame");
    let session = blame.versions[0].origin.as_ref().and_then(|origin| origin.session_id.as_deref());
    assert_eq!((blame.versions.len(), session), (1, Some("aaaa-8")));
}

#[test]
fn a_file_that_was_there_before_the_recording_is_not_taken_away_with_a_session_that_added_to_it() {
    let machine = Machine::new();
    let world = &machine.world;
    let folder = world.path("home/.claude/projects/-home-ada-other/memory");
    std::fs::create_dir_all(&folder).expect("a directory");
    let (old, own) = (folder.join("old.md"), folder.join("own.md"));
    std::fs::write(&old, "one\ntwo\nthree\n").expect("a file");
    machine.pass(3600);
    let mut agent = machine.agent("cccc-1");
    agent.asked("Note it.");
    agent.runs(&format!("echo four >> '{}'", old.display()));
    agent.runs(&format!("cat > '{}' <<'EOF'\n# Own\nEOF", own.display()));
    machine.pass(2);
    let add = wire::AddStore {
        root: folder.to_string_lossy().into_owned(),
        kind: None,
        name: Some("other".to_owned()),
    };
    commands::add_store(&world.app, add).expect("the store is added");
    assert_eq!(reported(&machine.origin(&world.log("old.md")[0])), ("unknown", None, None));
    assert_eq!(reported(&machine.origin(&world.log("own.md")[0])).0, "exact_content");
    let request = wire::RollbackReq { session: Some("cccc-1".to_owned()), ..wire::RollbackReq::default() };
    let done = commands::rollback(&world.app, request).expect("a rollback");
    assert_eq!(done.deletes.len(), 1, "{done:?}");
    assert!(old.exists() && !own.exists());
}

#[test]
fn what_a_person_put_back_is_no_further_change_of_the_session() {
    let machine = Machine::new();
    let world = &machine.world;
    let mut agent = machine.agent("dddd-1");
    agent.asked("Note it.");
    agent.writes("a.md", "noted\n");
    machine.scan();
    let rollback = |dry_run| {
        let request =
            wire::RollbackReq { session: Some("dddd-1".to_owned()), dry_run, ..wire::RollbackReq::default() };
        commands::rollback(&world.app, request).expect("a rollback")
    };
    rollback(false);
    commands::undo(&world.app, wire::UndoReq::default()).expect("it is undone");
    assert!(machine.memory("a.md").exists());
    let session = wire::SessionRef { session: "dddd-1".to_owned() };
    let told = commands::session(&world.app, session.clone()).expect("a session");
    assert_eq!((told.writes.versions.len(), told.prompts[0].versions.len()), (1, 1));
    assert!(commands::session_writes(&world.app, session).expect("its writes").versions.len() > 1);
    let offered = rollback(true);
    assert_eq!((offered.sure.len(), offered.likely.len(), offered.deletes.len()), (1, 0, 1));
    rollback(false);
    assert!(!machine.memory("a.md").exists());
}

#[test]
fn changes_known_by_time_alone_are_offered_with_the_rollback_of_their_session() {
    let machine = Machine::new();
    let world = &machine.world;
    for name in ["a.md", "b.md"] {
        std::fs::write(machine.memory(name), "before\n").expect("a file");
    }
    machine.scan();
    machine.pass(3600);
    let mut agent = machine.agent("aaaa-9");
    agent.asked("Build it.");
    agent.runs("true");
    for name in ["a.md", "b.md"] {
        std::fs::write(machine.memory(name), "after\n").expect("a file");
    }
    let mut changed = machine.scan();
    agent.asked("Thank you.");
    changed.sort_by_key(|version| version.path.clone());
    assert_eq!(reported(&machine.origin(&changed[0])).0, "time_only");
    let rollback = |request: wire::RollbackReq| {
        let request = wire::RollbackReq { session: Some("aaaa-9".to_owned()), ..request };
        commands::rollback(&world.app, request).expect("a rollback")
    };
    let text = |name: &str| std::fs::read_to_string(machine.memory(name)).expect("a file");
    // Offered, marked, and never taken back silently.
    for dry_run in [true, false] {
        let offered = rollback(wire::RollbackReq { dry_run, ..wire::RollbackReq::default() });
        assert_eq!((offered.writes.len(), offered.operation_seq), (0, None));
        let reported: Vec<_> =
            offered.likely.iter().map(|it| (it.confidence.as_str(), it.included)).collect();
        assert_eq!(reported, [("time_only", false), ("time_only", false)]);
        assert!(offered.choice_error().is_some(), "the preview says it as the act: {dry_run}");
    }
    assert_eq!((text("a.md").as_str(), text("b.md").as_str()), ("after\n", "after\n"));
    let none = wire::RollbackReq { include: vec!["memver_x".to_owned()], ..wire::RollbackReq::default() };
    let request = wire::RollbackReq { session: Some("aaaa-9".to_owned()), ..none };
    assert!(commands::rollback(&world.app, request).is_err());
    // Each can be left out, or taken alone.
    let but_one = rollback(wire::RollbackReq {
        include_likely: true,
        except: vec![changed[1].id.clone()],
        ..wire::RollbackReq::default()
    });
    assert_eq!((but_one.writes.len(), but_one.likely.iter().filter(|it| it.included).count()), (1, 1));
    assert_eq!((text("a.md").as_str(), text("b.md").as_str()), ("before\n", "after\n"));
    let one =
        rollback(wire::RollbackReq { include: vec![changed[1].id.clone()], ..wire::RollbackReq::default() });
    assert_eq!(one.writes.len(), 1);
    assert_eq!(text("b.md"), "before\n");
    // A version between those taken back cannot stay.
    machine.pass(7200);
    let mut agent = machine.agent("bbbb-9");
    agent.asked("Build it.");
    let mut versions = Vec::new();
    for round in 0..3 {
        agent.runs("true");
        std::fs::write(machine.memory("a.md"), format!("round {round}\n")).expect("a file");
        versions.extend(machine.scan());
    }
    agent.asked("Thank you.");
    let request = wire::RollbackReq {
        session: Some("bbbb-9".to_owned()),
        include_likely: true,
        except: vec![versions[1].id.clone()],
        dry_run: true,
        ..wire::RollbackReq::default()
    };
    let refused = commands::rollback(&world.app, request).expect("a preview");
    assert_eq!(refused.conflicts.len(), 1);
    assert_eq!(refused.conflicts[0].found_version_id.as_ref(), Some(&versions[1].id));
    // Without a session there is nothing to choose from.
    let astray =
        wire::RollbackReq { operation_seq: Some(1), include_likely: true, ..wire::RollbackReq::default() };
    assert!(commands::rollback(&world.app, astray).is_err());
}

#[test]
fn a_program_that_starts_anew_knows_the_titles_of_sessions_and_says_when_it_has_searched() {
    let machine = Machine::new();
    let mut agent = machine.agent("cccc-3");
    std::fs::write(machine.memory("by-hand.md"), "- by hand\n").expect("a file");
    agent.asked("Remember the port.");
    agent.writes("port.md", "- port 8080\n");
    let versions = machine.scan();
    assert!(versions.iter().any(|version| machine.origin(version).note.session_id.is_some()));

    // In the next process nothing is left to search for.
    let mut options = retrace_tests::options_of(&machine.world.path(""), 1);
    let now = Arc::clone(&machine.now);
    options.clock = Arc::new(move || Timestamp::from_micros(now.load(Ordering::SeqCst) * 1_000_000));
    let again = World::over(options);
    let events = again.app.subscribe();
    let told = || events.recv_timeout(std::time::Duration::from_secs(60)).expect("an event");
    let recording = again.app.record(&[]).expect("it records");
    while !matches!(told(), wire::Event::Origins) {}
    let inbox = commands::inbox(&again.app, wire::InboxReq::default()).expect("the inbox");
    let items = inbox.groups.iter().flat_map(|group| &group.items);
    let titles: Vec<_> = items.filter_map(|item| item.origin.as_ref()?.title.as_deref()).collect();
    assert_eq!(titles, ["Remember the port."]);

    // A search that passes over what nobody is known to have written ends with its whole number.
    agent.asked("And the host.");
    agent.writes("host.md", "- host\n");
    let mut last = None;
    loop {
        match told() {
            wire::Event::Progress { task, done, total } if task == "origins" => last = Some((done, total)),
            wire::Event::Origins => break,
            _ => {}
        }
    }
    let (done, total) = last.expect("its progress");
    assert_eq!(Some(done), total);
    drop(recording);
}

#[test]
fn a_transcript_that_comes_to_the_disk_after_its_version_is_held_against_it_by_a_later_process() {
    let machine = Machine::new();
    let text = "the very same content\n";
    let mut agent = machine.agent("dddd-4");
    agent.asked("Keep it.");
    // Of a directory that is nobody's memory the index of transcripts does not know who writes there.
    machine.world.write("same.md", text);
    let path = machine.world.path("notes/same.md").to_string_lossy().into_owned();
    let result = json!({"type": "create", "filePath": path, "content": text, "originalFile": null});
    agent.call("Write", &json!({"file_path": path, "content": text}), &result);
    let aside = machine.world.path("aside.jsonl");
    std::fs::rename(&agent.file, &aside).expect("it is not there yet");
    let version = machine.scan().remove(0);
    assert_eq!(reported(&machine.origin(&version)), ("unknown", None, None));
    std::fs::rename(&aside, &agent.file).expect("it comes");
    for process in 1..3 {
        let mut options = retrace_tests::options_of(&machine.world.path(""), process);
        let now = Arc::clone(&machine.now);
        options.clock = Arc::new(move || Timestamp::from_micros(now.load(Ordering::SeqCst) * 1_000_000));
        let later = World::over(options);
        later.app.join_writers().expect("it looks again");
        let known = later.log("same.md").remove(0).origin.expect("an origin");
        assert_eq!(known.session_id.as_deref(), Some("dddd-4"), "process {process}");
        let request = wire::OriginReq { version: version.id.clone(), around: None };
        let origin = commands::origin(&later.app, request).expect("an origin");
        assert_eq!(reported(&origin), ("exact_content", Some("dddd-4"), Some(1)), "process {process}");
    }
}
