//! Reading one file as it stood at one instant.

use crate::Doing;
use crate::directory::{Directory, Stat, stat_file};
use crate::error::FileError;
use crate::root::{Root, require_file};
use retrace_model::{RelPath, Seen, Sha256};
use sha2::Digest as _;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};

/// Number of immediate reads of a file that changes while it is read. Each attempt takes as long as the file is large;
/// the caller waits and asks again after that.
const ATTEMPTS: usize = 4;

/// Bytes read at a time.
const CHUNK: usize = 64 * 1024;

/// Size of the largest file that is read, in bytes; larger ones are not even hashed. Agents write files of a few KB, and
/// hashing this much takes about a second.
pub const LARGEST_READ: u64 = 256 << 20;

/// The content of a file at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The bytes; `None` when there are more than asked for.
    pub bytes: Option<Vec<u8>>,
    /// The hash of all bytes, in every case.
    pub sha256: Sha256,
    /// Number of bytes.
    pub size: u64,
    /// File system data, the same before and after reading.
    pub seen: Seen,
}

impl Root {
    /// Reads the file at `path`. Files above `max_bytes` are hashed but not kept in memory.
    ///
    /// # Errors
    /// [`FileError::TooLarge`] above [`LARGEST_READ`]; [`FileError::Unstable`] when the file changed during every attempt;
    /// [`FileError::Missing`], [`FileError::Link`],
    /// [`FileError::IsDirectory`], [`FileError::NotAFile`], [`FileError::Denied`] and so on when there is none to read.
    pub fn read(&self, path: &RelPath, max_bytes: u64) -> Result<Content, FileError> {
        let directory = self.parent_of(path)?;
        let (mut file, _) = open_regular(&directory, path, path.file_name())?;
        read_open(&mut file, path, max_bytes)
    }

    /// Looks whether the file at `path` can be opened for reading.
    ///
    /// # Errors
    /// As [`Root::read`], without [`FileError::Unstable`].
    pub fn can_read(&self, path: &RelPath) -> Result<(), FileError> {
        let directory = self.parent_of(path)?;
        open_regular(&directory, path, path.file_name()).map(drop)
    }
}

/// Opens the regular file `name`, which stands for `path` in errors. Nothing but a regular file is ever opened, because
/// opening a pipe or a device already does something.
pub(crate) fn open_regular(
    directory: &Directory,
    path: &RelPath,
    name: &[u8],
) -> Result<(File, Stat), FileError> {
    let failed = |error| FileError::new(path, Doing::Open, error);
    require_file(path, &directory.stat(name).map_err(failed)?)?;
    let file = directory.open_file(name).map_err(failed)?;
    let stat = stat_file(&file).map_err(failed)?;
    require_file(path, &stat)?;
    Ok((file, stat))
}

/// Reads an open file from its beginning until it stands still.
pub(crate) fn read_open(file: &mut File, path: &RelPath, max_bytes: u64) -> Result<Content, FileError> {
    read_stable(file, path, max_bytes, &mut || {})
}

/// `meanwhile` is called when the bytes were read and before the file is looked at again: tests write there.
fn read_stable(
    file: &mut File,
    path: &RelPath,
    max_bytes: u64,
    meanwhile: &mut dyn FnMut(),
) -> Result<Content, FileError> {
    for _ in 0..ATTEMPTS {
        let bytes = stat_file(file).map_err(|error| FileError::new(path, Doing::Read, error))?.seen.size;
        if bytes > LARGEST_READ {
            return Err(FileError::TooLarge { path: path.clone(), bytes });
        }
        let read = read_once(file, max_bytes, meanwhile);
        if let Some(content) = read.map_err(|error| FileError::new(path, Doing::Read, error))? {
            return Ok(content);
        }
    }
    Err(FileError::Unstable { path: path.clone() })
}

/// `None` when the file changed meanwhile.
fn read_once(file: &mut File, max_bytes: u64, meanwhile: &mut dyn FnMut()) -> io::Result<Option<Content>> {
    let before = stat_file(file)?.seen;
    file.rewind()?;
    let keep = before.size <= max_bytes;
    let mut kept = Vec::new();
    if keep {
        kept.reserve_exact(usize::try_from(before.size).unwrap_or(0));
    }
    let (mut hash, mut size) = (sha2::Sha256::new(), 0u64);
    let mut chunk = vec![0; CHUNK.min(usize::try_from(before.size).unwrap_or(CHUNK).saturating_add(1))];
    loop {
        let length = match file.read(&mut chunk) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if length == 0 {
            break;
        }
        size += length as u64;
        if size > before.size {
            // It grows; a writer faster than the reader would keep this from ending.
            return Ok(None);
        }
        hash.update(&chunk[..length]);
        if keep {
            kept.extend_from_slice(&chunk[..length]);
        }
    }
    meanwhile();
    let unchanged = size == before.size && stat_file(file)?.seen == before;
    Ok(unchanged.then(|| Content {
        bytes: keep.then_some(kept),
        sha256: Sha256(hash.finalize().into()),
        size,
        seen: before,
    }))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Store, path};
    use crate::scan::Special;

    #[test]
    fn bytes_hash_and_size_come_as_they_are() {
        let store = Store::new();
        let large = vec![b'x'; 3 * CHUNK + 1];
        for (name, bytes) in
            [("empty", &b""[..]), ("crlf", b"\xef\xbb\xbfa\r\n"), ("bytes", b"\xff\0"), ("large", &large)]
        {
            store.write(name, bytes);
            let content = store.root().read(&path(name), u64::MAX).unwrap();
            assert_eq!(content.bytes.as_deref(), Some(bytes), "{name}");
            assert_eq!((content.sha256, content.size), (Sha256::of(bytes), bytes.len() as u64));
            assert_eq!(Some(content.seen), store.root().seen(&path(name)).unwrap());
        }
    }

    #[test]
    fn what_would_be_read_for_ever_is_not_read() {
        let store = Store::new();
        store.write("a.md", "12345");
        let file = File::options().write(true).open(store.at("a.md")).unwrap();
        file.set_len(1 << 40).unwrap();
        let read = store.root().read(&path("a.md"), 10);
        assert!(matches!(read, Err(FileError::TooLarge { bytes, .. }) if bytes == 1 << 40), "{read:?}");
        file.set_len(5).unwrap();
        assert!(store.root().read(&path("a.md"), 10).is_ok());
    }

    #[test]
    fn what_is_too_large_is_hashed_but_not_kept() {
        let store = Store::new();
        store.write("a.md", "12345");
        let kept = |max| store.root().read(&path("a.md"), max).unwrap().bytes.is_some();
        assert!(kept(5) && !kept(4) && !kept(0));
        let content = store.root().read(&path("a.md"), 4).unwrap();
        assert_eq!((content.sha256, content.size), (Sha256::of(b"12345"), 5));
    }

    #[test]
    fn a_file_that_changes_meanwhile_is_read_again() {
        let store = Store::new();
        store.write("a.md", "old");
        let mut file = File::open(store.at("a.md")).unwrap();
        let mut writes = [&b"newer"[..], b"newest!"].into_iter();
        let content = read_stable(&mut file, &path("a.md"), 100, &mut || {
            if let Some(bytes) = writes.next() {
                store.write("a.md", bytes);
            }
        });
        assert_eq!(content.unwrap().bytes.unwrap(), b"newest!");
        let mut size = 1;
        let restless = read_stable(&mut file, &path("a.md"), 100, &mut || {
            size += 1;
            store.write("a.md", vec![b'x'; size]);
        });
        assert!(matches!(restless, Err(FileError::Unstable { .. })));
    }

    #[test]
    fn nothing_but_a_regular_file_is_opened() {
        let store = Store::new();
        store.write("dir/a.md", "inside");
        store.link("dir", "link");
        store.link("dir/a.md", "link.md");
        store.fifo("pipe");
        let read = |name| store.root().read(&path(name), 100);
        assert!(matches!(read("dir"), Err(FileError::IsDirectory { .. })));
        assert!(matches!(read("link/a.md"), Err(FileError::Link { .. })));
        assert!(matches!(read("link.md"), Err(FileError::Link { .. })));
        assert!(matches!(read("none"), Err(FileError::Missing { .. })));
        assert!(matches!(read("none/a.md"), Err(FileError::Missing { .. })));
        assert!(matches!(read("dir/a.md/b"), Err(FileError::BelowAFile { .. })));
        // Opening it for reading would wait for a writer for ever.
        assert!(matches!(read("pipe"), Err(FileError::NotAFile { special: Special::Fifo, .. })));
    }

    #[test]
    fn what_may_not_be_read_is_denied() {
        let store = Store::new();
        store.write("a.md", "secret");
        store.write("closed/a.md", "secret");
        store.mode("a.md", 0o000);
        store.mode("closed", 0o000);
        let (one, other) = store.unprivileged(|root| {
            (root.read(&path("a.md"), 100).unwrap_err(), root.read(&path("closed/a.md"), 100).unwrap_err())
        });
        assert!(matches!(one, FileError::Denied { .. }), "{one}");
        assert!(matches!(other, FileError::Denied { .. }), "{other}");
    }
}
