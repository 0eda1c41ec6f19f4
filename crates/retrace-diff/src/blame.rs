//! Maps each new line to the old line it came from. Blame walks the versions of a memory with it.

use crate::script::{self, Interner};
use crate::{bounded, content};

/// For each line of `new` the line of `old` it came from, both from 0; `None` for a line this change brought in. A line that
/// was edited, or whose line end changed, counts as brought in. Any bytes will do; what is not text is cut at line feeds
/// all the same.
///
/// The answer depends on nothing but the two contents: there is no time limit, and the work grows as their length does. Where
/// more than 16,384 changed lines of both together have an equal on the other side, lines that both have once are matched
/// first, and lines that repeat only near to where they stood: one that was moved far among such counts as brought in.
#[must_use]
pub fn line_map(old: &[u8], new: &[u8]) -> Vec<Option<usize>> {
    if old.is_empty() {
        return vec![None; content::split(new).len()];
    }
    let mut known = Interner::new();
    let old = known.numbers(content::split(old));
    let new = known.numbers(content::split(new));
    map(&old, &new)
}

/// The same for lines that are known by their hashes alone.
#[must_use]
pub fn hash_map(old: &[u64], new: &[u64]) -> Vec<Option<usize>> {
    let mut known = Interner::new();
    let old = known.numbers(old.iter().copied());
    let new = known.numbers(new.iter().copied());
    map(&old, &new)
}

fn map(old: &[u32], new: &[u32]) -> Vec<Option<usize>> {
    let mut map = vec![None; new.len()];
    if script::lines_to_search(old, new) > bounded::WHOLE {
        for (from, to) in script::pairs_of_kept(old, new, bounded::pairs) {
            map[to] = Some(from);
        }
        return map;
    }
    let (mut old_at, mut new_at) = (0, 0);
    let script = script::search(old, new, None);
    let ends = script.changes.iter().map(|change| (change.old.clone(), change.new.clone()));
    for (gone, came) in ends.chain([(old.len()..old.len(), new.len()..new.len())]) {
        for (offset, from) in map[new_at..came.start].iter_mut().enumerate() {
            *from = Some(old_at + offset);
        }
        (old_at, new_at) = (gone.end, came.end);
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_traced() {
        assert_eq!(line_map(b"a\nb\nc\n", b"a\nx\nc\nd\n"), [Some(0), None, Some(2), None]);
        assert_eq!(line_map(b"", b"a"), [None]);
        assert_eq!(line_map(b"a", b""), []);
        assert_eq!(line_map(b"a", b"a\n"), [None], "the line end is part of the line");
        assert_eq!(line_map(b"\0\n\xff", b"\xff"), [Some(1)]);
        assert_eq!(hash_map(&[7, 8, 9], &[7, 1, 9]), [Some(0), None, Some(2)]);
    }

    #[test]
    fn a_long_content_of_lines_that_repeat_is_traced_in_bounded_work() {
        let old: String =
            (0..40_000_u32).map(|at| if at % 7 == 0 || at % 11 == 3 { "a\n" } else { "b\n" }).collect();
        let new: String =
            (0..40_000_u32).map(|at| if at % 5 == 0 || at % 13 == 3 { "a\n" } else { "b\n" }).collect();
        let map = line_map(old.as_bytes(), new.as_bytes());
        let traced: Vec<usize> = map.iter().flatten().copied().collect();
        assert!(traced.is_sorted() && traced.len() > 25_000, "{}", traced.len());
    }

    proptest! {
        #[test]
        fn traced_lines_are_equal_and_in_order(old in "([abc]\n?){0,30}", new in "([abc]\n?){0,30}") {
            let (old_lines, new_lines) = (content::split(old.as_bytes()), content::split(new.as_bytes()));
            let map = line_map(old.as_bytes(), new.as_bytes());
            prop_assert_eq!(map.len(), new_lines.len());
            let mut last = None;
            for (index, from) in map.iter().enumerate() {
                if let Some(from) = from {
                    prop_assert_eq!(old_lines[*from], new_lines[index]);
                    prop_assert!(last < Some(*from));
                    last = Some(*from);
                }
            }
        }
    }
}
