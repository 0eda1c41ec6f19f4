//! Paths of memories.

use crate::limits::{PATH_BYTES, PATH_SEGMENTS};
use crate::refusal::Refusal;
use retrace_message::Message;
use retrace_model::RelPath;
use std::fmt;
use unicode_normalization::is_nfc;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// A path of a memory: it begins with a slash and names one place in its store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryPath(String);

/// Prefix of listed paths: it begins and ends with a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix(String);

impl MemoryPath {
    /// Reads a path.
    ///
    /// # Errors
    /// The refusal that says which rule it breaks. Rules: Python SDK 2.11.0, `MemoryCreateParams.path`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let Some(rest) = text.strip_prefix('/') else {
            return Err(Refusal::invalid("path", say::must_start()));
        };
        check("path", text, rest)?;
        Ok(Self(text.to_owned()))
    }

    /// The path of a file in a directory, where the API can name it at all.
    #[must_use]
    pub fn of(path: &RelPath) -> Option<Self> {
        let text = std::str::from_utf8(path.as_bytes()).ok()?;
        Self::parse(&format!("/{text}")).ok()
    }

    /// The text, slash included.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same place relative to the root of the store.
    #[must_use]
    pub fn relative(&self) -> RelPath {
        RelPath::from_bytes(&self.0.as_bytes()[1..])
            .expect("a path of the API has no empty, dot or NUL segment")
    }
}

impl fmt::Display for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Prefix {
    /// Everything.
    #[must_use]
    pub fn root() -> Self {
        Self("/".to_owned())
    }

    /// Reads a prefix.
    ///
    /// # Errors
    /// The refusal that says which rule it breaks.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        if text == "/" {
            return Ok(Self::root());
        }
        let Some(rest) = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) else {
            return Err(Refusal::invalid("path_prefix", "must start and end with '/'"));
        };
        check("path_prefix", text, rest)?;
        Ok(Self(text.to_owned()))
    }

    /// The text, both slashes included.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The prefix relative to the root of the store begin with; empty for everything.
    #[must_use]
    pub fn relative(&self) -> &[u8] {
        &self.0.as_bytes()[1..]
    }
}

/// `text` is the whole, `rest` what is left between its outer slashes.
fn check(field: &str, text: &str, rest: &str) -> Result<(), Refusal> {
    let refuse = |what: Message| Err(Refusal::invalid(field, what));
    if text.len() > PATH_BYTES {
        return refuse(say::must_most_bytes(PATH_BYTES));
    }
    let mut segments = 0;
    for segment in rest.split('/') {
        segments += 1;
        match segment {
            "" => return refuse(say::must_not_contain_empty_segment()),
            "." | ".." => return refuse(say::must_not_contain_or_segments()),
            _ => {}
        }
    }
    if segments > PATH_SEGMENTS {
        return refuse(say::must_most_segments(PATH_SEGMENTS));
    }
    for letter in text.chars() {
        match letter.general_category() {
            GeneralCategory::Control => return refuse(say::must_not_contain_control_characters()),
            GeneralCategory::Format => return refuse(say::must_not_contain_format_characters()),
            GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator => {
                return refuse(say::must_not_contain_line_or());
            }
            _ => {}
        }
    }
    if !is_nfc(text) {
        return refuse(say::must_unicode_normalization_form_c());
    }
    Ok(())
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "path";
    must_start() => "must start with '/'",
    must_most_bytes(value) => "must be at most {value} bytes",
    must_not_contain_empty_segment() => "must not contain an empty segment",
    must_not_contain_or_segments() => "must not contain '.' or '..' segments",
    must_most_segments(value) => "must have at most {value} segments",
    must_not_contain_control_characters() => "must not contain control characters",
    must_not_contain_format_characters() => "must not contain format characters",
    must_not_contain_line_or() => "must not contain line or paragraph separators",
    must_unicode_normalization_form_c() => "must be in Unicode Normalization Form C",
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_rules_by_example() {
        for text in ["/a", "/a/b.md", "/.env", "/a b/ü", "/…", "/a\\b", "/..a/b..", "/~", "/%2e%2e/x"] {
            assert!(MemoryPath::parse(text).is_ok(), "{text:?}");
        }
        for text in [
            "",
            "a",
            "/",
            "//",
            "/a/",
            "/a//b",
            "/.",
            "/..",
            "/a/../b",
            "/a/./b",
            "/a\u{0}",
            "/a\nb",
            "/a\u{200b}b",
            "/a\u{2028}b",
            "/a\u{2029}",
            "/e\u{301}",
            "/a\u{85}",
            "/\u{feff}a",
        ] {
            assert!(MemoryPath::parse(text).is_err(), "{text:?}");
        }
        assert!(MemoryPath::parse(&"/a".repeat(20)).is_ok());
        assert!(MemoryPath::parse(&"/a".repeat(21)).is_err());
        assert!(MemoryPath::parse(&format!("/{}", "a".repeat(1023))).is_ok());
        assert!(MemoryPath::parse(&format!("/{}", "a".repeat(1024))).is_err());
    }

    #[test]
    fn prefixes_by_example() {
        for text in ["/", "/a/", "/a/b/"] {
            assert_eq!(Prefix::parse(text).expect("a prefix").as_str(), text);
        }
        for text in ["", "a/", "/a", "//", "/a//", "/../", "/a/./"] {
            assert!(Prefix::parse(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_passes_stays_in_its_store(text in "(/|\\.|\\.\\.|[a-c]|\\PC|\\s){0,30}") {
            if let Ok(path) = MemoryPath::parse(&text) {
                let relative = path.relative();
                prop_assert!(relative.components().all(|part| !matches!(part, b"" | b"." | b"..")));
                prop_assert_eq!(MemoryPath::of(&relative), Some(path));
            }
        }

        #[test]
        fn no_text_panics(text: String) {
            let _ = MemoryPath::parse(&text);
            let _ = Prefix::parse(&text);
        }
    }
}
