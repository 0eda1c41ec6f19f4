//! Who wrote each line: back through the versions of a memory, its renames, and moves of lines between files.

use crate::History;
use crate::jobs::Steps;
use crate::memories::{Bytes, document_of};
use crate::origin_lines::{spread, stood_before};
use crate::origins::{origin_note, put_back_by};
use crate::target::Target;
use crate::view;
use crate::wire::{ApiError, Blame, BlameLine, BlameReq, BlameVersion, ContentKind};
use retrace_diff::{FileChange, MIN_MOVED_LINES, line_map, moves, text_lines};
use retrace_log::{Reader, VersionFilter, VersionRow};
use retrace_message::Message;
use retrace_model::{Actor, MemoryId, RelPath, Source, StoreId, Timestamp, VersionOperation};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

/// Lines that go from one file and come to another within this time are looked at as a move, in microseconds. An agent that
/// moves an entry makes two calls; a minute between them is long.
const MOVE_WITHIN_MICROS: i64 = 60_000_000;

/// Other versions that one version's new lines are compared with. An operation over more files than that is a bulk change.
const MAX_NEIGHBOURS: u64 = 40;

/// Larger contents are not searched for moves.
const LARGEST_FOR_MOVES: usize = 1 << 20;

/// Contents of one memory read at once.
const CHUNK: usize = 256;

/// Name of the progress of a blame without a name.
const UNNAMED: &str = "blame";

/// Says of each line of a text which version brought it in.
///
/// # Errors
/// `not_found` when there is nothing at the target, `invalid` for a whole store or when it is stopped.
pub fn blame(inner: &Arc<History>, request: BlameReq) -> Result<Blame, ApiError> {
    let job = inner.jobs.begin(request.job.as_deref())?;
    let steps = Steps { inner, task: request.job.as_deref().unwrap_or(UNNAMED), stop: job.stop() };
    inner.read(|reader| inner.blame(reader, &request.target, &steps))
}

impl History {
    fn blame(&self, reader: &Reader<'_>, target: &str, steps: &Steps<'_>) -> Result<Blame, ApiError> {
        let named = self.target(reader, target)?;
        if let Target::Store { .. } = named {
            return Err(
                ApiError::invalid(say::names_whole_store_not_one(), target).hint(say::add_path_stores_name())
            );
        }
        let side = self.side(reader, target)?;
        // Only the lines that are shown are traced.
        let document = document_of(&side, false);
        let texts: Vec<String> = document.lines.into_iter().map(|line| line.text).collect();
        let mut blame = Blame {
            live: named.is_live(),
            target: target.to_owned(),
            version_id: side.version.as_ref().map(|version| version.id.to_string()),
            path: document.path,
            kind: document.kind,
            lines: Vec::new(),
            versions: Vec::new(),
            truncated: document.truncated,
        };
        let Bytes::Kept(bytes) = &side.bytes else { return Ok(blame) };
        if blame.kind != ContentKind::Text {
            return Ok(blame);
        }
        let start = match (&side.version, side.store, &side.path) {
            (Some(version), ..) => Some(version.clone()),
            // A file on disk that is not recorded yet: its lines are compared with the newest version.
            (None, Some(store), Some(path)) => {
                let head = reader.live_at(store, path)?;
                head.map(|head| reader.version_by_id(head.version)).transpose()?
            }
            _ => None,
        };
        let recorded = side.version.is_some()
            || match (side.store, &side.path) {
                (Some(store), Some(path)) => self.is_as_redacted(reader, store, path)?,
                _ => false,
            };
        let mut walk = Walk::new(reader, steps, texts.len());
        if let Some(start) = start {
            walk.begin(start, bytes, recorded)?;
            walk.run()?;
        }
        let mut places = HashMap::new();
        let mut found: Vec<&VersionRow> =
            walk.brought_in.iter().flatten().map(|line| &walk.rows[&line.seq]).collect();
        found.sort_by_key(|row| std::cmp::Reverse(key(row)));
        found.dedup_by_key(|row| row.id.seq);
        for (place, row) in (0u32..).zip(&found) {
            places.insert(row.id.seq, place);
        }
        let memory = found.iter().find(|row| Some(row.id) == side.version.as_ref().map(|it| it.id));
        let memory = walk.memory.or_else(|| memory.map(|row| row.memory));
        let put_back = walk.put_back();
        blame.versions = found
            .iter()
            .map(|row| {
                let put_back = put_back.get(&row.id.seq).map(|act| put_back_by(&walk.rows[act], row));
                Ok(BlameVersion { put_back, ..self.blame_version(reader, row, memory)? })
            })
            .collect::<Result<_, ApiError>>()?;
        blame.lines = (1u32..)
            .zip(texts.into_iter().zip(&walk.brought_in))
            .map(|(line, (text, from))| BlameLine {
                line,
                text,
                version: from.as_ref().and_then(|from| places.get(&from.seq).copied()),
                line_then: from.as_ref().map_or(line, |from| from.line + 1),
                or_before: from.as_ref().is_some_and(|from| from.or_before),
            })
            .collect();
        Ok(blame)
    }

    /// True if the file at a path is the one whose newest version was redacted and that was left: it is recorded, and what is
    /// known of its lines is that they were in that version.
    fn is_as_redacted(&self, reader: &Reader<'_>, store: StoreId, path: &RelPath) -> Result<bool, ApiError> {
        let row = reader.store(store)?;
        if !row.has_directory() {
            return Ok(false);
        }
        let seen = self.store_root(&row)?.seen(path)?;
        Ok(match seen {
            Some(seen) => reader.casts_shadow(store, path, &seen)?,
            None => false,
        })
    }

    fn blame_version(
        &self,
        reader: &Reader<'_>,
        row: &VersionRow,
        memory: Option<MemoryId>,
    ) -> Result<BlameVersion, ApiError> {
        let path = row.path.as_ref().map(ToString::to_string);
        Ok(BlameVersion {
            version_id: row.id.to_string(),
            seq: row.id.seq,
            memory_id: row.memory.to_string(),
            moved_from: if memory == Some(row.memory) { None } else { path.clone() },
            path_then: path,
            created_at: row.written_at.unwrap_or(row.created_at).to_rfc3339(),
            created_by: view::actor(&row.actor),
            source: row.source.as_str().to_owned(),
            rebuilt: row.rebuilt,
            note: row.note.as_deref().map(Message::of_saved),
            origin: origin_note(self, reader, row)?,
            put_back: None,
        })
    }
}

/// Place of a version in the order in which things happened; of a memory every rebuilt version is before every observed one.
fn key(row: &VersionRow) -> (i64, u64) {
    (row.created_at.micros(), row.id.seq)
}

/// Where a line of the text came in.
#[derive(Clone, Debug)]
struct BroughtIn {
    seq: u64,
    /// From 0.
    line: u32,
    or_before: bool,
}

/// A line under way: where it is in the version at hand, and in the text; both from 0.
type Line = (u32, u32);

/// The walk back through versions.
struct Walk<'a, 'r> {
    reader: &'a Reader<'r>,
    steps: &'a Steps<'a>,
    /// The memory asked about.
    memory: Option<MemoryId>,
    /// Lines still under way, by place of their version; the latest is looked at first.
    pending: BTreeMap<(i64, u64), Vec<Line>>,
    rows: HashMap<u64, VersionRow>,
    /// Versions of a memory, the newest first.
    histories: HashMap<MemoryId, Rc<Vec<VersionRow>>>,
    contents: HashMap<u64, Option<Rc<Vec<u8>>>>,
    brought_in: Vec<Option<BroughtIn>>,
    /// The newest act of a person that put each line back, by its version.
    put_back: Vec<Option<u64>>,
}

impl<'a, 'r> Walk<'a, 'r> {
    fn new(reader: &'a Reader<'r>, steps: &'a Steps<'a>, lines: usize) -> Self {
        Self {
            reader,
            steps,
            memory: None,
            pending: BTreeMap::new(),
            rows: HashMap::new(),
            histories: HashMap::new(),
            contents: HashMap::new(),
            brought_in: vec![None; lines],
            put_back: vec![None; lines],
        }
    }

    /// Puts the lines of a text at a version that holds it, or that it was made from.
    fn begin(&mut self, start: VersionRow, text: &[u8], recorded: bool) -> Result<(), ApiError> {
        self.memory = Some(start.memory);
        let held = if recorded { None } else { self.content(&start)? };
        let map = match held {
            Some(old) => line_map(&old, text),
            None if recorded => (0..self.brought_in.len()).map(Some).collect(),
            None => Vec::new(),
        };
        let shown = (0u32..).zip(map).take(self.brought_in.len());
        let lines = shown.filter_map(|(line, from)| Some((index(from?), line))).collect();
        self.put(start, lines);
        Ok(())
    }

    fn put(&mut self, row: VersionRow, lines: Vec<Line>) {
        if !lines.is_empty() {
            self.pending.entry(key(&row)).or_default().extend(lines);
            self.rows.insert(row.id.seq, row);
        }
    }

    fn run(&mut self) -> Result<(), ApiError> {
        let mut done = 0;
        while let Some(((_, seq), lines)) = self.pending.pop_last() {
            let row = self.rows[&seq].clone();
            self.step(&row, lines)?;
            done += 1;
            self.steps.tell(done, None)?;
        }
        Ok(())
    }

    /// The newest act that put lines back, by the versions that they come from.
    fn put_back(&self) -> HashMap<u64, u64> {
        let mut newest: HashMap<u64, u64> = HashMap::new();
        for (line, act) in self.brought_in.iter().zip(&self.put_back) {
            if let (Some(line), Some(act)) = (line, act) {
                newest.entry(line.seq).and_modify(|known| *known = (*known).max(*act)).or_insert(*act);
            }
        }
        newest
    }

    /// Takes lines from a version with which a person put another one's content back to that one; `false` where it has another
    /// content.
    fn go_back(&mut self, row: &VersionRow, lines: &[Line]) -> Result<bool, ApiError> {
        let first = row.put_back_of.map(|seq| self.reader.version(seq)).transpose()?;
        let Some(first) = first else { return Ok(false) };
        let is_same = match (row.content, first.content) {
            (Some(here), Some(there)) => here.sha256 == there.sha256,
            // Redacted for itself alone: its content is known to have been this one.
            _ => row.source != Source::Redact && first.redaction.is_some(),
        };
        if !is_same {
            return Ok(false);
        }
        for (_, text) in lines {
            self.put_back[*text as usize].get_or_insert(row.id.seq);
        }
        self.rows.entry(row.id.seq).or_insert_with(|| row.clone());
        self.put(first, lines.to_vec());
        Ok(true)
    }

    /// Takes lines from one version to the one before, or says that it brought them in.
    fn step(&mut self, row: &VersionRow, lines: Vec<Line>) -> Result<(), ApiError> {
        if self.go_back(row, &lines)? {
            return Ok(());
        }
        let Some(new) = self.content(row)? else {
            self.assign(row, lines, true);
            return Ok(());
        };
        let (left, own) = self.step_as_told(row, lines)?;
        let before = self.before(row)?;
        let old = match &before {
            Some(before) if before.operation != VersionOperation::Deleted => self.content(before)?,
            _ => Some(Rc::new(Vec::new())),
        };
        let Some(old) = old else {
            self.assign(row, own, false);
            return self.step_past_redacted(row, left);
        };
        let map = line_map(&old, &new);
        let (mut stay, mut came) = (Vec::new(), Vec::new());
        for (line, text) in left {
            match map.get(line as usize).copied().flatten() {
                Some(from) => stay.push((index(from), text)),
                None => came.push((line, text)),
            }
        }
        if let Some(stood) = self.stood_before(row)?
            && let Some(old) = self.content(&stood)?
        {
            // A merge: what the branch did not have is of the line it was merged into.
            let map = line_map(&old, &new);
            let mut stood_lines = Vec::new();
            came.retain(|(line, text)| match map.get(*line as usize).copied().flatten() {
                Some(from) => {
                    stood_lines.push((index(from), *text));
                    false
                }
                None => true,
            });
            self.put(stood, stood_lines);
        }
        if let Some(before) = before {
            self.put(before, stay);
        }
        came.extend(own);
        let came = self.follow_act(row, &new, came)?;
        let came =
            if came.len() >= MIN_MOVED_LINES { self.follow_moves(row, &old, &new, came)? } else { came };
        self.assign(row, came, false);
        Ok(())
    }

    /// Takes lines from a rebuilt version to where it is told that they came from, as of a merge. Answers those of which nothing is
    /// told, and those of which it is told that they came in with it.
    fn step_as_told(
        &mut self,
        row: &VersionRow,
        lines: Vec<Line>,
    ) -> Result<(Vec<Line>, Vec<Line>), ApiError> {
        let told = if row.rebuilt { spread(&self.reader.kept_lines(row.id.seq)?) } else { Vec::new() };
        if told.is_empty() {
            return Ok((lines, Vec::new()));
        }
        let (mut left, mut own) = (Vec::new(), Vec::new());
        let mut rows: HashMap<u64, VersionRow> = HashMap::new();
        for (line, text) in lines {
            let Some((of, from)) = told.get(line as usize).copied().flatten() else {
                left.push((line, text));
                continue;
            };
            if of == row.id.seq {
                own.push((line, text));
                continue;
            }
            let first = match rows.entry(of) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.reader.version(of)?),
            };
            let first = &*first;
            match from {
                // Only ever back, and to nothing that was taken back.
                _ if first.withdrawn || key(first) >= key(row) => left.push((line, text)),
                Some(from) => self.put(first.clone(), vec![(from, text)]),
                None => self.assign(first, vec![(line, text)], false),
            }
        }
        Ok((left, own))
    }

    /// Takes lines from a version to where they came from before what was there in between was redacted.
    fn step_past_redacted(&mut self, row: &VersionRow, lines: Vec<Line>) -> Result<(), ApiError> {
        let kept = spread(&self.reader.kept_lines(row.id.seq)?);
        for (line, text) in lines {
            match kept.get(line as usize).copied().flatten() {
                Some((of, Some(from))) => self.put(self.reader.version(of)?, vec![(from, text)]),
                Some((of, None)) => {
                    let first = self.reader.version(of)?;
                    self.assign(&first, vec![(line, text)], false);
                }
                None => self.assign(row, vec![(line, text)], kept.is_empty()),
            }
        }
        Ok(())
    }

    fn assign(&mut self, row: &VersionRow, lines: Vec<Line>, or_before: bool) {
        for (line, text) in lines {
            self.brought_in[text as usize] = Some(BroughtIn { seq: row.id.seq, line, or_before });
            self.rows.entry(row.id.seq).or_insert_with(|| row.clone());
        }
    }

    /// Sends lines that a person's act took from one file to another on from there; answers those that it did not. Within one
    /// act a single line that goes there and comes here is the same.
    fn follow_act(&mut self, row: &VersionRow, new: &[u8], came: Vec<Line>) -> Result<Vec<Line>, ApiError> {
        if came.is_empty() || row.rebuilt || !matches!(row.actor, Actor::User { .. }) {
            return Ok(came);
        }
        let filter = VersionFilter {
            operation_seq: Some(row.operation_seq),
            limit: MAX_NEIGHBOURS,
            ..VersionFilter::default()
        };
        let mut gone: HashMap<String, VecDeque<(VersionRow, u32)>> = HashMap::new();
        for other in self.reader.versions(&filter)?.into_iter().filter(|other| other.memory != row.memory) {
            let Some(before) = self.before(&other)? else { continue };
            let Some(held) = self.content(&before)? else { continue };
            let now = self.content(&other)?.unwrap_or_default();
            let (Some(lines), true) = (text_lines(&held), key(&before) < key(row)) else { continue };
            let mut stays = vec![false; lines.len()];
            line_map(&held, &now).into_iter().flatten().for_each(|from| stays[from] = true);
            for (at, line) in lines.into_iter().enumerate().filter(|(at, _)| !stays[*at]) {
                if !line.text.trim().is_empty() {
                    gone.entry(line.text).or_default().push_back((before.clone(), index(at)));
                }
            }
        }
        if gone.is_empty() {
            return Ok(came);
        }
        let texts = text_lines(new).unwrap_or_default();
        let mut left = Vec::new();
        for (line, text) in came {
            let from = texts.get(line as usize).and_then(|line| gone.get_mut(&line.text));
            match from.and_then(VecDeque::pop_front) {
                Some((before, at)) => self.put(before, vec![(at, text)]),
                None => left.push((line, text)),
            }
        }
        Ok(left)
    }

    /// Sends lines that moved here from another place on from there; answers those that did not.
    fn follow_moves(
        &mut self,
        row: &VersionRow,
        old: &[u8],
        new: &[u8],
        came: Vec<Line>,
    ) -> Result<Vec<Line>, ApiError> {
        let mut sources = HashMap::new();
        let mut sides = vec![(row.id.seq.to_string(), Some(old.to_vec()), Some(new.to_vec()))];
        if let Some(before) = self.before(row)? {
            sources.insert(row.id.seq.to_string(), before);
        }
        for neighbour in self.neighbours(row)? {
            let Some(before) = self.before(&neighbour)? else { continue };
            if key(&before) >= key(row) {
                continue;
            }
            let Some(held) = self.content(&before)? else { continue };
            let holds = self.content(&neighbour)?;
            if held.len() > LARGEST_FOR_MOVES {
                continue;
            }
            let name = neighbour.id.seq.to_string();
            sides.push((name.clone(), Some(held.to_vec()), holds.map(|bytes| bytes.to_vec())));
            sources.insert(name, before);
        }
        if new.len() > LARGEST_FOR_MOVES {
            return Ok(came);
        }
        let changes: Vec<FileChange<'_>> = sides
            .iter()
            .map(|(path, old, new)| FileChange { path, old: old.as_deref(), new: new.as_deref() })
            .collect();
        let here = row.id.seq.to_string();
        let mut left: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (line, text) in came {
            left.entry(line).or_default().push(text);
        }
        for found in moves(&changes).into_iter().filter(|found| found.to_path == here) {
            let Some(source) = sources.get(&found.from_path) else { continue };
            let mut lines = Vec::new();
            for offset in 0..found.lines {
                if let Some(texts) = left.remove(&(found.to_line - 1 + offset)) {
                    lines.extend(texts.into_iter().map(|text| (found.from_line - 1 + offset, text)));
                }
            }
            self.put(source.clone(), lines);
        }
        Ok(left
            .into_iter()
            .flat_map(|(line, texts)| texts.into_iter().map(move |text| (line, text)))
            .collect())
    }

    /// Other versions of the store from about the same time.
    fn neighbours(&self, row: &VersionRow) -> Result<Vec<VersionRow>, ApiError> {
        let at = row.created_at.micros();
        let filter = VersionFilter {
            store: Some(row.store),
            since: Some(Timestamp::from_micros(at.saturating_sub(MOVE_WITHIN_MICROS))),
            until: Some(Timestamp::from_micros(at.saturating_add(MOVE_WITHIN_MICROS))),
            limit: MAX_NEIGHBOURS,
            ..VersionFilter::default()
        };
        let mut near = self.reader.versions(&filter)?;
        // A commit is one act, which its note names: what another one took away did not move here.
        let is_one_act = |other: &VersionRow| row.source != Source::Import || other.note == row.note;
        near.retain(|other| other.memory != row.memory && other.rebuilt == row.rebuilt && is_one_act(other));
        Ok(near)
    }

    fn history(&mut self, memory: MemoryId) -> Result<Rc<Vec<VersionRow>>, ApiError> {
        if let Some(known) = self.histories.get(&memory) {
            return Ok(Rc::clone(known));
        }
        let filter = VersionFilter { memory: Some(memory), ..VersionFilter::default() };
        let rows = Rc::new(self.reader.versions(&filter)?);
        self.histories.insert(memory, Rc::clone(&rows));
        Ok(rows)
    }

    /// Where a version stands in the history of its memory. A withdrawn one stands nowhere.
    fn place(&mut self, row: &VersionRow) -> Result<(Rc<Vec<VersionRow>>, Option<usize>), ApiError> {
        let history = self.history(row.memory)?;
        // Newest first: observed ones by their place in the log, then rebuilt ones by their time.
        let rank = |it: &VersionRow| {
            if it.rebuilt { (0, it.created_at.micros(), it.id.seq) } else { (1, 0, it.id.seq) }
        };
        let place = history.binary_search_by(|it| rank(row).cmp(&rank(it))).ok();
        Ok((history, place))
    }

    fn before(&mut self, row: &VersionRow) -> Result<Option<VersionRow>, ApiError> {
        let (history, place) = self.place(row)?;
        match place {
            Some(place) => Ok(history.get(place + 1).cloned()),
            None => Ok(self.reader.version_before(row)?),
        }
    }

    /// Version before this one and before all that came to stand together with it; `None` where nothing did.
    fn stood_before(&mut self, row: &VersionRow) -> Result<Option<VersionRow>, ApiError> {
        let (history, place) = self.place(row)?;
        Ok(place.and_then(|place| stood_before(&history, place)).cloned())
    }

    /// The bytes of a version; `None` where there are none any more, or none at all.
    fn content(&mut self, row: &VersionRow) -> Result<Option<Rc<Vec<u8>>>, ApiError> {
        if let Some(known) = self.contents.get(&row.id.seq) {
            return Ok(known.clone());
        }
        let (history, place) = self.place(row)?;
        let mut chunk: Vec<VersionRow> = match place {
            Some(place) => history.iter().skip(place).take(CHUNK).cloned().collect(),
            None => vec![row.clone()],
        };
        chunk.reverse();
        // Contents read before are behind the walk by now, but for a memory or two.
        if self.contents.len() > 4 * CHUNK {
            self.contents.clear();
        }
        let contents = self.reader.contents(&chunk)?;
        for (version, bytes) in chunk.iter().zip(contents) {
            self.contents.insert(version.id.seq, bytes.map(Rc::new));
        }
        Ok(self.contents.get(&row.id.seq).cloned().flatten())
    }
}

fn index(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "blame";
    names_whole_store_not_one() => "This names a whole store, not one memory.",
    add_path_stores_name() => "Add :PATH to the store's name.",
}
