//! Which instruction files a session loads, held against the real programs: in random layouts, what each of them sends to a
//! model on loopback is what [`retrace_sources::instructions`] lists, word for word.
//!
//! The programs are their vendors' and are not shipped: `RETRACE_CLAUDE_CODE`, `RETRACE_CODEX`, `RETRACE_GEMINI` and
//! `RETRACE_OPENCODE` name them (`scripts/oracles` installs them). Where one is not named its test says so and is skipped.
//! `RETRACE_LAYOUTS` sets the number of layouts, `RETRACE_LAYOUT` picks one.
#![cfg(unix)]
#![allow(clippy::needless_pass_by_value, reason = "texts that are made for one call")]
#![allow(
    clippy::print_stdout,
    reason = "a test that is skipped says why, and one that fails shows the layout"
)]

mod layout;
mod server;

use layout::{Content, Layout};
use retrace_sources::{
    Instruction, InstructionAgent, InstructionState, Platform, Surroundings, instructions,
};
use serde_json::{Value, json};
use server::Server;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Layouts of each program, where the environment does not say otherwise.
const LAYOUTS: u64 = 5;

#[test]
fn claude_code_loads_what_is_listed() {
    every_layout(InstructionAgent::ClaudeCode, "RETRACE_CLAUDE_CODE", |command, _, _, server| {
        command.args(["--dangerously-skip-permissions", "-p", "Go on", "--model", "claude-opus-4-8"]);
        command
            .env("IS_SANDBOX", "1")
            .env("ANTHROPIC_BASE_URL", &server.url)
            .env("ANTHROPIC_API_KEY", "sk-ant-none");
        for quiet in [
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "DISABLE_TELEMETRY",
            "DISABLE_ERROR_REPORTING",
            "DISABLE_AUTOUPDATER",
        ] {
            command.env(quiet, "1");
        }
    });
}

#[test]
fn codex_loads_what_is_listed() {
    every_layout(InstructionAgent::Codex, "RETRACE_CODEX", |command, layout, home, server| {
        let own = format!(
            "model = \"gpt-5.1-codex\"\nmodel_provider = \"loop\"\n{}\n[model_providers.loop]\nname = \"loop\"\nbase_url = \"{}/v1\"\n\
             wire_api = \"responses\"\nenv_key = \"NO_KEY\"\nrequires_openai_auth = false\n[analytics]\nenabled = false\n",
            layout.codex.replace("{HOME}", &home.display().to_string()),
            server.url
        );
        write(&home.join(".codex/config.toml"), &own);
        command.args([
            "exec",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
            "Go on",
        ]);
        command.env("NO_KEY", "sk-none");
    });
}

#[test]
fn gemini_cli_loads_what_is_listed() {
    every_layout(InstructionAgent::Gemini, "RETRACE_GEMINI", |command, layout, home, server| {
        let mut settings = json!({"security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false}});
        for (part, value) in layout.gemini.as_object().into_iter().flatten() {
            settings[part] = value.clone();
        }
        let settings = settings.to_string().replace("{HOME}", &home.display().to_string());
        write(&home.join(".gemini/settings.json"), &settings);
        command.args(["--yolo", "-p", "Go on"]);
        command.env("GOOGLE_GEMINI_BASE_URL", &server.url).env("GEMINI_API_KEY", "none");
        command.env("GEMINI_CLI_TRUST_WORKSPACE", "true").env("GEMINI_TELEMETRY_ENABLED", "false");
        // Else it starts itself a second time, with more memory.
        command.env("GEMINI_CLI_NO_RELAUNCH", "true");
    });
}

#[test]
fn opencode_loads_what_is_listed() {
    every_layout(InstructionAgent::Opencode, "RETRACE_OPENCODE", |command, layout, home, server| {
        let mut settings = layout.opencode.clone();
        settings["provider"] =
            json!({"anthropic": {"options": {"baseURL": format!("{}/v1", server.url), "apiKey": "none"}}});
        settings["model"] = json!("anthropic/claude-sonnet-4-5");
        settings["permission"] = json!({"*": "allow", "external_directory": "allow"});
        let settings = settings.to_string().replace("{HOME}", &home.display().to_string());
        write(&home.join(".config/opencode/opencode.json"), &settings);
        command.args(["run", "Go on"]);
        for quiet in
            ["OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD"]
        {
            command.env(quiet, "1");
        }
    });
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    std::fs::write(path, text).expect("a file");
}

type Prepare = fn(&mut Command, &Layout, &Path, &Server);

fn every_layout(agent: InstructionAgent, variable: &str, prepare: Prepare) {
    let Some(program) = std::env::var_os(variable).map(PathBuf::from) else {
        println!("skipped: {variable} names no {}; scripts/oracles installs it", agent.title());
        return;
    };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seeds = match number("RETRACE_LAYOUT") {
        Some(one) => one..one + 1,
        None => 0..number("RETRACE_LAYOUTS").unwrap_or(LAYOUTS),
    };
    let (all, mut agreed) = (seeds.end - seeds.start, 0);
    for seed in seeds {
        match one_layout(agent, &program, prepare, seed) {
            Ok(()) => agreed += 1,
            Err(told) => println!("layout {seed}: {told}"),
        }
    }
    println!("{}: {agreed} of {all} layouts agree", agent.title());
    assert_eq!(agreed, all, "layouts of {} that agree", agent.title());
}

fn one_layout(agent: InstructionAgent, program: &Path, prepare: Prepare, seed: u64) -> Result<(), String> {
    let temporary = tempfile::tempdir().expect("a directory");
    let home = temporary.path().canonicalize().expect("a path").join("home/me");
    let unique = temporary.path().file_name().unwrap_or_default().to_string_lossy().replace('.', "");
    let layout = Layout::new(agent.as_str(), seed, &unique);
    layout.write(&home);
    let server = Server::start();
    server.log().reads = layout.reads(&home).iter().map(|path| path.display().to_string()).collect();
    let mut command = Command::new("nice");
    command.args(["-n", "19"]).arg(program).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", &home);
    // What it asks of any other host goes nowhere.
    for name in ["HTTPS_PROXY", "HTTP_PROXY"] {
        command.env(name, "http://127.0.0.1:9");
    }
    command.env("NO_PROXY", "127.0.0.1,localhost").env("TMPDIR", temporary.path());
    command.env("CLAUDE_CODE_TMPDIR", temporary.path());
    prepare(&mut command, &layout, &home, &server);
    let variables: Vec<(&str, String)> = layout
        .env
        .iter()
        .map(|(name, value)| (*name, value.replace("{HOME}", &home.display().to_string())))
        .collect();
    command.envs(variables.clone());
    let start = home.join(&layout.start);
    let mut surroundings = Surroundings::new(home.clone(), Platform::current());
    surroundings.managed_directory = home.join("nobody");
    surroundings.env =
        variables.into_iter().map(|(name, value)| (name.to_owned(), OsString::from(value))).collect();
    let listed = instructions(&surroundings, Some(&start));
    let ran = command.current_dir(&start).stdin(Stdio::null()).output().expect("the program runs");
    let bodies = std::mem::take(&mut server.log().bodies);
    let Some(first) = bodies.first() else {
        return Err(format!(
            "sent nothing: {} {}",
            String::from_utf8_lossy(&ran.stdout),
            String::from_utf8_lossy(&ran.stderr)
        ));
    };
    let rows: Vec<&Instruction> = listed.files.iter().filter(|file| file.agent == agent).collect();
    let taken = |states: &[InstructionState]| -> BTreeSet<String> {
        let rows = rows.iter().filter(|row| states.contains(&row.state));
        // A rule for files that nobody read is not sent.
        let rows =
            rows.filter(|row| row.globs.is_empty() || row.globs.iter().any(|glob| !glob.contains("zzz")));
        rows.flat_map(|row| marks(&row.loaded().unwrap_or_default())).collect()
    };
    let mut text = String::new();
    strings(first, &mut text);
    let at_start = marks(&text);
    bodies.iter().skip(1).for_each(|body| strings(body, &mut text));
    let later: BTreeSet<String> = marks(&text).difference(&at_start).cloned().collect();
    let listed_at_start = taken(&[InstructionState::Loaded, InstructionState::Cut]);
    let on_demand: BTreeSet<String> =
        taken(&[InstructionState::OnDemand]).difference(&listed_at_start).cloned().collect();
    let whole = |row: &&&Instruction| {
        // Gemini CLI puts what is imported in place of its name.
        let is_plain =
            agent != InstructionAgent::Gemini || !row.loaded().is_some_and(|text| text.contains('@'));
        is_plain && matches!(row.state, InstructionState::Loaded | InstructionState::Cut)
    };
    let changed = rows.iter().filter(whole).find(|row| {
        row.loaded()
            .is_some_and(|loaded| !text.contains(loaded.trim_matches(['\u{feff}', '\n', '\r', ' ', '\t'])))
    });
    let mut told = Vec::new();
    for (what, sent, list) in [("at the start", at_start, listed_at_start), ("on demand", later, on_demand)] {
        let names = |marks: Vec<&String>| -> Vec<String> {
            marks.into_iter().map(|mark| format!("{mark} ({})", layout.holder(mark))).collect()
        };
        let (missing, extra): (Vec<_>, Vec<_>) =
            (names(sent.difference(&list).collect()), names(list.difference(&sent).collect()));
        if !missing.is_empty() || !extra.is_empty() {
            told.push(format!("{what}: sent and not listed {missing:?}, listed and not sent {extra:?}"));
        }
    }
    told.extend(changed.map(|row| format!("{} is sent otherwise: {:?}", row.path.display(), row.loaded())));
    if told.is_empty() {
        return Ok(());
    }
    let rows: Vec<String> = rows
        .iter()
        .map(|row| {
            let path = row.path.strip_prefix(&home).unwrap_or(&row.path).display().to_string();
            format!("{}{} {path}", "  ".repeat(row.depth), row.state.as_str())
        })
        .collect();
    Err(format!(
        "{}\n  start {}\n  {}\n{}",
        told.join("\n  "),
        layout.start,
        rows.join("\n  "),
        layout.shown(&settings_of(agent, &home))
    ))
}

fn settings_of(agent: InstructionAgent, home: &Path) -> String {
    let file = match agent {
        InstructionAgent::ClaudeCode => ".claude/settings.json",
        InstructionAgent::Codex => ".codex/config.toml",
        InstructionAgent::Gemini => ".gemini/settings.json",
        InstructionAgent::Opencode => ".config/opencode/opencode.json",
    };
    std::fs::read_to_string(home.join(file)).unwrap_or_default()
}

impl Layout {
    /// The file that holds a word.
    fn holder(&self, mark: &str) -> String {
        let holds = |content: &Content| matches!(content, Content::Text(text) if text.contains(mark));
        self.files
            .iter()
            .find(|(_, content)| holds(content))
            .map(|(path, _)| path.clone())
            .unwrap_or_default()
    }

    fn shown(&self, settings: &str) -> String {
        let mut shown = format!("  settings {settings:?}, environment {:?}\n", self.env);
        for (path, content) in
            self.files.iter().filter(|(path, _)| !path.contains(".git/") && !path.ends_with("x.rs"))
        {
            match content {
                Content::Text(text) => {
                    let text: String = text.chars().take(300).collect();
                    shown.push_str(&format!("    {path} {text:?}\n"));
                }
                Content::Link(to) => shown.push_str(&format!("    {path} -> {to}\n")),
            }
        }
        shown
    }
}

/// The words that tell files apart.
fn marks(text: &str) -> BTreeSet<String> {
    let at = text.match_indices("MARK").filter_map(|(at, _)| text.get(at..at + 8));
    at.filter(|mark| mark.ends_with('X')).map(str::to_owned).collect()
}

/// Every string of a request.
fn strings(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push('\n');
        }
        Value::Array(list) => list.iter().for_each(|one| strings(one, into)),
        Value::Object(fields) => fields.values().for_each(|one| strings(one, into)),
        _ => {}
    }
}
