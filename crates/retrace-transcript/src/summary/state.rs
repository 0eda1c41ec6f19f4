//! The running state of a summary: everything but the cut tail.

use super::{MemoryWrite, MessageUse, ModelUse, Summary, Tokens, claude_code};
use crate::{Account, Format, ReadError, Session, account, detect};
use retrace_model::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

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

/// How the bytes are gone over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Manner {
    /// Not known yet.
    #[default]
    Undecided,
    /// Line by line.
    Lines(Format),
    /// As one document, at the end.
    Document,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    manner: Manner,
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
    pub subagents: u64,
    /// Whether a line of the main conversation was seen.
    pub has_main: bool,
    /// The model of the calls to come (formats that say it apart).
    pub current_model: Option<String>,
    uses: Vec<MessageUse>,
    model_names: Vec<String>,
    /// Hash of an id to its place in `uses`; made anew on resuming.
    #[serde(skip)]
    places: HashMap<u64, usize>,
}

impl State {
    pub fn is_document(&self) -> bool {
        self.manner == Manner::Document
    }

    /// One whole line. False when it shows that the file is not made of lines: then it is not taken in.
    pub fn line(&mut self, line: &[u8]) -> bool {
        self.line += 1;
        let line = line.trim_ascii();
        if line.is_empty() {
            return true;
        }
        if self.manner == Manner::Undecided && !self.decide(line) {
            return false;
        }
        self.account.lines += 1;
        if let Some(reason) = self.take(line) {
            account::malformed(&mut self.account, self.line, reason);
        }
        true
    }

    /// What stands after the last line break: a whole line, or one that is cut.
    pub fn last_line(&mut self, line: &[u8]) {
        self.line += 1;
        if self.manner == Manner::Undecided && !self.decide(line) {
            return;
        }
        self.account.lines += 1;
        if self.take(line).is_some() {
            self.account.last_line_cut = true;
        }
    }

    fn decide(&mut self, line: &[u8]) -> bool {
        self.manner = match detect::line_format(line) {
            detect::LineFormat::Lines(format) => Manner::Lines(format),
            detect::LineFormat::Document if self.account.lines == 0 => Manner::Document,
            detect::LineFormat::Document | detect::LineFormat::Unknown => Manner::Undecided,
        };
        self.manner != Manner::Document
    }

    fn take(&mut self, line: &[u8]) -> Option<String> {
        match self.manner {
            Manner::Lines(Format::ClaudeCode) => claude_code::line(self, line),
            Manner::Lines(_) | Manner::Undecided | Manner::Document => {
                detect::is_json(line).err().or_else(|| {
                    account::count(&mut self.account.unknown, "");
                    None
                })
            }
        }
    }

    pub fn saw(&mut self, at: Option<Timestamp>) {
        if at.is_some() {
            self.first_at = self.first_at.or(at);
            self.last_at = at;
        }
    }

    pub fn title(&mut self, rank: TitleRank, title: &str) {
        // Of first lines the first counts, of the others the last.
        if !title.trim().is_empty()
            && (rank > self.title_rank || (rank == self.title_rank && rank > TitleRank::FirstTyped))
        {
            self.session.title = Some(title.trim().to_owned());
            self.title_rank = rank;
        }
    }

    pub fn memory_write(&mut self, path: &str, tool: &str, at: Option<Timestamp>) {
        if self.memory_writes.len() < Summary::MEMORY_WRITES_KEPT {
            let (path, tool) = (path.to_owned(), tool.to_owned());
            self.memory_writes.push(MemoryWrite { path, tool, at, line: self.line });
        }
    }

    /// A line of a response: opens its call, or raises what is known of it.
    pub fn used(&mut self, id: u64, model: &str, tokens: &Tokens, output_is_final: bool, sidechain: bool) {
        if let Some(known) = self.places.get(&id).and_then(|&place| self.uses.get_mut(place)) {
            known.tokens.raise_to(tokens);
            known.output_is_final |= output_is_final;
            return;
        }
        let model = self.model_names.iter().position(|name| name == model).unwrap_or_else(|| {
            self.model_names.push(model.to_owned());
            self.model_names.len() - 1
        });
        let model = u32::try_from(model).unwrap_or(u32::MAX);
        self.places.insert(id, self.uses.len());
        self.uses.push(MessageUse { id, model, tokens: *tokens, output_is_final, sidechain });
    }

    pub fn remember_ids(&mut self) {
        self.places = self.uses.iter().enumerate().map(|(place, used)| (used.id, place)).collect();
    }

    pub fn into_summary(self) -> Summary {
        let format = match self.manner {
            Manner::Lines(format) => Some(format),
            _ => None,
        };
        let refusal = match self.manner {
            Manner::Lines(_) => None,
            _ if self.account.lines == 0 => Some(ReadError::Empty),
            _ => Some(ReadError::Unrecognised { looks_like: "no line of a known transcript".to_owned() }),
        };
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
            subagents: self.subagents,
            account: self.account,
            message_ids: self.uses,
            model_names: self.model_names,
        }
    }
}
