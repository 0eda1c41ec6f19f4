//! Sentences that the program puts together from pieces that stand apart in its sources.

/// The sentences; `{0}`, `{1}` … stand for what they are about.
pub(super) const SENTENCES: &[&str] = &[
    "autoMemoryDirectory in {0} names it",
    "autoMemoryDirectory in {0} is ignored, because the trust dialog was not accepted for this project or a \
     directory above it.",
    "autoMemoryDirectory in {0} is refused: {1}.",
    "{0} in {1} names it",
    "Subagent memory is on together with auto memory. {0}",
    "Subagent memory is off together with auto memory. {0}",
    "the directory could not {0}: {1}",
];
