//! Messages of findings, as sentences with places for what they are about: another language says a sentence anew when
//! it knows the English one. Findings of secrets and of personal data are not among them: what they name stands in
//! their rule.

use crate::registry::Rule;

/// Every sentence of a finding; `{0}`, `{1}` … stand for what it is about. Where two fit, the first is meant.
pub const MESSAGES: &[&str] = &[
    "Line {0} and the {1} after it are not loaded: {2} lines and {3} bytes count, {4} and {5} are loaded.",
    "The line has {0} characters.",
    "The file has {0} characters, over {1}.",
    "The file has {0} bytes, over {1}.",
    "The path has {0} bytes with its leading slash.",
    "The path has {0} segments.",
    "The path holds a control or format character.",
    "The path is not in Unicode NFC.",
    "There are {0} files, over {1}.",
    "The memory tool counts {0} lines, over {1}.",
    "The file of {0} bytes was not read.",
    "There is no branch \"{0}\".",
    "There is no \"{0}\" to import.",
    "There is no \"{0}\".",
    "No index links to this file.",
    "No memory is called \"{0}\".",
    "The front matter cannot be read: it is not closed with ---.",
    "The front matter cannot be read: it is longer than 64 KiB.",
    "The front matter cannot be read: it is no list of keys and values.",
    "The front matter cannot be read: {0}.",
    "The type is \"{0}\".",
    "\"{0}\" has the same name.",
    "Without width: {0}.",
    "Changes the order of the text: {0}.",
    "Invisible letters: {0}.",
    "A control character: {0}.",
    "Not shown: {0}.",
    "Not UTF-8: {0} bytes.",
    "A comment of {0} words is not seen where this is rendered.",
    "The path holds {0}, which is not seen.",
    "The path holds {0}, which looks like a Latin letter.",
    "The path holds {0}, which looks like an ASCII character.",
    "Tells the model to drop its instructions.",
    "Tells the model to keep something from the user.",
    "Gives the model another role without limits.",
    "Asks for the system prompt.",
    "Looks like a tool call.",
    "Looks like a role mark of the conversation.",
    "Looks like a message of the program to the model.",
    "The address of a service that catches requests.",
    "A command that uploads credentials.",
    "Tells the model to send secrets to an address.",
    "Tells the model to send a key file away.",
    "A command that runs what an address answers.",
    "Quotes or describes text that is aimed at a model.",
    "An image address with a place for data in it.",
    "{0} is past.",
    "The repository has no \"{0}\" to run.",
    "The repository has no \"{0}\".",
    "No justfile has a recipe \"{0}\".",
    "No Cargo.toml has a package \"{0}\".",
    "No package.json has a script \"{0}\".",
    "No Makefile has a target \"{0}\".",
    "No package.json depends on \"{0}\".",
    "No configuration file mentions port {0}.",
    "No session loaded it for {0} days; {1} could have loaded it since.",
    "{0} % of the word triples are those of \"{1}\".",
    "\"{0}\" line {1} says otherwise.",
    "{0} of {1} memories were deleted at once.",
    "The index went from {0} lines to {1} in one change.",
    "Nobody knows who wrote it; {0} other changes of this directory have a known writer.",
    "Nobody knows who changed it; {0} other changes of this directory have a known writer.",
    "Nobody knows who deleted it; {0} other changes of this directory have a known writer.",
    "It holds something that was redacted before.",
    "Session {0} wrote it, then session {1}, then {2} again.",
    "Session {0} wrote over the line that session {1} had just added.",
    "Session {0} wrote over all {1} lines that session {2} had just added.",
];

/// True if `message` is one that `sentence` makes: its words are all there, in order, with something in each place.
#[must_use]
pub fn says(sentence: &str, message: &str) -> bool {
    let mut rest = message;
    let mut words = sentence.split('{');
    let Some(found) = words.next().and_then(|first| rest.strip_prefix(first)) else { return false };
    rest = found;
    let parts: Vec<&str> = words.filter_map(|part| part.split_once('}').map(|(_, after)| after)).collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some(at) = rest.char_indices().skip(1).map(|(at, _)| at).find(|at| rest[*at..].starts_with(part))
        else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.len() > last.len() && rest.ends_with(last)
}

/// In the tests of this crate, fails for a message of a rule that is none of [`MESSAGES`].
pub(crate) fn check(rule: &Rule, message: &str) {
    if cfg!(test) && !rule.sensitive {
        assert!(
            MESSAGES.iter().any(|sentence| says(sentence, message)),
            "not among the messages: {message:?}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_known_again_with_what_stands_in_it() {
        assert!(says("There is no \"{0}\".", "There is no \"a.md\"."));
        assert!(says("There is no \"{0}\" to import.", "There is no \"a \" b.md\" to import."));
        assert!(says("{0} of {1} memories were deleted at once.", "9 of 10 memories were deleted at once."));
        assert!(says("No index links to this file.", "No index links to this file."));
        for message in ["There is no \"\".", "There is no \"a.md\"", "Of 10 memories were deleted at once."] {
            assert!(!MESSAGES.iter().any(|sentence| says(sentence, message)), "{message}");
        }
    }

    #[test]
    fn the_first_that_fits_is_the_one_that_was_meant() {
        for (at, sentence) in MESSAGES.iter().enumerate() {
            let filled = (0..6).fold((*sentence).to_owned(), |text, place| {
                text.replace(&format!("{{{place}}}"), &(place + 7).to_string())
            });
            assert_eq!(MESSAGES.iter().position(|other| says(other, &filled)), Some(at), "{filled}");
        }
    }
}
