//! One conversation held against the versions of a file.

use crate::digest::{Digest, Piece, Proof};
use crate::lines::{BLANK, Fate, numbers_as_ranges};
use crate::memory::{Loading, Memory};
use crate::shelf::{Claim, Shelf, Text};
use crate::words::{Cause, Grade, Way};

/// Where a conversation ran, as far as a file is concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Where the file is loaded, or nobody knows better.
    #[default]
    Here,
    /// In a directory whose memory is another.
    Elsewhere,
    /// The file is for another agent.
    OtherAgent,
}

/// A conversation.
#[derive(Clone, Copy, Debug)]
pub struct Conversation<'a> {
    digest: &'a Digest,
    shelf: &'a Shelf,
    place: Place,
    is_subagent: bool,
    /// True if what was not recorded may be inferred from the rules of the client.
    infers: bool,
    /// True if the file stands in the system prompt of whoever it is for.
    is_in_prompt: bool,
}

/// A line of the file at a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineState {
    /// Its number in the version that was loaded; `None` where it is absent or that version is not known.
    pub as_line: Option<u32>,
    /// Why it is absent; `None` where it is present.
    pub absent: Option<Cause>,
}

/// A file at a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtRequest {
    /// How well it is known.
    pub grade: Grade,
    /// The version whose lines are told.
    pub reference: usize,
    /// The version that was loaded; `None` where nothing was, or no version of the log agrees.
    pub version: Option<usize>,
    /// Each line of the reference.
    pub lines: Vec<LineState>,
}

impl AtRequest {
    /// Numbers of the lines that are present.
    pub fn present(&self) -> impl Iterator<Item = u32> {
        let present = self.lines.iter().enumerate().filter(|(_, line)| line.absent.is_none());
        present.map(|(at, _)| at as u32 + 1)
    }

    /// Ranges of lines that are absent, each with its cause, in order.
    #[must_use]
    pub fn absent(&self) -> Vec<((u32, u32), Cause)> {
        let mut ranges: Vec<((u32, u32), Cause)> = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            let (number, Some(cause)) = (at as u32 + 1, line.absent) else { continue };
            match ranges.last_mut() {
                Some(((_, to), last)) if *last == cause && *to + 1 == number => *to = number,
                _ => ranges.push(((number, number), cause)),
            }
        }
        ranges
    }

    /// Ranges of lines that are present.
    #[must_use]
    pub fn ranges(&self) -> Vec<(u32, u32)> {
        numbers_as_ranges(self.present())
    }
}

/// What is loaded by rule alone.
struct Inferred {
    version: usize,
    up_to: u32,
}

impl<'a> Conversation<'a> {
    /// A conversation of nobody's but the file's own project.
    #[must_use]
    pub const fn new(digest: &'a Digest, shelf: &'a Shelf) -> Self {
        Self { digest, shelf, place: Place::Here, is_subagent: false, infers: false, is_in_prompt: false }
    }

    /// The same in another place.
    #[must_use]
    pub const fn at_place(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// The same, of a subagent.
    #[must_use]
    pub const fn of_subagent(self, is_subagent: bool) -> Self {
        Self { is_subagent, ..self }
    }

    /// The same, where the rules of the client say what was loaded when nothing else does.
    #[must_use]
    pub const fn inferring(self, infers: bool) -> Self {
        Self { infers, ..self }
    }

    /// The same, of a file that stands in the system prompt of whoever it is for: that it is a subagent is no reason to be
    /// without it, and instructions among the messages say nothing of it.
    #[must_use]
    pub const fn in_system_prompt(self, is_in_prompt: bool) -> Self {
        Self { is_in_prompt, ..self }
    }

    /// True if a request tells whether it held what is loaded at the start.
    fn tells(&self, facts: &crate::digest::RequestFacts) -> bool {
        facts.proof == Proof::Proved || (facts.tells && !self.is_in_prompt)
    }

    /// Its digest.
    #[must_use]
    pub const fn digest(&self) -> &'a Digest {
        self.digest
    }

    /// True if what was not recorded may be inferred.
    #[must_use]
    pub const fn infers(&self) -> bool {
        self.infers
    }

    /// Where it ran.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.place
    }

    pub(crate) const fn shelf(&self) -> &'a Shelf {
        self.shelf
    }

    fn piece(&self, at: usize) -> Option<(&'a Piece, &'a Text)> {
        let piece = self.digest.pieces.get(at)?;
        Some((piece, self.shelf.text(piece.text)?))
    }

    fn time(&self, request: u32) -> Option<i64> {
        self.digest.requests.get(request as usize)?.at
    }

    /// The version a piece was loaded from.
    pub(crate) fn version_of(&self, memory: &Memory, piece: &Piece, text: &Text) -> Option<usize> {
        memory.version_of(piece.text, text, piece.first().and_then(|first| self.time(first)))
    }

    /// A file at a request: each line of the version `reference`; of the version that was loaded, where none is asked for.
    /// `pieces` are the places of its pieces. `None` for a request that is not there, and for a file that was not there.
    #[must_use]
    pub fn at(
        &self,
        memory: &Memory,
        pieces: &[usize],
        reference: Option<usize>,
        request: usize,
    ) -> Option<AtRequest> {
        let facts = *self.digest.requests.get(request)?;
        let number = u32::try_from(request).ok()?;
        let known = || pieces.iter().filter_map(|&at| self.piece(at));
        let (doubtful, here): (Vec<_>, Vec<_>) = known()
            .filter(|(piece, _)| piece.is_in(number))
            .partition(|(_, text)| text.claim == Claim::Doubtful);
        let gone: Vec<(&Piece, &Text)> = known()
            .filter(|(piece, _)| !piece.is_in(number) && piece.first().is_some_and(|first| first <= number))
            .collect();
        let in_force = memory.in_force(facts.at);
        let loading = self.loading(memory, &facts);
        // Who reads a part of an index has it whole from the start.
        let is_whole = here.iter().any(|(piece, _)| piece.way.is_whole());
        let inferred = if is_whole { None } else { self.inferred(memory, number) };
        // Where the client brought the whole file, what may hold anything beside it does not tell the version.
        let telling = here.iter().filter(|(_, text)| !is_whole || !text.is_loose);
        let loaded = telling.filter_map(|(piece, text)| self.version_of(memory, piece, text)).max();
        let version = loaded.or(inferred.as_ref().map(|inferred| inferred.version));
        let lost = || gone.iter().filter_map(|(piece, text)| self.version_of(memory, piece, text)).max();
        let reference = reference
            .or(version)
            .or_else(lost)
            .or(in_force.map(|(version, _)| version))
            .or_else(|| memory.newest())?;
        let lines = &memory.versions().get(reference)?.lines;
        if facts.is_copied {
            let unknown = LineState { as_line: None, absent: Some(Cause::Unknown) };
            let lines = vec![unknown; lines.len()];
            return Some(AtRequest { grade: Grade::Unknown, reference, version: None, lines });
        }
        let present = self.present(memory, &here, inferred.as_ref(), reference, facts.at);
        let doubts = doubts(memory, here.iter().chain(&doubtful), reference, &present);
        let absence = Absence {
            of: self,
            memory,
            here: &here,
            gone: &gone,
            version,
            reference,
            number,
            facts,
            in_force,
            is_at_start: matches!(loading, Loading::AtStart(_)),
            is_inferred: inferred.is_some(),
        };
        let of_version = version.map(|version| memory.fates(reference, version));
        let states = (0..lines.len()).map(|line| {
            let as_line = || match of_version.as_ref()?.get(line)? {
                Fate::At(number) => Some(*number),
                _ => None,
            };
            match (present[line], doubts[line]) {
                (true, _) => LineState { as_line: as_line(), absent: None },
                (false, true) => LineState { as_line: None, absent: Some(Cause::Unknown) },
                (false, false) => LineState { as_line: None, absent: Some(absence.cause(line)) },
            }
        });
        let lines = states.collect();
        // A request that is known does not prove of a line in it that it is another file's.
        let is_proved = facts.proof == Proof::Proved && !doubts.contains(&true);
        let grade = match (here.is_empty(), facts.proof) {
            _ if is_proved => Grade::Proved,
            _ if inferred.is_some() => Grade::Inferred,
            (false, _) => Grade::Recorded,
            (true, _) => self.grade_of_absence(loading, self.tells(&facts)),
        };
        Some(AtRequest { grade, reference, version, lines })
    }

    /// What a file's absence rests on: a transcript tells every call and every attachment, but not what is loaded at the start.
    fn grade_of_absence(&self, loading: Loading, tells: bool) -> Grade {
        match loading {
            Loading::OnDemand => Grade::Recorded,
            Loading::AtStart(_) if tells => Grade::Recorded,
            Loading::AtStart(_) if self.place != Place::Here || (self.is_subagent && !self.is_in_prompt) => {
                Grade::Inferred
            }
            Loading::AtStart(_) => Grade::Unknown,
        }
    }

    /// How a file came before the model: as when the session began, or, where it was not there then, as at the request.
    fn loading(&self, memory: &Memory, facts: &crate::digest::RequestFacts) -> Loading {
        let began = self.began(facts).or(facts.at);
        memory.loading_at(if memory.in_force(began).is_some() { began } else { facts.at })
    }

    /// When the session, or what followed the last compaction, began.
    fn began(&self, facts: &crate::digest::RequestFacts) -> Option<i64> {
        self.digest.requests.iter().find(|other| other.compactions == facts.compactions)?.at
    }

    /// What the client loads by its rules: the version that was in force when the session, or what followed the last
    /// compaction, began.
    fn inferred(&self, memory: &Memory, request: u32) -> Option<Inferred> {
        let facts = self.digest.requests.get(request as usize)?;
        if !self.infers || self.is_subagent || self.place != Place::Here || self.tells(facts) {
            return None;
        }
        let (version, is_sure) = memory.in_force(self.began(facts))?;
        let up_to = memory.loaded_up_to(version).filter(|_| is_sure)?;
        Some(Inferred { version, up_to })
    }

    fn present(
        &self,
        memory: &Memory,
        here: &[(&Piece, &Text)],
        inferred: Option<&Inferred>,
        reference: usize,
        time: Option<i64>,
    ) -> Vec<bool> {
        let lines = memory.versions().get(reference).map_or(&[][..], |version| &version.lines);
        let mut present = vec![false; lines.len()];
        // Where nothing but its words says that a text is of the file, words that stood there before the file had them are not.
        let sifts = here.iter().any(|(_, text)| text.claim == Claim::Sifted);
        let later = if sifts { memory.came_later(reference, time) } else { None };
        for (piece, text) in here {
            let is_later =
                |line: usize| text.claim == Claim::Sifted && later.as_ref().is_some_and(|later| later[line]);
            for &(_, line) in &memory.matched(piece.text, text, reference).pairs {
                let line = line as usize - 1;
                if line < present.len() && !is_later(line) {
                    present[line] = true;
                }
            }
        }
        if let Some(inferred) = inferred {
            let fates = memory.fates(reference, inferred.version);
            for (present, fate) in present.iter_mut().zip(fates.iter()) {
                *present |= matches!(fate, Fate::At(number) if *number <= inferred.up_to);
            }
        }
        // White space is there where both lines around it are.
        let mut before = false;
        let mut blanks = Vec::new();
        for at in 0..=lines.len() {
            match lines.get(at) {
                Some(&BLANK) if !present[at] => blanks.push(at),
                Some(&BLANK) => {}
                other => {
                    let now = other.map_or(before, |_| present[at]);
                    let is_there = before && now && !blanks.is_empty();
                    blanks.drain(..).for_each(|blank| present[blank] = is_there);
                    before = now;
                }
            }
        }
        present
    }
}

/// Lines that stand in a request where nobody knows whether they are the file's, and are not there otherwise.
fn doubts<'p>(
    memory: &Memory,
    texts: impl Iterator<Item = &'p (&'p Piece, &'p Text)>,
    reference: usize,
    present: &[bool],
) -> Vec<bool> {
    let mut doubts = vec![false; present.len()];
    for (piece, text) in texts.filter(|(_, text)| text.claim != Claim::Own) {
        for &line in &memory.matched(piece.text, text, reference).doubtful {
            let line = line as usize - 1;
            if line < doubts.len() {
                doubts[line] = !present[line];
            }
        }
    }
    doubts
}

/// Finds why a line is not in a request.
struct Absence<'c, 'a> {
    of: &'c Conversation<'a>,
    memory: &'c Memory,
    here: &'c [(&'a Piece, &'a Text)],
    gone: &'c [(&'a Piece, &'a Text)],
    version: Option<usize>,
    reference: usize,
    number: u32,
    facts: crate::digest::RequestFacts,
    in_force: Option<(usize, bool)>,
    /// True if the client loaded the file at the start then.
    is_at_start: bool,
    is_inferred: bool,
}

impl Absence<'_, '_> {
    /// `line` is from 0.
    fn cause(&self, line: usize) -> Cause {
        let cause =
            if self.here.is_empty() && !self.is_inferred { self.of_file(line) } else { self.of_line(line) };
        match cause {
            // What else was opened, or went, says nothing of what was loaded at the start.
            Cause::NotOpened | Cause::Compacted | Cause::Cleared if self.is_unrecorded() => Cause::Unknown,
            cause => cause,
        }
    }

    /// True for a file that the client loads at the start where nothing tells whether it did.
    fn is_unrecorded(&self) -> bool {
        self.is_at_start
            && !self.facts.tells
            && !self.is_inferred
            && !self.of.is_subagent
            && self.of.place == Place::Here
    }

    /// The file is there, and the line is not.
    fn of_line(&self, line: usize) -> Cause {
        if let Some(cause) = self.was_there(line) {
            return cause;
        }
        let is_whole = self.is_inferred || self.here.iter().any(|(piece, _)| piece.way.is_whole());
        let cut = self.here.iter().find(|(_, text)| text.is_cut());
        let Some(version) = self.version else {
            return match cut {
                Some((_, text)) if text.cut_at.is_none_or(|at| line as u32 + 1 >= at) => Cause::Cut,
                _ if !is_whole => self.not_yet(line).unwrap_or_else(|| self.unopened()),
                _ => Cause::OtherVersion,
            };
        };
        let at = match self.memory.fates(self.reference, version).get(line) {
            Some(Fate::At(at)) => *at,
            Some(Fate::Differs) => return Cause::OtherVersion,
            _ => return Cause::DidNotExist,
        };
        let limit = match cut {
            Some((piece, text)) => text
                .cut_at
                .or_else(|| self.memory.matched(piece.text, text, version).last().map(|last| last + 1)),
            None if self.is_inferred => self.memory.loaded_up_to(version).map(|last| last + 1),
            None => None,
        };
        if limit.is_some_and(|limit| at >= limit) {
            return Cause::Cut;
        }
        let is_of_version = |(piece, text): &&(&Piece, &Text)| {
            piece.way.is_whole() && self.of.version_of(self.memory, piece, text) == Some(version)
        };
        let strips = || self.memory.versions().get(self.reference).is_none_or(|it| it.may_be_stripped(line));
        match (self.is_inferred || self.here.iter().any(|part| is_of_version(&part)), is_whole) {
            (true, _) if !strips() => Cause::OtherVersion,
            (true, _) => Cause::Stripped,
            // The client brought another version, and the model saw a part of this one.
            (false, true) => Cause::OtherVersion,
            (false, false) => self.unopened(),
        }
    }

    /// The cause of a line that is not in the version in force, which is known.
    fn not_yet(&self, line: usize) -> Option<Cause> {
        let Some((in_force, is_sure)) = self.in_force else {
            return self.memory.is_later(0, self.facts.at).then_some(Cause::DidNotExist);
        };
        let fates = self.memory.fates(self.reference, in_force);
        (is_sure && !matches!(fates.get(line), Some(Fate::At(_)))).then_some(Cause::DidNotExist)
    }

    /// A line of a file of which other parts are there. What a client loads at the start it may have loaded beside them, and
    /// loads anew when a session is resumed: where nothing tells, that is not known.
    fn unopened(&self) -> Cause {
        let may_be_loaded = self.is_at_start
            && self.of.place == Place::Here
            && (!self.of.is_subagent || self.of.is_in_prompt)
            && !self.of.tells(&self.facts);
        if may_be_loaded { Cause::Unknown } else { Cause::NotOpened }
    }

    /// The line was in an earlier request, and a compaction or a context edit took it.
    fn was_there(&self, line: usize) -> Option<Cause> {
        let number = line as u32 + 1;
        let held = |piece: &Piece, text: &Text| {
            let pairs = &self.memory.matched(piece.text, text, self.reference).pairs;
            pairs.binary_search_by_key(&number, |pair| pair.1).is_ok()
        };
        self.gone.iter().filter(|(piece, text)| held(piece, text)).find_map(|(piece, _)| self.went(piece))
    }

    fn went(&self, piece: &Piece) -> Option<Cause> {
        if piece.is_cleared_in(self.number) {
            return Some(Cause::Cleared);
        }
        let last = piece.spans.iter().rev().find(|span| span.1 < self.number)?.1 as usize;
        let of = |request: usize| self.of.digest.requests.get(request).map(|facts| facts.compactions);
        // What the next request had no more though nothing was compacted was taken back by the person.
        (of(last)? < of(last + 1)?).then_some(Cause::Compacted)
    }

    /// Nothing of the file is there.
    fn of_file(&self, line: usize) -> Cause {
        if let Some(cause) = self.was_there(line) {
            return cause;
        }
        match self.of.place {
            Place::Elsewhere => return Cause::OtherDirectory,
            Place::OtherAgent => return Cause::NotInScope,
            Place::Here => {}
        }
        // What is loaded at the start is as it was then.
        let began = self.of.began(&self.facts);
        let then = if self.is_at_start { self.memory.in_force(began) } else { self.in_force };
        let Some((then, is_sure)) = then else { return Cause::DidNotExist };
        // Where nothing was loaded, no other version was.
        if is_sure && !matches!(self.memory.fates(self.reference, then).get(line), Some(Fate::At(_))) {
            return Cause::DidNotExist;
        }
        if self.of.is_subagent && self.is_at_start && !self.of.is_in_prompt {
            return Cause::Subagent;
        }
        // The first sight of a file does not tell whether it was there before.
        let was_there = is_sure || began.or(self.facts.at).is_none();
        match (self.is_at_start, self.of.tells(&self.facts)) {
            (false, _) => Cause::NotOpened,
            (true, true) if was_there => Cause::SwitchedOff,
            (true, _) => Cause::Unknown,
        }
    }
}

impl Piece {
    /// True if it came as a whole, as far as limits go.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        matches!(self.way, Way::Instructions | Way::Nested)
    }
}
