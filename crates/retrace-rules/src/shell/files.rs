//! Files that a command writes.

use super::state::{DIRECTORIES, DIRECTORY};
use super::{Argument, FileWrite, Shell};
use retrace_origin::{CallFile, files_of_call, is_device, resolve};

/// Stands for the calls of a pipeline that has not ended.
pub(super) const OPEN: (usize, usize) = (usize::MAX, usize::MAX);

/// Most files that are taken from one command.
const MOST: usize = 1_000;

impl Shell {
    /// The shell goes to a directory; home where none is named.
    pub(super) fn go(&mut self, to: Option<&Argument>) {
        let directory = match to {
            None => Some("~".to_owned()),
            Some(to) if !to.known && !to.text.starts_with('~') || to.text == "-" => None,
            Some(to) if self.state.has(DIRECTORY) && !to.text.starts_with(['/', '~']) => {
                self.state.get(DIRECTORY).map(|directory| resolve(&to.text, Some(directory)))
            }
            Some(to) => Some(resolve(&to.text, None)),
        };
        self.state.set(DIRECTORY, directory);
    }

    /// Keeps the directory to come back to it.
    pub(super) fn remember(&mut self) {
        let here = match self.state.has(DIRECTORY) {
            false => ".",
            true => self.state.get(DIRECTORY).unwrap_or(NOWHERE),
        };
        let before = self.state.get(DIRECTORIES).unwrap_or_default();
        let all = format!("{here}\n{before}");
        self.state.set(DIRECTORIES, Some(all));
    }

    /// The shell goes back to where it was; anywhere where that is not known.
    pub(super) fn go_back(&mut self) {
        let all = self.state.get(DIRECTORIES).unwrap_or_default().to_owned();
        let (last, rest) = all.split_once('\n').unwrap_or((NOWHERE, ""));
        self.state.set(DIRECTORY, Some(last.to_owned()).filter(|last| last != NOWHERE));
        self.state.set(DIRECTORIES, Some(rest.to_owned()));
    }

    /// A file to which output goes.
    pub(super) fn redirected(&mut self, file: &Argument) {
        if !is_device(&file.text) {
            self.write(&CallFile { path: file.text.clone(), ..CallFile::default() });
        }
    }

    /// The files that a call of a program writes.
    pub(super) fn write_files(&mut self, program: &str, arguments: &[Argument], input: Option<&str>) {
        // `patch` reads what it is given.
        if arguments.is_empty() && input.is_none() && program != "patch" {
            return;
        }
        let words: Vec<(&str, bool)> =
            arguments.iter().map(|argument| (argument.text.as_str(), argument.known)).collect();
        for file in files_of_call(program, &words, input) {
            self.write(&file);
        }
    }

    /// A file, or each that `find` puts in for it.
    pub(super) fn write(&mut self, file: &CallFile) {
        match file.path.strip_prefix(PUT_IN).filter(|_| !self.found_below.is_empty()) {
            Some(rest) => {
                for found in self.found_below.clone() {
                    self.write_one(&format!("{found}{rest}"), file);
                }
            }
            None => self.write_one(&file.path, file),
        }
    }

    fn write_one(&mut self, path: &str, file: &CallFile) {
        if path.is_empty() || self.found.writes.len() >= MOST {
            return;
        }
        let from_start = !self.state.has(DIRECTORY) || self.state.get(DIRECTORY).is_some();
        // What only the shell knows may begin with the root; `$HOME` is known as `~`.
        let path = match resolve(path, None) {
            home if home.starts_with('~') => home,
            path if is_unknown(&path) => path,
            path => resolve(&path, self.state.get(DIRECTORY)),
        };
        let (with_all_below, perhaps) = (file.with_all_below, file.perhaps);
        let write = FileWrite { path, from_start, with_all_below, perhaps, by: OPEN };
        // `pnpm prettier` and the prettier that it starts write one file.
        if !self.found.writes.contains(&write) {
            self.found.writes.push(write);
        }
    }
}

/// What `find` and `xargs` put their words in for.
pub(super) const PUT_IN: &str = "{}";

/// Stands for a directory that only the shell knows.
const NOWHERE: &str = "?";

/// True if only the shell knows how a word begins.
pub(super) fn is_unknown(word: &str) -> bool {
    word.starts_with(['$', '`']) || word.starts_with(PUT_IN)
}
