//! What a session's model had before it.

use super::digests::WithWords;
use super::memories::{self, Held, StoreAt, VIEW};
use super::places::{Places, Spoken, is_subagent};
use super::{absent, cause, grade};
use crate::Lab;
use crate::context::index_among;
use crate::lab::find::{self, Place};
use crate::wire::{ApiError, Code, Presence, PresenceReq, PresenceSource, PresenceSpan};
use retrace_engine::counts::NEWEST_FAMILY;
use retrace_log::{Reader, VersionFilter};
use retrace_model::{MemoryId, RelPath, Timestamp};
use retrace_presence::{AtRequest, Conversation, Digest, Loading, Memory, Proof, Version};
use retrace_sessions::Entry;
use retrace_tokens::{Counter, family_of};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// The files whose text could reach a session's model at one request: what of them was there, in which version, and why the
/// rest was not.
///
/// # Errors
/// `not_found` for a transcript or request that is not there, `invalid` for a name that several transcripts have.
pub fn presence(inner: &Arc<Lab>, request: PresenceReq) -> Result<Presence, ApiError> {
    let (place, at) = named(inner, &request)?;
    let snapshot = inner.lab.index.snapshot();
    let entry = snapshot.entry(&place.path).cloned();
    // The transcript is read before the log, so that no reader stays open meanwhile.
    let stores = inner.read(memories::stores)?;
    let with_words = inner.lab.presence.with_words(inner, &place.path, &memories::roots(&stores))?;
    inner.read(|reader| {
        let digest = with_words.conversations.get(place.part).ok_or_else(|| no_conversation(&place))?;
        let count = digest.requests.len();
        let index = match at {
            Some(number) => index_among(count, &place.id, number)?,
            None => count.checked_sub(1).ok_or_else(|| no_request(&place))?,
        };
        let (_, model) = with_words.names.get(place.part).cloned().unwrap_or_default();
        let work = Work {
            stores: &stores,
            with_words: &with_words,
            digest,
            spoken: Spoken {
                kind: entry.as_ref().map(|entry| entry.place.kind),
                path: &place.path,
                project: entry.as_deref().and_then(Entry::project),
                digest,
                shelf: &with_words.shelf,
                agent: with_words.agent.as_ref(),
                is_subagent: is_subagent(entry.as_deref(), with_words.agent.as_ref(), place.part),
            },
            index,
            counter: Counter::of(family_of(model.as_deref().unwrap_or_default(), NEWEST_FAMILY).family),
            spans: request.spans,
        };
        let mut sources = work.sources(reader)?;
        sources.sort_by(|one, other| {
            let key = |source: &PresenceSource| (source.lines.is_empty(), source.store_id.is_some());
            key(one).cmp(&key(other)).then_with(|| one.file.cmp(&other.file))
        });
        Ok(Presence {
            transcript: place.id.clone(),
            request: index as u64,
            requests: count as u64,
            proved: digest.requests.iter().filter(|facts| facts.proof == Proof::Proved).count() as u64,
            time: digest.requests[index].at.map(|at| Timestamp::from_micros(at).to_rfc3339()),
            compactions: compactions(digest),
            agent: with_words.agent.as_ref().map(|agent| agent.agent_type.clone()),
            tokens: sources.iter().map(|source| source.tokens).sum(),
            sources,
        })
    })
}

/// Index of the first request after each compaction.
pub(super) fn compactions(digest: &Digest) -> Vec<u64> {
    let pairs = digest.requests.windows(2).enumerate();
    let after = pairs.filter(|(_, pair)| pair[1].compactions > pair[0].compactions);
    after.map(|(at, _)| at as u64 + 1).collect()
}

/// The transcript, and the request: told apart from it, or behind its name.
fn named(inner: &Arc<Lab>, request: &PresenceReq) -> Result<(Place, Option<u64>), ApiError> {
    let text = request.session.trim();
    match (request.at, find::split_part(text)) {
        (None, Some((name, number))) if !name.is_empty() && std::fs::metadata(text).is_err() => {
            Ok((find::transcript(inner, name)?, Some(number as u64)))
        }
        (at, _) => Ok((find::transcript(inner, text)?, at)),
    }
}

fn no_conversation(place: &Place) -> ApiError {
    ApiError::new(Code::NotFound, say::no_such_conversation(), &place.id)
}

fn no_request(place: &Place) -> ApiError {
    ApiError::new(Code::NotFound, say::no_requests(), &place.id)
}

struct Work<'a> {
    stores: &'a [StoreAt],
    with_words: &'a WithWords,
    digest: &'a Digest,
    spoken: Spoken<'a>,
    index: usize,
    counter: &'static Counter,
    spans: bool,
}

impl Work<'_> {
    fn sources(&self, reader: &Reader<'_>) -> Result<Vec<PresenceSource>, ApiError> {
        let mut sources = Vec::new();
        let mut left: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, piece) in self.digest.pieces.iter().enumerate() {
            left.entry(&piece.path).or_default().push(at);
        }
        let mut places = Places::default();
        for store in self.stores {
            let held = self.held(reader, store, &mut left)?;
            let holds = held.iter().any(|(_, pieces)| !pieces.is_empty());
            let conversation = places.conversation(store, &self.spoken, holds);
            for (held, pieces) in &held {
                sources.extend(self.of_memory(store, held, pieces, conversation));
            }
            let known: HashSet<MemoryId> = held.iter().map(|(held, _)| held.id).collect();
            sources.extend(self.unopened(reader, store, &known, conversation)?);
        }
        let conversation =
            Conversation::new(self.digest, &self.with_words.shelf).of_subagent(self.spoken.is_subagent);
        for (path, pieces) in left {
            sources.extend(self.of_file(path, &pieces, conversation));
        }
        Ok(sources)
    }

    /// Memories of a store that the conversation held something of. Their pieces are taken out of `left`.
    fn held(
        &self,
        reader: &Reader<'_>,
        store: &StoreAt,
        left: &mut BTreeMap<&str, Vec<usize>>,
    ) -> Result<Vec<(Held, Vec<usize>)>, ApiError> {
        let mut found: Vec<(Held, Vec<usize>)> = Vec::new();
        let named: Vec<&str> = left.keys().copied().collect();
        for file in named {
            let viewed = || file.strip_prefix(VIEW).filter(|_| memories::has_view_of_its_own(store.row.kind));
            let Some(path) = store.inside(file).or_else(viewed) else { continue };
            let Ok(path) = RelPath::parse(path) else { continue };
            for memory in memories_at(reader, store, &path)? {
                if found.iter().any(|(held, _)| held.id == memory) {
                    continue;
                }
                let held = memories::held(reader, store, memory, &path.to_text())?;
                let pieces = held.pieces(self.digest, &self.with_words.shelf);
                if !pieces.is_empty() && !held.rows.is_empty() {
                    found.push((held, pieces));
                }
            }
        }
        // One path, one memory at a time: the one whose versions agree with what was loaded, else the one that was there last.
        found.sort_by_key(|(held, pieces)| {
            let agrees = pieces
                .iter()
                .any(|at| held.memory.has_text(&self.with_words.shelf, self.digest.pieces[*at].text));
            (!agrees, std::cmp::Reverse(held.rows.last().map(|row| row.id.seq)))
        });
        let mut kept: Vec<(Held, Vec<usize>)> = Vec::new();
        for (held, pieces) in found {
            let pieces: Vec<usize> =
                pieces.into_iter().filter(|at| !kept.iter().any(|(_, known)| known.contains(at))).collect();
            if !pieces.is_empty() {
                kept.push((held, pieces));
            }
        }
        for at in kept.iter().flat_map(|(_, pieces)| pieces) {
            left.remove(self.digest.pieces[*at].path.as_str());
        }
        Ok(kept)
    }

    fn of_memory(
        &self,
        store: &StoreAt,
        held: &Held,
        pieces: &[usize],
        conversation: Conversation<'_>,
    ) -> Option<PresenceSource> {
        let at = conversation.at(&held.memory, pieces, None, self.index)?;
        let text = held.texts.get(at.reference)?;
        let version = held
            .version_id(Some(at.reference))
            .filter(|_| at.version.is_some() || at.present().next().is_none());
        let mut source = self.source(&at, || text.lines().map(str::to_owned).collect());
        source.path.clone_from(&held.path);
        source.file = store.outside(&held.path);
        source.store_id = Some(store.row.id.to_string());
        source.version_id = version;
        if self.spans {
            source.spans =
                spans(conversation, &held.memory, pieces, at.reference, &|version| held.version_id(version));
        }
        Some(source)
    }

    /// Memories of the store that no request held: those that the session's model could have had.
    fn unopened(
        &self,
        reader: &Reader<'_>,
        store: &StoreAt,
        known: &HashSet<MemoryId>,
        conversation: Conversation<'_>,
    ) -> Result<Vec<PresenceSource>, ApiError> {
        let is_here = conversation.place() == retrace_presence::Place::Here;
        let at = self.digest.requests[self.index].at.map(Timestamp::from_micros);
        let mut there = reader.memories_at(store.row.id, None)?;
        if let Some(at) = at.filter(|_| is_here) {
            let then = reader.memories_at_time(store.row.id, at)?;
            let now: HashSet<MemoryId> = there.iter().map(|memory| memory.version.memory).collect();
            there.extend(then.into_iter().filter(|memory| !now.contains(&memory.version.memory)));
        }
        let mut sources = Vec::new();
        for memory in there.iter().filter(|memory| !known.contains(&memory.version.memory)) {
            let Some(path) = memory.path.as_ref().map(RelPath::to_text) else { continue };
            let is_index = matches!(store.loading(&path), Loading::AtStart(_));
            let held = match (is_here, is_index) {
                (_, true) => Some(memories::held(reader, store, memory.version.memory, &path)?),
                // Its versions matter only for when it came to be.
                (true, false) if at.is_some_and(|at| memory.version.created_at > at) => {
                    Some(memories::held(reader, store, memory.version.memory, &path)?)
                }
                (true, false) => memories::held_once(reader, store, memory)?,
                (false, false) => None,
            };
            sources.extend(held.and_then(|held| self.of_memory(store, &held, &[], conversation)));
        }
        Ok(sources)
    }

    /// A file that no store holds: what was loaded of it stands for its version.
    fn of_file(
        &self,
        path: &str,
        pieces: &[usize],
        conversation: Conversation<'_>,
    ) -> Option<PresenceSource> {
        let (memory, words) = self.version_of_file(path, pieces)?;
        let at = conversation.at(&memory, pieces, Some(0), self.index)?;
        let mut source = self.source(&at, || words);
        path.clone_into(&mut source.path);
        path.clone_into(&mut source.file);
        if self.spans {
            source.spans = spans(conversation, &memory, pieces, 0, &|_| None);
        }
        Some(source)
    }

    /// What stands for the version of a file: the file itself, where it is an instruction file that agrees with what was
    /// loaded; else the longest text that was loaded of it.
    fn version_of_file(&self, path: &str, pieces: &[usize]) -> Option<(Memory, Vec<String>)> {
        let shelf = &self.with_words.shelf;
        let upto = u32::try_from(self.index).ok()?;
        let came =
            pieces.iter().filter(|at| self.digest.pieces[**at].first().is_some_and(|first| first <= upto));
        let texts: Vec<u32> = came.map(|at| self.digest.pieces[*at].text).collect();
        if let Some(content) = instruction_file(Path::new(path)) {
            let memory = Memory::new(Loading::OnDemand, vec![Version::of(&content, i64::MIN)]);
            if texts.iter().any(|text| memory.has_text(shelf, *text)) {
                return Some((memory, content.lines().map(str::to_owned).collect()));
            }
        }
        let longest =
            texts.into_iter().max_by_key(|text| shelf.text(*text).map_or(0, |text| text.lines.len()))?;
        let (text, words) = (shelf.text(longest)?, shelf.words(longest)?);
        let mut lines: Vec<String> = Vec::new();
        for (line, word) in text.lines.iter().zip(words) {
            // A reading of a part leaves room for what is before it.
            while lines.len() + 1 < line.number as usize && lines.len() < MOST_LINES {
                lines.push(String::new());
            }
            lines.push(word.clone());
        }
        let content = lines.join("\n");
        Some((Memory::new(Loading::OnDemand, vec![Version::of(&content, i64::MIN)]), lines))
    }

    fn source(&self, at: &AtRequest, lines: impl FnOnce() -> Vec<String>) -> PresenceSource {
        let lines = lines();
        let present: Vec<&str> =
            at.present().filter_map(|line| lines.get(line as usize - 1)).map(String::as_str).collect();
        PresenceSource {
            path: String::new(),
            file: String::new(),
            store_id: None,
            version_id: None,
            grade: grade(at.grade),
            lines: at.ranges(),
            tokens: self.counter.content(&present.join("\n")),
            absent: absent(at),
            total_lines: u32::try_from(at.lines.len()).unwrap_or(u32::MAX),
            spans: Vec::new(),
        }
    }
}

/// Lines that are made room for before a reading of a part.
const MOST_LINES: usize = 100_000;

/// A file that was or is at a path of a store.
fn memories_at(reader: &Reader<'_>, store: &StoreAt, path: &RelPath) -> Result<Vec<MemoryId>, ApiError> {
    let filter =
        VersionFilter { store: Some(store.row.id), path: Some(path.clone()), ..VersionFilter::default() };
    let mut found = Vec::new();
    for row in reader.versions(&filter)? {
        // A path is asked for with all that is below it.
        if row.path.as_ref().is_none_or(|at| at == path) && !found.contains(&row.memory) {
            found.push(row.memory);
        }
    }
    Ok(found)
}

/// Most bytes of an instruction file; a client loads none that is larger.
const LARGEST: u64 = 4 << 20;

/// The content of an instruction file, by its name. Nothing of it is shown but the numbers of its lines.
fn instruction_file(path: &Path) -> Option<String> {
    use retrace_context::FileClass;
    let class = retrace_context::weigh::class_of_path(path.to_str()?);
    let metadata = std::fs::symlink_metadata(path).ok()?;
    if class != Some(FileClass::Instructions) || !metadata.is_file() || metadata.len() > LARGEST {
        return None;
    }
    std::fs::read_to_string(path).ok()
}

/// Every line of a version over all requests.
pub(super) fn spans(
    conversation: Conversation<'_>,
    memory: &Memory,
    pieces: &[usize],
    reference: usize,
    version_id: &dyn Fn(Option<usize>) -> Option<String>,
) -> Vec<PresenceSpan> {
    let lines = memory.versions().get(reference).map_or(0, |version| version.lines.len());
    spans_of(
        conversation,
        memory,
        pieces,
        reference,
        &(1..=u32::try_from(lines).unwrap_or(u32::MAX)),
        version_id,
    )
}

/// Lines of a version over all requests.
pub(super) fn spans_of(
    conversation: Conversation<'_>,
    memory: &Memory,
    pieces: &[usize],
    reference: usize,
    lines: &std::ops::RangeInclusive<u32>,
    version_id: &dyn Fn(Option<usize>) -> Option<String>,
) -> Vec<PresenceSpan> {
    let spans = conversation.spans(memory, pieces, reference, lines);
    let told = spans.into_iter().map(|span| PresenceSpan {
        from: span.from.into(),
        to: span.to.into(),
        present: span.state.is_present,
        lines: span.state.present,
        grade: grade(span.state.grade),
        cause: span.state.cause.map(cause),
        cut_after: span.state.cut_after,
        version_id: version_id(span.state.version),
        as_line: span.state.as_line,
    });
    told.collect()
}

/// The title of a session's transcript.
pub(super) fn title_of(entry: &Entry) -> Option<String> {
    entry.summary.as_ref().and_then(|summary| summary.session.title.clone())
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "presence";
    no_such_conversation() => "There is no such conversation in the file.",
    no_requests() => "The transcript has no requests.",
}
