//! What the commands of the Context lab share: small files of the data directory.
//!
//! Nothing here is part of the log. What is kept in files can be thrown away (the index, the counts) or was typed by a
//! person (saved settings, prices of their own).

pub(crate) mod keep;

use std::sync::Mutex;

/// State of the Context lab in this process.
#[derive(Default)]
pub(crate) struct Lab {
    /// Held while `variants.json` is read and written anew.
    pub(crate) variants: Mutex<()>,
}
