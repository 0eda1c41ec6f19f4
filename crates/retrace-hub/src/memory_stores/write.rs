//! Calls that write. Each checks everything before it changes anything.

use super::append::{Link, New};
use super::rows::{Parameter, Store, actor_columns, unknown_memory, unsigned};
use super::{Api, Stop};
use crate::database::now;
use crate::requests::{KeptOut, beside_others, id16};
use retrace_model::{Actor, MemoryId, RelPath, Sha256, StoreId, Timestamp, VersionId, VersionOperation};
use retrace_store_api::objects::{self, MemoryObject, StoreObject, with_content};
use retrace_store_api::rules::{self, Update};
use retrace_store_api::{
    Call, CreateMemory, CreateStore, DeleteMemory, MemoryPath, Refusal, UpdateMemory, UpdateStore, View, open,
};
use serde_json::Value;

/// The name of the hub as a machine.
const MACHINE_NAME: &str = "api";

/// The kind of its stores, as a machine calls one that a host keeps.
const KIND: &str = "remote";

/// Why a content is refused that would bring back what was redacted.
const KEPT_OUT: &str = "holds a text that was redacted on a machine of the organisation";

impl Api<'_> {
    /// Does a call that writes.
    pub(super) async fn write(&self, call: &Call, author: &Actor) -> Result<Value, Stop> {
        match call {
            Call::CreateStore(new) => self.create_store(new).await,
            Call::UpdateStore(id, change) => self.update_store(*id, change).await,
            Call::DeleteStore(id) => self.delete_store(*id).await,
            Call::ArchiveStore(id) => self.archive_store(*id).await,
            Call::CreateMemory(id, new) => self.create_memory(*id, new, author).await,
            Call::UpdateMemory(id, memory, change) => self.update_memory(*id, *memory, change, author).await,
            Call::DeleteMemory(id, memory, delete) => self.delete_memory(*id, *memory, *delete, author).await,
            Call::RedactVersion(id, version) => self.redact(*id, *version, author).await,
            _ => Err(Refusal::not_found("route", "").into()),
        }
    }

    async fn create_store(&self, new: &CreateStore) -> Result<Value, Stop> {
        let (id, at) = (StoreId(self.hub.keys.random()?), now());
        self.be_a_machine(at).await?;
        let metadata = Value::Object(new.metadata.clone()).to_string();
        let of: [Parameter<'_>; 3] = [&&self.agent.org.0[..], &&id.0[..], &&self.machine.0[..]];
        let sql = "INSERT INTO api_stores (org, store, name, description, metadata, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $6)";
        self.rows(sql, &[of[0], of[1], &new.name, &new.description.as_bytes(), &metadata, &at]).await?;
        let sql = "INSERT INTO stores (org, store, machine, name, kind) VALUES ($1, $2, $3, $4, $5)";
        self.rows(sql, &[of[0], of[1], of[2], &new.name, &KIND]).await?;
        let at = Timestamp::from_micros(at);
        let object = StoreObject {
            id,
            name: new.name.clone(),
            description: new.description.clone(),
            metadata: new.metadata.clone(),
            created_at: at,
            updated_at: at,
            archived_at: None,
        };
        Ok(object.to_json())
    }

    /// Sees to it that the hub is among the machines, as one that does not call: nothing waits for it.
    async fn be_a_machine(&self, at: i64) -> Result<(), Stop> {
        let sql = "INSERT INTO machines (org, machine, public_key, name, role, joined_at, seen_at, left_at)
             VALUES ($1, $2, $3, $4, 'writer', $5, $5, $5) ON CONFLICT DO NOTHING";
        let key = self.hub.keys.signing.public();
        let parameters: [Parameter<'_>; 5] =
            [&&self.agent.org.0[..], &&self.machine.0[..], &key, &MACHINE_NAME, &at];
        self.rows(sql, &parameters).await?;
        Ok(())
    }

    async fn update_store(&self, id: StoreId, change: &UpdateStore) -> Result<Value, Stop> {
        let mut object = self.open_store(id).await?.object;
        let metadata = change.metadata.as_ref().map(|patch| patch.apply(&object.metadata)).transpose()?;
        let before = (object.name.clone(), object.description.clone(), object.metadata.clone());
        object.name = change.name.clone().unwrap_or(object.name);
        object.description = change.description.clone().unwrap_or(object.description);
        object.metadata = metadata.unwrap_or(object.metadata);
        if before == (object.name.clone(), object.description.clone(), object.metadata.clone()) {
            return Ok(object.to_json());
        }
        let at = now();
        object.updated_at = Timestamp::from_micros(at);
        let pairs = Value::Object(object.metadata.clone()).to_string();
        let of: [Parameter<'_>; 2] = [&&self.agent.org.0[..], &&id.0[..]];
        let sql = "UPDATE api_stores SET name = $3, description = $4, metadata = $5, updated_at = $6
             WHERE org = $1 AND store = $2";
        self.rows(sql, &[of[0], of[1], &object.name, &object.description.as_bytes(), &pairs, &at]).await?;
        let sql = "UPDATE stores SET name = $3 WHERE org = $1 AND store = $2 AND machine = $4";
        self.rows(sql, &[of[0], of[1], &object.name, &&self.machine.0[..]]).await?;
        Ok(object.to_json())
    }

    async fn archive_store(&self, id: StoreId) -> Result<Value, Stop> {
        let mut object = self.store(id, "FOR UPDATE").await?.object;
        if object.archived_at.is_none() {
            let at = now();
            object.archived_at = Some(Timestamp::from_micros(at));
            object.updated_at = Timestamp::from_micros(at);
            let sql = "UPDATE api_stores SET archived_at = $3, updated_at = $3 WHERE org = $1 AND store = $2";
            self.rows(sql, &[&&self.agent.org.0[..], &&id.0[..], &at]).await?;
        }
        Ok(object.to_json())
    }

    /// The API shows it no more. Its versions stay in the history of the organisation.
    async fn delete_store(&self, id: StoreId) -> Result<Value, Stop> {
        self.store(id, "FOR UPDATE").await?;
        let sql = "UPDATE api_stores SET deleted_at = $3 WHERE org = $1 AND store = $2";
        self.rows(sql, &[&&self.agent.org.0[..], &&id.0[..], &now()]).await?;
        Ok(objects::deleted_store(id))
    }

    /// A store that may be written to, locked.
    async fn open_store(&self, id: StoreId) -> Result<Store, Stop> {
        let store = self.store(id, "FOR UPDATE").await?;
        rules::writable(store.object.archived_at.is_some())?;
        Ok(store)
    }

    async fn create_memory(&self, id: StoreId, new: &CreateMemory, author: &Actor) -> Result<Value, Stop> {
        beside_others(self.scoped, self.agent.org).await?;
        self.open_store(id).await?;
        let path = new.path.relative();
        let content = new.content.as_bytes();
        // Sent together; what is refused is decided in the order of the rules.
        let (in_the_way, live, stays_out, head) = tokio::try_join!(
            self.in_the_way(id, &path, None),
            self.live_count(id),
            self.stays_out(content),
            self.locked_head(id)
        )?;
        if let Some((blocking, memory)) = in_the_way {
            return Err(rules::taken(&blocking, memory).into());
        }
        rules::room(live)?;
        if stays_out {
            return Err(Refusal::invalid("content", KEPT_OUT).into());
        }
        let memory = MemoryId(self.hub.keys.random()?);
        let version =
            New { memory, operation: VersionOperation::Created, path: &path, content: Some(content) };
        let link = self.link(id, head, &version, author)?;
        let sql = "INSERT INTO api_memories (org, store, memory, path, head, created_at)
             VALUES ($1, $2, $3, $4, $5, $6)";
        let parameters: [Parameter<'_>; 6] = [
            &&self.agent.org.0[..],
            &&id.0[..],
            &&memory.0[..],
            &path.as_bytes(),
            &link.seq,
            &link.at.micros(),
        ];
        tokio::try_join!(self.append(id, &link), self.rows(sql, &parameters))?;
        let written = Written { memory, path: &new.path, content, created_at: link.at };
        Ok(written.answer(id, &link, new.view))
    }

    async fn update_memory(
        &self,
        id: StoreId,
        memory: MemoryId,
        change: &UpdateMemory,
        author: &Actor,
    ) -> Result<Value, Stop> {
        beside_others(self.scoped, self.agent.org).await?;
        self.open_store(id).await?;
        let full = change.content.is_none() || with_content(change.view);
        let record = self.live(id, memory, full).await?.ok_or_else(|| unknown_memory(memory))?;
        let (sha256, _) = record.current();
        let Update::Version { path, moves } = rules::update(change, sha256, &record.path)? else {
            return Ok(self.memory_object(id, &record, with_content(change.view))?.to_json(false));
        };
        if moves && let Some((blocking, other)) = self.in_the_way(id, &path, Some(memory)).await? {
            return Err(rules::taken(&blocking, other).into());
        }
        let content = match &change.content {
            Some(text) => text.clone(),
            None => self.text(id, &record)?,
        };
        // What stands there already may stay.
        let stands = sha256 == Sha256::of(content.as_bytes());
        let (stays_out, head) = tokio::try_join!(self.stays_out(content.as_bytes()), self.locked_head(id))?;
        if !stands && stays_out {
            return Err(Refusal::invalid("content", KEPT_OUT).into());
        }
        let version = New {
            memory,
            operation: VersionOperation::Modified,
            path: &path,
            content: Some(content.as_bytes()),
        };
        let link = self.link(id, head, &version, author)?;
        let bytes = path.as_bytes();
        let of: [Parameter<'_>; 5] = [&&self.agent.org.0[..], &&id.0[..], &&memory.0[..], &link.seq, &bytes];
        if moves {
            let sql =
                "UPDATE api_memories SET head = $4, path = $5 WHERE org = $1 AND store = $2 AND memory = $3";
            tokio::try_join!(self.append(id, &link), self.rows(sql, &of))?;
        } else {
            let sql = "UPDATE api_memories SET head = $4 WHERE org = $1 AND store = $2 AND memory = $3";
            tokio::try_join!(self.append(id, &link), self.rows(sql, &of[..4]))?;
        }
        let path =
            MemoryPath::of(&path).ok_or_else(|| crate::Failure::Database("a path is damaged".into()))?;
        let created_at = record.created_at;
        let written = Written { memory, path: &path, content: content.as_bytes(), created_at };
        Ok(written.answer(id, &link, change.view))
    }

    async fn delete_memory(
        &self,
        id: StoreId,
        memory: MemoryId,
        delete: DeleteMemory,
        author: &Actor,
    ) -> Result<Value, Stop> {
        beside_others(self.scoped, self.agent.org).await?;
        self.store(id, "FOR UPDATE").await?;
        let record = self.live(id, memory, false).await?.ok_or_else(|| unknown_memory(memory))?;
        rules::deletion(delete, record.current().0)?;
        let version = New { memory, operation: VersionOperation::Deleted, path: &record.path, content: None };
        let link = self.link(id, self.locked_head(id).await?, &version, author)?;
        let of: [Parameter<'_>; 3] = [&&self.agent.org.0[..], &&id.0[..], &&memory.0[..]];
        let sql = "DELETE FROM api_memories WHERE org = $1 AND store = $2 AND memory = $3";
        tokio::try_join!(self.append(id, &link), self.rows(sql, &of))?;
        Ok(objects::deleted_memory(memory))
    }

    /// The memory in the way of a path, other than `except`.
    async fn in_the_way(
        &self,
        id: StoreId,
        path: &RelPath,
        except: Option<MemoryId>,
    ) -> Result<Option<(RelPath, MemoryId)>, Stop> {
        let bytes = path.as_bytes();
        let slashes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let mut on_the_way: Vec<&[u8]> = slashes.map(|(at, _)| &bytes[..at]).collect();
        on_the_way.push(bytes);
        let (from, to) = ([bytes, b"/"].concat(), [bytes, b"0"].concat());
        let except = except.map_or_else(Vec::new, |memory| memory.0.to_vec());
        let sql = "SELECT memory, path FROM api_memories WHERE org = $1 AND store = $2 AND memory <> $3
             AND (path = ANY($4) OR (path >= $5 AND path < $6)) ORDER BY path LIMIT 1";
        let parameters: [Parameter<'_>; 6] =
            [&&self.agent.org.0[..], &&id.0[..], &except, &on_the_way, &from, &to];
        let rows = self.rows(sql, &parameters).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let path = RelPath::from_bytes(row.get::<_, Vec<u8>>(1))
            .map_err(|_| crate::Failure::Database("a path is damaged".into()))?;
        Ok(Some((path, MemoryId(id16(row, 0)?))))
    }

    /// True if a content was redacted on a machine.
    async fn stays_out(&self, content: &[u8]) -> Result<bool, Stop> {
        Ok(KeptOut::is_out(self.hub, self.scoped, self.agent.org, &Sha256::of(content)).await?)
    }

    async fn live_count(&self, id: StoreId) -> Result<u64, Stop> {
        let sql = "SELECT count(*) FROM api_memories WHERE org = $1 AND store = $2";
        let rows = self.rows(sql, &[&&self.agent.org.0[..], &&id.0[..]]).await?;
        Ok(rows.first().map_or(0, |row| unsigned(row.get(0))))
    }

    /// Takes a version's content, path, size and hash away. The content goes with its key where no other version of the store has
    /// it; other versions keep what they have, be it the same.
    async fn redact(&self, id: StoreId, version: VersionId, author: &Actor) -> Result<Value, Stop> {
        beside_others(self.scoped, self.agent.org).await?;
        self.store(id, "FOR UPDATE").await?;
        let found = self.version(id, version, false).await?.object;
        if found.redacted.is_some() && open::REDACT_TWICE {
            return Ok(found.to_json(false));
        }
        let head = self.live(id, found.memory, false).await?.map(|memory| memory.head);
        let seq = i64::try_from(version.seq).unwrap_or(i64::MAX);
        rules::redaction(head == Some(seq))?;
        let of: [Parameter<'_>; 4] = [&&self.agent.org.0[..], &&id.0[..], &&self.machine.0[..], &seq];
        // Retention locks the head as well, and a machine that reads the chain does not see half of it.
        let sql = "SELECT 1 FROM heads WHERE org = $1 AND store = $2 AND machine = $3 FOR UPDATE";
        self.rows(sql, &of[..3]).await?;
        let (actor, actor_id) = actor_columns(author);
        let sql = "UPDATE api_versions SET redacted_at = $5, redacted_by = $6, redacted_by_id = $7
             WHERE org = $1 AND store = $2 AND machine = $3 AND seq = $4 AND redacted_at IS NULL";
        self.rows(sql, &[of[0], of[1], of[2], of[3], &now(), &actor, &actor_id]).await?;
        let sql = "UPDATE versions SET redacted = true, path = NULL, salt = NULL, content_sha256 = NULL,
                 content_size = NULL WHERE org = $1 AND store = $2 AND machine = $3 AND seq = $4";
        self.rows(sql, &of).await?;
        let sql = "UPDATE comments SET sha256 = NULL, size = NULL, wrapped_key = NULL, bytes = NULL
             WHERE org = $1 AND store = $2 AND machine = $3 AND seq = $4";
        self.rows(sql, &of).await?;
        if let Some((sha256, _)) = found.info {
            let sql = "DELETE FROM contents c WHERE c.org = $1 AND c.store = $2 AND c.machine = $3 AND c.sha256 = $4
                 AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.org = $1 AND v.store = $2 AND v.machine = $3
                     AND v.content_sha256 = $4)";
            self.rows(sql, &[of[0], of[1], of[2], &&sha256.0[..]]).await?;
        }
        Ok(self.version(id, version, true).await?.object.to_json(false))
    }
}

/// A memory that was written, as it is answered.
struct Written<'w> {
    memory: MemoryId,
    path: &'w MemoryPath,
    content: &'w [u8],
    created_at: Timestamp,
}

impl Written<'_> {
    fn answer(&self, store: StoreId, link: &Link, view: View) -> Value {
        let content = with_content(view).then(|| String::from_utf8_lossy(self.content).into_owned());
        let object = MemoryObject {
            id: self.memory,
            store,
            version: link.id,
            path: self.path.clone(),
            content,
            size: self.content.len() as u64,
            sha256: Sha256::of(self.content),
            created_at: self.created_at,
            updated_at: link.at,
        };
        object.to_json(false)
    }
}
