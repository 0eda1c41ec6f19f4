//! Other forms in which a secret may stand: UTF-16, base64, and escaped as in JSON. They are searched for and reported.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use regex::bytes::{Regex, RegexBuilder};
use std::collections::{BTreeMap, BTreeSet};

/// Texts whose forms are searched for; a pattern may match many more.
const MAX_TEXTS: usize = 200;

/// Shorter forms occur by chance.
const SHORTEST: usize = 8;

/// Memory a search for many texts at once may take.
const LARGEST_SEARCH: usize = 64 << 20;

/// Encoded forms of some texts.
pub(crate) struct Forms {
    search: Vec<(&'static str, Regex)>,
}

impl Forms {
    /// The forms of some texts.
    pub(crate) fn of<'t>(texts: impl IntoIterator<Item = &'t Vec<u8>>) -> Self {
        let mut by_name: BTreeMap<&'static str, BTreeSet<Vec<u8>>> = BTreeMap::new();
        for text in texts.into_iter().take(MAX_TEXTS) {
            for (name, form) in forms_of(text) {
                if form.len() >= SHORTEST && form != *text {
                    by_name.entry(name).or_default().insert(form);
                }
            }
        }
        let search = by_name.into_iter().filter_map(|(name, forms)| Some((name, any_of(&forms)?))).collect();
        Self { search }
    }

    /// Forms that some bytes hold, and how often.
    pub(crate) fn in_bytes(&self, bytes: &[u8]) -> Vec<(&'static str, u64)> {
        let count = |(name, search): &(&'static str, Regex)| (*name, search.find_iter(bytes).count() as u64);
        self.search.iter().map(count).filter(|(_, hits)| *hits > 0).collect()
    }
}

fn forms_of(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut forms = Vec::new();
    if let Ok(text) = std::str::from_utf8(text) {
        forms.push(("UTF-16", text.encode_utf16().flat_map(u16::to_le_bytes).collect()));
        forms.push(("UTF-16", text.encode_utf16().flat_map(u16::to_be_bytes).collect()));
        if let Some(escaped) = escaped(text) {
            forms.push(("JSON", escaped));
        }
    }
    for before in 0..3 {
        // The first and the last letter may hold bits of what stands beside it.
        let padded = [&[0; 3][..before], text].concat();
        let letters = [0, 2, 3][before];
        let whole = padded.len() / 3 * 4 + [0, 1, 2][padded.len() % 3];
        for encoded in [STANDARD_NO_PAD.encode(&padded), URL_SAFE_NO_PAD.encode(&padded)] {
            forms.extend(encoded.get(letters..whole).map(|form| ("base64", form.as_bytes().to_vec())));
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
    fn any_bytes_can_be_searched_for() {
        let search = any_of(&[b"\xff\x00(.)".to_vec(), b"two\n".to_vec()]).expect("a search");
        assert_eq!(search.find_iter(b"a\xff\x00(.)two\n(x)").count(), 2);
        assert!(any_of(&Vec::<Vec<u8>>::new()).is_none());
    }
}
