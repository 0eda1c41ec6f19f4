//! Words of commands that a person copies into a shell.

use std::borrow::Cow;

/// A text as a shell takes it for one word, whatever it holds: in quotes where it must be. What a terminal would not print
/// as it is (a line feed, a character without width) is written out between `$'` and `'`, which POSIX has since 2024, and
/// bash and zsh for long.
#[must_use]
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    if !text.chars().any(is_unseen) {
        return Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")));
    }
    let mut word = "$'".to_owned();
    for letter in text.chars() {
        match letter {
            '\'' | '\\' => word.extend(['\\', letter]),
            '\n' => word.push_str(r"\n"),
            '\t' => word.push_str(r"\t"),
            // Three octal digits and eight hexadecimal ones: what follows is no part of them.
            _ if is_unseen(letter) && letter.is_ascii() => {
                word.push_str(&format!("\\{:03o}", u32::from(letter)));
            }
            _ if is_unseen(letter) => word.push_str(&format!("\\U{:08x}", u32::from(letter))),
            _ => word.push(letter),
        }
    }
    word.push('\'');
    Cow::Owned(word)
}

/// Control characters, and those that are there without being seen (Unicode's format characters and variation selectors).
fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(letter, '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Words of a line as a POSIX shell takes it apart, of which only quotes and blanks are needed here.
    fn taken_apart(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quoted, mut letters) =
            (Vec::new(), None::<String>, false, line.chars());
        while let Some(letter) = letters.next() {
            match letter {
                '$' if !quoted && letters.as_str().starts_with('\'') => {
                    letters.next();
                    word.get_or_insert_default().push_str(&written_out(&mut letters));
                }
                '\'' => {
                    quoted = !quoted;
                    word.get_or_insert_default();
                }
                '\\' if !quoted => word.get_or_insert_default().extend(letters.next()),
                ' ' if !quoted => words.extend(word.take()),
                other => word.get_or_insert_default().push(other),
            }
        }
        words.extend(word);
        words
    }

    /// What stands between `$'` and the next quotation mark.
    fn written_out(letters: &mut std::str::Chars<'_>) -> String {
        let mut text = String::new();
        let number = |letters: &mut std::str::Chars<'_>, first: &str, digits: usize, base| {
            let digits: String = first.chars().chain(letters.by_ref().take(digits)).collect();
            u32::from_str_radix(&digits, base).ok().and_then(char::from_u32).expect("a character")
        };
        while let Some(letter) = letters.next().filter(|letter| *letter != '\'') {
            let letter = if letter == '\\' {
                match letters.next().expect("something is escaped") {
                    'n' => '\n',
                    't' => '\t',
                    'U' => number(letters, "", 8, 16),
                    digit @ '0'..='7' => number(letters, &digit.to_string(), 2, 8),
                    other => other,
                }
            } else {
                letter
            };
            text.push(letter);
        }
        text
    }

    #[test]
    fn only_what_a_shell_would_read_is_quoted() {
        for (text, word) in [
            ("/home/ada/notes", "/home/ada/notes"),
            ("/home/ada/my notes", "'/home/ada/my notes'"),
            ("it's $HOME", r"'it'\''s $HOME'"),
            ("", "''"),
            ("~ada", "'~ada'"),
            ("a\nb's", r"$'a\nb\'s'"),
            ("a\u{200b}1\u{1b}1", r"$'a\U0000200b1\0331'"),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }

    proptest! {
        #[test]
        fn a_shell_takes_it_for_that_one_word(text: String) {
            prop_assert_eq!(taken_apart(&format!("a {} b", shell_word(&text))), ["a", &text, "b"]);
        }
    }
}
