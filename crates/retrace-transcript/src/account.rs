//! Keeping the account of a reading.

use crate::{Account, Malformed, Oddity};
use retrace_message::Message;
use std::collections::BTreeMap;

/// Number of different names a tally holds; what comes after is under [`OTHERS`], so that no input makes it grow
/// without bound.
const NAMES_KEPT: usize = 1000;

/// Longest name in a tally, in bytes.
const NAME_LENGTH: usize = 100;

/// Where names beyond [`NAMES_KEPT`] are counted.
const OTHERS: &str = "…";

/// Counts one of `name`.
pub(crate) fn count(tally: &mut BTreeMap<String, u64>, name: &str) {
    let mut end = name.len().min(NAME_LENGTH);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let name = &name[..end];
    if let Some(number) = tally.get_mut(name) {
        *number += 1;
    } else if tally.len() < NAMES_KEPT {
        tally.insert(name.to_owned(), 1);
    } else {
        *tally.entry(OTHERS.to_owned()).or_default() += 1;
    }
}

/// Counts an oddity.
pub(crate) fn odd(account: &mut Account, what: Oddity) {
    *account.oddities.entry(what).or_default() += 1;
}

/// Notes a line that could not be read.
pub(crate) fn malformed(account: &mut Account, line: u64, reason: Message) {
    account.malformed_lines += 1;
    if account.malformed.len() < Account::KEPT {
        account.malformed.push(Malformed { line, reason });
    }
}

/// Why JSON could not be read, without any of its content and without the line number, which is always 1.
pub(crate) fn json_reason(error: &serde_json::Error) -> Message {
    let text = error.to_string();
    let cause = text.rsplit_once(" at line ").map_or(text.as_str(), |(cause, _)| cause);
    // Only messages of the parser itself are free of content; serde's own name the value.
    let cause =
        if error.is_data() { say::value_another_type_than_expected() } else { Message::verbatim(cause) };
    say::byte_line(cause, error.column())
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "account";
    value_another_type_than_expected() => "a value of another type than expected",
    byte_line(cause, column) => "{cause}, at byte {column} of the line",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_is_bounded() {
        let mut tally = BTreeMap::new();
        for number in 0..5000 {
            count(&mut tally, &format!("type-{number}"));
        }
        count(&mut tally, &"ü".repeat(5000));
        assert_eq!(tally.len(), NAMES_KEPT + 1);
        assert_eq!(tally.values().sum::<u64>(), 5001);
    }

    #[test]
    fn reasons_hold_no_content() {
        let error = serde_json::from_str::<serde_json::Value>("{\"secret\": tru").unwrap_err();
        assert_eq!(json_reason(&error), "EOF while parsing a value, at byte 14 of the line");
    }
}
