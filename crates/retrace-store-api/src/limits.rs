//! Limits the API documents.

/// Characters of a store's name, at least one. Source: API reference, create a memory store.
pub const NAME_CHARACTERS: usize = 255;
/// Characters of a store's description. Source: as above.
pub const DESCRIPTION_CHARACTERS: usize = 1_024;
/// Pairs of a store's metadata. Source: as above.
pub const METADATA_PAIRS: usize = 16;
/// Characters of a metadata key, at least one. Source: as above.
pub const METADATA_KEY_CHARACTERS: usize = 64;
/// Characters of a metadata value. Source: as above.
pub const METADATA_VALUE_CHARACTERS: usize = 512;
/// Bytes of a memory's content. Source: API reference, create a memory ("100 kB").
pub const CONTENT_BYTES: usize = 102_400;
/// Bytes of a memory's path. Source: Python SDK 2.11.0, `MemoryCreateParams.path`.
pub const PATH_BYTES: usize = 1_024;
/// Segments of a memory's path. Source: as above.
pub const PATH_SEGMENTS: usize = 20;
/// Memories of one store. Source: documentation page "Using agent memory".
pub const MEMORIES_PER_STORE: u64 = 2_000;
/// Items of a page when nothing is said. Source: API reference, lists.
pub const PAGE_DEFAULT: u64 = 20;
/// Items of a page at most. Source: as above.
pub const PAGE_MAX: u64 = 100;
/// Items of a page at most when each has its content; more is cut to this. Source: Python SDK 2.11.0, `view`.
pub const PAGE_MAX_FULL: u64 = 20;

/// Stores attached to one session. Source: documentation page "Using agent memory".
pub const STORES_PER_SESSION: usize = 8;
/// Characters of the instructions that go with an attached store. Source: as above.
pub const INSTRUCTIONS_CHARACTERS: usize = 4_096;
/// Sessions a dream reads, at least one. Source: Python SDK 2.11.0, `DreamCreateParams.inputs`.
pub const DREAM_SESSIONS: usize = 100;
/// Characters of a dream's instructions, at least one. Source: as above, `instructions`.
pub const DREAM_INSTRUCTIONS_CHARACTERS: usize = 4_096;
