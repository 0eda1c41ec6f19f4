//! Tags: which answers go stale with which changes. The table of commands says them for commands, [`Event::tags`] for events.

use super::Event;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One kind of thing that answers show and that commands and events change. An answer that shows a tag is to be read again
/// after the tag was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Tag {
    /// Operations and versions: what was recorded.
    Log,
    /// Files as they are on disk. An answer that is `live: false` shows recorded versions only, and has this tag in vain.
    Files,
    /// Stores, and their state.
    Stores,
    /// Reviews.
    Reviews,
    /// Receipts of redactions.
    Receipts,
    /// Texts of versions. Only a redaction changes them, and an answer with them must not be shown after it.
    Contents,
    /// Content of a transcript's run. Only a redaction changes what was read.
    Runs,
    /// Transcripts.
    Transcripts,
    /// Who wrote versions.
    Writers,
    /// Settings of the rules for findings.
    Rules,
    /// Saved settings of the Context lab.
    Variants,
    /// Hosts: their keys, what is queued for them, the calls made to them.
    Hosts,
    /// Dreams of a host. Read only when somebody asks: reading them is a call.
    Dreams,
    /// Projects with memory that nobody records, and the setting for new ones.
    Projects,
    /// Breaks of rules that were found while sessions ran.
    Broken,
    /// Files outside every store, of whose changes nothing is told: to be read whenever somebody looks.
    Outside,
}

impl Tag {
    /// Every tag.
    pub const ALL: [Self; 16] = [
        Self::Log,
        Self::Files,
        Self::Stores,
        Self::Reviews,
        Self::Receipts,
        Self::Contents,
        Self::Runs,
        Self::Transcripts,
        Self::Writers,
        Self::Rules,
        Self::Variants,
        Self::Hosts,
        Self::Dreams,
        Self::Projects,
        Self::Broken,
        Self::Outside,
    ];
}

impl Event {
    /// One of each type.
    pub fn examples() -> [Self; 8] {
        [
            Self::Advanced { cursor: 0 },
            Self::Stores,
            Self::Receipts,
            Self::Transcripts,
            Self::Origins,
            Self::Projects,
            Self::Broken,
            Self::Progress { task: String::new(), done: 0, total: None },
        ]
    }

    /// Changed data. The answers that show it are to be read again.
    #[must_use]
    pub const fn tags(&self) -> &'static [Tag] {
        match self {
            Self::Advanced { .. } => &[Tag::Log, Tag::Files],
            Self::Stores => &[Tag::Stores, Tag::Reviews, Tag::Hosts],
            Self::Receipts => &[
                Tag::Log,
                Tag::Files,
                Tag::Reviews,
                Tag::Receipts,
                Tag::Contents,
                Tag::Runs,
                Tag::Transcripts,
                Tag::Writers,
                Tag::Variants,
            ],
            Self::Transcripts => &[Tag::Transcripts],
            Self::Origins => &[Tag::Writers],
            Self::Projects => &[Tag::Projects],
            Self::Broken => &[Tag::Broken],
            Self::Progress { .. } => &[],
        }
    }
}
