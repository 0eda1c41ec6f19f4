//! What a version commits to, the part of the hash chain that a machine and a hub compute alike; and the digest of an operation, which
//! covers the one before, its own fields and its versions' leaves.
//!
//! A version commits to its path and content through a random salt; the leaf hash covers everything else a version says.
//! Masking a version keeps the commitment and throws the salt away, so that nothing is left from which a short secret could
//! be guessed.

use crate::{Actor, Evidence, MemoryId, RelPath, Sha256, Source, StoreId, Timestamp, VersionOperation};
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

/// Digest before the first operation.
pub const GENESIS: Sha256 = Sha256([0; 32]);

/// Digested fields of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// Its number.
    pub seq: u64,
    /// The store it concerns.
    pub store: Option<StoreId>,
    /// Cause.
    pub source: Source,
    /// When.
    pub created_at: Timestamp,
    /// Who.
    pub actor: &'a Actor,
    /// Why, where a reason was given.
    pub note: Option<&'a str>,
    /// The operation that it takes back.
    pub undoes: Option<u64>,
}

/// Builds an operation's digest leaf by leaf.
#[derive(Clone, Debug)]
pub struct Digest(Hasher);

impl Digest {
    /// Begins with the digest before and the fields of the operation.
    #[must_use]
    pub fn new(previous: &Sha256, link: &Link<'_>) -> Self {
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

    /// Adds what covers the seals that the operation made. Comes before the leaves.
    pub fn seals(&mut self, seals: Option<&Sha256>) {
        if let Some(seals) = seals {
            self.0.update(b"retrace.seals.1\0");
            self.0.update(seals.0);
        }
    }

    /// Adds a version.
    pub fn leaf(&mut self, leaf: &Sha256) {
        self.0.update(leaf.0);
    }

    /// The digest.
    #[must_use]
    pub fn finish(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

/// Reads an actor back; unknown words make an unknown actor, which verification then reports by the digest.
#[must_use]
pub fn actor_from_fields(kind: &str, name: String, evidence: &str) -> Actor {
    match kind {
        "session" => match Evidence::parse(evidence) {
            Some(evidence) => Actor::Session { id: name, evidence },
            None => Actor::Unknown,
        },
        "api" => Actor::Api { id: name },
        "user" => Actor::User { id: name },
        "service_account" => Actor::ServiceAccount { id: name },
        _ => Actor::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn path(text: &str) -> RelPath {
        RelPath::parse(text).expect("a path")
    }

    fn leaf() -> Leaf {
        Leaf {
            seq: 1,
            operation_seq: 2,
            store: StoreId([3; 16]),
            memory: MemoryId([4; 16]),
            change: VersionOperation::Created,
            created_at: Timestamp::from_micros(5),
            commitment: Sha256([6; 32]),
            past: None,
        }
    }

    fn past(at: i64, name: &str) -> Option<Past> {
        let actor = Actor::User { id: name.to_owned() };
        Some(Past { happened_at: Timestamp::from_micros(at), actor, written_at: None })
    }

    fn link(actor: &Actor) -> Link<'_> {
        Link {
            seq: 1,
            store: Some(StoreId([2; 16])),
            source: Source::Scan,
            created_at: Timestamp::from_micros(3),
            actor,
            note: Some("why"),
            undoes: Some(4),
        }
    }

    fn all_differ(hashes: &[Sha256]) {
        assert_eq!(hashes.iter().collect::<BTreeSet<_>>().len(), hashes.len());
    }

    /// Every log that exists was chained so: when these change, no log verifies any more.
    #[test]
    fn the_hashes_are_as_they_always_were() {
        let content = Sha256::of(b"a fact");
        let commitments = [
            commitment(&[7; 16], &path("a.md"), Some((&content, 6))),
            commitment(&[7; 16], &path("a.md"), None),
        ];
        let mut digest = Digest::new(&GENESIS, &link(&Actor::User { id: "ada".to_owned() }));
        digest.leaf(&leaf().hash());
        let hashes = [commitments[0], commitments[1], leaf().hash(), digest.finish()];
        let pinned = [
            "a1644148138a3ad3219925a6ca72e0d42cd1dd6bc62ae1f3362010fc3aa5033c",
            "d579570194ed24166c83a28b5861c4d7a56ec098bf4fd873da00407cbcc90b1d",
            "cedf763e2c694f3472a1675e22db2f83b27e535eb17d273765abf160262346b5",
            "2d4caa6a826b5b0d9f2d5268eb9f40de6a1eadfa3e7203f678123d598891514b",
        ];
        assert_eq!(hashes.map(|hash| hash.to_hex()), pinned);
    }

    #[test]
    fn a_commitment_covers_salt_path_content_and_where_each_ends() {
        let (one, two) = (Sha256([1; 32]), Sha256([2; 32]));
        let salt = [0; 16];
        all_differ(&[
            commitment(&salt, &path("a"), None),
            commitment(&salt, &path("ab"), None),
            commitment(&[1; 16], &path("a"), None),
            commitment(&salt, &path("a"), Some((&one, 1))),
            commitment(&salt, &path("a"), Some((&one, 2))),
            commitment(&salt, &path("a"), Some((&two, 1))),
            commitment(&salt[..15], &path("\u{1}a"), None),
            noted(commitment(&salt, &path("a"), None), Some("")),
            noted(commitment(&salt, &path("a"), None), Some("why")),
        ]);
        assert_eq!(noted(one, None), one);
    }

    #[test]
    fn a_leaf_covers_every_field() {
        all_differ(&[
            leaf().hash(),
            Leaf { seq: 9, ..leaf() }.hash(),
            Leaf { operation_seq: 9, ..leaf() }.hash(),
            Leaf { store: StoreId([9; 16]), ..leaf() }.hash(),
            Leaf { memory: MemoryId([9; 16]), ..leaf() }.hash(),
            Leaf { change: VersionOperation::Deleted, ..leaf() }.hash(),
            Leaf { created_at: Timestamp::from_micros(-5), ..leaf() }.hash(),
            Leaf { commitment: Sha256([9; 32]), ..leaf() }.hash(),
            Leaf { past: past(1, "ada"), ..leaf() }.hash(),
            Leaf { past: past(2, "ada"), ..leaf() }.hash(),
            Leaf { past: past(1, "ben"), ..leaf() }.hash(),
        ]);
    }

    #[test]
    fn an_operation_covers_every_field_what_was_before_and_its_leaves() {
        let ada = Actor::User { id: "ada".to_owned() };
        let session = |evidence| Actor::Session { id: "ada".to_owned(), evidence };
        let others = [
            Actor::Api { id: "ada".to_owned() },
            Actor::ServiceAccount { id: "ada".to_owned() },
            Actor::Unknown,
            session(crate::Evidence::Stated),
            session(crate::Evidence::TimeOnly),
        ];
        let digest = |link: &Link<'_>| Digest::new(&GENESIS, link).finish();
        let mut hashes: Vec<Sha256> = others.iter().map(|actor| digest(&link(actor))).collect();
        let with_leaves = |leaves: &[u8]| {
            let mut digest = Digest::new(&GENESIS, &link(&ada));
            leaves.iter().for_each(|leaf| digest.leaf(&Sha256([*leaf; 32])));
            digest.finish()
        };
        let with_seals = |seals: Option<u8>| {
            let mut digest = Digest::new(&GENESIS, &link(&ada));
            digest.seals(seals.map(|byte| Sha256([byte; 32])).as_ref());
            digest.finish()
        };
        assert_eq!(
            with_seals(None),
            digest(&link(&ada)),
            "an operation without seals is as before there were any"
        );
        hashes.extend([
            with_seals(Some(1)),
            with_seals(Some(2)),
            digest(&link(&ada)),
            digest(&Link { seq: 9, ..link(&ada) }),
            digest(&Link { store: None, ..link(&ada) }),
            digest(&Link { source: Source::Import, ..link(&ada) }),
            digest(&Link { created_at: Timestamp::from_micros(9), ..link(&ada) }),
            digest(&Link { note: None, ..link(&ada) }),
            digest(&Link { note: Some(""), ..link(&ada) }),
            digest(&Link { undoes: None, ..link(&ada) }),
            Digest::new(&Sha256([9; 32]), &link(&ada)).finish(),
            with_leaves(&[1]),
            with_leaves(&[1, 2]),
            with_leaves(&[2, 1]),
        ]);
        all_differ(&hashes);
    }

    #[test]
    fn every_actor_reads_back() {
        let session = Actor::Session { id: "s".to_owned(), evidence: crate::Evidence::FrontMatter };
        let id = || "x".to_owned();
        for actor in
            [session, Actor::Api { id: id() }, Actor::User { id: id() }, Actor::ServiceAccount { id: id() }]
        {
            let (kind, name, evidence) = actor_fields(&actor);
            assert_eq!(actor_from_fields(kind, name.to_owned(), evidence), actor);
        }
        for (kind, evidence) in [("unknown", ""), ("session", "hearsay"), ("", "")] {
            assert_eq!(actor_from_fields(kind, id(), evidence), Actor::Unknown);
        }
    }
}
