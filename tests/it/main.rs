//! Features across crates, one module each.

mod architecture;
mod bindings;
mod diff;
mod recording;
mod redaction;
mod rollback;
mod search;
