//! Links of a store's chain, and the check of a version against its leaf hash.

use crate::messages::SentVersion;
use retrace_model::chain::{Leaf, commitment};
use retrace_model::{MachineId, RelPath, Sha256, StoreId, Timestamp, VersionOperation};
use sha2::{Digest as _, Sha256 as Hasher};

/// Digest before the first link.
pub const GENESIS: Sha256 = Sha256([0; 32]);

/// The head of a chain: its number of links, and the digest of the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Number of links; 0 before the first.
    pub seq: u64,
    /// Digest of the last link.
    pub digest: Sha256,
}

impl Head {
    /// The head of an empty chain.
    pub const EMPTY: Self = Self { seq: 0, digest: GENESIS };

    /// The head after one more version.
    #[must_use]
    pub fn then(&self, machine: MachineId, store: StoreId, leaf: &Sha256) -> Self {
        let seq = self.seq.saturating_add(1);
        Self { seq, digest: link(&self.digest, machine, store, seq, leaf) }
    }
}

/// Digest of a link.
#[must_use]
pub fn link(previous: &Sha256, machine: MachineId, store: StoreId, seq: u64, leaf: &Sha256) -> Sha256 {
    let mut hasher = Hasher::new();
    hasher.update(b"retrace.hub.link.1\0");
    hasher.update(previous.0);
    hasher.update(machine.0);
    hasher.update(store.0);
    hasher.update(seq.to_be_bytes());
    hasher.update(leaf.0);
    Sha256(hasher.finalize().into())
}

/// Why a version does not say what its leaf hash covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadVersion {
    /// A field has no sense.
    #[error("a field of the version cannot be read")]
    Field,
    /// The leaf hash covers other fields.
    #[error("the version was altered: its fields do not have its hash")]
    Leaf,
    /// Path, content hash or size are not those it commits to.
    #[error("the version was altered: path or content are not those it commits to")]
    Commitment,
}

/// A version as it was sent, read and checked.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Kind of the change.
    pub change: VersionOperation,
    /// Path in bytes; `None` when it is redacted.
    pub path: Option<Vec<u8>>,
    /// Leaf hash.
    pub leaf: Sha256,
}

/// Checks that a version says what its leaf hash covers, as far as that can be told: of a rebuilt version the leaf hash covers
/// more than is sent, and of a redacted one nothing is left to open.
///
/// # Errors
/// [`BadVersion`].
pub fn check(version: &SentVersion, store: StoreId) -> Result<Checked, BadVersion> {
    let change: VersionOperation = version.operation.parse().map_err(|_| BadVersion::Field)?;
    if version.observed {
        let leaf = Leaf {
            seq: version.local_seq,
            operation_seq: version.operation_seq,
            store,
            memory: version.memory()?,
            change,
            created_at: Timestamp::from_micros(version.created_at),
            commitment: version.commitment,
            past: None,
        };
        if leaf.hash() != version.leaf {
            return Err(BadVersion::Leaf);
        }
    }
    let Some(opened) = &version.opened else { return Ok(Checked { change, path: None, leaf: version.leaf }) };
    let path = RelPath::from_bytes(opened.path.0.clone()).map_err(|_| BadVersion::Field)?;
    let content = opened.content.as_ref().map(|content| (&content.sha256, content.size));
    if let Some(salt) = &opened.salt
        && commitment(&salt.0, &path, content) != version.commitment
    {
        return Err(BadVersion::Commitment);
    }
    Ok(Checked { change, path: Some(opened.path.0.clone()), leaf: version.leaf })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::{Bytes, SentContent, SentOpened};
    use retrace_model::MemoryId;

    fn version() -> SentVersion {
        let path = RelPath::parse("a.md").expect("a path");
        let sha256 = Sha256::of(b"a fact");
        let commits = commitment(&[7; 16], &path, Some((&sha256, 6)));
        let leaf = Leaf {
            seq: 3,
            operation_seq: 2,
            store: StoreId([1; 16]),
            memory: MemoryId([4; 16]),
            change: VersionOperation::Created,
            created_at: Timestamp::from_micros(5),
            commitment: commits,
            past: None,
        };
        SentVersion {
            local_seq: 3,
            operation_seq: 2,
            memory: MemoryId([4; 16]).to_string(),
            operation: "created".to_owned(),
            source: "scan".to_owned(),
            created_at: 5,
            leaf: leaf.hash(),
            commitment: commits,
            observed: true,
            opened: Some(SentOpened {
                path: Bytes(b"a.md".to_vec()),
                salt: Some(Bytes(vec![7; 16])),
                content: Some(SentContent { sha256, size: 6 }),
            }),
        }
    }

    #[test]
    fn every_altered_field_is_seen() {
        let store = StoreId([1; 16]);
        check(&version(), store).expect("sound");
        let alterations: [fn(&mut SentVersion); 8] = [
            |version| version.local_seq = 4,
            |version| version.operation_seq = 1,
            |version| version.memory = MemoryId([5; 16]).to_string(),
            |version| version.operation = "modified".to_owned(),
            |version| version.created_at = 6,
            |version| version.commitment = Sha256([0; 32]),
            |version| version.opened.as_mut().expect("opened").path = Bytes(b"b.md".to_vec()),
            |version| version.opened.as_mut().expect("opened").content = None,
        ];
        for (at, alter) in alterations.iter().enumerate() {
            let mut altered = version();
            alter(&mut altered);
            check(&altered, store).expect_err(&format!("alteration {at}"));
        }
        check(&version(), StoreId([2; 16])).expect_err("of another store");
        let redacted = SentVersion { opened: None, ..version() };
        check(&redacted, store).expect("a redacted version is sound");
    }

    #[test]
    fn a_link_covers_machine_store_place_and_what_is_before() {
        let (machine, store, leaf) = (MachineId([1; 16]), StoreId([2; 16]), Sha256([3; 32]));
        let first = link(&GENESIS, machine, store, 1, &leaf);
        let others = [
            link(&leaf, machine, store, 1, &leaf),
            link(&GENESIS, MachineId([9; 16]), store, 1, &leaf),
            link(&GENESIS, machine, StoreId([9; 16]), 1, &leaf),
            link(&GENESIS, machine, store, 2, &leaf),
            link(&GENESIS, machine, store, 1, &GENESIS),
        ];
        assert!(others.iter().all(|other| *other != first));
    }
}
