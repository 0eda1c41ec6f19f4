//! Takes redacted content out of imported content.

use super::{PastLine, PastLines, PastVersion};
use crate::kept_out::{Fate, Places};
use crate::{LogError, MARKER, Tags};
use retrace_model::{MemoryId, RelPath};
use rusqlite::Connection;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Parts of imported content that were redacted before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Versions that hold it in their content, their note or the name of their writer, by path: a marker stands in its place.
    pub contents: BTreeMap<RelPath, u64>,
    /// Versions that are in the log already, redacted, or may have been redacted with their path, by path. They are left out.
    pub left_out: BTreeMap<RelPath, u64>,
    /// Versions whose path holds it. They are left out, because no marker can stand in a path.
    pub paths: u64,
}

impl Found {
    /// Number of versions.
    #[must_use]
    pub fn versions(&self) -> u64 {
        self.paths + self.contents.values().sum::<u64>() + self.left_out.values().sum::<u64>()
    }
}

/// A line of the past without what was redacted.
pub(super) struct Clean<'l> {
    pub line: Cow<'l, PastLine>,
    /// Versions that are left out, by their place in the line; where it is known, with the memory that has them redacted.
    pub left_out: BTreeMap<usize, Option<(i64, MemoryId)>>,
}

/// What was redacted, as an import needs it.
pub(super) struct Cleaning<'c> {
    pub connection: &'c Connection,
    pub tags: &'c Tags,
    pub places: Places,
}

impl Cleaning<'_> {
    pub(super) fn line<'l>(&self, line: &'l PastLine, found: &mut Found) -> Result<Clean<'l>, LogError> {
        let mut left_out = BTreeMap::new();
        if self.tags.is_empty() && self.places.is_empty() {
            return Ok(Clean { line: Cow::Borrowed(line), left_out });
        }
        let mut versions = Vec::with_capacity(line.versions.len());
        for version in &line.versions {
            if self.tags.without_in_text(&version.path.to_text()).is_some() {
                found.paths += 1;
                continue;
            }
            let content = version.content.as_deref().and_then(|bytes| self.tags.without(bytes));
            let fate = self.places.fate(self.connection, self.tags, version, content.is_some())?;
            let content = match fate {
                Fate::Masked => version
                    .content
                    .as_ref()
                    .map(|_| content.unwrap_or_else(|| format!("{MARKER}\n").into_bytes())),
                _ => content,
            };
            let (clean, changed) = self.version(version, content);
            let memory = match fate {
                Fate::IsThere(row, memory) => Some(Some((row, memory))),
                Fate::StaysOut => Some(None),
                Fate::ComesIn | Fate::Masked => None,
            };
            let counted = match memory {
                Some(_) => &mut found.left_out,
                None => &mut found.contents,
            };
            if changed || memory.is_some() {
                *counted.entry(version.path.clone()).or_default() += 1;
            }
            left_out.extend(memory.map(|memory| (versions.len(), memory)));
            versions.push(clean);
        }
        Ok(Clean { line: Cow::Owned(PastLine { versions }), left_out })
    }

    /// A version without it, and whether that is another one. `content`: what stands in the place of its content, where that is
    /// redacted.
    fn version(&self, version: &PastVersion, content: Option<Vec<u8>>) -> (PastVersion, bool) {
        let mut clean = version.clone();
        let note = version.note.as_deref().and_then(|note| self.tags.without_in_text(note));
        let actor = self.tags.without_in_actor(&version.actor);
        let changed = content.is_some() || note.is_some() || actor.is_some();
        // A marker may stand in the place of several lines: then nothing is known of any by its number.
        let lines =
            |bytes: Option<&Vec<u8>>| bytes.map(|bytes| bytes.iter().filter(|byte| **byte == b'\n').count());
        if content.is_some() && lines(content.as_ref()) != lines(version.content.as_ref()) {
            clean.told = PastLines::default();
        }
        clean.content = content.or(clean.content);
        clean.note = note.or(clean.note);
        clean.actor = actor.unwrap_or(clean.actor);
        (clean, changed)
    }
}
