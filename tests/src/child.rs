//! Running one test of the test program in a process of its own, which may end in any way.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Names what a child process is to do. Unset in a process that is not one.
const TASK: &str = "RETRACE_TEST_TASK";

/// Names the directory a child process works in.
const DIRECTORY: &str = "RETRACE_TEST_DIRECTORY";

/// Task of this process and its directory, if it is a child.
#[must_use]
pub fn task() -> Option<(String, std::path::PathBuf)> {
    Some((std::env::var(TASK).ok()?, std::env::var_os(DIRECTORY)?.into()))
}

/// Prepares to run the test `test` (with its modules) of this program in a process of its own.
#[must_use]
pub fn command(test: &str, task: &str, directory: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env(TASK, task).env(DIRECTORY, directory);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts it.
#[must_use]
pub fn start(test: &str, task: &str, directory: &Path) -> Child {
    command(test, task, directory).spawn().expect("a process")
}

/// Prepares to run the test `test` of this program in a process with mounts of its own, which end with it. As root of a
/// user namespace where the user is not root.
#[must_use]
pub fn with_own_mounts(test: &str, directory: &Path) -> Command {
    let inner = command(test, "mounts", directory);
    let mut outer = Command::new("unshare");
    outer.args(["--mount", "--user", "--map-root-user", "--propagation", "private"]);
    outer.arg(inner.get_program()).args(inner.get_args());
    outer.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    outer
}
