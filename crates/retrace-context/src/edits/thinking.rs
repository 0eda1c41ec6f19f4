//! `clear_thinking_20251015`.

use crate::settings::ThinkingKeep;

/// Number of blocks of thinking that are cleared, given the turn of each block in order (turns that hold thinking,
/// numbered without a gap): all those before the last turns that are kept.
#[must_use]
pub fn cleared_blocks(keep: ThinkingKeep, turn_of: impl Fn(usize) -> u32, blocks: usize) -> usize {
    let (ThinkingKeep::Turns(keep), Some(last)) = (keep, blocks.checked_sub(1)) else { return 0 };
    let kept_from = (u64::from(turn_of(last)) + 1).saturating_sub(keep.max(1));
    // Turns never decrease: the first block of a kept turn is where a search by halves ends.
    let (mut low, mut high) = (0, blocks);
    while low < high {
        let middle = low + (high - low) / 2;
        if u64::from(turn_of(middle)) < kept_from { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_counted_and_not_blocks() {
        let turns = [4, 4, 4, 5, 5, 6];
        let cleared = |keep| cleared_blocks(keep, |index| turns[index], turns.len());
        assert_eq!(cleared(ThinkingKeep::All), 0);
        assert_eq!(cleared(ThinkingKeep::Turns(1)), 5);
        assert_eq!(cleared(ThinkingKeep::Turns(2)), 3);
        assert_eq!(cleared(ThinkingKeep::Turns(3)), 0);
        assert_eq!(cleared(ThinkingKeep::Turns(u64::MAX)), 0);
        assert_eq!(cleared_blocks(ThinkingKeep::Turns(1), |_| 0, 0), 0);
    }
}
