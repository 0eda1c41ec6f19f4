//! Redaction, second and third act: purge the masked bytes from the files, and prove it by reading the files.

use crate::mask::Needles;
use crate::{LogError, LogFiles, Writer};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Files are read in pieces of this size.
const PIECE: usize = 1 << 20;

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
        // Not worth waiting for: whoever reads may read for long.
        self.connection.busy_timeout(std::time::Duration::from_millis(250))?;
        let busy = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
            .map_err(LogError::from);
        self.connection.busy_timeout(std::time::Duration::from_secs(10))?;
        match busy {
            Ok(busy) => Ok(busy == 0),
            Err(LogError::Busy) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Purges what [`crate::Act::mask`] masked and looks for it in every file of the data directory. `None` while the
    /// purge is pending because another process reads an older state.
    ///
    /// # Errors
    /// A failure of the database, or of reading a file.
    pub fn purge(&mut self, needles: &Needles) -> Result<Option<RawHits>, LogError> {
        if !self.empty_write_ahead_log()? {
            return Ok(None);
        }
        let traces = look_for(self.files(), &needles.traces)?;
        let plain = look_for(self.files(), &needles.plain)?;
        if traces.total() == 0 && plain.total() == 0 {
            return Ok(Some(plain));
        }
        // SQLite overwrites what is deleted, but moving rows between pages can leave copies in a page's unused part.
        // Writing the whole database anew leaves none. A trace found after that belongs to another content.
        match self.connection.execute_batch("VACUUM").map_err(LogError::from) {
            Ok(()) => {}
            Err(LogError::Busy) => return Ok(None),
            Err(error) => return Err(error),
        }
        if !self.empty_write_ahead_log()? {
            return Ok(None);
        }
        look_for(self.files(), &needles.plain).map(Some)
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
