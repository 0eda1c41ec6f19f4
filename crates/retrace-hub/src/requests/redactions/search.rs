//! Contents of the other machines, for a machine that looks in them for what it redacted.

use crate::Failure;
use crate::audit;
use crate::database::Scoped;
use crate::keys::{Place, Sealed};
use crate::requests::{Caller, digest, id16, invalid};
use crate::routes::Hub;
use retrace_model::{MachineId, OrgId, Sha256, StoreId};
use retrace_sync::messages::{Bytes, PackedContent};
use retrace_sync::together::{PAGE_BYTES, Search, Searched};
use std::collections::BTreeSet;

/// Contents of a page that is searched, at most.
const SEARCHED: i64 = 256;

/// A page of the contents of the other machines, for a machine that looks for what it redacted.
pub(crate) async fn search(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: Search,
) -> Result<Searched, Failure> {
    let (store, machine, sha256) = match &request.after {
        None => (vec![], vec![], vec![]),
        Some(after) => after_content(after).ok_or_else(|| invalid("The page begins nowhere."))?,
    };
    let rows = scoped
        .client()?
        .query(
            "SELECT store, machine, sha256, size, wrapped_key, bytes FROM contents
             WHERE org = $1 AND machine <> $2 AND (store, machine, sha256) > ($3, $4, $5) AND octet_length(bytes) <= $6
             ORDER BY store, machine, sha256 LIMIT $7",
            &[
                &&caller.org.0[..],
                &&caller.machine.0[..],
                &store,
                &machine,
                &sha256,
                &i32::try_from(PAGE_BYTES).unwrap_or(i32::MAX),
                &SEARCHED,
            ],
        )
        .await?;
    let (mut contents, mut bytes, mut next) = (Vec::new(), 0, None);
    let mut known = BTreeSet::new();
    let full = i64::try_from(rows.len()).unwrap_or(i64::MAX) == SEARCHED;
    for (place, row) in rows.iter().enumerate() {
        let (store, machine) = (StoreId(id16(row, 0)?), MachineId(id16(row, 1)?));
        let sha256 = digest(row, 2)?;
        let sealed = Sealed { wrapped_key: row.get(4), bytes: row.get(5) };
        bytes += sealed.bytes.len();
        if known.insert(sha256) {
            contents.push(opened(hub, (caller.org, store, machine), sha256, row.get(3), &sealed)?);
        }
        let last = place + 1 == rows.len();
        if (last && full) || (!last && bytes >= PAGE_BYTES) {
            next = Some(format!("{store}.{machine}.{}", sha256.to_hex()));
            break;
        }
    }
    audit::note(scoped, caller, "search", &format!("{} contents", contents.len())).await?;
    Ok(Searched { contents, next })
}

/// A content as the hub keeps it, decrypted.
pub(crate) fn opened(
    hub: &Hub,
    (org, store, machine): (OrgId, StoreId, MachineId),
    sha256: Sha256,
    size: i64,
    sealed: &Sealed,
) -> Result<PackedContent, Failure> {
    let packed = hub
        .keys
        .open(Place { org, store, machine }, &sha256, sealed)
        .ok_or_else(|| Failure::Database("a content does not open with the key file".into()))?;
    Ok(PackedContent { sha256, size: u64::try_from(size).unwrap_or(0), packed: Bytes(packed) })
}

fn after_content(text: &str) -> Option<(Vec<u8>, Vec<u8>, Vec<u8>)> {
    let mut parts = text.split('.');
    let store = StoreId::parse(parts.next()?).ok()?;
    let machine = MachineId::parse(parts.next()?).ok()?;
    Some((store.0.to_vec(), machine.0.to_vec(), Sha256::from_hex(parts.next()?)?.0.to_vec()))
}
