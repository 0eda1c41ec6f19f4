//! Sessions as their owner shares them with other machines: which of them are a store's, what their requests had of its memories,
//! and the lines of their transcripts. Nothing here leaves the machine; whoever asks decides.

use super::memories::{self, Held, StoreAt};
use super::places::Places;
use super::reach::spoken;
use super::session::spans_of;
use crate::Lab;
use crate::lab::rows::{Rows, rows};
use crate::presence::digests::Known;
use crate::wire::{ApiError, PresenceCause, PresenceGrade, show};
use retrace_log::StoreRow;
use retrace_model::{MemoryId, RelPath, Sha256, StoreKind, Timestamp};
use retrace_presence::Place;
use retrace_sessions::{Entry, SessionRow, Snapshot};
use retrace_transcript::Tokens;
use std::collections::{BTreeSet, HashMap};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::sync::Arc;

/// Characters of an id that stands for a session whose own id is not unique, or has letters that none may have.
const ID: usize = 32;

/// Bytes of a line of a transcript that is read whole.
const MAX_LINE: u64 = 32 << 20;

/// The sessions on this machine at one moment.
pub struct SharedSessions {
    snapshot: Arc<Snapshot>,
    known: Arc<Known>,
    rows: Arc<Rows>,
    ids: Vec<String>,
}

/// A session with its figures.
pub struct SharedSession<'s> {
    /// Its id: the same whenever it is asked for.
    pub id: &'s str,
    /// Name of its transcript's format.
    pub agent: &'static str,
    /// Time of the first line.
    pub started_at: Option<Timestamp>,
    /// Time of the last one.
    pub ended_at: Option<Timestamp>,
    /// Calls of the model.
    pub requests: u64,
    /// Subagents.
    pub subagents: u64,
    /// Tokens of the calls.
    pub tokens: Tokens,
    /// Price in US dollars.
    pub cost: Option<f64>,
    /// Its files.
    pub files: Vec<SharedFile<'s>>,
}

/// A file of a session.
pub struct SharedFile<'s> {
    /// The part that it is of the session: empty for the session's own transcript.
    pub part: String,
    /// Where it is.
    pub path: &'s Path,
    /// Its bytes, as they were when the index read it.
    pub bytes: u64,
    entry: &'s Arc<Entry>,
}

/// A row of requests in which nothing changes for one memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldPresence {
    /// The memory.
    pub memory: MemoryId,
    /// The version that was loaded.
    pub version: Option<String>,
    /// Part of the session.
    pub part: String,
    /// The first request.
    pub from: u64,
    /// The last one.
    pub to: u64,
    /// Lines that were present.
    pub lines: u32,
    /// How well that is known.
    pub grade: PresenceGrade,
    /// Why most of the absent lines were absent.
    pub cause: Option<PresenceCause>,
    /// When the last of these requests was answered.
    pub at: Option<i64>,
}

/// The name of a conversation inside a file of a session.
#[must_use]
pub fn part_of(file: &str, conversation: usize) -> String {
    if conversation == 0 { file.to_owned() } else { format!("{file}#{conversation}") }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 128
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

impl SharedSessions {
    /// Reads every transcript that is not known yet.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn read(inner: &Arc<Lab>) -> Result<Self, ApiError> {
        let roots = inner.read(|reader| Ok(memories::roots(&memories::stores(reader)?)))?;
        let (snapshot, known) = inner.lab.presence.all(inner, &roots);
        let mut times: HashMap<&str, u32> = HashMap::new();
        for session in snapshot.sessions() {
            *times.entry(&session.id).or_default() += 1;
        }
        let id = |session: &SessionRow| match times.get(session.id.as_str()) {
            Some(1) if is_plain(&session.id) => session.id.clone(),
            _ => {
                let path = session.entries().next().map(|entry| show(&entry.path)).unwrap_or_default();
                let hash = Sha256::of(format!("{}\0{path}", session.id).as_bytes()).to_hex();
                hash.chars().take(ID).collect()
            }
        };
        let ids = snapshot.sessions().iter().map(id).collect();
        Ok(Self { rows: rows(inner), snapshot, known, ids })
    }

    /// A hash of all files as they are: the same where no transcript changed.
    #[must_use]
    pub fn fingerprint(&self) -> Sha256 {
        let mut text = Vec::new();
        for entry in self.snapshot.entries() {
            text.extend_from_slice(show(&entry.path).as_bytes());
            text.extend_from_slice(format!("\0{:?}\n", entry.identity).as_bytes());
        }
        Sha256::of(&text)
    }

    /// Number of sessions.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ids.len()
    }

    /// One session; the newest is the first.
    #[must_use]
    pub fn session(&self, at: usize) -> Option<SharedSession<'_>> {
        let (row, id) = (self.snapshot.sessions().get(at)?, self.ids.get(at)?);
        let summaries = || row.entries().filter_map(|entry| entry.summary.as_ref());
        let mut tokens = Tokens::default();
        for used in summaries().flat_map(|summary| summary.models.values()) {
            tokens.input = tokens.input.saturating_add(used.tokens.input);
            tokens.cache_creation = tokens.cache_creation.saturating_add(used.tokens.cache_creation);
            tokens.cache_read = tokens.cache_read.saturating_add(used.tokens.cache_read);
            tokens.output = tokens.output.saturating_add(used.tokens.output);
        }
        let files = files(row);
        let inline: u64 = summaries().map(|summary| summary.subagents).sum();
        let path = files.first().map(|file| show(file.path)).unwrap_or_default();
        // The rows of another moment may have another order.
        let told = self.rows.rows.get(at).filter(|row| row.path == path);
        Some(SharedSession {
            id,
            agent: summaries().find_map(|summary| summary.format).map_or("", |format| format.name()),
            started_at: row.started_at(),
            ended_at: row.ended_at(),
            requests: row.requests(),
            subagents: inline + row.subagents.len() as u64,
            tokens,
            cost: told.and_then(|row| row.cost_usd),
            files,
        })
    }
}

fn files(row: &SessionRow) -> Vec<SharedFile<'_>> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    let main = row.main.iter().map(|entry| (entry, String::new()));
    let further = row.further.iter().zip(1..).map(|(entry, number)| (entry, format!("+{number}")));
    let subagents = row.subagents.iter().zip(1..).map(|(entry, number)| {
        let name = entry.agent_id().filter(|name| is_plain(name));
        (entry, name.unwrap_or_else(|| format!("agent+{number}")))
    });
    let mut files = Vec::new();
    for (entry, name) in main.chain(further).chain(subagents) {
        let mut part = name.clone();
        let mut number = 1;
        while !names.insert(part.clone()) {
            number += 1;
            part = format!("{name}+{number}");
        }
        files.push(SharedFile { part, path: &entry.path, bytes: entry.identity.size, entry });
    }
    files
}

/// A store whose sessions are shared, with its memories.
pub struct SharedStore {
    store: StoreAt,
    held: Vec<Held>,
    places: Places,
}

impl SharedStore {
    /// Reads the live memories of a store.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn read(inner: &Lab, store: &StoreRow) -> Result<Self, ApiError> {
        let store = memories::at(store.clone());
        let held = inner.read(|reader| {
            let live = reader.memories_at(store.row.id, None)?;
            let named = live.iter().filter_map(|memory| Some((memory.version.memory, memory.path.as_ref()?)));
            named.map(|(id, path)| memories::held(reader, &store, id, &RelPath::to_text(path))).collect()
        })?;
        Ok(Self { store, held, places: Places::default() })
    }

    /// What the requests of a session had of the store's memories; `None` for a session that is not the store's. A memory that is
    /// loaded on demand and that nobody opened is left out.
    ///
    /// A session is the store's where it ran on its project, or is one of the agent whose memory it is. A store of no project
    /// has the sessions that held any of its files.
    pub fn told(
        &mut self,
        sessions: &SharedSessions,
        session: &SharedSession<'_>,
    ) -> Option<Vec<ToldPresence>> {
        let mut is_of = false;
        let mut told = Vec::new();
        for file in &session.files {
            let Some(known) = sessions.known.file(file.path) else { continue };
            for (number, digest) in known.conversations.iter().enumerate() {
                let spoken = spoken(file.entry, known, digest, number, &sessions.known);
                let part = part_of(&file.part, number);
                let held_any = digest.pieces.iter().any(|piece| self.store.inside(&piece.path).is_some());
                let mut pieces_of = Vec::with_capacity(self.held.len());
                for held in &self.held {
                    pieces_of.push(held.pieces(digest, &sessions.known.shelf));
                }
                let holds = held_any || pieces_of.iter().any(|pieces| !pieces.is_empty());
                let conversation = self.places.conversation(&self.store, &spoken, holds);
                is_of |= holds
                    || (conversation.place() == Place::Here && !self.places.is_of_no_project(&self.store));
                if digest.requests.is_empty() {
                    continue;
                }
                for (held, pieces) in self.held.iter().zip(&pieces_of) {
                    if pieces.is_empty()
                        && (conversation.place() != Place::Here || !held.memory.was_ever_loaded())
                    {
                        continue;
                    }
                    let Some(newest) = held.memory.newest() else { continue };
                    let total = held.memory.versions()[newest].lines.len();
                    let lines = 1..=u32::try_from(total).unwrap_or(u32::MAX);
                    let version_id = |version| held.version_id(version);
                    let spans = spans_of(conversation, &held.memory, pieces, newest, &lines, &version_id);
                    told.extend(spans.into_iter().map(|span| {
                        ToldPresence {
                            memory: held.id,
                            version: span.version_id,
                            part: part.clone(),
                            from: span.from,
                            to: span.to,
                            lines: span.lines,
                            grade: span.grade,
                            cause: span.cause,
                            at: usize::try_from(span.to)
                                .ok()
                                .and_then(|to| digest.requests.get(to))
                                .and_then(|facts| facts.at),
                        }
                    }));
                }
            }
        }
        is_of.then_some(told)
    }
}

/// Hands on the lines of a transcript after the first `skip` ones, without their ends; `None` for one that is too large to be
/// read whole. A line whose end is not written yet is left for later. Ends early where `each` answers `false`.
///
/// Only a format that is a line an entry has any.
///
/// # Errors
/// A failure of reading the file, or of `each`.
pub fn transcript_lines<E: From<std::io::Error>>(
    file: &SharedFile<'_>,
    skip: u64,
    each: &mut dyn FnMut(Option<Vec<u8>>) -> Result<bool, E>,
) -> Result<(), E> {
    if file.path.extension() != Some("jsonl".as_ref()) {
        return Ok(());
    }
    let mut reader = BufReader::new(std::fs::File::open(file.path)?);
    let mut number = 0;
    loop {
        let mut line = Vec::new();
        let read = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        let whole = line.last() == Some(&b'\n');
        if !whole && (read as u64) < MAX_LINE {
            return Ok(());
        }
        if !whole && !to_its_end(&mut reader)? {
            return Ok(());
        }
        number += 1;
        if number <= skip {
            continue;
        }
        line.pop();
        if !each(whole.then_some(line))? {
            return Ok(());
        }
    }
}

/// Reads on to the end of a line; `false` where it is not written yet.
fn to_its_end(reader: &mut impl std::io::BufRead) -> std::io::Result<bool> {
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(false);
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(bytes.len(), |end| end + 1);
        reader.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// True for a kind of store that an agent loads by itself, wherever it runs.
pub(super) const fn is_of_an_agent(kind: StoreKind) -> bool {
    matches!(kind, StoreKind::ClaudeAuto | StoreKind::ClaudeAgent | StoreKind::Codex | StoreKind::Gemini)
}
