//! Who of an agent is at work in a transcript: the main agent, a subagent it was asked to start, or one that the client runs
//! by itself in the background to look after memory.
//!
//! Distinguishing marks (spec: claude-code-memory.md; transcripts.md, sections 1 and 2):
//! - A line of a subagent has `isSidechain` and an `agentId`; the reader makes a conversation of its own of it
//!   ([`Session::agent`](crate::Session::agent)).
//! - A fork that the client makes of the conversation has an id of `a`, a label, `-` and hex digits, where that of a subagent
//!   is `a` and hex digits (measured: `acompact-fffbd0` beside `a881341`). A subagent that was given a name has such an id as
//!   well, so only labels known to be the client's own count.
//! - A fork that looks after memory begins with a prompt that says so.
//! - Extractions are mostly not written to any transcript. What they wrote is named afterwards in the session's own file, in a
//!   line of `type` `system` and `subtype` `memory_saved`: [`background_saves`].
//!
//! Deliberately absent: which of the files of a directory are whose. The path of a transcript is not needed to tell.

use crate::lenient::{List, Text, lenient_object};
use crate::model::{Block, BlockKind, Origin, Role, Transcript};
use crate::surrogates;
use memchr::memmem;
use retrace_model::Timestamp;

/// Who of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WriterRole {
    /// The agent the person talks to.
    Main,
    /// One that the main agent started.
    Subagent,
    /// One that the client runs by itself: an extraction of memories after an answer, or tidying of a memory.
    Background,
}

impl WriterRole {
    /// The word for it in every output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Subagent => "subagent",
            Self::Background => "background",
        }
    }
}

/// Labels of the forks that the client makes by itself. `compact`, `prompt_suggestion` and `side_question` are seen in
/// names of public transcripts; the others are named by third-party descriptions of the client.
const BACKGROUND_LABELS: [&str; 9] = [
    "agent_summary",
    "auto_dream",
    "compact",
    "extract_memories",
    "magic_docs",
    "prompt_suggestion",
    "session_memory",
    "side_question",
    "speculation",
];

/// Openings of the prompts with which the client starts a fork that writes memory. Source: prompts extracted from the
/// shipped product, as public collections of them have it.
const BACKGROUND_PROMPTS: [&str; 3] = [
    "You are now acting as the memory extraction subagent",
    "# Dream: Memory Consolidation",
    "# Dream: Memory Pruning",
];

/// `subtype` of the line that names what an extraction wrote.
pub(crate) const MEMORY_SAVED: &str = "memory_saved";

/// Who of an agent speaks in `transcript`: one of the conversations of a [`Reading`](crate::Reading).
///
/// [`WriterRole::Main`] also where a format knows no other.
#[must_use]
pub fn writer_role(transcript: &Transcript) -> WriterRole {
    let Some(agent) = transcript.session.agent.as_deref() else { return WriterRole::Main };
    let prompts = transcript
        .messages
        .iter()
        .filter(|message| message.role == Role::User && message.origin != Origin::ToolResults)
        .flat_map(|message| &message.blocks);
    if is_background_agent(agent) || prompts.filter_map(text).any(is_background_prompt) {
        WriterRole::Background
    } else {
        WriterRole::Subagent
    }
}

fn text(block: &Block) -> Option<&str> {
    match &block.kind {
        BlockKind::Text { text } => Some(text),
        _ => None,
    }
}

fn is_background_prompt(text: &str) -> bool {
    let text = text.trim_start();
    BACKGROUND_PROMPTS.iter().any(|beginning| text.starts_with(beginning))
}

/// True if an `agentId` (with or without the `agent-` of a file's name) is one of the client's own forks.
#[must_use]
pub fn is_background_agent(agent: &str) -> bool {
    let agent = agent.strip_prefix("agent-").unwrap_or(agent);
    let Some((label, digits)) = agent.strip_prefix('a').and_then(|rest| rest.rsplit_once('-')) else {
        return false;
    };
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && BACKGROUND_LABELS.contains(&label)
}

/// Reported write of a background extraction, in the transcript of the session it ran for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundSave {
    /// The files, as they are named there: absolute paths.
    pub paths: Vec<String>,
    /// The session.
    pub session: Option<String>,
    /// When it was done; the files were written before.
    pub at: Option<Timestamp>,
    /// Its line in the file, from 1.
    pub line: u32,
}

lenient_object! {
    /// A line that may say what an extraction wrote. The SDK's stream spells it in snake case.
    struct RawSave<'a> {
        kind: Text<'a> = "type",
        subtype: Text<'a> = "subtype",
        session: Text<'a> = "sessionId",
        session_snake: Text<'a> = "session_id",
        timestamp: Text<'a> = "timestamp",
        paths: List<Text<'a>> = "writtenPaths",
        paths_snake: List<Text<'a>> = "written_paths",
    }
}

/// Reported writes of background extractions, by the lines of a Claude Code session that say so, in the order of the
/// file. Lines that cannot be read, and those that name no file, are left out. Costs one search over the bytes where
/// there is none.
#[must_use]
pub fn background_saves(bytes: &[u8]) -> Vec<BackgroundSave> {
    if memmem::find(bytes, MEMORY_SAVED.as_bytes()).is_none() {
        return Vec::new();
    }
    let bytes = surrogates::repaired(bytes);
    let lines = bytes.split(|byte| *byte == b'\n').zip(1..);
    lines.filter_map(|(line, number)| save_of(line, number)).collect()
}

fn save_of(bytes: &[u8], line: u32) -> Option<BackgroundSave> {
    memmem::find(bytes, MEMORY_SAVED.as_bytes())?;
    let raw: RawSave<'_> = serde_json::from_slice(bytes).ok()?;
    if raw.kind.as_str() != Some("system") || raw.subtype.as_str() != Some(MEMORY_SAVED) {
        return None;
    }
    let named = raw.paths.0.into_iter().chain(raw.paths_snake.0);
    let paths: Vec<String> = named.filter_map(Text::into_string).filter(|path| !path.is_empty()).collect();
    (!paths.is_empty()).then(|| BackgroundSave {
        paths,
        session: raw.session.into_string().or(raw.session_snake.into_string()),
        at: raw.timestamp.as_str().and_then(|at| Timestamp::parse(at).ok()),
        line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use serde_json::{Value, json};

    fn line(agent: Option<&str>, text: &str) -> Value {
        json!({
            "type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s1", "isSidechain": agent.is_some(),
            "agentId": agent, "timestamp": "2026-03-01T10:00:00Z", "message": {"role": "user", "content": text},
        })
    }

    fn role(agent: Option<&str>, text: &str) -> WriterRole {
        let reading = read(line(agent, text).to_string().as_bytes()).expect("a session");
        writer_role(&reading.transcripts[0])
    }

    #[test]
    fn the_role_is_known_by_the_id_and_by_the_first_prompt() {
        let extraction =
            "You are now acting as the memory extraction subagent. Analyze the 4 messages above.";
        for (agent, text, expected) in [
            (None, "Tidy up, please", WriterRole::Main),
            // A person may quote it; only a conversation beside the main one counts.
            (None, extraction, WriterRole::Main),
            (Some("a881341"), "Look for the parser", WriterRole::Subagent),
            (Some("a1f2e3d4c5b6a7980"), extraction, WriterRole::Background),
            (
                Some("a1f2e3d4c5b6a7980"),
                "# Dream: Memory Consolidation\n\nGo over it.",
                WriterRole::Background,
            ),
            (Some("aextract_memories-70d8e7"), "Go on", WriterRole::Background),
            (Some("acompact-fffbd0"), "Sum it up", WriterRole::Background),
            // A subagent that has a name of its own.
            (Some("areviewer-70d8e7"), "Review it", WriterRole::Subagent),
        ] {
            assert_eq!(role(agent, text), expected, "{agent:?} {text}");
        }
    }

    #[test]
    fn ids_of_forks() {
        for agent in ["aauto_dream-0", "agent-asession_memory-33eb9bdd097be81e", "aside_question-ab"] {
            assert!(is_background_agent(agent), "{agent}");
        }
        for agent in
            ["", "a", "a-", "acompact", "acompact-", "acompact-xyz", "compact-ab", "a881341", "agent-"]
        {
            assert!(!is_background_agent(agent), "{agent}");
        }
    }

    #[test]
    fn saves_are_found_among_other_lines() {
        let lines = [
            line(None, "Say memory_saved").to_string(),
            json!({
                "type": "system", "subtype": "memory_saved", "uuid": "u2", "sessionId": "s1",
                "timestamp": "2026-03-01T10:05:00Z", "writtenPaths": ["/m/a.md", "", 4, "/m/team/b.md"],
            })
            .to_string(),
            "{\"subtype\":\"memory_saved\",".to_owned(),
            json!({"type": "system", "subtype": "memory_saved", "writtenPaths": []}).to_string(),
            json!({"type": "system", "subtype": "memory_saved", "session_id": "s2", "written_paths": ["/m/c.md"]})
                .to_string(),
        ];
        let saves = background_saves(lines.join("\n").as_bytes());
        let reported: Vec<_> =
            saves.iter().map(|save| (save.line, save.paths.join(" "), save.session.as_deref())).collect();
        assert_eq!(
            reported,
            [(2, "/m/a.md /m/team/b.md".to_owned(), Some("s1")), (5, "/m/c.md".to_owned(), Some("s2"))]
        );
        assert_eq!(saves[0].at, Timestamp::parse("2026-03-01T10:05:00Z").ok());
        assert!(background_saves(b"").is_empty());
    }
}
