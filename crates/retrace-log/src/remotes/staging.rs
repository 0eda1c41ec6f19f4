//! Pages of a pull before they are appended.

use super::HostVersion;
use crate::rows;
use crate::writer::Act;
use crate::{LogError, Reader, chain};
use retrace_message::AsMessage;
use retrace_model::{StoreId, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

/// Takes everything out that was fetched and not appended. It can be fetched again.
pub(crate) fn forget_all(connection: &Connection) -> Result<(), LogError> {
    // The staged listing is not whole any more, so that the next listing goes through to what is mirrored.
    connection.execute(
        "UPDATE remotes SET listing = 1, cursor = NULL WHERE store_id IN (SELECT store_id FROM remote_staged)",
        [],
    )?;
    connection.execute("DELETE FROM remote_staged", [])?;
    Ok(())
}

impl Reader<'_> {
    /// True if a version of the host is known: mirrored, or, with `or_staged`, at least fetched.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn is_known_version(
        &self,
        store: StoreId,
        remote_version: &str,
        or_staged: bool,
    ) -> Result<bool, LogError> {
        Ok(self
            .connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM mirrored m JOIN stores s ON s.id = m.store_id
                    WHERE s.public = ?1 AND m.remote_version_id = ?2)
                 OR (?3 AND EXISTS (SELECT 1 FROM remote_staged g JOIN stores s ON s.id = g.store_id
                    WHERE s.public = ?1 AND g.remote_version_id = ?2))",
            )?
            .query_row(params![&store.0[..], remote_version, or_staged], |row| row.get(0))?)
    }
}

impl Act<'_> {
    /// Begins a pull; answers its number, with which it must [`Act::check_pull`] in each of its transactions.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when the store is no mirror, or a failure of the database.
    pub fn begin_pull(&mut self, store: StoreId) -> Result<u64, LogError> {
        self.change_remote(store, "pulls = pulls + 1", &[])?;
        let row = self.remote_row(store)?;
        Ok(self
            .transaction
            .query_row("SELECT pulls FROM remotes WHERE store_id = ?1", [row], |row| row.get(0))?)
    }

    /// True if a pull is still the newest of its mirror: pages of two would be kept in no order.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when the store is no mirror, or a failure of the database.
    pub fn check_pull(&self, store: StoreId, pull: u64) -> Result<bool, LogError> {
        let row = self.remote_row(store)?;
        Ok(self
            .transaction
            .prepare_cached("SELECT pulls = ?2 FROM remotes WHERE store_id = ?1")?
            .query_row(params![row, pull], |row| row.get(0))?)
    }

    /// Forgets where the listing under way goes on, which the host does not know any more.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when the store is no mirror, or a failure of the database.
    pub fn forget_cursor(&self, store: StoreId) -> Result<(), LogError> {
        self.change_remote(store, "cursor = NULL", &[])
    }

    /// Begins a listing of the host's versions, newest first, from its first page.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when the store is no mirror, or a failure of the database.
    pub fn begin_listing(&self, store: StoreId) -> Result<(), LogError> {
        self.change_remote(store, "listing = 1, listings = listings + 1, cursor = NULL", &[])
    }

    /// Keeps a page of the listing under way, and where it goes on; `None` ends it. A version that was fetched before takes
    /// the place it has in this listing; one that is mirrored is passed over. What was redacted here is not kept
    /// ([`Act::mirror`]); answers the versions that held it.
    ///
    /// # Errors
    /// [`LogError::KeyLost`]; [`LogError::NotFound`] when the store is no mirror, or a failure of the database.
    pub fn keep_page(
        &mut self,
        store: StoreId,
        versions: &[HostVersion],
        next: Option<&str>,
    ) -> Result<Vec<HostVersion>, LogError> {
        self.whole(|act| {
            let row = act.remote_row(store)?;
            let place: i64 = act.transaction.query_row(
                "SELECT coalesce(max(g.place), 0) FROM remotes r
                 LEFT JOIN remote_staged g ON g.store_id = r.store_id AND g.listing = r.listings WHERE r.store_id = ?1",
                [row],
                |row| row.get(0),
            )?;
            let mut redacted = Vec::new();
            for (version, place) in versions.iter().zip(place + 1..) {
                if act.reader().is_known_version(store, &version.id, false)? {
                    continue;
                }
                let (version, held) = act.clean_of_host(version)?;
                act.stage(row, &version, place)?;
                if held {
                    redacted.push(version.into_owned());
                }
            }
            act.change_remote(store, "listing = ?2, cursor = ?3", &[&next.is_some(), &next])?;
            Ok(redacted)
        })
    }

    fn stage(&self, row: i64, version: &HostVersion, place: i64) -> Result<(), LogError> {
        let (actor_type, actor_name, _) = chain::actor_fields(&version.actor);
        self.transaction
            .prepare_cached(
                "INSERT INTO remote_staged (store_id, remote_version_id, listing, place, remote_memory_id, operation, path,
                                            content, actor_type, actor_name, happened_at, redacted_at)
                 SELECT store_id, ?2, listings, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM remotes WHERE store_id = ?1
                 ON CONFLICT (store_id, remote_version_id) DO UPDATE SET listing = excluded.listing,
                    place = excluded.place, path = excluded.path, content = excluded.content,
                    redacted_at = excluded.redacted_at",
            )?
            .execute(params![
                row,
                version.id,
                place,
                version.memory,
                version.operation.as_str(),
                version.path.as_ref().map(retrace_model::RelPath::as_bytes),
                version.content,
                actor_type,
                actor_name,
                version.happened_at.micros(),
                version.redacted_at.map(Timestamp::micros),
            ])?;
        Ok(())
    }

    /// Takes the oldest version that was fetched out of staging; `None` when none is left.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when the store is no mirror, or a failure of the database.
    pub fn take_staged(&mut self, store: StoreId) -> Result<Option<HostVersion>, LogError> {
        let row = self.remote_row(store)?;
        let found = self
            .transaction
            .prepare_cached(
                "SELECT remote_version_id, remote_memory_id, operation, path, content, actor_type, actor_name,
                    happened_at, redacted_at
                 FROM remote_staged WHERE store_id = ?1 ORDER BY listing, place DESC LIMIT 1",
            )?
            .query_row([row], |row| Ok(staged_from(row)))
            .optional()?
            .transpose()?;
        if let Some(version) = &found {
            self.transaction
                .prepare_cached("DELETE FROM remote_staged WHERE store_id = ?1 AND remote_version_id = ?2")?
                .execute(params![row, version.id])?;
        }
        Ok(found)
    }
}

fn staged_from(row: &Row<'_>) -> Result<HostVersion, LogError> {
    let word = |error: retrace_model::UnknownWord| LogError::Damaged(error.message());
    Ok(HostVersion {
        id: row.get(0)?,
        memory: row.get(1)?,
        operation: row.get::<_, String>(2)?.parse().map_err(word)?,
        path: row.get::<_, Option<Vec<u8>>>(3)?.map(rows::path_from).transpose()?,
        content: row.get(4)?,
        actor: match row.get::<_, Option<String>>(5)? {
            None => retrace_model::Actor::Unknown,
            Some(kind) => chain::actor_from_fields(
                &kind,
                row.get::<_, Option<String>>(6)?.unwrap_or_default(),
                retrace_model::Evidence::Stated.as_str(),
            ),
        },
        happened_at: Timestamp::from_micros(row.get(7)?),
        redacted_at: row.get::<_, Option<i64>>(8)?.map(Timestamp::from_micros),
    })
}
