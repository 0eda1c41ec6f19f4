//! The version log: every change ever observed, in one SQLite database.
//!
//! [`Reader`] reads, [`Writer`] appends; several processes may hold both at once, one transaction at a time writes.
//! Content is kept once and compressed, most of it as a difference to the content before it; each operation is chained
//! to the one before by a hash over salted commitments, so that a redaction can take content out while the chain still
//! verifies.
//!
//! Invariants: operations, versions and reviews are never updated, deleted or replaced, which the database itself enforces; a
//! content only goes from present to masked; order is the sequence number; derived tables can be made again from the
//! rest. Only this crate knows SQLite.
//!
//! Deliberately absent: directories and live files, the clock, the source of randomness (both are passed in), wire
//! types.
//!
//! ```
//! use retrace_log::{Append, Change, LogFiles, NewStore, Payload, Writer};
//! use retrace_model::{Actor, RelPath, Sha256, Source, StoreKind, Timestamp};
//!
//! # let directory = tempfile::tempdir()?;
//! # let mut last = 0_u8;
//! # let entropy = Box::new(move |buffer: &mut [u8]| buffer.fill_with(|| { last = last.wrapping_add(1); last }));
//! let at = Timestamp::from_micros(1_795_168_800_000_000);
//! let mut writer = Writer::open(LogFiles::new(directory.path()), entropy)?;
//! let mut act = writer.begin()?;
//! let store =
//!     act.add_store(&NewStore { kind: StoreKind::Plain, root: b"/notes".to_vec(), name: "notes".into(), at })?;
//! let content = Payload::Content {
//!     bytes: Some(b"hello".to_vec()),
//!     sha256: Sha256::of(b"hello"),
//!     size: 5,
//!     seen: None,
//!     moved_from: None,
//! };
//! act.append(Append {
//!     store: Some(store),
//!     source: Source::Scan,
//!     actor: &Actor::Unknown,
//!     note: None,
//!     at,
//!     undoes: None,
//!     changes: vec![Change { store, path: RelPath::parse("a.md")?, payload: content }],
//!     even_if_empty: false,
//! })?;
//! act.commit()?;
//! assert_eq!(writer.reader().last_version()?, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod api_stores;
mod append;
mod blob;
mod broken_rules;
mod codec;
mod connection;
mod contents;
mod elsewhere;
mod error;
mod head;
mod kept_lines;
mod kept_out;
mod lease;
mod live;
mod mask;
mod migrate;
mod origins;
mod permissions;
mod prompts;
mod purge;
mod raw;
mod read;
mod receipts;
mod redacted_parts;
mod remotes;
mod review;
mod rows;
mod rule_guards;
mod rules;
mod seals;
mod search;
mod stores;
mod texts;
mod unflushed;
mod verify;
mod writer;

pub use api_stores::{
    ApiStoreChange, ApiStoreFilter, ApiStoreRow, ApiVersionFilter, LOG_ROOT, LiveRecord, NewApiStore,
    WriterFilter,
};
pub use append::{
    Append, Appended, Change, FoundRedacted, PastLine, PastLines, PastRun, PastVersion, Payload, Rebuild,
    Rebuilt,
};
pub use broken_rules::{BrokenAct, KeptBroken, NewBroken, SeenAct};
pub use connection::{Entropy, LogFiles};
pub use elsewhere::ElsewhereKind;
pub use error::LogError;
pub use head::{LogHead, Replaced};
pub use kept_lines::KeptLines;
pub use kept_out::{Held, Known as KnownTags, MARKER, SHORTEST as SHORTEST_KEPT_OUT, Tags};
pub use lease::{Lease, Pusher};
pub use live::LiveMemory;
pub use mask::{Masked, Needles};
pub use origins::Unclaimed;
pub use prompts::Prompt;
pub use raw::RawHits;
pub use read::{
    ActivityMark, ChainedVersion, Content, ContentInfo, Items, MemoryAt, Older, Opened, OperationRow,
    ReadConnection, Reader, Recent, Redaction, ReviewAct, Unreviewed, UnreviewedFile, VersionRow,
};
pub use redacted_parts::Parts;
pub use remotes::{
    HostVersion, Mirrored, MirroredMemory, NewQueued, QueueKind, QueueRow, QueueState, REMOTE_ROOT,
    RemoteFacts,
};
pub use retrace_model::Words;
use retrace_model::chain;
pub use retrace_model::records::{
    CallPlace, NewReceipt, NewRemote, NewStore, OriginRow, Place, PlaceState, ReceiptRow, RemoteRow,
    StorePlace, VersionFilter,
};
pub use review::{NewReview, ReviewedVersion};
pub use rule_guards::{GuardAct, KeptGuard};
pub use rules::{KeptRule, RuleAct};
pub use search::SearchHit;
pub use stores::StoreRow;
pub use texts::{
    REDACTED_ROOT, REDACTED_TEXT, SEARCH_TABLES, TEXTS, TextCare, TextHits, TextName, TextPlace,
};
pub use unflushed::Unflushed;
pub use verify::{Verification, is_own_text};
pub use writer::{Act, Writer};

#[cfg(test)]
mod tests;
