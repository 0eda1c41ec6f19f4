//! SHA-256 that can go on in two hashes at a time.
//!
//! The end of a request is hashed anew for each, which is most of what is hashed. One hash keeps a processor waiting for itself: every
//! step needs the one before. Blocks of two hashes in turns are a third faster, because the processor begins with the second while
//! the first goes on.

use super::canonical::Digest;
use sha2::block_api::compress256;

const BLOCK: usize = 64;

/// What SHA-256 begins with: the fractions of the square roots of the first primes.
const BEGINNING: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// A hash that was begun.
#[derive(Clone, Debug)]
pub(super) struct Hashing {
    state: [u32; 8],
    /// The block that is not full.
    open: [u8; BLOCK],
    /// Bytes so far.
    bytes: u64,
}

impl Hashing {
    /// Of bytes.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut hashing = Self { state: BEGINNING, open: [0; BLOCK], bytes: 0 };
        hashing.update(bytes);
        hashing
    }

    /// Goes on with bytes.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        let blocks = self.take_in(bytes);
        compress256(&mut self.state, blocks);
    }

    /// The hash of everything, with these bytes at its end.
    pub(super) fn finish_with(mut self, bytes: &[u8]) -> Digest {
        self.update(bytes);
        self.finish()
    }

    /// [`Self::finish_with`] of two hashes.
    pub(super) fn finish_both([one, other]: [(Self, &[u8]); 2]) -> [Digest; 2] {
        let ((mut one, bytes), (mut other, others)) = (one, other);
        let (blocks, others) = (one.take_in(bytes), other.take_in(others));
        let both = blocks.len().min(others.len());
        for (block, other_block) in blocks.iter().zip(others) {
            compress256(&mut one.state, std::slice::from_ref(block));
            compress256(&mut other.state, std::slice::from_ref(other_block));
        }
        compress256(&mut one.state, &blocks[both..]);
        compress256(&mut other.state, &others[both..]);
        [one.finish(), other.finish()]
    }

    fn open_bytes(&self) -> usize {
        (self.bytes % BLOCK as u64) as usize
    }

    /// Takes in bytes but for the whole blocks among them, which are still to be hashed before anything else.
    fn take_in<'b>(&mut self, mut bytes: &'b [u8]) -> &'b [[u8; BLOCK]] {
        let open = self.open_bytes();
        self.bytes += bytes.len() as u64;
        if open > 0 {
            let (first, rest) = bytes.split_at(bytes.len().min(BLOCK - open));
            self.open[open..open + first.len()].copy_from_slice(first);
            if open + first.len() < BLOCK {
                return &[];
            }
            compress256(&mut self.state, &[self.open]);
            bytes = rest;
        }
        let (blocks, rest) = bytes.as_chunks();
        self.open[..rest.len()].copy_from_slice(rest);
        blocks
    }

    /// The end that SHA-256 gives to everything: a bit, zeros, the number of bits.
    fn finish(mut self) -> Digest {
        let bits = self.bytes.wrapping_mul(8).to_be_bytes();
        let zeros = (2 * BLOCK - 1 - bits.len() - self.open_bytes()) % BLOCK;
        let mut end = [0; 2 * BLOCK];
        end[0] = 0x80;
        end[1 + zeros..][..bits.len()].copy_from_slice(&bits);
        self.update(&end[..1 + zeros + bits.len()]);
        let mut digest = [0; 32];
        for (bytes, word) in digest.chunks_exact_mut(4).zip(self.state) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        Digest(digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_length_is_hashed_as_by_the_library() {
        let bytes: Vec<u8> = (0..400_u32).map(|it| (it * 7) as u8).collect();
        for length in 0..bytes.len() {
            for first in [0, 1, 63, 64, 65, length].into_iter().filter(|first| *first <= length) {
                let (begun, end) = bytes[..length].split_at(first);
                assert_eq!(
                    Hashing::of(begun).finish_with(end),
                    Digest::of(&bytes[..length]),
                    "{first} {length}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn two_hashes_do_not_disturb_each_other(
            one in proptest::collection::vec(any::<Vec<u8>>(), 1..5),
            other in proptest::collection::vec(any::<Vec<u8>>(), 1..5),
            ends in any::<[Vec<u8>; 2]>(),
        ) {
            let begun = |parts: &[Vec<u8>]| {
                let mut hashing = Hashing::of(&[]);
                parts.iter().for_each(|part| hashing.update(part));
                hashing
            };
            let both = Hashing::finish_both([(begun(&one), &ends[0]), (begun(&other), &ends[1])]);
            let whole = |parts: &[Vec<u8>], end: &[u8]| Digest::of(&[&parts.concat(), end].concat());
            prop_assert_eq!(both, [whole(&one, &ends[0]), whole(&other, &ends[1])]);
        }
    }
}
