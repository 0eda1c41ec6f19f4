//! Formats: made, kept, refused.

use super::harness::*;
use crate::*;
use rusqlite::Connection;
use std::path::Path;

fn schema_of(connection: &Connection) -> String {
    let mut query = connection
        .prepare("SELECT coalesce(sql, type || ' ' || name) FROM sqlite_schema ORDER BY type, name")
        .expect("prepares");
    let rows = query.query_map([], |row| row.get::<_, String>(0)).expect("asks");
    rows.collect::<Result<Vec<_>, _>>().expect("reads").join(";\n\n")
}

fn open(folder: &Path) -> Result<Writer, LogError> {
    Writer::open(LogFiles::new(folder), entropy(1))
}

fn database(folder: &Path) -> Connection {
    Connection::open(LogFiles::new(folder).database()).expect("a database")
}

#[test]
fn the_schema_is_as_released() {
    insta::assert_snapshot!(schema_of(&TestLog::new().raw()));
}

#[test]
fn a_log_is_made_where_there_is_none_and_where_there_is_an_empty_file() {
    for with_empty_file in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        if with_empty_file {
            std::fs::write(LogFiles::new(folder.path()).database(), b"").expect("a file");
        }
        drop(open(folder.path()).expect("a log"));
        let database = database(folder.path());
        let number =
            |name| database.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).expect("a number");
        assert_eq!(number("user_version"), crate::migrate::FORMAT);
        assert_eq!(number("application_id"), crate::migrate::APPLICATION_ID);
        let mode: String =
            database.pragma_query_value(None, "journal_mode", |row| row.get(0)).expect("a mode");
        assert_eq!(mode, "wal");
    }
}

#[test]
fn every_format_is_brought_to_the_newest_and_keeps_what_it_holds() {
    // One log of each released format belongs here; so far there is one format, and it stays as it is.
    let mut log = TestLog::new();
    log.put("a.md", "one");
    let (before, head) = (schema_of(&log.raw()), log.writer.reader().chain_head().expect("a head"));
    let log = log.reopen(2);
    assert_eq!(schema_of(&log.raw()), before);
    assert_eq!(log.writer.reader().chain_head().expect("a head"), head);
    log.assert_sound();
}

#[test]
fn a_newer_log_is_refused_and_not_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(open(folder.path()).expect("a log"));
    let newer = crate::migrate::FORMAT + 1;
    database(folder.path()).pragma_update(None, "user_version", newer).expect("a newer format");
    let before = std::fs::read(LogFiles::new(folder.path()).database()).expect("reads");
    for refused in
        [open(folder.path()).map(drop), ReadConnection::open(&LogFiles::new(folder.path())).map(drop)]
    {
        match refused {
            Err(LogError::Newer { found, known }) => assert_eq!((found, known), (newer, newer - 1)),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(std::fs::read(LogFiles::new(folder.path()).database()).expect("reads"), before);
}

#[test]
fn a_database_of_another_program_is_refused_and_not_touched() {
    let makers: [fn(&Connection); 4] = [
        |other| other.execute_batch("CREATE TABLE bookmarks (url TEXT)").expect("a table"),
        |other| other.execute_batch("PRAGMA application_id = 7; PRAGMA user_version = 1").expect("pragmas"),
        |other| other.execute_batch("PRAGMA user_version = 3").expect("a pragma"),
        // Ours by its mark, but of a format that cannot be.
        |other| {
            other
                .execute_batch("PRAGMA application_id = 1381257795; PRAGMA user_version = -1")
                .expect("pragmas");
        },
    ];
    for make in makers {
        let folder = tempfile::tempdir().expect("a folder");
        make(&database(folder.path()));
        let before = std::fs::read(LogFiles::new(folder.path()).database()).expect("reads");
        let refused = open(folder.path()).map(drop);
        assert!(matches!(refused, Err(LogError::Damaged(_))), "{refused:?}");
        assert_eq!(std::fs::read(LogFiles::new(folder.path()).database()).expect("reads"), before);
    }
}

#[test]
fn a_file_that_is_no_database_is_refused_and_not_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "not a database\n".repeat(1000);
    std::fs::write(LogFiles::new(folder.path()).database(), &text).expect("a file");
    for refused in
        [open(folder.path()).map(drop), ReadConnection::open(&LogFiles::new(folder.path())).map(drop)]
    {
        assert!(matches!(refused, Err(LogError::Damaged(_))), "{refused:?}");
    }
    assert_eq!(std::fs::read(LogFiles::new(folder.path()).database()).expect("reads"), text.as_bytes());
}

#[test]
fn a_reader_makes_no_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = LogFiles::new(folder.path().join("data"));
    let refused = ReadConnection::open(&files).map(drop);
    assert!(matches!(refused, Err(LogError::CannotWrite(_))), "{refused:?}");
    std::fs::create_dir(files.directory()).expect("a folder");
    std::fs::write(files.database(), b"").expect("a file");
    let refused = ReadConnection::open(&files).map(drop);
    assert!(matches!(refused, Err(LogError::Invalid(_))), "{refused:?}");
}

#[cfg(unix)]
#[test]
fn the_files_are_their_users_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut log = TestLog::new();
    log.put("a.md", "one");
    let _lease = Lease::take(&log.files(), 1).expect("a lease");
    let mode = |path: &Path| std::fs::metadata(path).expect("metadata").permissions().mode() & 0o777;
    assert_eq!(mode(log.files().directory()), 0o700);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(log.files().directory()).expect("the data directory") {
        let entry = entry.expect("an entry");
        assert_eq!(mode(&entry.path()), 0o600, "{:?}", entry.file_name());
        names.push(entry.file_name().into_string().expect("text"));
    }
    names.sort();
    assert_eq!(names, ["owner.lock", "retrace.db", "retrace.db-shm", "retrace.db-wal"]);
}
