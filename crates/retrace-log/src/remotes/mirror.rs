//! One version of a host becomes one operation here.

use crate::rows::{self, bound};
use crate::writer::Act;
use crate::{Append, Appended, Change, LogError, Payload, Reader};
pub use retrace_model::records::{HostVersion, MirroredMemory};
use retrace_model::{Actor, RelPath, Sha256, Source, StoreId, Timestamp, VersionId, VersionOperation};
use rusqlite::{OptionalExtension as _, params};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Fate of a version of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mirrored {
    /// The operation that was appended; `None` when the version brought nothing new.
    pub operation_seq: Option<u64>,
    /// The versions of that operation: the one of the host last, before it at most the deletion of what was in its place.
    pub versions: Vec<VersionId>,
    /// It holds something that was redacted here, and came without it.
    pub redacted: bool,
}

/// Where a memory of the host is here.
struct Standing {
    memory_row: i64,
    path: Option<RelPath>,
}

impl Act<'_> {
    /// Appends what a version of the host did, as one operation with the host's author, and notes which version it is. A
    /// version that is known already does nothing.
    ///
    /// A memory of the host is one memory here through all its moves. Where another memory still lives at the version's path,
    /// whose deletion was never seen, that one is deleted by the same operation. A version the host had redacted is noted and
    /// appends nothing, unless it deleted its memory. What was redacted here does not reappear: a marker stands in its place,
    /// and of a version whose path holds it nothing comes.
    ///
    /// # Errors
    /// [`LogError::KeyLost`]; [`LogError::NotFound`] when the store is no mirror; [`LogError::Invalid`] for a version
    /// that is neither redacted nor a deletion and has no path or content; or a failure of the database. After an error
    /// the transaction can only be dropped.
    pub fn mirror(
        &mut self,
        store: StoreId,
        version: &HostVersion,
        at: Timestamp,
    ) -> Result<Mirrored, LogError> {
        self.mirror_as(store, version, at, (Source::Api, &version.actor, None))
    }

    /// As [`Act::mirror`], for a version that an act from here made at the host: with the act's cause, author and reason.
    ///
    /// # Errors
    /// As [`Act::mirror`].
    pub fn mirror_as(
        &mut self,
        store: StoreId,
        version: &HostVersion,
        at: Timestamp,
        (source, actor, note): (Source, &Actor, Option<&str>),
    ) -> Result<Mirrored, LogError> {
        if self.reader().is_known_version(store, &version.id, false)? {
            return Ok(Mirrored::default());
        }
        let (version, redacted) = self.clean_of_host(version)?;
        let version = &*version;
        let store_row = self.remote_row(store)?;
        let standing = self.standing(store_row, &version.memory)?;
        let append = |changes| Append {
            store: Some(store),
            source,
            actor,
            note,
            at,
            undoes: None,
            changes,
            even_if_empty: false,
        };
        if version.operation == VersionOperation::Deleted {
            return match standing {
                Some(Standing { memory_row, path: Some(path) }) => {
                    let gone = Change { store, path, payload: Payload::Gone };
                    let appended = self.append(append(vec![gone]))?;
                    let seq = appended.versions.last().map(|version| version.seq);
                    self.note_mirrored(store_row, version, Some(memory_row), seq, None)?;
                    Ok(Mirrored {
                        operation_seq: appended.operation_seq,
                        versions: appended.versions,
                        redacted,
                    })
                }
                standing => {
                    let memory_row = standing.map(|standing| standing.memory_row);
                    let known = memory_row.map(|row| self.unclaimed_deletion(row)).transpose()?.flatten();
                    self.note_mirrored(store_row, version, memory_row, known, None)?;
                    Ok(Mirrored::default())
                }
            };
        }
        let (Some(path), Some(content)) = (&version.path, &version.content) else {
            if version.redacted_at.is_none() {
                return Err(LogError::Invalid(say::version_host_no_path_or(&version.id)));
            }
            let memory_row = standing.map(|standing| standing.memory_row);
            self.note_mirrored(store_row, version, memory_row, None, None)?;
            return Ok(Mirrored { redacted, ..Mirrored::default() });
        };
        let appended = self.put_of_host(append(Vec::new()), standing.as_ref(), path, content)?;
        let Some(seq) = appended.versions.last().map(|version| version.seq) else {
            let equal = self.reader().live_version_at(store, path)?;
            let memory_row = standing.map(|standing| standing.memory_row);
            self.note_mirrored(store_row, version, memory_row, None, equal.filter(|_| memory_row.is_some()))?;
            return Ok(Mirrored { redacted, ..Mirrored::default() });
        };
        let memory_row = self
            .transaction
            .prepare_cached("SELECT memory_id FROM versions WHERE seq = ?1")?
            .query_row([bound(seq)], |row| row.get(0))?;
        self.note_mirrored(store_row, version, Some(memory_row), Some(seq), None)?;
        Ok(Mirrored { operation_seq: appended.operation_seq, versions: appended.versions, redacted })
    }

    /// A version of a host without what was redacted here, and whether it held any of it.
    pub(super) fn clean_of_host<'v>(
        &mut self,
        version: &'v HostVersion,
    ) -> Result<(Cow<'v, HostVersion>, bool), LogError> {
        let tags = self.tags_for_others()?;
        let in_path = |path: &RelPath| tags.without_in_text(&path.to_text()).is_some();
        if version.path.as_ref().is_some_and(in_path) {
            // As one that the host redacted: no marker can stand in a path.
            let redacted_at = version.redacted_at.or(Some(version.happened_at));
            let nothing = HostVersion { path: None, content: None, redacted_at, ..version.clone() };
            return Ok((Cow::Owned(nothing), true));
        }
        let content = version.content.as_deref().and_then(|content| tags.without(content));
        let actor = tags.without_in_actor(&version.actor);
        if content.is_none() && actor.is_none() {
            return Ok((Cow::Borrowed(version), false));
        }
        let mut clean = version.clone();
        clean.content = content.or(clean.content);
        clean.actor = actor.unwrap_or(clean.actor);
        Ok((Cow::Owned(clean), true))
    }

    /// Puts a memory of the host where it stands there, with its content. Whoever else lives there is deleted.
    #[expect(clippy::needless_pass_by_value, reason = "made for one call")]
    fn put_of_host(
        &mut self,
        append: Append<'_>,
        standing: Option<&Standing>,
        path: &RelPath,
        content: &[u8],
    ) -> Result<Appended, LogError> {
        let Some(store) = append.store else { return Ok(Appended::default()) };
        let from = standing.and_then(|standing| standing.path.clone());
        let mut changes = Vec::new();
        if from.is_none() && self.reader().live_version_at(store, path)?.is_some() {
            changes.push(Change { store, path: path.clone(), payload: Payload::Gone });
        }
        changes.push(Change {
            store,
            path: path.clone(),
            payload: Payload::Content {
                sha256: Sha256::of(content),
                size: content.len() as u64,
                bytes: Some(content.to_vec()),
                seen: None,
                moved_from: from.filter(|from| from != path),
            },
        });
        // A memory that lives nowhere here and has an id at the host that is known reappears as the one it was.
        let reappears = standing.filter(|standing| standing.path.is_none());
        self.append_reviving(Append { changes, ..append }, reappears.map(|standing| standing.memory_row))
    }

    /// Puts a memory back to the newest version it has at the host, which is known here: one that was made before it
    /// there came later here. Does nothing when something newer than the place `mark` in the log stands there, when it
    /// stands so already, or when the version is redacted here.
    ///
    /// # Errors
    /// As [`Act::mirror`].
    pub fn set_right(
        &mut self,
        store: StoreId,
        (remote_memory, remote_version): (&str, &str),
        path: &RelPath,
        mark: u64,
        (at, note): (Timestamp, &str),
    ) -> Result<Appended, LogError> {
        let store_row = self.remote_row(store)?;
        let standing = self.standing(store_row, remote_memory)?;
        let seq = self.reader().version_of_host(store, remote_version)?;
        let (Some(standing), Some(seq)) = (standing, seq) else { return Ok(Appended::default()) };
        let newest: u64 = self
            .transaction
            .prepare_cached("SELECT max(seq) FROM versions WHERE memory_id = ?1 AND happened_at IS NULL")?
            .query_row([standing.memory_row], |row| row.get(0))?;
        let version = self.reader().version(seq)?;
        let in_place = newest == seq && standing.path.as_ref() == Some(path);
        if in_place || newest > mark || version.redaction.is_some() {
            return Ok(Appended::default());
        }
        let Some(content) = self.reader().content(&version)? else { return Ok(Appended::default()) };
        let append = Append {
            store: Some(store),
            source: Source::Api,
            actor: &Actor::Unknown,
            note: Some(note),
            at,
            undoes: None,
            changes: Vec::new(),
            even_if_empty: false,
        };
        self.put_of_host(append, Some(&standing), path, &content.bytes)
    }

    /// The memory here that a memory of the host is, and where it lives.
    fn standing(&self, store_row: i64, remote_memory: &str) -> Result<Option<Standing>, LogError> {
        let found: Option<(i64, Option<Vec<u8>>)> = self
            .transaction
            .prepare_cached(
                "SELECT m.memory_id, p.bytes FROM mirrored m
                 LEFT JOIN live l ON l.memory_id = m.memory_id LEFT JOIN paths p ON p.id = l.path_id
                 WHERE m.store_id = ?1 AND m.remote_memory_id = ?2 AND m.memory_id IS NOT NULL LIMIT 1",
            )?
            .query_row(params![store_row, remote_memory], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        found
            .map(|(memory_row, path)| {
                Ok(Standing { memory_row, path: path.map(rows::path_from).transpose()? })
            })
            .transpose()
    }

    /// The newest version of a memory, when it is a deletion that no version of the host is known for.
    fn unclaimed_deletion(&self, memory_row: i64) -> Result<Option<u64>, LogError> {
        Ok(self
            .transaction
            .prepare_cached(
                "SELECT v.seq FROM versions v WHERE v.change = 3
                    AND v.seq = (SELECT max(x.seq) FROM versions x WHERE x.memory_id = ?1 AND x.happened_at IS NULL)
                    AND NOT EXISTS (SELECT 1 FROM mirrored m WHERE m.version_seq = v.seq)",
            )?
            .query_row([memory_row], |row| row.get(0))
            .optional()?)
    }

    fn note_mirrored(
        &self,
        store_row: i64,
        version: &HostVersion,
        memory_row: Option<i64>,
        seq: Option<u64>,
        equal: Option<u64>,
    ) -> Result<(), LogError> {
        self.transaction
            .prepare_cached(
                "INSERT INTO mirrored (store_id, remote_version_id, remote_memory_id, memory_id, version_seq, equal_seq,
                                       happened_at, redacted_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                store_row,
                version.id,
                version.memory,
                memory_row,
                seq,
                equal,
                version.happened_at.micros(),
                version.redacted_at.map(Timestamp::micros),
            ])?;
        Ok(())
    }

    /// Notes that the host redacted a version. Answers the version here when that is news and its content is kept here.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn redacted_at_host(
        &self,
        store: StoreId,
        remote_version: &str,
        at: Timestamp,
    ) -> Result<Option<u64>, LogError> {
        let row = self.remote_row(store)?;
        let news = self
            .transaction
            .prepare_cached(
                "UPDATE mirrored SET redacted_at = ?3
                 WHERE store_id = ?1 AND remote_version_id = ?2 AND redacted_at IS NULL",
            )?
            .execute(params![row, remote_version, at.micros()])?;
        if news == 0 {
            return Ok(None);
        }
        Ok(self
            .transaction
            .prepare_cached(
                "SELECT v.seq FROM mirrored m JOIN versions v ON v.seq = coalesce(m.version_seq, m.equal_seq)
                 WHERE m.store_id = ?1 AND m.remote_version_id = ?2 AND v.redaction_id IS NULL",
            )?
            .query_row(params![row, remote_version], |row| row.get(0))
            .optional()?)
    }
}

impl Reader<'_> {
    /// The live memories of a mirror, by path.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn mirrored_memories(&self, store: StoreId) -> Result<Vec<MirroredMemory>, LogError> {
        let row = rows::store_row(self.connection, store)?;
        let mut query = self.connection.prepare_cached(
            "SELECT p.bytes, y.public, l.version_seq,
                (SELECT m.remote_memory_id FROM mirrored m WHERE m.memory_id = l.memory_id LIMIT 1),
                (SELECT m.remote_version_id FROM mirrored m WHERE m.memory_id = l.memory_id
                    AND coalesce(m.version_seq, m.equal_seq) = l.version_seq
                 ORDER BY m.happened_at DESC, m.id DESC LIMIT 1)
             FROM live l JOIN paths p ON p.id = l.path_id JOIN memories y ON y.id = l.memory_id
             WHERE l.store_id = ?1 ORDER BY p.bytes",
        )?;
        let mut rows = query.query([row])?;
        let mut memories = Vec::new();
        while let Some(row) = rows.next()? {
            memories.push(MirroredMemory {
                path: rows::path_from(row.get(0)?)?,
                memory: rows::memory_id(&row.get::<_, Vec<u8>>(1)?)?,
                head: row.get(2)?,
                remote_memory: row.get(3)?,
                remote_version: row.get(4)?,
            });
        }
        Ok(memories)
    }

    /// Ids that versions have at the host of a mirror, by place in the log. A version that brought nothing new stands for the
    /// one that has its content already. Versions that the host redacted, or that did not come from there, are left out.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn host_versions(&self, seqs: &[u64]) -> Result<BTreeMap<u64, Vec<(StoreId, String)>>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT s.public, m.remote_version_id FROM mirrored m JOIN stores s ON s.id = m.store_id
             WHERE (m.version_seq = ?1 OR m.equal_seq = ?1) AND m.redacted_at IS NULL ORDER BY m.id",
        )?;
        let mut found: BTreeMap<u64, Vec<(StoreId, String)>> = BTreeMap::new();
        for seq in seqs {
            let mut rows = query.query([bound(*seq)])?;
            while let Some(row) = rows.next()? {
                let store = rows::store_id(&row.get::<_, Vec<u8>>(0)?)?;
                found.entry(*seq).or_default().push((store, row.get(1)?));
            }
        }
        Ok(found)
    }

    /// True if the host is known to have redacted a version.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn is_redacted_at_host(&self, store: StoreId, remote_version: &str) -> Result<bool, LogError> {
        let row = rows::store_row(self.connection, store)?;
        Ok(self
            .connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM mirrored
                    WHERE store_id = ?1 AND remote_version_id = ?2 AND redacted_at IS NOT NULL)",
            )?
            .query_row(params![row, remote_version], |row| row.get(0))?)
    }

    /// The version here that a version of the host is; `None` when it is not known or brought nothing.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn version_of_host(&self, store: StoreId, remote_version: &str) -> Result<Option<u64>, LogError> {
        let row = rows::store_row(self.connection, store)?;
        Ok(self
            .connection
            .prepare_cached(
                "SELECT coalesce(version_seq, equal_seq) FROM mirrored WHERE store_id = ?1 AND remote_version_id = ?2",
            )?
            .query_row(params![row, remote_version], |row| row.get(0))
            .optional()?
            .flatten())
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "mirror";
    version_host_no_path_or(id) => "version {id} of the host has no path or no content",
}
