//! Transcripts of agent runs as one neutral list of messages.
//!
//! [`model`] is the vocabulary; the readers beside it turn the bytes of one file into it, leniently and without loss:
//! what is not understood is kept and counted in the [`Account`]. Nothing here opens a file, counts a token or decides
//! anything about context edits.
//!
//! [`Summariser`] goes over the same lines for an index, and keeps no contents.
//!
//! ```
//! let request = br#"{"model": "claude-opus-5", "messages": [{"role": "user", "content": "Hello"}]}"#;
//! let reading = retrace_transcript::read(request)?;
//! assert_eq!(reading.transcripts[0].messages.len(), 1);
//! assert!(retrace_transcript::read(b"no transcript").is_err());
//! # Ok::<(), retrace_transcript::ReadError>(())
//! ```

use retrace_message::AsMessage;
mod account;
mod blocks;
mod claude_code;
mod codex;
mod copilot;
mod detect;
mod documents;
mod gemini;
mod history;
mod items;
mod lenient;
mod lines;
mod media;
mod messages;
pub mod model;
mod openai_chat;
mod openai_responses;
mod opencode;
mod outcome;
pub mod requests;
mod saved;
pub mod summary;
mod surrogates;
mod usage;
mod writer;

pub use claude_code::Queue;
pub use claude_code::line::title_of;
pub use codex::ForkedFrom;
pub use gemini::without_imports;
pub use model::*;
pub use outcome::exit_code;
pub use summary::{
    MemoryWrite, MessageUse, ModelUse, ResumeError, Summariser, Summary, Tokens, answer_ids, id_hash,
};
pub use writer::{BackgroundSave, WriterRole, background_saves, is_background_agent, writer_role};

use thiserror::Error;

/// Format of a file, by its content. `None` for what is no transcript of a known format.
#[must_use]
pub fn detect(bytes: &[u8]) -> Option<Format> {
    detect::detect(&surrogates::repaired(bytes)).ok()
}

/// Reads a file of any known format.
///
/// # Errors
/// [`ReadError`] for an empty file and for one of no known format. Everything else is an entry of the [`Account`].
pub fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    let bytes = surrogates::repaired(bytes);
    detect::detect(&bytes).map(|format| read_repaired(format, &bytes))
}

/// Reads a file as what it is said to be.
#[must_use]
pub fn read_as(format: Format, bytes: &[u8]) -> Reading {
    read_repaired(format, &surrogates::repaired(bytes))
}

/// What a Codex rollout goes on from where it is a fork, whose own file copies nothing of it.
#[must_use]
pub fn forked_from(bytes: &[u8]) -> Option<ForkedFrom> {
    codex::forked_from(bytes)
}

/// A Codex rollout that is a fork, with the history of those that it goes on from, the first one first: each with the ordinal
/// before which its lines are history. Messages of them have the line 0, and none of their requests is the fork's.
#[must_use]
pub fn read_fork(bytes: &[u8], above: &[(Vec<u8>, u64)]) -> Reading {
    let above: Vec<(Vec<u8>, u64)> =
        above.iter().map(|(bytes, before)| (surrogates::repaired(bytes).into_owned(), *before)).collect();
    codex::read_after(&surrogates::repaired(bytes), &above)
}

fn read_repaired(format: Format, bytes: &[u8]) -> Reading {
    match format {
        Format::ClaudeCode => claude_code::read(bytes),
        Format::MessagesRequest | Format::MessagesResponse => messages::read(format, bytes),
        Format::ProxyLog => messages::read_log(bytes),
        Format::CodexRollout => codex::read(bytes),
        Format::CopilotEvents => copilot::read(bytes),
        Format::GeminiChat => gemini::read(bytes),
        Format::Opencode => opencode::read(bytes),
        Format::OpenAiChat => openai_chat::read(bytes),
        Format::OpenAiResponses => openai_responses::read(bytes),
    }
}

/// A file holds no transcript.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("transcripts")]
pub enum ReadError {
    /// Nothing but white space.
    #[error("the file is empty")]
    Empty,
    /// No format that is known.
    #[error("not a transcript of a known format: {looks_like}")]
    Unrecognised {
        /// Likely type instead, shortly and without its content.
        looks_like: retrace_message::Message,
    },
}

/// A title for a conversation that has none: the first line a person typed, or that may have been typed.
fn title(messages: &[Message]) -> Option<String> {
    let typed = messages.iter().filter(|message| matches!(message.origin, Origin::Typed | Origin::Unsaid));
    typed.flat_map(spoken).find_map(claude_code::line::title_of)
}

/// Texts of a message without the tags that clients put around an image.
fn spoken(message: &Message) -> impl Iterator<Item = &str> {
    let has_media = message.blocks.iter().any(|block| matches!(block.kind, BlockKind::Media(_)));
    let is_tag = move |text: &str| {
        let text = text.trim();
        let is_around = text.starts_with("<image") || text == "</image>";
        has_media && is_around && text.ends_with('>') && !text.contains('\n')
    };
    message.blocks.iter().filter_map(move |block| match &block.kind {
        BlockKind::Text { text } if !is_tag(text) => Some(text.as_str()),
        _ => None,
    })
}
