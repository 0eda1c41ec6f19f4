//! Hooks that guard rules. Nothing is updated: what was taken out of the settings stays in the log.

use crate::rows;
use crate::writer::Act;
use crate::{LogError, Reader};
pub use retrace_model::records::KeptGuard;
use retrace_model::{Actor, Timestamp};
use rusqlite::{Row, params};

/// An act on a guard that can be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardAct {
    /// The guard; `seq` and `at` are those of the act.
    pub guard: KeptGuard,
    /// True if it took the guard out.
    pub is_removal: bool,
}

impl Act<'_> {
    /// Records that a guard was put into settings. `seq` of `guard` is not used.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn add_guard(&mut self, person: &Actor, guard: &KeptGuard) -> Result<(), LogError> {
        self.whole(|act| insert(act, person, guard, guard.at, (None, None)))
    }

    /// Records that a guard was taken out.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn remove_guard(&mut self, person: &Actor, at: Timestamp, guard: &KeptGuard) -> Result<(), LogError> {
        self.whole(|act| insert(act, person, guard, at, (Some(guard.seq), None)))
    }

    /// Records that an act on a guard was taken back: what it put in is out, and what it took out is in again, as `act.guard`
    /// says. `standing` is the guard that is out now, which may have been put in by an undo; `None` where one is in again.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn take_back_guard(
        &mut self,
        person: &Actor,
        at: Timestamp,
        act: &GuardAct,
        standing: Option<u64>,
    ) -> Result<(), LogError> {
        self.whole(|log| insert(log, person, &act.guard, at, (standing, Some(act.guard.seq))))
    }
}

fn insert(
    act: &mut Act<'_>,
    person: &Actor,
    guard: &KeptGuard,
    at: Timestamp,
    (undoes, takes_back): (Option<u64>, Option<u64>),
) -> Result<(), LogError> {
    let actor = rows::intern_actor(&act.transaction, person)?;
    let file = act.clean(&guard.file)?.into_owned();
    let command = act.clean(&guard.command)?.into_owned();
    let inserted = act.clean(&guard.inserted)?.into_owned();
    act.transaction.execute(
        "INSERT INTO guard_acts (seq, rule, undoes, actor_id, created_at, remind, made_file, file, command, inserted, takes_back)
         VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM guard_acts), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            guard.rule,
            undoes,
            actor,
            at.micros(),
            guard.remind,
            guard.made_file,
            file,
            command,
            inserted,
            takes_back
        ],
    )?;
    Ok(())
}

impl Reader<'_> {
    /// The guards that were not taken out, in the order in which they were put in.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn guards(&self) -> Result<Vec<KeptGuard>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT seq, rule, created_at, remind, made_file, file, command, inserted FROM guard_acts g
             WHERE undoes IS NULL AND NOT EXISTS (SELECT 1 FROM guard_acts u WHERE u.undoes = g.seq) ORDER BY seq",
        )?;
        let rows = query.query_map([], guard_from)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The newest acts on a guard that were not taken back, those of one time on the same settings: the newest first.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn newest_guard_acts(&self) -> Result<Vec<GuardAct>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT seq, rule, created_at, remind, made_file, file, command, inserted, undoes FROM guard_acts g
             WHERE takes_back IS NULL AND NOT EXISTS (SELECT 1 FROM guard_acts t WHERE t.takes_back = g.seq) ORDER BY seq DESC",
        )?;
        let rows = query.query_map([], |row| {
            Ok(GuardAct { guard: guard_from(row)?, is_removal: row.get::<_, Option<u64>>(8)?.is_some() })
        })?;
        rows::newest_together(rows, |act: &GuardAct| (act.guard.at, act.guard.rule, act.guard.file.clone()))
    }
}

fn guard_from(row: &Row<'_>) -> rusqlite::Result<KeptGuard> {
    Ok(KeptGuard {
        seq: row.get(0)?,
        rule: row.get(1)?,
        at: Timestamp::from_micros(row.get(2)?),
        remind: row.get(3)?,
        made_file: row.get(4)?,
        file: row.get(5)?,
        command: row.get(6)?,
        inserted: row.get(7)?,
    })
}
