//! Which conversations could have had a memory, and what they had of it: the answer of presence, for features that count over
//! sessions.

use super::digests::Known;
use super::file::FileAsked;
use super::memories::{self, Held, StoreAt};
use super::places::Places;
use super::reach::spoken;
use super::{cause, grade};
use crate::Lab;
use crate::wire::{ApiError, PresenceCause, PresenceGrade};
use retrace_log::{Reader, StoreRow};
use retrace_model::{MemoryId, RelPath};
use retrace_presence::{Cause, Conversation, Place};
use retrace_sessions::Entry;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// What every conversation on this machine held.
pub struct Concerned {
    known: Arc<Known>,
    places: Places,
}

/// A memory that is asked about.
pub struct MemoryAsked {
    store: StoreAt,
    held: Option<Held>,
    /// By id of a version: its place.
    versions: HashMap<String, usize>,
}

/// What is asked of a memory: a line of one of its versions.
#[derive(Clone, Copy, Debug)]
pub struct OfMemory<'a> {
    /// The version's id.
    pub version: &'a str,
    /// The line's number there, from 1.
    pub line: u64,
}

impl MemoryAsked {
    /// The memory that is or was last at a path of a store.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn at(reader: &Reader<'_>, store: StoreRow, path: &RelPath) -> Result<Self, ApiError> {
        let memory = match reader.live_at(store.id, path)? {
            Some(live) => Some(reader.version_by_id(live.version)?.memory),
            None => reader.version_at(store.id, path, None)?.map(|version| version.memory),
        };
        Self::of(reader, store, memory, path)
    }

    /// A memory of a store, which is or was last at a path.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn of(
        reader: &Reader<'_>,
        store: StoreRow,
        memory: Option<MemoryId>,
        path: &RelPath,
    ) -> Result<Self, ApiError> {
        let store = memories::at(store);
        let held =
            memory.map(|memory| memories::held(reader, &store, memory, &path.to_text())).transpose()?;
        let rows = held.iter().flat_map(|held| held.rows.iter().enumerate());
        let versions = rows.map(|(at, row)| (row.id.to_string(), at)).collect();
        Ok(Self { store, held, versions })
    }
}

impl Concerned {
    /// Reads every transcript that is not known yet.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn read(lab: &Arc<Lab>) -> Result<Self, ApiError> {
        let roots = lab.read(|reader| Ok(memories::roots(&memories::stores(reader)?)))?;
        let (_, known) = lab.lab.presence.all(lab, &roots);
        Ok(Self { known, places: Places::default() })
    }

    /// Reads one transcript alone, with what the index says of it. `None` where it is no transcript that is known.
    ///
    /// # Errors
    /// A failure of the database, or of reading the transcript.
    pub fn of_transcript(lab: &Arc<Lab>, path: &Path) -> Result<Option<(Self, Arc<Entry>)>, ApiError> {
        lab.lab.index.update(lab);
        let Some(entry) = lab.lab.index.snapshot().entry(path).cloned() else { return Ok(None) };
        let roots = lab.read(|reader| Ok(memories::roots(&memories::stores(reader)?)))?;
        let known = Arc::new(Known::of_one(lab, &entry, roots)?);
        Ok(Some((Self { known, places: Places::default() }, entry)))
    }

    /// True if a conversation of a transcript could have had a memory; of one that could not be read it is not known.
    pub fn could_have(&mut self, memory: &MemoryAsked, entry: &Entry, part: usize) -> Option<bool> {
        let known = Arc::clone(&self.known);
        let (conversation, pieces) = self.conversation(&known, memory, entry, part)?;
        Some(conversation.place() == Place::Here || !pieces.is_empty())
    }

    /// Whether a request had a line of a memory, and why not. `None` where that is not known.
    pub fn had(
        &mut self,
        memory: &MemoryAsked,
        line: OfMemory<'_>,
        entry: &Entry,
        part: usize,
        request: usize,
    ) -> Option<Result<(), PresenceCause>> {
        self.had_graded(memory, line, entry, part, request).map(|(had, _)| had)
    }

    /// The same, with how well it is known.
    pub fn had_graded(
        &mut self,
        memory: &MemoryAsked,
        line: OfMemory<'_>,
        entry: &Entry,
        part: usize,
        request: usize,
    ) -> Option<(Result<(), PresenceCause>, PresenceGrade)> {
        let known = Arc::clone(&self.known);
        let (conversation, pieces) = self.conversation(&known, memory, entry, part)?;
        let (held, version) = (memory.held.as_ref()?, *memory.versions.get(line.version)?);
        let at = conversation.at(&held.memory, &pieces, Some(version), request)?;
        match at.lines.get(usize::try_from(line.line).ok()?.checked_sub(1)?)?.absent {
            None => Some((Ok(()), grade(at.grade))),
            Some(Cause::Unknown) => None,
            Some(absent) => Some((Err(cause(absent)), grade(at.grade))),
        }
    }

    /// Whether a request had a line of an instruction file that no store holds, and why not. `None` where that is not known.
    #[must_use]
    pub fn had_of_file(
        &self,
        file: &FileAsked,
        line: u64,
        entry: &Entry,
        part: usize,
        request: usize,
    ) -> Option<(Result<(), PresenceCause>, PresenceGrade)> {
        let of_entry = self.known.file(&entry.path)?;
        let digest = of_entry.conversations.get(part)?;
        file.had(line, &spoken(entry, of_entry, digest, part, &self.known), request)
    }

    fn conversation<'k>(
        &mut self,
        known: &'k Known,
        memory: &MemoryAsked,
        entry: &'k Entry,
        part: usize,
    ) -> Option<(Conversation<'k>, Vec<usize>)> {
        let file = known.file(&entry.path)?;
        let digest = file.conversations.get(part)?;
        let spoken = spoken(entry, file, digest, part, known);
        let pieces = memory.held.as_ref().map(|held| held.pieces(digest, &known.shelf)).unwrap_or_default();
        let conversation = self.places.conversation(&memory.store, &spoken, !pieces.is_empty());
        Some((conversation, pieces))
    }
}
