//! Chains: countersignatures, links, leaf hashes, contents.

use super::{Check, Examined, count};
use crate::Failure;
use crate::keys::{Place, Sealed};
use crate::requests::{digest, id16};
use retrace_model::{MachineId, MemoryId, Sha256, StoreId};
use retrace_sync::chain::{GENESIS, Head, check, link};
use retrace_sync::messages::{Bytes, SentContent, SentOpened, SentVersion};
use retrace_sync::sign::{head_text, is_signed};
use std::cmp::Ordering;
use tokio_postgres::Row;

/// Links of a chain that are examined where not the whole is.
const NEWEST: i64 = 1_000;
/// Links of a page.
const PAGE: i64 = 5_000;
/// Contents that are examined where not all are.
const CONTENTS: i64 = 500;

/// A chain and its head.
struct Chain {
    store: StoreId,
    machine: MachineId,
    head: Head,
}

async fn all(examined: &Examined) -> Result<Vec<(Chain, Row)>, Failure> {
    examined.begin().await?;
    let rows = examined
        .client
        .query(
            "SELECT h.store, h.machine, h.seq, h.digest, h.signed_at, h.signature, h.machine_signature, m.public_key
             FROM heads h LEFT JOIN machines m ON m.org = h.org AND m.machine = h.machine
             WHERE h.org = $1 AND h.seq > 0 ORDER BY h.store, h.machine",
            &[&&examined.org.0[..]],
        )
        .await?;
    examined.end().await?;
    let chain = |row: Row| {
        let head = Head { seq: u64::try_from(row.get::<_, i64>(2)).unwrap_or(0), digest: digest(&row, 3)? };
        Ok((Chain { store: StoreId(id16(&row, 0)?), machine: MachineId(id16(&row, 1)?), head }, row))
    };
    rows.into_iter().map(chain).collect()
}

fn names(chains: &[String]) -> String {
    let shown = chains.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    let more = chains.len().saturating_sub(5);
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// Heads that the hub, or the machine, did not sign.
pub(super) async fn heads(examined: &Examined) -> Result<Vec<Check>, Failure> {
    let chains = all(examined).await?;
    let mut forged = Vec::new();
    for (chain, row) in &chains {
        let text = |at: i64| head_text(examined.org, chain.machine, chain.store, &chain.head, at);
        let (signature, own): (Vec<u8>, Vec<u8>) = (row.get(5), row.get(6));
        let machine_key: Option<Vec<u8>> = row.get(7);
        let by_hub = is_signed(&examined.public_key, &text(row.get(4)), &signature);
        let by_machine = machine_key.is_some_and(|key| is_signed(&key, &text(0), &own));
        if !(by_hub && by_machine) {
            forged.push(format!("{} of {}", chain.store, chain.machine));
        }
    }
    Ok(vec![if forged.is_empty() {
        let number = i64::try_from(chains.len()).unwrap_or(i64::MAX);
        Check::ok("heads", format!("The signatures of {} fit.", count(number, "chain")))
    } else {
        let next = "Compare with a backup: somebody changed the database past the hub.";
        Check::error("heads", format!("Signatures do not fit: {}.", names(&forged)), next)
    }])
}

/// Chains whose head is missing, or is not that of their newest version.
pub(super) async fn ends(examined: &Examined) -> Result<Vec<Check>, Failure> {
    // A chain has rows in several tables. The list by versions reads all of them.
    let by_versions = "UNION SELECT DISTINCT store, machine FROM versions WHERE org = $1";
    let sql = format!(
        "SELECT c.store, c.machine, h.seq, v.seq, h.digest = v.digest
         FROM (SELECT store, machine FROM stores WHERE org = $1 UNION SELECT store, machine FROM heads WHERE org = $1 {}) c
         LEFT JOIN heads h ON h.org = $1 AND h.store = c.store AND h.machine = c.machine
         LEFT JOIN LATERAL (SELECT seq, digest FROM versions v WHERE v.org = $1 AND v.store = c.store
             AND v.machine = c.machine ORDER BY seq DESC LIMIT 1) v ON true
         WHERE coalesce(h.seq, 0) <> coalesce(v.seq, 0) OR h.digest <> v.digest ORDER BY 1, 2",
        if examined.whole { by_versions } else { "" }
    );
    examined.begin().await?;
    let rows = examined.client.query(&sql, &[&&examined.org.0[..]]).await?;
    examined.end().await?;
    let (mut behind, mut ahead, mut other) = (Vec::new(), Vec::new(), Vec::new());
    for row in &rows {
        let name = format!("{} of {}", StoreId(id16(row, 0)?), MachineId(id16(row, 1)?));
        let (head, newest): (Option<i64>, Option<i64>) = (row.get(2), row.get(3));
        match head.unwrap_or(0).cmp(&newest.unwrap_or(0)) {
            Ordering::Less => behind.push(name),
            Ordering::Greater => ahead.push(name),
            Ordering::Equal => other.push(name),
        }
    }
    let mut checks = Vec::new();
    if !behind.is_empty() {
        let found = format!("Heads are missing, or end before their newest version: {}.", names(&behind));
        let next = "`retrace sync` on that machine, or the next write of an agent, makes each anew from its versions.";
        checks.push(Check::error("heads", found, next));
    }
    if !ahead.is_empty() {
        let found = format!("Newest versions are missing: {}.", names(&ahead));
        let next =
            "Restore a backup that has them, or send them again: `retrace sync --resend` on that machine.";
        checks.push(Check::error("heads", found, next));
    }
    if !other.is_empty() {
        let found = format!("Heads are not those of their newest version: {}.", names(&other));
        let next = "Compare with a backup: somebody changed the database past the hub.";
        checks.push(Check::error("heads", found, next));
    }
    Ok(checks)
}

/// Contents that the hub took and that neither a redaction nor the end of their time took out, and that are gone all the same.
pub(super) async fn lost_contents(examined: &Examined) -> Result<Vec<Check>, Failure> {
    let newest = if examined.whole { i64::MAX / 2 } else { NEWEST };
    examined.begin().await?;
    let rows = examined
        .client
        .query(include_str!("../../statements/doctor_contents.sql"), &[&&examined.org.0[..], &newest])
        .await?;
    examined.end().await?;
    let mut lost = Vec::new();
    for row in &rows {
        let (store, machine) = (StoreId(id16(row, 0)?), MachineId(id16(row, 1)?));
        let (first, last): (i64, i64) = (row.get(3), row.get(4));
        let which =
            if first == last { format!("version {first}") } else { format!("versions {first} to {last}") };
        lost.push(format!("{} in {which} of {store} of {machine}", row.get::<_, i64>(2)));
    }
    let which = if examined.whole { "all versions" } else { "the newest of each chain; --whole takes all" };
    Ok(vec![if lost.is_empty() {
        Check::ok("contents", format!("No content that the hub took is gone ({which})."))
    } else {
        let next = "Send them again: `retrace sync --resend` on that machine. Those of agents' stores are in a backup alone.";
        Check::error("contents", format!("Contents are gone that nobody redacted: {}.", names(&lost)), next)
    }])
}

/// Links that do not lead to their head, and versions that are not what their link covers.
pub(super) async fn links(examined: &Examined) -> Result<Vec<Check>, Failure> {
    let (mut broken, mut examined_links) = (Vec::new(), 0);
    for (chain, _) in all(examined).await? {
        let (fits, links) = follow(examined, &chain).await?;
        examined_links += links;
        if !fits {
            broken.push(format!("{} of {}", chain.store, chain.machine));
        }
    }
    let which =
        if examined.whole { "every link" } else { "the newest links of each chain; --whole takes all" };
    Ok(vec![if broken.is_empty() {
        Check::ok("chains", format!("{} fit ({which}).", count(examined_links, "link")))
    } else {
        let next = "Compare with a backup: versions were changed, or are missing.";
        Check::error("chains", format!("Chains do not fit: {}.", names(&broken)), next)
    }])
}

async fn follow(examined: &Examined, chain: &Chain) -> Result<(bool, i64), Failure> {
    let end = i64::try_from(chain.head.seq).unwrap_or(i64::MAX);
    let mut at = if examined.whole { 0 } else { end.saturating_sub(NEWEST).max(0) };
    let (mut before, mut links) = (None, 0);
    if at == 0 {
        before = Some(GENESIS);
    } else {
        // The link before the first that is examined is taken as it is.
        at -= 1;
    }
    loop {
        let rows = page(examined, chain, at).await?;
        if rows.is_empty() {
            break;
        }
        for row in &rows {
            let (seq, digest) = (row.get::<_, i64>(0), digest(row, 1)?);
            if seq != at + 1 {
                return Ok((false, links));
            }
            at = seq;
            if let Some(before) = before {
                links += 1;
                let place = u64::try_from(seq).unwrap_or(0);
                let version = version(row)?;
                let leads = link(&before, chain.machine, chain.store, place, &version.leaf) == digest;
                if !leads || check(&version, chain.store).is_err() {
                    return Ok((false, links));
                }
            }
            before = Some(digest);
        }
    }
    Ok((at == end && before == Some(chain.head.digest), links))
}

async fn page(examined: &Examined, chain: &Chain, after: i64) -> Result<Vec<Row>, Failure> {
    examined.begin().await?;
    let rows = examined
        .client
        .query(
            "SELECT seq, digest, local_seq, operation_seq, memory, operation, source, created_at, leaf, commitment, observed,
                 path, salt, content_sha256, content_size, redacted
             FROM versions WHERE org = $1 AND store = $2 AND machine = $3 AND seq > $4 ORDER BY seq LIMIT $5",
            &[&&examined.org.0[..], &&chain.store.0[..], &&chain.machine.0[..], &after, &PAGE],
        )
        .await?;
    examined.end().await?;
    Ok(rows)
}

/// A version as it was sent.
fn version(row: &Row) -> Result<SentVersion, Failure> {
    let number = |column: usize| u64::try_from(row.get::<_, i64>(column)).unwrap_or(0);
    let content = match row.get::<_, Option<i64>>(14) {
        Some(size) => Some(SentContent { sha256: digest(row, 13)?, size: u64::try_from(size).unwrap_or(0) }),
        None => None,
    };
    let path = row.get::<_, Option<Vec<u8>>>(11).filter(|_| !row.get::<_, bool>(15));
    let salt = row.get::<_, Option<Vec<u8>>>(12).map(Bytes);
    Ok(SentVersion {
        local_seq: number(2),
        operation_seq: number(3),
        memory: MemoryId(id16(row, 4)?).to_string(),
        operation: row.get(5),
        source: row.get(6),
        created_at: row.get(7),
        leaf: digest(row, 8)?,
        commitment: digest(row, 9)?,
        observed: row.get(10),
        opened: path.map(|path| SentOpened { path: Bytes(path), salt, content }),
    })
}

/// Contents that the key file does not open, or that are not what their hash says.
pub(super) async fn contents(examined: &Examined) -> Result<Vec<Check>, Failure> {
    let Some(keys) = &examined.keys else {
        let next = "Give the key file with --key-file.";
        return Ok(vec![Check::warning("contents", "Whether contents open was not examined.", next)]);
    };
    let (mut after, mut opened, mut shut): (Option<[Vec<u8>; 3]>, i64, i64) = (None, 0, 0);
    loop {
        let limit = if examined.whole { 100 } else { CONTENTS };
        let [store, machine, sha256] = after.clone().unwrap_or_default();
        examined.begin().await?;
        let rows = examined
            .client
            .query(
                "SELECT store, machine, sha256, size, wrapped_key, bytes FROM contents
                 WHERE org = $1 AND (store, machine, sha256) > ($2, $3, $4) ORDER BY store, machine, sha256 LIMIT $5",
                &[&&examined.org.0[..], &store, &machine, &sha256, &limit],
            )
            .await?;
        examined.end().await?;
        for row in &rows {
            let place =
                Place { org: examined.org, store: StoreId(id16(row, 0)?), machine: MachineId(id16(row, 1)?) };
            let sealed = Sealed { wrapped_key: row.get(4), bytes: row.get(5) };
            let (sha256, size) = (digest(row, 2)?, usize::try_from(row.get::<_, i64>(3)).unwrap_or(0));
            let raw = keys
                .open(place, &sha256, &sealed)
                .and_then(|packed| zstd::bulk::decompress(&packed, size).ok());
            if raw.is_some_and(|raw| raw.len() == size && Sha256::of(&raw) == sha256) {
                opened += 1;
            } else {
                shut += 1;
            }
        }
        after = rows.last().map(|row| [row.get(0), row.get(1), row.get(2)]);
        if !examined.whole || rows.is_empty() {
            break;
        }
    }
    let which = if examined.whole { "all" } else { "some; --whole takes all" };
    Ok(vec![if shut == 0 {
        Check::ok("contents", format!("{} opened ({which}).", count(opened, "content")))
    } else {
        let next = "Redact or send them again: `retrace sync --resend` on the machine that has them.";
        Check::error("contents", format!("{} cannot be opened.", count(shut, "content")), next)
    }])
}
