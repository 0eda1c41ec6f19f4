//! Transcripts of agent runs as one neutral list of messages.
//!
//! [`model`] is the vocabulary; the readers beside it turn the bytes of one file into it, leniently and without loss:
//! what is not understood is kept and counted in the [`Account`]. Nothing here opens a file, counts a token or decides
//! anything about context edits.
//!
//! [`Summariser`] goes over the same lines for an index, and keeps no contents.

mod account;
mod claude_code;
mod detect;
mod lenient;
pub mod model;
mod saved;
pub mod summary;
mod usage;

pub use model::*;
pub use summary::{MemoryWrite, MessageUse, ModelUse, ResumeError, Summariser, Summary, Tokens, id_hash};

use thiserror::Error;

/// A file holds no transcript.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    /// Nothing but white space.
    #[error("the file is empty")]
    Empty,
    /// No format that is known.
    #[error("not a transcript of a known format: {looks_like}")]
    Unrecognised {
        /// What it looks like instead, shortly and without its content.
        looks_like: String,
    },
}
