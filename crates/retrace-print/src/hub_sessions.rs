//! Sessions that machines share with a hub.

use super::visible;
use retrace_api::wire::{HubAdherence, HubPresence, HubPresenceSums, HubSession};
use std::collections::BTreeMap;
use std::io::{Result, Write};

/// A session in one line.
pub fn session(out: &mut dyn Write, session: &HubSession) -> Result<()> {
    let cost = session.cost_usd.map(|dollars| format!("  ${dollars:.2}")).unwrap_or_default();
    let entries = match (session.entries, session.without_text) {
        (0, _) => String::new(),
        (all, 0) => format!("  {all} entries"),
        (all, without) => format!("  {all} entries, {without} without text"),
    };
    writeln!(
        out,
        "{}  {}  {}  {}  {}  {} requests{cost}{entries}",
        session.ended_at.as_deref().unwrap_or("-"),
        visible::line(&session.machine_name),
        visible::line(&session.session),
        visible::line(&session.agent),
        visible::line(&session.stores.join(", ")),
        session.requests
    )
}

fn causes(absent: &BTreeMap<String, u64>) -> String {
    let causes: Vec<String> = absent.iter().map(|(cause, sessions)| format!("{cause} {sessions}")).collect();
    if causes.is_empty() { String::new() } else { format!("; absent: {}", causes.join(", ")) }
}

/// When it was last before one, and why it was not before the others.
fn rest(sums: &HubPresenceSums) -> String {
    let last = sums.last_at.as_deref().map(|at| format!(", last {at}")).unwrap_or_default();
    format!("{last}{}", visible::line(&causes(&sums.absent)))
}

/// Where a memory was before a model.
pub fn presence(out: &mut dyn Write, presence: &HubPresence) -> Result<()> {
    let sums = &presence.sums;
    writeln!(
        out,
        "{}  present in {} of {} sessions{}",
        visible::line(&presence.memory),
        sums.present,
        sums.sessions,
        rest(sums)
    )?;
    for of in &presence.machines {
        writeln!(
            out,
            "  {}  {}  {} of {}{}",
            visible::line(&of.machine_name),
            visible::line(&of.store_name),
            of.sums.present,
            of.sums.sessions,
            rest(&of.sums)
        )?;
    }
    Ok(())
}

/// How sessions fared with rules.
pub fn adherence(out: &mut dyn Write, ledger: &HubAdherence) -> Result<()> {
    for rule in &ledger.rules {
        let sums = &rule.ledger;
        let sentence = match sums.rule.sentence.as_str() {
            "" => "(not readable with this role)",
            sentence => sentence,
        };
        writeln!(out, "{}  {}", sums.rule_id, visible::line(sentence))?;
        writeln!(
            out,
            "  {} opportunities in {} sessions: {} followed, {} broken ({} while present), {} excepted",
            sums.opportunities, sums.sessions, sums.followed, sums.broken, sums.broken_present, sums.excepted
        )?;
        for of in &rule.machines {
            writeln!(
                out,
                "  {}  {} of {} followed, {} broken",
                visible::line(&of.machine_name),
                of.followed,
                of.opportunities,
                of.broken
            )?;
        }
    }
    if ledger.rules.is_empty() {
        writeln!(out, "No machine shares sessions that a rule applied to.")?;
    }
    Ok(())
}
