//! Effect of an edit on a text.

use crate::{Dialect, ToolError};

/// A text after an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edited {
    pub text: String,
    /// The line the change begins in, from 0.
    pub line: usize,
}

/// Replaces the one occurrence of `old`.
///
/// `py`: anywhere in the text; occurrences that do not overlap are counted, and when there are several, the line of every
/// occurrence, overlapping ones included, is named. `ts`: within one line only; several occurrences in the same line count
/// as one, and the first is replaced. `docs`: as `py`, each line named once, and an empty `old` is found nowhere.
pub(crate) fn replace(
    path: &str,
    text: &str,
    old: &str,
    new: &str,
    dialect: Dialect,
) -> Result<Edited, ToolError> {
    let none = || ToolError::NoMatch { path: path.to_owned(), old: old.to_owned() };
    let several = |lines| ToolError::Ambiguous { old: old.to_owned(), lines };
    if dialect == Dialect::Ts {
        let lines: Vec<usize> = text
            .split('\n')
            .enumerate()
            .filter_map(|(at, line)| line.contains(old).then_some(at + 1))
            .collect();
        return match lines.as_slice() {
            [] => Err(none()),
            [line] => Ok(Edited { text: text.replacen(old, new, 1), line: line - 1 }),
            _ => Err(several(lines)),
        };
    }
    if dialect == Dialect::Docs && old.is_empty() {
        return Err(none());
    }
    match text.matches(old).take(2).count() {
        0 => Err(none()),
        1 => {
            let at = text.find(old).expect("it was found just before");
            Ok(Edited { text: text.replacen(old, new, 1), line: line_feeds(&text[..at]) })
        }
        _ => {
            let mut lines = lines_of(text, old);
            if dialect == Dialect::Docs {
                lines.dedup();
            }
            Err(several(lines))
        }
    }
}

/// The line of every occurrence, overlapping ones included, from 1.
fn lines_of(text: &str, old: &str) -> Vec<usize> {
    let (mut lines, mut line, mut from) = (Vec::new(), 1, 0);
    while let Some(at) = text[from..].find(old).map(|at| from + at) {
        line += line_feeds(&text[from..at]);
        lines.push(line);
        let Some(letter) = text[at..].chars().next() else { break };
        line += usize::from(letter == '\n');
        from = at + letter.len_utf8();
    }
    lines
}

fn line_feeds(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// Puts `insert` after line `line`; 0 is the top.
///
/// `py` and `docs`: the empty piece after a final line feed is no line, and the result ends with a line feed; `py` takes
/// every line feed off the end of `insert`, `docs` one. `ts`: that piece is a line, one line feed is taken off, and none is
/// added.
pub(crate) fn insert(text: &str, line: i64, insert: &str, dialect: Dialect) -> Result<String, ToolError> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if dialect != Dialect::Ts && lines.last() == Some(&"") {
        lines.pop();
    }
    let at = usize::try_from(line)
        .ok()
        .filter(|at| *at <= lines.len())
        .ok_or(ToolError::BadInsertLine { line, last: lines.len() })?;
    let insert = match dialect {
        Dialect::Py => insert.trim_end_matches('\n'),
        Dialect::Docs | Dialect::Ts => insert.strip_suffix('\n').unwrap_or(insert),
    };
    lines.insert(at, insert);
    let mut text = lines.join("\n");
    if dialect == Dialect::Docs || (dialect == Dialect::Py && !text.ends_with('\n')) {
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str, old: &str, new: &str, dialect: Dialect) -> Result<String, Vec<usize>> {
        match replace("p", text, old, new, dialect) {
            Ok(edited) => Ok(edited.text),
            Err(ToolError::Ambiguous { lines, .. }) => Err(lines),
            Err(_) => Err(Vec::new()),
        }
    }

    #[test]
    fn replacing_as_the_sheet_says() {
        use Dialect::{Docs, Py, Ts};
        for (dialect, text, old, new, result) in [
            (Py, "a\nb\nc", "a\nb", "x", Ok("x\nc")),
            (Docs, "a\nb\nc", "a\nb", "x", Ok("x\nc")),
            (Ts, "a\nb\nc", "a\nb", "x", Err(vec![])),
            (Py, "aaaa", "aa", "b", Err(vec![1, 1, 1])),
            (Docs, "aaaa", "aa", "b", Err(vec![1])),
            (Ts, "aaaa", "aa", "b", Ok("baa")),
            (Py, "a\nb\naa", "a", "x", Err(vec![1, 3, 3])),
            (Ts, "a\nb\naa", "a", "x", Err(vec![1, 3])),
            (Py, "", "", "x", Ok("x")),
            (Py, "a\n", "", "x", Err(vec![1, 1, 2])),
            (Ts, "abc", "", "x", Ok("xabc")),
            (Ts, "a\nb", "", "x", Err(vec![1, 2])),
            (Docs, "abc", "", "x", Err(vec![])),
            (Ts, "abc", "b", "$&", Ok("a$&c")),
            (Py, "a\r\nb\r\n", "b", "c", Ok("a\r\nc\r\n")),
        ] {
            let result: Result<String, Vec<usize>> = result.map(str::to_owned);
            assert_eq!(replaced(text, old, new, dialect), result, "{dialect}: {text:?} {old:?}");
        }
    }

    #[test]
    fn inserting_as_the_sheet_says() {
        use Dialect::{Docs, Py, Ts};
        for (dialect, text, line, insertion, result) in [
            (Py, "", 0, "first", Ok("first\n")),
            (Py, "", 1, "first", Err(0)),
            (Ts, "", 0, "first", Ok("first\n")),
            (Ts, "", 1, "first", Ok("\nfirst")),
            (Py, "a\nb\n", 2, "c\n\n", Ok("a\nb\nc\n")),
            (Docs, "a\nb\n", 2, "c\n\n", Ok("a\nb\nc\n\n")),
            (Docs, "a", 1, "b", Ok("a\nb\n")),
            (Docs, "", 0, "", Ok("\n")),
            (Ts, "a\nb\n", 3, "c\n", Ok("a\nb\n\nc")),
            (Ts, "a\nb\n", 4, "c", Err(3)),
            (Py, "a\r\nb\r\n", 1, "x", Ok("a\r\nx\nb\r\n")),
            (Py, "a", -1, "x", Err(1)),
            (Py, "", 0, "", Ok("\n")),
            (Py, "a\n\n", 2, "", Ok("a\n\n")),
        ] {
            let inserted = insert(text, line, insertion, dialect).map_err(|error| match error {
                ToolError::BadInsertLine { last, .. } => last,
                other => panic!("{other}"),
            });
            assert_eq!(inserted, result.map(str::to_owned), "{dialect}: {text:?} {line} {insertion:?}");
        }
    }
}
