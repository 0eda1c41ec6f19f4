//! Redaction, second and third act: purge the masked bytes from the files, and prove it by reading the files.
//!
//! Out of reach from here: blocks that the file system gave back but did not overwrite, snapshots and backups.

use crate::mask::Needles;
use crate::{LogError, LogFiles, Writer, search};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use rusqlite::TransactionBehavior;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Files are read in pieces of this size.
const PIECE: usize = 1 << 20;

/// How long a purge waits for readers of an older state. Not worth more: whoever reads may read for long.
const READERS_WAIT: Duration = Duration::from_millis(250);

/// Up to this size the database is written anew in memory; a larger one in a temporary file without a name, which holds
/// nothing that is masked.
const MEMORY_BYTES: u64 = 512 << 20;

/// What was found in the raw bytes of the data directory, by file name relative to it.
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

impl Writer {
    /// Moves everything from the write-ahead log into the database and empties it, so that no old copy of a page stays.
    /// `false` while another process reads an older state; nothing is lost then, and a later call finishes it.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn empty_write_ahead_log(&self) -> Result<bool, LogError> {
        self.connection.busy_timeout(READERS_WAIT.min(self.files.busy_wait()))?;
        let busy = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))
            .map_err(LogError::from);
        self.connection.busy_timeout(self.files.busy_wait())?;
        match busy {
            Ok(busy) => Ok(!busy),
            Err(LogError::Busy) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Purges what [`crate::Act::mask`] masked and looks for it in every file of the data directory. `None` while the
    /// purge is pending because another process uses the database; a later call, also of another process and with no
    /// needles, finishes it.
    ///
    /// SQLite overwrites what is deleted, but moving rows between pages leaves copies in the unused parts of pages, and
    /// an index keeps parts of words to find its way. So the search index and then the whole database are written anew.
    ///
    /// # Errors
    /// A failure of the database, or of reading a file.
    pub fn purge(&mut self, needles: &Needles) -> Result<Option<RawHits>, LogError> {
        // Asked first, because the rest would be done in vain while somebody reads an older state.
        if !self.empty_write_ahead_log()?
            || !pending_if_busy(self.write_search_anew())?
            || !pending_if_busy(self.write_database_anew(self.files.bytes_on_disk() <= MEMORY_BYTES))?
            || !self.empty_write_ahead_log()?
        {
            return Ok(None);
        }
        look_for(&self.files, needles.plain.union(&needles.traces)).map(Some)
    }

    fn write_search_anew(&mut self) -> Result<(), LogError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        search::write_anew(&transaction)?;
        Ok(transaction.commit()?)
    }

    fn write_database_anew(&self, in_memory: bool) -> Result<(), LogError> {
        if in_memory {
            return Ok(self.connection.execute_batch("VACUUM")?);
        }
        self.connection.execute_batch("PRAGMA temp_store = FILE")?;
        let done = self.connection.execute_batch("VACUUM");
        self.connection.execute_batch("PRAGMA temp_store = MEMORY")?;
        Ok(done?)
    }
}

/// Whether it is done, when it fails at worst because another process is in the way.
fn pending_if_busy(done: Result<(), LogError>) -> Result<bool, LogError> {
    match done {
        Ok(()) => Ok(true),
        Err(LogError::Busy) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Looks for exact bytes in the raw bytes of every file below the data directory.
///
/// # Errors
/// [`LogError::Io`] when a file cannot be read: a proof that did not look everywhere is none.
pub(crate) fn look_for<'p>(
    files: &LogFiles,
    patterns: impl IntoIterator<Item = &'p Vec<u8>>,
) -> Result<RawHits, LogError> {
    let patterns: Vec<&[u8]> = patterns.into_iter().map(Vec::as_slice).collect();
    let mut hits = RawHits::default();
    let longest = patterns.iter().map(|pattern| pattern.len()).max().unwrap_or(0);
    let searcher = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(&patterns)
        .map_err(|error| LogError::Invalid(format!("too much to look for at once: {error}")))?;
    let mut folders = vec![files.directory().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(LogError::io(&folder))? {
            let entry = entry.map_err(LogError::io(&folder))?;
            let path = entry.path();
            let kind = entry.file_type().map_err(LogError::io(&path))?;
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                let count = match count_in(&path, &searcher, longest) {
                    Ok(count) => count,
                    // The write-ahead log and its index come and go with the processes that use them.
                    Err(LogError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                let name = path.strip_prefix(files.directory()).unwrap_or(&path).to_path_buf();
                hits.files.insert(name, count);
            }
        }
    }
    Ok(hits)
}

fn count_in(path: &Path, searcher: &AhoCorasick, longest: usize) -> Result<u64, LogError> {
    let mut file = File::open(path).map_err(LogError::io(path))?;
    let mut piece = Vec::with_capacity(PIECE + longest);
    let (mut count, mut kept) = (0, 0);
    loop {
        let read = (&mut file).take(PIECE as u64).read_to_end(&mut piece).map_err(LogError::io(path))?;
        // A hit that lies wholly in the part kept from before was counted then.
        count += searcher.find_overlapping_iter(&piece).filter(|found| found.end() > kept).count() as u64;
        if read < PIECE {
            return Ok(count);
        }
        kept = longest.saturating_sub(1).min(piece.len());
        let from = piece.len() - kept;
        piece.drain(..from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_can_be_written_anew_either_way() {
        let folder = tempfile::tempdir().expect("a folder");
        let writer =
            Writer::open(LogFiles::new(folder.path()), Box::new(|bytes| bytes.fill(7))).expect("a log");
        for in_memory in [true, false] {
            writer.write_database_anew(in_memory).expect("writes");
            let store: i64 =
                writer.connection.pragma_query_value(None, "temp_store", |row| row.get(0)).expect("a number");
            assert_eq!(store, 2, "in memory again");
            assert_eq!(writer.reader().verify().expect("verifies").problems, Vec::<String>::new());
        }
    }

    #[test]
    fn hits_are_counted_once_wherever_they_lie_in_the_pieces() {
        let folder = tempfile::tempdir().expect("a folder");
        let needle = b"needle in a stack".to_vec();
        let mut bytes = vec![b'.'; 3 * PIECE + 100];
        let across = [
            PIECE - needle.len(),
            PIECE - 5,
            2 * PIECE - 1,
            2 * PIECE + 200,
            3 * PIECE,
            bytes.len() - needle.len(),
        ];
        for at in across {
            bytes[at..at + needle.len()].copy_from_slice(&needle);
        }
        // The first two overlap, so the first is overwritten in part.
        std::fs::create_dir(folder.path().join("below")).expect("a folder");
        std::fs::write(folder.path().join("below/file"), &bytes).expect("a file");
        std::fs::write(folder.path().join("empty"), b"").expect("a file");
        let hits = look_for(&LogFiles::new(folder.path()), [&needle]).expect("reads");
        assert_eq!(hits.total(), 5);
        assert_eq!(hits.files[Path::new("empty")], 0);
        assert_eq!(look_for(&LogFiles::new(folder.path()), []).expect("reads").total(), 0);
    }
}
