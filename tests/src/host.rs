//! A host of the Memory Stores API in memory, by its documentation: for what no test may call, and for failures at any call.

use retrace_api::remote::api::{
    Cancel, Listener, Page, RemoteError, RemoteMemory, RemoteStore, RemoteVersion,
};
use retrace_api::remote::{HostCalls, Hosts, Variable};
use retrace_api::wire::Message;
use retrace_model::{Actor, Evidence, Sha256, Timestamp, VersionOperation};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where the fake host says it is.
pub const BASE_URL: &str = "https://host.example";

/// Its one store.
pub const STORE: &str = "memstore_hosted";

/// 2026-09-01T00:00:00Z, where its clock starts, in microseconds.
const HOST_START: i64 = 1_788_220_800_000_000;

/// Event at a host at a moment.
type Happens = Box<dyn FnOnce(&FakeHost) + Send>;

/// A host with one store.
#[derive(Clone, Default)]
pub struct FakeHost(Arc<Mutex<State>>);

struct State {
    ticks: i64,
    store: RemoteStore,
    /// Live memories by id.
    memories: BTreeMap<String, RemoteMemory>,
    /// All versions kept, oldest first, with their contents.
    versions: Vec<RemoteVersion>,
    ids: u64,
    page: usize,
    calls: u64,
    fails_at: Option<(u64, RemoteError)>,
    loses_answer: bool,
    before_write: Option<Happens>,
    log: Vec<String>,
    keys: BTreeMap<String, String>,
    refuses_cursors: bool,
}

impl Default for State {
    fn default() -> Self {
        let at = Timestamp::from_micros(HOST_START);
        Self {
            ticks: 0,
            store: RemoteStore {
                id: STORE.to_owned(),
                name: "hosted".to_owned(),
                description: "what agents know".to_owned(),
                metadata: BTreeMap::new(),
                created_at: at,
                updated_at: at,
                archived_at: None,
            },
            memories: BTreeMap::new(),
            versions: Vec::new(),
            ids: 0,
            page: 3,
            calls: 0,
            fails_at: None,
            loses_answer: false,
            before_write: None,
            log: Vec::new(),
            keys: BTreeMap::new(),
            refuses_cursors: false,
        }
    }
}

/// An agent's session at the host.
#[must_use]
pub fn session() -> Actor {
    Actor::Session { id: "sesn_agent".to_owned(), evidence: Evidence::Stated }
}

impl FakeHost {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An agent writes a memory, and makes it where there is none; answers the memory's id.
    pub fn write(&self, path: &str, content: &str) -> String {
        let mut state = self.state();
        match state.at(path) {
            Some(memory) => state.change(&memory, None, Some(content), session()).id,
            None => state.make(path, content, session()).id,
        }
    }

    /// An agent moves a memory.
    pub fn rename(&self, from: &str, to: &str) {
        let mut state = self.state();
        let memory = state.at(from).expect("a memory");
        state.change(&memory, Some(to), None, session());
    }

    /// An agent deletes a memory.
    pub fn delete(&self, path: &str) {
        let mut state = self.state();
        let memory = state.at(path).expect("a memory");
        state.remove(&memory, session());
    }

    /// Somebody redacts a version; nothing happens to the newest one of a live memory.
    pub fn redact(&self, version: &str) {
        drop(self.state().redact(version));
    }

    /// The host forgets the oldest versions but for those that live memories stand at.
    pub fn evict(&self, count: usize) {
        let mut state = self.state();
        let heads: Vec<String> = state.memories.values().map(|memory| memory.version_id.clone()).collect();
        let mut left = count;
        state.versions.retain(|version| {
            let goes = left > 0 && !heads.contains(&version.id);
            left -= usize::from(goes);
            !goes
        });
    }

    /// The versions, oldest first.
    #[must_use]
    pub fn versions(&self) -> Vec<RemoteVersion> {
        self.state().versions.clone()
    }

    /// The live memories: contents by path, without the first slash.
    #[must_use]
    pub fn live(&self) -> BTreeMap<String, String> {
        let state = self.state();
        let live = state.memories.values();
        live.map(|memory| (memory.path[1..].to_owned(), memory.content.clone().unwrap_or_default())).collect()
    }

    /// Calls so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// Requests, oldest first: the method, and the path of a write.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.state().log.clone()
    }

    /// The call after so many more fails, once, before anything is done.
    pub fn fail_after(&self, calls: u64, error: RemoteError) {
        let mut state = self.state();
        state.fails_at = Some((state.calls + calls + 1, error));
    }

    /// The answer of the next change is lost, once: it is done, and nobody is told.
    pub fn lose_next_answer(&self) {
        self.state().loses_answer = true;
    }

    /// Something happens right before the next change arrives, once.
    pub fn before_next_write(&self, happens: impl FnOnce(&FakeHost) + Send + 'static) {
        self.state().before_write = Some(Box::new(happens));
    }

    /// Says something else of its store.
    pub fn describe<const N: usize>(&self, description: &str, pairs: [(&str, &str); N]) {
        let mut state = self.state();
        state.store.description = description.to_owned();
        state.store.metadata =
            pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    }

    /// Sets its clock, which then moves a minute with each thing that happens.
    pub fn set_clock(&self, now: Timestamp) {
        self.state().ticks = (now.micros() - HOST_START) / 60_000_000;
    }

    /// A client of the API, with a key that is not the one used here, writes a memory that is there.
    pub fn write_by_another_client(&self, path: &str, content: &str) {
        let mut state = self.state();
        let memory = state.at(path).expect("a memory");
        state.change(&memory, None, Some(content), Actor::Api { id: "apikey_other".to_owned() });
    }

    /// No cursor is known any more.
    pub fn refuse_cursors(&self, refuses: bool) {
        self.state().refuses_cursors = refuses;
    }

    fn call<T>(
        &self,
        what: &str,
        store: &str,
        call: impl FnOnce(&mut State) -> Result<T, RemoteError>,
    ) -> Result<T, RemoteError> {
        let is_write = what.contains(' ');
        let before = self.state().before_write.take_if(|_| is_write);
        if let Some(happens) = before {
            happens(self);
        }
        let mut state = self.state();
        state.calls += 1;
        state.log.push(what.to_owned());
        let number = state.calls;
        if let Some((_, error)) = state.fails_at.take_if(|(at, _)| *at == number) {
            return Err(error);
        }
        if store != STORE {
            return Err(not_found());
        }
        let answer = call(&mut state);
        if is_write && std::mem::take(&mut state.loses_answer) {
            return Err(RemoteError::Unreachable {
                status: None,
                tries: 1,
                cause: Message::verbatim("cut off"),
            });
        }
        answer
    }
}

fn not_found() -> RemoteError {
    RemoteError::NotFound { message: Message::verbatim("there is none") }
}

impl State {
    fn now(&mut self) -> Timestamp {
        self.ticks += 1;
        Timestamp::from_micros(HOST_START + self.ticks * 60_000_000)
    }

    fn id(&mut self, prefix: &str) -> String {
        self.ids += 1;
        format!("{prefix}_{:06}", self.ids)
    }

    fn at(&self, path: &str) -> Option<String> {
        let path = format!("/{path}");
        self.memories.values().find(|memory| memory.path == path).map(|memory| memory.id.clone())
    }

    fn conflict(&self, path: &str, except: Option<&str>) -> Option<RemoteError> {
        let below = |above: &str, path: &str| path.starts_with(&format!("{above}/"));
        let other = self.memories.values().find(|memory| {
            Some(memory.id.as_str()) != except
                && (memory.path == path || below(&memory.path, path) || below(path, &memory.path))
        })?;
        Some(RemoteError::PathConflict { path: other.path.clone(), memory_id: Some(other.id.clone()) })
    }

    fn version(&mut self, memory: &RemoteMemory, operation: VersionOperation, actor: Actor, at: Timestamp) {
        let deleted = operation == VersionOperation::Deleted;
        self.versions.push(RemoteVersion {
            id: memory.version_id.clone(),
            store_id: STORE.to_owned(),
            memory_id: memory.id.clone(),
            operation,
            path: Some(memory.path.clone()),
            content: memory.content.clone().filter(|_| !deleted),
            content_size_bytes: (!deleted).then_some(memory.content_size_bytes),
            content_sha256: (!deleted).then_some(memory.content_sha256),
            created_by: Some(actor),
            created_at: at,
            redacted_at: None,
            redacted_by: None,
        });
    }

    fn make(&mut self, path: &str, content: &str, actor: Actor) -> RemoteMemory {
        let (id, version_id, at) = (self.id("mem"), self.id("memver"), self.now());
        let memory = RemoteMemory {
            id: id.clone(),
            store_id: STORE.to_owned(),
            version_id,
            path: format!("/{}", path.trim_start_matches('/')),
            content: Some(content.to_owned()),
            content_size_bytes: content.len() as u64,
            content_sha256: Sha256::of(content.as_bytes()),
            created_at: at,
            updated_at: at,
        };
        self.version(&memory, VersionOperation::Created, actor, at);
        self.memories.insert(id, memory.clone());
        memory
    }

    fn change(&mut self, id: &str, path: Option<&str>, content: Option<&str>, actor: Actor) -> RemoteMemory {
        let before = self.memories[id].clone();
        let mut memory = before.clone();
        if let Some(path) = path {
            memory.path = format!("/{}", path.trim_start_matches('/'));
        }
        if let Some(content) = content {
            memory.content = Some(content.to_owned());
            memory.content_size_bytes = content.len() as u64;
            memory.content_sha256 = Sha256::of(content.as_bytes());
        }
        if memory == before {
            return before;
        }
        let at = self.now();
        memory.version_id = self.id("memver");
        memory.updated_at = at;
        self.version(&memory, VersionOperation::Modified, actor, at);
        self.memories.insert(id.to_owned(), memory.clone());
        memory
    }

    fn remove(&mut self, id: &str, actor: Actor) {
        let mut memory = self.memories.remove(id).expect("a memory");
        memory.version_id = self.id("memver");
        let at = self.now();
        self.version(&memory, VersionOperation::Deleted, actor, at);
    }

    fn redact(&mut self, id: &str) -> Result<RemoteVersion, RemoteError> {
        if self.memories.values().any(|memory| memory.version_id == id) {
            let message = "The version is the newest of a live memory.".to_owned();
            let kind = "invalid_request_error".to_owned();
            return Err(RemoteError::Refused { status: 400, kind, message });
        }
        let at = self.now();
        let version = self.versions.iter_mut().find(|version| version.id == id).ok_or_else(not_found)?;
        version.redacted_at.get_or_insert(at);
        (version.path, version.content, version.content_sha256, version.content_size_bytes) =
            (None, None, None, None);
        Ok(version.clone())
    }

    /// A page that begins behind the item with the id `cursor`, or right at its start.
    fn page<T: Clone>(
        &self,
        items: &[T],
        id: impl Fn(&T) -> &str,
        cursor: Option<&str>,
    ) -> Result<Page<T>, RemoteError> {
        let from = match cursor {
            None => 0,
            Some(_) if self.refuses_cursors => {
                let (kind, message) = ("invalid_request_error".to_owned(), "unknown cursor".to_owned());
                return Err(RemoteError::Refused { status: 400, kind, message });
            }
            // Ids are sorted as their items are, so that a cursor outlives what it names.
            Some(cursor) => items.iter().position(|item| id(item) == cursor).map_or(items.len(), |at| at + 1),
        };
        let page: Vec<T> = items.iter().skip(from).take(self.page).cloned().collect();
        let next = (from + page.len() < items.len()).then(|| page.last().map(|item| id(item).to_owned()));
        Ok(Page { items: page, next: next.flatten() })
    }
}

impl HostCalls for FakeHost {
    fn stores(&self) -> Result<Vec<RemoteStore>, RemoteError> {
        self.call("stores", STORE, |state| Ok(vec![state.store.clone()]))
    }

    fn store(&self, store: &str) -> Result<RemoteStore, RemoteError> {
        self.call("store", store, |state| Ok(state.store.clone()))
    }

    fn archive(&self, store: &str) -> Result<RemoteStore, RemoteError> {
        self.call("archive", store, |state| {
            let at = state.now();
            state.store.archived_at.get_or_insert(at);
            Ok(state.store.clone())
        })
    }

    fn memories(&self, store: &str, page: Option<&str>) -> Result<Page<RemoteMemory>, RemoteError> {
        self.call("memories", store, |state| {
            let mut memories: Vec<RemoteMemory> = state.memories.values().cloned().collect();
            memories.iter_mut().for_each(|memory| memory.content = None);
            state.page(&memories, |memory| &memory.id, page)
        })
    }

    fn memory(&self, store: &str, memory: &str) -> Result<RemoteMemory, RemoteError> {
        self.call("memory", store, |state| state.memories.get(memory).cloned().ok_or_else(not_found))
    }

    fn versions(
        &self,
        store: &str,
        page: Option<&str>,
        full: bool,
    ) -> Result<Page<RemoteVersion>, RemoteError> {
        self.call("versions", store, |state| {
            let mut versions: Vec<RemoteVersion> = state.versions.iter().rev().cloned().collect();
            versions.iter_mut().filter(|_| !full).for_each(|version| version.content = None);
            state.page(&versions, |version| &version.id, page)
        })
    }

    fn versions_until(
        &self,
        store: &str,
        until: Timestamp,
        page: Option<&str>,
    ) -> Result<Page<RemoteVersion>, RemoteError> {
        self.call("older_versions", store, |state| {
            let older = state.versions.iter().rev().filter(|version| version.created_at <= until);
            let mut versions: Vec<RemoteVersion> = older.cloned().collect();
            versions.iter_mut().for_each(|version| version.content = None);
            state.page(&versions, |version| &version.id, page)
        })
    }

    fn version(&self, store: &str, version: &str) -> Result<RemoteVersion, RemoteError> {
        self.call("version", store, |state| {
            state.versions.iter().find(|kept| kept.id == version).cloned().ok_or_else(not_found)
        })
    }

    fn create(&self, store: &str, path: &str, content: &str) -> Result<RemoteMemory, RemoteError> {
        self.call(&format!("create {path}"), store, |state| match state.conflict(path, None) {
            Some(conflict) => Err(conflict),
            None => Ok(state.make(path, content, Actor::Api { id: "apikey_ada".to_owned() })),
        })
    }

    fn update(
        &self,
        store: &str,
        memory: &str,
        path: Option<&str>,
        content: Option<&str>,
        expected: Option<Sha256>,
    ) -> Result<RemoteMemory, RemoteError> {
        self.call(&format!("update {memory}"), store, |state| {
            let now = state.memories.get(memory).ok_or_else(not_found)?;
            if expected.is_some_and(|expected| expected != now.content_sha256) {
                return Err(RemoteError::PreconditionFailed {
                    message: Message::verbatim("another content"),
                });
            }
            match path.and_then(|path| state.conflict(path, Some(memory))) {
                Some(conflict) => Err(conflict),
                None => Ok(state.change(memory, path, content, Actor::Api { id: "apikey_ada".to_owned() })),
            }
        })
    }

    fn delete(&self, store: &str, memory: &str, expected: Option<Sha256>) -> Result<(), RemoteError> {
        self.call(&format!("delete {memory}"), store, |state| {
            let now = state.memories.get(memory).ok_or_else(not_found)?;
            if expected.is_some_and(|expected| expected != now.content_sha256) {
                return Err(RemoteError::PreconditionFailed {
                    message: Message::verbatim("another content"),
                });
            }
            state.remove(memory, Actor::Api { id: "apikey_ada".to_owned() });
            Ok(())
        })
    }

    fn redact(&self, store: &str, version: &str) -> Result<RemoteVersion, RemoteError> {
        self.call(&format!("redact {version}"), store, |state| state.redact(version))
    }
}

impl Hosts for FakeHost {
    fn base_url(&self, asked: Option<&str>, _: Variable<'_>) -> Result<String, RemoteError> {
        Ok(asked.unwrap_or(BASE_URL).trim_end_matches('/').to_owned())
    }

    fn open(
        &self,
        _: &str,
        _: Variable<'_>,
        _: &Cancel,
        _: Listener,
    ) -> Result<Box<dyn HostCalls>, RemoteError> {
        Ok(Box::new(self.clone()))
    }

    fn key(&self, base_url: &str, _: Variable<'_>) -> Option<retrace_api::wire::KeySource> {
        self.state().keys.contains_key(base_url).then_some(retrace_api::wire::KeySource::Keyring)
    }

    fn keep_key(&self, base_url: &str, text: &str) -> Result<(), String> {
        self.state().keys.insert(base_url.to_owned(), text.to_owned());
        Ok(())
    }

    fn forget_key(&self, base_url: &str) -> Result<(), String> {
        self.state().keys.remove(base_url);
        Ok(())
    }
}
