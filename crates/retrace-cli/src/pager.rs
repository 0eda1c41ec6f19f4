//! Long output on a terminal, a page at a time, as users of git expect it.

use crate::Stop;
use crate::io::Io;
use std::ffi::OsString;
use std::io::{ErrorKind, Result, Write};
use std::process::{Child, Command, Stdio};

/// A writer that starts a pager once there are more lines than the terminal has rows. `$RETRACE_PAGER`, `$PAGER`, or
/// `less`; none when that is empty or `cat`, or cannot be started.
pub(crate) struct Pages<'io> {
    stdout: &'io mut (dyn Write + Send),
    /// Output so far, while it is not known whether it fits.
    held: Option<Held>,
    pager: Option<Child>,
    stop: Stop,
}

struct Held {
    bytes: Vec<u8>,
    lines: usize,
    rows: usize,
    program: Command,
}

impl<'io> Pages<'io> {
    /// Pages when `wanted`, passes on otherwise.
    pub(crate) fn new(io: &'io mut Io<'_>, wanted: bool) -> Self {
        let program = if wanted { program(io) } else { None };
        // One row stays for the prompt.
        let rows = io.terminal.height.saturating_sub(1);
        let held = program.map(|program| Held { bytes: Vec::new(), lines: 0, rows, program });
        Self { held, pager: None, stop: io.stop.clone(), stdout: &mut *io.stdout }
    }

    /// Writes what is left and waits until the user has read it.
    pub(crate) fn finish(mut self) -> Result<()> {
        if let Some(held) = self.held.take() {
            self.stdout.write_all(&held.bytes)?;
        }
        if let Some(mut pager) = self.pager.take() {
            drop(pager.stdin.take());
            pager.wait()?;
        }
        self.stdout.flush()
    }

    fn start(&mut self, mut held: Held) -> Result<()> {
        // Ctrl-C is for the pager: a program that ends under it leaves the terminal in its hands.
        self.stop.leave_to_pager();
        self.stdout.flush()?;
        match held.program.stdin(Stdio::piped()).spawn() {
            Ok(pager) => self.pager = Some(pager),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        self.write_all(&held.bytes)
    }
}

impl Write for Pages<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        if let Some(mut held) = self.held.take() {
            held.bytes.extend_from_slice(bytes);
            held.lines += bytes.iter().filter(|byte| **byte == b'\n').count();
            if held.lines > held.rows {
                self.start(held)?;
            } else {
                self.held = Some(held);
            }
            return Ok(bytes.len());
        }
        match self.pager.as_mut().and_then(|pager| pager.stdin.as_mut()) {
            Some(input) => input.write(bytes),
            None => self.stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> Result<()> {
        match self.pager.as_mut().and_then(|pager| pager.stdin.as_mut()) {
            Some(input) => input.flush(),
            None if self.held.is_some() => Ok(()),
            None => self.stdout.flush(),
        }
    }
}

/// The pager the user wants.
fn program(io: &Io<'_>) -> Option<Command> {
    let wish = ["RETRACE_PAGER", "PAGER"].iter().find_map(|name| io.env.get(*name));
    let mut program = match wish {
        Some(wish) if wish.is_empty() || wish == "cat" => return None,
        Some(wish) => through_shell(wish),
        None => Command::new("less"),
    };
    // Quit when it fits, let colours through, leave the text on the screen: git's choice.
    if io.variable("LESS").is_none() {
        program.env("LESS", "FRX");
    }
    Some(program)
}

fn through_shell(line: &OsString) -> Command {
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut program = Command::new(shell);
    program.arg(flag).arg(line);
    program
}
