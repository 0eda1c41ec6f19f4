//! Real Claude Code against a scripted model: what it records of its requests is what it sent. The client is its vendor's and is
//! not shipped; `RETRACE_CLAUDE_CODE` names it, else `claude` of the search path. Skipped where there is none, or an older one.
//! It runs in a home of its own and reaches loopback only.

mod calls;
mod codex;
mod gemini;
mod live;
mod loads;
mod opencode;
mod presence;
mod presence_elsewhere;
mod presence_files;
mod rig;
mod rules;
mod writers;

use retrace_api::commands;
use retrace_api::wire::{ContextShow, ContextShowReq, DeployedReq, RequestBodyReq, RestsOn};
use retrace_tests::World;
use retrace_tests::messages_api::MessagesApi;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Sessions with turns of their own.
const SESSIONS: u64 = 5;
/// First version that records its requests.
const RECORDS_SINCE: (u64, u64, u64) = (2, 1, 300);
const MODELS: [&str; 3] = ["claude-opus-4-8", "claude-sonnet-4-5", "claude-haiku-4-5"];

fn client() -> Option<PathBuf> {
    let named = std::env::var_os("RETRACE_CLAUDE_CODE").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path =
        || std::env::split_paths(&path).map(|folder| folder.join("claude")).find(|file| file.is_file());
    let Some(program) = named.or_else(on_path) else {
        println!(
            "skipped: Claude Code is not installed; scripts/oracles installs it (RETRACE_CLAUDE_CODE names another)"
        );
        return None;
    };
    let version = Command::new(&program).arg("--version").stdin(Stdio::null()).output().ok()?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let mut numbers = version.split([' ', '.']).map_while(|part| part.parse::<u64>().ok());
    let version_of = (numbers.next()?, numbers.next()?, numbers.next()?);
    if version_of < RECORDS_SINCE {
        println!("skipped: Claude Code {version} does not record its requests");
        return None;
    }
    Some(program)
}

struct Rig {
    program: PathBuf,
    api: MessagesApi,
    world: World,
}

impl Rig {
    fn run(&self, arguments: &[&str]) {
        let ran = self.attempt(arguments);
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{told}{}", String::from_utf8_lossy(&ran.stdout));
    }

    fn attempt(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(&self.program);
        command.args(["--dangerously-skip-permissions"]).args(arguments);
        command.current_dir(self.project()).stdin(Stdio::null());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.world.path("agent")).env("IS_SANDBOX", "1");
        command.env("ANTHROPIC_BASE_URL", &self.api.url).env("ANTHROPIC_API_KEY", "sk-ant-none");
        // What it leaves there otherwise is nobody's.
        let temporary = self.world.path("temporary");
        std::fs::create_dir_all(&temporary).expect("a folder");
        command.env("CLAUDE_CODE_TMPDIR", &temporary).env("TMPDIR", temporary);
        // What it asks of any other host goes nowhere.
        command.env("HTTPS_PROXY", "http://127.0.0.1:9").env("NO_PROXY", "127.0.0.1");
        for quiet in [
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "DISABLE_TELEMETRY",
            "DISABLE_ERROR_REPORTING",
            "DISABLE_AUTOUPDATER",
        ] {
            command.env(quiet, "1");
        }
        command.output().expect("the client runs")
    }

    /// The transcript of a session.
    fn session(&self, id: &str) -> PathBuf {
        let name = format!("{id}.jsonl");
        let found = self.transcripts().into_iter().find(|path| path.ends_with(&name));
        found.expect("the session is there")
    }

    fn show(&self, transcript: &Path) -> ContextShow {
        let transcript = transcript.display().to_string();
        commands::context_show(&self.world.app, ContextShowReq { transcript }).expect("a transcript")
    }

    fn project(&self) -> PathBuf {
        self.world.path("project")
    }

    /// Every transcript, those of subagents too.
    fn transcripts(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.world.path("agent/.claude/projects")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "jsonl") {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

/// Numbers that follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Random turns: thinking, words, calls of several tools at once, some of which fail, a subagent.
fn turns(seed: u64, project: &Path) -> Vec<Vec<Value>> {
    let mut numbers = Numbers(seed);
    let call = |name: &str, input: Value| json!({"type": "tool_use", "name": name, "input": input});
    let mut turns = Vec::new();
    for turn in 0..4 + numbers.below(4) {
        let mut blocks = Vec::new();
        if numbers.below(3) == 0 {
            blocks.push(
                json!({"type": "thinking", "thinking": format!("Hm, {turn} ☃"), "signature": "c2lnbmF0dXJl"}),
            );
        }
        if numbers.below(2) == 0 {
            blocks.push(json!({"type": "text", "text": format!("Step {turn}: \"é\"\n\t— \u{1f980}")}));
        }
        for _ in 0..=numbers.below(3) {
            let file = project.join(
                ["sub/a.rs", "notes.txt", "absent.txt"][usize::try_from(numbers.below(3)).expect("small")],
            );
            blocks.push(match numbers.below(5) {
                0 | 1 => call("Read", json!({"file_path": file})),
                2 => call("Bash", json!({"command": format!("echo {turn}; seq {}", numbers.below(40)), "description": "Count"})),
                3 => call("Bash", json!({"command": "false"})),
                _ => call("Write", json!({"file_path": project.join("notes.txt"), "content": format!("héllo {turn}\n")})),
            });
        }
        turns.push(blocks);
    }
    if seed.is_multiple_of(2) {
        let input =
            json!({"description": "Look", "prompt": "Look around", "subagent_type": "general-purpose"});
        turns.push(vec![call("Agent", input)]);
    }
    turns.push(vec![json!({"type": "text", "text": "Finished."})]);
    turns
}

/// The parts of a body that a client records, with every string among the messages as the list that it stands for.
fn comparable(body: &Value, fields: &[&String]) -> String {
    let mut parts = BTreeMap::new();
    for &field in fields {
        parts.insert(field.clone(), body[field].clone());
    }
    if let Some(Value::Array(system)) = parts.get_mut("system") {
        // The header of the client's version is not recorded.
        system.retain(|block| {
            !block["text"].as_str().unwrap_or_default().starts_with("x-anthropic-billing-header")
        });
    }
    for message in parts.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::String(text) = &message["content"] {
            message["content"] = json!([{"type": "text", "text": text}]);
        }
    }
    json!(parts).to_string()
}

/// A project with instructions, and the client in a home of its own.
fn rig() -> Option<Rig> {
    rig_with(|_| {})
}

/// The same with other options.
fn rig_with(change: impl FnOnce(&mut retrace_api::AppOptions)) -> Option<Rig> {
    // The client's home is the one whose transcripts are known.
    let world = World::with(|options| {
        change(options);
        let root = options.engine.data_dir.parent().map(Path::to_path_buf).expect("it lies in the world");
        options.engine.surroundings.home = root.join("agent");
    });
    let rig = Rig { program: client()?, api: MessagesApi::start(), world };
    for folder in ["project/sub", "agent"] {
        std::fs::create_dir_all(rig.world.path(folder)).expect("a folder");
    }
    let files = [
        ("CLAUDE.md", "# Rules\nUse tabs. @more.md\n"),
        ("more.md", "More.\n"),
        ("sub/CLAUDE.md", "Spaces.\n"),
        ("sub/a.rs", "fn main() {}\n"),
    ];
    let project = rig.project();
    files.iter().for_each(|(name, content)| std::fs::write(project.join(name), content).expect("a file"));
    Some(rig)
}

fn says(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn asks_agent(prompt: &str) -> Value {
    let input = json!({"description": "Look", "prompt": prompt, "subagent_type": "general-purpose"});
    json!({"type": "tool_use", "name": "Agent", "input": input})
}

fn runs(command: &str) -> Value {
    json!({"type": "tool_use", "name": "Bash", "input": {"command": command, "description": "Run it"}})
}

#[test]
fn every_recorded_request_is_what_claude_code_sent() {
    let Some(rig) = rig() else { return };
    let project = rig.project();
    for seed in 0..SESSIONS {
        rig.api.play(turns(seed, &project));
        let model = MODELS[usize::try_from(seed).expect("small") % MODELS.len()];
        let id = format!("00000000-0000-4000-8000-{seed:012}");
        rig.run(&["-p", "Look at the project", "--model", model, "--session-id", &id]);
        rig.api.play(turns(seed + 100, &project));
        match seed {
            1 => rig.run(&["-p", "Go on", "--model", model, "--resume", &id]),
            2 => rig.run(&["-p", "Another way", "--model", model, "--resume", &id, "--fork-session"]),
            _ => {}
        }
    }
    let (proved, subagents) = every_request_is_what_was_sent(&rig);
    assert!(proved >= 30 && subagents >= 2, "{proved} requests, {subagents} subagents");
}

/// Every request of every transcript is proved and is one that was sent, its usage is what was reported, and what was reported
/// of edits is what the setting in force does. Answers how many requests, and how many transcripts of subagents.
fn every_request_is_what_was_sent(rig: &Rig) -> (usize, usize) {
    let (bodies, usage) = {
        let log = rig.api.log();
        (log.bodies.clone(), log.usage.iter().cloned().collect::<BTreeMap<_, _>>())
    };
    let (mut proved, mut subagents) = (0, 0);
    for path in rig.transcripts() {
        let transcript = path.display().to_string();
        let shown = rig.show(&path);
        assert!(shown.remarks.is_empty(), "{transcript}: {:?}", shown.remarks);
        subagents += usize::from(transcript.contains("subagents"));
        let deployed = DeployedReq { transcript: transcript.clone(), ..DeployedReq::default() };
        let deployed = commands::context_deployed(&rig.world.app, deployed).expect("the setting in force");
        assert_eq!(deployed.reporting, shown.requests.len() as u64, "{transcript}: no report of edits");
        assert_eq!(deployed.agreeing, deployed.reporting, "{transcript}");
        for row in &shown.requests {
            let told = &usage[&row.id];
            let recorded = row.recorded.as_ref().expect("usage");
            let figures = json!({"input_tokens": recorded.input, "cache_creation_input_tokens": recorded.cache_creation,
                "cache_read_input_tokens": recorded.cache_read, "output_tokens": recorded.output});
            assert_eq!(&figures, told, "{transcript}: {}", row.id);
            let request =
                RequestBodyReq { transcript: transcript.clone(), at: row.index.to_string(), raw: false };
            let request = commands::context_request(&rig.world.app, request).expect("a request");
            if request.proved.is_none() {
                // A fork holds copies of answers whose requests its source records.
                assert_eq!(row.rests_on, RestsOn::Transcript);
                continue;
            }
            assert_eq!((request.proved, request.reason), (Some(true), None), "{transcript}: {}", row.id);
            assert_eq!(row.rests_on, RestsOn::Request);
            let fields =
                request.body.as_object().expect("an object").keys().filter(|field| *field != "betas");
            let fields: Vec<&String> = fields.collect();
            let sent: HashSet<String> = bodies.iter().map(|body| comparable(body, &fields)).collect();
            assert!(
                sent.contains(&comparable(&request.body, &fields)),
                "{transcript}: {} is not what was sent",
                row.id
            );
            proved += 1;
        }
    }
    (proved, subagents)
}

/// A person goes back to an earlier answer and goes on from there: the requests behind it stay, and those after it are proved.
#[test]
fn a_rewind_goes_on_from_an_earlier_answer() {
    let Some(rig) = rig() else { return };
    let id = "00000000-0000-4000-8000-000000000101";
    let model = ["--model", MODELS[0]];
    rig.api.play(vec![vec![says("First."), runs("echo one")], vec![runs("echo two")], vec![says("Second.")]]);
    rig.run(&[&["-p", "Look", "--session-id", id], &model[..]].concat());
    let transcript = rig.session(id);
    let lines = std::fs::read_to_string(&transcript).expect("a transcript");
    let mut lines = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let first = lines.find(|line| line["type"] == "assistant").expect("an answer");
    let back_to = first["uuid"].as_str().expect("a uuid").to_owned();
    rig.api.play(vec![vec![runs("echo three")], vec![says("Third.")]]);
    rig.run(&[&["-p", "Another way", "--resume", id, "--resume-session-at", &back_to], &model[..]].concat());
    let (proved, _) = every_request_is_what_was_sent(&rig);
    assert_eq!(proved, 5);
    let shown = rig.show(&transcript);
    assert_eq!(shown.requests.len(), 5);
    assert!(shown.requests[3].context > 0);
    let causes: Vec<&str> = shown.events.iter().map(|event| event.event.as_str()).collect();
    assert_eq!(causes, ["rewind"]);
    assert_eq!(shown.events[0].before_request, 3);
}

/// A subagent starts another; each transcript says whose it is, and its requests are proved.
#[test]
fn subagents_of_subagents_are_known_by_what_lies_beside_them() {
    let Some(rig) = rig() else { return };
    let id = "00000000-0000-4000-8000-000000000102";
    rig.api.play(vec![vec![asks_agent("Look around here")], vec![says("It runs.")], vec![says("Done.")]]);
    rig.api.play_to("Look around here", vec![vec![asks_agent("Look deeper down")], vec![says("Outer.")]]);
    rig.api.play_to("Look deeper down", vec![vec![runs("echo deep")], vec![says("Inner.")]]);
    rig.run(&["-p", "Begin", "--session-id", id, "--model", MODELS[0]]);
    let (_, subagents) = every_request_is_what_was_sent(&rig);
    assert_eq!(subagents, 2);
    let agents = rig.transcripts().into_iter().filter_map(|path| rig.show(&path).agent);
    let mut depths = Vec::new();
    for agent in agents {
        assert_eq!((agent.agent_type.as_str(), agent.session.as_deref()), ("general-purpose", Some(id)));
        assert_eq!((agent.finished, agent.tool_use_id.is_some()), (Some(true), true));
        depths.push(agent.depth);
    }
    depths.sort_unstable();
    assert_eq!(depths, [Some(1), Some(2)]);
}

/// A request that the server refuses is recorded and has no answer; a compaction's has none in the session's lines.
#[test]
fn requests_without_an_answer_are_listed() {
    let Some(rig) = rig() else { return };
    let id = "00000000-0000-4000-8000-000000000103";
    rig.api.play(vec![vec![runs("echo one")], vec![json!({"type": "refusal"})]]);
    // Whether it ends with an error or tries again is the client's affair.
    rig.attempt(&["-p", "Look", "--session-id", id, "--model", MODELS[0]]);
    let transcript = rig.session(id);
    let shown = rig.show(&transcript);
    assert!(!shown.requests.is_empty());
    assert_eq!(shown.unanswered.len(), 1, "{:?}", shown.unanswered);
    let unanswered = &shown.unanswered[0];
    assert_eq!(unanswered.source, "sdk");
    assert!(shown.tools_used.iter().any(|tool| tool == "Bash"), "{:?}", shown.tools_used);
    assert!(shown.client_cost_usd.is_some_and(|cost| cost > 0.0));
    let request = RequestBodyReq {
        transcript: transcript.display().to_string(),
        at: unanswered.id.clone(),
        raw: false,
    };
    let request = commands::context_request(&rig.world.app, request).expect("it is shown");
    assert_eq!((request.index, request.proved), (None, Some(true)));
    assert_eq!(request.body["messages"].as_array().map(|it| it.len() as u64), Some(unanswered.messages));
}
