//! Listing, moving and removing, relative to open directories. Contents are read and written by `retrace-files`.

use crate::Dialect;
use crate::path::Step;
use crate::render::{Listed, order};
use crate::walk::{Leaf, Name, OPEN_DIRECTORY, Tree};
use retrace_files::DEPTH_LIMIT;
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;

/// Levels of a directory view. Source: both SDKs and the page.
const LEVELS: usize = 2;

/// Whose names a view leaves out, beside hidden ones. Source: the TypeScript SDK and the page.
const PACKAGES: &str = "node_modules";

/// A regular file below a directory, by its names from there.
type Below = Vec<Name>;

/// The names in a directory, in order, so that what is told of is the same each time.
fn entries(directory: &OwnedFd) -> Result<Vec<Name>, Errno> {
    let mut names = Vec::new();
    for entry in fs::Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(name.to_vec());
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn kind_of(directory: &OwnedFd, name: &[u8]) -> Result<(FileType, u64), Errno> {
    let stat = fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok((FileType::from_raw_mode(stat.st_mode), u64::try_from(stat.st_size).unwrap_or(0)))
}

impl Tree {
    /// Entries of a directory, two levels deep. Links within the memory are listed as what they lead to; links that
    /// leave it or lead nowhere, and what is no file or directory, are passed over, and so is what cannot be read.
    pub(crate) fn list(&self, directory: &[Name], dialect: Dialect) -> Vec<Listed> {
        let mut listed = Vec::new();
        self.list_level(directory, "", 1, dialect, &mut listed);
        listed
    }

    fn list_level(
        &self,
        directory: &[Name],
        prefix: &str,
        level: usize,
        dialect: Dialect,
        into: &mut Vec<Listed>,
    ) {
        let Ok(open) = self.open_names(directory.iter().map(Vec::as_slice)) else { return };
        let Ok(names) = entries(&open) else { return };
        let mut names: Vec<(String, Name)> =
            names.into_iter().filter_map(|name| Some((shown_name(&name, dialect)?, name))).collect();
        names.sort_by(|one, other| order(&one.0, &other.0, dialect));
        for (shown, name) in names {
            if shown.starts_with('.') || (dialect != Dialect::Py && shown == PACKAGES) {
                continue;
            }
            let Some((below, bytes)) = self.entry(&open, directory, name) else { continue };
            match below {
                None => into.push(Listed { path: format!("{prefix}{shown}"), bytes }),
                Some(below) => {
                    let path = format!("{prefix}{shown}/");
                    into.push(Listed { path: path.clone(), bytes });
                    if level < LEVELS {
                        self.list_level(&below, &path, level + 1, dialect, into);
                    }
                }
            }
        }
    }

    /// An entry's size, and where it leads when it is a directory.
    fn entry(&self, open: &OwnedFd, directory: &[Name], name: Name) -> Option<(Option<Vec<Name>>, u64)> {
        let (kind, bytes) = kind_of(open, &name).ok()?;
        let names: Vec<Name> = directory.iter().cloned().chain([name]).collect();
        match kind {
            FileType::RegularFile => Some((None, bytes)),
            FileType::Directory => Some((Some(names), bytes)),
            FileType::Symlink => {
                let steps: Vec<Step> = names.into_iter().map(Step::Into).collect();
                let place = self.walk(&steps, true).ok()?;
                match place.leaf {
                    Leaf::File(stat) => Some((None, u64::try_from(stat.st_size).unwrap_or(0))),
                    Leaf::Directory(stat) => {
                        Some((Some(place.directory), u64::try_from(stat.st_size).unwrap_or(0)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Every regular file at or below a place, in a stable order. [`Errno::NAMETOOLONG`] where it is too deep to look.
    pub(crate) fn files_below(&self, names: &[Name]) -> Result<Vec<Below>, Errno> {
        let mut files = Vec::new();
        let directory = self.open_names(names.iter().map(Vec::as_slice))?;
        files_in(&directory, &mut Vec::new(), &mut files)?;
        files.sort();
        Ok(files)
    }

    /// Opens the directory a place stands in.
    pub(crate) fn parent<'n>(&self, names: &'n [Name]) -> Result<(OwnedFd, &'n [u8]), Errno> {
        let (name, above) = names.split_last().ok_or(Errno::INVAL)?;
        Ok((self.open_names(above.iter().map(Vec::as_slice))?, name))
    }

    /// Checks that everything below a directory may be removed: a name goes only from a directory that may be written.
    pub(crate) fn may_remove(&self, names: &[Name]) -> Result<(), Errno> {
        may_empty(&self.open_names(names.iter().map(Vec::as_slice))?, 0)
    }

    /// Removes whatever stands at a place, with all that is in it.
    pub(crate) fn remove_whatever(&self, names: &[Name]) -> Result<(), Errno> {
        let (parent, name) = self.parent(names)?;
        if kind_of(&parent, name)?.0 == FileType::Directory {
            return remove_in(&parent, name, 0);
        }
        fs::unlinkat(&parent, name, AtFlags::empty())
    }

    /// Puts back what [`Tree::replace_link`] left under its temporary name.
    pub(crate) fn exchange_back(&self, names: &[Name], temporary: &[u8]) -> Result<(), Errno> {
        let (parent, name) = self.parent(names)?;
        exchange_names(&parent, temporary, name)?;
        fs::unlinkat(&parent, temporary, AtFlags::empty())
    }

    /// Removes the file under a temporary name beside a place.
    pub(crate) fn unlink_beside(&self, names: &[Name], temporary: &[u8]) -> Result<(), Errno> {
        let (parent, _) = self.parent(names)?;
        fs::unlinkat(&parent, temporary, AtFlags::empty())
    }

    /// Renames, unless something stands at the new place, which is [`Errno::EXIST`].
    pub(crate) fn rename(&self, from: &[Name], to: &[Name]) -> Result<(), Errno> {
        let (from_parent, from_name) = self.parent(from)?;
        let (to_parent, to_name) = self.parent(to)?;
        match rename_to_free(&from_parent, from_name, &to_parent, to_name) {
            // The file system cannot do both in one step, or the name lies below itself, which a plain rename says too.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                if fs::statat(&to_parent, to_name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                    return Err(Errno::EXIST);
                }
            }
            answer => return answer,
        }
        fs::renameat(&from_parent, from_name, &to_parent, to_name)
    }

    /// Puts a file, mode 0600, in place of a link; answers the name beside it that the link has now.
    /// [`Errno::EXIST`] when the link is none any more.
    pub(crate) fn replace_link(&self, names: &[Name], bytes: &[u8], random: u64) -> Result<Name, Errno> {
        let (parent, name) = self.parent(names)?;
        if kind_of(&parent, name)?.0 != FileType::Symlink {
            return Err(Errno::EXIST);
        }
        let temporary = format!(".tmp-{}-{random:016x}", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let private = Mode::RUSR | Mode::WUSR;
        let mut file = File::from(fs::openat(&parent, &temporary, flags, private)?);
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        let placed = written
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
            .and_then(|()| put_over_link(&parent, &temporary, name));
        if placed.is_err() {
            // It is ours, and nobody else knows its name.
            let _ = fs::unlinkat(&parent, &temporary, AtFlags::empty());
        }
        placed.map(|()| temporary.into_bytes())
    }
}

/// A name as the dialect's client reads it; `None` where it cannot find the file again by what it read.
fn shown_name(name: &[u8], dialect: Dialect) -> Option<String> {
    match (std::str::from_utf8(name), dialect) {
        (Ok(name), _) => Some(name.to_owned()),
        (Err(_), Dialect::Ts) => None,
        (Err(_), _) => Some(String::from_utf8_lossy(name).into_owned()),
    }
}

fn files_in(directory: &OwnedFd, at: &mut Below, into: &mut Vec<Below>) -> Result<(), Errno> {
    if at.len() > DEPTH_LIMIT {
        return Err(Errno::NAMETOOLONG);
    }
    for name in entries(directory)? {
        let Ok((kind, _)) = kind_of(directory, &name) else { continue };
        at.push(name);
        let name = at.last().expect("it was pushed just before").as_slice();
        match kind {
            FileType::RegularFile => into.push(at.clone()),
            FileType::Directory => {
                let child = fs::openat(directory, name, OPEN_DIRECTORY, Mode::empty())?;
                files_in(&child, at, into)?;
            }
            _ => {}
        }
        at.pop();
    }
    Ok(())
}

fn remove_in(parent: &OwnedFd, name: &[u8], depth: usize) -> Result<(), Errno> {
    if depth > DEPTH_LIMIT * 2 {
        return Err(Errno::NAMETOOLONG);
    }
    let directory = fs::openat(parent, name, OPEN_DIRECTORY, Mode::empty())?;
    for entry in entries(&directory)? {
        if kind_of(&directory, &entry)?.0 == FileType::Directory {
            remove_in(&directory, &entry, depth + 1)?;
        } else {
            fs::unlinkat(&directory, entry.as_slice(), AtFlags::empty())?;
        }
    }
    fs::unlinkat(parent, name, AtFlags::REMOVEDIR)
}

fn may_empty(directory: &OwnedFd, depth: usize) -> Result<(), Errno> {
    if depth > DEPTH_LIMIT * 2 {
        return Err(Errno::NAMETOOLONG);
    }
    let names = entries(directory)?;
    if !names.is_empty() {
        let access = fs::Access::WRITE_OK | fs::Access::EXEC_OK;
        fs::accessat(directory, ".", access, AtFlags::EACCESS)?;
    }
    for name in names {
        if kind_of(directory, &name)?.0 == FileType::Directory {
            may_empty(&fs::openat(directory, name.as_slice(), OPEN_DIRECTORY, Mode::empty())?, depth + 1)?;
        }
    }
    Ok(())
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_to_free(from: &OwnedFd, from_name: &[u8], to: &OwnedFd, to_name: &[u8]) -> Result<(), Errno> {
    fs::renameat_with(from, from_name, to, to_name, fs::RenameFlags::NOREPLACE)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_to_free(_: &OwnedFd, _: &[u8], _: &OwnedFd, _: &[u8]) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// Exchanges the two and looks at what was displaced: a file that took the link's name meanwhile goes back.
fn put_over_link(directory: &OwnedFd, temporary: &str, name: &[u8]) -> Result<(), Errno> {
    exchange_names(directory, temporary.as_bytes(), name)?;
    if kind_of(directory, temporary.as_bytes())?.0 == FileType::Symlink {
        return Ok(());
    }
    exchange_names(directory, temporary.as_bytes(), name)?;
    Err(Errno::EXIST)
}

/// Exchanges two names; where that cannot be done in one step, by a third name.
fn exchange_names(directory: &OwnedFd, one: &[u8], other: &[u8]) -> Result<(), Errno> {
    match exchange(directory, one, other) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            let third = [one, b".other"].concat();
            rename_to_free(directory, other, directory, &third).or_else(|error| match error {
                Errno::INVAL | Errno::NOSYS | Errno::NOTSUP => {
                    fs::renameat(directory, other, directory, third.as_slice())
                }
                error => Err(error),
            })?;
            fs::renameat(directory, one, directory, other)?;
            fs::renameat(directory, third.as_slice(), directory, one)
        }
        answer => answer,
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(directory: &OwnedFd, one: &[u8], other: &[u8]) -> Result<(), Errno> {
    fs::renameat_with(directory, one, directory, other, fs::RenameFlags::EXCHANGE)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &OwnedFd, _: &[u8], _: &[u8]) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}
