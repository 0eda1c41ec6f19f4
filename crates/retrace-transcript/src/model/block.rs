//! Blocks: the parts of a message.

use serde_json::Value;
use std::borrow::Cow;

/// One part of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its kind.
    pub kind: BlockKind,
    /// Line of the file that holds it, from 1; 0 where a file is not made of lines.
    pub line: u32,
}

/// Kind of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockKind {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// Thinking of the model.
    Thinking {
        /// The text; empty where it was not stored, or is redacted.
        text: String,
        /// Bytes of its signature or of its encrypted form.
        signature_bytes: usize,
        /// A `redacted_thinking` block, or encrypted reasoning.
        redacted: bool,
    },
    /// The model calls a tool.
    ToolUse {
        /// Id that its result names.
        id: String,
        /// Name of the tool.
        name: String,
        /// Arguments. A JSON object, but for calls whose arguments cannot be read: then a string.
        input: Value,
        /// True if the server runs the tool (`server_tool_use`).
        server: bool,
        /// Fields of `input` that the client added to the record: the model did not write them, and they are not sent.
        added: Vec<String>,
    },
    /// Answer of a tool.
    ToolResult {
        /// Id of the call. May name no call of the transcript.
        tool_use_id: String,
        /// The answer's parts. A content that was one string is one text.
        content: Vec<ResultPart>,
        /// True if the tool failed.
        is_error: bool,
        /// True if the record says in a field of its own that the call was never carried out: the person, a rule or the
        /// client's judge refused it. Older records say so in the answer's words alone.
        denied: bool,
        /// True if the server ran the tool.
        server: bool,
    },
    /// An image or a document of its own.
    Media(Media),
    /// Context that the client put in and that the file keeps apart (Claude Code `attachment` lines).
    Attachment {
        /// Its type, such as `nested_memory` or `task_reminder`.
        attachment: String,
        /// Files it carries, with the content the model saw.
        files: Vec<AttachedFile>,
        /// All other text in it, one line a piece; empty where `rendered` holds it.
        text: String,
        /// The text that was sent for it, where the file says so (Claude Code 2.1.280 and later). `None` where it does not:
        /// files and text are taken to have been sent.
        rendered: Option<String>,
    },
    /// The summary of a compaction by the server. Everything before the last one is ignored on input.
    Compaction {
        /// The summary; `None` where it failed.
        content: Option<String>,
    },
    /// Anything else, kept as it was.
    Unknown {
        /// Its `type`, or an empty string.
        type_name: String,
        /// The block as JSON.
        json: String,
    },
}

impl BlockKind {
    /// Arguments of a tool call as the model wrote it and as later requests send it; `None` for other blocks.
    #[must_use]
    pub fn sent_input(&self) -> Option<Cow<'_, Value>> {
        let Self::ToolUse { input, added, .. } = self else { return None };
        match input {
            Value::Object(fields) if added.iter().any(|field| fields.contains_key(field)) => {
                let sent = fields.iter().filter(|(field, _)| !added.contains(field));
                Some(Cow::Owned(Value::Object(
                    sent.map(|(field, value)| (field.clone(), value.clone())).collect(),
                )))
            }
            other => Some(Cow::Borrowed(other)),
        }
    }
}

impl BlockKind {
    /// Text of an attachment as it was sent, or its files and other text where the file does not say; `None` for other blocks.
    #[must_use]
    pub fn attached_text(&self) -> Option<Cow<'_, str>> {
        let Self::Attachment { files, text, rendered, .. } = self else { return None };
        if let Some(rendered) = rendered {
            return Some(Cow::Borrowed(rendered));
        }
        if files.is_empty() {
            return Some(Cow::Borrowed(text));
        }
        let files = files.iter().map(|file| format!("{}\n{}", file.path, file.content));
        let texts = files.chain(Some(text.clone()).filter(|text| !text.is_empty()));
        Some(Cow::Owned(texts.collect::<Vec<_>>().join("\n\n")))
    }
}

/// A part of a tool's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum ResultPart {
    /// Text.
    Text(String),
    /// An image or a document.
    Media(Media),
    /// Anything else, as JSON (`tool_reference` and the like).
    Other(String),
}

/// An image or a document. Its bytes are not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Media {
    /// Image or document.
    pub kind: MediaKind,
    /// Such as `image/png`; empty where not told.
    pub media_type: String,
    /// Size in bytes once decoded; 0 where it is only referred to.
    pub bytes: u64,
    /// Width and height in pixels, where the bytes tell them.
    pub pixels: Option<(u32, u32)>,
}

/// Image or document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MediaKind {
    /// An image.
    Image,
    /// A document, such as a PDF.
    Document,
}

/// A file whose content the client put into the context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttachedFile {
    /// Its path as recorded.
    pub path: String,
    /// Name given by the client: `User`, `Project`, `Local`, `AutoMem`, …; empty where not told.
    pub kind: String,
    /// The content the model saw.
    pub content: String,
    /// Why it was loaded, in the words of Claude Code's hook `InstructionsLoaded` (`nested_traversal`, `path_glob_match`, …) or of
    /// the attachment; empty where neither says.
    pub reason: String,
    /// Whose memory a recalled one is: `personal`, `team` or `organization`; empty where not told.
    pub scope: String,
    /// Patterns of the files that a rule is for, as the client tells them; empty where it tells none.
    pub globs: Vec<String>,
    /// What was sent of it.
    pub sent: Sent,
}

/// What was sent of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sent {
    /// The content.
    #[default]
    AsItIs,
    /// The content, behind which the file goes on: the client cut it.
    Cut,
    /// The content with other files in the place of the lines that import them.
    WithImports,
}

/// How Claude Code names a paragraph that a model wrote from the memories of a directory: `<synthesis:DIRECTORY>`. Source: types of
/// the agent SDK 0.3.330.
const SYNTHESIS: &str = "<synthesis:";

impl AttachedFile {
    /// True if it is no file, but a paragraph that a model wrote from memories.
    #[must_use]
    pub fn is_synthesis(&self) -> bool {
        self.path.starts_with(SYNTHESIS)
    }
}
