//! What Claude Code keeps of a subagent beside its transcript: `agent-ID.meta.json` (seen in 2.1.265 and later; `finished` in 2.1.330).

use crate::wire::AgentFacts;
use serde_json::Value;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Larger files are something else.
const LARGEST: u64 = 64 << 10;

/// The folder that a session's subagents lie in.
const FOLDER: &str = "subagents";

/// The facts of the subagent whose transcript this is; `None` where no such file lies beside it.
pub(crate) fn facts(transcript: &Path) -> Option<AgentFacts> {
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
