//! The Memory Stores API as a protocol: what a request asks for, what an answer says, and what is refused with which words.
//!
//! [`read_call`] turns method, path, query, headers and body into a [`Call`], or into the [`Refusal`] that answers it;
//! [`objects`] and [`pages`] write the answers, [`rules`] decide what a write may do; who keeps stores brings the storage alone.
//! Facts come from the public SDKs and documentation; where those say nothing, the choice is one constant in [`open`].
//!
//! Deliberately absent: sockets, the log, the clock, who may ask (a token is the server's affair).
//!
//! Invariants: every function is pure and total, and no text of a client makes one panic; a path that passes
//! [`MemoryPath::parse`] cannot leave its store.
//!
//! ```
//! use retrace_store_api::{Call, RequestParts, read_call};
//!
//! let request =
//!     RequestParts { method: "GET", path: "/v1/memory_stores", query: "limit=5", body: b"", legacy: false };
//! assert!(matches!(read_call(&request), Ok(Call::ListStores(list)) if list.limit == 5));
//! assert!(read_call(&RequestParts { query: "limit=0", ..request }).is_err());
//! ```

mod body;
mod call;
mod cursor;
pub mod dreams;
mod exchange;
mod headers;
pub mod legacy;
pub mod limits;
pub mod mounts;
pub mod objects;
pub mod open;
mod openapi;
pub mod pages;
mod path;
mod query;
mod refusal;
pub mod rules;

pub use call::{
    Call, CreateMemory, CreateStore, DeleteMemory, ListMemories, ListStores, ListVersions, MetadataPatch,
    RequestParts, UpdateMemory, UpdateStore, View, Writer, check_path, read_call,
};
pub use cursor::{Cursor, Listing};
pub use exchange::{Outcome, Refused, StoreAnswer, StoreRequest, request_id};
pub use headers::{BETA_MANAGED_AGENTS, BETA_MEMORY, check_betas};
pub use openapi::{OPERATIONS, openapi};
pub use path::{MemoryPath, Prefix};
pub use refusal::{Kind, Refusal};
