//! Opening the database.

use crate::raw::KeptOpen;
use crate::{LogError, Replaced, migrate};
use retrace_message::AsMessage as _;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A source of random bytes, passed in so that tests are the same each time.
pub type Entropy = Box<dyn FnMut(&mut [u8]) + Send>;

/// Longest wait for another process's transaction before it gives up with [`LogError::Busy`]. The longest known
/// transaction, the first scan of some thousand files, takes below a second.
const BUSY_WAIT: Duration = Duration::from_secs(10);

/// Wait between tries where SQLite does not wait by itself.
pub(crate) const BUSY_STEP: Duration = Duration::from_millis(10);

/// At how many pages in the write-ahead log the commit that made them moves all of them into the database, and waits for
/// the disk for that. Longer than SQLite's thousand, so that [`crate::ReadConnection::move_write_ahead_log`] can come first;
/// within the size the file is kept at.
const MAX_PAGES: u32 = 4000;

/// Kibibytes of pages that the writing connection keeps: what a first scan appends before it is committed fits mostly.
const WRITER_CACHE_KIB: i64 = 16_000;

/// The same for one that only reads. There are several, and what one does not have the system has.
const READER_CACHE_KIB: i64 = 4_000;

/// The database file. SQLite puts `-wal` and `-shm` after the name for its other two files.
pub(crate) const DATABASE: &str = "retrace.db";

/// The files of a log within its data directory.
#[derive(Clone, Debug)]
pub struct LogFiles {
    directory: PathBuf,
    busy_wait: Duration,
}

impl LogFiles {
    /// The log in `directory`.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), busy_wait: BUSY_WAIT }
    }

    /// The same log, with another wait for other processes' transactions than ten seconds.
    #[must_use]
    pub fn with_busy_wait(self, busy_wait: Duration) -> Self {
        Self { busy_wait, ..self }
    }

    /// Wait for other processes' transactions.
    pub(crate) fn busy_wait(&self) -> Duration {
        self.busy_wait
    }

    /// The data directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The database file.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.directory.join(DATABASE)
    }

    /// The file whose lock marks the recording process.
    #[must_use]
    pub fn owner_lock(&self) -> PathBuf {
        self.directory.join("owner.lock")
    }

    /// The file whose lock marks the process that sends what is queued for hosts.
    #[must_use]
    pub fn push_lock(&self) -> PathBuf {
        self.directory.join("push.lock")
    }

    /// Bytes on disk: database, write-ahead log and its index.
    #[must_use]
    pub fn bytes_on_disk(&self) -> u64 {
        ["", "-wal", "-shm"]
            .iter()
            .filter_map(|suffix| std::fs::metadata(self.directory.join(format!("{DATABASE}{suffix}"))).ok())
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

    /// Opens a file of the data directory for reading and writing, and makes it, for its user alone, when there is none.
    pub(crate) fn open_private(path: &Path) -> Result<File, LogError> {
        private().create(true).truncate(false).open(path).map_err(LogError::io(path))
    }

    /// Makes the database file, for its user alone: SQLite would make it with the default mode, and gives its other two
    /// files the mode of this one. A file that is there is not even opened, because closing it would take away the locks
    /// that other connections of this process hold on it.
    fn make_database(&self) -> Result<(), LogError> {
        let path = self.database();
        match private().create_new(true).open(&path) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(LogError::io(path)(error)),
        }
    }

    /// Opens for writing, and brings the schema up to date. A database that is refused is not changed. One that is there and
    /// cannot be written, as on a read-only file system or a full disk, is opened for reading.
    pub(crate) fn open_writer(&self) -> Result<OpenDatabase, LogError> {
        self.make_directory().map_err(|error| self.explained(error))?;
        self.check_there()?;
        self.make_database().map_err(|error| self.explained(error))?;
        self.or_unwritable(self.open_for_writing())
    }

    /// What was opened, or where nothing can be written, what can be read without writing.
    fn or_unwritable(&self, opened: Result<OpenDatabase, LogError>) -> Result<OpenDatabase, LogError> {
        match opened.map_err(|error| self.explained(error)) {
            Err(why @ (LogError::CannotWrite(_) | LogError::Full)) => self
                .open_unwritable()
                .map_err(|error| if matches!(error, LogError::CannotRead(_)) { error } else { why }),
            opened => opened,
        }
    }

    /// Opens for writing what is there, or fails.
    pub(crate) fn open_for_writing(&self) -> Result<OpenDatabase, LogError> {
        let kept_open = KeptOpen::of(&self.directory);
        let mut connection = self.open()?;
        if migrate::format_of(&connection)? > 0 {
            self.check_head(&connection)?;
        } else if self.head().is_some() {
            return Err(Replaced::Emptied.into());
        }
        self.write_ahead(&connection)?;
        migrate::migrate(&mut connection)?;
        connection.pragma_update(None, "wal_autocheckpoint", MAX_PAGES)?;
        connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
        Ok(OpenDatabase { connection, kept_open, unwritable: false })
    }

    /// Sees to it that the database has a write-ahead log. SQLite does not wait for others while it changes that, so this
    /// tries again for as long as others are waited for elsewhere.
    fn write_ahead(&self, connection: &Connection) -> Result<(), LogError> {
        let mut tries = self.busy_wait.as_millis() / BUSY_STEP.as_millis();
        loop {
            match connection.pragma_update(None, "journal_mode", "wal").map_err(LogError::from) {
                Err(LogError::Busy) if tries > 0 => std::thread::sleep(BUSY_STEP),
                done => return done,
            }
            tries -= 1;
        }
    }

    /// Opens for reading. The database must exist. Reading writes as well, to the index of the write-ahead log, unless the
    /// data directory cannot be written.
    pub(crate) fn open_reader(&self) -> Result<OpenDatabase, LogError> {
        self.or_unwritable(self.open_for_reading())
    }

    fn open_for_reading(&self) -> Result<OpenDatabase, LogError> {
        let kept_open = KeptOpen::of(&self.directory);
        let connection = self.open()?;
        connection.pragma_update(None, "query_only", true)?;
        migrate::check(&connection)?;
        Ok(OpenDatabase { connection, kept_open, unwritable: false })
    }

    /// Opens a database in a directory that cannot be written. Without a write-ahead log the file holds everything, and
    /// SQLite is told that nobody changes it. With one, its index has to be there: SQLite reads both without writing.
    /// Source: <https://www.sqlite.org/wal.html>, "Read-Only Databases".
    fn open_unwritable(&self) -> Result<OpenDatabase, LogError> {
        let kept_open = KeptOpen::of(&self.directory);
        let write_ahead_log = self.directory.join(format!("{DATABASE}-wal"));
        let whole = std::fs::metadata(write_ahead_log).map_or(true, |metadata| metadata.len() == 0);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let address =
            format!("file:{}{}", as_uri_path(&self.database()), if whole { "?immutable=1" } else { "" });
        let opened = Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI);
        let connection = opened.map_err(|error| match error.into() {
            // It is there, and is not opened even for reading.
            LogError::CannotWrite(why) if self.database().exists() => LogError::CannotRead(why),
            other => other,
        })?;
        self.set_up(&connection)?;
        migrate::check(&connection)?;
        Ok(OpenDatabase { connection, kept_open, unwritable: true })
    }

    /// Why the data directory cannot be written: SQLite reports a file it could not make in the same way whether a right or
    /// space is missing. A directory in which nobody may look is not even read.
    pub(crate) fn explained(&self, error: LogError) -> LogError {
        if !matches!(error, LogError::CannotWrite(_)) {
            return error;
        }
        if let Err(why) = self.database().try_exists()
            && why.kind() == std::io::ErrorKind::PermissionDenied
        {
            return LogError::CannotRead(why.message().of(self.directory.display()));
        }
        let mut name = std::ffi::OsString::from("space-");
        name.push(std::process::id().to_string());
        let probe = self.directory.join(name);
        let made = private()
            .create_new(true)
            .open(&probe)
            .and_then(|mut file| std::io::Write::write_all(&mut file, &[0; PROBE_BYTES]));
        // Where it was not made there is nothing to remove.
        drop(std::fs::remove_file(&probe));
        match made.map_err(LogError::io(&self.directory)) {
            Err(LogError::Full) => LogError::Full,
            _ => error,
        }
    }

    fn open(&self) -> Result<Connection, LogError> {
        let connection = Connection::open_with_flags(
            self.database(),
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        self.set_up(&connection)?;
        Ok(connection)
    }

    /// Settings of every connection.
    fn set_up(&self, connection: &Connection) -> Result<(), LogError> {
        connection.busy_timeout(self.busy_wait)?;
        connection.set_prepared_statement_cache_capacity(128);
        // No statement, not even one hidden in a tampered schema, may write to the database file past its tables.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        // Without it, SQLite plans a statement anew for each value it is asked with, which takes longer than to run it.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        // Overwrite what is deleted; never spill content into temporary files; keep every commit through a power cut;
        // do not run functions that a tampered schema might name.
        connection.execute_batch(
            "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL;
             PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
             PRAGMA recursive_triggers = ON; PRAGMA journal_size_limit = 16777216;",
        )?;
        connection.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
        Ok(())
    }
}

/// An open database.
pub(crate) struct OpenDatabase {
    pub(crate) connection: Connection,
    pub(crate) kept_open: Arc<KeptOpen>,
    /// Opened without a way to write, and perhaps as a file that nobody changes: it tells nothing of what others write, and
    /// is good for one answer.
    pub(crate) unwritable: bool,
}

/// Bytes that tell whether there is space: as many as a file system gives at once.
const PROBE_BYTES: usize = 4096;

/// A path as SQLite reads it in a `file:` address: `?`, `#`, `%` and bytes beyond ASCII are written as `%HH`.
fn as_uri_path(path: &Path) -> String {
    let mut text = String::new();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                text.push(char::from(byte));
            }
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}

/// Reading and writing, and for its user alone when it is made.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
