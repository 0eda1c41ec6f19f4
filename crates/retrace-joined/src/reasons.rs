//! Why a machine did not do what another one asked: the word that it signed, and what it says to a person.

use retrace_message::Message;

/// The store was taken off the list.
pub(crate) const OFF_THE_LIST: &str = "store_off_the_list";

/// A reason in words. Of a word that this program does not know, the word itself is told.
pub(crate) fn in_words(reason: &str) -> Message {
    match reason {
        "refused_by_a_person" => say::by_a_person(),
        "unknown_kind" => say::unknown_kind(),
        // As it stood in results from the beginning; it is signed.
        "the live content is another" | "head_moved" => say::another_content(),
        "before_recording" => say::before_recording(),
        "content_redacted" => say::content_redacted(),
        "not_found" => say::not_there(),
        "store_unavailable" => say::store_unavailable(),
        "cannot_write" => say::cannot_write(),
        "busy" => say::busy(),
        "log_has_no_receipt" => say::no_redaction(),
        "log_has_no_such_version" => say::no_version(),
        OFF_THE_LIST => say::off_the_list(),
        "versions_are_left" => say::versions_left(),
        other => say::other(other),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "hub_reasons";
    by_a_person() => "A person refused it there.",
    unknown_kind() => "The program there does not know this kind of proposal.",
    another_content() => "Another content is live there.",
    before_recording() => "The time asked for lies before the store was recorded there.",
    content_redacted() => "It is about a content that was redacted there, or holds what was.",
    not_there() => "What it is about is not there.",
    store_unavailable() => "The directory of the store is missing there, or may not be used.",
    cannot_write() => "Nothing can be written there: rights or room are missing.",
    busy() => "Another process held the log there.",
    no_redaction() => "The log there has no such redaction.",
    no_version() => "The log there has no such version.",
    versions_left() => "Some of the versions could not be redacted there.",
    off_the_list() => "The store was taken off the list there.",
    other(reason) => "It could not be done there ({reason}).",
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn a_code_is_told_in_words() {
        let text = |reason| in_words(reason).text().to_string();
        assert_eq!(text("before_recording"), "The time asked for lies before the store was recorded there.");
        assert_eq!(text("database_newer"), "It could not be done there (database_newer).");
    }
}
