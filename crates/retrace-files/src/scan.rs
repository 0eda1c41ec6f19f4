//! Lists files, without reading them.

use crate::directory::{Directory, Entry, Sort, is_link_error};
use crate::root::Root;
use retrace_message::{AsMessage, Message};
use retrace_model::{LeftOut, RelPath, Rules, Seen};
use std::collections::BTreeMap;
use std::fmt;
use std::io;

/// Deepest file looked at, in components of its path. Memory directories are a handful deep; the limit keeps the number
/// of open descriptors (one per level) and the length of paths in bounds.
pub const DEPTH_LIMIT: usize = 128;

/// Number of restarts of a scan because a directory vanished under it, which may be a rename to a place it had already
/// passed. Under permanent change the last answer stands.
const ATTEMPTS: usize = 3;

/// Result of listing a store.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// Regular files that the rules count as memories.
    pub found: BTreeMap<RelPath, Seen>,
    /// Directories entered, with the number that changes when another directory takes the path (0 where the platform has
    /// none). The root is not among them.
    pub directories: BTreeMap<RelPath, u64>,
    /// Paths that could not be read, or that are no file.
    pub problems: Vec<Problem>,
    /// Directories or files that could not be looked at; `None` is the root. Nothing at or below them may be called gone.
    pub unreadable: Vec<Option<RelPath>>,
}

/// Something in a store that is shown instead of being passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where; `None` is the root.
    pub path: Option<RelPath>,
    /// Kind of the problem.
    pub kind: ProblemKind,
}

/// Kind of a [`Problem`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// May not be read.
    Denied,
    /// A symbolic link, to a file or a directory; not followed.
    Link,
    /// Neither a regular file nor a directory; never opened.
    NotAFile(Special),
    /// A directory whose files would lie deeper than [`DEPTH_LIMIT`].
    TooDeep,
    /// A file that is too large to be read ([`LARGEST_READ`](crate::LARGEST_READ)).
    TooLarge,
    /// Any other failure, in the system's words.
    Io(Message),
}

/// Files that are not files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device, or something the platform has no word for.
    Device,
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
        })
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied => f.write_str("may not be read"),
            Self::Link => f.write_str("is a symbolic link and was not followed"),
            Self::NotAFile(special) => write!(f, "is {special}"),
            Self::TooDeep => write!(f, "is more than {DEPTH_LIMIT} directories deep"),
            Self::TooLarge => f.write_str("is too large to be read"),
            Self::Io(message) => f.write_str(message),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "\"{path}\" {}", self.kind),
            None => write!(f, "the directory {}", self.kind),
        }
    }
}

impl AsMessage for Special {
    fn message(&self) -> Message {
        match self {
            Self::Fifo => say::named_pipe(),
            Self::Socket => say::socket(),
            Self::Device => say::device(),
        }
    }
}

impl AsMessage for Problem {
    fn message(&self) -> Message {
        let Some(path) = &self.path else {
            return match &self.kind {
                ProblemKind::Denied => say::directory_may_not_be_read(),
                kind => say::directory_is(kind.to_string()),
            };
        };
        let path = format!("\"{path}\"");
        match &self.kind {
            ProblemKind::Denied => say::may_not_be_read(path),
            ProblemKind::Link => say::link_not_followed(path),
            ProblemKind::NotAFile(Special::Fifo) => say::is_named_pipe(path),
            ProblemKind::NotAFile(Special::Socket) => say::is_socket(path),
            ProblemKind::NotAFile(Special::Device) => say::is_device(path),
            ProblemKind::TooDeep => say::too_deep(path, DEPTH_LIMIT),
            ProblemKind::TooLarge => say::too_large(path),
            ProblemKind::Io(words) => say::words_of_system(path, words),
        }
    }
}

retrace_message::messages! {
    /// Messages about what could not be listed.
    saved mod say in "scan";
    named_pipe() => "a named pipe",
    socket() => "a socket",
    device() => "a device",
    directory_may_not_be_read() => "the directory may not be read",
    directory_is(words) => "the directory {words}",
    may_not_be_read(path) => "{path} may not be read",
    link_not_followed(path) => "{path} is a symbolic link and was not followed",
    is_named_pipe(path) => "{path} is a named pipe",
    is_socket(path) => "{path} is a socket",
    is_device(path) => "{path} is a device",
    too_deep(path, limit) => "{path} is more than {limit} directories deep",
    too_large(path) => "{path} is too large to be read",
    words_of_system(path, words) => "{path} {words}",
    holds_impossible_name(name) => "holds the impossible name {name}",
}

impl Scan {
    /// `true` when everything asked for was looked at.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unreadable.is_empty()
    }

    /// `true` when `path`, if it was asked for, was looked at: its absence from [`Scan::found`] means that no memory is
    /// there.
    #[must_use]
    pub fn covers(&self, path: &RelPath) -> bool {
        let hides = |unread: &Option<RelPath>| unread.as_ref().is_none_or(|unread| path.is_within(unread));
        !self.unreadable.iter().any(hides)
    }
}

impl Root {
    /// Lists the files that `rules` count as memories, at or below `under`, or in the whole store. Only names and what the
    /// file system says about them are read; no file is opened. Never fails: what could not be read is in the answer.
    #[must_use]
    pub fn scan(&self, rules: &Rules, under: Option<&RelPath>) -> Scan {
        for _ in 1..ATTEMPTS {
            let walk = Walk::of(self, rules, under);
            if !walk.vanished {
                return walk.scan;
            }
        }
        Walk::of(self, rules, under).scan
    }
}

struct Walk<'a> {
    rules: &'a Rules,
    scan: Scan,
    vanished: bool,
}

impl<'a> Walk<'a> {
    fn of(root: &Root, rules: &'a Rules, under: Option<&RelPath>) -> Self {
        let mut walk = Self { rules, scan: Scan::default(), vanished: false };
        match under {
            Some(under) => walk.start_below(root, under),
            None => match root.top.reopen() {
                Ok(top) => walk.directory(&top, None, 0),
                Err(error) => walk.unreadable(None, &error),
            },
        }
        walk
    }

    fn start_below(&mut self, root: &Root, under: &RelPath) {
        let depth = under.components().count();
        let mut ancestors = under.components().take(depth - 1);
        if ancestors.any(|name| self.rules.leaves_out_directory(name).is_some()) {
            return;
        }
        let parent = match under.parent() {
            Some(parent) => root.top.open_below(parent.as_bytes()),
            None => root.top.reopen(),
        };
        match parent {
            Ok(parent) => {
                let entry = Entry { name: under.file_name().into(), sort: Sort::Unknown };
                self.entry(&parent, under.parent().as_ref(), depth, &entry);
                // Asked for by name, it need not exist.
                self.vanished = false;
            }
            Err(error) if is_absence(&error) => {}
            Err(error) if is_link_error(&error) => self.problem(Some(under.clone()), ProblemKind::Link),
            Err(error) => self.unreadable(Some(under.clone()), &error),
        }
    }

    /// Takes in what stands in `directory`, whose path is `at` and has `depth` components.
    fn directory(&mut self, directory: &Directory, at: Option<&RelPath>, depth: usize) {
        match directory.entries() {
            Ok(entries) => {
                for entry in &entries {
                    self.entry(directory, at, depth + 1, entry);
                }
            }
            // Removed after it was opened.
            Err(error) if is_absence(&error) && at.is_some() => self.vanished = true,
            Err(error) => self.unreadable(at.cloned(), &error),
        }
    }

    fn entry(&mut self, directory: &Directory, at: Option<&RelPath>, depth: usize, entry: &Entry) {
        let name = &*entry.name;
        let left_out_file = self.rules.leaves_out_file(name);
        // Most names are known from the listing, so that what is left out costs no call.
        if entry.sort == Sort::File && left_out_file.is_some() {
            return;
        }
        let path = match at {
            Some(at) => at.join(name),
            None => RelPath::from_bytes(name),
        };
        let Ok(path) = path else {
            let message = say::holds_impossible_name(format!("{:?}", String::from_utf8_lossy(name)));
            return self.problem(at.cloned(), ProblemKind::Io(message));
        };
        let stat = match directory.stat(name) {
            Ok(stat) => stat,
            Err(error) if is_absence(&error) => {
                self.vanished = true;
                return;
            }
            Err(error) => return self.unreadable(Some(path), &error),
        };
        match stat.sort {
            Sort::File if left_out_file.is_none() => {
                self.scan.found.insert(path, stat.seen);
            }
            Sort::Directory if self.rules.leaves_out_directory(name).is_none() => {
                self.enter(directory, path, depth, stat.seen.file_id);
            }
            // The target of a link is not known: it is passed over only if its name is left out either way.
            Sort::Link if self.may_be_memory(name) => self.problem(Some(path), ProblemKind::Link),
            Sort::Fifo if left_out_file.is_none() => self.special(path, Special::Fifo),
            Sort::Socket if left_out_file.is_none() => self.special(path, Special::Socket),
            Sort::Device | Sort::Unknown if left_out_file.is_none() => self.special(path, Special::Device),
            _ => {}
        }
    }

    fn may_be_memory(&self, name: &[u8]) -> bool {
        self.rules.leaves_out_directory(name).is_none()
            && self.rules.leaves_out_file(name) != Some(LeftOut::EditorTemporary)
    }

    fn enter(&mut self, parent: &Directory, path: RelPath, depth: usize, file_id: u64) {
        if depth >= DEPTH_LIMIT {
            self.scan.unreadable.push(Some(path.clone()));
            return self.problem(Some(path), ProblemKind::TooDeep);
        }
        match parent.open_child(path.file_name()) {
            Ok(child) => {
                self.directory(&child, Some(&path), depth);
                self.scan.directories.insert(path, file_id);
            }
            // Replaced since it was listed: the next event or scan sees what came instead.
            Err(error) if is_absence(&error) || is_link_error(&error) => self.vanished = true,
            Err(error) => self.unreadable(Some(path), &error),
        }
    }

    fn special(&mut self, path: RelPath, special: Special) {
        self.problem(Some(path), ProblemKind::NotAFile(special));
    }

    fn problem(&mut self, path: Option<RelPath>, kind: ProblemKind) {
        self.scan.problems.push(Problem { path, kind });
    }

    fn unreadable(&mut self, path: Option<RelPath>, error: &io::Error) {
        let kind = match error.kind() {
            io::ErrorKind::PermissionDenied => ProblemKind::Denied,
            _ => ProblemKind::Io(error.message()),
        };
        self.scan.unreadable.push(path.clone());
        self.problem(path, kind);
    }
}

/// The error says that nothing stands at the path.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
