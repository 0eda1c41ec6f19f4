//! Which sessions could have had a rule's source, and whether the rule was before the model when it was broken.

use crate::Rules;
use crate::anchor::{Anchor, Asked, Source};
use retrace_lab::{Concerned, OfMemory, ran_in};
use retrace_sessions::Entry;
use retrace_wire::{ApiError, PresenceCause, PresenceGrade};
use std::path::Path;
use std::sync::Arc;

/// What conversations had of the sources of rules, as the index of presence tells.
pub(crate) struct Presences {
    concerned: Concerned,
}

/// Where a conversation is: its transcript, and its place there.
#[derive(Clone, Copy)]
pub(crate) struct Spoken<'e> {
    pub(crate) entry: &'e Entry,
    pub(crate) part: usize,
}

impl Presences {
    pub(crate) fn new(inner: &Rules) -> Result<Self, ApiError> {
        Ok(Self { concerned: Concerned::read(&inner.lab)? })
    }

    /// Of one transcript alone, with what the index says of it; `None` where it is none that is known.
    pub(crate) fn of_transcript(inner: &Rules, path: &Path) -> Result<Option<(Self, Arc<Entry>)>, ApiError> {
        let found = Concerned::of_transcript(&inner.lab, path)?;
        Ok(found.map(|(concerned, entry)| (Self { concerned }, entry)))
    }

    /// True if a conversation could have had a rule's source, as presence says.
    pub(crate) fn could_have(&mut self, anchor: &Anchor, spoken: Spoken<'_>) -> bool {
        match (&anchor.source, &anchor.asked) {
            (Source::Memory(_), Some(Asked::Memory(asked))) => {
                // A transcript that the index of presence could not read has no deeds that count.
                self.concerned.could_have(asked, spoken.entry, spoken.part).unwrap_or(false)
            }
            (Source::File { project, .. }, _) => ran_in(spoken.entry, project.as_deref()),
            (Source::Memory(_) | Source::Nowhere, _) => true,
        }
    }

    /// Whether a rule's line was in a request, and why not, with how well that is known. `None` where it is not.
    pub(crate) fn had_graded(
        &mut self,
        anchor: &Anchor,
        wording: Option<usize>,
        spoken: Spoken<'_>,
        request: usize,
    ) -> Option<(Result<(), PresenceCause>, PresenceGrade)> {
        match anchor.asked.as_ref()? {
            Asked::Memory(asked) => {
                let wording = anchor.wordings.get(wording?)?;
                let (line, _) = wording.line.as_ref()?;
                let line = OfMemory { version: &wording.version_id, line: *line };
                self.concerned.had_graded(asked, line, spoken.entry, spoken.part, request)
            }
            Asked::File { file, line } => {
                self.concerned.had_of_file(file, *line, spoken.entry, spoken.part, request)
            }
        }
    }
}
