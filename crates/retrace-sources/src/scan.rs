//! Bounded, read-only looks at the disk, and the list of what went wrong in them.
//!
//! A missing file or directory is not a problem: most agents are not installed on most machines.

use crate::Problem;
use retrace_message::{AsMessage, Message};
use retrace_model::Rules;
use serde_json::Value;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// Files counted in one directory before counting stops. Above any memory directory seen in public data (293 files), low
/// enough that counting stays unnoticed.
pub const MAX_COUNTED_FILES: u64 = 10_000;

/// Largest settings file read, in bytes. `.claude.json` keeps prompt history and reaches some megabytes.
const MAX_SETTINGS_BYTES: u64 = 32 * 1024 * 1024;

/// Entries of one directory that are looked at.
const MAX_ENTRIES: usize = 20_000;

/// Greatest depth of counting. Claude Code's deepest known layout, `logs/YYYY/MM`, needs three.
const MAX_COUNT_DEPTH: usize = 32;

/// Deepest nesting accepted in a JSON5 file. Its parser calls itself for every level; 128 is the limit of `serde_json`.
const MAX_JSON5_DEPTH: usize = 128;

/// Type of a directory entry, without following links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    File,
    Directory,
    Link,
    Other,
}

/// One entry of a directory.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its name, with bytes that are not UTF-8 replaced.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) sort: Sort,
}

/// A series of scans, and the problems met so far.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    problems: Vec<Problem>,
    noted: HashSet<Problem>,
}

impl Scan {
    /// Notes a problem once.
    pub(crate) fn note(&mut self, problem: Problem) {
        if self.noted.insert(problem.clone()) {
            self.problems.push(problem);
        }
    }

    pub(crate) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    fn unreadable(&mut self, path: &Path, error: &std::io::Error) {
        if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
            self.note(Problem::Unreadable { path: path.to_owned(), reason: error.message() });
        }
    }

    /// The bytes of a regular file of at most `limit` bytes. Anything else that is there under the name (a pipe, a device)
    /// is a problem and is not opened.
    pub(crate) fn bytes(&mut self, path: &Path, limit: u64) -> Option<Vec<u8>> {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => {
                self.unreadable(path, &error);
                return None;
            }
        };
        if !metadata.is_file() {
            self.note(Problem::Unreadable { path: path.to_owned(), reason: say::not_regular_file() });
            return None;
        }
        let mut bytes = Vec::new();
        if let Err(error) = fs::File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        {
            self.unreadable(path, &error);
            return None;
        }
        if bytes.len() as u64 > limit {
            self.note(Problem::TooLarge { path: path.to_owned(), limit });
            return None;
        }
        Some(bytes)
    }

    /// The text of a regular file of at most `limit` bytes, without a byte order mark.
    pub(crate) fn text(&mut self, path: &Path, limit: u64) -> Option<String> {
        match String::from_utf8(self.bytes(path, limit)?) {
            Ok(mut text) => {
                if text.starts_with('\u{feff}') {
                    text.remove(0);
                }
                Some(text)
            }
            Err(_) => {
                self.note(Problem::Unreadable { path: path.to_owned(), reason: say::not_utf_8_text() });
                None
            }
        }
    }

    /// A JSON settings file.
    pub(crate) fn json(&mut self, path: &Path) -> Option<Value> {
        let text = self.text(path, MAX_SETTINGS_BYTES)?;
        self.parsed(path, serde_json::from_str(&text).map_err(|error| Message::verbatim(error.to_string())))
    }

    /// A settings file in JSON with comments, trailing commas and the like.
    pub(crate) fn json5(&mut self, path: &Path) -> Option<Value> {
        let text = self.text(path, MAX_SETTINGS_BYTES)?;
        let parsed = if deepest_nesting(&text) > MAX_JSON5_DEPTH {
            Err(say::nested_too_deeply())
        } else {
            json5::from_str(&text).map_err(|error| Message::verbatim(error.to_string()))
        };
        self.parsed(path, parsed)
    }

    /// A settings file in TOML, as the JSON it would be.
    pub(crate) fn toml(&mut self, path: &Path) -> Option<Value> {
        let text = self.text(path, MAX_SETTINGS_BYTES)?;
        self.parsed(
            path,
            toml::from_str(&text).map_err(|error: toml::de::Error| Message::verbatim(error.message())),
        )
    }

    fn parsed(&mut self, path: &Path, parsed: Result<Value, Message>) -> Option<Value> {
        match parsed {
            Ok(value) => Some(value),
            Err(message) => {
                self.note(Problem::Damaged { path: path.to_owned(), message });
                None
            }
        }
    }

    /// A setting of a parsed file: `read` says what it must be. Absent and null are `None` without a problem.
    pub(crate) fn setting<'a, T>(
        &mut self,
        path: &Path,
        object: &'a Value,
        key: &str,
        expected: Message,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = object.get(key).filter(|value| !value.is_null())?;
        let read = read(value);
        if read.is_none() {
            self.note(Problem::WrongType {
                path: path.to_owned(),
                key: Message::verbatim(key),
                expected,
                found: type_name(value),
            });
        }
        read
    }

    /// The entries of a directory, by name. Nothing when it is not there.
    pub(crate) fn entries(&mut self, directory: &Path) -> Vec<Entry> {
        let listing = match fs::read_dir(directory) {
            Ok(listing) => listing,
            Err(error) => {
                self.unreadable(directory, &error);
                return Vec::new();
            }
        };
        let mut entries = Vec::new();
        for entry in listing.flatten() {
            if entries.len() == MAX_ENTRIES {
                self.note(Problem::TooMany { path: directory.to_owned(), limit: MAX_ENTRIES });
                break;
            }
            let sort = entry.file_type().map_or(Sort::Other, sort_of);
            let name = entry.file_name().to_string_lossy().into_owned();
            entries.push(Entry { name, path: entry.path(), sort });
        }
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        entries
    }

    /// The directories directly inside a directory, by name; links are reported and left out.
    pub(crate) fn directories(&mut self, directory: &Path) -> Vec<Entry> {
        let (directories, rest): (Vec<_>, Vec<_>) =
            self.entries(directory).into_iter().partition(|entry| entry.sort == Sort::Directory);
        for entry in rest {
            if entry.sort == Sort::Link && entry.path.is_dir() {
                self.note(Problem::Link { path: entry.path });
            }
        }
        directories
    }

    /// The directory at `parts` below `base` when it is there and no part of the way is a link. `base` itself is taken as
    /// it is: the user chose it.
    pub(crate) fn directory(&mut self, base: &Path, parts: &[impl AsRef<OsStr>]) -> Option<PathBuf> {
        let mut path = base.to_path_buf();
        for part in parts {
            path.push(part.as_ref());
            let metadata = match fs::symlink_metadata(&path) {
                Ok(metadata) => metadata,
                Err(error) => {
                    self.unreadable(&path, &error);
                    return None;
                }
            };
            if metadata.is_symlink() && path.is_dir() {
                self.note(Problem::Link { path: path.clone() });
            }
            if !metadata.is_dir() {
                return None;
            }
        }
        Some(path)
    }

    /// The beginning of a regular file that is not a link: at most `limit` bytes. Missing and unreadable are `None`.
    pub(crate) fn beginning(&mut self, path: &Path, limit: u64) -> Option<Vec<u8>> {
        if !is_file(path) {
            return None;
        }
        let mut bytes = Vec::new();
        match fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)) {
            Ok(_) => Some(bytes),
            Err(error) => {
                self.unreadable(path, &error);
                None
            }
        }
    }

    /// Counts the files of a directory that are memories by the default rules, and says whether the count is whole.
    pub(crate) fn count_memories(&mut self, root: &Path) -> (u64, bool) {
        let rules = Rules::default();
        let (mut files, mut complete) = (0, true);
        let mut waiting = vec![(root.to_path_buf(), 0)];
        while let Some((directory, depth)) = waiting.pop() {
            let Ok(listing) = fs::read_dir(&directory).map_err(|error| self.unreadable(&directory, &error))
            else {
                complete = false;
                continue;
            };
            for entry in listing.flatten() {
                let name = entry.file_name();
                match entry.file_type().map_or(Sort::Other, sort_of) {
                    Sort::File if rules.leaves_out_file(name.as_encoded_bytes()).is_none() => files += 1,
                    Sort::Directory if rules.leaves_out_directory(name.as_encoded_bytes()).is_some() => {}
                    Sort::Directory if depth < MAX_COUNT_DEPTH => waiting.push((entry.path(), depth + 1)),
                    Sort::Directory => complete = false,
                    _ => {}
                }
                if files == MAX_COUNTED_FILES || waiting.len() as u64 > MAX_COUNTED_FILES {
                    return (files, false);
                }
            }
        }
        (files, complete)
    }
}

/// True if a regular file, not a link, is there.
pub(crate) fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// True if a directory is there, links followed. A path that is not absolute here, such as one of another platform, would be
/// searched below our own working directory and is never there.
pub(crate) fn is_directory(path: &Path) -> bool {
    path.is_absolute() && path.is_dir()
}

fn sort_of(kind: fs::FileType) -> Sort {
    if kind.is_symlink() {
        Sort::Link
    } else if kind.is_dir() {
        Sort::Directory
    } else if kind.is_file() {
        Sort::File
    } else {
        Sort::Other
    }
}

pub(crate) fn type_name(value: &Value) -> Message {
    match value {
        Value::Null => Message::verbatim("null"),
        Value::Bool(_) => say::true_or_false(),
        Value::Number(_) => say::number(),
        Value::String(_) => say::text(),
        Value::Array(_) => say::list(),
        Value::Object(_) => say::object(),
    }
}

/// The most brackets open at once, brackets inside text included: an upper bound is enough for a guard.
fn deepest_nesting(text: &str) -> usize {
    let (mut open, mut deepest) = (0usize, 0);
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' => open += 1,
            b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    deepest
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "scan";
    not_regular_file() => "not a regular file",
    not_utf_8_text() => "not UTF-8 text",
    nested_too_deeply() => "nested too deeply",
    true_or_false() => "true or false",
    number() => "a number",
    list() => "a list",
    object() => "an object",
    text() => "text",
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Home;

    #[test]
    fn json5_that_nests_without_end_is_a_problem_and_not_a_crash() {
        let home = Home::new();
        home.write("deep.json", &"[".repeat(1_000_000));
        home.write("plain.json", "{a: 'b', /* c */ d: [1,],}");
        let mut scan = Scan::default();
        assert_eq!(scan.json5(&home.path("deep.json")), None);
        assert_eq!(scan.json5(&home.path("plain.json")).unwrap()["a"], "b");
        assert!(matches!(&scan.into_problems()[..], [Problem::Damaged { .. }]));
    }

    #[test]
    fn counting_follows_the_rules_of_the_model() {
        let home = Home::new();
        for file in ["m/a.md", "m/logs/2026/11/b.md", "m/.hidden", "m/c.tmp", "m/.git/config", "m/x~"] {
            home.write(file, "");
        }
        assert_eq!(Scan::default().count_memories(&home.path("m")), (2, true));
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_text() {
        let home = Home::new();
        home.write("s.json", "\u{feff}{\"a\": 1}");
        let mut scan = Scan::default();
        assert!(scan.json(&home.path("s.json")).is_some());
        assert_eq!(scan.into_problems(), []);
    }
}
