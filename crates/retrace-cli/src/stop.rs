//! The wish to stop long work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The user's wish to stop. Clones share it.
#[derive(Clone, Default)]
pub struct Stop {
    shared: Arc<Shared>,
    /// True if the process's signals ask for it.
    signals: bool,
}

#[derive(Default)]
struct Shared {
    requested: Mutex<bool>,
    changed: Condvar,
    listening: AtomicBool,
    /// True if a repeated signal is waited out rather than obeyed at once.
    patient: AtomicBool,
}

/// Exit code that a shell reports for a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

impl Stop {
    /// Asked for by Ctrl-C, SIGTERM and SIGHUP, once somebody listens; until then they end the process as usual.
    #[must_use]
    pub fn on_signals() -> Self {
        Self { signals: true, ..Self::default() }
    }

    /// Asks to stop.
    pub fn request(&self) {
        *self.shared.requested.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.shared.changed.notify_all();
    }

    /// True if it was asked for.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        *self.shared.requested.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is asked for, at most this long; gives whether it was.
    #[must_use]
    pub fn wait(&self, at_most: Duration) -> bool {
        let requested = self.shared.requested.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.shared.changed.wait_timeout_while(requested, at_most, |requested| !*requested);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Takes signals as the wish to stop. A second one ends the process at once, in case stopping hangs.
    pub(crate) fn listen(&self) {
        if !self.signals || self.shared.listening.swap(true, Ordering::SeqCst) {
            return;
        }
        let stop = self.clone();
        let handler = move || {
            if stop.is_requested() && !stop.shared.patient.load(Ordering::SeqCst) {
                std::process::exit(INTERRUPTED);
            }
            stop.request();
        };
        // Without a handler the signal ends the process, which the log survives.
        let _ = ctrlc::set_handler(handler);
    }

    /// Takes no signal as the wish to end at once while a pager has the terminal: they are meant for it.
    pub(crate) fn leave_to_pager(&self) {
        self.shared.patient.store(true, Ordering::SeqCst);
        self.listen();
    }
}
