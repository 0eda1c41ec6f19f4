//! `retrace`: the commands with this machine's streams.

use retrace_cli::{Io, Stop, Terminal, Zone};
use std::io::{BufWriter, IsTerminal as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    retrace_api::bound_heaps();
    let mut stdin = std::io::stdin();
    let mut stdout = BufWriter::new(std::io::stdout());
    let mut stderr = std::io::stderr();
    let size = terminal_size::terminal_size();
    let terminal = Terminal {
        stdout: std::io::stdout().is_terminal(),
        stderr: std::io::stderr().is_terminal(),
        width: size.map_or(Terminal::USUAL.0, |(width, _)| usize::from(width.0)),
        height: size.map_or(Terminal::USUAL.1, |(_, height)| usize::from(height.0)),
    };
    let mut io = Io {
        stdin: &mut stdin,
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminal,
        env: std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .collect(),
        zone: Zone::Machine,
        options: &retrace_api::AppOptions::for_this_machine,
        stop: Stop::on_signals(),
    };
    retrace_cli::run(std::env::args_os().skip(1), &mut io).into()
}
