//! The second person of a redaction.

use super::reach::{outstanding, take_out};
use super::{Going, Parts, Value, alone, machine_name, parse_order, short};
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use crate::people;
use crate::requests::{Caller, digest, id16, policy_of};
use crate::routes::Hub;
use retrace_model::OrderId;
use retrace_sync::messages as m;
use retrace_sync::together::{ById, Reached};
use tokio_postgres::Row;

/// A second person approves a redaction: it is ordered now.
pub(crate) async fn approve_order(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: ById,
) -> Result<Reached, Failure> {
    let id = parse_order(&request.id)?;
    alone(scoped, caller.org).await?;
    let client = scoped.client()?;
    let of: [Value<'_>; 2] = [&&caller.org.0[..], &&id.0[..]];
    let row = client
        .query_opt(
            "SELECT state, by_machine, by_person, id FROM orders WHERE org = $1 AND id = $2 FOR UPDATE",
            &of,
        )
        .await?
        .ok_or_else(|| Failure::refused(m::NOT_FOUND, "There is no such order."))?;
    if row.get::<_, &str>(0) == "ordered" {
        return Ok(Reached::default());
    }
    if let Some(first) = first_of_two(scoped, caller, &of, &row).await? {
        return Ok(first);
    }
    let rows = client
        .query("SELECT sha256, starts, ends FROM order_contents WHERE org = $1 AND id = $2", &of)
        .await?;
    let mut going = Going::new();
    for row in &rows {
        going.insert(digest(row, 0)?, Parts { starts: row.get(1), ends: row.get(2) });
    }
    let (person, verified) = caller.who(&request.person);
    let who = format!("{} ({})", short(&person), machine_name(scoped, caller).await?);
    client
        .execute(
            "UPDATE orders SET state = 'ordered', approved_by = $3, approved_at = $4, approved_verified = $5
             WHERE org = $1 AND id = $2",
            &[of[0], of[1], &who, &now(), &verified],
        )
        .await?;
    client.execute("DELETE FROM order_contents WHERE org = $1 AND id = $2", &of).await?;
    outstanding(scoped, caller.org, &id.0, &row.get::<_, Vec<u8>>(1)).await?;
    audit::note(scoped, caller, "approve_order", &id.to_string()).await?;
    take_out(hub, scoped, caller.org, id, None, &going).await
}

/// Refuses who would be the first person and the second. Where the hub has an identity provider, it is persons who are counted and not
/// machines: both signed in. If nobody was where the redaction was made, whoever approves it first is the first of the two, and it
/// goes on waiting, which is answered here. What waits although the policy asks for no second person is of a writer, who approves nothing:
/// one is enough.
async fn first_of_two(
    scoped: &Scoped,
    caller: &Caller,
    of: &[Value<'_>; 2],
    order: &Row,
) -> Result<Option<Reached>, Failure> {
    let client = scoped.client()?;
    if !policy_of(client, caller.org, "").await?.two_person_redaction {
        return Ok(None);
    }
    if people::provider_of(scoped, caller.org).await?.is_none() {
        if order.get::<_, Vec<u8>>(1) == caller.machine.0 {
            let message = "The machine that redacted does not approve it: the policy asks for a second one.";
            return Err(Failure::refused(m::SECOND_PERSON, message));
        }
        return Ok(None);
    }
    let Some(person) = &caller.verified else {
        let message = "The policy asks for two persons, and nobody is signed in on this machine.";
        return Err(Failure::refused(m::SIGN_IN_WANTED, message));
    };
    match order.get::<_, Option<Vec<u8>>>(2) {
        Some(first) if first == person.key => {
            let message = "You are the first of the two persons that the policy asks for.";
            Err(Failure::refused(m::SECOND_PERSON, message))
        }
        Some(_) => Ok(None),
        None => {
            client
                .execute(
                    "UPDATE orders SET by_person = $3, by_shown = $4 WHERE org = $1 AND id = $2",
                    &[of[0], of[1], &&person.key[..], &person.shown],
                )
                .await?;
            let id = OrderId(id16(order, 3)?);
            audit::note(scoped, caller, "approve_order_first", &id.to_string()).await?;
            Ok(Some(Reached { order: Some(id.to_string()), waiting: true, ..Reached::default() }))
        }
    }
}
