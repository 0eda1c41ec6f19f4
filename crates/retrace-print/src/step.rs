//! One row of a review by key: what it is, how it differs, what can be done.

use super::layout::{self, Cell};
use super::names::Names;
use super::paint::Paint;
use super::table::grouped;
use super::time::time;
use super::{Style, count, diff, document, triage, visible, wrap};
use retrace_api::App;
use retrace_api::commands;
use retrace_api::wire::{
    ApiError, ClusterDifference, ClusterDifferenceReq, ClusterLine, Code, DiffReq, DiffResult, DocumentReq,
    FileChange, Finding, InboxItem, ItemVerb, Remedy, Triage, TriageKind, TriageRow, VersionOperation,
};
use std::io::{Result, Write};

/// Members of a row that are named.
const MEMBERS: usize = 8;

/// What a person can press. Each key is one letter, and none begins another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Approves the row.
    Approve,
    /// Rolls it back, or puts back what was deleted.
    RollBack,
    /// Decides each change by itself.
    Split,
    /// Edits the text, then approves it.
    Edit,
    /// Carries out the remedy of its finding.
    Mend,
    /// Leaves it and goes on.
    Next,
    /// Goes back to the row before.
    Previous,
    /// Shows all of it.
    Whole,
    /// Approves what is routine.
    Routine,
    /// Takes the last act back.
    Undo,
    /// Ends the review.
    Quit,
    /// Shows the keys.
    Help,
}

impl Choice {
    /// Its key.
    #[must_use]
    pub const fn key(self) -> char {
        match self {
            Self::Approve => 'y',
            Self::RollBack => 'n',
            Self::Split => 's',
            Self::Edit => 'e',
            Self::Mend => 'm',
            Self::Next => 'j',
            Self::Previous => 'k',
            Self::Whole => 'v',
            Self::Routine => 'a',
            Self::Undo => 'u',
            Self::Quit => 'q',
            Self::Help => '?',
        }
    }

    const fn says(self) -> &'static str {
        match self {
            Self::Approve => "approve; of several, those with errors are left",
            Self::RollBack => "roll back to what you last reviewed; what was deleted is put back",
            Self::Split => "split: decide each change by itself",
            Self::Edit => "edit the text, then approve it",
            Self::Mend => "mend what was found; first it says what it would do",
            Self::Next => "leave it undecided, go on",
            Self::Previous => "go back to the one before",
            Self::Whole => "show the whole difference",
            Self::Routine => "approve all that is routine from here on",
            Self::Undo => "undo what you decided last",
            Self::Quit => "quit; what you decided stays",
            Self::Help => "show this",
        }
    }
}

/// Counts, before the first row.
pub fn begin(out: &mut (impl Write + ?Sized), found: &Triage, style: Style) -> Result<()> {
    writeln!(
        out,
        "{}",
        style.paint.bold(&triage::counts(found.total, found.needs_total, found.routine_total, 0))
    )
}

/// Which row it is, why it is here, when, and where.
pub fn heading(
    out: &mut (impl Write + ?Sized),
    row: &TriageRow,
    (at, of): (usize, usize),
    names: &Names,
    style: Style,
) -> Result<()> {
    let paint = style.paint;
    let amount = match row.versions.len() {
        1 => String::new(),
        many => format!("{}, ", count(many as u64, "change", "changes")),
    };
    let why = triage::why(row, style);
    let why = if row.reason.is_some() { paint.red(&why) } else { why };
    let when = paint.dim(&time(&row.ended_at, style));
    writeln!(out, "\n{}  {amount}{why}  {when}", paint.dim(&format!("({at}/{of})")))?;
    let named = row.items.iter().take(MEMBERS);
    for item in named {
        writeln!(out, "  {} {}", sign(item.verb, style), member(item, names))?;
    }
    let more = row.versions.len().saturating_sub(row.items.len().min(MEMBERS));
    if more > 0 {
        writeln!(out, "  {}", paint.dim(&format!("and {} more", grouped(more as u64))))?;
    }
    if let Some(finding) = &row.finding {
        let severity = super::check::severity(finding, style);
        let rule = paint.dim(&format!("[{}]", visible::line(&finding.rule)));
        writeln!(out, "  {severity}: {} {rule}", visible::line(&finding.message))?;
    }
    let prompt = row.items.first().and_then(|item| item.origin.as_ref()?.prompt.as_deref());
    match prompt {
        Some(prompt) => {
            layout::line(out, 2, &Cell::painted(format!("“{}”", visible::line(prompt)), Paint::dim), style)
        }
        None => Ok(()),
    }
}

fn member(item: &InboxItem, names: &Names) -> String {
    let now = names.place(&item.store_id, item.path.as_deref());
    match &item.previous_path {
        Some(before) => format!("{} → {now}", names.place(&item.store_id, Some(before))),
        None => now,
    }
}

fn sign(verb: ItemVerb, style: Style) -> String {
    match verb {
        ItemVerb::Created => style.paint.green("+"),
        ItemVerb::Deleted => style.paint.red("-"),
        ItemVerb::Moved => style.paint.cyan("→"),
        ItemVerb::Changed => style.paint.yellow("~"),
    }
}

/// The difference of a row, as text: one for all changes that are the same edit, else that of its first change.
pub fn difference(
    app: &App,
    row: &TriageRow,
    names: &Names,
    style: Style,
) -> std::result::Result<Vec<u8>, ApiError> {
    let mut text = Vec::new();
    let written = if row.kind == TriageKind::SameEdit && row.versions.len() > 1 {
        let request = ClusterDifferenceReq { versions: row.versions.clone() };
        cluster(&mut text, &commands::cluster_difference(app, request)?, style)
    } else {
        match row.items.first() {
            Some(item) => one(&mut text, app, item, row.versions.len(), names, style)?,
            None => Ok(()),
        }
    };
    written.map(|()| text).map_err(|error| {
        ApiError::new(Code::Internal, retrace_api::wire::Message::verbatim(error.to_string()), "difference")
    })
}

fn one(
    out: &mut Vec<u8>,
    app: &App,
    item: &InboxItem,
    of: usize,
    names: &Names,
    style: Style,
) -> std::result::Result<Result<()>, ApiError> {
    if of > 1 {
        let first = format!("the first of {}, {}:", grouped(of as u64), member(item, names));
        out.extend(format!("{}\n", style.paint.dim(&first)).into_bytes());
    }
    if let Some(kind) = item.content_kind.filter(|kind| *kind != "text") {
        let kind = visible::line(&kind.replace('_', " "));
        return Ok(writeln!(out, "{}", style.paint.dim(&format!("There are no lines to show: {kind}."))));
    }
    let request = |a: &str, b: Option<&str>| DiffReq {
        a: a.to_owned(),
        b: b.map(str::to_owned),
        words: false,
        context: None,
        highlight: false,
    };
    // As the window compares it: with what was last reviewed; without that, with nothing.
    let compared = match &item.base_version_id {
        Some(base) => commands::diff(app, request(base, Some(&item.version_id))),
        None if item.versions <= 1 || item.verb == ItemVerb::Deleted => {
            commands::diff(app, request(&item.version_id, None))
        }
        None => {
            let request = DocumentReq { target: item.version_id.clone(), highlight: false };
            let document = commands::document(app, request)?;
            let change = FileChange {
                path: item.path.clone().unwrap_or_default(),
                previous_path: None,
                operation: VersionOperation::Created,
                from_sha256: None,
                to_sha256: document.content_sha256.clone(),
                added: 0,
                removed: 0,
                binary: false,
            };
            Ok(DiffResult::File(diff::whole(&document, &item.version_id, &change)))
        }
    };
    match compared {
        Ok(DiffResult::File(file)) => Ok(diff::hunks(out, &file, style)),
        Ok(DiffResult::Store(_)) => Ok(Ok(())),
        Err(error) if error.code == Code::ContentRedacted => {
            Ok(writeln!(out, "{}", style.paint.dim("A side was redacted; there is nothing left to compare.")))
        }
        Err(error) => Err(error),
    }
}

/// One difference for all; what varies stands in `⟨…⟩`, or in reverse video.
fn cluster(out: &mut Vec<u8>, found: &ClusterDifference, style: Style) -> Result<()> {
    let all = format!("one difference for all {}:", grouped(found.members));
    writeln!(out, "{}", style.paint.dim(&all))?;
    for line in &found.lines {
        let (sign, paint): (char, fn(Paint, &str) -> String) = match line.tag.as_str() {
            "insert" => ('+', Paint::green),
            _ => ('-', Paint::red),
        };
        writeln!(out, "{}", paint(style.paint, &format!("{sign}{}", varying(line, style))))?;
    }
    Ok(())
}

fn varying(line: &ClusterLine, style: Style) -> String {
    let (open, close) = if style.paint.is_on() { ("\x1b[7m", "\x1b[27m") } else { ("⟨", "⟩") };
    let marks = document::marks(&line.hidden);
    let is_in =
        |at: usize| line.varies.iter().any(|one| (one.start as usize..one.end as usize).contains(&at));
    let (mut printed, mut inside) = (String::new(), false);
    for (at, letter) in line.text.chars().enumerate() {
        if is_in(at) != inside {
            printed.push_str(if inside { close } else { open });
            inside = !inside;
        }
        match document::mark(&marks, at, letter) {
            Some(mark) => printed.push_str(&mark),
            None => printed.push(letter),
        }
    }
    if inside {
        printed.push_str(close);
    }
    printed
}

/// Rows of a terminal that a row of the review takes without its difference: the heading, the question, and the line that counts what
/// of the difference is left out.
#[must_use]
pub fn rows_around(heading: &[u8], question: &str, columns: usize) -> usize {
    let heading = wrap::lines(&String::from_utf8_lossy(heading), columns);
    let question = wrap::line(question, columns);
    let of = |text: &str| text.lines().map(|line| wrap::rows(line, columns)).sum::<usize>();
    of(&heading) + of(&question) + 1
}

/// As much of a difference as fits so many rows of the terminal, on which a long line takes several; the lines left are counted.
pub fn cut(
    out: &mut (impl Write + ?Sized),
    difference: &[u8],
    most: Option<usize>,
    style: Style,
) -> Result<()> {
    let lines: Vec<&[u8]> = difference.split_inclusive(|byte| *byte == b'\n').collect();
    let (mut left, mut shown) = (most.unwrap_or(usize::MAX), 0);
    for line in &lines {
        let text = String::from_utf8_lossy(line);
        let rows = style.columns.map_or(1, |columns| wrap::rows(text.trim_end_matches('\n'), columns));
        if rows > left {
            // One line that is longer than the screen would push away what it is about.
            if let Some(columns) = style.columns.filter(|_| shown == 0) {
                writeln!(out, "{}", wrap::beginning(text.trim_end_matches('\n'), left * columns))?;
            }
            break;
        }
        out.write_all(line)?;
        left -= rows;
        shown += 1;
    }
    match lines.len() - shown {
        0 => Ok(()),
        more => {
            let more = count(more as u64, "line more", "lines more");
            writeln!(out, "{}", style.paint.dim(&format!("… {more}: v")))
        }
    }
}

/// The question, with the keys that answer it.
pub fn question(row: &TriageRow, (at, of): (usize, usize), choices: &[Choice], style: Style) -> String {
    let keys: Vec<String> = choices.iter().map(|choice| choice.key().to_string()).collect();
    let what = match row.versions.len() {
        1 => "Approve this change".to_owned(),
        many => format!("Approve these {} changes", grouped(many as u64)),
    };
    style.paint.bold(&style.paint.cyan(&format!("({at}/{of}) {what} [{}]?", keys.join(","))))
}

/// What each key does.
pub fn help(out: &mut (impl Write + ?Sized), choices: &[Choice], style: Style) -> Result<()> {
    choices.iter().try_for_each(|choice| {
        writeln!(out, "{} - {}", style.paint.cyan(&choice.key().to_string()), choice.says())
    })
}

/// What came of it.
pub fn end(
    out: &mut (impl Write + ?Sized),
    [approved, rolled_back, mended]: [u64; 3],
    left: u64,
    style: Style,
) -> Result<()> {
    let mut done = Vec::new();
    for (number, what) in [(approved, "approved"), (rolled_back, "rolled back"), (mended, "mended")] {
        if number > 0 {
            done.push(format!("{} {what}", grouped(number)));
        }
    }
    if done.is_empty() {
        done.push("nothing decided".to_owned());
    }
    let left = if left == 0 { "nothing is left".to_owned() } else { format!("{} left", grouped(left)) };
    let undo = if approved + rolled_back > 0 { " (`retrace undo --review` takes the last back)" } else { "" };
    writeln!(out, "{}", style.paint.bold(&format!("{}, {left}{undo}", done.join(", "))))
}

/// True if an act mends the finding.
pub fn can_be_mended(finding: &Finding) -> bool {
    finding.remedies.iter().any(|remedy| !matches!(remedy, Remedy::Open { .. }))
}
