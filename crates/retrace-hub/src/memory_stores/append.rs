//! Appending to the chain of a store.

use super::rows::{Parameter, actor_columns, unsigned};
use super::{Api, Stop, as_caller};
use crate::database::now;
use crate::keys::{Place, Sealed};
use crate::requests::{digest, mend, number};
use retrace_model::chain::{Leaf, commitment};
use retrace_model::{Actor, MemoryId, RelPath, Sha256, StoreId, Timestamp, VersionId, VersionOperation};
use retrace_sync::chain::Head;
use retrace_sync::sign::head_text;

/// How much a content is packed. Memories are small: more takes time and saves nothing.
const PACK: i32 = 3;

/// Bytes of the salt of a commitment.
const SALT: usize = 16;

/// What a version says.
pub(super) struct New<'v> {
    pub(super) memory: MemoryId,
    pub(super) operation: VersionOperation,
    pub(super) path: &'v RelPath,
    /// None for a deletion.
    pub(super) content: Option<&'v [u8]>,
}

/// A version about to be written.
pub(super) struct Link {
    pub(super) id: VersionId,
    pub(super) seq: i64,
    pub(super) at: Timestamp,
    memory: MemoryId,
    operation: &'static str,
    leaf: Sha256,
    digest: Sha256,
    commitment: Sha256,
    path: Vec<u8>,
    salt: [u8; SALT],
    content: Option<(Sha256, i64)>,
    sealed: Option<Sealed>,
    author: Actor,
    machine_signature: Vec<u8>,
    signature: Vec<u8>,
}

const APPEND: &str = include_str!("../../statements/api_append.sql");

impl Api<'_> {
    /// The head of a store's chain, locked. Whoever calls this holds the lock of the store.
    pub(super) async fn locked_head(&self, store: StoreId) -> Result<Head, Stop> {
        let of: [Parameter<'_>; 3] = [&&self.agent.org.0[..], &&store.0[..], &&self.machine.0[..]];
        let sql = "SELECT seq, digest FROM heads WHERE org = $1 AND store = $2 AND machine = $3 FOR UPDATE";
        if let Some(row) = self.rows(sql, &of).await?.first() {
            return Ok(Head { seq: unsigned(row.get(0)), digest: digest(row, 1)? });
        }
        // A new store has no head yet; one that was lost is made anew from the versions.
        let head = mend(self.hub, self.scoped, &as_caller(self.hub, self.agent), store).await?;
        Ok(Head { seq: head.seq, digest: head.digest })
    }

    /// The next link of a store's chain.
    pub(super) fn link(
        &self,
        store: StoreId,
        before: Head,
        new: &New<'_>,
        author: &Actor,
    ) -> Result<Link, Stop> {
        let (org, machine, keys) = (self.agent.org, self.machine, &self.hub.keys);
        let content = new.content.map(|bytes| (Sha256::of(bytes), bytes.len() as u64));
        let at = now();
        let salt: [u8; SALT] = keys.random()?;
        let commitment = commitment(&salt, new.path, content.as_ref().map(|(sha256, size)| (sha256, *size)));
        let leaf = Leaf {
            seq: before.seq + 1,
            operation_seq: before.seq + 1,
            store,
            memory: new.memory,
            change: new.operation,
            created_at: Timestamp::from_micros(at),
            commitment,
            past: None,
        };
        let leaf = leaf.hash();
        let head = before.then(machine, store, &leaf);
        let sealed = match (new.content, &content) {
            (Some(bytes), Some((sha256, _))) => Some(self.seal(store, sha256, bytes)?),
            _ => None,
        };
        Ok(Link {
            id: VersionId::new(head.seq, &leaf),
            seq: number(head.seq)?,
            at: Timestamp::from_micros(at),
            memory: new.memory,
            operation: new.operation.as_str(),
            leaf,
            digest: head.digest,
            commitment,
            path: new.path.as_bytes().to_vec(),
            salt,
            content: content.map(|(sha256, size)| Ok::<_, Stop>((sha256, number(size)?))).transpose()?,
            sealed,
            author: author.clone(),
            // The hub is the machine, so it signs twice: once as the one that made the version, once as the one that took it.
            machine_signature: keys.signing.sign(&head_text(org, machine, store, &head, 0)),
            signature: keys.signing.sign(&head_text(org, machine, store, &head, at)),
        })
    }

    /// Writes a link. Whoever calls this holds the locks of the store and of its head, and has checked everything.
    pub(super) async fn append(&self, store: StoreId, link: &Link) -> Result<(), Stop> {
        let (actor, actor_id) = actor_columns(&link.author);
        let parameters: [Parameter<'_>; 20] = [
            &&self.agent.org.0[..],
            &&store.0[..],
            &&self.machine.0[..],
            &link.seq,
            &&link.memory.0[..],
            &link.operation,
            &link.at.micros(),
            &&link.leaf.0[..],
            &&link.digest.0[..],
            &&link.commitment.0[..],
            &link.path,
            &&link.salt[..],
            &link.content.map(|(sha256, _)| sha256.0.to_vec()),
            &link.content.map(|(_, size)| size),
            &actor,
            &actor_id,
            &link.sealed.as_ref().map(|sealed| &sealed.wrapped_key),
            &link.sealed.as_ref().map(|sealed| &sealed.bytes),
            &link.machine_signature,
            &link.signature,
        ];
        self.rows(APPEND, &parameters).await?;
        self.scoped.note_appended(1);
        Ok(())
    }

    fn seal(&self, store: StoreId, sha256: &Sha256, bytes: &[u8]) -> Result<Sealed, Stop> {
        let packed = zstd::bulk::compress(bytes, PACK)
            .map_err(|_| crate::Failure::Machine("a content could not be packed".into()))?;
        let place = Place { org: self.agent.org, store, machine: self.machine };
        Ok(self.hub.keys.seal(place, sha256, &packed)?)
    }
}
