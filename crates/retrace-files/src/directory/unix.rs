//! Directories by descriptor: `openat2` beneath the root without links, or component by component with `O_NOFOLLOW`.

use super::{Entry, Sort, Stat};
use retrace_model::Seen;
use rustix::fs::{self, AtFlags, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

/// An open directory.
#[derive(Debug)]
pub(crate) struct Directory {
    fd: OwnedFd,
    /// True if a lock may be held on `fd`.
    locked: AtomicBool,
}

/// A process that is being started elsewhere in this program holds a copy of every descriptor until it is its own program,
/// and with the copy the lock. Letting go of it in so many words takes it from all copies.
impl Drop for Directory {
    fn drop(&mut self) {
        if *self.locked.get_mut() {
            // It goes with the descriptor at the latest.
            let _ = fs::flock(&self.fd, FlockOperation::NonBlockingUnlock);
        }
    }
}

impl From<OwnedFd> for Directory {
    fn from(fd: OwnedFd) -> Self {
        Self { fd, locked: AtomicBool::new(false) }
    }
}

const OPEN_DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Never waits (a fifo or a device that took the name would), never follows, never becomes the controlling terminal.
const OPEN_FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

impl Directory {
    /// Opens a store's root. Links in `path` are followed: where a store lies is the user's own choice.
    pub(crate) fn open_root(path: &Path) -> io::Result<Self> {
        Ok(fs::open(path, OPEN_DIRECTORY, Mode::empty())?.into())
    }

    /// Opens a store's root by a path without links; one that has any is refused with the error [`is_link_error`] knows.
    pub(crate) fn open_there(path: &Path) -> io::Result<Self> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            use fs::ResolveFlags;
            let plain = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            match fs::openat2(fs::CWD, path, OPEN_DIRECTORY, Mode::empty(), plain) {
                // As in `open_below`.
                Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {}
                answer => return Ok(answer?.into()),
            }
        }
        let opened = Self::open_root(path)?;
        if path.canonicalize()? == path { Ok(opened) } else { Err(Errno::LOOP.into()) }
    }

    /// Opens this directory once more, with a file description of its own.
    pub(crate) fn reopen(&self) -> io::Result<Self> {
        Ok(fs::openat(&self.fd, ".", OPEN_DIRECTORY, Mode::empty())?.into())
    }

    /// Opens the directory at `path` below this one, no link on the way.
    pub(crate) fn open_below(&self, path: &[u8]) -> io::Result<Self> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            use fs::ResolveFlags;
            let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            match fs::openat2(&self.fd, path, OPEN_DIRECTORY, Mode::empty(), beneath) {
                // Old kernels, system call filters, paths above PATH_MAX, or a rename elsewhere that made the kernel unsure.
                Err(Errno::NOSYS | Errno::PERM | Errno::NAMETOOLONG | Errno::AGAIN) => {}
                answer => return Ok(answer?.into()),
            }
        }
        self.open_by_components(path)
    }

    fn open_by_components(&self, path: &[u8]) -> io::Result<Self> {
        let mut directory = self.reopen()?;
        for name in path.split(|byte| *byte == b'/') {
            directory = directory.open_child(name)?;
        }
        Ok(directory)
    }

    /// Opens the directory `name` in this one; a link is refused with the error [`is_link_error`] knows.
    pub(crate) fn open_child(&self, name: &[u8]) -> io::Result<Self> {
        match fs::openat(&self.fd, name, OPEN_DIRECTORY | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(child) => Ok(child.into()),
            // With O_DIRECTORY, Linux reports a link as "not a directory".
            Err(Errno::NOTDIR) if matches!(self.stat(name), Ok(stat) if stat.sort == Sort::Link) => {
                Err(Errno::LOOP.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// False if the system refuses to make, rename or delete names in this directory. What it does not say counts as allowed.
    pub(crate) fn is_writable(&self) -> bool {
        let asked = fs::Access::WRITE_OK | fs::Access::EXEC_OK;
        !matches!(
            fs::accessat(&self.fd, ".", asked, AtFlags::EACCESS),
            Err(Errno::ACCESS | Errno::PERM | Errno::ROFS)
        )
    }

    /// Lists this directory, without `.` and `..`, in the order the file system gives.
    pub(crate) fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in fs::Dir::read_from(&self.fd)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                entries.push(Entry { name: name.into(), sort: sort_of(entry.file_type()) });
            }
        }
        Ok(entries)
    }

    /// File system data of `name`; a link is not followed.
    pub(crate) fn stat(&self, name: &[u8]) -> io::Result<Stat> {
        Ok(stat_of(&fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// File system data of this directory.
    pub(crate) fn stat_self(&self) -> io::Result<Stat> {
        Ok(stat_of(&fs::fstat(&self.fd)?))
    }

    /// When it was made, where the file system says so.
    pub(crate) fn made(&self) -> Option<SystemTime> {
        File::from(self.fd.try_clone().ok()?).metadata().ok()?.created().ok()
    }

    /// Opens `name` for reading. The caller checks with [`stat_file`] that it is a regular file.
    pub(crate) fn open_file(&self, name: &[u8]) -> io::Result<File> {
        Ok(fs::openat(&self.fd, name, OPEN_FILE, Mode::empty())?.into())
    }

    /// Makes the file `name` for writing with `mode` (the process's mask applies); fails when the name is taken.
    pub(crate) fn create_file(&self, name: &[u8], mode: u32) -> io::Result<File> {
        let flags = OFlags::RDWR
            | OFlags::CREATE
            | OFlags::EXCL
            | OFlags::NOFOLLOW
            | OFlags::NOCTTY
            | OFlags::CLOEXEC;
        Ok(fs::openat(&self.fd, name, flags, Mode::from_bits_truncate(mode as _))?.into())
    }

    /// Makes the directory `name` with `mode` (the process's mask applies).
    pub(crate) fn create_directory(&self, name: &[u8], mode: u32) -> io::Result<()> {
        Ok(fs::mkdirat(&self.fd, name, Mode::from_bits_truncate(mode as _))?)
    }

    /// Renames `from` to `to`, replacing what is there.
    pub(crate) fn rename(&self, from: &[u8], to: &[u8]) -> io::Result<()> {
        Ok(fs::renameat(&self.fd, from, &self.fd, to)?)
    }

    /// Renames `from` to `to` unless something is there. `Unsupported` or `InvalidInput` where this cannot be done in
    /// one step.
    pub(crate) fn rename_to_free(&self, from: &[u8], to: &[u8]) -> io::Result<()> {
        self.rename_with(from, to, RenameAs::ToFree)
    }

    /// Swaps what stands at two names in one step. `Unsupported` or `InvalidInput` where this cannot be done.
    pub(crate) fn exchange(&self, one: &[u8], other: &[u8]) -> io::Result<()> {
        self.rename_with(one, other, RenameAs::Exchange)
    }

    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    fn rename_with(&self, from: &[u8], to: &[u8], how: RenameAs) -> io::Result<()> {
        let flags = match how {
            RenameAs::ToFree => fs::RenameFlags::NOREPLACE,
            RenameAs::Exchange => fs::RenameFlags::EXCHANGE,
        };
        Ok(fs::renameat_with(&self.fd, from, &self.fd, to, flags)?)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    fn rename_with(&self, _from: &[u8], _to: &[u8], _how: RenameAs) -> io::Result<()> {
        Err(Errno::NOSYS.into())
    }

    /// Gives the file `from` a second name `to`; fails when that is taken.
    pub(crate) fn link(&self, from: &[u8], to: &[u8]) -> io::Result<()> {
        Ok(fs::linkat(&self.fd, from, &self.fd, to, AtFlags::empty())?)
    }

    /// Removes the name `name` of a file.
    pub(crate) fn remove_file(&self, name: &[u8]) -> io::Result<()> {
        Ok(fs::unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Removes the directory `name` when it is empty.
    pub(crate) fn remove_directory(&self, name: &[u8]) -> io::Result<()> {
        Ok(fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR)?)
    }

    /// Makes the names in this directory survive a power failure.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(fs::fsync(&self.fd)?)
    }

    /// Says to other processes that an act is under way in this directory, until this value is dropped. Best effort: file
    /// systems without locks have none.
    pub(crate) fn mark_busy(&self) {
        // A refusal means that somebody is cleaning up, or no locks: cleaning up checks contents before it removes any.
        self.locked.store(true, Ordering::Relaxed);
        let _ = fs::flock(&self.fd, FlockOperation::NonBlockingLockShared);
    }

    /// True if an act is under way in this directory. If not, keeps acts from marking it until this value is dropped.
    pub(crate) fn is_busy(&self) -> bool {
        self.locked.store(true, Ordering::Relaxed);
        fs::flock(&self.fd, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK)
    }

    /// The name of the network or bridged file system this directory lies on; `None` for a local one.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn remote_file_system(&self) -> Option<&'static str> {
        // Magic numbers: linux/magic.h and the sources of the file systems; 32 bits of each are significant.
        const REMOTE: &[(u32, &str)] = &[
            (0x6969, "NFS"),
            (0x517b, "SMB"),
            (0xff53_4d42, "CIFS"),
            (0xfe53_4d42, "SMB2"),
            (0x0102_1997, "9P"),
            (0x00c3_6400, "Ceph"),
            (0x5346_414f, "AFS"),
            (0x6b41_4653, "kAFS"),
            (0x7375_7245, "Coda"),
            (0x6573_5546, "FUSE"),
            (0x786f_4256, "VirtualBox shared folder"),
        ];
        let magic = self.magic()?;
        REMOTE.iter().find(|(known, _)| *known == magic).map(|(_, name)| *name)
    }

    /// The number of the kind of file system this directory lies on.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn magic(&self) -> Option<u32> {
        Some(fs::fstatfs(&self.fd).ok()?.f_type as u32)
    }

    /// True if this directory lies on an ext4 with a journal: what is done there reaches the disk in the order in which it is
    /// done. Without a journal, or with the journal out of sight, it does not, or that is not known.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn keeps_order(&self) -> bool {
        const EXT4: u32 = 0xef53;
        if self.magic() != Some(EXT4) {
            return false;
        }
        let Ok(stat) = self.stat_self() else { return false };
        let device = format!("{}:{}", fs::major(stat.device), fs::minor(stat.device));
        let Ok(link) = std::fs::read_link(Path::new("/sys/dev/block").join(device)) else { return false };
        let Some(name) = link.file_name() else { return false };
        // The process that writes the journal; `<none>` where there is none. Source: fs/ext4/sysfs.c of Linux.
        let task = std::fs::read_to_string(Path::new("/sys/fs/ext4").join(name).join("journal_task"));
        task.is_ok_and(|task| task.trim().parse::<u32>().is_ok())
    }

    /// Not known on this platform.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(crate) fn keeps_order(&self) -> bool {
        false
    }

    /// Not asked on this platform.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(crate) fn remote_file_system(&self) -> Option<&'static str> {
        None
    }
}

#[derive(Clone, Copy)]
enum RenameAs {
    ToFree,
    Exchange,
}

/// File system data of an open file.
pub(crate) fn stat_file(file: &File) -> io::Result<Stat> {
    Ok(stat_of(&fs::fstat(file.as_fd())?))
}

/// Largest content that is waited for by reading it back; beyond that reading costs as much as waiting for the disk.
#[cfg(any(target_os = "linux", target_os = "android"))]
const READ_BACK_LIMIT: usize = 256 * 1024;

/// Largest alignment of direct reads, in bytes: a page.
#[cfg(any(target_os = "linux", target_os = "android"))]
const ALIGNMENT: usize = 4096;

/// Waits until the device has `bytes`, the content of the file just written, without waiting for the journal. A device may
/// lose it in a power failure still, but a journal that is written afterwards makes the device keep it first. Where that
/// is unavailable, waits until the file is on the disk.
pub(crate) fn write_out(file: &File, bytes: &[u8]) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if bytes.is_empty() || (bytes.len() <= READ_BACK_LIMIT && reads_back(file, bytes).unwrap_or(false)) {
        return Ok(());
    }
    let _ = bytes;
    file.sync_all()
}

/// Reads the file past the page cache, for which the system first writes out what it holds of it and waits until that has
/// arrived; `false` where reads cannot go past it.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn reads_back(file: &File, bytes: &[u8]) -> rustix::io::Result<bool> {
    use fs::StatxFlags;
    // A file system that cannot read directly may read from the cache instead, and says so here alone.
    let stat = fs::statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN)?;
    let aligned = |to: u32| to > 0 && to as usize <= ALIGNMENT;
    if stat.stx_mask & StatxFlags::DIOALIGN.bits() == 0
        || !aligned(stat.stx_dio_mem_align)
        || !aligned(stat.stx_dio_offset_align)
    {
        return Ok(false);
    }
    let length = bytes.len().next_multiple_of(ALIGNMENT);
    let mut buffer = vec![0; length + ALIGNMENT];
    let start = buffer.as_ptr().align_offset(ALIGNMENT);
    let Some(into) = buffer.get_mut(start..).and_then(|from| from.get_mut(..length)) else {
        return Ok(false);
    };
    let flags = fs::fcntl_getfl(file)?;
    fs::fcntl_setfl(file, flags | OFlags::DIRECT)?;
    let read = rustix::io::pread(file, &mut *into, 0);
    fs::fcntl_setfl(file, flags)?;
    Ok(into.get(..read?) == Some(bytes))
}

/// `true` when a call failed because it met a link it must not follow.
pub(crate) fn is_link_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
}

fn sort_of(kind: FileType) -> Sort {
    match kind {
        FileType::RegularFile => Sort::File,
        FileType::Directory => Sort::Directory,
        FileType::Symlink => Sort::Link,
        FileType::Fifo => Sort::Fifo,
        FileType::Socket => Sort::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => Sort::Device,
        _ => Sort::Unknown,
    }
}

// The widths and signs of these fields differ between platforms.
#[allow(clippy::unnecessary_cast)]
fn stat_of(stat: &fs::Stat) -> Stat {
    let nanos = |seconds: i128, nanos: i128| seconds * 1_000_000_000 + nanos;
    Stat {
        sort: sort_of(FileType::from_raw_mode(stat.st_mode)),
        seen: Seen {
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified_nanos: nanos(stat.st_mtime as i128, stat.st_mtime_nsec as i128),
            changed_nanos: nanos(stat.st_ctime as i128, stat.st_ctime_nsec as i128),
            file_id: stat.st_ino as u64,
            mode: Some((stat.st_mode & 0o7777) as u32),
        },
        device: stat.st_dev as u64,
        mode: (stat.st_mode & 0o7777) as u32,
        owner: stat.st_uid,
        group: stat.st_gid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn components_and_openat2_refuse_the_same_links() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(temp.path().join("a/b")).unwrap();
        symlink("a", temp.path().join("link")).unwrap();
        symlink("b", temp.path().join("a/inner")).unwrap();
        let root = Directory::open_root(temp.path()).unwrap();
        for (path, open) in
            [("a/b", true), ("a", true), ("link", false), ("link/b", false), ("a/inner", false)]
        {
            for answer in [root.open_below(path.as_bytes()), root.open_by_components(path.as_bytes())] {
                match answer {
                    Ok(_) => assert!(open, "{path} opened"),
                    Err(error) => assert!(!open && is_link_error(&error), "{path}: {error}"),
                }
            }
        }
        let missing = root.open_by_components(b"a/none").unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_copy_of_the_descriptor_does_not_keep_a_directory_busy() {
        let temp = tempfile::tempdir().unwrap();
        let acting = Directory::open_root(temp.path()).unwrap();
        acting.mark_busy();
        // A process that is being started holds a copy for a moment.
        let _copy = acting.fd.try_clone().unwrap();
        drop(acting);
        assert!(!Directory::open_root(temp.path()).unwrap().is_busy());
    }

    #[test]
    fn a_directory_in_which_an_act_runs_is_busy() {
        let temp = tempfile::tempdir().unwrap();
        let acting = Directory::open_root(temp.path()).unwrap();
        let cleaning = Directory::open_root(temp.path()).unwrap();
        acting.mark_busy();
        assert!(cleaning.is_busy());
        drop(acting);
        assert!(!cleaning.is_busy());
    }
}
