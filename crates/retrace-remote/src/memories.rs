//! Calls about the memories of a store and their versions.

use crate::error::RemoteError;
use crate::facts;
use crate::host::{Host, page_query, same, store_path, understood, wanted};
use crate::objects::{Page, RemoteMemory, RemoteVersion};
use crate::read::{self, Fault, Raw};
use retrace_model::{Sha256, Timestamp};
use retrace_outbound::{Answer, Call, Method};
use serde_json::{Map, Value, json};

fn memory_path(store: &str, memory: &str) -> Result<String, RemoteError> {
    wanted(memory, read::MEMORY, say::memorys_id_mem())?;
    Ok(format!("{}/memories/{memory}", store_path(store)?))
}

fn version_path(store: &str, version: &str) -> Result<String, RemoteError> {
    wanted(version, read::VERSION, say::versions_id_memver())?;
    Ok(format!("{}/memory_versions/{version}", store_path(store)?))
}

fn view(full: bool) -> (String, String) {
    ("view".to_owned(), if full { "full" } else { "basic" }.to_owned())
}

/// The query of a page of what has a content.
fn list_query(page: Option<&str>, view_full: bool, limit: u32) -> Vec<(String, String)> {
    let most = if view_full { facts::PAGE_MAX_FULL } else { facts::PAGE_MAX };
    let mut query = page_query(page, limit.clamp(1, most));
    query.push(view(view_full));
    query
}

impl Host {
    /// A page of a store's memories, ordered by path. `limit` is cut to what the API allows. Contents come with
    /// `view_full`.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn memories(
        &self,
        store: &str,
        page: Option<&str>,
        view_full: bool,
        limit: u32,
    ) -> Result<Page<RemoteMemory>, RemoteError> {
        let path = format!("{}/memories", store_path(store)?);
        let call = Call { query: list_query(page, view_full, limit), ..Call::new(Method::Get, path) };
        let answer = self.send(call, facts::STORES_BETA, facts::PAGE_BYTES, &[])?;
        understood(read::page(&answer.body, |raw: Raw| match raw {
            Raw::Memory(raw) => {
                read::memory(raw).and_then(|memory| same(memory.store_id == store, memory)).map(Some)
            }
            _ => Ok(None),
        }))
    }

    /// A memory with its content.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn memory(&self, store: &str, memory: &str) -> Result<RemoteMemory, RemoteError> {
        let call = Call { query: vec![view(true)], ..Call::new(Method::Get, memory_path(store, memory)?) };
        let answer = self.send(call, facts::STORES_BETA, facts::OBJECT_BYTES, &[])?;
        understood(memory_of(&answer, store).and_then(|read| same(read.id == memory, read)))
    }

    /// A page of a store's versions, newest first, those of deleted memories included.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn versions(
        &self,
        store: &str,
        page: Option<&str>,
        view_full: bool,
        limit: u32,
    ) -> Result<Page<RemoteVersion>, RemoteError> {
        self.versions_by(store, list_query(page, view_full, limit))
    }

    /// A page of a store's versions made not after an instant, newest first, without their contents. The instant goes with
    /// each page.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn versions_until(
        &self,
        store: &str,
        until: Timestamp,
        page: Option<&str>,
        limit: u32,
    ) -> Result<Page<RemoteVersion>, RemoteError> {
        let mut query = list_query(page, false, limit);
        query.push(("created_at[lte]".to_owned(), until.to_rfc3339()));
        self.versions_by(store, query)
    }

    fn versions_by(
        &self,
        store: &str,
        query: Vec<(String, String)>,
    ) -> Result<Page<RemoteVersion>, RemoteError> {
        let path = format!("{}/memory_versions", store_path(store)?);
        let call = Call { query, ..Call::new(Method::Get, path) };
        let answer = self.send(call, facts::STORES_BETA, facts::PAGE_BYTES, &[])?;
        understood(read::page(&answer.body, |raw: Raw| match raw {
            Raw::MemoryVersion(raw) => {
                read::version(raw).and_then(|version| same(version.store_id == store, version)).map(Some)
            }
            _ => Ok(None),
        }))
    }

    /// A version with its content.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn version(&self, store: &str, version: &str) -> Result<RemoteVersion, RemoteError> {
        let path = version_path(store, version)?;
        self.version_by(Call { query: vec![view(true)], ..Call::new(Method::Get, path) }, store, version)
    }

    /// Takes a version's content, hash, size and path out at the host. A memory's newest version cannot be redacted
    /// while the memory lives.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn redact(&self, store: &str, version: &str) -> Result<RemoteVersion, RemoteError> {
        let path = format!("{}/redact", version_path(store, version)?);
        self.version_by(Call::new(Method::Post, path), store, version)
    }

    fn version_by(&self, call: Call, store: &str, version: &str) -> Result<RemoteVersion, RemoteError> {
        let answer = self.send(call, facts::STORES_BETA, facts::OBJECT_BYTES, &[])?;
        understood(match read::json(&answer.body) {
            Ok(Raw::MemoryVersion(raw)) => {
                read::version(raw).and_then(|read| same(read.id == version && read.store_id == store, read))
            }
            Ok(_) => Err(say::not_memory_version()),
            Err(fault) => Err(fault),
        })
    }

    /// Makes a memory. Never overwrites: a path that is taken is [`RemoteError::PathConflict`]. Where an answer was
    /// lost and the further try finds the path taken by the same content, that is the memory made.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn create(&self, store: &str, path: &str, content: &str) -> Result<RemoteMemory, RemoteError> {
        let body = json!({"path": path, "content": content}).to_string().into_bytes();
        let mut call = Call { body, ..Call::new(Method::Post, format!("{}/memories", store_path(store)?)) };
        let answer = self.answer(&mut call, facts::STORES_BETA, facts::OBJECT_BYTES)?;
        if answer.is_good() {
            return understood(memory_of(&answer, store).and_then(|made| same(made.path == path, made)));
        }
        let refusal = self.refusal(&answer, &[content]);
        match &refusal {
            RemoteError::PathConflict { memory_id: Some(memory), .. } if answer.in_doubt => {
                self.if_done(store, memory, Some(path), Some(content), refusal.clone())
            }
            RemoteError::PathConflict { path: named, memory_id } if named.is_empty() => {
                Err(RemoteError::PathConflict { path: path.to_owned(), memory_id: memory_id.clone() })
            }
            _ => Err(refusal),
        }
    }

    /// Gives a memory another path, another content or both, as one version. With `precondition` only if its content
    /// has this hash now. What is none stays as it is.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn update(
        &self,
        store: &str,
        memory: &str,
        path: Option<&str>,
        content: Option<&str>,
        precondition: Option<Sha256>,
    ) -> Result<RemoteMemory, RemoteError> {
        let mut body = Map::new();
        if let Some(content) = content {
            body.insert("content".into(), content.into());
        }
        if let Some(path) = path {
            body.insert("path".into(), path.into());
        }
        if let Some(sha256) = precondition {
            let hash = json!({"type": "content_sha256", "content_sha256": sha256.to_hex()});
            body.insert("precondition".into(), hash);
        }
        let body = Value::Object(body).to_string().into_bytes();
        let mut call = Call { body, ..Call::new(Method::Post, memory_path(store, memory)?) };
        let answer = self.answer(&mut call, facts::STORES_BETA, facts::OBJECT_BYTES)?;
        if answer.is_good() {
            return understood(memory_of(&answer, store).and_then(|now| same(now.id == memory, now)));
        }
        let refusal = self.refusal(&answer, content.as_slice());
        match refusal {
            RemoteError::PreconditionFailed { .. } if answer.in_doubt => {
                self.if_done(store, memory, path, content, refusal)
            }
            RemoteError::PathConflict { path: named, memory_id } if named.is_empty() => {
                let path = path.unwrap_or_default().to_owned();
                Err(RemoteError::PathConflict { path, memory_id })
            }
            refusal => Err(refusal),
        }
    }

    /// The memory, if it is as an earlier try without an answer was to make it; else the refusal.
    fn if_done(
        &self,
        store: &str,
        memory: &str,
        path: Option<&str>,
        content: Option<&str>,
        refusal: RemoteError,
    ) -> Result<RemoteMemory, RemoteError> {
        let now = self.memory(store, memory)?;
        let as_asked = path.is_none_or(|path| now.path == path)
            && content.is_none_or(|content| now.content_sha256 == Sha256::of(content.as_bytes()));
        if as_asked { Ok(now) } else { Err(refusal) }
    }

    /// Deletes a memory. With `expected` only if its content has this hash now.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn delete(&self, store: &str, memory: &str, expected: Option<Sha256>) -> Result<(), RemoteError> {
        let guard = expected.map(|sha256| ("expected_content_sha256".to_owned(), sha256.to_hex()));
        let query = guard.into_iter().collect();
        let mut call = Call { query, ..Call::new(Method::Delete, memory_path(store, memory)?) };
        let answer = self.answer(&mut call, facts::STORES_BETA, facts::OBJECT_BYTES)?;
        // Where an earlier try lost its answer, what is gone was deleted by it.
        if answer.is_good() || (answer.status == 404 && answer.in_doubt) {
            return Ok(());
        }
        Err(self.refusal(&answer, &[]))
    }
}

fn memory_of(answer: &Answer, store: &str) -> Result<RemoteMemory, Fault> {
    match read::json(&answer.body)? {
        Raw::Memory(raw) => read::memory(raw).and_then(|memory| same(memory.store_id == store, memory)),
        _ => Err(say::not_memory()),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "memories";
    memorys_id_mem() => "a memory's id (mem_…)",
    versions_id_memver() => "a version's id (memver_…)",
    not_memory_version() => "it is not a memory version",
    not_memory() => "it is not a memory",
}
