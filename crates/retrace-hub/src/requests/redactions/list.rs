//! Every redaction, how far it reached, and what else may hold a copy.

use super::left;
use crate::Failure;
use crate::database::Scoped;
use crate::requests::{Caller, id16};
use crate::routes::Hub;
use retrace_model::{MachineId, OrderId};
use retrace_sync::messages::Bytes;
use retrace_sync::together::{KeptReceipt, OrderMachine, OrderState, Redactions, Replicas};
use std::collections::HashMap;

/// Orders that are listed.
const LISTED: i64 = 500;

/// Every redaction, and how far it reached.
pub(crate) async fn redactions(hub: &Hub, scoped: &Scoped, caller: &Caller) -> Result<Redactions, Failure> {
    let client = scoped.client()?;
    let rows = client
        .query(include_str!("../../../statements/orders_page.sql"), &[&&caller.org.0[..], &LISTED])
        .await?;
    let ids: Vec<Vec<u8>> = rows.iter().map(|row| row.get(0)).collect();
    let machines = client
        .query(include_str!("../../../statements/order_machines.sql"), &[&&caller.org.0[..], &ids])
        .await?;
    let mut of_order: HashMap<Vec<u8>, Vec<OrderMachine>> = HashMap::new();
    for row in &machines {
        let receipt = row.get::<_, Option<String>>(7).map(|body| KeptReceipt {
            body,
            signature: Bytes(row.get(8)),
            public_key: Bytes(row.get(9)),
        });
        of_order.entry(row.get(0)).or_default().push(OrderMachine {
            machine: MachineId(id16(row, 1)?).to_string(),
            name: row.get(2),
            state: row.get(3),
            since: row.get(4),
            seen_at: row.get(5),
            left: row.get(6),
            removed: row.get(11),
            acknowledged_at: row.get(12),
            acknowledged_by: row.get(13),
            carried_out_as: row.get(14),
            recheck: row.get(10),
            receipt,
        });
    }
    let mut left = left::of_orders(scoped, caller.org, &ids).await?;
    let count = |value: i64| u64::try_from(value).unwrap_or(0);
    let mut orders = Vec::with_capacity(rows.len());
    for row in &rows {
        orders.push(OrderState {
            id: OrderId(id16(row, 0)?).to_string(),
            by: MachineId(id16(row, 1)?).to_string(),
            by_name: row.get(2),
            at: row.get(3),
            method: row.get(4),
            live: row.get(5),
            reason: row.get(6),
            state: row.get(7),
            approved_by: row.get(8),
            approved_at: row.get(9),
            versions: count(row.get(10)),
            contents: count(row.get(11)),
            texts: count(row.get(15)),
            left: left.remove(&row.get::<_, Vec<u8>>(0)).unwrap_or_default(),
            destroyed_at: row.get(12),
            first_person: row.get(13),
            approved_verified: row.get(14),
            machines: of_order.remove(&row.get::<_, Vec<u8>>(0)).unwrap_or_default(),
        });
    }
    let expired = client
        .query_one(
            "SELECT count(*) FROM versions WHERE org = $1 AND expired AND NOT redacted",
            &[&&caller.org.0[..]],
        )
        .await?;
    let replicas = hub.database.replicas().await.unwrap_or_default();
    Ok(Redactions { orders, replicas, expired: count(expired.get(0)) })
}

/// What else may hold a copy, as far as the hub's user of the database may see it.
pub(crate) async fn replicas(client: &tokio_postgres::Client) -> Result<Replicas, Failure> {
    let sees: bool =
        client.query_one("SELECT pg_has_role(current_user, 'pg_monitor', 'MEMBER')", &[]).await?.get(0);
    if !sees {
        return Ok(Replicas::default());
    }
    let row = client
        .query_one(
            "SELECT count(*), count(*) FILTER (WHERE replay_lsn >= pg_current_wal_flush_lsn()),
                 (SELECT count(*) FROM pg_replication_slots), current_setting('archive_mode') <> 'off'
             FROM pg_stat_replication",
            &[],
        )
        .await?;
    let count = |column: usize| u64::try_from(row.get::<_, i64>(column)).ok();
    Ok(Replicas { standbys: count(0), caught_up: count(1), slots: count(2), archived: Some(row.get(3)) })
}
