//! Edits of single entries: lines of an index moved into a topic file, lines taken out, a comment put in. Bytes in, bytes
//! out; who writes them where is `commands/entries.rs` and `commands/expiry.rs`.
//!
//! Invariants: a line that is not meant is not changed, line ends included; nothing is moved out of front matter.

use crate::wire::ApiError;
use retrace_findings::{body_start, file_links, index_cut};
use retrace_message::Message;
use std::ops::Range;

/// Lines of a content, each with its line end.
struct Lines<'a> {
    bytes: &'a [u8],
    ranges: Vec<Range<usize>>,
}

impl<'a> Lines<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        let mut ranges = Vec::new();
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            ranges.push(start..end + 1);
            start = end + 1;
        }
        if start < bytes.len() {
            ranges.push(start..bytes.len());
        }
        Self { bytes, ranges }
    }

    fn text(&self, index: usize) -> &'a [u8] {
        let mut line = &self.bytes[self.ranges[index].clone()];
        while let [rest @ .., b'\n' | b'\r'] = line {
            line = rest;
        }
        line
    }

    fn is_blank(&self, index: usize) -> bool {
        self.text(index).trim_ascii().is_empty()
    }

    /// Columns of white space before the text; a tab is one, as only more or less is asked for.
    fn indent(&self, index: usize) -> usize {
        self.text(index).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    fn is_item(&self, index: usize) -> bool {
        is_item(self.text(index))
    }

    /// The line end of most use: that of the first line that has one.
    fn end(&self) -> &'static [u8] {
        let first = self.ranges.first().map_or(&[][..], |line| &self.bytes[line.clone()]);
        if first.ends_with(b"\r\n") { b"\r\n" } else { b"\n" }
    }
}

/// True if a line begins an item of a list.
fn is_item(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match text {
        [b'-' | b'*' | b'+', b' ' | b'\t', ..] => true,
        _ => digits > 0 && digits < 10 && matches!(&text[digits..], [b'.' | b')', b' ' | b'\t', ..]),
    }
}

/// The lines, from 1, that move together with `line`: of an item of a list, all that is indented below it.
pub(crate) fn entry_at(bytes: &[u8], line: u32) -> (u32, u32) {
    let lines = Lines::of(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes));
    let first = line.saturating_sub(1) as usize;
    if first >= lines.ranges.len() || !lines.is_item(first) {
        return (line, line);
    }
    let indent = lines.indent(first);
    let mut last = first;
    for next in first + 1..lines.ranges.len() {
        if lines.is_blank(next) {
            continue;
        }
        if lines.indent(next) <= indent {
            break;
        }
        last = next;
    }
    (line, u32::try_from(last + 1).unwrap_or(u32::MAX))
}

/// How UTF-8 begins where a program marks it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Lines to be moved, and where.
pub(crate) struct Move<'a> {
    pub index_path: &'a str,
    pub index: &'a [u8],
    /// First and last line, from 1.
    pub lines: (u32, u32),
    pub topic_path: &'a str,
    /// `None` where the topic file is made.
    pub topic: Option<&'a [u8]>,
    /// True if a new topic file gets front matter, by which Claude Code picks memories.
    pub front_matter: bool,
}

/// Both files after a move.
#[derive(Debug)]
pub(crate) struct Moved {
    pub index: Vec<u8>,
    pub topic: Vec<u8>,
    /// Things worth knowing, each a sentence.
    pub warnings: Vec<Message>,
}

/// Moves lines of an index to the end of a topic file. Relative links are written anew where the files lie in different
/// directories. A topic that the index does not link gets a line there: in place of what moved where that is loaded, else as
/// the last line that is.
///
/// # Errors
/// `invalid` for lines that are not there, are blank, or belong to front matter.
pub(crate) fn moved(request: &Move<'_>) -> Result<Moved, ApiError> {
    // A byte order mark is of the file, and no part of its first line.
    let Some(index) = request.index.strip_prefix(BYTE_ORDER_MARK) else { return moved_lines(request) };
    let moved = moved_lines(&Move { index, ..*request })?;
    Ok(Moved { index: [BYTE_ORDER_MARK, &moved.index].concat(), ..moved })
}

fn moved_lines(request: &Move<'_>) -> Result<Moved, ApiError> {
    let lines = Lines::of(request.index);
    let range = line_range(&lines, request)?;
    let mut remaining = [&request.index[..range.start], &request.index[range.end..]].concat();
    let mut block = with_links_from(request, &range);
    if !block.ends_with(b"\n") {
        block.extend_from_slice(lines.end());
        // The former last line has no line end now; the one before it keeps its own.
    }
    let topic = topic_after(request, &block, lines.end());
    let mut warnings = Vec::new();
    let leads_to_topic =
        |link: &retrace_findings::FileLink| link.leads.as_deref() == Some(request.topic_path);
    let links: Vec<_> =
        file_links(request.index_path, &remaining).into_iter().filter(leads_to_topic).collect();
    if links.is_empty() {
        let line = pointer(request, &lines);
        remaining = with_pointer(&remaining, range.start, &line);
    } else if let Some(cut) = index_cut(&remaining)
        && links.iter().all(|link| link.written.start >= cut.offset)
    {
        warnings.push(say::index_links_only_below_line(request.topic_path));
    }
    if let Some(cut) = index_cut(&remaining) {
        warnings.push(say::index_still_cut_line(cut.line));
    }
    Ok(Moved { index: remaining, topic, warnings })
}

fn line_range(lines: &Lines<'_>, request: &Move<'_>) -> Result<Range<usize>, ApiError> {
    let (first, last) = request.lines;
    let subject = format!("{}:{first}-{last}", request.index_path);
    if first == 0 || last < first || last as usize > lines.ranges.len() {
        return Err(ApiError::invalid(say::file_no_such_lines(), subject).hint(match lines.ranges.len() {
            1 => say::n1_line(),
            many => say::lines(many),
        }));
    }
    let (first, last) = (first as usize - 1, last as usize - 1);
    let range = lines.ranges[first].start..lines.ranges[last].end;
    if range.start < body_start(request.index) {
        return Err(ApiError::invalid(say::front_matter_belongs_file_not(), subject));
    }
    if (first..=last).all(|line| lines.is_blank(line)) {
        return Err(ApiError::invalid(say::nothing_these_lines(), subject));
    }
    Ok(range)
}

/// The lines that move, with relative links as they must be written in the topic file.
fn with_links_from(request: &Move<'_>, range: &Range<usize>) -> Vec<u8> {
    let mut block = Vec::with_capacity(range.len());
    let mut at = range.start;
    for link in file_links(request.index_path, request.index) {
        let inside = range.start <= link.written.start && link.written.end <= range.end;
        let Some(leads) = link.leads.as_deref().filter(|_| inside) else { continue };
        if folder(request.index_path) == folder(request.topic_path) {
            continue;
        }
        block.extend_from_slice(&request.index[at..link.written.start]);
        block.extend_from_slice(encoded(&relative(request.topic_path, leads)).as_bytes());
        at = link.written.end;
    }
    block.extend_from_slice(&request.index[at..range.end]);
    block
}

/// The topic file with the lines at its end.
fn topic_after(request: &Move<'_>, block: &[u8], end: &[u8]) -> Vec<u8> {
    let Some(topic) = request.topic.filter(|topic| !topic.is_empty()) else {
        let mut topic = new_topic(request, end);
        topic.extend_from_slice(block);
        return topic;
    };
    let known = Lines::of(topic);
    let mut after = topic.to_vec();
    if !topic.ends_with(b"\n") {
        after.extend_from_slice(known.end());
    }
    let last = (0..known.ranges.len()).rev().find(|line| !known.is_blank(*line));
    let is_list = last.is_some_and(|last| known.is_item(last) || known.indent(last) > 0) && is_item(block);
    let ends_blank = known.ranges.len().checked_sub(1).is_some_and(|last| known.is_blank(last));
    if !is_list && !ends_blank {
        after.extend_from_slice(known.end());
    }
    after.extend_from_slice(block);
    after
}

fn new_topic(request: &Move<'_>, end: &[u8]) -> Vec<u8> {
    let title = title_of(request.topic_path);
    let end = String::from_utf8_lossy(end);
    let head = if request.front_matter {
        // A JSON string is a YAML string in double quotes.
        let name = serde_json::Value::from(stem(request.topic_path));
        let from = serde_json::Value::from(format!("Entries moved from {}", request.index_path));
        format!("---{end}name: {name}{end}description: {from}{end}---{end}{end}")
    } else {
        format!("# {title}{end}{end}")
    };
    head.into_bytes()
}

/// The line of the index that links to the topic file.
fn pointer(request: &Move<'_>, lines: &Lines<'_>) -> Vec<u8> {
    let title = title_of(request.topic_path).replace(['[', ']'], " ");
    let target = encoded(&relative(request.index_path, request.topic_path));
    let mut line = format!("- [{title}]({target})").into_bytes();
    line.extend_from_slice(lines.end());
    line
}

/// Puts a line where it is loaded: at `at`, or else before the last lines that are.
fn with_pointer(remaining: &[u8], at: usize, line: &[u8]) -> Vec<u8> {
    let inserted = |at: usize| {
        let mut text = remaining[..at].to_vec();
        if !text.is_empty() && !text.ends_with(b"\n") {
            text.extend_from_slice(if line.ends_with(b"\r\n") { b"\r\n" } else { b"\n" });
        }
        text.extend_from_slice(line);
        text.extend_from_slice(&remaining[at..]);
        text
    };
    let is_loaded = |text: &[u8], at: usize| index_cut(text).is_none_or(|cut| cut.offset > at);
    let as_it_lies = inserted(at);
    if is_loaded(&as_it_lies, at) {
        return as_it_lies;
    }
    let body = body_start(remaining);
    let cut = index_cut(&as_it_lies).map_or(at, |cut| cut.offset).min(at);
    let starts = Lines::of(remaining).ranges.into_iter().map(|range| range.start);
    let before: Vec<usize> = starts.filter(|start| (body..=cut).contains(start)).collect();
    // From the last place that could be loaded upwards; a few lines decide it.
    for place in before.into_iter().rev() {
        let text = inserted(place);
        if is_loaded(&text, place) {
            return text;
        }
    }
    as_it_lies
}

/// An index without the lines that link to a file, and what was done.
#[derive(Debug)]
pub(crate) struct Unlinked {
    pub index: Vec<u8>,
    /// Lines that were taken out, from 1, with their text.
    pub removed: Vec<(u32, String)>,
    /// Lines that link to other files too, and were left.
    pub left: Vec<u32>,
}

/// Takes the lines out of an index that link to files in `targets` and to no other.
pub(crate) fn without_links(index_path: &str, index: &[u8], targets: &[&str]) -> Unlinked {
    let links = file_links(index_path, index);
    let lines = Lines::of(index);
    let mut unlinked =
        Unlinked { index: Vec::with_capacity(index.len()), removed: Vec::new(), left: Vec::new() };
    for (at, range) in lines.ranges.iter().enumerate() {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let goes = |link: &&retrace_findings::FileLink| {
            link.leads.as_deref().is_some_and(|leads| targets.contains(&leads))
        };
        let own: Vec<_> = links.iter().filter(|link| link.line == number).collect();
        let gone = own.iter().filter(|link| goes(link)).count();
        if gone > 0 && gone == own.len() {
            unlinked.removed.push((number, String::from_utf8_lossy(lines.text(at)).into_owned()));
            continue;
        }
        if gone > 0 {
            unlinked.left.push(number);
        }
        unlinked.index.extend_from_slice(&index[range.clone()]);
    }
    unlinked
}

/// A content with a comment that allows `rule` on `line` (from 1), or for the file as a whole. Markdown gets an HTML comment,
/// which an index does not count; anything else and front matter a line that begins with `#`.
///
/// # Errors
/// `invalid` where such a comment would be no comment, or cannot stand.
pub(crate) fn with_allowance(
    path: &str,
    bytes: &[u8],
    line: Option<u32>,
    rule: &str,
    reason: &str,
) -> Result<Vec<u8>, ApiError> {
    let lines = Lines::of(bytes);
    let markdown = [".md", ".mdc", ".markdown"].iter().any(|ending| path.ends_with(ending));
    let hashes = [".txt", ".yaml", ".yml", ".toml", ".sh", ".py", ".conf"];
    if !markdown && !hashes.iter().any(|ending| path.ends_with(ending)) {
        return Err(ApiError::invalid(say::comment_file_kind_would_no(), path)
            .hint(say::switch_rule_off_instead_or()));
    }
    let allowance = format!("retrace-allow: {rule}{}{reason}", if reason.is_empty() { "" } else { " " });
    let Some(line) = line else {
        let comment = if markdown { format!("<!-- {allowance} -->") } else { format!("# {allowance}") };
        let mut after = bytes.to_vec();
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            after.extend_from_slice(lines.end());
        }
        after.extend_from_slice(comment.as_bytes());
        after.extend_from_slice(lines.end());
        return Ok(after);
    };
    let index = (line as usize).checked_sub(1).filter(|index| *index < lines.ranges.len());
    let Some(index) = index else {
        return Err(ApiError::invalid(say::file_no_such_line(), format!("{path}:{line}")));
    };
    let start = lines.ranges[index].start;
    let in_front_matter = start < body_start(bytes);
    if in_front_matter && index == 0 {
        return Err(
            ApiError::invalid(say::no_comment_can_stand_before(), path).hint(say::switch_rule_off_instead())
        );
    }
    let comment =
        if markdown && !in_front_matter { format!("<!-- {allowance} -->") } else { format!("# {allowance}") };
    let indent = &lines.text(index)[..lines.indent(index)];
    Ok([&bytes[..start], indent, comment.as_bytes(), lines.end(), &bytes[start..]].concat())
}

/// A content without some of its stretches, which are in order and do not overlap.
pub(crate) fn without(bytes: &[u8], ranges: &[Range<usize>]) -> Vec<u8> {
    let mut left = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for range in ranges {
        left.extend_from_slice(bytes.get(at..range.start).unwrap_or_default());
        at = range.end.max(at);
    }
    left.extend_from_slice(bytes.get(at..).unwrap_or_default());
    left
}

/// The directory of a path, with a slash at its end.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| &path[..=folder.len()])
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// A file's name as a title: `build-rules.md` is `Build rules`.
fn title_of(path: &str) -> String {
    let words = stem(path).replace(['-', '_'], " ");
    let mut letters = words.chars();
    letters.next().map_or_else(|| path.to_owned(), |first| first.to_uppercase().chain(letters).collect())
}

/// Link in the file at `from` writes a link to the file at `to`.
fn relative(from: &str, to: &str) -> String {
    let mut here = folder(from).split_terminator('/').peekable();
    let mut there = to.split('/').peekable();
    while here.peek().is_some() && here.peek() == there.peek() {
        here.next();
        there.next();
    }
    let up = here.map(|_| "..");
    up.chain(there).collect::<Vec<_>>().join("/")
}

/// A path as a Markdown link holds it.
fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for letter in path.chars() {
        match letter {
            ' ' | '(' | ')' | '<' | '>' | '%' | '#' | '?' => {
                text.push_str(&format!("%{:02X}", u32::from(letter)));
            }
            letter => text.push(letter),
        }
    }
    text
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "entries";
    index_links_only_below_line(topic_path) => "The index links to {topic_path} only below the line it is cut at, so no session learns of it.",
    index_still_cut_line(line) => "The index is still cut, at line {line}.",
    file_no_such_lines() => "The file has no such lines.",
    lines(count) => "It has {count} lines.",
    n1_line() => "It has 1 line.",
    front_matter_belongs_file_not() => "Front matter belongs to its file and is not moved.",
    nothing_these_lines() => "There is nothing on these lines.",
    comment_file_kind_would_no() => "A comment in a file of this kind would be no comment.",
    switch_rule_off_instead_or() => "Switch the rule off instead, or leave the file out in retrace.toml.",
    file_no_such_line() => "The file has no such line.",
    no_comment_can_stand_before() => "No comment can stand before front matter.",
    switch_rule_off_instead() => "Switch the rule off instead.",
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request<'a>(
        index: &'a str,
        lines: (u32, u32),
        topic_path: &'a str,
        topic: Option<&'a str>,
    ) -> Move<'a> {
        Move {
            index_path: "MEMORY.md",
            index: index.as_bytes(),
            lines,
            topic_path,
            topic: topic.map(str::as_bytes),
            front_matter: false,
        }
    }

    fn texts(moved: &Moved) -> (&str, &str) {
        (std::str::from_utf8(&moved.index).unwrap(), std::str::from_utf8(&moved.topic).unwrap())
    }

    #[test]
    fn lines_go_to_the_end_of_a_topic_that_is_linked() {
        let index = "# Index\n- [Tides](tides.md)\n- a fact\n- [Cranes](cranes.md): long\n";
        let done = moved(&request(index, (3, 3), "tides.md", Some("# Tides\n\n- old"))).unwrap();
        assert_eq!(
            texts(&done),
            ("# Index\n- [Tides](tides.md)\n- [Cranes](cranes.md): long\n", "# Tides\n\n- old\n- a fact\n")
        );
        assert!(done.warnings.is_empty());
        let done = moved(&request(index, (3, 3), "tides.md", Some("# Tides\n\nprose\n"))).unwrap();
        assert_eq!(texts(&done).1, "# Tides\n\nprose\n\n- a fact\n");
    }

    #[test]
    fn a_byte_order_mark_stays_in_front_of_the_index() {
        let index = "\u{feff}- one\n- two\n";
        let done = moved(&request(index, (1, 1), "odd.md", None)).unwrap();
        assert_eq!(texts(&done), ("\u{feff}- [Odd](odd.md)\n- two\n", "# Odd\n\n- one\n"));
        assert_eq!(entry_at("\u{feff}- one\n  more\n- two\n".as_bytes(), 1), (1, 2));
    }

    #[test]
    fn a_new_topic_is_linked_where_the_lines_were() {
        let index = "# Index\r\n- [A](a.md)\r\n- one\r\n- two";
        let done = moved(&request(index, (3, 4), "more/odd-facts.md", None)).unwrap();
        assert_eq!(
            texts(&done),
            (
                "# Index\r\n- [A](a.md)\r\n- [Odd facts](more/odd-facts.md)\r\n",
                "# Odd facts\r\n\r\n- one\r\n- two\r\n"
            )
        );
        let mut with_head = request(index, (3, 4), "odd-facts.md", None);
        with_head.front_matter = true;
        let done = moved(&with_head).unwrap();
        assert!(
            texts(&done).1.starts_with(
                "---\r\nname: \"odd-facts\"\r\ndescription: \"Entries moved from MEMORY.md\"\r\n---\r\n\r\n- one"
            ),
            "{:?}",
            texts(&done)
        );
    }

    #[test]
    fn relative_links_still_lead_where_they_led() {
        let index =
            "- [A](sub/a b.md#x) [B](b.md) [C](https://x.test/c.md)\n- [D](<sub/a b.md>)\n- [E](sub/e.md)\n";
        let done = moved(&request(index, (2, 3), "sub/t.md", Some("x\n"))).unwrap();
        assert_eq!(texts(&done).1, "x\n\n- [D](<a%20b.md>)\n- [E](e.md)\n");
        let done = moved(&request("- [B](b.md)\n", (1, 1), "sub/t.md", Some("x\n"))).unwrap();
        assert_eq!(texts(&done), ("- [T](sub/t.md)\n", "x\n\n- [B](../b.md)\n"));
    }

    #[test]
    fn a_link_below_the_cut_is_put_above_it() {
        let mut index: String = (1..=210).map(|number| format!("- entry {number}\n")).collect();
        let done = moved(&request(&index, (205, 206), "more.md", None)).unwrap();
        let lines: Vec<&str> = texts(&done).0.lines().collect();
        assert_eq!(lines.len(), 209);
        assert_eq!((lines[198], lines[199], lines[200]), ("- entry 199", "- [More](more.md)", "- entry 200"));
        assert_eq!(done.warnings, ["The index is still cut, at line 201."]);
        // Where all that is below moves, the link stays in its place and nothing is cut any more.
        let done = moved(&request(&index, (200, 210), "more.md", None)).unwrap();
        assert_eq!(texts(&done).0.lines().last(), Some("- [More](more.md)"));
        assert!(done.warnings.is_empty());
        index.push_str("- [More](more.md)\n");
        let done = moved(&request(&index, (205, 205), "more.md", Some("m\n"))).unwrap();
        assert!(done.warnings[0].contains("only below the line"), "{:?}", done.warnings);
    }

    #[test]
    fn what_cannot_move() {
        let index = "---\nname: x\n---\n\n- a\n";
        for lines in [(0, 1), (2, 2), (4, 4), (5, 6), (5, 4)] {
            assert!(moved(&request(index, lines, "t.md", None)).is_err(), "{lines:?}");
        }
    }

    #[test]
    fn an_entry_is_an_item_with_what_is_below_it() {
        let text = "- a\n  more\n\n  - b\n    c\n- d\nprose\n12. e\n    f\n";
        for (line, entry) in
            [(1, (1, 5)), (2, (2, 2)), (4, (4, 5)), (6, (6, 6)), (7, (7, 7)), (8, (8, 9)), (99, (99, 99))]
        {
            assert_eq!(entry_at(text.as_bytes(), line), entry, "{line}");
        }
    }

    #[test]
    fn lines_that_link_to_what_goes() {
        let index = "# I\n- [A](a.md)\n- [A](./a.md) and [B](b.md)\n- `[A](a.md)`\n- [C](c.md)";
        let done = without_links("MEMORY.md", index.as_bytes(), &["a.md", "c.md"]);
        assert_eq!(
            String::from_utf8(done.index).unwrap(),
            "# I\n- [A](./a.md) and [B](b.md)\n- `[A](a.md)`\n"
        );
        assert_eq!(done.removed, [(2, "- [A](a.md)".to_owned()), (5, "- [C](c.md)".to_owned())]);
        assert_eq!(done.left, [3]);
    }

    #[test]
    fn stretches_are_taken_out_and_nothing_else() {
        assert_eq!(without(b"abcdef", &[1..2, 3..5]), b"acf");
        assert_eq!(without(b"abc", &[]), b"abc");
        assert_eq!(without(b"abc", &[0..1, 1..3]), b"");
    }

    #[test]
    fn comments_that_allow() {
        let allow = |path: &str, text: &str, line| {
            with_allowance(path, text.as_bytes(), line, "links/wiki", "it comes")
                .map(|it| String::from_utf8(it).unwrap())
        };
        assert_eq!(
            allow("a.md", "x\n  - [[y]]\n", Some(2)).unwrap(),
            "x\n  <!-- retrace-allow: links/wiki it comes -->\n  - [[y]]\n"
        );
        assert_eq!(
            allow("a.md", "---\nname: x\n---\n", Some(2)).unwrap(),
            "---\n# retrace-allow: links/wiki it comes\nname: x\n---\n"
        );
        assert_eq!(allow("a.md", "x", None).unwrap(), "x\n<!-- retrace-allow: links/wiki it comes -->\n");
        assert!(allow("a.txt", "x\n", Some(1)).unwrap().starts_with("# retrace-allow"));
        for (path, text, line) in
            [("a.json", "{}", Some(1)), ("a.md", "---\nname: x\n---\n", Some(1)), ("a.md", "x", Some(2))]
        {
            assert!(allow(path, text, line).is_err(), "{path} {text:?}");
        }
    }
}
