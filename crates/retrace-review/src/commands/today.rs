//! What needs a person today, in short: the first rows of the triage, and how many the others are.
//!
//! Findings of a thousand contents take long to work out where no process has them yet, and whoever asks in a prompt waits for
//! milliseconds. The rows are therefore kept beside the log, as numbers of versions and names of reasons: no text of a memory, no
//! path and no prompt, so that a redaction has nothing to take out there. What is kept counts as long as everything it was made of
//! is the same: the log, what is left to review, rules, configurations, the day, the program. A decision only takes changes away.
//!
//! Whoever writes brings it up to date: the recorder shortly after each change, a command at its end. In between, what is kept is
//! shown together with when it was worked out and with how many changes are newer.

use crate::Review;
use crate::triage::cluster::{Row, rows};
use crate::view;
use crate::wire::{ActorView, ApiError, Finding, NeedReason, TriageKind};
use retrace_engine::keep;
use retrace_engine::recorder::Upkeep;
use retrace_health::{Configurations, refresh_standing_errors, standing_errors};
use retrace_history::notes_of;
use retrace_log::{Reader, Unreviewed};
use retrace_model::{Actor, Sha256, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The file beside the log.
const FILE: &str = "today.json";

/// What is shown in a prompt.
const SHORT: Asked = Asked { needs: 5, routine: 5, with_findings: false };

/// Where something records, so long is waited for it to put a change into rows, in microseconds.
const LATEST: i64 = 60_000_000;

/// Calls of [`Upkeep::tick`] from a change until it is brought up to date: changes mostly come together.
const SOON: u32 = 4;

/// Share of the time that bringing it up to date may take: one part of so many.
const SHARE: u32 = 20;

/// What is left to review, in short.
#[derive(Debug)]
pub struct Today {
    /// Everything left to review.
    pub total: u64,
    /// What needs a decision, and the rest.
    pub needs: TodayHalf,
    /// What has no warnings.
    pub routine: TodayHalf,
    /// Where it is older than the newest change: what is newer.
    pub older: Option<Older>,
    /// Findings of error level that stand in the live memories, reviewed or not.
    pub errors: u64,
}

/// What is older than the newest change.
#[derive(Debug)]
pub struct Older {
    /// When changes were put into rows.
    pub at: String,
    /// Changes since then, which are in no row.
    pub newer: u64,
}

/// One half of the rows.
#[derive(Debug)]
pub struct TodayHalf {
    /// Changes of all of its rows.
    pub changes: u64,
    /// Its rows, those that are not shown included.
    pub rows: u64,
    /// The first rows.
    pub shown: Vec<TodayRow>,
}

/// A row in short.
#[derive(Debug)]
pub struct TodayRow {
    /// What its changes have in common.
    pub kind: TriageKind,
    /// Why it needs a decision.
    pub reason: Option<NeedReason>,
    /// The number of its newest change.
    pub number: u64,
    /// How many changes it stands for.
    pub changes: u64,
    /// `memstore_…` of the newest change.
    pub store_id: String,
    /// Its path; null when redacted.
    pub path: Option<String>,
    /// Who wrote all of them; null where they are of several, or unknown.
    pub actor: Option<ActorView>,
    /// The first prompt of its session, where all are of one and that is known.
    pub title: Option<String>,
    /// When the newest was recorded.
    pub at: String,
    /// What was found in the newest, where it decides why the row stands here and was asked for.
    pub finding: Option<Finding>,
}

/// How much is shown.
#[derive(Clone, Copy)]
struct Asked {
    /// Rows that need a decision.
    needs: usize,
    /// Rows without warnings.
    routine: usize,
    with_findings: bool,
}

/// What is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// What it was made of beside the log: person, program, day, configurations.
    of: String,
    /// The end of the log's chain.
    head: String,
    /// When it was made.
    at: i64,
    needs: Vec<KeptRow>,
    routine: Vec<KeptRow>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeptRow {
    kind: TriageKind,
    reason: Option<NeedReason>,
    one_writer: bool,
    /// The number of the newest version of each change, and the mark of what else it depends on.
    changes: Vec<(u64, u32)>,
}

/// Changes that are left now.
struct Left {
    items: Vec<Unreviewed>,
    /// The place in `items` by what is kept of a change.
    places: HashMap<(u64, u32), usize>,
    of: String,
    head: String,
}

impl Today {
    /// What this person has left to review now. Where it is kept, no content is read. `is_recorded`: somebody records, and so
    /// brings up to date what is kept.
    ///
    /// # Errors
    /// Failures of the database.
    pub fn read(inner: &Arc<Review>, is_recorded: bool) -> Result<Self, ApiError> {
        Self::read_where(inner, SHORT, is_recorded, |left, kept| {
            left.is_all_of(kept) || is_recorded && left.newer_since(kept) >= inner.now().micros() - LATEST
        })
    }

    /// The first rows of each half, with what was found in those that need a decision. They are those of the triage: no change
    /// is in none of them.
    ///
    /// # Errors
    /// Failures of the database.
    pub fn listed(inner: &Arc<Review>, needs: usize, routine: usize) -> Result<Self, ApiError> {
        let asked = Asked { needs, routine, with_findings: true };
        Self::read_where(inner, asked, false, |left, kept| {
            left.is_all_of(kept) && kept.changes() == left.items.len()
        })
    }

    fn read_where(
        inner: &Arc<Review>,
        asked: Asked,
        is_recorded: bool,
        is_usable: impl Fn(&Left, &Kept) -> bool,
    ) -> Result<Self, ApiError> {
        let left = Left::read(inner)?;
        let usable = Kept::read(inner).filter(|kept| kept.of == left.of && is_usable(&left, kept));
        let kept = match usable {
            Some(kept) => kept,
            None => {
                // Prompts decide which memories came to be together, and are known where the index of transcripts is.
                if left.items.iter().any(|item| matches!(item.writer, Actor::Session { .. })) {
                    inner.history.read_transcripts();
                }
                let kept = made(inner, &left)?;
                kept.save(inner);
                kept
            }
        };
        inner.history.recall_transcripts();
        let shown = inner.read(|reader| {
            let needs = half(inner, reader, &left, &kept.needs, asked.needs)?;
            Ok((needs, half(inner, reader, &left, &kept.routine, asked.routine)?))
        });
        let (mut needs, routine) = shown?;
        if asked.with_findings {
            needs.read_findings(inner, &left)?;
        }
        let total = left.items.len() as u64;
        let newer = total.saturating_sub(needs.changes + routine.changes);
        let is_older = newer > 0 || kept.head != left.head;
        let at = || Timestamp::from_micros(kept.at).to_rfc3339();
        let older = is_older.then(|| Older { at: at(), newer });
        Ok(Self { total, needs, routine, older, errors: standing_errors(&inner.checks, is_recorded)? })
    }

    /// Brings up to date what is kept, where anybody asked for it before.
    ///
    /// # Errors
    /// Failures of the database.
    pub fn refresh(inner: &Arc<Review>) -> Result<(), ApiError> {
        let Some(kept) = Kept::read(inner) else { return Ok(()) };
        let left = Left::read(inner)?;
        if kept.of != left.of || !left.is_all_of(&kept) {
            made(inner, &left)?.save(inner);
        }
        refresh_standing_errors(&inner.checks)
    }
}

impl Left {
    fn read(inner: &Arc<Review>) -> Result<Self, ApiError> {
        inner.read(|reader| {
            let items = inner.left_to_review(reader, None, None)?;
            let of = surroundings(inner, reader, &items)?;
            let places = items.iter().enumerate().map(|(at, item)| (key(item), at)).collect();
            Ok(Self { items, places, of, head: reader.chain_head()?.to_hex() })
        })
    }

    /// True if the log is the same and every change is kept as it is.
    fn is_all_of(&self, kept: &Kept) -> bool {
        let rows = kept.needs.iter().chain(&kept.routine);
        kept.head == self.head
            && rows.flat_map(|row| &row.changes).filter(|change| self.places.contains_key(change)).count()
                == self.items.len()
    }

    /// When the oldest of the changes was recorded that are not kept.
    fn newer_since(&self, kept: &Kept) -> i64 {
        let rows = kept.needs.iter().chain(&kept.routine);
        let known: HashSet<&(u64, u32)> = rows.flat_map(|row| &row.changes).collect();
        let newer = self.items.iter().filter(|item| !known.contains(&key(item)));
        newer.map(|item| item.at.micros()).min().unwrap_or(i64::MAX)
    }
}

impl Kept {
    /// Changes of all rows, those that were decided since included.
    fn changes(&self) -> usize {
        self.needs.iter().chain(&self.routine).map(|row| row.changes.len()).sum()
    }

    fn read(inner: &Review) -> Option<Self> {
        serde_json::from_str(&keep::read(&file(inner)).ok().flatten()?).ok()
    }

    /// Keeps it. Where that fails it is worked out again.
    fn save(&self, inner: &Review) {
        if let Ok(text) = serde_json::to_string(self) {
            let _ = keep::replace(inner, &file(inner), text.as_bytes());
        }
    }
}

impl TodayHalf {
    /// Looks for what decides why each of the shown rows stands here.
    fn read_findings(&mut self, inner: &Review, left: &Left) -> Result<(), ApiError> {
        let places: HashMap<u64, &Unreviewed> = left.items.iter().map(|item| (item.newest, item)).collect();
        let item = |at: usize| places.get(&self.shown[at].number).copied();
        let found = inner.each_of(self.shown.len(), item, |read, configurations, at| match item(at) {
            Some(item) => inner.finding_of(read, item, configurations),
            None => Ok(None),
        })?;
        for (row, finding) in self.shown.iter_mut().zip(found) {
            row.finding = finding;
        }
        Ok(())
    }
}

/// The rows of a half, without what was decided since; the first of them with what is shown.
fn half(
    inner: &Review,
    reader: &Reader<'_>,
    left: &Left,
    rows: &[KeptRow],
    most: usize,
) -> Result<TodayHalf, ApiError> {
    let mut half = TodayHalf { changes: 0, rows: 0, shown: Vec::new() };
    for row in rows {
        let mut members =
            row.changes.iter().filter_map(|change| left.places.get(change)).map(|at| &left.items[*at]);
        let Some(first) = members.next() else { continue };
        let changes = 1 + members.count() as u64;
        half.changes += changes;
        half.rows += 1;
        if half.shown.len() < most {
            half.shown.push(shown(inner, reader, row, first, changes)?);
        }
    }
    Ok(half)
}

fn shown(
    inner: &Review,
    reader: &Reader<'_>,
    row: &KeptRow,
    first: &Unreviewed,
    changes: u64,
) -> Result<TodayRow, ApiError> {
    let version = reader.version(first.newest)?;
    let path = match &version.path {
        Some(path) => Some(path.clone()),
        None => reader.path_of(version.memory)?,
    };
    let writer = if row.one_writer { &first.writer } else { &Actor::Unknown };
    let title = match writer {
        Actor::Session { .. } => {
            let notes = notes_of(&inner.history, reader, [&version])?.notes;
            notes.into_values().find_map(|note| note.title)
        }
        _ => None,
    };
    Ok(TodayRow {
        kind: row.kind,
        reason: row.reason,
        number: first.newest,
        changes,
        store_id: version.store.to_string(),
        path: path.map(|path| path.to_string()),
        actor: view::actor(writer),
        title,
        at: first.at.to_rfc3339(),
        finding: None,
    })
}

fn made(inner: &Arc<Review>, left: &Left) -> Result<Kept, ApiError> {
    let at = inner.now().micros();
    let facts = inner.facts(&left.items)?;
    let found = rows(&facts.facts);
    let kept = |row: Row| {
        let writer = |at: &usize| facts.facts[*at].writer;
        KeptRow {
            kind: row.kind,
            reason: row.reason,
            one_writer: row
                .members
                .first()
                .is_some_and(|first| row.members.iter().all(|at| writer(at) == writer(first))),
            changes: row.members.iter().map(|at| key(&left.items[*at])).collect(),
        }
    };
    Ok(Kept {
        of: left.of.clone(),
        head: left.head.clone(),
        at,
        needs: found.needs.into_iter().map(kept).collect(),
        routine: found.routine.into_iter().map(kept).collect(),
    })
}

/// What is kept of a change: the number of its newest version, and a mark of what it is compared with and of who wrote it. Of
/// ten thousand changes it is made each time; a program whose marks differ works the rows out anew.
fn key(item: &Unreviewed) -> (u64, u32) {
    let mut mark = DefaultHasher::new();
    (item.base, &item.writer).hash(&mut mark);
    let [a, b, c, d, ..] = mark.finish().to_be_bytes();
    (item.newest, u32::from_be_bytes([a, b, c, d]))
}

/// Digest of everything beside the log that decides which rows there are.
fn surroundings(inner: &Review, reader: &Reader<'_>, items: &[Unreviewed]) -> Result<String, ApiError> {
    let mut text = String::new();
    let day = inner.now().to_rfc3339();
    let day = day.split('T').next().unwrap_or_default();
    let _ = writeln!(text, "{:?} {} {day}", inner.user(), inner.options.program_version);
    let stores: BTreeSet<_> = items.iter().map(|item| item.store).collect();
    let mut configurations = Configurations::default();
    for store in stores {
        let identity = configurations.identity(&inner.checks, reader, store)?;
        let _ = writeln!(text, "{store} {}", identity.to_hex());
    }
    Ok(Sha256::of(text.as_bytes()).to_hex())
}

fn file(inner: &Review) -> PathBuf {
    inner.options.data_dir.join(FILE)
}

/// Brings up to date what is kept, beside recording: soon after a change, on a thread of its own.
pub struct TodayUpkeep {
    inner: Arc<Review>,
    /// Ticks until it is due; `None` where nothing changed.
    due: Option<u32>,
    /// Not before, however much changes.
    pause: Option<Instant>,
    work: Option<JoinHandle<Duration>>,
}

impl TodayUpkeep {
    /// For the recorder of this log.
    #[must_use]
    pub fn new(inner: Arc<Review>) -> Self {
        Self { inner, due: None, pause: None, work: None }
    }

    fn start(&mut self) {
        let inner = Arc::clone(&self.inner);
        let work = move || {
            let began = Instant::now();
            // Whoever asks meets the failure with a code.
            drop(Today::refresh(&inner));
            began.elapsed()
        };
        self.work = std::thread::Builder::new().name("retrace-today".to_owned()).spawn(work).ok();
    }
}

impl Upkeep for TodayUpkeep {
    fn tick(&mut self) {
        if let Some(work) = self.work.take_if(|work| work.is_finished()) {
            // A panic was reported by the panic hook.
            self.pause = work.join().ok().map(|took| Instant::now() + took * SHARE);
        }
        match self.due {
            Some(0) if self.work.is_none() && self.pause.is_none_or(|pause| pause <= Instant::now()) => {
                self.due = None;
                self.start();
            }
            Some(ticks) => self.due = Some(ticks.saturating_sub(1)),
            None => {}
        }
    }

    fn committed(&mut self) {
        self.due.get_or_insert(SOON);
    }
}

impl Drop for TodayUpkeep {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            drop(work.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_numbers_and_names_of_reasons() {
        let row = KeptRow {
            kind: TriageKind::Single,
            reason: Some(NeedReason::Secret),
            one_writer: true,
            changes: vec![(7, 9)],
        };
        let (of, head) = ("00".to_owned(), "01".to_owned());
        let kept = Kept { of, head, at: 5, needs: vec![row], routine: Vec::new() };
        let text = serde_json::to_string(&kept).expect("JSON");
        assert_eq!(serde_json::from_str::<Kept>(&text).expect("it reads back"), kept);
        assert_eq!(
            text,
            "{\"of\":\"00\",\"head\":\"01\",\"at\":5,\"needs\":[{\"kind\":\"single\",\"reason\":\"secret\",\
             \"one_writer\":true,\"changes\":[[7,9]]}],\"routine\":[]}"
        );
    }
}
