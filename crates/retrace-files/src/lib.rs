//! Looks at, reads, replaces and deletes the files of one store directory.
//!
//! The watched directories are the user's. Reading never opens anything but a regular file, never follows a link below
//! the root and never waits. Writing happens only when a caller asks, carries the hash it expects to replace, and is
//! atomic: at every instant, a crash included, the live file is entirely old or entirely new.
//!
//! Deliberately absent: the log, the clock, randomness (the caller passes a number), watching, and any decision what to
//! write.
//!
//! Invariants:
//! - Below the root, files are reached by descriptor, one name at a time or with the kernel's guarantee to stay beneath
//!   the root. No path below it is opened as a string. (Platforms without `openat` use paths and check for links first.)
//! - Nothing anybody else wrote is ever lost: content that was displaced and is not what the caller expected is put
//!   back, or kept in a hidden file that the error names.
//! - What is not read is said: a scan lists the directories it could not read, and nothing below them counts as gone.
//!
//! Guarantees by platform: Linux and macOS swap files in one step (`renameat2`, `renamex_np`) where the file system can;
//! elsewhere, and on Windows, the content is compared directly before a plain rename, and [`Done::guard`] says so.
//! Owner, mode and extended attributes are kept on Unix only.
//!
//! An act is done when it would survive a power failure. A caller that keeps what it wrote elsewhere can have it done before
//! that ([`Durable::Later`]) and flush afterwards.
//!
//! A caller that may have to take an act back has it hold what it displaces ([`Root::set_holding`]).
//!
//! A program that keeps a file open and goes on writing into it after it was replaced writes into a file without a
//! name, as with every atomic replacement. What it writes until the displaced file has lost its name is noticed and kept.
//!
//! ```
//! use retrace_files::{Expected, NoFaults, Root};
//! use retrace_model::RelPath;
//!
//! # let directory = tempfile::tempdir()?;
//! # std::fs::write(directory.path().join("a.md"), "before")?;
//! let root = Root::open(directory.path())?;
//! let path = RelPath::parse("a.md")?;
//! let read = root.read(&path, 1024)?;
//! assert_eq!(read.bytes.as_deref(), Some(&b"before"[..]));
//! // Nothing is replaced but what was read: a newer edit makes this an error.
//! root.replace(&path, Expected::Hash(read.sha256), b"after", 1, &NoFaults)?;
//! assert!(root.replace(&path, Expected::Hash(read.sha256), b"later", 2, &NoFaults).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod act;
#[cfg(unix)]
mod attributes;
mod delete;
mod directory;
mod error;
mod flush;
#[cfg(unix)]
#[cfg(test)]
mod harness;
mod held;
mod leftovers;
mod names;
mod read;
mod replace;
mod root;
mod scan;
mod steps;

pub use act::{Done, Durable, Expected, Guard};
pub use error::{Doing, FileError, RootError};
pub use held::{Held, LetGo};
pub use leftovers::{Leftover, LeftoverKind};
pub use names::aside as aside_name;
pub use read::{Content, LARGEST_READ};
pub use root::{Identity, Root};
pub use scan::{DEPTH_LIMIT, Problem, ProblemKind, Scan, Special};
pub use steps::{NoFaults, Step, Steps};
