//! Errors of a whole index. Errors of one transcript are in its entry.

use retrace_message::AsMessage;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// The index could not be kept. The index in memory is whole, and nothing was put in place of the file.
#[derive(Debug, Error, AsMessage)]
#[message("index")]
pub enum StoreError {
    /// The file could not be written or put in place.
    #[error("the index of transcripts could not be written to {path}: {source}", path = .path.display())]
    Write {
        /// Where it belongs.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The entries could not be put into bytes.
    #[error("the index of transcripts could not be put into bytes: {0}")]
    Encode(#[source] postcard::Error),
}
