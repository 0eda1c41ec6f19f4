//! `retrace`: the commands with this machine's streams.

use console::Term;
use retrace_api::AppOptions;
use retrace_api::wire::ApiError;
use retrace_cli::{Io, Key, Stop, Terminal, Zone};
use std::io::{BufWriter, IsTerminal as _};
use std::path::PathBuf;
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
    let is_attended = stdin.is_terminal() && terminal.stdout;
    let mut io = Io {
        stdin: &mut stdin,
        keys: if is_attended { Some(Box::new(next_key)) } else { None },
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminal,
        env: std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .collect(),
        zone: Zone::Machine,
        options: &options,
        stop: Stop::on_signals(),
    };
    retrace_cli::run(std::env::args_os().skip(1), &mut io).into()
}

/// The options of this machine. What they run of the program is this file, also under another name.
fn options(data_dir: Option<PathBuf>) -> Result<AppOptions, ApiError> {
    let mut options = AppOptions::for_this_machine(data_dir)?;
    if !options.engine.program.is_absolute()
        && let Ok(this) = std::env::current_exe()
    {
        options.engine.program = this;
    }
    Ok(options)
}

/// The next key, without Enter. The terminal is as it was between two keys.
fn next_key() -> std::io::Result<Key> {
    use console::Key as Pressed;
    match Term::stdout().read_key_raw() {
        Ok(Pressed::Char('\u{4}') | Pressed::CtrlC | Pressed::Escape) => Ok(Key::End),
        Ok(Pressed::Char(letter)) => Ok(Key::Char(letter)),
        Ok(Pressed::ArrowUp) => Ok(Key::Up),
        Ok(Pressed::ArrowDown) => Ok(Key::Down),
        Ok(_) => Ok(Key::Other),
        // The terminal was closed.
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(Key::End),
        Err(error) => Err(error),
    }
}
