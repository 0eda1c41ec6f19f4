//! Features across crates, one module each.

#![allow(clippy::panic, reason = "a helper that panics fails the test it helps")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says why, a child process that it is ready")]

mod adherence;
mod answer;
mod approvals;
mod architecture;
mod attaching;
mod bad_days;
mod bindings;
mod check;
mod clients;
mod comparison;
mod confirm;
mod context;
mod crashes;
mod cut;
mod diff;
mod displacing;
mod dreams;
mod events;
mod faults;
mod flushing;
mod git_merges;
mod git_states;
mod glossary;
mod health;
mod histories;
mod hosted;
#[cfg(unix)]
mod hub;
#[cfg(unix)]
mod inbox;
mod kept_out;
mod kinds;
mod live;
#[cfg(unix)]
mod memory_stores;
mod memory_tool;
mod mounts;
#[cfg(unix)]
mod moved;
mod opening;
mod oracles;
mod origins;
mod past_crashes;
#[cfg(unix)]
mod places;
mod processes;
mod rebuilt;
mod receipts;
mod recording;
mod redacted_imports;
mod redaction;
mod redaction_places;
mod reference;
mod remedies;
mod remotes;
mod requests;
mod rights;
mod rollback;
mod scenes;
mod search;
mod sessions;
mod triage;
mod variants;
mod writers;
