//! The words of Retrace and its pure decisions.
//!
//! Stores, memories, versions, operations and actors; how paths inside a store are written; which paths
//! a recorder should read after a scan. The names follow the hosted Memory Stores API, so that local and remote stores
//! are one model.
//!
//! Deliberately absent: disk, database, clock, environment, randomness and serialisation. Everything here is a value or
//! a function of its arguments.
//!
//! ```
//! use retrace_model::{RelPath, Rules, StoreId};
//!
//! let path = RelPath::parse("topics/deploy.md")?;
//! assert_eq!(path.file_name(), b"deploy.md");
//! assert!(RelPath::parse("../elsewhere").is_err());
//! assert!(Rules::default().leaves_out_file(b"notes.md~").is_some());
//! assert!(StoreId([7; 16]).to_string().starts_with("memstore_"));
//! # Ok::<(), retrace_model::PathError>(())
//! ```

mod actor;
pub mod chain;
mod hash;
mod id;
mod kind;
mod kind_filter;
mod memory_kind;
mod path;
mod reconcile;
pub mod records;
mod rules;
mod shell;
mod text;
mod time;
mod words;

pub use actor::{Actor, Evidence};
pub use hash::Sha256;
pub use id::{IdError, MachineId, MemoryId, OrderId, OrgId, ProposalId, ReceiptId, StoreId, VersionId};
pub use kind::{Source, StoreKind, StoreState, UnknownWord, Verdict, VersionOperation};
pub use kind_filter::KindFilter;
pub use memory_kind::{MemoryClass, MemoryKind, MemoryScope, StorePlace, may_have_type, memory_kind};
pub use path::{PathError, RelPath};
pub use reconcile::{
    COARSE_RACY_WINDOW_NANOS, Head, Permissions, RACY_WINDOW_NANOS, Reconciled, Seen, reconcile,
};
pub use retrace_message::grouped;
pub use rules::{LeftOut, MAX_FILE_BYTES, Rules};
pub use shell::shell_word;
pub use text::is_hidden;
pub use time::{Timestamp, TimestampError};
pub use words::{Words, joined_words};

/// Values that stand in messages as their texts.
macro_rules! in_messages {
    ($($value:ty),+) => {
        $(
            impl From<$value> for retrace_message::Argument {
                fn from(value: $value) -> Self {
                    Self::Text(value.to_string())
                }
            }

            impl From<&$value> for retrace_message::Argument {
                fn from(value: &$value) -> Self {
                    Self::Text(value.to_string())
                }
            }
        )+
    };
}
in_messages!(MachineId, MemoryId, OrderId, OrgId, ProposalId, ReceiptId, RelPath, Sha256, StoreId, VersionId);
