//! Texts of sessions that must go: what was redacted, what a narrower policy does not keep, what is older than the policy says.

use super::place_of;
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use crate::keys::Sealed;
use crate::requests::redactions::{self, Value};
use crate::requests::{Caller, digest, id16, invalid, policy_of};
use crate::routes::Hub;
use retrace_model::{MachineId, OrgId, Sha256};
use retrace_sync::messages::{Bytes, PackedContent};
use retrace_sync::policy::Transcripts;
use retrace_sync::roles::{Right, allows};
use retrace_sync::sessions::SearchSessions;
use retrace_sync::together::{PAGE_BYTES, Searched};
use std::collections::BTreeSet;
use tokio_postgres::Row;

/// Texts of a page that is searched, at most.
const SEARCHED: i64 = 256;

/// Microseconds of a day.
const DAY: i64 = 24 * 3_600 * 1_000_000;

/// Takes a text out wherever it is: key and bytes.
pub(crate) async fn take_out(scoped: &Scoped, org: OrgId, sha256: &Sha256) -> Result<u64, Failure> {
    let (mut gone, client) = (0, scoped.client()?);
    for table in ["session_entries", "session_rules"] {
        let sql = format!(
            "UPDATE {table} SET sha256 = NULL, size = NULL, wrapped_key = NULL, bytes = NULL
             WHERE org = $1 AND sha256 = $2"
        );
        gone += client.execute(&sql, &[&&org.0[..], &&sha256.0[..]]).await?;
    }
    Ok(gone)
}

/// Takes texts out of the sessions of the asking machine, whose own redaction waits for nobody.
pub(crate) async fn take_out_own(
    scoped: &Scoped,
    caller: &Caller,
    going: impl Iterator<Item = &Sha256>,
) -> Result<(), Failure> {
    let client = scoped.client()?;
    let hashes: Vec<&[u8]> = going.map(|sha256| &sha256.0[..]).collect();
    let of: [Value<'_>; 3] = [&&caller.org.0[..], &hashes, &&caller.machine.0[..]];
    client
        .execute(
            "UPDATE session_entries e SET sha256 = NULL, size = NULL, wrapped_key = NULL, bytes = NULL FROM sessions s
             WHERE e.org = $1 AND e.sha256 = ANY($2) AND s.org = e.org AND s.id = e.id AND s.machine = $3",
            &of,
        )
        .await?;
    client
        .execute(
            "UPDATE session_rules SET sha256 = NULL, size = NULL, wrapped_key = NULL, bytes = NULL
             WHERE org = $1 AND sha256 = ANY($2) AND machine = $3",
            &of,
        )
        .await?;
    Ok(())
}

/// Of some hashes those that texts of sessions have.
pub(crate) async fn elsewhere(
    scoped: &Scoped,
    org: OrgId,
    hashes: &[&[u8]],
) -> Result<BTreeSet<Vec<u8>>, Failure> {
    let rows = scoped
        .client()?
        .query(
            "SELECT sha256 FROM session_entries WHERE org = $1 AND sha256 = ANY($2)
             UNION SELECT sha256 FROM session_rules WHERE org = $1 AND sha256 = ANY($2)",
            &[&&org.0[..], &hashes],
        )
        .await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// A page of the texts of sessions, for a machine that looks for what it redacted: its own, and those of all others where its role
/// reads contents.
pub(crate) async fn search_sessions(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: SearchSessions,
) -> Result<Searched, Failure> {
    let all = allows(caller.role, Right::ReadContent);
    let bad = || invalid("The page begins nowhere.");
    // Rules come first; they are few.
    let (mut machine, mut rule, mut id, mut number, mut part) =
        (Vec::new(), Vec::new(), 0_i64, 0_i64, String::new());
    let mut rules = true;
    if let Some(after) = &request.after {
        let mut words = after.splitn(4, ':');
        let (Some(kind), Some(one), Some(two)) = (words.next(), words.next(), words.next()) else {
            return Err(bad());
        };
        if kind == "r" {
            machine = MachineId::parse(one).map_err(|_| bad())?.0.to_vec();
            rule = Sha256::from_hex(two).ok_or_else(bad)?.0.to_vec();
        } else {
            rules = false;
            (id, number) = (one.parse().map_err(|_| bad())?, two.parse().map_err(|_| bad())?);
            part = words.next().unwrap_or_default().to_owned();
        }
    }
    let most = i32::try_from(PAGE_BYTES).unwrap_or(i32::MAX);
    let rows = if rules {
        let sql = "SELECT machine, sha256, size, wrapped_key, bytes, rule FROM session_rules
             WHERE org = $1 AND bytes IS NOT NULL AND (machine, rule) > ($2, $3) AND ($4 OR machine = $5)
                 AND octet_length(bytes) <= $6 ORDER BY machine, rule LIMIT $7";
        let values: [Value<'_>; 7] =
            [&&caller.org.0[..], &machine, &rule, &all, &&caller.machine.0[..], &most, &SEARCHED];
        scoped.client()?.query(sql, &values).await?
    } else {
        let sql = include_str!("../../../statements/session_texts.sql");
        let values: [Value<'_>; 8] =
            [&&caller.org.0[..], &id, &part, &number, &all, &&caller.machine.0[..], &most, &SEARCHED];
        scoped.client()?.query(sql, &values).await?
    };
    let place = |row: &Row| -> Result<String, Failure> {
        Ok(match rules {
            true => format!("r:{}:{}", MachineId(id16(row, 0)?), digest(row, 5)?.to_hex()),
            false => {
                let (id, number, part): (i64, i64, String) = (row.get(5), row.get(6), row.get(7));
                format!("e:{id}:{number}:{part}")
            }
        })
    };
    let (mut contents, mut bytes) = (Vec::new(), 0);
    let full = i64::try_from(rows.len()).unwrap_or(i64::MAX) == SEARCHED;
    let mut next = (rules && !full).then(|| "e:0:0:".to_owned());
    for (at, row) in rows.iter().enumerate() {
        let content = opened(hub, caller.org, row)?;
        bytes += content.packed.0.len();
        contents.push(content);
        let last = at + 1 == rows.len();
        if (last && full) || (!last && bytes >= PAGE_BYTES) {
            next = Some(place(row)?);
            break;
        }
    }
    audit::note(scoped, caller, "search_sessions", &format!("{} texts", contents.len())).await?;
    Ok(Searched { contents, next })
}

fn opened(hub: &Hub, org: OrgId, row: &Row) -> Result<PackedContent, Failure> {
    let sha256 = digest(row, 1)?;
    let sealed = Sealed { wrapped_key: row.get(3), bytes: row.get(4) };
    let packed = hub
        .keys
        .open(place_of(org, MachineId(id16(row, 0)?)), &sha256, &sealed)
        .ok_or_else(|| Failure::Database("a text of a session does not open with the key file".into()))?;
    Ok(PackedContent {
        sha256,
        size: u64::try_from(row.get::<_, i64>(2)).unwrap_or(0),
        packed: Bytes(packed),
    })
}

/// Takes out what the policy does not keep, in the transaction that narrows it.
pub(crate) async fn keep_to(scoped: &Scoped, org: OrgId, transcripts: Transcripts) -> Result<(), Failure> {
    if transcripts == Transcripts::Everything {
        return Ok(());
    }
    redactions::alone(scoped, org).await?;
    let client = scoped.client()?;
    let of: [Value<'_>; 1] = [&&org.0[..]];
    client
        .execute(
            "UPDATE session_entries SET sha256 = NULL, size = NULL, wrapped_key = NULL, bytes = NULL
             WHERE org = $1 AND bytes IS NOT NULL",
            &of,
        )
        .await?;
    if transcripts == Transcripts::Nothing {
        for table in [
            "session_entries",
            "session_calls",
            "session_presence",
            "session_verdicts",
            "session_stores",
            "session_rules",
            "sessions",
        ] {
            client.execute(&format!("DELETE FROM {table} WHERE org = $1"), &of).await?;
        }
    }
    Ok(())
}

/// Takes out texts that the hub has had for longer than the policy says, under the key `transcripts` of its days. Answers how many.
pub(crate) async fn keep_within(scoped: &Scoped, org: OrgId) -> Result<u64, Failure> {
    let policy = policy_of(scoped.client()?, org, "").await?;
    let Some(days) = policy.retention_days.get("transcripts") else { return Ok(0) };
    let since = now().saturating_sub(i64::from(*days).saturating_mul(DAY));
    let gone = scoped
        .client()?
        .execute(
            "UPDATE session_entries SET sha256 = NULL, size = NULL, wrapped_key = NULL, bytes = NULL
             WHERE org = $1 AND received_at < $2 AND bytes IS NOT NULL",
            &[&&org.0[..], &since],
        )
        .await?;
    if gone > 0 {
        audit::note_of_hub(scoped, org, "retention", &format!("transcripts {gone}")).await?;
    }
    Ok(gone)
}
