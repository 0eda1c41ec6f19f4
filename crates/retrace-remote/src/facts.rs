//! Facts of the API's documentation, and the limits that are ours.
//!
//! Source of each fact, unless another is given: the Python package `anthropic` 2.11.0
//! (`resources/beta/memory_stores`, `resources/beta/dreams`) and the API reference of August 2026.

/// Value of `anthropic-beta` with calls about stores.
pub const STORES_BETA: &str = "agent-memory-2026-07-22";
/// Value of `anthropic-beta` with calls about dreams. The SDK sends it alone.
pub const DREAMS_BETA: &str = "dreaming-2026-04-21";
/// Items of a page at most.
pub const PAGE_MAX: u32 = 100;
/// Items of a page at most when each comes with its content.
pub const PAGE_MAX_FULL: u32 = 20;
/// The type of the error that names a path which is taken.
pub const PATH_CONFLICT: &str = "memory_path_conflict_error";
/// The type of the error that says a memory has another content than expected.
pub const PRECONDITION_FAILED: &str = "memory_precondition_failed_error";
/// Bytes of a memory's path.
pub const PATH_BYTES: usize = 1_024;

/// Bytes of a page that are read. Ours: 20 memories of 100 kB, each byte written as the six of `\u0000`, are 12 MB;
/// the rest is room for hosts that allow more.
pub const PAGE_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of one object that are read. Ours: a content of 10 MiB, the most that is kept here, in any way of writing it.
pub const OBJECT_BYTES: u64 = 64 * 1024 * 1024;
/// Items of a page that are taken. Ours; it leaves room for hosts that clamp less.
pub const PAGE_ITEMS: usize = 1_000;
/// Pages of stores or dreams that are asked for. Ours.
pub const PAGES: usize = 1_000;
/// Bytes of a cursor. Ours.
pub const CURSOR_BYTES: usize = 4_096;
/// Letters of an identifier behind its prefix. Ours; the ones seen have 24 to 32.
pub const ID_LETTERS: usize = 100;
/// Characters of a name, a description or another short text. Ours: the longest documented one has 4,096.
pub const TEXT_CHARACTERS: usize = 16_384;
/// Sessions of a dream that are taken. Ours; the API allows 100.
pub const SESSIONS: usize = 1_000;
