//! Every command of Retrace as a plain function, with the types that cross the line to clients.

pub mod bindings;
mod commands;
pub mod wire;

pub use commands::{COMMANDS, CommandInfo};
