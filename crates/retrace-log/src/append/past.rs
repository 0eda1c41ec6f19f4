//! Appending what was before the log was there: versions that others kept, rebuilt.
//!
//! They are versions of one operation like any others, chained and kept like them, but each carries the time at which it truly
//! was, which lies before its memory was first observed. No memory ever stands at one of them: `live`, reviews, baselines and
//! the state of a store at an operation go by observed versions alone. Undoing the operation withdraws them.

use super::{Append, Appending, Comes, Dormant, Draft, Target, cleaned};
use crate::chain::{self, Past};
use crate::kept_out::Places;
use crate::rows::{self, ChangeKind};
use crate::writer::Act;
use crate::{KeptLines, LogError, kept_lines, read};
use cleaned::{Clean, Cleaning, Found};
use retrace_model::{Actor, MemoryId, RelPath, Sha256, Source, StoreId, Timestamp, VersionId};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

/// A recorder that runs sees a change within moments: a minute is long.
const SEEN_WITHIN_MICROS: i64 = 60_000_000;

/// History of a store from before it was observed, to be appended as one operation.
#[derive(Debug)]
pub struct Rebuild<'a> {
    /// The store.
    pub store: StoreId,
    /// [`Source::Rebuilt`] or [`Source::Import`].
    pub source: Source,
    /// Who asked for it.
    pub actor: &'a Actor,
    /// From what it was rebuilt.
    pub note: Option<&'a str>,
    /// Now.
    pub at: Timestamp,
    /// One for each memory.
    pub lines: Vec<PastLine>,
}

/// Past of one memory, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PastLine {
    /// Its versions.
    pub versions: Vec<PastVersion>,
}

/// One version of the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastVersion {
    /// Where the memory was after it.
    pub path: RelPath,
    /// When it happened: from then on it stood.
    pub at: Timestamp,
    /// When it was written, where that was before: on a branch that was merged then, or elsewhere before it was moved here.
    pub written_at: Option<Timestamp>,
    /// Who did it.
    pub actor: Actor,
    /// Why, where the source tells.
    pub note: Option<String>,
    /// The raw bytes; `None` when it was deleted.
    pub content: Option<Vec<u8>>,
    /// Where its lines came from.
    pub told: PastLines,
}

/// Where the lines of a version of the past came from, where the versions before it do not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PastLines {
    /// A name of the version among those that are rebuilt together, by which others say that lines came from it.
    pub name: Option<u64>,
    /// Where they came from, in their order; nothing where the versions before it say so.
    pub lines: Vec<PastRun>,
}

/// Lines that follow each other in a version of the past, and where they came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastRun {
    /// The first line, from 0.
    pub first: u32,
    /// Number of lines.
    pub lines: u32,
    /// Name of the version they came from; the version's own where it brought them in.
    pub of: u64,
    /// The first of them there, from 0; `None` where the version brought them in.
    pub of_first: Option<u32>,
}

/// Result of rebuilding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// The operation; `None` when there was nothing new.
    pub operation_seq: Option<u64>,
    /// The versions, in the order of the log.
    pub versions: Vec<VersionId>,
    /// Memories that got any.
    pub memories: u64,
    /// Versions left out because they are rebuilt already, or were and are redacted, or may have been.
    pub known: u64,
    /// Versions left out because the memory was observed by then.
    pub observed: u64,
    /// Versions left out because they say the same as the one before them, or because the recorder saw the change itself.
    pub unchanged: u64,
    /// Parts of the lines that were redacted before, and did not come in.
    pub redacted: Found,
}

impl Act<'_> {
    /// Appends versions from before memories were first observed, as one operation. A line belongs to the memory that was
    /// first observed at the path where the line ends. What is known already, was observed, or changes nothing is left out,
    /// so that rebuilding from the same source again appends nothing. What was redacted does not reappear: a marker stands in
    /// its place. The last version may hold what was first observed: who
    /// made that and when is then known, and what was observed is a baseline of it. To take it back, append an operation that
    /// undoes it.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, [`LogError::Invalid`] for another source and for a line that is not in
    /// the order of time, [`LogError::KeyLost`], or a failure of the database.
    #[expect(clippy::needless_pass_by_value, reason = "made for one call, and large")]
    pub fn rebuild(&mut self, rebuild: Rebuild<'_>) -> Result<Rebuilt, LogError> {
        self.rebuild_telling(&rebuild, &mut |_| Ok(()))
    }

    /// The same, telling `tell` before each version how many of the lines' versions are dealt with. What `tell` refuses ends
    /// the work; the act can only be let go of then.
    ///
    /// # Errors
    /// As [`rebuild`](Self::rebuild), and what `tell` answers.
    pub fn rebuild_telling<E: From<LogError>>(
        &mut self,
        rebuild: &Rebuild<'_>,
        tell: &mut dyn FnMut(u64) -> Result<(), E>,
    ) -> Result<Rebuilt, E> {
        if !matches!(rebuild.source, Source::Rebuilt | Source::Import) {
            return Err(LogError::Invalid(say::not_rebuild(rebuild.source.as_str())).into());
        }
        if rebuild.lines.iter().any(|line| !line.versions.is_sorted_by_key(|version| version.at)) {
            return Err(LogError::Invalid(say::history_told_order_time()).into());
        }
        self.whole(|act| {
            let tags = act.tags_for_others()?;
            let note =
                rebuild.note.map(|note| act.clean(note).map(std::borrow::Cow::into_owned)).transpose()?;
            let append = Append {
                store: Some(rebuild.store),
                source: rebuild.source,
                actor: rebuild.actor,
                note: note.as_deref(),
                at: rebuild.at,
                undoes: None,
                changes: Vec::new(),
                even_if_empty: false,
            };
            Appending::begin((&act.transaction, act.entropy), &append, Dormant::Reappears, tags)?
                .run_past(&append, rebuild, tell)
        })
    }
}

impl Act<'_> {
    /// Notes that an operation brought in what git kept, and which undoings of earlier ones made room for it.
    ///
    /// # Errors
    /// [`LogError`] for an unknown operation, or a failure of the database.
    pub fn note_git_import(&mut self, seq: u64, undoings: &[u64]) -> Result<(), LogError> {
        let mut insert = self
            .transaction
            .prepare_cached("INSERT INTO git_imports (operation_seq, replaced_for) VALUES (?1, ?2)")?;
        insert.execute(params![seq, None::<u64>])?;
        for undoing in undoings {
            insert.execute(params![undoing, seq])?;
        }
        Ok(())
    }
}

/// Says of every version of the operation at the root of a row of undoings whether it counts: the last undoing decides.
pub(super) fn finish_past(connection: &Connection, undone: u64) -> Result<(), LogError> {
    let (root, depth) = read::root_of_undoing(connection, undone)?;
    connection
        .prepare_cached(
            "UPDATE rebuilt SET withdrawn = ?2 WHERE version_seq BETWEEN
                (SELECT first_version FROM operations WHERE seq = ?1) AND
                (SELECT first_version + created + modified + deleted - 1 FROM operations WHERE seq = ?1)",
        )?
        // The operation that undoes `undone` is one more.
        .execute(params![root, (depth + 1) % 2])?;
    Ok(())
}

/// Where a line belongs.
enum Home {
    /// To a memory, before this time.
    Memory { row: i64, memory: MemoryId, before: i64 },
    /// To a memory that was gone before the store was observed, or one that nobody knew.
    Gone,
    /// Nowhere: what is at its path was observed all the time.
    Observed,
}

/// One state of a memory in the order of time.
struct Stop<'a> {
    at: i64,
    /// `None` where it is redacted.
    path: Option<RelPath>,
    /// `None` where it was deleted or is redacted.
    sha256: Option<Sha256>,
    deleted: bool,
    /// Version to append; `None` for what is in the log.
    new: Option<&'a PastVersion>,
    /// Its place, where it is in the log.
    seq: Option<u64>,
    /// It is told, and was redacted: it does not come in.
    left_out: bool,
}

impl<'a> Stop<'a> {
    fn of(version: &'a PastVersion) -> Self {
        let sha256 = version.content.as_deref().map(Sha256::of);
        let path = Some(version.path.clone());
        Self {
            at: version.at.micros(),
            path,
            sha256,
            deleted: sha256.is_none(),
            new: Some(version),
            seq: None,
            left_out: false,
        }
    }

    /// Where it stands from then on; `None` where it was deleted and where nobody knows.
    fn stands_at(&self) -> Option<&RelPath> {
        self.path.as_ref().filter(|_| !self.deleted)
    }

    /// What says that a state in the log is the one that is told: the same content at the same path at the same time.
    fn moment(&self) -> Moment {
        (self.at, self.path.clone(), self.sha256)
    }

    /// True if this first sight of a memory is the sight of a change that is told: the recorder was there, and looked within
    /// moments. What was told before the store was observed stands for itself, and this is a baseline of it.
    fn is_sight_of(&self, reported: &Stop<'_>, began: Option<i64>) -> bool {
        began.is_some_and(|began| began <= reported.at)
            && self.at.saturating_sub(reported.at) <= SEEN_WITHIN_MICROS
            && self.says_the_same(reported)
    }
}

impl Stop<'_> {
    fn says_the_same(&self, other: &Self) -> bool {
        match (self.deleted, other.deleted) {
            (true, true) => true,
            (false, false) => self.sha256.is_some() && self.sha256 == other.sha256 && self.path == other.path,
            _ => false,
        }
    }
}

/// What says that two states are one.
type Moment = (i64, Option<RelPath>, Option<Sha256>);

/// How often each moment is there.
#[derive(Default)]
struct Moments(BTreeMap<Moment, usize>);

impl Moments {
    fn of(stops: &[Stop<'_>]) -> Self {
        let mut moments = Self::default();
        for stop in stops {
            *moments.0.entry(stop.moment()).or_default() += 1;
        }
        moments
    }

    /// Without those that others took, each as often as they did.
    fn without(mut self, taken: Option<&Self>) -> Self {
        for (moment, times) in taken.into_iter().flat_map(|taken| &taken.0) {
            if let Some(left) = self.0.get_mut(moment) {
                *left = left.saturating_sub(*times);
            }
        }
        self
    }

    fn join(&mut self, others: Self) {
        for (moment, times) in others.0 {
            *self.0.entry(moment).or_default() += times;
        }
    }

    fn has(&self, stop: &Stop<'_>) -> bool {
        self.0.get(&stop.moment()).is_some_and(|times| *times > 0)
    }
}

/// What the lines of an act told so far of each memory, by its row. A source tells of a moment once: where another line of the
/// same act has the same one, the file went and came again within that moment.
type Told = BTreeMap<i64, Moments>;

/// Versions of lines by their names, and what they tell of where their own lines came from.
#[derive(Default)]
struct Named {
    seqs: HashMap<u64, u64>,
    told: Vec<(u64, Vec<PastRun>)>,
}

impl Named {
    /// Adds the versions of a line, which is in the log by now as far as it is to be.
    fn add(&mut self, connection: &Connection, memory_row: i64, line: &PastLine) -> Result<(), LogError> {
        if line.versions.iter().all(|version| version.told.name.is_none()) {
            return Ok(());
        }
        let mut kept: HashMap<Moment, VecDeque<u64>> = HashMap::new();
        for stop in known_stops(connection, memory_row)? {
            kept.entry(stop.moment()).or_default().extend(stop.seq);
        }
        let mut before: Option<(u64, Stop<'_>)> = None;
        for version in &line.versions {
            let stop = Stop::of(version);
            let seq = kept.get_mut(&stop.moment()).and_then(VecDeque::pop_front);
            // One that says the same as the one before it is that one.
            let same = before.as_ref().filter(|(_, before)| before.says_the_same(&stop)).map(|(seq, _)| *seq);
            if let Some(seq) = seq.filter(|_| !version.told.lines.is_empty()) {
                self.told.push((seq, version.told.lines.clone()));
            }
            let seq = seq.or(same);
            if let (Some(seq), Some(name)) = (seq, version.told.name) {
                self.seqs.insert(name, seq);
            }
            before = seq.map(|seq| (seq, stop));
        }
        Ok(())
    }

    /// Keeps what is told of versions of which nothing is kept yet. A redaction keeps what it knows, and that stays.
    fn keep(self, connection: &Connection) -> Result<(), LogError> {
        for (seq, runs) in self.told {
            if !kept_lines::of(connection, seq)?.is_empty() {
                continue;
            }
            let kept = |run: PastRun| {
                let of = *self.seqs.get(&run.of)?;
                Some(KeptLines { first: run.first, lines: run.lines, of, of_first: run.of_first })
            };
            // A version that lines came from may be kept out: the versions before say then what they can.
            let kept: Vec<KeptLines> = runs.into_iter().filter_map(kept).collect();
            kept_lines::insert(connection, seq, &kept)?;
        }
        Ok(())
    }
}

impl Appending<'_> {
    fn run_past<E: From<LogError>>(
        mut self,
        append: &Append<'_>,
        rebuild: &Rebuild<'_>,
        tell: &mut dyn FnMut(u64) -> Result<(), E>,
    ) -> Result<Rebuilt, E> {
        let mut done = Rebuilt::default();
        let tags = Arc::clone(&self.tags);
        let places = Places::of(self.connection, rebuild.store, &tags)?;
        let cleaning = Cleaning { connection: self.connection, tags: &tags, places };
        let mut before = 0;
        let mut told = Told::new();
        let mut named = Named::default();
        for line in &rebuild.lines {
            let clean = cleaning.line(line, &mut done.redacted)?;
            let tell = &mut |written| tell(before + written);
            let row = self.add_line(rebuild.store, &clean, &mut told, &mut done, tell)?;
            if let Some(row) = row {
                named.add(self.connection, row, &clean.line)?;
            }
            before += line.versions.len() as u64;
        }
        named.keep(self.connection)?;
        if self.versions.is_empty() {
            return Ok(done);
        }
        let digest = self.digest.clone().finish();
        self.insert_operation(append, &digest)?;
        self.count_versions(false)?;
        done.operation_seq = Some(self.seq);
        done.versions = std::mem::take(&mut self.versions);
        Ok(done)
    }

    /// Adds what is new of a line; answers the row of its memory.
    fn add_line<E: From<LogError>>(
        &mut self,
        store: StoreId,
        clean: &Clean<'_>,
        told: &mut Told,
        done: &mut Rebuilt,
        tell: &mut dyn FnMut(u64) -> Result<(), E>,
    ) -> Result<Option<i64>, E> {
        let line: &PastLine = &clean.line;
        let (Some(first), Some(last)) = (line.versions.first(), line.versions.last()) else {
            return Ok(None);
        };
        let store_row = self.stores[&store];
        let (target, before) = match home(self.connection, store_row, line, first.at)? {
            Home::Observed => {
                done.observed += line.versions.len() as u64;
                return Ok(None);
            }
            Home::Memory { row, memory, before } => (Some((row, memory)), before),
            Home::Gone => {
                let gone = match redacted_memory(self.connection, clean, told)? {
                    None => gone_memory(self.connection, store_row, line, &last.path, told)?,
                    known => known,
                };
                (gone, store_created_at(self.connection, store_row)?)
            }
        };
        let stops = match target {
            Some((row, _)) => known_stops(self.connection, row)?,
            None => Vec::new(),
        };
        let observed = target.map(|(row, _)| first_observed(self.connection, row)).transpose()?.flatten();
        let began = observed_since(self.connection, store_row)?;
        let stop =
            |(place, version)| Stop { left_out: clean.left_out.contains_key(&place), ..Stop::of(version) };
        let reported: Vec<Stop<'_>> = line.versions.iter().enumerate().map(stop).collect();
        let reported = without_repetition(reported, &mut done.unchanged);
        let known = Moments::of(&stops).without(target.and_then(|(row, _)| told.get(&row)));
        let tells = Moments::of(&reported);
        let mut news = Vec::new();
        // Backwards: of one instant, what stands before a version that is known can only have been told before it.
        let mut known_at = None;
        for stop in reported.into_iter().rev() {
            if stop.at >= before {
                done.observed += 1;
            } else if known_at == Some(stop.at) || known.has(&stop) || stop.left_out {
                known_at = Some(stop.at);
                done.known += 1;
            } else if observed.as_ref().is_some_and(|seen| seen.is_sight_of(&stop, began)) {
                done.unchanged += 1;
            } else {
                news.push(stop);
            }
        }
        let mut stops = stops;
        stops.extend(news.into_iter().rev());
        stops.sort_by_key(|stop| stop.at);
        let kept = without_repetition(stops, &mut done.unchanged);
        let row = self.write_stops(store, target, &kept, done, tell)?;
        if let Some(row) = row {
            told.entry(row).or_default().join(tells);
        }
        Ok(row)
    }

    /// Writes down what is new in a line; answers the row of its memory.
    fn write_stops<E: From<LogError>>(
        &mut self,
        store: StoreId,
        target: Option<(i64, MemoryId)>,
        stops: &[Stop<'_>],
        done: &mut Rebuilt,
        tell: &mut dyn FnMut(u64) -> Result<(), E>,
    ) -> Result<Option<i64>, E> {
        if stops.iter().all(|stop| stop.new.is_none()) {
            return Ok(target.map(|(row, _)| row));
        }
        let (memory_row, memory) = match target {
            Some(known) => known,
            None => self.new_memory(store)?,
        };
        let mut count = rebuilt_count(self.connection, memory_row)?;
        let mut before: Option<&Stop<'_>> = None;
        let mut delta_base = None;
        let mut written = 0;
        for stop in stops {
            if let Some(version) = stop.new {
                tell(written)?;
                written += 1;
                let kind = match before {
                    _ if stop.deleted => ChangeKind::Deleted,
                    Some(before) if before.deleted => ChangeKind::Created,
                    Some(before) if before.path.is_some() && before.path != stop.path => ChangeKind::Moved,
                    Some(_) => ChangeKind::Modified,
                    None => ChangeKind::Created,
                };
                let target = Target { memory_row, memory, versions: count };
                delta_base = self.write_past(store, target, kind, version, delta_base)?.or(delta_base);
                count += 1;
            }
            before = Some(stop);
        }
        done.memories += 1;
        Ok(Some(memory_row))
    }

    /// Writes one version of the past down; answers the row of its content.
    fn write_past(
        &mut self,
        store: StoreId,
        target: Target,
        kind: ChangeKind,
        version: &PastVersion,
        delta_base: Option<i64>,
    ) -> Result<Option<i64>, LogError> {
        let (path_row, _) = rows::intern_path(self.connection, &version.path)?;
        let (blob_row, salt) = match &version.content {
            None => (None, self.random()),
            Some(bytes) => {
                let size = bytes.len() as u64;
                let (row, salt) = self.keep(
                    &version.path,
                    (Some(bytes), Comes::FromElsewhere),
                    &Sha256::of(bytes),
                    size,
                    delta_base,
                )?;
                (Some(row), salt)
            }
        };
        let hash_and_size = version.content.as_ref().map(|bytes| (Sha256::of(bytes), bytes.len() as u64));
        let commitment = chain::commitment(
            &salt,
            &version.path,
            hash_and_size.as_ref().map(|(sha256, size)| (sha256, *size)),
        );
        let seq = self.insert_version(&Draft {
            store,
            target,
            kind,
            path_row,
            blob_row,
            salt: blob_row.is_none().then_some(salt),
            commitment: chain::noted(commitment, version.note.as_deref()),
            past: Some(Past {
                happened_at: version.at,
                actor: version.actor.clone(),
                written_at: version.written_at,
            }),
        })?;
        let actor = rows::intern_actor(self.connection, &version.actor)?;
        self.connection
            .prepare_cached(
                "INSERT INTO rebuilt (version_seq, actor_id, note, written_at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![seq, actor, version.note, version.written_at.map(Timestamp::micros)])?;
        self.note_path(store, path_row, target.memory_row)?;
        Ok(blob_row)
    }

    fn new_memory(&mut self, store: StoreId) -> Result<(i64, MemoryId), LogError> {
        let memory = MemoryId(self.random());
        self.connection
            .prepare_cached("INSERT INTO memories (public, store_id) VALUES (?1, ?2)")?
            .execute(params![&memory.0[..], self.stores[&store]])?;
        Ok((self.connection.last_insert_rowid(), memory))
    }
}

/// Leaves out what is new and says the same as the state before it, and counts that.
fn without_repetition<'a>(stops: Vec<Stop<'a>>, left_out: &mut u64) -> Vec<Stop<'a>> {
    let mut kept: Vec<Stop<'a>> = Vec::with_capacity(stops.len());
    for stop in stops {
        // Nothing is deleted before anything was there.
        let repeats = match kept.last() {
            None => stop.deleted,
            Some(before) => before.says_the_same(&stop),
        };
        if stop.new.is_some() && repeats {
            *left_out += 1;
        } else {
            kept.push(stop);
        }
    }
    kept
}

/// The memory that is known from the past alone and has versions of a line redacted, whose path the log does not know any more.
fn redacted_memory(
    connection: &Connection,
    clean: &Clean<'_>,
    told: &Told,
) -> Result<Option<(i64, MemoryId)>, LogError> {
    let mut is_observed = connection.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM versions WHERE memory_id = ?1 AND happened_at IS NULL)",
    )?;
    for (row, memory) in clean.left_out.values().rev().flatten() {
        if !told.contains_key(row) && !is_observed.query_row([row], |found| found.get::<_, bool>(0))? {
            return Ok(Some((*row, *memory)));
        }
    }
    Ok(None)
}

/// The memory a line belongs to: the one that was first observed where the line stood by then. A line that had ended, or stood
/// elsewhere, is another memory's, though it was at the same path once.
fn home(
    connection: &Connection,
    store_row: i64,
    line: &PastLine,
    began: Timestamp,
) -> Result<Home, LogError> {
    let mut query = connection.prepare_cached(
        "SELECT m.id, m.public, o.created_at FROM memory_paths mp
         JOIN memories m ON m.id = mp.memory_id
         JOIN versions v ON v.seq =
            (SELECT min(w.seq) FROM versions w WHERE w.memory_id = m.id AND w.happened_at IS NULL)
         JOIN operations o ON o.seq = v.operation_seq
         WHERE mp.store_id = ?1 AND mp.path_id = ?2
           AND (v.path_id = ?2 OR v.redaction_id IS NOT NULL)
         ORDER BY o.created_at <= ?3, v.path_id IS NOT ?2, v.seq",
    )?;
    let mut tried = BTreeSet::new();
    let mut observed = false;
    for version in line.versions.iter().rev() {
        if !tried.insert(&version.path) {
            continue;
        }
        let Some(path_row) = rows::path_row(connection, &version.path)? else { continue };
        let mut found = query.query(params![store_row, path_row, began.micros()])?;
        while let Some(row) = found.next()? {
            let before: i64 = row.get(2)?;
            if before <= began.micros() {
                observed = true;
                break;
            }
            let stood = line.versions.iter().rev().find(|reported| reported.at.micros() < before);
            if stood.is_some_and(|stood| stood.content.is_some() && stood.path == version.path) {
                let memory = rows::memory_id(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?)?;
                return Ok(Home::Memory { row: row.get(0)?, memory, before });
            }
        }
    }
    Ok(if observed { Home::Observed } else { Home::Gone })
}

/// The memory that is known from the past alone and was last at the path where a line ends, and can be what the line tells of:
/// one moment of both is the same, or they never stood at two paths at once. A moment that another line of the act told of is
/// that one's. A memory that another line of the act belongs to must not have stood elsewhere meanwhile, whatever moment they
/// share.
fn gone_memory(
    connection: &Connection,
    store_row: i64,
    line: &PastLine,
    path: &RelPath,
    told: &Told,
) -> Result<Option<(i64, MemoryId)>, LogError> {
    let Some(path_row) = rows::path_row(connection, path)? else { return Ok(None) };
    let mut query = connection.prepare_cached(
        "SELECT m.id, m.public FROM memory_paths mp JOIN memories m ON m.id = mp.memory_id
         WHERE mp.store_id = ?1 AND mp.path_id = ?2
           AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.memory_id = m.id AND v.happened_at IS NULL)
           AND ?2 = (SELECT v.path_id FROM versions v JOIN rebuilt r ON r.version_seq = v.seq
                     WHERE v.memory_id = m.id AND r.withdrawn = 0
                     ORDER BY v.happened_at DESC, v.seq DESC LIMIT 1)
         ORDER BY m.id",
    )?;
    let reported: Vec<Stop<'_>> = line.versions.iter().map(Stop::of).collect();
    let mut found = query.query([store_row, path_row])?;
    let mut continued = None;
    while let Some(row) = found.next()? {
        let memory_row: i64 = row.get(0)?;
        let known = known_stops(connection, memory_row)?;
        let moments = Moments::of(&known).without(told.get(&memory_row));
        let is_told_again = reported.iter().any(|reported| moments.has(reported));
        let stood_elsewhere = stood_apart(&known, &reported);
        if stood_elsewhere && (!is_told_again || told.contains_key(&memory_row)) {
            continue;
        }
        let memory = rows::memory_id(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?)?;
        if is_told_again {
            return Ok(Some((memory_row, memory)));
        }
        continued.get_or_insert((memory_row, memory));
    }
    Ok(continued)
}

/// True if two files, each told in the order of time, stood at different paths at one time: then they are two.
fn stood_apart(one: &[Stop<'_>], other: &[Stop<'_>]) -> bool {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    let (mut one_at, mut other_at) = (None, None);
    loop {
        // Of one instant, both are moved on before they are compared.
        let next = match (one.peek(), other.peek()) {
            (None, None) => return false,
            (Some(stop), None) | (None, Some(stop)) => stop.at,
            (Some(stop), Some(before)) => stop.at.min(before.at),
        };
        while let Some(stop) = one.next_if(|stop| stop.at == next) {
            one_at = stop.stands_at();
        }
        while let Some(stop) = other.next_if(|stop| stop.at == next) {
            other_at = stop.stands_at();
        }
        if one_at.zip(other_at).is_some_and(|(one, other)| one != other) {
            return true;
        }
    }
}

/// When a store was first observed: what was told of it before is known from others alone.
pub(crate) fn observed_since(connection: &Connection, store_row: i64) -> Result<Option<i64>, LogError> {
    Ok(connection
        .prepare_cached(
            "SELECT o.created_at FROM versions v JOIN operations o ON o.seq = v.operation_seq
             WHERE v.store_id = ?1 AND v.happened_at IS NULL ORDER BY v.seq LIMIT 1",
        )?
        .query_row([store_row], |row| row.get(0))
        .optional()?)
}

fn store_created_at(connection: &Connection, store_row: i64) -> Result<i64, LogError> {
    Ok(connection
        .prepare_cached("SELECT created_at FROM stores WHERE id = ?1")?
        .query_row([store_row], |row| row.get(0))?)
}

/// Rebuilt versions of a memory, withdrawn ones included.
fn rebuilt_count(connection: &Connection, memory_row: i64) -> Result<u64, LogError> {
    Ok(connection
        .prepare_cached("SELECT count(*) FROM versions WHERE memory_id = ?1 AND happened_at IS NOT NULL")?
        .query_row([memory_row], |row| row.get(0))?)
}

/// Rebuilt versions of a memory, in true order.
fn known_stops(connection: &Connection, memory_row: i64) -> Result<Vec<Stop<'static>>, LogError> {
    stops(
        connection,
        "SELECT v.happened_at, p.bytes, b.sha256, v.change, v.seq FROM versions v
         JOIN rebuilt r ON r.version_seq = v.seq
         LEFT JOIN paths p ON p.id = v.path_id LEFT JOIN blobs b ON b.id = v.blob_id
         WHERE v.memory_id = ?1 AND v.happened_at IS NOT NULL AND r.withdrawn = 0
         ORDER BY v.happened_at, v.seq",
        memory_row,
    )
}

/// The first observed state of a memory.
fn first_observed(connection: &Connection, memory_row: i64) -> Result<Option<Stop<'static>>, LogError> {
    let found = stops(
        connection,
        "SELECT o.created_at, p.bytes, b.sha256, v.change, v.seq FROM versions v
         JOIN operations o ON o.seq = v.operation_seq
         LEFT JOIN paths p ON p.id = v.path_id LEFT JOIN blobs b ON b.id = v.blob_id
         WHERE v.memory_id = ?1 AND v.happened_at IS NULL ORDER BY v.seq LIMIT 1",
        memory_row,
    )?;
    Ok(found.into_iter().next())
}

fn stops(connection: &Connection, sql: &str, memory_row: i64) -> Result<Vec<Stop<'static>>, LogError> {
    let mut query = connection.prepare_cached(sql)?;
    let mut found = query.query([memory_row])?;
    let mut stops = Vec::new();
    while let Some(row) = found.next()? {
        stops.push(Stop {
            at: row.get(0)?,
            path: row.get::<_, Option<Vec<u8>>>(1)?.map(rows::path_from).transpose()?,
            sha256: row.get::<_, Option<Vec<u8>>>(2)?.as_deref().map(rows::hash_from).transpose()?,
            deleted: row.get::<_, i64>(3)? == ChangeKind::Deleted.number(),
            new: None,
            seq: Some(row.get(4)?),
            left_out: false,
        });
    }
    Ok(stops)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "past";
    not_rebuild(source) => "{source} does not rebuild",
    history_told_order_time() => "history is told in the order of time",
}
