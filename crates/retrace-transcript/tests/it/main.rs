//! Every format, real transcripts, and files that are damaged.

mod claude_code;
mod damage;
mod formats;
mod real;
mod support;
