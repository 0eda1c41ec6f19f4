//! One pass of the join: which versions want an author, which transcripts may know, what they say.
//!
//! Versions that came since the last pass are looked at, and those not sure yet whose files a transcript that is new or has
//! grown writes to, or around whose time anything happened in it. The log knows in which state each transcript was compared
//! last, by any process: one may come to the disk after the version, and after the process that compared it. Of transcripts only
//! those are read that the index says to write to such a file; where these do not explain a version, those in which anything
//! happened around its time, since the index does not know what shells write. What is still not explained may have been written long
//! before it was recorded: then those are read that something happened in since the version before, as many as the bytes allow
//! that one pass reads for it.

use super::gather::Writes;
use super::locate::{Locator, name_of};
use super::{Prompts, first_line};
use crate::History;
use crate::wire::ApiError;
use retrace_engine::path_to_bytes;
use retrace_log::{CallPlace, OriginRow, Reader, Unclaimed, VersionRow};
use retrace_model::{MemoryId, Sha256, StoreId, Timestamp};
use retrace_origin::{
    CLOCK_SLACK_MICROS, Confidence, Effect, LIKELY_WITHIN_MICROS, Match, Presence, Version, Write, is_below,
    join, resolve,
};
use retrace_sessions::{Cancel, Entry, Identity, Snapshot};
use retrace_transcript::Summary;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Answers written in one transaction: few enough that nobody waits for the log for long.
const WRITTEN_AT_ONCE: usize = 500;

/// Bytes of transcripts that one pass reads for what may have been written long before it was recorded.
const LONG_BEFORE: u64 = 256 << 20;

/// Memory of passes between them.
#[derive(Default)]
pub(crate) struct Memory {
    /// Transcripts as they were at the last pass; `None` before the first.
    seen: Option<HashMap<PathBuf, Identity>>,
}

/// Result of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    /// Versions with another answer than before.
    pub changed: usize,
    /// True if a version is so young that its transcript may not have been written yet.
    pub young: bool,
}

/// Tools of a pass.
pub(crate) struct Pass<'a> {
    pub inner: &'a History,
    pub snapshot: &'a Snapshot,
    pub cancel: &'a Cancel,
    /// On the first pass of a process, also versions are looked at again that no transcript is known to be new or to have grown for.
    pub thorough: bool,
    /// Receives the progress: how much is done of how much.
    pub tell: &'a (dyn Fn(u64, u64) + Sync),
}

/// A version that is to be explained, with what the join is told of it.
struct Wanted {
    row: VersionRow,
    name: String,
    moved_from: Option<String>,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
    previous_at: Option<Timestamp>,
    /// True if the file may have been there before.
    may_be_older: bool,
}

/// Where transcripts write, as their index says.
struct Places<'s> {
    /// Transcripts by the name of a file they write to.
    by_file: HashMap<String, BTreeSet<usize>>,
    entries: Vec<&'s Arc<Entry>>,
}

impl Pass<'_> {
    pub(crate) fn run(&self, memory: &mut Memory) -> Result<Done, ApiError> {
        let (joined, last, stores) = self
            .inner
            .read(|reader| Ok((reader.joined_through()?, reader.last_version()?, reader.stores()?)))?;
        let locator = Locator::new(&stores, &self.inner.options.surroundings.home);
        let places = Places::of(self.snapshot, &locator);
        let (first_pass, changed) = self.changed(memory, &places)?;
        let wanted = self.wanted(joined, first_pass, &changed, &places)?;
        let mut done = Done::default();
        if !wanted.is_empty() {
            self.explain(&wanted, joined, &changed, &places, &locator, &mut done)?;
        }
        if self.cancel.is_cancelled() {
            return Ok(done);
        }
        let states: Vec<(i64, i64)> = changed.iter().map(|at| state_of(places.entries[*at])).collect();
        if last > joined {
            self.inner.write(|act| {
                act.set_compared_transcripts(&states)?;
                Ok(act.set_joined_through(last)?)
            })?;
        } else if !states.is_empty() {
            // Where it cannot be noted, the next process compares once more.
            drop(self.inner.write(|act| Ok(act.set_compared_transcripts(&states)?)));
        }
        if self.thorough || memory.seen.is_some() {
            let seen = places.entries.iter().map(|entry| (entry.path.clone(), entry.identity));
            memory.seen = Some(seen.collect());
        }
        Ok(done)
    }

    /// True on a thorough first pass, and the transcripts that are new or were changed since the last, of this process or another.
    fn changed(&self, memory: &Memory, places: &Places<'_>) -> Result<(bool, HashSet<usize>), ApiError> {
        let entries = places.entries.iter().enumerate();
        let Some(seen) = &memory.seen else {
            let compared = self.inner.read(|reader| Ok(reader.compared_transcripts()?))?;
            let changed = entries.filter(|(_, entry)| {
                let (transcript, state) = state_of(entry);
                compared.get(&transcript) != Some(&state)
            });
            return Ok((self.thorough, changed.map(|(at, _)| at).collect()));
        };
        let changed = entries.filter(|(_, entry)| seen.get(&entry.path) != Some(&entry.identity));
        Ok((false, changed.map(|(at, _)| at).collect()))
    }

    /// Versions to look at, by memory, oldest first.
    fn wanted(
        &self,
        joined: u64,
        first_pass: bool,
        changed: &HashSet<usize>,
        places: &Places<'_>,
    ) -> Result<BTreeMap<MemoryId, Vec<Unclaimed>>, ApiError> {
        let again = first_pass || !changed.is_empty();
        let touched = |at: Timestamp| places.touched(changed, at);
        self.inner.read(|reader| {
            let mut wanted: BTreeMap<MemoryId, Vec<Unclaimed>> = BTreeMap::new();
            for version in reader.unclaimed(if again { 0 } else { joined })? {
                let is_new = version.seq > joined;
                let may_be_known = !version.is_final && (first_pass || touched(version.at));
                if is_new || may_be_known {
                    wanted.entry(version.memory).or_default().push(version);
                }
            }
            Ok(wanted)
        })
    }

    fn explain(
        &self,
        wanted: &BTreeMap<MemoryId, Vec<Unclaimed>>,
        joined: u64,
        changed: &HashSet<usize>,
        places: &Places<'_>,
        locator: &Locator,
        done: &mut Done,
    ) -> Result<(), ApiError> {
        let mut known = Known { writes: HashMap::new(), by_file: HashMap::new(), above: Vec::new() };
        let mut answers: Vec<(u64, Vec<OriginRow>)> = Vec::new();
        let mut at = 0_u64;
        // First the transcripts of which the index says that they write to these files.
        let mut first: BTreeSet<usize> = BTreeSet::new();
        let mut wanted = wanted.clone();
        self.inner.read(|reader| {
            for (memory, versions) in &mut wanted {
                let names = self.names_of(reader, *memory)?;
                let mut writing = names.iter().filter_map(|name| places.by_file.get(name)).peekable();
                if writing.peek().is_none() {
                    // Nothing is known to write there, so that what was looked at before stays as it is.
                    versions.retain(|version| version.seq > joined || places.touched(changed, version.at));
                }
                first.extend(writing.flatten());
            }
            Ok(())
        })?;
        wanted.retain(|_, versions| !versions.is_empty());
        let versions: u64 = wanted.values().map(|versions| versions.len() as u64).sum();
        self.load(&first, places, locator, &mut known);
        let mut presences: HashMap<StoreId, Vec<Presence>> = HashMap::new();
        let mut baselines: HashMap<StoreId, u64> = HashMap::new();
        let mut long_before = LONG_BEFORE;
        for versions_of in wanted.values() {
            if self.cancel.is_cancelled() {
                break;
            }
            let mut reported =
                self.inner.read(|reader| self.reported(reader, versions_of, &mut baselines))?;
            let mut joined_with = known.about(&reported);
            let mut found = self.join(&reported, &known, &joined_with, places, &mut presences);
            // Then those in which anything happened around the time of what is not explained.
            let mut around = BTreeSet::new();
            for (wanted, found) in reported.iter().zip(&found) {
                let at = wanted.row.created_at;
                let is_due = wanted.row.id.seq > joined || places.touched(changed, at);
                if found.confidence > Confidence::ExactContent && is_due {
                    // Also those that were looked at before: what they told is part of the answer.
                    let near = places.entries.iter().enumerate().filter(|(_, entry)| is_around(entry, at));
                    around.extend(near.map(|(at, _)| at));
                }
            }
            around.retain(|at| !known.writes.contains_key(at));
            around.extend(self.originals(&around, places));
            around.retain(|at| !known.writes.contains_key(at));
            if !around.is_empty() {
                self.load(&around, places, locator, &mut known);
                joined_with = known.about(&reported);
                found = self.join(&reported, &known, &joined_with, places, &mut presences);
            }
            // And those since the version before, however long ago: exact bytes need no nearness.
            let unexplained = reported.iter().zip(&found).filter(|(wanted, found)| {
                let is_due = wanted.row.id.seq > joined || places.touched(changed, wanted.row.created_at);
                found.confidence > Confidence::ExactContent && is_due
            });
            let unexplained: Vec<&Wanted> = unexplained.map(|(wanted, _)| wanted).collect();
            let since = self.since(&unexplained, places, &known, &mut long_before);
            if !since.is_empty() {
                self.load(&since, places, locator, &mut known);
                joined_with = known.about(&reported);
                found = self.join(&reported, &known, &joined_with, places, &mut presences);
            }
            let now = self.inner.now();
            for (wanted, found) in reported.drain(..).zip(found) {
                let age = now.micros().saturating_sub(wanted.row.created_at.micros());
                done.young |=
                    found.confidence > Confidence::ExactContent && (0..=LIKELY_WITHIN_MICROS).contains(&age);
                answers.push((
                    wanted.row.id.seq,
                    known.rows(&found, &joined_with, places, &self.inner.origins.prompts),
                ));
            }
            at += versions_of.len() as u64;
            (self.tell)(at, versions);
            if answers.len() >= WRITTEN_AT_ONCE {
                done.changed += self.write(&mut answers)?;
            }
        }
        done.changed += self.write(&mut answers)?;
        Ok(())
    }

    /// Transcripts that first held the calls of these: a session that goes on from another holds copies of them.
    fn originals(&self, of: &BTreeSet<usize>, places: &Places<'_>) -> Vec<usize> {
        if of.is_empty() {
            return Vec::new();
        }
        let of: Vec<&Arc<Entry>> = of.iter().map(|at| places.entries[*at]).collect();
        let originals = self.snapshot.originals(&of);
        let place =
            |original: &Arc<Entry>| places.entries.iter().position(|entry| entry.path == original.path);
        originals.iter().filter_map(place).collect()
    }

    /// Transcripts, not read yet, in which something happened between the version before and one of these; of the first version
    /// of a file since its store is recorded, or ever, where it may have been there before. Those of the store's project come first, then
    /// the latest, as long as there are bytes left to read; a fork brings its original with it.
    fn since(
        &self,
        unexplained: &[&Wanted],
        places: &Places<'_>,
        known: &Known,
        left: &mut u64,
    ) -> BTreeSet<usize> {
        let mut chosen = BTreeSet::new();
        let Some(first) = unexplained.first() else { return chosen };
        let Ok(store) = self.inner.read(|reader| Ok(reader.store(first.row.store)?)) else { return chosen };
        let root = retrace_engine::root_of(&store);
        let from = |wanted: &Wanted| match wanted.previous_at {
            Some(previous) => previous.micros(),
            None if wanted.may_be_older => i64::MIN,
            None => store.created_at.micros(),
        };
        let spans: Vec<(i64, i64)> = unexplained
            .iter()
            .map(|wanted| (from(wanted).saturating_sub(CLOCK_SLACK_MICROS), wanted.row.created_at.micros()))
            .collect();
        let happened = |entry: &Entry| {
            entry.summary.as_ref().and_then(span).is_some_and(|(first, last)| {
                spans.iter().any(|(from, until)| *from <= last.micros() && first.micros() <= *until)
            })
        };
        let last = |entry: &Entry| entry.summary.as_ref().and_then(|summary| summary.last_at);
        let mut further: Vec<usize> = (0..places.entries.len())
            .filter(|at| !known.writes.contains_key(at) && happened(places.entries[*at]))
            .collect();
        further.sort_by_key(|at| {
            let entry = places.entries[*at];
            std::cmp::Reverse((is_of_project(entry, &root), last(entry)))
        });
        for at in further {
            let Some(rest) = left.checked_sub(places.entries[at].identity.size) else { break };
            *left = rest;
            chosen.insert(at);
        }
        chosen.extend(self.originals(&chosen, places));
        chosen.retain(|at| !known.writes.contains_key(at));
        chosen
    }

    /// The names of all files a memory has been.
    fn names_of(&self, reader: &Reader<'_>, memory: MemoryId) -> Result<Vec<String>, ApiError> {
        let store = reader.store_of(memory)?;
        Ok(reader.paths_of(memory)?.iter().map(|path| name_of(store, path)).collect())
    }

    fn load(&self, at: &BTreeSet<usize>, places: &Places<'_>, locator: &Locator, known: &mut Known) {
        let at: Vec<usize> = at.iter().copied().filter(|at| !known.writes.contains_key(at)).collect();
        let entries: Vec<Arc<Entry>> = at.iter().map(|at| Arc::clone(places.entries[*at])).collect();
        let total = entries.len() as u64;
        let tell = |done: usize| (self.tell)(done as u64, total);
        let loaded = self.inner.origins.gathered.writes(&entries, locator, self.cancel, &tell);
        for (at, writes) in at.into_iter().zip(loaded) {
            known.take(at, writes);
        }
    }

    /// Reads what the join is told of versions.
    fn reported(
        &self,
        reader: &Reader<'_>,
        versions: &[Unclaimed],
        baselines: &mut HashMap<StoreId, u64>,
    ) -> Result<Vec<Wanted>, ApiError> {
        let mut reported: Vec<Wanted> = Vec::with_capacity(versions.len());
        let Some(first) = versions.first() else { return Ok(reported) };
        let store = reader.store_of(first.memory)?;
        let baseline = match baselines.get(&store) {
            Some(known) => *known,
            None => *baselines.entry(store).or_insert(reader.last_of_baseline(store)?),
        };
        for version in versions {
            let row = reader.version(version.seq)?;
            let Some(path) = &row.path else { continue };
            let (before, previous_at) = match reported.last() {
                Some(last) if last.row.number + 1 == row.number => {
                    (last.after.clone(), Some(last.row.created_at))
                }
                _ => match reader.observed_before(&row)? {
                    Some(before) => (content(reader, &before)?, Some(before.created_at)),
                    None => (None, None),
                },
            };
            reported.push(Wanted {
                name: name_of(row.store, path),
                moved_from: row.previous_path.as_ref().map(|from| name_of(row.store, from)),
                before,
                after: content(reader, &row)?,
                previous_at,
                may_be_older: previous_at.is_none() && row.id.seq <= baseline,
                row,
            });
        }
        Ok(reported)
    }

    fn join(
        &self,
        reported: &[Wanted],
        known: &Known,
        writes: &[(usize, usize)],
        places: &Places<'_>,
        presences: &mut HashMap<StoreId, Vec<Presence>>,
    ) -> Vec<Match> {
        let Some(first) = reported.first() else { return Vec::new() };
        let writes: Vec<&Write> = writes.iter().map(|place| known.write(*place)).collect();
        let store = first.row.store;
        let present = presences.entry(store).or_insert_with(|| self.presences(store, places));
        let versions: Vec<Version<'_>> = reported
            .iter()
            .map(|wanted| Version {
                path: &wanted.name,
                moved_from: wanted.moved_from.as_deref(),
                before: wanted.before.as_deref(),
                after: wanted.after.as_deref(),
                at: wanted.row.created_at,
                previous_at: wanted.previous_at,
                may_be_older: wanted.may_be_older,
            })
            .collect();
        let since = self.inner.read(|reader| Ok(reader.store(store)?.created_at)).ok();
        join(&versions, &writes, present, since)
    }

    /// The sessions that were at work on a store's project.
    fn presences(&self, store: StoreId, places: &Places<'_>) -> Vec<Presence> {
        let Ok(row) = self.inner.read(|reader| Ok(reader.store(store)?)) else { return Vec::new() };
        let root = retrace_engine::root_of(&row);
        let of_project = |entry: &&&Arc<Entry>| is_of_project(entry, &root);
        let presence = |entry: &&Arc<Entry>| {
            let (from, until) = span(entry.summary.as_ref()?)?;
            Some(Presence { session: entry.session_id(), from, until })
        };
        places.entries.iter().filter(of_project).filter_map(presence).collect()
    }

    /// Writes answers down, those alone that differ from what is there; answers how many.
    fn write(&self, answers: &mut Vec<(u64, Vec<OriginRow>)>) -> Result<usize, ApiError> {
        let differing = self.inner.read(|reader| {
            let mut differing = Vec::new();
            for (seq, rows) in answers.drain(..) {
                if reader.origins(seq)? != rows {
                    differing.push((seq, rows));
                }
            }
            Ok(differing)
        })?;
        if !differing.is_empty() {
            self.inner.write(|act| {
                for (seq, rows) in &differing {
                    act.set_origins(*seq, rows)?;
                }
                Ok(())
            })?;
        }
        Ok(differing.len())
    }
}

impl<'s> Places<'s> {
    fn of(snapshot: &'s Snapshot, locator: &Locator) -> Self {
        let mut entries: Vec<&Arc<Entry>> =
            snapshot.entries().filter(|entry| entry.summary.is_some()).collect();
        // A session that goes on from another comes after it.
        entries.sort_by_cached_key(|entry| {
            (entry.summary.as_ref().and_then(|summary| summary.first_at), entry.path.clone())
        });
        let mut by_file: HashMap<String, BTreeSet<usize>> = HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            let Some(summary) = &entry.summary else { continue };
            let directory = summary.session.project.as_deref();
            for write in &summary.memory_writes {
                for name in locator.names(&resolve(&write.path, directory), entry) {
                    by_file.entry(name).or_default().insert(at);
                }
            }
        }
        Self { by_file, entries }
    }

    /// True if something happened around an instant in one of the transcripts that are new or were changed.
    fn touched(&self, changed: &HashSet<usize>, at: Timestamp) -> bool {
        changed.iter().any(|entry| is_around(self.entries[*entry], at))
    }
}

/// True for a session that was at work on the project of a store in this directory.
fn is_of_project(entry: &Entry, root: &Path) -> bool {
    let slug = entry.place.slug.as_deref();
    let by_slug = slug.is_some_and(|slug| root.components().any(|part| part.as_os_str() == slug));
    let project = entry.summary.as_ref().and_then(|summary| summary.session.project.as_deref());
    by_slug || project.is_some_and(|project| project.len() > 1 && is_below(&root.to_string_lossy(), project))
}

/// A transcript and the state it is in, as the log keeps them: hashes, because a path is text of the user's.
fn state_of(entry: &Entry) -> (i64, i64) {
    let hash = |bytes: &[u8]| {
        let first = Sha256::of(bytes).0;
        i64::from_be_bytes([first[0], first[1], first[2], first[3], first[4], first[5], first[6], first[7]])
    };
    let Identity { device, inode, size, modified, changed } = entry.identity;
    let state = [device, inode, size, modified.cast_unsigned(), changed.cast_unsigned()];
    let state: Vec<u8> = state.iter().flat_map(|part| part.to_be_bytes()).collect();
    (hash(&path_to_bytes(&entry.path)), hash(&state))
}

/// When a transcript's lines were written, from the first to the last.
fn span(summary: &Summary) -> Option<(Timestamp, Timestamp)> {
    Some((summary.first_at?, summary.last_at?))
}

/// True if something happened in a transcript around an instant.
fn is_around(entry: &Entry, at: Timestamp) -> bool {
    entry.summary.as_ref().and_then(span).is_some_and(|(from, until)| {
        from.micros().saturating_sub(LIKELY_WITHIN_MICROS) <= at.micros()
            && at.micros() <= until.micros().saturating_add(LIKELY_WITHIN_MICROS)
    })
}

/// A content for the join. What is not kept or gone explains nothing.
fn content(reader: &Reader<'_>, row: &VersionRow) -> Result<Option<Vec<u8>>, ApiError> {
    let is_there =
        row.redaction.is_none() && row.content.is_some_and(|content| content.kept && content.is_text);
    if !is_there {
        return Ok(None);
    }
    Ok(reader.content(row)?.map(|content| content.bytes))
}

/// Writes of the transcripts read so far.
struct Known {
    writes: HashMap<usize, Writes>,
    /// Places of writes by the name of their file, and by that of the file they move to.
    by_file: HashMap<String, Vec<(usize, usize)>>,
    /// Deletions and moves, which may be of directories.
    above: Vec<(usize, usize)>,
}

impl Known {
    fn take(&mut self, entry: usize, writes: Writes) {
        for (at, write) in writes.iter().enumerate() {
            let place = (entry, at);
            match &write.effect {
                Effect::Delete | Effect::Rename { .. } => self.above.push(place),
                Effect::Patch(patch) => {
                    self.by_file.entry(write.path.clone()).or_default().push(place);
                    if let Some(to) = &patch.moved_to {
                        self.by_file.entry(to.clone()).or_default().push(place);
                    }
                }
                _ => self.by_file.entry(write.path.clone()).or_default().push(place),
            }
        }
        self.writes.insert(entry, writes);
    }

    fn write(&self, (entry, at): (usize, usize)) -> &Write {
        &self.writes[&entry][at]
    }

    /// Writes that may be about versions, transcripts in the order of their beginning.
    fn about(&self, reported: &[Wanted]) -> Vec<(usize, usize)> {
        let names: BTreeSet<&str> = reported
            .iter()
            .flat_map(|wanted| [Some(wanted.name.as_str()), wanted.moved_from.as_deref()])
            .flatten()
            .collect();
        let above = self.above.iter().filter(|place| {
            let write = self.write(**place);
            let to = match &write.effect {
                Effect::Rename { to } => Some(to.as_str()),
                _ => None,
            };
            names.iter().any(|name| is_below(name, &write.path) || to.is_some_and(|to| is_below(name, to)))
        });
        let here = names.iter().filter_map(|name| self.by_file.get(*name)).flatten();
        let places: BTreeSet<(usize, usize)> = here.chain(above).copied().collect();
        places.into_iter().collect()
    }

    /// Rows of an answer that are kept.
    fn rows(
        &self,
        found: &Match,
        writes: &[(usize, usize)],
        places: &Places<'_>,
        prompts: &Prompts,
    ) -> Vec<OriginRow> {
        let row = |place: Option<(usize, usize)>, confidence: Confidence, steps: usize| {
            let write = place.map(|place| self.write(place));
            let transcript = place.map(|(entry, _)| path_to_bytes(&places.entries[entry].path));
            if let (Some(write), Some((entry, _))) = (write, place)
                && let Some(prompt) = &write.prompt
            {
                prompts.keep(&places.entries[entry].path, write.line, first_line(&prompt.text));
            }
            OriginRow {
                session: write.and_then(|write| write.session.clone()),
                confidence: confidence.as_str().to_owned(),
                basis: found.basis.as_str().to_owned(),
                steps: steps as u64,
                role: write.map(|write| write.role.as_str().to_owned()),
                agent: write.and_then(|write| write.agent.clone()),
                model: write.and_then(|write| write.model.clone()),
                transcript,
                call: write.map(call),
            }
        };
        let answer = OriginRow {
            session: found.session.clone(),
            ..row(found.write.map(|at| writes[at]), found.confidence, found.steps)
        };
        std::iter::once(answer)
            .chain(found.candidates.iter().map(|at| row(Some(writes[*at]), Confidence::Likely, 1)))
            .collect()
    }
}

fn call(write: &Write) -> CallPlace {
    CallPlace {
        conversation: write.conversation as u64,
        message: write.message as u64,
        block: write.block as u64,
        part: write.part as u64,
        line: u64::from(write.line),
        turn: write.turn,
        tool: write.tool.clone(),
        tool_use_id: write.tool_use_id.clone(),
        at: write.at,
    }
}
