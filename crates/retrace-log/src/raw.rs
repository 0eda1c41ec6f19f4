//! Looking for exact bytes in the raw files of the data directory, past SQLite.
//!
//! Invariant: a file of the database, once opened here, stays open while this process has a connection to the database.
//! POSIX lets go of all locks a process holds on a file when the process closes any one of its descriptors of it, so
//! closing one would take away the locks of SQLite's own connections, and another process might write at the same time
//! or remove the write-ahead log. Source: <https://www.sqlite.org/howtocorrupt.html>, section 2.2.

use crate::connection::DATABASE;
use crate::{LogError, LogFiles, Tags, verify::is_own_text};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Files are read in pieces of this size.
const PIECE: usize = 1 << 20;

/// Hits in the raw bytes of the data directory, by file name relative to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawHits {
    /// Files read, with the number of hits in each.
    pub files: BTreeMap<PathBuf, u64>,
}

impl RawHits {
    /// Hits over all files.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.files.values().sum()
    }
}

/// Searches for exact bytes in the raw bytes of every file below the data directory.
///
/// # Errors
/// [`LogError::Io`] when a file cannot be read: a proof that did not look everywhere is none.
pub(crate) fn find_raw<'p>(
    files: &LogFiles,
    patterns: impl IntoIterator<Item = &'p Vec<u8>>,
) -> Result<RawHits, LogError> {
    let patterns: Vec<&[u8]> = patterns.into_iter().map(Vec::as_slice).collect();
    let longest = patterns.iter().map(|pattern| pattern.len()).max().unwrap_or(0);
    let searcher = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(&patterns)
        .map_err(|error| LogError::Invalid(say::too_much_look_once(error.to_string())))?;
    find_ends(files, longest, &|piece, each| {
        searcher.find_overlapping_iter(piece).for_each(|found| each(found.end()));
    })
}

/// Searches for exact secrets that are known by their tags.
///
/// # Errors
/// As [`find_raw`].
pub(crate) fn find_tagged(files: &LogFiles, tags: &Tags) -> Result<RawHits, LogError> {
    find_ends(files, tags.longest_secret(), &|piece, each| {
        let is_own = |found: &Range<usize>| is_own_text(&piece[found.clone()]).unwrap_or(false);
        let found = tags.secrets_at(piece).into_iter().filter(|found| !is_own(found));
        found.for_each(|found| each(found.end));
    })
}

/// Tells the end of each hit in some bytes.
type Search<'s> = &'s dyn Fn(&[u8], &mut dyn FnMut(usize));

/// `longest`: bytes of the longest hit.
fn find_ends(files: &LogFiles, longest: usize, search: Search<'_>) -> Result<RawHits, LogError> {
    let mut hits = RawHits::default();
    let kept_open = KeptOpen::of(files.directory());
    let mut folders = vec![files.directory().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(LogError::io(&folder))? {
            let entry = entry.map_err(LogError::io(&folder))?;
            let path = entry.path();
            let kind = entry.file_type().map_err(LogError::io(&path))?;
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                let count = match count_in(&path, &kept_open, search, longest) {
                    Ok(count) => count,
                    // The write-ahead log and its index come and go with the processes that use them.
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    Err(error) => return Err(LogError::io(path)(error)),
                };
                let name = path.strip_prefix(files.directory()).unwrap_or(&path).to_path_buf();
                hits.files.insert(name, count);
            }
        }
    }
    Ok(hits)
}

fn count_in(path: &Path, kept_open: &KeptOpen, search: Search<'_>, longest: usize) -> std::io::Result<u64> {
    let of_the_database =
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(DATABASE.as_bytes()));
    if cfg!(unix) && of_the_database {
        kept_open.read(path, |file| count(file, search, longest))
    } else {
        count(&mut File::open(path)?, search, longest)
    }
}

fn count(file: &mut File, search: Search<'_>, longest: usize) -> std::io::Result<u64> {
    let mut piece = Vec::with_capacity(PIECE + longest);
    let (mut count, mut kept) = (0, 0);
    loop {
        let read = file.take(PIECE as u64).read_to_end(&mut piece)?;
        // A hit that lies wholly in the part kept from before was counted then.
        search(&piece, &mut |end| count += u64::from(end > kept));
        if read < PIECE {
            return Ok(count);
        }
        kept = longest.saturating_sub(1).min(piece.len());
        let from = piece.len() - kept;
        piece.drain(..from);
    }
}

/// Files of one database that were opened here. Every connection holds it, so that it goes after the last of them.
#[derive(Debug, Default)]
pub(crate) struct KeptOpen {
    files: Mutex<BTreeMap<PathBuf, File>>,
}

/// Open files of each database, by its directory.
static KEPT_OPEN: Mutex<BTreeMap<PathBuf, Weak<KeptOpen>>> = Mutex::new(BTreeMap::new());

impl KeptOpen {
    /// Opens the files of the database in a directory. To be asked for before a connection is opened, and let go after
    /// it is closed.
    pub(crate) fn of(directory: &Path) -> Arc<Self> {
        let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_path_buf());
        let mut all = lock(&KEPT_OPEN);
        if let Some(kept) = all.get(&directory).and_then(Weak::upgrade) {
            return kept;
        }
        all.retain(|_, kept| kept.strong_count() > 0);
        let kept = Arc::default();
        all.insert(directory, Arc::downgrade(&kept));
        kept
    }

    /// Reads a file from its start and leaves it open. Files that are gone from their paths are closed: nobody else can
    /// lock them any more.
    fn read<T>(&self, path: &Path, read: impl FnOnce(&mut File) -> std::io::Result<T>) -> std::io::Result<T> {
        let mut files = lock(&self.files);
        files.retain(|path, file| is_at(file, path));
        let file = match files.entry(path.to_path_buf()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(File::open(path)?),
        };
        file.rewind()?;
        read(file)
    }
}

/// A lock whose holder panicked is taken all the same: what it guards is changed in single steps.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True if the open file is the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let (Ok(open), Ok(there)) = (file.metadata(), std::fs::metadata(path)) else { return false };
    (open.dev(), open.ino()) == (there.dev(), there.ino())
}

/// Elsewhere locks belong to the one who took them, and nothing needs to stay open.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    false
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "raw";
    too_much_look_once(error) => "too much to look for at once: {error}",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_counted_once_wherever_they_lie_in_the_pieces() {
        let folder = tempfile::tempdir().expect("a folder");
        let needle = b"needle in a stack".to_vec();
        let mut bytes = vec![b'.'; 3 * PIECE + 100];
        let last = bytes.len() - needle.len();
        // The second overwrites the first in part.
        for at in [PIECE - needle.len(), PIECE - 5, 2 * PIECE - 1, 2 * PIECE + 200, 3 * PIECE, last] {
            bytes[at..at + needle.len()].copy_from_slice(&needle);
        }
        std::fs::create_dir(folder.path().join("below")).expect("a folder");
        std::fs::write(folder.path().join("below/file"), &bytes).expect("a file");
        std::fs::write(folder.path().join(DATABASE), &bytes).expect("a file");
        std::fs::write(folder.path().join("empty"), b"").expect("a file");
        let files = LogFiles::new(folder.path());
        for _ in 0..2 {
            let hits = find_raw(&files, [&needle]).expect("reads");
            assert_eq!(hits.files[Path::new("below/file")], 5);
            assert_eq!(hits.files[Path::new(DATABASE)], 5);
            assert_eq!((hits.files[Path::new("empty")], hits.total()), (0, 10));
        }
        assert_eq!(find_raw(&files, []).expect("reads").total(), 0);
        std::fs::remove_file(folder.path().join(DATABASE)).expect("removes");
        std::fs::write(folder.path().join(DATABASE), &needle).expect("another file");
        assert_eq!(
            find_raw(&files, [&needle]).expect("reads").files[Path::new(DATABASE)],
            1,
            "the one that is there"
        );
    }
}
