//! The running state of a summary: everything but the cut tail.

use super::{MemoryWrite, MessageUse, ModelUse, Summary, Tokens, claude_code, id_hash};
use crate::detect::{self, LineFormat};
use crate::lines::trim;
use crate::surrogates::repaired;
use crate::{Account, Format, ReadError, Session, account};
use retrace_model::Timestamp;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// Where a title came from; a later kind wins over an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum TitleRank {
    #[default]
    None,
    /// First line of a sidechain; counts while there is no main conversation.
    SidechainTyped,
    /// First line a person typed.
    FirstTyped,
    /// A summary line.
    Summary,
    /// A generated title.
    Generated,
    /// A title given by the person.
    Custom,
}

/// Way of reading the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Manner {
    /// Not known yet.
    #[default]
    Undecided,
    /// Line by line: a Claude Code session.
    Lines,
    /// As one document, at the end.
    Document,
    /// Not at all.
    Refused,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    manner: Manner,
    /// True if a line that is not blank was looked at.
    has_begun: bool,
    pub consumed: u64,
    pub line: u64,
    pub account: Account,
    pub session: Session,
    pub title_rank: TitleRank,
    #[serde(with = "crate::saved::instant")]
    pub first_at: Option<Timestamp>,
    #[serde(with = "crate::saved::instant")]
    pub last_at: Option<Timestamp>,
    pub compactions: u64,
    pub memory_writes: Vec<MemoryWrite>,
    /// Conversations of sidechains, and the ids of those that have one, hashed.
    sidechains: u64,
    agents: BTreeSet<u64>,
    /// True if a line of the main conversation was seen.
    pub has_main: bool,
    /// The model of the calls to come (formats that say it apart).
    pub current_model: Option<String>,
    uses: Vec<MessageUse>,
    model_names: Vec<String>,
    /// Hash of an id to its place in `uses`; made anew on resuming.
    #[serde(skip)]
    places: HashMap<u64, usize>,
}

/// Further facts of a line about the call it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub output_is_final: bool,
    pub sidechain: bool,
    pub fast: bool,
    pub copied: bool,
}

impl State {
    pub(super) fn is_document(&self) -> bool {
        self.manner == Manner::Document
    }

    pub(super) fn is_undecided(&self) -> bool {
        self.manner == Manner::Undecided
    }

    /// Looks at a line of a file that is not recognised yet.
    pub(super) fn decide(&mut self, line: &[u8]) {
        let line = repaired(trim(line));
        if line.is_empty() {
            return;
        }
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        self.manner = match detect::line_format(&line) {
            LineFormat::Lines(Format::ClaudeCode) => Manner::Lines,
            // The others are small beside it; they are read as a whole.
            LineFormat::Lines(_) => Manner::Document,
            // Further down, what looks like the beginning of a document is a damaged line.
            LineFormat::Document if is_first => Manner::Document,
            LineFormat::Document | LineFormat::Unknown => Manner::Undecided,
        };
    }

    /// Gives a file up after so many bytes.
    pub(super) fn refuse(&mut self, bytes: usize) {
        self.manner = Manner::Refused;
        self.consumed += bytes as u64;
    }

    /// One whole line.
    pub(super) fn line(&mut self, line: &[u8]) {
        self.line += 1;
        self.consumed += line.len() as u64;
        let line = trim(line);
        if line.is_empty() || self.manner != Manner::Lines {
            return;
        }
        self.account.lines += 1;
        if let Err(reason) = self.claude_code(line) {
            account::malformed(&mut self.account, self.line, reason);
        }
    }

    /// Takes the bytes after the last line break: a whole line, or one that is cut.
    pub(super) fn last_line(&mut self, line: &[u8]) {
        self.line += 1;
        if self.manner == Manner::Lines {
            self.account.lines += 1;
            self.account.last_line_cut = self.claude_code(line).is_err();
        }
    }

    fn claude_code(&mut self, line: &[u8]) -> Result<(), retrace_message::Message> {
        claude_code::line(self, line).or_else(|reason| match repaired(line) {
            Cow::Borrowed(_) => Err(reason),
            // Nothing of a line that cannot be read was taken in.
            Cow::Owned(line) => claude_code::line(self, &line),
        })
    }

    /// A line of a sidechain. One begins with a new agent's id or, in older files, with a root.
    pub(super) fn sidechain(&mut self, agent: Option<&str>, uuid: Option<&str>, is_root: bool) {
        let is_new = match agent {
            Some(agent) => self.agents.insert(id_hash(agent)),
            None => is_root || self.sidechains == 0,
        };
        if is_new {
            self.sidechains += 1;
            if self.session.agent.is_none() {
                self.session.agent = agent.or(uuid).map(str::to_owned);
            }
        }
    }

    pub(super) fn saw(&mut self, at: Option<Timestamp>) {
        if at.is_some() {
            self.first_at = self.first_at.or(at);
            self.last_at = at;
        }
    }

    pub(super) fn title(&mut self, rank: TitleRank, title: &str) {
        // Of first lines the first counts, of the others the last.
        if !title.trim().is_empty()
            && (rank > self.title_rank || (rank == self.title_rank && rank > TitleRank::FirstTyped))
        {
            self.session.title = Some(title.trim().to_owned());
            self.title_rank = rank;
        }
    }

    pub(super) fn memory_write(&mut self, path: &str, tool: &str, at: Option<Timestamp>) {
        if self.memory_writes.len() < Summary::MEMORY_WRITES_KEPT {
            let (path, tool) = (path.to_owned(), tool.to_owned());
            self.memory_writes.push(MemoryWrite { path, tool, at, line: self.line });
        }
    }

    /// A line of a response: opens its call, or raises what is known of it.
    pub(super) fn used(&mut self, id: u64, model: &str, tokens: &Tokens, how: How) {
        let How { output_is_final, sidechain, fast, copied } = how;
        if let Some(known) = self.places.get(&id).and_then(|&place| self.uses.get_mut(place)) {
            known.tokens.raise_to(tokens);
            known.output_is_final |= output_is_final;
            known.fast |= fast;
            return;
        }
        let model = self.model_names.iter().position(|name| name == model).unwrap_or_else(|| {
            self.model_names.push(model.to_owned());
            self.model_names.len() - 1
        });
        let model = u32::try_from(model).unwrap_or(u32::MAX);
        self.places.insert(id, self.uses.len());
        self.uses.push(MessageUse { id, model, tokens: *tokens, output_is_final, sidechain, fast, copied });
    }

    pub(super) fn remember_ids(&mut self) {
        self.places = self.uses.iter().enumerate().map(|(place, used)| (used.id, place)).collect();
    }

    pub(super) fn into_summary(self) -> Summary {
        let format = (self.manner == Manner::Lines).then_some(Format::ClaudeCode);
        let refusal = (self.manner != Manner::Lines)
            .then(|| ReadError::Unrecognised { looks_like: say::large_file_without_line_known() });
        let mut models = std::collections::BTreeMap::<String, ModelUse>::new();
        let mut peak_context = 0;
        let main_is_sidechain = !self.has_main;
        for used in &self.uses {
            let name = self.model_names.get(used.model as usize).cloned().unwrap_or_default();
            let model = models.entry(name).or_default();
            model.requests += 1;
            model.tokens.add(&used.tokens);
            if main_is_sidechain || !used.sidechain {
                peak_context = peak_context.max(used.tokens.context());
            }
        }
        let mut session = self.session;
        if self.has_main {
            session.agent = None;
        }
        (session.started_at, session.ended_at) = (self.first_at, self.last_at);
        Summary {
            format,
            refusal,
            session,
            requests: self.uses.len() as u64,
            models,
            peak_context,
            compactions: self.compactions,
            first_at: self.first_at,
            last_at: self.last_at,
            memory_writes: self.memory_writes,
            // The first is the conversation itself where there is no other.
            subagents: self.sidechains.saturating_sub(u64::from(!self.has_main)),
            account: self.account,
            message_ids: self.uses,
            model_names: self.model_names,
        }
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "state";
    large_file_without_line_known() => "a large file without a line of a known transcript",
}
