//! Files that a command writes.

use super::state::DIRECTORY;
use super::{Argument, FileWrite, Shell};
use retrace_origin::{files_of_call, resolve};

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

    /// The shell goes where nobody knows.
    pub(super) fn go_anywhere(&mut self) {
        self.state.set(DIRECTORY, None);
    }

    /// A file to which output goes.
    pub(super) fn redirected(&mut self, file: &Argument) {
        let is_device = file.text.starts_with("/dev/");
        if !is_device && (file.known || has_name(&file.text)) {
            self.write(&file.text, false);
        }
    }

    /// The files that a call of a program writes.
    pub(super) fn write_files(&mut self, program: &str, arguments: &[Argument], input: Option<&str>) {
        if arguments.is_empty() && input.is_none() {
            return;
        }
        let words: Vec<(&str, bool)> =
            arguments.iter().map(|argument| (argument.text.as_str(), argument.known)).collect();
        for file in files_of_call(program, &words, input) {
            self.write(&file.path, file.is_removed);
        }
    }

    fn write(&mut self, path: &str, is_removed: bool) {
        if path.is_empty() || self.found.writes.len() >= MOST {
            return;
        }
        let from_start = !self.state.has(DIRECTORY) || self.state.get(DIRECTORY).is_some();
        let path = resolve(path, self.state.get(DIRECTORY));
        self.found.writes.push(FileWrite { path, from_start, is_removed, by: OPEN });
    }
}

/// True if the last part of a path is a name, whatever stands before it.
fn has_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    !name.is_empty() && !name.contains(['$', '`', '(', ')', '*', '?', '[', '{', '}'])
}
