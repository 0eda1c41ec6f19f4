//! Keyed tags by which redacted content is known again without being kept. Pure.
//!
//! A tag is a code (HMAC-SHA-256) made with a [`Key`] of one log. Whoever has the tags and not the key learns nothing of what was
//! redacted; whoever has both can say whether some bytes hold it ([`Tags`]).
//!
//! ```
//! use retrace_tags::{Key, Kept, MARKER, Tags};
//!
//! let key = Key::new(&[7; 32]);
//! let secret = b"hunter2-hunter2";
//! let tag = key.secret_code(secret);
//! let kept = Kept {
//!     key_check: key.check().to_vec(),
//!     size: Some(secret.len()),
//!     rolling: Some(key.hidden_rolling(secret, &tag).to_vec()),
//!     tag,
//!     anew: false,
//! };
//! let tags = Tags::new(Some(key), [kept]);
//! let without = tags.without(b"password: hunter2-hunter2").expect("it holds the secret");
//! assert_eq!(without, format!("password: {MARKER}").into_bytes());
//! ```

mod key;
mod tags;

pub use key::{BYTES as KEY_BYTES, Code, Key};
pub use tags::{Held, Kept, Tags};

/// Text in the place of what was redacted.
pub const MARKER: &str = "[redacted]";

/// Fewest bytes of a content or a secret that gets a tag: what is shorter is found by trying all there are, and stands in
/// texts by chance.
pub const SHORTEST: usize = 12;

/// Keeps codes of whole contents apart from others. Part of the format.
const CONTENT: &[u8] = b"retrace.content.1";

/// Keeps codes of places apart from others. Part of the format.
const PLACE: &[u8] = b"retrace.place.1";

/// Keeps codes of exact secrets apart from others. Part of the format.
const SECRET: &[u8] = b"retrace.secret.1";
