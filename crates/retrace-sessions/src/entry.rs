//! Index entry of one file.

use crate::identity::Identity;
use crate::walk::Place;
use crate::{stored_path, stored_summary};
use retrace_message::{AsMessage, Message};
use retrace_transcript::Summary;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::path::PathBuf;
use thiserror::Error;

/// One transcript file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Where it is, as reached from its root; for a root that is a link to a file, the file itself.
    #[serde(with = "stored_path")]
    pub path: PathBuf,
    /// Place of the file, with what it says.
    pub place: Place,
    /// The file as it was when last read.
    pub identity: Identity,
    /// Summary of the file. `None` where it could never be read; with [`Entry::problem`], what was read before.
    #[serde(with = "stored_summary")]
    pub summary: Option<Summary>,
    /// Why it could not be read the last time.
    pub problem: Option<Problem>,
    /// From where to go on when it grows. `None` where it must be read anew.
    pub(crate) resume: Option<Resume>,
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage, Serialize, Deserialize)]
#[message("transcript")]
pub enum Problem {
    /// The operating system did not let it be read. It is tried again at each update.
    #[error("it cannot be read: {0}")]
    Unreadable(#[serde(with = "retrace_message::saved_text")] Message),
    /// It holds a line, or is one JSON document, of more bytes than are held in memory for it. It is tried again once it
    /// is another file.
    #[error("one line or document in it is longer than {} MiB", limit >> 20)]
    TooLong {
        /// Bytes that are held.
        limit: u64,
    },
}

/// Where reading stopped, and what is needed to go on from there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Resume {
    /// State of understanding so far ([`retrace_transcript::Summariser::to_bytes`]).
    pub(crate) state: Vec<u8>,
    /// Bytes it was understood from: the whole lines.
    pub(crate) consumed: u64,
    /// Tells whether those bytes are still what the file begins with.
    pub(crate) fingerprint: [u8; 32],
}

/// Number of bytes at either end of what was read are compared before going on.
pub(crate) const EDGE_BYTES: usize = 1024;

/// The first and the last [`EDGE_BYTES`] of what was taken.
#[derive(Clone, Default)]
pub(crate) struct Edges {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Edges {
    /// The next bytes taken.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let room = EDGE_BYTES - self.head.len();
        self.head.extend_from_slice(&bytes[..room.min(bytes.len())]);
        if let Some(last) = bytes.last_chunk::<EDGE_BYTES>() {
            self.tail.clear();
            self.tail.extend_from_slice(last);
        } else {
            self.tail.extend_from_slice(bytes);
            let surplus = self.tail.len().saturating_sub(EDGE_BYTES);
            self.tail.drain(..surplus);
        }
    }

    /// Both edges as they were, to go on from.
    pub(crate) fn from_parts(head: Vec<u8>, tail: Vec<u8>) -> Self {
        Self { head, tail }
    }

    /// SHA-256 of both.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        Sha256::new().chain_update(&self.head).chain_update(&self.tail).finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_do_not_depend_on_how_the_bytes_come() {
        let bytes: Vec<u8> = (0..5000_u32).map(|number| (number % 251) as u8).collect();
        for length in [0, 1, 700, 1024, 1025, 2048, 5000] {
            let expected = Edges::from_parts(
                bytes[..length.min(1024)].to_vec(),
                bytes[length.saturating_sub(1024)..length].to_vec(),
            );
            for chunk in [1, 3, 1000, 1024, 4096] {
                let mut edges = Edges::default();
                bytes[..length].chunks(chunk).for_each(|chunk| edges.take(chunk));
                assert_eq!(edges.fingerprint(), expected.fingerprint(), "{length} in chunks of {chunk}");
            }
        }
    }
}
