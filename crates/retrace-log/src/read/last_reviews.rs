//! When each store was last reviewed.

use crate::chain::actor_fields;
use crate::rows;
use crate::{LogError, Reader};
use retrace_model::{Actor, StoreId, Timestamp};
use std::collections::BTreeMap;

impl Reader<'_> {
    /// When a person last decided about anything of each store: approved, edited, rejected, or reviewed up to a point. What
    /// follows from acts of their own does not count, nor what was taken back. Stores never reviewed are left out.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn last_reviews(&self, person: &Actor) -> Result<BTreeMap<StoreId, Timestamp>, LogError> {
        let (kind, name, evidence) = actor_fields(person);
        let mut query = self.connection.prepare_cached(
            "SELECT s.public, max(r.created_at)
             FROM actors a JOIN review_acts r ON r.actor_id = a.id
             JOIN reviews x ON x.act_seq = r.seq
             JOIN memories m ON m.id = x.memory_id
             JOIN stores s ON s.id = m.store_id
             WHERE a.type = ?1 AND a.name = ?2 AND a.evidence = ?3 AND r.verdict NOT IN ('own', 'undone')
               AND NOT EXISTS (SELECT 1 FROM review_acts u WHERE u.undoes = r.seq)
             GROUP BY s.id",
        )?;
        let mut found = query.query([kind, name, evidence])?;
        let mut last = BTreeMap::new();
        while let Some(row) = found.next()? {
            let store = rows::store_id(&row.get::<_, Vec<u8>>(0)?)?;
            last.insert(store, Timestamp::from_micros(row.get(1)?));
        }
        Ok(last)
    }
}
