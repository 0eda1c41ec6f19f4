//! Starts the desktop app.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    retrace_link::bound_heaps();
    retrace_desktop::run()
}
