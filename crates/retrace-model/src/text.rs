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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_is_not_hidden() {
        assert!("abc ü 日本 👩 ❤".chars().all(|letter| !is_hidden(letter)));
        assert!("\u{0}\u{7f}\u{ad}\u{200b}\u{202e}\u{feff}\u{e0041}".chars().all(is_hidden));
    }
}
