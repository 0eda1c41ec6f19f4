//! Moving what was committed from the write-ahead log into the database, beside those who write.
//!
//! By itself SQLite does so within the commit that makes the write-ahead log long, which waits for the disk twice more then:
//! one call in fifty would take several times as long as the others. A thread does it instead. The log does so still when the
//! thread does not keep up.

use crate::background::{Background, Next, Shared};
use crate::engine::Engine;
use retrace_log::{LogFiles, ReadConnection};

/// After so many commits. One of a single version takes about twenty pages, and a thousand is when SQLite does it by itself.
const COMMITS: u32 = 48;

/// Counts commits since it was last moved, and has the thread.
pub(crate) type Checkpointer = Background<u32>;

impl Engine {
    /// Something was committed.
    pub(crate) fn committed_once(&self) {
        if !self.options.flushing.in_background {
            return;
        }
        let commits = self.checkpointer.with(|commits| {
            *commits += 1;
            *commits
        });
        if commits < COMMITS {
            return;
        }
        let files = self.files.clone();
        // No thread is available: then commits do it, as they would without.
        self.checkpointer.wake("retrace-checkpoint", move |shared| checkpoint_in_background(shared, &files));
    }
}

fn checkpoint_in_background(shared: &Shared<u32>, files: &LogFiles) {
    let mut kept: Option<ReadConnection> = None;
    let due = |commits: &mut u32| match *commits {
        COMMITS.. => {
            *commits = 0;
            Next::Work(())
        }
        _ => Next::Nothing,
    };
    while shared.next(due).is_some() {
        // A failure here is made up by the log itself later.
        let moved = match &kept {
            Some(connection) => connection.move_write_ahead_log(),
            None => ReadConnection::open(files).and_then(|connection| {
                let moved = connection.move_write_ahead_log();
                kept = connection.sees_what_follows().then_some(connection);
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
