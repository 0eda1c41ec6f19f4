//! `attachment` lines: context that the client put in.

use super::hooked;
use super::line::{PROMPT_SNAPSHOT, RENDERED_SINCE, is_client_text};
use crate::lenient::{Content, Text, lenient_object};
use crate::{AttachedFile, BlockKind};
use serde_json::Value;

/// Keys whose strings are not shown to the model as text: names of types, ids, places and figures of the client.
const NOT_TEXT: [&str; 16] = [
    "type",
    "uuid",
    "path",
    "displayPath",
    "globs",
    "reason",
    "toolUseID",
    "toolUseId",
    "hookEvent",
    "hookName",
    "command",
    "hookId",
    "taskId",
    "timestamp",
    "media_type",
    "data",
];

/// What of an attachment was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// The line does not say.
    Unsaid,
    /// This text.
    Text(String),
    /// Nothing: it is a record of the client's.
    Nothing,
}

lenient_object! {
    /// One entry of `rendered`.
    struct Rendered<'a> {
        content: Content<'a> = "content",
    }
}

lenient_object! {
    /// A block of a rendered text.
    struct RenderedBlock<'a> {
        text: Text<'a> = "text",
    }
}

/// What a line says of the sending of its attachment.
pub(super) fn sent(kind: &str, rendered: &Content<'_>, version: Option<[u64; 3]>) -> Sent {
    match rendered {
        Content::List(entries) => {
            let texts: Vec<String> = entries
                .iter()
                .filter_map(|entry| serde_json::from_str::<Rendered<'_>>(entry.get()).ok())
                .flat_map(|entry| rendered_texts(entry.content))
                .collect();
            if texts.is_empty() { Sent::Nothing } else { Sent::Text(texts.join("\n")) }
        }
        _ if kind == PROMPT_SNAPSHOT => Sent::Nothing,
        _ if version.is_some_and(|version| version >= RENDERED_SINCE) => Sent::Nothing,
        _ => Sent::Unsaid,
    }
}

fn rendered_texts(content: Content<'_>) -> Vec<String> {
    match content {
        Content::Text(text) => vec![text.into_owned()],
        Content::List(blocks) => blocks
            .iter()
            .filter_map(|block| {
                serde_json::from_str::<RenderedBlock<'_>>(block.get()).ok()?.text.into_string()
            })
            .collect(),
        Content::Absent | Content::Object => Vec::new(),
    }
}

/// Reads a payload: files with their content, and every other text in it.
pub(super) fn attachment(payload: &Value, rendered: Option<String>) -> BlockKind {
    let kind = payload["type"].as_str().unwrap_or_default();
    let mut files = Vec::new();
    let mut lines = Vec::new();
    match kind {
        "instructions" => {
            let reason = payload["reason"].as_str().unwrap_or_default();
            let read = list(&payload["files"]).filter_map(|file| attached(file, file));
            files.extend(read.map(|file| AttachedFile { reason: reason.to_owned(), ..file }));
        }
        "nested_memory" => {
            let reason = nested_reason(payload).to_owned();
            let globs = list(&payload["content"]["globs"]).filter_map(Value::as_str).map(str::to_owned);
            let globs = globs.collect();
            let read = attached(payload, &payload["content"]);
            files.extend(read.map(|file| AttachedFile { reason, globs, ..file }));
        }
        RECALL => {
            files.extend(list(&payload["memories"]).filter_map(|file| attached(file, file)));
        }
        "file" | "compact_file_reference" => files.extend(mentioned(payload)),
        // The output of a hook is in it several times; the model is shown the content.
        "hook_success" | "hook_additional_context" => {
            let mut texts = Vec::new();
            collect(&payload["content"], &mut texts);
            for text in texts {
                let (found, beside) = hooked::files(&text);
                if found.is_empty() {
                    lines.push(text);
                } else {
                    lines.extend(Some(beside).filter(|beside| !beside.is_empty()));
                    files.extend(found);
                }
            }
        }
        _ => {}
    }
    if rendered.is_some() {
        lines.clear();
    } else if files.is_empty() && lines.is_empty() && !kind.starts_with("hook_success") {
        collect(payload, &mut lines);
    }
    let attachment = if kind == RECALL { recall(payload) } else { kind.to_owned() };
    BlockKind::Attachment { attachment, files, text: lines.join("\n"), rendered }
}

/// The attachment of a message that waited while the agent worked.
const QUEUED: &str = "queued_command";

/// What a person typed while the agent worked, of an attachment that brings it. Notices of tasks and other messages of the client
/// wait in the same way.
pub(super) fn typed(payload: &Value) -> Option<String> {
    let origin = &payload["origin"]["kind"];
    let is_of_person = payload["type"] == QUEUED
        && payload["commandMode"] == "prompt"
        && payload["isMeta"] != true
        && (origin.is_null() || origin == "human");
    let prompt = &payload["prompt"];
    let texts = list(prompt).filter_map(|block| block["text"].as_str());
    let text = prompt.as_str().map_or_else(|| texts.collect::<Vec<_>>().join("\n"), str::to_owned);
    (is_of_person && !text.trim().is_empty() && !is_client_text(&text)).then_some(text)
}

/// Memories that a selector chose, or that a model put together to a paragraph.
const RECALL: &str = "relevant_memories";

/// The name of a recall with its mode (`select`, `synthesize`) and the scopes of its memories (`personal`, `team`,
/// `organization`), in the client's words.
fn recall(payload: &Value) -> String {
    let mode = payload["mode"].as_str();
    let scopes = list(&payload["memories"]).filter_map(|memory| memory["scope"].as_str());
    let mut words: Vec<&str> = Vec::new();
    for word in mode.into_iter().chain(scopes) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    if words.is_empty() { RECALL.to_owned() } else { format!("{RECALL} ({})", words.join(", ")) }
}

/// Why a file came with one that was read, in the words of the hook `InstructionsLoaded`: a rule by its patterns, another by its
/// directory. A client that says it itself is believed.
fn nested_reason(payload: &Value) -> &str {
    let told = [payload, &payload["content"]].into_iter().find_map(|value| value["reason"].as_str());
    let by_pattern = list(&payload["content"]["globs"]).next().is_some();
    told.unwrap_or(if by_pattern { "path_glob_match" } else { "nested_traversal" })
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A file whose content is in `holder` under `content`, or is `holder` itself.
fn attached(file: &Value, holder: &Value) -> Option<AttachedFile> {
    let content = holder["content"].as_str().or_else(|| holder.as_str())?;
    let path = ["path", "filePath", "filename"].iter().find_map(|key| file[key].as_str());
    let kind = [holder, file].iter().find_map(|value| value["type"].as_str());
    Some(AttachedFile {
        path: path.unwrap_or_default().to_owned(),
        kind: kind.filter(|&kind| kind != "nested_memory").unwrap_or_default().to_owned(),
        content: content.to_owned(),
        scope: file["scope"].as_str().unwrap_or_default().to_owned(),
        ..AttachedFile::default()
    })
}

/// A file that a person mentioned: its content is that of a reading, some levels down.
fn mentioned(payload: &Value) -> Option<AttachedFile> {
    let content = &payload["content"];
    let text = [&content["file"]["content"], &content["content"], content]
        .into_iter()
        .find_map(Value::as_str)?
        .to_owned();
    let path = [&payload["filename"], &payload["path"], &content["file"]["filePath"]]
        .into_iter()
        .find_map(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    Some(AttachedFile { path, content: text, ..AttachedFile::default() })
}

/// Every string of a value that is text for the model. The depth is bounded by that of the parser.
fn collect(value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::String(text) if !text.is_empty() => lines.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, lines)),
        Value::Object(fields) => {
            for (_, field) in fields.iter().filter(|(key, _)| !NOT_TEXT.contains(&key.as_str())) {
                collect(field, lines);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn file(path: &str, kind: &str, content: &str, reason: &str) -> AttachedFile {
        AttachedFile {
            path: path.into(),
            kind: kind.into(),
            content: content.into(),
            reason: reason.into(),
            ..AttachedFile::default()
        }
    }

    #[test]
    fn files_come_with_what_the_model_saw() {
        let payload = json!({"type": "instructions", "reason": "start", "files": [
            {"path": "/p/CLAUDE.md", "type": "Project", "content": "Be brief."}, {"path": "/x"}]});
        assert_eq!(
            attachment(&payload, None),
            BlockKind::Attachment {
                attachment: "instructions".into(),
                files: vec![file("/p/CLAUDE.md", "Project", "Be brief.", "start")],
                text: String::new(),
                rendered: None,
            }
        );
        let payload = json!({"type": "nested_memory", "path": "/p/a/CLAUDE.md",
            "content": {"type": "Project", "content": "In here: tabs.", "globs": ["x"]}});
        assert!(
            matches!(attachment(&payload, None), BlockKind::Attachment { files, .. } if files == [AttachedFile { globs: vec!["x".into()], ..file("/p/a/CLAUDE.md", "Project", "In here: tabs.", "path_glob_match") }])
        );
        let payload = json!({"type": "nested_memory", "path": "/p/a/AGENTS.md", "reason": "include",
            "content": {"type": "Project", "content": "Tabs."}});
        assert!(
            matches!(attachment(&payload, None), BlockKind::Attachment { files, .. } if files[0].reason == "include")
        );
    }

    #[test]
    fn what_waited_is_the_person_s_where_the_client_says_so() {
        let queued = |mode: &str, prompt: Value, more: Value| {
            let mut payload = json!({"type": "queued_command", "commandMode": mode, "prompt": prompt});
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            typed(&payload)
        };
        assert_eq!(queued("prompt", json!("use tabs"), json!({})).as_deref(), Some("use tabs"));
        let blocks = json!([{"type": "text", "text": "look"}, {"type": "image"}]);
        assert_eq!(queued("prompt", blocks, json!({"origin": {"kind": "human"}})).as_deref(), Some("look"));
        for (mode, prompt, more) in [
            ("task-notification", "use tabs", json!({})),
            ("prompt", "<task-notification>x</task-notification>", json!({})),
            ("prompt", "use tabs", json!({"origin": {"kind": "task-notification"}})),
            ("prompt", "use tabs", json!({"isMeta": true})),
            ("prompt", " ", json!({})),
        ] {
            assert_eq!(queued(mode, json!(prompt), more), None, "{mode} {prompt}");
        }
    }

    #[test]
    fn a_hook_may_bring_a_file() {
        let payload = json!({"type": "hook_additional_context", "hookEvent": "PostToolUse",
            "content": ["Contents of /p/a/AGENTS.md:\n\nTabs.\n", "And more."]});
        let BlockKind::Attachment { files, text, .. } = attachment(&payload, None) else {
            panic!("an attachment")
        };
        assert_eq!((files, text.as_str()), (vec![file("/p/a/AGENTS.md", "", "Tabs.", "hook")], "And more."));
    }

    #[test]
    fn a_recall_says_its_mode_and_scopes() {
        let payload = json!({"type": "relevant_memories", "mode": "synthesize", "memories": [
            {"path": "<synthesis:/p/memory>", "scope": "team", "content": "Ships on Fridays."},
            {"path": "https://example.com/m", "scope": "organization", "content": "No tabs."},
            {"path": "/p/memory/a.md", "scope": "team", "content": "Use spaces."}]});
        let BlockKind::Attachment { attachment, files, .. } = attachment(&payload, None) else {
            panic!("an attachment")
        };
        assert_eq!(attachment, "relevant_memories (synthesize, team, organization)");
        assert_eq!(files.len(), 3);
        assert_eq!(files[0].path, "<synthesis:/p/memory>");
        let scopes: Vec<_> = files.iter().map(|file| (file.scope.as_str(), file.is_synthesis())).collect();
        assert_eq!(scopes, [("team", true), ("organization", false), ("team", false)]);
        let plain = json!({"type": "relevant_memories", "memories": []});
        assert!(
            matches!(super::attachment(&plain, None), BlockKind::Attachment { attachment, .. } if attachment == RECALL)
        );
    }

    #[test]
    fn other_text_is_collected() {
        let payload = json!({"type": "task_reminder", "content": [{"subject": "one"}, {"subject": "two"}], "itemCount": 2});
        assert!(
            matches!(attachment(&payload, None), BlockKind::Attachment { text, files, .. } if text == "one\ntwo" && files.is_empty())
        );
        let payload = json!({"type": "hook_success", "content": "seen", "stdout": "seen", "hookName": "h"});
        assert!(matches!(attachment(&payload, None), BlockKind::Attachment { text, .. } if text == "seen"));
        for odd in [json!(null), json!([1]), json!({"type": 5}), json!({"type": "file", "content": 3})] {
            assert!(matches!(attachment(&odd, None), BlockKind::Attachment { .. }));
        }
    }

    #[test]
    fn what_was_sent_is_said_by_the_line() {
        let since = Some([2, 1, 280]);
        let rendered = |json: &str| {
            let content: Content<'_> = serde_json::from_str(json).unwrap();
            sent("date", &content, since)
        };
        assert_eq!(
            rendered(r#"[{"content":"a"},{"content":[{"type":"text","text":"b"},7]},8]"#),
            Sent::Text("a\nb".into())
        );
        assert_eq!(rendered("[]"), Sent::Nothing);
        assert_eq!(rendered("null"), Sent::Nothing);
        assert_eq!(sent("date", &Content::Absent, Some([2, 1, 265])), Sent::Unsaid);
        assert_eq!(sent("date", &Content::Absent, None), Sent::Unsaid);
        assert_eq!(sent("prompt_snapshot", &Content::Absent, None), Sent::Nothing);
        let payload = json!({"type": "instructions", "files": [{"path": "/CLAUDE.md", "content": "Be brief."}], "x": "y"});
        assert!(matches!(
            attachment(&payload, Some("Contents of /CLAUDE.md:\n\nBe brief.".into())),
            BlockKind::Attachment { files, text, rendered: Some(_), .. } if files.len() == 1 && text.is_empty()
        ));
    }
}
