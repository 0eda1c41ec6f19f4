//! Retention: contents whose time of the policy is over lose content and key. Versions, their hashes and the chain stay.
//!
//! A content stays while a version has it that the hub received within the days of its store, or that is the newest of its
//! memory. Age is told by the hub's own clock: no machine with a wrong one ends a content early.

use crate::Failure;
use crate::audit;
use crate::database::Prepared;
use crate::database::{Database, Scoped, now};
use crate::requests::{keep_within, policy_of};
use retrace_model::{MachineId, OrgId, StoreId};
use std::time::Duration;
use tokio::sync::watch;

/// How often it is carried out.
const EVERY: Duration = Duration::from_secs(24 * 3_600);

/// Contents of one transaction, so that none is long.
const BATCH: i64 = 5_000;

/// Lock under which one process at a time carries it out.
const LOCK: i64 = 0x7265_7472_6163_6502;

/// Microseconds of a day.
const DAY: i64 = 24 * 3_600 * 1_000_000;

/// The contents of a chain whose time is over.
const DUE: &str = include_str!("../statements/contents_due.sql");

/// A chain for whose store the policy has days.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    pub(crate) store: StoreId,
    pub(crate) machine: MachineId,
    /// What the hub received later is kept.
    kept_since: i64,
}

/// The chains for whose stores the policy has days.
pub(crate) async fn chains(client: Prepared<'_>, org: OrgId) -> Result<Vec<Chain>, Failure> {
    let policy = policy_of(client, org, "").await?;
    let rows = client.query("SELECT store, machine, name FROM stores WHERE org = $1", &[&&org.0[..]]).await?;
    let chain = |row: &tokio_postgres::Row| {
        let store = StoreId(row.get::<_, Vec<u8>>(0).try_into().ok()?);
        let machine = MachineId(row.get::<_, Vec<u8>>(1).try_into().ok()?);
        let days = policy.days_of(&store.to_string(), row.get(2))?;
        Some(Chain { store, machine, kept_since: now().saturating_sub(i64::from(days).saturating_mul(DAY)) })
    };
    Ok(rows.iter().filter_map(chain).collect())
}

/// How many contents of a chain are due.
pub(crate) async fn due(client: Prepared<'_>, org: OrgId, chain: Chain) -> Result<i64, Failure> {
    let sql = format!("SELECT count(*) FROM ({DUE}) due");
    let row = client
        .query_one(&sql, &[&&org.0[..], &&chain.store.0[..], &&chain.machine.0[..], &chain.kept_since])
        .await?;
    Ok(row.get(0))
}

/// Takes out what is due in all chains. Answers how many contents went; `None` where another process is about it.
pub(crate) async fn carry_out(database: &Database, org: OrgId) -> Result<Option<u64>, Failure> {
    let scoped = database.scoped(org).await?;
    let mut gone = keep_within(&scoped, org).await?;
    let chains = chains(scoped.client()?, org).await?;
    scoped.commit().await?;
    for chain in chains {
        loop {
            let scoped = database.scoped(org).await?;
            let Some(batch) = take_out(&scoped, org, chain).await? else {
                scoped.roll_back().await?;
                return Ok(None);
            };
            scoped.commit().await?;
            gone += batch;
            if batch == 0 {
                break;
            }
        }
    }
    Ok(Some(gone))
}

async fn take_out(scoped: &Scoped, org: OrgId, chain: Chain) -> Result<Option<u64>, Failure> {
    let client = scoped.client()?;
    if !client.query_one("SELECT pg_try_advisory_xact_lock($1)", &[&LOCK]).await?.get::<_, bool>(0) {
        return Ok(None);
    }
    let keys: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
        [&&org.0[..], &&chain.store.0[..], &&chain.machine.0[..]];
    // An append locks it as well, so that no version comes in that still has a content about to go.
    client
        .execute("SELECT 1 FROM heads WHERE org = $1 AND store = $2 AND machine = $3 FOR UPDATE", &keys)
        .await?;
    let sql = format!(
        "DELETE FROM contents d WHERE d.org = $1 AND d.store = $2 AND d.machine = $3
         AND d.sha256 = ANY(ARRAY({DUE} LIMIT $5)) RETURNING d.sha256"
    );
    let gone = client.query(&sql, &[keys[0], keys[1], keys[2], &chain.kept_since, &BATCH]).await?;
    let gone: Vec<Vec<u8>> = gone.iter().map(|row| row.get(0)).collect();
    if gone.is_empty() {
        return Ok(Some(0));
    }
    client
        .execute(
            "UPDATE versions SET expired = true WHERE org = $1 AND store = $2 AND machine = $3
                 AND content_sha256 = ANY($4) AND NOT expired",
            &[keys[0], keys[1], keys[2], &gone],
        )
        .await?;
    let subject = format!("{} {} {}", chain.store, chain.machine, gone.len());
    audit::note_of_hub(scoped, org, "retention", &subject).await?;
    Ok(Some(gone.len() as u64))
}

/// Carries it out now and daily, until `stopped`.
pub(crate) async fn keep_up(hub: std::sync::Arc<crate::routes::Hub>, mut stopped: watch::Receiver<bool>) {
    loop {
        match carry_out(&hub.database, hub.database.org()).await {
            Ok(Some(contents)) if contents > 0 => tracing::info!(contents, "retention took contents out"),
            Ok(_) => {}
            Err(failure) => tracing::warn!(%failure, "retention was not carried out"),
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            // An error means that nobody is left who could ask to stop.
            _ = stopped.wait_for(|stop| *stop) => return,
        }
    }
}
