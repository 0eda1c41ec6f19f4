//! Paths: which files are indexes, topics and instructions, which paths deceive, and how one path leads from another.

use retrace_diff::hidden;
use retrace_message::Message;
use unicode_normalization::is_nfc;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Longest path of a hosted memory in bytes, its leading slash included.
const HOSTED_BYTES: usize = 1024;

/// Most segments of one.
const HOSTED_SEGMENTS: usize = 20;

/// Letters of other scripts that look like Latin ones (Unicode confusables.txt, the single letters people cannot tell apart
/// in common fonts).
const LOOKALIKES: &str = "аеорсухіјѕһԁԛԝүӏАВЕКМНОРСТХІЈЅԌԚԜοναρικυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ";

/// The last segment.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The directory a path is in, with a slash at its end; empty for the top.
pub(crate) fn directory(path: &str) -> &str {
    &path[..path.len() - file_name(path).len()]
}

/// The last segment without its ending.
pub(crate) fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// True if the file is an index that is loaded at the start of a session.
#[must_use]
pub fn is_index(path: &str) -> bool {
    file_name(path) == "MEMORY.md"
}

/// True if the file is an instruction file.
#[must_use]
pub fn is_instructions(path: &str) -> bool {
    matches!(
        file_name(path),
        "CLAUDE.md"
            | "CLAUDE.local.md"
            | "AGENTS.md"
            | "AGENTS.override.md"
            | "GEMINI.md"
            | "copilot-instructions.md"
    ) || path.starts_with(".claude/rules/")
        || path.contains("/.claude/rules/")
}

/// True if the file is Markdown.
pub(crate) fn is_markdown(path: &str) -> bool {
    path.ends_with(".md") || path.ends_with(".mdc") || path.ends_with(".markdown")
}

/// Where `target`, written in the file at `from`, leads; `None` when it leaves the directory.
pub(crate) fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory(from).split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Why a hosted store would refuse the path.
#[must_use]
pub fn hosted_problem(path: &str) -> Option<Message> {
    let bytes = path.len() + 1;
    let segments = path.split('/').count();
    let unfit = |letter: char| {
        matches!(letter.general_category(), GeneralCategory::Control | GeneralCategory::Format)
            || matches!(letter, '\u{2028}' | '\u{2029}')
    };
    if bytes > HOSTED_BYTES {
        Some(say::path_bytes_leading_slash(bytes))
    } else if segments > HOSTED_SEGMENTS {
        Some(say::path_segments(segments))
    } else if path.chars().any(unfit) {
        Some(say::path_holds_control_or_format())
    } else if !is_nfc(path) {
        Some(say::path_not_unicode_nfc())
    } else {
        None
    }
}

/// Deceptive part of the path.
pub(crate) fn deception(path: &str) -> Option<Message> {
    if let Some(found) = hidden(path).first() {
        return Some(say::path_holds_not_seen(found.code.to_string()));
    }
    for segment in path.split('/') {
        let latin = segment.chars().filter(char::is_ascii_alphabetic).count();
        let alike = segment.chars().find(|letter| LOOKALIKES.contains(*letter));
        let wide = segment.chars().find(|letter| matches!(letter, '\u{ff01}'..='\u{ff5e}' | '\u{2044}' | '\u{2215}' | '\u{1d400}'..='\u{1d7ff}'));
        let foreign = segment
            .chars()
            .filter(|letter| letter.is_alphabetic() && !letter.is_ascii() && !LOOKALIKES.contains(*letter))
            .count();
        // A word wholly in another script, its ending in Latin, is a name; a Latin word with one foreign letter is not.
        let stem = segment.split('.').next().unwrap_or(segment);
        let mixed = stem.chars().any(|letter| letter.is_ascii_alphabetic());
        match (alike, wide) {
            (Some(letter), _) if mixed && latin > 0 && foreign == 0 => {
                return Some(say::looks_like_latin(format!("U+{:04X}", u32::from(letter))));
            }
            (_, Some(letter)) if latin > 0 => {
                return Some(say::looks_like_ascii(format!("U+{:04X}", u32::from(letter))));
            }
            _ => {}
        }
    }
    None
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "paths";
    looks_like_latin(code) => "The path holds {code}, which looks like a Latin letter.",
    looks_like_ascii(code) => "The path holds {code}, which looks like an ASCII character.",
    path_bytes_leading_slash(bytes) => "The path has {bytes} bytes with its leading slash.",
    path_segments(segments) => "The path has {segments} segments.",
    path_holds_control_or_format() => "The path holds a control or format character.",
    path_not_unicode_nfc() => "The path is not in Unicode NFC.",
    path_holds_not_seen(code) => "The path holds {code}, which is not seen.",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_links_lead() {
        for (from, target, leads) in [
            ("MEMORY.md", "a.md", Some("a.md")),
            ("x/MEMORY.md", "./a.md", Some("x/a.md")),
            ("x/y.md", "../a.md", Some("a.md")),
            ("x/y.md", "../../a.md", None),
        ] {
            assert_eq!(resolve(from, target).as_deref(), leads, "{from} {target}");
        }
    }

    #[test]
    fn paths_that_deceive() {
        for path in ["note\u{200b}s.md", "p\u{0430}yments.md", "a/\u{ff52}eadme.md", "MEM\u{041e}RY.md"] {
            assert!(deception(path).is_some(), "{path:?}");
        }
        for path in
            ["заметки.md", "σημειώσεις.md", "日本語/メモ.md", "café.md", "plain-file_1.md", "한국어 notes.md"]
        {
            assert_eq!(deception(path), None, "{path:?}");
        }
    }

    #[test]
    fn paths_that_a_hosted_store_refuses() {
        let deep = vec!["a"; 21].join("/");
        for path in
            ["x".repeat(1024), deep, "a\u{7}".to_owned(), "a\u{200d}b".to_owned(), "e\u{301}.md".to_owned()]
        {
            assert!(hosted_problem(&path).is_some(), "{path:?}");
        }
        for path in ["x".repeat(1023), vec!["a"; 20].join("/"), "日本語.md".to_owned()] {
            assert_eq!(hosted_problem(&path), None, "{path:?}");
        }
    }
}
