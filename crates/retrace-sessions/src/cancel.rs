//! A wish to stop, told across threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks an update to stop. Clones share the wish; once said it stays said.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Nobody wishes to stop yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stop as soon as what has been begun can be left consistent.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True if somebody wishes to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
