//! Masked form of a secret: its first characters and its length, never more.

/// Characters shown of a long secret: enough to know a provider's prefix.
const SHOWN: usize = 4;

/// At most one character in this many is shown, so that a short secret keeps most of itself.
const SHOWN_SHARE: usize = 5;

/// `text` masked: up to four characters, at most a fifth of it, and how long it is in Unicode scalar values. Characters
/// that a terminal would not show are left out of what is shown.
#[must_use]
pub fn mask(text: &str) -> String {
    let (shown, length) = masked(text);
    let unit = if length == 1 { "character" } else { "characters" };
    format!("{shown}… ({length} {unit})")
}

/// What is shown of `text`, and its length.
pub(crate) fn masked(text: &str) -> (String, usize) {
    let length = text.chars().count();
    let shown: String =
        text.chars().take(SHOWN.min(length / SHOWN_SHARE)).take_while(char::is_ascii_graphic).collect();
    (shown, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_shown() {
        for (text, masked) in [
            ("", "… (0 characters)"),
            ("a", "… (1 character)"),
            ("hunter22", "h… (8 characters)"),
            ("abcdefghijklmnopqrstuvwxyz", "abcd… (26 characters)"),
            ("é123456789", "… (10 characters)"),
            ("a\u{1b}[0m23456789", "a… (13 characters)"),
        ] {
            assert_eq!(mask(text), masked, "{text:?}");
        }
    }
}
