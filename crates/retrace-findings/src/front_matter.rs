//! YAML front matter: where it ends, whether it parses, and the few values rules use.
//!
//! Only events of the parser are read, one by one: a document with aliases of aliases, or with a thousand brackets, costs
//! no more than its length. Three shapes are in use, all read here: flat `name`, `description`, `type`; the same with
//! `type` below `metadata`; either with further keys.

use retrace_message::Message;
use std::ops::Range;
use yaml_rust2::parser::{Event, Parser};

/// Front matter longer than this is not parsed: 64 KiB. Real ones are below 2 KiB; the parser is slower than linear on
/// some input.
const MAX_BYTES: usize = 64 * 1024;

/// The front matter of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    /// From the first byte of the text to the first of the body.
    pub(crate) whole: Range<usize>,
    /// The value of `name`.
    pub(crate) name: Option<Value>,
    /// The value of `type`, at the top or below `metadata`.
    pub(crate) kind: Option<Value>,
    /// Why it cannot be read.
    pub(crate) problem: Option<Problem>,
}

/// A value and the line, from 0 in the text, on which it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// Problem of front matter, and on which line of the text, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) message: Message,
    pub(crate) line: usize,
}

/// The front matter at the start of `text`; `None` when there is none. A first line `---` without a closing line is front
/// matter only when the line after it looks like a key, since `---` is also a rule across the page.
pub(crate) fn front_matter(text: &str) -> Option<FrontMatter> {
    let text_at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut at = text_at + line_length(&text[text_at..]);
    if text[text_at..at].trim_end() != "---" {
        return None;
    }
    let body = at;
    while at < text.len() {
        let length = line_length(&text[at..]);
        if matches!(text[at..at + length].trim_end(), "---" | "...") {
            return Some(read(&text[body..at], 0..at + length));
        }
        at += length;
    }
    let first = text[body..].lines().next().unwrap_or("");
    let key = first.split_once(':').map(|(key, _)| key.trim())?;
    let is_key =
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    is_key.then(|| FrontMatter {
        problem: Some(Problem { message: say::not_closed(), line: 0 }),
        ..FrontMatter::default()
    })
}

/// Longest type that is told, in characters; real ones are words.
const TYPE_CHARACTERS: usize = 100;

/// The type that the front matter of a memory gives, as it stands there: `user`, `feedback`, `project`, `reference`, or
/// another. `None` without front matter, without a type in it, and where it does not parse up to there.
#[must_use]
pub fn memory_type(bytes: &[u8]) -> Option<String> {
    // Only front matter that is parsed has a type, and what follows it need not be looked at.
    let beginning = String::from_utf8_lossy(&bytes[..bytes.len().min(2 * MAX_BYTES)]);
    let kind = front_matter(&beginning)?.kind?.text;
    let word = kind.trim();
    let is_word = !word.is_empty() && !word.chars().any(char::is_control);
    is_word.then(|| word.chars().take(TYPE_CHARACTERS).collect())
}

fn line_length(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |feed| feed + 1)
}

fn read(yaml: &str, whole: Range<usize>) -> FrontMatter {
    let mut found = FrontMatter { whole, ..FrontMatter::default() };
    if yaml.len() > MAX_BYTES {
        found.problem = Some(Problem { message: say::too_long(), line: 0 });
        return found;
    }
    if let Err(problem) = values(yaml, &mut found) {
        found.problem = Some(problem);
    }
    found
}

/// Walks over the parser's events, keeping the path of keys to where it stands.
fn values(yaml: &str, found: &mut FrontMatter) -> Result<(), Problem> {
    let mut parser = Parser::new_from_str(yaml);
    // For each open collection: whether it is a mapping, and in a mapping the key whose value comes next.
    let mut open: Vec<(bool, Option<String>)> = Vec::new();
    loop {
        let (event, mark) = parser.next_token().map_err(|error| Problem {
            message: Message::verbatim(error.info()),
            // The yaml starts after the line `---`, and the parser counts lines from 1.
            line: error.marker().line(),
        })?;
        match event {
            Event::StreamEnd => return Ok(()),
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                let mapping = matches!(event, Event::MappingStart(..));
                if open.is_empty() && !mapping {
                    return Err(Problem { message: say::no_list(), line: mark.line() });
                }
                open.push((mapping, None));
            }
            Event::MappingEnd | Event::SequenceEnd => {
                open.pop();
                value_ends(&mut open);
            }
            Event::Scalar(text, ..) => {
                if open.is_empty() && !text.is_empty() && text != "~" {
                    return Err(Problem { message: say::no_list(), line: mark.line() });
                }
                scalar(text, mark.line(), &mut open, found);
            }
            Event::Alias(_) => value_ends(&mut open),
            _ => {}
        }
    }
}

fn scalar(text: String, line: usize, open: &mut [(bool, Option<String>)], found: &mut FrontMatter) {
    let Some((true, key)) = open.last_mut() else { return };
    let Some(key) = key.take() else {
        *key = Some(text);
        return;
    };
    let value = Some(Value { text, line });
    let above = open.len().checked_sub(2).and_then(|index| open[index].1.as_deref());
    match (open.len(), above, key.as_str()) {
        (1, _, "name") => found.name = value,
        (1, _, "type") | (2, Some("metadata"), "type") => found.kind = value,
        _ => {}
    }
}

/// A collection or an alias that stood as a value has ended. (As a key it leaves an empty key, which names nothing.)
fn value_ends(open: &mut [(bool, Option<String>)]) {
    if let Some((true, key)) = open.last_mut() {
        *key = if key.is_some() { None } else { Some(String::new()) };
    }
}

retrace_message::messages! {
    /// Faults of a front matter.
    mod say in "front_matter";
    not_closed() => "it is not closed with ---",
    too_long() => "it is longer than 64 KiB",
    no_list() => "it is no list of keys and values",
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> (Option<String>, Option<String>, bool) {
        let found = front_matter(text).unwrap();
        (found.name.map(|value| value.text), found.kind.map(|value| value.text), found.problem.is_some())
    }

    #[test]
    fn the_three_shapes() {
        let words = |name: &str, kind: &str| (Some(name.to_owned()), Some(kind.to_owned()), false);
        assert_eq!(of("---\nname: a\ndescription: b\ntype: user\n---\n"), words("a", "user"));
        assert_eq!(
            of("---\nname: a\nmetadata:\n  node_type: memory\n  type: project\n---"),
            words("a", "project")
        );
        assert_eq!(of("\u{feff}---\r\nname: 'a: b'\r\ntype: x\r\n---\r\n"), words("a: b", "x"));
        assert_eq!(
            of("---\ntags: [name, x]\nother: {name: y, type: z}\nname: a\ntype: user\n---\n"),
            words("a", "user")
        );
        assert_eq!(of("---\n---\n"), (None, None, false));
    }

    #[test]
    fn the_type_of_a_memory() {
        let of = |text: &str| memory_type(text.as_bytes());
        assert_eq!(of("---\nname: a\nmetadata:\n  type: feedback\n---\nBody\n").as_deref(), Some("feedback"));
        assert_eq!(of("---\ntype: ' own word '\n---\n").as_deref(), Some("own word"));
        assert_eq!(of("---\ntype:\n---\n"), None);
        assert_eq!(of("type: user\n"), None);
        assert_eq!(of(&format!("---\ntype: {}\n---\n", "x".repeat(300))).map(|word| word.len()), Some(100));
        assert_eq!(memory_type(b"---\ntype: \xff\xfe\n---\n").as_deref(), Some("\u{fffd}\u{fffd}"));
    }

    #[test]
    fn what_cannot_be_read_says_where() {
        let problem = |text: &str| front_matter(text).unwrap().problem.unwrap();
        assert_eq!(problem("---\nname: a\ndescription: one: two\n---\n").line, 2);
        assert_eq!(problem("---\n- a\n---\n").line, 1);
        assert_eq!(problem("---\njust words\n---\n").line, 1);
        assert_eq!(problem("---\nname: a\nno end").line, 0);
        assert!(front_matter("---\n\nA rule above, none below.\n").is_none());
        assert!(front_matter("# Title\n---\n").is_none());
        assert!(front_matter("").is_none());
    }

    #[test]
    fn deep_and_aliased_documents_are_read_in_one_pass() {
        let deep = format!("---\na: {}\n---\n", "[".repeat(20_000));
        assert!(front_matter(&deep).unwrap().problem.is_some());
        let aliases: String = (1..60).map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1)).collect();
        assert_eq!(front_matter(&format!("---\na0: &a0 x\n{aliases}---\n")).unwrap().problem, None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(---\n)?([a-z:&*{}\\[\\]'\"|>#% \n-]|\u{feff}|---\n){0,60}") {
            let _ = front_matter(&text);
        }
    }
}
