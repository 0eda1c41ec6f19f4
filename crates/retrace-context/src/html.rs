//! Text in HTML that is written by hand: the reports, which load and run nothing.

use retrace_model::is_hidden;
use std::fmt::Write as _;

/// Text for an element or a quoted attribute: markup is escaped, and characters that a reader would not see are written as
/// `‹U+200B›`. A tab stays as it is.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            _ if letter != '\t' && is_hidden(letter) => {
                // Writing to a string does not fail.
                let _ = write!(escaped, "‹U+{:04X}›", u32::from(letter));
            }
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// The same for text of several lines.
#[must_use]
pub fn escape_lines(text: &str) -> String {
    text.split('\n').map(escape).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup_or_unseen() {
        assert_eq!(escape("<b a=\"1\" c='&'>"), "&lt;b a=&quot;1&quot; c=&#39;&amp;&#39;&gt;");
        assert_eq!(escape("a\u{202e}b\tc\n"), "a‹U+202E›b\tc‹U+000A›");
        assert_eq!(escape_lines("a<\r\nb"), "a&lt;‹U+000D›\nb");
    }
}
