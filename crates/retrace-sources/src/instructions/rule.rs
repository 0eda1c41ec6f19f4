//! The globs in the front matter of a rule. Text in, words out.
//!
//! Only events of the YAML parser are read: a document with aliases of aliases costs no more than its length.

use yaml_rust2::parser::{Event, Parser};

/// Front matter that is longer is not parsed: the parser is slower than linear on some input.
const MAX_BYTES: usize = 64 * 1024;

/// The globs of `paths:`, written as a list or as one text with commas. Empty where there are none: the rule then applies to
/// every session. Source: Claude Code documentation, memory page, path-specific rules.
pub(super) fn globs(text: &str) -> Vec<String> {
    let Some(yaml) = front_matter(text).filter(|yaml| yaml.len() <= MAX_BYTES) else { return Vec::new() };
    read(yaml)
}

/// Text between a first line `---` and the next one.
fn front_matter(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("---")?;
    let rest = &rest[rest.find('\n').filter(|feed| rest[..*feed].trim().is_empty())? + 1..];
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(&rest[..at]);
        }
        at += line.len();
    }
    None
}

fn read(yaml: &str) -> Vec<String> {
    let mut parser = Parser::new_from_str(yaml);
    let mut globs = Vec::new();
    // Depth of open collections; whether the value of `paths` is what comes; whether the next scalar at the top is a key.
    let (mut depth, mut wanted, mut is_key) = (0usize, false, true);
    while let Ok((event, _)) = parser.next_token() {
        match event {
            Event::StreamEnd => break,
            Event::MappingStart(..) | Event::SequenceStart(..) => depth += 1,
            Event::MappingEnd | Event::SequenceEnd => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    (wanted, is_key) = (false, true);
                }
            }
            Event::Scalar(word, ..) if depth == 1 && is_key => {
                wanted = word == "paths";
                is_key = false;
            }
            Event::Scalar(text, ..) => {
                if wanted && depth <= 2 {
                    globs.extend(words(&text));
                }
                is_key |= depth == 1;
            }
            Event::Alias(_) if depth == 1 => is_key = true,
            _ => {}
        }
    }
    globs
}

/// The words between commas that stand outside braces.
fn words(text: &str) -> Vec<String> {
    let mut open = 0usize;
    let at_comma = |letter: char| {
        match letter {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            _ => {}
        }
        letter == ',' && open == 0
    };
    text.split(at_comma).map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_one_text_and_none() {
        assert_eq!(
            globs("---\npaths:\n  - src/**/*.ts\n  - \"lib/*.rs\"\n---\nText\n"),
            ["src/**/*.ts", "lib/*.rs"]
        );
        assert_eq!(
            globs("---\ndescription: x\npaths: src/**.{ts,tsx}, docs/*.md\nother: y\n---\n"),
            ["src/**.{ts,tsx}", "docs/*.md"]
        );
        assert_eq!(globs("---\nother: [paths, a]\ndeep: {paths: b}\n---\n"), [""; 0]);
        for text in ["", "Text\n", "---\npaths: never closed\n", "--- x\npaths: a\n---\n", "---\n: [\n---\n"]
        {
            assert_eq!(globs(text), [""; 0], "{text}");
        }
    }
}
