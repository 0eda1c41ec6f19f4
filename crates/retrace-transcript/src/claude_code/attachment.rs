//! `attachment` lines: context that the client put in.

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

/// Reads a payload: files with their content, and every other text in it.
pub(super) fn attachment(payload: &Value) -> BlockKind {
    let kind = payload["type"].as_str().unwrap_or_default();
    let mut files = Vec::new();
    let mut lines = Vec::new();
    match kind {
        "instructions" => files.extend(list(&payload["files"]).filter_map(|file| attached(file, file))),
        "nested_memory" => files.extend(attached(payload, &payload["content"])),
        "relevant_memories" => {
            files.extend(list(&payload["memories"]).filter_map(|file| attached(file, file)));
        }
        "file" | "compact_file_reference" => files.extend(mentioned(payload)),
        // The output of a hook is in it several times; the model is shown the content.
        "hook_success" | "hook_additional_context" => collect(&payload["content"], &mut lines),
        _ => {}
    }
    if files.is_empty() && lines.is_empty() && !kind.starts_with("hook_success") {
        collect(payload, &mut lines);
    }
    BlockKind::Attachment { attachment: kind.to_owned(), files, text: lines.join("\n") }
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
    Some(AttachedFile { path, kind: String::new(), content: text })
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

    fn file(path: &str, kind: &str, content: &str) -> AttachedFile {
        AttachedFile { path: path.into(), kind: kind.into(), content: content.into() }
    }

    #[test]
    fn files_come_with_what_the_model_saw() {
        let payload = json!({"type": "instructions", "reason": "start", "files": [
            {"path": "/p/CLAUDE.md", "type": "Project", "content": "Be brief."}, {"path": "/x"}]});
        assert_eq!(
            attachment(&payload),
            BlockKind::Attachment {
                attachment: "instructions".into(),
                files: vec![file("/p/CLAUDE.md", "Project", "Be brief.")],
                text: String::new()
            }
        );
        let payload = json!({"type": "nested_memory", "path": "/p/a/CLAUDE.md",
            "content": {"type": "Project", "content": "In here: tabs.", "globs": ["x"]}});
        assert!(
            matches!(attachment(&payload), BlockKind::Attachment { files, .. } if files == [file("/p/a/CLAUDE.md", "Project", "In here: tabs.")])
        );
    }

    #[test]
    fn other_text_is_collected() {
        let payload = json!({"type": "task_reminder", "content": [{"subject": "one"}, {"subject": "two"}], "itemCount": 2});
        assert!(
            matches!(attachment(&payload), BlockKind::Attachment { text, files, .. } if text == "one\ntwo" && files.is_empty())
        );
        let payload = json!({"type": "hook_success", "content": "seen", "stdout": "seen", "hookName": "h"});
        assert!(matches!(attachment(&payload), BlockKind::Attachment { text, .. } if text == "seen"));
        for odd in [json!(null), json!([1]), json!({"type": 5}), json!({"type": "file", "content": 3})] {
            assert!(matches!(attachment(&odd), BlockKind::Attachment { .. }));
        }
    }
}
