//! Transcripts of agent runs as one neutral list of messages.
//!
//! [`model`] is the vocabulary; the readers beside it turn the bytes of one file into it, leniently and without loss:
//! what is not understood is kept and counted in the [`Account`]. Nothing here opens a file, counts a token or decides
//! anything about context edits.

pub mod model;

pub use model::*;
