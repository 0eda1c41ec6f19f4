//! Sessions of all machines, as their roles may see them: a writer those of its own machine, an auditor no text.

use super::place_of;
use crate::Failure;
use crate::database::Scoped;
use crate::keys::Sealed;
use crate::requests::redactions::Value;
use crate::requests::{Caller, digest, id16, invalid, number, together};
use crate::routes::Hub;
use retrace_model::{MachineId, OrgId, Sha256, StoreId};
use retrace_sync::messages::{self as m, Bytes, PackedContent};
use retrace_sync::roles::Role;
use retrace_sync::sessions::{
    AskLedger, AskPresence, Counts, Ledger, LedgerRule, ListSessions, ListedSession, MachineLedger,
    MachinePresence, PresenceSummed, SessionPage, Tokens, VersionLedger,
};
use std::collections::BTreeMap;
use tokio_postgres::Row;

/// What a machine is called that has no row of its own: the hub, for agents.
const AGENTS: &str = "api";

fn count(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// The only machine whose sessions the caller sees; none where it sees all.
fn only(caller: &Caller) -> Option<Vec<u8>> {
    (caller.role == Role::Writer).then(|| caller.machine.0.to_vec())
}

fn machine_of(row: &Row, id: usize, name: usize) -> Result<(String, String), Failure> {
    let name: Option<String> = row.get(name);
    Ok((MachineId(id16(row, id)?).to_string(), name.unwrap_or_else(|| AGENTS.to_owned())))
}

/// A page of sessions, the one that ended last first.
pub(crate) async fn sessions(
    scoped: &Scoped,
    caller: &Caller,
    request: ListSessions,
) -> Result<SessionPage, Failure> {
    let limit = request.limit.clamp(1, m::MAX_VERSIONS as u64);
    let bad = || invalid("The page begins nowhere.");
    let (at, id) = match &request.after {
        None => (i64::MAX, i64::MAX),
        Some(after) => {
            let (at, id) = after.split_once('.').ok_or_else(bad)?;
            (at.parse().map_err(|_| bad())?, id.parse().map_err(|_| bad())?)
        }
    };
    let machine = match &request.machine {
        None => None,
        Some(machine) => {
            let id = MachineId::parse(machine).map_err(|_| invalid("This is not the id of a machine."))?;
            Some(id.0.to_vec())
        }
    };
    let rows = scoped
        .client()?
        .query(
            include_str!("../../../statements/sessions_page.sql"),
            &[&&caller.org.0[..], &only(caller), &machine, &at, &id, &number(limit)?],
        )
        .await?;
    let mut sessions = Vec::with_capacity(rows.len());
    for row in &rows {
        let (machine, machine_name) = machine_of(row, 0, 1)?;
        sessions.push(ListedSession {
            machine,
            machine_name,
            session: row.get(2),
            agent: row.get(3),
            stores: row.get(4),
            projects: row.get(5),
            started_at: row.get(6),
            ended_at: row.get(7),
            requests: count(row.get(8)),
            subagents: count(row.get(9)),
            tokens: Tokens {
                input: count(row.get(10)),
                cache_read: count(row.get(11)),
                cache_write: count(row.get(12)),
                output: count(row.get(13)),
            },
            cost_micros: row.get::<_, Option<i64>>(14).map(count),
            entries: count(row.get(15)),
            without_text: count(row.get(16)),
        });
    }
    let last = rows.last().filter(|_| rows.len() as u64 == limit);
    let next = last.map(|row| format!("{}.{}", row.get::<_, i64>(17), row.get::<_, i64>(18)));
    Ok(SessionPage { sessions, next })
}

/// Where a memory was before a model, by machine.
pub(crate) async fn presence(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: AskPresence,
) -> Result<PresenceSummed, Failure> {
    let id = StoreId::parse(&request.store).ok().map(|id| id.0.to_vec());
    let key = together::path_key(hub, caller.org, &request.path.0);
    // A part of a session counts with its session; where any of them had the memory, the session did. A memory that no version says
    // to be older than its first one did not exist in sessions that ended before that.
    let rows = scoped
        .client()?
        .query(
            include_str!("../../../statements/memory_presence.sql"),
            &[&&caller.org.0[..], &id, &request.store, &key, &only(caller)],
        )
        .await?;
    let mut machines: Vec<MachinePresence> = Vec::new();
    for row in &rows {
        let (machine, machine_name) = machine_of(row, 0, 1)?;
        let store = StoreId(id16(row, 2)?).to_string();
        if machines.last().is_none_or(|last| last.machine != machine || last.store != store) {
            machines.push(MachinePresence {
                machine,
                machine_name,
                store,
                store_name: row.get(3),
                sessions: 0,
                present: 0,
                inferred: 0,
                last_at: None,
                absent: BTreeMap::new(),
            });
        }
        let Some(of) = machines.last_mut() else { continue };
        let sessions = count(row.get(6));
        of.sessions += sessions;
        if row.get(4) {
            of.present += sessions;
            of.inferred += count(row.get(7));
            of.last_at = of.last_at.max(row.get(8));
        } else {
            *of.absent.entry(row.get(5)).or_default() += sessions;
        }
    }
    Ok(PresenceSummed { machines })
}

/// The ledger over all machines.
pub(crate) async fn ledger(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: AskLedger,
) -> Result<Ledger, Failure> {
    let mut rules = rules(hub, scoped, caller).await?;
    if let Some(named) = &request.rule {
        rules.retain(|rule, _| rule.to_hex().starts_with(named.as_str()));
    }
    let values: [Value<'_>; 2] = [&&caller.org.0[..], &only(caller)];
    let client = scoped.client()?;
    let rows = client.query(include_str!("../../../statements/session_ledger.sql"), &values).await?;
    for row in &rows {
        if let Some(rule) = rules.get_mut(&digest(row, 0)?) {
            add(rule, row)?;
        }
    }
    let rows = client.query(include_str!("../../../statements/session_verdicts.sql"), &values).await?;
    for row in &rows {
        let machine = MachineId(id16(row, 1)?).to_string();
        let of = rules.get_mut(&digest(row, 0)?);
        if let Some(of) = of.and_then(|rule| rule.machines.iter_mut().find(|of| of.machine == machine)) {
            of.sessions = count(row.get(2));
        }
    }
    let row = client
        .query_one(
            "SELECT count(*) FROM sessions WHERE org = $1 AND ($2::bytea IS NULL OR machine = $2)
                 AND digest IS NOT NULL AND deleted_at IS NULL",
            &values,
        )
        .await?;
    Ok(Ledger { rules: rules.into_values().collect(), sessions: count(row.get(0)) })
}

/// Adds the counts of a row to its rule.
fn add(rule: &mut LedgerRule, row: &Row) -> Result<(), Failure> {
    let (machine, machine_name) = machine_of(row, 1, 2)?;
    let version: Option<String> = row.get(3);
    let last_at: Option<i64> = row.get(8);
    if rule.machines.iter().all(|of| of.machine != machine) {
        let counts = Counts::default();
        rule.machines.push(MachineLedger {
            machine: machine.clone(),
            machine_name,
            counts,
            sessions: 0,
            last_at: None,
        });
    }
    if rule.versions.iter().all(|of| of.version != version) {
        rule.versions.push(VersionLedger { version: version.clone(), counts: Counts::default() });
    }
    if let Some(of) = rule.machines.iter_mut().find(|of| of.machine == machine) {
        of.last_at = of.last_at.max(last_at);
        count_in(&mut of.counts, row);
    }
    if let Some(of) = rule.versions.iter_mut().find(|of| of.version == version) {
        count_in(&mut of.counts, row);
    }
    Ok(())
}

fn count_in(counts: &mut Counts, row: &Row) {
    let many = count(row.get(7));
    match row.get(4) {
        "followed" => counts.followed += many,
        "excepted" => counts.excepted += many,
        "predates" => counts.predates += many,
        "undecidable" => counts.undecidable += many,
        _ => {
            counts.broken += many;
            match (row.get::<_, Option<bool>>(5), row.get::<_, Option<String>>(6)) {
                (Some(true), _) => counts.broken_present += many,
                (Some(false), cause) => {
                    *counts
                        .broken_absent
                        .entry(cause.unwrap_or_else(|| "unknown".to_owned()))
                        .or_default() += many;
                }
                (None, _) => counts.broken_unknown += many,
            }
        }
    }
}

/// The rules that the caller sees, with their fields where it reads contents of their machine.
async fn rules(hub: &Hub, scoped: &Scoped, caller: &Caller) -> Result<BTreeMap<Sha256, LedgerRule>, Failure> {
    let rows = scoped
        .client()?
        .query(
            "SELECT rule, machine, kind, tokens, sha256, size, wrapped_key, bytes FROM session_rules
             WHERE org = $1 AND ($2::bytea IS NULL OR machine = $2) ORDER BY rule, machine",
            &[&&caller.org.0[..], &only(caller)],
        )
        .await?;
    let mut rules: BTreeMap<Sha256, LedgerRule> = BTreeMap::new();
    for row in &rows {
        let (rule, machine) = (digest(row, 0)?, MachineId(id16(row, 1)?));
        let tokens = count(row.get(3));
        let of = rules.entry(rule).or_insert_with(|| LedgerRule {
            rule,
            kind: row.get(2),
            fields: None,
            tokens,
            machines: Vec::new(),
            versions: Vec::new(),
        });
        of.tokens = of.tokens.max(tokens);
        if of.fields.is_none() && together::may_read(caller, machine) {
            of.fields = fields(hub, caller.org, machine, row)?;
        }
    }
    Ok(rules)
}

fn fields(hub: &Hub, org: OrgId, machine: MachineId, row: &Row) -> Result<Option<PackedContent>, Failure> {
    let (Some(size), Some(wrapped_key), Some(bytes)) = (row.get::<_, Option<i64>>(5), row.get(6), row.get(7))
    else {
        return Ok(None);
    };
    let sha256 = digest(row, 4)?;
    let packed = hub
        .keys
        .open(place_of(org, machine), &sha256, &Sealed { wrapped_key, bytes })
        .ok_or_else(|| Failure::Database("a rule does not open with the key file".into()))?;
    Ok(Some(PackedContent { sha256, size: count(size), packed: Bytes(packed) }))
}
