//! The client of the Memory Stores API and of dreams, as the vendor's current SDK calls them.
//!
//! The way through the crate: a [`Config`] says which host is called and with which key ([`Config::for_host`],
//! [`key_for`]); a [`Host`] made of it makes one call for each of its functions and gives the plain objects of
//! `objects.rs` back.
//!
//! Limits: it keeps nothing, decides nothing about what to mirror or to send, and never calls by itself.
//! Lists come a page at a time, except those of stores.
//!
//! Invariants:
//! - Everything a host answers is untrusted: identifiers, paths, hashes, sizes and counts are checked before they are
//!   handed on; a content that does not have its hash is an error. Members that are not known are passed over.
//! - No answer makes it panic or hold more than [`facts::PAGE_BYTES`].
//! - No error holds the key or the content of a memory.
//! - What is sent goes out by `retrace-outbound`: over https, or to this machine.
//!
//! ```
//! use retrace_remote::{Config, Host, Key, KeyKind, KeySource, RemoteError};
//!
//! // What is no identifier is refused before anything is sent.
//! let mut config = Config::for_host(Some("http://127.0.0.1:9"), &|_| None)?;
//! config.key = Some(Key::new("sk-test", KeyKind::ApiKey, KeySource::Given)?);
//! let host = Host::new(config)?;
//! assert!(matches!(host.store("../elsewhere"), Err(RemoteError::BadId { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dreams;
mod error;
pub mod facts;
mod host;
mod memories;
mod objects;
mod read;

pub use error::RemoteError;
pub use host::Host;
pub use objects::{
    DreamError, DreamUsage, NewDream, OutputBehavior, Page, RemoteDream, RemoteMemory, RemoteStore,
    RemoteVersion,
};
pub use retrace_outbound::{
    BadConfig, Cancel, Config, Key, KeyHeader, KeyKind, KeySource, KeyringError, Listener, Made, Method,
    Proxies, Roots, SystemTiming, Timing, canonical_base_url, forget_key_for, keep_key_for, key_for,
};
