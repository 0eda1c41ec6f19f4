//! Finding of a rule about a place.

use crate::registry::Rule;
use crate::remedy::Remedy;
use crate::text::Position;
use retrace_message::{AsMessage, Message};
use retrace_model::Sha256;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::str::FromStr;
use thiserror::Error;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Something does not work as it looks.
    Warning,
    /// Harm is done or near: a secret stands there, or text that a person does not see.
    Error,
}

/// A word that is no severity.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("severity")]
#[error("{0:?} is not one of: note, warning, error")]
pub struct UnknownSeverity(
    /// Given word.
    pub String,
);

impl Severity {
    /// `note`, `warning` or `error`; the words of SARIF too.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Severity {
    type Err = UnknownSeverity;

    fn from_str(text: &str) -> Result<Self, UnknownSeverity> {
        [Self::Note, Self::Warning, Self::Error]
            .into_iter()
            .find(|severity| severity.as_str() == text)
            .ok_or_else(|| UnknownSeverity(text.to_owned()))
    }
}

/// Where in a content, in bytes and as people count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte, and the byte after the last.
    pub bytes: Range<usize>,
    /// Where the first character stands.
    pub start: Position,
    /// Where the character after the last would stand.
    pub end: Position,
}

impl Span {
    /// By first byte and, at one, by the last.
    pub(crate) fn order(span: Option<&Self>) -> Option<(usize, usize)> {
        span.map(|span| (span.bytes.start, span.bytes.end))
    }
}

/// One finding. No field holds a secret or personal data in full: messages have them masked, and the hash of what was
/// found is cut to 16 bits for them ([`Evidence`]).
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// Severity here: the rule's own severity or what the configuration makes of it.
    pub severity: Severity,
    /// The path below the directory; empty for the directory as a whole.
    pub path: String,
    /// Where in the file; `None` for the file (or the directory) as a whole.
    pub span: Option<Span>,
    /// One sentence about this place.
    pub message: Message,
    /// Evidence, so that the same finding is known again when lines move.
    pub evidence: Evidence,
    /// Acts that mend it, the one that does most first.
    pub remedies: Vec<Remedy>,
    /// Further findings of the rule in the file, which are counted and not listed; none but with the last of very many.
    pub rest: Rest,
    /// Text behind it that it is about as well: more of it, or another, is new.
    pub behind: Behind,
}

/// Text behind a finding that it is about as well, such as what follows the line at which an index is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Behind {
    /// Its lines.
    pub lines: u64,
    /// Hash of them, by which two contents are compared. Nothing writes it anywhere.
    pub(crate) digest: u64,
}

impl Behind {
    /// Some text.
    pub(crate) fn of(text: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Self { lines: text.lines().count() as u64, digest: hasher.finish() }
    }

    /// True if it is more than before, or as much and another. Less is nothing new.
    pub(crate) const fn is_more_than(self, before: Self) -> bool {
        self.lines > before.lines || self.lines == before.lines && self.digest != before.digest
    }
}

/// Findings of one rule in one file that are counted and not listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rest {
    /// How many.
    pub count: u64,
    /// The line, from 1, on which the last of them ends; 0 without any.
    pub last_line: u32,
    /// Sum of hashes of what was found, by which two contents are compared. Nothing writes it anywhere.
    pub(crate) digest: u64,
}

impl Finding {
    /// Line and column for people: 1 and 1 where the whole file is meant.
    #[must_use]
    pub fn position(&self) -> Position {
        self.span.as_ref().map_or(Position { line: 1, column: 1 }, |span| span.start)
    }

    /// How many findings it stands for: itself, and those that are counted with it.
    #[must_use]
    pub const fn count(&self) -> u64 {
        1 + self.rest.count
    }

    /// Advice.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        &self.rule.remedy
    }
}

/// A hash of what was found. Of a secret or of personal data only 16 bits are kept, which tell two of them apart nearly
/// always and give none of them away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Evidence(pub(crate) [u8; 16]);

impl Evidence {
    /// Its first eight bytes: tells two findings of one rule in one content apart.
    #[must_use]
    pub fn number(self) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.0[..8]);
        u64::from_le_bytes(first)
    }

    /// Of anything but a secret or personal data.
    pub(crate) fn of(text: &str) -> Self {
        let mut kept = [0; 16];
        kept.copy_from_slice(&Sha256::of(text.as_bytes()).0[..16]);
        Self(kept)
    }

    /// Of a secret or of personal data.
    pub(crate) fn of_sensitive(text: &str) -> Self {
        let mut kept = [0; 16];
        kept[..2].copy_from_slice(&Sha256::of(text.as_bytes()).0[..2]);
        Self(kept)
    }
}
