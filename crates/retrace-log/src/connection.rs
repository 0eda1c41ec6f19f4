//! Opening the database.

use crate::{LogError, migrate};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A source of random bytes, passed in so that tests are the same each time.
pub type Entropy = Box<dyn FnMut(&mut [u8]) + Send>;

/// How long a process waits for another one's transaction before it gives up with [`LogError::Busy`].
const BUSY_WAIT: Duration = Duration::from_secs(10);

/// The files of a log within its data directory.
#[derive(Clone, Debug)]
pub struct LogFiles {
    directory: PathBuf,
}

impl LogFiles {
    /// The log in `directory`.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// The data directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The database file.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.directory.join("retrace.db")
    }

    /// The file whose lock marks the recording process.
    #[must_use]
    pub fn owner_lock(&self) -> PathBuf {
        self.directory.join("owner.lock")
    }

    /// Bytes on disk: database, write-ahead log and its index.
    #[must_use]
    pub fn bytes_on_disk(&self) -> u64 {
        ["retrace.db", "retrace.db-wal", "retrace.db-shm"]
            .iter()
            .filter_map(|name| std::fs::metadata(self.directory.join(name)).ok())
            .map(|metadata| metadata.len())
            .sum()
    }

    /// Makes the data directory, for its user alone.
    ///
    /// # Errors
    /// [`LogError::CannotWrite`] or [`LogError::Io`].
    pub(crate) fn make_directory(&self) -> Result<(), LogError> {
        if self.directory.is_dir() {
            return Ok(());
        }
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.directory).map_err(LogError::io(&self.directory))
    }

    /// Makes the database file with mode 0600 before SQLite would make it with the default mode.
    fn make_private(&self) -> Result<(), LogError> {
        let path = self.database();
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path).map(drop).map_err(LogError::io(path))
    }

    /// Opens for writing, and brings the schema up to date.
    pub(crate) fn open_writer(&self) -> Result<Connection, LogError> {
        self.make_directory()?;
        self.make_private()?;
        let mut connection = Connection::open_with_flags(
            self.database(),
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        self.configure(&connection)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        migrate::migrate(&mut connection)?;
        Ok(connection)
    }

    /// Opens for reading. The database must exist.
    pub(crate) fn open_reader(&self) -> Result<Connection, LogError> {
        let connection = Connection::open_with_flags(
            self.database(),
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        self.configure(&connection)?;
        connection.pragma_update(None, "query_only", true)?;
        migrate::check(&connection)?;
        Ok(connection)
    }

    fn configure(&self, connection: &Connection) -> Result<(), LogError> {
        connection.busy_timeout(BUSY_WAIT)?;
        connection.set_prepared_statement_cache_capacity(64);
        // Overwrite what is deleted; never spill content into temporary files; keep every commit through a power cut;
        // do not run functions that a tampered schema might name.
        connection.execute_batch(
            "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL;
             PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
             PRAGMA recursive_triggers = ON; PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 16777216;",
        )?;
        Ok(())
    }
}
