//! Requests that a client recorded: Claude Code 2.1.300 and later keeps every request it makes in the lines of its session, with
//! a digest of it. Each can be rebuilt to the byte, and the digest proves it.
//!
//! A [`RequestLog`] holds no contents: it knows on which lines of the file the parts of each request stand. Who rebuilds a
//! request hands in a [`Lines`], which reads such a line again.
//!
//! The form is not documented by its vendor; it was seen in the versions 2.1.300, 2.1.315 and 2.1.330. It is read leniently: what
//! does not fit is [`Unproved`] with its reason, never an error.
//!
//! Invariants: a request's base comes before it in the file; what is rebuilt is never larger than [`LARGEST_BODY`].

mod canonical;
mod hashing;
mod index;
mod log;
mod marks;
mod proof;
mod rebuild;
mod rewrite;
mod sent;
mod shape;
mod split;

pub use canonical::Digest;
pub use index::RequestIndex;
pub use log::{Recorded, RequestLog, Span};
pub use marks::{CacheMark, CachePart};
pub use proof::Prover;
pub use rebuild::Rebuilt;
pub use sent::{SentOf, as_sent};
pub use shape::{RecordedPreamble, RecordedTool};
pub use split::SessionSplit;

use std::borrow::Cow;

/// Most bytes of lines that one request is rebuilt from. The API takes 32 MiB.
pub const LARGEST_BODY: u64 = 256 << 20;

/// Reads lines of the file that a log was made of.
pub trait Lines {
    /// The bytes of a line; `None` where they cannot be read.
    fn line(&mut self, span: Span) -> Option<Cow<'_, [u8]>>;
}

/// A file that is in memory.
impl Lines for &[u8] {
    fn line(&mut self, span: Span) -> Option<Cow<'_, [u8]>> {
        let from = usize::try_from(span.at).ok()?;
        let upto = from.checked_add(usize::try_from(span.bytes).ok()?)?;
        self.get(from..upto).map(Cow::Borrowed)
    }
}

/// Why a request is not proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproved {
    /// The line with its system prompt and tools is not in the file.
    NoShape,
    /// So many of its messages are not in the file.
    NoMessages(u64),
    /// The request it goes on from is not before it in the file, or holds fewer messages than it keeps.
    NoBase,
    /// A mark for the cache names a place that is not there.
    Mark,
    /// A line of it cannot be read as what it should be.
    Unreadable,
    /// More than [`LARGEST_BODY`].
    TooLarge,
    /// The record holds no digest.
    NoDigest,
    /// The digest of what was rebuilt is another.
    Differs,
}

#[cfg(test)]
mod tests;
