//! Directories by path, for platforms without `openat`.

use super::{Entry, Sort, Stat};
use retrace_model::Seen;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A directory that was there when it was opened.
#[derive(Debug)]
pub(crate) struct Directory(PathBuf);

const MET_A_LINK: &str = "a symbolic link is in the way";

impl Directory {
    pub(crate) fn open_root(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        if !fs::metadata(&path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        // Asks for the right to read it.
        fs::read_dir(&path)?;
        Ok(Self(path))
    }

    pub(crate) fn open_there(path: &Path) -> io::Result<Self> {
        let opened = Self::open_root(path)?;
        if opened.0 == path { Ok(opened) } else { Err(io::Error::other(MET_A_LINK)) }
    }

    pub(crate) fn reopen(&self) -> io::Result<Self> {
        fs::symlink_metadata(&self.0)?;
        Ok(Self(self.0.clone()))
    }

    pub(crate) fn open_below(&self, path: &[u8]) -> io::Result<Self> {
        let mut directory = self.reopen()?;
        for name in path.split(|byte| *byte == b'/') {
            directory = directory.open_child(name)?;
        }
        Ok(directory)
    }

    pub(crate) fn open_child(&self, name: &[u8]) -> io::Result<Self> {
        match self.stat(name)?.sort {
            Sort::Directory => Ok(Self(self.at(name)?)),
            Sort::Link => Err(io::Error::other(MET_A_LINK)),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// What a platform says of a directory here is not about the names in it.
    #[cfg_attr(unix, allow(dead_code, reason = "the tests of this file do not ask"))]
    #[allow(clippy::unused_self, reason = "as the other implementation")]
    pub(crate) fn is_writable(&self) -> bool {
        true
    }

    pub(crate) fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().as_encoded_bytes().into();
            entries.push(Entry { name, sort: entry.file_type().map_or(Sort::Unknown, sort_of) });
        }
        Ok(entries)
    }

    pub(crate) fn stat(&self, name: &[u8]) -> io::Result<Stat> {
        Ok(stat_of(&fs::symlink_metadata(self.at(name)?)?))
    }

    pub(crate) fn stat_self(&self) -> io::Result<Stat> {
        Ok(stat_of(&fs::metadata(&self.0)?))
    }

    #[cfg_attr(
        unix,
        expect(dead_code, reason = "asked of a store's root alone, which is another one on unix")
    )]
    pub(crate) fn made(&self) -> Option<std::time::SystemTime> {
        fs::metadata(&self.0).ok()?.created().ok()
    }

    pub(crate) fn open_file(&self, name: &[u8]) -> io::Result<File> {
        if self.stat(name)?.sort == Sort::Link {
            return Err(io::Error::other(MET_A_LINK));
        }
        File::open(self.at(name)?)
    }

    pub(crate) fn create_file(&self, name: &[u8], _mode: u32) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(self.at(name)?)
    }

    pub(crate) fn create_directory(&self, name: &[u8], _mode: u32) -> io::Result<()> {
        fs::create_dir(self.at(name)?)
    }

    pub(crate) fn rename(&self, from: &[u8], to: &[u8]) -> io::Result<()> {
        fs::rename(self.at(from)?, self.at(to)?)
    }

    pub(crate) fn rename_to_free(&self, _from: &[u8], _to: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn exchange(&self, _one: &[u8], _other: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn link(&self, from: &[u8], to: &[u8]) -> io::Result<()> {
        fs::hard_link(self.at(from)?, self.at(to)?)
    }

    pub(crate) fn remove_file(&self, name: &[u8]) -> io::Result<()> {
        fs::remove_file(self.at(name)?)
    }

    pub(crate) fn remove_directory(&self, name: &[u8]) -> io::Result<()> {
        fs::remove_dir(self.at(name)?)
    }

    /// Windows makes names durable by itself and offers no call for it.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn mark_busy(&self) {}

    pub(crate) fn is_busy(&self) -> bool {
        false
    }

    pub(crate) fn remote_file_system(&self) -> Option<&'static str> {
        None
    }

    pub(crate) fn keeps_order(&self) -> bool {
        false
    }

    /// The path of one name. A name that a path would read as more than one is refused.
    fn at(&self, name: &[u8]) -> io::Result<PathBuf> {
        let name = std::str::from_utf8(name).map_err(|_| io::ErrorKind::InvalidFilename)?;
        let mut components = Path::new(name).components();
        match (components.next(), components.next()) {
            (Some(std::path::Component::Normal(only)), None) if only == name => Ok(self.0.join(name)),
            _ => Err(io::ErrorKind::InvalidFilename.into()),
        }
    }
}

/// File system data of an open file.
pub(crate) fn stat_file(file: &File) -> io::Result<Stat> {
    Ok(stat_of(&file.metadata()?))
}

/// Waits until a file is on the disk.
pub(crate) fn write_out(file: &File, _bytes: &[u8]) -> io::Result<()> {
    file.sync_all()
}

/// `true` when a call failed because it met a link it must not follow.
pub(crate) fn is_link_error(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.to_string() == MET_A_LINK)
}

fn sort_of(kind: FileType) -> Sort {
    if kind.is_symlink() {
        Sort::Link
    } else if kind.is_dir() {
        Sort::Directory
    } else if kind.is_file() {
        Sort::File
    } else {
        Sort::Device
    }
}

fn stat_of(metadata: &Metadata) -> Stat {
    let modified_nanos = metadata.modified().map_or(0, nanos);
    let mode = if metadata.permissions().readonly() { 0o444 } else { 0o666 };
    Stat {
        sort: sort_of(metadata.file_type()),
        seen: Seen {
            size: metadata.len(),
            modified_nanos,
            changed_nanos: modified_nanos,
            file_id: 0,
            mode: None,
        },
        device: 0,
        mode,
        owner: 0,
        group: 0,
    }
}

fn nanos(time: SystemTime) -> i128 {
    let signed = |duration: std::time::Duration| i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX);
    time.duration_since(UNIX_EPOCH).map_or_else(|before| -signed(before.duration()), signed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_what_the_other_does() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("a/b")).unwrap();
        fs::write(temp.path().join("a/b/c.md"), "abc").unwrap();
        let root = Directory::open_root(temp.path()).unwrap();
        assert!(Directory::open_there(&temp.path().canonicalize().unwrap()).is_ok());
        let inner = root.open_below(b"a/b").unwrap();
        assert_eq!(inner.entries().unwrap(), [Entry { name: (*b"c.md").into(), sort: Sort::File }]);
        assert_eq!(inner.stat(b"c.md").unwrap().seen.size, 3);
        assert_eq!(stat_file(&inner.open_file(b"c.md").unwrap()).unwrap().seen.size, 3);
        inner.create_file(b"new", 0o600).unwrap();
        assert_eq!(inner.create_file(b"new", 0o600).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(inner.link(b"new", b"c.md").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        inner.rename(b"new", b"c.md").unwrap();
        inner.remove_file(b"c.md").unwrap();
        root.open_below(b"a").unwrap().remove_directory(b"b").unwrap();
        root.create_directory(b"d", 0o700).unwrap();
        assert_eq!(root.stat(b"d").unwrap().sort, Sort::Directory);
        assert_eq!(root.open_below(b"a/b").unwrap_err().kind(), io::ErrorKind::NotFound);
        for unsupported in [root.exchange(b"a", b"d"), root.rename_to_free(b"a", b"e")] {
            assert_eq!(unsupported.unwrap_err().kind(), io::ErrorKind::Unsupported);
        }
        root.sync().unwrap();
        root.mark_busy();
        assert!(!root.is_busy() && root.remote_file_system().is_none() && !root.keeps_order());
        write_out(&root.create_file(b"f", 0o600).unwrap(), b"").unwrap();
        assert_eq!(root.stat_self().unwrap().sort, Sort::Directory);
    }

    #[test]
    fn a_name_is_one_component() {
        let temp = tempfile::tempdir().unwrap();
        let root = Directory::open_root(temp.path()).unwrap();
        for name in ["..", ".", "a/b", "/etc", ""] {
            assert!(root.open_file(name.as_bytes()).is_err(), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", temp.path().join("link")).unwrap();
        let root = Directory::open_root(temp.path()).unwrap();
        assert!(is_link_error(&root.open_child(b"link").unwrap_err()));
        assert!(is_link_error(&root.open_file(b"link").unwrap_err()));
        assert!(is_link_error(&root.open_below(b"link/ssl").unwrap_err()));
    }
}
