//! The versions of one file.

use crate::lines::{BLANK, Fate, fates, hash, is_telling, split};
use crate::matched::{Matched, VersionLines, matched};
use crate::shelf::Text;
use retrace_origin::{Basis, Confidence};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How a file comes before a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loading {
    /// The client loads it at the start of a session, up to its limits.
    AtStart(Limits),
    /// When somebody opens it, or the client attaches it.
    OnDemand,
}

/// How much of a file a client loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Lines.
    pub lines: u32,
    /// Bytes, cut at the end of the last line before it.
    pub bytes: u64,
}

/// What the origin of a version says of the time since when it was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dating {
    /// It was there from the call on. Another version was there before.
    From,
    /// It was there from the call on, and not before.
    NotBefore,
}

impl Dating {
    /// By the words for confidence and basis of [`retrace_origin`]. `is_first` is true for a version without one before it in the
    /// log. `None` where no call gives exactly the content.
    #[must_use]
    pub fn of(confidence: &str, basis: &str, is_first: bool) -> Option<Self> {
        if confidence != Confidence::ExactContent.as_str() {
            return None;
        }
        // Of a file that was there and not recorded.
        let over = [Basis::Reported, Basis::ChainOver].map(Basis::as_str);
        let was_there = is_first && over.contains(&basis);
        Some(if was_there { Self::From } else { Self::NotBefore })
    }
}

/// A version of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// When it was there, in microseconds since 1970.
    pub at: i64,
    /// True if it may have been there before: the first sight of a file.
    pub may_be_older: bool,
    /// True if it is known when it was written, so that it was not there before.
    pub is_dated: bool,
    /// True for a deletion.
    pub is_gone: bool,
    /// Hashes of its lines.
    pub lines: Vec<u64>,
    /// How the file came before a model while this version was in force, where that is another way than today's.
    loading: Option<Loading>,
    /// Of a content that only stands for the version that was loaded: which lines a client may take out. `None` for a version.
    may_be_stripped: Option<Vec<bool>>,
    /// Which of them say enough to be told from lines of other files.
    telling: Vec<bool>,
    /// Bytes up to the end of each line.
    ends: Vec<u64>,
}

impl Version {
    /// A version with this content.
    #[must_use]
    pub fn of(content: &str, at: i64) -> Self {
        let mut end = 0;
        let ends = content.split_inclusive('\n').map(|line| {
            end += line.len() as u64;
            end
        });
        let ends = ends.collect();
        let (lines, telling) = split(content).map(|line| (hash(line), is_telling(line))).unzip();
        Self { at, lines, telling, ends, ..Self::default() }
    }

    /// A content that stands for versions nobody kept, such as a file as it is now. What is not in a request may have been
    /// written later; only front matter and comments are what a client takes out.
    #[must_use]
    pub fn stand_in(content: &str) -> Self {
        Self { may_be_stripped: Some(strippable(content)), ..Self::of(content, i64::MIN) }
    }

    /// False for a line, from 0, of which it is known that no client takes it out of this version.
    pub(crate) fn may_be_stripped(&self, line: usize) -> bool {
        self.may_be_stripped.as_ref().is_none_or(|lines| lines.get(line).copied().unwrap_or(false))
    }

    /// The same, which may have been there before.
    #[must_use]
    pub fn or_older(self, may_be_older: bool) -> Self {
        Self { may_be_older, ..self }
    }

    /// The same, written at a known time, which is the time it has.
    #[must_use]
    pub fn dated(self) -> Self {
        Self { is_dated: true, may_be_older: false, ..self }
    }

    /// The same, which came before a model in this way: the file may have had another name.
    #[must_use]
    pub fn loaded(self, loading: Loading) -> Self {
        Self { loading: Some(loading), ..self }
    }

    /// A deletion.
    #[must_use]
    pub fn gone(at: i64) -> Self {
        Self { at, is_gone: true, ..Self::default() }
    }

    /// Number of the last line that is loaded under some limits.
    fn loaded_up_to(&self, limits: Limits) -> u32 {
        let whole = self.ends.last().is_none_or(|end| *end <= limits.bytes);
        let by_bytes =
            if whole { self.ends.len() } else { self.ends.partition_point(|end| *end <= limits.bytes) };
        u32::try_from(by_bytes).unwrap_or(u32::MAX).min(limits.lines)
    }
}

/// Which lines of a content a client takes out before it loads it: front matter, comments, and white space beside them.
fn strippable(content: &str) -> Vec<bool> {
    let fences = content.lines().enumerate().filter(|(_, line)| line.trim_end() == "---").map(|(at, _)| at);
    let fences: Vec<usize> = fences.take(2).collect();
    let front = if let [0, end] = fences[..] { end + 1 } else { 0 };
    let mut in_comment = false;
    let of_line = |(at, line): (usize, &str)| {
        let begins = line.rfind("<!--");
        let ends = line.rfind("-->");
        let is_of_comment = in_comment || begins.is_some();
        in_comment = match (begins, ends) {
            (Some(begins), Some(ends)) => ends < begins,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => in_comment,
        };
        at < front || is_of_comment || line.trim().is_empty()
    };
    content.lines().enumerate().map(of_line).collect()
}

/// What became of each line of a version in another.
type Fates = Rc<Vec<Fate>>;

/// A file with its versions, from old to new.
#[derive(Debug)]
pub struct Memory {
    /// How it comes before a model today.
    pub loading: Loading,
    versions: Vec<Version>,
    /// By text and version.
    matched: RefCell<HashMap<(u32, usize), Rc<Matched>>>,
    /// By two versions: what became of each line of the first in the second.
    fates: RefCell<HashMap<(usize, usize), Fates>>,
}

impl Memory {
    /// A file with these versions, from old to new.
    #[must_use]
    pub fn new(loading: Loading, versions: Vec<Version>) -> Self {
        Self { loading, versions, matched: RefCell::default(), fates: RefCell::default() }
    }

    /// Its versions, from old to new.
    #[must_use]
    pub fn versions(&self) -> &[Version] {
        &self.versions
    }

    /// The last version that is no deletion.
    #[must_use]
    pub fn newest(&self) -> Option<usize> {
        self.versions.iter().rposition(|version| !version.is_gone)
    }

    /// The version in force at a time, and whether it is sure that it was. `None` where the file was not there.
    #[must_use]
    pub fn in_force(&self, at: Option<i64>) -> Option<(usize, bool)> {
        let Some(at) = at else { return self.newest().map(|version| (version, false)) };
        let after = self.versions.partition_point(|version| version.at <= at);
        match after.checked_sub(1) {
            Some(version) => (!self.versions[version].is_gone).then_some((version, true)),
            None => {
                self.versions.first().filter(|first| first.may_be_older && !first.is_gone).map(|_| (0, false))
            }
        }
    }

    /// Number of the last line that is loaded of a version.
    pub(crate) fn loaded_up_to(&self, version: usize) -> Option<u32> {
        let version = self.versions.get(version)?;
        match version.loading.unwrap_or(self.loading) {
            Loading::AtStart(limits) => Some(version.loaded_up_to(limits)),
            Loading::OnDemand => None,
        }
    }

    /// How it came before a model at a time.
    pub(crate) fn loading_at(&self, time: Option<i64>) -> Loading {
        let Some(time) = time else { return self.loading };
        let after = self.versions.partition_point(|version| version.at <= time);
        let version = self.versions.get(after.saturating_sub(1));
        version.and_then(|version| version.loading).unwrap_or(self.loading)
    }

    /// True if a client ever loaded it at the start of a session.
    #[must_use]
    pub fn was_ever_loaded(&self) -> bool {
        let mut ways = self.versions.iter().filter_map(|version| version.loading).chain([self.loading]);
        ways.any(|loading| matches!(loading, Loading::AtStart(_)))
    }

    /// A loaded text held against a version. `at` is the place of the text on the one shelf that is used with this memory.
    pub(crate) fn matched(&self, at: u32, text: &Text, version: usize) -> Rc<Matched> {
        let key = (at, version);
        if let Some(known) = self.matched.borrow().get(&key) {
            return Rc::clone(known);
        }
        let lines = self.versions.get(version).map(|version| (&version.lines[..], &version.telling[..]));
        let (hashes, telling) = lines.unwrap_or_default();
        let found = Rc::new(matched(text, VersionLines { hashes, telling }));
        self.matched.borrow_mut().insert(key, Rc::clone(&found));
        found
    }

    /// What became of each line of a version in another one.
    pub(crate) fn fates(&self, of: usize, there: usize) -> Fates {
        if let Some(known) = self.fates.borrow().get(&(of, there)) {
            return Rc::clone(known);
        }
        let lines = |version: usize| self.versions.get(version).map_or(&[][..], |version| &version.lines);
        let found = Rc::new(if of == there {
            (1..=lines(of).len() as u32).map(Fate::At).collect()
        } else {
            fates(lines(of), lines(there))
        });
        self.fates.borrow_mut().insert((of, there), Rc::clone(&found));
        found
    }

    /// True if a version is known to have been written later than at a time.
    pub(crate) fn is_later(&self, version: usize, time: Option<i64>) -> bool {
        let version = self.versions.get(version).filter(|version| version.is_dated);
        version.zip(time).is_some_and(|(version, time)| version.at > time)
    }

    /// True for each line of a version that no version has which may have been there at a time.
    pub(crate) fn came_later(&self, of: usize, time: Option<i64>) -> Option<Vec<bool>> {
        let is_later = |version: &usize| self.is_later(*version, time);
        if !(0..self.versions.len()).any(|version| is_later(&version)) {
            return None;
        }
        let there = (0..self.versions.len()).filter(|version| !is_later(version));
        let known: HashSet<u64> = there.flat_map(|version| &self.versions[version].lines).copied().collect();
        Some(self.versions.get(of)?.lines.iter().map(|line| !known.contains(line)).collect())
    }

    /// The version that a text was loaded from at a time: one it agrees with, whole rather than in part, in force then rather
    /// than another. A text that may hold more than the file is of the version in force. A part is of no version that is known
    /// to have been written later.
    pub(crate) fn version_of(&self, at: u32, text: &Text, time: Option<i64>) -> Option<usize> {
        let in_force = self.in_force(time).map(|(version, _)| version);
        if text.is_loose {
            return in_force.filter(|version| !self.matched(at, text, *version).pairs.is_empty());
        }
        let agreeing = (0..self.versions.len())
            .filter(|&version| !self.versions[version].is_gone && self.matched(at, text, version).agrees)
            .filter(|&version| !self.is_later(version, time) || self.matched(at, text, version).is_whole);
        let rank = |version: &usize| {
            let version = *version;
            let is_whole = self.matched(at, text, version).is_whole;
            let is_before = time.is_none_or(|time| self.versions[version].at <= time);
            let nearness = if is_before { version as i64 } else { -(version as i64) };
            (is_whole, in_force == Some(version), is_before, nearness)
        };
        agreeing.max_by_key(rank)
    }
}

impl Memory {
    /// True if a text on a shelf may have been loaded from any version.
    #[must_use]
    pub fn has_text(&self, shelf: &crate::shelf::Shelf, at: u32) -> bool {
        self.any_matched(shelf, at, |matched| matched.agrees)
    }

    /// True if a text on a shelf has a line of any version.
    #[must_use]
    pub fn has_line(&self, shelf: &crate::shelf::Shelf, at: u32) -> bool {
        let Some(text) = shelf.text(at) else { return false };
        (0..self.versions.len()).any(|version| !self.matched(at, text, version).pairs.is_empty())
    }

    /// True if a text on a shelf may be the whole of any version.
    #[must_use]
    pub fn has_whole(&self, shelf: &crate::shelf::Shelf, at: u32) -> bool {
        self.any_matched(shelf, at, |matched| matched.is_whole)
    }

    fn any_matched(&self, shelf: &crate::shelf::Shelf, at: u32, is: impl Fn(&Matched) -> bool) -> bool {
        let Some(text) = shelf.text(at).filter(|text| !text.is_loose) else { return false };
        (0..self.versions.len())
            .any(|version| !self.versions[version].is_gone && is(&self.matched(at, text, version)))
    }

    /// Numbers of the lines of a version that another one does not have; of all, where there is no other. White space is none.
    #[must_use]
    pub fn brought(&self, version: usize, base: Option<usize>) -> Vec<u32> {
        let lines = self.versions.get(version).map_or(&[][..], |version| &version.lines);
        let fates = base.map(|base| self.fates(version, base));
        let is_new = |at: usize| !matches!(fates.as_ref().and_then(|fates| fates.get(at)), Some(Fate::At(_)));
        let new = lines.iter().enumerate().filter(|(at, line)| **line != BLANK && is_new(*at));
        new.map(|(at, _)| at as u32 + 1).collect()
    }

    /// For each version in order, the number that a line of the version `of` has there.
    #[must_use]
    pub fn numbers_of(&self, of: usize, line: u32) -> Vec<Option<u32>> {
        let at = (line as usize).wrapping_sub(1);
        (0..self.versions.len())
            .map(|version| match self.fates(of, version).get(at) {
                Some(Fate::At(number)) => Some(*number),
                _ => None,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_takes_front_matter_and_comments_out_of_what_stands_in() {
        let content = "---\na: b\n---\nfirst\n<!-- x\ny -->\nlast <!-- z -->\n\nlater\n";
        let version = Version::stand_in(content);
        let stripped: Vec<bool> = (0..10).map(|line| version.may_be_stripped(line)).collect();
        assert_eq!(stripped, [true, true, true, false, true, true, true, true, false, false]);
        assert!(Version::of(content, 0).may_be_stripped(8));
        assert!(!Version::stand_in("a\n---\nb\n---\n").may_be_stripped(0));
    }

    #[test]
    fn an_origin_tells_since_when_a_version_was_there() {
        assert_eq!(Dating::of("exact_content", "whole", true), Some(Dating::NotBefore));
        assert_eq!(Dating::of("exact_content", "told", false), Some(Dating::NotBefore));
        for basis in ["told", "chain_over"] {
            assert_eq!(Dating::of("exact_content", basis, true), Some(Dating::From));
        }
        assert_eq!(Dating::of("likely", "in_part", true), None);
    }
}
