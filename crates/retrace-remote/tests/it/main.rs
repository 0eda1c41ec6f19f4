//! The client against a host that answers as told.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod answers;
mod calls;
mod dreams;
mod failures;
mod keys;
mod recorded;
mod server;
