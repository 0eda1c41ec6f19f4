//! Made-up sessions with recorded requests, for benchmarks: the shape of today's client, text of no one.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Requests of a session.
pub(crate) const REQUESTS: usize = 70;

/// A home with a memory, and sessions that loaded it: the folder of the memory, and bytes of the sessions.
pub(crate) fn home(home: &Path, sessions: usize) -> std::io::Result<(PathBuf, u64)> {
    let project = home.join(".claude/projects/-home-ada-shop");
    let memory = project.join("memory");
    std::fs::create_dir_all(&memory)?;
    let index: String = (1..=260).map(|line| format!("- fact number {line} of the index\n")).collect();
    std::fs::write(memory.join("MEMORY.md"), &index)?;
    let topic: String = (1..=80).map(|line| format!("topic line {line}\n")).collect();
    std::fs::write(memory.join("topic.md"), topic)?;
    let mut bytes = 0;
    for number in 0..sessions {
        let path = project.join(format!("00000000-0000-4000-8000-{number:012}.jsonl"));
        session(&path, &memory, &index, number)?;
        bytes += std::fs::metadata(&path)?.len();
    }
    Ok((memory, bytes))
}

fn hash(value: &Value) -> String {
    Sha256::digest(value.to_string()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn line(file: &mut impl Write, kind: &str, fields: &Value) -> std::io::Result<()> {
    writeln!(file, "{{\"type\":\"{kind}\",{}", &fields.to_string()[1..])
}

/// A shell command, in the forms in which models write them.
fn command(number: usize, turn: usize) -> String {
    match (number + turn) % 8 {
        0 => format!("cd /home/ada/shop && cargo test -p shop --lib case_{number}_{turn} 2>&1 | tail -20"),
        1 => format!(
            "git add -A && git commit -m \"$(cat <<'EOF'\nChange part {turn}\n\nIt was {number}.\nEOF\n)\""
        ),
        2 => format!("rg -n 'part_{turn}' src | head -40; ls -la src"),
        3 => format!("for file in src/*.rs; do wc -l \"$file\"; done | sort -n | tail -{turn}"),
        4 => "npx tsc --noEmit && npm run lint".to_owned(),
        5 => format!("git -C /home/ada/shop diff --stat HEAD~{turn}"),
        6 => format!("sed -n '1,{turn}0p' src/part_{number}.rs"),
        _ => format!("CI=1 timeout 60 python3 -c 'print({number} + {turn})' || echo failed"),
    }
}

/// A session as Claude Code 2.1.330 writes one: it loads the index, reads a topic, and works.
fn session(path: &Path, memory: &Path, index: &str, number: usize) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let file = &mut file;
    let mut second = 0;
    let mut time = || {
        second += 1;
        format!("2026-11-{:02}T{:02}:{:02}:{:02}Z", 1 + number % 20, number % 24, second / 60, second % 60)
    };
    let tool =
        |tool: usize| json!({"description": "Reads a file. ".repeat(200), "name": format!("Tool{tool}")});
    let shape = json!({"system": [{"text": "You write code. ".repeat(1_500), "type": "text"}],
        "tools": (0..20).map(tool).collect::<Vec<_>>()});
    let path_of = |name: &str| memory.join(name).display().to_string();
    let shown: String = index.lines().take(200).map(|line| format!("{line}\n")).collect();
    let content = format!(
        "{shown}\n> WARNING: MEMORY.md is 260 lines (limit: 200). Only part of it was loaded: 60 of 260 lines were cut off, starting at line 201 (\"- x\")."
    );
    let rendered =
        format!("<system-reminder>\nContents of {}:\n\n{content}\n</system-reminder>", path_of("MEMORY.md"));
    let first = json!({"content": [{"text": rendered, "type": "text"}, {"text": "Go on.", "type": "text"}], "role": "user"});
    line(
        file,
        "user",
        &json!({"uuid": "u", "sessionId": "s", "version": "2.1.330", "cwd": "/home/ada/shop", "timestamp": time(),
        "message": {"role": "user", "content": "Go on."}}),
    )?;
    let files = json!([{"path": path_of("MEMORY.md"), "type": "AutoMem", "content": content}]);
    line(
        file,
        "attachment",
        &json!({"uuid": "i", "parentUuid": "u", "version": "2.1.330", "timestamp": time(),
        "attachment": {"type": "instructions", "files": files}, "rendered": [{"content": rendered}]}),
    )?;
    line(file, "api-request-shape", &json!({"shapeHash": hash(&shape), "shape": shape}))?;
    line(file, "api-request-blob", &json!({"hash": hash(&first), "message": first}))?;
    let params = json!({"max_tokens": 64_000, "model": "claude-opus-4-8"});
    let mut messages = vec![first];
    let (mut kept, mut parent) = (0, "i".to_owned());
    for turn in 0..REQUESTS {
        let body = json!({"max_tokens": 64_000, "messages": messages, "model": "claude-opus-4-8",
            "system": shape["system"], "tools": shape["tools"]});
        let tail: Vec<String> = messages[kept..].iter().map(hash).collect();
        let mut request = json!({"id": format!("r{turn}"), "version": "2.1.330", "querySource": "sdk", "shapeHash": hash(&shape),
            "params": params, "keep": kept, "tail": tail, "cacheControl": [], "requestDigest": hash(&body)});
        if kept > 0 {
            request["base"] = format!("r{}", turn - 1).into();
        }
        line(file, "api-request", &request)?;
        kept = messages.len();
        let call = match turn {
            3 => {
                json!({"id": format!("toolu_{turn}"), "input": {"file_path": path_of("topic.md")}, "name": "Read", "type": "tool_use"})
            }
            turn if turn % 9 == 5 => {
                let input = json!({"file_path": format!("/home/ada/shop/src/part_{turn}.rs"), "old_string": "a", "new_string": "b"});
                json!({"id": format!("toolu_{turn}"), "input": input, "name": "Edit", "type": "tool_use"})
            }
            _ => {
                json!({"id": format!("toolu_{turn}"), "input": {"command": command(number, turn)}, "name": "Bash", "type": "tool_use"})
            }
        };
        let answer = json!({"content": [call], "role": "assistant"});
        line(
            file,
            "assistant",
            &json!({"uuid": format!("a{turn}"), "parentUuid": parent, "version": "2.1.330", "timestamp": time(),
            "requestRef": format!("r{turn}"), "message": {"id": format!("msg_{number}_{turn}"), "role": "assistant", "model": "claude-opus-4-8",
            "content": [call], "stop_reason": "tool_use", "usage": {"input_tokens": 9, "output_tokens": 9}}}),
        )?;
        let result = match turn {
            3 => (1..=80).map(|line| format!("{line}\ttopic line {line}")).collect::<Vec<_>>().join("\n"),
            _ => (0..200)
                .map(|line| format!("test shop::case_{number}_{turn}_{line} ... ok"))
                .collect::<Vec<_>>()
                .join("\n"),
        };
        let answered = json!({"content": [{"content": result, "tool_use_id": format!("toolu_{turn}"), "type": "tool_result"}], "role": "user"});
        parent = format!("r{turn}");
        line(
            file,
            "user",
            &json!({"uuid": parent, "parentUuid": format!("a{turn}"), "version": "2.1.330", "timestamp": time(), "message": answered}),
        )?;
        messages.extend([answer, answered]);
    }
    Ok(())
}
