//! Remedies of a finding, as data: an act of the program, which a shell offers as a button or a command. The subject of the act is
//! the finding's own rule, path and span.
//!
//! Deliberately absent: doing it, and switching a rule off, which mends nothing.

use crate::finding::Span;
use crate::registry::Rule;
use std::ops::RangeInclusive;

/// An act that mends a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Take back what this operation did to what the finding is about: the memory at its path, or what was deleted.
    PutBack(u64),
    /// Redact exactly what stands there, in the file and in all of its history.
    Redact,
    /// Take characters out that are not seen.
    StripCharacter,
    /// Move these lines of an index, from 1, into a topic file: from the last that is loaded on, where there is one, which makes
    /// room for the link to the topic.
    MoveLines(RangeInclusive<u32>),
    /// Look at the sessions that had these lines, from 1, and why the others did not.
    Reach(RangeInclusive<u32>),
    /// Look at the place.
    Open,
}

/// Rules whose finding is a run of characters that can be taken out.
const STRIPPED: [&str; 5] =
    ["hidden/zero-width", "hidden/bidi", "hidden/tag", "hidden/control", "hidden/other"];

/// Remedies of a finding of `rule` at `span`, in which `found` stands: the first is what does most.
pub(crate) fn remedies(rule: &Rule, path: &str, span: Option<&Span>, found: &str) -> Vec<Remedy> {
    let mut remedies = Vec::new();
    if span.is_some() {
        if rule.sensitive {
            remedies.push(Remedy::Redact);
        } else if STRIPPED.contains(&rule.id.as_str()) && !is_replaced(found) {
            remedies.push(Remedy::StripCharacter);
        }
    }
    if !path.is_empty() {
        remedies.push(Remedy::Open);
    }
    remedies
}

/// True if `found` is bytes that are not UTF-8, which stand as `?`: taking them out would lose what they stood for.
fn is_replaced(found: &str) -> bool {
    found.bytes().all(|byte| byte == b'?')
}
