//! Calls to other machines over HTTPS, made as the vendor's current SDK makes them, and the keyring for their keys.
//!
//! The way through the crate: a [`Config`] says where calls go and with which [`Key`]; a [`Client`] made of it sends a
//! [`Call`], tries again where the SDK would, and gives the [`Answer`] of the last try, whatever its status. What an
//! answer means is for the crates above: `retrace-count` and `retrace-remote`.
//!
//! Limits: it starts no call by itself, follows no redirect, and knows nothing of what it carries.
//!
//! Invariants:
//! - This is the only crate of the workspace that opens a connection to another machine.
//! - The key is in no error, no `Debug` output and no file.
//! - A call is over https, or stays on this machine, unless [`Config::allow_insecure`] says otherwise.
//! - Every wait ends at once when [`Cancel::cancel`] is called; every call ends by its timeout.
//! - Nothing that a server answers makes it panic, wait without bound or hold more than [`Call::answer_limit`] bytes.
//!
//! ```
//! use retrace_outbound::{Config, canonical_base_url};
//!
//! assert_eq!(canonical_base_url("HTTPS://Api.Example.com:443/")?, "https://api.example.com");
//! // Key and content would be readable on the way.
//! let plain = Config { base_url: "http://api.example.com".into(), ..Config::default() };
//! assert!(plain.endpoint().is_err());
//! # Ok::<(), retrace_outbound::BadConfig>(())
//! ```

mod answer;
mod call;
mod cancel;
mod client;
mod config;
pub mod facts;
mod key;
mod keyring;
mod proxy;
mod retry;

pub use answer::{Answer, Complaint, presentable};
pub use call::{Call, CallError, Listener, Made, Method};
pub use cancel::Cancel;
pub use client::Client;
pub use config::{BadConfig, Config, Endpoint, KeyHeader, Roots, canonical_base_url};
pub use key::{BadKeyText, Key, KeyKind, KeySource};
pub use keyring::{
    KeyringError, forget_key, forget_key_for, keep_key, keep_key_for, key_for, key_from_keyring,
};
pub use proxy::Proxies;
pub use retry::{SystemTiming, Timing};
