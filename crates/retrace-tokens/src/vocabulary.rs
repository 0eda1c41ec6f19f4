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
    /// True if words of upper-case letters are marked as such and written in lower case.
    pub(crate) marks_capitals: bool,
    blanks: [Blank; BLANKS.len()],
    /// Costs found before, of words and other parts of streams.
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

    /// The least number of tokens that cover `stream`.
    pub(crate) fn tile(&self, stream: &[u8], window: &mut Window) -> u32 {
        let mut whole = 0;
        tile(&self.trie, stream, window, |_, cost| whole = cost);
        whole
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
        let mut costs = vec![0];
        tile(trie, stretch.as_bytes(), &mut Window::default(), |_, cost| costs.push(cost));
        let mut longest = 1;
        let mut node = trie.root();
        for (at, byte) in stretch.bytes().enumerate() {
            let Some(child) = trie.child(node, byte) else { break };
            node = child;
            if node.is_piece() {
                longest = (at + 1) / width;
            }
        }
        Self { costs, longest }
    }

    /// Beyond the table the longest piece is taken as often as it takes to get back into it. That this is the least was
    /// checked up to the length from which it is certain (the square of the longest piece).
    fn cost(&self, length: usize) -> u64 {
        let last = self.costs.len() - 1;
        let pieces = length.saturating_sub(last).div_ceil(self.longest);
        u64::from(self.costs[length - pieces * self.longest]) + pieces as u64
    }
}

/// The costs of the beginnings of a stream that a piece can reach from where the tiling stands, in a ring. What is not
/// reached yet has the greatest cost; between two tilings everything has.
pub(crate) struct Window([u32; WINDOW]);

/// More bytes than the longest piece has (the build checks it). A power of two.
const WINDOW: usize = 1024;

const NOT_REACHED: u32 = u32::MAX;

impl Default for Window {
    fn default() -> Self {
        Self([NOT_REACHED; WINDOW])
    }
}

impl Window {
    fn at(&mut self, position: usize) -> &mut u32 {
        &mut self.0[position % WINDOW]
    }

    fn relax(&mut self, position: usize, cost: u32) {
        let known = self.at(position);
        *known = cost.min(*known);
    }
}

/// Tells `reached`, symbol after symbol, where each ends and what the stream up to there costs; only the end and the cost of
/// the whole where that is one piece.
fn tile(trie: &Trie, stream: &[u8], window: &mut Window, mut reached: impl FnMut(usize, u32)) {
    let (mut at, mut cost) = (0, 0);
    while at < stream.len() {
        let width = symbol_length(stream[at]);
        let end = (at + width).min(stream.len());
        let mut node = trie.root();
        let mut longest_prefix = 1;
        for (offset, byte) in stream[at..].iter().enumerate() {
            let Some(child) = trie.child(node, *byte) else { break };
            node = child;
            let length = offset + 1;
            if node.is_piece() {
                window.relax(at + length, cost + 1);
            } else if node.is_prefix() && length < width {
                longest_prefix = length;
            }
        }
        if at == 0 && stream.len() < WINDOW && *window.at(stream.len()) == 1 {
            window.0[..=stream.len()].fill(NOT_REACHED);
            return reached(stream.len(), 1);
        }
        // A piece of one symbol costs 1, and no symbol alone costs less.
        let alone = cost + u32::try_from(end - at - longest_prefix).unwrap_or(0) + 1;
        window.relax(end, alone);
        at = end;
        cost = std::mem::replace(window.at(at), NOT_REACHED);
        reached(at, cost);
    }
}

#[cfg(test)]
mod tests {
    use super::{BLANKS, Vocabulary, Window, tile};
    use crate::trie::{Node, Trie};

    /// Pieces and prefixes below `node`.
    fn entries(trie: &Trie, node: Node) -> (usize, usize) {
        let (mut pieces, mut prefixes) = (usize::from(node.is_piece()), usize::from(node.is_prefix()));
        for child in (0..0xFF).filter_map(|label| trie.child(node, label)) {
            let below = entries(trie, child);
            pieces += below.0;
            prefixes += below.1;
        }
        (pieces, prefixes)
    }

    #[test]
    fn every_piece_is_in_the_trie() {
        for (vocabulary, pieces, prefixes) in
            [(Vocabulary::v3(), 48_325 + 7, 467), (Vocabulary::v4_7(), 14_815 + 4, 468)]
        {
            assert_eq!(entries(&vocabulary.trie, vocabulary.trie.root()), (pieces, prefixes));
        }
    }

    #[test]
    fn the_tries_are_small() {
        let size = Vocabulary::v3().trie.size() + Vocabulary::v4_7().trie.size();
        assert!(size < 1 << 20, "{size}");
    }

    /// Up to the square of the longest piece and a few of it: from there on the longest piece is always worth taking, as of
    /// that many others some add up to a multiple of its length.
    #[test]
    fn stretches_of_whitespace_cost_what_tiling_them_does() {
        for vocabulary in [Vocabulary::v3(), Vocabulary::v4_7()] {
            for (character, blank) in BLANKS.iter().zip(&vocabulary.blanks) {
                let length = blank.longest * blank.longest + 3 * blank.longest;
                let stretch = character.to_string().repeat(length.max(1000));
                let mut costs = vec![0];
                tile(&vocabulary.trie, stretch.as_bytes(), &mut Window::default(), |_, cost| {
                    costs.push(cost);
                });
                for (length, cost) in costs.iter().enumerate() {
                    assert_eq!(
                        vocabulary.blank(*character, length),
                        u64::from(*cost),
                        "{character:?} {length}"
                    );
                }
            }
        }
        assert_eq!(Vocabulary::v3().blank('\n', 1_000_000), 1_000_000u64.div_ceil(128));
    }

    #[test]
    fn a_window_is_left_as_it_was() {
        let vocabulary = Vocabulary::v3();
        let mut window = Window::default();
        for stream in ["", "x", "tokens", "日本語", "--------", "𐍈", &"unremembered".repeat(500)] {
            vocabulary.tile(stream.as_bytes(), &mut window);
            assert!(window.0.iter().all(|cost| *cost == super::NOT_REACHED), "{stream}");
        }
    }

    #[test]
    fn a_character_without_a_piece_is_paid_by_the_byte() {
        let cost = |text: &str| Vocabulary::v3().tile(text.as_bytes(), &mut Window::default());
        // None of the three has a piece; of the first no beginning is known, of the others two and three bytes.
        assert_eq!((cost("\u{10FFFD}"), cost("\u{1FAE0}"), cost("\u{1F600}")), (4, 3, 2));
    }
}
