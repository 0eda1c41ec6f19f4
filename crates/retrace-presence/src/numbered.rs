//! Texts that number their lines.

use crate::sought::Form;
use memchr::{memchr, memchr2};

/// Lines before the first numbered one: a heading.
const MOST_HEADINGS: usize = 2;

/// The numbered lines of a text, as `cat -n`, the readings of agents and views of the memory tool write them. What follows
/// the last numbered line is left out. `None` where no line is numbered.
pub(crate) fn parse(text: &str) -> Option<Vec<(u32, &str)>> {
    // opencode puts the path and the kind of the file before it.
    let text = match text.starts_with("<path>") {
        true => text.split_once("\n<content>\n").map_or(text, |(_, content)| content),
        false => text,
    };
    let mut found: Vec<(u32, &str)> = Vec::new();
    for (at, line) in text.split('\n').enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match numbered(line) {
            Some((number, rest))
                if found.last().is_none_or(|(last, _)| last.checked_add(1) == Some(number)) =>
            {
                found.push((number, rest));
            }
            _ if found.is_empty() && at < MOST_HEADINGS => {}
            _ => break,
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Lines that carry their number and a tab before them, as `cat -n` and `nl` print them, wherever they stand in an output.
pub(crate) fn in_output(text: &str) -> Vec<(u32, &str)> {
    let is_tabbed = |line: &&str| {
        line.trim_start_matches(|letter: char| letter == ' ' || letter.is_ascii_digit()).starts_with('\t')
    };
    text.lines().filter(is_tabbed).filter_map(numbered).collect()
}

/// Longest path at the start of a line of a search, in bytes.
const LONGEST_PATH: usize = 1_024;

/// The file that a line of a search begins with, its number and the line itself: `path:12:text`, `path:text`. The number is 0 where
/// there is none. `None` where the line begins with no path.
pub(crate) fn with_path(line: &str) -> Option<(&str, u32, &str)> {
    let colon = memchr(b':', line.as_bytes())?;
    let (path, rest) = (&line[..colon], &line[colon + 1..]);
    if path.len() > LONGEST_PATH || memchr2(b'/', b'.', path.as_bytes()).is_none() {
        return None;
    }
    let numbered = rest.split_once(':').and_then(|(digits, text)| {
        let is_number = (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| Some((digits.parse().ok()?, text))).flatten()
    });
    let (number, text) = numbered.unwrap_or((0, rest));
    Some((path, number, text))
}

/// What programs may have put around a line: its number, its path, the sign of a difference, an indent, the mark of its end.
pub(crate) fn forms(line: &str) -> [Option<Form<'_>>; 7] {
    let plain = |text| Form { number: 0, path: None, text };
    let indented = line.trim_start();
    let counted = numbered(indented).map(|(number, text)| Form { number, path: None, text });
    let found = of_search(indented, "", "").map(|(number, text)| Form { number, path: None, text });
    let signed = line.strip_prefix(['+', '-', '<', '>', '|']);
    [
        (indented.len() < line.len()).then(|| plain(indented)),
        counted,
        found,
        with_path(line).map(|(path, number, text)| Form { number, path: Some(path), text }),
        beside(line).map(|(path, number, text)| Form { number, path: Some(path), text }),
        signed.map(|text| plain(text.strip_prefix(' ').unwrap_or(text))),
        line.strip_suffix('$').or_else(|| signed.filter(|text| text.starts_with(' '))).map(plain),
    ]
}

/// True for a line of white space, also behind its number or another mark.
pub(crate) fn is_blank(line: &str) -> bool {
    line.trim().is_empty() || forms(line).into_iter().flatten().any(|form| form.text.trim().is_empty())
}

/// The same for a line beside one that a search found: `path-12-text`.
fn beside(line: &str) -> Option<(&str, u32, &str)> {
    let mut from = 0;
    while let Some(at) = memchr(b'-', &line.as_bytes()[from..]).map(|at| from + at) {
        from = at + 1;
        let digits = line[from..].bytes().take_while(u8::is_ascii_digit).count();
        let Some(text) = line[from + digits..].strip_prefix('-').filter(|_| (1..=9).contains(&digits)) else {
            continue;
        };
        let path = &line[..at];
        let is_path = path.len() <= LONGEST_PATH && memchr2(b'/', b'.', path.as_bytes()).is_some();
        return is_path.then(|| Some((path, line[from..from + digits].parse().ok()?, text))).flatten();
    }
    None
}

fn numbered(line: &str) -> Option<(u32, &str)> {
    let line = line.trim_start_matches(' ');
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=9).contains(&digits) {
        return None;
    }
    let (number, rest) = line.split_at(digits);
    let rest = rest
        .strip_prefix('\t')
        .or_else(|| rest.strip_prefix('→'))
        .or_else(|| rest.strip_prefix(": "))
        .or_else(|| (rest == ":").then_some(""))?;
    Some((number.parse().ok()?, rest))
}

/// A line of a search: `12:text` or `12-text`, with the path before it where several files were searched.
pub(crate) fn of_search<'a>(line: &'a str, path: &str, name: &str) -> Option<(u32, &'a str)> {
    let line = [path, name]
        .into_iter()
        .filter(|path| !path.is_empty())
        .find_map(|path| line.strip_prefix(path).and_then(|rest| rest.strip_prefix([':', '-'])))
        .unwrap_or(line);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=9).contains(&digits) {
        return None;
    }
    let (number, rest) = line.split_at(digits);
    Some((number.parse().ok()?, rest.strip_prefix([':', '-'])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_and_views_are_read() {
        assert_eq!(
            parse("10\ta\n11\t\n12\tb\n\n<system-reminder>\nx"),
            Some(vec![(10, "a"), (11, ""), (12, "b")])
        );
        assert_eq!(parse("     1→a\n     2→b"), Some(vec![(1, "a"), (2, "b")]));
        let view = "Here's the content of /memories/a with line numbers:\n     1\tx\n     2\t";
        assert_eq!(parse(view), Some(vec![(1, "x"), (2, "")]));
        assert_eq!(parse("1: a\n2:\n4: c"), Some(vec![(1, "a"), (2, "")]));
        let opencode = "<path>/m/a</path>\n<type>file</type>\n<content>\n5: a\n6: \n\n(Showing lines 5-6 of 9.)\n</content>";
        assert_eq!(parse(opencode), Some(vec![(5, "a"), (6, "")]));
        assert_eq!(parse("no numbers"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn numbered_lines_are_found_in_an_output() {
        let output = "total 3\n    20\tfact a\n\t x\n    21\t\n$ 2 2\n";
        assert_eq!(in_output(output), [(20, "fact a"), (21, "")]);
    }

    #[test]
    fn searches_are_read() {
        assert_eq!(with_path("/m/a.md:12:- x: y"), Some(("/m/a.md", 12, "- x: y")));
        assert_eq!(with_path("a.md:- x: y"), Some(("a.md", 0, "- x: y")));
        assert_eq!(with_path("note: x"), None);
        assert_eq!(of_search("/m/a.md:12:- x", "/m/a.md", "a.md"), Some((12, "- x")));
        assert_eq!(of_search("3-- y", "/m/a.md", "a.md"), Some((3, "- y")));
        assert_eq!(of_search("- y", "/m/a.md", "a.md"), None);
    }
}
