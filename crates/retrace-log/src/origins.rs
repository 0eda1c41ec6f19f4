//! Session that wrote a version, where that was not recorded when it was written. A derived table: it may be emptied
//! and made again from the transcripts, and what was recorded always comes first. It holds nothing of a memory.

use crate::rows::{self, bound};
use crate::writer::Act;
use crate::{LogError, Reader};
use retrace_model::records::{CallPlace, OriginRow};
use retrace_model::{Actor, Evidence, MemoryId, RelPath, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use std::collections::HashMap;

/// A version that nobody said to have written, with the memory it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unclaimed {
    /// Place of the version.
    pub seq: u64,
    /// Its memory.
    pub memory: MemoryId,
    /// When it was recorded.
    pub at: Timestamp,
    /// True if an answer is there that nothing later can better: the content is exact.
    pub is_final: bool,
}

/// The actor that an answer makes.
pub(crate) fn joined_actor(session: Option<String>, confidence: Option<&str>) -> Actor {
    match (session, confidence.and_then(Evidence::parse)) {
        (Some(id), Some(evidence)) => Actor::Session { id, evidence },
        _ => Actor::Unknown,
    }
}

const COLUMNS: &str =
    "o.session, o.confidence, o.basis, o.steps, o.role, o.agent, o.model, t.path, o.conversation, o.message,
    o.block, o.part, o.line, o.turn, o.tool, o.tool_use_id, o.at";

impl Reader<'_> {
    /// The answer for a version and the candidates, the answer first. Empty where the version was not looked at yet.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn origins(&self, seq: u64) -> Result<Vec<OriginRow>, LogError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM origins o LEFT JOIN origin_transcripts t ON t.id = o.transcript_id
             WHERE o.version_seq = ?1 ORDER BY o.rank"
        );
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut found = query.query([bound(seq)])?;
        let mut answers = Vec::new();
        while let Some(row) = found.next()? {
            answers.push(origin_from(row)?);
        }
        Ok(answers)
    }

    /// The answers for several versions, by their places. Versions without one are left out.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn origins_of(&self, versions: &[u64]) -> Result<HashMap<u64, OriginRow>, LogError> {
        let sql = format!(
            "SELECT {COLUMNS}, o.version_seq FROM origins o LEFT JOIN origin_transcripts t ON t.id = o.transcript_id
             WHERE o.rank = 0 AND o.version_seq IN (SELECT value FROM json_each(?1))"
        );
        let wanted: Vec<String> = versions.iter().map(u64::to_string).collect();
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut found = query.query([format!("[{}]", wanted.join(","))])?;
        let mut answers = HashMap::new();
        while let Some(row) = found.next()? {
            answers.insert(row.get(17)?, origin_from(row)?);
        }
        Ok(answers)
    }

    /// The answer for a version alone.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn origin(&self, seq: u64) -> Result<Option<OriginRow>, LogError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM origins o LEFT JOIN origin_transcripts t ON t.id = o.transcript_id
             WHERE o.version_seq = ?1 AND o.rank = 0"
        );
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut found = query.query([bound(seq)])?;
        found.next()?.map(origin_from).transpose()
    }

    /// Every path a memory has been at, as far as none is redacted.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown memory, or a failure of the database.
    pub fn paths_of(&self, memory: MemoryId) -> Result<Vec<RelPath>, LogError> {
        let row = rows::memory_row(self.connection, memory)?;
        let mut query = self.connection.prepare_cached(
            "SELECT DISTINCT p.bytes FROM versions v JOIN paths p ON p.id = v.path_id WHERE v.memory_id = ?1",
        )?;
        let mut found = query.query([row])?;
        let mut paths = Vec::new();
        while let Some(row) = found.next()? {
            paths.push(rows::path_from(row.get(0)?)?);
        }
        Ok(paths)
    }

    /// Last version that was compared with transcripts.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn joined_through(&self) -> Result<u64, LogError> {
        Ok(self
            .connection
            .prepare_cached("SELECT joined_seq FROM origin_state")?
            .query_row([], |row| row.get(0))
            .optional()?
            .unwrap_or(0))
    }

    /// Transcripts as they were when versions were last compared with them: hashes of their states by hashes of their paths.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn compared_transcripts(&self) -> Result<HashMap<i64, i64>, LogError> {
        let mut query = self.connection.prepare_cached("SELECT transcript, state FROM origin_seen")?;
        let found = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// Versions after `after` that were observed and that nobody said to have written, oldest first. Redacted ones are
    /// left out.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn unclaimed(&self, after: u64) -> Result<Vec<Unclaimed>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT v.seq, m.public, o.created_at, coalesce(g.confidence = 'exact_content', 0)
             FROM versions v
             JOIN operations o ON o.seq = v.operation_seq AND o.actor_id IS NULL
             JOIN memories m ON m.id = v.memory_id
             LEFT JOIN origins g ON g.version_seq = v.seq AND g.rank = 0
             WHERE v.seq > ?1 AND v.redaction_id IS NULL AND v.happened_at IS NULL ORDER BY v.seq",
        )?;
        let mut found = query.query([bound(after)])?;
        let mut versions = Vec::new();
        while let Some(row) = found.next()? {
            versions.push(Unclaimed {
                seq: row.get(0)?,
                memory: rows::memory_id(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?)?,
                at: Timestamp::from_micros(row.get(2)?),
                is_final: row.get(3)?,
            });
        }
        Ok(versions)
    }

    /// Versions that a session wrote as far as is known, in any store: said by the writer, or joined at any confidence; and
    /// those with which a person's act put back what it wrote. Newest first.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn versions_of_session(&self, session: &str) -> Result<Vec<u64>, LogError> {
        let mut query = self.connection.prepare_cached(
            "WITH RECURSIVE wrote (seq) AS (
                SELECT v.seq FROM actors a JOIN operations o ON o.actor_id = a.id
                    JOIN versions v
                        ON v.seq BETWEEN o.first_version AND o.first_version + o.created + o.modified + o.deleted - 1
                    WHERE a.type = 'session' AND a.name = ?1
                UNION SELECT r.version_seq FROM actors a JOIN rebuilt r ON r.actor_id = a.id AND r.withdrawn = 0
                    WHERE a.type = 'session' AND a.name = ?1
                UNION SELECT g.version_seq FROM origins g WHERE g.session = ?1 AND g.rank = 0
                UNION SELECT p.version_seq FROM wrote w JOIN put_back p ON p.of_seq = w.seq)
             SELECT seq FROM wrote ORDER BY seq DESC",
        )?;
        let found = query.query_map([session], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// Sessions that wrote something as far as is known, whose ids begin so; in order.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn sessions_beginning(&self, beginning: &str) -> Result<Vec<String>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT name FROM actors WHERE type = 'session' AND substr(name, 1, length(?1)) = ?1
             UNION SELECT session FROM origins
                WHERE rank = 0 AND session IS NOT NULL AND substr(session, 1, length(?1)) = ?1
             ORDER BY 1",
        )?;
        let found = query.query_map([beginning], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// True if an actor of any kind has this name.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn has_actor(&self, name: &str) -> Result<bool, LogError> {
        let mut query = self.connection.prepare_cached("SELECT 1 FROM actors WHERE name = ?1")?;
        Ok(query.exists([name])?)
    }
}

impl Act<'_> {
    /// Writes down who wrote a version: the answer first, then candidates. What was said before about it goes. A version whose
    /// writer was recorded keeps that: nothing is written.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown version, or a failure of the database.
    pub fn set_origins(&mut self, seq: u64, answers: &[OriginRow]) -> Result<(), LogError> {
        let is_claimed: Option<bool> = self
            .transaction
            .prepare_cached(
                "SELECT o.actor_id IS NOT NULL OR v.happened_at IS NOT NULL
                 FROM versions v JOIN operations o ON o.seq = v.operation_seq WHERE v.seq = ?1",
            )?
            .query_row([bound(seq)], |row| row.get(0))
            .optional()?;
        if is_claimed.ok_or_else(|| LogError::NotFound { what: "version", name: seq.to_string() })? {
            return Ok(());
        }
        let connection: &Connection = &self.transaction;
        connection.prepare_cached("DELETE FROM origins WHERE version_seq = ?1")?.execute([bound(seq)])?;
        let mut insert = connection.prepare_cached(
            "INSERT INTO origins (version_seq, rank, session, confidence, basis, steps, role, agent, model, transcript_id,
                conversation, message, block, part, line, turn, tool, tool_use_id, at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
        )?;
        for (rank, answer) in answers.iter().enumerate() {
            let transcript =
                answer.transcript.as_deref().map(|path| transcript_row(connection, path)).transpose()?;
            let call = answer.call.as_ref();
            insert.execute(params![
                seq,
                rank as u64,
                answer.session,
                answer.confidence,
                answer.basis,
                answer.steps,
                answer.role,
                answer.agent,
                answer.model,
                transcript,
                call.map(|call| call.conversation),
                call.map(|call| call.message),
                call.map(|call| call.block),
                call.map(|call| call.part),
                call.map(|call| call.line),
                call.and_then(|call| call.turn),
                call.map(|call| call.tool.as_str()),
                call.and_then(|call| call.tool_use_id.as_deref()),
                call.and_then(|call| call.at).map(Timestamp::micros),
            ])?;
        }
        Ok(())
    }

    /// Says how far versions were compared with transcripts.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn set_joined_through(&mut self, seq: u64) -> Result<(), LogError> {
        self.transaction
            .prepare_cached("UPDATE origin_state SET joined_seq = ?1 WHERE id = 1")?
            .execute([bound(seq)])?;
        Ok(())
    }
}

impl Act<'_> {
    /// Says in which states transcripts were compared with versions; see [`Reader::compared_transcripts`].
    ///
    /// # Errors
    /// A failure of the database.
    pub fn set_compared_transcripts(&mut self, states: &[(i64, i64)]) -> Result<(), LogError> {
        let mut insert = self
            .transaction
            .prepare_cached("INSERT OR REPLACE INTO origin_seen (transcript, state) VALUES (?1, ?2)")?;
        for (transcript, state) in states {
            insert.execute([transcript, state])?;
        }
        Ok(())
    }
}

fn transcript_row(connection: &Connection, path: &[u8]) -> Result<i64, LogError> {
    let known: Option<i64> = connection
        .prepare_cached("SELECT id FROM origin_transcripts WHERE path = ?1")?
        .query_row([path], |row| row.get(0))
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    connection.prepare_cached("INSERT INTO origin_transcripts (path) VALUES (?1)")?.execute([path])?;
    Ok(connection.last_insert_rowid())
}

fn origin_from(row: &Row<'_>) -> Result<OriginRow, LogError> {
    let call = match row.get::<_, Option<u64>>(8)? {
        None => None,
        Some(conversation) => Some(CallPlace {
            conversation,
            message: row.get::<_, Option<u64>>(9)?.unwrap_or(0),
            block: row.get::<_, Option<u64>>(10)?.unwrap_or(0),
            part: row.get::<_, Option<u64>>(11)?.unwrap_or(0),
            line: row.get::<_, Option<u64>>(12)?.unwrap_or(0),
            turn: row.get(13)?,
            tool: row.get::<_, Option<String>>(14)?.unwrap_or_default(),
            tool_use_id: row.get(15)?,
            at: row.get::<_, Option<i64>>(16)?.map(Timestamp::from_micros),
        }),
    };
    Ok(OriginRow {
        session: row.get(0)?,
        confidence: row.get(1)?,
        basis: row.get(2)?,
        steps: row.get(3)?,
        role: row.get(4)?,
        agent: row.get(5)?,
        model: row.get(6)?,
        transcript: row.get(7)?,
        call,
    })
}
