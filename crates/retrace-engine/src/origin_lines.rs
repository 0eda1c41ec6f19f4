//! Who wrote the lines of a version whose predecessors are about to be redacted. While the contents are there, each line that
//! lives on is followed back to where it came in, or to the next version that keeps its content, and that is kept.

use crate::wire::ApiError;
use retrace_diff::line_map;
use retrace_log::{Act, KeptLines, Reader, VersionFilter, VersionRow};
use retrace_model::{MemoryId, Source, VersionOperation};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// Where a line came from: a version, and the line there, from 0; `None` where that one brought it in and is redacted.
type From = (u64, Option<u32>);

/// Keeps where lines came from, before `going` are masked. It belongs into the transaction that masks them.
///
/// # Errors
/// A failure of the log.
pub fn keep_lines(act: &mut Act<'_>, going: &[VersionRow]) -> Result<(), ApiError> {
    let kept = {
        let reader = act.reader();
        let mut tracing = Tracing {
            reader: &reader,
            going: going.iter().map(|row| (row.id.seq, row)).collect(),
            histories: HashMap::new(),
            places: HashMap::new(),
            known: HashMap::new(),
        };
        tracing.trace_oldest_first()?;
        let mut kept: BTreeMap<u64, Vec<KeptLines>> = tracing.of_lines_kept_before()?.into_iter().collect();
        kept.extend(tracing.of_followers()?);
        kept.extend(going.iter().map(|row| (row.id.seq, Vec::new())));
        kept
    };
    for (seq, lines) in kept {
        act.keep_lines(seq, &lines)?;
    }
    Ok(())
}

struct Tracing<'a, 'r> {
    reader: &'a Reader<'r>,
    going: BTreeMap<u64, &'a VersionRow>,
    /// Versions of a memory, the newest first.
    histories: HashMap<MemoryId, Rc<Vec<VersionRow>>>,
    /// Where each of them stands there, by its place in the log.
    places: HashMap<u64, usize>,
    /// Where the lines of a version came from, by its place.
    known: HashMap<u64, Rc<Vec<From>>>,
}

impl Tracing<'_, '_> {
    /// Traces lines of what goes, so that what a merge was made from is known when the merge is looked at: a row of merges may be
    /// longer than a stack is deep.
    fn trace_oldest_first(&mut self) -> Result<(), ApiError> {
        let mut going: Vec<&VersionRow> = self.going.values().copied().collect();
        going.sort_by_key(|row| (!row.rebuilt, row.created_at, row.id.seq));
        for row in going {
            self.lines_of(row)?;
        }
        Ok(())
    }

    /// The versions that were made from those that go and stay themselves.
    fn of_followers(&mut self) -> Result<Vec<(u64, Vec<KeptLines>)>, ApiError> {
        let mut kept = Vec::new();
        let memories: BTreeSet<MemoryId> = self.going.values().map(|row| row.memory).collect();
        for memory in memories {
            let history = self.history(memory)?;
            for (place, follower) in history.iter().enumerate() {
                if let Some(lines) = self.of_follower(&history, place)? {
                    kept.push((follower.id.seq, runs(&lines)));
                }
            }
        }
        Ok(kept)
    }

    /// Where the lines of one of them came from; `None` for other versions.
    fn of_follower(
        &mut self,
        history: &[VersionRow],
        place: usize,
    ) -> Result<Option<Vec<Option<From>>>, ApiError> {
        let goes = |row: &VersionRow| self.going.contains_key(&row.id.seq);
        let follower = &history[place];
        let stays = follower.redaction.is_none() && !goes(follower);
        let Some(before) = history.get(place + 1).filter(|_| stays) else { return Ok(None) };
        let before_goes = goes(before);
        if !before_goes && !stood_before(history, place).is_some_and(goes) {
            return Ok(None);
        }
        let (text, held) = (self.content(follower)?, self.content(before)?);
        // Where the one before is gone already, all was kept when it went.
        let Some(text) = text.filter(|_| before_goes || held.is_some()) else { return Ok(None) };
        let held = held.unwrap_or_default();
        let mut map = line_map(&held, &text);
        let linear = if before_goes { self.lines_of(before)? } else { Rc::new(Vec::new()) };
        // A replacement by a redaction stands in the same lines.
        if follower.source == Source::Redact && map.len() == linear.len() {
            map = (0..map.len()).map(Some).collect();
        }
        let stood = self.stood_lines(history, place, &text)?;
        // What an import told of a merge goes before what the row of versions says.
        let mut lines = spread(&self.reader.kept_lines(follower.id.seq)?);
        lines.resize(map.len(), None);
        for (at, (line, from)) in lines.iter_mut().zip(map).enumerate() {
            *line = match (*line, from) {
                (Some(told), _) => Some(self.further(told)?.unwrap_or(told)),
                (None, Some(from)) => linear.get(from).copied(),
                (None, None) => stood.get(at).copied().flatten(),
            };
        }
        Ok(Some(lines))
    }

    /// Where lines of a merge came from that stood before all that came in with it.
    fn stood_lines(
        &mut self,
        history: &[VersionRow],
        place: usize,
        text: &[u8],
    ) -> Result<Vec<Option<From>>, ApiError> {
        let Some(stood) = stood_before(history, place) else { return Ok(Vec::new()) };
        let Some(held) = self.content(stood)? else { return Ok(Vec::new()) };
        let origins = self.lines_of(stood)?;
        Ok(line_map(&held, text).into_iter().map(|from| origins.get(from?).copied()).collect())
    }

    /// Lines kept at redactions before, where it leads to versions that go now.
    fn of_lines_kept_before(&mut self) -> Result<Vec<(u64, Vec<KeptLines>)>, ApiError> {
        let mut concerned = BTreeSet::new();
        for seq in self.going.keys() {
            concerned.extend(self.reader.versions_with_lines_of(*seq)?);
        }
        let mut kept = Vec::new();
        for seq in concerned.into_iter().filter(|seq| !self.going.contains_key(seq)).collect::<Vec<_>>() {
            let mut lines = spread(&self.reader.kept_lines(seq)?);
            for line in lines.iter_mut().flatten() {
                if let Some(further) = self.further(*line)? {
                    *line = further;
                }
            }
            kept.push((seq, runs(&lines)));
        }
        Ok(kept)
    }

    /// Where a line of a version that goes came from.
    fn further(&mut self, (seq, line): From) -> Result<Option<From>, ApiError> {
        let (Some(line), Some(row)) = (line, self.going.get(&seq).copied()) else { return Ok(None) };
        Ok(self.lines_of(row)?.get(line as usize).copied())
    }

    /// Where each line of a version that goes came from.
    fn lines_of(&mut self, row: &VersionRow) -> Result<Rc<Vec<From>>, ApiError> {
        // Back to what is known or stays, and forward from there: a history may be longer than a stack is deep.
        let mut chain = vec![row.clone()];
        while let Some(last) = chain.last() {
            if self.known.contains_key(&last.id.seq) || !self.going.contains_key(&last.id.seq) {
                break;
            }
            match self.before(last)? {
                Some(before) if before.operation != VersionOperation::Deleted => chain.push(before),
                _ => break,
            }
        }
        let mut then: Option<(VersionRow, Rc<Vec<From>>)> = None;
        for row in chain.into_iter().rev() {
            let lines = match self.known.get(&row.id.seq) {
                Some(known) => Rc::clone(known),
                None => Rc::new(self.lines_after(&row, then.as_ref())?),
            };
            self.known.insert(row.id.seq, Rc::clone(&lines));
            then = Some((row, lines));
        }
        Ok(then.map(|(_, lines)| lines).unwrap_or_default())
    }

    /// The same, from where the lines of the version before came from.
    fn lines_after(
        &mut self,
        row: &VersionRow,
        before: Option<&(VersionRow, Rc<Vec<From>>)>,
    ) -> Result<Vec<From>, ApiError> {
        let seq = row.id.seq;
        let Some(text) = self.content(row)? else { return Ok(Vec::new()) };
        let lines = line_map(b"", &text).len();
        if !self.going.contains_key(&seq) {
            return Ok((0..).map(|line| (seq, Some(line))).take(lines).collect());
        }
        // Redacted before, or of a merge: what was kept then goes on.
        let mut kept = spread(&self.reader.kept_lines(seq)?);
        kept.resize(lines, None);
        for line in kept.iter_mut().flatten() {
            *line = self.further(*line)?.unwrap_or(*line);
        }
        let linear = match before {
            Some((before, origins)) => self.content(before)?.map(|held| (line_map(&held, &text), origins)),
            None => None,
        };
        let linear = |line: usize| {
            let (map, origins) = linear.as_ref()?;
            origins.get((*map.get(line)?)?).copied()
        };
        let history = self.history(row.memory)?;
        let stood = match self.places.get(&seq).copied() {
            Some(place) => self.stood_lines(&history, place, &text)?,
            None => Vec::new(),
        };
        let stood = |line: usize| stood.get(line).copied().flatten();
        let told = |(line, kept): (usize, Option<From>)| {
            kept.or_else(|| linear(line)).or_else(|| stood(line)).unwrap_or((seq, None))
        };
        Ok(kept.into_iter().enumerate().map(told).collect())
    }

    /// The version whose lines a version's were made from: the one it put back, else the one before.
    fn before(&mut self, row: &VersionRow) -> Result<Option<VersionRow>, ApiError> {
        if let Some(first) = row.put_back_of {
            let first = self.reader.version(first)?;
            if first.content.is_some() && first.content == row.content {
                return Ok(Some(first));
            }
        }
        let history = self.history(row.memory)?;
        let place = self.places.get(&row.id.seq);
        Ok(place.and_then(|place| history.get(place + 1)).cloned())
    }

    fn history(&mut self, memory: MemoryId) -> Result<Rc<Vec<VersionRow>>, ApiError> {
        if let Some(known) = self.histories.get(&memory) {
            return Ok(Rc::clone(known));
        }
        let filter = VersionFilter { memory: Some(memory), ..VersionFilter::default() };
        let rows = Rc::new(self.reader.versions(&filter)?);
        self.places.extend(rows.iter().enumerate().map(|(place, row)| (row.id.seq, place)));
        self.histories.insert(memory, Rc::clone(&rows));
        Ok(rows)
    }

    fn content(&self, row: &VersionRow) -> Result<Option<Vec<u8>>, ApiError> {
        let is_kept = row.redaction.is_none() && row.content.is_some_and(|content| content.kept);
        if !is_kept {
            return Ok(None);
        }
        Ok(self.reader.content(row)?.map(|content| content.bytes))
    }
}

/// The version before one of a memory and before all that came to stand together with it; `None` where nothing did.
/// `history` is the memory's, the newest first.
#[must_use]
pub fn stood_before(history: &[VersionRow], place: usize) -> Option<&VersionRow> {
    let row = history.get(place)?;
    let together = history.iter().skip(place + 1).take_while(|before| before.came_with(row)).count();
    history.get(place + 1 + together).filter(|_| together > 0)
}

/// Lines that follow each other here and there, taken together.
fn runs(lines: &[Option<From>]) -> Vec<KeptLines> {
    let mut runs: Vec<KeptLines> = Vec::new();
    for (at, (of, of_first)) in (0u32..).zip(lines).filter_map(|(at, from)| Some((at, (*from)?))) {
        if let Some(last) = runs.last_mut()
            && last.first + last.lines == at
            && last.of == of
            && last.of_first.map(|first| first + last.lines) == of_first
        {
            last.lines += 1;
        } else {
            runs.push(KeptLines { first: at, lines: 1, of, of_first });
        }
    }
    runs
}

/// The same, line by line.
pub fn spread(runs: &[KeptLines]) -> Vec<Option<From>> {
    let mut lines = Vec::new();
    for run in runs {
        lines.resize(run.first as usize, None);
        lines.extend((0..run.lines).map(|offset| Some((run.of, run.of_first.map(|first| first + offset)))));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_together_and_spread_again() {
        let lines = [
            Some((1, Some(4))),
            Some((1, Some(5))),
            None,
            Some((2, None)),
            Some((2, None)),
            Some((1, Some(0))),
        ];
        let taken = runs(&lines);
        assert_eq!(taken.len(), 3);
        assert_eq!(spread(&taken), lines);
        assert!(runs(&[]).is_empty() && runs(&[None]).is_empty() && spread(&[]).is_empty());
    }
}
