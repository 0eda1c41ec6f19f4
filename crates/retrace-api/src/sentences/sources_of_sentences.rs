//! That no sentence of the sources is missing among [`super::sentences`]: every string literal that reads as prose, in every
//! crate whose words reach the window, is one of them, or stands in a list here with the reason why it is not.

use super::TABLES;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Where words come from that reach the window: folders and files below the project's root.
const SOURCES: &[&str] = &[
    "crates/retrace-api/src",
    "crates/retrace-context/src",
    "crates/retrace-count/src",
    "crates/retrace-engine/src",
    "crates/retrace-files/src",
    "crates/retrace-findings/src/config.rs",
    "crates/retrace-log/src",
    "crates/retrace-model/src",
    "crates/retrace-outbound/src",
    "crates/retrace-remote/src",
    "crates/retrace-server/src/calls.rs",
    "crates/retrace-server/src/events.rs",
    "crates/retrace-server/src/guard.rs",
    "crates/retrace-server/src/router.rs",
    "crates/retrace-sessions/src",
    "crates/retrace-sources/src",
    "crates/retrace-store-api/src/dreams.rs",
    "crates/retrace-store-api/src/mounts.rs",
    "crates/retrace-store-api/src/path.rs",
    "crates/retrace-tokens/src",
    "crates/retrace-transcript/src",
    "crates/retrace-redact/src",
    "crates/retrace-served/src",
    "crates/retrace-hosted/src",
    "crates/retrace-lab/src",
    "crates/retrace-history/src",
    "crates/retrace-import/src",
    "crates/retrace-health/src",
    "crates/retrace-review/src",
    "crates/retrace-watch/src",
    "crates/retrace-wire/src",
    "src-tauri/src/call.rs",
];

/// Files and folders whose prose is for somebody else, and for whom.
const OTHERS: &[(&str, &str)] = &[
    ("crates/retrace-api/src/bindings.rs", "TypeScript"),
    ("crates/retrace-api/src/reference.rs", "docs/API.md, for who writes a client"),
    ("crates/retrace-api/src/sentences", "these lists"),
    ("crates/retrace-review/src/review_page.rs", "the page of a report, which is English"),
    ("crates/retrace-review/src/commands/review_report.rs", "the page of a report, which is English"),
    ("crates/retrace-lab/src/turn.rs", "stands for content of a transcript"),
    ("crates/retrace-engine/src/options.rs", "said before there is a window"),
    ("crates/retrace-served/src/store_api/directory.rs", "words of the Memory Stores API"),
    ("crates/retrace-served/src/store_api/mod.rs", "words of the Memory Stores API"),
    ("crates/retrace-served/src/store_api/queue.rs", "words of the Memory Stores API"),
    ("crates/retrace-served/src/store_api/read.rs", "words of the Memory Stores API"),
    ("crates/retrace-served/src/store_api/redact.rs", "words of the Memory Stores API"),
    ("crates/retrace-served/src/store_api/tools.rs", "words of the Memory Stores API"),
    ("crates/retrace-served/src/store_api/write.rs", "words of the Memory Stores API"),
    ("crates/retrace-served/src/store_api/model.rs", "a model that tests are compared with"),
    ("crates/retrace-context/src/compose", "labels made of content"),
    ("crates/retrace-context/src/edits.rs", "what the API puts in place of results"),
    ("crates/retrace-context/src/export", "code and comments of an exported setting"),
    ("crates/retrace-context/src/export.rs", "code and comments of an exported setting"),
    ("crates/retrace-context/src/report", "the page of a report, which is English"),
    ("crates/retrace-context/src/report.rs", "the page of a report, which is English"),
    ("crates/retrace-context/src/weigh", "marks that transcripts have"),
    ("crates/retrace-files/src/directory", "details of errors of the system"),
    ("crates/retrace-log/src/codec.rs", "what a library could not do with a content"),
    ("crates/retrace-model/src/memory_kind.rs", "the terminal's words for a kind"),
    ("crates/retrace-sessions/src/index/properties.rs", "a test"),
    ("crates/retrace-sources/src/surroundings.rs", "places of the platforms"),
    ("crates/retrace-transcript/src/claude_code/line.rs", "marks that transcripts have"),
    ("crates/retrace-transcript/src/codex.rs", "marks that transcripts have"),
    ("crates/retrace-transcript/src/summary", "marks that transcripts have"),
    ("crates/retrace-transcript/src/summary.rs", "a saved summary is made anew, and nobody told"),
    ("crates/retrace-transcript/src/writer.rs", "marks that transcripts have"),
    ("crates/retrace-watch/src/harness.rs", "a harness of tests"),
];

/// Prose that is no sentence of the window, and what it is.
const NOT_SAID: &[(&str, &str)] = &[
    ("retrace head 1", "the heading of the file beside the log"),
    ("{HEADING}\noperation {}\ndigest {}\n", "the file beside the log"),
    (", rb.leaf AS kept_leaf, rb.written_at AS written", "columns of a query"),
    ("as recorded", "the name of a setting of the lab"),
    ("no setting", "a row of a sweep, which the window names itself"),
    ("a text that was redacted", "an answer of the memory tool, for the model"),
    ("not recorded", "a fact on the page of a report"),
    ("Model: {}.", "a fact on the page of a report"),
    ("Transcript: {}.", "a fact on the page of a report"),
    ("Made by Retrace {} at {}.", "a fact on the page of a report"),
    (
        "Contexts are as recorded where they are; what they were made of is counted offline (family {}).",
        "a fact on the page of a report",
    ),
    ("({}, {} bytes)", "stands for content of a transcript"),
    ("Entries moved from {}", "written into a memory"),
    ("---{}name: {}{}description: {}{}---{}{}", "written into a memory"),
    ("retrace-allow: {}{}{}", "written into a memory"),
    ("Contents of {}:\n{}", "the form of a transcript"),
    ("counted offline", "a word of the wire"),
    ("HTTP {}", "the same in every language"),
    ("Bearer {}", "a header"),
    ("Pem({} bytes)", "for people who debug"),
    ("Needles({}, {})", "for people who debug"),
    ("retrace count_tokens 1", "hashed"),
    ("host {}", "an entry of the keyring"),
    ("is {}", "of a file that is no file; each kind has its sentence"),
    ("the directory {}", "of a directory; what follows has its sentence"),
    ("{} · {} agent (local)", "a name that a store may take"),
    ("{} · {} agent", "a name that a store may take"),
    ("{} agent (user)", "a name that a store may take"),
    ("All projects", "a name that a store may take"),
    ("{} · auto memory", "a name that a store may take"),
    ("former auto memory", "a name that a store may take"),
    ("auto memory", "a name that a store may take"),
    ("{} · Basic Memory", "a name that a store may take"),
    ("main · Basic Memory", "a name that a store may take"),
    ("{} · memory tool", "a name that a store may take"),
    ("{} · Cline memory bank", "a name that a store may take"),
    ("Gemini CLI", "a name"),
    ("{} in {}", "where a setting stands; what is said of it has its sentence"),
    ("must start and end with '/'", "words of the Memory Stores API"),
    (" at line ", "cut out of what a library said"),
    ("mirrored store", "what is not there; that it is not has its sentence"),
    ("/v1/{route of the Memory Stores API}", "a list of routes"),
    ("/{file of the window}", "a list of routes"),
    ("public, max-age=31536000, immutable", "a header"),
    (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "a header",
    ),
];

/// What a sentence is, whatever stands in its places and however it begins and ends: places become a mark, those that may be
/// empty are left out, and so are the places that it begins with and the marks at its ends.
fn key(sentence: &str) -> String {
    let mut text = String::new();
    let mut rest = sentence;
    while let Some(letter) = rest.chars().next() {
        let place =
            rest.strip_prefix('{').and_then(|inside| inside.find(['{', '}']).map(|end| (inside, end)));
        if let Some((inside, end)) = place.filter(|(inside, end)| inside[*end..].starts_with('}')) {
            let joined = |before: char| before == '\0' || before == ')' || before.is_alphanumeric();
            if !text.ends_with(joined) {
                text.push('\0');
            }
            rest = &inside[end + 1..];
        } else {
            text.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    let mark = |end: char| end.is_whitespace() || ".,:;".contains(end);
    let text = text.trim_start_matches(|begin: char| begin == '\0' || mark(begin)).trim_end_matches(mark);
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_lowercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}

/// True if a literal reads as prose: two words, or a word and a place, with a blank between.
fn is_prose(literal: &str) -> bool {
    let word = |letter: char| letter.is_ascii_alphabetic();
    literal.match_indices(' ').any(|(at, _)| {
        let before = literal[..at].trim_end_matches([',', ';', ':']);
        before.ends_with(|letter: char| word(letter) || letter == '}')
            && literal[at + 1..].starts_with(|letter: char| word(letter) || letter == '{')
    })
}

/// True if it is of the database's language.
fn is_sql(literal: &str) -> bool {
    const WORDS: [&str; 14] = [
        "SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "PRAGMA", "WHERE", "AND", "FROM", "GROUP", "ORDER",
        "CASE", "DESC", "NULL",
    ];
    let words = || literal.split(|letter: char| !letter.is_ascii_alphanumeric());
    words().any(|word| WORDS.contains(&word)) || literal.contains("?, ?") || literal.starts_with("o.session,")
}

/// True if what comes before a literal tells that it is for the log of the program or for who debugs it.
fn is_for_developers(before: &str) -> bool {
    const CALLS: [&str; 11] = [
        "expect(",
        "debug!(",
        "info!(",
        "warn!(",
        "trace!(",
        "error!(",
        "unreachable!(",
        "assert!(",
        "panic!(",
        "assert_eq!(",
        "assert_ne!(",
    ];
    let line = before.trim_end();
    let attribute = before.rfind("#[").max(before.rfind("#![")).map(|at| &before[at..]);
    let in_attribute = attribute.is_some_and(|text| !text.contains(']') && !text.starts_with("#[error("));
    CALLS.iter().any(|call| line.ends_with(call)) || in_attribute
}

/// The string literals of a source with what comes before each; those of its tests are left out.
fn literals(source: &str) -> Vec<(String, String)> {
    let source = source.find("\n#[cfg(test)]\nmod ").map_or(source, |at| {
        // A module of tests in a file of its own does not end the sources of this one.
        let line = source[at + 14..].lines().next().unwrap_or_default();
        if line.ends_with('{') { &source[..at] } else { source }
    });
    let mut found = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        at += if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(length) = raw_literal(source, at) {
            length
        } else if rest.starts_with('"') {
            let (text, length) = literal(rest);
            let from =
                (at.saturating_sub(200)..=at).find(|from| source.is_char_boundary(*from)).unwrap_or(at);
            found.push((text, source[from..at].to_owned()));
            length
        } else if rest.starts_with('\'') {
            character(rest)
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
    }
    found
}

/// The length of the raw string literal that begins at a place, if one does. Prose is in none of them.
fn raw_literal(source: &str, at: usize) -> Option<usize> {
    let rest = &source[at..];
    let inside = rest.strip_prefix('r').or_else(|| rest.strip_prefix("br"))?;
    if source[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_') {
        return None;
    }
    let hashes = inside.len() - inside.trim_start_matches('#').len();
    inside[hashes..].strip_prefix('"')?;
    let begin = rest.len() - inside.len() + hashes + 1;
    let end = format!("\"{}", "#".repeat(hashes));
    rest[begin..].find(&end).map(|length| begin + length + end.len())
}

/// A string literal as it reads, and its length in the source.
fn literal(source: &str) -> (String, usize) {
    let mut text = String::new();
    let mut at = 1;
    while let Some(letter) = source[at..].chars().next() {
        at += letter.len_utf8();
        match letter {
            '"' => break,
            '\\' => {
                let escaped = source[at..].chars().next().unwrap_or_default();
                at += escaped.len_utf8();
                match escaped {
                    '\n' => at += source[at..].len() - source[at..].trim_start().len(),
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'u' => at += source[at..].find('}').map_or(0, |end| end + 1),
                    other => text.push(other),
                }
            }
            other => text.push(other),
        }
    }
    (text, at)
}

/// The length of a character literal, or of the mark of a lifetime.
fn character(source: &str) -> usize {
    let mut letters = source.char_indices().skip(1);
    match letters.next() {
        Some((_, '\\')) => source[3..].find('\'').map_or(1, |end| end + 4),
        Some((at, letter)) if source[at + letter.len_utf8()..].starts_with('\'') => {
            at + letter.len_utf8() + 1
        }
        _ => 1,
    }
}

/// Every source that is read here, as its path from the project's root and its text.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = Vec::new();
    for source in SOURCES {
        gather(&root.join(source), &mut files);
    }
    let mut found = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).expect("what was gathered is below the root");
        let name = name.to_string_lossy().replace('\\', "/");
        let of_others = |(other, _): &&(&str, &str)| name == *other || name.starts_with(&format!("{other}/"));
        if !OTHERS.iter().any(|other| of_others(&other)) {
            found.push((name, fs::read_to_string(&file).expect("a source is readable text")));
        }
    }
    found
}

fn gather(path: &Path, files: &mut Vec<PathBuf>) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = fs::read_dir(path)
            .expect("a folder of sources is readable")
            .flatten()
            .map(|entry| entry.path())
            .collect();
        entries.sort();
        if name != "tests" && name != "testing" {
            entries.iter().for_each(|entry| gather(entry, files));
        }
    } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && !name.starts_with("testing") {
        assert!(path.is_file(), "{} is gone", path.display());
        files.push(path.to_owned());
    }
}

/// The prose of the sources: its keys, and where each stands.
fn examples() -> BTreeMap<String, (String, String)> {
    let not_reported: BTreeSet<String> = NOT_SAID.iter().map(|(text, _)| key(text)).collect();
    let mut examples = BTreeMap::new();
    for (name, source) in sources() {
        for (text, before) in literals(&source) {
            let key = key(&text);
            let counts = is_prose(&text) && !is_sql(&text) && !is_for_developers(&before);
            if counts && key.contains(|letter: char| letter.is_alphabetic()) && !not_reported.contains(&key) {
                examples.entry(key).or_insert_with(|| (name.clone(), text));
            }
        }
    }
    examples
}

#[test]
fn every_sentence_of_the_sources_is_among_those_that_other_languages_know() {
    let known: BTreeSet<String> = TABLES
        .iter()
        .copied()
        .chain([crate::commands::EXPIRY_MESSAGES])
        .flatten()
        .map(|sentence| key(sentence))
        .chain(retrace_message::declarations().into_iter().map(|declared| key(declared.english)))
        .collect();
    let missing: Vec<String> = examples()
        .into_iter()
        .filter(|(key, _)| !known.contains(key))
        .map(|(_, (name, text))| format!("{name}: {text:?}"))
        .collect();
    assert!(
        missing.is_empty(),
        "not among the sentences of this module (add them, or say here why they are not shown):\n{}",
        missing.join("\n")
    );
}

#[test]
fn every_sentence_is_one_that_the_sources_say() {
    let examples = examples();
    // What is put together, and what the system says, stands in no literal.
    let tables = [
        super::acts::SENTENCES,
        super::hosts::SENTENCES,
        super::lab::SENTENCES,
        super::log::SENTENCES,
        super::sources::SENTENCES,
        super::window::SENTENCES,
    ];
    let stale: Vec<&str> = tables
        .into_iter()
        .flatten()
        .copied()
        .filter(|sentence| is_prose(sentence) && !examples.contains_key(&key(sentence)))
        .collect();
    assert!(stale.is_empty(), "nothing says these any more: {stale:#?}");
}

#[test]
fn prose_is_distinguished_from_other_literals() {
    for prose in ["There is no such {what}.", ", not encrypted", " (request {id})", "line {}: {}"] {
        assert!(is_prose(prose), "{prose}");
    }
    for other in ["MEMORY.md", "{}:{}", "context/show", " ", "no-store"] {
        assert!(!is_prose(other), "{other}");
    }
    assert_eq!(key("There is no such {what}."), key("there is no such {0}"));
    assert_eq!(key("{path}: no space left"), key("{0}: no space left"));
    assert_ne!(key("There is no such store."), key("There is no such {0}."));
}

#[test]
fn literals_are_read_with_their_escapes_and_without_comments() {
    let source = "// \"no\"\nlet a = \"a \\\n     b\"; let c = '\"'; let d = r#\"raw \"x\" words\"#; let e: &'static str = \"e\\\"f\";";
    let texts: Vec<String> = literals(source).into_iter().map(|(text, _)| text).collect();
    assert_eq!(texts, ["a b", "e\"f"]);
}
