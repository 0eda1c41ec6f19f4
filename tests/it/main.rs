//! Features across crates, one module each.

#![allow(clippy::panic, reason = "a helper that panics fails the test it helps")]

mod architecture;
mod bad_days;
mod bindings;
mod crashes;
mod diff;
mod faults;
mod mounts;
mod recording;
mod redaction;
mod reference;
mod rollback;
mod scenes;
mod search;
