//! Limits of those who read memories, measured as they measure.

use crate::front_matter::front_matter;
use crate::page::Page;
use crate::paths::{is_index, is_instructions};
use crate::remedy::Remedy;
use crate::text::Text;
use std::ops::Range;

/// Lines of an index that are loaded. Source: Claude Code documentation, memory.
pub const INDEX_MAX_LINES: usize = 200;

/// Bytes of an index that are loaded: 25,000, not 25,600. Source: third-party description of the product (medium
/// confidence); the documentation says 25 KB.
pub const INDEX_MAX_BYTES: usize = 25_000;

/// Characters of a line of an index above which it is no pointer any more. The agent is told to stay under about 150; real
/// indexes reach 508.
const INDEX_LINE_CHARACTERS: usize = 200;

/// Characters of an instruction file from which the agent warns of it.
const INSTRUCTIONS_CHARACTERS: usize = 40_000;

/// Most bytes of a hosted memory (100 KiB). Source: Memory Stores API.
pub const HOSTED_BYTES: u64 = 102_400;

/// Most memories of a hosted store. Source: Memory Stores API.
pub const HOSTED_MEMORIES: usize = 2_000;

/// Most lines that the memory tool shows, the piece after a final line feed counted. Source: the official SDKs: 999,998
/// lines that end with a line feed pass, 999,999 do not.
const VIEW_LINES: usize = 999_999;

/// Where an index is cut when it is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// First byte that is not loaded.
    pub offset: usize,
    /// The line, from 1, on which that byte stands; lines of the file as it is, front matter and comments counted.
    pub line: u32,
    /// Lines the agent counts.
    pub lines: usize,
    /// Bytes the agent counts.
    pub bytes: usize,
}

/// Counted part of an index, as the agent measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexSize {
    /// Lines that count.
    pub lines: usize,
    /// Their bytes, without a last line feed.
    pub bytes: usize,
}

/// Size of an index: front matter and block HTML comments do not count.
#[must_use]
pub fn index_size(bytes: &[u8]) -> IndexSize {
    let text = Text::new(bytes);
    let counted = counted(&text);
    IndexSize { lines: counted.len(), bytes: measured(&text, &counted) }
}

/// The part of an index that is loaded: the lines that count, as far as the limits let them.
#[must_use]
pub fn index_loaded(bytes: &[u8]) -> String {
    let text = Text::new(bytes);
    let end = index_cut(bytes).map_or(text.as_str().len(), |cut| cut.offset);
    let kept = counted(&text).into_iter().filter(|line| line.start < end);
    kept.map(|line| &text.as_str()[line.start..line.end.min(end)]).collect()
}

/// Bytes of lines, without a last line feed.
fn measured(text: &Text<'_>, lines: &[Range<usize>]) -> usize {
    let size: usize = lines.iter().map(Range::len).sum();
    size - usize::from(lines.last().is_some_and(|line| text.as_str()[line.clone()].ends_with('\n')))
}

/// Where the index `bytes` is cut; `None` when all of it is loaded.
///
/// As the agent measures: front matter and block HTML comments are taken out; then lines from the 201st on are cut; if the
/// rest is over 25,000 bytes, it is cut at the last line end before that. A last line feed opens no line.
#[must_use]
pub fn index_cut(bytes: &[u8]) -> Option<Cut> {
    let text = Text::new(bytes);
    let counted = counted(&text);
    let lines = counted.len();
    let mut kept = lines.min(INDEX_MAX_LINES);
    let size_of = |kept: usize| measured(&text, &counted[..kept]);
    while kept > 1 && size_of(kept) > INDEX_MAX_BYTES {
        kept -= 1;
    }
    let offset = if size_of(kept) > INDEX_MAX_BYTES {
        // One line alone is too long: it is cut within.
        floor(text.as_str(), counted[0].start + INDEX_MAX_BYTES)
    } else {
        counted.get(kept)?.start
    };
    Some(Cut { offset, line: text.position(offset).line, lines, bytes: measured(&text, &counted) })
}

/// The lines that count, as byte ranges with their line ends.
fn counted(text: &Text<'_>) -> Vec<Range<usize>> {
    let body = front_matter(text.as_str()).map_or(0, |found| found.whole.end);
    let mut lines = Vec::new();
    let mut in_comment = false;
    for index in 0..text.line_count() {
        let line = text.line_range(index);
        if line.start < body {
            continue;
        }
        let content = &text.as_str()[line.clone()];
        let end = if index + 1 < text.line_count() {
            text.line_range(index + 1).start
        } else {
            text.as_str().len()
        };
        let starts = !in_comment && is_comment_start(content);
        if starts || in_comment {
            let inside =
                if starts { content.find("<!--").map_or(content, |at| &content[at + 4..]) } else { content };
            match inside.find("-->") {
                // Text after the comment's end stays.
                Some(at) if !inside[at + 3..].trim().is_empty() => {
                    lines.push(line.end - (inside.len() - at - 3)..end);
                    in_comment = false;
                }
                Some(_) => in_comment = false,
                None => in_comment = true,
            }
            continue;
        }
        lines.push(line.start..end);
    }
    lines
}

/// An HTML comment is a block when only up to three spaces stand before it (CommonMark 4.6, kind 2).
fn is_comment_start(line: &str) -> bool {
    let trimmed = line.trim_start_matches(' ');
    line.len() - trimmed.len() <= 3 && trimmed.starts_with("<!--")
}

/// The last place up to `at` where a character starts.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

pub(crate) fn check(page: &mut Page<'_>) {
    let characters = page.text.as_str().chars().count();
    if is_index(page.path) {
        index(page);
    } else if is_instructions(page.path) && characters > INSTRUCTIONS_CHARACTERS {
        let message = say::file_characters_over(characters, INSTRUCTIONS_CHARACTERS);
        page.report_whole("limits/instructions-size", message);
    }
    let pieces = memchr::memchr_iter(b'\n', page.bytes).count() + 1;
    if pieces > VIEW_LINES {
        page.report_whole("limits/view-lines", say::memory_tool_counts_lines_over(pieces, VIEW_LINES));
    }
}

fn index(page: &mut Page<'_>) {
    if let Some(cut) = index_cut(page.bytes) {
        let lost = page.text.line_count() + 1 - usize::try_from(cut.line).unwrap_or(1);
        let range = cut.offset..page.text.line_range(page.text.line_of(cut.offset)).end.max(cut.offset);
        let message = say::line_after_not_loaded_lines(
            cut.line,
            lost.saturating_sub(1),
            cut.lines,
            cut.bytes,
            INDEX_MAX_LINES,
            INDEX_MAX_BYTES,
        );
        let end = range.end;
        page.report("limits/index-cut", range, message);
        page.with_text_behind("limits/index-cut", end..page.text.as_str().len());
        let to = u32::try_from(page.text.line_count()).unwrap_or(u32::MAX).max(cut.line);
        // One line more makes room for the link to where they go.
        let body = page.front_matter.as_ref().map_or(0, |found| found.whole.end);
        let before = usize::try_from(cut.line).unwrap_or(1).saturating_sub(2);
        let has_room = cut.line > 1 && page.text.line_range(before).start >= body;
        let from = if has_room { cut.line - 1 } else { cut.line };
        page.mended_by("limits/index-cut", Remedy::MoveLines(from..=to));
    }
    let long: Vec<(Range<usize>, usize)> = page
        .text
        .lines()
        .filter(|(_, line)| line.len() > INDEX_LINE_CHARACTERS)
        .map(|(range, line)| (range, line.chars().count()))
        .filter(|(_, characters)| *characters > INDEX_LINE_CHARACTERS)
        .collect();
    for (range, characters) in long {
        page.report("limits/index-line", range, say::line_characters(characters));
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "limits";
    file_characters_over(characters, value) => "The file has {characters} characters, over {value}.",
    memory_tool_counts_lines_over(pieces, value) => "The memory tool counts {pieces} lines, over {value}.",
    line_after_not_loaded_lines(line, saturating_sub, lines, bytes, value, value_2) => "Line {line} and the {saturating_sub} after it are not loaded. The index has {lines} lines (limit {value}) and {bytes} bytes (limit {value_2}).",
    line_characters(characters) => "The line has {characters} characters.",
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut_line(text: &str) -> Option<u32> {
        index_cut(text.as_bytes()).map(|cut| cut.line)
    }

    #[test]
    fn two_hundred_lines_are_loaded() {
        assert_eq!(cut_line(&"- a\n".repeat(200)), None);
        assert_eq!(cut_line(&"- a\n".repeat(201)), Some(201));
        assert_eq!(cut_line(&format!("{}- a", "- a\n".repeat(200))), Some(201));
        assert_eq!(cut_line(""), None);
    }

    #[test]
    fn bytes_cut_at_a_line_end() {
        let line = format!("{}\n", "x".repeat(999));
        // 25 lines of 1,000 bytes are 24,999 without the last line feed.
        assert_eq!(cut_line(&line.repeat(25)), None);
        assert_eq!(cut_line(&format!("{}yz", line.repeat(25))), Some(26));
        assert_eq!(cut_line(&line.repeat(26)), Some(26));
        let one = "é".repeat(13_000);
        let cut = index_cut(one.as_bytes()).unwrap();
        assert_eq!((cut.line, cut.offset, cut.bytes), (1, 25_000, 26_000));
        let odd = format!("a{one}");
        assert_eq!(index_cut(odd.as_bytes()).unwrap().offset, 24_999);
    }

    #[test]
    fn lines_first_then_bytes() {
        let long = format!("{}\n", "x".repeat(149));
        let cut = index_cut(long.repeat(215).as_bytes()).unwrap();
        assert_eq!((cut.line, cut.lines, cut.bytes), (167, 215, 215 * 150 - 1));
    }

    #[test]
    fn what_is_loaded_is_what_counts_up_to_the_cut() {
        assert_eq!(index_loaded(b"---\nname: x\n---\n<!-- a\n-->\n- b\n- c"), "- b\n- c");
        let long = format!("<!-- a -->\n{}", "- a\n".repeat(203));
        assert_eq!(index_loaded(long.as_bytes()), "- a\n".repeat(200));
        assert_eq!(index_size(long.as_bytes()), IndexSize { lines: 203, bytes: 811 });
        assert_eq!(index_loaded(&"x".repeat(25_001).into_bytes()).len(), 25_000);
    }

    #[test]
    fn front_matter_and_block_comments_do_not_count() {
        let body = "- a\n".repeat(200);
        assert_eq!(cut_line(&format!("---\nname: x\n---\n{body}")), None);
        assert_eq!(cut_line(&format!("<!-- a\nb\n\nc -->\n{body}")), None);
        assert_eq!(cut_line(&format!("---\nname: x\n---\n<!-- a\n-->\n{body}- b\n")), Some(206));
        // A comment within a line is no block, and what follows one on its last line stays.
        assert_eq!(cut_line(&format!("a <!-- b -->\n{body}")), Some(201));
        assert_eq!(cut_line(&format!("<!-- a --> b\n{body}")), Some(201));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), times in 1_usize..200) {
            let _ = index_cut(&bytes.repeat(times));
        }

        #[test]
        fn the_cut_lies_in_the_text(text in "(---\n|<!--|-->|\n|[a-zé ]{0,30}\n){0,300}") {
            if let Some(cut) = index_cut(text.as_bytes()) {
                prop_assert!(text.is_char_boundary(cut.offset));
                prop_assert!(cut.offset < text.len());
            }
        }
    }
}
