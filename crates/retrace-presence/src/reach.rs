//! Lines of a file over all requests of a conversation.

use crate::conversation::{AtRequest, Conversation};
use crate::digest::Proof;
use crate::memory::Memory;
use crate::words::{Cause, Grade};
use std::ops::RangeInclusive;

/// What some lines were in a row of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// True if all of them were present.
    pub is_present: bool,
    /// How many were.
    pub present: u32,
    /// How well it is known.
    pub grade: Grade,
    /// Why most of the absent ones were absent.
    pub cause: Option<Cause>,
    /// The version that was loaded.
    pub version: Option<usize>,
    /// Number of the first of them in that version.
    pub as_line: Option<u32>,
    /// The last line that was loaded of a file that was cut before them.
    pub cut_after: Option<u32>,
}

/// A row of requests in which nothing changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first request.
    pub from: u32,
    /// The last one.
    pub to: u32,
    /// What the lines were.
    pub state: State,
}

/// All that a state depends on.
#[derive(PartialEq, Eq)]
struct Key {
    here: Vec<usize>,
    cleared: Vec<usize>,
    compactions: u32,
    proof: Proof,
    tells: bool,
    is_copied: bool,
    in_force: Option<(usize, bool)>,
}

impl Conversation<'_> {
    /// The lines of the version `reference` in every request. Empty where the file has no such version.
    #[must_use]
    pub fn spans(
        &self,
        memory: &Memory,
        pieces: &[usize],
        reference: usize,
        lines: &RangeInclusive<u32>,
    ) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        self.walk(memory, pieces, Some(reference), |from, to, at| {
            let state = state(at, lines, self.cut_after(memory, pieces, from, at));
            match spans.last_mut() {
                Some(last) if last.state == state => last.to = to,
                _ => spans.push(Span { from, to, state }),
            }
        });
        spans
    }

    /// The file in every request: the lines of the version that was loaded or in force, which may be another at each.
    #[must_use]
    pub fn spans_of_file(&self, memory: &Memory, pieces: &[usize]) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        self.walk(memory, pieces, None, |from, to, at| {
            let lines = 1..=u32::try_from(at.lines.len()).unwrap_or(u32::MAX);
            let state = state(at, &lines, self.cut_after(memory, pieces, from, at));
            // A whole file stands at no line.
            let state = State { as_line: None, ..state };
            match spans.last_mut() {
                Some(last) if last.state == state => last.to = to,
                _ => spans.push(Span { from, to, state }),
            }
        });
        spans
    }

    /// For each line of the version `reference` whether any request had it.
    #[must_use]
    pub fn had(&self, memory: &Memory, pieces: &[usize], reference: usize) -> Vec<bool> {
        let count = memory.versions().get(reference).map_or(0, |version| version.lines.len());
        let mut had = vec![false; count];
        self.walk(memory, pieces, Some(reference), |_, _, at| {
            for (had, line) in had.iter_mut().zip(&at.lines) {
                *had |= line.absent.is_none();
            }
        });
        had
    }

    /// Rows of requests in which nothing that matters changes.
    fn walk(
        &self,
        memory: &Memory,
        pieces: &[usize],
        reference: Option<usize>,
        mut each: impl FnMut(u32, u32, &AtRequest),
    ) {
        let requests = &self.digest().requests;
        let mut row: Option<(u32, Key)> = None;
        for number in 0..=u32::try_from(requests.len()).unwrap_or(u32::MAX) {
            let key = requests.get(number as usize).map(|facts| {
                let of = |is: &dyn Fn(&crate::digest::Piece) -> bool| {
                    let there = |at: &usize| self.digest().pieces.get(*at).is_some_and(is);
                    pieces.iter().copied().filter(there).collect::<Vec<usize>>()
                };
                Key {
                    here: of(&|piece| piece.is_in(number)),
                    cleared: of(&|piece| piece.is_cleared_in(number)),
                    compactions: facts.compactions,
                    proof: facts.proof,
                    tells: facts.tells,
                    is_copied: facts.is_copied,
                    in_force: memory.in_force(facts.at),
                }
            });
            if let (Some((_, last)), Some(key)) = (&row, &key)
                && last == key
            {
                continue;
            }
            if let Some((from, _)) = row.take()
                && let Some(at) = self.at(memory, pieces, reference, from as usize)
            {
                each(from, number.saturating_sub(1), &at);
            }
            row = key.map(|key| (number, key));
        }
    }

    fn cut_after(&self, memory: &Memory, pieces: &[usize], request: u32, at: &AtRequest) -> Option<u32> {
        let version = at.version?;
        let texts = pieces.iter().filter_map(|&piece| self.digest().pieces.get(piece));
        let mut cut = texts.filter(|piece| piece.is_in(request)).filter_map(|piece| {
            let text = self.shelf().text(piece.text).filter(|text| text.is_cut())?;
            text.cut_at.map(|at| at - 1).or_else(|| memory.matched(piece.text, text, version).last())
        });
        let inferred = || memory.loaded_up_to(version).filter(|_| at.grade == Grade::Inferred);
        cut.next().or_else(inferred)
    }
}

fn state(at: &AtRequest, lines: &RangeInclusive<u32>, cut_after: Option<u32>) -> State {
    let from = (*lines.start() as usize).saturating_sub(1).min(at.lines.len());
    let to = (*lines.end() as usize).clamp(from, at.lines.len());
    let asked = &at.lines[from..to];
    let present = asked.iter().filter(|line| line.absent.is_none()).count();
    let mut causes: Vec<(Cause, usize)> = Vec::new();
    for cause in asked.iter().filter_map(|line| line.absent) {
        match causes.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, count)) => *count += 1,
            None => causes.push((cause, 1)),
        }
    }
    let cause = causes.iter().max_by_key(|(_, count)| *count).map(|(cause, _)| *cause);
    State {
        is_present: present == asked.len() && !asked.is_empty(),
        present: present as u32,
        grade: at.grade,
        cause,
        // Of what is absent it does not matter which version the rest is of.
        version: at.version.filter(|_| present > 0),
        as_line: asked.first().and_then(|line| line.as_line).filter(|_| present == asked.len()),
        cut_after: cut_after.filter(|_| cause == Some(Cause::Cut)),
    }
}
