//! Migrations: numbered SQL files applied in order, counted in `user_version`, each all or nothing, forward only.

use crate::LogError;
use rusqlite::{Connection, TransactionBehavior};

/// Marks the file as ours: "RTRC".
pub(crate) const APPLICATION_ID: i64 = 0x5254_5243;

/// Every migration, oldest first. Released ones are never edited.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/0001_init.sql"),
    include_str!("schema/0002_reviews.sql"),
    include_str!("schema/0003_origins.sql"),
    include_str!("schema/0004_rebuilt.sql"),
    include_str!("schema/0005_api_stores.sql"),
    include_str!("schema/0006_prompts.sql"),
    include_str!("schema/0007_remotes.sql"),
    include_str!("schema/0008_unsettled.sql"),
    include_str!("schema/0009_remotes_more.sql"),
    include_str!("schema/0010_put_back.sql"),
    include_str!("schema/0011_texts.sql"),
    include_str!("schema/0012_redaction_tags.sql"),
    include_str!("schema/0013_written.sql"),
    include_str!("schema/0014_places.sql"),
    include_str!("schema/0015_rules.sql"),
    include_str!("schema/0016_made.sql"),
    include_str!("schema/0017_guards.sql"),
    include_str!("schema/0018_broken_rules.sql"),
    include_str!("schema/0019_taken_back.sql"),
    include_str!("schema/0020_git_imports.sql"),
    include_str!("schema/0021_permissions.sql"),
    include_str!("schema/0022_origin_seen.sql"),
    include_str!("schema/0023_memory_modes.sql"),
    include_str!("schema/0024_redacted_parts.sql"),
];

/// Newest format this program knows.
pub(crate) const FORMAT: i64 = MIGRATIONS.len() as i64;

/// Refuses a database that is not ours or newer than the program; answers its format, 0 for an empty file.
pub(crate) fn format_of(connection: &Connection) -> Result<i64, LogError> {
    // All of it from one state: another process may be making the log at this moment.
    let _state = if connection.is_autocommit() { Some(connection.unchecked_transaction()?) } else { None };
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let application: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let empty = tables == 0 && found == 0 && application == 0;
    if !empty && application != APPLICATION_ID {
        return Err(LogError::Damaged(say::file_database_another_program()));
    }
    if found > FORMAT {
        return Err(LogError::Newer { found, known: FORMAT });
    }
    if found < 0 || (found == 0) != empty {
        return Err(LogError::Damaged(say::database_claims_format_tables(found, tables)));
    }
    Ok(found)
}

/// Brings the schema up to date.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), LogError> {
    migrate_to(connection, FORMAT)
}

/// Brings the schema to a format that is not older than its own.
pub(crate) fn migrate_to(connection: &mut Connection, format: i64) -> Result<(), LogError> {
    if format_of(connection)? >= format {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated while this one waited.
    let found = format_of(&transaction)?;
    for (number, sql) in (1..).zip(MIGRATIONS).filter(|(number, _)| (found + 1..=format).contains(number)) {
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", number)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.commit()?;
    Ok(())
}

/// Refuses a database that is not ours, newer than the program, or not up to date, which only a writer makes it.
pub(crate) fn check(connection: &Connection) -> Result<(), LogError> {
    let found = format_of(connection)?;
    if found < FORMAT {
        return Err(LogError::Invalid(say::database_format_brought_format_when(found, FORMAT)));
    }
    Ok(())
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "migrate";
    file_database_another_program() => "the file is a database of another program",
    database_claims_format_tables(found, tables) => "the database claims format {found} and has {tables} tables",
    database_format_brought_format_when(found, value) => "the database has format {found}; it is brought to format {value} when it is opened for writing",
}
