//! Who wrote a version: the writes that transcripts hold, what each makes of a file, and which version it explains.
//!
//! [`read`] goes over one transcript of any format and gives its [`Write`]s, the calls that changed a file, and what it
//! [`Shown`] of whole files. [`apply`] says what a write makes of the bytes before it. [`join`] compares versions with
//! writes by path, content and time, and says how sure each answer is.
//!
//! Deliberately absent: files, the clock, the log, and what a shell would do with a command that is not plain: such a
//! command is [`Effect::Unparsed`], never a guess at bytes.
//!
//! Invariants: nothing here panics on any input; a write is only said to give a version's content when the bytes are
//! equal, but for a stamp that the client is known to write itself; of two sessions with an equal claim none is chosen.
//!
//! ```
//! use retrace_origin::{apply, writes};
//!
//! let transcript = br##"{"model": "claude-opus-5", "messages": [
//!     {"role": "user", "content": "Remember it."},
//!     {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "Write",
//!         "input": {"file_path": "/home/me/memory/a.md", "content": "Ships on Fridays."}}]}]}"##;
//! let writes = writes(transcript)?;
//! assert_eq!(apply(&writes[0], None).as_deref(), Some(&b"Ships on Fridays."[..]));
//! # Ok::<(), retrace_transcript::ReadError>(())
//! ```

mod apply;
mod done;
mod front_matter;
mod join;
mod patch;
mod path;
mod reported;
mod scan;
mod shell;
mod tools;
mod write;

pub use apply::{apply, outcomes};
pub use front_matter::{is_equal_but_for_stamp, origin_session};
pub use join::{
    Basis, CLOCK_SLACK_MICROS, Confidence, LIKELY_WITHIN_MICROS, LONGEST_CHAIN, Match, Presence, Version,
    join,
};
pub use patch::{FilePatch, Hunk};
pub use path::{is_below, is_device, resolve};
pub use scan::{Found, of_reading, read, read_where, role_of_agent, succeeded, writes};
pub use shell::{CallFile, files_of_call};
pub use tools::{command_of, commands_of, directory_of, effects_of, only_named, paths_of};
pub use write::{Effect, LineEdit, MEMORY_SAVED, Prompt, Replacement, Reported, Role, Shown, Write};
