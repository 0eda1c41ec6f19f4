//! The objects of the API, as they are written.

use crate::call::View;
use crate::path::MemoryPath;
use retrace_model::{Actor, MemoryId, Sha256, StoreId, Timestamp, VersionId, VersionOperation};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

/// A store.
#[derive(Clone, Debug)]
pub struct StoreObject {
    /// Its id.
    pub id: StoreId,
    /// Its name.
    pub name: String,
    /// Its purpose; empty when nothing was said.
    pub description: String,
    /// The client's own pairs.
    pub metadata: Map<String, Value>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When name, description or metadata last changed, or it was archived.
    pub updated_at: Timestamp,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
}

/// A live memory.
#[derive(Clone, Debug)]
pub struct MemoryObject {
    /// Its id.
    pub id: MemoryId,
    /// Its store.
    pub store: StoreId,
    /// Its newest version.
    pub version: VersionId,
    /// Where it is.
    pub path: MemoryPath,
    /// Its content, where the view has it.
    pub content: Option<String>,
    /// Bytes of the content.
    pub size: u64,
    /// Hash of the content.
    pub sha256: Sha256,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A version.
#[derive(Clone, Debug)]
pub struct VersionObject {
    /// Its id.
    pub id: VersionId,
    /// Its store.
    pub store: StoreId,
    /// Its memory.
    pub memory: MemoryId,
    /// Its change.
    pub operation: VersionOperation,
    /// Where the memory was then, with its slash; `None` when redacted.
    pub path: Option<String>,
    /// The content, where the view has it and there is one.
    pub content: Option<String>,
    /// Hash and bytes of the content; `None` when redacted or deleted.
    pub info: Option<(Sha256, u64)>,
    /// Who.
    pub created_by: Actor,
    /// When.
    pub created_at: Timestamp,
    /// When and by whom it was redacted.
    pub redacted: Option<(Timestamp, Actor)>,
}

/// Item of a list of memories: a memory, or a prefix for everything below a directory.
#[derive(Clone, Debug)]
pub enum ListItem {
    /// A memory.
    Memory(MemoryObject),
    /// A directory, with both slashes.
    Prefix(String),
}

impl StoreObject {
    /// As JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "id": self.id.to_string(),
            "type": "memory_store",
            "name": self.name,
            "description": self.description,
            "metadata": self.metadata,
            "created_at": self.created_at.to_rfc3339(),
            "updated_at": self.updated_at.to_rfc3339(),
            "archived_at": self.archived_at.map(Timestamp::to_rfc3339),
        })
    }
}

#[derive(Serialize)]
struct MemoryJson<'a> {
    id: String,
    r#type: &'static str,
    memory_store_id: String,
    memory_version_id: String,
    path: &'a str,
    content: Option<&'a str>,
    content_size_bytes: u64,
    content_sha256: String,
    created_at: String,
    updated_at: String,
}

impl Serialize for MemoryObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        MemoryJson {
            id: self.id.to_string(),
            r#type: "memory",
            memory_store_id: self.store.to_string(),
            memory_version_id: self.version.to_string(),
            path: self.path.as_str(),
            content: self.content.as_deref(),
            content_size_bytes: self.size,
            content_sha256: self.sha256.to_hex(),
            created_at: self.created_at.to_rfc3339(),
            updated_at: self.updated_at.to_rfc3339(),
        }
        .serialize(serializer)
    }
}

impl MemoryObject {
    /// As JSON. `legacy` adds `size_bytes`, the name the seed of the API had for the size.
    #[must_use]
    pub fn to_json(&self, legacy: bool) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if legacy {
            value["size_bytes"] = self.size.into();
        }
        value
    }
}

impl VersionObject {
    /// As JSON. `legacy` adds `size_bytes`.
    #[must_use]
    pub fn to_json(&self, legacy: bool) -> Value {
        let mut value = json!({
            "id": self.id.to_string(),
            "type": "memory_version",
            "memory_store_id": self.store.to_string(),
            "memory_id": self.memory.to_string(),
            "operation": self.operation.as_str(),
            "path": self.path,
            "content": self.content,
            "content_size_bytes": self.info.map(|(_, size)| size),
            "content_sha256": self.info.map(|(sha256, _)| sha256.to_hex()),
            "created_by": actor(&self.created_by),
            "created_at": self.created_at.to_rfc3339(),
            "redacted_at": self.redacted.as_ref().map(|(at, _)| at.to_rfc3339()),
            "redacted_by": self.redacted.as_ref().map_or(Value::Null, |(_, by)| actor(by)),
        });
        if legacy {
            value["size_bytes"] = self.info.map(|(_, size)| size).into();
        }
        value
    }
}

impl ListItem {
    /// As JSON.
    #[must_use]
    pub fn to_json(&self, legacy: bool) -> Value {
        match self {
            Self::Memory(memory) => memory.to_json(legacy),
            Self::Prefix(path) => json!({ "type": "memory_prefix", "path": path }),
        }
    }
}

/// Who did something; null for nobody knows whom.
#[must_use]
pub fn actor(actor: &Actor) -> Value {
    match actor {
        Actor::Session { id, .. } => json!({ "type": "session_actor", "session_id": id }),
        Actor::Api { id } => json!({ "type": "api_actor", "api_key_id": id }),
        Actor::User { id } => json!({ "type": "user_actor", "user_id": id }),
        Actor::ServiceAccount { id } => {
            json!({ "type": "service_account_actor", "service_account_id": id })
        }
        Actor::Unknown => Value::Null,
    }
}

/// A page of a list.
#[must_use]
pub fn page(data: Vec<Value>, next: Option<String>) -> Value {
    let mut page = Map::new();
    page.insert("data".to_owned(), Value::Array(data));
    page.insert("next_page".to_owned(), next.map_or(Value::Null, Value::String));
    Value::Object(page)
}

/// Answer to deleting a store.
#[must_use]
pub fn deleted_store(id: StoreId) -> Value {
    json!({ "id": id.to_string(), "type": "memory_store_deleted" })
}

/// Answer to deleting a memory.
#[must_use]
pub fn deleted_memory(id: MemoryId) -> Value {
    json!({ "id": id.to_string(), "type": "memory_deleted" })
}

/// True if a view has contents.
#[must_use]
pub fn with_content(view: View) -> bool {
    view == View::Full
}
