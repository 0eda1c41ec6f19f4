//! Versions: a line of the log, and one in full.

use super::layout::{self, Cell, Column};
use super::names::Names;
use super::paint::Paint;
use super::time::{self, time};
use super::{Style, count, visible};
use retrace_api::wire::{ActorView, BaselineOf, PutBack, Version};
use retrace_model::VersionId;
use std::io::{Result, Write};

/// Lines of the log. With every detail the reason of an operation, where one was given, stands below the first of its versions;
/// a rebuilt version has one of its own.
#[derive(Default)]
pub struct Lines {
    operation: Option<u64>,
}

impl Lines {
    /// Versions, a line each: number, when, what happened to which memory, who and why.
    pub fn page<'v>(
        &mut self,
        out: &mut (impl Write + ?Sized),
        versions: impl IntoIterator<Item = &'v Version>,
        names: &Names,
        style: Style,
    ) -> Result<()> {
        if style.verbose {
            return versions.into_iter().try_for_each(|version| self.line(out, version, names, style));
        }
        let rows: Vec<[Cell; 5]> = versions.into_iter().map(|version| row(version, names, style)).collect();
        let columns = [Column::Number, Column::Whole, Column::Sign, Column::Place, Column::Text];
        layout::rows(out, columns, &rows, style)
    }

    /// One version with every detail.
    fn line(
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

fn row(version: &Version, names: &Names, style: Style) -> [Cell; 5] {
    let (sign, paint) = sign_of(version);
    let known = writer(version).is_some();
    [
        Cell::painted(version.seq.to_string(), Paint::yellow),
        Cell::painted(time(&version.created_at, style), Paint::dim),
        Cell::painted(sign, paint),
        Cell::new(place(version, names)),
        if known { Cell::new(who(version, style)) } else { Cell::painted(who(version, style), Paint::dim) },
    ]
}

/// Who, by the title of the session where it has one, and why: the act of a person, the reason that was given.
fn who(version: &Version, style: Style) -> String {
    let title = version.origin.as_ref().and_then(|origin| origin.title.as_deref());
    let mut who = match (title, writer(version)) {
        (Some(title), Some(ActorView::SessionActor { evidence, .. })) => {
            format!("{}“{}”", likely(evidence), visible::line(title))
        }
        (_, writer) => actor(writer, style),
    };
    let note = version.note.as_deref().map(visible::line);
    if let Some(back) = &version.put_back {
        who = format!("{who}, {}", put_back_by(back, style));
    } else if version.source != "scan" && note.as_ref().is_none_or(|note| !note.starts_with(&*version.source))
    {
        who = format!("{who}, {}", visible::line(&version.source));
    }
    note.map_or_else(|| who.clone(), |note| format!("{who}, {note}"))
}

/// Time of a version from before recording: when it was written, or of which older one it is the baseline.
fn past(version: &Version, style: Style) -> Option<String> {
    if let Some(older) = &version.baseline_of {
        return Some(baseline(older, style));
    }
    Some(format!("written {}", time(version.written_at.as_deref()?, style)))
}

fn baseline(older: &BaselineOf, style: Style) -> String {
    let (when, who) = (time(&older.written_at, style), actor(older.written_by.as_ref(), style));
    format!("as version {} left it, written {when} by {who}", older.seq)
}

/// Number, time, what happened to which memory, who, what recorded it, id.
fn line(out: &mut (impl Write + ?Sized), version: &Version, names: &Names, style: Style) -> Result<()> {
    let paint = style.paint;
    let mut actor = actor(writer(version), style);
    if let Some(title) = version.origin.as_ref().and_then(|origin| origin.title.as_deref()) {
        actor = format!("{actor} “{}”", visible::line(title));
    }
    let mut actor = if writer(version).is_some() { actor } else { paint.dim(&actor) };
    if let Some(back) = &version.put_back {
        actor = format!("{actor}, {}", put_back_by(back, style));
    }
    writeln!(
        out,
        "{}  {}  {} {}  {actor}, {}  {}",
        paint.yellow(&format!("{:>5}", version.seq)),
        time(&version.created_at, style),
        sign(version, style),
        place(version, names),
        visible::line(&format!("{} #{}{}", version.source, version.operation_seq, state(version))),
        paint.dim(&visible::line(&version.id)),
    )
}

/// One version in full, a fact a line.
pub fn full(out: &mut (impl Write + ?Sized), version: &Version, names: &Names, style: Style) -> Result<()> {
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
    fact("when", &time::both(&version.created_at, style))?;
    fact("who", &actor(writer(version), style))?;
    if let Some(back) = &version.put_back {
        fact("then", &put_back(back, style))?;
    }
    if version.rebuilt {
        let state = if version.withdrawn { "; withdrawn since" } else { "" };
        fact("rebuilt", &format!("{}{state}", time(&version.recorded_at, style)))?;
    }
    if let Some(written) = &version.written_at {
        fact("written", &time::both(written, style))?;
    }
    if let Some(older) = &version.baseline_of {
        fact("baseline", &baseline(older, style))?;
    }
    fact("cause", &visible::line(&version.source))?;
    if let Some(note) = &version.note {
        fact("why", &visible::line_in(note, style.paint))?;
    }
    if let Some(at) = &version.redacted_at {
        fact("redacted", &format!("{} by {}", time(at, style), actor(version.redacted_by.as_ref(), style)))?;
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

/// “put back by ada”; of what a redaction left, “redacted by ada”; of a file that was gone and that nobody is known to have put
/// back, “came back”.
pub fn put_back_by(back: &PutBack, style: Style) -> String {
    if back.came_back() {
        return "came back".to_owned();
    }
    let act = if back.source == "redact" { "redacted" } else { "put back" };
    format!("{act} by {}", actor(back.by.as_ref(), style))
}

/// A version as it is typed: by its number, which every command takes; by its whole id where more is asked for.
pub fn named(id: &str, style: Style) -> String {
    match VersionId::parse(id) {
        Ok(id) if !style.verbose => id.seq.to_string(),
        _ => visible::line(id),
    }
}

/// Who put something back, when and with which operation; when it was written, and by which version.
pub fn put_back(back: &PutBack, style: Style) -> String {
    format!(
        "{}, {}, operation {}; written {} as {}",
        put_back_by(back, style),
        time(&back.at, style),
        back.operation_seq,
        time(&back.written_at, style),
        named(&back.version_id, style)
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
    let (sign, paint) = sign_of(version);
    paint(style.paint, sign)
}

fn sign_of(version: &Version) -> (&'static str, fn(Paint, &str) -> String) {
    match version.operation.as_str() {
        _ if version.previous_path.is_some() => ("→", Paint::cyan),
        "created" => ("+", Paint::green),
        "deleted" => ("-", Paint::red),
        _ => ("~", Paint::yellow),
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

/// Who, for people. A writer that is only likely is said to be. Ids of sessions are short unless every detail is asked for.
pub fn actor(actor: Option<&ActorView>, style: Style) -> String {
    let text = match actor {
        None => return "unknown writer".to_owned(),
        Some(ActorView::SessionActor { session_id, evidence }) => {
            let id = if style.verbose { session_id } else { layout::session(session_id) };
            format!("{}session {id}", likely(evidence))
        }
        Some(ActorView::ApiActor { api_key_id }) => format!("API key {api_key_id}"),
        Some(ActorView::UserActor { user_id }) => user_id.clone(),
        Some(ActorView::ServiceAccountActor { service_account_id }) => {
            format!("service account {service_account_id}")
        }
    };
    visible::line(&text)
}

fn likely(evidence: &str) -> &'static str {
    if matches!(evidence, "stated" | "exact_content") { "" } else { "likely " }
}
