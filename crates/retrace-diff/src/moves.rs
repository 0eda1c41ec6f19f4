//! Blocks of lines that were deleted in one place and inserted in another, over all files of a store.
//!
//! Deliberately absent: renames of whole memories. A file that went to another path is a move of all its lines here; a
//! caller that knows the rename leaves the file out.

use crate::content::{self, number};
use crate::script::{self, Interner};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// The least number of lines that say something in a moved block. Git colours moved blocks by letters counted; lines are
/// what a reader of notes counts, and two equal lines happen by chance.
pub const MIN_MOVED_LINES: usize = 3;

/// Two lines that say something and have more than this many lines between them that say nothing are not one block.
const MAX_FILLER: usize = 3;

/// Number of places a block may have come from are compared with each other. It bounds the work when one block occurs
/// everywhere; the longest of them wins.
const MAX_CANDIDATES: usize = 16;

/// A file on both sides of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileChange<'a> {
    /// Its path, as it shall stand in a [`Move`].
    pub path: &'a str,
    /// Content before; `None` when it was not there.
    pub old: Option<&'a [u8]>,
    /// Content now; `None` when it is gone.
    pub new: Option<&'a [u8]>,
}

/// A block of lines that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The file it was deleted from.
    pub from_path: String,
    /// Number of its first line there, from 1, before the change.
    pub from_line: u32,
    /// The file it was inserted into; may be the same.
    pub to_path: String,
    /// Number of its first line there, from 1, after the change.
    pub to_line: u32,
    /// Number of lines, the same on both sides.
    pub lines: u32,
}

/// Finds the moved blocks, in the order of `changes` and of the lines they went to.
///
/// A block is a stretch of consecutive lines, equal on both sides but for their line ends, of which at least
/// [`MIN_MOVED_LINES`] say something (hold a letter or digit). Those are deleted on the old side and inserted on the new
/// one; lines that say nothing (blank ones, rules, brackets) may stand between them whether changed or not, three in a row
/// at most. Each line is part of at most one block on either side. Files that are not text have no lines here.
///
/// The work is that of comparing each file with itself, and otherwise grows with the number of lines.
#[must_use]
pub fn moves(changes: &[FileChange<'_>]) -> Vec<Move> {
    let mut known = Interner::new();
    let mut sides: Vec<(Side, Side)> = changes.iter().map(|change| sides(change, &mut known)).collect();
    let mut windows = windows(&sides);
    let mut found = Vec::new();
    for to in 0..changes.len() {
        let mut line = 0;
        while line < sides[to].1.numbers.len() {
            let Some((from, block)) = best_source(&sides, &mut windows, to, line) else {
                line += 1;
                continue;
            };
            found.push(Move {
                from_path: changes[from].path.to_owned(),
                from_line: number(block.start),
                to_path: changes[to].path.to_owned(),
                to_line: number(line),
                lines: u32::try_from(block.len()).unwrap_or(u32::MAX),
            });
            let end = line + block.len();
            sides[to].1.take(line..end);
            sides[from].0.take(block);
            line = end;
        }
    }
    found
}

/// Role of a line in a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Says something and was deleted or inserted.
    Changed,
    /// Says nothing.
    Filler,
    /// Unchanged, or part of a block already.
    Taken,
}

/// The lines of one side of a file.
struct Side {
    numbers: Vec<u32>,
    roles: Vec<Role>,
}

impl Side {
    fn new(lines: &[&[u8]], numbers: Vec<u32>) -> Self {
        let role = |line: &&[u8]| if says_something(line) { Role::Taken } else { Role::Filler };
        Self { numbers, roles: lines.iter().map(role).collect() }
    }

    /// Marks the lines that say something in `range` as changed.
    fn mark_changed(&mut self, range: Range<usize>) {
        for role in self.roles[range].iter_mut().filter(|role| **role == Role::Taken) {
            *role = Role::Changed;
        }
    }

    fn take(&mut self, range: Range<usize>) {
        self.roles[range].fill(Role::Taken);
    }

    /// The shortest possible block at `start`; `None` when none starts there.
    fn window(&self, start: usize) -> Option<&[u32]> {
        let (mut shown, mut filler) = (0, 0);
        for (offset, role) in self.roles[start..].iter().enumerate() {
            match role {
                Role::Changed => (shown, filler) = (shown + 1, 0),
                Role::Filler if shown > 0 && filler < MAX_FILLER => filler += 1,
                _ => return None,
            }
            if shown == MIN_MOVED_LINES {
                return Some(&self.numbers[start..=start + offset]);
            }
        }
        None
    }
}

fn says_something(line: &[u8]) -> bool {
    line.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

fn sides<'a>(change: &FileChange<'a>, known: &mut Interner<&'a [u8]>) -> (Side, Side) {
    let lines = |bytes: Option<&'a [u8]>| -> Vec<&'a [u8]> {
        let bytes = bytes.filter(|bytes| content::is_text(bytes)).unwrap_or_default();
        content::split(bytes).into_iter().map(content::without_line_end).collect()
    };
    let (old_lines, new_lines) = (lines(change.old), lines(change.new));
    let mut old = Side::new(&old_lines, known.numbers(old_lines.iter().copied()));
    let mut new = Side::new(&new_lines, known.numbers(new_lines.iter().copied()));
    for change in script::search(&old.numbers, &new.numbers, None).changes {
        old.mark_changed(change.old);
        new.mark_changed(change.new);
    }
    (old, new)
}

/// Where each shortest possible block of the old sides starts: file and line, in order.
type Windows = HashMap<Vec<u32>, VecDeque<(usize, usize)>>;

fn windows(sides: &[(Side, Side)]) -> Windows {
    let mut windows = Windows::new();
    for (file, (old, _)) in sides.iter().enumerate() {
        for line in 0..old.numbers.len() {
            if let Some(window) = old.window(line) {
                windows.entry(window.to_vec()).or_default().push_back((file, line));
            }
        }
    }
    windows
}

/// The longest block that can have come to `line` of the new side of `to`, the earliest of equally long ones: file and
/// lines on the old side.
fn best_source(
    sides: &[(Side, Side)],
    windows: &mut Windows,
    to: usize,
    line: usize,
) -> Option<(usize, Range<usize>)> {
    let new = &sides[to].1;
    let places = windows.get_mut(new.window(line)?)?;
    let free = |(file, start): &(usize, usize)| sides[*file].0.roles[*start] == Role::Changed;
    // Blocks are mostly taken from the front; what is taken there is not looked at again.
    while places.front().is_some_and(|place| !free(place)) {
        places.pop_front();
    }
    let mut best: Option<(usize, Range<usize>)> = None;
    for (file, start) in places.iter().filter(|place| free(place)).take(MAX_CANDIDATES) {
        let length = common_length(&sides[*file].0, *start, new, line);
        if length > best.as_ref().map_or(0, |(_, block)| block.len()) {
            best = Some((*file, *start..*start + length));
        }
    }
    best
}

/// Number of lines that two blocks have in common, from their starts to a last line that says something; 0 when fewer than
/// [`MIN_MOVED_LINES`] of them do.
fn common_length(old: &Side, old_start: usize, new: &Side, new_start: usize) -> usize {
    let (mut shown, mut filler, mut length) = (0, 0, 0);
    let old_lines = old.numbers[old_start..].iter().zip(&old.roles[old_start..]);
    let new_lines = new.numbers[new_start..].iter().zip(&new.roles[new_start..]);
    for (offset, ((old_number, old_role), (new_number, new_role))) in old_lines.zip(new_lines).enumerate() {
        if old_number != new_number {
            break;
        }
        match (old_role, new_role) {
            (Role::Changed, Role::Changed) => (shown, filler, length) = (shown + 1, 0, offset + 1),
            (Role::Filler, Role::Filler) if filler < MAX_FILLER => filler += 1,
            _ => break,
        }
    }
    if shown >= MIN_MOVED_LINES { length } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    type Expected<'a> = (&'a str, u32, &'a str, u32, u32);

    fn check(changes: &[(&str, Option<&str>, Option<&str>)], expected: &[Expected<'_>]) {
        let changes: Vec<_> = changes
            .iter()
            .map(|(path, old, new)| FileChange {
                path,
                old: old.map(str::as_bytes),
                new: new.map(str::as_bytes),
            })
            .collect();
        let found = moves(&changes);
        let reported: Vec<Expected<'_>> = found
            .iter()
            .map(|one| (one.from_path.as_str(), one.from_line, one.to_path.as_str(), one.to_line, one.lines))
            .collect();
        assert_eq!(reported, expected);
    }

    #[test]
    fn a_section_goes_to_another_file() {
        check(
            &[
                (
                    "a.md",
                    Some("# A\n\nkeep\n\n## Deploy\n\nrun make\n\nthen ship\n\nend\n"),
                    Some("# A\n\nkeep\n\nend\n"),
                ),
                ("b.md", Some("# B\n"), Some("# B\n\n## Deploy\r\n\nrun make\n\nthen ship")),
            ],
            &[("a.md", 5, "b.md", 3, 5)],
        );
    }

    #[test]
    fn a_file_taken_apart_and_one_put_together() {
        check(
            &[
                ("all.md", Some("a1\na2\na3\nb1\nb2\nb3\nb4\n"), None),
                ("a.md", None, Some("a1\na2\na3\n")),
                ("b.md", None, Some("# B\nb1\nb2\nb3\nb4\n")),
            ],
            &[("all.md", 1, "a.md", 1, 3), ("all.md", 4, "b.md", 2, 4)],
        );
    }

    #[test]
    fn within_one_file() {
        check(
            &[("a.md", Some("x1\nx2\nx3\ny1\ny2\ny3\ny4\n"), Some("y1\ny2\ny3\ny4\nx1\nx2\nx3\n"))],
            &[("a.md", 1, "a.md", 5, 3)],
        );
    }

    #[test]
    fn too_little_is_no_move() {
        check(&[("a.md", Some("a\nb\n"), None), ("b.md", None, Some("a\nb\n"))], &[]);
        check(&[("a.md", Some("a\n\n---\n\nb\n"), None), ("b.md", None, Some("a\n\n---\n\nb\n"))], &[]);
        check(&[("a.md", Some("a\nb\nc\n"), Some("a\nb\nc\n")), ("b.md", None, Some("a\nb\nc\n"))], &[]);
        check(&[("a", Some("a\nb\nc\0"), None), ("b", None, Some("a\nb\nc\0"))], &[]);
    }

    #[test]
    fn a_block_copied_twice_moved_once() {
        check(
            &[("a", Some("p\nq\nr\n"), None), ("b", None, Some("p\nq\nr\n")), ("c", None, Some("p\nq\nr\n"))],
            &[("a", 1, "b", 1, 3)],
        );
    }

    #[test]
    fn the_longest_source_wins() {
        check(
            &[
                ("a", Some("p\nq\nr\n"), None),
                ("b", Some("p\nq\nr\ns\n"), None),
                ("c", None, Some("p\nq\nr\ns\n")),
            ],
            &[("b", 1, "c", 1, 4)],
        );
    }

    #[test]
    fn many_equal_lines_come_to_an_end() {
        let same = "same\n".repeat(20_000);
        let changes = [
            FileChange { path: "a", old: Some(same.as_bytes()), new: None },
            FileChange { path: "b", old: None, new: Some(same.as_bytes()) },
        ];
        assert_eq!(moves(&changes).iter().map(|one| one.lines).sum::<u32>(), 20_000);
    }

    proptest! {
        #[test]
        fn blocks_are_equal_and_apart(files in prop::collection::vec(("([a-d-]?\n){0,15}", "([a-d-]?\n){0,15}"), 1..4)) {
            let names = ["a", "b", "c", "d"];
            let changes: Vec<_> = files
                .iter()
                .zip(names)
                .map(|((old, new), path)| FileChange { path, old: Some(old.as_bytes()), new: Some(new.as_bytes()) })
                .collect();
            let (mut left, mut arrived) = (BTreeSet::new(), BTreeSet::new());
            for one in moves(&changes) {
                prop_assert!(one.lines >= 3);
                let side = |path: &str, old: bool| {
                    let index = names.iter().position(|name| *name == path).expect("a known path");
                    content::split(if old { files[index].0.as_bytes() } else { files[index].1.as_bytes() })
                };
                let (old, new) = (side(&one.from_path, true), side(&one.to_path, false));
                for offset in 0..one.lines {
                    let (from, to) = (one.from_line + offset, one.to_line + offset);
                    prop_assert_eq!(old[from as usize - 1], new[to as usize - 1]);
                    prop_assert!(left.insert((one.from_path.clone(), from)));
                    prop_assert!(arrived.insert((one.to_path.clone(), to)));
                }
            }
        }
    }
}
