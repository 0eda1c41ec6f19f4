//! SHA-256 of a memory's raw bytes, the identity of its content.

use sha2::Digest as _;
use std::fmt;

/// The SHA-256 of some raw bytes: no trimming, no newline change, no Unicode normalisation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256(pub [u8; 32]);

impl Sha256 {
    /// Hashes `bytes` as they are.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The 64 lowercase hexadecimal digits.
    #[must_use]
    pub fn to_hex(&self) -> String {
        use fmt::Write as _;
        self.0.iter().fold(String::with_capacity(64), |mut text, byte| {
            write!(text, "{byte:02x}").expect("writing to a String cannot fail");
            text
        })
    }

    /// Reads 64 hexadecimal digits; `None` for anything else. Upper case is accepted and printed back in lower case.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let high = char::from(pair[0]).to_digit(16)?;
            let low = char::from(pair[1]).to_digit(16)?;
            *byte = u8::try_from(high * 16 + low).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256({})", self.to_hex())
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_content_has_the_well_known_hash() {
        let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Sha256::of(b"").to_hex(), hex);
        assert_eq!(Sha256::from_hex(hex), Some(Sha256::of(b"")));
        assert_eq!(Sha256::from_hex(&hex.to_uppercase()), Some(Sha256::of(b"")));
    }

    #[test]
    fn what_is_not_64_hex_digits_is_refused() {
        for text in ["", "e3b0", &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(Sha256::from_hex(text), None, "{text:?}");
        }
    }
}
