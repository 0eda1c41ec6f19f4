//! Policy, machines and audit log of a hub.

use super::time::time;
use super::{Style, visible};
use retrace_api::wire::{HubAuditRow, HubMachine, HubPolicy};
use std::io::{Result, Write};

/// The policy, one key a line, as `hub policy set` takes it.
pub fn policy(out: &mut dyn Write, policy: &HubPolicy) -> Result<()> {
    writeln!(out, "two_person_redaction  {}", policy.two_person_redaction)?;
    if policy.retention_days.is_empty() {
        writeln!(out, "retention_days        none")?;
    }
    for (store, days) in &policy.retention_days {
        writeln!(out, "retention_days.{}  {days}", visible::line(store))?;
    }
    writeln!(out, "transcripts           {}", visible::line(&policy.transcripts))?;
    let rules = policy.required_rules.join(",");
    writeln!(
        out,
        "required_rules        {}",
        if rules.is_empty() { "none".to_owned() } else { visible::line(&rules) }
    )?;
    match &policy.note {
        Some(note) => writeln!(out, "{}", visible::line(note.text())),
        None => Ok(()),
    }
}

/// One machine.
pub fn machine(out: &mut dyn Write, machine: &HubMachine, style: Style) -> Result<()> {
    let this = if machine.is_this { " (this machine)" } else { "" };
    write!(
        out,
        "{}{this}  {}  {}  seen {}",
        visible::line(&machine.name),
        machine.role,
        visible::line(&machine.machine),
        time(&machine.seen_at, style)
    )?;
    if machine.skew_seconds.abs() > 0 {
        let direction = if machine.skew_seconds > 0 { "ahead" } else { "behind" };
        write!(out, "  clock {} s {direction}", machine.skew_seconds.abs())?;
    }
    if let Some(person) = &machine.signed_in {
        write!(out, "  signed in: {}", super::hub_people::line(person))?;
    }
    if let Some(ends) = &machine.window_ends_at {
        write!(out, "  window until {ends}")?;
    }
    if let Some(copy) = &machine.copy {
        write!(out, "  a copy of it was refused, {}", super::hub::refused_copy(copy))?;
    }
    match (&machine.removed_at, &machine.left_at) {
        (Some(removed), _) => write!(out, "  removed {}", time(removed, style))?,
        (None, Some(left)) => write!(out, "  left {}", time(left, style))?,
        (None, None) => {}
    }
    writeln!(out)
}

/// One row of the audit log.
pub fn audit(out: &mut dyn Write, row: &HubAuditRow, style: Style) -> Result<()> {
    let who = row.machine_name.as_deref().or(row.machine.as_deref()).unwrap_or("the hub");
    write!(out, "{}  {}", time(&row.at, style), visible::line(who))?;
    if let Some(person) = &row.person {
        let said = if row.verified { ", signed in" } else { "" };
        write!(out, " ({}{said})", visible::line(person))?;
    }
    let refused = if row.outcome == "refused" { " refused:" } else { "" };
    write!(out, "  {}{refused} {}", visible::line(&row.action), visible::line(&row.subject))?;
    if let (Some(before), Some(after)) = (&row.before, &row.after) {
        write!(out, ": {} to {}", visible::line(before), visible::line(after))?;
    }
    writeln!(out)
}

/// What was examined, and what to do next.
pub fn check(out: &mut dyn Write, state: &str, name: &str, found: &str, next: &str) -> Result<()> {
    writeln!(out, "{state:<8} {name}: {}", visible::line(found))?;
    if next.is_empty() { Ok(()) } else { writeln!(out, "         {}", visible::line(next)) }
}
