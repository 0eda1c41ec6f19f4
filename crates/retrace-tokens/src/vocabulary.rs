//! A vocabulary, and the least number of its pieces that cover a stream.

use crate::cache::Caches;
use crate::marker::symbol_length;
use crate::trie::Trie;
use std::sync::OnceLock;

/// The whitespace that is left after normalisation.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\u{3000}'];

/// Lengths of a stretch of whitespace whose costs are kept. At least four times the longest piece of whitespace (128).
const BLANK_COSTS: usize = 513;

/// Digits that one token covers: every string of one to three ASCII digits is a piece, and no longer one (the build
/// checks it).
const DIGITS_A_TOKEN: u64 = 3;

/// The pieces, and what is computed from them once.
pub(crate) struct Vocabulary {
    trie: Trie,
    /// Whether words of upper-case letters are marked as such and written in lower case.
    pub(crate) marks_capitals: bool,
    blanks: [Blank; BLANKS.len()],
    /// What words and other parts of streams cost, found before.
    pub(crate) caches: Caches,
}

/// The costs of stretches of one whitespace character.
struct Blank {
    costs: Vec<u32>,
    /// The longest piece, in characters.
    longest: usize,
}

impl Vocabulary {
    /// Of the models up to 4.6.
    pub(crate) fn v3() -> &'static Self {
        static V3: OnceLock<Vocabulary> = OnceLock::new();
        V3.get_or_init(|| Self::new(include_bytes!(concat!(env!("OUT_DIR"), "/v3.trie")), true))
    }

    /// Of the models from 4.7 on.
    pub(crate) fn v4_7() -> &'static Self {
        static V4_7: OnceLock<Vocabulary> = OnceLock::new();
        V4_7.get_or_init(|| Self::new(include_bytes!(concat!(env!("OUT_DIR"), "/v4.7.trie")), false))
    }

    fn new(trie: &[u8], marks_capitals: bool) -> Self {
        let trie = Trie::new(trie);
        let blanks = BLANKS.map(|character| Blank::new(&trie, character));
        Self { trie, marks_capitals, blanks, caches: Caches::default() }
    }

    /// The least number of tokens that cover `stream`. `best` is working memory.
    pub(crate) fn tile(&self, stream: &[u8], best: &mut Vec<u32>) -> u32 {
        tile(&self.trie, stream, best);
        best.last().copied().unwrap_or(0)
    }

    /// The cost of `length` times a whitespace character.
    pub(crate) fn blank(&self, character: char, length: usize) -> u64 {
        // One that is not in the list cannot be left in a normalised text.
        let at = BLANKS.iter().position(|blank| *blank == character).unwrap_or(0);
        self.blanks[at].cost(length)
    }

    /// The cost of `length` ASCII digits.
    pub(crate) fn digits(length: usize) -> u64 {
        (length as u64).div_ceil(DIGITS_A_TOKEN)
    }
}

impl Blank {
    fn new(trie: &Trie, character: char) -> Self {
        let width = character.len_utf8();
        let stretch = character.to_string().repeat(BLANK_COSTS - 1);
        let mut best = Vec::new();
        tile(trie, stretch.as_bytes(), &mut best);
        let mut longest = 1;
        let mut node = trie.root();
        for (at, byte) in stretch.bytes().enumerate() {
            let Some(child) = trie.child(node, byte) else { break };
            node = child;
            if node.is_piece() {
                longest = (at + 1) / width;
            }
        }
        Self { costs: best.into_iter().step_by(width).collect(), longest }
    }

    /// Beyond the table the longest piece is taken as often as it takes to get back into it. That this is the least was
    /// checked up to the length from which it is certain (the square of the longest piece).
    fn cost(&self, length: usize) -> u64 {
        let last = self.costs.len() - 1;
        let pieces = length.saturating_sub(last).div_ceil(self.longest);
        u64::from(self.costs[length - pieces * self.longest]) + pieces as u64
    }
}

/// Fills `best` with the cost of every beginning of `stream` that is made of whole symbols; with that of the whole alone
/// where it is a piece.
fn tile(trie: &Trie, stream: &[u8], best: &mut Vec<u32>) {
    best.clear();
    best.resize(stream.len() + 1, u32::MAX);
    best[0] = 0;
    let mut at = 0;
    while at < stream.len() {
        let width = symbol_length(stream[at]);
        let cost = best[at];
        let mut node = trie.root();
        let mut longest_prefix = 1;
        let mut is_covered = false;
        for (offset, byte) in stream[at..].iter().enumerate() {
            let Some(child) = trie.child(node, *byte) else { break };
            node = child;
            let length = offset + 1;
            if node.is_piece() {
                let reached = &mut best[at + length];
                *reached = (*reached).min(cost + 1);
                is_covered |= length == width;
            } else if node.is_prefix() && length < width {
                longest_prefix = length;
            }
        }
        if best[stream.len()] == 1 {
            return; // One piece covers it all; nothing is cheaper.
        }
        let next = (at + width).min(stream.len());
        if !is_covered {
            let alone = cost + u32::try_from(width - longest_prefix).unwrap_or(0) + 1;
            best[next] = best[next].min(alone);
        }
        at = next;
    }
}
