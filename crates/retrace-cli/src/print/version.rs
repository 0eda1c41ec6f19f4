//! Versions: a line of the log, and one in full.

use super::names::Names;
use super::time::time;
use super::{Style, count, visible};
use retrace_api::wire::{ActorView, BaselineOf, PutBack, Version};
use std::io::{Result, Write};

/// Lines of the log. The reason of an operation, where one was given, stands below the first of its versions; a rebuilt version
/// has one of its own.
#[derive(Default)]
pub(crate) struct Lines {
    operation: Option<u64>,
}

impl Lines {
    /// One version.
    pub(crate) fn line(
        &mut self,
        out: &mut (impl Write + ?Sized),
        version: &Version,
        names: &Names,
        style: Style,
    ) -> Result<()> {
        line(out, version, names, style)?;
        let first = self.operation.replace(version.operation_seq) != Some(version.operation_seq);
        let note = version.note.as_deref().filter(|_| first || version.rebuilt);
        let more = [note.map(|note| visible::line_in(note, style.paint)), past(version, style)];
        let more: Vec<String> = more.into_iter().flatten().collect();
        if more.is_empty() {
            return Ok(());
        }
        writeln!(out, "       {}", style.paint.dim(&more.join(", ")))
    }
}

/// Time of a version from before recording: when it was written, or of which older one it is the baseline.
fn past(version: &Version, style: Style) -> Option<String> {
    if let Some(older) = &version.baseline_of {
        return Some(baseline(older, style));
    }
    Some(format!("written {}", time(version.written_at.as_deref()?, style.zone)))
}

fn baseline(older: &BaselineOf, style: Style) -> String {
    let (when, who) = (time(&older.written_at, style.zone), actor(older.written_by.as_ref()));
    format!("as version {} left it, written {when} by {who}", older.seq)
}

/// Number, time, what happened to which memory, who, what recorded it, id.
fn line(out: &mut (impl Write + ?Sized), version: &Version, names: &Names, style: Style) -> Result<()> {
    let paint = style.paint;
    let mut actor = actor(writer(version));
    if let Some(title) = version.origin.as_ref().and_then(|origin| origin.title.as_deref()) {
        actor = format!("{actor} “{}”", visible::line(title));
    }
    let mut actor = if writer(version).is_some() { actor } else { paint.dim(&actor) };
    if let Some(back) = &version.put_back {
        actor = format!("{actor}, {}", put_back_by(back));
    }
    writeln!(
        out,
        "{}  {}  {} {}  {actor}, {}  {}",
        paint.yellow(&format!("{:>5}", version.seq)),
        time(&version.created_at, style.zone),
        sign(version, style),
        place(version, names),
        visible::line(&format!("{} #{}{}", version.source, version.operation_seq, state(version))),
        paint.dim(&visible::line(&version.id)),
    )
}

/// One version in full, a fact a line.
pub(crate) fn full(
    out: &mut (impl Write + ?Sized),
    version: &Version,
    names: &Names,
    style: Style,
) -> Result<()> {
    let mut fact =
        |name: &str, value: &str| writeln!(out, "{} {value}", style.paint.dim(&format!("{name:<10}")));
    fact("version", &style.paint.yellow(&visible::line(&version.id)))?;
    fact("number", &format!("{} of operation {}", version.seq, version.operation_seq))?;
    fact("memory", &visible::line(&version.memory_id))?;
    fact("store", &format!("{} ({})", names.store(&version.store_id), visible::line(&version.store_id)))?;
    fact("what", &format!("{} {}", sign(version, style), visible::line(&version.operation)))?;
    fact("path", &version.path.as_deref().map_or_else(|| "(redacted)".to_owned(), visible::line))?;
    if let Some(previous) = &version.previous_path {
        fact("moved from", &visible::line(previous))?;
    }
    if let Some(hash) = &version.content_sha256 {
        fact("sha256", &visible::line(hash))?;
    }
    if let Some(size) = version.content_size_bytes {
        let kind = version.content_kind.as_deref().unwrap_or("text").replace('_', " ");
        fact("content", &format!("{}, {}", count(size, "byte", "bytes"), visible::line(&kind)))?;
    }
    fact("when", &time(&version.created_at, style.zone))?;
    fact("who", &actor(writer(version)))?;
    if let Some(back) = &version.put_back {
        fact("then", &put_back(back, style))?;
    }
    if version.rebuilt {
        let state = if version.withdrawn { "; withdrawn since" } else { "" };
        fact("rebuilt", &format!("{}{state}", time(&version.recorded_at, style.zone)))?;
    }
    if let Some(written) = &version.written_at {
        fact("written", &time(written, style.zone))?;
    }
    if let Some(older) = &version.baseline_of {
        fact("baseline", &baseline(older, style))?;
    }
    fact("cause", &visible::line(&version.source))?;
    if let Some(note) = &version.note {
        fact("why", &visible::line_in(note, style.paint))?;
    }
    if let Some(at) = &version.redacted_at {
        fact("redacted", &format!("{} by {}", time(at, style.zone), actor(version.redacted_by.as_ref())))?;
    }
    Ok(())
}

/// Who wrote what a version has, whoever put it back.
fn writer(version: &Version) -> Option<&ActorView> {
    match &version.put_back {
        Some(back) => back.written_by.as_ref(),
        None => version.created_by.as_ref(),
    }
}

/// “put back by ada”; of what a redaction left, “redacted by ada”.
pub(crate) fn put_back_by(back: &PutBack) -> String {
    let act = if back.source == "redact" { "redacted" } else { "put back" };
    format!("{act} by {}", actor(back.by.as_ref()))
}

/// Who put something back, when and with which operation; when it was written, and by which version.
pub(crate) fn put_back(back: &PutBack, style: Style) -> String {
    format!(
        "{} at {}, operation {}; written {} as {}",
        put_back_by(back),
        time(&back.at, style.zone),
        back.operation_seq,
        time(&back.written_at, style.zone),
        visible::line(&back.version_id)
    )
}

/// Marks a rebuilt version, where its cause does not say so.
fn state(version: &Version) -> &'static str {
    match (version.rebuilt, version.source.as_str()) {
        (true, "rebuilt") | (false, _) => "",
        (true, _) => ", rebuilt",
    }
}

/// `+` created, `~` modified, `-` deleted, `→` moved.
fn sign(version: &Version, style: Style) -> String {
    let paint = style.paint;
    match version.operation.as_str() {
        _ if version.previous_path.is_some() => paint.cyan("→"),
        "created" => paint.green("+"),
        "deleted" => paint.red("-"),
        _ => paint.yellow("~"),
    }
}

fn place(version: &Version, names: &Names) -> String {
    let now = names.place(&version.store_id, version.path.as_deref());
    let place = match &version.previous_path {
        Some(before) => format!("{} → {now}", names.place(&version.store_id, Some(before))),
        None => now,
    };
    // A redacted path says so itself.
    if version.redacted_at.is_some() && version.path.is_some() {
        format!("{place} (redacted)")
    } else {
        place
    }
}

/// Who, for people. A writer that is only likely is said to be.
pub(crate) fn actor(actor: Option<&ActorView>) -> String {
    let text = match actor {
        None => return "unknown writer".to_owned(),
        Some(ActorView::SessionActor { session_id, evidence }) => {
            let is_sure = matches!(evidence.as_str(), "stated" | "exact_content");
            let likely = if is_sure { "" } else { "likely " };
            format!("{likely}session {session_id}")
        }
        Some(ActorView::ApiActor { api_key_id }) => format!("API key {api_key_id}"),
        Some(ActorView::UserActor { user_id }) => user_id.clone(),
        Some(ActorView::ServiceAccountActor { service_account_id }) => {
            format!("service account {service_account_id}")
        }
    };
    visible::line(&text)
}
