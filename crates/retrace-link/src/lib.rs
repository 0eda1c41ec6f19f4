//! The window and the program behind it as two processes, and the lines between them.
//!
//! The desktop's window is a small program: it holds the web view, the tray and messages, and none of the code that records,
//! compares and counts. It starts `retrace` beside it ([`PROGRAM`], hidden command [`COMMAND`]) and asks it over two pipes. So the
//! terminal program needs no library of a window, and what both need is installed once.
//!
//! Each line is one JSON value. The program says [`Hello`] first. A request has a number and a name, of a command of the table
//! or of one in [`ask`]; its answer or its error has the same number; answers come in any order; events come between them.
//! The program ends when its input does, so that it never outlives its window.
//!
//! Deliberately absent: any decision. [`serve`] opens the log and calls; [`Link`] starts, asks, and starts again what ended.

mod client;
mod program;
mod protocol;
mod server;
#[cfg(test)]
mod tests;

pub use client::{Ends, Link, Listen, Start};
pub use protocol::{Hello, Recording, ask};
pub use retrace_api::{bound_heaps, wire};
pub use server::{serve, serve_standard_streams};

/// Name of the program behind the window, without the ending that a system may want.
pub const PROGRAM: &str = "retrace";

/// Its hidden command.
pub const COMMAND: &str = "behind-window";
