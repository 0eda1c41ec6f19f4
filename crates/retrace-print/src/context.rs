//! Prints the composition of a run's context.

use super::table::{Side, at_least_dollars, dollars, grouped, nth, signed, table, why_at_least};
use super::{Style, chart, count, visible};
use retrace_api::wire::{ContextClasses, ContextRequest, ContextShow, FigureKind, RestsOn};
use std::io::{Result, Write};

/// Memory files listed.
const FILES: usize = 12;

/// The run over time, what its largest context was made of, and the memory files in it.
pub fn show(
    out: &mut (impl Write + ?Sized),
    shown: &ContextShow,
    all_requests: bool,
    width: usize,
    style: Style,
) -> Result<()> {
    head(out, shown, style)?;
    if let Some(answer) = &shown.answer {
        let at = shown.requests.iter().find(|request| request.index == answer.request);
        let rests_on = at.map_or(RestsOn::Transcript, |request| request.rests_on);
        writeln!(out, "{}", style.paint.bold(&super::recommend::answer(answer, rests_on)))?;
        proved(out, shown, style)?;
    }
    if let Some(in_force) = &shown.in_force {
        let carried = count(in_force.requests, "request carries", "requests carry");
        let text = format!("{} ({carried} the setting)", visible::line(&in_force.what));
        writeln!(out, "{}", style.paint.dim(&text))?;
    }
    let contexts: Vec<u64> = shown.requests.iter().map(|request| request.context).collect();
    let chart = chart::lines(&contexts, width);
    if !chart.is_empty() {
        writeln!(out)?;
        chart.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        events(out, shown, &contexts, width, style)?;
    }
    let is_peak = |request: &&ContextRequest| shown.peak.is_some_and(|peak| peak.request == request.index);
    if let Some(peak) = shown.requests.iter().find(is_peak) {
        writeln!(out)?;
        writeln!(
            out,
            "{} request {} (`--at {}`), {} tokens, {}",
            style.paint.bold("At the peak:"),
            nth(peak.index),
            peak.index,
            grouped(peak.context),
            kind(peak.kind)
        )?;
        composition(out, &peak.classes, peak.context, peak.rests_on)?;
        let rests = match (peak.rests_on, peak.proved) {
            (RestsOn::Request, _) => {
                "  Made of the request as it was sent, proved by its digest; framing is what the API adds."
            }
            (_, Some(false)) => {
                "  The client recorded the request, but it is not proved; made of the lines of the transcript."
            }
            (RestsOn::Transcript, _) => "  Made of the lines of the transcript.",
        };
        writeln!(out, "{}", style.paint.dim(rests))?;
        if peak.classes.over_counted > 0 {
            let over = grouped(peak.classes.over_counted.unsigned_abs());
            let text = format!(
                "  The counts came out {over} tokens higher than what was recorded, and were brought down to it."
            );
            writeln!(out, "{}", style.paint.dim(&text))?;
        }
    }
    files(out, shown, style)?;
    if shown.cost_is_lower_bound {
        let reasons = why_at_least(shown.requests_with_placeholder_output, shown.requests_fast_without_price);
        reasons.iter().try_for_each(|reason| writeln!(out, "{}", style.paint.dim(reason)))?;
    }
    if all_requests {
        writeln!(out)?;
        requests(out, &shown.requests, style)?;
    }
    unanswered(out, shown, style)?;
    for remark in &shown.remarks {
        writeln!(out, "{} {}", style.paint.yellow("note:"), visible::line(remark))?;
    }
    Ok(())
}

/// How much of the run is proved, where the client records its requests.
fn proved(out: &mut (impl Write + ?Sized), shown: &ContextShow, style: Style) -> Result<()> {
    let recorded = shown.requests.iter().any(|request| request.proved.is_some());
    let (proved, all) = (shown.proved_requests, shown.requests.len() as u64);
    if !recorded {
        return Ok(());
    }
    let text = match proved == all {
        true => "exact, proved by digest".to_owned(),
        false => format!("proved for {} of {}", grouped(proved), count(all, "request", "requests")),
    };
    writeln!(out, "{}", style.paint.dim(&text))
}

/// Recorded requests that no answer of the transcript belongs to.
fn unanswered(out: &mut (impl Write + ?Sized), shown: &ContextShow, style: Style) -> Result<()> {
    if shown.unanswered.is_empty() {
        return Ok(());
    }
    let many = count(shown.unanswered.len() as u64, "recorded request has", "recorded requests have");
    writeln!(out, "\n{many} no answer here (`retrace context request` shows each):")?;
    for request in &shown.unanswered {
        let time = request.time.as_deref().map(visible::line).unwrap_or_default();
        let messages = count(request.messages, "message", "messages");
        let line = format!(
            "  {}  {}  {messages}  {time}",
            visible::line(&request.id),
            visible::line(&request.source)
        );
        writeln!(out, "{}", style.paint.dim(line.trim_end()))?;
    }
    Ok(())
}

fn head(out: &mut (impl Write + ?Sized), shown: &ContextShow, style: Style) -> Result<()> {
    let title = shown.title.as_deref().map(visible::line).unwrap_or_default();
    writeln!(out, "{} {title}", style.paint.bold(&visible::line(&shown.transcript)))?;
    if let Some(agent) = &shown.agent {
        let background = if agent.background { " in the background" } else { "" };
        let of = agent.session.as_deref().map(|of| format!(" of {}", visible::line(of))).unwrap_or_default();
        let call = agent.tool_use_id.as_deref();
        let call = call.map(|call| format!(", started by {}", visible::line(call))).unwrap_or_default();
        let why =
            agent.description.as_deref().map(|why| format!(": {}", visible::line(why))).unwrap_or_default();
        let kind = visible::line(&agent.agent_type);
        writeln!(out, "subagent {kind}{background}{of}{call}{why}")?;
    }
    let model = shown.model.as_deref().map_or_else(|| "model not recorded".to_owned(), visible::line);
    let window =
        shown.context_window.map(|window| format!(", window {}", grouped(window))).unwrap_or_default();
    let assumed = if shown.family_assumed { ", assumed" } else { "" };
    let cost = match shown.cost_usd {
        Some(_) => format!(", {} as recorded", at_least_dollars(shown.cost_usd, shown.cost_is_lower_bound)),
        None => String::new(),
    };
    let by_client = shown.client_cost_usd;
    let by_client =
        by_client.map(|cost| format!(", {} by the client", dollars(Some(cost)))).unwrap_or_default();
    let family = match shown.family_range_percent {
        Some((low, high)) => {
            format!("estimated (its vocabulary is not known: {low} to {high} % of what is shown)")
        }
        None => format!("counted as family {}{assumed}", shown.family),
    };
    writeln!(
        out,
        "{}, {model}{window}, {family}, {}{cost}{by_client}",
        shown.format,
        count(shown.requests.len() as u64, "request", "requests"),
    )?;
    if shown.subagents.is_empty() {
        return Ok(());
    }
    let many = count(shown.subagents.len() as u64, "subagent is a run", "subagents are runs");
    let text = format!("{many} of their own, which `retrace session` adds up.");
    writeln!(out, "{}", style.paint.dim(&text))
}

fn events(
    out: &mut (impl Write + ?Sized),
    shown: &ContextShow,
    contexts: &[u64],
    width: usize,
    style: Style,
) -> Result<()> {
    if shown.events.is_empty() {
        return Ok(());
    }
    let marked: Vec<(usize, char)> = shown
        .events
        .iter()
        .map(|event| (usize::try_from(event.before_request).unwrap_or(usize::MAX), mark(&event.event)))
        .collect();
    writeln!(out, "{}", chart::marks(contexts, width, &marked))?;
    for event in &shown.events {
        let tokens = match (event.tokens_before, event.tokens_after) {
            (Some(before), Some(after)) => format!(", {} → {}", grouped(before), grouped(after)),
            _ => String::new(),
        };
        let at = format!("{} before request {}{tokens}:", mark(&event.event), nth(event.before_request));
        writeln!(out, "{} {}", style.paint.cyan(&at), visible::line(&event.note))?;
    }
    Ok(())
}

fn mark(event: &str) -> char {
    match event {
        "compaction" => 'C',
        "microcompaction" => 'm',
        "rewind" => 'R',
        "server_edit" => 'E',
        _ => '*',
    }
}

/// In words: how a figure was come by.
pub const fn kind(kind: FigureKind) -> &'static str {
    match kind {
        FigureKind::Recorded => "recorded",
        FigureKind::Exact => "exact",
        FigureKind::CountedOffline => "counted offline",
        FigureKind::Estimated => "estimated",
    }
}

fn named(classes: &ContextClasses, rests_on: RestsOn) -> [(&'static str, i64); 9] {
    [
        ("system and tools", classes.system),
        ("instructions", classes.instructions),
        ("memory", classes.memory),
        ("tool results", classes.tool_results),
        ("tool inputs", classes.tool_inputs),
        ("text", classes.text),
        ("thinking", classes.thinking),
        ("attachments", classes.attachments),
        (rest(rests_on), classes.not_recorded),
    ]
}

/// The name of what the parts do not explain.
const fn rest(rests_on: RestsOn) -> &'static str {
    match rests_on {
        RestsOn::Request => "framing",
        RestsOn::Transcript => "not recorded",
    }
}

fn composition(
    out: &mut (impl Write + ?Sized),
    classes: &ContextClasses,
    context: u64,
    rests_on: RestsOn,
) -> Result<()> {
    let width =
        named(classes, rests_on).iter().map(|(_, tokens)| signed(*tokens).len()).max().unwrap_or_default();
    for (name, tokens) in named(classes, rests_on).into_iter().filter(|(_, tokens)| *tokens != 0) {
        let share = tokens as f64 * 100.0 / context.max(1) as f64;
        let bar = "█".repeat((share.max(0.0) / 2.5).round() as usize);
        writeln!(out, "  {name:<16}  {:>width$}  {share:>5.1} %  {bar}", signed(tokens))?;
    }
    Ok(())
}

fn files(out: &mut (impl Write + ?Sized), shown: &ContextShow, style: Style) -> Result<()> {
    if shown.memory_files.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let rows: Vec<[String; 5]> = shown
        .memory_files
        .iter()
        .take(FILES)
        .map(|file| {
            [
                at_least_tokens(file.tokens, file.partial),
                grouped(file.requests),
                dollars(file.cost_usd),
                file.class.to_string(),
                visible::line(&file.path),
            ]
        })
        .collect();
    let columns = [
        ("TOKENS", Side::Right),
        ("REQUESTS", Side::Right),
        ("COST", Side::Right),
        ("CLASS", Side::Left),
        ("FILE", Side::Left),
    ];
    table(out, columns, &rows, style)?;
    let more = shown.memory_files.len().saturating_sub(FILES) as u64;
    if more > 0 {
        writeln!(out, "and {}", count(more, "more file", "more files"))?;
    }
    Ok(())
}

/// Tokens of a file, of which parts alone may have been loaded.
pub fn at_least_tokens(tokens: u64, partial: bool) -> String {
    format!("{}{}", if partial { "≥ " } else { "" }, grouped(tokens))
}

fn requests(out: &mut (impl Write + ?Sized), requests: &[ContextRequest], style: Style) -> Result<()> {
    let rows: Vec<[String; 12]> = requests
        .iter()
        .map(|request| {
            let [system, instructions, memory, results, inputs, text, thinking, attachments, rest] =
                named(&request.classes, request.rests_on).map(|(_, tokens)| signed(tokens));
            [
                nth(request.index),
                grouped(request.context),
                kind(request.kind).to_owned(),
                system,
                instructions,
                memory,
                results,
                inputs,
                text,
                thinking,
                attachments,
                rest,
            ]
        })
        .collect();
    let right = |name| (name, Side::Right);
    let columns = [
        right("#"),
        right("CONTEXT"),
        ("KIND", Side::Left),
        right("SYSTEM"),
        right("INSTRUCT"),
        right("MEMORY"),
        right("RESULTS"),
        right("INPUTS"),
        right("TEXT"),
        right("THINKING"),
        right("ATTACHED"),
        right("NOT REC."),
    ];
    table(out, columns, &rows, style)
}
