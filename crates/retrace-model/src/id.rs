//! Identifiers. They look like the hosted ones: a prefix that says what the thing is, then lowercase base 32.

use crate::Sha256;
use retrace_message::{AsMessage, Message};
use std::fmt;
use thiserror::Error;

/// Crockford's base 32 alphabet in lower case: no `i`, `l`, `o`, `u`.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A text is not an identifier of the wanted sort.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("id")]
#[error("{text:?} is not {wanted}")]
pub struct IdError {
    /// The given text.
    pub text: String,
    /// The wanted form, with its article: "a store id (memstore_…)".
    pub wanted: Message,
}

/// Letters of a version's id that are its place in the log, five bytes; and all of its letters, thirteen bytes.
const PLACE_LETTERS: usize = 8;
const ID_LETTERS: usize = 21;

fn encode(bytes: &[u8], into: &mut String) {
    let (mut buffer, mut bits) = (0u32, 0u32);
    for byte in bytes {
        buffer = (buffer << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            into.push(char::from(ALPHABET[(buffer >> bits & 31) as usize]));
        }
        buffer &= (1 << bits) - 1;
    }
    if bits > 0 {
        into.push(char::from(ALPHABET[(buffer << (5 - bits) & 31) as usize]));
    }
}

fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != (N * 8).div_ceil(5) {
        return None;
    }
    let (mut buffer, mut bits, mut out, mut filled) = (0u32, 0u32, [0; N], 0);
    for letter in text.bytes() {
        let value = ALPHABET.iter().position(|known| *known == letter)?;
        buffer = (buffer << 5) | u32::try_from(value).ok()?;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            *out.get_mut(filled)? = u8::try_from(buffer >> bits & 255).ok()?;
            filled += 1;
            buffer &= (1 << bits) - 1;
        }
    }
    // Left-over bits must be zero, so that every identifier has one spelling.
    (filled == N && buffer == 0).then_some(out)
}

macro_rules! random_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $wanted:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 16]);

        impl $name {
            /// Reads the printed form.
            ///
            /// # Errors
            /// [`IdError`] when the prefix or the letters are wrong.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                text.strip_prefix($prefix)
                    .and_then(decode::<16>)
                    .map(Self)
                    .ok_or_else(|| IdError { text: text.to_owned(), wanted: $wanted })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut text = String::from($prefix);
                encode(&self.0, &mut text);
                f.write_str(&text)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

random_id!(
    /// A store: one watched directory or one hosted store.
    StoreId, "memstore_", say::store_id_memstore()
);
random_id!(
    /// A memory: one file through its whole life, renames included.
    MemoryId, "mem_", say::memory_id_mem()
);
random_id!(
    /// The receipt of one redaction.
    ReceiptId, "receipt_", say::receipt_id_receipt()
);
random_id!(
    /// A machine that joined a hub; made from its public key.
    MachineId, "machine_", say::machine_id_machine()
);
random_id!(
    /// An organisation: whose machines share a hub's history.
    OrgId, "org_", say::org_id_org()
);
random_id!(
    /// A redaction that a hub takes to every machine.
    OrderId, "order_", say::order_id_order()
);
random_id!(
    /// A change that another machine proposes.
    ProposalId, "proposal_", say::proposal_id_proposal()
);

/// A version: its place in the log and the first eight bytes of the hash of what it says. The log needs no column and no
/// index for it, and an identifier that was copied elsewhere no longer resolves once the version it named is altered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionId {
    /// Place in the log, from 1; below 2^40.
    pub seq: u64,
    /// The first eight bytes of the version's leaf hash.
    pub fingerprint: [u8; 8],
}

impl VersionId {
    /// The identifier of the version at `seq` whose leaf hash is `leaf`.
    #[must_use]
    pub fn new(seq: u64, leaf: &Sha256) -> Self {
        let mut fingerprint = [0; 8];
        fingerprint.copy_from_slice(&leaf.0[..8]);
        Self { seq, fingerprint }
    }

    /// Reads the printed form.
    ///
    /// # Errors
    /// [`IdError`] when the prefix or the letters are wrong.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let bytes: [u8; 13] = text
            .strip_prefix("memver_")
            .and_then(decode)
            .ok_or_else(|| IdError { text: text.to_owned(), wanted: say::version_id_memver() })?;
        let seq = bytes[..5].iter().fold(0, |seq, byte| seq << 8 | u64::from(*byte));
        let mut fingerprint = [0; 8];
        fingerprint.copy_from_slice(&bytes[5..]);
        Ok(Self { seq, fingerprint })
    }

    /// The first and the last place of versions whose printed ids begin with `text`. `None` for what no id begins with, the bare
    /// prefix included: a beginning of all ids names none.
    #[must_use]
    pub fn range_of(text: &str) -> Option<(u64, u64)> {
        let letters = text.strip_prefix("memver_").filter(|letters| !letters.is_empty())?;
        if letters.len() >= ID_LETTERS {
            return None;
        }
        let values = letters.bytes().map(|letter| ALPHABET.iter().position(|known| *known == letter));
        let values: Vec<u64> = values.map(|at| at.map(|at| at as u64)).collect::<Option<_>>()?;
        let place = values.iter().take(PLACE_LETTERS);
        let free = 5 * (PLACE_LETTERS - place.len());
        let first = place.fold(0, |place, value| place << 5 | value) << free;
        Some((first, first | ((1 << free) - 1)))
    }
}

impl fmt::Display for VersionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = [0; 13];
        bytes[..5].copy_from_slice(&self.seq.to_be_bytes()[3..]);
        bytes[5..].copy_from_slice(&self.fingerprint);
        let mut text = String::from("memver_");
        encode(&bytes, &mut text);
        f.write_str(&text)
    }
}

impl fmt::Debug for VersionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "id";
    store_id_memstore() => "a store id (memstore_…)",
    memory_id_mem() => "a memory id (mem_…)",
    receipt_id_receipt() => "a receipt id (receipt_…)",
    machine_id_machine() => "a machine id (machine_…)",
    org_id_org() => "an organisation id (org_…)",
    order_id_order() => "an order's id (order_…)",
    proposal_id_proposal() => "a proposal's id (proposal_…)",
    version_id_memver() => "a version id (memver_…)",
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_id_reads_back(bytes: [u8; 16], seq in 0u64..1 << 40, leaf: [u8; 32]) {
            prop_assert_eq!(StoreId::parse(&StoreId(bytes).to_string()), Ok(StoreId(bytes)));
            prop_assert_eq!(MemoryId::parse(&MemoryId(bytes).to_string()), Ok(MemoryId(bytes)));
            let version = VersionId::new(seq, &Sha256(leaf));
            prop_assert_eq!(VersionId::parse(&version.to_string()), Ok(version));
        }

        #[test]
        fn no_text_panics(text: String) {
            let _ = StoreId::parse(&text);
            let _ = VersionId::parse(&format!("memver_{text}"));
            let _ = VersionId::range_of(&format!("memver_{text}"));
        }

        #[test]
        fn a_beginning_of_an_id_says_between_which_places_it_is(
            seq in 0u64..1 << 40,
            leaf: [u8; 32],
            letters in 1usize..21,
        ) {
            let text = VersionId::new(seq, &Sha256(leaf)).to_string();
            let (first, last) = VersionId::range_of(&text[.."memver_".len() + letters]).expect("a beginning");
            prop_assert!((first..=last).contains(&seq));
            prop_assert!(letters < 8 || first == last);
        }
    }

    #[test]
    fn one_spelling_for_one_id() {
        let text = StoreId([0; 16]).to_string();
        assert_eq!(text, "memstore_00000000000000000000000000");
        // The last letter carries two spare bits, which must stay zero.
        assert!(StoreId::parse("memstore_00000000000000000000000001").is_err());
        assert!(StoreId::parse("mem_00000000000000000000000000").is_err());
        assert_eq!(VersionId::range_of("memver_"), None, "a beginning of all ids names none");
        assert_eq!(VersionId::range_of("memver_0000000r0000000000000"), None, "a whole id is no beginning");
    }
}
