//! Real Gemini CLI against a scripted model: usage, writers, resumes, subagents and files are what it sent and did.

use super::rig::{
    Numbers, add_store, command, origin, program, repository, run, sessions, shown, world, writer,
};
use retrace_api::{commands, wire};
use retrace_tests::model_api::{Answered, Dialect, ModelApi};
use retrace_tests::{World, rounds};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Sessions with turns of their own, in a usual run and in a thorough one.
const SESSIONS: [u64; 2] = [5, 12];

/// Sessions that are resumed.
const RESUMED: u64 = 2;

/// Times that one session is resumed.
const TIMES: u64 = 4;

/// The client names a session's file by the minute in which it began. A resume in a later minute begins a second one without a
/// conversation, and because of it the next session that begins removes both (seen with 0.61.0). A resume takes some seconds: where
/// other sessions follow, it begins in the first so many of that minute, or not at all.
const RESUME_WITHIN_SECONDS: u64 = 40;

/// Seconds since 1970, as the client sees them.
fn seconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    since.as_secs()
}

pub(super) struct Rig {
    program: PathBuf,
    pub(super) api: ModelApi,
    pub(super) world: World,
}

/// Gemini CLI with a home and a project; `None` where it is not installed.
pub(super) fn rig() -> Option<Rig> {
    let program = program("RETRACE_GEMINI", "gemini")?;
    let rig = Rig { program, api: ModelApi::start(Dialect::Gemini), world: world(|_| {}) };
    repository(&rig.world);
    std::fs::create_dir_all(rig.home()).expect("a folder");
    rig.compress_above(0.5);
    Some(rig)
}

impl Rig {
    /// Writes its settings: above that share of the model's context it compresses the history.
    pub(super) fn compress_above(&self, share: f64) {
        let settings = json!({"security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false},
            "model": {"compressionThreshold": share}});
        std::fs::write(self.home().join("settings.json"), settings.to_string()).expect("a file");
    }

    pub(super) fn run(&self, prompt: &str, arguments: &[&str]) {
        let mut gemini = command(&self.program, &self.world);
        gemini.env("GOOGLE_GEMINI_BASE_URL", &self.api.url).env("GEMINI_API_KEY", "none");
        gemini.env("GEMINI_CLI_TRUST_WORKSPACE", "true").env("GEMINI_TELEMETRY_ENABLED", "false");
        // Else it starts itself a second time, with more memory.
        gemini.env("GEMINI_CLI_NO_RELAUNCH", "true");
        run(gemini.args(["--yolo", "-p", prompt]).args(arguments));
    }

    fn home(&self) -> PathBuf {
        self.world.path("home/.gemini")
    }

    pub(super) fn memory(&self) -> PathBuf {
        self.home().join("tmp/project/memory")
    }
}

/// Random turns, and the memories they leave.
fn turns(seed: u64, memory: &Path, project: &Path) -> (Vec<Vec<Value>>, Vec<String>) {
    let mut numbers = Numbers(seed);
    let mut written = Vec::new();
    let call = |name: &str, args: Value| json!({"call": name, "args": args});
    let mut turns = Vec::new();
    for turn in 0..3 + numbers.below(3) {
        let mut parts = Vec::new();
        if numbers.below(2) == 0 {
            parts.push(json!(format!("Step {turn}: \"é\" — \u{1f980}")));
        }
        let name = format!("{seed}-{turn}.md");
        let file = memory.join(&name);
        match numbers.below(4) {
            0 => parts.push(call(
                "run_shell_command",
                json!({"command": format!("seq {}", numbers.below(40)), "description": "Count"}),
            )),
            1 => {
                written.push(name);
                let command = format!("echo 'Note {seed} {turn}' > {}", file.display());
                parts.push(call("run_shell_command", json!({"command": command, "description": "Note"})));
            }
            _ => {
                written.push(name);
                let content = format!("Note {seed} {turn}\nturn {turn} of {seed}\n");
                parts.push(call("write_file", json!({"file_path": file, "content": content})));
            }
        }
        if numbers.below(3) == 0 {
            parts.push(call("run_shell_command", json!({"command": "false", "description": "Fail"})));
            parts.push(call("read_file", json!({"file_path": project.join("absent.txt")})));
        }
        turns.push(parts);
    }
    let name = format!("{seed}-last.md");
    let file = memory.join(&name);
    let replaced = json!({"file_path": file, "old_string": "two", "new_string": format!("TWO {seed}"), "instruction": "Shout"});
    turns.extend([
        vec![call("write_file", json!({"file_path": file, "content": "one\ntwo\n"}))],
        vec![call("replace", replaced)],
        vec![json!("Finished.")],
    ]);
    written.push(name);
    (turns, written)
}

/// Usage of the turns as it was reported, in an order of its own.
pub(super) fn reported(rig: &Rig) -> Vec<[u64; 4]> {
    let log = rig.api.log();
    let of = |answer: &Answered| {
        let count = |name: &str| answer.usage[name].as_u64().unwrap_or(0);
        let (prompt, cached) = (count("promptTokenCount"), count("cachedContentTokenCount"));
        [prompt - cached, 0, cached, count("candidatesTokenCount") + count("thoughtsTokenCount")]
    };
    let mut reported: Vec<[u64; 4]> = log.answered.iter().filter(|answer| answer.is_turn).map(of).collect();
    reported.sort_unstable();
    reported
}

/// Usage of sessions and their subagents as it is recorded, in the same order.
pub(super) fn recorded(rig: &Rig, rows: &[wire::TranscriptRow]) -> Vec<[u64; 4]> {
    let mut recorded = Vec::new();
    for transcript in rows.iter().flat_map(|row| std::iter::once(&row.id).chain(&row.subagents)) {
        for row in &shown(&rig.world, transcript).requests {
            let usage = row.recorded.as_ref().expect("usage");
            recorded.push([usage.input, usage.cache_creation, usage.cache_read, usage.output]);
        }
    }
    recorded.sort_unstable();
    recorded
}

#[test]
fn a_session_that_is_resumed_over_and_over_counts_each_request_once() {
    let Some(rig) = rig() else { return };
    let project = rig.world.path("project");
    std::fs::write(project.join("GEMINI.md"), "# Rules\nUse tabs.\n").expect("a file");
    add_store(&rig.world, &rig.memory(), "memory");
    // It compresses between two prompts alone, and what it reports of a request decides.
    let few = |turns: Vec<Vec<Value>>| -> Vec<Vec<Value>> {
        let with = |turn: Vec<Value>| [turn, vec![json!({"prompt_tokens": 10})]].concat();
        turns.into_iter().map(with).collect()
    };
    let (script, mut written) = turns(300, &rig.memory(), &project);
    rig.api.play(few(script));
    rig.run("Look at the project", &[]);
    rig.world.scan();
    let rows = sessions(&rig.world, "gemini");
    let [row] = &rows[..] else { panic!("one session: {rows:?}") };
    let id = row.id.clone();
    for time in 1..=TIMES {
        // Compressed twice, with resumes before, between and after.
        rig.compress_above(if time == 2 || time == 4 { 0.0003 } else { 0.5 });
        let (script, more) = turns(300 + time, &rig.memory(), &project);
        rig.api.play(few(script));
        rig.run(&format!("Go on, {time}"), &["--resume", &id]);
        rig.world.scan();
        written.extend(more);
        let rows = sessions(&rig.world, "gemini");
        let [row] = &rows[..] else { panic!("one session after {time}: {rows:?}") };
        assert_eq!((row.id.as_str(), row.requests), (id.as_str(), reported(&rig).len() as u64), "{time}");
        assert_eq!(recorded(&rig, &rows), reported(&rig), "{time}");
        assert_eq!(row.compactions, u64::from(time >= 2) + u64::from(time >= 4), "{time}");
    }
    for path in &written {
        let origin = origin(&rig.world, "memory", path);
        assert_eq!(origin.note.session_id.as_ref(), Some(&id), "{path}: {origin:?}");
    }
}

#[test]
fn what_gemini_cli_records_is_what_it_sent_and_did() {
    let Some(rig) = rig() else { return };
    let project = rig.world.path("project");
    std::fs::create_dir_all(project.join("sub")).expect("a folder");
    std::fs::write(project.join("GEMINI.md"), "# Rules\nUse tabs.\n").expect("a file");
    std::fs::write(project.join("sub/GEMINI.md"), "# Sub\nUse spaces.\n").expect("a file");
    std::fs::write(project.join("sub/a.rs"), "fn main() {}\n").expect("a file");
    add_store(&rig.world, &rig.memory(), "memory");

    let (mut by_session, mut resumed) = (Vec::new(), 0);
    let sessions_played = rounds(SESSIONS[0], SESSIONS[1]);
    for seed in 0..sessions_played {
        let began = seconds();
        let prompt = format!("Look at the project, {seed}");
        let (script, mut written) = turns(seed, &rig.memory(), &project);
        rig.api.play(script);
        rig.run(&prompt, &[]);
        rig.world.scan();
        let id = sessions(&rig.world, "gemini")
            .into_iter()
            .find(|row| row.title.as_deref() == Some(prompt.as_str()))
            .expect("the session")
            .id;
        let now = seconds();
        if resumed < RESUMED && now / 60 == began / 60 && now % 60 < RESUME_WITHIN_SECONDS {
            resumed += 1;
            let (script, more) = turns(seed + 100, &rig.memory(), &project);
            rig.api.play(script);
            rig.run("Go on", &["--resume", &id]);
            rig.world.scan();
            written.extend(more);
        }
        by_session.push((id, written));
    }
    if resumed == 0 {
        println!("no session was resumed: none began and ended early enough in a minute");
    }
    for (id, written) in &by_session {
        for path in written {
            let origin = origin(&rig.world, "memory", path);
            assert_eq!(origin.note.session_id.as_ref(), Some(id), "{path}: {origin:?}");
        }
    }
    // One that reads in a directory with a file of its own, and starts a subagent.
    let agents = rig.memory().join("agent.md");
    rig.api.play(vec![
        vec![json!({"call": "read_file", "args": {"file_path": project.join("sub/a.rs")}})],
        vec![json!({"call": "invoke_agent", "args": {"agent_name": "generalist", "prompt": "Write"}})],
        vec![json!({"call": "write_file", "args": {"file_path": agents, "content": "By an agent.\n"}})],
        vec![json!({"call": "complete_task", "args": {"result": {"response": "Written."}}})],
        vec![json!("Finished.")],
    ]);
    rig.run("Delegate", &[]);
    rig.world.scan();

    let rows = sessions(&rig.world, "gemini");
    assert_eq!(rows.len() as u64, sessions_played + 1, "{rows:?}");
    let project_name = project.to_string_lossy().into_owned();
    assert!(rows.iter().all(|row| row.project.as_ref() == Some(&project_name)), "{rows:?}");
    let delegating = rows.iter().find(|row| row.title.as_deref() == Some("Delegate")).expect("it");
    assert_eq!(delegating.subagents.len(), 1);
    let facts = shown(&rig.world, &delegating.subagents[0]).agent.expect("a subagent");
    assert_eq!((facts.agent_type.as_str(), facts.session.as_ref()), ("generalist", Some(&delegating.id)));
    assert_eq!(writer(&rig.world, "memory", "agent.md").as_ref(), Some(&delegating.id));

    // What was reported is what is recorded, each answer once: those of the script and no others are in the sessions.
    assert_eq!(recorded(&rig, &rows), reported(&rig));

    let request = wire::CompositionReq { transcript: delegating.id.clone(), request: 1 };
    let composition = commands::context_composition(&rig.world.app, request).expect("a composition");
    let files: BTreeMap<&str, u64> =
        composition.files.iter().map(|file| (file.name.as_str(), file.tokens)).collect();
    for name in ["GEMINI.md", "sub/GEMINI.md"] {
        let path = project.join(name).to_string_lossy().into_owned();
        assert!(files.get(path.as_str()).is_some_and(|tokens| *tokens > 2), "{path}: {files:?}");
    }
    assert!(composition.classes.instructions > 0 && composition.classes.tool_results > 0);
}
