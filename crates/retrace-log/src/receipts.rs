//! Receipts of redactions.

use crate::rows::{hash_from, intern_actor};
use crate::writer::Act;
use crate::{LogError, Reader, rows};
use retrace_message::Message;
use retrace_model::records::{NewReceipt, Place, PlaceState, ReceiptRow};
use retrace_model::{Actor, ReceiptId, StoreId, Timestamp};
use rusqlite::{Row, params};
use std::collections::BTreeSet;

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
                    state: PlaceState::parse(&word).unwrap_or(PlaceState::Left),
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
