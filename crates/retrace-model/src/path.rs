//! Paths inside a store.

use retrace_message::AsMessage;
use std::fmt;
use thiserror::Error;

/// A path relative to a store's root: `/` between components, any bytes in them, never a way out.
///
/// File names on Unix are bytes. The *text form* is what people and JSON see: valid UTF-8 stands as it is, every other
/// byte as `\xHH`, and a backslash that really stands before `xHH` as `\x5c`, so that the form always reads back.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Box<[u8]>);

/// A path that cannot be one inside a store.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("path")]
pub enum PathError {
    /// Nothing was given.
    #[error("the path is empty")]
    Empty,
    /// Begins at the root of the file system.
    #[error("{0:?} is absolute; give it relative to the store")]
    Absolute(String),
    /// Has an empty, `.` or `..` component.
    #[error("{0:?} has an empty, \".\" or \"..\" component")]
    Component(String),
    /// Holds a NUL byte.
    #[error("the path holds a NUL byte")]
    Nul,
}

impl RelPath {
    /// Takes the bytes of a path with `/` between components.
    ///
    /// # Errors
    /// [`PathError`] when the path is empty, absolute, holds a NUL byte or an empty, `.` or `..` component.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Self, PathError> {
        let bytes = bytes.into();
        if bytes.is_empty() {
            return Err(PathError::Empty);
        }
        if bytes.contains(&0) {
            return Err(PathError::Nul);
        }
        if bytes[0] == b'/' {
            return Err(PathError::Absolute(to_text(&bytes)));
        }
        if bytes.split(|byte| *byte == b'/').any(|part| matches!(part, b"" | b"." | b"..")) {
            return Err(PathError::Component(to_text(&bytes)));
        }
        Ok(Self(bytes.into_boxed_slice()))
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// As [`RelPath::from_bytes`].
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let source = text.as_bytes();
        let mut bytes = Vec::with_capacity(source.len());
        let mut at = 0;
        while at < source.len() {
            if let Some(byte) = escape_at(source, at) {
                bytes.push(byte);
                at += 4;
            } else {
                bytes.push(source[at]);
                at += 1;
            }
        }
        Self::from_bytes(bytes)
    }

    /// The bytes as the file system has them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text form.
    #[must_use]
    pub fn to_text(&self) -> String {
        to_text(&self.0)
    }

    /// The components from the top, each non-empty.
    pub fn components(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|byte| *byte == b'/')
    }

    /// The last component.
    #[must_use]
    pub fn file_name(&self) -> &[u8] {
        self.components().last().unwrap_or(&self.0)
    }

    /// The path of the directory that holds it; `None` for a path directly in the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let end = self.0.iter().rposition(|byte| *byte == b'/')?;
        Some(Self(self.0[..end].into()))
    }

    /// `true` when this path is `directory` itself or lies below it.
    #[must_use]
    pub fn is_within(&self, directory: &Self) -> bool {
        self.0.strip_prefix(&*directory.0).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    }

    /// The path with one more component.
    ///
    /// # Errors
    /// [`PathError`] when `name` is not one component.
    pub fn join(&self, name: &[u8]) -> Result<Self, PathError> {
        Self::from_bytes([&self.0, &b"/"[..], name].concat())
    }
}

/// The byte that the four characters `\xHH` at `at` stand for.
fn escape_at(bytes: &[u8], at: usize) -> Option<u8> {
    let [b'\\', b'x', high, low] = bytes.get(at..at + 4)? else { return None };
    let value = char::from(*high).to_digit(16)? * 16 + char::from(*low).to_digit(16)?;
    u8::try_from(value).ok()
}

fn to_text(bytes: &[u8]) -> String {
    use fmt::Write as _;
    let mut text = String::with_capacity(bytes.len());
    let mut offset = 0;
    for chunk in bytes.utf8_chunks() {
        for (at, letter) in chunk.valid().char_indices() {
            if letter == '\\' && escape_at(bytes, offset + at).is_some() {
                text.push_str("\\x5c");
            } else {
                text.push(letter);
            }
        }
        for byte in chunk.invalid() {
            write!(text, "\\x{byte:02x}").expect("writing to a String cannot fail");
        }
        offset += chunk.valid().len() + chunk.invalid().len();
    }
    text
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_text_form_reads_back(bytes in proptest::collection::vec(prop_oneof![Just(b'\\'), Just(b'x'), Just(b'a'), Just(b'/'), any::<u8>()], 1..20)) {
            if let Ok(path) = RelPath::from_bytes(bytes) {
                prop_assert_eq!(RelPath::parse(&path.to_text()), Ok(path));
            }
        }
    }

    #[test]
    fn ways_out_are_refused() {
        for text in ["", "/etc/passwd", "..", "a/../b", "a//b", "a/", "./a", "a/.", "a\0b", "\\x2e\\x2e/b"] {
            assert!(RelPath::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn invalid_utf8_is_shown_escaped() {
        let path = RelPath::from_bytes(&b"caf\xe9/a.md"[..]).expect("a path");
        assert_eq!(path.to_text(), "caf\\xe9/a.md");
        assert_eq!(path.file_name(), b"a.md");
        assert!(path.is_within(&path.parent().expect("a parent")));
    }
}
