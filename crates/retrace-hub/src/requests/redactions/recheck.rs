//! Looking again at what a redaction left on a machine.

use super::{Value, left, parse_order};
use crate::Failure;
use crate::audit;
use crate::database::Scoped;
use crate::requests::{Caller, id16, invalid};
use crate::routes::Hub;
use retrace_model::OrderId;
use retrace_sync::messages::{self as m, Done};
use retrace_sync::together::{ById, ReceiptBody, Unfinished};
use tokio_postgres::Row;

/// Orders of one answer, at most.
const LISTED: i64 = 200;

/// Looks again at what is left here, and asks every machine that carried an order out to do the same at its next sync.
pub(crate) async fn recheck_order(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: ById,
) -> Result<Done, Failure> {
    let id = parse_order(&request.id)?;
    let of: [Value<'_>; 2] = [&&caller.org.0[..], &&id.0[..]];
    let client = scoped.client()?;
    let known = client.query_opt("SELECT 1 FROM orders WHERE org = $1 AND id = $2", &of).await?;
    known.ok_or_else(|| Failure::refused(m::NOT_FOUND, "There is no such order."))?;
    let left = left::look_again(hub, scoped, caller.org, &id.0).await?;
    let asked = client
        .execute(
            "UPDATE order_machines om SET recheck = true FROM machines m WHERE om.org = $1 AND om.id = $2
                 AND om.state = 'done' AND m.org = om.org AND m.machine = om.machine AND m.left_at IS NULL",
            &of,
        )
        .await?;
    if asked == 0 && left == 0 {
        return Err(invalid("No machine of the hub carried it out yet: each looks when it does."));
    }
    audit::note(scoped, caller, "recheck_order", &id.to_string()).await?;
    Ok(Done {})
}

/// Orders that the asking machine carried out, of which something is left, or at which it is asked to look again.
pub(super) async fn unfinished(scoped: &Scoped, caller: &Caller) -> Result<Vec<Unfinished>, Failure> {
    // As machines write receipts: without spaces.
    let rows = scoped
        .client()?
        .query(
            include_str!("../../../statements/orders_unfinished.sql"),
            &[&&caller.org.0[..], &&caller.machine.0[..], &LISTED],
        )
        .await?;
    let one = |row: &Row| {
        let order = OrderId(id16(row, 0)?).to_string();
        let body: Option<ReceiptBody> = serde_json::from_str(row.get(2)).ok();
        Ok(body.map(|body| Unfinished {
            order,
            receipts: body.receipts,
            places_left: body.places_left,
            purge: body.purge,
            recheck: row.get(1),
        }))
    };
    rows.iter().filter_map(|row| one(row).transpose()).collect()
}
