//! Real opencode against a scripted model: usage, cost and writers are what it sent and did, read while it runs and afterwards.

use super::rig::{Numbers, add_store, command, program, repository, run, sessions, shown, world, writer};
use retrace_tests::World;
use retrace_tests::messages_api::MessagesApi;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Sessions with turns of their own.
const SESSIONS: u64 = 5;
const MODEL: &str = "anthropic/claude-sonnet-4-5";

pub(super) struct Rig {
    program: PathBuf,
    pub(super) api: MessagesApi,
    pub(super) world: World,
}

/// opencode with a home and a project; `None` where it is not installed.
pub(super) fn rig() -> Option<Rig> {
    let program = program("RETRACE_OPENCODE", "opencode")?;
    let rig = Rig { program, api: MessagesApi::start(), world: world(|_| {}) };
    repository(&rig.world);
    let config = rig.config();
    std::fs::create_dir_all(&config).expect("a folder");
    let settings = json!({"model": MODEL, "autoupdate": false,
        "provider": {"anthropic": {"options": {"baseURL": format!("{}/v1", rig.api.url), "apiKey": "none"}}}});
    std::fs::write(config.join("opencode.json"), settings.to_string()).expect("a file");
    Some(rig)
}

impl Rig {
    /// The directory of its settings.
    pub(super) fn config(&self) -> PathBuf {
        self.world.path("home/.config/opencode")
    }

    pub(super) fn run(&self, arguments: &[&str]) {
        run(&mut self.command(arguments));
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut opencode = command(&self.program, &self.world);
        for quiet in
            ["OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD"]
        {
            opencode.env(quiet, "1");
        }
        opencode.args(["run", "-m", MODEL]).args(arguments);
        opencode
    }
}

/// Random turns, and the notes they leave.
fn turns(seed: u64, notes: &Path, project: &Path) -> (Vec<Vec<Value>>, Vec<String>) {
    let mut numbers = Numbers(seed);
    let mut written = Vec::new();
    let call = |name: &str, input: Value| json!({"type": "tool_use", "name": name, "input": input});
    let mut turns = Vec::new();
    for turn in 0..3 + numbers.below(3) {
        let mut blocks = Vec::new();
        if numbers.below(2) == 0 {
            blocks.push(json!({"type": "text", "text": format!("Step {turn}: \"é\" — \u{1f980}")}));
        }
        for part in 0..=numbers.below(2) {
            let name = format!("{seed}-{turn}-{part}.md");
            let file = notes.join(&name);
            match numbers.below(4) {
                0 => blocks.push(call(
                    "bash",
                    json!({"command": format!("seq {}", numbers.below(40)), "description": "Count"}),
                )),
                1 => {
                    written.push(name);
                    let command = format!("echo 'Note {seed} {turn} {part}' > {}", file.display());
                    blocks.push(call("bash", json!({"command": command, "description": "Note"})));
                }
                _ => {
                    written.push(name);
                    let content = format!("Note {seed}\nturn {turn} {part}\n");
                    blocks.push(call("write", json!({"filePath": file, "content": content})));
                }
            }
        }
        if numbers.below(3) == 0 {
            blocks.push(call("read", json!({"filePath": project.join("absent.txt")})));
        }
        turns.push(blocks);
    }
    let name = format!("{seed}-last.md");
    let file = notes.join(&name);
    let edit = json!({"filePath": file, "oldString": "two", "newString": format!("TWO {seed}")});
    turns.extend([
        vec![call("write", json!({"filePath": file, "content": "one\ntwo\n"}))],
        vec![call("edit", edit)],
        vec![json!({"type": "text", "text": "Finished."})],
    ]);
    written.push(name);
    (turns, written)
}

#[test]
fn what_opencode_records_is_what_it_sent_and_did() {
    let Some(rig) = rig() else { return };
    let project = rig.world.path("project");
    std::fs::write(project.join("AGENTS.md"), "# Rules\nUse tabs.\n").expect("a file");
    let notes = project.join("notes");
    add_store(&rig.world, &notes, "memory");

    let (mut by_session, mut known) = (Vec::new(), BTreeSet::new());
    for seed in 0..SESSIONS {
        let (script, mut written) = turns(seed, &notes, &project);
        rig.api.play(script);
        rig.run(&["Look at the project"]);
        rig.world.scan();
        let new: Vec<String> = sessions(&rig.world, "opencode")
            .into_iter()
            .map(|row| row.id)
            .filter(|id| known.insert(id.clone()))
            .collect();
        let [id] = &new[..] else { panic!("one session: {new:?}") };
        if seed < 2 {
            let (script, more) = turns(seed + 100, &notes, &project);
            rig.api.play(script);
            rig.run(&["--session", id, "Go on"]);
            rig.world.scan();
            written.extend(more);
        }
        by_session.push((id.clone(), written));
    }
    for (id, written) in &by_session {
        for path in written {
            assert_eq!(writer(&rig.world, "memory", path).as_ref(), Some(id), "{path}");
        }
    }
    // One that starts a subagent.
    let task = json!({"description": "Write", "prompt": "Write a note", "subagent_type": "general"});
    rig.api.play(vec![
        vec![json!({"type": "tool_use", "name": "task", "input": task})],
        vec![json!({"type": "tool_use", "name": "write", "input": {"filePath": notes.join("sub.md"), "content": "By an agent.\n"}})],
        vec![json!({"type": "text", "text": "Written."})],
        vec![json!({"type": "text", "text": "Finished."})],
    ]);
    rig.run(&["Delegate"]);
    rig.world.scan();

    let rows = sessions(&rig.world, "opencode");
    assert_eq!(rows.len() as u64, SESSIONS + 1, "{rows:?}");
    let delegating = rows.iter().find(|row| !row.subagents.is_empty()).expect("it");
    assert_eq!(delegating.subagents.len(), 1);
    let facts = shown(&rig.world, &delegating.subagents[0]).agent.expect("a subagent");
    assert_eq!((facts.agent_type.as_str(), facts.session.as_ref()), ("general", Some(&delegating.id)));
    assert_eq!(writer(&rig.world, "memory", "sub.md").as_ref(), Some(&delegating.id));

    let figures = |usage: [u64; 4]| format!("{usage:?}");
    let mut recorded = BTreeMap::new();
    for row in &rows {
        assert!(row.client_cost_usd.is_some_and(|cost| cost > 0.0), "{row:?}");
        for transcript in std::iter::once(&row.id).chain(&row.subagents) {
            for row in &shown(&rig.world, transcript).requests {
                let usage = row.recorded.as_ref().expect("usage");
                let of = figures([usage.input, usage.cache_creation, usage.cache_read, usage.output]);
                *recorded.entry(of).or_insert(0) += 1;
            }
        }
    }
    // Titles are made by calls without tools, which no session has.
    let mut reported = BTreeMap::new();
    let log = rig.api.log();
    for (body, (_, usage)) in log.bodies.iter().zip(&log.usage) {
        if body["tools"].as_array().is_some_and(|tools| tools.len() > 3) {
            let count = |name: &str| usage[name].as_u64().unwrap_or(0);
            let of = figures([
                count("input_tokens"),
                count("cache_creation_input_tokens"),
                count("cache_read_input_tokens"),
                count("output_tokens"),
            ]);
            *reported.entry(of).or_insert(0) += 1;
        }
    }
    assert_eq!(recorded, reported);
    let database = rig.world.path("home/.local/share/opencode/opencode.db");
    assert!(database.is_file(), "the sessions are in one database");
}
