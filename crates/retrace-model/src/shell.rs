//! Words of commands that a person copies into a shell.

use std::borrow::Cow;

/// A text as a shell takes it for one word, whatever it holds: in quotes where it must be.
#[must_use]
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
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

    #[test]
    fn only_what_a_shell_would_read_is_quoted() {
        for (text, word) in [
            ("/home/ada/notes", "/home/ada/notes"),
            ("/home/ada/my notes", "'/home/ada/my notes'"),
            ("it's $HOME", r"'it'\''s $HOME'"),
            ("", "''"),
            ("~ada", "'~ada'"),
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
