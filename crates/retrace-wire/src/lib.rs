//! Types that cross the line to a client: terminal JSON, HTTP, the window. These types are the compatibility promise;
//! more fields may be added, none renamed. Everything below this crate has its own types and never serialises itself.
//!
//! Conventions: ids are strings with their prefix; times are RFC 3339 in UTC; hashes are 64 lowercase hex digits; sizes
//! are bytes; line numbers start at 1; positions within a line count Unicode scalar values from 0; a path is the text
//! form of a path relative to its store (bytes that are not UTF-8 as `\xHH`).
//!
//! Errors of the crates below become an [`ApiError`] in `failures.rs` and nowhere else.
//!
//! ```
//! use retrace_wire::{ApiError, Code, LogReq, Message};
//!
//! let request: LogReq = serde_json::from_str(r#"{"limit": 5}"#).expect("a request");
//! assert_eq!(request.limit, Some(5));
//! let error = ApiError::new(Code::NotFound, Message::verbatim("There is no such store."), "notes");
//! assert_eq!(error.code.exit_code(), 3);
//! assert_eq!(serde_json::to_value(&error).expect("an error")["code"], "not_found");
//! ```

mod acts;
mod answer;
mod context;
mod counter;
mod desktop;
mod diff;
mod discover;
mod dreams;
mod error;
mod failures;
mod findings;
mod health;
mod hub;
mod hub_agents;
mod hub_people;
mod hub_policy;
mod hub_sessions;
mod hub_together;
mod inbox;
mod instructions;
mod kinds;
mod memories;
mod memory_tool;
mod mounts;
mod opening;
mod origin;
mod past;
mod presence;
mod remote;
mod rules;
mod search;
mod session;
mod shells;
mod simulations;
mod snapshot;
mod status;
mod stores;
mod tags;
mod tokens;
mod transcripts;
mod triage;
mod verify;
mod versions;
mod vocabulary;
mod worth;

pub use acts::*;
pub use answer::*;
pub use context::*;
pub use counter::*;
pub use desktop::*;
pub use diff::*;
pub use discover::*;
pub use dreams::*;
pub use error::*;
pub use failures::{key_lost, key_lost_hint, sentence, show, why};
pub use findings::*;
pub use health::*;
pub use hub::*;
pub use hub_agents::*;
pub use hub_people::*;
pub use hub_policy::*;
pub use hub_sessions::*;
pub use hub_together::*;
pub use inbox::*;
pub use instructions::*;
pub use kinds::*;
pub use memories::*;
pub use memory_tool::*;
pub use mounts::*;
pub use opening::*;
pub use origin::*;
pub use past::*;
pub use presence::*;
pub use remote::*;
pub use retrace_message::{Argument, Message};
pub use rules::*;
pub use search::*;
pub use session::*;
pub use shells::shell;
pub use simulations::*;
pub use snapshot::*;
pub use status::*;
pub use stores::*;
pub use tags::*;
pub use tokens::*;
pub use transcripts::*;
pub use triage::*;
pub use verify::*;
pub use versions::*;
pub use vocabulary::*;
pub use worth::*;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A request without parameters.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct Nothing {}
