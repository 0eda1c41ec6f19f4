//! Seals of redacted texts that the chain covers: a note, or the name of an actor.
//!
//! The digest stays as it was, so that everything after it still verifies. A seal covers what stands there now and the digest
//! that was kept; the operation of the redaction covers its seals. So nothing else of what was sealed can be changed unseen.

use crate::LogError;
use crate::chain::{Digest, GENESIS, Link};
use crate::read::{LEAVES, leaf_from};
use crate::rows::bound;
use crate::{OperationRow, Reader, review};
use retrace_model::Sha256;
use rusqlite::{Connection, OptionalExtension as _, params};
use sha2::{Digest as _, Sha256 as Hasher};
use std::collections::{BTreeMap, HashMap};

/// Subject of a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Sealed {
    /// An operation: its note, or its actor.
    Operation,
    /// An act of review: its note, or its person.
    Review,
    /// A rebuilt version: its note, or its writer.
    Version,
}

impl Sealed {
    const WORDS: [(Self, &'static str); 3] =
        [(Self::Operation, "operation"), (Self::Review, "review"), (Self::Version, "version")];

    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(kind, _)| *kind == self).map_or("operation", |(_, word)| word)
    }
}

/// All seals of a log.
#[derive(Default)]
pub(crate) struct Seals {
    /// The newest one of each thing that is sealed.
    newest: HashMap<(Sealed, u64), Sha256>,
    /// Over all that each redaction made, by its operation.
    made: BTreeMap<u64, Sha256>,
}

impl Seals {
    pub(crate) fn load(connection: &Connection) -> Result<Self, LogError> {
        let mut query =
            connection.prepare_cached("SELECT operation_seq, kind, seq, seal FROM seals ORDER BY 1, 2, 3")?;
        let mut rows = query.query([])?;
        let mut seals = Self::default();
        let mut hashers: BTreeMap<u64, Hasher> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let (operation, word, seq): (u64, String, u64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let seal = crate::rows::hash_from(&row.get::<_, Vec<u8>>(3)?)?;
            add(hashers.entry(operation).or_default(), &word, seq, &seal);
            if let Some((kind, _)) = Sealed::WORDS.iter().find(|(_, known)| *known == word) {
                seals.newest.insert((*kind, seq), seal);
            }
        }
        seals.made =
            hashers.into_iter().map(|(seq, hasher)| (seq, Sha256(hasher.finalize().into()))).collect();
        Ok(seals)
    }

    /// Digest of the seals that an operation made, covered beside its own fields: the seals that it made.
    pub(crate) fn made_by(&self, operation: u64) -> Option<&Sha256> {
        self.made.get(&operation)
    }

    /// True if something is as it was when it was sealed. `says` is the digest of what stands there, `kept` the one
    /// from before.
    pub(crate) fn fits(&self, kind: Sealed, seq: u64, says: &Sha256, kept: &Sha256) -> bool {
        self.newest.get(&(kind, seq)).is_some_and(|seal| *seal == sealed(kind, seq, says, kept))
    }
}

fn sealed(kind: Sealed, seq: u64, says: &Sha256, kept: &Sha256) -> Sha256 {
    let mut hasher = Hasher::new();
    hasher.update(b"retrace.seal.1\0");
    hasher.update((kind.word().len() as u64).to_be_bytes());
    hasher.update(kind.word());
    hasher.update(seq.to_be_bytes());
    hasher.update(says.0);
    hasher.update(kept.0);
    Sha256(hasher.finalize().into())
}

fn add(hasher: &mut Hasher, word: &str, seq: u64, seal: &Sha256) {
    hasher.update((word.len() as u64).to_be_bytes());
    hasher.update(word);
    hasher.update(seq.to_be_bytes());
    hasher.update(seal.0);
}

/// Seals what is named, for the operation about to be appended; answers what its digest has to cover.
pub(crate) fn seal(
    connection: &Connection,
    operation: u64,
    sealing: &BTreeMap<(Sealed, u64), (Sha256, Sha256)>,
) -> Result<Option<Sha256>, LogError> {
    let mut insert = connection
        .prepare_cached("INSERT INTO seals (operation_seq, kind, seq, seal) VALUES (?1, ?2, ?3, ?4)")?;
    for ((kind, seq), (says, kept)) in sealing {
        let seal = sealed(*kind, *seq, says, kept);
        insert.execute(params![bound(operation), kind.word(), bound(*seq), &seal.0[..]])?;
    }
    Ok(Seals::load(connection)?.made_by(operation).copied())
}

impl Reader<'_> {
    /// Present digest of a text, and the digest that was kept of it.
    pub(crate) fn says_and_kept(
        &self,
        kind: Sealed,
        seq: u64,
        seals: &Seals,
    ) -> Result<(Sha256, Sha256), LogError> {
        match kind {
            Sealed::Operation => self.operation_says(&self.operation(seq)?, seals),
            Sealed::Review => {
                let act = self.review_act(seq)?;
                let previous = self.digest_before("SELECT digest FROM review_acts WHERE seq = ?1", seq)?;
                let previous = previous.unwrap_or(review::GENESIS);
                Ok((self.digest_of(&act, &previous)?, act.digest))
            }
            Sealed::Version => {
                let mut query = self.connection.prepare_cached(LEAVES)?;
                let mut rows = query.query([bound(seq), bound(seq)])?;
                let row = rows
                    .next()?
                    .ok_or_else(|| LogError::NotFound { what: "version", name: seq.to_string() })?;
                let row = leaf_from(row)?;
                let says = row.leaf.hash();
                Ok((says, row.kept.unwrap_or(says)))
            }
        }
    }

    fn operation_says(&self, operation: &OperationRow, seals: &Seals) -> Result<(Sha256, Sha256), LogError> {
        let seq = operation.seq;
        let previous =
            self.digest_before("SELECT digest FROM operations WHERE seq = ?1", seq)?.unwrap_or(GENESIS);
        let mut digest = Digest::new(&previous, &link_of(operation));
        digest.seals(seals.made_by(seq));
        let mut query = self.connection.prepare_cached(LEAVES)?;
        let last = operation.first_version.saturating_add(operation.versions).saturating_sub(1);
        let mut rows = query.query([bound(operation.first_version), bound(last)])?;
        while let Some(row) = rows.next()? {
            digest.leaf(&leaf_from(row)?.hash());
        }
        Ok((digest.finish(), operation.digest))
    }

    fn digest_before(&self, sql: &str, seq: u64) -> Result<Option<Sha256>, LogError> {
        let digest: Option<Vec<u8>> = self
            .connection
            .prepare_cached(sql)?
            .query_row([bound(seq.saturating_sub(1))], |row| row.get(0))
            .optional()?;
        digest.as_deref().map(crate::rows::hash_from).transpose()
    }
}

/// The fields of an operation that its digest covers.
pub(crate) fn link_of(operation: &OperationRow) -> Link<'_> {
    Link {
        seq: operation.seq,
        store: operation.store,
        source: operation.source,
        created_at: operation.created_at,
        actor: &operation.actor,
        note: operation.note.as_deref(),
        undoes: operation.undoes,
    }
}
