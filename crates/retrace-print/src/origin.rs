//! Who wrote a version, and what a session wrote.

use super::names::Names;
use super::time::time;
use super::version::{Lines, put_back};
use super::{Style, count, visible};
use retrace_api::wire::{Origin, OriginNote, Session};
use std::io::{Result, Write};

/// The answer, a fact a line; with `around` the messages around the write.
pub fn origin(out: &mut (impl Write + ?Sized), origin: &Origin, around: bool, style: Style) -> Result<()> {
    facts(out, origin, style)?;
    if let Some(back) = &origin.put_back {
        writeln!(out, "{} {}", style.paint.dim(&format!("{:<10}", "then")), put_back(back, style))?;
    }
    if around && !origin.around.is_empty() {
        writeln!(out)?;
        for message in &origin.around {
            let mark = if message.is_write { style.paint.yellow("▸") } else { " ".to_owned() };
            let turn = message.turn.map(|turn| format!(" turn {turn}")).unwrap_or_default();
            let head = format!("{} {}{turn}", message.role, message.kind);
            writeln!(out, "{mark} {}", style.paint.dim(&visible::line(&head)))?;
            for line in message.text.lines() {
                writeln!(out, "    {}", visible::line_in(line, style.paint))?;
            }
        }
    }
    Ok(())
}

/// Who and why in short, as part of a version in full.
pub fn facts(out: &mut (impl Write + ?Sized), origin: &Origin, style: Style) -> Result<()> {
    let mut fact =
        |name: &str, value: &str| writeln!(out, "{} {value}", style.paint.dim(&format!("{name:<10}")));
    let note = &origin.note;
    fact("origin", &visible::line(&sentence(note)))?;
    for sentence in &origin.evidence {
        fact("evidence", &visible::line(sentence))?;
    }
    if let Some(prompt) = &note.prompt {
        fact("prompt", &visible::line_in(prompt, style.paint))?;
    }
    if let Some(write) = &origin.write {
        fact("call", &visible::line(&format!("{} of {}, line {}", write.tool, write.path, write.line)))?;
    }
    if let Some(transcript) = &note.transcript {
        fact("transcript", &visible::line(transcript))?;
    }
    for candidate in &origin.candidates {
        fact("or", &visible::line(&sentence(candidate)))?;
    }
    Ok(())
}

/// “session ID (title), turn N, model: exact content”.
fn sentence(note: &OriginNote) -> String {
    let Some(session) = &note.session_id else { return "unknown".to_owned() };
    let title = note.title.as_ref().map(|title| format!(" “{title}”")).unwrap_or_default();
    let role = match note.role.as_deref() {
        None | Some("main") => String::new(),
        Some(role) => format!(", {role}"),
    };
    let turn = note.turn.map(|turn| format!(", turn {turn}")).unwrap_or_default();
    let model = note.model.as_ref().map(|model| format!(", {model}")).unwrap_or_default();
    format!("session {session}{title}{role}{turn}{model}: {}", note.confidence.replace('_', " "))
}

/// Prints the writes of a session: its versions as in the log, then calls without a version.
pub fn session(
    out: &mut (impl Write + ?Sized),
    session: &Session,
    names: &Names,
    style: Style,
) -> Result<()> {
    let writes = &session.writes;
    let title = session.first_prompt.as_deref().or(writes.title.as_deref());
    let title = title.map(|title| format!("  {}", visible::line(title))).unwrap_or_default();
    writeln!(out, "{}{title}", style.paint.yellow(&visible::line(&writes.session_id)))?;
    let mut about: Vec<String> = writes.project.iter().map(|project| visible::line(project)).collect();
    about.extend(writes.started_at.iter().map(|at| time(at, style)));
    about.extend(writes.models.iter().map(|model| visible::line(model)));
    if !about.is_empty() {
        writeln!(out, "{}", style.paint.dim(&about.join("  ")))?;
    }
    super::session::figures(out, session, style)?;
    let mut lines = Lines::default();
    lines.page(out, writes.versions.iter().map(|written| &written.version), names, style)?;
    if !writes.unrecorded.is_empty() {
        let number = writes.unrecorded.len() as u64;
        writeln!(out, "\n{} without a version:", count(number, "write", "writes"))?;
        for left in &writes.unrecorded {
            let turn = left.turn.map(|turn| format!("turn {turn}")).unwrap_or_default();
            let write = &left.write;
            writeln!(out, "  {:<10} {}", turn, visible::line(&format!("{} {}", write.tool, write.path)))?;
        }
    }
    Ok(())
}
