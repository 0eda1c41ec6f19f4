//! The globs in the front matter of a rule. Text in, words out.
//!
//! Only events of the YAML parser are read: a document with aliases of aliases costs no more than its length.

use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::scanner::TScalarStyle;

/// Front matter that is longer is not parsed: the parser is slower than linear on some input.
const MAX_BYTES: usize = 64 * 1024;

/// The globs of `paths:`, written as a list or as one text with commas. Empty where there are none: the rule then applies to
/// every session. A text that is no YAML is read once more with its values in quotes. Seen with Claude Code 2.1.330.
pub(super) fn globs(text: &str) -> Vec<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((yaml, _)) = front_matter(text).filter(|(yaml, _)| yaml.len() <= MAX_BYTES) else {
        return Vec::new();
    };
    let globs = read(yaml).or_else(|| read(&quoted(yaml))).unwrap_or_default();
    let globs: Vec<String> = globs
        .iter()
        .map(|glob| glob.strip_suffix("/**").unwrap_or(glob).to_owned())
        .filter(|glob| !glob.is_empty())
        .collect();
    // `**` is everything.
    if globs.iter().all(|glob| glob == "**") { Vec::new() } else { globs }
}

/// Text between a first line `---` and the next `---`, wherever that stands, and what follows.
pub(super) fn front_matter(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---")?;
    let rest = &rest[rest.find('\n').filter(|feed| rest[..*feed].trim().is_empty())? + 1..];
    let (yaml, rest) = rest.split_once("---")?;
    let line = rest.split_inclusive('\n').next().unwrap_or_default();
    Some((yaml, if line.trim().is_empty() { &rest[line.len()..] } else { rest }))
}

/// Each `key: value` with the value in quotes, where it holds a sign that YAML reads otherwise.
fn quoted(yaml: &str) -> String {
    let mut text = String::with_capacity(yaml.len() + 16);
    // A line that ends with a carriage return is no such line for the client.
    for line in yaml.split('\n') {
        let parts = line.split_once(':').filter(|(key, value)| {
            !key.is_empty()
                && key.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'))
                && value.starts_with([' ', '\t'])
                && !value.ends_with('\r')
        });
        match parts {
            Some((key, value)) if !value.trim().is_empty() && !is_quoted(value.trim()) => {
                let value = value.trim().replace('\\', "\\\\").replace('"', "\\\"");
                text.push_str(&format!("{key}: \"{value}\"\n"));
            }
            _ => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

/// True for a value that begins and ends with the same quotation mark, which may be one mark alone.
fn is_quoted(value: &str) -> bool {
    ['"', '\''].iter().any(|mark| value.starts_with(*mark) && value.ends_with(*mark))
}

/// The texts of `paths` at the top, of lists within lists too; none where it is no YAML.
fn read(yaml: &str) -> Option<Vec<String>> {
    let mut parser = Parser::new_from_str(yaml);
    let mut globs = Vec::new();
    // Open collections; whether the value of `paths` is what comes; whether the next scalar at the top is a key; whether
    // that value is an object, which counts for nothing.
    let (mut depth, mut wanted, mut is_key, mut within_object) = (0usize, false, true, false);
    loop {
        let (event, _) = parser.next_token().ok()?;
        match event {
            Event::StreamEnd => break,
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                within_object |= depth >= 1 && matches!(event, Event::MappingStart(..));
                depth += 1;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    (wanted, is_key, within_object) = (false, true, false);
                }
            }
            Event::Scalar(word, ..) if depth == 1 && is_key => {
                wanted = word == "paths";
                is_key = false;
            }
            Event::Scalar(text, style, ..) => {
                if wanted && !within_object && !(style == TScalarStyle::Plain && is_no_text(&text)) {
                    globs.extend(words(&text));
                }
                is_key |= depth == 1;
            }
            Event::Alias(_) if depth == 1 => is_key = true,
            _ => {}
        }
    }
    Some(globs)
}

/// A scalar without quotes that YAML reads as a number, a truth value or nothing.
fn is_no_text(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "" | "~" | "null" | "true" | "false")
        || word.parse::<f64>().is_ok()
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
        for front in [
            "---\npaths: [[\"**/*.rs\"]]\n---\n",
            "---\npaths: [[1, true, [\"**/*.rs\"]]]\n---\n",
            "---\npaths: \"**/*.rs\"\n---Text",
            "---\npaths: \"**/*.rs\"\n--- Text",
            "---\npaths: \"**/*.rs\"\n  ---\nText",
            "---\npaths: \"**/*.rs\"\n----\nText",
            "---\npaths: \"**/*.rs\" ---\nText",
            "---\npaths: \"**/*.rs\"\nd: a---b\n---\nText",
            "---\npaths: \"**/*.rs\"\nbad: [open\n---\nText",
            "---\r\npaths: \"**/*.rs\"\r\n---\r\nText",
        ] {
            assert_eq!(globs(front), ["**/*.rs"], "{front:?}");
        }
        assert_eq!(globs("---\npaths: \"**/*.ts\", x.js\n---\n"), ["\"**/*.ts\"", "x.js"]);
        for front in [
            "---\npaths: \"\n---\nText",
            "---\npaths: [{a: \"**/*.rs\"}]\n---\nText",
            "---\nd: a---b\npaths: \"**/*.rs\"\n---\nText",
            "---\n---\npaths: a\n---\nText",
            "---\r\npaths: \"**/*.rs\"\r\nbad: [open\r\n---\r\nText",
            "----\npaths: \"**/*.rs\"\n----\nText",
            "---\rpaths: \"**/*.rs\"\r---\rText",
        ] {
            assert_eq!(globs(front), [""; 0], "{front:?}");
        }
        assert_eq!(globs("---\nother: [paths, a]\ndeep: {paths: b}\n---\n"), [""; 0]);
        for text in ["", "Text\n", "---\npaths: never closed\n", "--- x\npaths: a\n---\n", "---\n: [\n---\n"]
        {
            assert_eq!(globs(text), [""; 0], "{text}");
        }
    }
}
