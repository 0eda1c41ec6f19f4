//! Takes redacted content out of imported content.

use super::{PastLine, PastLines, PastVersion};
use crate::Tags;
use retrace_model::RelPath;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Parts of imported content that were redacted before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Versions that hold it in their content, their note or the name of their writer, by path: a marker stands in its place.
    pub contents: BTreeMap<RelPath, u64>,
    /// Versions whose path holds it. They are left out, because no marker can stand in a path.
    pub paths: u64,
}

impl Found {
    /// Number of versions.
    #[must_use]
    pub fn versions(&self) -> u64 {
        self.paths + self.contents.values().sum::<u64>()
    }
}

/// A line of the past without what was redacted.
pub(super) fn line<'l>(tags: &Tags, line: &'l PastLine, found: &mut Found) -> Cow<'l, PastLine> {
    if tags.is_empty() {
        return Cow::Borrowed(line);
    }
    let versions = line.versions.iter().filter_map(|version| self::version(tags, version, found)).collect();
    Cow::Owned(PastLine { versions })
}

fn version(tags: &Tags, version: &PastVersion, found: &mut Found) -> Option<PastVersion> {
    if tags.without_in_text(&version.path.to_text()).is_some() {
        found.paths += 1;
        return None;
    }
    let mut clean = version.clone();
    let content = version.content.as_deref().and_then(|bytes| tags.without(bytes));
    let note = version.note.as_deref().and_then(|note| tags.without_in_text(note));
    let actor = tags.without_in_actor(&version.actor);
    if content.is_some() || note.is_some() || actor.is_some() {
        *found.contents.entry(version.path.clone()).or_default() += 1;
    }
    // A marker may stand in the place of several lines: then nothing is known of any by its number.
    let lines =
        |bytes: Option<&Vec<u8>>| bytes.map(|bytes| bytes.iter().filter(|byte| **byte == b'\n').count());
    if content.is_some() && lines(content.as_ref()) != lines(version.content.as_ref()) {
        clean.told = PastLines::default();
    }
    clean.content = content.or(clean.content);
    clean.note = note.or(clean.note);
    clean.actor = actor.unwrap_or(clean.actor);
    Some(clean)
}
