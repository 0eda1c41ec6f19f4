//! Orders of a machine, and its receipts for them.

use super::recheck::unfinished;
use super::{Parts, Value, parse_order};
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use crate::requests::{Caller, id16, invalid, number, store_id};
use retrace_model::{MachineId, OrderId, StoreId};
use retrace_sync::messages::{self as m, Done};
use retrace_sync::sign::{is_signed, receipt_text};
use retrace_sync::together::{
    AskOrders, MAX_BODY, MAX_TARGETS, Order, Orders, ReceiptBody, SHORTEST, SignedReceipt, Target,
};

/// Orders that the asking machine has yet to carry out.
pub(crate) async fn orders(scoped: &Scoped, caller: &Caller, request: AskOrders) -> Result<Orders, Failure> {
    let rows = scoped
        .client()?
        .query(
            include_str!("../../../statements/orders_of_machine.sql"),
            &[&&caller.org.0[..], &&caller.machine.0[..], &number(MAX_TARGETS)?],
        )
        .await?;
    let mut orders: Vec<Order> = Vec::new();
    for row in &rows {
        let id = OrderId(id16(row, 0)?).to_string();
        let mut parts = Parts { starts: row.get(8), ends: row.get(9) }.sent();
        if !request.short_parts {
            // Without any the content goes as a whole, as that program takes it.
            parts.retain(|(start, end)| end.saturating_sub(*start) >= SHORTEST);
        }
        let local_seq = u64::try_from(row.get::<_, i64>(7)).unwrap_or(0);
        let target = Target { store: StoreId(id16(row, 6)?).to_string(), local_seq, parts };
        match orders.last_mut() {
            Some(order) if order.id == id => order.targets.push(target),
            _ => orders.push(Order {
                id,
                by: MachineId(id16(row, 1)?).to_string(),
                by_name: row.get(2),
                at: row.get(3),
                live: row.get(4),
                reason: row.get(5),
                targets: vec![target],
            }),
        }
    }
    // Its own redactions, of which it sends the receipt.
    let rows = scoped
        .client()?
        .query(
            include_str!("../../../statements/orders_made.sql"),
            &[&&caller.org.0[..], &&caller.machine.0[..], &number(MAX_TARGETS)?],
        )
        .await?;
    for row in &rows {
        orders.push(Order {
            id: OrderId(id16(row, 0)?).to_string(),
            by: caller.machine.to_string(),
            by_name: row.get(1),
            at: row.get(2),
            live: row.get(3),
            reason: row.get(4),
            targets: Vec::new(),
        });
    }
    Ok(Orders { orders, unfinished: unfinished(scoped, caller).await? })
}

/// Keeps a receipt. It is believed where the machine that it names signed it, and for targets that this machine has.
pub(crate) async fn receipt(
    scoped: &Scoped,
    caller: &Caller,
    request: SignedReceipt,
) -> Result<Done, Failure> {
    let altered = || Failure::refused(m::ALTERED, "The receipt is not signed by the machine that it names.");
    if request.body.len() > MAX_BODY || request.targets.len() > m::MAX_VERSIONS {
        return Err(invalid("The receipt is too large."));
    }
    let body: ReceiptBody =
        serde_json::from_str(&request.body).map_err(|_| invalid("The receipt cannot be read."))?;
    let text = receipt_text(caller.org, caller.machine, &request.body);
    if body.machine != caller.machine.to_string()
        || !is_signed(&caller.public_key, &text, &request.signature.0)
    {
        return Err(altered());
    }
    if !["done", "refused"].contains(&body.state.as_str()) {
        return Err(invalid("A receipt says done or refused."));
    }
    let id = parse_order(&body.order)?;
    let client = scoped.client()?;
    let mine: [Value<'_>; 3] = [&&caller.org.0[..], &&id.0[..], &&caller.machine.0[..]];
    let state = client
        .query_opt(
            "SELECT state FROM order_machines WHERE org = $1 AND id = $2 AND machine = $3 FOR UPDATE",
            &mine,
        )
        .await?
        .ok_or_else(|| Failure::refused(m::NOT_FOUND, "The order does not concern this machine."))?;
    if body.state == "done" {
        for target in &request.targets {
            let (store, seq) = (store_id(&target.store)?, number(target.local_seq)?);
            client
                .execute(
                    "UPDATE order_targets SET done = true
                     WHERE org = $1 AND id = $2 AND machine = $3 AND store = $4 AND local_seq = $5",
                    &[mine[0], mine[1], mine[2], &&store.0[..], &seq],
                )
                .await?;
        }
    }
    let left: bool = client
        .query_one(
            "SELECT EXISTS (SELECT 1 FROM order_targets WHERE org = $1 AND id = $2 AND machine = $3 AND NOT done)",
            &mine,
        )
        .await?
        .get(0);
    let new_state = match (body.state.as_str(), left) {
        ("refused", _) => "refused",
        (_, true) => "outstanding",
        (_, false) => "done",
    };
    // What is refused is tried again by every sync; one receipt of it is enough.
    if new_state == "refused" && state.get::<_, &str>(0) == "refused" {
        return Ok(Done {});
    }
    client
        .execute(
            "INSERT INTO order_receipts (org, id, machine, received_at, body, signature)
             VALUES ($1, $2, $3, $4, $5, $6)",
            &[mine[0], mine[1], mine[2], &now(), &request.body, &request.signature.0],
        )
        .await?;
    client
        .execute(
            "UPDATE order_machines SET state = $4, since = $5
             WHERE org = $1 AND id = $2 AND machine = $3 AND state <> $4",
            &[mine[0], mine[1], mine[2], &new_state, &now()],
        )
        .await?;
    // It looked, whatever it found.
    client
        .execute(
            "UPDATE order_machines SET recheck = false WHERE org = $1 AND id = $2 AND machine = $3 AND recheck",
            &mine,
        )
        .await?;
    audit::note(scoped, caller, "receipt", &id.to_string()).await?;
    Ok(Done {})
}
