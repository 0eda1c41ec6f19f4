//! Looking for what was redacted in some bytes.
//!
//! A whole content is known by a code of its hash. An exact secret is found by a rolling hash of its length, whose base is the
//! key's, and proved by its code. The work is linear: the size of the bytes times the number of different lengths of secrets.

use crate::{Code, Key, MARKER, SHORTEST};
use retrace_model::{Actor, Sha256};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// The Mersenne prime that rolling hashes are taken modulo.
const PRIME: u64 = (1 << 61) - 1;

/// Bits of the sieve that nearly every place of a content fails, so that hashes are looked up rarely.
const SIEVE_BITS: u64 = 1 << 14;

/// Everything that was redacted and is known again, with the key it takes.
#[derive(Debug, Default)]
pub struct Tags {
    key: Option<Key>,
    /// Codes of contents, and whether whoever redacted one may write it again.
    contents: HashMap<Code, bool>,
    secrets: Vec<OfLength>,
    lost: u64,
}

/// Redacted content that some bytes hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nothing.
    Nothing,
    /// They are a redacted content.
    Whole,
    /// Exact secrets, at these places: in order, and no two of them touch.
    Parts(Vec<Range<usize>>),
}

/// A tag as it is kept.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Which key made it ([`Key::check`]).
    pub key_check: Vec<u8>,
    /// Bytes of the secret; `None` for a whole content.
    pub size: Option<usize>,
    /// The secret's rolling hash, hidden ([`Key::hidden_rolling`]); `None` for a whole content.
    pub rolling: Option<Vec<u8>>,
    /// The code.
    pub tag: Code,
    /// True if whoever redacted the content may write it again.
    pub anew: bool,
}

impl Tags {
    /// The tags that were made with `key`; of others only the number is known.
    #[must_use]
    pub fn new(key: Option<Key>, kept: impl IntoIterator<Item = Kept>) -> Self {
        let mut tags = Self::default();
        let mut secrets: BTreeMap<usize, HashMap<u64, Vec<Code>>> = BTreeMap::new();
        for one in kept {
            let Some(key) = key.as_ref().filter(|key| key.check()[..] == one.key_check[..]) else {
                tags.lost += 1;
                continue;
            };
            match (one.size, one.rolling) {
                (Some(size), Some(hidden)) => {
                    let rolling = number(&hidden) ^ pad(key, &one.tag);
                    secrets.entry(size).or_default().entry(rolling).or_default().push(one.tag);
                }
                _ => drop(tags.contents.insert(one.tag, one.anew)),
            }
        }
        if let Some(key) = &key {
            let base = base(key);
            tags.secrets =
                secrets.into_iter().map(|(size, wanted)| OfLength::new(base, size, wanted)).collect();
        }
        tags.key = key;
        tags
    }

    /// True if nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contents.is_empty() && self.secrets.is_empty()
    }

    /// Number of tags that were made with a key that is not there any more. What they stand for is not known again.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// True if exact secrets are known, for which contents can be searched.
    #[must_use]
    pub fn has_secrets(&self) -> bool {
        !self.secrets.is_empty()
    }

    /// Bytes of the longest exact secret that is known; 0 for none.
    #[must_use]
    pub fn longest_secret(&self) -> usize {
        self.secrets.iter().map(|of_length| of_length.size).max().unwrap_or(0)
    }

    /// True if a content with this hash was redacted as a whole. Of fewer than twelve bytes none is known.
    #[must_use]
    pub fn is_content(&self, sha256: &Sha256) -> bool {
        let key = self.key.as_ref().filter(|_| !self.contents.is_empty());
        key.is_some_and(|key| self.contents.contains_key(&key.content_code(sha256)))
    }

    /// The code of a content that was redacted; `None` of any other.
    #[must_use]
    pub fn code_of_content(&self, sha256: &Sha256) -> Option<Code> {
        let code = self.key.as_ref()?.content_code(sha256);
        self.contents.contains_key(&code).then_some(code)
    }

    /// True if a redaction kept the code of this place.
    #[must_use]
    pub fn is_place(&self, place: &[u8]) -> bool {
        let key = self.key.as_ref().filter(|_| !self.contents.is_empty());
        key.is_some_and(|key| self.contents.contains_key(&key.place_code(place)))
    }

    /// Redacted content that `bytes` hold.
    #[must_use]
    pub fn held_in(&self, bytes: &[u8]) -> Held {
        if self.content_code(bytes).is_some() {
            return Held::Whole;
        }
        match self.parts_of(bytes) {
            parts if parts.is_empty() => Held::Nothing,
            parts => Held::Parts(parts),
        }
    }

    /// The places of exact secrets in `bytes`, in order; those that touch are one.
    fn parts_of(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let mut joined: Vec<Range<usize>> = Vec::new();
        for part in self.secrets_at(bytes) {
            match joined.last_mut() {
                Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
                _ => joined.push(part),
            }
        }
        joined
    }

    /// Where exact secrets stand in `bytes`, each by itself; a redacted content that is known as a whole is not among them.
    #[must_use]
    pub fn secrets_at(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        self.secrets_in(bytes, |part, _| parts.push(part));
        parts.sort_by_key(|part| (part.start, part.end));
        parts
    }

    /// `bytes` without what was redacted: a marker stands in its place. `None` when they hold nothing of it.
    #[must_use]
    pub fn without(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let whole = || format!("{MARKER}\n").into_bytes();
        let parts = match self.held_in(bytes) {
            Held::Nothing => return None,
            Held::Whole => return Some(whole()),
            Held::Parts(parts) => parts,
        };
        let out = marked(bytes, &parts);
        // A marker beside what is left could be a secret itself.
        Some(if self.held_in(&out) == Held::Nothing { out } else { whole() })
    }

    /// The same for a text of one's own beside contents, as a note or a path: exact secrets alone. A text that is a redacted
    /// content as a whole is none for that; one that is an exact secret is, though a content was that secret too.
    #[must_use]
    pub fn without_in_text(&self, text: &str) -> Option<String> {
        let parts = self.parts_of(text.as_bytes());
        if parts.is_empty() {
            return None;
        }
        let out = marked(text.as_bytes(), &parts);
        // A marker beside what is left could be a secret itself.
        let is_out = self.parts_of(&out).is_empty();
        Some(if is_out { String::from_utf8_lossy(&out).into_owned() } else { MARKER.to_owned() })
    }

    /// The same for a JSON text: each of its names and strings by itself, as it is without escapes. What is no JSON is taken as a
    /// text.
    #[must_use]
    pub fn without_in_json(&self, json: &str) -> Option<String> {
        let Ok(mut value) = serde_json::from_str(json) else { return self.without_in_text(json) };
        self.clean_value(&mut value).then(|| value.to_string())
    }

    /// True if anything was taken out.
    fn clean_value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => match self.without_in_text(text) {
                Some(cleaned) => {
                    *text = cleaned;
                    true
                }
                None => false,
            },
            Value::Array(items) => {
                let mut changed = false;
                for item in items {
                    changed |= self.clean_value(item);
                }
                changed
            }
            Value::Object(fields) => {
                let mut changed = false;
                for (name, mut field) in std::mem::take(fields) {
                    changed |= self.clean_value(&mut field);
                    let cleaned = self.without_in_text(&name);
                    changed |= cleaned.is_some();
                    fields.insert(cleaned.unwrap_or(name), field);
                }
                changed
            }
            // Digits may be a secret too, and a number has no place for a marker.
            number => match self.without_in_text(&number.to_string()) {
                Some(cleaned) => {
                    *number = Value::String(cleaned);
                    true
                }
                None => false,
            },
        }
    }

    /// A writer without exact secrets in their name. `None` when it holds none.
    #[must_use]
    pub fn without_in_actor(&self, actor: &Actor) -> Option<Actor> {
        Some(actor.renamed(self.without_in_text(actor.name()?)?))
    }

    /// True if writing `after` in the place of `before` brings back something redacted that did not stand there. A
    /// content that a client of the API redacted may be written again.
    #[must_use]
    pub fn brings_back(&self, before: Option<&[u8]>, after: &[u8]) -> bool {
        let brought = self.marks_in(after);
        !brought.is_empty()
            && !brought.is_subset(&before.map(|before| self.marks_in(before)).unwrap_or_default())
    }

    /// A mark of each thing redacted that `bytes` hold and nobody may write again. It tells them apart and says nothing
    /// of them.
    #[must_use]
    pub fn marks_in(&self, bytes: &[u8]) -> BTreeSet<u64> {
        let mark = |code: &Code| number(&code[..8]);
        let content = self.content_code(bytes).filter(|code| self.contents.get(code) == Some(&false));
        let mut marks: BTreeSet<u64> = content.iter().map(mark).collect();
        self.secrets_in(bytes, |_, code| {
            marks.insert(mark(&code));
        });
        marks
    }

    /// The code of `bytes`, where they are a redacted content.
    fn content_code(&self, bytes: &[u8]) -> Option<Code> {
        let key = self.key.as_ref().filter(|_| !self.contents.is_empty() && bytes.len() >= SHORTEST)?;
        Some(key.content_code(&Sha256::of(bytes))).filter(|code| self.contents.contains_key(code))
    }

    fn secrets_in(&self, bytes: &[u8], mut found: impl FnMut(Range<usize>, Code)) {
        let Some(key) = &self.key else { return };
        for of_length in &self.secrets {
            of_length.find_in(key, bytes, &mut found);
        }
    }
}

/// `bytes` with a marker in the place of each of `parts`, which are in order.
fn marked(bytes: &[u8], parts: &[Range<usize>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut kept = 0;
    for part in parts {
        out.extend_from_slice(&bytes[kept..part.start]);
        out.extend_from_slice(MARKER.as_bytes());
        kept = part.end;
    }
    out.extend_from_slice(&bytes[kept..]);
    out
}

/// Secrets of one length.
#[derive(Debug)]
struct OfLength {
    size: usize,
    base: u64,
    /// Value of each byte once it leaves the window.
    leaving: Box<[u64; 256]>,
    /// Codes by rolling hash.
    wanted: HashMap<u64, Vec<Code>>,
    /// Sieve of the rolling hashes.
    sieve: Vec<u64>,
}

impl OfLength {
    fn new(base: u64, size: usize, wanted: HashMap<u64, Vec<Code>>) -> Self {
        let power = (0..size).fold(1, |power, _| times(power, base));
        let mut leaving = Box::new([0; 256]);
        for (byte, counts) in (0..=u8::MAX).zip(leaving.iter_mut()) {
            *counts = times(power, value(byte));
        }
        let mut sieve = vec![0; (SIEVE_BITS / 64) as usize];
        for rolling in wanted.keys() {
            let (word, bit) = place_in_sieve(*rolling);
            sieve[word] |= bit;
        }
        Self { size, base, leaving, wanted, sieve }
    }

    fn find_in(&self, key: &Key, bytes: &[u8], found: &mut impl FnMut(Range<usize>, Code)) {
        let mut start = 0;
        // Behind a secret the window begins anew: places within one are not looked at, so that no text costs more than
        // its size.
        while let Some(window) = bytes.get(start..start + self.size) {
            let mut rolling = hash(self.base, window);
            loop {
                let end = start + self.size;
                let (word, bit) = place_in_sieve(rolling);
                if self.sieve[word] & bit != 0
                    && let Some(codes) = self.wanted.get(&rolling)
                {
                    let code = key.secret_code(&bytes[start..end]);
                    if codes.contains(&code) {
                        found(start..end, code);
                        start = end;
                        break;
                    }
                }
                let Some(next) = bytes.get(end) else { return };
                rolling = times(rolling, self.base) + value(*next) + PRIME
                    - self.leaving[usize::from(bytes[start])];
                rolling = reduce(u128::from(rolling));
                start += 1;
            }
        }
    }
}

impl Key {
    /// The rolling hash of a secret as it is kept: hidden, because it is no code by itself.
    #[must_use]
    pub fn hidden_rolling(&self, secret: &[u8], tag: &Code) -> [u8; 8] {
        (hash(base(self), secret) ^ pad(self, tag)).to_be_bytes()
    }
}

fn pad(key: &Key, tag: &Code) -> u64 {
    key.number(b"retrace.rolling.1", tag)
}

fn base(key: &Key) -> u64 {
    // Above what a byte counts for.
    key.number(b"retrace.base.1", b"") % (PRIME - 1024) + 1024
}

fn hash(base: u64, window: &[u8]) -> u64 {
    window.iter().fold(0, |hash, byte| reduce(u128::from(times(hash, base) + value(*byte))))
}

/// Value of a byte; a zero counts as well.
fn value(byte: u8) -> u64 {
    u64::from(byte) + 1
}

fn times(one: u64, other: u64) -> u64 {
    reduce(u128::from(one) * u128::from(other))
}

/// Modulo the prime.
fn reduce(number: u128) -> u64 {
    let low = (number & u128::from(PRIME)) as u64;
    let sum = low + (number >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

fn place_in_sieve(rolling: u64) -> (usize, u64) {
    let bit = rolling % SIEVE_BITS;
    ((bit / 64) as usize, 1 << (bit % 64))
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tags(contents: &[&[u8]], secrets: &[&[u8]]) -> Tags {
        let key = || Key::new(&[7; 32]);
        let check = key().check().to_vec();
        let of_content = contents.iter().map(|content| Kept {
            key_check: check.clone(),
            size: None,
            rolling: None,
            tag: key().content_code(&Sha256::of(content)),
            anew: false,
        });
        let of_secret = secrets.iter().map(|secret| {
            let tag = key().secret_code(secret);
            let rolling = Some(key().hidden_rolling(secret, &tag).to_vec());
            Kept { key_check: check.clone(), size: Some(secret.len()), rolling, tag, anew: false }
        });
        let kept: Vec<Kept> = of_content.chain(of_secret).collect();
        Tags::new(Some(key()), kept)
    }

    #[test]
    fn secrets_are_found_wherever_they_stand() {
        let tags = tags(&[], &[b"hunter2-hunter2", b"aaaaaaaaaaaa", b"another secret"]);
        let without =
            |text: &str| tags.without(text.as_bytes()).map(|out| String::from_utf8(out).expect("text"));
        assert_eq!(without("nothing here"), None);
        assert_eq!(without("hunter2-hunter2").as_deref(), Some("[redacted]"));
        assert_eq!(
            without("- hunter2-hunter2\n- another secret, hunter2-hunter2").as_deref(),
            Some("- [redacted]\n- [redacted], [redacted]")
        );
        assert_eq!(without("hunter2-hunter").as_deref(), None);
        assert_eq!(without(&"a".repeat(30)).as_deref(), Some("[redacted]aaaaaa"), "two that touch are one");
        assert_eq!(tags.without(b"\0\xff another secret\0"), Some(b"\0\xff [redacted]\0".to_vec()));
    }

    #[test]
    fn a_marker_makes_no_secret_of_what_is_left() {
        let tags = tags(&[], &[b"redacted]-rest", b"first secret"]);
        assert_eq!(tags.without(b"first secret-rest"), Some(b"[redacted]\n".to_vec()));
    }

    #[test]
    fn a_content_is_known_as_a_whole_alone() {
        let tags = tags(&[b"# Private\n\nthoughts\n"], &[]);
        assert_eq!(tags.held_in(b"# Private\n\nthoughts\n"), Held::Whole);
        assert_eq!(tags.held_in(b"# Private\n\nthoughts\n\n"), Held::Nothing);
        assert_eq!(tags.without(b"# Private\n\nthoughts\n"), Some(b"[redacted]\n".to_vec()));
        assert_eq!(tags.without_in_text("# Private\n\nthoughts\n"), None);
    }

    #[test]
    fn a_text_that_is_a_secret_is_found_where_a_content_was_that_secret() {
        let tags = tags(&[b"hunter2-hunter2"], &[b"hunter2-hunter2"]);
        assert_eq!(tags.held_in(b"hunter2-hunter2"), Held::Whole);
        assert_eq!(tags.without_in_text("hunter2-hunter2").as_deref(), Some("[redacted]"));
        assert_eq!(tags.without_in_text("hunter2-hunter2\n").as_deref(), Some("[redacted]\n"));
    }

    #[test]
    fn strings_of_json_are_looked_at_as_they_are() {
        let tags = tags(&[], &[b"pa\"ss\\word-1", b"123456789012"]);
        let json = r#"{"a":["x pa\"ss\\word-1"],"pa\"ss\\word-1":true,"n":123456789012,"ok":"x"}"#;
        let cleaned = tags.without_in_json(json).expect("it holds one");
        let value: Value = serde_json::from_str(&cleaned).expect("JSON");
        let wanted = r#"{"[redacted]":true,"a":["x [redacted]"],"n":"[redacted]","ok":"x"}"#;
        assert_eq!(value, serde_json::from_str::<Value>(wanted).expect("JSON"));
        assert_eq!(tags.without_in_json(&cleaned), None);
        assert_eq!(tags.without_in_json("no JSON 123456789012").as_deref(), Some("no JSON [redacted]"));
    }

    #[test]
    fn what_stood_there_is_not_brought_back() {
        let tags = tags(&[b"# Private\n\nthoughts\n"], &[b"hunter2-hunter2", b"another secret"]);
        assert!(tags.brings_back(None, b"hunter2-hunter2"));
        assert!(!tags.brings_back(Some(b"is hunter2-hunter2"), b"was hunter2-hunter2"));
        assert!(tags.brings_back(Some(b"is hunter2-hunter2"), b"hunter2-hunter2, another secret"));
        assert!(tags.brings_back(Some(b"else"), b"# Private\n\nthoughts\n"));
        assert!(!tags.brings_back(Some(b"# Private\n\nthoughts\n"), b"# Private\n\nthoughts\n"));
    }

    #[test]
    fn tags_of_another_key_are_counted_and_find_nothing() {
        let other = Key::new(&[8; 32]);
        let tag = other.secret_code(b"hunter2-hunter2");
        let rolling = Some(other.hidden_rolling(b"hunter2-hunter2", &tag).to_vec());
        let kept = || Kept {
            key_check: other.check().to_vec(),
            size: Some(15),
            rolling: rolling.clone(),
            tag,
            anew: false,
        };
        for key in [None, Some(Key::new(&[7; 32]))] {
            let tags = Tags::new(key, [kept()]);
            assert_eq!((tags.lost(), tags.is_empty()), (1, true));
            assert_eq!(tags.held_in(b"hunter2-hunter2"), Held::Nothing);
        }
    }

    proptest! {
        /// Against looking for each secret at each place.
        #[test]
        fn as_a_plain_search_finds_them(
            secrets in proptest::collection::vec(proptest::collection::vec(0u8..3, 12..16), 1..4),
            pieces in proptest::collection::vec((0usize..5, proptest::collection::vec(0u8..3, 0..9)), 0..8),
        ) {
            let refs: Vec<&[u8]> = secrets.iter().map(Vec::as_slice).collect();
            let tags = tags(&[], &refs);
            let mut text = Vec::new();
            for (which, noise) in pieces {
                text.extend_from_slice(&noise);
                text.extend(secrets.get(which).into_iter().flatten());
            }
            let holds = |text: &[u8]| secrets.iter().any(|secret| text.windows(secret.len()).any(|part| part == &secret[..]));
            let without = tags.without(&text);
            prop_assert_eq!(without.is_some(), holds(&text));
            prop_assert!(without.is_none_or(|left| !holds(&left)));
        }
    }
}
