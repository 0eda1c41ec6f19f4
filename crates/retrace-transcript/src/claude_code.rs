//! Claude Code sessions: JSON lines, one line a content block or an event, tied into a tree by `parentUuid`.
//!
//! Rules and counts are from transcripts.md, sections 1 to 4.

pub(crate) mod line;
