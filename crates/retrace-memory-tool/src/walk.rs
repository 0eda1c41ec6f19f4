//! From the steps of a path to the place they mean, one name at a time by descriptor.
//!
//! Links are read and followed here, never by the system. A link may lead out of the directory and back in; what lies
//! outside is not looked at, so that only its text counts there.

use crate::path::{ROOT_NAME, Step, split_bytes};
use retrace_files::Identity;
use retrace_model::RelPath;
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Links followed for one path. Source: what Linux allows.
const LINK_LIMIT: usize = 40;

/// Bytes of a path, the end mark not counted. Source: `PATH_MAX` of Linux.
const PATH_LIMIT: usize = 4095;

/// Number of repeated checks of a name that is a directory at one moment and none at the next is looked at again.
const ATTEMPTS: usize = 8;

pub(crate) const OPEN_DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

pub(crate) type Name = Vec<u8>;

/// The directory a tool works in, open.
#[derive(Debug)]
pub(crate) struct Tree {
    top: OwnedFd,
    path: PathBuf,
    /// The names of the directory from the root of the file system: with links resolved, and as it was given.
    known_as: OnceCell<Vec<Vec<Name>>>,
}

/// End of a walk.
#[derive(Clone, Debug)]
pub(crate) enum Leaf {
    /// A directory; [`Place::tail`] is empty.
    Directory(Stat),
    /// A regular file, whose name is the tail.
    File(Stat),
    /// A link that was not followed, whose name is the tail.
    Link,
    /// A pipe, a socket, a device.
    Special,
    /// Nothing.
    Missing,
    /// A part of the path before the last is no directory.
    BelowAFile,
    /// A name or the whole is longer than a file system takes.
    TooLong,
}

/// Where a walk ended.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Names of the deepest existing directory on the path, from the root.
    pub directory: Vec<Name>,
    /// The names after it.
    pub tail: Vec<Name>,
    pub leaf: Leaf,
    /// The first missing name came out of a link, and the path goes on after it.
    pub beyond_a_dangling_link: bool,
    /// The last name is a link whose target is missing.
    pub dangling: bool,
}

/// Why a walk has no end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// It leads out of the directory.
    Outside,
    /// Links lead in a circle; the names of one of them.
    Loop(Vec<Name>),
    /// The system refused.
    Refused(Errno),
}

impl Place {
    /// All names from the root.
    pub(crate) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.directory.iter().chain(&self.tail).map(Vec::as_slice)
    }

    /// The path relative to the root; `None` for the root itself.
    pub(crate) fn rel_path(&self) -> Option<RelPath> {
        rel_path(self.names())
    }

    pub(crate) fn is_root(&self) -> bool {
        self.directory.is_empty() && self.tail.is_empty()
    }

    /// True if something stands there.
    pub(crate) fn exists(&self) -> bool {
        matches!(self.leaf, Leaf::Directory(_) | Leaf::File(_) | Leaf::Link | Leaf::Special)
    }

    pub(crate) fn depth(&self) -> usize {
        self.directory.len() + self.tail.len()
    }
}

pub(crate) fn rel_path<'a>(names: impl Iterator<Item = &'a [u8]>) -> Option<RelPath> {
    let names: Vec<&[u8]> = names.collect();
    RelPath::from_bytes(names.join(&b"/"[..])).ok()
}

impl Drop for Tree {
    /// Unlocks rather than only closes: a process that is being started from this one shares the open directory for a
    /// moment, and the lock with it.
    fn drop(&mut self) {
        let _ = fs::flock(&self.top, fs::FlockOperation::Unlock);
    }
}

impl Tree {
    pub(crate) fn open(path: &Path) -> std::io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let top = fs::open(path, flags, Mode::empty())?;
        Ok(Self { top, path: path.to_owned(), known_as: OnceCell::new() })
    }

    /// True if it is this directory.
    pub(crate) fn is(&self, identity: Identity) -> bool {
        #[allow(
            clippy::useless_conversion,
            clippy::unnecessary_cast,
            reason = "the types differ by platform"
        )]
        fs::fstat(&self.top)
            .is_ok_and(|stat| stat.st_dev as u64 == identity.device && stat.st_ino as u64 == identity.file_id)
    }

    /// Makes other changing calls over this directory wait, in this process or another, until this value is dropped.
    /// File systems without locks have none; edits are then still checked one by one.
    pub(crate) fn one_at_a_time(&self) {
        while fs::flock(&self.top, fs::FlockOperation::LockExclusive) == Err(Errno::INTR) {}
    }

    /// Opens the directory with these names; no link on the way.
    pub(crate) fn open_names<'a>(&self, names: impl IntoIterator<Item = &'a [u8]>) -> Result<OwnedFd, Errno> {
        let mut directory = fs::openat(&self.top, ".", OPEN_DIRECTORY, Mode::empty())?;
        for name in names {
            directory = fs::openat(&directory, name, OPEN_DIRECTORY, Mode::empty())?;
        }
        Ok(directory)
    }

    /// Walks. `follow_last`: whether a link at the very end is followed.
    pub(crate) fn walk(&self, steps: &[Step], follow_last: bool) -> Result<Place, Lost> {
        let length: usize = steps
            .iter()
            .map(|step| match step {
                Step::Up => 3,
                Step::Into(name) => name.len() + 1,
            })
            .sum();
        let mut walk = Walk {
            tree: self,
            follow_last,
            here: self.open_names([]).map_err(Lost::Refused)?,
            directory: Vec::new(),
            tail: Vec::new(),
            first: None,
            outside: None,
            links: Vec::new(),
            rest: steps.iter().cloned().map(|step| (step, true)).collect(),
            in_link: false,
            beyond: false,
        };
        walk.run()?;
        let mut place = walk.end()?;
        if length + self.path.as_os_str().len() > PATH_LIMIT {
            place.leaf = Leaf::TooLong;
        }
        Ok(place)
    }

    fn known_as(&self) -> &[Vec<Name>] {
        self.known_as.get_or_init(|| {
            let resolved = std::fs::canonicalize(&self.path).ok();
            let given = std::path::absolute(&self.path).ok();
            let names = |path: PathBuf| {
                let steps = split_bytes(path.as_os_str().as_bytes());
                let name = |step| match step {
                    Step::Into(name) => Some(name),
                    Step::Up => None,
                };
                steps.into_iter().map(name).collect::<Option<Vec<Name>>>()
            };
            resolved.into_iter().chain(given).filter_map(names).collect()
        })
    }
}

struct Walk<'t> {
    tree: &'t Tree,
    follow_last: bool,
    /// The directory the walk is in.
    here: OwnedFd,
    directory: Vec<Name>,
    tail: Vec<Name>,
    /// Type of the first name of the tail.
    first: Option<Leaf>,
    /// The names from the root of the file system, while the walk is elsewhere.
    outside: Option<Vec<Name>>,
    /// The links followed so far.
    links: Vec<Vec<Name>>,
    /// Steps still to walk; true if the model wrote the step (not a link).
    rest: VecDeque<(Step, bool)>,
    /// The first name of the tail came out of a link.
    in_link: bool,
    beyond: bool,
}

impl Walk<'_> {
    fn run(&mut self) -> Result<(), Lost> {
        while let Some((step, from_model)) = self.rest.pop_front() {
            if self.outside.is_some() {
                self.step_outside(step, from_model)?;
                continue;
            }
            match step {
                Step::Up if !self.tail.is_empty() => {
                    self.tail.pop();
                    if self.tail.is_empty() {
                        (self.first, self.in_link) = (None, false);
                    }
                }
                Step::Up if self.directory.is_empty() => {
                    let known = self.tree.known_as().first().cloned().ok_or(Lost::Outside)?;
                    let above = known.len().saturating_sub(1);
                    self.outside = Some(known.into_iter().take(above).collect());
                }
                Step::Up => {
                    self.directory.pop();
                    self.here = self
                        .tree
                        .open_names(self.directory.iter().map(Vec::as_slice))
                        .map_err(Lost::Refused)?;
                }
                Step::Into(name) if !self.tail.is_empty() => {
                    self.beyond |= self.in_link && from_model;
                    self.tail.push(name);
                }
                Step::Into(name) => self.step_into(name, from_model)?,
            }
        }
        Ok(())
    }

    /// Nothing outside is looked at. The model may come back by the name it knows the root by.
    fn step_outside(&mut self, step: Step, from_model: bool) -> Result<(), Lost> {
        let known = self.tree.known_as();
        let Some(at) = &mut self.outside else { return Ok(()) };
        match step {
            Step::Up => drop(at.pop()),
            Step::Into(name) if from_model && name == ROOT_NAME => {
                let root =
                    known.first().filter(|root| root.split_last().is_some_and(|(_, above)| above == at));
                match root {
                    Some(root) => at.clone_from(root),
                    None => at.push(name),
                }
            }
            Step::Into(name) => at.push(name),
        }
        if known.contains(at) {
            self.outside = None;
            self.directory.clear();
            self.here = self.tree.open_names([]).map_err(Lost::Refused)?;
        }
        Ok(())
    }

    fn step_into(&mut self, name: Name, from_model: bool) -> Result<(), Lost> {
        for _ in 0..ATTEMPTS {
            let stat = match fs::statat(&self.here, name.as_slice(), AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT) => return self.stop(name, Leaf::Missing, from_model),
                Err(Errno::NAMETOOLONG) => return self.stop(name, Leaf::TooLong, from_model),
                Err(error) => return Err(Lost::Refused(error)),
            };
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => {
                    match fs::openat(&self.here, name.as_slice(), OPEN_DIRECTORY, Mode::empty()) {
                        Ok(child) => {
                            self.here = child;
                            self.directory.push(name);
                            return Ok(());
                        }
                        // Somebody exchanged it just now.
                        Err(Errno::LOOP | Errno::NOTDIR | Errno::NOENT) => {}
                        Err(error) => return Err(Lost::Refused(error)),
                    }
                }
                FileType::Symlink if self.rest.is_empty() && !self.follow_last => {
                    return self.stop(name, Leaf::Link, from_model);
                }
                FileType::Symlink => match fs::readlinkat(&self.here, name.as_slice(), Vec::new()) {
                    Ok(target) => return self.follow(name, target.as_bytes()),
                    Err(Errno::INVAL | Errno::NOENT) => {}
                    Err(error) => return Err(Lost::Refused(error)),
                },
                FileType::RegularFile => return self.stop(name, Leaf::File(stat), from_model),
                _ => return self.stop(name, Leaf::Special, from_model),
            }
        }
        Err(Lost::Refused(Errno::LOOP))
    }

    #[allow(clippy::unnecessary_wraps, reason = "the other ways on from a name can fail")]
    fn stop(&mut self, name: Name, first: Leaf, from_model: bool) -> Result<(), Lost> {
        self.tail.push(name);
        self.first = Some(first);
        self.in_link = !from_model;
        Ok(())
    }

    fn follow(&mut self, name: Name, target: &[u8]) -> Result<(), Lost> {
        let link: Vec<Name> = self.directory.iter().cloned().chain([name]).collect();
        self.links.push(link);
        if self.links.len() > LINK_LIMIT {
            return Err(Lost::Loop(self.first_repeated()));
        }
        for step in split_bytes(target).into_iter().rev() {
            self.rest.push_front((step, false));
        }
        if target.starts_with(b"/") {
            self.outside = Some(Vec::new());
        }
        Ok(())
    }

    /// The link that was met a second time first, with what came after it.
    fn first_repeated(&self) -> Vec<Name> {
        let repeated = self.links.iter().enumerate().find(|(at, link)| self.links[..*at].contains(link));
        let mut names = repeated.map_or_else(|| self.links[0].clone(), |(_, link)| link.clone());
        for (step, from_model) in &self.rest {
            if let (Step::Into(name), true) = (step, from_model) {
                names.push(name.clone());
            }
        }
        names
    }

    fn end(self) -> Result<Place, Lost> {
        if self.outside.is_some() {
            return Err(Lost::Outside);
        }
        let dangling = self.in_link && matches!(self.first, Some(Leaf::Missing)) && !self.beyond;
        let leaf = match (self.first, self.tail.len()) {
            (None, _) => Leaf::Directory(fs::fstat(&self.here).map_err(Lost::Refused)?),
            (Some(first), 1) => first,
            (Some(first @ (Leaf::Missing | Leaf::TooLong)), _) => first,
            (Some(_), _) => Leaf::BelowAFile,
        };
        let too_long = self.tail.iter().any(|name| name.len() > 255);
        Ok(Place {
            directory: self.directory,
            tail: self.tail,
            leaf: if too_long { Leaf::TooLong } else { leaf },
            beyond_a_dangling_link: self.beyond,
            dangling,
        })
    }
}
