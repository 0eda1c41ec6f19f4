//! One line of a session, in two depths over one shape: with its contents, or only with what an index needs.

use crate::lenient::{Content, Count, Flag, Link, List, Raw, Text, lenient_object, swallow};
use crate::usage::RawUsage;
use memchr::memmem;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// First client that writes the final usage with every block (changelog of the client; transcripts.md, 3.2).
const FINAL_OUTPUT_SINCE: [u64; 3] = [2, 1, 98];

/// `message.model` of what the client wrote in the model's name.
pub(crate) const SYNTHETIC_MODEL: &str = "<synthetic>";

/// One line. `M` is its `message`, `P` its `attachment`.
#[derive(Debug, Default)]
pub(crate) struct Line<'a, M, P> {
    pub kind: Text<'a>,
    pub subtype: Text<'a>,
    pub uuid: Text<'a>,
    pub parent: Link<'a>,
    pub logical_parent: Text<'a>,
    pub session_id: Text<'a>,
    /// `requestSessionId` of an answer that a fork repeats: the session that asked for it.
    pub asked_by: Text<'a>,
    /// True with `forkedFrom`, which a branch has on each line that it repeats.
    pub is_forked: Flag,
    pub timestamp: Text<'a>,
    pub cwd: Text<'a>,
    pub branch: Text<'a>,
    pub version: Text<'a>,
    pub agent_id: Text<'a>,
    pub is_sidechain: Flag,
    pub is_meta: Flag,
    pub is_summary: Flag,
    pub is_api_error: Flag,
    pub is_hidden: Flag,
    pub request_id: Text<'a>,
    pub summary: Text<'a>,
    /// `toolDenialKind`: who kept the call of this answer from ending well.
    pub denial: Text<'a>,
    pub custom_title: Text<'a>,
    pub generated_title: Text<'a>,
    pub compact: RawCompact<'a>,
    pub microcompact: RawMicrocompact<'a>,
    pub written_paths: List<Text<'a>>,
    /// `totalCostUSD` of a `cost-state` line.
    pub cost: Raw<'a>,
    /// `tools` of a `tools-used` line.
    pub tools: List<Text<'a>>,
    /// `operation` of a `queue-operation` line.
    pub operation: Text<'a>,
    /// `content` of such a line.
    pub content: Text<'a>,
    pub message: M,
    pub attachment: P,
    pub rendered: Content<'a>,
}

impl<'de: 'a, 'a, M, P> Deserialize<'de> for Line<'a, M, P>
where
    M: Deserialize<'de> + Default,
    P: Deserialize<'de> + Default,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LineVisitor<'a, M, P>(PhantomData<(&'a (), M, P)>);
        impl<'de: 'a, 'a, M, P> Visitor<'de> for LineVisitor<'a, M, P>
        where
            M: Deserialize<'de> + Default,
            P: Deserialize<'de> + Default,
        {
            type Value = Line<'a, M, P>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut line = Line::default();
                while let Some(key) = map.next_key::<Text<'de>>()? {
                    match key.or_empty() {
                        "type" => line.kind = map.next_value()?,
                        "subtype" => line.subtype = map.next_value()?,
                        "uuid" => line.uuid = map.next_value()?,
                        "parentUuid" => line.parent = map.next_value()?,
                        "logicalParentUuid" => line.logical_parent = map.next_value()?,
                        "sessionId" | "session_id" => line.session_id = map.next_value()?,
                        "requestSessionId" => line.asked_by = map.next_value()?,
                        "forkedFrom" => {
                            line.is_forked = Flag(map.next_value::<Option<IgnoredAny>>()?.is_some());
                        }
                        "timestamp" => line.timestamp = map.next_value()?,
                        "cwd" => line.cwd = map.next_value()?,
                        "gitBranch" => line.branch = map.next_value()?,
                        "version" => line.version = map.next_value()?,
                        "agentId" => line.agent_id = map.next_value()?,
                        "isSidechain" => line.is_sidechain = map.next_value()?,
                        "isMeta" => line.is_meta = map.next_value()?,
                        "isCompactSummary" => line.is_summary = map.next_value()?,
                        "isApiErrorMessage" => line.is_api_error = map.next_value()?,
                        "isVisibleInTranscriptOnly" => line.is_hidden = map.next_value()?,
                        // The SDK's stream tells a subagent's lines by the call that started it.
                        "parent_tool_use_id" => {
                            let call: Text<'a> = map.next_value()?;
                            if call.as_str().is_some() {
                                line.is_sidechain = Flag(true);
                                line.agent_id = call;
                            }
                        }
                        "requestId" => line.request_id = map.next_value()?,
                        "toolDenialKind" => line.denial = map.next_value()?,
                        "summary" => line.summary = map.next_value()?,
                        "customTitle" => line.custom_title = map.next_value()?,
                        "aiTitle" => line.generated_title = map.next_value()?,
                        "compactMetadata" | "compact_metadata" => line.compact = map.next_value()?,
                        "microcompactMetadata" | "microcompact_metadata" => {
                            line.microcompact = map.next_value()?;
                        }
                        "writtenPaths" | "written_paths" => line.written_paths = map.next_value()?,
                        "totalCostUSD" => line.cost = map.next_value()?,
                        "tools" => line.tools = map.next_value()?,
                        "operation" => line.operation = map.next_value()?,
                        "content" => line.content = map.next_value()?,
                        "message" => line.message = map.next_value()?,
                        "attachment" => line.attachment = map.next_value()?,
                        "rendered" => line.rendered = map.next_value()?,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(line)
            }
            swallow!(numbers);
            swallow!(bool);
            swallow!(null);
            swallow!(text);
            swallow!(list);
        }
        deserializer.deserialize_any(LineVisitor(PhantomData))
    }
}

lenient_object! {
    /// `compactMetadata`; the SDK's stream spells it in snake case.
    pub(crate) struct RawCompact<'a> {
        trigger: Text<'a> = "trigger",
        tokens_before: Count = "preTokens",
        tokens_before_snake: Count = "pre_tokens",
        tokens_after: Count = "postTokens",
        tokens_after_snake: Count = "post_tokens",
        preserved_segment: RawPreservedSegment<'a> = "preservedSegment",
        preserved_segment_snake: RawPreservedSegment<'a> = "preserved_segment",
        preserved_messages: RawPreservedMessages<'a> = "preservedMessages",
        preserved_messages_snake: RawPreservedMessages<'a> = "preserved_messages",
    }
}

lenient_object! {
    /// Messages kept by a compaction, from the first to the last.
    pub(crate) struct RawPreservedSegment<'a> {
        head: Text<'a> = "headUuid",
        head_snake: Text<'a> = "head_uuid",
        anchor: Text<'a> = "anchorUuid",
        anchor_snake: Text<'a> = "anchor_uuid",
        tail: Text<'a> = "tailUuid",
        tail_snake: Text<'a> = "tail_uuid",
    }
}

lenient_object! {
    /// Messages kept by a compaction, each by name.
    pub(crate) struct RawPreservedMessages<'a> {
        anchor: Text<'a> = "anchorUuid",
        anchor_snake: Text<'a> = "anchor_uuid",
        uuids: crate::lenient::List<Text<'a>> = "uuids",
    }
}

lenient_object! {
    /// `microcompactMetadata`.
    pub(crate) struct RawMicrocompact<'a> {
        tokens_before: Count = "preTokens",
        tokens_before_snake: Count = "pre_tokens",
        tokens_saved: Count = "tokensSaved",
        tokens_saved_snake: Count = "tokens_saved",
        tool_ids: crate::lenient::List<Text<'a>> = "compactedToolIds",
        tool_ids_snake: crate::lenient::List<Text<'a>> = "compacted_tool_ids",
        attachments: crate::lenient::List<Text<'a>> = "clearedAttachmentUUIDs",
    }
}

lenient_object! {
    /// `message` with what an index needs of it.
    pub(crate) struct LightMessage<'a> {
        id: Text<'a> = "id",
        model: Text<'a> = "model",
        stop_reason: Text<'a> = "stop_reason",
        usage: RawUsage<'a> = "usage",
        content: LightContent<'a> = "content",
    }
}

/// `message.content`: one string, or blocks.
#[derive(Debug, Default)]
pub(crate) enum LightContent<'a> {
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Blocks(Vec<LightBlock<'a>>),
}

impl<'de: 'a, 'a> Deserialize<'de> for LightContent<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for ContentVisitor<'a> {
            type Value = LightContent<'a>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(LightContent::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(LightContent::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = list.next_element()? {
                    blocks.push(block);
                }
                Ok(LightContent::Blocks(blocks))
            }
            swallow!(numbers);
            swallow!(bool);
            swallow!(null);
            swallow!(object);
        }
        deserializer.deserialize_any(ContentVisitor(PhantomData))
    }
}

lenient_object! {
    /// A block with what an index needs of it.
    pub(crate) struct LightBlock<'a> {
        kind: Text<'a> = "type",
        name: Text<'a> = "name",
        text: Text<'a> = "text",
        input: LightInput<'a> = "input",
    }
}

lenient_object! {
    /// Of a tool's input, where it points.
    pub(crate) struct LightInput<'a> {
        command: Text<'a> = "command",
        path: Text<'a> = "path",
        new_path: Text<'a> = "new_path",
        file_path: Text<'a> = "file_path",
        notebook_path: Text<'a> = "notebook_path",
    }
}

/// First client that writes with each attachment what was sent for it (`rendered`); seen in 2.1.280 and later, not in 2.1.265.
/// An attachment without it is then a record of the client's, of which nothing was sent.
pub(crate) const RENDERED_SINCE: [u64; 3] = [2, 1, 280];

/// The attachment that records system prompt and tools, of which nothing is sent.
pub(crate) const PROMPT_SNAPSHOT: &str = "prompt_snapshot";

/// True if a response's `output_tokens` is final: the client writes the usage of the end of the stream, and the response
/// came to its end.
pub(crate) fn output_is_final(version: Option<&str>, stop_reason: Option<&str>) -> bool {
    stop_reason.is_some() && self::version(version).is_some_and(|version| version >= FINAL_OUTPUT_SINCE)
}

/// The numbers of a version of the client.
pub(crate) fn version(version: Option<&str>) -> Option<[u64; 3]> {
    let number = version?.split(['-', '+']).next().unwrap_or_default();
    let mut parts = number.split('.').map(|part| part.parse::<u64>().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}

/// Fields of a progress line that the tree needs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Progress<'a> {
    pub uuid: Option<&'a str>,
    pub parent: Option<&'a str>,
    pub timestamp: Option<&'a str>,
}

/// Recognises a progress line without parsing it: these are a third of all lines, and only their place in the tree
/// matters. `None` when the line may be something else; it is parsed then.
///
/// In JSON a quote within a string is escaped, so `"type":"progress"` with bare quotes is a key and its value; it is the
/// line's own as long as no other object or list was opened before.
pub(crate) fn progress(line: &[u8]) -> Option<Progress<'_>> {
    const KIND: &[u8] = br#""type":"progress""#;
    /// Fields before the type are short.
    const HEAD: usize = 2048;
    let head = line.get(1..line.len().min(HEAD))?;
    if line.first() != Some(&b'{') || line.last() != Some(&b'}') {
        return None;
    }
    let opened = memchr::memchr2(b'{', b'[', head).unwrap_or(head.len());
    let head = &head[..opened];
    memmem::find(head, KIND)?;
    // After the last closing bracket but one everything is again the line's own.
    let body = &line[..line.len() - 1];
    let tail = memchr::memrchr2(b'}', b']', body).map_or(&[][..], |at| &body[at..]);
    Some(Progress {
        uuid: value_of(tail, br#""uuid":""#).or_else(|| value_of(head, br#""uuid":""#)),
        parent: value_of(head, br#""parentUuid":""#).or_else(|| value_of(tail, br#""parentUuid":""#)),
        timestamp: value_of(tail, br#""timestamp":""#).or_else(|| value_of(head, br#""timestamp":""#)),
    })
}

/// Types of lines that record a request or a part of one (2.1.300 and later).
const REQUEST_RECORDS: [&str; 3] = ["api-request", "api-request-blob", "api-request-shape"];

lenient_object! {
    struct Typed<'a> {
        kind: Text<'a> = "type",
    }
}

/// The type of a line that records a request or a part of one, without parsing it where the line begins with its type: these are
/// most of the bytes of a session. A line that names such a type elsewhere is parsed for its own. `None` for every other line.
pub(crate) fn request_record(line: &[u8]) -> Option<&'static str> {
    const HEAD: &[u8] = br#"{"type":"api-request"#;
    const NAMED: &[u8] = br#""api-request"#;
    if line.last() != Some(&b'}') {
        return None;
    }
    let of_name = |name: &str| REQUEST_RECORDS.into_iter().find(|kind| *kind == name);
    if line.starts_with(HEAD) {
        let name = &line[HEAD.len() - "api-request".len()..];
        let end = memchr::memchr2(b'"', b'\\', name)?;
        return std::str::from_utf8(&name[..end]).ok().filter(|_| name[end] == b'"').and_then(of_name);
    }
    memmem::find(line, NAMED)?;
    let typed: Typed<'_> = serde_json::from_slice(line).ok()?;
    of_name(typed.kind.or_empty())
}

/// The string after `key`, which holds the opening quote. Strings with escapes are not of use here.
fn value_of<'a>(bytes: &'a [u8], key: &[u8]) -> Option<&'a str> {
    let start = memmem::find(bytes, key)? + key.len();
    let length = memchr::memchr2(b'"', b'\\', &bytes[start..])?;
    (bytes[start + length] == b'"').then(|| std::str::from_utf8(&bytes[start..start + length]).ok()).flatten()
}

/// The first line a person typed, as a title: past markup, and with the line after it where it only announces that one.
/// `None` for what the client wrote in their name.
#[must_use]
pub fn title_of(text: &str) -> Option<String> {
    /// Longest title, in characters.
    const LONGEST: usize = 200;
    if is_client_text(text) {
        return None;
    }
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut said = lines().filter(|line| !is_markup(line));
    // Markup alone is what was typed.
    let first = said.next().or_else(|| lines().next())?;
    let announced = said.next().filter(|_| first.ends_with([':', '：']));
    // Many prompts begin with "Implement the following plan:"; what tells them apart is the plan's heading.
    let title = match announced {
        Some(next) => format!("{first} {}", next.trim_start_matches('#').trim_start()),
        None => first.to_owned(),
    };
    Some(title.chars().take(LONGEST).collect())
}

/// True for a line that structures a text and says nothing: a field mark such as `[[ ## query ## ]]`, a lone tag, a fence, a
/// rule.
fn is_markup(line: &str) -> bool {
    let is_field = line.starts_with("[[") && line.ends_with("]]");
    let is_tag = line.starts_with('<') && line.ends_with('>') && line.matches('<').count() == 1;
    is_field || is_tag || line.starts_with("```") || !line.chars().any(char::is_alphanumeric)
}

/// Openings of user lines that the client writes: local commands and their output, notes of an interruption, the caveat
/// before local commands.
const CLIENT_OPENINGS: [&str; 10] = [
    "<local-command",
    "<command-name>",
    "<command-message>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<system-reminder>",
    "<task-notification>",
    "<user-memory-input>",
    "[Request interrupted",
    "Caveat: The messages below were generated by the user while running local commands.",
];

/// True if a user line's text was written by the client rather than typed.
pub(crate) fn is_client_text(text: &str) -> bool {
    let text = text.trim_start();
    CLIENT_OPENINGS.iter().any(|opening| text.starts_with(opening))
}

/// Types of lines that carry no context of the model.
pub(crate) const WITHOUT_CONTEXT: [&str; 26] = [
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "tools-used",
    "cost-state",
    "atis-latch",
    "progress",
    "file-history-snapshot",
    "queue-operation",
    "summary",
    "pr-link",
    "last-prompt",
    "ai-title",
    "custom-title",
    "agent-name",
    "agent-color",
    "agent-setting",
    "tag",
    "mode",
    "permission-mode",
    "worktree-state",
    "content-replacement",
    "attribution-snapshot",
    "result",
    "stream_event",
    "speculation-accept",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_known_without_parsing() {
        let line = br#"{"parentUuid":"p","type":"progress","data":{"type":"x","uuid":"no"},"timestamp":"t","uuid":"u"}"#;
        let expected = Progress { uuid: Some("u"), parent: Some("p"), timestamp: Some("t") };
        assert_eq!(progress(line), Some(expected));
        let nested = br#"{"type":"user","toolUseResult":{"type":"progress"},"uuid":"u"}"#;
        assert_eq!(progress(nested), None);
        let quoted = br#"{"slug":"\"type\":\"progress\"","type":"user"}"#;
        assert_eq!(progress(quoted), None);
        assert_eq!(progress(b"{}"), None);
        assert_eq!(progress(b""), None);
        assert_eq!(progress(br#"{"type":"progress","uuid":"a\"b"}"#).unwrap().uuid, None);
    }

    #[test]
    fn records_of_requests_are_known_without_parsing() {
        assert_eq!(request_record(br#"{"type":"api-request","id":"a"}"#), Some("api-request"));
        assert_eq!(request_record(br#"{"type":"api-request-blob","hash":"a"}"#), Some("api-request-blob"));
        assert_eq!(request_record(br#"{"type":"api-request-shape"}"#), Some("api-request-shape"));
        for (line, kind) in [
            (r#"{"v":2,"type":"api-request","id":"a"}"#, "api-request"),
            (r#"{ "type": "api-request-blob", "hash": "a" }"#, "api-request-blob"),
            (r#"{"shapeHash":"a","shape":{"type":"x"},"type":"api-request-shape"}"#, "api-request-shape"),
        ] {
            assert_eq!(request_record(line.as_bytes()), Some(kind), "{line}");
        }
        let nested = br#"{"type":"user","message":{"type":"api-request"}}"#;
        assert_eq!(request_record(nested), None);
        for other in
            [r#"{"type":"api-request-new"}"#, r#"{"type":"api-request","id":"#, r#"{"type":"user"}"#, ""]
        {
            assert_eq!(request_record(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn output_is_trusted_from_the_version_that_fixed_it() {
        for (version, is_final) in
            [("2.1.98", true), ("2.1.97", false), ("3.0.0", true), ("2.1.181-beta", true), ("x", false)]
        {
            assert_eq!(output_is_final(Some(version), Some("end_turn")), is_final, "{version}");
        }
        assert!(!output_is_final(None, Some("end_turn")));
        assert!(!output_is_final(Some("2.1.181"), None));
    }

    #[test]
    fn titles_are_what_was_typed() {
        assert_eq!(title_of("\n  fix the tests \nplease").as_deref(), Some("fix the tests"));
        assert_eq!(title_of("<command-name>/clear</command-name>"), None);
        assert_eq!(title_of("   "), None);
    }

    #[test]
    fn titles_are_not_markup_and_say_what_an_announcement_announces() {
        let title = |text: &str| title_of(text).unwrap();
        assert_eq!(title("[[ ## user_query ## ]]\nwhy is it red?\n[[ ## end ## ]]"), "why is it red?");
        assert_eq!(title("<task>\n\n---\nmend it\n</task>"), "mend it");
        assert_eq!(title("[[ ## user_query ## ]]"), "[[ ## user_query ## ]]");
        let plan = "Implement the following plan:\n\n# Fix rename on SMB\n\n## Context\n\nIt fails.";
        assert_eq!(title(plan), "Implement the following plan: Fix rename on SMB");
        assert_eq!(title("how does this happen:\n```\nerror 7\n```"), "how does this happen: error 7");
        assert_eq!(title("Read this:"), "Read this:");
        assert_eq!(title("Read this\nand that"), "Read this");
    }
}
