//! Effect of a write on a file's content.
//!
//! Rules of Claude Code's tools: line ends of the file are kept, a line that is replaced by nothing goes with its line end,
//! an empty `old` makes a file. Every client refuses a text that stands twice unless all of it is to be replaced. Where
//! clients differ, every result one of them gives is an outcome, the likeliest first.

use crate::write::{Effect, LineEdit, Replacement, Write};
use retrace_transcript::Format;

/// Number of bytes of a file that decide which line ends it has, as Claude Code looks at it.
const MAX_LINE_ENDS_INSPECTED: usize = 4096;

/// The bytes after a write to a file that had `before` (`None`: no file). `None` when they cannot be told: the edit does not
/// fit, the effect is not known, the content is another file's, or the file is gone ([`Effect::Delete`]). A rename gives
/// what was there, at the new path.
#[must_use]
pub fn apply(write: &Write, before: Option<&[u8]>) -> Option<Vec<u8>> {
    outcomes(write, before).into_iter().next()
}

/// Every content that a write can have made of `before`, the likeliest first; clients differ in line ends and in where an
/// inserted text ends.
#[must_use]
pub fn outcomes(write: &Write, before: Option<&[u8]>) -> Vec<Vec<u8>> {
    match &write.effect {
        Effect::Whole(bytes) => whole(write, bytes, before),
        Effect::Append(bytes) => {
            let mut after = before.unwrap_or_default().to_vec();
            after.extend_from_slice(bytes);
            vec![after]
        }
        Effect::Edit(edit) => as_reported(write, before, edited(write, std::slice::from_ref(edit), before)),
        Effect::MultiEdit(edits) => as_reported(write, before, edited(write, edits, before)),
        Effect::Insert { line, text } => inserted(before, *line, text),
        Effect::Rename { .. } => before.map(<[u8]>::to_vec).into_iter().collect(),
        Effect::Patch(patch) => {
            let before = before.and_then(|before| std::str::from_utf8(before).ok());
            before.and_then(|before| patch.apply(before)).map(String::into_bytes).into_iter().collect()
        }
        Effect::Lines(edits) => before.map(|before| by_line(before, edits)).into_iter().collect(),
        Effect::Delete | Effect::Copy { .. } | Effect::Unparsed => Vec::new(),
    }
}

/// As `sed -i` does it: line by line, a missing line feed at the end stays missing.
fn by_line(before: &[u8], edits: &[LineEdit]) -> Vec<u8> {
    let mut after = Vec::with_capacity(before.len());
    'lines: for (at, line) in before.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let (line, end): (&[u8], &[u8]) = match line.strip_suffix(b"\n") {
            Some(line) => (line, b"\n"),
            None => (line, b""),
        };
        let mut line = line.to_vec();
        for edit in edits {
            match edit {
                LineEdit::Delete(number) if *number == at as u64 + 1 => continue 'lines,
                LineEdit::DeleteWith(text) if memchr::memmem::find(&line, text.as_bytes()).is_some() => {
                    continue 'lines;
                }
                LineEdit::Replace { old, new, all } => {
                    line = replaced(&line, old.as_bytes(), new.as_bytes(), *all);
                }
                LineEdit::Delete(_) | LineEdit::DeleteWith(_) => {}
            }
        }
        after.extend_from_slice(&line);
        after.extend_from_slice(end);
    }
    after
}

fn replaced(line: &[u8], old: &[u8], new: &[u8], all: bool) -> Vec<u8> {
    let mut made = Vec::with_capacity(line.len());
    let mut from = 0;
    for at in memchr::memmem::find_iter(line, old).take(if all { usize::MAX } else { 1 }) {
        made.extend_from_slice(&line[from..at]);
        made.extend_from_slice(new);
        from = at + old.len();
    }
    made.extend_from_slice(&line[from..]);
    made
}

fn whole(write: &Write, bytes: &[u8], before: Option<&[u8]>) -> Vec<Vec<u8>> {
    let mut all = vec![bytes.to_vec()];
    // Some versions of the client keep the line ends of the file they replace.
    if write.format == Format::ClaudeCode
        && before.is_some_and(has_crlf)
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        let kept = with_crlf(&without_crlf(text));
        if kept.as_bytes() != bytes {
            all.push(kept.into_bytes());
        }
    }
    all
}

fn edited(write: &Write, edits: &[Replacement], before: Option<&[u8]>) -> Vec<Vec<u8>> {
    let Some(before) = before else {
        // An edit of nothing makes the file.
        let made = edits.split_first().filter(|(first, _)| first.old.is_empty());
        let made = made.and_then(|(first, rest)| replace_all(write.format, first.new.clone(), rest));
        return made.map(String::into_bytes).into_iter().collect();
    };
    let Ok(text) = std::str::from_utf8(before) else { return Vec::new() };
    let mut all = Vec::new();
    if has_crlf(before) {
        let made = replace_all(write.format, without_crlf(text), edits);
        all.extend(made.map(|made| with_crlf(&made).into_bytes()));
    }
    if let Some(made) = replace_all(write.format, text.to_owned(), edits).map(String::into_bytes)
        && !all.contains(&made)
    {
        // The file had these line ends where the client looked, or the tool does not care for them.
        let first = if write.format == Format::ClaudeCode { all.len() } else { 0 };
        all.insert(first, made);
    }
    all
}

/// What a client says that it made of this very content comes first.
fn as_reported(write: &Write, before: Option<&[u8]>, mut made: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let Some((before, reported)) = before.zip(write.reported.before.as_deref()) else { return made };
    let Some(after) = &write.reported.after else { return made };
    let after = if before == reported.as_bytes() {
        after.clone().into_bytes()
    } else if has_crlf(before)
        && std::str::from_utf8(before).is_ok_and(|before| without_crlf(before) == reported)
    {
        with_crlf(after).into_bytes()
    } else {
        return made;
    };
    made.retain(|other| *other != after);
    made.insert(0, after);
    made
}

fn replace_all(format: Format, mut text: String, edits: &[Replacement]) -> Option<String> {
    for edit in edits {
        text = replace(format, &text, edit)?;
    }
    Some(text)
}

fn replace(format: Format, text: &str, edit: &Replacement) -> Option<String> {
    if edit.old.is_empty() {
        return text.trim().is_empty().then(|| edit.new.clone());
    }
    let with_line_end = format!("{}\n", edit.old);
    let takes_line_end = format == Format::ClaudeCode
        && edit.new.is_empty()
        && !edit.old.ends_with('\n')
        && text.contains(&with_line_end);
    let old = if takes_line_end { &with_line_end } else { &edit.old };
    let found = text.matches(edit.old.as_str()).take(2).count();
    if found == 0 || (found > 1 && !edit.all) {
        return None;
    }
    Some(if edit.all { text.replace(old, &edit.new) } else { text.replacen(old, &edit.new, 1) })
}

/// As the memory tool's clients insert (memory-tool.md): one line feed at the end of the text, several, or those given.
fn inserted(before: Option<&[u8]>, line: u64, text: &str) -> Vec<Vec<u8>> {
    let Some(Ok(before)) = before.map(std::str::from_utf8) else { return Vec::new() };
    let Ok(at) = usize::try_from(line) else { return Vec::new() };
    let all: Vec<&str> = before.split('\n').collect();
    let ended = all.len() > 1 && all.last() == Some(&"");
    let lines = if ended || before.is_empty() { &all[..all.len() - 1] } else { &all[..] };
    let put = |lines: &[&str], text: &str, end: bool| {
        let (head, tail) = lines.split_at_checked(at)?;
        let parts: Vec<&str> = head.iter().copied().chain([text]).chain(tail.iter().copied()).collect();
        let mut made = parts.join("\n");
        if end {
            made.push('\n');
        }
        Some(made.into_bytes())
    };
    let one_less = text.strip_suffix('\n').unwrap_or(text);
    let mut made: Vec<Vec<u8>> = Vec::new();
    for candidate in [
        put(lines, one_less, true),
        put(lines, text.trim_end_matches('\n'), true),
        put(&all, one_less, false),
        put(lines, text, ended),
    ]
    .into_iter()
    .flatten()
    {
        if !made.contains(&candidate) {
            made.push(candidate);
        }
    }
    made
}

/// True if most line ends near the beginning are carriage return and line feed.
fn has_crlf(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(MAX_LINE_ENDS_INSPECTED)];
    let all = memchr::memchr_iter(b'\n', head).count();
    let both = memchr::memmem::find_iter(head, b"\r\n").count();
    both > all - both
}

fn without_crlf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn with_crlf(text: &str) -> String {
    text.replace('\n', "\r\n")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::write::{Reported, Role};
    use proptest::prelude::*;

    /// A write of one effect.
    pub(crate) fn write(format: Format, path: &str, effect: Effect) -> Write {
        Write {
            path: path.to_owned(),
            named: path.to_owned(),
            effect,
            reported: Reported::default(),
            format,
            tool: "Write".to_owned(),
            tool_use_id: None,
            part: 0,
            line: 1,
            at: None,
            answered_at: None,
            conversation: 0,
            message: 0,
            block: 0,
            turn: None,
            model: None,
            session: None,
            role: Role::Main,
            agent: None,
            succeeded: Some(true),
            was_run: false,
            prompt: None,
            conditional: false,
        }
    }

    pub(crate) fn edit(old: &str, new: &str, all: bool) -> Effect {
        Effect::Edit(Replacement { old: old.to_owned(), new: new.to_owned(), all })
    }

    fn made(effect: Effect, before: Option<&str>) -> Option<String> {
        let made = apply(&write(Format::ClaudeCode, "/m", effect), before.map(str::as_bytes))?;
        Some(String::from_utf8(made).unwrap())
    }

    #[test]
    fn edits_as_the_client_makes_them() {
        for (effect, before, after) in [
            (edit("b", "x", false), Some("a b c"), Some("a x c")),
            (edit("b", "x", false), Some("a b b"), None),
            (edit("b", "", false), Some("b\nbc\n"), None),
            (edit("b\nb", "x", false), Some("b\r\nb\r\na\r\nb\r\nb\r\n"), None),
            (edit("b", "x", true), Some("a b b"), Some("a x x")),
            (edit("b", "", false), Some("a\nb\nc\n"), Some("a\nc\n")),
            (edit("b\n", "", false), Some("a\nb\nc\n"), Some("a\nc\n")),
            (edit("b", "x", false), Some("a"), None),
            (edit("", "new", false), None, Some("new")),
            (edit("", "new", false), Some(" \n"), Some("new")),
            (edit("", "new", false), Some("a"), None),
            (edit("b", "x", false), None, None),
            (edit("a\nb", "x\ny", false), Some("a\r\nb\r\nc\r\n"), Some("x\r\ny\r\nc\r\n")),
            (Effect::Append(b"c\n".to_vec()), Some("a\n"), Some("a\nc\n")),
            (Effect::Append(b"c\n".to_vec()), None, Some("c\n")),
            (Effect::Insert { line: 1, text: "n".into() }, Some("a\nb\n"), Some("a\nn\nb\n")),
            (Effect::Insert { line: 0, text: "n\n".into() }, Some(""), Some("n\n")),
            (Effect::Insert { line: 9, text: "n".into() }, Some("a\n"), None),
            (Effect::Rename { to: "/n".into() }, Some("a"), Some("a")),
            (Effect::Delete, Some("a"), None),
            (Effect::Unparsed, Some("a"), None),
        ] {
            assert_eq!(made(effect.clone(), before).as_deref(), after, "{effect:?} of {before:?}");
        }
    }

    #[test]
    fn lines_are_edited_as_sed_does() {
        let replace = |old: &str, new: &str, all| LineEdit::Replace { old: old.into(), new: new.into(), all };
        for (edits, before, after) in [
            (vec![replace("a", "b", false)], "a a\na\n", "b a\nb\n"),
            (vec![replace("a", "aa", true)], "a a\na", "aa aa\naa"),
            (vec![replace("a", "b", false), replace("b", "c", true)], "a b\n", "c c\n"),
            (vec![LineEdit::Delete(2), replace("c", "d", false)], "a\nb\nc\n", "a\nd\n"),
            (vec![LineEdit::DeleteWith("b".into())], "ab\nc\nb", "c\n"),
            (vec![LineEdit::Delete(1)], "", ""),
        ] {
            assert_eq!(made(Effect::Lines(edits.clone()), Some(before)).as_deref(), Some(after), "{edits:?}");
            assert_eq!(made(Effect::Lines(edits), None), None, "a file that is not there is not edited");
        }
    }

    #[test]
    fn several_edits_are_all_or_none() {
        let edits = |pairs: &[(&str, &str)]| {
            let edits = pairs.iter().map(|(old, new)| Replacement {
                old: (*old).to_owned(),
                new: (*new).to_owned(),
                all: false,
            });
            Effect::MultiEdit(edits.collect())
        };
        assert_eq!(made(edits(&[("a", "b"), ("b", "c")]), Some("a")).as_deref(), Some("c"));
        assert_eq!(made(edits(&[("a", "b"), ("z", "c")]), Some("a")), None);
        assert_eq!(made(edits(&[("", "a"), ("a", "c")]), None).as_deref(), Some("c"));
    }

    proptest! {
        #[test]
        fn nothing_panics_and_bytes_that_are_no_text_are_never_edited(
            before in proptest::collection::vec(any::<u8>(), 0..40), old in ".{0,4}", new in ".{0,4}",
            all in any::<bool>(), line in 0_u64..6,
        ) {
            let effect = edit(&old, &new, all);
            let outcome = apply(&write(Format::ClaudeCode, "/m", effect), Some(&before));
            if std::str::from_utf8(&before).is_err() {
                prop_assert_eq!(outcome, None);
            }
            let insert = Effect::Insert { line, text: new };
            for made in outcomes(&write(Format::MessagesRequest, "/m", insert), Some(&before)) {
                prop_assert!(made.len() >= before.len());
            }
        }

        #[test]
        fn an_edit_of_what_is_there_once_always_fits(head in "[a-c\n]{0,9}", old in "[a-c\n]{1,4}", tail in "[a-c\n]{0,9}", new in "[d\n]{1,4}") {
            let before = format!("{head}{old}{tail}");
            let made = made(edit(&old, &new, false), Some(&before));
            if before.matches(&old).count() > 1 {
                prop_assert_eq!(made, None);
            } else {
                let made = made.unwrap();
                prop_assert_eq!(made.len(), before.len() - old.len() + new.len());
                prop_assert!(made.contains(&new));
            }
        }
    }
}
