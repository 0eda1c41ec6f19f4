//! Imports in a `CLAUDE.md`, and what is taken out of it before it is loaded. Text in, text out.

/// An import as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// The path, without the sign before it.
    pub(super) target: String,
    /// Its line, from 1.
    pub(super) line: usize,
    /// It can only be meant as a path: it begins as one or has an ending. `@name` is a mention unless a file has that name.
    pub(super) is_path: bool,
}

/// Most imports of one file that are looked at.
pub(super) const MAX_IMPORTS: usize = 1_000;

/// Where a line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Text,
    /// Code between fences of this letter and length.
    Fence(u8, usize),
    Comment,
}

/// The imports outside code and comments, in the order of the text.
pub(super) fn imports(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    each_line(text, |number, line| {
        let line = without_code_spans(line);
        found.extend(imports_of_line(&line).map(|target| Import {
            is_path: is_path(&target),
            target,
            line: number,
        }));
    });
    found.truncate(MAX_IMPORTS);
    found
}

/// The text without its block HTML comments. Source: Claude Code documentation, memory page.
pub(super) fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    walk(text, |_, line, within| {
        if within != Within::Comment {
            kept.push_str(line);
        }
    });
    kept
}

/// Calls `each` for every line of text outside fences and comments.
fn each_line(text: &str, mut each: impl FnMut(usize, &str)) {
    walk(text, |number, line, within| {
        if within == Within::Text {
            each(number, line);
        }
    });
}

/// Calls `each` for every line, or the part of one after a comment, with its end and where it stands.
fn walk(text: &str, mut each: impl FnMut(usize, &str, Within)) {
    let mut within = Within::Text;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        let mark = fence(line);
        match (within, mark) {
            (Within::Fence(letter, length), mark) => {
                each(number, line, within);
                if mark.is_some_and(|(other, run, bare)| other == letter && run >= length && bare) {
                    within = Within::Text;
                }
                continue;
            }
            (Within::Text, Some((letter, length, _))) => {
                within = Within::Fence(letter, length);
                each(number, line, within);
                continue;
            }
            _ => {}
        }
        let inside = match within {
            Within::Comment => line,
            _ => match comment_start(line) {
                Some(inside) => inside,
                None => {
                    each(number, line, Within::Text);
                    continue;
                }
            },
        };
        match inside.find("-->") {
            Some(at) => {
                within = Within::Text;
                let (comment, rest) = line.split_at(line.len() - inside.len() + at + 3);
                each(number, comment, Within::Comment);
                each(number, rest, if rest.trim().is_empty() { Within::Comment } else { Within::Text });
            }
            None => {
                within = Within::Comment;
                each(number, line, Within::Comment);
            }
        }
    }
}

/// Text after the opening of a block comment: only up to three spaces may stand before it (CommonMark 4.6, kind 2).
fn comment_start(line: &str) -> Option<&str> {
    let trimmed = line.trim_start_matches(' ');
    (line.len() - trimmed.len() <= 3).then(|| trimmed.strip_prefix("<!--"))?
}

/// Letter and length of a fence, and whether nothing follows it.
fn fence(line: &str) -> Option<(u8, usize, bool)> {
    let trimmed = line.trim_start_matches(' ');
    let letter = *trimmed.as_bytes().first().filter(|letter| matches!(letter, b'`' | b'~'))?;
    let length = trimmed.bytes().take_while(|byte| *byte == letter).count();
    let rest = &trimmed[length..];
    (length >= 3 && !(letter == b'`' && rest.contains('`'))).then(|| (letter, length, rest.trim().is_empty()))
}

/// The line with its code spans blanked out.
fn without_code_spans(line: &str) -> String {
    let mut left = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('`') {
        let length = rest[open..].bytes().take_while(|byte| *byte == b'`').count();
        let after = &rest[open + length..];
        left.push_str(&rest[..open]);
        match closing(after, length) {
            Some(end) => {
                left.push(' ');
                rest = &after[end..];
            }
            None => {
                left.push_str(&rest[open..open + length]);
                rest = after;
            }
        }
    }
    left.push_str(rest);
    left
}

/// Where a run of exactly so many backticks ends in `text`.
fn closing(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = text[at..].find('`').map(|offset| at + offset) {
        let run = text[next..].bytes().take_while(|byte| *byte == b'`').count();
        if run == length {
            return Some(next + run);
        }
        at = next + run;
    }
    None
}

fn imports_of_line(line: &str) -> impl Iterator<Item = String> {
    line.match_indices('@').filter_map(|(at, _)| {
        let before = line[..at].chars().next_back();
        if before.is_some_and(|letter| !letter.is_whitespace() && letter != '(') {
            return None;
        }
        target(&line[at + 1..])
    })
}

/// The path at the start of `text`: up to white space that is not escaped, without punctuation at its end.
fn target(text: &str) -> Option<String> {
    let mut path = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&' ') => path.extend(letters.next()),
            letter if letter.is_whitespace() || letter.is_control() || letter == '@' => break,
            letter => path.push(letter),
        }
    }
    let path = path.split('#').next().unwrap_or_default();
    let path = path.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '*', '_', '>']);
    let begins = path.starts_with(|letter: char| letter.is_alphanumeric() || "._~/-".contains(letter));
    begins.then(|| path.to_owned())
}

fn is_path(target: &str) -> bool {
    let name = target.rsplit('/').next().unwrap_or(target);
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=8).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    has_ending || ["./", "../", "~/", "/"].iter().any(|start| target.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn targets(text: &str) -> Vec<String> {
        imports(text).into_iter().map(|import| import.target).collect()
    }

    #[test]
    fn imports_stand_outside_code_and_comments() {
        let text = "See @docs/build.md, @~/notes.md and (@../up.md).\n\
                    Not `@code.md`, not a@mail.example, not @@twice.\n\
                    ```sh\n@fenced.md\n```\n\
                    <!-- @hidden.md\n@more.md --> @after.md\n\
                    @with\\ space.md#part\n- @name asked for it\n";
        let expected = ["docs/build.md", "~/notes.md", "../up.md", "after.md", "with space.md", "name"];
        assert_eq!(targets(text), expected);
        let paths: Vec<bool> = imports(text).into_iter().map(|import| import.is_path).collect();
        assert_eq!(paths, [true, true, true, true, true, false]);
        assert_eq!(imports(text)[3].line, 7);
    }

    #[test]
    fn block_comments_are_taken_out() {
        assert_eq!(without_comments("a\n<!-- b\nc -->\nd <!-- e -->\n"), "a\nd <!-- e -->\n");
        assert_eq!(without_comments("```\n<!-- kept -->\n```\n"), "```\n<!-- kept -->\n```\n");
        assert_eq!(without_comments("<!-- a --> b\n<!-- never closed\nc"), " b\n");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "([`@~ a./\\\\<>!-]|-->|<!--|é|\n){0,80}") {
            let _ = imports(&text);
            prop_assert!(without_comments(&text).len() <= text.len());
        }
    }
}
