//! Redaction, second and third act: purge the masked bytes from the files, and prove it by reading the files.
//!
//! Out of reach from here: blocks that the file system gave back but did not overwrite, snapshots and backups.

use crate::connection::BUSY_STEP;
use crate::mask::Needles;
use crate::raw::{RawHits, find_raw};
use crate::{LogError, Writer, search};
use rusqlite::TransactionBehavior;
use std::time::{Duration, Instant};

/// Longest wait of a purge for readers of an older state. Not worth more: whoever reads may read for long.
const READERS_WAIT: Duration = Duration::from_millis(250);

/// Up to this size the database is written anew in memory; a larger one in a temporary file without a name, which holds
/// nothing that is masked.
const MEMORY_BYTES: u64 = 512 << 20;

impl Writer {
    /// Moves everything from the write-ahead log into the database and empties it, so that no old copy of a page stays.
    /// `false` while another process reads an older state; nothing is lost then, and a later call finishes it.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn empty_write_ahead_log(&self) -> Result<bool, LogError> {
        self.connection.busy_timeout(READERS_WAIT.min(self.files.busy_wait()))?;
        let begun = Instant::now();
        let busy = loop {
            let answer = self
                .connection
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
                    Ok((row.get::<_, bool>(0)?, row.get::<_, i64>(1)?))
                })
                .map_err(LogError::from);
            match answer {
                Ok((busy, frames)) if is_being_moved(busy, frames, begun.elapsed()) => {
                    std::thread::sleep(BUSY_STEP);
                }
                answer => break answer.map(|(busy, _)| busy),
            }
        };
        self.connection.busy_timeout(self.files.busy_wait())?;
        match busy {
            Ok(busy) => Ok(!busy),
            Err(LogError::Busy) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Purges what [`crate::Act::mask`] masked and searches for it in every file of the data directory. `None` while the
    /// purge is pending because another process uses the database; a later call, also of another process and with no
    /// needles, finishes it.
    ///
    /// SQLite overwrites what is deleted, but moving rows between pages leaves copies in the unused parts of pages, and
    /// an index keeps parts of words to find its way. So the search index and then the whole database are written anew.
    ///
    /// # Errors
    /// A failure of the database, or of reading a file.
    pub fn purge(&mut self, needles: &Needles) -> Result<Option<RawHits>, LogError> {
        self.writable()?;
        // Asked first, because the rest would be done in vain while somebody reads an older state.
        if !self.empty_write_ahead_log()? {
            return Ok(None);
        }
        if !pending_if_busy(self.write_search_anew())? {
            return Ok(None);
        }
        if !pending_if_busy(self.write_database_anew(fits_in_memory(self.files.bytes_on_disk())))? {
            return Ok(None);
        }
        if !self.empty_write_ahead_log()? {
            return Ok(None);
        }
        find_raw(&self.files, needles.plain.union(&needles.traces)).map(Some)
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

/// True if another connection is moving pages, which SQLite does not wait for by itself, and `waited` is short enough to go on
/// waiting. A reader of an older state leaves the number of frames known.
fn is_being_moved(busy: bool, frames: i64, waited: Duration) -> bool {
    busy && frames < 0 && waited < READERS_WAIT
}

fn fits_in_memory(bytes: u64) -> bool {
    bytes <= MEMORY_BYTES
}

/// True if it is done, when it fails at worst because another process is in the way.
fn pending_if_busy(done: Result<(), LogError>) -> Result<bool, LogError> {
    match done {
        Ok(()) => Ok(true),
        Err(LogError::Busy) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LogFiles;

    #[test]
    fn it_is_emptied_while_another_connection_moves_pages() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = LogFiles::new(folder.path());
        let mut writer = Writer::open(files.clone(), Box::new(|bytes| bytes.fill(7))).expect("a log");
        let reader = crate::ReadConnection::open(&files).expect("a log");
        std::thread::scope(|scope| {
            let moving = scope.spawn(move || {
                for _ in 0..200 {
                    reader.move_write_ahead_log().expect("moves");
                    std::thread::yield_now();
                }
            });
            for _ in 0..20 {
                writer.write_search_anew().expect("writes");
                assert!(writer.empty_write_ahead_log().expect("a working database"));
            }
            moving.join().expect("no panic");
        });
    }

    #[test]
    fn what_moves_pages_is_waited_for_a_while_and_who_reads_is_not() {
        let short = READERS_WAIT - Duration::from_nanos(1);
        assert!(is_being_moved(true, -1, Duration::ZERO) && is_being_moved(true, -1, short));
        assert!(!is_being_moved(true, -1, READERS_WAIT));
        assert!(!is_being_moved(true, 0, Duration::ZERO) && !is_being_moved(true, 7, Duration::ZERO));
        assert!(!is_being_moved(false, -1, Duration::ZERO));
    }

    #[test]
    fn up_to_half_a_gibibyte_is_written_anew_in_memory() {
        let half = 1024 * 1024 * 1024 / 2;
        assert_eq!([0, half, half + 1].map(fits_in_memory), [true, true, false]);
    }

    #[test]
    fn what_fails_otherwise_than_by_another_process_is_an_error() {
        assert_eq!(pending_if_busy(Ok(())).ok(), Some(true));
        assert_eq!(pending_if_busy(Err(LogError::Busy)).ok(), Some(false));
        assert!(pending_if_busy(Err(LogError::KeyLost(1))).is_err());
    }

    #[test]
    fn the_database_can_be_written_anew_either_way() {
        let folder = tempfile::tempdir().expect("a folder");
        let writer =
            Writer::open(LogFiles::new(folder.path()), Box::new(|bytes| bytes.fill(7))).expect("a log");
        for in_memory in [true, false] {
            let unused = || -> i64 {
                let pages = writer.connection.pragma_query_value(None, "freelist_count", |row| row.get(0));
                pages.expect("a number")
            };
            let fill = "CREATE TABLE filled AS SELECT randomblob(100000) AS bytes; DROP TABLE filled";
            writer.connection.execute_batch(fill).expect("fills");
            assert!(unused() > 0, "pages that something was in");
            writer.write_database_anew(in_memory).expect("writes");
            assert_eq!(unused(), 0);
            let store: i64 =
                writer.connection.pragma_query_value(None, "temp_store", |row| row.get(0)).expect("a number");
            assert_eq!(store, 2, "in memory again");
            assert_eq!(writer.reader().verify().expect("verifies").problems, Vec::<String>::new());
        }
    }
}
