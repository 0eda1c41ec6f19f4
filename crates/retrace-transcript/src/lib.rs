//! Transcripts of agent runs as one neutral list of messages.
//!
//! [`model`] is the vocabulary; the readers beside it turn the bytes of one file into it, leniently and without loss:
//! what is not understood is kept and counted in the [`Account`]. Nothing here opens a file, counts a token or decides
//! anything about context edits.
//!
//! [`Summariser`] goes over the same lines for an index, and keeps no contents.

mod account;
mod blocks;
mod claude_code;
mod detect;
mod lenient;
mod lines;
mod media;
pub mod model;
mod saved;
pub mod summary;
mod usage;

pub use model::*;
pub use summary::{MemoryWrite, MessageUse, ModelUse, ResumeError, Summariser, Summary, Tokens, id_hash};

use thiserror::Error;

/// What the bytes of a file are, by their content. `None` for what is no transcript of a known format.
#[must_use]
pub fn detect(bytes: &[u8]) -> Option<Format> {
    detect::detect(bytes).ok()
}

/// Reads a file of any known format.
///
/// # Errors
/// [`ReadError`] for an empty file and for one of no known format. Everything else is an entry of the [`Account`].
pub fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    detect::detect(bytes).map(|format| read_as(format, bytes))
}

/// Reads a file as what it is said to be.
#[must_use]
pub fn read_as(format: Format, bytes: &[u8]) -> Reading {
    match format {
        Format::ClaudeCode => claude_code::read(bytes),
        _ => claude_code::read(bytes),
    }
}

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
