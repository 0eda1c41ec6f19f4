//! Shared parts of the Context lab's commands: the index of transcripts, prices, exact counts, work that can be
//! stopped, small files of the data directory.
//!
//! Nothing here is part of the log. What is kept in files can be thrown away (the index, the counts) or was typed by a
//! person (saved settings, prices of their own).

pub(crate) mod agent;
pub(crate) mod agents_md;
pub(crate) mod counter;
pub(crate) mod find;
pub(crate) mod in_force;
pub(crate) mod index;
pub(crate) mod loaded;
pub(crate) mod prices;
pub(crate) mod rebuild;
pub(crate) mod request_index;
pub(crate) mod rows;
pub(crate) mod summaries;
pub(crate) mod view;

use crate::memory_prices::MemoryUses;
use crate::presence::Presences;
use counter::Counting;
use index::TranscriptIndex;
use loaded::LoadedCache;
use prices::PriceTable;
use request_index::RequestIndexes;
use rows::RowCache;
use summaries::LearntSizes;

/// State of the Context lab in this process.
#[derive(Default)]
pub(crate) struct State {
    /// Transcripts on this machine.
    pub index: TranscriptIndex,
    /// Their rows as last made.
    pub rows: RowCache,
    /// Transcripts that were asked about last.
    pub loaded: LoadedCache,
    /// Where the requests of large transcripts stand.
    pub requests: RequestIndexes,
    /// Memory files of sessions that were read.
    pub memory: MemoryUses,
    /// What requests held of memory and instruction files.
    pub presence: Presences,
    /// Sizes of summaries on this machine.
    pub summaries: LearntSizes,
    /// The table of prices.
    pub prices: PriceTable,
    /// Exact counts.
    pub counting: Counting,
}
