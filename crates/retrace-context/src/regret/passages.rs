//! Passages: runs of words that tell one text from another.

use std::hash::{BuildHasherDefault, Hasher};

/// Words of a passage.
pub const PASSAGE_WORDS: usize = 10;

/// Least characters that the words of a passage have together: ten short words are found anywhere.
pub const PASSAGE_CHARACTERS: usize = 50;

/// Least characters of them that stand in no path: naming a file is not quoting what a tool said of it.
pub const PASSAGE_OWN_CHARACTERS: usize = 30;

/// Base of the rolling hash: an odd number with well-mixed bits.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// A passage of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passage {
    /// The same for the same words.
    pub hash: u64,
    /// Where its first word begins.
    pub start: usize,
    /// Where its last word ends.
    pub end: usize,
}

/// Calls `each` with every passage of `text`, in order. Words are runs of letters, digits and `_`; the number that a tool put
/// before a line is no word. A passage rests on text of its own: what is a path or an address alone is none.
pub(super) fn passages(text: &str, mut each: impl FnMut(Passage)) {
    let leaving = BASE.wrapping_pow(PASSAGE_WORDS as u32);
    let mut window = [(0_u64, 0_usize, 0_usize, 0_usize); PASSAGE_WORDS];
    let (mut words, mut hash, mut characters, mut own) = (0_usize, 0_u64, 0_usize, 0_usize);
    words_of(text, |start, end, in_path| {
        let word = hash_word(&text.as_bytes()[start..end]);
        let place = words % PASSAGE_WORDS;
        let (gone, gone_start, gone_end, gone_own) = window[place];
        let own_here = if in_path { 0 } else { end - start };
        window[place] = (word, start, end, own_here);
        words += 1;
        hash = hash.wrapping_mul(BASE).wrapping_add(word).wrapping_sub(gone.wrapping_mul(leaving));
        characters = characters + (end - start) - (gone_end - gone_start);
        own = own + own_here - gone_own;
        if words >= PASSAGE_WORDS && characters >= PASSAGE_CHARACTERS && own >= PASSAGE_OWN_CHARACTERS {
            let first = window[words % PASSAGE_WORDS].1;
            each(Passage { hash: mix(hash), start: first, end });
        }
    });
}

/// Calls `each` with every word: where it begins, where it ends, and whether it is a part of a path or an address.
fn words_of(text: &str, mut each: impl FnMut(usize, usize, bool)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    // Where the run of path characters ends that was looked at last, and whether it is a path.
    let (mut run_end, mut is_path) = (0, false);
    let mut line_begins = true;
    while at < bytes.len() {
        if line_begins {
            at += line_number(&bytes[at..]);
            line_begins = false;
            continue;
        }
        if !is_word(bytes[at]) {
            line_begins = bytes[at] == b'\n';
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        if start >= run_end {
            // Characters before the word belong to the run: `/usr`, `./a`, `C:\\x`.
            let before = bytes[..start].iter().rev().take_while(|&&byte| is_of_path(byte)).count();
            run_end = start + bytes[start..].iter().take_while(|&&byte| is_of_path(byte)).count();
            let run = &bytes[start - before..run_end];
            is_path = run.contains(&b'/') || run.windows(2).any(|pair| pair == b":\\");
        }
        each(start, at, is_path);
    }
}

/// True for the characters of paths and addresses.
fn is_of_path(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'/' | b'\\' | b'.' | b'-' | b'~' | b'@' | b'+' | b':' | b'%')
}

/// Every byte of a character outside ASCII belongs to a word, so that words end between characters.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Length of a line number with what stands around it: `   12→`, `12<TAB>`, `12:` or `12-`; 0 where there is none.
pub(super) fn line_number(line: &[u8]) -> usize {
    let spaces = line.iter().take_while(|&&byte| byte == b' ').count();
    let digits = line[spaces..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return 0;
    }
    let number = spaces + digits;
    match line.get(number) {
        Some(b'\t' | b':' | b'-') => number + 1,
        Some(0xe2) if line[number..].starts_with("→".as_bytes()) => number + "→".len(),
        _ => 0,
    }
}

fn hash_word(word: &[u8]) -> u64 {
    // FNV-1a: short inputs, and no need to withstand anyone.
    word.iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

fn mix(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

/// For maps by [`Passage::hash`], which is a hash already.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// A map by passage.
pub(super) type ByPassage<T> = std::collections::HashMap<u64, T, BuildHasherDefault<AsIs>>;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(text: &str) -> Vec<Passage> {
        let mut found = Vec::new();
        passages(text, |passage| found.push(passage));
        found
    }

    const WORDS: &str = "every recorded version keeps its content until somebody redacts it deliberately";

    #[test]
    fn a_passage_has_ten_words_wherever_it_stands() {
        let found = all(WORDS);
        assert_eq!(found.len(), 2);
        assert_eq!(
            &WORDS[found[0].start..found[0].end],
            "every recorded version keeps its content until somebody redacts it"
        );
        let within = format!("(see: {})", WORDS.replace(' ', ", "));
        assert!(all(&within).iter().any(|passage| passage.hash == found[0].hash));
        assert_eq!(all("a b c d e f g h i j k"), []);
    }

    #[test]
    fn paths_alone_are_no_passage() {
        let path = "/home/somebody/projects/some-long-name/crates/reading/src/formats/claude_code/lines.rs";
        assert_eq!(all(path), []);
        let listing =
            "src/one/first_module.rs\nsrc/two/second_module.rs\nsrc/three/third_module.rs\nsrc/four/x.rs\n";
        assert_eq!(all(listing), []);
        assert_eq!(
            all("https://example.test/a/long/address/with/many/parts?and=parameters&of=its#own-sort/x"),
            []
        );
        let stated = format!("the reader of lines in {path} keeps what it cannot understand and counts it");
        assert!(!all(&stated).is_empty());
        assert_eq!(
            all(&stated).len(),
            all(&stated).iter().filter(|passage| stated[passage.start..passage.end].contains(' ')).count()
        );
        // A slash between words of a sentence makes these two a path and no more.
        assert!(
            !all("keeps every version and/or its content until somebody redacts the memory deliberately")
                .is_empty()
        );
    }

    #[test]
    fn line_numbers_are_no_words() {
        let numbered = WORDS
            .split(' ')
            .enumerate()
            .map(|(line, word)| format!("   {line}→{word}\n"))
            .collect::<String>();
        let hashes = |text: &str| all(text).iter().map(|passage| passage.hash).collect::<Vec<_>>();
        assert_eq!(hashes(&numbered), hashes(WORDS));
    }

    proptest! {
        #[test]
        fn passages_end_between_characters(text in "([a-zé\u{1f600}_]{1,9}[ \n→:0-9]{1,3}){0,30}") {
            for passage in all(&text) {
                prop_assert!(text.is_char_boundary(passage.start) && text.is_char_boundary(passage.end));
            }
        }
    }
}
