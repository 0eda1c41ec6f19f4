//! The difference between two contents, as hunks of lines.

use crate::content::{self, Content, number};
use crate::hidden::Hidden;
use crate::script::{self, Change, Interner, Script};
use crate::words::{self, ChangedWords};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Unchanged lines around each change, as `diff -u` and Git have it.
pub const DEFAULT_CONTEXT: usize = 3;

/// Time limit of the search for a small difference: long enough that real memories never reach it, short enough that
/// a window still answers.
pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_millis(500);

/// Both sides together, in bytes. Above it no small difference is searched for: 16 MiB, where reading and showing the lines
/// alone takes about as long as the time limit.
pub const DEFAULT_MAX_BYTES: usize = 16 * 1024 * 1024;

/// Options of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffOptions {
    /// Unchanged lines shown before and after each change. Changes closer than twice this share a hunk.
    pub context: usize,
    /// Granularity of the marks within changed lines; `Lines` marks none.
    pub granularity: Granularity,
    /// Time for the search, from the call on; `None` for no limit. See [`Diff::truncated`].
    pub time_limit: Option<Duration>,
    /// Largest size of both sides together, in bytes, for which a small difference is searched. See [`Diff::truncated`].
    pub max_bytes: usize,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self {
            context: DEFAULT_CONTEXT,
            granularity: Granularity::Lines,
            time_limit: Some(DEFAULT_TIME_LIMIT),
            max_bytes: DEFAULT_MAX_BYTES,
        }
    }
}

/// Granularity of the marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// Whole lines.
    #[default]
    Lines,
    /// Changed words within lines as well.
    Words,
}

/// A difference. Applied to the old bytes it yields the new ones, always: lines are compared as raw bytes, line ends
/// included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    /// Kind of the difference; it says if the sides could be compared as text.
    pub kind: DiffKind,
    /// Size of the old side in bytes.
    pub old_bytes: u64,
    /// Size of the new side in bytes.
    pub new_bytes: u64,
    /// Inserted lines; 0 for binary.
    pub added: u64,
    /// Deleted lines; 0 for binary.
    pub removed: u64,
    /// True when the search was not carried to its end. The difference is then exact all the same, but a smaller one may
    /// exist: when the time limit was reached, what had not been compared by then is replaced as a whole, stretch by
    /// stretch, and lines not reached have no changed words; when the sides are larger than
    /// [`DiffOptions::max_bytes`], one hunk replaces everything between their common start and common end, without words.
    pub truncated: bool,
    /// The changes with their surroundings, in order. Empty for equal sides and for binary.
    pub hunks: Vec<Hunk>,
}

/// Kind of a difference; it says if lines are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffKind {
    /// Both sides are text ([`is_text`](crate::is_text)).
    Text,
    /// A side is not text: sizes only.
    Binary,
}

/// Changes with the unchanged lines around them. Numbers follow the unified format: a side without lines starts at the
/// line before the change, 0 at the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Number of the first line on the old side, from 1.
    pub old_start: u32,
    /// Lines on the old side.
    pub old_lines: u32,
    /// Number of the first line on the new side, from 1.
    pub new_start: u32,
    /// Lines on the new side.
    pub new_lines: u32,
    /// The lines. Within a change the deleted ones come first.
    pub lines: Vec<Line>,
}

/// Change of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// On both sides.
    Equal,
    /// On the new side only.
    Insert,
    /// On the old side only.
    Delete,
}

impl Tag {
    /// The name: `equal`, `insert` or `delete`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Insert => "insert",
            Self::Delete => "delete",
        }
    }
}

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Change of the line.
    pub tag: Tag,
    /// Its number on the old side, from 1; `None` when inserted.
    pub old: Option<u32>,
    /// Its number on the new side, from 1; `None` when deleted.
    pub new: Option<u32>,
    /// The text without its line end. Each byte that is not UTF-8 stands as one U+FFFD.
    pub text: String,
    /// Changed parts of a line that pairs with one of the other side, when words were asked for: byte ranges in `text`, in
    /// order, none empty. Empty where only the line end changed, and in a line of which this side lost nothing.
    pub words: Vec<Range<usize>>,
    /// Characters that a reader would not see; ranges in `text`.
    pub hidden: Vec<Hidden>,
    /// True on a last line that no line feed ends.
    pub no_newline: bool,
    /// True when the line ends in carriage return and line feed.
    pub carriage_return: bool,
}

/// Compares two contents.
#[must_use]
pub fn diff(old: &[u8], new: &[u8], options: &DiffOptions) -> Diff {
    let deadline = options.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let text = content::is_text(old) && content::is_text(new);
    let mut result = Diff {
        kind: if text { DiffKind::Text } else { DiffKind::Binary },
        old_bytes: old.len() as u64,
        new_bytes: new.len() as u64,
        added: 0,
        removed: 0,
        truncated: false,
        hunks: Vec::new(),
    };
    if !text || old == new {
        return result;
    }
    let oversized = old.len().saturating_add(new.len()) > options.max_bytes;
    let comparison = Comparison {
        old: Content::new(old),
        new: Content::new(new),
        words: options.granularity == Granularity::Words && !oversized,
        deadline,
    };
    let script = script(&comparison.old.lines, &comparison.new.lines, oversized, deadline);
    result.truncated = oversized || script.cut_short;
    for change in &script.changes {
        result.removed += change.old.len() as u64;
        result.added += change.new.len() as u64;
    }
    for group in groups(&script.changes, options.context) {
        let (hunk, cut_short) = comparison.hunk(group, options.context);
        result.truncated |= cut_short;
        result.hunks.push(hunk);
    }
    result
}

/// Added and removed lines from one content to the other: those that [`diff`] counts, without the lines themselves. `None`
/// where one is no text.
#[must_use]
pub fn changed_lines(old: &[u8], new: &[u8], options: &DiffOptions) -> Option<(u64, u64)> {
    if !content::is_text(old) || !content::is_text(new) {
        return None;
    }
    let deadline = options.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let oversized = old.len().saturating_add(new.len()) > options.max_bytes;
    let (old, new) = (content::split(old), content::split(new));
    let equal = |pairs: &mut dyn Iterator<Item = (&&[u8], &&[u8])>| pairs.take_while(|(a, b)| a == b).count();
    let start = equal(&mut old.iter().zip(&new));
    let end = equal(&mut old[start..].iter().rev().zip(new[start..].iter().rev()));
    let (removed, added) = (old.len() - start - end, new.len() - start - end);
    // Most edits add a few lines or take some out: then nothing is searched.
    if removed == 0 || added == 0 {
        return Some((added as u64, removed as u64));
    }
    let changes = script(&old, &new, oversized, deadline).changes;
    let total = |side: fn(&Change) -> usize| changes.iter().map(|change| side(change) as u64).sum();
    Some((total(|change| change.new.len()), total(|change| change.old.len())))
}

fn script(old: &[&[u8]], new: &[&[u8]], oversized: bool, deadline: Option<Instant>) -> Script {
    let mut known = Interner::new();
    let old = known.numbers(old.iter().copied());
    let new = known.numbers(new.iter().copied());
    if oversized { script::replace_middle(&old, &new) } else { script::search(&old, &new, deadline) }
}

/// Changes that share a hunk: with context on both sides no unchanged line lies between them.
fn groups(changes: &[Change], context: usize) -> impl Iterator<Item = &[Change]> {
    let reach = context.saturating_mul(2);
    changes.chunk_by(move |left, right| right.old.start - left.old.end <= reach)
}

struct Comparison<'a> {
    old: Content<'a>,
    new: Content<'a>,
    words: bool,
    deadline: Option<Instant>,
}

impl Comparison<'_> {
    /// The hunk of a group of changes, and whether the deadline kept words from being marked. No group is empty.
    fn hunk(&self, group: &[Change], context: usize) -> (Hunk, bool) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let lead = context.min(first.old.start);
        let tail = context.min(self.old.lines.len() - last.old.end);
        let old = first.old.start - lead..last.old.end + tail;
        let new = first.new.start - lead..last.new.end + tail;
        let (mut lines, mut cut_short) = (Vec::with_capacity(old.len().max(new.len())), false);
        let (mut old_at, mut new_at) = (old.start, new.start);
        for change in group {
            self.push_equal(&mut lines, old_at..change.old.start, new_at);
            cut_short |= self.push_change(&mut lines, change);
            (old_at, new_at) = (change.old.end, change.new.end);
        }
        self.push_equal(&mut lines, old_at..old.end, new_at);
        let (old_start, old_lines) = place(&old);
        let (new_start, new_lines) = place(&new);
        (Hunk { old_start, old_lines, new_start, new_lines, lines }, cut_short)
    }

    fn push_equal(&self, lines: &mut Vec<Line>, old: Range<usize>, new_start: usize) {
        for (offset, index) in old.enumerate() {
            let at = new_start + offset;
            lines.push(line(Tag::Equal, Some(index), Some(at), &self.new, Vec::new()));
        }
    }

    fn push_change(&self, lines: &mut Vec<Line>, change: &Change) -> bool {
        let ChangedWords { deleted, inserted, cut_short } = self.changed_words(change);
        for (index, words) in change.old.clone().zip(deleted) {
            lines.push(line(Tag::Delete, Some(index), None, &self.old, words));
        }
        for (index, words) in change.new.clone().zip(inserted) {
            lines.push(line(Tag::Insert, None, Some(index), &self.new, words));
        }
        cut_short
    }

    fn changed_words(&self, change: &Change) -> ChangedWords {
        let wanted = self.words && !change.old.is_empty() && !change.new.is_empty();
        let late = self.deadline.is_some_and(script::passed);
        if !wanted || late {
            return ChangedWords {
                deleted: vec![Vec::new(); change.old.len()],
                inserted: vec![Vec::new(); change.new.len()],
                cut_short: wanted,
            };
        }
        let old: Vec<_> = change.old.clone().map(|index| self.old.comparable(index)).collect();
        let new: Vec<_> = change.new.clone().map(|index| self.new.comparable(index)).collect();
        words::changed_words(&old, &new, self.deadline)
    }
}

fn line(
    tag: Tag,
    old: Option<usize>,
    new: Option<usize>,
    side: &Content<'_>,
    words: Vec<Range<usize>>,
) -> Line {
    // An equal line is taken from the new side, where comments may open and close elsewhere than on the old one.
    let index = new.or(old).unwrap_or_default();
    let shown = side.text_line(index);
    Line {
        tag,
        old: old.map(number),
        new: new.map(number),
        text: shown.text,
        words,
        hidden: shown.hidden,
        no_newline: shown.no_newline,
        carriage_return: shown.carriage_return,
    }
}

/// Start and length of a side of a hunk.
fn place(range: &Range<usize>) -> (u32, u32) {
    let start =
        if range.is_empty() { range.start.checked_sub(1).map_or(0, number) } else { number(range.start) };
    (start, u32::try_from(range.len()).unwrap_or(u32::MAX))
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
