//! The crate against a server that behaves like the API, and one that does not.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod calls;
mod children;
mod recorded;
mod runs;
mod secure;
mod server;
mod support;
