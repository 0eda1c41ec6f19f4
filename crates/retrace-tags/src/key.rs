//! The key that tags are made with.

use crate::{CONTENT, PLACE, SECRET};
use hmac::{Hmac, KeyInit as _, Mac as _};
use retrace_model::Sha256;
use sha2::Sha256 as Hasher;

/// Bytes of a key.
pub const BYTES: usize = 32;

/// A code made with the key.
pub type Code = [u8; 32];

/// A key.
pub struct Key {
    /// Has taken the key and nothing else.
    begun: Hmac<Hasher>,
    check: [u8; 16],
}

impl std::fmt::Debug for Key {
    /// Never says what it is.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// The key of these bytes, which are random.
    #[must_use]
    pub fn new(bytes: &[u8; BYTES]) -> Self {
        let begun = Hmac::new_from_slice(bytes).expect("HMAC takes a key of any length");
        let mut key = Self { begun, check: [0; 16] };
        let code = key.code(b"retrace.key.1", b"");
        key.check.copy_from_slice(&code[..16]);
        key
    }

    /// Tells which key it is, and nothing of it.
    #[must_use]
    pub fn check(&self) -> [u8; 16] {
        self.check
    }

    /// The code of a whole content, by its hash.
    #[must_use]
    pub fn content_code(&self, sha256: &Sha256) -> Code {
        self.code(CONTENT, &sha256.0)
    }

    /// The code of an exact secret.
    #[must_use]
    pub fn secret_code(&self, secret: &[u8]) -> Code {
        self.code(SECRET, secret)
    }

    /// The code of a place at which something was redacted. It is kept like the code of a content, and is none.
    #[must_use]
    pub fn place_code(&self, place: &[u8]) -> Code {
        self.code(PLACE, place)
    }

    /// The code of some bytes; `what` keeps codes of different things apart.
    pub(crate) fn code(&self, what: &[u8], bytes: &[u8]) -> Code {
        let mut mac = self.begun.clone();
        mac.update(what);
        mac.update(&[0]);
        mac.update(bytes);
        mac.finalize().into_bytes().into()
    }

    /// The first eight bytes of a code, as a number.
    pub(crate) fn number(&self, what: &[u8], bytes: &[u8]) -> u64 {
        self.code(what, bytes)[..8].iter().fold(0, |number, byte| (number << 8) | u64::from(*byte))
    }
}
