//! The little of Markdown that rules need: where code stands, and where block comments do.
//!
//! Deliberately absent: a whole Markdown parser. Code blocks by indentation are taken for text, and code spans do not
//! reach over lines.

use crate::text::Text;
use std::ops::Range;

/// Where code stands in a text: fenced blocks with their fences, and code spans with their backticks; in order.
#[derive(Debug, Default)]
pub(crate) struct Code {
    ranges: Vec<Range<usize>>,
}

impl Code {
    pub(crate) fn of(text: &Text<'_>) -> Self {
        let mut ranges = Vec::new();
        let mut fence: Option<(u8, usize, usize)> = None;
        for (line, content) in text.lines() {
            let mark = fence_mark(content);
            match fence {
                None => match mark {
                    Some((letter, length, _)) => fence = Some((letter, length, line.start)),
                    None => spans(content, line.start, &mut ranges),
                },
                Some((letter, length, start)) => {
                    if mark.is_some_and(|(found, run, bare)| found == letter && run >= length && bare) {
                        ranges.push(start..line.end);
                        fence = None;
                    }
                }
            }
        }
        if let Some((_, _, start)) = fence {
            ranges.push(start..text.as_str().len());
        }
        Self { ranges }
    }

    /// True if the byte at `offset` is code.
    pub(crate) fn contains(&self, offset: usize) -> bool {
        let after = self.ranges.partition_point(|range| range.start <= offset);
        after > 0 && self.ranges[after - 1].contains(&offset)
    }

    /// All of them.
    pub(crate) fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }
}

/// The fence a line opens or closes: its letter, its length, and whether nothing follows it.
fn fence_mark(line: &str) -> Option<(u8, usize, bool)> {
    let trimmed = line.trim_start_matches(' ');
    // Lists indent their fences, so more than three spaces are taken as well.
    let letter = *trimmed.as_bytes().first().filter(|letter| matches!(letter, b'`' | b'~'))?;
    let length = trimmed.bytes().take_while(|byte| *byte == letter).count();
    let rest = &trimmed[length..];
    (length >= 3 && !(letter == b'`' && rest.contains('`'))).then(|| (letter, length, rest.trim().is_empty()))
}

fn spans(line: &str, start: usize, ranges: &mut Vec<Range<usize>>) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(open) = memchr::memchr(b'`', &bytes[at..]).map(|offset| at + offset) {
        let length = run(bytes, open);
        let mut close = open + length;
        loop {
            let Some(next) = memchr::memchr(b'`', &bytes[close..]).map(|offset| close + offset) else {
                at = open + length;
                break;
            };
            let closing = run(bytes, next);
            close = next + closing;
            if closing == length {
                ranges.push(start + open..start + close);
                at = close;
                break;
            }
        }
    }
}

fn run(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|byte| **byte == b'`').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_code_stands() {
        for (content, code) in [
            ("a `b` c", &["`b`"][..]),
            ("``a ` b`` `c", &["``a ` b``"]),
            ("x\n```rust\nlet a;\n```\ny `z`", &["```rust\nlet a;\n```", "`z`"]),
            ("~~~\n```\nnever closed", &["~~~\n```\nnever closed"]),
            ("- a\n    ```\n    b\n    ```", &["    ```\n    b\n    ```"]),
            ("``` not `a` fence", &["`a`"]),
        ] {
            let text = Text::new(content.as_bytes());
            let found: Vec<_> = Code::of(&text).ranges.iter().map(|range| &content[range.clone()]).collect();
            assert_eq!(found, code, "{content:?}");
        }
    }
}
