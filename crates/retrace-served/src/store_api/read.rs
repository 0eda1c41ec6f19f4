//! Calls that read.

use super::text_cache::TextCache;
use super::{Stop, tools};
use retrace_log::{
    ApiStoreFilter, ApiStoreRow, ApiVersionFilter, LiveRecord, LogError, Reader, VersionRow, WriterFilter,
};
use retrace_model::{MemoryId, Sha256, StoreId, VersionId};
use retrace_store_api::objects::{self, ListItem, MemoryObject, StoreObject, VersionObject};
use retrace_store_api::pages::{self, MemoryPage, Slot};
use retrace_store_api::{
    Call, ListMemories, ListStores, ListVersions, Listing, MemoryPath, Refusal, View, Writer,
};
use serde_json::Value;

/// Answers a call that reads.
pub(super) fn run(reader: &Reader<'_>, call: &Call, legacy: bool, kept: &TextCache) -> Result<Value, Stop> {
    match call {
        Call::ListStores(list) => list_stores(reader, list),
        Call::GetStore(id) => Ok(store_object(&shown(reader, *id)?).to_json()),
        Call::ListMemories(id, list) => list_memories(reader, *id, list, legacy),
        Call::GetMemory(store, memory, view) => {
            shown(reader, *store)?;
            let record = live(reader, *store, *memory)?;
            match memory_object_with(&record, *view, |version| kept.text_of(reader, version))? {
                Some(memory) => Ok(memory.to_json(legacy)),
                None => Err(unknown_memory(*memory)),
            }
        }
        Call::ListVersions(id, list) => list_versions(reader, *id, list, legacy),
        Call::GetVersion(store, version, view) => {
            shown(reader, *store)?;
            let version = version_of(reader, *store, *version)?;
            Ok(version_object(reader, &version, *view)?.to_json(legacy))
        }
        Call::Tool(id, tool) => {
            let store = shown(reader, *id)?;
            tools::read(reader, &store, &tool.tool)
        }
        _ => Err(Refusal::not_found("route", "").into()),
    }
}

/// A store the API shows.
pub(super) fn shown(reader: &Reader<'_>, id: StoreId) -> Result<ApiStoreRow, Stop> {
    reader.api_store(id)?.ok_or_else(|| Refusal::not_found("memory store", &id.to_string()).into())
}

/// A live memory of a store.
pub(super) fn live(reader: &Reader<'_>, store: StoreId, memory: MemoryId) -> Result<LiveRecord, Stop> {
    reader.live_record(store, memory)?.ok_or_else(|| unknown_memory(memory))
}

fn unknown_memory(memory: MemoryId) -> Stop {
    Refusal::not_found("memory", &memory.to_string()).into()
}

/// A version of a store.
pub(super) fn version_of(reader: &Reader<'_>, store: StoreId, id: VersionId) -> Result<VersionRow, Stop> {
    let unknown = || Refusal::not_found("memory version", &id.to_string()).into();
    match reader.version_by_id(id) {
        Ok(version) if version.store == store => Ok(version),
        Ok(_) | Err(LogError::NotFound { .. }) => Err(unknown()),
        Err(error) => Err(error.into()),
    }
}

/// Hash and bytes of a live memory's content. One whose newest version was redacted has none left and counts as empty.
pub(super) fn current(record: &LiveRecord) -> (Sha256, u64) {
    record.head.content.map_or_else(|| (Sha256::of(b""), 0), |content| (content.sha256, content.size))
}

/// The text of a version; `None` when it is no text, too large to be kept, redacted or a deletion.
pub(super) fn text_of(reader: &Reader<'_>, version: &VersionRow) -> Result<Option<String>, Stop> {
    match reader.content(version) {
        Ok(Some(content)) => Ok(String::from_utf8(content.bytes).ok()),
        Ok(None) | Err(LogError::Redacted(_) | LogError::NotKept(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn store_object(row: &ApiStoreRow) -> StoreObject {
    StoreObject {
        id: row.id,
        name: row.name.clone(),
        description: row.description.clone(),
        metadata: metadata(row),
        created_at: row.created_at,
        updated_at: row.updated_at,
        archived_at: row.archived_at,
    }
}

pub(super) fn metadata(row: &ApiStoreRow) -> serde_json::Map<String, Value> {
    serde_json::from_str(&row.metadata).unwrap_or_default()
}

/// A memory as the API shows it; `None` for a file the API cannot name or whose content is no text.
pub(super) fn memory_object(
    reader: &Reader<'_>,
    record: &LiveRecord,
    view: View,
) -> Result<Option<MemoryObject>, Stop> {
    memory_object_with(record, view, |version| text_of(reader, version))
}

/// The same with another way to a version's text.
fn memory_object_with(
    record: &LiveRecord,
    view: View,
    text: impl Fn(&VersionRow) -> Result<Option<String>, Stop>,
) -> Result<Option<MemoryObject>, Stop> {
    let Some(path) = MemoryPath::of(&record.path) else { return Ok(None) };
    let head = &record.head;
    let full = objects::with_content(view);
    let content = match head.content {
        None => full.then(String::new),
        // Text with a NUL is marked as binary in the log, and is text to the API.
        Some(info) if full || !info.is_text => match text(head)? {
            Some(text) => full.then_some(text),
            None => return Ok(None),
        },
        Some(_) => None,
    };
    let (sha256, size) = current(record);
    Ok(Some(MemoryObject {
        id: head.memory,
        store: head.store,
        version: head.id,
        path,
        content,
        size,
        sha256,
        created_at: record.created_at,
        updated_at: head.created_at,
    }))
}

pub(super) fn version_object(
    reader: &Reader<'_>,
    version: &VersionRow,
    view: View,
) -> Result<VersionObject, Stop> {
    let content = if objects::with_content(view) { text_of(reader, version)? } else { None };
    Ok(VersionObject {
        id: version.id,
        store: version.store,
        memory: version.memory,
        operation: version.operation,
        path: version.path.as_ref().map(|path| format!("/{path}")),
        content,
        info: version.content.map(|content| (content.sha256, content.size)),
        created_by: version.actor.clone(),
        created_at: version.created_at,
        redacted: version.redaction.as_ref().map(|redaction| (redaction.at, redaction.actor.clone())),
    })
}

fn list_stores(reader: &Reader<'_>, list: &ListStores) -> Result<Value, Stop> {
    let rows = reader.api_stores(&ApiStoreFilter {
        since: list.since,
        until: list.until,
        include_archived: list.include_archived,
        before: list.after,
        limit: list.limit + 1,
    })?;
    pages::page(rows, list.limit, Listing::Stores, |row| row.place, |row| Ok(store_object(row).to_json()))
}

fn list_memories(reader: &Reader<'_>, id: StoreId, list: &ListMemories, legacy: bool) -> Result<Value, Stop> {
    shown(reader, id)?;
    let mut page = MemoryPage::of(list);
    for (path, seq) in reader.live_paths(id, list.prefix.relative())? {
        let item = match page.slot(path.as_bytes()) {
            Slot::Passed => None,
            Slot::Directory(text) => Some(ListItem::Prefix(text)),
            Slot::Memory => match reader.live_record_of(seq)? {
                Some(record) => memory_object(reader, &record, list.view)?.map(ListItem::Memory),
                None => None,
            },
        };
        if let Some(item) = item
            && !page.add(path.as_bytes(), &item, legacy)
        {
            break;
        }
    }
    Ok(page.finish(id))
}

fn list_versions(reader: &Reader<'_>, id: StoreId, list: &ListVersions, legacy: bool) -> Result<Value, Stop> {
    shown(reader, id)?;
    if list.nothing {
        return Ok(objects::page(Vec::new(), None));
    }
    let writers = list.writers.iter().map(|writer| match writer {
        Writer::Session(id) => WriterFilter::Session(id.clone()),
        Writer::Api(id) => WriterFilter::Api(id.clone()),
        Writer::ServiceAccount(id) => WriterFilter::ServiceAccount(id.clone()),
    });
    let rows = reader.api_versions(
        id,
        &ApiVersionFilter {
            memory: list.memory,
            operation: list.operation,
            writers: writers.collect(),
            since: list.since,
            until: list.until,
            before: list.after,
            limit: list.limit + 1,
        },
    )?;
    let item = |row: &VersionRow| version_object(reader, row, list.view).map(|object| object.to_json(legacy));
    pages::page(rows, list.limit, Listing::Versions(id), |row| row.id.seq, item)
}
