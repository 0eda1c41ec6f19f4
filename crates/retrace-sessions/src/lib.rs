//! Transcripts on this machine, and an index of them.
//!
//! [`Roots`] say where to look. [`Index::update`] lists the transcripts there, reads what is new, goes on where a file
//! has grown, and leaves alone what is as it was; [`Index::save`] keeps the result in one file that may be deleted at any
//! time. A [`Snapshot`] is what is known at one moment: sessions with their subagents, projects, calls with every copy
//! counted once, and which transcript a person means by a word.
//!
//! Deliberately absent: what a transcript's lines mean (`retrace-transcript`), prices, watching for growth (a caller asks
//! for another update), the clock, and a thread of its own: an update runs on the caller's, with helpers that end with it.
//!
//! Invariants:
//! - Files are only read. No link below a root is followed, and nothing but a regular file is opened.
//! - Memory does not grow with the size of a file, but for one line of it, or where it is a single JSON document; a longer
//!   one than is held is refused with its reason.
//! - An entry is from one reading of one file: a stopped or failed reading leaves the one before in place.
//! - What could not be read is in the index with its reason; what lies below a directory that cannot be listed stays.
//!
//! ```
//! use retrace_sessions::{Cancel, FILE_NAME, Index, RootKind, Roots};
//!
//! # let home = std::env::temp_dir().join(format!("retrace-sessions-{}", std::process::id()));
//! # std::fs::create_dir_all(&home)?;
//! let roots = Roots::of(RootKind::ClaudeCode, home.join(".claude"));
//! let mut index = Index::load(&home.join(FILE_NAME));
//! let report = index.update(&roots, &|_progress| {}, &Cancel::new());
//! if report.changed {
//!     index.save(&home.join(FILE_NAME))?;
//! }
//! for session in index.snapshot().sessions() {
//!     let title = session.title().unwrap_or(&session.id);
//!     println!("{title}: at most {} tokens of context", session.peak_context());
//! }
//! # std::fs::remove_dir_all(&home)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cancel;
mod costs;
mod entry;
mod error;
mod find;
mod forks;
mod identity;
mod index;
pub mod kept;
mod opencode;
mod presence_file;
mod reading;
mod request_files;
mod roots;
mod running;
mod snapshot;
mod store;
pub mod stored_path;
mod stored_summary;
#[cfg(test)]
mod testing;
mod walk;

pub use cancel::Cancel;
pub use costs::{Call, Calls, Copies, Cost, Costs, Use};
pub use entry::{Entry, Problem};
pub use error::StoreError;
pub use forks::{LARGEST_HISTORY, above};
pub use identity::Identity;
pub use index::{Index, Latest, Progress, UpdateReport};
pub use opencode::growing::{
    DatabaseState, Grown, database_of, database_state, databases, growing, growing_session, grown_since,
    read_growing,
};
pub use presence_file::{
    AgentName, KnownPresence, PRESENCE_FILE, PresenceFile, load_presence, save_presence,
};
pub use request_files::{REQUESTS_DIRECTORY, load_requests, save_requests};
pub use roots::{Root, RootKind, Roots, roots_of_home};
pub use running::{Running, is_of_process};
pub use snapshot::{ProjectRow, SessionRow, Snapshot, Totals};
pub use store::FILE_NAME;
pub use walk::Place;

/// The content of a transcript: of a file its bytes, of a session in a database the session as its client exports it.
///
/// # Errors
/// What the system or the database says.
pub fn read(path: &std::path::Path) -> std::io::Result<Vec<u8>> {
    match opencode::session_of(path) {
        Some((database, id)) => opencode::content(database, id),
        None => std::fs::read(path),
    }
}

/// The version that the newest session of opencode in a data directory names, with the session's path.
#[must_use]
pub fn opencode_version(data: &std::path::Path) -> Option<(String, std::path::PathBuf)> {
    opencode::newest_version(&data.join(opencode::DATABASE))
}

/// What tells whether a transcript changed, without reading it.
///
/// # Errors
/// What the system or the database says.
pub fn identity(path: &std::path::Path) -> std::io::Result<Identity> {
    match opencode::session_of(path) {
        Some((database, id)) => opencode::identity(database, id),
        None => std::fs::metadata(path).map(|metadata| Identity::of(&metadata)),
    }
}

/// Transcripts below `roots` that their place does not show as a subagent's. Nothing is read of them.
#[must_use]
pub fn count_sessions(roots: &Roots, cancel: &Cancel) -> u64 {
    walk::Walk::of(roots, cancel).found.values().filter(|found| !found.place.subagent).count() as u64
}

/// The files of transcripts below `roots`, each with what tells whether it changed. Nothing is read of them; sessions in a database
/// are left out ([`growing`]).
#[must_use]
pub fn files(roots: &Roots, cancel: &Cancel) -> Vec<(std::path::PathBuf, Identity)> {
    // A database is not even opened.
    let roots = Roots(roots.0.iter().filter(|root| root.kind != RootKind::Opencode).cloned().collect());
    walk::Walk::of(&roots, cancel).found.into_iter().map(|(path, found)| (path, found.identity)).collect()
}

/// The directories in which transcripts of running sessions grow, each with true if also anywhere below it, and those in which
/// clients say what runs.
#[must_use]
pub fn directories(roots: &Roots) -> Vec<(std::path::PathBuf, bool)> {
    let of = |root: &Root| match root.kind {
        RootKind::ClaudeCode => (root.path.join("projects"), true),
        RootKind::Codex => (root.path.join("sessions"), true),
        RootKind::Copilot => (root.path.join("session-state"), true),
        RootKind::Gemini => (root.path.join("tmp"), true),
        RootKind::Named => (root.path.clone(), true),
        // Below it lie copies of whole projects.
        RootKind::Opencode => (root.path.clone(), false),
    };
    let processes = roots.0.iter().filter_map(running::processes_of).map(|folder| (folder, false));
    roots.0.iter().map(of).chain(processes).collect()
}

/// True if a path names a session in a database, not a file.
#[must_use]
pub fn is_in_database(path: &std::path::Path) -> bool {
    opencode::session_of(path).is_some()
}
