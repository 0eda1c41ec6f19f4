//! What a version commits to: the part of the hash chain that a machine and a hub compute alike.
//!
//! A version commits to its path and content through a random salt; the leaf hash covers everything else a version says.
//! Masking a version keeps the commitment and throws the salt away, so that nothing is left from which a short secret could
//! be guessed.

use crate::{Actor, MemoryId, RelPath, Sha256, StoreId, Timestamp, VersionOperation};
use sha2::{Digest as _, Sha256 as Hasher};

/// Digested fields of a version, without its content.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Place of the version in the log of its machine.
    pub seq: u64,
    /// Operation that it is of.
    pub operation_seq: u64,
    /// Its store.
    pub store: StoreId,
    /// Its memory.
    pub memory: MemoryId,
    /// Kind of the change.
    pub change: VersionOperation,
    /// When it was recorded.
    pub created_at: Timestamp,
    /// What it commits to.
    pub commitment: Sha256,
    /// Further fields of a rebuilt version.
    pub past: Option<Past>,
}

/// When a rebuilt version truly was, and who made the change then.
#[derive(Clone, Debug)]
pub struct Past {
    /// When it truly was.
    pub happened_at: Timestamp,
    /// Who made it then.
    pub actor: Actor,
    /// When it was written, where that was before it came to stand.
    pub written_at: Option<Timestamp>,
}

/// The salted commitment to a path and a content; `content` is the hash and size of the raw bytes, `None` for a deletion.
pub fn commitment(salt: &[u8], path: &RelPath, content: Option<(&Sha256, u64)>) -> Sha256 {
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

/// A commitment that covers a note as well. Without the salt nothing can be guessed of either.
pub fn noted(commitment: Sha256, note: Option<&str>) -> Sha256 {
    let Some(note) = note else { return commitment };
    let mut hasher = Hasher::new();
    hasher.update(b"retrace.note.1\0");
    hasher.update(commitment.0);
    field(&mut hasher, note.as_bytes());
    Sha256(hasher.finalize().into())
}

impl Leaf {
    /// The leaf hash, whose first bytes are part of the version's id.
    pub fn hash(&self) -> Sha256 {
        let mut hasher = Hasher::new();
        let tag: &[u8] = if self.past.is_some() { b"retrace.rebuilt.1\0" } else { b"retrace.version.1\0" };
        hasher.update(tag);
        hasher.update(self.seq.to_be_bytes());
        hasher.update(self.operation_seq.to_be_bytes());
        hasher.update(self.store.0);
        hasher.update(self.memory.0);
        field(&mut hasher, self.change.as_str().as_bytes());
        hasher.update(self.created_at.micros().to_be_bytes());
        hasher.update(self.commitment.0);
        if let Some(past) = &self.past {
            hasher.update(past.happened_at.micros().to_be_bytes());
            let (kind, name, evidence) = actor_fields(&past.actor);
            for text in [kind, name, evidence] {
                field(&mut hasher, text.as_bytes());
            }
            if let Some(written) = past.written_at {
                hasher.update(written.micros().to_be_bytes());
            }
        }
        Sha256(hasher.finalize().into())
    }
}

fn field(hasher: &mut Hasher, bytes: &[u8]) {
    hasher.update((bytes.len() as u64).to_be_bytes());
    hasher.update(bytes);
}

/// An actor as the database keeps it: type, name, evidence.
pub fn actor_fields(actor: &Actor) -> (&'static str, &str, &'static str) {
    match actor {
        Actor::Session { id, evidence } => ("session", id, evidence.as_str()),
        Actor::Api { id } => ("api", id, ""),
        Actor::User { id } => ("user", id, ""),
        Actor::ServiceAccount { id } => ("service_account", id, ""),
        Actor::Unknown => ("unknown", "", ""),
    }
}
