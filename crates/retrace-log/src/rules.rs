//! Rules that a person confirmed. Nothing is updated: a rule that is taken off the list stays in the log, and can be put back.

use crate::rows;
use crate::writer::Act;
use crate::{LogError, Reader};
pub use retrace_model::records::KeptRule;
use retrace_model::{Actor, Timestamp};
use rusqlite::{OptionalExtension as _, Row, params};

/// An act of a person on the list of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleAct {
    /// Its number.
    pub seq: u64,
    /// Number of the rule.
    pub rule: u64,
    /// True if it put the rule on the list.
    pub is_on: bool,
    /// When.
    pub at: Timestamp,
}

/// Columns of a rule with its last act.
const RULES: &str = "SELECT a.seq, a.fields, a.created_at, l.act, l.created_at, l.takes_back IS a.seq FROM rule_acts a
     JOIN rule_acts l ON l.seq = (SELECT max(m.seq) FROM rule_acts m WHERE m.rule = a.seq) WHERE a.act = 'added'";

impl Act<'_> {
    /// Adds a rule; answers its number. `fields` is JSON without what was redacted before.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn add_rule(&mut self, person: &Actor, at: Timestamp, fields: &str) -> Result<u64, LogError> {
        self.whole(|act| {
            let fields = act.clean_json(fields)?;
            let seq = next(act)?;
            insert(act, (seq, seq), "added", person, at, Some(&fields), None)?;
            Ok(seq)
        })
    }

    /// Takes a rule off the list, or puts it back. Nothing happens where it is so already.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for a number that no rule has.
    pub fn list_rule(
        &mut self,
        person: &Actor,
        at: Timestamp,
        number: u64,
        on: bool,
    ) -> Result<(), LogError> {
        self.whole(|act| {
            let rule = act.reader().rule(number)?;
            if rule.removed_at.is_none() == on {
                return Ok(());
            }
            let seq = next(act)?;
            insert(act, (seq, number), listing(on), person, at, None, None)
        })
    }

    /// Takes acts on the list back, in the order given: the newest first.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn take_back_rule_acts(
        &mut self,
        person: &Actor,
        at: Timestamp,
        acts: &[RuleAct],
    ) -> Result<(), LogError> {
        self.whole(|log| {
            for act in acts {
                let seq = next(log)?;
                insert(log, (seq, act.rule), listing(!act.is_on), person, at, None, Some(act.seq))?;
            }
            Ok(())
        })
    }
}

/// The word for an act on a rule that is there.
const fn listing(on: bool) -> &'static str {
    if on { "put_back" } else { "removed" }
}

fn next(act: &Act<'_>) -> Result<u64, LogError> {
    let next = "SELECT coalesce(max(seq), 0) + 1 FROM rule_acts";
    Ok(act.transaction.query_row(next, [], |row| row.get(0))?)
}

fn insert(
    act: &Act<'_>,
    (seq, rule): (u64, u64),
    kind: &str,
    person: &Actor,
    at: Timestamp,
    fields: Option<&str>,
    takes_back: Option<u64>,
) -> Result<(), LogError> {
    let actor = rows::intern_actor(&act.transaction, person)?;
    act.transaction.execute(
        "INSERT INTO rule_acts (seq, rule, act, actor_id, created_at, fields, takes_back)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![seq, rule, kind, actor, at.micros(), fields, takes_back],
    )?;
    Ok(())
}

fn rule_from(row: &Row<'_>) -> rusqlite::Result<KeptRule> {
    let last: String = row.get(3)?;
    let removed_at: i64 = row.get(4)?;
    Ok(KeptRule {
        number: row.get(0)?,
        fields: row.get(1)?,
        added_at: Timestamp::from_micros(row.get(2)?),
        removed_at: (last == "removed").then(|| Timestamp::from_micros(removed_at)),
        is_undone: row.get(5)?,
    })
}

impl Reader<'_> {
    /// Every rule, in the order in which they were added; those that were taken off the list among them.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn rules(&self) -> Result<Vec<KeptRule>, LogError> {
        let mut query = self.connection.prepare_cached(&format!("{RULES} ORDER BY a.seq"))?;
        let rows = query.query_map([], rule_from)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// One rule.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for a number that no rule has.
    pub fn rule(&self, number: u64) -> Result<KeptRule, LogError> {
        let mut query = self.connection.prepare_cached(&format!("{RULES} AND a.seq = ?1"))?;
        let found = query.query_row([rows::bound(number)], rule_from).optional()?;
        found.ok_or_else(|| LogError::NotFound { what: "rule", name: format!("rule_{number}") })
    }

    /// The newest acts on the list of rules that were not taken back, those of one time on one rule: the newest first.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn newest_rule_acts(&self) -> Result<Vec<RuleAct>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT seq, rule, act <> 'removed', created_at FROM rule_acts a
             WHERE takes_back IS NULL AND NOT EXISTS (SELECT 1 FROM rule_acts t WHERE t.takes_back = a.seq) ORDER BY seq DESC",
        )?;
        let rows = query.query_map([], |row| {
            Ok(RuleAct {
                seq: row.get(0)?,
                rule: row.get(1)?,
                is_on: row.get(2)?,
                at: Timestamp::from_micros(row.get(3)?),
            })
        })?;
        rows::newest_together(rows, |act| (act.at, act.rule))
    }
}
