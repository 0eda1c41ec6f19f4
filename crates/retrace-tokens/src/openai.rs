//! Counting as OpenAI's models do: the vocabularies that `tiktoken-rs` carries, loaded at the first use.
//!
//! The text is handed over in bounded parts. They are cut where no piece reaches over the cut, so that the counts are those
//! of the whole; a stretch without such a place is cut all the same, at the cost of a token or two every 16 KiB. So no text
//! makes the expressions behind it track back without end, and a count costs no more than its length.

use crate::family::Family;
use std::collections::HashSet;
use std::sync::LazyLock;
use tiktoken_rs::CoreBPE;

/// The longest part, in bytes.
const PART: usize = 16 << 10;

/// Bytes to a token where a part cannot be counted. Nothing is known that cannot.
const BYTES_TO_A_TOKEN: u64 = 4;

/// The family of a model id of OpenAI, with or without vendor, fine tuning and date; `None` for any other.
pub(crate) fn family(model_id: &str) -> Option<Family> {
    let lower = model_id.trim().to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let name = name.strip_prefix("ft:").unwrap_or(name);
    let name = name.split([':', '@', '[', ' ']).next().unwrap_or_default();
    if let Some(rest) = name.strip_prefix("chatgpt-").or_else(|| name.strip_prefix("gpt-")) {
        return of_gpt(rest);
    }
    // o1, o3-mini, o4-mini-2025-04-16
    let series = name.strip_prefix('o').map(|rest| rest.split('-').next().unwrap_or_default());
    let is_series = series.is_some_and(|number| {
        !number.is_empty() && number.len() <= 2 && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    (is_series || name.starts_with("codex-")).then_some(Family::O200k)
}

/// By what stands behind `gpt-`.
fn of_gpt(rest: &str) -> Option<Family> {
    if rest == "oss" || rest.starts_with("oss-") {
        return Some(Family::O200k);
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, behind) = rest.split_at(digits);
    match (number.parse::<u32>().ok()?, behind) {
        // Azure writes 3.5 without the dot.
        (35, _) => Some(Family::Cl100k),
        (3, behind) if behind.starts_with(".5") => Some(Family::Cl100k),
        (4, behind) if behind.is_empty() || behind.starts_with('-') => Some(Family::Cl100k),
        (4.., _) => Some(Family::O200k),
        _ => None,
    }
}

/// A vocabulary of OpenAI.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vocabulary {
    O200k,
    Cl100k,
}

impl Vocabulary {
    fn encoder(self) -> Option<&'static CoreBPE> {
        static O200K: LazyLock<Option<CoreBPE>> = LazyLock::new(|| tiktoken_rs::o200k_base().ok());
        static CL100K: LazyLock<Option<CoreBPE>> = LazyLock::new(|| tiktoken_rs::cl100k_base().ok());
        match self {
            Self::O200k => O200K.as_ref(),
            Self::Cl100k => CL100K.as_ref(),
        }
    }

    /// Tokens of a text; names of special tokens in it are text.
    pub(crate) fn count(self, text: &str) -> u64 {
        let encoder = self.encoder();
        let mut tokens = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let (part, behind) = rest.split_at(part_of(rest));
            let counted = encoder.and_then(|encoder| encoder.encode(part, &HashSet::new()).ok());
            tokens += match counted {
                Some((list, _)) => list.len() as u64,
                None => (part.len() as u64).div_ceil(BYTES_TO_A_TOKEN),
            };
            rest = behind;
        }
        tokens
    }
}

/// Number of bytes of the next part of a text.
fn part_of(text: &str) -> usize {
    if text.len() <= PART {
        return text.len();
    }
    let bytes = text.as_bytes();
    // Half a part at least, so that the search costs no more than the counting.
    let place = (PART / 2..=PART).rev().find(|&at| parts_pieces(bytes, at));
    place.unwrap_or_else(|| (1..=PART).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(PART))
}

/// True if no piece of either vocabulary reaches over a place: behind a line feed that ends the blank space, or between a
/// word or number and the blank before the next.
fn parts_pieces(bytes: &[u8], at: usize) -> bool {
    let (Some(&before), Some(&first)) = (at.checked_sub(1).and_then(|at| bytes.get(at)), bytes.get(at))
    else {
        return false;
    };
    let second = bytes.get(at + 1).copied().unwrap_or_default();
    match before {
        b'\n' => {
            first.is_ascii_alphanumeric() || matches!(first, b'{' | b'}' | b'(' | b')' | b'#' | b'"' | b'<')
        }
        before => before.is_ascii_alphanumeric() && first == b' ' && second.is_ascii_alphanumeric(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn models_go_to_the_vocabulary_their_provider_names() {
        for (id, expected) in [
            ("gpt-5.5", Some(Family::O200k)),
            ("gpt-5.3-codex-spark", Some(Family::O200k)),
            ("gpt-6.1-sol", Some(Family::O200k)),
            ("gpt-10", Some(Family::O200k)),
            ("openai/gpt-4o-2024-05-13", Some(Family::O200k)),
            ("chatgpt-4o-latest", Some(Family::O200k)),
            ("gpt-4.1-mini", Some(Family::O200k)),
            ("GPT-5 mini", Some(Family::O200k)),
            ("gpt-oss-120b", Some(Family::O200k)),
            ("o1", Some(Family::O200k)),
            ("o4-mini", Some(Family::O200k)),
            ("codex-mini-latest", Some(Family::O200k)),
            ("ft:gpt-4o:acme::x", Some(Family::O200k)),
            ("gpt-4", Some(Family::Cl100k)),
            ("gpt-4-32k-0314", Some(Family::Cl100k)),
            ("gpt-3.5-turbo", Some(Family::Cl100k)),
            ("azure/gpt-35-turbo-16k", Some(Family::Cl100k)),
            ("gpt-2", None),
            ("gpt-3", None),
            ("gpt", None),
            ("gpt-", None),
            ("opus", None),
            ("o", None),
            ("olmo-3", None),
            ("o123-x", None),
            ("gemini-3-pro", None),
            ("", None),
        ] {
            assert_eq!(family(id), expected, "{id}");
        }
    }

    #[test]
    fn counts_are_those_that_are_published() {
        for (text, o200k, cl100k) in [
            ("", 0, 0),
            ("hello, world", 3, 3),
            ("tiktoken is great!", 6, 6),
            ("<|endoftext|>", 7, 7),
            ("お誕生日おめでとう", 8, 9),
        ] {
            assert_eq!(Vocabulary::O200k.count(text), o200k, "{text}");
            assert_eq!(Vocabulary::Cl100k.count(text), cl100k, "{text}");
        }
    }

    #[test]
    fn texts_without_a_place_to_cut_cost_their_length_alone() {
        for unit in [
            "a",
            "A",
            "ab",
            " ",
            "\n",
            " \n",
            "\u{301}",
            "日",
            "-",
            "'s",
            "1",
            "😀",
            "\t \r\n/",
            "<|endoftext|>",
        ] {
            for vocabulary in [Vocabulary::O200k, Vocabulary::Cl100k] {
                let text = unit.repeat(300_000 / unit.len());
                let tokens = vocabulary.count(&text);
                assert!(tokens > 0 && tokens <= text.len() as u64, "{unit:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn parts_count_as_the_whole_does(
            words in proptest::collection::vec("[a-zA-Z0-9 ,.'{}()/\\n\\t日é]{1,12}[ \\n]{1,2}", 1..400),
            times in 1..8_usize,
        ) {
            let text = words.concat().repeat(times);
            for vocabulary in [Vocabulary::O200k, Vocabulary::Cl100k] {
                let whole = vocabulary.encoder().expect("it loads").encode_ordinary(&text).len() as u64;
                let allowed = if parts_are_exact(&text) { 0 } else { 2 * (text.len() / PART) as u64 };
                let parts = vocabulary.count(&text);
                prop_assert!(parts.abs_diff(whole) <= allowed, "{} {}", parts, whole);
            }
        }
    }

    /// True if every part but the last ends where no piece reaches over.
    fn parts_are_exact(text: &str) -> bool {
        let mut rest = text;
        while rest.len() > PART {
            let at = part_of(rest);
            if !parts_pieces(rest.as_bytes(), at) {
                return false;
            }
            rest = &rest[at..];
        }
        true
    }
}
