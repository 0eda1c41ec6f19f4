//! Exact counts from the `count_tokens` endpoint, as the vendor's current SDK asks for them.
//!
//! The way through the crate: a [`CountRequest`] says what to count; [`Plan::new`] says what would be sent, how
//! often and where to, without sending anything; a [`Client`] made of a [`Config`] with a [`Key`] sends what the
//! plan says and keeps each answer in a [`Cache`].
//!
//! ```no_run
//! use retrace_count::{Cache, Cancel, Client, Config, CountRequest, Plan, key_from_keyring};
//! use serde_json::json;
//!
//! let mut config = Config::from_environment(&|name| std::env::var(name).ok())?;
//! if config.key.is_none() {
//!     config.key = key_from_keyring()?;
//! }
//! let mut cache = Cache::open(std::path::Path::new("data"))?;
//! let message = json!({"model": "claude-opus-5", "messages": [{"role": "user", "content": "Hello"}]});
//! let request = CountRequest::from_message_request(message)?.with_needed_betas();
//!
//! let plan = Plan::new(&config, vec![request], &cache)?;
//! println!("{} calls with {} bytes to {:?}", plan.calls, plan.bytes, plan.hosts);
//! // Only when the person agrees:
//! let run = Client::new(config)?.run(&plan, &mut cache, &Cancel::new(), &mut |_| {});
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Limits: it starts no call by itself, follows no redirect, sends no message and samples nothing, and
//! knows nothing of transcripts. It does not decide whether a count is worth a call: the person does, with the plan
//! before them.
//!
//! Invariants:
//! - Only `retrace-outbound` opens a connection to another machine; what it promises of keys, waits and answers holds
//!   here as well.
//! - The key is in no error, no `Debug` output and no file.
//! - No content is stored: the cache holds a hash and two numbers for each answer.
//! - Nothing that a server answers makes it panic or hold more than [`facts::ANSWER_LIMIT`] bytes.

mod answer;
mod cache;
mod client;
mod error;
pub mod facts;
mod plan;
mod request;
mod run;

pub use cache::{Cache, CacheError};
pub use client::Client;
pub use error::CountError;
pub use plan::Plan;
pub use request::{CountRequest, Counted, NotARequest};
pub use retrace_outbound::{
    BadConfig, BadKeyText, Cancel, Config, Key, KeyHeader, KeyKind, KeySource, KeyringError, Proxies, Roots,
    SystemTiming, Timing, forget_key, keep_key, key_from_keyring,
};
pub use run::{Progress, Run};
