//! Number of tokens a model sees in a text, counted without the network.
//!
//! OpenAI's models are counted with the vocabularies their provider publishes (`openai`). Of Claude nothing is published: the
//! vocabularies and the rules are those of ctok 1.3.0, an unofficial reconstruction from answers of the `count_tokens`
//! endpoint (`data/README.md`). It reproduces **counts**: a token boundary found on the way is one possible boundary and must
//! not be shown as Claude's. What is counted is the text of one user message; roles, tools, images and thinking are framed
//! by the caller. Even the endpoint calls its answer an estimate, so a user interface says "estimated", and usage that was
//! recorded comes before any of this.
//!
//! Deliberately not here: files, the network, knowledge of messages, prices. Nothing here depends on time or locale, and
//! every function is total: any `&str` has a count, lone surrogates having become U+FFFD when the text was decoded.
//!
//! ```
//! use retrace_tokens::{Counter, Family, family_of};
//!
//! let family = family_of("claude-sonnet-4-5-20250929", Family::V48).family;
//! let counter = Counter::of(family);
//! assert_eq!(counter.content("hello, world"), 3);
//! assert_eq!(counter.count("hello, world"), 10);
//! ```
//!
//! The way of a text: `normalise` → `runs` of characters of one kind, which write a stream of text and
//! markers → the least number of pieces of the `vocabulary` that cover the stream. The stream is never built while
//! counting: it may be cut where a word begins or ends, at whitespace and at digits, and most of the parts are answered by a
//! `cache`.

mod cache;
mod character;
mod counter;
mod family;
mod marker;
mod normalise;
mod openai;
mod runs;
mod stream;
mod trie;
mod vocabulary;

pub use counter::Counter;
pub use family::{Family, Resolved, Unresolved, family_of, resolve};
pub use stream::MarkedStream;

/// Names the data and the rules that counts come from. Part of the key of every stored count, next to the
/// [family](Family::name): where it differs, count again.
pub const DATA_VERSION: &str = env!("RETRACE_TOKENS_DATA");

/// The licence of the embedded vocabularies and classes (ctok, MIT), to be shown where a program shows its notices.
pub const DATA_LICENSE: &str = include_str!("../data/LICENSE-ctok");
