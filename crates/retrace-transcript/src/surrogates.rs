//! Halves of characters.
//!
//! Programs that count text in UTF-16 cut it between the two halves of a character at times, and write the half as an
//! escape such as `\ud83d`. It stands for no character, so a strict parser refuses the whole line.

use std::borrow::Cow;

/// The bytes with every lone half replaced by the escape of U+FFFD, which is as long. Borrowed where there is none.
pub(crate) fn repaired(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut repaired = Cow::Borrowed(bytes);
    let finder = memchr::memmem::Finder::new(b"\\u");
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| finder.find(rest)) {
        let escape = at + found;
        let backslashes = bytes[at..escape].iter().rev().take_while(|&&byte| byte == b'\\').count();
        at = escape + 2;
        if backslashes % 2 == 1 {
            continue;
        }
        match code(bytes, escape) {
            Some(0xd800..=0xdbff) if matches!(code(bytes, escape + 6), Some(0xdc00..=0xdfff)) => {
                at = escape + 12;
            }
            Some(0xd800..=0xdfff) => {
                repaired.to_mut()[escape + 2..escape + 6].copy_from_slice(b"fffd");
                at = escape + 6;
            }
            _ => {}
        }
    }
    repaired
}

/// The code of an escape `\uXXXX`, if one begins there.
fn code(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |code, &digit| Some(code * 16 + char::from(digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_halves_are_replaced() {
        for (text, expected) in [
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\uDE00x\uD83D\ud83d\ude00""#, r#""\ufffdx\ufffd\ud83d\ude00""#),
            (r#""\\ud83d \\\ud83d""#, r#""\\ud83d \\\ufffd""#),
            (r#""\u00e9 \ud8"#, r#""\u00e9 \ud8"#),
            (r"\ud83d\u", r"\ufffd\u"),
        ] {
            assert_eq!(repaired(text.as_bytes()).as_ref(), expected.as_bytes(), "{text}");
        }
        assert!(matches!(repaired(b"plain \\n"), Cow::Borrowed(_)));
    }
}
