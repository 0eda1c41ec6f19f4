//! Machines: joining, leaving, who they are.

use super::{Caller, copies, digest, id16, invalid, restored};
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, new_token, now, org_of};
use crate::people::{self, Person, provider_of};
use crate::routes::Hub;
use retrace_model::{MachineId, OrgId, Sha256};
use retrace_sync::messages::{
    self as m, Bytes, Clock, Done, Hello, Join, Joined, Machine, Machines, NewToken, PROTOCOL, Token, Told,
};
use retrace_sync::people::SignedIn;
use retrace_sync::policy::{RemoveMachine, SetRole};
use retrace_sync::restored::AskHello;
use retrace_sync::roles::Role;
use retrace_sync::sign::{is_signed, join_text, machine_of};
use tokio_postgres::Row;

pub(crate) async fn hello(hub: &Hub, request: AskHello) -> Hello {
    // Where the database does not answer, the next request says so.
    if let Some(seen) = &request.seen
        && let Err(failure) = restored::compare(hub, seen).await
    {
        tracing::warn!(%failure, "what a machine saw was not compared");
    }
    let public_key = Bytes(hub.keys.signing.public());
    Hello {
        protocol: PROTOCOL,
        time: now(),
        public_key,
        redacted: None,
        told: None,
        seen: None,
        restored: None,
    }
}

/// Registers a machine. The same machine may ask again with the same token, whose answer it may have missed. With `lasts`, in
/// microseconds, what joins is a window, and ends then.
pub(crate) async fn join(hub: &Hub, request: Join, lasts: Option<i64>) -> Result<Joined, Failure> {
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
    let (role, used_by): (Role, Option<Vec<u8>>) = (role_of(&found, 0)?, found.get(1));
    let known = client
        .query_opt(
            "SELECT role, left_at, removed_at, name FROM machines WHERE org = $1 AND machine = $2 FOR UPDATE",
            &[&&org.0[..], &&machine.0[..]],
        )
        .await?;
    let ends_at = lasts.map(|lasts| now().saturating_add(lasts));
    let joined = |role: Role, name: String| Joined {
        org: org.to_string(),
        machine: machine.to_string(),
        role: role.to_string(),
        hub_key: Bytes(hub.keys.signing.public()),
        ends_at,
        name: Some(name),
    };
    let removed = known.as_ref().and_then(|row| row.get::<_, Option<i64>>(2));
    if removed.is_some() {
        let message = "An owner removed this machine. It may join with another key.";
        return Err(Failure::refused(m::NOT_ALLOWED, message));
    }
    match used_by {
        // The answer was lost. The token gives nothing again: no role that was changed since, no membership that was given up.
        Some(used_by) if used_by == machine.0 => {
            let still = known.filter(|row| row.get::<_, Option<i64>>(1).is_none()).ok_or_else(bad)?;
            return Ok(joined(role_of(&still, 0)?, still.get(3)));
        }
        None if found.get::<_, i64>(2) > now() => {}
        _ => return Err(bad()),
    }
    let caller = Caller {
        org,
        machine,
        public_key: public.clone(),
        role,
        person: None,
        verified: None,
        is_window: ends_at.is_some(),
    };
    let name = register(&scoped, &caller, &request.name, ends_at, false).await?;
    client
        .execute(
            "UPDATE tokens SET used_by = $3 WHERE org = $1 AND sha256 = $2",
            &[&&org.0[..], &&sha256.0[..], &&machine.0[..]],
        )
        .await?;
    // Whoever was signed in on a machine that left is not signed in on the one that joins.
    people::end(&scoped, &caller).await?;
    audit::note(&scoped, &caller, "join", role.as_str()).await?;
    scoped.commit().await?;
    Ok(joined(role, name))
}

/// Writes down a machine, or a window with the time of its end and whether a sign-in at the provider opened it; answers its name. Of
/// machines no two have the same: the second of a name has a number after it.
pub(crate) async fn register(
    scoped: &Scoped,
    caller: &Caller,
    name: &str,
    ends_at: Option<i64>,
    by_provider: bool,
) -> Result<String, Failure> {
    let mut name: String = name.trim().chars().filter(|letter| !letter.is_control()).take(100).collect();
    if !name.chars().any(char::is_alphanumeric) || MachineId::parse(&name).is_ok() {
        return Err(invalid("The name of a machine has a letter or a digit, and is not the id of one."));
    }
    let Caller { org, machine, public_key, role, .. } = caller;
    if ends_at.is_none() {
        let alone = "SELECT pg_advisory_xact_lock(hashtextextended(encode($1, 'hex'), 9))";
        scoped.client()?.execute(alone, &[&&org.0[..]]).await?;
        let free = include_str!("../../statements/machine_name.sql");
        name = scoped.client()?.query_one(free, &[&&org.0[..], &&machine.0[..], &name]).await?.get(0);
    }
    scoped
        .client()?
        .execute(
            include_str!("../../statements/register_machine.sql"),
            &[
                &&org.0[..],
                &&machine.0[..],
                public_key,
                &name,
                &role.as_str(),
                &now(),
                &ends_at,
                &by_provider,
            ],
        )
        .await?;
    // What it was said not to carry out any more, it has to carry out again.
    let back = "UPDATE order_machines SET acknowledged_at = NULL WHERE org = $1 AND machine = $2";
    scoped.client()?.execute(back, &[&&org.0[..], &&machine.0[..]]).await?;
    Ok(name)
}

fn role_of(row: &Row, column: usize) -> Result<Role, Failure> {
    let role: String = row.try_get(column)?;
    Role::parse(&role).ok_or_else(|| Failure::Database("a role is damaged".into()))
}

/// The registered machine, where it is one and did not leave; a window until it ends.
pub(crate) async fn caller(scoped: &Scoped, org: OrgId, machine: MachineId) -> Result<Caller, Failure> {
    let row = scoped
        .client()?
        .query_opt(include_str!("../../statements/caller.sql"), &[&&org.0[..], &&machine.0[..], &now()])
        .await?;
    let row =
        row.ok_or_else(|| Failure::refused(m::NOT_REGISTERED, "This machine is not registered at the hub."))?;
    let person = row.get::<_, Option<Vec<u8>>>(2).zip(row.get(3)).map(|(key, shown)| Person { key, shown });
    let (public_key, role) = (row.get(0), role_of(&row, 1)?);
    let is_window = row.get(4);
    Ok(Caller { org, machine, public_key, role, person: None, verified: None, is_window }.with(person))
}

/// Notes what the machine's clock shows.
pub(crate) async fn clock(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: Clock,
) -> Result<Hello, Failure> {
    let at = now();
    scoped
        .client()?
        .execute(
            "UPDATE machines SET seen_at = $3, skew = $4 WHERE org = $1 AND machine = $2",
            &[&&caller.org.0[..], &&caller.machine.0[..], &at, &request.time.saturating_sub(at)],
        )
        .await?;
    let row = scoped
        .client()?
        .query_one(
            "SELECT (SELECT count(*) FROM versions WHERE org = $1 AND machine = $2 AND redacted), told
             FROM machines WHERE org = $1 AND machine = $2",
            &[&&caller.org.0[..], &&caller.machine.0[..]],
        )
        .await?;
    let redacted = u64::try_from(row.get::<_, i64>(0)).ok();
    let told = match row.get::<_, Option<Vec<u8>>>(1) {
        Some(_) => digest(&row, 1)?.to_hex(),
        None => String::new(),
    };
    let seen = restored::newest(hub, scoped, caller).await?;
    let restored = restored::restored(scoped, caller).await?;
    let public_key = Bytes(Vec::new());
    Ok(Hello { protocol: PROTOCOL, time: at, public_key, redacted, told: Some(told), seen, restored })
}

/// Keeps what the machine says of the end of its sync.
pub(crate) async fn told(scoped: &Scoped, caller: &Caller, request: Told) -> Result<Done, Failure> {
    scoped
        .client()?
        .execute(
            "UPDATE machines SET told = $3 WHERE org = $1 AND machine = $2",
            &[&&caller.org.0[..], &&caller.machine.0[..], &&request.digest.0[..]],
        )
        .await?;
    Ok(Done {})
}

/// The machines, and the windows that have not ended: one that has is in the audit log alone.
pub(crate) async fn machines(scoped: &Scoped, caller: &Caller) -> Result<Machines, Failure> {
    let rows = scoped
        .client()?
        .query(
            &format!("SELECT m.machine, m.name, m.role, m.seen_at, m.skew, m.left_at, m.joined_at, m.removed_at, s.shown, s.name,
                 s.issuer, s.ends_at, m.ends_at, {}
             FROM machines m
             LEFT JOIN (sign_ins s JOIN provider p ON p.org = s.org AND p.issuer = s.issuer AND p.client_id = s.client_id)
                 ON s.org = m.org AND s.machine = m.machine AND s.ends_at > $2
             WHERE m.org = $1 AND (m.ends_at IS NULL OR m.ends_at > $2 AND m.left_at IS NULL)
                 AND (NOT m.by_provider OR s.machine IS NOT NULL)
             ORDER BY m.name, m.machine", copies::COLUMNS),
            &[&&caller.org.0[..], &now()],
        )
        .await?;
    let machine = |row: &Row| {
        Ok(Machine {
            machine: MachineId(id16(row, 0)?).to_string(),
            name: row.get(1),
            role: row.get(2),
            seen_at: row.get(3),
            skew: row.get(4),
            joined_at: row.get(6),
            left_at: row.get(5),
            removed_at: row.get(7),
            ends_at: row.get(12),
            signed_in: signed_in(row),
            copy: copies::refused_copy(row, 13)?,
        })
    };
    let machines = rows.iter().map(machine).collect::<Result<_, Failure>>()?;
    Ok(Machines { machines, sign_in: provider_of(scoped, caller.org).await?.is_some() })
}

fn signed_in(row: &Row) -> Option<SignedIn> {
    Some(SignedIn {
        person: row.get::<_, Option<String>>(8)?,
        name: row.get::<_, Option<String>>(9)?,
        issuer: row.get::<_, Option<String>>(10)?,
        ends_at: row.get::<_, Option<i64>>(11)?,
    })
}

pub(crate) async fn token(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: NewToken,
) -> Result<Token, Failure> {
    let role =
        Role::parse(&request.role).ok_or_else(|| invalid("A role is owner, reviewer, writer or auditor."))?;
    let by = Some(&caller.machine.0[..]);
    let (token, expires_at) = new_token(scoped.client()?, &hub.keys, caller.org, role, by).await?;
    audit::note(scoped, caller, "token", role.as_str()).await?;
    Ok(Token { token, role: role.to_string(), expires_at })
}

/// The machine and its role, locked; and whether an owner is there without it. A window ends by itself, so it counts as none.
async fn to_change(
    scoped: &Scoped,
    caller: &Caller,
    machine: &str,
) -> Result<(MachineId, Role, bool), Failure> {
    let machine = MachineId::parse(machine).map_err(|_| invalid("This is not the id of a machine."))?;
    let client = scoped.client()?;
    // In one order, so that two owners who change each other do not wait for each other for ever.
    let rows = client
        .query(
            "SELECT machine, role, ends_at IS NULL FROM machines WHERE org = $1 AND left_at IS NULL
                 AND (machine = $2 OR role = 'owner') ORDER BY machine FOR UPDATE",
            &[&&caller.org.0[..], &&machine.0[..]],
        )
        .await?;
    let (mut found, mut others) = (None, false);
    for row in &rows {
        let role = role_of(row, 1)?;
        let is_machine: bool = row.get(2);
        if id16(row, 0)? == machine.0 {
            found = Some(role);
            others |= !is_machine;
        } else {
            others |= is_machine && role == Role::Owner;
        }
    }
    let role = found.ok_or_else(|| Failure::refused(m::NOT_FOUND, "No such machine belongs to the hub."))?;
    Ok((machine, role, others))
}

fn last_owner() -> Failure {
    Failure::refused(m::LAST_OWNER, "This machine is the last owner's. Make another an owner's first.")
}

/// Gives a machine another role. Tokens that an owner made and nobody used end with that role.
pub(crate) async fn set_role(
    scoped: &Scoped,
    caller: &Caller,
    request: SetRole,
) -> Result<Machines, Failure> {
    let (machine, before, others) = to_change(scoped, caller, &request.machine).await?;
    if before == Role::Owner && request.role != Role::Owner && !others {
        return Err(last_owner());
    }
    let keys: [&(dyn tokio_postgres::types::ToSql + Sync); 2] = [&&caller.org.0[..], &&machine.0[..]];
    scoped
        .client()?
        .execute(
            "UPDATE machines SET role = $3 WHERE org = $1 AND machine = $2",
            &[keys[0], keys[1], &request.role.as_str()],
        )
        .await?;
    if request.role != Role::Owner {
        end_tokens(scoped, caller, machine).await?;
    }
    let (before, after) = (before.as_str(), request.role.as_str());
    audit::note_change(scoped, caller, "role", &machine.to_string(), before, after).await?;
    machines(scoped, caller).await
}

/// Takes a machine out. What it sent stays; its key is never taken again.
pub(crate) async fn remove(
    scoped: &Scoped,
    caller: &Caller,
    request: RemoveMachine,
) -> Result<Machines, Failure> {
    let (machine, role, others) = to_change(scoped, caller, &request.machine).await?;
    if role == Role::Owner && !others {
        return Err(last_owner());
    }
    scoped
        .client()?
        .execute(
            "UPDATE machines SET left_at = $3, removed_at = $3 WHERE org = $1 AND machine = $2",
            &[&&caller.org.0[..], &&machine.0[..], &now()],
        )
        .await?;
    end_tokens(scoped, caller, machine).await?;
    people::end(scoped, &Caller { machine, ..caller.clone() }).await?;
    audit::note(scoped, caller, "remove", &machine.to_string()).await?;
    machines(scoped, caller).await
}

async fn end_tokens(scoped: &Scoped, caller: &Caller, machine: MachineId) -> Result<(), Failure> {
    scoped
        .client()?
        .execute(
            "UPDATE tokens SET expires_at = LEAST(expires_at, $3)
             WHERE org = $1 AND created_by = $2 AND used_by IS NULL",
            &[&&caller.org.0[..], &&machine.0[..], &now()],
        )
        .await?;
    Ok(())
}

/// Leaves. The last owner stays: without one nobody could make tokens or change roles.
pub(crate) async fn leave(scoped: &Scoped, caller: &Caller) -> Result<Done, Failure> {
    if !caller.is_window {
        let (_, role, others) = to_change(scoped, caller, &caller.machine.to_string()).await?;
        if role == Role::Owner && !others {
            return Err(last_owner());
        }
    }
    scoped
        .client()?
        .execute(
            "UPDATE machines SET left_at = $3 WHERE org = $1 AND machine = $2",
            &[&&caller.org.0[..], &&caller.machine.0[..], &now()],
        )
        .await?;
    // Whoever closes a window goes on to be who they are: what they made for others stays good.
    if !caller.is_window {
        end_tokens(scoped, caller, caller.machine).await?;
    }
    people::end(scoped, caller).await?;
    audit::note(scoped, caller, "leave", "").await?;
    Ok(Done {})
}
