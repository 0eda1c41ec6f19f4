//! Composition of real transcripts, and exported programs.

mod composing;
mod exporting;
