//! Text from outside, made safe to print: what would move the cursor, change the direction of writing or not be seen at all
//! is written out as `‹U+200B›`.

use super::paint::Paint;
pub use retrace_model::is_hidden;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// One line. Line ends are written out too.
pub fn line(text: &str) -> String {
    line_in(text, Paint::plain())
}

/// One line, with what was hidden in reverse video.
pub fn line_in(text: &str, paint: Paint) -> String {
    write_out(text, paint, hides)
}

/// One line of at most so many columns, for a table: what is longer ends in `…`.
pub fn short(text: &str, columns: usize) -> String {
    let whole = line(text);
    if whole.width() <= columns {
        return whole;
    }
    let (mut cut, mut used) = (String::new(), 1);
    for letter in whole.chars() {
        used += letter.width().unwrap_or(0);
        if used > columns {
            break;
        }
        cut.push(letter);
    }
    cut.push('…');
    cut
}

/// Several lines. Line feeds and tabs stand.
pub fn lines(text: &str) -> String {
    write_out(text, Paint::plain(), |letter, before| !matches!(letter, '\n' | '\t') && hides(letter, before))
}

/// JSON text with everything hidden written as `\uHHHH`. Such characters occur in JSON inside strings only, so the meaning
/// stays.
pub fn json(text: &str) -> String {
    if text.is_ascii() {
        return text.replace('\x7f', "\\u007f");
    }
    let mut printed = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_hidden(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                printed.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            printed.push(letter);
        }
    }
    printed
}

/// Written form of a hidden character of this name.
pub fn mark(code: &str) -> String {
    format!("‹{code}›")
}

fn write_out(text: &str, paint: Paint, hides: impl Fn(char, Option<char>) -> bool) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut printed = String::with_capacity(text.len());
    let mut before = None;
    for letter in text.chars() {
        if hides(letter, before) {
            printed.push_str(&paint.reverse(&mark(&name(letter))));
        } else {
            printed.push(letter);
        }
        before = Some(letter);
    }
    printed
}

/// The name of a character: `U+200B`.
pub fn name(letter: char) -> String {
    format!("U+{:04X}", u32::from(letter))
}

/// True if a character is hidden where it stands. Joiners and variation selectors after a letter beyond ASCII belong to
/// emoji and to scripts that need them.
fn hides(letter: char, before: Option<char>) -> bool {
    let belongs = matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
        && before.is_some_and(|before| !before.is_ascii());
    !belongs && is_hidden(letter)
}

/// True if a character moves the cursor, ends the line or changes the direction of writing.
pub fn acts_on_terminal(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_written_out() {
        for (text, printed) in [
            ("notes/a.md", "notes/a.md"),
            ("a\x1b[2Jb", "a‹U+001B›[2Jb"),
            ("a\u{9b}2Jb", "a‹U+009B›2Jb"),
            ("a\u{200b}b\u{202e}c", "a‹U+200B›b‹U+202E›c"),
            ("a\nb\tc", "a‹U+000A›b‹U+0009›c"),
            ("\u{e0041}", "‹U+E0041›"),
            ("a\u{200d}b", "a‹U+200D›b"),
            ("日本語 한국어", "日本語 한국어"),
            ("👩\u{200d}👧 ❤\u{fe0f}", "👩\u{200d}👧 ❤\u{fe0f}"),
        ] {
            assert_eq!(line(text), printed);
        }
        assert_eq!(lines("a\nb\tc\r\n"), "a\nb\tc‹U+000D›\n");
        assert_eq!(line_in("a\u{7}", Paint::colours()), "a\x1b[7m‹U+0007›\x1b[27m");
    }

    #[test]
    fn what_is_too_long_for_a_table_is_cut_by_its_columns() {
        for (text, columns, printed) in [
            ("notes", 5, "notes"),
            ("notes!", 5, "note…"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("a\u{202e}b", 20, "a‹U+202E›b"),
            ("abc", 1, "…"),
        ] {
            assert_eq!(short(text, columns), printed);
        }
    }

    #[test]
    fn json_stays_the_same_value() {
        for text in ["plain", "\u{7f}", "\u{9b}31m", "a\u{200b}\u{e0041}ü日", "👩\u{200d}👧"] {
            let printed = json(&serde_json::to_string(text).expect("JSON"));
            assert!(!printed.chars().any(is_hidden), "{printed:?}");
            assert_eq!(serde_json::from_str::<String>(&printed).expect("JSON"), text);
        }
    }
}
