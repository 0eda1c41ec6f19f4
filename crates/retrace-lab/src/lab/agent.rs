//! What a client keeps of a subagent: Claude Code in `agent-ID.meta.json` beside its transcript (seen in 2.1.265 and later;
//! `finished` in 2.1.330), Codex in the first line of its rollout (0.169), Gemini CLI in the call of the session that started
//! it (0.61).

use crate::wire::AgentFacts;
use memchr::memmem;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

/// Larger files are something else.
const LARGEST: u64 = 64 << 10;

/// Longest first line of a rollout: it holds the base instructions.
const LONGEST_LINE: u64 = 4 << 20;

/// A session in which a call is searched for.
const LARGEST_SESSION: u64 = 256 << 20;

/// The folder that a session's subagents lie in.
const FOLDER: &str = "subagents";

/// The facts of the subagent whose transcript this is; `None` where nothing says that it is one.
pub(crate) fn facts(transcript: &Path) -> Option<AgentFacts> {
    if retrace_sessions::is_in_database(transcript) {
        return opencode(&retrace_sessions::read(transcript).ok()?);
    }
    beside(transcript).or_else(|| {
        let file = File::open(transcript).ok()?;
        let mut line = Vec::new();
        BufReader::new(file.take(LONGEST_LINE)).read_until(b'\n', &mut line).ok()?;
        let first: Value = serde_json::from_slice(&line).ok()?;
        codex(&first).or_else(|| gemini(&first, transcript))
    })
}

fn beside(transcript: &Path) -> Option<AgentFacts> {
    let beside = transcript.with_extension("meta.json");
    let mut bytes = Vec::new();
    File::open(beside).ok()?.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > LARGEST {
        return None;
    }
    let told: Value = serde_json::from_slice(&bytes).ok()?;
    let text = |name: &str| told[name].as_str().map(str::to_owned);
    let folder = transcript.parent().filter(|folder| folder.ends_with(FOLDER));
    let session = folder.and_then(Path::parent).and_then(Path::file_name);
    Some(AgentFacts {
        agent_type: text("agentType")?,
        description: text("description"),
        tool_use_id: text("toolUseId"),
        depth: told["spawnDepth"].as_u64(),
        background: told["requestShape"] == "background",
        finished: told["finished"].as_bool(),
        session: session.map(|session| session.to_string_lossy().into_owned()),
    })
}

fn opencode(session: &[u8]) -> Option<AgentFacts> {
    let first = session.split(|byte| *byte == b'\n').next()?;
    let told: Value = serde_json::from_slice(first).ok()?;
    let text = |name: &str| told["info"][name].as_str().map(str::to_owned);
    Some(AgentFacts {
        agent_type: text("agent").unwrap_or_default(),
        description: text("title"),
        session: Some(text("rootID").or_else(|| text("parentID"))?),
        ..AgentFacts::default()
    })
}

fn codex(first: &Value) -> Option<AgentFacts> {
    let told = &first["payload"];
    let source = told.get("source").filter(|_| first["type"] == "session_meta")?.get("subagent")?;
    let spawn = &source["thread_spawn"];
    let text = |name: &str| told[name].as_str().or(spawn[name].as_str()).map(str::to_owned);
    let own = text("id");
    let mut above = [text("session_id"), text("parent_thread_id")].into_iter().flatten();
    Some(AgentFacts {
        // Agents of the client's own are named by one word.
        agent_type: text("agent_role").or_else(|| source.as_str().map(str::to_owned)).unwrap_or_default(),
        description: text("agent_nickname"),
        depth: spawn["depth"].as_u64(),
        session: above.find(|id| Some(id) != own.as_ref()),
        ..AgentFacts::default()
    })
}

/// Its folder is called as the session; the call is searched for there.
fn gemini(first: &Value, transcript: &Path) -> Option<AgentFacts> {
    let own = first["sessionId"].as_str().filter(|_| first["kind"] == "subagent")?;
    let folder = transcript.parent()?;
    let session = folder.file_name()?.to_string_lossy().into_owned();
    let call = folder.parent().and_then(|chats| call_of(chats, &session, own));
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Some(AgentFacts {
        agent_type: call.as_ref().and_then(|call| text(&call["args"]["agent_name"])).unwrap_or_default(),
        tool_use_id: call.as_ref().and_then(|call| text(&call["id"])),
        finished: call.as_ref().map(|call| call["status"] == "success"),
        session: Some(session),
        ..AgentFacts::default()
    })
}

fn call_of(chats: &Path, session: &str, agent: &str) -> Option<Value> {
    // The name of a session's file ends with the beginning of its id.
    let ending = format!("-{}.jsonl", session.get(..8)?);
    let files = std::fs::read_dir(chats).ok()?.flatten().map(|entry| entry.path());
    for path in files.filter(|path| path.to_string_lossy().ends_with(&ending)) {
        let Ok(file) = File::open(&path) else { continue };
        for line in BufReader::new(file.take(LARGEST_SESSION)).split(b'\n').map_while(Result::ok) {
            if memmem::find(&line, agent.as_bytes()).is_none() {
                continue;
            }
            let Ok(line) = serde_json::from_slice::<Value>(&line) else { continue };
            let calls = line["toolCalls"].as_array().into_iter().flatten();
            if let Some(call) = calls.rev().find(|call| call["agentId"] == agent) {
                return Some(call.clone());
            }
        }
    }
    None
}
