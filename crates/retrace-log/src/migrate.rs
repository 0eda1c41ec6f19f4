//! Migrations: numbered SQL files applied in order, counted in `user_version`, each all or nothing, forward only.

use crate::LogError;
use rusqlite::{Connection, TransactionBehavior};

/// Marks the file as ours: "RTRC".
const APPLICATION_ID: i64 = 0x5254_5243;

/// Every migration, oldest first. Released ones are never edited.
const MIGRATIONS: &[&str] = &[include_str!("schema/0001_init.sql")];

/// Newest format this program knows.
pub(crate) const FORMAT: i64 = MIGRATIONS.len() as i64;

/// Brings the schema up to date.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), LogError> {
    if format_of(connection)? == FORMAT {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated while this one waited.
    let found = format_of(&transaction)?;
    for (number, sql) in MIGRATIONS.iter().enumerate().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", number as i64 + 1)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.commit()?;
    Ok(())
}

/// Refuses a database that is not ours, newer than the program, or not yet made.
pub(crate) fn check(connection: &Connection) -> Result<(), LogError> {
    let found = format_of(connection)?;
    if found < FORMAT {
        return Err(LogError::Invalid(format!(
            "the database has format {found}; it is brought to format {FORMAT} when it is opened for writing"
        )));
    }
    Ok(())
}

fn format_of(connection: &Connection) -> Result<i64, LogError> {
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let application: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables > 0 && application != APPLICATION_ID {
        return Err(LogError::Damaged("the file is a database of another program".to_owned()));
    }
    if found > FORMAT {
        return Err(LogError::Newer { found, known: FORMAT });
    }
    if found < 0 {
        return Err(LogError::Damaged(format!("the database claims format {found}")));
    }
    Ok(found)
}
