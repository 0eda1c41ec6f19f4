//! Every format, real transcripts, and files that are damaged.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::needless_pass_by_value)] // tests

mod claude_code;
mod damage;
mod formats;
mod real;
mod support;
