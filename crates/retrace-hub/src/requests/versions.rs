//! The list of versions.

use super::{Caller, digest, id16, invalid, number};
use crate::Failure;
use crate::database::Scoped;
use retrace_model::{MachineId, MemoryId, StoreId};
use retrace_sync::messages::{self as m, Bytes, ListVersions, ListedVersion, VersionPage};

/// A page of the versions of all machines of the organisation, by store, machine and place in the chain.
pub(crate) async fn versions(
    scoped: &Scoped,
    caller: &Caller,
    request: ListVersions,
) -> Result<VersionPage, Failure> {
    let limit = request.limit.clamp(1, m::MAX_VERSIONS as u64);
    let (store, machine, seq) = match &request.after {
        None => (vec![], vec![], 0),
        Some(after) => cursor(after).ok_or_else(|| invalid("The page begins nowhere."))?,
    };
    // The page is cut before it is joined, or a whole chain is read and sorted for it.
    let rows = scoped
        .client()?
        .query(
            include_str!("../../statements/versions_page.sql"),
            &[&&caller.org.0[..], &store, &machine, &seq, &number(limit)?],
        )
        .await?;
    let mut versions = Vec::with_capacity(rows.len());
    for row in &rows {
        let sha256: Option<Vec<u8>> = row.get(8);
        let (redacted, expired, kept): (bool, bool, bool) = (row.get(10), row.get(13), row.get(15));
        let content = match &sha256 {
            // Of a version that lost its path alone the content is there.
            None if redacted => "redacted",
            None => "none",
            Some(_) if kept => "kept",
            Some(_) if expired => "expired",
            Some(_) => "not_sent",
        };
        versions.push(ListedVersion {
            machine: MachineId(id16(row, 1)?).to_string(),
            machine_name: row.get(11),
            store: StoreId(id16(row, 0)?).to_string(),
            store_name: row.get(12),
            seq: u64::try_from(row.get::<_, i64>(2)).unwrap_or(0),
            memory: MemoryId(id16(row, 3)?).to_string(),
            operation: row.get(4),
            source: row.get(5),
            created_at: row.get(6),
            path: row.get::<_, Option<Vec<u8>>>(7).map(Bytes),
            content_sha256: sha256
                .is_some()
                .then(|| digest(row, 8))
                .transpose()?
                .map(|sha256| sha256.to_hex()),
            size: row.get::<_, Option<i64>>(9).and_then(|size| u64::try_from(size).ok()),
            content: content.to_owned(),
            undone: row.get(14),
        });
    }
    let full = versions.len() as u64 == limit;
    let next = versions.last().filter(|_| full);
    let next = next.map(|last| format!("{}.{}.{}", last.store, last.machine, last.seq));
    Ok(VersionPage { versions, next })
}

fn cursor(text: &str) -> Option<(Vec<u8>, Vec<u8>, i64)> {
    let mut parts = text.split('.');
    let store = StoreId::parse(parts.next()?).ok()?;
    let machine = MachineId::parse(parts.next()?).ok()?;
    Some((store.0.to_vec(), machine.0.to_vec(), parts.next()?.parse().ok()?))
}
