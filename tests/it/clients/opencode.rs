//! Real opencode against a scripted model: usage, cost and writers are what it sent and did, read while it runs and afterwards.

use super::rig::{Numbers, add_store, command, program, repository, run, sessions, shown, world, writer};
use retrace_tests::messages_api::MessagesApi;
use retrace_tests::model_api::Answered;
use retrace_tests::{World, rounds};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Sessions with turns of their own, in a usual run and in a thorough one.
const SESSIONS: [u64; 2] = [5, 12];
const MODEL: &str = "anthropic/claude-sonnet-4-5";
const MODEL_NAME: &str = "claude-sonnet-4-5";

/// The list of models it reads, with the one that is played: reading its own takes a third of a run.
fn models() -> Value {
    let model = json!({"id": MODEL_NAME, "name": "Played", "release_date": "2025-09-29", "attachment": true, "reasoning": true,
        "temperature": true, "tool_call": true, "open_weights": false,
        "cost": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75},
        "limit": {"context": 200_000, "output": 64_000}, "modalities": {"input": ["text"], "output": ["text"]}});
    json!({"anthropic": {"id": "anthropic", "name": "Played", "env": ["ANTHROPIC_API_KEY"], "npm": "@ai-sdk/anthropic",
        "models": {MODEL_NAME: model}}})
}

/// Longer than anything takes; nothing is measured.
const PATIENCE: Duration = Duration::from_secs(240);

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
    std::fs::write(rig.models(), models().to_string()).expect("a file");
    Some(rig)
}

impl Rig {
    /// The directory of its settings.
    pub(super) fn config(&self) -> PathBuf {
        self.world.path("home/.config/opencode")
    }

    fn models(&self) -> PathBuf {
        self.world.path("models.json")
    }

    pub(super) fn run(&self, arguments: &[&str]) {
        run(&mut self.command(arguments));
    }

    /// Sets how it compacts, and that its model takes 150,000 tokens: what its list of models says changes.
    pub(super) fn compact(&self, setting: &Value) {
        let file = self.config().join("opencode.json");
        let text = std::fs::read_to_string(&file).expect("settings");
        let mut settings: Value = serde_json::from_str(&text).expect("JSON");
        settings["compaction"] = setting.clone();
        let limit = json!({"context": 200_000, "input": 150_000, "output": 8_000});
        settings["provider"]["anthropic"]["models"] = json!({MODEL_NAME: {"limit": limit}});
        std::fs::write(file, settings.to_string()).expect("a file");
    }

    /// What was answered: with the request, and known by the tokens of its output, of which no two have as many. Requests that were
    /// refused leave nothing.
    pub(super) fn answered(&self) -> Vec<Answered> {
        let log = self.api.log();
        assert_eq!(log.bodies.len(), log.usage.len(), "none was refused");
        let of = |((body, (id, usage)), calls): ((&Value, &(String, Value)), &Vec<String>)| Answered {
            id: id.clone(),
            usage: json!({"totalTokenCount": usage["output_tokens"], "promptTokenCount": 0, "told": usage}),
            // Titles are made by calls without tools, which no session has; a summary by one that holds what is summed up.
            is_turn: body["tools"].as_array().is_some_and(|tools| tools.len() > 3)
                || body["messages"].to_string().contains("[User]: "),
            calls: calls.clone(),
            body: body.clone(),
        };
        log.bodies.iter().zip(&log.usage).zip(&log.calls).map(of).collect()
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut opencode = command(&self.program, &self.world);
        for quiet in
            ["OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD"]
        {
            opencode.env(quiet, "1");
        }
        opencode.env("OPENCODE_MODELS_PATH", self.models());
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
    let sessions_played = rounds(SESSIONS[0], SESSIONS[1]);
    for seed in 0..sessions_played {
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
    assert_eq!(rows.len() as u64, sessions_played + 1, "{rows:?}");
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

/// Usage as it was reported, by how often.
fn reported(rig: &Rig) -> BTreeMap<[u64; 4], usize> {
    let mut reported = BTreeMap::new();
    for answer in rig.answered().iter().filter(|answer| answer.is_turn) {
        let count = |name: &str| answer.usage["told"][name].as_u64().unwrap_or(0);
        let of = [
            count("input_tokens"),
            count("cache_creation_input_tokens"),
            count("cache_read_input_tokens"),
            count("output_tokens"),
        ];
        *reported.entry(of).or_insert(0) += 1;
    }
    reported
}

/// Usage as it is recorded, by how often; requests of which it is not recorded are left out.
fn recorded(rig: &Rig) -> BTreeMap<[u64; 4], usize> {
    let mut recorded = BTreeMap::new();
    for row in sessions(&rig.world, "opencode") {
        for request in shown(&rig.world, &row.id).requests {
            if let Some(usage) = request.recorded {
                let of = [usage.input, usage.cache_creation, usage.cache_read, usage.output];
                *recorded.entry(of).or_insert(0) += 1;
            }
        }
    }
    recorded
}

#[test]
fn a_compaction_of_opencode_is_a_call_of_its_own_and_counts_once() {
    let Some(rig) = rig() else { return };
    let project = rig.world.path("project");
    std::fs::write(project.join("a.txt"), "words\n".repeat(900)).expect("a file");
    let reads = || json!({"type": "tool_use", "name": "read", "input": {"filePath": project.join("a.txt")}});
    let says = |text: &str| json!({"type": "text", "text": text});
    // The tokens of an output tell answers apart.
    let full = |output: usize| {
        json!({"type": "usage", "usage": {"input_tokens": 190_000, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0, "output_tokens": output}})
    };
    let mut ids = BTreeSet::new();
    for (number, setting) in
        [json!({}), json!({"preserve_recent_tokens": 60}), json!({"tail_turns": 0})].iter().enumerate()
    {
        rig.compact(setting);
        rig.api.play(vec![vec![reads()], vec![says("So far.")]]);
        rig.run(&["Begin"]);
        let mut rows = sessions(&rig.world, "opencode").into_iter();
        let row = rows.find(|row| ids.insert(row.id.clone())).expect("the session");
        // Twice over: the second sums up the first one's summary.
        let times = if number == 0 { 2 } else { usize::try_from(rounds(1, 2)).expect("small") };
        for time in 0..times {
            rig.api.play(vec![
                vec![reads(), reads()],
                vec![says("Enough."), reads(), full(10_000 + 10 * number + time)],
                vec![reads()],
                vec![says("Finished.")],
            ]);
            rig.run(&["--session", &row.id, "Go on"]);
        }
        let shown = shown(&rig.world, &row.id);
        let compactions = shown.events.iter().filter(|event| event.event.as_str() == "compaction");
        assert_eq!(compactions.count(), times, "{setting}: {:?}", shown.events);
        // What is before the model afterwards is no more than what was sent.
        for (request, answer) in matched(&shown, &rig.answered()) {
            let sent = answer.body["messages"].to_string().len() as u64 / 2;
            let counted = &request.classes;
            let messages = counted.tool_results + counted.tool_inputs;
            assert!(u64::try_from(messages).is_ok_and(|messages| messages <= sent), "{setting}: {request:?}");
        }
    }
    assert_eq!(recorded(&rig), reported(&rig));
}

/// Requests with what was answered.
fn matched<'a>(
    shown: &'a retrace_api::wire::ContextShow,
    answers: &'a [Answered],
) -> Vec<(&'a retrace_api::wire::ContextRequest, &'a Answered)> {
    let output = |answer: &Answered| answer.usage["totalTokenCount"].as_u64();
    let of = |request: &'a retrace_api::wire::ContextRequest| {
        let told = request.recorded.as_ref()?.output;
        answers.iter().find(|answer| output(answer) == Some(told)).map(|answer| (request, answer))
    };
    shown.requests.iter().filter_map(of).collect()
}

#[test]
fn a_session_of_opencode_is_read_while_it_is_written() {
    let Some(rig) = rig() else { return };
    let project = rig.world.path("project");
    let call = |name: &str, input: Value| json!({"type": "tool_use", "name": name, "input": input});
    let gate = |number: usize| project.join(format!("go-{number}"));
    let waits = |number: usize| {
        let command = format!("while [ ! -e {} ]; do sleep 0.02; done", gate(number).display());
        call("bash", json!({"command": command, "description": "Wait"}))
    };
    let (mut numbers, mut script) = (Numbers(7), Vec::new());
    for turn in 0..12 {
        let mut blocks = vec![json!({"type": "text", "text": format!("Step {turn}")})];
        for part in 0..=numbers.below(2) {
            let file = project.join(format!("{turn}-{part}.md"));
            blocks.push(call("write", json!({"filePath": file, "content": "words\n".repeat(200)})));
        }
        if turn % 3 == 2 {
            blocks.push(waits(turn));
        }
        script.push(blocks);
    }
    script.push(vec![json!({"type": "text", "text": "Finished."})]);
    let turns = script.len();
    rig.api.play(script);
    let mut client = rig.command(&["Look at the project"]);
    let mut client = client.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    let (mut most, mut in_the_middle, began) = (0, 0, Instant::now());
    let ended = loop {
        let state = client.try_wait().expect("its state");
        // What was told is among what was reported, at each moment, and never less than before.
        let told = recorded(&rig);
        let truth = reported(&rig);
        assert!(told.iter().all(|(usage, count)| truth.get(usage) >= Some(count)), "{told:?} {truth:?}");
        let count: usize = told.values().sum();
        assert!(count >= most, "{count} after {most}");
        in_the_middle += usize::from(count > most && state.is_none());
        most = count;
        // The session waits where it is until it was seen there.
        for number in (2..12).step_by(3).filter(|number| count >= *number) {
            std::fs::write(gate(number), "").expect("a file");
        }
        assert!(began.elapsed() < PATIENCE, "{count} of {turns} requests");
        if let Some(state) = state {
            break state;
        }
    };
    assert!(ended.success());
    assert!(in_the_middle >= 3, "{in_the_middle}");
    assert_eq!(recorded(&rig), reported(&rig));
    assert_eq!(recorded(&rig).values().sum::<usize>(), turns);
}
