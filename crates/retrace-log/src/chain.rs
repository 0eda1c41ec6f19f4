//! The tamper-evident chain.
//!
//! A version commits to its path and content through a random salt; the leaf hash covers everything else a version says;
//! an operation's digest covers the one before, its own fields and its leaves. Masking a version keeps the commitment and
//! throws the salt away: the chain still verifies, and nothing is left from which a short secret could be guessed.

use retrace_model::{Actor, MemoryId, RelPath, Sha256, Source, StoreId, Timestamp, VersionOperation};
use sha2::{Digest as _, Sha256 as Hasher};

/// Digest before the first operation.
pub(crate) const GENESIS: Sha256 = Sha256([0; 32]);

/// What a version says, without its content.
pub(crate) struct Leaf {
    pub seq: u64,
    pub operation_seq: u64,
    pub store: StoreId,
    pub memory: MemoryId,
    pub change: VersionOperation,
    pub created_at: Timestamp,
    pub commitment: Sha256,
}

/// The salted commitment to a path and a content; `content` is the hash and size of the raw bytes, `None` for a deletion.
pub(crate) fn commitment(salt: &[u8], path: &RelPath, content: Option<(&Sha256, u64)>) -> Sha256 {
    let mut hasher = Hasher::new();
    hasher.update(b"retrace.content.1\0");
    field(&mut hasher, salt);
    field(&mut hasher, path.as_bytes());
    match content {
        None => hasher.update([0]),
        Some((sha256, size)) => {
            hasher.update([1]);
            hasher.update(size.to_be_bytes());
            hasher.update(sha256.0);
        }
    }
    Sha256(hasher.finalize().into())
}

impl Leaf {
    /// The leaf hash, whose first bytes are part of the version's id.
    pub(crate) fn hash(&self) -> Sha256 {
        let mut hasher = Hasher::new();
        hasher.update(b"retrace.version.1\0");
        hasher.update(self.seq.to_be_bytes());
        hasher.update(self.operation_seq.to_be_bytes());
        hasher.update(self.store.0);
        hasher.update(self.memory.0);
        field(&mut hasher, self.change.as_str().as_bytes());
        hasher.update(self.created_at.micros().to_be_bytes());
        hasher.update(self.commitment.0);
        Sha256(hasher.finalize().into())
    }
}

/// What an operation says.
pub(crate) struct Link<'a> {
    pub seq: u64,
    pub store: Option<StoreId>,
    pub source: Source,
    pub created_at: Timestamp,
    pub actor: &'a Actor,
    pub note: Option<&'a str>,
    pub undoes: Option<u64>,
}

/// Builds an operation's digest leaf by leaf.
#[derive(Clone)]
pub(crate) struct Digest(Hasher);

impl Digest {
    pub(crate) fn new(previous: &Sha256, link: &Link<'_>) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(b"retrace.operation.1\0");
        hasher.update(previous.0);
        hasher.update(link.seq.to_be_bytes());
        field(&mut hasher, link.store.as_ref().map_or(&[][..], |store| &store.0));
        field(&mut hasher, link.source.as_str().as_bytes());
        hasher.update(link.created_at.micros().to_be_bytes());
        let (kind, name, evidence) = actor_fields(link.actor);
        field(&mut hasher, kind.as_bytes());
        field(&mut hasher, name.as_bytes());
        field(&mut hasher, evidence.as_bytes());
        match link.note {
            None => hasher.update([0]),
            Some(note) => {
                hasher.update([1]);
                field(&mut hasher, note.as_bytes());
            }
        }
        hasher.update(link.undoes.unwrap_or(0).to_be_bytes());
        Self(hasher)
    }

    pub(crate) fn leaf(&mut self, leaf: &Sha256) {
        self.0.update(leaf.0);
    }

    pub(crate) fn finish(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

fn field(hasher: &mut Hasher, bytes: &[u8]) {
    hasher.update((bytes.len() as u64).to_be_bytes());
    hasher.update(bytes);
}

/// An actor as the database keeps it: type, name, evidence.
pub(crate) fn actor_fields(actor: &Actor) -> (&'static str, &str, &'static str) {
    match actor {
        Actor::Session { id, evidence } => ("session", id, evidence.as_str()),
        Actor::Api { id } => ("api", id, ""),
        Actor::User { id } => ("user", id, ""),
        Actor::ServiceAccount { id } => ("service_account", id, ""),
        Actor::Unknown => ("unknown", "", ""),
    }
}

/// Reads an actor back; unknown words make an unknown actor, which verification then reports by the digest.
pub(crate) fn actor_from_fields(kind: &str, name: String, evidence: &str) -> Actor {
    match kind {
        "session" => match retrace_model::Evidence::parse(evidence) {
            Some(evidence) => Actor::Session { id: name, evidence },
            None => Actor::Unknown,
        },
        "api" => Actor::Api { id: name },
        "user" => Actor::User { id: name },
        "service_account" => Actor::ServiceAccount { id: name },
        _ => Actor::Unknown,
    }
}
