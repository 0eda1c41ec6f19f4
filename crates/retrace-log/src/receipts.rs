//! Receipts of redactions.

use crate::rows::{hash_from, intern_actor};
use crate::writer::Act;
use crate::{LogError, Reader, rows};
use retrace_message::Message;
use retrace_model::{Actor, ReceiptId, Sha256, StoreId, Timestamp};
use rusqlite::{Row, params};
use std::collections::BTreeSet;

/// A receipt about to be written.
#[derive(Debug)]
pub struct NewReceipt<'a> {
    /// The redaction's operation, appended before in the same transaction.
    pub operation_seq: u64,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub actor: &'a Actor,
    /// Why.
    pub reason: Option<&'a str>,
    /// Way the versions were chosen: `versions`, `find` or `secret`.
    pub method: &'a str,
    /// Number of versions that are masked.
    pub versions: u64,
}

/// State of one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceState {
    /// Nothing.
    Clean,
    /// Something that was not to be changed, or could not be.
    Left,
    /// Not to be looked at from here.
    OutOfReach,
}

/// One place a receipt speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// For people.
    pub place: Message,
    /// State.
    pub state: PlaceState,
    /// Number of hits.
    pub hits: u64,
    /// More, where there is more to say.
    pub detail: Option<Message>,
    /// The place is the log's own: what is left there is not done.
    pub owned: bool,
    /// Step that removes it, where something is left.
    pub remedy: Option<Message>,
}

impl Place {
    /// A place that is not the log's own.
    #[must_use]
    pub fn outside(place: Message, state: PlaceState, hits: u64, detail: Option<Message>) -> Self {
        Self { place, state, hits, detail, owned: false, remedy: None }
    }

    /// A place of the log's own, which is clean when nothing was found.
    #[must_use]
    pub fn own(place: Message, hits: u64, detail: Option<Message>) -> Self {
        let state = if hits == 0 { PlaceState::Clean } else { PlaceState::Left };
        Self { place, state, hits, detail, owned: true, remedy: None }
    }
}

/// A receipt.
#[derive(Clone, Debug)]
pub struct ReceiptRow {
    /// Its id.
    pub id: ReceiptId,
    /// The redaction's operation.
    pub operation_seq: u64,
    /// When.
    pub created_at: Timestamp,
    /// By whom.
    pub actor: Actor,
    /// Why.
    pub reason: Option<String>,
    /// Way the versions were chosen.
    pub method: String,
    /// Number of versions that were masked.
    pub versions: u64,
    /// Number of live files that were changed.
    pub live_files: u64,
    /// True if the purge is done.
    pub purged: bool,
    /// Head of the chain after it.
    pub chain_head: Sha256,
    /// Result of verifying the chain after the purge; `None` before.
    pub chain_verified: Option<bool>,
    /// Things worth knowing.
    pub warnings: Vec<Message>,
    /// Where was looked.
    pub places: Vec<Place>,
}

impl PlaceState {
    const WORDS: [(Self, &'static str); 3] =
        [(Self::Clean, "clean"), (Self::Left, "left"), (Self::OutOfReach, "out_of_reach")];

    /// The printed form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::WORDS.iter().find(|(state, _)| *state == self).map_or("left", |(_, word)| word)
    }
}

impl Act<'_> {
    /// Writes a receipt whose purge is pending; answers its id and row for [`Act::mask`].
    ///
    /// # Errors
    /// A failure of the database.
    pub fn add_receipt(&mut self, new: &NewReceipt<'_>) -> Result<(ReceiptId, i64), LogError> {
        let id = ReceiptId(self.random());
        let actor = intern_actor(&self.transaction, new.actor)?;
        let head = self.reader().chain_head()?;
        self.transaction.execute(
            "INSERT INTO redactions
                (public, operation_seq, created_at, actor_id, reason, method, versions, live_files, purge, chain_head)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 'pending', ?8)",
            params![
                &id.0[..],
                new.operation_seq,
                new.at.micros(),
                actor,
                new.reason,
                new.method,
                new.versions,
                &head.0[..],
            ],
        )?;
        Ok((id, self.transaction.last_insert_rowid()))
    }

    /// Says what came of a redaction: places, live files, state of the purge.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown receipt, or a failure of the database.
    pub fn finish_receipt(&mut self, receipt: &ReceiptRow) -> Result<(), LogError> {
        let changed = self.transaction.execute(
            "UPDATE redactions SET live_files = ?2, purge = ?3, chain_head = ?4, chain_verified = ?5, warnings = ?6
             WHERE public = ?1",
            params![
                &receipt.id.0[..],
                receipt.live_files,
                if receipt.purged { "done" } else { "pending" },
                &receipt.chain_head.0[..],
                receipt.chain_verified,
                receipt.warnings.iter().map(Message::text).collect::<Vec<_>>().join("\n"),
            ],
        )?;
        if changed == 0 {
            return Err(unknown(receipt.id));
        }
        self.transaction.execute(
            "DELETE FROM receipt_places WHERE redaction_id = (SELECT id FROM redactions WHERE public = ?1)",
            [&receipt.id.0[..]],
        )?;
        for (position, place) in receipt.places.iter().enumerate() {
            self.transaction
                .prepare_cached(
                    "INSERT INTO receipt_places (redaction_id, position, place, state, hits, detail, owned, remedy)
                     SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM redactions WHERE public = ?1",
                )?
                .execute(params![
                    &receipt.id.0[..],
                    position,
                    place.place.text(),
                    place.state.as_str(),
                    place.hits,
                    place.detail.as_ref().map(Message::text),
                    place.owned,
                    place.remedy.as_ref().map(Message::text),
                ])?;
        }
        Ok(())
    }
}

impl Reader<'_> {
    /// All receipts, newest first.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn receipts(&self) -> Result<Vec<ReceiptRow>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT r.public, r.operation_seq, r.created_at, a.type, a.name, a.evidence, r.reason, r.method, r.versions,
                    r.live_files, r.purge, r.chain_head, r.chain_verified, r.warnings, r.id
             FROM redactions r LEFT JOIN actors a ON a.id = r.actor_id ORDER BY r.id DESC",
        )?;
        let mut rows = query.query([])?;
        let mut receipts = Vec::new();
        while let Some(row) = rows.next()? {
            receipts.push(self.receipt_from(row)?);
        }
        Ok(receipts)
    }

    /// One receipt.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none.
    pub fn receipt(&self, id: ReceiptId) -> Result<ReceiptRow, LogError> {
        self.receipts()?.into_iter().find(|receipt| receipt.id == id).ok_or_else(|| unknown(id))
    }

    /// Stores of which a redaction took versions out.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn stores_redacted_by(&self, id: ReceiptId) -> Result<BTreeSet<StoreId>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT DISTINCT s.public FROM versions v JOIN stores s ON s.id = v.store_id
             WHERE v.redaction_id = (SELECT id FROM redactions WHERE public = ?1)",
        )?;
        let mut found = query.query([&id.0[..]])?;
        let mut stores = BTreeSet::new();
        while let Some(row) = found.next()? {
            stores.insert(rows::store_id(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)?);
        }
        Ok(stores)
    }

    /// Number of redactions that wait for their purge.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn purges_pending(&self) -> Result<u64, LogError> {
        Ok(self.connection.query_row(
            "SELECT count(*) FROM redactions WHERE purge = 'pending'",
            [],
            |row| row.get(0),
        )?)
    }

    fn receipt_from(&self, row: &Row<'_>) -> Result<ReceiptRow, LogError> {
        let mut places = self.connection.prepare_cached(
            "SELECT place, state, hits, detail, owned, remedy FROM receipt_places WHERE redaction_id = ?1 ORDER BY position",
        )?;
        let places = places
            .query_map([row.get::<_, i64>(14)?], |place| {
                let word: String = place.get(1)?;
                Ok(Place {
                    place: Message::of_saved(&place.get::<_, String>(0)?),
                    state: PlaceState::WORDS
                        .iter()
                        .find(|(_, known)| *known == word)
                        .map_or(PlaceState::Left, |(state, _)| *state),
                    hits: place.get(2)?,
                    detail: saved(place.get::<_, Option<String>>(3)?.as_deref()),
                    owned: place.get(4)?,
                    remedy: saved(place.get::<_, Option<String>>(5)?.as_deref()),
                })
            })?
            .collect::<Result<_, _>>()?;
        let actor = match row.get::<_, Option<String>>(3)? {
            None => Actor::Unknown,
            Some(kind) => crate::chain::actor_from_fields(&kind, row.get(4)?, &row.get::<_, String>(5)?),
        };
        Ok(ReceiptRow {
            id: ReceiptId(
                row.get::<_, Vec<u8>>(0)?
                    .try_into()
                    .map_err(|_| LogError::Damaged(say::receipt_id_wrong_length()))?,
            ),
            operation_seq: row.get(1)?,
            created_at: Timestamp::from_micros(row.get(2)?),
            actor,
            reason: row.get(6)?,
            method: row.get(7)?,
            versions: row.get(8)?,
            live_files: row.get(9)?,
            purged: row.get::<_, String>(10)? == "done",
            chain_head: hash_from(&row.get::<_, Vec<u8>>(11)?)?,
            chain_verified: row.get(12)?,
            warnings: row.get::<_, String>(13)?.lines().map(Message::of_saved).collect(),
            places,
        })
    }
}

fn unknown(id: ReceiptId) -> LogError {
    LogError::NotFound { what: "receipt", name: id.to_string() }
}

fn saved(text: Option<&str>) -> Option<Message> {
    text.map(Message::of_saved)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "receipts";
    receipt_id_wrong_length() => "a receipt id has the wrong length",
}
