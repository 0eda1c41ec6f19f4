//! What memories cost and do.

use super::table::dollars;
use super::{Style, count, visible};
use retrace_api::wire::{MemoriesWorth, MemoryEffect, MemoryWorth, RuleTally};
use std::io::{Result, Write};

/// Columns of a sentence.
const SENTENCE: usize = 60;

/// Below so many points there is no rate.
const RATE_FROM: u64 = 10;

/// A line a memory, and one a rule that comes from it.
pub fn memories(out: &mut (impl Write + ?Sized), worth: &MemoriesWorth, style: Style) -> Result<()> {
    if worth.memories.is_empty() {
        return writeln!(out, "No memories.");
    }
    worth.memories.iter().try_for_each(|memory| one(out, memory, style))
}

fn one(out: &mut (impl Write + ?Sized), memory: &MemoryWorth, style: Style) -> Result<()> {
    let name = visible::line(&format!("{}:{}", memory.store, memory.path));
    let money =
        memory.cost_usd_per_session.map(|cost| format!(", {}", dollars(Some(cost)))).unwrap_or_default();
    writeln!(
        out,
        "{}  {}{money} a session; there in {} of {}; {}",
        style.paint.bold(&name),
        count(memory.tokens_per_session, "token", "tokens"),
        memory.present,
        count(memory.sessions, "session or subagent", "sessions and subagents"),
        effect(memory.effect)
    )?;
    for rule in &memory.rules {
        writeln!(
            out,
            "  {}  “{}”: {} before it was written, {} after",
            style.paint.dim(&rule.rule_id),
            visible::short(&rule.sentence, SENTENCE),
            tally(rule.before),
            tally(rule.after)
        )?;
    }
    Ok(())
}

const fn effect(effect: MemoryEffect) -> &'static str {
    match effect {
        MemoryEffect::NeverPresent => "never before a model",
        MemoryEffect::NoBetter => "its rules are followed no more often than before",
        MemoryEffect::Better => "its rules are followed more often than before",
        MemoryEffect::TooFew => "too few points to compare",
        MemoryEffect::NoRule => "no rule, so nothing is counted",
    }
}

fn tally(tally: RuleTally) -> String {
    let all = tally.followed + tally.broken;
    let rate = match all {
        0..RATE_FROM => String::new(),
        _ => format!(" ({} %)", tally.followed * 100 / all),
    };
    format!("{} of {all} followed{rate}", tally.followed)
}
