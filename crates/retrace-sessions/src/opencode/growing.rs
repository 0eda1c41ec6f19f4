//! Sessions of a database while they go on. opencode (1.18) keeps a list of what changed (tables `event_sequence` and `event`), numbered
//! for each session: it tells which sessions changed since a number, and which of their messages. So what is new is read without
//! the rest. A database without that list tells that a session changed by its time alone.

use super::{
    DATABASE, Files, bytes_of, export_now, is_made, message_line, no_such_session, read, session_of, with_id,
};
use crate::identity::Identity;
use crate::roots::{RootKind, Roots};
use rusqlite::{Connection, OptionalExtension as _};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};

/// The files of a database as they were: equal ones hold the same sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatabaseState(Files);

/// The databases of sessions below `roots` that are there.
#[must_use]
pub fn databases(roots: &Roots) -> Vec<PathBuf> {
    let of_opencode = roots.0.iter().filter(|root| root.kind == RootKind::Opencode);
    let files = of_opencode.map(|root| root.path.join(DATABASE));
    // No link is followed.
    files.filter(|file| std::fs::symlink_metadata(file).is_ok_and(|metadata| metadata.is_file())).collect()
}

/// The database that a file belongs to: itself, or as its log of changes.
#[must_use]
pub fn database_of(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let is_part = name.strip_prefix(DATABASE).is_some_and(|ending| ["", "-wal"].contains(&ending));
    is_part.then(|| file.with_file_name(DATABASE))
}

/// What tells whether anything in a database changed, without opening it.
///
/// # Errors
/// What the system says.
pub fn database_state(database: &Path) -> io::Result<DatabaseState> {
    Files::of(database).map(DatabaseState)
}

/// Sessions of a database with what tells whether they went on: the size is the number of their last change, and `modified` the time
/// of it. One that is as in `known` is not looked at.
///
/// # Errors
/// What the system or the database says.
pub fn growing(database: &Path, known: &HashMap<PathBuf, Identity>) -> io::Result<Vec<(PathBuf, Identity)>> {
    let file = Identity::of(&std::fs::metadata(database)?);
    read(database, |connection| {
        let mut found = Vec::new();
        for (id, number) in numbers(connection, None)? {
            let path = database.join(&id);
            if session_of(&path).is_none() {
                continue;
            }
            let as_before = known.get(&path).filter(|known| known.size == number && known.same_file(&file));
            let identity = match as_before {
                Some(known) => *known,
                None => as_it_is(connection, file, &id, number)?,
            };
            found.push((path, identity));
        }
        Ok(found)
    })
}

/// The same of one session.
///
/// # Errors
/// As [`growing`]; `NotFound` where it is not in the database.
pub fn growing_session(path: &Path) -> io::Result<Identity> {
    let (database, id) = session_of(path).ok_or_else(no_such_session)?;
    let file = Identity::of(&std::fs::metadata(database)?);
    let found = read(database, |connection| match numbers(connection, Some(id))?.pop() {
        Some((id, number)) => as_it_is(connection, file, &id, number).map(Some),
        None => Ok(None),
    })?;
    found.ok_or_else(no_such_session)
}

/// A session as its export has it, and the number of its last change then.
///
/// # Errors
/// As [`growing_session`].
pub fn read_growing(path: &Path) -> io::Result<(Vec<u8>, u64)> {
    let (database, id) = session_of(path).ok_or_else(no_such_session)?;
    let found = read(database, |connection| {
        in_one_state(connection, || {
            let number = numbers(connection, Some(id))?.pop().map(|(_, number)| number);
            Ok(number.zip(export_now(connection, id)?))
        })
    })?;
    found.map(|(number, lines)| (bytes_of(&lines), number)).ok_or_else(no_such_session)
}

/// What changed in a session since a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grown {
    /// Messages, as lines of the export in the order of the session: new ones, and those of which more is known.
    Messages(Vec<u8>),
    /// Messages or parts of them were taken out.
    Less,
    /// The list of changes does not tell.
    Untold,
}

/// What changed in a session since the change of this number, and the number of its last one.
///
/// # Errors
/// As [`growing_session`].
pub fn grown_since(path: &Path, since: u64) -> io::Result<(Grown, u64)> {
    let (database, id) = session_of(path).ok_or_else(no_such_session)?;
    let found = read(database, |connection| {
        in_one_state(connection, || {
            let Some((_, number)) = numbers(connection, Some(id))?.pop() else { return Ok(None) };
            Ok(Some((changes(connection, id, since, number)?, number)))
        })
    })?;
    found.ok_or_else(no_such_session)
}

fn in_one_state<T>(
    connection: &Connection,
    work: impl FnOnce() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.execute_batch("BEGIN DEFERRED")?;
    let done = work()?;
    connection.execute_batch("COMMIT")?;
    Ok(done)
}

/// Sessions with the number of their last change, counted from 1; where there is no list, with the time of it.
fn numbers(connection: &Connection, of: Option<&str>) -> rusqlite::Result<Vec<(String, u64)>> {
    if !is_made(connection)? {
        return Ok(Vec::new());
    }
    let query = match has_list(connection)? {
        true => {
            "SELECT s.id, coalesce(e.seq + 1, 0) FROM session s LEFT JOIN event_sequence e ON e.aggregate_id = s.id \
             WHERE ?1 IS NULL OR s.id = ?1"
        }
        false => "SELECT id, time_updated FROM session WHERE ?1 IS NULL OR id = ?1",
    };
    let mut statement = connection.prepare(query)?;
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0)));
    statement.query_map([of], row)?.collect()
}

fn has_list(connection: &Connection) -> rusqlite::Result<bool> {
    let query =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('event', 'event_sequence')";
    connection.query_row(query, [], |row| Ok(row.get::<_, i64>(0)? == 2))
}

/// What tells of a session: its time is that of the last of the session, its last message and that one's parts.
fn as_it_is(connection: &Connection, file: Identity, id: &str, number: u64) -> rusqlite::Result<Identity> {
    let time = |query: &str, of: &str| {
        connection.query_row(query, [of], |row| row.get::<_, Option<i64>>(0)).optional()
    };
    let mut last = time("SELECT time_updated FROM session WHERE id = ?1", id)?.flatten().unwrap_or(0);
    let message = connection
        .query_row(
            "SELECT id, time_updated FROM message WHERE session_id = ?1 ORDER BY time_created DESC, id DESC LIMIT 1",
            [id],
            |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)),
        )
        .optional()?;
    if let Some((message, updated)) = message {
        let parts = time("SELECT max(time_updated) FROM part WHERE message_id = ?1", &message)?.flatten();
        last = last.max(updated).max(parts.unwrap_or(0));
    }
    Ok(Identity { size: number, modified: last.saturating_mul(1_000_000), changed: 0, ..file })
}

/// What a change says it is about.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct About {
    part: Named,
    info: Named,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Named {
    id: Option<String>,
    #[serde(rename = "messageID")]
    message: Option<String>,
}

fn changes(connection: &Connection, id: &str, since: u64, number: u64) -> rusqlite::Result<Grown> {
    if number == since {
        return Ok(Grown::Messages(Vec::new()));
    }
    if number < since || !has_list(connection)? {
        return Ok(Grown::Untold);
    }
    let mut statement = connection
        .prepare("SELECT type, data FROM event WHERE aggregate_id = ?1 AND seq >= ?2 ORDER BY seq")?;
    let first = i64::try_from(since).unwrap_or(i64::MAX);
    let rows =
        statement.query_map((id, first), |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let (mut messages, mut count) = (Vec::new(), 0);
    for row in rows {
        let (kind, data) = row?;
        count += 1;
        // The name ends with its version.
        let kind = kind.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        let about = || serde_json::from_str::<About>(&data).unwrap_or_default();
        let message = match kind {
            "message.updated" => about().info.id,
            "message.part.updated" => about().part.message,
            "message.removed" | "message.part.removed" => return Ok(Grown::Less),
            other if other.starts_with("message.") => return Ok(Grown::Untold),
            _ => continue,
        };
        match message {
            Some(message) => messages.push(message),
            None => return Ok(Grown::Untold),
        }
    }
    // Some are not there any more.
    if count != number - since {
        return Ok(Grown::Untold);
    }
    lines(connection, id, messages)
}

/// These messages as lines, in the order of the session.
fn lines(connection: &Connection, id: &str, mut messages: Vec<String>) -> rusqlite::Result<Grown> {
    messages.sort();
    messages.dedup();
    let mut in_order = BTreeMap::new();
    let mut of_message =
        connection.prepare("SELECT time_created, data FROM message WHERE id = ?1 AND session_id = ?2")?;
    let mut of_parts = connection.prepare("SELECT id, data FROM part WHERE message_id = ?1 ORDER BY id")?;
    for message in messages {
        let row = of_message
            .query_row((&message, id), |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))
            .optional()?;
        // It was taken out after it was written.
        let Some((created, data)) = row else { return Ok(Grown::Less) };
        let rows =
            of_parts.query_map([&message], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let parts = rows.map(|row| row.map(|(part, data)| with_id(&data, part)));
        let parts = parts.collect::<rusqlite::Result<Vec<_>>>()?;
        in_order.insert((created, message.clone()), message_line(&data, message, &parts));
    }
    Ok(Grown::Messages(bytes_of(&in_order.into_values().collect::<Vec<_>>())))
}
