//! Changes between two contents, and what a reader needs to see it: exact line differences with the changed words,
//! characters that do not show, blocks that moved between files, which old line each new line came from, and colour.
//!
//! Bytes in, values out. Deliberately absent: files, output formats (terminals, JSON and markup print these values
//! themselves), serialisation, merging and patch parsing.
//!
//! Invariants:
//! - Lines end at a line feed and nowhere else; every function here counts them in the same way, so that the third line
//!   of a [`Diff`], of [`highlight`] and of [`text_lines`] are the same line.
//! - Lines are compared as raw bytes. Text is only how they are shown: a byte that is not UTF-8 stands there as U+FFFD
//!   and is named in [`Hidden`], so that the bytes can be restored from the lines.
//! - Ranges are byte ranges into the `text` they come with and lie on character boundaries.
//! - No input panics. The clock is read only to keep a time limit, and reaching one is said in the result.
//!
//! ```
//! use retrace_diff::{DiffOptions, Tag, diff, hidden};
//!
//! let change = diff(b"one\ntwo\n", b"one\n2\n", &DiffOptions::default());
//! assert_eq!((change.added, change.removed), (1, 1));
//! let tags: Vec<Tag> = change.hunks[0].lines.iter().map(|line| line.tag).collect();
//! assert_eq!(tags, [Tag::Equal, Tag::Delete, Tag::Insert]);
//! // A memory that shows less than it says.
//! assert_eq!(hidden("all\u{200b} good").len(), 1);
//! ```

mod blame;
mod bounded;
mod content;
mod diff;
mod hidden;
mod highlight;
mod joiners;
mod moves;
mod script;
mod words;

pub use blame::{hash_map, line_map};
pub use content::{TextLine, first_text_lines, is_text, text_lines, to_text};
pub use diff::{
    DEFAULT_CONTEXT, DEFAULT_MAX_BYTES, DEFAULT_TIME_LIMIT, Diff, DiffKind, DiffOptions, Granularity, Hunk,
    Line, Tag, changed_lines, diff,
};
pub use hidden::{Hidden, HiddenCode, HiddenKind, hidden, hidden_in_lines};
pub use highlight::{HighlightOptions, Span, SpanClass, Syntax, highlight, highlight_with, syntax_for};
pub use moves::{FileChange, MIN_MOVED_LINES, Move, moves};
