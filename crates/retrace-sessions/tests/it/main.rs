//! The index over real transcripts, and kept by several processes at once.

mod processes;
mod real_data;
