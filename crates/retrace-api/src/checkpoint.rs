//! Moving what was committed from the write-ahead log into the database, beside those who write.
//!
//! By itself SQLite does so within the commit that makes the write-ahead log long, which waits for the disk twice more then:
//! one call in fifty would take several times as long as the others. A thread does it instead. The log does so still when the
//! thread does not keep up.

use crate::app::{Inner, lock};
use retrace_log::{LogFiles, ReadConnection};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

/// After so many commits. One of a single version takes about twenty pages, and a thousand is when SQLite does it by itself.
const COMMITS: u32 = 48;

/// Counts commits, and has the thread.
#[derive(Default)]
pub(crate) struct Checkpointer {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    /// Since it was last moved.
    commits: u32,
    stop: bool,
}

impl Inner {
    /// Something was committed.
    pub(crate) fn committed_once(&self) {
        if !self.options.flushing.in_background {
            return;
        }
        {
            let mut state = lock(&self.checkpointer.shared.state);
            state.commits += 1;
            if state.commits < COMMITS {
                return;
            }
        }
        let mut thread = lock(&self.checkpointer.thread);
        if thread.is_none() {
            let (shared, files) = (Arc::clone(&self.checkpointer.shared), self.files.clone());
            let named = std::thread::Builder::new().name("retrace-checkpoint".to_owned());
            // No thread is available: then commits do it, as they would without.
            *thread = named.spawn(move || checkpoint_in_background(&shared, &files)).ok();
        }
        self.checkpointer.shared.wake.notify_one();
    }
}

impl Checkpointer {
    /// Ends the thread.
    pub(crate) fn stop(&self) {
        lock(&self.shared.state).stop = true;
        self.shared.wake.notify_one();
        if let Some(thread) = lock(&self.thread).take() {
            // Its own panic was reported by the panic hook.
            drop(thread.join());
        }
    }
}

fn checkpoint_in_background(shared: &Shared, files: &LogFiles) {
    let mut kept: Option<ReadConnection> = None;
    loop {
        {
            let mut state = lock(&shared.state);
            while state.commits < COMMITS && !state.stop {
                state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.stop {
                return;
            }
            state.commits = 0;
        }
        // A failure here is made up by the log itself later.
        let moved = match &kept {
            Some(connection) => connection.move_write_ahead_log(),
            None => ReadConnection::open(files).and_then(|connection| {
                let moved = connection.move_write_ahead_log();
                kept = Some(connection);
                moved
            }),
        };
        if moved.is_err() {
            kept = None;
        } else if let Some(connection) = &kept
            && let Ok(Some(head)) = connection.snapshot(|reader| reader.head())
        {
            // Nobody waits for it here.
            drop(files.keep_head(head));
        }
    }
}
