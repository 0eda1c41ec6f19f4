//! Composition of a context, and the effect of edits on it. Pure functions over a [`retrace_transcript::Transcript`].
//!
//! The order of work: [`weight`] gives every block its tokens once; composition, simulation, regret, warnings and sweeps
//! then work on those numbers alone, so that trying a setting costs no counting. Messages are never changed: an edit
//! answers which blocks it clears.
//!
//! Invariants: a figure never loses its [`Basis`]; what a request held is equal to what was recorded for it, and the part
//! that no content explains is shown as not recorded, never spread over the rest. No figure is below zero: where counts come
//! out higher than what was recorded, they are brought down to it in proportion, and by how much they were too high is told.
//!
//! ```
//! use retrace_context::weigh::CountBy;
//! use retrace_context::{Classes, Setting, Weighing, compose, weigh};
//! use retrace_tokens::Family;
//! use serde_json::json;
//!
//! let request = br#"{"model": "claude-opus-5", "messages": [{"role": "user", "content": "Hello"}]}"#;
//! let reading = retrace_transcript::read(request)?;
//! let transcript = &reading.transcripts[0];
//! let counter = CountBy(|text: &str| text.len() as u64 / 4);
//! let weights = weigh(transcript, &counter, &Weighing::of(Family::V48, false, ""));
//! let filled: Vec<Classes> = compose(transcript, &weights);
//! assert_eq!(filled.len(), 1);
//!
//! let setting = Setting::from_json(&json!({"edits": [{"type": "clear_tool_uses_20250919"}]}))?;
//! assert!(!setting.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cache;
pub mod compare;
pub mod compose;
pub mod deployed;
pub mod edits;
pub mod export;
mod fit;
pub mod html;
pub mod loads;
pub mod outcome;
pub mod prices;
pub mod recommend;
pub mod regret;
pub mod report;
pub mod sdk;
pub mod settings;
pub mod simulate;
pub mod sweep;
pub mod warnings;
pub mod weigh;
pub mod weight;

pub use compare::{Comparison, compare};
pub use compose::{Classes, compose, compose_request};
pub use loads::{Load, LoadReason, LoadedFile, RecallScope, loaded_files};
pub use outcome::{
    BlockAt, Cleared, Outcome, RequestOutcome, SimulatedCompaction, StopReason, Stopped, Totals,
};
pub use regret::{Clearings, Regret, RegretIndex};
pub use settings::{Setting, SettingError};
pub use simulate::{Options, Prepared, Scratch, SummarySizes, simulate, simulate_each, simulate_totals};
pub use warnings::{Warning, warnings};
pub use weigh::{Counts, Framing, PreambleCounter, TextCounter, Weighing, weigh};
pub use weight::{
    Basis, BlockWeight, FileClass, FileSource, FileWeight, Margin, PreambleCount, PreambleWeight, PromptFile,
    Weights,
};
