//! Prints presence: of files at a request, and of lines over sessions.

use super::table::{Side, grouped, nth, table};
use super::time::time;
use super::{Style, count, visible};
use retrace_api::wire::{
    AbsentLines, Presence, PresenceCause, PresenceSource, PresenceSpan, Reach, ReachCause, ReachRow,
};
use std::collections::BTreeMap;
use std::io::{Result, Write};

/// Stands wherever presence is shown.
const NOT_FOLLOWED: &str = "Present does not mean followed.";

/// Sources of which nothing was there for one reason are one row from so many on.
const ALIKE: usize = 4;

/// Conversations that are shown one by one; `--json` has all.
const MAX_ROWS: usize = 200;

/// Characters of a title.
const TITLE: usize = 48;

/// The files at one request.
pub fn session(out: &mut (impl Write + ?Sized), shown: &Presence, style: Style) -> Result<()> {
    let at =
        format!("request {} of {} (--at {})", nth(shown.request), grouped(shown.requests), shown.request);
    let proved = match shown.proved {
        all if all == shown.requests => style.paint.green("all proved"),
        0 => style.paint.yellow("none proved"),
        some => style.paint.yellow(&format!(
            "proved for {} of {} requests",
            grouped(some),
            grouped(shown.requests)
        )),
    };
    let agent = shown
        .agent
        .as_deref()
        .map(|agent| format!(", subagent {}", visible::line(agent)))
        .unwrap_or_default();
    writeln!(out, "{} {}{agent}, {proved}", style.paint.bold(&visible::line(&shown.transcript)), at)?;
    let mut alike: BTreeMap<PresenceCause, Vec<&PresenceSource>> = BTreeMap::new();
    for source in shown.sources.iter().filter(|source| source.lines.is_empty()) {
        if let [one] = source.absent.as_slice() {
            alike.entry(one.cause).or_default().push(source);
        }
    }
    alike.retain(|_, sources| sources.len() >= ALIKE);
    let is_alike = |source: &PresenceSource| {
        source.lines.is_empty() && matches!(source.absent.as_slice(), [one] if alike.contains_key(&one.cause))
    };
    let mut rows: Vec<[String; 5]> =
        shown.sources.iter().filter(|source| !is_alike(source)).map(row).collect();
    for (why, sources) in &alike {
        let files = count(sources.len() as u64, "file", "files");
        rows.push([files, String::new(), String::new(), String::new(), cause(*why, None)]);
    }
    let columns = [
        ("FILE", Side::Place),
        ("LINES", Side::Left),
        ("TOKENS", Side::Right),
        ("KNOWN", Side::Left),
        ("ABSENT", Side::Left),
    ];
    if rows.is_empty() {
        writeln!(out, "No memory or instruction file was there.")?;
    } else {
        table(out, columns, &rows, style)?;
    }
    let tokens = if shown.tokens == 1 { "token" } else { "tokens" };
    let tokens = format!("{} {tokens}", grouped(shown.tokens));
    writeln!(out, "{}", style.paint.dim(&format!("{tokens} of memory and instructions. {NOT_FOLLOWED}")))
}

fn row(source: &PresenceSource) -> [String; 5] {
    let absent: Vec<String> = source
        .absent
        .iter()
        .map(|AbsentLines { lines, cause: why }| format!("{} {}", range(*lines), cause(*why, None)))
        .collect();
    [
        visible::line(&source.file),
        source.lines.iter().map(|lines| range(*lines)).collect::<Vec<_>>().join(" "),
        if source.tokens > 0 { grouped(source.tokens) } else { String::new() },
        source.grade.to_string(),
        absent.join(", "),
    ]
}

fn range((from, to): (u32, u32)) -> String {
    if from == to { from.to_string() } else { format!("{from}-{to}") }
}

/// The words for a cause.
fn cause(cause: PresenceCause, cut_after: Option<u32>) -> String {
    match (cause, cut_after) {
        (PresenceCause::Cut, Some(line)) => format!("cut at line {line}"),
        (PresenceCause::Subagent, _) => "subagent had no memory".to_owned(),
        _ => cause.as_str().replace('_', " "),
    }
}

/// Lines of a memory over all sessions.
pub fn reach(out: &mut (impl Write + ?Sized), reach: &Reach, style: Style) -> Result<()> {
    let lines = match (reach.from, reach.to) {
        (Some(from), Some(to)) => {
            let word = if from == to { "line" } else { "lines" };
            format!(", {word} {} of {}", range((from, to)), grouped(reach.total_lines.into()))
        }
        _ => format!(", {}", count(reach.total_lines.into(), "line", "lines")),
    };
    writeln!(out, "{}{lines}", style.paint.bold(&visible::line(&reach.path)))?;
    writeln!(
        out,
        "Present in {} of {}.{}{}",
        grouped(reach.present),
        conversations(reach.sessions.saturating_sub(reach.subagents), reach.subagents),
        causes("In", &reach.absent),
        causes("Of those that had it: in", &reach.lost)
    )?;
    if reach.inferred > 0 {
        writeln!(out, "In {} of these it is inferred, not recorded.", grouped(reach.inferred))?;
    }
    let of_others = reach.rows.iter().filter(|row| is_of_another_agent(row)).count() as u64;
    let elsewhere = reach.elsewhere.saturating_sub(of_others);
    for (number, why) in [(elsewhere, "ran in other directories"), (of_others, "were of other agents")] {
        if number > 0 {
            let number = count(number, "session or subagent", "sessions or subagents");
            writeln!(out, "{}", style.paint.dim(&format!("{number} {why} and did not have it.")))?;
        }
    }
    writeln!(out, "{}", style.paint.dim(NOT_FOLLOWED))?;
    let here: Vec<&ReachRow> = reach
        .rows
        .iter()
        .filter(|row| row.present || row.cause != Some(PresenceCause::OtherDirectory))
        .filter(|row| !is_of_another_agent(row))
        .collect();
    let rows: Vec<[String; 4]> = here.iter().take(MAX_ROWS).map(|row| conversation(row, style)).collect();
    if !rows.is_empty() {
        writeln!(out)?;
        let columns = [
            ("STARTED", Side::Left),
            ("REQUESTS", Side::Right),
            ("WHERE", Side::Left),
            ("SESSION", Side::Left),
        ];
        table(out, columns, &rows, style)?;
    }
    if here.len() > MAX_ROWS {
        let more = count((here.len() - MAX_ROWS) as u64, "session more", "sessions more");
        writeln!(out, "{}", style.paint.dim(&format!("{more}; --json has all.")))?;
    }
    Ok(())
}

/// True for a conversation that could not have a memory because that is another agent's.
fn is_of_another_agent(row: &ReachRow) -> bool {
    !row.present && row.cause == Some(PresenceCause::NotInScope)
}

/// Numbers of sessions and of subagents, together where there are both.
fn conversations(sessions: u64, subagents: u64) -> String {
    let sessions_of = count(sessions, "session", "sessions");
    let subagents_of = count(subagents, "subagent", "subagents");
    match (sessions, subagents) {
        (_, 0) => sessions_of,
        (0, _) => subagents_of,
        _ => format!("{} ({sessions_of} and {subagents_of})", grouped(sessions + subagents)),
    }
}

fn causes(word: &str, causes: &[ReachCause]) -> String {
    if causes.is_empty() {
        return String::new();
    }
    let told: Vec<String> = causes
        .iter()
        .map(|one| format!("{} {}", grouped(one.sessions), cause(one.cause, one.cut_after)))
        .collect();
    format!(" {word} {}.", told.join(", in "))
}

fn conversation(row: &ReachRow, style: Style) -> [String; 4] {
    let title: String = row.title.as_deref().unwrap_or_default().chars().take(TITLE).collect();
    let agent = row.agent.as_deref().map(|agent| format!(" (subagent {agent})")).unwrap_or_default();
    [
        row.started_at.as_ref().map(|at| time(at, style)).unwrap_or_default(),
        grouped(row.requests),
        spans(&row.spans),
        visible::line(&format!("{} {title}{agent}", row.transcript)),
    ]
}

/// What the lines were in each row of requests; neighbours of which the same is said are one.
fn spans(spans: &[PresenceSpan]) -> String {
    let mut told: Vec<(u64, u64, String)> = Vec::new();
    for span in spans {
        let said = said(span);
        match told.last_mut() {
            Some((_, to, known)) if *to + 1 == span.from && *known == said => *to = span.to,
            _ => told.push((span.from, span.to, said)),
        }
    }
    let row = |(from, to, said): &(u64, u64, String)| match (nth(*from), nth(*to)) {
        (from, to) if from == to => format!("{from} {said}"),
        (from, to) => format!("{from}-{to} {said}"),
    };
    told.iter().map(row).collect::<Vec<_>>().join(", ")
}

fn said(span: &PresenceSpan) -> String {
    let as_line = span.as_line.map(|line| format!(" as line {line}")).unwrap_or_default();
    match (span.present, span.cause) {
        (true, _) => format!("{}{as_line}", span.grade),
        (false, Some(why)) if span.lines > 0 => {
            format!("{}, {} lines, rest {}", span.grade, span.lines, cause(why, span.cut_after))
        }
        (false, Some(why)) => cause(why, span.cut_after),
        (false, None) => span.grade.to_string(),
    }
}
