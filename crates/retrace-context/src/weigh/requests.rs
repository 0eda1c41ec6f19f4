//! Sums of what each request sent.

use crate::compose::{Sums, walk};
use crate::weight::{Basis, Weights};
use retrace_transcript::Transcript;

/// Fills `contexts`, `weighed` and `bases`. A recorded context stands as it is; another is the sum, with its range where
/// parts of it are estimated.
pub(super) fn sum_up(transcript: &Transcript, weights: &mut Weights) {
    let mut sums = vec![Sums::default(); transcript.requests.len()];
    walk(transcript, weights, &mut |request, sent| sums[request] = *sent);
    for (request, sums) in transcript.requests.iter().zip(sums) {
        let weighed = unsigned(sums.classes.content());
        let recorded = request.usage.as_ref().map(retrace_transcript::Usage::context).filter(|&it| it > 0);
        let range = (
            unsigned(sums.classes.content().saturating_sub(sums.below)),
            unsigned(sums.classes.content().saturating_add(sums.above)),
        );
        weights.weighed.push(weighed);
        weights.contexts.push(recorded.unwrap_or(weighed));
        weights.bases.push(match (recorded, range) {
            (Some(_), _) => Basis::Recorded,
            (None, (low, high)) if low == high => Basis::Counted,
            (None, (low, high)) => Basis::Estimated { low, high },
        });
    }
}

fn unsigned(tokens: i64) -> u64 {
    u64::try_from(tokens).unwrap_or_default()
}
