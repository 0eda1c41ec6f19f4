//! The words in which every transcript is told.
//!
//! A transcript is an arena of messages and the requests made over them. What a request sent is the first `upto` messages
//! of its segment: within a [`Segment`] messages are only appended, and whatever takes something away from the context or
//! changes it in place (a compaction, a rewind) begins a new one.
//!
//! Invariants: every index is within its list; a segment names a message at most once; the requests are in the order
//! they were made; a request's response is not among the messages it sent.

mod account;
mod block;
mod done;
mod usage;

pub use account::{Account, Malformed, Oddity};
pub use block::{AttachedFile, Block, BlockKind, Media, MediaKind, ResultPart, Sent};
pub use done::{Done, DoneChange, DoneFile, DoneWhat};
pub(crate) use usage::FAST;
pub use usage::{AppliedEdit, Iteration, Usage};

use retrace_model::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Index of a message in [`Transcript::messages`].
pub type MessageIndex = usize;

/// Recognised format of a file, by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Format {
    /// Claude Code session, JSON lines.
    ClaudeCode,
    /// One Messages API request, or an array of Messages-shaped messages.
    MessagesRequest,
    /// One Messages API response.
    MessagesResponse,
    /// Pairs of Messages API request and response, JSON lines.
    ProxyLog,
    /// Codex rollout, JSON lines.
    CodexRollout,
    /// Copilot CLI events, JSON lines.
    CopilotEvents,
    /// Gemini CLI chat, JSON lines.
    GeminiChat,
    /// opencode session, as its export or one message a line.
    Opencode,
    /// OpenAI chat completions request, response or pair.
    OpenAiChat,
    /// OpenAI responses request, response or pair.
    OpenAiResponses,
}

impl Format {
    /// The word for it in every output, such as `claude-code`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::MessagesRequest => "messages-request",
            Self::MessagesResponse => "messages-response",
            Self::ProxyLog => "proxy-log",
            Self::CodexRollout => "codex",
            Self::CopilotEvents => "copilot",
            Self::GeminiChat => "gemini",
            Self::Opencode => "opencode",
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
        }
    }
}

/// All that was read from one file: the main conversation first, then those inside it (sidechains) in order of
/// appearance, and the account of the reading.
#[derive(Clone, Debug)]
pub struct Reading {
    /// At least one, even if it holds no message.
    pub transcripts: Vec<Transcript>,
    /// Account of the file's content, understood or not.
    pub account: Account,
}

/// One conversation with a model.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Recognised format.
    pub format: Format,
    /// Who held the conversation, where and when.
    pub session: Session,
    /// Distinct system prompts and tool sets; requests point to theirs. Empty where a format does not keep them.
    pub preambles: Vec<Preamble>,
    /// Every message, in the order of the file. Those of dead branches are here too, in no request's segment; and what a person
    /// typed while the agent worked, behind the client's message of the same line that brought it.
    pub messages: Vec<Message>,
    /// Stretches over which messages are only appended.
    pub segments: Vec<Segment>,
    /// Calls of the model, in order.
    pub requests: Vec<Request>,
    /// Changes that the client says it carried out, in the order of the file (Codex, Gemini CLI).
    pub done: Vec<Done>,
    /// Files, without their content, of attachments that were sent in the result of a tool: their text stands there.
    pub folded: Vec<AttachedFile>,
}

/// Facts about the session as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    /// Its id, usually a UUID.
    pub id: Option<String>,
    /// A title from the file: a custom or generated title, a summary line, or the first line a person typed.
    pub title: Option<String>,
    /// The first line a person typed, by formats that give sessions titles of other sorts, too.
    pub first_prompt: Option<String>,
    /// Working directory the session ran in, as recorded there.
    pub project: Option<String>,
    /// Branch of the repository.
    pub branch: Option<String>,
    /// Version of the client that wrote the file.
    pub client_version: Option<String>,
    /// Set for a subagent or sidechain: its own id (or the uuid of its first message). [`Self::id`] is then its session's.
    pub agent: Option<String>,
    /// Time of the first line that has one.
    #[serde(with = "crate::saved::instant")]
    pub started_at: Option<Timestamp>,
    /// Time of the last line that has one.
    #[serde(with = "crate::saved::instant")]
    pub ended_at: Option<Timestamp>,
    /// Window of the model in tokens, where the file tells it.
    pub context_window: Option<u64>,
    /// What the session cost by the client's own figures, subagents included, when it last wrote it down.
    pub client_cost: Option<MicroDollars>,
    /// Names of the tools that were called, as the client keeps them.
    pub tools_used: Vec<String>,
}

/// Millionths of a US dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MicroDollars(pub u64);

impl MicroDollars {
    /// The nearest to so many dollars; `None` for what is no price.
    #[must_use]
    pub fn of(dollars: f64) -> Option<Self> {
        /// A million dollars: no session costs as much.
        const MOST: f64 = 1e6;
        let is_price = (0.0..=MOST).contains(&dollars);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is between 0 and 10^12"
        )]
        let micros = (dollars * 1e6).round() as u64;
        is_price.then_some(Self(micros))
    }

    /// In dollars.
    #[must_use]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

/// Parts of a request before its messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preamble {
    /// System prompt, one entry a text block.
    pub system: Vec<String>,
    /// Tools the model may call.
    pub tools: Vec<Tool>,
}

/// A tool's definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Name the model calls it by.
    pub name: String,
    /// The whole definition as sent.
    pub definition: Value,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person, or the client in their name: tool results and attachments come with this role.
    User,
    /// The model.
    Assistant,
    /// Instructions within the messages (OpenAI formats).
    System,
}

/// Origin of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Typed by a person.
    Typed,
    /// Answered by the model.
    Model,
    /// Results of tools.
    ToolResults,
    /// Put in by the client: attachments, reminders, meta messages, output of local commands.
    Client,
    /// The summary that stands for what a compaction took away.
    Summary,
    /// Written by the client in the model's name; no call was made (`<synthetic>`).
    Synthetic,
    /// Part of a request whose messages do not say more.
    Unsaid,
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// Its origin.
    pub origin: Origin,
    /// Blocks in order. A response told over several lines is one message.
    pub blocks: Vec<Block>,
    /// `uuid` of its first line, or another id within the file.
    pub uuid: Option<String>,
    /// Id of the API response, for what the model said.
    pub api_id: Option<String>,
    /// When its first line was written.
    pub at: Option<Timestamp>,
    /// First line of it in the file, from 1; 0 where a file is not made of lines.
    pub line: u32,
}

/// A stretch over which messages are only appended.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Its messages in order, answers of the model included.
    pub messages: Vec<MessageIndex>,
    /// Cause of its beginning.
    pub cause: Cause,
    /// Ids of tool uses whose results the client had dropped in place when the segment began (micro-compaction).
    pub dropped_results: Arc<BTreeSet<String>>,
}

/// Cause of a segment's beginning.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// The conversation began.
    Start,
    /// A compaction put a summary in place of what was there.
    Compacted(Compaction),
    /// The client dropped old tool results in place; the messages go on.
    Microcompacted {
        /// Tokens before, as recorded.
        tokens_before: Option<u64>,
        /// Tokens saved, as recorded.
        tokens_saved: Option<u64>,
    },
    /// A person went back to an earlier message and went on from there.
    Rewound,
    /// The client sent a history of its own making (a new conversation in a proxy log, for instance).
    Replaced,
}

/// A compaction that took place while the transcript was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compaction {
    /// `auto` or `manual`, as recorded.
    pub trigger: Option<String>,
    /// Context before, as recorded (`preTokens`).
    pub tokens_before: Option<u64>,
    /// Context after, as recorded (`postTokens`).
    pub tokens_after: Option<u64>,
    /// The message that holds the summary.
    pub summary: Option<MessageIndex>,
    /// Line of the boundary in the file.
    pub line: u32,
    /// When it happened.
    pub at: Option<Timestamp>,
}

/// One call of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Id of the API response (`msg_…`), or another that is unique within the transcript.
    pub id: String,
    /// `requestId` where recorded.
    pub request_id: Option<String>,
    /// When the answer began to be written.
    pub at: Option<Timestamp>,
    /// Model as recorded.
    pub model: Option<String>,
    /// Index of its segment.
    pub segment: usize,
    /// Number of the segment's messages that it sent.
    pub upto: usize,
    /// Answer of the model.
    pub response: Option<MessageIndex>,
    /// Index of its preamble, where recorded.
    pub preamble: Option<usize>,
    /// Recorded usage: the field-wise maximum over the lines of the response.
    pub usage: Option<Usage>,
    /// True if the recorded `output_tokens` is final. Clients before 2.1.98 leave a placeholder of the stream behind
    /// (transcripts.md, 3.2).
    pub output_is_final: bool,
    /// `stop_reason` where recorded.
    pub stop_reason: Option<String>,
    /// Edits that the server reports. `None` where the response does not say; an empty list says that nothing was.
    pub applied_edits: Option<Vec<AppliedEdit>>,
    /// Further parameters of a recorded request (`thinking`, `context_management`, `max_tokens`, …), without messages,
    /// system and tools. Null where none are recorded.
    pub parameters: Value,
}

impl Transcript {
    /// The messages a request sent, in order.
    pub fn sent<'t>(
        &'t self,
        request: &Request,
    ) -> impl Iterator<Item = (MessageIndex, &'t Message)> + use<'t> {
        let segment = self.segments.get(request.segment).map_or(&[][..], |segment| &segment.messages);
        let sent = &segment[..request.upto.min(segment.len())];
        sent.iter().filter_map(|&index| self.messages.get(index).map(|message| (index, message)))
    }
}
