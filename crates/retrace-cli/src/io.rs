//! Environment of a run, so that a test can bring its own.

use crate::Stop;
use retrace_api::AppOptions;
use retrace_api::wire::ApiError;
use retrace_print::Zone;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;

/// Makes the options of an app from the directory given with `--data-dir`.
pub(crate) type OptionsFor<'a> = &'a dyn Fn(Option<PathBuf>) -> Result<AppOptions, ApiError>;

/// Waits for the next key.
pub type NextKey<'a> = Box<dyn FnMut() -> std::io::Result<Key> + Send + 'a>;

/// A key of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A letter, digit or sign.
    Char(char),
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Ctrl-C, Ctrl-D, Escape: no more keys come, or no more are wanted.
    End,
    /// Any other.
    Other,
}

/// The surroundings of one run.
pub struct Io<'a> {
    /// Standard input; read only when an option names `-`, and for the answers of a review by key.
    pub stdin: &'a mut (dyn Read + Send),
    /// Gives keys one by one, where a person sits at a terminal; lines of standard input are the answers otherwise.
    pub keys: Option<NextKey<'a>>,
    /// Standard output: results.
    pub stdout: &'a mut (dyn Write + Send),
    /// Standard error: errors, notes, progress.
    pub stderr: &'a mut (dyn Write + Send),
    /// Terminals of the streams.
    pub terminal: Terminal,
    /// Environment variables.
    pub env: BTreeMap<String, OsString>,
    /// Time zone of printed times.
    pub zone: Zone,
    /// Options of the app: [`AppOptions::for_this_machine`], or a test's.
    pub options: OptionsFor<'a>,
    /// Ends `record` and `serve`.
    pub stop: Stop,
}

impl Io<'_> {
    /// An environment variable that is set to something.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsString> {
        self.env.get(name).filter(|value| !value.is_empty())
    }

    /// Columns that text may take: what `COLUMNS` says, else those of the terminal.
    pub(crate) fn columns(&self) -> usize {
        let said = self.variable("COLUMNS").and_then(|value| value.to_str()?.trim().parse().ok());
        said.filter(|columns| *columns > 0).unwrap_or(self.terminal.width)
    }
}

/// Terminals of the streams.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// True if standard output is a terminal.
    pub stdout: bool,
    /// True if standard error is one.
    pub stderr: bool,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Terminal {
    /// Columns and rows where nothing is known.
    pub const USUAL: (usize, usize) = (80, 24);

    /// No terminal at all: files and pipes.
    pub const NONE: Self = Self { stdout: false, stderr: false, width: Self::USUAL.0, height: Self::USUAL.1 };
}
