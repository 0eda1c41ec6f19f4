//! From a request to what it asks for.

use crate::body::{Body, check_pairs};
use crate::cursor::{Cursor, Listing};
use crate::legacy::{self, ToolCall};
use crate::limits::{PAGE_DEFAULT, PAGE_MAX, PAGE_MAX_FULL};
use crate::path::{MemoryPath, Prefix};
use crate::query::{Query, hash};
use crate::refusal::{Kind, Refusal};
use retrace_model::{MemoryId, Sha256, StoreId, Timestamp, VersionId, VersionOperation};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A request as it arrived, without its headers.
#[derive(Clone, Copy, Debug)]
pub struct RequestParts<'r> {
    /// `GET`, `POST`, `PATCH` or `DELETE`.
    pub method: &'r str,
    /// The path, not decoded, from `/v1/memory_stores` on.
    pub path: &'r str,
    /// Text after the question mark, not decoded.
    pub query: &'r str,
    /// The body.
    pub body: &'r [u8],
    /// True if what only the seed of the API had is served: overwriting by `POST`, `not_exists`, the agent tools.
    pub legacy: bool,
}

/// Detail of a memory or version in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// All but the content.
    Basic,
    /// Everything.
    Full,
}

/// Who wrote a version, as a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writer {
    /// A session.
    Session(String),
    /// An API key.
    Api(String),
    /// A service account.
    ServiceAccount(String),
}

/// Make a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateStore {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub description: String,
    /// The client's own pairs.
    pub metadata: Map<String, Value>,
}

/// List stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListStores {
    /// Made not before.
    pub since: Option<Timestamp>,
    /// Made not after.
    pub until: Option<Timestamp>,
    /// Archived ones as well.
    pub include_archived: bool,
    /// Items of a page.
    pub limit: u64,
    /// Where the page before ended.
    pub after: Option<u64>,
}

/// Change a store; `None` leaves it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpdateStore {
    /// Another name.
    pub name: Option<String>,
    /// Another description.
    pub description: Option<String>,
    /// Changes of the pairs.
    pub metadata: Option<MetadataPatch>,
}

/// Changes of metadata: a text sets a pair, `None` takes it away, what is not named stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetadataPatch(BTreeMap<String, Option<String>>);

impl MetadataPatch {
    /// The pairs afterwards.
    ///
    /// # Errors
    /// When that are more than a store may have.
    pub fn apply(&self, pairs: &Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
        let mut pairs = pairs.clone();
        for (key, value) in &self.0 {
            match value {
                Some(value) => drop(pairs.insert(key.clone(), value.clone().into())),
                None => drop(pairs.remove(key)),
            }
        }
        check_pairs(pairs.len())?;
        Ok(pairs)
    }
}

/// Make a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateMemory {
    /// Where.
    pub path: MemoryPath,
    /// Its content.
    pub content: String,
    /// Detail of the answer.
    pub view: View,
    /// Overwrite a memory that is at the path already; only in the legacy mode.
    pub overwrite: bool,
    /// The content the memory that is overwritten must have; only in the legacy mode.
    pub expected: Option<Sha256>,
}

/// List memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListMemories {
    /// Below this directory.
    pub prefix: Prefix,
    /// Only what is directly there, with one item for each directory.
    pub direct: bool,
    /// Detail of each item.
    pub view: View,
    /// Items of a page.
    pub limit: u64,
    /// Where the page before ended, relative to the root of the store.
    pub after: Option<Vec<u8>>,
}

impl ListMemories {
    /// The list a cursor of this call belongs to.
    #[must_use]
    pub fn listing(&self, store: StoreId) -> Listing<'_> {
        Listing::Memories(store, self.prefix.as_str(), u64::from(self.direct))
    }
}

/// Change a memory; `None` leaves it as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateMemory {
    /// Another content.
    pub content: Option<String>,
    /// Another path.
    pub path: Option<MemoryPath>,
    /// The content it must have now.
    pub expected: Option<Sha256>,
    /// Do nothing when the new path is taken; only in the legacy mode.
    pub unless_taken: bool,
    /// Detail of the answer.
    pub view: View,
}

/// Delete a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeleteMemory {
    /// The content it must have now.
    pub expected: Option<Sha256>,
}

/// List versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListVersions {
    /// Of this memory.
    pub memory: Option<MemoryId>,
    /// A memory was named that cannot exist, so there are none.
    pub nothing: bool,
    /// With this operation.
    pub operation: Option<VersionOperation>,
    /// By these, each of whom must be the writer.
    pub writers: Vec<Writer>,
    /// Recorded not before.
    pub since: Option<Timestamp>,
    /// Recorded not after.
    pub until: Option<Timestamp>,
    /// Detail of each item.
    pub view: View,
    /// Items of a page.
    pub limit: u64,
    /// Where the page before ended.
    pub after: Option<u64>,
}

/// Call that a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Make a store.
    CreateStore(CreateStore),
    /// List stores.
    ListStores(ListStores),
    /// A store.
    GetStore(StoreId),
    /// Change a store.
    UpdateStore(StoreId, UpdateStore),
    /// Delete a store.
    DeleteStore(StoreId),
    /// Archive a store.
    ArchiveStore(StoreId),
    /// Make a memory.
    CreateMemory(StoreId, CreateMemory),
    /// List memories.
    ListMemories(StoreId, ListMemories),
    /// A memory.
    GetMemory(StoreId, MemoryId, View),
    /// Change a memory.
    UpdateMemory(StoreId, MemoryId, UpdateMemory),
    /// Delete a memory.
    DeleteMemory(StoreId, MemoryId, DeleteMemory),
    /// List versions.
    ListVersions(StoreId, ListVersions),
    /// A version.
    GetVersion(StoreId, VersionId, View),
    /// Redact a version.
    RedactVersion(StoreId, VersionId),
    /// The agent tools of the seed; only in the legacy mode.
    ListTools,
    /// A call of one of them.
    Tool(StoreId, ToolCall),
}

impl Call {
    /// True if it changes anything.
    #[must_use]
    pub fn writes(&self) -> bool {
        match self {
            Self::ListStores(_)
            | Self::GetStore(_)
            | Self::ListMemories(..)
            | Self::GetMemory(..)
            | Self::ListVersions(..)
            | Self::GetVersion(..)
            | Self::ListTools => false,
            Self::Tool(_, call) => call.writes(),
            _ => true,
        }
    }
}

/// Checks that a path is one of the API's, or could be by how it begins. Of another, such as that of dreams, nothing is
/// asked before it is said that there is nothing.
///
/// # Errors
/// The refusal that answers every request for another path.
pub fn check_path(path: &str) -> Result<(), Refusal> {
    let mut segments = path.split('/').skip(1);
    match (segments.next(), segments.next()) {
        (Some("v1"), Some("memory_stores")) => Ok(()),
        _ => Err(no_route()),
    }
}

/// Reads a request.
///
/// # Errors
/// The refusal that answers it. An id that cannot exist is not found.
pub fn read_call(request: &RequestParts<'_>) -> Result<Call, Refusal> {
    let query = Query::parse(request.query)?;
    let path = request.path.strip_suffix('/').unwrap_or(request.path);
    check_path(path)?;
    let segments: Vec<&str> = path.split('/').skip(3).collect();
    let methods = methods(&segments, request.legacy);
    if !methods.is_empty() && !methods.contains(&request.method) {
        return Err(Refusal::method(methods));
    }
    // PATCH stands for the POST of an update, and nothing else: the seed of the API had it.
    match (request.method, segments.as_slice()) {
        ("POST", []) => create_store(&Body::parse(request.body)?),
        ("GET", []) => list_stores(&query),
        ("GET", ["tools"]) if request.legacy => Ok(Call::ListTools),
        ("GET", [store]) => Ok(Call::GetStore(store_id(store)?)),
        ("POST" | "PATCH", [store]) => update_store(store_id(store)?, &Body::parse(request.body)?),
        ("DELETE", [store]) => Ok(Call::DeleteStore(store_id(store)?)),
        ("POST", [store, "archive"]) => {
            Body::parse(request.body)?;
            Ok(Call::ArchiveStore(store_id(store)?))
        }
        ("POST", [store, "memories"]) => {
            create_memory(store_id(store)?, &query, &Body::parse(request.body)?, request.legacy)
        }
        ("GET", [store, "memories"]) => list_memories(store_id(store)?, &query),
        ("GET", [store, "memories", memory]) => {
            Ok(Call::GetMemory(store_id(store)?, memory_id(memory)?, view(&query, View::Full)?))
        }
        ("POST" | "PATCH", [store, "memories", memory]) => {
            let (store, memory) = (store_id(store)?, memory_id(memory)?);
            update_memory(store, memory, &query, &Body::parse(request.body)?, request.legacy)
        }
        ("DELETE", [store, "memories", memory]) => {
            let expected = query.hash("expected_content_sha256")?;
            Ok(Call::DeleteMemory(store_id(store)?, memory_id(memory)?, DeleteMemory { expected }))
        }
        ("GET", [store, "memory_versions"]) => list_versions(store_id(store)?, &query),
        ("GET", [store, "memory_versions", version]) => {
            Ok(Call::GetVersion(store_id(store)?, version_id(version)?, view(&query, View::Full)?))
        }
        ("POST", [store, "memory_versions", version, "redact"]) => {
            Body::parse(request.body)?;
            Ok(Call::RedactVersion(store_id(store)?, version_id(version)?))
        }
        ("POST", [store, "tools", name]) if request.legacy => {
            Ok(Call::Tool(store_id(store)?, legacy::read(name, &Body::parse(request.body)?)?))
        }
        _ => Err(no_route()),
    }
}

/// The methods of a path, given as what follows `/v1/memory_stores`; none when there is no such path. Those of the
/// agent tools are there in the legacy mode only.
fn methods(segments: &[&str], legacy: bool) -> &'static [&'static str] {
    match segments {
        [] | [_, "memories"] => &["GET", "POST"],
        ["tools"] if legacy => &["GET"],
        [_] | [_, "memories", _] => &["GET", "POST", "PATCH", "DELETE"],
        [_, "memory_versions"] | [_, "memory_versions", _] => &["GET"],
        [_, "archive"] | [_, "memory_versions", _, "redact"] => &["POST"],
        [_, "tools", _] if legacy => &["POST"],
        _ => &[],
    }
}

fn no_route() -> Refusal {
    Refusal::new(Kind::NotFound, "There is nothing at this path.")
}

fn store_id(text: &str) -> Result<StoreId, Refusal> {
    StoreId::parse(text).map_err(|_| Refusal::not_found("memory store", text))
}

fn memory_id(text: &str) -> Result<MemoryId, Refusal> {
    MemoryId::parse(text).map_err(|_| Refusal::not_found("memory", text))
}

fn version_id(text: &str) -> Result<VersionId, Refusal> {
    VersionId::parse(text).map_err(|_| Refusal::not_found("memory version", text))
}

fn view(query: &Query, default: View) -> Result<View, Refusal> {
    match query.text("view") {
        None => Ok(default),
        Some("basic") => Ok(View::Basic),
        Some("full") => Ok(View::Full),
        Some(_) => Err(Refusal::invalid("view", "must be 'basic' or 'full'")),
    }
}

fn limit(query: &Query, view: View) -> Result<u64, Refusal> {
    let limit = query.number("limit")?.unwrap_or(PAGE_DEFAULT);
    if limit == 0 || limit > PAGE_MAX {
        return Err(Refusal::invalid("limit", format!("must be between 1 and {PAGE_MAX}")));
    }
    Ok(if view == View::Full { limit.min(PAGE_MAX_FULL) } else { limit })
}

fn after(query: &Query, listing: Listing<'_>) -> Result<Option<Cursor>, Refusal> {
    query.text("page").map(|text| Cursor::read(text, listing)).transpose()
}

fn create_store(body: &Body) -> Result<Call, Refusal> {
    let name = body.name()?.ok_or_else(|| Refusal::invalid("name", "is required"))?;
    let mut metadata = Map::new();
    for (key, value) in body.metadata()?.unwrap_or_default() {
        let value = value.ok_or_else(|| Refusal::invalid("metadata", "values must be strings"))?;
        metadata.insert(key, value.into());
    }
    check_pairs(metadata.len())?;
    Ok(Call::CreateStore(CreateStore {
        name,
        description: body.description()?.unwrap_or_default(),
        metadata,
    }))
}

fn list_stores(query: &Query) -> Result<Call, Refusal> {
    let after = after(query, Listing::Stores)?;
    Ok(Call::ListStores(ListStores {
        since: query.instant("created_at[gte]")?,
        until: query.instant("created_at[lte]")?,
        include_archived: query.boolean("include_archived")?,
        limit: limit(query, View::Basic)?,
        after: after.map(|cursor| cursor.as_number()).transpose()?,
    }))
}

fn update_store(store: StoreId, body: &Body) -> Result<Call, Refusal> {
    Ok(Call::UpdateStore(
        store,
        UpdateStore {
            name: body.name()?,
            description: body.description()?,
            metadata: body.metadata()?.map(MetadataPatch),
        },
    ))
}

/// Condition of a write: a content, or that nothing is there.
enum Precondition {
    Content(Sha256),
    NotExists,
}

fn precondition(body: &Body, legacy: bool) -> Result<Option<Precondition>, Refusal> {
    let Some(given) = body.given("precondition") else { return Ok(None) };
    let refuse = |what: &str| Err(Refusal::invalid("precondition", what));
    let Value::Object(fields) = given else { return refuse("must be an object") };
    match fields.get("type").and_then(Value::as_str) {
        Some("content_sha256") => match fields.get("content_sha256").and_then(Value::as_str) {
            Some(text) => Ok(Some(Precondition::Content(hash("precondition.content_sha256", text)?))),
            None => Err(Refusal::invalid("precondition.content_sha256", "is required")),
        },
        Some("not_exists") if legacy => Ok(Some(Precondition::NotExists)),
        _ => refuse("type must be 'content_sha256'"),
    }
}

fn create_memory(store: StoreId, query: &Query, body: &Body, legacy: bool) -> Result<Call, Refusal> {
    let (mut overwrite, mut expected) = (legacy, None);
    if legacy {
        match precondition(body, legacy)? {
            Some(Precondition::NotExists) => overwrite = false,
            Some(Precondition::Content(sha256)) => expected = Some(sha256),
            None => {}
        }
    }
    Ok(Call::CreateMemory(
        store,
        CreateMemory {
            path: MemoryPath::parse(body.text("path")?)?,
            content: body.content()?,
            view: view(query, View::Basic)?,
            overwrite,
            expected,
        },
    ))
}

fn list_memories(store: StoreId, query: &Query) -> Result<Call, Refusal> {
    let prefix = query.text("path_prefix").map(Prefix::parse).transpose()?.unwrap_or_else(Prefix::root);
    let direct = match query.number("depth")? {
        None | Some(0) => false,
        Some(1) => true,
        Some(_) => return Err(Refusal::invalid("depth", "must be 0 or 1")),
    };
    let view = view(query, View::Basic)?;
    let limit = limit(query, view)?;
    let mut call = ListMemories { prefix, direct, view, limit, after: None };
    call.after = after(query, call.listing(store))?.map(|cursor| cursor.as_path().to_vec());
    Ok(Call::ListMemories(store, call))
}

fn update_memory(
    store: StoreId,
    memory: MemoryId,
    query: &Query,
    body: &Body,
    legacy: bool,
) -> Result<Call, Refusal> {
    let (mut expected, mut unless_taken) = (None, false);
    match precondition(body, legacy)? {
        Some(Precondition::Content(sha256)) => expected = Some(sha256),
        Some(Precondition::NotExists) => unless_taken = true,
        None => {}
    }
    Ok(Call::UpdateMemory(
        store,
        memory,
        UpdateMemory {
            content: body.new_content()?,
            path: body.optional_text("path")?.map(MemoryPath::parse).transpose()?,
            expected,
            unless_taken,
            view: view(query, View::Basic)?,
        },
    ))
}

fn list_versions(store: StoreId, query: &Query) -> Result<Call, Refusal> {
    let (memory, nothing) = match query.text("memory_id") {
        None => (None, false),
        Some(text) => match MemoryId::parse(text) {
            Ok(memory) => (Some(memory), false),
            Err(_) => (None, true),
        },
    };
    let operation = match query.text("operation") {
        None => None,
        Some(text) => Some(
            text.parse()
                .map_err(|_| Refusal::invalid("operation", "must be 'created', 'modified' or 'deleted'"))?,
        ),
    };
    let mut writers = Vec::new();
    writers.extend(query.text("session_id").map(|id| Writer::Session(id.to_owned())));
    writers.extend(query.text("api_key_id").map(|id| Writer::Api(id.to_owned())));
    writers.extend(query.text("service_account_id").map(|id| Writer::ServiceAccount(id.to_owned())));
    let view = view(query, View::Basic)?;
    let after = after(query, Listing::Versions(store))?;
    Ok(Call::ListVersions(
        store,
        ListVersions {
            memory,
            nothing,
            operation,
            writers,
            since: query.instant("created_at[gte]")?,
            until: query.instant("created_at[lte]")?,
            view,
            limit: limit(query, view)?,
            after: after.map(|cursor| cursor.as_number()).transpose()?,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STORE: StoreId = StoreId([7; 16]);

    fn read(method: &str, tail: &str, query: &str, body: &str, legacy: bool) -> Result<Call, Refusal> {
        let path = format!("/v1/memory_stores{tail}");
        read_call(&RequestParts { method, path: &path, query, body: body.as_bytes(), legacy })
    }

    #[test]
    fn only_paths_of_the_api_are_asked_for_more() {
        for path in ["/v1/memory_stores", "/v1/memory_stores/", "/v1/memory_stores/x/none"] {
            assert_eq!(check_path(path), Ok(()), "{path}");
        }
        for path in
            ["", "/", "/v1", "/v1/dreams", "/v1/memory_storesx", "/v2/memory_stores", "v1/memory_stores"]
        {
            assert_eq!(check_path(path).expect_err(path).kind, Kind::NotFound);
        }
    }

    fn memory(legacy: bool, body: &str) -> Result<CreateMemory, Refusal> {
        match read("POST", &format!("/{STORE}/memories"), "", body, legacy)? {
            Call::CreateMemory(_, call) => Ok(call),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_route_is_read() {
        let (memory, version) = (MemoryId([1; 16]), VersionId { seq: 1, fingerprint: [0; 8] });
        let name = r#"{"name":"n"}"#;
        let file = r#"{"path":"/a","content":""}"#;
        for (method, tail, body, writes) in [
            ("POST", String::new(), name, true),
            ("GET", String::new(), "", false),
            ("GET", format!("/{STORE}"), "", false),
            ("POST", format!("/{STORE}"), "", true),
            ("PATCH", format!("/{STORE}"), "{}", true),
            ("DELETE", format!("/{STORE}"), "", true),
            ("POST", format!("/{STORE}/archive"), "{}", true),
            ("POST", format!("/{STORE}/memories"), file, true),
            ("GET", format!("/{STORE}/memories"), "", false),
            ("GET", format!("/{STORE}/memories/{memory}"), "", false),
            ("POST", format!("/{STORE}/memories/{memory}"), "{}", true),
            ("PATCH", format!("/{STORE}/memories/{memory}"), "{}", true),
            ("DELETE", format!("/{STORE}/memories/{memory}"), "", true),
            ("GET", format!("/{STORE}/memory_versions"), "", false),
            ("GET", format!("/{STORE}/memory_versions/{version}"), "", false),
            ("POST", format!("/{STORE}/memory_versions/{version}/redact"), "", true),
        ] {
            let call = read(method, &tail, "beta=true", body, false);
            assert_eq!(call.as_ref().map(Call::writes), Ok(writes), "{method} {tail}: {call:?}");
        }
        for (method, tail) in [
            ("POST", "/x".to_owned()),
            ("GET", format!("/{STORE}/other")),
            ("PUT", format!("/{STORE}/tools/memory_read")),
        ] {
            let refused = read(method, &tail, "", "", false).expect_err("no route");
            assert_eq!(refused.kind, Kind::NotFound, "{method} {tail}");
        }
    }

    #[test]
    fn a_wrong_method_is_answered_with_the_right_ones() {
        for (method, tail, legacy, allow) in [
            ("PUT", String::new(), false, "GET, POST"),
            ("PATCH", String::new(), false, "GET, POST"),
            ("PUT", format!("/{STORE}"), false, "GET, POST, PATCH, DELETE"),
            ("GET", format!("/{STORE}/archive"), false, "POST"),
            ("DELETE", format!("/{STORE}/memories"), false, "GET, POST"),
            ("POST", format!("/{STORE}/memory_versions"), false, "GET"),
            ("GET", format!("/{STORE}/memory_versions/memver_0/redact"), false, "POST"),
            ("DELETE", "/tools".to_owned(), true, "GET"),
            ("GET", format!("/{STORE}/tools/memory_read"), true, "POST"),
        ] {
            let refused = read(method, &tail, "", "", legacy).expect_err("another method");
            assert_eq!(
                (refused.kind, refused.allow.as_deref()),
                (Kind::Method, Some(allow)),
                "{method} {tail}"
            );
        }
    }

    #[test]
    fn a_content_is_measured_in_bytes() {
        let body = |content: &str| serde_json::json!({ "path": "/a", "content": content }).to_string();
        assert!(memory(false, &body(&"x".repeat(102_400))).is_ok());
        assert!(memory(false, &body(&"x".repeat(102_401))).is_err());
        assert!(memory(false, &body(&"é".repeat(51_201))).is_err());
        assert!(memory(false, &body("")).is_ok());
        for body in
            [r#"{"path":"/a"}"#, r#"{"path":"/a","content":null}"#, r#"{"path":"/a","content":1}"#, "[]", "{"]
        {
            assert_eq!(memory(false, body).expect_err(body).kind, Kind::InvalidRequest);
        }
    }

    #[test]
    fn only_the_legacy_mode_overwrites() {
        let body = r#"{"path":"/a","content":"x","precondition":{"type":"not_exists"}}"#;
        assert!(!memory(false, body).expect("a call").overwrite);
        assert!(!memory(true, body).expect("a call").overwrite);
        assert!(memory(true, r#"{"path":"/a","content":"x"}"#).expect("a call").overwrite);
        let tail = format!("/{STORE}/memories/{}", MemoryId([1; 16]));
        let update = r#"{"path":"/b","precondition":{"type":"not_exists"}}"#;
        assert!(read("POST", &tail, "", update, false).is_err());
        assert!(read("POST", &tail, "", update, true).is_ok());
    }

    #[test]
    fn a_page_with_contents_is_cut_and_a_limit_out_of_range_refused() {
        let limit = |query: &str| match read("GET", &format!("/{STORE}/memories"), query, "", false) {
            Ok(Call::ListMemories(_, call)) => Some(call.limit),
            _ => None,
        };
        assert_eq!(limit(""), Some(20));
        assert_eq!(limit("limit=100"), Some(100));
        assert_eq!(limit("limit=100&view=full"), Some(20));
        for query in
            ["limit=0", "limit=101", "limit=-1", "limit=x", "depth=2", "path_prefix=/a", "view=all", "page=x"]
        {
            assert_eq!(limit(query), None, "{query}");
        }
    }

    #[test]
    fn metadata_is_patched_and_its_limits_apply_to_the_result() {
        let full: Map<String, Value> = (0..16).map(|n| (format!("k{n}"), "v".into())).collect();
        let patch = |pairs: &[(&str, Option<&str>)]| {
            MetadataPatch(
                pairs.iter().map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned))).collect(),
            )
        };
        assert!(patch(&[("one more", Some("v"))]).apply(&full).is_err());
        let swapped = patch(&[("one more", Some("v")), ("k0", None)]).apply(&full).expect("sixteen");
        assert_eq!(swapped.len(), 16);
        assert_eq!(patch(&[]).apply(&full), Ok(full));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn no_request_panics(
            method in "GET|POST|PATCH|DELETE|PUT",
            tail in "(/(memstore_7h3kef1w7h3kef1w7h3kef1w70|memories|memory_versions|archive|redact|tools|mem_04|memver_|\\.\\.|%2e|\\PC{0,4})){0,5}",
            query in "((limit|view|depth|page|path_prefix|created_at%5Bgte%5D|operation)=\\PC{0,8}&?){0,4}",
            body in prop_oneof![any::<Vec<u8>>(), "\\{\"(path|content|name|metadata|precondition)\":\\PC{0,12}\\}".prop_map(String::into_bytes)],
            legacy: bool,
        ) {
            let path = format!("/v1/memory_stores{tail}");
            if let Err(refusal) = read_call(&RequestParts { method: &method, path: &path, query: &query, body: &body, legacy }) {
                prop_assert!((400..500).contains(&refusal.kind.status()));
                prop_assert!(refusal.message.len() < 600, "{}", refusal.message);
            }
        }
    }
}
