//! Machines: joining, leaving, who they are.

use super::{Caller, id16, invalid};
use crate::Failure;
use crate::database::{Scoped, new_token, now, org_of};
use crate::routes::Hub;
use retrace_model::{MachineId, OrgId, Sha256};
use retrace_sync::messages::{
    self as m, Bytes, Clock, Done, Hello, Join, Joined, Machine, Machines, NewToken, PROTOCOL, Token,
};
use retrace_sync::sign::{is_signed, join_text, machine_of};
use tokio_postgres::Row;

pub(crate) fn hello(hub: &Hub) -> Hello {
    Hello { protocol: PROTOCOL, time: now(), public_key: Bytes(hub.keys.signing.public()) }
}

/// Registers a machine. The same machine may ask again with the same token, whose answer it may have missed.
pub(crate) async fn join(hub: &Hub, request: Join) -> Result<Joined, Failure> {
    let bad = || Failure::refused(m::BAD_TOKEN, "The token is unknown, was used, or is too old.");
    let public = &request.public_key.0;
    if public.len() != 32 || !is_signed(public, &join_text(&request.token, public), &request.signature.0) {
        return Err(Failure::refused(m::BAD_SIGNATURE, "The machine does not hold the key that it names."));
    }
    let org = org_of(&request.token).ok_or_else(bad)?;
    let machine = machine_of(public);
    let scoped = hub.database.scoped(org).await?;
    let client = scoped.client()?;
    let sha256 = Sha256::of(request.token.as_bytes());
    let found = client
        .query_opt(
            "SELECT role, used_by, expires_at FROM tokens WHERE org = $1 AND sha256 = $2 FOR UPDATE",
            &[&&org.0[..], &&sha256.0[..]],
        )
        .await?
        .ok_or_else(bad)?;
    let (role, used_by): (String, Option<Vec<u8>>) = (found.get(0), found.get(1));
    match used_by {
        Some(used_by) if used_by == machine.0 => {}
        None if found.get::<_, i64>(2) > now() => {}
        _ => return Err(bad()),
    }
    let name: String = request.name.chars().filter(|letter| !letter.is_control()).take(100).collect();
    client
        .execute(
            "INSERT INTO machines (org, machine, public_key, name, role, joined_at, seen_at)
             VALUES ($1, $2, $3, $4, $5, $6, $6)
             ON CONFLICT (org, machine) DO UPDATE SET name = $4, role = $5, left_at = NULL, seen_at = $6",
            &[&&org.0[..], &&machine.0[..], public, &name, &role, &now()],
        )
        .await?;
    client
        .execute(
            "UPDATE tokens SET used_by = $3 WHERE org = $1 AND sha256 = $2",
            &[&&org.0[..], &&sha256.0[..], &&machine.0[..]],
        )
        .await?;
    scoped.commit().await?;
    Ok(Joined {
        org: org.to_string(),
        machine: machine.to_string(),
        role,
        hub_key: Bytes(hub.keys.signing.public()),
    })
}

/// The registered machine, where it is one and did not leave.
pub(crate) async fn caller(scoped: &Scoped, org: OrgId, machine: MachineId) -> Result<Caller, Failure> {
    let row = scoped
        .client()?
        .query_opt(
            "SELECT public_key, role FROM machines WHERE org = $1 AND machine = $2 AND left_at IS NULL",
            &[&&org.0[..], &&machine.0[..]],
        )
        .await?;
    let row =
        row.ok_or_else(|| Failure::refused(m::NOT_REGISTERED, "This machine is not registered at the hub."))?;
    Ok(Caller { org, machine, public_key: row.get(0), role: row.get(1) })
}

/// Notes what the machine's clock shows.
pub(crate) async fn clock(scoped: &Scoped, caller: &Caller, request: Clock) -> Result<Hello, Failure> {
    let at = now();
    scoped
        .client()?
        .execute(
            "UPDATE machines SET seen_at = $3, skew = $4 WHERE org = $1 AND machine = $2",
            &[&&caller.org.0[..], &&caller.machine.0[..], &at, &request.time.saturating_sub(at)],
        )
        .await?;
    Ok(Hello { protocol: PROTOCOL, time: at, public_key: Bytes(Vec::new()) })
}

pub(crate) async fn machines(scoped: &Scoped, caller: &Caller) -> Result<Machines, Failure> {
    let rows = scoped
        .client()?
        .query(
            "SELECT machine, name, role, seen_at, skew, left_at FROM machines WHERE org = $1 ORDER BY name, machine",
            &[&&caller.org.0[..]],
        )
        .await?;
    let machine = |row: &Row| {
        Ok(Machine {
            machine: MachineId(id16(row, 0)?).to_string(),
            name: row.get(1),
            role: row.get(2),
            seen_at: row.get(3),
            skew: row.get(4),
            left_at: row.get(5),
        })
    };
    Ok(Machines { machines: rows.iter().map(machine).collect::<Result<_, Failure>>()? })
}

pub(crate) async fn token(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: NewToken,
) -> Result<Token, Failure> {
    if caller.role != "owner" {
        return Err(Failure::refused(m::NOT_ALLOWED, "Only an owner's machine makes tokens."));
    }
    if !["owner", "member"].contains(&request.role.as_str()) {
        return Err(invalid("A role is owner or member."));
    }
    let by = Some(&caller.machine.0[..]);
    let (token, expires_at) = new_token(scoped.client()?, &hub.keys, caller.org, &request.role, by).await?;
    Ok(Token { token, role: request.role, expires_at })
}

pub(crate) async fn leave(scoped: &Scoped, caller: &Caller) -> Result<Done, Failure> {
    scoped
        .client()?
        .execute(
            "UPDATE machines SET left_at = $3 WHERE org = $1 AND machine = $2",
            &[&&caller.org.0[..], &&caller.machine.0[..], &now()],
        )
        .await?;
    Ok(Done {})
}
