//! The edits themselves: which blocks each takes away from one history. Pure functions over numbers; they know nothing of
//! requests that follow one another ([`crate::simulate`] does).
//!
//! The rules are those of the API where it documents them, else those measured of it and published with LiteLLM 1.109.1.
//! Each undocumented value is a named constant here.

pub mod thinking;
pub mod tool_uses;

/// Placeholder for a cleared result. The API's own text is not public; this is the one published with the
/// measurements. It is 1 to [`TINY_RESULT_BYTES`] bytes long.
pub const PLACEHOLDER: &str = "[Cleared by context management]";

/// A result of text alone of 1 to so many bytes is neither cleared nor counted (measured).
pub const TINY_RESULT_BYTES: usize = 46;

/// True if uses of tools that the server runs are counted and cleared like others. Not public; the documentation's
/// examples name such tools under `exclude_tools`, which would be needless otherwise.
pub const SERVER_TOOL_USES_ARE_CLEARED: bool = true;

/// True if an edit measures the context as the edits before it left it. Not public; LiteLLM does so.
pub const LATER_EDITS_SEE_EARLIER_ONES: bool = true;

/// True if the calls of tools and their results within one answer to a person belong to one assistant turn. The
/// documentation of extended thinking speaks of turns that way; N of `thinking_turns` counts such turns.
pub const A_TURN_SPANS_ITS_TOOL_CALLS: bool = true;
