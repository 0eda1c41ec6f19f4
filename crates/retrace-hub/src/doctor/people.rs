//! Machines, their clocks, what the policy asks for, redactions that are still to reach machines.

use super::{Check, Examined, count};
use crate::Failure;
use crate::database::Prepared;
use crate::requests::copies;
use crate::requests::said::LOST;
use retrace_model::Timestamp;
use retrace_sync::roles::Role;
use std::collections::BTreeMap;
use tokio_postgres::Row;

/// How far a clock may be wrong before that is worth a look, in microseconds.
const SKEW: i64 = 120 * 1_000_000;
/// A day, in microseconds.
const DAY: i64 = 24 * 3_600 * 1_000_000;
/// How many days a machine may be away before that is worth a look.
const AWAY: i64 = 30;

/// True where the database has the tables of this program.
const THERE: &str = "SELECT to_regclass('restored') IS NOT NULL";

/// Machines of one role that a line names.
const NAMED: usize = 10;

/// Members by role, clocks, machines that were not there for long.
pub(super) async fn machines(examined: &Examined) -> Result<Vec<Check>, Failure> {
    examined.begin().await?;
    let rows = examined
        .client
        .query(
            &format!(
                "SELECT m.name, m.role, m.skew, m.seen_at, {} FROM machines m
                 WHERE m.org = $1 AND m.left_at IS NULL AND m.ends_at IS NULL ORDER BY m.name",
                copies::COLUMNS
            ),
            &[&&examined.org.0[..]],
        )
        .await?;
    examined.end().await?;
    let (mut wrong, mut away) = (Vec::new(), Vec::new());
    let mut of_role: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in &rows {
        let (name, role): (String, String) = (row.get(0), row.get(1));
        let (skew, seen_at): (i64, i64) = (row.get(2), row.get(3));
        if skew.saturating_abs() > SKEW {
            let which = if skew > 0 { "ahead" } else { "behind" };
            wrong.push(format!("{name} is {} s {which}", skew.saturating_abs() / 1_000_000));
        }
        let days = examined.now.saturating_sub(seen_at) / DAY;
        if days > AWAY {
            let last = Timestamp::from_micros(seen_at).to_rfc3339();
            away.push(format!("{name} ({role}, {days} days, last {last})"));
        }
        of_role.entry(role).or_default().push(name);
    }
    let copies = copies(&rows)?;
    let number = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    let members = Role::ALL.iter().filter_map(|role| Some(members(*role, of_role.get(role.as_str())?)));
    let members = members.collect::<Vec<_>>().join("; ");
    let mut checks = vec![if of_role.contains_key(Role::Owner.as_str()) {
        Check::ok("machines", format!("{} joined. {members}.", count(number, "machine")))
    } else {
        let others = if members.is_empty() { String::new() } else { format!(" {members}.") };
        let next = "`retrace hub serve --new-owner-token` makes a token for one.";
        Check::warning("machines", format!("No machine of an owner belongs to the hub.{others}"), next)
    }];
    checks.push(if wrong.is_empty() {
        Check::ok("clocks", "No clock is wrong by more than two minutes.")
    } else {
        let found = format!("Clocks are wrong, as of the last sync: {}.", wrong.join(", "));
        Check::warning("clocks", found, "Set the clock there, then `retrace sync`.")
    });
    checks.push(if away.is_empty() {
        Check::ok("seen", "Every machine was there in the last thirty days.")
    } else {
        let next = "`retrace hub remove MACHINE` takes one out that will not come back.";
        Check::warning("seen", format!("Not seen for thirty days: {}.", away.join(", ")), next)
    });
    checks.push(copies);
    Ok(checks)
}

/// `2 writers: desk, laptop`.
fn members(role: Role, names: &[String]) -> String {
    let named = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = if names.len() > NAMED { ", and more" } else { "" };
    let number = i64::try_from(names.len()).unwrap_or(i64::MAX);
    format!("{}: {named}{more}", count(number, role.as_str()))
}

/// Comments and proposals that machines found to be lost.
pub(super) async fn said(examined: &Examined) -> Result<Vec<Check>, Failure> {
    examined.begin().await?;
    let since = examined.now.saturating_sub(AWAY * DAY);
    let rows = examined
        .client
        .query(
            "SELECT coalesce(m.name, encode(a.machine, 'hex')), a.subject, a.at FROM audit a
             LEFT JOIN machines m ON m.org = a.org AND m.machine = a.machine
             WHERE a.org = $1 AND a.action = $2 AND a.at > $3 ORDER BY a.seq DESC LIMIT $4",
            &[&&examined.org.0[..], &LOST, &since, &i64::try_from(NAMED).unwrap_or(i64::MAX)],
        )
        .await?;
    examined.end().await?;
    let told = |row: &Row| {
        let (name, what): (String, String) = (row.get(0), row.get(1));
        format!("{name}: {what}, found {}", Timestamp::from_micros(row.get(2)).to_rfc3339())
    };
    Ok(vec![if rows.is_empty() {
        Check::ok("said", "No machine missed a comment or a proposal of its own in the last thirty days.")
    } else {
        let found = rows.iter().map(told).collect::<Vec<_>>().join("; ");
        let next = "The database lost them, as by an older backup. `retrace hub status` on those machines names each: say again what still holds.";
        Check::warning("said", format!("Lost comments and proposals: {found}."), next)
    }])
}

/// Machines of whose data directory a copy was refused.
fn copies(rows: &[Row]) -> Result<Check, Failure> {
    let mut refused = Vec::new();
    for row in rows {
        let Some(copy) = copies::refused_copy(row, 4)? else { continue };
        let (name, at): (String, _) = (row.get(0), Timestamp::from_micros(copy.at).to_rfc3339());
        refused.push(format!("of {name}, last at {at}, from version {} of {} on", copy.seq, copy.store));
    }
    Ok(if refused.is_empty() {
        Check::ok("copies", "No copy of a machine's data directory was refused in the last thirty days.")
    } else {
        let found = format!("Copies of data directories were refused: {}.", refused.join("; "));
        let next = "Find each and stop it, or make it a machine of its own: `retrace hub leave --new-identity` there, then `retrace hub join`.";
        Check::warning("copies", found, next)
    })
}

/// Contents whose time is over.
pub(super) async fn retention(examined: &Examined) -> Result<Vec<Check>, Failure> {
    examined.begin().await?;
    let chains = crate::retention::chains(Prepared(&examined.client), examined.org).await?;
    let mut due = 0;
    for chain in &chains {
        due += crate::retention::due(Prepared(&examined.client), examined.org, *chain).await?;
    }
    examined.end().await?;
    Ok(vec![match (chains.is_empty(), due) {
        (true, _) => Check::ok("retention", "The policy ends no content."),
        (false, 0) => Check::ok("retention", "No content is due."),
        (false, due) => {
            let next = "A process of the hub takes them out at its start and daily.";
            Check::warning("retention", format!("The time of {} is over.", count(due, "content")), next)
        }
    }])
}

/// A database that was put back, and that no owner saw to.
pub(super) async fn restored(examined: &Examined) -> Result<Vec<Check>, Failure> {
    let client = &examined.client;
    if !client.query_one(THERE, &[]).await?.get::<_, bool>(0) {
        return Ok(Vec::new());
    }
    examined.begin().await?;
    let sql = "SELECT kept_until, lost_until, found_at, tokens FROM restored
        WHERE org = $1 AND acknowledged_at IS NULL ORDER BY found_at DESC LIMIT 1";
    let row = client.query_opt(sql, &[&&examined.org.0[..]]).await?;
    examined.end().await?;
    let Some(row) = row else {
        return Ok(vec![Check::ok(
            "restored",
            "No machine found that an older state of the database was put back.",
        )]);
    };
    let at = |column: usize| Timestamp::from_micros(row.get(column)).to_rfc3339();
    let (kept, lost, found_at, tokens) = (at(0), at(1), at(2), count(row.get(3), "token"));
    let found = format!(
        "The database was put back to its state of {kept}; machines saw it at {lost}. Found {found_at}; {tokens} ended. Keys that were ended, \
         machines that were removed, roles and policy may be as they were."
    );
    let next = "`retrace sync` on every machine of an owner ends again what it ended, and `retrace hub status` there names the rest. Look at `retrace hub machines`, `agent-tokens` and `policy`; then `retrace hub acknowledge`.";
    Ok(vec![Check::warning("restored", found, next)])
}

/// Redactions that machines have yet to carry out.
pub(super) async fn redactions(examined: &Examined) -> Result<Vec<Check>, Failure> {
    let client = &examined.client;
    if !client.query_one(THERE, &[]).await?.get::<_, bool>(0) {
        return Ok(Vec::new());
    }
    examined.begin().await?;
    let row =
        client.query_one(include_str!("../../statements/doctor_orders.sql"), &[&&examined.org.0[..]]).await?;
    examined.end().await?;
    let (machines, orders, gone, waiting): (i64, i64, i64, i64) =
        (row.get(0), row.get(1), row.get(2), row.get(4));
    let mut checks = vec![if orders == 0 {
        Check::ok("redactions", "Every redaction reached every machine of the hub that has to carry it out.")
    } else {
        let found = format!("{} outstanding on {}.", count(orders, "redaction"), count(machines, "machine"));
        Check::warning(
            "redactions",
            found,
            "`retrace sync` on those machines; `retrace hub redactions` names them.",
        )
    }];
    if gone > 0 {
        let machines: String = row.get(3);
        let found = format!("{} not carried out, out of reach: {machines}.", count(gone, "redaction"));
        let next = "Where such a machine is gone for good, an owner says so for each: `retrace hub acknowledge ORDER`; `retrace hub redactions` names them.";
        checks.push(Check::warning("redactions", found, next));
    }
    if waiting > 0 {
        let wait = if waiting == 1 { "waits" } else { "wait" };
        let found = format!("{} {wait} for a second person.", count(waiting, "redaction"));
        checks.push(Check::warning("redactions", found, "`retrace hub redactions approve ID`."));
    }
    Ok(checks)
}
