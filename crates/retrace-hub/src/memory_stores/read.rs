//! Calls that read.

use super::rows::{
    LIVE, LIVE_FROM, Live, Parameter, STORE, Store, VERSION, VERSION_FROM, Version, live, store,
    unknown_memory, unknown_store, unknown_version, version,
};
use super::{Api, Stop};
use crate::requests::number;
use retrace_model::{MemoryId, StoreId, VersionId};
use retrace_store_api::objects::{self, ListItem, with_content};
use retrace_store_api::pages::{self, MemoryPage, Slot};
use retrace_store_api::{Call, ListMemories, ListStores, ListVersions, Listing, Refusal, Writer};
use serde_json::Value;
use tokio_postgres::Row;

impl Api<'_> {
    /// Answers a call that reads.
    pub(super) async fn read(&self, call: &Call) -> Result<Value, Stop> {
        match call {
            Call::ListStores(list) => self.list_stores(list).await,
            Call::GetStore(id) => Ok(self.store(*id, "").await?.object.to_json()),
            Call::ListMemories(id, list) => self.list_memories(*id, list).await,
            Call::GetMemory(id, memory, view) => {
                let full = with_content(*view);
                let Some(found) = self.live(*id, *memory, full).await? else {
                    self.store(*id, "").await?;
                    return Err(unknown_memory(*memory));
                };
                Ok(self.memory_object(*id, &found, full)?.to_json(false))
            }
            Call::ListVersions(id, list) => self.list_versions(*id, list).await,
            Call::GetVersion(id, version, view) => {
                self.store(*id, "").await?;
                let full = with_content(*view);
                let found = self.version(*id, *version, full).await?;
                Ok(self.version_object(&found, full)?.to_json(false))
            }
            _ => Err(Refusal::not_found("route", "").into()),
        }
    }

    pub(super) async fn rows(&self, sql: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, Stop> {
        Ok(self.scoped.client()?.query(sql, parameters).await?)
    }

    /// A store the API shows; `lock` where it is about to be written to.
    pub(super) async fn store(&self, id: StoreId, lock: &str) -> Result<Store, Stop> {
        let sql = format!(
            "SELECT {STORE} FROM api_stores s WHERE s.org = $1 AND s.store = $2 AND s.deleted_at IS NULL {lock}"
        );
        let rows = self.rows(&sql, &[&&self.agent.org.0[..], &&id.0[..]]).await?;
        Ok(store(rows.first().ok_or_else(|| unknown_store(id))?)?)
    }

    /// A live memory of a store that is shown.
    pub(super) async fn live(&self, id: StoreId, memory: MemoryId, full: bool) -> Result<Option<Live>, Stop> {
        let sql = format!(
            "SELECT {LIVE} {LIVE_FROM} AND m.memory = $5 AND EXISTS (SELECT 1 FROM api_stores s
                 WHERE s.org = $1 AND s.store = $3 AND s.deleted_at IS NULL)"
        );
        let (org, machine) = (self.agent.org, self.machine);
        let parameters: [Parameter<'_>; 5] =
            [&&org.0[..], &full, &&id.0[..], &&machine.0[..], &&memory.0[..]];
        Ok(self.rows(&sql, &parameters).await?.first().map(live).transpose()?)
    }

    pub(super) async fn version(&self, id: StoreId, asked: VersionId, full: bool) -> Result<Version, Stop> {
        let sql = format!("SELECT {VERSION} {VERSION_FROM} AND a.seq = $5");
        let (org, machine) = (self.agent.org, self.machine);
        let Ok(seq) = i64::try_from(asked.seq) else { return Err(unknown_version(asked)) };
        let parameters: [Parameter<'_>; 5] = [&&org.0[..], &full, &&id.0[..], &&machine.0[..], &seq];
        let rows = self.rows(&sql, &parameters).await?;
        let found = rows.first().map(|row| version(row, id)).transpose()?;
        found.filter(|found| found.object.id == asked).ok_or_else(|| unknown_version(asked))
    }

    async fn list_stores(&self, list: &ListStores) -> Result<Value, Stop> {
        let sql = format!(
            "SELECT {STORE} FROM api_stores s WHERE s.org = $1 AND s.deleted_at IS NULL
                 AND ($2::bytea IS NULL OR s.store = $2) AND ($3 OR s.archived_at IS NULL)
                 AND ($4::int8 IS NULL OR s.created_at >= $4) AND ($5::int8 IS NULL OR s.created_at <= $5)
                 AND ($6::int8 IS NULL OR s.place < $6)
             ORDER BY s.place DESC LIMIT $7"
        );
        let parameters: [Parameter<'_>; 7] = [
            &&self.agent.org.0[..],
            &self.agent.store.map(|store| store.0.to_vec()),
            &list.include_archived,
            &list.since.map(|at| at.micros()),
            &list.until.map(|at| at.micros()),
            &place(list.after),
            &number(list.limit + 1)?,
        ];
        let rows = self.rows(&sql, &parameters).await?;
        let stores = rows.iter().map(store).collect::<Result<Vec<_>, _>>()?;
        pages::page(
            stores,
            list.limit,
            Listing::Stores,
            |store| store.place,
            |store| Ok(store.object.to_json()),
        )
    }

    /// One statement, so that no memory is missed that another one moves or changes meanwhile.
    async fn list_memories(&self, id: StoreId, list: &ListMemories) -> Result<Value, Stop> {
        self.store(id, "").await?;
        let sql = format!(
            "SELECT DISTINCT ON (m.place) {LIVE} FROM (
                 SELECT *, CASE WHEN $5 AND position('\\x2f'::bytea IN substr(path, $6)) > 0
                     THEN substr(path, 1, $6 - 1 + position('\\x2f'::bytea IN substr(path, $6))) ELSE path END AS place
                 FROM api_memories WHERE org = $1 AND store = $3 AND path >= $7 AND ($8::bytea IS NULL OR path < $8)) m
             JOIN versions v ON v.org = m.org AND v.store = m.store AND v.machine = $4 AND v.seq = m.head
             LEFT JOIN contents c ON $2 AND m.place = m.path AND c.org = m.org AND c.store = m.store AND c.machine = $4
                 AND c.sha256 = v.content_sha256
             WHERE m.place > $9 ORDER BY m.place, m.path LIMIT $10"
        );
        // A prefix ends with a slash; the byte after that one ends everything below it.
        let prefix = list.prefix.relative();
        let end = prefix.split_last().map(|(_, directory)| [directory, b"0"].concat());
        let after = list.after.as_deref().unwrap_or_default();
        let below = i32::try_from(prefix.len() + 1).unwrap_or(i32::MAX);
        let full = with_content(list.view);
        let (org, machine) = (self.agent.org, self.machine);
        let parameters: [Parameter<'_>; 10] = [
            &&org.0[..],
            &full,
            &&id.0[..],
            &&machine.0[..],
            &list.direct,
            &below,
            &prefix.max(after),
            &end,
            &after,
            &number(list.limit + 1)?,
        ];
        let rows = self.rows(&sql, &parameters).await?;
        let mut page = MemoryPage::of(list);
        for row in &rows {
            let memory = live(row)?;
            let path = memory.path.as_bytes();
            let item = match page.slot(path) {
                Slot::Passed => continue,
                Slot::Directory(text) => ListItem::Prefix(text),
                Slot::Memory => ListItem::Memory(self.memory_object(id, &memory, full)?),
            };
            if !page.add(path, &item, false) {
                break;
            }
        }
        Ok(page.finish(id))
    }

    async fn list_versions(&self, id: StoreId, list: &ListVersions) -> Result<Value, Stop> {
        self.store(id, "").await?;
        let (kinds, ids): (Vec<&str>, Vec<&str>) = list
            .writers
            .iter()
            .map(|writer| match writer {
                Writer::Session(id) => ("session", id.as_str()),
                Writer::Api(id) => ("api", id.as_str()),
                Writer::ServiceAccount(id) => ("service_account", id.as_str()),
            })
            .unzip();
        // No author's id has a NUL, which a text of the database cannot hold.
        if list.nothing || ids.iter().any(|id| id.contains('\0')) {
            return Ok(objects::page(Vec::new(), None));
        }
        let of_memory = if list.memory.is_some() { "a.memory = $5" } else { "$5::bytea IS NULL" };
        let sql = format!(
            "SELECT {VERSION} {VERSION_FROM} AND {of_memory} AND ($6::text IS NULL OR v.operation = $6)
                 AND NOT EXISTS (SELECT 1 FROM unnest($7::text[], $8::text[]) AS w (kind, id)
                     WHERE (w.kind, w.id) <> (a.actor, a.actor_id))
                 AND ($9::int8 IS NULL OR v.created_at >= $9) AND ($10::int8 IS NULL OR v.created_at <= $10)
                 AND ($11::int8 IS NULL OR a.seq < $11)
             ORDER BY a.seq DESC LIMIT $12"
        );
        let full = with_content(list.view);
        let (org, machine) = (self.agent.org, self.machine);
        let parameters: [Parameter<'_>; 12] = [
            &&org.0[..],
            &full,
            &&id.0[..],
            &&machine.0[..],
            &list.memory.map(|memory| memory.0.to_vec()),
            &list.operation.map(|operation| operation.as_str()),
            &kinds,
            &ids,
            &list.since.map(|at| at.micros()),
            &list.until.map(|at| at.micros()),
            &place(list.after),
            &number(list.limit + 1)?,
        ];
        let rows = self.rows(&sql, &parameters).await?;
        let versions = rows.iter().map(|row| version(row, id)).collect::<Result<Vec<_>, _>>()?;
        let item = |version: &Version| self.version_object(version, full).map(|object| object.to_json(false));
        let seq = |version: &Version| version.object.id.seq;
        pages::page(versions, list.limit, Listing::Versions(id), seq, item)
    }
}

/// A place in a list as the database takes it. Beyond its numbers lies nothing.
fn place(after: Option<u64>) -> Option<i64> {
    after.map(|after| i64::try_from(after).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::super::rows::unsigned;
    use super::*;

    #[test]
    fn a_place_beyond_all_numbers_is_the_last_one() {
        assert_eq!(place(Some(u64::MAX)), Some(i64::MAX));
        assert_eq!((place(Some(3)), place(None)), (Some(3), None));
        assert_eq!(unsigned(-1), 0);
    }
}
