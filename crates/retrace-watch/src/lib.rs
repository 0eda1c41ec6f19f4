//! Turns changes on disk into observations.
//!
//! A *scan* lists the files of a store, compares what the file system says with what the log last knew
//! ([`retrace_model::reconcile`]), reads what may differ and hands it to the [`Keeper`]. [`scan`] does that once. The
//! [`Recorder`] does it again and again, on one thread: the operating system's events say where to scan and when, a slow
//! timer scans everything in case an event was lost.
//!
//! Deliberately absent: the log. The keeper is its only view of it, and decides alone whether a content is new, what a
//! rename is, and who wrote it. Nothing here writes into a watched directory.
//!
//! Invariants:
//! - An event is a hint, a scan is the truth. Without any event, everything is found at the next full scan.
//! - Every content that stands still for 300 ms while a recorder runs and keeps up is observed.
//! - Nothing is called gone that was not searched for: an unreadable directory, a lost permission or an unmounted file
//!   system change the state of a store, never its memories.
//! - One store's failure, a panic included, is that store's state; the others go on.
//!
//! ```
//! use retrace_watch::Options;
//! use std::time::Duration;
//!
//! // A content that stands still for 300 ms is promised to be seen.
//! assert!(Options::default().latest < Duration::from_millis(300));
//! // On a file system without reliable events, everything is scanned more often.
//! let options = Options { poll_every: Duration::from_secs(2), ..Options::default() };
//! assert!(options.poll_every < options.full_every);
//! ```

mod dirty;
mod hints;
mod keeper;
mod presence;
mod recorder;
mod run;
mod scan;
mod status;
mod trees;

#[cfg(test)]
mod harness;

pub use keeper::{Batch, Keeper, KeeperError, Key, Observation, Store};
pub use recorder::{Options, Recorder, Wake};
pub use run::{Handle, start};
pub use scan::{Scanned, scan};
pub use status::Status;
pub use trees::{Hint, Trees};
