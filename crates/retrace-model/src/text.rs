//! Text and numbers for people.

/// True if a character has no glyph of its own, or changes where or in which direction others stand: controls, and
/// `Default_Ignorable_Code_Point` (Unicode 16, DerivedCoreProperties.txt) with the separators that end a line and the marks of
/// interlinear annotation. A line feed and a tab are among them; which of them a text may have is the caller's choice.
#[must_use]
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// `1234567` as `1,234,567`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let written = [0, 999, 1_000, 1_234_567].map(grouped);
        assert_eq!(written, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn what_is_seen_is_not_hidden() {
        assert!("abc ü 日本 👩 ❤".chars().all(|letter| !is_hidden(letter)));
        assert!("\u{0}\u{7f}\u{ad}\u{200b}\u{202e}\u{feff}\u{e0041}".chars().all(is_hidden));
    }
}
