//! Contents: taking them, and destroying what was redacted.

use super::chains::stored_head;
use super::redactions::Masked;
use super::{Caller, digest, invalid, number, redactions, store_id};
use crate::Failure;
use crate::audit;
use crate::database::Scoped;
use crate::keys::Place;
use crate::routes::Hub;
use retrace_model::Sha256;
use retrace_sync::messages::{self as m, Contents, Redact, Redacted, Taken};
use retrace_sync::together::Reached;
use std::collections::{BTreeMap, BTreeSet};

/// Takes contents of versions that are there. Each has the hash it is sent under.
pub(crate) async fn contents(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: Contents,
) -> Result<Taken, Failure> {
    let store = store_id(&request.store)?;
    if request.contents.len() > m::MAX_CONTENTS {
        return Err(invalid("A thousand contents at most are wanted."));
    }
    let place = Place { org: caller.org, store, machine: caller.machine };
    let asked: Vec<Vec<u8>> = request.contents.iter().map(|content| content.sha256.0.to_vec()).collect();
    let client = scoped.client()?;
    let keys: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
        [&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..]];
    redactions::beside_others(scoped, caller.org).await?;
    // A redaction locks the head as well, so that no content comes in while its last version goes.
    stored_head(scoped, caller, store, "FOR UPDATE").await?;
    let rows = client
        .query(include_str!("../../statements/redact_versions.sql"), &[keys[0], keys[1], keys[2], &asked])
        .await?;
    let known: BTreeMap<Vec<u8>, bool> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let (mut new, mut done) = (0, BTreeSet::new());
    let insert = "INSERT INTO contents (org, store, machine, sha256, size, wrapped_key, bytes)
             SELECT $1, $2, $3, c.* FROM unnest($4::bytea[], $5::int8[], $6::bytea[], $7::bytea[]) AS c
             ON CONFLICT DO NOTHING";
    let (mut hashes, mut sizes, mut wrapped, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for content in &request.contents {
        // Redacted since it was read on the machine, or there already.
        if known.get(&content.sha256.0[..]) != Some(&false) || !done.insert(content.sha256) {
            continue;
        }
        let size = usize::try_from(content.size).unwrap_or(usize::MAX);
        let raw = (size <= m::MAX_CONTENT_BYTES)
            .then(|| zstd::bulk::decompress(&content.packed.0, size).ok())
            .flatten()
            .filter(|raw| raw.len() == size && Sha256::of(raw) == content.sha256);
        if raw.is_none() {
            return Err(Failure::refused(m::ALTERED, "A content does not have its hash."));
        }
        let sealed = hub.keys.seal(place, &content.sha256, &content.packed.0)?;
        hashes.push(content.sha256.0.to_vec());
        sizes.push(number(content.size)?);
        wrapped.push(sealed.wrapped_key);
        bytes.push(sealed.bytes);
        new += 1;
    }
    if !hashes.is_empty() {
        client.execute(insert, &[keys[0], keys[1], keys[2], &hashes, &sizes, &wrapped, &bytes]).await?;
    }
    // What is there now, of what was there before or came: by this its loss is seen.
    let there: Vec<&[u8]> = known.keys().map(Vec::as_slice).collect();
    if !there.is_empty() {
        client
            .execute(
                "UPDATE versions SET kept = true WHERE org = $1 AND store = $2 AND machine = $3 AND content_sha256 = ANY($4)
                     AND NOT kept AND NOT expired",
                &[keys[0], keys[1], keys[2], &there],
            )
            .await?;
    }
    if new > 0 {
        audit::note(scoped, caller, "contents", &format!("{store} {new}")).await?;
    }
    Ok(Taken { new })
}

/// Masks versions, and destroys the contents that no version of the chain has any more: key and bytes.
///
/// The same contents go from the chains of all other machines, or wait for a second person.
pub(crate) async fn redact(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: Redact,
) -> Result<Redacted, Failure> {
    let store = store_id(&request.store)?;
    let seqs = request.local_seqs.iter().map(|seq| number(*seq)).collect::<Result<Vec<_>, _>>()?;
    redactions::alone(scoped, caller.org).await?;
    stored_head(scoped, caller, store, "FOR UPDATE").await?;
    let keys: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
        [&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..], &seqs];
    let client = scoped.client()?;
    let gone = client
        .query(
            "SELECT content_sha256, content_size, local_seq FROM versions WHERE org = $1 AND store = $2 AND machine = $3
                 AND local_seq = ANY($4) AND content_sha256 IS NOT NULL",
            &keys,
        )
        .await?;
    let unsigned = |value: i64| u64::try_from(value).unwrap_or(0);
    let masked = |row: &tokio_postgres::Row| -> Result<Masked, Failure> {
        let (size, local_seq) = (unsigned(row.get(1)), unsigned(row.get(2)));
        Ok(Masked { local_seq, sha256: digest(row, 0)?, size })
    };
    let masked = gone.iter().map(masked).collect::<Result<Vec<_>, Failure>>()?;
    let gone: Vec<Vec<u8>> = masked.iter().map(|version| version.sha256.0.to_vec()).collect();
    let hashes: Vec<&[u8]> = gone.iter().map(Vec::as_slice).collect();
    let had = redactions::had_by(scoped, caller, &hashes).await?;
    client
        .execute(
            "UPDATE comments c SET sha256 = NULL, size = NULL, wrapped_key = NULL, bytes = NULL FROM versions v
             WHERE v.org = $1 AND v.store = $2 AND v.machine = $3 AND v.local_seq = ANY($4) AND c.org = v.org
                 AND c.store = v.store AND c.machine = v.machine AND c.seq = v.seq",
            &keys,
        )
        .await?;
    let versions = client
        .execute(
            "UPDATE versions SET redacted = true, path = NULL, salt = NULL, content_sha256 = NULL, content_size = NULL
             WHERE org = $1 AND store = $2 AND machine = $3 AND local_seq = ANY($4) AND NOT redacted",
            &keys,
        )
        .await?;
    let contents = client
        .execute(
            "DELETE FROM contents c WHERE c.org = $1 AND c.store = $2 AND c.machine = $3 AND c.sha256 = ANY($4)
                 AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.org = $1 AND v.store = $2 AND v.machine = $3
                     AND v.content_sha256 = c.sha256)",
            &[keys[0], keys[1], keys[2], &gone],
        )
        .await?;
    let reached = match &request.order {
        Some(order) => {
            let going = redactions::going(&masked, &request.parts)?;
            redactions::reach(hub, scoped, caller, order, going, &had).await?
        }
        None => Reached::default(),
    };
    audit::note(scoped, caller, "redact", &format!("{store} {versions} {contents}")).await?;
    Ok(Redacted { versions, contents, reached })
}
