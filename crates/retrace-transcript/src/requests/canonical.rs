//! Canonical JSON (RFC 8785: keys sorted, no white space, UTF-8 unescaped) and its SHA-256.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// A SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Digest(pub [u8; 32]);

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0[..4].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Digest {
    /// From 64 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16);
            *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
        }
        Some(Self(bytes))
    }

    /// Of bytes.
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// What a hasher has come to.
    pub(super) fn finish(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }
}

/// A value as canonical JSON. `None` for a number that JSON cannot hold.
pub(super) fn canonical(value: &Value) -> Option<Vec<u8>> {
    serde_json_canonicalizer::to_vec(value).ok()
}

/// Takes `cache_control` out, at every depth: parts are hashed without it.
pub(super) fn strip_marks(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("cache_control");
            fields.values_mut().for_each(strip_marks);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_marks),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn canonical_is_what_the_client_hashes() {
        let value = json!({"b": [1, 2.5, -3, 1e21, true, null], "a": "é\"\\\n\u{1}\u{7f}/☃", "ab": {}});
        assert_eq!(
            String::from_utf8(canonical(&value).unwrap()).unwrap(),
            "{\"a\":\"é\\\"\\\\\\n\\u0001\u{7f}/☃\",\"ab\":{},\"b\":[1,2.5,-3,1e+21,true,null]}"
        );
        for number in [
            "0.30000000000000004",
            "5e-324",
            "1.7976931348623157e+308",
            "4503599627370495.5",
            "12345678901234567000",
        ] {
            let value: Value = serde_json::from_str(number).unwrap();
            assert_eq!(canonical(&value).unwrap(), number.as_bytes(), "{number}");
        }
    }

    #[test]
    fn a_digest_is_read_from_hexadecimal_digits() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::parse(empty), Some(Digest::of(b"")));
        for wrong in ["", "e3", &"x".repeat(64), &"é".repeat(32)] {
            assert_eq!(Digest::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn marks_are_taken_out_at_every_depth() {
        let mut value = json!([{"cache_control": 1, "x": [{"cache_control": {}, "y": 1}]}]);
        strip_marks(&mut value);
        assert_eq!(value, json!([{"x": [{"y": 1}]}]));
    }
}
