//! Other forms in which a secret may stand: UTF-16, base64 (of UTF-16 too, and over several lines), and escaped as in JSON or in an
//! address. They are searched for and reported.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use regex::bytes::{Captures, Regex, RegexBuilder};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Texts whose forms are searched for; a pattern may match many more.
const MAX_TEXTS: usize = 200;

/// Shorter forms occur by chance.
const SHORTEST: usize = 8;

/// Memory a search for many texts at once may take.
const LARGEST_SEARCH: usize = 64 << 20;

/// Name of the form that is broken into lines: those of mail and of keys have 64 or 76 letters.
const BASE64: &str = "base64";

/// Encoded forms of some texts.
pub(crate) struct Forms {
    search: Vec<(&'static str, Regex)>,
    /// The texts as they are.
    plain: Option<Regex>,
}

impl Forms {
    /// The forms of some texts.
    pub(crate) fn of<'t>(texts: impl IntoIterator<Item = &'t Vec<u8>>) -> Self {
        let mut by_name: BTreeMap<&'static str, BTreeSet<Vec<u8>>> = BTreeMap::new();
        let mut plain = BTreeSet::new();
        for text in texts.into_iter().take(MAX_TEXTS) {
            if text.len() >= SHORTEST {
                plain.insert(text);
            }
            for (name, form) in forms_of(text) {
                if form.len() >= SHORTEST && form != *text {
                    by_name.entry(name).or_default().insert(form);
                }
            }
        }
        let search = by_name.into_iter().filter_map(|(name, forms)| Some((name, any_of(&forms)?))).collect();
        Self { search, plain: any_of(plain) }
    }

    /// Forms that some bytes hold, and how often.
    pub(crate) fn in_bytes(&self, bytes: &[u8]) -> Vec<(&'static str, u64)> {
        let mut found: BTreeMap<&'static str, u64> = BTreeMap::new();
        for (name, search) in &self.search {
            let mut hits = count(search, bytes);
            if *name == BASE64 {
                hits = hits.max(count(search, &without_breaks(bytes)));
            }
            found.insert(name, hits);
        }
        if let Some(plain) = &self.plain {
            for (name, text) in [("URL", without_percents(bytes)), ("JSON", without_escapes(bytes))] {
                let Some(text) = text else { continue };
                let hits = count(plain, &text).saturating_sub(count(plain, bytes));
                let known = found.entry(name).or_default();
                *known = hits.max(*known);
            }
        }
        found.into_iter().filter(|(_, hits)| *hits > 0).collect()
    }
}

fn count(search: &Regex, bytes: &[u8]) -> u64 {
    search.find_iter(bytes).count() as u64
}

/// Lines put together, without what they begin with: indents, and marks of a quotation.
fn without_breaks(bytes: &[u8]) -> Vec<u8> {
    let lines = bytes.split(|byte| *byte == b'\n');
    let inner = lines.map(|line| {
        let line = line.trim_ascii();
        line.strip_prefix(b">").unwrap_or(line).trim_ascii_start()
    });
    inner.collect::<Vec<_>>().concat()
}

/// The text that an address stands for; `None` where nothing in it is escaped.
fn without_percents(bytes: &[u8]) -> Option<Vec<u8>> {
    match percent_encoding::percent_decode(bytes).into() {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    }
}

/// The text with letters in place of their numbers (`\u005f`); `None` where there is none.
fn without_escapes(bytes: &[u8]) -> Option<Vec<u8>> {
    static NUMBERS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\\u([0-9A-Fa-f]{4})").expect("the pattern is a constant"));
    let letter = |found: &Captures<'_>| {
        let number =
            std::str::from_utf8(&found[1]).ok().and_then(|number| u32::from_str_radix(number, 16).ok());
        let letter = number.and_then(char::from_u32);
        letter.map_or_else(|| found[0].to_vec(), |letter| letter.to_string().into_bytes())
    };
    match NUMBERS.replace_all(bytes, letter) {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    }
}

fn forms_of(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut forms = in_base64(text);
    if let Ok(text) = std::str::from_utf8(text) {
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for text in [little, big] {
            forms.extend(in_base64(&text));
            forms.push(("UTF-16", text));
        }
        if let Some(escaped) = escaped(text) {
            forms.push(("JSON", escaped));
        }
    }
    forms
}

fn in_base64(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut forms = Vec::new();
    for before in 0..3 {
        // The first and the last letter may hold bits of what stands beside it.
        let padded = [&[0; 3][..before], text].concat();
        let letters = [0, 2, 3][before];
        let whole = padded.len() / 3 * 4 + [0, 1, 2][padded.len() % 3];
        for encoded in [STANDARD_NO_PAD.encode(&padded), URL_SAFE_NO_PAD.encode(&padded)] {
            forms.extend(encoded.get(letters..whole).map(|form| (BASE64, form.as_bytes().to_vec())));
        }
    }
    forms
}

/// A text as it stands inside a string of JSON.
pub(super) fn escaped(text: &str) -> Option<Vec<u8>> {
    let literal = serde_json::to_string(text).ok()?;
    Some(literal.as_bytes().get(1..literal.len() - 1)?.to_vec())
}

/// A search for any of some bytes; `None` where there is nothing to search for.
pub(super) fn any_of<'t>(texts: impl IntoIterator<Item = &'t Vec<u8>>) -> Option<Regex> {
    let alternatives: Vec<String> = texts
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(|text| text.iter().map(|byte| format!("\\x{byte:02x}")).collect())
        .collect();
    if alternatives.is_empty() {
        return None;
    }
    RegexBuilder::new(&alternatives.join("|")).unicode(false).size_limit(LARGEST_SEARCH).build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};

    const SECRET: &[u8] = b"sk_live_4eC39HqLyjWDarj?~";

    fn found(bytes: &[u8]) -> Vec<&'static str> {
        Forms::of([&SECRET.to_vec()]).in_bytes(bytes).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn it_is_found_in_base64_wherever_it_stands() {
        for before in 0..7 {
            for after in 0..7 {
                let bytes = [&b"pre=%x/y"[..before], SECRET, &b"\xff/post"[..after]].concat();
                assert_eq!(found(STANDARD.encode(&bytes).as_bytes()), ["base64"], "{before} {after}");
                assert_eq!(found(URL_SAFE.encode(&bytes).as_bytes()), ["base64"], "{before} {after}");
            }
        }
        assert_eq!(found(SECRET), Vec::<&str>::new(), "as it is it is found elsewhere");
    }

    #[test]
    fn it_is_found_in_utf_16_of_either_order() {
        let text = String::from_utf8_lossy(SECRET);
        let little: Vec<u8> = format!("key {text}\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = format!("key {text}\n").encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!((found(&little), found(&big)), (vec!["UTF-16"], vec!["UTF-16"]));
    }

    #[test]
    fn it_is_found_in_base64_of_utf_16() {
        let text = String::from_utf8_lossy(SECRET);
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            for before in ["", "a", "$key = "] {
                let bytes: Vec<u8> = format!("{before}{text};").encode_utf16().flat_map(order).collect();
                assert_eq!(found(STANDARD.encode(&bytes).as_bytes()), ["base64"], "{before}");
            }
        }
    }

    #[test]
    fn it_is_found_in_base64_over_several_lines() {
        let encoded = STANDARD.encode([b"user:".as_slice(), SECRET, b"@host"].concat());
        for (width, between) in [(8, "\n"), (8, "\r\n"), (20, "\n    "), (20, "\n> ")] {
            let lines: Vec<&str> = encoded
                .as_bytes()
                .chunks(width)
                .map(|line| std::str::from_utf8(line).expect("letters"))
                .collect();
            let text = format!("It was\n\n{}\n\nand is no more.\n", lines.join(between));
            assert_eq!(found(text.as_bytes()), ["base64"], "{text}");
        }
    }

    #[test]
    fn it_is_found_where_letters_are_escaped() {
        assert_eq!(found(b"https://a.example/?key=sk%5Flive%5F4eC39HqLyjWDarj%3F~&b=1"), ["URL"]);
        assert_eq!(found(br#"{"key": "sk\u005flive_4eC39HqLyjWDarj?\u007E"}"#), ["JSON"]);
        assert_eq!(found(b"100%, sk_live_4eC39HqLyjWDarj?~ \\u00"), Vec::<&str>::new());
        assert_eq!(found(b"%41 sk_live_4eC39HqLyjWDarj?~ \\u0041"), Vec::<&str>::new(), "as it is, once");
    }

    #[test]
    fn any_bytes_can_be_searched_for() {
        let search = any_of(&[b"\xff\x00(.)".to_vec(), b"two\n".to_vec()]).expect("a search");
        assert_eq!(search.find_iter(b"a\xff\x00(.)two\n(x)").count(), 2);
        assert!(any_of(&Vec::<Vec<u8>>::new()).is_none());
    }
}
