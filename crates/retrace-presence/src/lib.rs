//! Presence: which lines of which file, in which version, were before a model at a request, and why the others were not.
//!
//! [`Digest::of`] reads what each request of a conversation held of memory and instruction files, and keeps hashes of the
//! lines. A [`Memory`] is the row of versions that the log has of one file. [`Conversation::at`] brings both together for
//! one request; [`Conversation::spans`] goes over all requests. The rules are in `docs/PRESENCE.md`.
//!
//! A line is present where its text as loaded is in the request: in instructions, in a numbered reading, in a view of the
//! memory tool, in a file that was attached after a compaction, in what the model itself wrote. Present does not mean
//! followed.
//!
//! Deliberately absent: files, the log, the clock, transcripts as bytes.
//!
//! Invariants: a span is within the requests of its conversation; a line number is from 1; nothing but hashes is kept of a
//! text unless [`Shelf::with_words`] asks for it.
//!
//! ```
//! use retrace_presence::{Digest, Loading, Memory, Proof, Scope, Shelf, Version};
//!
//! let session = br#"{"model": "m", "messages": [{"role": "user", "content":
//!     "Contents of /p/CLAUDE.md (project instructions):\n\nUse tabs.\nBe brief."}]}"#;
//! let reading = retrace_transcript::read(session)?;
//! let mut shelf = Shelf::default();
//! let scope = Scope::default();
//! let digest = Digest::of(&reading.transcripts[0], &|_| Proof::None, &scope, &mut shelf);
//! let memory = Memory::new(Loading::OnDemand, vec![Version::of("Use tabs.\nBe brief.\nNo dashes.\n", 0)]);
//! let pieces = digest.pieces_of(&["/p/CLAUDE.md"]);
//! let conversation = retrace_presence::Conversation::new(&digest, &shelf);
//! let present = conversation.at(&memory, &pieces, None, digest.requests.len().saturating_sub(1));
//! assert!(present.is_none() || present.is_some_and(|at| at.present().count() == 2));
//! # Ok::<(), retrace_transcript::ReadError>(())
//! ```

mod conversation;
mod digest;
mod found;
mod lines;
mod matched;
mod memory;
mod names;
mod numbered;
mod reach;
mod shelf;
mod sift;
mod sought;
mod words;

pub use conversation::{AtRequest, Conversation, LineState, Place};
pub use digest::{Digest, Piece, Proof, RequestFacts};
pub use found::Scope;
pub use lines::{hash, numbers_as_ranges, split};
pub use memory::{Dating, Limits, Loading, Memory, Version};
pub use reach::{Span, State};
pub use shelf::{Claim, Shelf, Text};
pub use sought::Sought;
pub use words::{Cause, Grade, Way};
