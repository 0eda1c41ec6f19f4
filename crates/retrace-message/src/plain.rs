//! The form of messages for readers of `--json`, whose fields are texts.

use std::cell::Cell;

thread_local! {
    static PLAIN: Cell<bool> = const { Cell::new(false) };
}

/// Runs `write`; every message that is serialised in it, on this thread, is its text and no object.
pub fn as_text<T>(write: impl FnOnce() -> T) -> T {
    /// Puts the form of before back, also after a panic.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            PLAIN.set(self.0);
        }
    }
    let _before = Before(PLAIN.replace(true));
    write()
}

/// True within [`as_text`].
#[must_use]
pub fn is_as_text() -> bool {
    PLAIN.get()
}
