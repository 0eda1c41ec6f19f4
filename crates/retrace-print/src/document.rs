//! A content on a terminal: its lines with everything hidden written out.

use super::{Style, visible};
use retrace_api::wire::{Document, Hidden};
use std::collections::BTreeMap;
use std::io::{Result, Write};

/// The lines of a text.
pub fn document(out: &mut (impl Write + ?Sized), document: &Document, style: Style) -> Result<()> {
    for line in &document.lines {
        writeln!(out, "{}", text(&line.text, &line.hidden, style))?;
    }
    if document.truncated {
        let lines = document.lines.len();
        writeln!(
            out,
            "{}",
            style.paint.yellow(&format!("… cut after {lines} lines; pipe it for the whole content"))
        )?;
    }
    Ok(())
}

fn text(text: &str, hidden: &[Hidden], style: Style) -> String {
    let marks = marks(hidden);
    let mut printed = String::with_capacity(text.len());
    for (at, letter) in text.chars().enumerate() {
        match mark(&marks, at, letter) {
            Some(mark) => printed.push_str(&style.paint.reverse(&mark)),
            None => printed.push(letter),
        }
    }
    printed
}

/// Names of what is hidden by its place in the line. A comment is no secret on a terminal, where everything is source.
pub fn marks(hidden: &[Hidden]) -> BTreeMap<usize, &str> {
    let characters = hidden.iter().filter(|one| one.kind != "html_comment");
    characters.map(|one| (one.at as usize, one.code.as_str())).collect()
}

/// Written form of a character; `None` for itself. What acts on the terminal is written out whether it was reported or
/// not.
pub fn mark(marks: &BTreeMap<usize, &str>, at: usize, letter: char) -> Option<String> {
    match marks.get(&at) {
        Some(code) => Some(visible::mark(code)),
        None if letter != '\t' && visible::acts_on_terminal(letter) => {
            Some(visible::mark(&visible::name(letter)))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrace_api::wire::{ContentKind, DocumentLine};

    #[test]
    fn hidden_characters_are_named() {
        let hidden = |at, code: &str, kind: &str| Hidden {
            at,
            length: 1,
            code: code.to_owned(),
            kind: kind.parse().expect("a kind"),
        };
        let line = |text: &str, hidden| DocumentLine { text: text.to_owned(), spans: Vec::new(), hidden };
        let shown = Document {
            live: true,
            version: None,
            path: None,
            content_sha256: None,
            content_size_bytes: None,
            kind: ContentKind::Text,
            lines: vec![
                line("plain\ttext", vec![]),
                line(
                    "a\u{200b}b <!-- c -->",
                    vec![hidden(1, "U+200B", "zero_width"), hidden(4, "<!--", "html_comment")],
                ),
                line("esc\x1b[31m", vec![]),
            ],
            truncated: true,
            cut: None,
        };
        let mut out = Vec::new();
        document(&mut out, &shown, Style::COLOURS).expect("a buffer takes everything");
        let printed = String::from_utf8(out).expect("text");
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(
            lines,
            [
                "plain\ttext",
                "a\x1b[7m‹U+200B›\x1b[27mb <!-- c -->",
                "esc\x1b[7m‹U+001B›\x1b[27m[31m",
                "\x1b[33m… cut after 3 lines; pipe it for the whole content\x1b[39m",
            ]
        );
    }
}
