//! What a session's model had before it.

use super::digests::WithWords;
use super::file::{instruction_file, loaded_file};
use super::memories::{self, Held, StoreAt, VIEW};
use super::places::{Places, Spoken, is_subagent};
use super::{absent, cause, grade};
use crate::Lab;
use crate::context::index_among;
use crate::lab::find::{self, Place};
use crate::wire::{
    ApiError, Code, LaneFile, LaneSpan, Presence, PresenceGrade, PresenceLane, PresenceLaneReq, PresenceReq,
    PresenceSource, PresenceSpan,
};
use retrace_engine::counts::NEWEST_FAMILY;
use retrace_log::Reader;
use retrace_model::{MemoryId, RelPath, Timestamp};
use retrace_presence::{AtRequest, Conversation, Digest, Loading, Memory, Piece, Proof, Span, Version, Way};
use retrace_sessions::{Entry, RootKind};
use retrace_tokens::{Counter, family_of};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Names of the files that opencode loads by itself.
const OF_OPENCODE: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];

/// Files of a lane at most.
const MOST_FILES: usize = 100;

/// The files whose text could reach a session's model at one request: what of them was there, in which version, and why the
/// rest was not.
///
/// # Errors
/// `not_found` for a transcript or request that is not there, `invalid` for a name that several transcripts have.
pub fn presence(inner: &Arc<Lab>, request: PresenceReq) -> Result<Presence, ApiError> {
    let (place, at) = named(inner, &request)?;
    with_work(inner, &place, at, |work, reader| {
        let mut sources = Vec::new();
        work.visit(reader, &mut |found| sources.extend(work.told(found, request.spans)))?;
        sources.sort_by(|one: &PresenceSource, other| {
            let key = |source: &PresenceSource| (source.lines.is_empty(), source.store_id.is_some());
            key(one).cmp(&key(other)).then_with(|| one.file.cmp(&other.file))
        });
        let digest = work.digest;
        Ok(Presence {
            transcript: place.id.clone(),
            request: work.index as u64,
            requests: digest.requests.len() as u64,
            proved: digest.requests.iter().filter(|facts| facts.proof == Proof::Proved).count() as u64,
            time: digest.requests[work.index].at.map(|at| Timestamp::from_micros(at).to_rfc3339()),
            compactions: compactions(digest),
            agent: work.with_words.agent.as_ref().map(|agent| agent.agent_type.clone()),
            tokens: sources.iter().map(|source| source.tokens).sum(),
            sources,
        })
    })
}

/// Which memories and instruction files each request of a session held.
///
/// # Errors
/// `not_found` for a transcript that is not there or has no requests, `invalid` for a name that several transcripts have.
pub fn presence_lane(inner: &Arc<Lab>, request: PresenceLaneReq) -> Result<PresenceLane, ApiError> {
    let place = find::transcript(inner, request.session.trim())?;
    with_work(inner, &place, None, |work, reader| {
        let mut files: Vec<LaneFile> = Vec::new();
        work.visit(reader, &mut |found| files.extend(work.lane(found)))?;
        files.sort_by(|one, other| other.requests.cmp(&one.requests).then_with(|| one.file.cmp(&other.file)));
        let left_out = files.len().saturating_sub(MOST_FILES) as u64;
        files.truncate(MOST_FILES);
        Ok(PresenceLane {
            transcript: place.id.clone(),
            requests: work.digest.requests.len() as u64,
            compactions: compactions(work.digest),
            files,
            left_out,
        })
    })
}

/// A file that requests of a conversation are known to have held.
pub(crate) struct HeldFile {
    /// Its path on the machine.
    pub path: String,
    /// Ranges of requests that held any line of it, both ends included.
    pub requests: Vec<(u64, u64)>,
    /// Tokens of the most that one of them held.
    pub tokens: u64,
    /// True if only a part of it was ever there.
    pub is_part: bool,
    /// True if the model read it or a command printed it.
    pub is_read: bool,
}

/// The files that requests of a conversation are known to have held, and the directory it ran in. What is only inferred is left
/// out.
///
/// # Errors
/// `not_found` for a transcript that is not there or has no requests.
pub(crate) fn held_files(
    inner: &Arc<Lab>,
    place: &Place,
) -> Result<(Vec<HeldFile>, Option<String>), ApiError> {
    with_work(inner, place, None, |work, reader| {
        let mut files: Vec<HeldFile> = Vec::new();
        work.visit(reader, &mut |asked| files.extend(work.held_file(asked)))?;
        files.sort_by(|one, other| {
            one.requests.first().cmp(&other.requests.first()).then_with(|| one.path.cmp(&other.path))
        });
        Ok((files, work.digest.directory.clone()))
    })
}

/// Hands over what is asked of a conversation at a request, the last one where none is named.
fn with_work<T>(
    inner: &Arc<Lab>,
    place: &Place,
    at: Option<u64>,
    work: impl FnOnce(&Work<'_>, &Reader<'_>) -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    let snapshot = inner.lab.index.snapshot();
    let entry = snapshot.entry(&place.path).cloned();
    // The transcript is read before the log, so that no reader stays open meanwhile.
    let stores = inner.read(memories::stores)?;
    let with_words = inner.lab.presence.with_words(inner, &place.path, &memories::roots(&stores))?;
    inner.read(|reader| {
        let digest = with_words.conversations.get(place.part).ok_or_else(|| no_conversation(place))?;
        let count = digest.requests.len();
        let index = match at {
            Some(number) => index_among(count, &place.id, number)?,
            None => count.checked_sub(1).ok_or_else(|| no_request(place))?,
        };
        let (_, model) = with_words.names.get(place.part).cloned().unwrap_or_default();
        let asked = Work {
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
        };
        work(&asked, reader)
    })
}

/// Index of the first request after each compaction.
pub(super) fn compactions(digest: &Digest) -> Vec<u64> {
    let pairs = digest.requests.windows(2).enumerate();
    let after = pairs.filter(|(_, pair)| pair[1].compactions > pair[0].compactions);
    after.map(|(at, _)| at as u64 + 1).collect()
}

/// Ranges, both ends included, in order and apart from each other.
fn joined(mut ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    ranges.sort_unstable();
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (from, to) in ranges {
        match joined.last_mut() {
            Some((_, last)) if from <= last.saturating_add(1) => *last = to.max(*last),
            _ => joined.push((from, to)),
        }
    }
    joined
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
}

/// A file that could reach the model: a memory of a store, or one that no store holds.
struct Asked<'a> {
    /// Its path in its store, or on the machine.
    path: &'a str,
    file: String,
    /// The store's memory.
    of: Option<(&'a StoreAt, &'a Held)>,
    memory: &'a Memory,
    pieces: &'a [usize],
    /// The version whose lines are told; the one that was loaded or in force where none is named.
    reference: Option<usize>,
    /// By version: its text.
    texts: &'a [String],
    conversation: Conversation<'a>,
    /// True if the texts are what was loaded, and no version of the log.
    is_as_loaded: bool,
}

impl<'a> Asked<'a> {
    /// The same with a text that stands for its version.
    fn of_text<'b>(&'b self, memory: &'b Memory, texts: &'b [String]) -> Asked<'b>
    where
        'a: 'b,
    {
        Asked {
            path: self.path,
            file: self.file.clone(),
            of: self.of,
            memory,
            pieces: self.pieces,
            reference: Some(0),
            texts,
            conversation: self.conversation,
            is_as_loaded: true,
        }
    }
}

impl Work<'_> {
    /// Hands over every file that could reach the model.
    fn visit(&self, reader: &Reader<'_>, each: &mut dyn FnMut(&Asked<'_>)) -> Result<(), ApiError> {
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
                each(&of_memory(store, held, pieces, conversation));
            }
            let known: HashSet<MemoryId> = held.iter().map(|(held, _)| held.id).collect();
            self.unopened(reader, store, &known, conversation, each)?;
        }
        let conversation =
            Conversation::new(self.digest, &self.with_words.shelf).of_subagent(self.spoken.is_subagent);
        for (path, pieces) in left {
            // A file that no store holds: what was loaded of it stands for its version.
            let Some((memory, lines)) = self.version_of_file(path, &pieces) else { continue };
            each(&Asked {
                path,
                file: path.to_owned(),
                of: None,
                memory: &memory,
                pieces: &pieces,
                reference: Some(0),
                texts: &[lines.join("\n")],
                conversation,
                is_as_loaded: false,
            });
        }
        Ok(())
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
            for memory in memories::memories_at(reader, store, &path)? {
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

    /// What a file was at the request.
    fn told(&self, asked: &Asked<'_>, with_spans: bool) -> Option<PresenceSource> {
        let at = asked.conversation.at(asked.memory, asked.pieces, asked.reference, self.index)?;
        if let Some((memory, text)) = self.as_loaded(asked, &at, self.index) {
            return self.told(&asked.of_text(&memory, &[text]), with_spans);
        }
        let text = asked.texts.get(at.reference)?;
        let held = asked.of.map(|(_, held)| held).filter(|_| !asked.is_as_loaded);
        let version_of = |version| held.and_then(|held| held.version_id(version));
        Some(PresenceSource {
            path: asked.path.to_owned(),
            file: asked.file.clone(),
            store_id: asked.of.map(|(store, _)| store.row.id.to_string()),
            version_id: version_of(Some(at.reference))
                .filter(|_| at.version.is_some() || at.present().next().is_none()),
            grade: grade(at.grade),
            lines: at.ranges(),
            tokens: self.tokens(&at, text),
            absent: absent(&at),
            total_lines: u32::try_from(at.lines.len()).unwrap_or(u32::MAX),
            spans: match with_spans {
                true => spans(asked.conversation, asked.memory, asked.pieces, at.reference, &version_of),
                false => Vec::new(),
            },
        })
    }

    /// What a file was over all requests; `None` where no request held any of it.
    fn lane(&self, asked: &Asked<'_>) -> Option<LaneFile> {
        let conversation = asked.conversation;
        let last = conversation.at(asked.memory, asked.pieces, asked.reference, self.index)?;
        let lines = asked.memory.versions().get(last.reference).map_or(0, |version| version.lines.len());
        let lines = 1..=u32::try_from(lines).unwrap_or(u32::MAX);
        let mut spans: Vec<LaneSpan> = Vec::new();
        for span in conversation.spans(asked.memory, asked.pieces, last.reference, &lines) {
            let first = usize::try_from(span.from).ok()?;
            // Lines of another version may have been there than those of the last one.
            let Some(at) = conversation.at(asked.memory, asked.pieces, asked.reference, first) else {
                continue;
            };
            let as_loaded = self.as_loaded(asked, &at, first).and_then(|(memory, text)| {
                let own = conversation.at(&memory, asked.pieces, Some(0), first)?;
                Some((own, text))
            });
            let told = as_loaded.as_ref().map(|(own, text)| (own, text));
            let (at, text) = match told.or_else(|| Some((&at, asked.texts.get(at.reference)?))) {
                Some(told) => told,
                None => continue,
            };
            let held = u32::try_from(at.present().count()).unwrap_or(u32::MAX);
            if held == 0 {
                continue;
            }
            let tokens = self.tokens(at, text);
            let (from, to) = (u64::from(span.from), u64::from(span.to));
            let next = LaneSpan { from, to, lines: held, tokens, grade: grade(at.grade) };
            match spans.last_mut() {
                Some(one)
                    if one.to + 1 == from
                        && LaneSpan { from: one.from, to, ..next } == LaneSpan { to, ..*one } =>
                {
                    one.to = to;
                }
                _ => spans.push(next),
            }
        }
        (!spans.is_empty()).then(|| LaneFile {
            path: asked.path.to_owned(),
            file: asked.file.clone(),
            store_id: asked.of.map(|(store, _)| store.row.id.to_string()),
            requests: spans.iter().map(|span| span.to - span.from + 1).sum(),
            spans,
        })
    }

    /// A file that requests are known to have held.
    fn held_file(&self, asked: &Asked<'_>) -> Option<HeldFile> {
        let lane = self.lane(asked)?;
        let spans = lane.spans.iter().filter(|span| span.grade != PresenceGrade::Inferred);
        let mut requests: Vec<(u64, u64)> = Vec::new();
        let (mut tokens, mut lines) = (0, 0);
        for span in spans {
            tokens = span.tokens.max(tokens);
            lines = span.lines.max(lines);
            match requests.last_mut() {
                Some((_, to)) if *to + 1 == span.from => *to = span.to,
                _ => requests.push((span.from, span.to)),
            }
        }
        if asked.of.is_none() {
            // The last text stands for its version. Requests that held another one whole held the file as well.
            let whole =
                asked.pieces.iter().map(|at| &self.digest.pieces[*at]).filter(|piece| piece.is_whole());
            requests.extend(
                whole.flat_map(|piece| &piece.spans).map(|(from, to)| (u64::from(*from), u64::from(*to))),
            );
            requests = joined(requests);
        }
        let total = asked.memory.versions().iter().map(|version| version.lines.len()).max().unwrap_or(0);
        let mut pieces = asked.pieces.iter().map(|at| &self.digest.pieces[*at]);
        (!requests.is_empty()).then(|| HeldFile {
            path: lane.file,
            requests,
            tokens,
            is_part: (lines as usize) < total,
            is_read: pieces.any(|piece| matches!(piece.way, Way::Read | Way::Command)),
        })
    }

    /// What stands for the version of a memory that the client brought whole, where the log has no version with any line of it: the
    /// text as it was loaded, with what the model wrote to the file since.
    fn as_loaded(&self, asked: &Asked<'_>, at: &AtRequest, request: usize) -> Option<(Memory, String)> {
        if asked.of.is_none() || asked.is_as_loaded || at.version.is_some() {
            return None;
        }
        let request = u32::try_from(request).ok()?;
        let here = || asked.pieces.iter().map(|at| &self.digest.pieces[*at]).filter(|it| it.is_in(request));
        let words = |piece: &Piece| self.with_words.shelf.words(piece.text);
        let whole = here().filter(|piece| piece.is_whole()).filter_map(words).next_back()?;
        let known: HashSet<&str> = asked.texts.get(at.reference)?.lines().map(str::trim_end).collect();
        if whole.iter().any(|line| !line.trim().is_empty() && known.contains(line.trim_end())) {
            return None;
        }
        let mut lines: Vec<&str> = whole.iter().map(String::as_str).collect();
        for line in here().filter(|piece| piece.way == Way::Written).filter_map(words).flatten() {
            if !lines.contains(&line.as_str()) {
                lines.push(line);
            }
        }
        let text = lines.join("\n");
        Some((Memory::new(asked.memory.loading, vec![Version::of(&text, i64::MIN)]), text))
    }

    /// Tokens of the present lines of a text.
    fn tokens(&self, at: &AtRequest, text: &str) -> u64 {
        let lines: Vec<&str> = text.lines().collect();
        let present: Vec<&str> =
            at.present().filter_map(|line| lines.get(line as usize - 1)).copied().collect();
        self.counter.content(&present.join("\n"))
    }

    /// Memories of the store that no request held: those that the session's model could have had.
    fn unopened(
        &self,
        reader: &Reader<'_>,
        store: &StoreAt,
        known: &HashSet<MemoryId>,
        conversation: Conversation<'_>,
        each: &mut dyn FnMut(&Asked<'_>),
    ) -> Result<(), ApiError> {
        let is_here = conversation.place() == retrace_presence::Place::Here;
        let at = self.digest.requests[self.index].at.map(Timestamp::from_micros);
        let mut there = reader.memories_at(store.row.id, None)?;
        if let Some(at) = at.filter(|_| is_here) {
            let then = reader.memories_at_time(store.row.id, at)?;
            let now: HashSet<MemoryId> = there.iter().map(|memory| memory.version.memory).collect();
            there.extend(then.into_iter().filter(|memory| !now.contains(&memory.version.memory)));
        }
        // What was ever loaded at the start may have been then.
        let indexes = memories::indexes(reader, store)?;
        for memory in there.iter().filter(|memory| !known.contains(&memory.version.memory)) {
            let Some(path) = memory.path.as_ref().map(RelPath::to_text) else { continue };
            let is_index = indexes.contains(&memory.version.memory);
            let held = match (is_here, is_index) {
                (_, true) => Some(memories::held(reader, store, memory.version.memory, &path)?),
                // Its versions matter only for when it came to be.
                (true, false) if at.is_some_and(|at| memory.version.created_at > at) => {
                    Some(memories::held(reader, store, memory.version.memory, &path)?)
                }
                (true, false) => memories::held_once(reader, store, memory)?,
                (false, false) => None,
            };
            if let Some(held) = held {
                each(&of_memory(store, &held, &[], conversation));
            }
        }
        Ok(())
    }

    /// What stands for the version of a file: the file itself, where it is an instruction file that agrees with what was
    /// loaded; else the longest text that was loaded of it.
    fn version_of_file(&self, path: &str, pieces: &[usize]) -> Option<(Memory, Vec<String>)> {
        let shelf = &self.with_words.shelf;
        let upto = u32::try_from(self.index).ok()?;
        let came =
            pieces.iter().filter(|at| self.digest.pieces[**at].first().is_some_and(|first| first <= upto));
        let came: Vec<&Piece> = came.map(|at| &self.digest.pieces[*at]).collect();
        // What a command prints may be anything: it is no file's content, and its name may be that of a directory.
        let contents = || came.iter().filter(|piece| piece.way != Way::Command).map(|piece| piece.text);
        let loading = match self.loads_by_itself(Path::new(path)) {
            true => Loading::AtStart(memories::WHOLE),
            false => Loading::OnDemand,
        };
        // What the client loaded whole is an instruction file, whatever it is called.
        let imported = || came.iter().any(|piece| piece.is_whole()).then(|| loaded_file(Path::new(path)));
        if let Some(content) = instruction_file(Path::new(path)).or_else(|| imported().flatten()) {
            let memory = Memory::new(loading, vec![Version::stand_in(&content)]);
            let is_printed = !came.is_empty() && contents().next().is_none();
            // An edit tells a part of what the file is.
            let is_part = |text: u32| shelf.text(text).is_some_and(|text| text.is_loose);
            let is_edited = || contents().all(is_part) && contents().any(|text| memory.has_line(shelf, text));
            if is_printed || contents().any(|text| memory.has_text(shelf, text)) || is_edited() {
                return Some((memory, content.lines().map(str::to_owned).collect()));
            }
        }
        let longest = contents().max_by_key(|text| shelf.text(*text).map_or(0, |text| text.lines.len()))?;
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
        Some((Memory::new(loading, vec![Version::stand_in(&content)]), lines))
    }

    /// True for a file that opencode puts into its system prompt, which it does not record: of the directory of the session and those
    /// above, and of its settings.
    fn loads_by_itself(&self, file: &Path) -> bool {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(folder) = file.parent().filter(|_| OF_OPENCODE.contains(&name)) else { return false };
        let is_above = self.spoken.project.is_some_and(|project| Path::new(project).starts_with(folder));
        let is_of_person = ["opencode", ".claude"].iter().any(|name| folder.ends_with(name));
        self.spoken.kind == Some(RootKind::Opencode) && (is_above || is_of_person)
    }
}

/// A memory of a store.
fn of_memory<'a>(
    store: &'a StoreAt,
    held: &'a Held,
    pieces: &'a [usize],
    conversation: Conversation<'a>,
) -> Asked<'a> {
    Asked {
        path: &held.path,
        file: store.outside(&held.path),
        of: Some((store, held)),
        memory: &held.memory,
        pieces,
        reference: None,
        texts: &held.texts,
        conversation,
        is_as_loaded: false,
    }
}

/// Lines that are made room for before a reading of a part.
const MOST_LINES: usize = 100_000;

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
    told_spans(conversation.spans(memory, pieces, reference, lines), version_id)
}

/// The file over all requests, whatever version each had.
pub(super) fn spans_of_file(
    conversation: Conversation<'_>,
    memory: &Memory,
    pieces: &[usize],
    version_id: &dyn Fn(Option<usize>) -> Option<String>,
) -> Vec<PresenceSpan> {
    told_spans(conversation.spans_of_file(memory, pieces), version_id)
}

fn told_spans(spans: Vec<Span>, version_id: &dyn Fn(Option<usize>) -> Option<String>) -> Vec<PresenceSpan> {
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
