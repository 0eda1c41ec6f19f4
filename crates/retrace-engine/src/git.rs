//! The program `git`, run for reading alone: without hooks, pagers, filters, external differences, locks or the network, and
//! with nothing of the caller's `GIT_*` surroundings.

use crate::wire::{ApiError, Code};
use retrace_message::Argument;
use retrace_model::is_hidden;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

/// A git that runs; it is ended when this is dropped.
pub struct Running {
    child: Child,
}

impl Running {
    /// Starts it.
    ///
    /// # Errors
    /// `store_unavailable` when there is no git.
    pub fn start(mut git: Command) -> Result<Self, ApiError> {
        git.stdout(Stdio::piped());
        Ok(Self { child: git.spawn().map_err(|error| cannot_run(&error))? })
    }

    /// Its input, where it was started with one.
    ///
    /// # Errors
    /// `store_unavailable` when it has none.
    pub fn stdin(&mut self) -> Result<ChildStdin, ApiError> {
        self.child.stdin.take().ok_or_else(|| failed(say::takes_no_input()))
    }

    /// Its output.
    ///
    /// # Errors
    /// `store_unavailable` when it was taken already.
    pub fn stdout(&mut self) -> Result<ChildStdout, ApiError> {
        self.child.stdout.take().ok_or_else(|| failed(say::gives_no_output()))
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// `store_unavailable` when it failed.
    pub fn end(mut self) -> Result<(), ApiError> {
        let ended = self.child.wait().map_err(|error| failed(error.to_string()))?;
        if ended.success() { Ok(()) } else { Err(failed(say::ended(ended.to_string()))) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended already cannot be ended again, and that is all right.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A git in `directory` that reads, and runs nothing else.
pub fn command(directory: &Path) -> Command {
    let mut git = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        git.env_remove(name);
    }
    git.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("GIT_NO_LAZY_FETCH", "1");
    git.env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_ATTR_NOSYSTEM", "1").env("LC_ALL", "C");
    git.args([
        "--no-pager",
        "--literal-pathspecs",
        "-c",
        "core.fsmonitor=",
        "-c",
        "core.hooksPath=/dev/null",
    ]);
    git.args([
        "-c",
        "diff.external=",
        "-c",
        "protocol.allow=never",
        "-c",
        "core.quotePath=false",
        "-c",
        "diff.renameLimit=0",
    ]);
    // What a person set for their own eyes must not change what is read.
    git.args([
        "-c",
        "log.diffMerges=separate",
        "-c",
        "diff.relative=false",
        "-c",
        "i18n.logOutputEncoding=UTF-8",
    ]);
    git.arg("-C").arg(directory).stdin(Stdio::null()).stderr(Stdio::null());
    git
}

/// What it prints.
///
/// # Errors
/// `store_unavailable` when there is no git, or it failed.
pub fn output(mut git: Command) -> Result<Vec<u8>, ApiError> {
    let done = git.stderr(Stdio::piped()).output().map_err(|error| cannot_run(&error))?;
    if done.status.success() { Ok(done.stdout) } else { Err(refused(&done)) }
}

/// The error of a git that ended with one, in its own words where it gave any.
#[must_use]
pub fn refused(done: &Output) -> ApiError {
    // What git says is all there is to say: the directory is there.
    let error = match sentence(&String::from_utf8_lossy(&done.stderr)) {
        Some(sentence) => failed(sentence),
        None => failed(say::ended_2(done.status.to_string())),
    };
    error.hint(retrace_message::Message::default())
}

/// Characters of what git says that are passed on.
const LONGEST_SENTENCE: usize = 300;

/// What git says last, without its name for how bad that is. It quotes settings, paths and names: what would not be seen is made
/// visible.
fn sentence(told: &str) -> Option<String> {
    let lines = || told.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines().find(|line| line.starts_with("fatal: ")).or_else(|| lines().next_back())?;
    let line = line.strip_prefix("fatal: ").or_else(|| line.strip_prefix("error: ")).unwrap_or(line);
    let visible = |character: char| match character {
        hidden if hidden.is_control() || is_hidden(hidden) => char::REPLACEMENT_CHARACTER,
        visible => visible,
    };
    let sentence: String = line.trim_end_matches('.').chars().take(LONGEST_SENTENCE).map(visible).collect();
    (!sentence.is_empty()).then_some(sentence)
}

/// The error of a git that is not there.
#[must_use]
pub fn cannot_run(error: &std::io::Error) -> ApiError {
    ApiError::new(Code::StoreUnavailable, say::program_git_cannot_run(error), "git")
        .hint(say::install_git_or_put_where())
}

/// The error of a git that failed.
#[must_use]
pub fn failed(why: impl Into<Argument>) -> ApiError {
    ApiError::new(Code::StoreUnavailable, say::git_failed(why), "git")
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn git_is_quoted_in_one_visible_sentence() {
        let told = "warning: something else\nfatal: bad boolean config value 'ma\u{1b}[31mybe\u{202e}' for 'core.bare'.\n";
        let quoted = sentence(told).expect("a sentence");
        assert_eq!(quoted, "bad boolean config value 'ma\u{fffd}[31mybe\u{fffd}' for 'core.bare'");
        assert_eq!(sentence("error: one\nerror: two\n").as_deref(), Some("two"));
        assert_eq!(sentence(" \n"), None);
        assert_eq!(sentence(&"long ".repeat(200)).map(|told| told.chars().count()), Some(300));
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "git";
    takes_no_input() => "it takes no input",
    gives_no_output() => "it gives no output",
    ended(ended) => "it ended with {ended}",
    ended_2(status) => "it ended with {status}",
    program_git_cannot_run(error) => "The program git cannot be run: {error}.",
    install_git_or_put_where() => "Install git, or put it where the PATH finds it; nothing else of Retrace needs it.",
    git_failed(why) => "Git failed: {why}.",
}
