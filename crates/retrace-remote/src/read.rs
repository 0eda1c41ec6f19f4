//! From a host's bytes to objects. All of it is untrusted; a fault says what is wrong, never what stands there.

use crate::facts;
use crate::objects::{
    DreamError, DreamUsage, OutputBehavior, Page, RemoteDream, RemoteMemory, RemoteStore, RemoteVersion,
};
use retrace_message::Message;
use retrace_model::{Actor, Evidence, RelPath, Sha256, Timestamp, VersionOperation};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Fault of an answer.
pub(crate) type Fault = Message;

/// Reads JSON. The library's own words may quote what it met, and are not passed on.
pub(crate) fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(body).map_err(|error| {
        let what = match error.classify() {
            serde_json::error::Category::Data => say::member_missing_or_another_type(),
            serde_json::error::Category::Eof => say::ends_too_early(),
            serde_json::error::Category::Syntax | serde_json::error::Category::Io => say::not_json(),
        };
        say::line_column(what, error.line(), error.column())
    })
}

/// A page of objects, each read by `item`; those that it passes over are left out.
pub(crate) fn page<R: DeserializeOwned, T>(
    body: &[u8],
    mut item: impl FnMut(R) -> Result<Option<T>, Fault>,
) -> Result<Page<T>, Fault> {
    #[derive(Deserialize)]
    struct RawPage<R> {
        data: Vec<R>,
        #[serde(default)]
        next_page: Option<String>,
    }
    let raw: RawPage<R> = json(body)?;
    if raw.data.len() > facts::PAGE_ITEMS {
        return Err(say::page_more_than_items(facts::PAGE_ITEMS));
    }
    let next = raw.next_page.filter(|cursor| !cursor.is_empty());
    if next.as_ref().is_some_and(|cursor| cursor.len() > facts::CURSOR_BYTES) {
        return Err(say::next_page_too_long());
    }
    let items = raw.data.into_iter().filter_map(|raw| item(raw).transpose());
    Ok(Page { items: items.collect::<Result<_, _>>()?, next })
}

/// An object by its `type`.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Raw {
    MemoryStore(RawStore),
    Memory(RawMemory),
    MemoryVersion(RawVersion),
    Dream(RawDream),
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
pub(crate) struct RawStore {
    id: String,
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    metadata: Option<BTreeMap<String, String>>,
    created_at: String,
    updated_at: String,
    #[serde(default)]
    archived_at: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct RawMemory {
    id: String,
    memory_store_id: String,
    memory_version_id: String,
    path: String,
    #[serde(default)]
    content: Option<String>,
    content_size_bytes: u64,
    content_sha256: String,
    created_at: String,
    updated_at: String,
}

#[derive(Deserialize)]
pub(crate) struct RawVersion {
    id: String,
    memory_store_id: String,
    memory_id: String,
    operation: String,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    content_size_bytes: Option<u64>,
    #[serde(default)]
    content_sha256: Option<String>,
    #[serde(default)]
    created_by: Option<RawActor>,
    created_at: String,
    #[serde(default)]
    redacted_at: Option<String>,
    #[serde(default)]
    redacted_by: Option<RawActor>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum RawActor {
    SessionActor {
        session_id: String,
    },
    ApiActor {
        api_key_id: String,
    },
    UserActor {
        user_id: String,
    },
    ServiceAccountActor {
        service_account_id: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
pub(crate) struct RawDream {
    id: String,
    status: String,
    #[serde(default)]
    inputs: Vec<RawDreamPart>,
    #[serde(default)]
    outputs: Vec<RawDreamPart>,
    model: RawModel,
    #[serde(default)]
    instructions: Option<String>,
    #[serde(default)]
    output_behavior: Option<RawBehavior>,
    #[serde(default)]
    session_id: Option<String>,
    #[serde(default)]
    error: Option<RawDreamError>,
    #[serde(default)]
    usage: Option<RawUsage>,
    created_at: String,
    #[serde(default)]
    ended_at: Option<String>,
    #[serde(default)]
    archived_at: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum RawDreamPart {
    MemoryStore {
        memory_store_id: String,
    },
    Sessions {
        session_ids: Vec<String>,
    },
    #[serde(other)]
    Other,
}

/// The API always answers with an object; a bare name is what it is asked with.
#[derive(Deserialize)]
#[serde(untagged)]
enum RawModel {
    Object { id: String },
    Name(String),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum RawBehavior {
    CreateNew,
    UpdateExisting {
        memory_store_id: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct RawDreamError {
    r#type: String,
    #[serde(default)]
    message: Option<String>,
}

#[derive(Deserialize)]
struct RawUsage {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
}

pub(crate) fn store(raw: RawStore) -> Result<RemoteStore, Fault> {
    let metadata = raw.metadata.unwrap_or_default();
    for text in metadata.iter().flat_map(|(key, value)| [key, value]) {
        short(text, "metadata")?;
    }
    Ok(RemoteStore {
        id: id(raw.id, STORE, "id")?,
        name: text(raw.name, "name")?,
        description: text(raw.description.unwrap_or_default(), "description")?,
        metadata,
        created_at: time(&raw.created_at, "created_at")?,
        updated_at: time(&raw.updated_at, "updated_at")?,
        archived_at: maybe_time(raw.archived_at, "archived_at")?,
    })
}

pub(crate) fn memory(raw: RawMemory) -> Result<RemoteMemory, Fault> {
    let content_sha256 = sha256(&raw.content_sha256)?;
    if let Some(content) = &raw.content {
        agree(content, Some(raw.content_size_bytes), Some(content_sha256))?;
    }
    Ok(RemoteMemory {
        id: id(raw.id, MEMORY, "id")?,
        store_id: id(raw.memory_store_id, STORE, "memory_store_id")?,
        version_id: id(raw.memory_version_id, VERSION, "memory_version_id")?,
        path: path(raw.path)?,
        content: raw.content,
        content_size_bytes: raw.content_size_bytes,
        content_sha256,
        created_at: time(&raw.created_at, "created_at")?,
        updated_at: time(&raw.updated_at, "updated_at")?,
    })
}

pub(crate) fn version(raw: RawVersion) -> Result<RemoteVersion, Fault> {
    let content_sha256 = raw.content_sha256.as_deref().map(sha256).transpose()?;
    if let Some(content) = &raw.content {
        agree(content, raw.content_size_bytes, content_sha256)?;
    }
    let operation: VersionOperation = raw.operation.parse().map_err(|_| say::operation_not_one_known())?;
    Ok(RemoteVersion {
        id: id(raw.id, VERSION, "id")?,
        store_id: id(raw.memory_store_id, STORE, "memory_store_id")?,
        memory_id: id(raw.memory_id, MEMORY, "memory_id")?,
        operation,
        path: raw.path.map(path).transpose()?,
        content: raw.content,
        content_size_bytes: raw.content_size_bytes,
        content_sha256,
        created_by: raw.created_by.map(actor),
        created_at: time(&raw.created_at, "created_at")?,
        redacted_at: maybe_time(raw.redacted_at, "redacted_at")?,
        redacted_by: raw.redacted_by.map(actor),
    })
}

pub(crate) fn dream(raw: RawDream) -> Result<RemoteDream, Fault> {
    let (mut input_store, mut sessions) = (None, Vec::new());
    for part in raw.inputs {
        match part {
            RawDreamPart::MemoryStore { memory_store_id } => {
                input_store = Some(id(memory_store_id, STORE, "inputs")?);
            }
            RawDreamPart::Sessions { session_ids } => sessions.extend(session_ids),
            RawDreamPart::Other => {}
        }
    }
    if sessions.len() > facts::SESSIONS {
        return Err(say::dream_more_than_sessions(facts::SESSIONS));
    }
    let sessions = sessions.into_iter().map(|session| id(session, SESSION, "session_ids"));
    let mut output_store = None;
    for part in raw.outputs {
        if let RawDreamPart::MemoryStore { memory_store_id } = part {
            output_store = Some(id(memory_store_id, STORE, "outputs")?);
        }
    }
    let (RawModel::Object { id: model } | RawModel::Name(model)) = raw.model;
    Ok(RemoteDream {
        id: id(raw.id, DREAM, "id")?,
        status: word(raw.status, "status")?,
        input_store,
        sessions: sessions.collect::<Result<_, _>>()?,
        output_store,
        model: text(model, "model")?,
        instructions: raw.instructions.map(|words| text(words, "instructions")).transpose()?,
        output_behavior: match raw.output_behavior {
            Some(RawBehavior::CreateNew) | None => OutputBehavior::CreateNew,
            Some(RawBehavior::UpdateExisting { memory_store_id }) => {
                OutputBehavior::UpdateExisting { store_id: id(memory_store_id, STORE, "output_behavior")? }
            }
            Some(RawBehavior::Other) => OutputBehavior::Unknown,
        },
        session_id: raw.session_id.map(|session| id(session, SESSION, "session_id")).transpose()?,
        error: raw.error.map(dream_error).transpose()?,
        usage: raw.usage.map_or_else(DreamUsage::default, |used| DreamUsage {
            input_tokens: used.input_tokens.unwrap_or_default(),
            output_tokens: used.output_tokens.unwrap_or_default(),
            cache_creation_input_tokens: used.cache_creation_input_tokens.unwrap_or_default(),
            cache_read_input_tokens: used.cache_read_input_tokens.unwrap_or_default(),
        }),
        created_at: time(&raw.created_at, "created_at")?,
        ended_at: maybe_time(raw.ended_at, "ended_at")?,
        archived_at: maybe_time(raw.archived_at, "archived_at")?,
    })
}

fn dream_error(raw: RawDreamError) -> Result<DreamError, Fault> {
    Ok(DreamError {
        kind: word(raw.r#type, "error")?,
        message: text(raw.message.unwrap_or_default(), "error")?,
    })
}

/// Prefixes of identifiers.
pub(crate) const STORE: &str = "memstore_";
pub(crate) const MEMORY: &str = "mem_";
pub(crate) const VERSION: &str = "memver_";
pub(crate) const SESSION: &str = "sesn_";
pub(crate) const DREAM: &str = "drm_";

/// True if a text is an identifier with this prefix: what can stand in a path without being anything else.
pub(crate) fn is_id(text: &str, prefix: &str) -> bool {
    text.strip_prefix(prefix).is_some_and(|rest| {
        (1..=facts::ID_LETTERS).contains(&rest.len())
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    })
}

fn id(text: String, prefix: &str, member: &str) -> Result<String, Fault> {
    if is_id(&text, prefix) { Ok(text) } else { Err(say::not_id(member, prefix)) }
}

/// A path from its slash on, which names one place below a store.
fn path(text: String) -> Result<String, Fault> {
    let inside = text.strip_prefix('/').is_some_and(|rest| RelPath::from_bytes(rest).is_ok());
    if inside && text.len() <= facts::PATH_BYTES && !text.chars().any(char::is_control) {
        Ok(text)
    } else {
        Err(say::path_not_one_below_store())
    }
}

fn sha256(text: &str) -> Result<Sha256, Fault> {
    Sha256::from_hex(text).ok_or_else(say::content_sha256_not_hash)
}

/// A content has to be what its hash and size say.
fn agree(content: &str, size: Option<u64>, sha256: Option<Sha256>) -> Result<(), Fault> {
    if size.is_some_and(|size| size != content.len() as u64) {
        return Err(say::content_not_size());
    }
    if sha256.is_some_and(|sha256| sha256 != Sha256::of(content.as_bytes())) {
        return Err(say::content_not_hash());
    }
    Ok(())
}

fn time(text: &str, member: &str) -> Result<Timestamp, Fault> {
    Timestamp::parse(text).map_err(|_| say::not_time(member))
}

fn maybe_time(text: Option<String>, member: &str) -> Result<Option<Timestamp>, Fault> {
    text.map(|text| time(&text, member)).transpose()
}

fn short(text: &str, member: &str) -> Result<(), Fault> {
    // A character has at most four bytes: most texts need no count.
    let fits = text.len() <= facts::TEXT_CHARACTERS || text.chars().nth(facts::TEXT_CHARACTERS).is_none();
    if fits { Ok(()) } else { Err(say::too_long(member)) }
}

fn text(text: String, member: &str) -> Result<String, Fault> {
    short(&text, member).map(|()| text)
}

/// A word of the API's own: lower case and underscores.
fn word(text: String, member: &str) -> Result<String, Fault> {
    let fits = (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if fits { Ok(text) } else { Err(say::not_word(member)) }
}

/// Who; unknown where the host names a kind of actor that is not known here, or one without a usable id.
fn actor(raw: RawActor) -> Actor {
    let usable = |id: &String| {
        (1..=facts::ID_LETTERS * 2).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
    };
    match raw {
        RawActor::SessionActor { session_id: id } if usable(&id) => {
            Actor::Session { id, evidence: Evidence::Stated }
        }
        RawActor::ApiActor { api_key_id: id } if usable(&id) => Actor::Api { id },
        RawActor::UserActor { user_id: id } if usable(&id) => Actor::User { id },
        RawActor::ServiceAccountActor { service_account_id: id } if usable(&id) => {
            Actor::ServiceAccount { id }
        }
        _ => Actor::Unknown,
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "read";
    member_missing_or_another_type() => "a member is missing or of another type",
    ends_too_early() => "it ends too early",
    not_json() => "it is not JSON",
    line_column(what, line, column) => "{what}, at line {line} column {column}",
    page_more_than_items(value) => "a page has more than {value} items",
    next_page_too_long() => "next_page is too long",
    operation_not_one_known() => "operation is not one that is known",
    dream_more_than_sessions(facts) => "a dream has more than {facts} sessions",
    not_id(member, prefix) => "{member} is not an id ({prefix}…)",
    path_not_one_below_store() => "path is not one below a store",
    content_sha256_not_hash() => "content_sha256 is not a hash",
    content_not_size() => "content does not have its size",
    content_not_hash() => "content does not have its hash",
    not_time(member) => "{member} is not a time",
    too_long(member) => "{member} is too long",
    not_word(member) => "{member} is not a word",
}
