//! The program `retrace` as it is built, and what is used with it.

mod conversation;
mod dreams;
mod hosted;
mod import;
mod local_times;
mod mcp;
mod pipeline;
mod serve;
mod session_sync;
mod terminal;
mod writers;
