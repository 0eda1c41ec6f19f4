//! Validation of configured memory directories.

use retrace_message::AsMessage;
use std::path::{Path, PathBuf};
use thiserror::Error;
use unicode_normalization::UnicodeNormalization as _;

/// Why a configured memory directory is refused. Each carries the text as it was configured.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Error, AsMessage)]
#[message("memory_path")]
pub enum RefusedPath {
    /// Nothing was given.
    #[error("the memory directory is empty")]
    Empty,
    /// Holds a NUL byte.
    #[error("{0:?} holds a NUL byte")]
    Nul(String),
    /// Neither absolute nor below `~/`.
    #[error("{0:?} is relative; a memory directory must be absolute or begin with ~/")]
    Relative(String),
    /// A network share, or a path that begins with two separators.
    #[error("{0:?} begins with two separators, which names a network share")]
    Network(String),
    /// A drive letter and nothing below it.
    #[error("{0:?} is a whole drive")]
    BareDrive(String),
    /// The root of the file system, or a directory directly below it.
    #[error("{0:?} is the root of the file system or lies directly below it")]
    NearRoot(String),
    /// The home directory, or a directory that holds it.
    #[error("{0:?} is the home directory or holds it")]
    HoldsHome(String),
}

/// Reads a configured memory directory the way Claude Code does: absolute, or `~/` for `home`; relative paths, the root
/// and what lies directly below it, a bare drive letter, UNC and `//` paths, and NUL bytes are refused; the text is put in
/// Unicode normal form C. Sources: Claude Code documentation, memory page (`autoMemoryDirectory`), and third-party
/// descriptions of the refused values.
///
/// `.` and `..` are resolved in the text, doubled and trailing separators removed. A path that begins with a drive letter
/// is read by Windows rules on every platform. Stricter than described for the agent: the home directory itself, or one
/// above it, is refused too, because recording it would record everything the user has.
///
/// # Errors
/// [`RefusedPath`] with the reason.
pub fn validate_memory_path(text: &str, home: &Path) -> Result<PathBuf, RefusedPath> {
    let composed: String = text.nfc().collect();
    if composed.is_empty() {
        return Err(RefusedPath::Empty);
    }
    if composed.contains('\0') {
        return Err(RefusedPath::Nul(text.to_owned()));
    }
    let expanded = match (composed.strip_prefix("~/"), home.to_str()) {
        (Some(rest), Some(home)) => format!("{}/{rest}", home.trim_end_matches('/')),
        (Some(rest), None) => return below_unreadable_home(text, rest, home),
        (None, _) => composed,
    };
    let path = Absolute::parse(&expanded, text)?;
    if path.components.len() < 2 {
        return Err(RefusedPath::NearRoot(text.to_owned()));
    }
    if home.to_str().and_then(|home| Absolute::parse(home, home).ok()).is_some_and(|home| path.holds(&home)) {
        return Err(RefusedPath::HoldsHome(text.to_owned()));
    }
    Ok(path.to_path())
}

/// A home that is not UTF-8 cannot be taken apart as text; what lies below it is still plain to join.
fn below_unreadable_home(text: &str, rest: &str, home: &Path) -> Result<PathBuf, RefusedPath> {
    let components = normalised(rest.split('/'));
    if components.is_empty() || rest.split('/').any(|part| part == "..") {
        return Err(RefusedPath::HoldsHome(text.to_owned()));
    }
    Ok(components.iter().fold(home.to_path_buf(), |path, part| path.join(part)))
}

/// An absolute path taken apart: Windows with its drive letter, or Unix.
struct Absolute {
    drive: Option<char>,
    components: Vec<String>,
}

impl Absolute {
    fn parse(path: &str, given: &str) -> Result<Self, RefusedPath> {
        let is_separator = |letter: char| letter == '/' || letter == '\\';
        let mut letters = path.chars();
        let (first, second) = (letters.next(), letters.next());
        if first.is_some_and(is_separator) && second.is_some_and(is_separator) {
            return Err(RefusedPath::Network(given.to_owned()));
        }
        if let (Some(drive), Some(':')) = (first.filter(char::is_ascii_alphabetic), second) {
            let rest = letters.as_str();
            if rest.chars().all(is_separator) {
                return Err(RefusedPath::BareDrive(given.to_owned()));
            }
            if !rest.starts_with(is_separator) {
                return Err(RefusedPath::Relative(given.to_owned()));
            }
            let components = normalised(rest.split(is_separator));
            return Ok(Self { drive: Some(drive.to_ascii_uppercase()), components });
        }
        if first != Some('/') {
            return Err(RefusedPath::Relative(given.to_owned()));
        }
        Ok(Self { drive: None, components: normalised(path.split('/')) })
    }

    /// `true` when `other` is this directory or lies below it. Windows names differ in case only by accident.
    fn holds(&self, other: &Self) -> bool {
        let same = |(mine, theirs): (&String, &String)| {
            if self.drive.is_some() { mine.to_lowercase() == theirs.to_lowercase() } else { mine == theirs }
        };
        self.drive == other.drive
            && self.components.len() <= other.components.len()
            && self.components.iter().zip(&other.components).all(same)
    }

    fn to_path(&self) -> PathBuf {
        match self.drive {
            Some(drive) => PathBuf::from(format!("{drive}:\\{}", self.components.join("\\"))),
            None => PathBuf::from(format!("/{}", self.components.join("/"))),
        }
    }
}

fn normalised<'a>(parts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut components: Vec<String> = Vec::new();
    for part in parts {
        match part {
            "" | "." => {}
            ".." => drop(components.pop()),
            name => components.push(name.to_owned()),
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn validate(text: &str) -> Result<PathBuf, RefusedPath> {
        validate_memory_path(text, Path::new("/home/me"))
    }

    #[test]
    fn accepted() {
        for (text, path) in [
            ("/srv/memory", "/srv/memory"),
            ("/srv/memory/", "/srv/memory"),
            ("/srv//memory///", "/srv/memory"),
            ("/srv/x/../memory/.", "/srv/memory"),
            ("~/notes", "/home/me/notes"),
            ("~/a/../notes/", "/home/me/notes"),
            ("~/cafe\u{301}", "/home/me/caf\u{e9}"),
            ("C:\\Users\\me\\memory\\", "C:\\Users\\me\\memory"),
            ("d:/notes/memory", "D:\\notes\\memory"),
        ] {
            assert_eq!(validate(text), Ok(PathBuf::from(path)), "{text:?}");
        }
    }

    #[test]
    fn refused() {
        type Reason = fn(String) -> RefusedPath;
        let cases: [(&str, Reason); 24] = [
            ("a\0b", RefusedPath::Nul),
            ("memory", RefusedPath::Relative),
            ("./memory", RefusedPath::Relative),
            ("../memory", RefusedPath::Relative),
            ("~", RefusedPath::Relative),
            ("~other/memory", RefusedPath::Relative),
            ("\\memory\\x", RefusedPath::Relative),
            ("C:memory\\x", RefusedPath::Relative),
            (".claude/memory", RefusedPath::Relative),
            ("//server/share/x", RefusedPath::Network),
            ("\\\\server\\share\\x", RefusedPath::Network),
            ("\\\\?\\C:\\a\\b", RefusedPath::Network),
            ("/\\server/share", RefusedPath::Network),
            ("C:", RefusedPath::BareDrive),
            ("c:\\", RefusedPath::BareDrive),
            ("C:/", RefusedPath::BareDrive),
            ("/", RefusedPath::NearRoot),
            ("/srv", RefusedPath::NearRoot),
            ("/srv/x/..", RefusedPath::NearRoot),
            ("/home", RefusedPath::NearRoot),
            ("C:\\memory", RefusedPath::NearRoot),
            ("/home/me", RefusedPath::HoldsHome),
            ("~/", RefusedPath::HoldsHome),
            ("~/x/..", RefusedPath::HoldsHome),
        ];
        for (text, reason) in cases {
            assert_eq!(validate(text), Err(reason(text.to_owned())), "{text:?}");
        }
        assert_eq!(validate(""), Err(RefusedPath::Empty));
    }

    #[test]
    fn a_windows_home_is_understood_everywhere() {
        let home = Path::new("C:\\Users\\me");
        assert_eq!(validate_memory_path("~/notes", home), Ok(PathBuf::from("C:\\Users\\me\\notes")));
        let refused = RefusedPath::HoldsHome("c:\\users\\ME".to_owned());
        assert_eq!(validate_memory_path("c:\\users\\ME", home), Err(refused));
    }

    proptest! {
        #[test]
        fn no_text_panics_and_what_is_accepted_is_deep_enough(text: String) {
            if let Ok(path) = validate(&text) {
                prop_assert!(path.as_os_str().len() > 3);
            }
        }
    }
}
