//! A session as a story: prompts, what took content away, what it had, subagents.

use super::table::{at_least_dollars, grouped, nth, why_at_least};
use super::time::time;
use super::{Style, count, visible};
use retrace_api::wire::{
    LoadReason, RecallScope, Session, SessionAgent, SessionEvent, SessionFile, SessionPrompt,
};
use std::io::{Result, Write};

/// Columns of a prompt.
const PROMPT: usize = 72;

/// Figures in one line.
pub fn figures(out: &mut (impl Write + ?Sized), session: &Session, style: Style) -> Result<()> {
    let mut parts: Vec<String> = session.writes.agent.iter().map(|agent| visible::line(agent)).collect();
    if session.requests > 0 {
        parts.push(count(session.requests, "request", "requests"));
    }
    parts.extend(session.peak.map(|peak| format!("peak {} tokens", grouped(peak))));
    if session.cost_usd.is_some() {
        parts.push(at_least_dollars(session.cost_usd, session.cost_is_lower_bound));
    }
    if session.proved_requests > 0 {
        parts.push(format!("proved for {} of {} requests", session.proved_requests, session.main_requests));
    }
    if !parts.is_empty() {
        writeln!(out, "{}", style.paint.dim(&parts.join("  ")))?;
    }
    if let Some(problem) = &session.problem {
        writeln!(out, "{}", visible::line(problem))?;
    }
    Ok(())
}

/// Everything beside the versions.
pub fn story(out: &mut (impl Write + ?Sized), session: &Session, style: Style) -> Result<()> {
    if !session.prompts.is_empty() {
        writeln!(out, "\n{}:", count(session.prompts.len() as u64, "prompt", "prompts"))?;
    }
    for (number, asked) in session.prompts.iter().enumerate() {
        prompt(out, asked, style)?;
        let here = |at: Option<u64>| at == Some(number as u64);
        for started in session.agents.iter().filter(|agent| here(agent.prompt)) {
            agent(out, started)?;
        }
        for took in session.events.iter().filter(|event| here(event.prompt)) {
            event(out, took)?;
        }
    }
    for started in session.agents.iter().filter(|agent| agent.prompt.is_none()) {
        agent(out, started)?;
    }
    if session.cost_is_lower_bound {
        let (placeholders, fast) =
            (session.requests_with_placeholder_output, session.requests_fast_without_price);
        for reason in why_at_least(placeholders, fast) {
            writeln!(out, "{}", style.paint.dim(&reason))?;
        }
    }
    for (class, heading) in [("instructions", "instructions"), ("memory", "memory")] {
        let files = || session.files.iter().filter(|file| file.class == class);
        if files().next().is_some() {
            writeln!(out, "\n{heading} it had:")?;
        }
        for had in files() {
            file(out, had, session, style)?;
        }
    }
    Ok(())
}

fn prompt(out: &mut (impl Write + ?Sized), asked: &SessionPrompt, style: Style) -> Result<()> {
    let at = asked.at.as_deref().map(|at| time(at, style)).unwrap_or_default();
    let first = asked.text.lines().next().unwrap_or_default();
    let mut about = vec![count(asked.requests, "request", "requests")];
    about.extend(asked.cost_usd.map(|cost| at_least_dollars(Some(cost), asked.cost_is_lower_bound)));
    if !asked.versions.is_empty() {
        about.push(count(asked.versions.len() as u64, "change", "changes"));
    }
    let text = visible::short(first, PROMPT);
    writeln!(out, "  {at}  “{text}”  {}", style.paint.dim(&about.join(", ")))
}

fn agent(out: &mut (impl Write + ?Sized), agent: &SessionAgent) -> Result<()> {
    let kind =
        agent.agent_type.as_deref().map_or_else(String::new, |kind| format!(" {}", visible::line(kind)));
    let why = agent.description.as_deref().map(|why| format!(": {}", visible::short(why, PROMPT)));
    let had = match (agent.instructions, agent.memories) {
        (Some(0), Some(0)) => ", had no instructions and no memory".to_owned(),
        (Some(_), Some(0)) => ", had no memory".to_owned(),
        _ => String::new(),
    };
    let requests = count(agent.requests, "request", "requests");
    writeln!(out, "      subagent{kind}{}, {requests}{had}", why.unwrap_or_default())
}

fn event(out: &mut (impl Write + ?Sized), event: &SessionEvent) -> Result<()> {
    let tokens = match (event.tokens_before, event.tokens_after) {
        (Some(before), Some(after)) => format!(" {} to {} tokens.", grouped(before), grouped(after)),
        _ => String::new(),
    };
    writeln!(
        out,
        "      before request {}: {}{tokens}",
        nth(event.before_request),
        visible::line(&event.note)
    )?;
    for lost in &event.lost {
        writeln!(out, "        lost {}", visible::line(lost))?;
    }
    Ok(())
}

fn file(out: &mut (impl Write + ?Sized), file: &SessionFile, session: &Session, style: Style) -> Result<()> {
    let last = session.main_requests.saturating_sub(1);
    let ranges: Vec<String> = file.requests.iter().map(|(from, to)| range(*from, *to)).collect();
    let where_ = match file.requests.as_slice() {
        [] => "in no request that is known".to_owned(),
        [(0, to)] if *to == last => "in every request".to_owned(),
        [(from, to)] if from == to => format!("in request {}", ranges.join(", ")),
        _ => format!("in requests {}", ranges.join(", ")),
    };
    writeln!(out, "  {}  {}", visible::line(&file.path), style.paint.dim(&where_))?;
    let mut said: Vec<String> = Vec::new();
    for load in &file.loads {
        let mut line = load.told.clone().unwrap_or_else(|| words(load.reason).to_owned());
        if let Some(scope) = load.scope {
            line.push_str(whose(scope));
        }
        if let Some(by) = &load.by {
            line.push_str(" by ");
            line.push_str(by);
        }
        if load.agent.is_some() {
            line.push_str(", for a subagent");
        }
        if said.last() != Some(&line) {
            said.push(line);
        }
    }
    for line in said {
        writeln!(out, "      {}", style.paint.dim(&visible::line(&line)))?;
    }
    Ok(())
}

fn range(from: u64, to: u64) -> String {
    if from == to { nth(from) } else { format!("{}–{}", nth(from), nth(to)) }
}

const fn whose(scope: RecallScope) -> &'static str {
    match scope {
        RecallScope::Personal => ", personal memory",
        RecallScope::Team => ", memory of the team",
        RecallScope::Organization => ", memory of the organization",
    }
}

const fn words(reason: LoadReason) -> &'static str {
    match reason {
        LoadReason::SessionStart => "loaded when the session began",
        LoadReason::Include => "imported",
        LoadReason::NestedTraversal => "loaded with a file of its directory",
        LoadReason::PathGlobMatch => "loaded by its path patterns",
        LoadReason::Compact => "loaded again after a compaction",
        LoadReason::Refresh => "loaded again",
        LoadReason::Hook => "added by a hook",
        LoadReason::Recall => "recalled",
        LoadReason::Synthesis => "written by a model from memories",
        LoadReason::Mention => "mentioned",
        LoadReason::Read => "read by the model",
    }
}
