//! The engine under every feature: the log, the directories of stores, scans, plans and acts, flushing, events, recording.
//!
//! [`Engine`] holds what features need and knows none of them. A feature is a crate beside the others: it keeps `Arc<Engine>`
//! with its own state, and where the engine must call it, it hands over a listener ([`recorder::Upkeep`]).
//!
//! Invariants: files of a store are written through [`live_files`] alone; a directory is opened through [`roots`] alone; a plan's
//! preview runs the code of the act.
//!
//! ```
//! use retrace_engine::{Engine, EngineOptions, stores};
//! use retrace_wire::AddStore;
//!
//! # let directory = tempfile::tempdir().expect("a directory");
//! # let notes = directory.path().join("notes");
//! # std::fs::create_dir(&notes).expect("a store");
//! # std::fs::write(notes.join("a.md"), "Ships on Fridays.").expect("a memory");
//! let engine = Engine::open(EngineOptions::for_this_machine(Some(directory.path().join("data")))?)?;
//! let root = notes.to_string_lossy().into_owned();
//! stores::add_store(&engine, AddStore { root, kind: None, name: None })?;
//! let versions = engine.read(|reader| Ok(reader.last_version()?))?;
//! assert_eq!(versions, 1);
//! engine.close();
//! # Ok::<(), retrace_wire::ApiError>(())
//! ```

pub mod asked;
mod background;
pub mod before_recording;
mod checkpoint;
pub mod counts;
pub mod decision;
pub mod diff;
mod engine;
pub mod events;
mod faults;
mod feed;
pub mod flush;
pub mod git;
pub mod inventory;
pub mod jobs;
pub mod keep;
pub mod kept_out;
pub mod kept_texts;
pub mod kinds;
pub mod line_counts;
pub mod live_files;
pub mod memories;
mod options;
pub mod origin_lines;
pub mod plan;
pub mod queue;
pub mod recorder;
pub mod relocate;
pub mod remembered;
pub mod roots;
pub mod scan;
pub mod stores;
pub mod target;
pub mod view;
pub mod written;

pub use engine::{Engine, lock, path_from_bytes, path_to_bytes, root_of};
pub use faults::{Faults, Point};
pub use options::{EngineOptions, Randomness};

use retrace_wire as wire;
