//! Errors for people.

use super::Zone;
use super::paint::Paint;
use super::time::told;
use super::visible;
use retrace_api::wire::{ApiError, Message};
use std::io::{Result, Write};

/// The sentence, what it is about where the sentence does not say so, and the advice.
pub fn error(out: &mut (impl Write + ?Sized), error: &ApiError, paint: Paint, zone: Zone) -> Result<()> {
    write!(out, "{} {}", paint.red("error:"), told(&error.message, zone))?;
    if !error.subject.is_empty() && !names(&error.message, &error.subject) {
        write!(out, " ({})", visible::line(&error.subject))?;
    }
    writeln!(out)?;
    if !error.hint.is_empty() {
        writeln!(out, "  {}", told(&error.hint, zone))?;
    }
    Ok(())
}

/// True if a sentence names the thing itself: as an argument, or in one where it stands as a word. Letters that happen to stand in
/// the sentence are no name.
fn names(message: &Message, subject: &str) -> bool {
    let declared = retrace_message::declarations().into_iter().find(|one| one.id == message.id());
    match declared {
        Some(declared) => declared
            .arguments
            .iter()
            .filter_map(|name| message.argument(name))
            .any(|argument| has_word(&argument.to_string(), subject)),
        None => has_word(message, subject),
    }
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrace_api::wire::Code;

    #[test]
    fn an_error_says_what_and_what_next() {
        let printed = |message: &str, hint: &str, subject: &str| {
            let mut out = Vec::new();
            let (message, hint, subject) = (message.to_owned(), hint.to_owned(), subject.to_owned());
            error(
                &mut out,
                &ApiError {
                    code: Code::NotFound,
                    message: retrace_api::wire::Message::verbatim(message),
                    hint: retrace_api::wire::Message::verbatim(hint),
                    subject,
                },
                Paint::plain(),
                Zone::Utc,
            )
            .expect("a buffer takes everything");
            String::from_utf8(out).expect("text")
        };
        insta::assert_snapshot!(printed("There is no such store.", "Stores: notes.", "no\u{202e}te"), @r"
        error: There is no such store. (no‹U+202E›te)
          Stores: notes.
        ");
        insta::assert_snapshot!(printed("\"a\" is not a time.", "", "a"), @r#"error: "a" is not a time."#);
        insta::assert_snapshot!(printed("There is no such transcript.", "", "a"), @"error: There is no such transcript. (a)");
        insta::assert_snapshot!(printed("There are 1999 rows.", "", "999"), @"error: There are 1999 rows. (999)");
    }
}
