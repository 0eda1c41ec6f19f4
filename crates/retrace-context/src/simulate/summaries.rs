//! Size of a summary: a range learnt from the compactions a person's own agents went through.

use crate::weight::Weights;
use retrace_transcript::{BlockKind, Cause, Transcript};

/// Tokens of a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummarySizes {
    /// A tenth of the summaries are smaller.
    pub low: u64,
    /// Half of the summaries are smaller.
    pub middle: u64,
    /// A tenth of the summaries are larger.
    pub high: u64,
    /// Number of summaries this was learnt from; 0 for the range that is assumed when none is known.
    pub learnt_from: usize,
}

/// The range that is assumed when no summary is known. It holds what the public recordings show: a few hundred tokens for
/// a chat with tools, several thousand for a coding session. An assumption, and named as such wherever it is shown.
pub const ASSUMED: SummarySizes = SummarySizes { low: 500, middle: 2_500, high: 8_000, learnt_from: 0 };

impl Default for SummarySizes {
    fn default() -> Self {
        ASSUMED
    }
}

impl SummarySizes {
    /// From the sizes of known summaries, in any order: their 10th, 50th and 90th percentile (nearest rank).
    /// [`ASSUMED`] when there are none.
    #[must_use]
    pub fn learnt(mut sizes: Vec<u64>) -> Self {
        sizes.retain(|size| *size > 0);
        sizes.sort_unstable();
        let rank = |percent: usize| {
            let rank = (sizes.len() * percent).div_ceil(100).max(1);
            sizes.get(rank - 1).copied().unwrap_or(0)
        };
        if sizes.is_empty() {
            return ASSUMED;
        }
        Self { low: rank(10), middle: rank(50), high: rank(90), learnt_from: sizes.len() }
    }

    /// Sizes of the summaries in one transcript: of compactions by the client, and of blocks the server made.
    #[must_use]
    pub fn observed(transcript: &Transcript, weights: &Weights) -> Vec<u64> {
        let whole = |message: usize| -> u64 {
            weights.messages.get(message).map_or(0, |blocks| blocks.iter().map(|block| block.total()).sum())
        };
        let by_clients = transcript.segments.iter().filter_map(|segment| match &segment.cause {
            Cause::Compacted(compaction) => compaction.summary.map(whole),
            _ => None,
        });
        let by_servers = transcript.messages.iter().zip(&weights.messages).flat_map(|(message, weights)| {
            message.blocks.iter().zip(weights).filter_map(|(block, weight)| match &block.kind {
                BlockKind::Compaction { content: Some(_) } => Some(weight.content),
                _ => None,
            })
        });
        by_clients.chain(by_servers).filter(|size| *size > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_learnt_or_assumed() {
        assert_eq!(SummarySizes::learnt(vec![]), ASSUMED);
        assert_eq!(SummarySizes::learnt(vec![0, 0]), ASSUMED);
        let one = SummarySizes::learnt(vec![700]);
        assert_eq!((one.low, one.middle, one.high, one.learnt_from), (700, 700, 700, 1));
        let many = SummarySizes::learnt((1..=20).rev().map(|n| n * 100).collect());
        assert_eq!((many.low, many.middle, many.high, many.learnt_from), (200, 1_000, 1_800, 20));
    }
}
