//! Every command of Retrace as a plain function, with the types that cross the line to clients.
//!
//! [`App`] holds what commands need: the log, the clock, the source of randomness, the surroundings. A shell (terminal,
//! HTTP, window) parses, calls [`App::call`] or a function of [`commands`], and prints; it decides nothing.
//!
//! Invariants: only [`wire`] is serialised to clients; a preview and the act it previews run the same code; nothing here
//! knows a transport.
//!
//! ```
//! use retrace_api::{App, AppOptions, commands, wire};
//!
//! # let directory = tempfile::tempdir().expect("a directory");
//! # let notes = directory.path().join("notes");
//! # std::fs::create_dir(&notes).expect("a store");
//! # std::fs::write(notes.join("a.md"), "Ships on Fridays.").expect("a memory");
//! let app = App::open(AppOptions::for_this_machine(Some(directory.path().join("data")))?)?;
//! let root = notes.to_string_lossy().into_owned();
//! commands::add_store(&app, wire::AddStore { root, kind: None, name: None })?;
//! // The same by its name, as every transport calls it.
//! let page = app.call("log", serde_json::json!({"limit": 5}))?;
//! assert_eq!(page["versions"][0]["path"], "a.md");
//! # Ok::<(), wire::ApiError>(())
//! ```

mod allocator;
mod app;
pub mod bindings;
pub mod commands;
mod desktop;
mod options;
pub mod reference;

pub use allocator::bound_heaps;
pub use app::App;
pub use commands::{ANY_COMMAND, COMMANDS, CommandInfo, advised, call_at_hub, not_at_hub};
pub use options::AppOptions;
/// A call judged without opening the log for writing, as a hook needs it.
pub use retrace_adherence::check_call;
pub use retrace_engine::flush::{Defer, Flushing};
pub use retrace_engine::recorder::Recording;
pub use retrace_engine::{EngineOptions, Faults, Point};
/// The steps within one file, and the one that takes them all.
pub use retrace_files::{NoFaults, Step as FileStep, Steps as FileSteps};
/// Hosts of mirrored stores.
pub use retrace_hosted::remote;
/// Windows that a hub serves.
pub use retrace_joined::{Door, Member, Opened, Window, Windows};
/// What Claude Code's hook `InstructionsLoaded` tells.
pub use retrace_lab::LoadTold;
pub use retrace_lab::{KeyInMemory, KeyStore, SystemKeyring};
/// Which notifications are due.
pub use retrace_review::notices;
/// The Memory Stores API, without a transport.
pub use retrace_served::store_api;
/// The types that cross the line to clients.
pub use retrace_wire as wire;
