//! The glossary stays short, sorted and true: every type and module that it names exists.

use std::fs;
use std::path::{Path, PathBuf};

const MAX_ENTRIES: usize = 60;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Rows of the table: term, meaning, name in code.
fn entries() -> Vec<[String; 3]> {
    let text = fs::read_to_string(root().join("docs/GLOSSARY.md")).expect("the glossary");
    // A test of the window reads the second table.
    let text = text.split("\n## ").next().unwrap_or_default();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.skip(1)
        .filter(|row| !row.starts_with("---"))
        .map(|row| {
            let cells: Vec<String> = row.split(" | ").map(str::to_owned).collect();
            cells.try_into().unwrap_or_else(|cells| panic!("three cells, not {cells:?}"))
        })
        .collect()
}

/// Every Rust file below `directory`.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// True if `name` is a module of the crate, or an item that one of its files defines.
fn exists(name: &str) -> bool {
    let Some((path, last)) = name.rsplit_once("::") else { return false };
    let mut parts = path.split("::");
    let package = parts.next().expect("a crate").replace('_', "-");
    let directory = root().join("crates").join(package).join("src");
    let place = parts.fold(directory.clone(), |place, part| place.join(part));
    if place.join(format!("{last}.rs")).is_file() || place.join(last).is_dir() {
        return true;
    }
    let defines = ["struct", "enum", "trait", "type", "fn", "const", "use"];
    sources(&directory).iter().any(|path| {
        let text = fs::read_to_string(path).expect("a source");
        text.match_indices(last).any(|(at, found)| {
            let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            let statement = before.rsplit([';', '}']).next().unwrap_or_default();
            !before.ends_with(is_part)
                && !after.starts_with(is_part)
                && defines.iter().any(|define| statement.split_whitespace().any(|word| word == *define))
        })
    })
}

#[test]
fn it_is_short_and_sorted() {
    let entries = entries();
    assert!((1..=MAX_ENTRIES).contains(&entries.len()), "{} entries", entries.len());
    let terms: Vec<&String> = entries.iter().map(|[term, ..]| term).collect();
    assert!(terms.is_sorted(), "{terms:?}");
    for [term, meaning, _] in &entries {
        assert!(meaning.ends_with('.'), "{term}: a sentence");
    }
}

#[test]
fn every_name_in_it_exists() {
    for [term, _, name] in entries() {
        let name = name.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
        let name = name.unwrap_or_else(|| panic!("{term} names one type or module"));
        assert!(exists(name), "{term}: {name} does not exist");
    }
    assert!(!exists("retrace_log::NoSuchType"));
}
