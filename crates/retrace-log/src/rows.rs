//! Small questions to the tables that several modules ask, and the numbers that stand for words in them.

use crate::LogError;
use crate::chain::{self, GENESIS};
use retrace_model::{Actor, MemoryId, RelPath, Sha256, StoreId, VersionOperation};
use rusqlite::{Connection, OptionalExtension as _};

/// `versions.change`: what a version did. A move is a modification whose memory stood at another path before; it has a
/// number of its own so that only moves are asked for their former path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    Created = 1,
    Modified = 2,
    Deleted = 3,
    Moved = 4,
}

impl ChangeKind {
    pub(crate) fn from_number(number: i64) -> Option<Self> {
        [Self::Created, Self::Modified, Self::Deleted, Self::Moved]
            .into_iter()
            .find(|kind| kind.number() == number)
    }

    pub(crate) const fn number(self) -> i64 {
        self as i64
    }

    pub(crate) const fn operation(self) -> VersionOperation {
        match self {
            Self::Created => VersionOperation::Created,
            Self::Modified | Self::Moved => VersionOperation::Modified,
            Self::Deleted => VersionOperation::Deleted,
        }
    }
}

/// A number the caller gave, as far as the database can hold it.
pub(crate) fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The digest and number of the newest operation.
pub(crate) fn head_of_chain(connection: &Connection) -> Result<(Sha256, u64), LogError> {
    let found: Option<(u64, Vec<u8>)> = connection
        .prepare_cached("SELECT seq, digest FROM operations ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match found {
        None => Ok((GENESIS, 0)),
        Some((seq, digest)) => Ok((hash_from(&digest)?, seq)),
    }
}

pub(crate) fn last_version(connection: &Connection) -> Result<u64, LogError> {
    let last: Option<u64> =
        connection.prepare_cached("SELECT max(seq) FROM versions")?.query_row([], |row| row.get(0))?;
    Ok(last.unwrap_or(0))
}

/// Place of the newest version after the operation `seq`; 0 before the first.
pub(crate) fn last_version_of(connection: &Connection, operation: u64) -> Result<u64, LogError> {
    let last: Option<u64> = connection
        .prepare_cached(
            "SELECT first_version + created + modified + deleted - 1 FROM operations WHERE seq <= ?1
             ORDER BY seq DESC LIMIT 1",
        )?
        .query_row([bound(operation)], |row| row.get(0))
        .optional()?;
    Ok(last.unwrap_or(0))
}

pub(crate) fn hash_from(bytes: &[u8]) -> Result<Sha256, LogError> {
    bytes.try_into().map(Sha256).map_err(|_| LogError::Damaged(say::hash_wrong_length()))
}

pub(crate) fn salt_from(bytes: &[u8]) -> Result<[u8; 16], LogError> {
    bytes.try_into().map_err(|_| LogError::Damaged(say::salt_wrong_length()))
}

pub(crate) fn store_id(bytes: &[u8]) -> Result<StoreId, LogError> {
    let id = bytes.try_into().map(StoreId);
    id.map_err(|_| LogError::Damaged(say::store_id_wrong_length()))
}

pub(crate) fn memory_id(bytes: &[u8]) -> Result<MemoryId, LogError> {
    let id = bytes.try_into().map(MemoryId);
    id.map_err(|_| LogError::Damaged(say::memory_id_wrong_length()))
}

pub(crate) fn path_from(bytes: Vec<u8>) -> Result<RelPath, LogError> {
    RelPath::from_bytes(bytes).map_err(|error| LogError::Damaged(say::path_not_one(error)))
}

/// The row of a store.
pub(crate) fn store_row(connection: &Connection, id: StoreId) -> Result<i64, LogError> {
    connection
        .prepare_cached("SELECT id FROM stores WHERE public = ?1")?
        .query_row([&id.0[..]], |row| row.get(0))
        .optional()?
        .ok_or_else(|| unknown_store(id))
}

pub(crate) fn unknown_store(id: StoreId) -> LogError {
    LogError::NotFound { what: "store", name: id.to_string() }
}

/// The row of a memory.
pub(crate) fn memory_row(connection: &Connection, id: MemoryId) -> Result<i64, LogError> {
    connection
        .prepare_cached("SELECT id FROM memories WHERE public = ?1")?
        .query_row([&id.0[..]], |row| row.get(0))
        .optional()?
        .ok_or_else(|| LogError::NotFound { what: "memory", name: id.to_string() })
}

/// The row of a path, where the log has it.
pub(crate) fn path_row(connection: &Connection, path: &RelPath) -> Result<Option<i64>, LogError> {
    Ok(connection
        .prepare_cached("SELECT id FROM paths WHERE bytes = ?1")?
        .query_row([path.as_bytes()], |row| row.get(0))
        .optional()?)
}

/// The row of a path, made when there was none; whether there was one.
pub(crate) fn intern_path(connection: &Connection, path: &RelPath) -> Result<(i64, bool), LogError> {
    if let Some(row) = path_row(connection, path)? {
        return Ok((row, true));
    }
    connection.prepare_cached("INSERT INTO paths (bytes) VALUES (?1)")?.execute([path.as_bytes()])?;
    Ok((connection.last_insert_rowid(), false))
}

/// The row of an actor, made when there was none; `None` for the unknown one.
pub(crate) fn intern_actor(connection: &Connection, actor: &Actor) -> Result<Option<i64>, LogError> {
    let (kind, name, evidence) = chain::actor_fields(actor);
    if *actor == Actor::Unknown {
        return Ok(None);
    }
    let found = connection
        .prepare_cached("SELECT id FROM actors WHERE type = ?1 AND name = ?2 AND evidence = ?3")?
        .query_row([kind, name, evidence], |row| row.get(0))
        .optional()?;
    if found.is_some() {
        return Ok(found);
    }
    connection
        .prepare_cached("INSERT INTO actors (type, name, evidence) VALUES (?1, ?2, ?3)")?
        .execute([kind, name, evidence])?;
    Ok(Some(connection.last_insert_rowid()))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "rows";
    hash_wrong_length() => "a hash has the wrong length",
    salt_wrong_length() => "a salt has the wrong length",
    store_id_wrong_length() => "a store id has the wrong length",
    memory_id_wrong_length() => "a memory id has the wrong length",
    path_not_one(error) => "a path is not one: {error}",
}

/// The first of some rows, newest first, with those behind it that were done together with it.
pub(crate) fn newest_together<T, K: PartialEq>(
    rows: impl Iterator<Item = rusqlite::Result<T>>,
    of: impl Fn(&T) -> K,
) -> Result<Vec<T>, LogError> {
    let mut newest: Vec<T> = Vec::new();
    for row in rows {
        let row = row?;
        if newest.first().is_some_and(|first| of(first) != of(&row)) {
            break;
        }
        newest.push(row);
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_change_has_its_own_number() {
        let kinds = [ChangeKind::Created, ChangeKind::Modified, ChangeKind::Deleted, ChangeKind::Moved];
        for kind in kinds {
            assert_eq!(ChangeKind::from_number(kind.number()), Some(kind));
        }
        assert_eq!([0, 5, -1].map(ChangeKind::from_number), [None; 3]);
    }

    #[test]
    fn a_number_too_large_for_the_database_is_cut() {
        assert_eq!([0, 7, u64::MAX].map(bound), [0, 7, i64::MAX]);
    }
}
