//! Kinds of memory, instruction files, and snapshots of agents.

use super::table::{Side, bytes, grouped, table};
use super::time::time;
use super::{Style, count, diff, visible};
use retrace_api::wire::{
    AgentSnapshot, Clients, Instruction, InstructionRules, Instructions, Memory, MemoryKind, SnapshotChange,
};
use std::io::{Result, Write};

/// A row a memory, by path.
pub fn memories(out: &mut (impl Write + ?Sized), memories: &[Memory], style: Style) -> Result<()> {
    let rows: Vec<[String; 4]> = memories
        .iter()
        .map(|memory| {
            [
                kind(&memory.kind),
                memory.content_size_bytes.map_or_else(|| "-".to_owned(), bytes),
                time(&memory.changed_at, style),
                memory.path.as_deref().map_or_else(|| "(redacted)".to_owned(), visible::line),
            ]
        })
        .collect();
    let columns =
        [("KIND", Side::Left), ("SIZE", Side::Right), ("CHANGED", Side::Left), ("PATH", Side::Place)];
    table(out, columns, &rows, style)
}

/// `team topic feedback`, `daily log 2026-03-01`, `reviewer agent (local) index`.
pub fn kind(kind: &MemoryKind) -> String {
    let mut words = Vec::new();
    match (kind.scope.as_deref(), &kind.agent) {
        (Some("team"), _) => words.push("team".to_owned()),
        (Some(scope), Some(agent)) => {
            words.push(format!("{agent} agent ({})", scope.trim_start_matches("agent_")));
        }
        _ => {}
    }
    words.push(kind.class.replace('_', " "));
    words.extend(kind.memory_type.clone());
    words.extend(kind.day.clone());
    visible::line(&words.join(" "))
}

/// The files of each agent in load order, an import below the file that names it.
pub fn instructions(out: &mut (impl Write + ?Sized), found: &Instructions, style: Style) -> Result<()> {
    let paint = style.paint;
    let place = found.directory.as_deref().map_or_else(
        || "Every session of this user".to_owned(),
        |directory| format!("A session in {}", visible::line(directory)),
    );
    writeln!(out, "{}", paint.bold(&place))?;
    for why in [&found.because, &found.switched_off].into_iter().flatten() {
        writeln!(out, "{}", paint.dim(&visible::line(why)))?;
    }
    if found.files.is_empty() {
        return writeln!(out, "No instruction file was found.");
    }
    let mut agent = None;
    for file in &found.files {
        if agent != Some(file.agent) {
            agent = Some(file.agent);
            let total = found.totals.iter().find(|total| total.agent == file.agent);
            let loaded = total.map_or_else(
                || "loads nothing at the start".to_owned(),
                |total| {
                    let files = count(total.files, "file", "files");
                    format!("loads {files}, {} tokens at the start", grouped(total.tokens))
                },
            );
            writeln!(out, "\n{} {loaded}", paint.bold(file.agent.as_str()))?;
            if let Some(rules) = found.agents.iter().find(|rules| rules.agent == file.agent) {
                writeln!(out, "{}", paint.dim(&visible::line(&version(rules))))?;
            }
        }
        instruction(out, file, style)?;
    }
    Ok(())
}

/// Each agent with its version, and what of it is read.
pub fn clients(out: &mut (impl Write + ?Sized), found: &Clients, style: Style) -> Result<()> {
    let paint = style.paint;
    if found.clients.is_empty() {
        return writeln!(out, "No agent was found on this machine.");
    }
    for (at, client) in found.clients.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let version = client.version.as_deref().unwrap_or("version unknown");
        writeln!(out, "{} {}", paint.bold(&visible::line(&client.title)), visible::line(version))?;
        if let Some(from) = &client.version_from {
            writeln!(out, "    {}", paint.dim(&visible::line(from)))?;
        }
        for place in &client.places {
            writeln!(out, "    {}", paint.dim(&visible::line(place)))?;
        }
        for part in &client.parts {
            let sign = match part.exact {
                Some(true) => paint.green("●"),
                Some(false) => paint.yellow("!"),
                None => paint.dim("○"),
            };
            let since =
                part.since.as_deref().map_or_else(String::new, |since| format!(" (exact since {since})"));
            writeln!(out, "  {sign} {}{since}", part.part)?;
            writeln!(out, "      {}", paint.dim(&visible::line(&part.note)))?;
        }
    }
    Ok(())
}

/// `version 2.1.265 (Read from the newest session: …); rules as of 2.1.330`.
fn version(rules: &InstructionRules) -> String {
    let from = rules.version_from.as_ref().map(|from| format!(" ({})", from.trim_end_matches('.')));
    let version = match &rules.version {
        Some(version) => format!("version {version}{}", from.unwrap_or_default()),
        None => "version unknown".to_owned(),
    };
    format!("{version}; rules as of {}", rules.seen_with)
}

fn instruction(out: &mut (impl Write + ?Sized), file: &Instruction, style: Style) -> Result<()> {
    let paint = style.paint;
    let indent = "  ".repeat(usize::try_from(file.depth).unwrap_or(0).min(8));
    let sign = match file.state.as_str() {
        "loaded" => paint.green("●"),
        "on_demand" => paint.cyan("◐"),
        "already_loaded" | "shadowed" | "excluded" | "off" | "empty" | "not_in_version" => paint.dim("○"),
        _ => paint.yellow("!"),
    };
    let state = match file.cut_at {
        Some(at) => format!("cut at byte {}", grouped(at)),
        None => file.state.replace('_', " "),
    };
    let mut facts = vec![state, file.scope.to_string()];
    facts.extend(file.size_bytes.map(bytes));
    facts.extend(file.tokens.map(|tokens| count(tokens, "token", "tokens")));
    if file.store_id.is_some() {
        facts.push("recorded".to_owned());
    }
    writeln!(out, "{indent}{sign} {}  {}", visible::line(&file.path), paint.dim(&facts.join(", ")))?;
    if let Some(leads_to) = &file.leads_to {
        writeln!(out, "{indent}    leads to {}", visible::line(leads_to))?;
    }
    if !file.globs.is_empty() {
        writeln!(out, "{indent}    applies to {}", visible::line(&file.globs.join(", ")))?;
    }
    writeln!(out, "{indent}    {}", paint.dim(&visible::line(&file.reason)))
}

/// Each snapshot: what the agent would do, and the difference of every file.
pub fn snapshot(out: &mut (impl Write + ?Sized), found: &AgentSnapshot, style: Style) -> Result<()> {
    let paint = style.paint;
    let whose = format!("{} agent ({})", found.agent, found.scope);
    let files = count(found.local_files, "file", "files");
    writeln!(out, "{}: {}, {files}", paint.bold(&visible::line(&whose)), visible::line(&found.root))?;
    for snapshot in &found.snapshots {
        writeln!(out, "\n{} {}", paint.bold(&snapshot.state), visible::line(&snapshot.directory))?;
        writeln!(out, "    {}", paint.dim(&visible::line(&snapshot.reason)))?;
        for (name, at) in [("snapshot of", &snapshot.updated_at), ("taken over last", &snapshot.synced_from)]
        {
            if let Some(at) = at {
                writeln!(out, "    {name} {}", visible::line(at))?;
            }
        }
        for one in &snapshot.changes {
            change(out, one, style)?;
        }
    }
    Ok(())
}

fn change(out: &mut (impl Write + ?Sized), change: &SnapshotChange, style: Style) -> Result<()> {
    let sign = match change.change.as_str() {
        "added" => style.paint.green("+"),
        "changed" => style.paint.yellow("~"),
        "deleted" => style.paint.red("-"),
        _ => style.paint.dim("="),
    };
    writeln!(out, "{sign} {}  {}", visible::line(&change.path), style.paint.dim(&change.change))?;
    match &change.diff {
        Some(one) => diff::file(out, one, style),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_in_words() {
        let of =
            |class: &str, scope: Option<&str>, agent: Option<&str>, more: (Option<&str>, Option<&str>)| {
                kind(&MemoryKind {
                    class: class.parse().expect("a class"),
                    scope: scope.map(|scope| scope.parse().expect("a scope")),
                    agent: agent.map(str::to_owned),
                    memory_type: more.0.map(str::to_owned),
                    day: more.1.map(str::to_owned),
                })
            };
        assert_eq!(of("index", Some("project"), None, (None, None)), "index");
        assert_eq!(of("topic", Some("team"), None, (Some("feedback"), None)), "team topic feedback");
        assert_eq!(of("daily_log", None, None, (None, Some("2026-03-01"))), "daily log 2026-03-01");
        assert_eq!(of("topic", Some("agent_local"), Some("a"), (None, None)), "a agent (local) topic");
    }
}
