//! Calls that write. Each runs within a transaction that others may share, so it checks everything before it changes
//! anything.

use super::read::{current, live, memory_object, metadata, shown, store_object, text_of};
use super::{Stop, directory, redact, tools};
use crate::Served;
use crate::live_files::LiveFiles;
use crate::wire::Event;
use retrace_log::{Act, ApiStoreChange, ApiStoreRow, Append, Change, LiveRecord, NewApiStore, Payload};
use retrace_model::{Actor, MemoryId, RelPath, Sha256, Source, StoreId};
use retrace_store_api::rules::{self, Update};
use retrace_store_api::{
    Call, CreateMemory, CreateStore, DeleteMemory, MemoryPath, Refusal, UpdateMemory, UpdateStore, View,
    objects,
};
use serde_json::Value;
use std::sync::Arc;

/// Why a content or a path is refused that would bring back what was redacted.
const KEPT_OUT: &str = "holds a text that was redacted from this log";

/// Result of a write.
pub(super) struct Written {
    /// The answer.
    pub(super) answer: Value,
    /// Event to send once it is durable, beside that the log went on.
    pub(super) after: Option<Event>,
}

impl From<Value> for Written {
    fn from(answer: Value) -> Self {
        Self { answer, after: None }
    }
}

/// Tools of every write.
pub(super) struct Writing<'c, 'w> {
    pub(super) inner: &'c Arc<Served>,
    pub(super) act: &'c mut Act<'w>,
    pub(super) files: &'c mut LiveFiles,
    pub(super) author: &'c Actor,
    pub(super) legacy: bool,
}

/// Does a call that writes.
pub(super) fn run(
    inner: &Arc<Served>,
    act: &mut Act<'_>,
    files: &mut LiveFiles,
    call: &Call,
    author: &Actor,
    legacy: bool,
) -> Result<Written, Stop> {
    let mut writing = Writing { inner, act, files, author, legacy };
    match call {
        Call::CreateStore(new) => writing.create_store(new),
        Call::UpdateStore(id, change) => writing.update_store(*id, change),
        Call::DeleteStore(id) => writing.delete_store(*id),
        Call::ArchiveStore(id) => writing.archive_store(*id),
        Call::CreateMemory(id, new) => Ok(writing.create_memory(*id, new)?.into()),
        Call::UpdateMemory(id, memory, change) => Ok(writing.update_memory(*id, *memory, change)?.into()),
        Call::DeleteMemory(id, memory, delete) => Ok(writing.delete_memory(*id, *memory, *delete)?.into()),
        Call::RedactVersion(id, version) => redact::redact(&mut writing, *id, *version),
        Call::Tool(id, tool) => Ok(tools::write(&mut writing, *id, &tool.tool)?.into()),
        _ => Err(Refusal::not_found("route", "").into()),
    }
}

/// Names and values of a store's pairs.
fn texts_of(pairs: &serde_json::Map<String, Value>) -> impl Iterator<Item = &str> {
    pairs.iter().flat_map(|(name, value)| std::iter::once(name.as_str()).chain(value.as_str()))
}

impl Writing<'_, '_> {
    fn create_store(&mut self, new: &CreateStore) -> Result<Written, Stop> {
        self.keep_out_of_facts("name", None, &new.name)?;
        self.keep_out_of_facts("description", None, &new.description)?;
        for text in texts_of(&new.metadata) {
            self.keep_out_of_facts("metadata", None, text)?;
        }
        let id = self.act.add_api_store(&NewApiStore {
            name: new.name.clone(),
            description: new.description.clone(),
            metadata: Value::Object(new.metadata.clone()).to_string(),
            at: self.inner.now(),
        })?;
        self.store_answer(id)
    }

    fn update_store(&mut self, id: StoreId, change: &UpdateStore) -> Result<Written, Stop> {
        let row = self.open_store(id)?;
        let pairs = metadata(&row);
        let patched = change.metadata.as_ref().map(|patch| patch.apply(&pairs)).transpose()?;
        let change = ApiStoreChange {
            name: change.name.clone().filter(|name| *name != row.name),
            description: change.description.clone().filter(|text| *text != row.description),
            metadata: patched
                .as_ref()
                .filter(|patched| **patched != pairs)
                .map(|pairs| Value::Object(pairs.clone()).to_string()),
        };
        if let Some(name) = &change.name {
            self.keep_out_of_facts("name", Some(&row.name), name)?;
        }
        if let Some(description) = &change.description {
            self.keep_out_of_facts("description", Some(&row.description), description)?;
        }
        for text in patched.iter().flat_map(texts_of) {
            self.keep_out_of_facts("metadata", Some(&row.metadata), text)?;
        }
        if change.name.is_some() || change.description.is_some() || change.metadata.is_some() {
            self.act.change_api_store(id, &change, self.inner.now())?;
        }
        self.store_answer(id)
    }

    fn archive_store(&mut self, id: StoreId) -> Result<Written, Stop> {
        shown(&self.act.reader(), id)?;
        self.act.archive_api_store(id, self.inner.now())?;
        self.store_answer(id)
    }

    fn delete_store(&mut self, id: StoreId) -> Result<Written, Stop> {
        shown(&self.act.reader(), id)?;
        self.act.delete_api_store(id, self.inner.now())?;
        Ok(Written { answer: objects::deleted_store(id), after: Some(Event::Stores) })
    }

    fn store_answer(&self, id: StoreId) -> Result<Written, Stop> {
        let answer = store_object(&shown(&self.act.reader(), id)?).to_json();
        Ok(Written { answer, after: Some(Event::Stores) })
    }

    /// A store that may be written to.
    pub(super) fn open_store(&self, id: StoreId) -> Result<ApiStoreRow, Stop> {
        let row = shown(&self.act.reader(), id)?;
        rules::writable(row.archived_at.is_some())?;
        Ok(row)
    }

    pub(super) fn create_memory(&mut self, id: StoreId, new: &CreateMemory) -> Result<Value, Stop> {
        let store = self.open_store(id)?;
        let path = new.path.relative();
        directory::record_standing(self, &store, &[&path])?;
        if let Some((blocking, memory)) = self.act.reader().in_the_way(id, &path, None)? {
            if new.overwrite && blocking == path {
                let content = Some(new.content.clone());
                let expected = new.expected;
                let change =
                    UpdateMemory { content, path: None, expected, unless_taken: false, view: new.view };
                return self.update_memory(id, memory, &change);
            }
            return Err(rules::taken(&blocking, memory).into());
        }
        if new.expected.is_some() {
            return Err(Refusal::precondition().into());
        }
        rules::room(self.act.reader().live_count(id)?)?;
        self.keep_out(&store, (None, &path), Some(new.content.as_bytes()))?;
        let seen = directory::create(self, &store, &path, new.content.as_bytes())?;
        self.append(id, path.clone(), content(new.content.as_bytes(), seen, None))?;
        self.memory_answer(id, &path, new.view)
    }

    pub(super) fn update_memory(
        &mut self,
        id: StoreId,
        memory: MemoryId,
        change: &UpdateMemory,
    ) -> Result<Value, Stop> {
        let store = self.open_store(id)?;
        let record = self.standing(&store, id, memory, change.path.as_ref())?;
        let (sha256, _) = current(&record);
        let Update::Version { path, moves } = rules::update(change, sha256, &record.path)? else {
            return self.memory_answer(id, &record.path, change.view);
        };
        if moves && let Some((blocking, other)) = self.act.reader().in_the_way(id, &path, Some(memory))? {
            if change.unless_taken {
                return self.memory_answer(id, &record.path, change.view);
            }
            return Err(rules::taken(&blocking, other).into());
        }
        self.keep_out(&store, (Some(&record), &path), change.content.as_deref().map(str::as_bytes))?;
        let bytes = match &change.content {
            Some(text) => text.clone().into_bytes(),
            None => text_of(&self.act.reader(), &record.head)?.unwrap_or_default().into_bytes(),
        };
        let seen = directory::update(self, &store, &record, &path, &bytes)?;
        self.append(id, path.clone(), content(&bytes, seen, moves.then(|| record.path.clone())))?;
        self.memory_answer(id, &path, change.view)
    }

    pub(super) fn delete_memory(
        &mut self,
        id: StoreId,
        memory: MemoryId,
        delete: DeleteMemory,
    ) -> Result<Value, Stop> {
        let store = shown(&self.act.reader(), id)?;
        let record = self.standing(&store, id, memory, None)?;
        rules::deletion(delete, current(&record).0)?;
        directory::delete(self, &store, &record)?;
        self.append(id, record.path, Payload::Gone)?;
        Ok(objects::deleted_memory(memory))
    }

    /// A live memory as it stands, on disk where it has a file. What stands where it is to go is recorded as well.
    fn standing(
        &mut self,
        store: &ApiStoreRow,
        id: StoreId,
        memory: MemoryId,
        path: Option<&MemoryPath>,
    ) -> Result<LiveRecord, Stop> {
        let record = live(&self.act.reader(), id, memory)?;
        if store.directory.is_none() {
            return Ok(record);
        }
        let to = path.map(MemoryPath::relative);
        let paths: Vec<&RelPath> = std::iter::once(&record.path).chain(&to).collect();
        directory::record_standing(self, store, &paths)?;
        live(&self.act.reader(), id, memory)
    }

    /// Refuses a content or a path that would bring back what was redacted. What stands there already may stay.
    fn keep_out(
        &mut self,
        store: &ApiStoreRow,
        (record, path): (Option<&LiveRecord>, &RelPath),
        content: Option<&[u8]>,
    ) -> Result<(), Stop> {
        let tags = self.act.tags()?;
        if tags.is_empty() {
            return Ok(());
        }
        if tags.brings_back(record.map(|record| record.path.as_bytes()), path.as_bytes()) {
            return Err(Refusal::invalid("path", KEPT_OUT).into());
        }
        let Some(content) = content else { return Ok(()) };
        let before = match record {
            None => None,
            Some(record) => match directory::bytes_of(self, store, record)? {
                Some(bytes) => Some(bytes),
                None => text_of(&self.act.reader(), &record.head)?.map(String::into_bytes),
            },
        };
        if tags.brings_back(before.as_deref(), content) {
            return Err(Refusal::invalid("content", KEPT_OUT).into());
        }
        Ok(())
    }

    /// Refuses a text of a store that would bring back what was redacted. What stands there already may stay.
    fn keep_out_of_facts(
        &mut self,
        field: &'static str,
        before: Option<&str>,
        text: &str,
    ) -> Result<(), Stop> {
        let tags = self.act.tags()?;
        if tags.brings_back(before.map(str::as_bytes), text.as_bytes()) {
            return Err(Refusal::invalid(field, KEPT_OUT).into());
        }
        Ok(())
    }

    /// Appends one change as one operation.
    fn append(&mut self, store: StoreId, path: RelPath, payload: Payload) -> Result<(), Stop> {
        // An id is never used again, as the API promises.
        self.act.make_memories_anew(true);
        let appended = self.act.append(Append {
            store: Some(store),
            source: Source::Api,
            actor: self.author,
            note: None,
            at: self.inner.now(),
            undoes: None,
            changes: vec![Change { store, path, payload }],
            even_if_empty: false,
        });
        self.act.make_memories_anew(false);
        appended?;
        Ok(())
    }

    fn memory_answer(&self, store: StoreId, path: &RelPath, view: View) -> Result<Value, Stop> {
        let reader = self.act.reader();
        let unknown = || Stop::from(Refusal::not_found("memory", &format!("/{path}")));
        let record = reader.live_record_at(store, path)?.ok_or_else(unknown)?;
        Ok(memory_object(&reader, &record, view)?.ok_or_else(unknown)?.to_json(self.legacy))
    }
}

fn content(bytes: &[u8], seen: Option<retrace_model::Seen>, moved_from: Option<RelPath>) -> Payload {
    Payload::Content {
        sha256: Sha256::of(bytes),
        size: bytes.len() as u64,
        bytes: Some(bytes.to_vec()),
        seen,
        moved_from,
    }
}
