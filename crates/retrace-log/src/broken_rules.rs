//! Rules that sessions broke while something recorded. Nothing is updated: what a person saw stays in the log, and can be put back.

use crate::writer::Act;
use crate::{LogError, Reader, chain, rows};
pub use retrace_model::records::{KeptBroken, NewBroken, SeenAct};
use retrace_model::{Actor, Timestamp};
use rusqlite::{OptionalExtension as _, Row, params};

/// What a person, or the session itself, says of a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenAct {
    /// A person saw it and let it be.
    Seen,
    /// A person put it back.
    PutBack,
    /// It was none, as the session shows by now.
    Withdrawn,
}

impl BrokenAct {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Seen => "seen",
            Self::PutBack => "put_back",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// Breaks with their last act.
const BROKEN: &str = "SELECT b.seq, b.rule, b.mark, b.found_at, b.made_at, b.session, b.transcript, b.subagent, b.turn, b.line,
        b.what, b.present, b.cause, b.grade, l.act, l.created_at, a.type, a.name, a.evidence
     FROM broken_rules b
     LEFT JOIN broken_rule_acts l ON l.seq = (SELECT max(m.seq) FROM broken_rule_acts m WHERE m.broken = b.seq)
     LEFT JOIN actors a ON a.id = l.actor_id";

/// Those that count, of which a person may have seen some.
const STANDS: &str = "coalesce(l.act, '') <> 'withdrawn'
     AND (SELECT r.act FROM rule_acts r WHERE r.rule = b.rule ORDER BY r.seq DESC LIMIT 1) <> 'removed'";

/// Those that nobody saw.
const IS_OPEN: &str = "coalesce(l.act, '') <> 'seen'";

impl Act<'_> {
    /// Keeps a break; its number, or `None` where the break is known. One that was withdrawn stands again.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn add_broken(&mut self, broken: &NewBroken) -> Result<Option<u64>, LogError> {
        self.whole(|act| {
            let session = act.clean(&broken.session)?.into_owned();
            let transcript = act.clean(&broken.transcript)?.into_owned();
            let what = act.clean(&broken.what)?.into_owned();
            let known = act.reader().broken_by_mark(broken.rule, broken.mark)?;
            if let Some(known) = known {
                return act.stands_again(known.number, broken.found_at);
            }
            let seq = act.transaction.query_row(
                "INSERT INTO broken_rules (seq, rule, mark, found_at, made_at, session, transcript, subagent, turn, line, what,
                    present, cause, grade)
                 VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM broken_rules), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
                 RETURNING seq",
                params![
                    broken.rule,
                    broken.mark,
                    broken.found_at.micros(),
                    broken.made_at.map(Timestamp::micros),
                    session,
                    transcript,
                    broken.subagent,
                    broken.turn,
                    broken.line,
                    what,
                    broken.present,
                    broken.cause,
                    broken.grade
                ],
                |row| row.get(0),
            )?;
            Ok(Some(seq))
        })
    }

    fn stands_again(&mut self, number: u64, at: Timestamp) -> Result<Option<u64>, LogError> {
        if !self.is_withdrawn(number)? {
            return Ok(None);
        }
        self.insert_broken_act(number, BrokenAct::PutBack, &Actor::Unknown, at, None)?;
        Ok(Some(number))
    }

    fn is_withdrawn(&self, number: u64) -> Result<bool, LogError> {
        let last: Option<String> = self
            .transaction
            .query_row(
                "SELECT act FROM broken_rule_acts WHERE broken = ?1 ORDER BY seq DESC LIMIT 1",
                [rows::bound(number)],
                |row| row.get(0),
            )
            .optional()?;
        Ok(last.as_deref() == Some(BrokenAct::Withdrawn.as_str()))
    }

    fn insert_broken_act(
        &mut self,
        number: u64,
        act: BrokenAct,
        person: &Actor,
        at: Timestamp,
        takes_back: Option<u64>,
    ) -> Result<(), LogError> {
        let actor = rows::intern_actor(&self.transaction, person)?;
        self.transaction.execute(
            "INSERT INTO broken_rule_acts (seq, broken, act, actor_id, created_at, takes_back)
             VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM broken_rule_acts), ?1, ?2, ?3, ?4, ?5)",
            params![number, act.as_str(), actor, at.micros(), takes_back],
        )?;
        Ok(())
    }

    /// Records what is said of a break. Nothing happens where its last act said so already.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for a number that no break has.
    pub fn note_broken(
        &mut self,
        person: &Actor,
        at: Timestamp,
        number: u64,
        act: BrokenAct,
    ) -> Result<(), LogError> {
        self.whole(|log| {
            let found = log.reader().broken_rule(number)?;
            let is_so = match act {
                BrokenAct::Seen => found.seen.is_some(),
                BrokenAct::PutBack => found.seen.is_none(),
                BrokenAct::Withdrawn => false,
            };
            if is_so {
                return Ok(());
            }
            log.insert_broken_act(number, act, person, at, None)
        })
    }

    /// Takes back what a person said of breaks. One that the session withdrew since stays withdrawn.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn take_back_seen(
        &mut self,
        person: &Actor,
        at: Timestamp,
        acts: &[SeenAct],
    ) -> Result<(), LogError> {
        self.whole(|log| {
            for act in acts {
                let inverse = match (log.is_withdrawn(act.broken)?, act.is_seen) {
                    (true, _) => BrokenAct::Withdrawn,
                    (false, true) => BrokenAct::PutBack,
                    (false, false) => BrokenAct::Seen,
                };
                log.insert_broken_act(act.broken, inverse, person, at, Some(act.seq))?;
            }
            Ok(())
        })
    }
}

impl Reader<'_> {
    /// Breaks of rules on the list, the newest first, with those that a person saw where `seen` is true.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn broken_rules(&self, seen: bool, limit: u64) -> Result<Vec<KeptBroken>, LogError> {
        let mut query = self.connection.prepare_cached(&format!(
            "{BROKEN} WHERE {STANDS} AND (?1 OR {IS_OPEN}) ORDER BY b.seq DESC LIMIT ?2"
        ))?;
        let rows = query.query_map(params![seen, rows::bound(limit)], broken_from)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Number of them.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn broken_count(&self, seen: bool) -> Result<u64, LogError> {
        let counted = BROKEN.split_once("FROM").map_or("", |(_, from)| from);
        let mut query = self.connection.prepare_cached(&format!(
            "SELECT count(*) FROM {counted} WHERE {STANDS} AND (?1 OR {IS_OPEN})"
        ))?;
        Ok(query.query_row([seen], |row| row.get(0))?)
    }

    /// One break, by its number.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for a number that no break has.
    pub fn broken_rule(&self, number: u64) -> Result<KeptBroken, LogError> {
        let mut query = self.connection.prepare_cached(&format!("{BROKEN} WHERE b.seq = ?1"))?;
        let found = query.query_row([rows::bound(number)], broken_from).optional()?;
        found.ok_or_else(|| LogError::NotFound { what: "break", name: format!("break_{number}") })
    }

    /// A break of a rule by its mark.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn broken_by_mark(&self, rule: u64, mark: [u8; 16]) -> Result<Option<KeptBroken>, LogError> {
        let mut query =
            self.connection.prepare_cached(&format!("{BROKEN} WHERE b.rule = ?1 AND b.mark = ?2"))?;
        Ok(query.query_row(params![rule, mark], broken_from).optional()?)
    }

    /// Marks of the breaks of a rule that a transcript shows, without those that were withdrawn.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn broken_marks(&self, rule: u64, transcript: &str) -> Result<Vec<[u8; 16]>, LogError> {
        let mut query = self.connection.prepare_cached(&format!(
            "{BROKEN} WHERE b.rule = ?1 AND b.transcript = ?2 AND {STANDS} ORDER BY b.seq"
        ))?;
        let rows = query.query_map(params![rule, transcript], |row| row.get(2))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What a person said last of breaks and did not take back, all of it of one time: the newest first.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn newest_seen_acts(&self) -> Result<Vec<SeenAct>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT l.seq, l.broken, l.act = 'seen', l.created_at FROM broken_rule_acts l
             JOIN actors a ON a.id = l.actor_id
             WHERE l.act <> 'withdrawn' AND a.type <> 'unknown' AND l.takes_back IS NULL
               AND NOT EXISTS (SELECT 1 FROM broken_rule_acts t WHERE t.takes_back = l.seq) ORDER BY l.seq DESC",
        )?;
        let rows = query.query_map([], |row| {
            Ok(SeenAct {
                seq: row.get(0)?,
                broken: row.get(1)?,
                is_seen: row.get(2)?,
                at: Timestamp::from_micros(row.get(3)?),
            })
        })?;
        rows::newest_together(rows, |act| act.at)
    }

    /// The newest break and the newest act on one: both stay while nothing new is known.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn broken_standing(&self) -> Result<(u64, u64), LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT (SELECT coalesce(max(seq), 0) FROM broken_rules), (SELECT coalesce(max(seq), 0) FROM broken_rule_acts)",
        )?;
        Ok(query.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }
}

fn broken_from(row: &Row<'_>) -> rusqlite::Result<KeptBroken> {
    let act: Option<String> = row.get(14)?;
    let seen = if act.as_deref() == Some("seen") {
        let actor = match row.get::<_, Option<String>>(16)? {
            Some(kind) => chain::actor_from_fields(&kind, row.get(17)?, &row.get::<_, String>(18)?),
            None => Actor::Unknown,
        };
        Some((Timestamp::from_micros(row.get(15)?), actor))
    } else {
        None
    };
    Ok(KeptBroken {
        number: row.get(0)?,
        broken: NewBroken {
            rule: row.get(1)?,
            mark: row.get(2)?,
            found_at: Timestamp::from_micros(row.get(3)?),
            made_at: row.get::<_, Option<i64>>(4)?.map(Timestamp::from_micros),
            session: row.get(5)?,
            transcript: row.get(6)?,
            subagent: row.get(7)?,
            turn: row.get(8)?,
            line: row.get(9)?,
            what: row.get(10)?,
            present: row.get(11)?,
            cause: row.get(12)?,
            grade: row.get(13)?,
        },
        seen,
    })
}
