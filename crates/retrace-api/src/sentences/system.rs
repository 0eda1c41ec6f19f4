//! What the operating system says, as the standard library passes it on.

/// The sentences; `{0}`, `{1}` … stand for what they are about.
pub(super) const SENTENCES: &[&str] = &[];
