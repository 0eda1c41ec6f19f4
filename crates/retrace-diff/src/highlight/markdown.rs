//! Markdown as a mixture: front matter in YAML, fenced code in the language it names, the rest in Markdown.
//!
//! The bundled Markdown grammar knows neither front matter nor the languages of fences, so the lines are told apart here.
//! Fences are searched for at any indentation, as they stand in list items, but not inside quotations.

use super::{Parser, Span, SpanClass, Syntax, syntaxes};

/// Front matter longer than this is a document with a rule at its top.
const MAX_FRONT_MATTER_LINES: usize = 500;

/// A Markdown text under way. One line goes in, its spans come out.
pub(super) struct Markdown {
    prose: Parser,
    place: Place,
}

/// Where the next line stands.
enum Place {
    /// In front matter with so many lines left, the closing one included.
    FrontMatter {
        left: usize,
        yaml: Option<Parser>,
    },
    Prose,
    Fence {
        mark: u8,
        length: usize,
        code: Option<Parser>,
    },
}

impl Markdown {
    pub(super) fn new(syntax: Syntax, lines: &[&str]) -> Self {
        let place = match front_matter_lines(lines) {
            0 => Place::Prose,
            left => Place::FrontMatter { left, yaml: syntaxes::yaml().map(Parser::new) },
        };
        Self { prose: Parser::new(syntax), place }
    }

    /// The spans of the next line; `None` when the grammar failed and nothing further can be said.
    pub(super) fn line(&mut self, line: &str) -> Option<Vec<Span>> {
        match &mut self.place {
            Place::FrontMatter { left, yaml } => {
                *left -= 1;
                let rule = matches!(line.trim_end(), "---" | "...");
                let spans = match yaml {
                    _ if rule => Some(whole(line, SpanClass::Punctuation)),
                    Some(yaml) => yaml.line(line),
                    None => Some(whole(line, SpanClass::Plain)),
                };
                if *left == 0 {
                    self.place = Place::Prose;
                }
                spans
            }
            Place::Fence { mark, length, code } => {
                if closes(line, *mark, *length) {
                    self.place = Place::Prose;
                    return Some(whole(line, SpanClass::Code));
                }
                let Some(parser) = code else { return Some(whole(line, SpanClass::Code)) };
                let mut spans = parser.line(line)?;
                for span in spans.iter_mut().filter(|span| span.class == SpanClass::Plain) {
                    span.class = SpanClass::Code;
                }
                Some(spans)
            }
            Place::Prose => self.prose_line(line),
        }
    }

    fn prose_line(&mut self, line: &str) -> Option<Vec<Span>> {
        let Some(Opening { mark, length, language }) = opening(line) else { return self.prose.line(line) };
        // A fence ends a paragraph, and the grammar does not see it.
        self.prose.line("")?;
        self.place = Place::Fence { mark, length, code: syntaxes::for_language(language).map(Parser::new) };
        Some(whole(line, SpanClass::Code))
    }
}

fn whole(line: &str, class: SpanClass) -> Vec<Span> {
    if line.is_empty() { Vec::new() } else { vec![Span { range: 0..line.len(), class }] }
}

/// Number of lines that front matter takes up, its two rules included; 0 when there is none.
fn front_matter_lines(lines: &[&str]) -> usize {
    let Some((first, rest)) = lines.split_first() else { return 0 };
    if first.trim_start_matches('\u{feff}').trim_end() != "---" {
        return 0;
    }
    let end =
        rest.iter().take(MAX_FRONT_MATTER_LINES).position(|line| matches!(line.trim_end(), "---" | "..."));
    end.map_or(0, |end| end + 2)
}

struct Opening<'a> {
    mark: u8,
    length: usize,
    language: &'a str,
}

/// The code fence that `line` opens (CommonMark, section 4.5), if it does.
fn opening(line: &str) -> Option<Opening<'_>> {
    let text = line.trim_start();
    let mark = text.bytes().next().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let length = text.bytes().take_while(|byte| *byte == mark).count();
    let info = &text[length..];
    if length < 3 || (mark == b'`' && info.contains('`')) {
        return None;
    }
    let word = info.split(|letter: char| letter.is_whitespace() || matches!(letter, '{' | '}' | ',' | ':'));
    let language = word.into_iter().find(|word| !word.is_empty()).unwrap_or_default();
    Some(Opening { mark, length, language: language.trim_start_matches('.') })
}

fn closes(line: &str, mark: u8, length: usize) -> bool {
    let text = line.trim();
    text.len() >= length && text.bytes().all(|byte| byte == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_recognised() {
        for (line, language) in [
            ("```", Some("")),
            ("```rust", Some("rust")),
            ("~~~~ js title=\"a\"", Some("js")),
            ("    ```{.python .numbered}", Some("python")),
            ("```rust,no_run", Some("rust")),
            ("``` a`b", None),
            ("``", None),
            ("text ```", None),
        ] {
            assert_eq!(opening(line).map(|opening| opening.language), language, "{line}");
        }
        assert!(closes("  ```` ", b'`', 3));
        assert!(!closes("``", b'`', 3));
        assert!(!closes("``` x", b'`', 3));
        assert!(!closes("~~~", b'`', 3));
    }

    #[test]
    fn front_matter_is_recognised() {
        assert_eq!(front_matter_lines(&["---", "a: b", "---", "text"]), 3);
        assert_eq!(front_matter_lines(&["\u{feff}---", "..."]), 2);
        assert_eq!(front_matter_lines(&["---", "a: b"]), 0);
        assert_eq!(front_matter_lines(&["text", "---", "---"]), 0);
        assert_eq!(front_matter_lines(&[]), 0);
    }
}
