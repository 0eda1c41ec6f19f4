//! Calls of tools against real clients: each call of each answer is known once, also where several came together or failed.

use super::rig::{Numbers, sessions, shown};
use super::{MODELS, codex, gemini, opencode, rig};
use retrace_api::wire::{ContextShow, TurnBlockKind, TurnReq};
use retrace_api::{commands, wire};
use retrace_tests::World;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Sessions of each client.
const SESSIONS: u64 = 3;

/// A call that a script makes, whatever the client's tools are called.
enum Does {
    Count(u64),
    Fail,
    ReadAbsent,
    Write(String),
    Unknown,
}

/// Random turns of one to four calls, and a last one without.
fn turns(seed: u64) -> Vec<Vec<Does>> {
    let mut numbers = Numbers(seed);
    let mut turns: Vec<Vec<Does>> = Vec::new();
    for turn in 0..3 + numbers.below(3) {
        let calls = (0..=numbers.below(4)).map(|call| match numbers.below(6) {
            0 | 1 => Does::Count(numbers.below(40)),
            2 => Does::Fail,
            3 => Does::ReadAbsent,
            4 => Does::Write(format!("{seed}-{turn}-{call}.md")),
            _ => Does::Unknown,
        });
        turns.push(calls.collect());
    }
    turns
}

/// The turns as a script, with a text at the end.
fn script(seed: u64, call: impl Fn(&Does) -> Value, text: impl Fn(&str) -> Value) -> Vec<Vec<Value>> {
    let mut script: Vec<Vec<Value>> =
        turns(seed).iter().map(|calls| calls.iter().map(&call).collect()).collect();
    script.push(vec![text("Finished.")]);
    script
}

/// A message of a request, or its answer.
fn turn(world: &World, transcript: &str, request: u64, limit: u64) -> wire::Turn {
    let transcript = transcript.to_owned();
    let asked = TurnReq { transcript, request, limit: Some(limit), ..TurnReq::default() };
    commands::context_turn(&world.app, asked).expect("a turn")
}

/// Holds the calls of every answer of a conversation, and their results in the next request, against what was answered; how
/// many calls. `called`: names of the calls of an answer, by the tokens of its output.
fn held_against(world: &World, shown: &ContextShow, called: &BTreeMap<u64, usize>) -> usize {
    let transcript = &shown.transcript;
    let mut all = BTreeSet::new();
    for row in &shown.requests {
        let output = row.recorded.as_ref().expect("usage").output;
        let told = called.get(&output).unwrap_or_else(|| panic!("{transcript}: {row:?}"));
        let messages = turn(world, transcript, row.index, 1).messages;
        let answer = messages.last().filter(|message| message.answer).expect("an answer");
        let calls = answer.blocks.iter().filter(|block| block.block == TurnBlockKind::ToolUse);
        let ids: Vec<String> = calls.map(|block| block.tool_use_id.clone().expect("an id")).collect();
        assert_eq!(ids.len(), *told, "{transcript} at {}: {ids:?}", row.index);
        if row.index + 1 < shown.requests.len() as u64 {
            let next = turn(world, transcript, row.index + 1, 400).messages;
            let results = next.iter().filter(|message| !message.answer).flat_map(|message| &message.blocks);
            let results: Vec<&String> = results
                .filter(|block| block.block == TurnBlockKind::ToolResult)
                .filter_map(|block| block.tool_use_id.as_ref())
                .collect();
            for id in &ids {
                assert_eq!(results.iter().filter(|result| **result == id).count(), 1, "{transcript}: {id}");
            }
        }
        for id in ids {
            assert!(all.insert(id.clone()), "{transcript}: {id} twice");
        }
    }
    // The composition of the last request counts those before it.
    let last = shown.requests.len() as u64 - 1;
    let request = wire::CompositionReq { transcript: transcript.clone(), request: last };
    let composition = commands::context_composition(&world.app, request).expect("a composition");
    let counted: u64 = composition.tool_inputs.iter().map(|named| named.count).sum();
    assert_eq!(counted, all.len() as u64, "{transcript}: {:?}", composition.tool_inputs);
    all.len()
}

/// Every session of a format; how many calls.
fn every_session(world: &World, format: &str, called: &BTreeMap<u64, usize>) -> usize {
    let rows = sessions(world, format);
    assert_eq!(rows.len() as u64, SESSIONS);
    rows.iter().map(|row| held_against(world, &shown(world, &row.id), called)).sum()
}

#[test]
fn each_call_of_codex_is_known_once() {
    let Some(rig) = codex::rig() else { return };
    let project = rig.world.path("project");
    for seed in 0..SESSIONS {
        let shell = |command: String| json!({"call": "exec_command", "args": {"cmd": command}});
        let call = |does: &Does| match does {
            Does::Count(number) => shell(format!("seq {number}")),
            Does::Fail => shell("false".to_owned()),
            Does::ReadAbsent => shell(format!("cat {}", project.join("absent.txt").display())),
            Does::Write(name) => shell(format!("echo words > {name}")),
            Does::Unknown => json!({"call": "no_such_tool", "args": {"a": 1}}),
        };
        rig.api.play(script(seed, call, |text| json!(text)));
        rig.run(codex::MODELS[0], false, &["Go on"]);
    }
    let called = {
        let log = rig.api.log();
        let turns = log.answered.iter().filter(|answer| answer.is_turn);
        turns
            .map(|answer| (answer.usage["output_tokens"].as_u64().unwrap_or(0), answer.calls.len()))
            .collect()
    };
    let found = every_session(&rig.world, "codex", &called);
    assert_eq!(found, called.values().sum::<usize>());
}

#[test]
fn each_call_of_gemini_cli_is_known_once() {
    let Some(rig) = gemini::rig() else { return };
    let project = rig.world.path("project");
    let call = |name: &str, args: Value| json!({"call": name, "args": args});
    let shell =
        |command: String| call("run_shell_command", json!({"command": command, "description": "Run"}));
    for seed in 0..SESSIONS {
        let call = |does: &Does| match does {
            Does::Count(number) => shell(format!("seq {number}")),
            Does::Fail => shell("false".to_owned()),
            Does::ReadAbsent => call("read_file", json!({"file_path": project.join("absent.txt")})),
            Does::Write(name) => {
                call("write_file", json!({"file_path": project.join(name), "content": "words\n"}))
            }
            Does::Unknown => call("no_such_tool", json!({"a": 1})),
        };
        rig.api.play(script(seed, call, |text| json!(text)));
        rig.run("Go on", &[]);
    }
    let called = {
        let log = rig.api.log();
        let count = |usage: &Value, name: &str| usage[name].as_u64().unwrap_or(0);
        let turns = log.answered.iter().filter(|answer| answer.is_turn);
        turns
            .map(|answer| {
                let output =
                    count(&answer.usage, "candidatesTokenCount") + count(&answer.usage, "thoughtsTokenCount");
                (output, answer.calls.len())
            })
            .collect()
    };
    let found = every_session(&rig.world, "gemini", &called);
    assert_eq!(found, called.values().sum::<usize>());
}

/// Calls of the Messages API, by the names of a client's tools and of their parameters.
fn calls_of(names: [&str; 3], path: &str, project: &Path, does: &Does) -> Value {
    let call = |name: &str, input: Value| json!({"type": "tool_use", "name": name, "input": input});
    let [shell, read, write] = names;
    let shell = |command: String| call(shell, json!({"command": command, "description": "Run"}));
    match does {
        Does::Count(number) => shell(format!("seq {number}")),
        Does::Fail => shell("false".to_owned()),
        Does::ReadAbsent => call(read, json!({path: project.join("absent.txt")})),
        Does::Write(name) => call(write, json!({path: project.join(name), "content": "words\n"})),
        Does::Unknown => call("no_such_tool", json!({"a": 1})),
    }
}

#[test]
fn each_call_of_opencode_is_known_once() {
    let Some(rig) = opencode::rig() else { return };
    let project = rig.world.path("project");
    for seed in 0..SESSIONS {
        let call = |does: &Does| calls_of(["bash", "read", "write"], "filePath", &project, does);
        rig.api.play(script(seed, call, |text| json!({"type": "text", "text": text})));
        rig.run(&["Go on"]);
    }
    let turns = rig.answered().into_iter().filter(|answer| answer.is_turn);
    let called: BTreeMap<u64, usize> = turns
        .map(|answer| (answer.usage["totalTokenCount"].as_u64().unwrap_or(0), answer.calls.len()))
        .collect();
    let found = every_session(&rig.world, "opencode", &called);
    assert_eq!(found, called.values().sum::<usize>());
}

#[test]
fn each_call_of_claude_code_is_known_once() {
    let Some(rig) = rig() else { return };
    let project = rig.project();
    for seed in 0..SESSIONS {
        let call = |does: &Does| calls_of(["Bash", "Read", "Write"], "file_path", &project, does);
        rig.api.play(script(seed, call, |text| json!({"type": "text", "text": text})));
        let id = format!("00000000-0000-4000-8000-{:012}", 600 + seed);
        let model = MODELS[usize::try_from(seed).expect("small") % MODELS.len()];
        rig.run(&["-p", "Go on", "--model", model, "--session-id", &id]);
    }
    let called: BTreeMap<u64, usize> = {
        let log = rig.api.log();
        let of = |((_, usage), calls): (&(String, Value), &Vec<String>)| {
            (usage["output_tokens"].as_u64().unwrap_or(0), calls.len())
        };
        log.usage.iter().zip(&log.calls).map(of).collect()
    };
    let found = every_session(&rig.world, "claude-code", &called);
    assert_eq!(found, called.values().sum::<usize>());
}
