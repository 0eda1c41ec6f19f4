//! Names of the hidden files an act uses beside the live file: `.retrace-<8 hex>-<16 hex>.new` and `.swap`.
//!
//! The first number is the start of the hash of the live file's name, so that a leftover can be matched with its file
//! after a crash; the second is random. The length does not depend on the live name, which may be 255 bytes long.

use crate::leftovers::LeftoverKind;
use retrace_model::{RelPath, Sha256};

const PREFIX: &[u8] = b".retrace-";

/// Parts of a hidden name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parsed {
    /// The first four bytes of the hash of the live file's name.
    pub of: [u8; 4],
    pub kind: LeftoverKind,
}

/// The first four bytes of the hash of a file name.
pub(crate) fn name_hash(name: &[u8]) -> [u8; 4] {
    let Sha256([a, b, c, d, ..]) = Sha256::of(name);
    [a, b, c, d]
}

/// The hidden name for an act on the file `name`.
pub(crate) fn hidden(name: &[u8], random: u64, kind: LeftoverKind) -> Vec<u8> {
    let of = u32::from_be_bytes(name_hash(name));
    format!(".retrace-{of:08x}-{random:016x}.{}", ending(kind)).into_bytes()
}

/// The hidden name under which what stands at `name`, a directory perhaps, is set aside to be deleted. Where a process ends in
/// between, [`crate::Root::leftovers`] finds it.
#[must_use]
pub fn aside(name: &[u8], random: u64) -> Vec<u8> {
    hidden(name, random, LeftoverKind::Swap)
}

/// Reads a hidden name; `None` for every other name.
pub(crate) fn parse(name: &[u8]) -> Option<Parsed> {
    let rest = name.strip_prefix(PREFIX)?;
    let (of, rest) = (rest.get(..8)?, rest.get(8..)?);
    let (random, ending) = (rest.strip_prefix(b"-")?.get(..16)?, rest.get(17..)?);
    let kind = match ending {
        b".new" => LeftoverKind::New,
        b".swap" => LeftoverKind::Swap,
        _ => return None,
    };
    hex(random)?;
    let of = u32::try_from(hex(of)?).ok()?.to_be_bytes();
    Some(Parsed { of, kind })
}

/// The path `name` beside `path`.
pub(crate) fn beside(path: &RelPath, name: &[u8]) -> Option<RelPath> {
    match path.parent() {
        Some(parent) => parent.join(name).ok(),
        None => RelPath::from_bytes(name).ok(),
    }
}

fn ending(kind: LeftoverKind) -> &'static str {
    match kind {
        LeftoverKind::New => "new",
        LeftoverKind::Swap | LeftoverKind::Directory => "swap",
    }
}

/// The value of lowercase hexadecimal digits.
fn hex(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |value, digit| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(value << 4 | u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrace_model::Rules;

    #[test]
    fn names_read_back_and_are_no_memories() {
        for kind in [LeftoverKind::New, LeftoverKind::Swap] {
            let name = hidden(b"MEMORY.md", u64::MAX, kind);
            assert_eq!(parse(&name), Some(Parsed { of: name_hash(b"MEMORY.md"), kind }));
            assert!(Rules::default().leaves_out_file(&name).is_some());
        }
    }

    #[test]
    fn other_names_are_not_ours() {
        for name in [
            "MEMORY.md",
            ".retrace-",
            ".retrace-0a1b2c3d-0123456789abcdef.txt",
            ".retrace-0a1b2c3d-0123456789abcdeg.new",
            ".retrace-0A1b2c3d-0123456789abcdef.new",
            ".retrace-0a1b2c3d_0123456789abcdef.new",
            ".retrace-0a1b2c3d-0123456789abcdef.new~",
        ] {
            assert_eq!(parse(name.as_bytes()), None, "{name}");
        }
    }
}
