//! The memories of a store over all sessions: where each was before a model, and the lines that none had.

use super::cause as told;
use super::digests::Known;
use super::memories::{self, Held, StoreAt};
use super::places::Places;
use super::reach::spoken;
use crate::Lab;
use crate::wire::{ApiError, PresenceCause};
use retrace_engine::lock;
use retrace_log::StoreRow;
use retrace_model::{MemoryId, RelPath, StoreId, Timestamp};
use retrace_presence::{Cause, Conversation, Place};
use retrace_sessions::Snapshot;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

/// A memory over sessions.
#[derive(Clone, Debug)]
pub struct MemoryPresence {
    /// The memory.
    pub memory: MemoryId,
    /// Its path in the store.
    pub path: String,
    /// Conversations that could have had it, subagents among them.
    pub sessions: u64,
    /// Of these, those of which any request had any line of it.
    pub present: u64,
    /// Lines of its newest version that none had, in order.
    pub never: Vec<NeverLines>,
}

/// Lines that no conversation had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeverLines {
    /// The first and the last.
    pub lines: (u32, u32),
    /// Their bytes in the content.
    pub bytes: (usize, usize),
    /// Column behind the last character.
    pub end_column: u32,
    /// True if these are all lines with text.
    pub is_whole: bool,
    /// The most frequent cause.
    pub cause: PresenceCause,
    /// Conversations with this cause.
    pub sessions: u64,
    /// Conversations in which the lines existed and could have been there.
    pub of: u64,
}

/// A store and whether it is asked from a time on.
type Asked = (StoreId, bool);

/// Answers that were given, with what they were made from.
#[derive(Default)]
pub(crate) struct OfStores {
    kept: Mutex<HashMap<Asked, Answer>>,
}

struct Answer {
    known: Arc<Known>,
    versions: u64,
    /// Versions that were compared with the transcripts: who wrote one tells since when it is there.
    joined: u64,
    /// The day from which on sessions count.
    since: Option<i64>,
    found: Arc<Vec<MemoryPresence>>,
}

impl OfStores {
    pub(crate) fn forget(&self) {
        lock(&self.kept).clear();
    }
}

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// The live memories of a store over the conversations on this machine, or over those with a request at or after a day. What
/// did not change since the last question is not worked out again.
///
/// # Errors
/// A failure of the database.
pub fn store_presence(
    inner: &Arc<Lab>,
    store: &StoreRow,
    since: Option<Timestamp>,
) -> Result<Arc<Vec<MemoryPresence>>, ApiError> {
    let roots = inner.read(|reader| Ok(memories::roots(&memories::stores(reader)?)))?;
    let (snapshot, known) = inner.lab.presence.all(inner, &roots);
    let since = since.map(|since| since.micros().div_euclid(DAY) * DAY);
    let (asked, kept) = ((store.id, since.is_some()), &inner.lab.presence.of_stores.kept);
    let joined = inner.read(|reader| Ok(reader.joined_through()?))?;
    if let Some(answer) = lock(kept).get(&asked)
        && Arc::ptr_eq(&answer.known, &known)
        && (answer.versions, answer.joined, answer.since) == (store.versions, joined, since)
    {
        return Ok(Arc::clone(&answer.found));
    }
    let at = memories::at(store.clone());
    let held: Vec<Held> = inner.read(|reader| {
        let live = reader.memories_at(store.id, None)?;
        let named = live.iter().filter_map(|memory| Some((memory.version.memory, memory.path.as_ref()?)));
        named.map(|(id, path)| memories::held(reader, &at, id, &RelPath::to_text(path))).collect()
    })?;
    let mut places = Places::default();
    let of = |held| Row::new(held).over(&at, since, &snapshot, &known, &mut places);
    let found: Arc<Vec<MemoryPresence>> = Arc::new(held.iter().filter_map(of).collect());
    let answer = Answer { known, versions: store.versions, joined, since, found: Arc::clone(&found) };
    lock(kept).insert(asked, answer);
    Ok(found)
}

/// What became of each line: `None` where it was there.
type Fates = Vec<Option<Cause>>;

/// Whether a conversation ran where the memory is loaded, and the version in force with whether that is sure.
type Unopened = (bool, Option<(usize, bool)>);

struct Row<'h> {
    held: &'h Held,
    newest: Option<usize>,
    had: Vec<bool>,
    /// By line: causes with numbers of conversations.
    causes: Vec<Vec<(Cause, u64)>>,
    /// Of a memory that nobody opened, by place and version in force: the same in many conversations.
    unopened: HashMap<Unopened, Rc<Fates>>,
}

impl<'h> Row<'h> {
    fn new(held: &'h Held) -> Self {
        let newest = held.memory.newest();
        let count = newest.map_or(0, |newest| held.memory.versions()[newest].lines.len());
        let (had, causes) = (vec![false; count], vec![Vec::new(); count]);
        Self { held, newest, had, causes, unopened: HashMap::new() }
    }

    fn over(
        mut self,
        store: &StoreAt,
        since: Option<i64>,
        snapshot: &Snapshot,
        known: &Known,
        places: &mut Places,
    ) -> Option<MemoryPresence> {
        let newest = self.newest?;
        let (mut sessions, mut present) = (0, 0);
        for entry in snapshot.sessions().iter().flat_map(|session| session.entries()) {
            let Some(file) = known.file(&entry.path) else { continue };
            for (part, digest) in file.conversations.iter().enumerate() {
                let Some(last) = digest.requests.last() else { continue };
                if since.is_some_and(|since| last.at.is_none_or(|at| at < since)) {
                    continue;
                }
                let spoken = spoken(entry, file, digest, part, known);
                let pieces = self.held.pieces(digest, &known.shelf);
                let conversation = places.conversation(store, &spoken, !pieces.is_empty());
                if conversation.place() != Place::Here && pieces.is_empty() {
                    continue;
                }
                sessions += 1;
                present += u64::from(self.add(conversation, &pieces, newest));
            }
        }
        let never = self.never(newest);
        Some(MemoryPresence { memory: self.held.id, path: self.held.path.clone(), sessions, present, never })
    }

    /// Adds a conversation; true if it had any line.
    fn add(&mut self, conversation: Conversation<'_>, pieces: &[usize], newest: usize) -> bool {
        let mut any = false;
        if !pieces.is_empty() || conversation.infers() {
            let had = conversation.had(&self.held.memory, pieces, newest);
            for (kept, had) in self.had.iter_mut().zip(had) {
                *kept |= had;
                any |= had;
            }
        }
        let Some(fates) = self.fates(conversation, pieces, newest) else { return any };
        for (causes, fate) in self.causes.iter_mut().zip(fates.iter()) {
            let Some(cause) = fate.filter(|cause| is_occasion(*cause)) else { continue };
            match causes.iter_mut().find(|(known, _)| *known == cause) {
                Some((_, count)) => *count += 1,
                None => causes.push((cause, 1)),
            }
        }
        any
    }

    /// What became of each line by the last request.
    fn fates(
        &mut self,
        conversation: Conversation<'_>,
        pieces: &[usize],
        newest: usize,
    ) -> Option<Rc<Fates>> {
        let last = conversation.digest().requests.len().checked_sub(1)?;
        let read = |memory| {
            let at = conversation.at(memory, pieces, Some(newest), last)?;
            Some(Rc::new(at.lines.iter().map(|line| line.absent).collect::<Fates>()))
        };
        let memory = &self.held.memory;
        if conversation.digest().requests[last].is_copied || !pieces.is_empty() || memory.was_ever_loaded() {
            return read(memory);
        }
        let in_force = memory.in_force(conversation.digest().requests[last].at);
        let key = (conversation.place() == Place::Here, in_force);
        if let Some(known) = self.unopened.get(&key) {
            return Some(Rc::clone(known));
        }
        let found = read(memory)?;
        self.unopened.insert(key, Rc::clone(&found));
        Some(found)
    }

    /// Runs of lines that none had, of one cause each.
    fn never(&self, newest: usize) -> Vec<NeverLines> {
        let text = &self.held.texts[newest];
        let mut at = 0;
        let mut runs: Vec<NeverLines> = Vec::new();
        let (mut with_text, mut in_runs, mut is_open) = (0_u64, 0_u64, false);
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let (start, end) = (at, at + line.trim_end_matches(['\n', '\r']).len());
            at += line.len();
            // White space goes with the lines around it.
            if line.trim().is_empty() {
                continue;
            }
            with_text += 1;
            let Some((cause, sessions, of)) = self.never_had(index) else {
                is_open = false;
                continue;
            };
            in_runs += 1;
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            let columns = line.trim_end_matches(['\n', '\r']).chars().count();
            let end_column = u32::try_from(columns + 1).unwrap_or(u32::MAX);
            match runs.last_mut().filter(|last| is_open && last.cause == cause) {
                Some(last) => {
                    (last.lines.1, last.bytes.1, last.end_column) = (number, end, end_column);
                    (last.sessions, last.of) = (last.sessions.max(sessions), last.of.max(of));
                }
                None => runs.push(NeverLines {
                    lines: (number, number),
                    bytes: (start, end),
                    end_column,
                    is_whole: false,
                    cause,
                    sessions,
                    of,
                }),
            }
            is_open = true;
        }
        if let [only] = &mut runs[..] {
            only.is_whole = with_text == in_runs;
        }
        runs
    }

    /// Of a line that no conversation had: the most frequent cause, its conversations, and all that could have had it.
    fn never_had(&self, line: usize) -> Option<(PresenceCause, u64, u64)> {
        let causes = self.causes.get(line).filter(|_| self.had.get(line) == Some(&false))?;
        let of = causes.iter().map(|(_, count)| count).sum();
        // A subagent without memory says nothing of the line.
        let rank = |(cause, count): &&(Cause, u64)| (*cause != Cause::Subagent, *count);
        let (cause, sessions) = causes.iter().max_by_key(rank)?;
        Some((told(*cause), *sessions, of))
    }
}

/// True for a cause with which the line existed and could have been there.
const fn is_occasion(cause: Cause) -> bool {
    match cause {
        Cause::Cut
        | Cause::NotOpened
        | Cause::SwitchedOff
        | Cause::Subagent
        | Cause::Compacted
        | Cause::Cleared
        | Cause::OtherDirectory
        | Cause::NotInScope => true,
        Cause::DidNotExist | Cause::OtherVersion | Cause::Stripped | Cause::Unknown => false,
    }
}
