//! Exit codes: 0 done, 1 internal, 2 usage, 3 not found, 4 conflict, 5 findings, 6 purge pending, 7 store unavailable,
//! 8 database newer than the program, 9 counter unavailable.

use retrace_api::wire::Code;
use std::process::ExitCode;

/// Exit code of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit(
    /// The code the process ends with.
    pub u8,
);

impl Exit {
    /// It did what was asked.
    pub const DONE: Self = Self(0);
    /// It found what was asked not to be there.
    pub const FINDINGS: Self = Self(5);

    /// The exit code of a failure.
    #[must_use]
    pub const fn of(code: Code) -> Self {
        Self(code.exit_code())
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.0)
    }
}
