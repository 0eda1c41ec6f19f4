//! Bringing counts down to what was recorded.
//!
//! A recorded context is exact and counts are not, so where the counts of a request come out higher, each is brought down in
//! proportion. What is too little is never made up: that is the part that is not recorded.

/// A proportion of two counts, at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fit {
    to: u64,
    from: u64,
}

impl Fit {
    /// Fit that brings `counted` down to `recorded`; nothing to do where it is no more.
    pub(crate) const fn of(counted: u64, recorded: u64) -> Self {
        if counted > recorded { Self { to: recorded, from: counted } } else { Self { to: 1, from: 1 } }
    }

    /// True if it changes anything.
    pub(crate) const fn is_needed(self) -> bool {
        self.to != self.from
    }

    /// A part of what was counted, brought down, and rounded down.
    pub(crate) fn part(self, tokens: u64) -> u64 {
        if !self.is_needed() {
            return tokens;
        }
        let part = u128::from(tokens) * u128::from(self.to) / u128::from(self.from);
        u64::try_from(part).unwrap_or(u64::MAX)
    }
}

/// The same proportions as `parts`, adding up to `total`, which is no more than their sum. What rounding leaves goes to those
/// that lost most by it, the first of equal ones first.
pub(crate) fn apportion(parts: &mut [u64], total: u64) {
    let sum: u128 = parts.iter().map(|&part| u128::from(part)).sum();
    if sum <= u128::from(total) {
        return;
    }
    let mut lost: Vec<(std::cmp::Reverse<u128>, usize)> = Vec::with_capacity(parts.len());
    let mut left = total;
    for (index, part) in parts.iter_mut().enumerate() {
        let scaled = u128::from(*part) * u128::from(total);
        *part = u64::try_from(scaled / sum).unwrap_or(u64::MAX);
        left = left.saturating_sub(*part);
        lost.push((std::cmp::Reverse(scaled % sum), index));
    }
    lost.sort_unstable();
    for (_, index) in lost.into_iter().take(usize::try_from(left).unwrap_or(usize::MAX)) {
        parts[index] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_too_much_is_brought_down() {
        let mut parts = [10, 0, 20, 1];
        apportion(&mut parts, 20);
        assert_eq!(parts, [6, 0, 13, 1]);
        apportion(&mut parts, 90);
        assert_eq!(parts, [6, 0, 13, 1]);
        assert_eq!(Fit::of(30, 20).part(9), 6);
        assert_eq!(Fit::of(20, 30).part(9), 9);
        assert_eq!(Fit::of(5, 0).part(5), 0);
    }

    proptest! {
        #[test]
        fn parts_add_up_to_the_total_and_none_grows(
            parts in proptest::collection::vec(prop_oneof![Just(0_u64), 0..1_000_u64, any::<u64>()], 0..12),
            total in prop_oneof![0..1_000_u64, any::<u64>()],
        ) {
            let sum: u128 = parts.iter().map(|&part| u128::from(part)).sum();
            let mut brought = parts.clone();
            apportion(&mut brought, total);
            let now: u128 = brought.iter().map(|&part| u128::from(part)).sum();
            prop_assert_eq!(now, sum.min(u128::from(total)));
            for (before, after) in parts.iter().zip(&brought) {
                prop_assert!(after <= before);
            }
        }
    }
}
