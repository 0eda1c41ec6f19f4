//! Parts of a message: text, calls and their answers, media, and what the client put in.

use super::imports::without_imports;
use crate::account::count;
use crate::lenient::{Flag, List, Raw, Text, lenient_object};
use crate::media::{from_base64, referred};
use crate::{
    Account, AttachedFile, BlockKind, Done, DoneChange, DoneFile, DoneWhat, MediaKind, Origin, ResultPart,
    Sent,
};
use retrace_model::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashSet;

lenient_object! {
    struct RawPart<'a> {
        text: Text<'a> = "text",
        thought: Flag = "thought",
        call: Raw<'a> = "functionCall",
        response: Raw<'a> = "functionResponse",
        inline: Raw<'a> = "inlineData",
        file: Raw<'a> = "fileData",
    }
}

lenient_object! {
    struct RawData<'a> {
        mime: Text<'a> = "mimeType",
        data: Text<'a> = "data",
    }
}

lenient_object! {
    /// `functionCall` and `functionResponse`.
    struct RawFunction<'a> {
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        args: Raw<'a> = "args",
        response: Raw<'a> = "response",
    }
}

lenient_object! {
    struct RawResponse<'a> {
        output: Raw<'a> = "output",
        error: Raw<'a> = "error",
    }
}

lenient_object! {
    struct RawThought<'a> {
        subject: Text<'a> = "subject",
        description: Text<'a> = "description",
    }
}

lenient_object! {
    /// One of `toolCalls`.
    pub(super) struct RawCall<'a> {
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        args: Raw<'a> = "args",
        status: Text<'a> = "status",
        timestamp: Text<'a> = "timestamp",
        result: Raw<'a> = "result",
        shown: Raw<'a> = "resultDisplay",
    }
}

lenient_object! {
    /// What is shown of a changed file.
    struct RawDiff<'a> {
        path: Text<'a> = "filePath",
        before: Text<'a> = "originalContent",
        after: Text<'a> = "newContent",
        is_new: Flag = "isNewFile",
    }
}

lenient_object! {
    struct RawShell<'a> {
        command: Text<'a> = "command",
        directory: Text<'a> = "dir_path",
        older_directory: Text<'a> = "directory",
    }
}

/// The tool that runs commands.
const SHELL: &str = "run_shell_command";

/// What stands before the code of a command that failed.
const EXIT_CODE: &str = "Exit Code: ";

impl RawCall<'_> {
    pub(super) fn has_failed(&self) -> bool {
        matches!(self.status.or_empty(), "error" | "cancelled")
    }

    /// What was carried out, where it is shown.
    pub(super) fn done(&self, line: u32) -> Option<Done> {
        let done = |succeeded, exit_code, what| Done {
            call: self.id.or_empty().to_owned(),
            line,
            at: Timestamp::parse(self.timestamp.or_empty()).ok(),
            succeeded,
            exit_code,
            what,
        };
        let has_ended = self.has_failed() || self.status.or_empty() == "success";
        if !has_ended {
            return None;
        }
        if self.name.or_empty() == SHELL {
            let shell: RawShell<'_> = serde_json::from_str(self.args.0?.get()).ok()?;
            let command = shell.command.into_string()?;
            let result = self.result.0.map_or("", RawValue::get);
            // It is told of failures alone, and none of those that were not run.
            let code = result.rsplit_once(EXIT_CODE).and_then(|(_, rest)| {
                let end = rest.find(|digit: char| digit != '-' && !digit.is_ascii_digit());
                rest[..end.unwrap_or(rest.len())].parse::<i64>().ok()
            });
            let what = DoneWhat::Command {
                command: vec!["bash".to_owned(), "-c".to_owned(), command],
                directory: shell.directory.into_string().or(shell.older_directory.into_string()),
            };
            let succeeded = !self.has_failed() && code.is_none_or(|code| code == 0);
            return Some(done(Some(succeeded), code, what));
        }
        let diff: RawDiff<'_> =
            serde_json::from_str(self.shown.0.filter(|shown| shown.get().starts_with('{'))?.get()).ok()?;
        let change = DoneChange::Written {
            before: diff.before.into_string().filter(|_| !diff.is_new.0),
            created: diff.is_new.0,
            after: diff.after.into_string()?,
        };
        let file = DoneFile { path: diff.path.into_string()?, change };
        Some(done(Some(!self.has_failed()), None, DoneWhat::Files(vec![file])))
    }
}

/// Beginnings of the texts that the client puts in, and what they are called.
const CLIENT_TEXTS: [(&str, &str); 2] =
    [("<session_context>", "session_context"), ("<loaded_context>", "loaded_context")];

/// Lines around a file in such a text.
const FILE_BEGINS: &str = "--- Context from: ";
const FILE_ENDS: &str = "--- End of Context from: ";
const LINE_ENDS: &str = " ---";

/// The line after which the workspace is named.
const WORKSPACE: &str = "**Workspace Directories:**\n  - ";

/// Blocks of a message.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) blocks: Vec<BlockKind>,
    /// The workspace, where a text names it.
    pub(super) project: Option<String>,
}

impl Parts {
    pub(super) fn thoughts(&mut self, thoughts: &List<Raw<'_>>) {
        for json in thoughts.0.iter().filter_map(|json| json.0) {
            let raw: RawThought<'_> = serde_json::from_str(json.get()).unwrap_or_default();
            let texts = [raw.subject, raw.description].into_iter().filter_map(Text::into_string);
            let text = texts.collect::<Vec<_>>().join("\n");
            self.blocks.push(BlockKind::Thinking { text, signature_bytes: 0, redacted: false });
        }
    }

    /// A string, a part, or a list of parts.
    pub(super) fn content(
        &mut self,
        content: Option<&RawValue>,
        failed: &HashSet<String>,
        account: &mut Account,
    ) {
        let Some(content) = content else { return };
        if content.get().starts_with('[') {
            let parts: Vec<&RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
            parts.into_iter().for_each(|part| self.part(part, failed, account));
        } else {
            self.part(content, failed, account);
        }
    }

    fn part(&mut self, json: &RawValue, failed: &HashSet<String>, account: &mut Account) {
        if json.get().starts_with('"') {
            return self.text(serde_json::from_str(json.get()).unwrap_or_default());
        }
        let raw: RawPart<'_> = serde_json::from_str(json.get()).unwrap_or_default();
        if let Some(call) = raw.call.0 {
            let call: RawFunction<'_> = serde_json::from_str(call.get()).unwrap_or_default();
            self.call(&call.id, &call.name, call.args);
        } else if let Some(response) = raw.response.0 {
            self.response(response, failed);
        } else if let Some(data) = raw.inline.0 {
            let data: RawData<'_> = serde_json::from_str(data.get()).unwrap_or_default();
            let kind = media_kind(&data.mime);
            self.blocks.push(BlockKind::Media(from_base64(kind, data.mime.or_empty(), data.data.or_empty())));
        } else if let Some(file) = raw.file.0 {
            let data: RawData<'_> = serde_json::from_str(file.get()).unwrap_or_default();
            self.blocks.push(BlockKind::Media(referred(media_kind(&data.mime), data.mime.or_empty())));
        } else if raw.thought.0 {
            let text = raw.text.into_string().unwrap_or_default();
            self.blocks.push(BlockKind::Thinking { text, signature_bytes: 0, redacted: false });
        } else if let Some(text) = raw.text.into_string() {
            self.text(text);
        } else {
            count(&mut account.unknown, "part");
            self.blocks.push(BlockKind::Unknown { type_name: String::new(), json: json.get().to_owned() });
        }
    }

    fn text(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        let begins = text.trim_start();
        let put_in = CLIENT_TEXTS.iter().find(|(opening, _)| begins.starts_with(opening));
        let Some((_, name)) = put_in else { return self.blocks.push(BlockKind::Text { text }) };
        let workspace = text.split_once(WORKSPACE).and_then(|(_, rest)| rest.lines().next());
        self.project = self.project.take().or(workspace.map(|path| path.trim_end().to_owned()));
        self.blocks.push(BlockKind::Attachment {
            attachment: (*name).to_owned(),
            files: files(&text),
            text: String::new(),
            rendered: Some(text),
        });
    }

    fn call(&mut self, id: &Text<'_>, name: &Text<'_>, args: Raw<'_>) {
        let of = id.or_empty();
        let is_known = |kind: &BlockKind| matches!(kind, BlockKind::ToolUse { id, .. } if id == of);
        if !of.is_empty() && self.blocks.iter().any(is_known) {
            return;
        }
        self.blocks.push(BlockKind::ToolUse {
            id: of.to_owned(),
            name: name.or_empty().to_owned(),
            input: args.0.and_then(|args| serde_json::from_str(args.get()).ok()).unwrap_or_default(),
            server: false,
            added: Vec::new(),
        });
    }

    /// Calls of the model that its content does not hold yet.
    pub(super) fn calls(&mut self, calls: &[RawCall<'_>]) {
        calls.iter().for_each(|call| self.call(&call.id, &call.name, call.args));
    }

    fn response(&mut self, json: &RawValue, failed: &HashSet<String>) {
        let raw: RawFunction<'_> = serde_json::from_str(json.get()).unwrap_or_default();
        let id = raw.id.into_string().unwrap_or_default();
        let whole = raw.response.0.map_or("", RawValue::get);
        let response: RawResponse<'_> = serde_json::from_str(whole).unwrap_or_default();
        let part = |json: &RawValue| match serde_json::from_str(json.get()) {
            Ok(Value::String(text)) => ResultPart::Text(text),
            _ => ResultPart::Other(json.get().to_owned()),
        };
        let content = match (response.output.0, response.error.0) {
            (Some(output), _) => vec![part(output)],
            (None, Some(error)) => vec![part(error)],
            (None, None) if whole.is_empty() => Vec::new(),
            (None, None) => vec![ResultPart::Other(whole.to_owned())],
        };
        self.blocks.push(BlockKind::ToolResult {
            is_error: response.error.0.is_some() || failed.contains(&id),
            tool_use_id: id,
            content,
            denied: false,
            server: false,
        });
    }

    /// Origin of a message of the user's side.
    pub(super) fn origin(&self) -> Origin {
        let has = |of: fn(&BlockKind) -> bool| self.blocks.iter().any(of);
        if has(|kind| matches!(kind, BlockKind::ToolResult { .. })) {
            Origin::ToolResults
        } else if !self.blocks.is_empty() && !has(|kind| !matches!(kind, BlockKind::Attachment { .. })) {
            Origin::Client
        } else {
            Origin::Typed
        }
    }
}

fn media_kind(mime: &Text<'_>) -> MediaKind {
    if mime.or_empty().starts_with("image/") { MediaKind::Image } else { MediaKind::Document }
}

/// Files in a text of the client.
fn files(text: &str) -> Vec<AttachedFile> {
    let mut files = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(FILE_BEGINS) {
        rest = &rest[at + FILE_BEGINS.len()..];
        let Some((line, after)) = rest.split_once('\n') else { break };
        let Some(path) = line.trim_end().strip_suffix(LINE_ENDS) else { continue };
        let end = after.find(&format!("{FILE_ENDS}{path}")).unwrap_or(after.len());
        let content = after[..end].strip_suffix('\n').unwrap_or(&after[..end]);
        let file = |(path, content), sent| AttachedFile { path, content, sent, ..AttachedFile::default() };
        match without_imports(path, content) {
            Some(apart) => files.extend(apart.into_iter().map(|part| file(part, Sent::WithImports))),
            None => files.push(file((path.to_owned(), content.to_owned()), Sent::AsItIs)),
        }
        rest = &after[end..];
    }
    files
}
