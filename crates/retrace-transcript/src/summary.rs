//! Index entry of a transcript without keeping its contents, built up as the file grows.
//!
//! The summary is exact for what it tells: it goes over the same lines as [`crate::read`] and joins the lines of one
//! response in the same way. It holds no text of the conversation but the title and the paths of memory files.

mod claude_code;
mod document;

pub use document::answer_ids;
mod memory_write;
mod state;

pub use memory_write::MemoryWrite;

use crate::{Account, Format, ReadError, Session, Usage};
use retrace_model::Timestamp;
use serde::{Deserialize, Serialize};
use state::State;
use std::collections::BTreeMap;
use thiserror::Error;

/// Tokens as recorded, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Input that was neither read from nor written to the cache.
    pub input: u64,
    /// Input written to the cache, all of it.
    pub cache_creation: u64,
    /// Of that, with a life of 1 hour, where the split is told.
    pub cache_creation_1h: u64,
    /// Input read from the cache.
    pub cache_read: u64,
    /// Output.
    pub output: u64,
    /// Searches the server made.
    pub web_searches: u64,
}

impl Tokens {
    /// The three kinds of input together.
    #[must_use]
    pub const fn context(&self) -> u64 {
        self.input.saturating_add(self.cache_creation).saturating_add(self.cache_read)
    }

    /// Adds another's tokens to these.
    pub const fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.cache_creation = self.cache_creation.saturating_add(other.cache_creation);
        self.cache_creation_1h = self.cache_creation_1h.saturating_add(other.cache_creation_1h);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.output = self.output.saturating_add(other.output);
        self.web_searches = self.web_searches.saturating_add(other.web_searches);
    }

    pub(crate) fn raise_to(&mut self, other: &Self) {
        self.input = self.input.max(other.input);
        self.cache_creation = self.cache_creation.max(other.cache_creation);
        self.cache_creation_1h = self.cache_creation_1h.max(other.cache_creation_1h);
        self.cache_read = self.cache_read.max(other.cache_read);
        self.output = self.output.max(other.output);
        self.web_searches = self.web_searches.max(other.web_searches);
    }
}

impl From<&Usage> for Tokens {
    fn from(usage: &Usage) -> Self {
        Self {
            input: usage.input,
            cache_creation: usage.cache_creation,
            cache_creation_1h: usage.cache_creation_1h.unwrap_or(0),
            cache_read: usage.cache_read,
            output: usage.output,
            web_searches: usage.web_searches,
        }
    }
}

/// Use of one model in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelUse {
    /// Calls.
    pub requests: u64,
    /// Their recorded tokens, each response counted once.
    pub tokens: Tokens,
}

/// One call of a model, told apart from others so that copies of it in other files can be left out of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageUse {
    /// [`id_hash`] of the response's id (fallbacks: the request's id, the line's uuid, its place in the file).
    pub id: u64,
    /// Index into [`Summary::model_names`].
    pub model: u32,
    /// Recorded usage, the field-wise maximum over the lines of the response.
    pub tokens: Tokens,
    /// True if the output is final rather than a placeholder of the stream.
    pub output_is_final: bool,
    /// True if the call was made by a subagent or sidechain inside the file.
    pub sidechain: bool,
    /// True if it was served in fast mode, which has prices of its own.
    pub fast: bool,
    /// True if the file says that another session made the call: it is repeated here.
    pub copied: bool,
}

/// Summary of a file, without its contents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Recognised format; `None` while too little was fed, or when it is no transcript ([`Self::refusal`]).
    pub format: Option<Format>,
    /// Why it is no transcript, if it is none.
    pub refusal: Option<ReadError>,
    /// Who held the conversation, where and when.
    pub session: Session,
    /// Calls of the model, those of inline sidechains among them.
    pub requests: u64,
    /// Use by model name. A call whose model is not recorded is under the empty name.
    pub models: BTreeMap<String, ModelUse>,
    /// Largest recorded context of a call of the main conversation, in tokens; 0 where none is recorded.
    pub peak_context: u64,
    /// Compactions of the main conversation.
    pub compactions: u64,
    /// Time of the first line that has one.
    pub first_at: Option<Timestamp>,
    /// Time of the last line that has one.
    pub last_at: Option<Timestamp>,
    /// Writes to memory files that the model asked for, or a background extraction told of, in order; the first
    /// [`Summary::MEMORY_WRITES_KEPT`].
    pub memory_writes: Vec<MemoryWrite>,
    /// Conversations of subagents inside the file.
    pub subagents: u64,
    /// Account of the file's content, understood or not. Of a Claude Code session its lines alone: blocks of a type
    /// that is not known and oddities of the tree are told by the full reading.
    pub account: Account,
    /// Each call once, in order of appearance.
    pub message_ids: Vec<MessageUse>,
    /// Names of models in order of appearance, for [`MessageUse::model`].
    pub model_names: Vec<String>,
}

impl Summary {
    /// Number of memory writes that are kept.
    pub const MEMORY_WRITES_KEPT: usize = 10_000;
}

/// A stable hash of a response's id: 64-bit FNV-1a over its bytes. The same in every file, run and platform.
#[must_use]
pub const fn id_hash(id: &str) -> u64 {
    let bytes = id.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

/// Builds a [`Summary`] from a file's bytes in any chunks.
///
/// Whole lines are taken in as they come; what follows the last line break is held until the rest of its line is there.
/// A file that is one JSON document is held as a whole.
#[derive(Clone, Debug, Default)]
pub struct Summariser {
    state: State,
    /// Whole lines of a file that is not recognised yet.
    held: Vec<u8>,
    /// Bytes after the last line break, or a whole document.
    tail: Vec<u8>,
}

/// Bytes are not a saved summariser of this version.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not a summary saved by this version: {reason}")]
pub struct ResumeError {
    /// Reason.
    pub reason: String,
}

/// Number of bytes of a file that are held until it is recognised. A file that shows nothing until then is no
/// transcript.
const HELD: usize = 16 << 20;

/// Raised whenever a saved state could be read wrongly or a rule of counting changes: older ones are then made anew.
const SAVED_VERSION: u32 = 5;

#[derive(Serialize, Deserialize)]
struct Saved<S> {
    version: u32,
    state: S,
}

impl Summariser {
    /// One that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in the next bytes of the file.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.state.account.bytes = self.state.account.bytes.saturating_add(bytes.len() as u64);
        let mut rest = bytes;
        while let (false, Some(end)) = (self.state.is_document(), memchr::memchr(b'\n', rest)) {
            let (line, after) = rest.split_at(end + 1);
            rest = after;
            if self.tail.is_empty() {
                self.take_line(line);
            } else {
                self.tail.extend_from_slice(line);
                let line = std::mem::take(&mut self.tail);
                self.take_line(&line);
            }
        }
        self.tail.extend_from_slice(rest);
    }

    /// One whole line, its line break included.
    fn take_line(&mut self, line: &[u8]) {
        if self.state.is_undecided() {
            self.state.decide(line);
            if self.state.is_undecided() {
                self.held.extend_from_slice(line);
                if self.held.len() > HELD {
                    self.state.refuse(self.held.len());
                    self.held = Vec::new();
                }
                return;
            }
            let held = std::mem::take(&mut self.held);
            if self.state.is_document() {
                self.tail = held;
                self.tail.extend_from_slice(line);
                return;
            }
            held.split_inclusive(|&byte| byte == b'\n').for_each(|line| self.state.line(line));
        }
        self.state.line(line);
    }

    /// Bytes taken in as whole lines. A saved summariser goes on from this offset of the file.
    #[must_use]
    pub const fn consumed(&self) -> u64 {
        self.state.consumed
    }

    /// The summary of all bytes fed so far. A last line without a line break counts if it is whole.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let as_document = || {
            let bytes = [self.held.as_slice(), &self.tail].concat();
            document::summary(&bytes)
        };
        if self.state.is_document() || self.state.is_undecided() {
            return as_document();
        }
        let mut state = self.state.clone();
        let tail = crate::lines::trim(&self.tail);
        if !tail.is_empty() {
            state.last_line(tail);
        }
        state.into_summary()
    }

    /// The state as bytes, for [`Summariser::from_bytes`]. What follows the last whole line is not in it: feed the file
    /// again from [`Summariser::consumed`].
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut state = self.state.clone();
        state.account.bytes = state.consumed;
        serde_json::to_vec(&Saved { version: SAVED_VERSION, state })
            .expect("strings and numbers are always JSON")
    }

    /// Goes on from saved bytes.
    ///
    /// # Errors
    /// [`ResumeError`] when they are damaged or were saved by another version; start anew then.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ResumeError> {
        let saved: Saved<State> =
            serde_json::from_slice(bytes).map_err(|error| ResumeError { reason: error.to_string() })?;
        if saved.version != SAVED_VERSION {
            return Err(ResumeError { reason: format!("saved as version {}", saved.version) });
        }
        let mut state = saved.state;
        state.remember_ids();
        Ok(Self { state, ..Self::default() })
    }
}
