//! Real Claude Code against a scripted model: what it records of its requests is what it sent. The client is its vendor's and is
//! not shipped; `RETRACE_CLAUDE_CODE` names it, else `claude` of the search path. Skipped where there is none, or an older one.
//! It runs in a home of its own and reaches loopback only.

mod codex;
mod gemini;
mod rig;

use retrace_api::commands;
use retrace_api::wire::{ContextShowReq, RequestBodyReq, RestsOn};
use retrace_tests::World;
use retrace_tests::messages_api::MessagesApi;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
        let mut command = Command::new(&self.program);
        command.args(["--dangerously-skip-permissions"]).args(arguments);
        command.current_dir(self.project()).stdin(Stdio::null());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.world.path("agent")).env("IS_SANDBOX", "1");
        command.env("ANTHROPIC_BASE_URL", &self.api.url).env("ANTHROPIC_API_KEY", "sk-ant-none");
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
        let ran = command.output().expect("the client runs");
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{told}{}", String::from_utf8_lossy(&ran.stdout));
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

#[test]
fn every_recorded_request_is_what_claude_code_sent() {
    let Some(program) = client() else { return };
    let rig = Rig { program, api: MessagesApi::start(), world: World::new() };
    let project = rig.project();
    for folder in ["project/sub", "agent"] {
        std::fs::create_dir_all(rig.world.path(folder)).expect("a folder");
    }
    let files = [
        ("CLAUDE.md", "# Rules\nUse tabs. @more.md\n"),
        ("more.md", "More.\n"),
        ("sub/CLAUDE.md", "Spaces.\n"),
        ("sub/a.rs", "fn main() {}\n"),
    ];
    files.iter().for_each(|(name, content)| std::fs::write(project.join(name), content).expect("a file"));
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
    let (bodies, usage) = {
        let log = rig.api.log();
        (log.bodies.clone(), log.usage.iter().cloned().collect::<BTreeMap<_, _>>())
    };
    let (mut proved, mut subagents) = (0, 0);
    for path in rig.transcripts() {
        let transcript = path.display().to_string();
        let shown = commands::context_show(&rig.world.app, ContextShowReq { transcript: transcript.clone() });
        let shown = shown.expect("a transcript");
        assert!(shown.remarks.is_empty(), "{transcript}: {:?}", shown.remarks);
        subagents += usize::from(transcript.contains("subagents"));
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
    assert!(proved >= 30 && subagents >= 2, "{proved} requests, {subagents} subagents");
}
