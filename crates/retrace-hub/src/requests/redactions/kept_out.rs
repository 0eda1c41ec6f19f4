//! What stays out: contents are known again by a code under the key file.

use super::reach::outstanding;
use super::{Parts, texts};
use crate::Failure;
use crate::database::Scoped;
use crate::requests::{Caller, number};
use crate::routes::Hub;
use retrace_model::{OrgId, Sha256, StoreId};
use retrace_sync::messages::SentVersion;
use std::collections::{BTreeSet, HashMap};

/// Codes of contents are of this.
const CONTENT: &[u8] = b"content";

/// The code of a content.
pub(super) fn tag_of(hub: &Hub, org: OrgId, sha256: &Sha256) -> Vec<u8> {
    hub.keys.tag(CONTENT, org, &sha256.0).to_vec()
}

/// Codes of contents that are kept out already.
pub(super) async fn known_tags<'h>(
    hub: &Hub,
    scoped: &Scoped,
    org: OrgId,
    hashes: impl Iterator<Item = &'h Sha256>,
) -> Result<HashMap<Sha256, (Vec<u8>, Parts)>, Failure> {
    let by_tag: HashMap<Vec<u8>, Sha256> = hashes.map(|sha256| (tag_of(hub, org, sha256), *sha256)).collect();
    let tags: Vec<&[u8]> = by_tag.keys().map(|tag| &tag[..]).collect();
    let rows = scoped
        .client()?
        .query(
            "SELECT tag, id, starts, ends FROM kept_out WHERE org = $1 AND tag = ANY($2)",
            &[&&org.0[..], &tags],
        )
        .await?;
    let mut known = HashMap::new();
    for row in &rows {
        if let Some(sha256) = by_tag.get(&row.get::<_, Vec<u8>>(0)) {
            known.insert(*sha256, (row.get(1), Parts { starts: row.get(2), ends: row.get(3) }));
        }
    }
    Ok(known)
}

/// Contents among those of versions that are about to be taken that were redacted before: they are kept out, each for the order
/// that it was redacted by.
pub(crate) struct KeptOut {
    found: HashMap<Sha256, (Vec<u8>, Parts)>,
}

impl KeptOut {
    /// Looks for them. Whoever calls this holds [`super::beside_others`].
    pub(crate) async fn among(
        hub: &Hub,
        scoped: &Scoped,
        org: OrgId,
        versions: &[SentVersion],
    ) -> Result<Self, Failure> {
        let any = "SELECT EXISTS (SELECT 1 FROM kept_out WHERE org = $1)";
        if !scoped.client()?.query_one(any, &[&&org.0[..]]).await?.get::<_, bool>(0) {
            return Ok(Self { found: HashMap::new() });
        }
        let hashes: BTreeSet<Sha256> = versions
            .iter()
            .filter_map(|version| Some(version.opened.as_ref()?.content.as_ref()?.sha256))
            .collect();
        Ok(Self { found: known_tags(hub, scoped, org, hashes.iter()).await? })
    }

    /// True if a content stays out.
    pub(crate) async fn is_out(
        hub: &Hub,
        scoped: &Scoped,
        org: OrgId,
        sha256: &Sha256,
    ) -> Result<bool, Failure> {
        Ok(!known_tags(hub, scoped, org, std::iter::once(sha256)).await?.is_empty())
    }

    /// A name without what was redacted of it here: a machine that does not know the secret goes on sending it. The redaction is
    /// under way or its marker stands; whoever calls this holds [`super::beside_others`].
    pub(crate) async fn name(hub: &Hub, scoped: &Scoped, org: OrgId, name: &str) -> Result<String, Failure> {
        let sha256 = Sha256::of(name.as_bytes());
        let known = known_tags(hub, scoped, org, std::iter::once(&sha256)).await?;
        let Some((_, parts)) = known.get(&sha256) else { return Ok(name.to_owned()) };
        let left = texts::without(name.as_bytes(), Some(parts));
        Ok(String::from_utf8(left).unwrap_or_else(|_| texts::REDACTED.to_owned()))
    }

    /// True if the content of a version stays out.
    pub(crate) fn holds(&self, version: &SentVersion) -> bool {
        self.of(version).is_some()
    }

    fn of(&self, version: &SentVersion) -> Option<&(Vec<u8>, Parts)> {
        self.found.get(&version.opened.as_ref()?.content.as_ref()?.sha256)
    }

    /// Orders the machine that sent them to redact them.
    pub(crate) async fn order(
        &self,
        scoped: &Scoped,
        caller: &Caller,
        store: StoreId,
        versions: &[SentVersion],
    ) -> Result<(), Failure> {
        let mut orders = BTreeSet::new();
        for version in versions {
            let Some((id, parts)) = self.of(version) else { continue };
            scoped
                .client()?
                .execute(
                    "INSERT INTO order_targets (org, id, machine, store, local_seq, starts, ends)
                     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
                    &[
                        &&caller.org.0[..],
                        id,
                        &&caller.machine.0[..],
                        &&store.0[..],
                        &number(version.local_seq)?,
                        &parts.starts,
                        &parts.ends,
                    ],
                )
                .await?;
            orders.insert(id);
        }
        for id in orders {
            outstanding(scoped, caller.org, id, &caller.machine.0).await?;
        }
        Ok(())
    }
}
