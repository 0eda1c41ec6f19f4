//! Finishing purges that were held up, beside recording.

use crate::Redactions;
use retrace_engine::recorder::Upkeep;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time for which a purge is left to the process that redacted: longer than it takes to write the log of a common size
/// anew. That process knows the secret and can prove that it is gone.
const FIRST_PURGE: Duration = Duration::from_secs(2);

/// Longest pause between attempts to finish a purge; each is twice as long as the one before. An attempt that is in vain
/// keeps other writers waiting for a quarter of a second.
const LONGEST_PURGE_PAUSE: Duration = Duration::from_secs(16);

/// Finishes purges while the recorder runs.
pub struct PurgeUpkeep {
    inner: Arc<Redactions>,
    due: PurgeDue,
}

impl PurgeUpkeep {
    /// For the recorder of this log.
    pub fn new(inner: Arc<Redactions>) -> Self {
        Self { inner, due: PurgeDue::default() }
    }
}

impl Upkeep for PurgeUpkeep {
    fn tick(&mut self) {
        self.due.try_when_due(&self.inner);
    }

    fn committed(&mut self) {
        self.due.check(&self.inner);
    }
}

/// When to try to finish a purge. That somebody stops reading is not announced, so it is tried again and again.
#[derive(Default)]
struct PurgeDue {
    /// The next attempt, and the pause before it; `None` when no purge is pending.
    next: Option<(Instant, Duration)>,
}

impl PurgeDue {
    /// Takes note of what was committed.
    fn check(&mut self, inner: &Redactions) {
        if !inner.purge_is_pending() {
            self.next = None;
        } else if self.next.is_none() {
            self.next = Some((Instant::now() + FIRST_PURGE, FIRST_PURGE));
        }
    }

    fn try_when_due(&mut self, inner: &Redactions) {
        let Some((due, pause)) = self.next else { return };
        if Instant::now() < due {
            return;
        }
        // Failures here are not lost: the receipt says that the purge is pending.
        drop(inner.finish_purges());
        let pause = (pause * 2).min(LONGEST_PURGE_PAUSE);
        self.next = inner.purge_is_pending().then(|| (Instant::now() + pause, pause));
    }
}
