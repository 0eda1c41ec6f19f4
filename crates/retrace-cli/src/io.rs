//! Environment of a run, so that a test can bring its own.

use crate::Stop;
use retrace_api::AppOptions;
use retrace_api::wire::ApiError;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;

/// Makes the options of an app from the directory given with `--data-dir`.
pub(crate) type OptionsFor<'a> = &'a dyn Fn(Option<PathBuf>) -> Result<AppOptions, ApiError>;

/// The surroundings of one run.
pub struct Io<'a> {
    /// Standard input; read only when an option names `-`.
    pub stdin: &'a mut (dyn Read + Send),
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

/// Time zone of printed times. JSON always has UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// In the machine's time zone.
    Machine,
    /// In UTC.
    Utc,
}
