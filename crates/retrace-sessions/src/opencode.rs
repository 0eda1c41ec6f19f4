//! Sessions of opencode, which it keeps in one SQLite database (1.18). A session has a path of its own below the database's file,
//! `opencode.db/ses_…`, and its content is the session as `opencode export` writes it, one message a line.
//!
//! The database is read while opencode runs, and no file is made beside it: where another program has it open, as one more
//! reader; where none has, from the files as they are.

use crate::identity::Identity;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) mod growing;

/// Name of the database.
pub(crate) const DATABASE: &str = "opencode.db";

/// Its log of changes.
const LOG: &str = "opencode.db-wal";

/// Beginning of a session's id.
const SESSION: &str = "ses_";

/// How long another program's write is waited for.
const BUSY: Duration = Duration::from_secs(2);

/// How often the files are read again when they changed meanwhile.
const ATTEMPTS: usize = 3;

/// The database and the id of a session's path; `None` for any other path.
pub(crate) fn session_of(path: &Path) -> Option<(&Path, &str)> {
    let id = path.file_name()?.to_str().filter(|id| id.starts_with(SESSION))?;
    let database = path.parent()?;
    database.file_name().is_some_and(|name| name == DATABASE).then_some((database, id))
}

/// Sessions of a database with what tells whether they changed: by path.
///
/// # Errors
/// What the system or the database says. A file that is no such database is an error of the kind `InvalidData`.
pub(crate) fn sessions(database: &Path) -> io::Result<Vec<(PathBuf, Identity)>> {
    let file = Identity::of(&std::fs::metadata(database)?);
    read(database, |connection| {
        if !is_made(connection)? {
            return Ok(Vec::new());
        }
        let mut parts = HashMap::new();
        let mut statement = connection.prepare(
            "SELECT session_id, count(*), max(time_updated), sum(length(CAST(data AS BLOB))) FROM part GROUP BY session_id",
        )?;
        let rows = statement.query_map([], |row| {
            Ok((row.get::<_, String>(0)?, [row.get::<_, i64>(1)?, row.get(2)?, row.get(3)?]))
        })?;
        for row in rows {
            let (session, figures) = row?;
            parts.insert(session, figures);
        }
        let mut statement = connection.prepare("SELECT id, time_updated FROM session ORDER BY id")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
        let mut found = Vec::new();
        for row in rows {
            let (id, updated) = row?;
            if !id.starts_with(SESSION) || id.contains(['/', '\\']) {
                continue;
            }
            let identity = of_figures(file, updated, parts.get(&id).copied().unwrap_or_default());
            found.push((database.join(id), identity));
        }
        Ok(found)
    })
}

/// False while opencode makes the database, table after table, when it starts for the first time: there is no session yet.
fn is_made(connection: &Connection) -> rusqlite::Result<bool> {
    let query =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('session', 'message', 'part')";
    connection.query_row(query, [], |row| Ok(row.get::<_, i64>(0)? == 3))
}

/// What tells whether a session changed: of its parts the number, the last change and the bytes.
fn of_figures(file: Identity, updated: i64, [count, part_updated, bytes]: [i64; 3]) -> Identity {
    Identity {
        size: u64::try_from(bytes).unwrap_or(0),
        modified: updated.max(part_updated).saturating_mul(1_000_000),
        changed: count,
        ..file
    }
}

/// The same of one session.
///
/// # Errors
/// As [`content`].
pub(crate) fn identity(database: &Path, id: &str) -> io::Result<Identity> {
    let file = Identity::of(&std::fs::metadata(database)?);
    let found = read(database, |connection| {
        let updated = connection
            .query_row("SELECT time_updated FROM session WHERE id = ?1", [id], |row| row.get::<_, i64>(0))
            .optional()?;
        let figures = connection.query_row(
            "SELECT count(*), coalesce(max(time_updated), 0), coalesce(sum(length(CAST(data AS BLOB))), 0) \
             FROM part WHERE session_id = ?1",
            [id],
            |row| Ok([row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?]),
        )?;
        Ok(updated.map(|updated| of_figures(file, updated, figures)))
    })?;
    found.ok_or_else(no_such_session)
}

/// A session as its export has it.
///
/// # Errors
/// As [`sessions`]; `NotFound` where it is not in the database.
pub(crate) fn content(database: &Path, id: &str) -> io::Result<Vec<u8>> {
    let exported = read(database, |connection| export(connection, id))?;
    exported.map(|lines| bytes_of(&lines)).ok_or_else(no_such_session)
}

/// The version of the newest session that names one, with the session's path. `None` too where the database cannot be read.
pub(crate) fn newest_version(database: &Path) -> Option<(String, PathBuf)> {
    let found = read(database, |connection| {
        if !is_made(connection)? {
            return Ok(None);
        }
        let mut statement = connection.prepare(
            "SELECT version, id FROM session WHERE version <> '' ORDER BY time_updated DESC, id DESC LIMIT 1",
        )?;
        statement.query_row([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?))).optional()
    });
    found.ok().flatten().map(|(version, id)| (version, database.join(id)))
}

fn no_such_session() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "no such session")
}

/// The session, then each of its messages.
fn export(connection: &Connection, id: &str) -> rusqlite::Result<Option<Vec<Value>>> {
    // One state of the database.
    connection.execute_batch("BEGIN DEFERRED")?;
    let lines = export_now(connection, id)?;
    connection.execute_batch("COMMIT")?;
    Ok(lines)
}

/// The same, in the transaction that runs.
fn export_now(connection: &Connection, id: &str) -> rusqlite::Result<Option<Vec<Value>>> {
    let mut statement = connection.prepare("SELECT * FROM session WHERE id = ?1")?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let row = statement.query_row([id], |row| {
        let mut fields = HashMap::new();
        for (at, column) in columns.iter().enumerate() {
            fields.insert(column.as_str(), row.get::<_, rusqlite::types::Value>(at)?);
        }
        Ok(fields)
    });
    let Some(fields) = row.optional()? else { return Ok(None) };
    let text = |column: &str| match fields.get(column) {
        Some(rusqlite::types::Value::Text(text)) => Value::from(text.as_str()),
        Some(rusqlite::types::Value::Integer(number)) => Value::from(*number),
        Some(rusqlite::types::Value::Real(number)) => Value::from(*number),
        _ => Value::Null,
    };
    let mut info = Map::new();
    for (name, column) in [
        ("id", "id"),
        ("parentID", "parent_id"),
        ("directory", "directory"),
        ("title", "title"),
        ("version", "version"),
        ("agent", "agent"),
        ("cost", "cost"),
    ] {
        info.insert(name.to_owned(), text(column));
    }
    info.insert("rootID".to_owned(), root_of(connection, id)?.map_or(Value::Null, Value::from));
    info.insert(
        "time".to_owned(),
        serde_json::json!({"created": text("time_created"), "updated": text("time_updated")}),
    );
    let mut parts: HashMap<String, Vec<Value>> = HashMap::new();
    let mut statement = connection
        .prepare("SELECT message_id, id, data FROM part WHERE session_id = ?1 ORDER BY message_id, id")?;
    let rows = statement.query_map([id], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
    })?;
    for row in rows {
        let (message, part, data) = row?;
        parts.entry(message).or_default().push(with_id(&data, part));
    }
    let mut statement =
        connection.prepare("SELECT id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id")?;
    let rows = statement.query_map([id], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let mut lines = vec![serde_json::json!({ "info": info })];
    for row in rows {
        let (message, data) = row?;
        let parts = parts.remove(&message).unwrap_or_default();
        lines.push(message_line(&data, message, &parts));
    }
    Ok(Some(lines))
}

fn message_line(data: &str, id: String, parts: &[Value]) -> Value {
    serde_json::json!({"info": with_id(data, id), "parts": parts})
}

/// As bytes, one a line.
fn bytes_of(lines: &[Value]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        bytes.extend_from_slice(line.to_string().as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// What a row holds, with its id. A row that cannot be read stays as its text, under a type that is not known.
fn with_id(data: &str, id: String) -> Value {
    let mut value = match serde_json::from_str(data) {
        Ok(value @ Value::Object(_)) => value,
        _ => serde_json::json!({"type": "unreadable", "text": data}),
    };
    value["id"] = id.into();
    value
}

/// Longest chain of sessions above one.
const DEPTH: usize = 32;

/// The first session above a subagent's.
fn root_of(connection: &Connection, id: &str) -> rusqlite::Result<Option<String>> {
    let mut statement = connection.prepare("SELECT parent_id FROM session WHERE id = ?1")?;
    let mut above: Option<String> = None;
    for _ in 0..DEPTH {
        let of = above.as_deref().unwrap_or(id).to_owned();
        let parent: Option<Option<String>> = statement.query_row([of], |row| row.get(0)).optional()?;
        match parent.flatten() {
            Some(parent) => above = Some(parent),
            None => break,
        }
    }
    Ok(above)
}

/// The state of the files of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Files(Identity, Option<Identity>);

impl Files {
    fn of(database: &Path) -> io::Result<Self> {
        let log = std::fs::metadata(beside(database, "-wal")).ok().map(|metadata| Identity::of(&metadata));
        Ok(Self(Identity::of(&std::fs::metadata(database)?), log))
    }

    fn has_log(&self) -> bool {
        self.1.is_some_and(|log| log.size > 0)
    }
}

fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// A larger database that a program left behind is not copied.
const LARGEST_COPY: u64 = 1 << 30;

/// Reads from a database. Without a log of changes it is read as a file that does not change; with one that a running program
/// shares, as that program's reader. With a log that is not shared, as in a copy of a home, a reader would have to make a
/// file beside it: so a private copy is read. What is not shared, or failed, is read again where the files changed meanwhile.
fn read<T>(database: &Path, work: impl Fn(&Connection) -> rusqlite::Result<T>) -> io::Result<T> {
    for attempt in 1..=ATTEMPTS {
        let before = Files::of(database)?;
        let is_shared = before.has_log() && beside(database, "-shm").exists();
        let done = match (before.has_log(), is_shared) {
            (false, _) => open(database, "immutable=1").and_then(|connection| work(&connection)),
            (true, true) => open(database, "mode=ro").and_then(|connection| work(&connection)),
            (true, false) => {
                let copy = copied(database, &before)?;
                open(&copy.path().join(DATABASE), "mode=ro").and_then(|connection| work(&connection))
            }
        };
        // The program may have ended between, and taken what is shared with it.
        if (is_shared && done.is_ok()) || attempt == ATTEMPTS || Files::of(database)? == before {
            return done.map_err(io_error);
        }
    }
    Err(io::Error::other("the database changes all the time"))
}

/// The database and its log in a directory that its owner alone can read, and that goes with the answer.
fn copied(database: &Path, files: &Files) -> io::Result<tempfile::TempDir> {
    if files.0.size.saturating_add(files.1.map_or(0, |log| log.size)) > LARGEST_COPY {
        return Err(io::Error::other("its last changes are in no file of their own: start opencode once"));
    }
    let folder = tempfile::tempdir()?;
    for (from, name) in [(database.to_owned(), DATABASE), (beside(database, "-wal"), LOG)] {
        std::fs::copy(from, folder.path().join(name))?;
    }
    Ok(folder)
}

fn open(database: &Path, mode: &str) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(address(database, mode), flags)?;
    connection.busy_timeout(BUSY)?;
    connection.execute_batch("PRAGMA query_only = 1")?;
    Ok(connection)
}

/// The path as an address of SQLite.
fn address(database: &Path, mode: &str) -> String {
    let mut address = "file:".to_owned();
    for &byte in database.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'~' | b':' => address.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => address.push(char::from(byte)),
            byte => address.push_str(&format!("%{byte:02x}")),
        }
    }
    format!("{address}?{mode}")
}

fn io_error(error: rusqlite::Error) -> io::Error {
    use rusqlite::ErrorCode;
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt | ErrorCode::Unknown) => {
            io::ErrorKind::InvalidData
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => io::ErrorKind::WouldBlock,
        Some(ErrorCode::PermissionDenied) => io::ErrorKind::PermissionDenied,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn database(folder: &Path) -> (PathBuf, Connection) {
        let path = folder.join(DATABASE);
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL;
                 CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT, cost REAL,
                    time_created INTEGER, time_updated INTEGER);
                 CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
                 CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
                 INSERT INTO session VALUES ('ses_1', NULL, '/w', 'A port', '1.18.33', 0.5, 1000, 2000),
                    ('ses_2', 'ses_1', '/w', 'Sub', '1.18.33', 0, 1000, 2000),
                    ('ses_3', 'ses_2', '/w', 'Deep', '1.18.33', 0, 1000, 2000), ('other', NULL, '/w', '', '', 0, 1, 1);
                 INSERT INTO message VALUES ('msg_1', 'ses_1', 1000, 1000, '{\"role\":\"user\"}'),
                    ('msg_2', 'ses_1', 1001, 1001, 'broken');
                 INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', 1000, 3000, '{\"type\":\"text\",\"text\":\"Hi\"}');",
            )
            .unwrap();
        (path, connection)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn exported(path: &Path, id: &str) -> Vec<Value> {
        let bytes = content(path, id).unwrap();
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
    }

    #[test]
    fn sessions_are_read_while_they_are_written_and_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let (path, writer) = database(folder.path());
        writer.execute_batch("BEGIN; UPDATE session SET title = 'Not yet' WHERE id = 'ses_1'").unwrap();
        let open = names(folder.path());
        let found = sessions(&path).unwrap();
        let ids: Vec<_> = found.iter().map(|(path, _)| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(ids, ["ses_1", "ses_2", "ses_3"]);
        assert_eq!((found[0].1.modified, found[0].1.changed), (3_000_000_000, 1));
        assert!(found.iter().all(|(session, identity)| crate::identity(session).unwrap() == *identity));
        let session = exported(&path, "ses_1");
        assert_eq!(session[0]["info"]["title"], "A port");
        assert_eq!(
            session[1],
            json!({"info": {"role": "user", "id": "msg_1"},
            "parts": [{"type": "text", "text": "Hi", "id": "prt_1"}]})
        );
        assert_eq!(session[2]["info"]["type"], "unreadable");
        assert_eq!(exported(&path, "ses_3")[0]["info"]["rootID"], "ses_1");
        assert_eq!(newest_version(&path), Some(("1.18.33".to_owned(), path.join("ses_3"))));
        assert_eq!(newest_version(&folder.path().join("other.db")), None);
        assert_eq!(names(folder.path()), open);
        writer.execute_batch("COMMIT").unwrap();
        assert_eq!(exported(&path, "ses_1")[0]["info"]["title"], "Not yet");
        assert_eq!(content(&path, "ses_9").unwrap_err().kind(), io::ErrorKind::NotFound);
        // What a program that ended in the middle left behind: a copy without the shared file.
        let left = tempfile::tempdir().unwrap();
        for name in [DATABASE, "opencode.db-wal"] {
            std::fs::copy(folder.path().join(name), left.path().join(name)).unwrap();
        }
        assert_eq!(exported(&left.path().join(DATABASE), "ses_1")[0]["info"]["title"], "Not yet");
        assert_eq!(names(left.path()), [DATABASE, "opencode.db-wal"]);
        // Everything is in the file then.
        drop(writer);
        assert_eq!(names(folder.path()), [DATABASE]);
        assert_eq!(exported(&path, "ses_1")[0]["info"]["title"], "Not yet");
        assert_eq!(names(folder.path()), [DATABASE]);
    }

    #[test]
    fn a_database_that_is_being_made_has_no_sessions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(DATABASE);
        std::fs::write(&path, "").unwrap();
        let none = |path: &Path| {
            let growing = growing::growing(path, &HashMap::new()).unwrap();
            sessions(path).unwrap().is_empty() && growing.is_empty()
        };
        assert!(none(&path));
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE migration (id TEXT);").unwrap();
        assert!(none(&path));
        writer
            .execute_batch("CREATE TABLE session (id TEXT, time_updated INTEGER); INSERT INTO session VALUES ('ses_1', 1)")
            .unwrap();
        assert!(none(&path));
        writer
            .execute_batch(
                "CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
                 CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)",
            )
            .unwrap();
        assert!(!none(&path));
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(DATABASE);
        std::fs::write(&path, "no database at all, but long enough to be looked at as one").unwrap();
        assert_eq!(sessions(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(sessions(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(
            session_of(Path::new("/a/opencode.db/ses_1")),
            Some((Path::new("/a/opencode.db"), "ses_1"))
        );
        assert_eq!(session_of(Path::new("/a/other.db/ses_1")), None);
        assert_eq!(session_of(Path::new("/a/opencode.db/x")), None);
    }
}
