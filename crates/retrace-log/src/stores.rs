//! Stores in the log.

use crate::rows::{store_id, unknown_store};
use crate::writer::Act;
use crate::{LogError, Reader, review};
use retrace_message::{AsMessage, Message};
use retrace_model::records::{NewStore, StorePlace};
use retrace_model::{StoreId, StoreKind, StoreState, Timestamp};
use rusqlite::{OptionalExtension as _, Row, params};

/// A store as the log keeps it.
#[derive(Clone, Debug)]
pub struct StoreRow {
    /// Its id.
    pub id: StoreId,
    /// Whose memory it holds.
    pub kind: StoreKind,
    /// Its directory, as bytes.
    pub root: Vec<u8>,
    /// Its name.
    pub name: String,
    /// When it was first added.
    pub created_at: Timestamp,
    /// The user asked not to record it for now.
    pub paused: bool,
    /// When the user took it off the list; its history stays.
    pub removed_at: Option<Timestamp>,
    /// State in which the recorder last found it.
    pub state: StoreState,
    /// Why, where there is more to say.
    pub state_detail: Option<String>,
    /// Versions recorded.
    pub versions: u64,
    /// Versions of the baseline: what was there when the store was added.
    pub baseline: u64,
    /// Time of the newest version.
    pub last_change: Option<Timestamp>,
    /// Its directory; `None` before that was seen.
    pub place: Option<StorePlace>,
    /// Where its path leads, where a person said that another place is the store's.
    pub root_at: Option<Vec<u8>>,
}

/// Stands in place of the size of a baseline that is being taken.
const BEING_TAKEN: i64 = -1;

const ROWS: &str =
    "SELECT s.public, s.kind, s.root, s.name, s.created_at, s.paused, s.removed_at, s.state, s.state_detail,
    s.versions, s.baseline, s.last_change, s.root_device, s.root_file, s.root_boot, s.root_at, s.root_made FROM stores s";

impl Reader<'_> {
    /// All stores, those taken off the list included, by name.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn stores(&self) -> Result<Vec<StoreRow>, LogError> {
        let sql = format!("{ROWS} ORDER BY s.name, s.id");
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut rows = query.query([])?;
        let mut stores = Vec::new();
        while let Some(row) = rows.next()? {
            stores.push(store_from(row)?);
        }
        Ok(stores)
    }

    /// Stores on the list whose baseline was begun and not ended.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn stores_without_baseline(&self) -> Result<Vec<StoreRow>, LogError> {
        let sql = format!("{ROWS} WHERE s.baseline = ?1 AND s.removed_at IS NULL");
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut rows = query.query([BEING_TAKEN])?;
        let mut stores = Vec::new();
        while let Some(row) = rows.next()? {
            stores.push(store_from(row)?);
        }
        Ok(stores)
    }

    /// One store.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none with this id.
    pub fn store(&self, id: StoreId) -> Result<StoreRow, LogError> {
        let sql = format!("{ROWS} WHERE s.public = ?1");
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut rows = query.query([&id.0[..]])?;
        rows.next()?.map(store_from).unwrap_or_else(|| Err(unknown_store(id)))
    }
}

impl Act<'_> {
    /// Adds a store, or puts one that was taken off the list back on it.
    ///
    /// # Errors
    /// [`LogError::Invalid`] when the directory is a store already or the name is taken.
    pub fn add_store(&mut self, new: &NewStore) -> Result<StoreId, LogError> {
        let taken: Option<String> = self
            .transaction
            .query_row(
                "SELECT name FROM stores WHERE name = ?1 AND removed_at IS NULL AND root <> ?2",
                params![new.name, new.root],
                |row| row.get(0),
            )
            .optional()?;
        if let Some(name) = taken {
            return Err(LogError::Invalid(say::store_named_already(format!("{name:?}"))));
        }
        let known: Option<(Vec<u8>, Option<i64>)> = self
            .transaction
            .query_row("SELECT public, removed_at FROM stores WHERE root = ?1", [&new.root], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        if let Some((public, removed_at)) = known {
            let id = store_id(&public)?;
            if removed_at.is_none() {
                return Err(LogError::Invalid(say::root_is_a_store_already()));
            }
            self.transaction.execute(
                "UPDATE stores SET removed_at = NULL, paused = 0, kind = ?2, name = ?3, state = 'recording',
                    state_detail = NULL, root_device = NULL, root_file = NULL, root_boot = NULL, root_made = NULL, root_at = NULL WHERE public = ?1",
                params![&id.0[..], new.kind.as_str(), new.name],
            )?;
            return Ok(id);
        }
        let id = StoreId(self.random());
        self.transaction.execute(
            "INSERT INTO stores (public, kind, root, name, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![&id.0[..], new.kind.as_str(), new.root, new.name, new.at.micros()],
        )?;
        Ok(id)
    }

    /// Takes a store off the list. Its history stays, and adding the directory again brings it back.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none with this id.
    pub fn remove_store(&self, id: StoreId, at: Timestamp) -> Result<(), LogError> {
        // A directory is added as it is found then, so that none is kept for a store off the list.
        self.change_store(
            id,
            "removed_at = ?2, root_device = NULL, root_file = NULL, root_boot = NULL, root_made = NULL, root_at = NULL",
            &[&at.micros()],
        )
    }

    /// Pauses a store or lets it go on.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none with this id.
    pub fn pause_store(&self, id: StoreId, paused: bool) -> Result<(), LogError> {
        self.change_store(id, "paused = ?2", &[&paused])
    }

    /// Says how a store was found. Does nothing when that is known already.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none with this id.
    pub fn set_store_state(
        &self,
        id: StoreId,
        state: StoreState,
        detail: Option<&str>,
    ) -> Result<(), LogError> {
        let known: Option<bool> = self
            .transaction
            .prepare_cached("SELECT state = ?2 AND state_detail IS ?3 FROM stores WHERE public = ?1")?
            .query_row(params![&id.0[..], state.as_str(), detail], |row| row.get(0))
            .optional()?;
        match known {
            Some(true) => Ok(()),
            _ => self.change_store(id, "state = ?2, state_detail = ?3", &[&state.as_str(), &detail]),
        }
    }

    /// Says which directory a store's is. `root_at`: where its path leads, where that is another place.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none with this id.
    pub fn set_store_place(
        &self,
        id: StoreId,
        place: &StorePlace,
        root_at: Option<&[u8]>,
    ) -> Result<(), LogError> {
        let (device, file_id) = (place.device.cast_signed(), place.file_id.cast_signed());
        self.change_store(
            id,
            "root_device = ?2, root_file = ?3, root_boot = ?4, root_at = ?5, root_made = ?6",
            &[&device, &file_id, &place.boot, &root_at, &place.made_nanos],
        )
    }

    /// Says that the baseline of a store is being taken, in the transaction that adds it: whoever is cut off before
    /// [`Act::mark_baseline`] leaves a store that [`Reader::stores_without_baseline`] names. Does nothing to a store that
    /// recorded something before.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none with this id.
    pub fn begin_baseline(&self, id: StoreId) -> Result<(), LogError> {
        self.change_store(id, "baseline = CASE WHEN versions = 0 THEN ?2 ELSE baseline END", &[&BEING_TAKEN])
    }

    /// Says that all versions so far are the store's baseline, which is known to everybody without a review.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none with this id.
    pub fn mark_baseline(&self, id: StoreId) -> Result<(), LogError> {
        self.change_store(id, "baseline = versions", &[])?;
        review::know_all_of(&self.transaction, id)
    }

    fn change_store(&self, id: StoreId, set: &str, values: &[&dyn rusqlite::ToSql]) -> Result<(), LogError> {
        let sql = format!("UPDATE stores SET {set} WHERE public = ?1");
        let key = &id.0[..];
        let parameters: Vec<&dyn rusqlite::ToSql> =
            std::iter::once(&key as &dyn rusqlite::ToSql).chain(values.iter().copied()).collect();
        match self.transaction.execute(&sql, &parameters[..])? {
            0 => Err(unknown_store(id)),
            _ => Ok(()),
        }
    }
}

fn store_from(row: &Row<'_>) -> Result<StoreRow, LogError> {
    let word = |error: retrace_model::UnknownWord| LogError::Damaged(error.message());
    Ok(StoreRow {
        id: store_id(&row.get::<_, Vec<u8>>(0)?)?,
        kind: row.get::<_, String>(1)?.parse().map_err(word)?,
        root: row.get(2)?,
        name: row.get(3)?,
        created_at: Timestamp::from_micros(row.get(4)?),
        paused: row.get(5)?,
        removed_at: row.get::<_, Option<i64>>(6)?.map(Timestamp::from_micros),
        state: row.get::<_, String>(7)?.parse().map_err(word)?,
        state_detail: row.get(8)?,
        versions: row.get(9)?,
        baseline: row.get::<_, i64>(10)?.try_into().unwrap_or(0),
        last_change: row.get::<_, Option<i64>>(11)?.map(Timestamp::from_micros),
        place: match (row.get::<_, Option<i64>>(12)?, row.get::<_, Option<i64>>(13)?) {
            (Some(device), Some(file_id)) => Some(StorePlace {
                device: device.cast_unsigned(),
                file_id: file_id.cast_unsigned(),
                boot: row.get(14)?,
                made_nanos: row.get(16)?,
            }),
            _ => None,
        },
        root_at: row.get(15)?,
    })
}

/// Two stores cannot have one directory.
pub(crate) fn root_is_a_store_already() -> Message {
    say::root_is_a_store_already()
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "stores";
    root_is_a_store_already() => "the directory is a store already",
    store_named_already(name) => "there is a store named {name} already",
}
