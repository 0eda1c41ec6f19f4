//! What mends a finding, as data: an act of the program with its arguments, which a shell offers as a button or a command.
//!
//! Deliberately absent: doing it, and switching a rule off, which mends nothing.

use crate::finding::Span;
use crate::registry::Rule;

/// An act that mends a finding. The path it is about is the finding's own unless it says another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Take back what an operation did to files.
    PutBack {
        /// The operation.
        operation: u64,
    },
    /// Redact exactly what stands there, in the file and in all of its history.
    Redact {
        /// The rule that found it.
        rule: String,
        /// Its first byte.
        start: u64,
    },
    /// Take characters out that are not seen.
    StripCharacter {
        /// The rule that found them.
        rule: String,
        /// First byte.
        start: u64,
        /// The byte after the last.
        end: u64,
    },
    /// Move lines of an index into a topic file.
    MoveLines {
        /// First line, from 1: where there is one, the last that is loaded, which makes room for the link to the topic.
        from: u32,
        /// Last line.
        to: u32,
    },
    /// Look at the place.
    Open {
        /// Path below the directory.
        path: String,
        /// Line, from 1.
        line: u32,
    },
}

/// Rules whose finding is a run of characters that can be taken out.
const STRIPPED: [&str; 5] =
    ["hidden/zero-width", "hidden/bidi", "hidden/tag", "hidden/control", "hidden/other"];

/// What mends a finding of `rule` at `span`, in which `found` stands: the first is what does most.
pub(crate) fn remedies(rule: &Rule, path: &str, span: Option<&Span>, found: &str) -> Vec<Remedy> {
    let mut remedies = Vec::new();
    if let Some(span) = span {
        let (start, end) = (span.bytes.start as u64, span.bytes.end as u64);
        if rule.sensitive {
            remedies.push(Remedy::Redact { rule: rule.id.clone(), start });
        } else if STRIPPED.contains(&rule.id.as_str()) && !is_replaced(found) {
            remedies.push(Remedy::StripCharacter { rule: rule.id.clone(), start, end });
        }
    }
    if !path.is_empty() {
        let line = span.map_or(1, |span| span.start.line);
        remedies.push(Remedy::Open { path: path.to_owned(), line });
    }
    remedies
}

/// True if `found` is bytes that are not UTF-8, which stand as `?`: taking them out would lose what they stood for.
fn is_replaced(found: &str) -> bool {
    found.bytes().all(|byte| byte == b'?')
}
