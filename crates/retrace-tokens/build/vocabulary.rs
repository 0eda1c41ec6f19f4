//! Reading a vocabulary file, and the properties it must have.

/// An entry as it will be found in a marked stream, where markers are single bytes that do not occur in UTF-8.
pub(crate) struct Entry {
    pub bytes: Vec<u8>,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Covers its bytes for one token.
    Piece,
    /// The beginning of the UTF-8 form of characters: makes them cheaper where no piece covers them.
    Prefix,
}

/// The same as in `src/marker.rs`.
const BOW: u8 = 0xF8;
const EOW: u8 = 0xF9;
const SHIFT: u8 = 0xFA;
const CAPS: u8 = 0xFB;

/// The same as in `src/vocabulary.rs`.
const WINDOW: usize = 1024;

pub(crate) fn parse(text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    for line in text.split('\n').skip_while(|line| line.starts_with('#')).filter(|line| !line.is_empty()) {
        let (group, piece) = line.split_once('\t').expect("a group and a piece");
        if group == "b" {
            entries.push(Entry { bytes: hexadecimal(piece), kind: Kind::Prefix });
            continue;
        }
        let bytes = literal(piece);
        if group == "c" {
            let mut closed = bytes.clone();
            closed.push(EOW);
            entries.push(Entry { bytes: closed, kind: Kind::Piece });
        }
        entries.push(Entry { bytes, kind: Kind::Piece });
    }
    entries.sort_by(|a, b| (&a.bytes, a.kind).cmp(&(&b.bytes, b.kind)));
    entries
}

fn hexadecimal(digits: &str) -> Vec<u8> {
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}

fn literal(piece: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = piece;
    while let Some(start) = rest.find('⟨') {
        bytes.extend_from_slice(&rest.as_bytes()[..start]);
        let end = rest.find('⟩').expect("a closed atom");
        bytes.push(match &rest[start + '⟨'.len_utf8()..end] {
            "bow" => BOW,
            "eow" => EOW,
            "shift" => SHIFT,
            "caps" => CAPS,
            byte => u8::from_str_radix(byte.strip_prefix("0x").expect("a byte"), 16).expect("hexadecimal"),
        });
        rest = &rest[end + '⟩'.len_utf8()..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// Checks that a stream can be cut (after end-of-word, before a word's opening, around a stretch of one whitespace
/// character and around ASCII digits) and three digits cost one token.
pub(crate) fn check(entries: &[Entry]) {
    let pieces = || entries.iter().filter(|entry| entry.kind == Kind::Piece).map(|entry| &*entry.bytes);
    for piece in pieces() {
        assert!(piece.len() < WINDOW, "{piece:x?}: longer than what is looked at");
        let opening = piece.iter().position(|byte| *byte == BOW);
        let before = &piece[..opening.unwrap_or(0)];
        assert!(
            before.is_empty() || before == [SHIFT] || before == [CAPS],
            "{piece:x?}: text before the opening of a word"
        );
        let case = piece.iter().position(|byte| [SHIFT, CAPS].contains(byte));
        assert!(case.is_none_or(|at| at == 0), "{piece:x?}: text before a case marker");
        let closing = piece.iter().position(|byte| *byte == EOW);
        assert!(closing.is_none_or(|at| at + 1 == piece.len()), "{piece:x?}: text after the end of a word");
        let digits = piece.iter().filter(|byte| byte.is_ascii_digit()).count();
        assert!(digits == 0 || digits == piece.len(), "{piece:x?}: digits beside something else");
        assert!(digits <= 3, "{piece:x?}: more than three digits");
        check_whitespace(piece);
        let text: Vec<u8> = piece.iter().copied().filter(|byte| *byte < BOW).collect();
        assert!(String::from_utf8(text).is_ok(), "{piece:x?}: not whole characters");
    }
    assert_eq!(
        pieces().filter(|piece| piece.iter().all(u8::is_ascii_digit)).count(),
        1110,
        "all strings of one to three digits"
    );
}

fn check_whitespace(piece: &[u8]) {
    const IDEOGRAPHIC_SPACE: &[u8] = "\u{3000}".as_bytes();
    for blank in [&b" "[..], b"\t", b"\n", IDEOGRAPHIC_SPACE] {
        if piece.windows(blank.len()).any(|window| window == blank) {
            assert!(
                piece.chunks(blank.len()).all(|chunk| chunk == blank),
                "{piece:x?}: whitespace beside something else"
            );
        }
    }
}
