//! Acts of a review by key, and what takes them back.

use super::interactive::answer;
use crate::print::names::Names;
use crate::print::{self, count};
use crate::shell::{Failure, Shell};
use retrace_api::wire::{
    ActResult, ApiError, Code, FindingPlace, InboxItem, InboxItemsReq, ItemVerb, Message, MoveEntryReq,
    NeedReason, RedactReq, Remedy, ReviewReq, Reviewed, RollbackReq, Severity, ShowReq, StripCharactersReq,
    TriageKind, TriageRow, UndoReq, UndoReviewReq,
};
use retrace_api::{App, commands};
use std::ffi::OsString;
use std::io::Write as _;
use std::process::Command;

/// Versions that are asked for at once: the API's largest page.
const PAGE: usize = 500;

/// An act on a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Approve,
    ApproveRoutine,
    RollBack,
    Edit,
    Mend,
}

/// What was done so far.
#[derive(Default)]
pub(super) struct Acts {
    done: Vec<Done>,
    /// What nothing takes back.
    for_good: Counts,
}

/// One act, with the rows it was about and the place of the first.
struct Done {
    by: By,
    counts: Counts,
    at: usize,
    rows: Vec<TriageRow>,
}

/// Changes by what was done to them.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) approved: u64,
    pub(super) rolled_back: u64,
    pub(super) mended: u64,
}

impl Counts {
    const fn and(self, other: Self) -> Self {
        Self {
            approved: self.approved + other.approved,
            rolled_back: self.rolled_back + other.rolled_back,
            mended: self.mended + other.mended,
        }
    }
}

/// What takes it back.
enum By {
    Review(u64),
    Operation(u64),
}

/// Where cut lines go when nobody says where.
const ARCHIVE: &str = "archive.md";

impl Acts {
    pub(super) fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    /// What was done and not taken back.
    pub(super) fn counts(&self) -> Counts {
        self.done.iter().fold(self.for_good, |sum, one| sum.and(one.counts))
    }

    /// Does it to rows, of which the first stands at a place. False where the person changed their mind, or nothing came of it.
    pub(super) fn act(
        &mut self,
        app: &App,
        act: Act,
        (at, rows): (usize, &[TriageRow]),
        names: &Names,
        shell: &mut Shell<'_, '_>,
    ) -> Result<bool, Failure> {
        let Some(row) = rows.first() else { return Ok(false) };
        let done = match act {
            Act::Approve | Act::ApproveRoutine => approve(app, act, rows, names, shell),
            Act::RollBack => roll_back(app, row, names, shell),
            Act::Edit => edit(app, row, names, shell),
            Act::Mend => mend(app, row, names, shell),
        };
        match done {
            Ok(Some((by, counts))) => {
                match by {
                    Some(by) => self.done.push(Done { by, counts, at, rows: rows.to_vec() }),
                    None => self.for_good = self.for_good.and(counts),
                }
                Ok(true)
            }
            Ok(None) => Ok(false),
            // A file that cannot be written is no end of the review.
            Err(Failure::Api(error)) => {
                shell.fail(&error);
                Ok(false)
            }
            Err(other) => Err(other),
        }
    }

    /// Takes the newest act back; the place and the rows that are to be decided again.
    pub(super) fn undo(
        &mut self,
        app: &App,
        names: &Names,
        shell: &mut Shell<'_, '_>,
    ) -> Result<Option<(usize, Vec<TriageRow>)>, Failure> {
        let Some(last) = self.done.pop() else { return Ok(None) };
        let undone = match last.by {
            By::Review(seq) => {
                let request = UndoReviewReq { review_seq: Some(seq), dry_run: false };
                commands::undo_review(app, request)
                    .and_then(|reviewed| reviewed.conflict_error().map_or(Ok(reviewed.act), Err))
            }
            By::Operation(seq) => {
                let request = UndoReq { operation_seq: Some(seq), dry_run: false };
                commands::undo(app, request).and_then(|act| act.conflict_error().map_or(Ok(Some(act)), Err))
            }
        };
        let act = match undone {
            Ok(act) => act,
            Err(error) => {
                shell.fail(&error);
                self.done.push(last);
                return Ok(None);
            }
        };
        let style = shell.style();
        shell.print(|out| match &act {
            Some(act) if !(act.writes.is_empty() && act.deletes.is_empty()) => {
                print::act::act(out, "Taken back", act, names, style)
            }
            _ => writeln!(out, "Taken back."),
        })?;
        let mut rows = Vec::new();
        for row in last.rows {
            let left = left_of(app, &row)?;
            if row.versions.len() == 1 || left.len() < row.versions.len() {
                rows.extend(left);
                continue;
            }
            let versions = left.iter().flat_map(|row| row.versions.clone()).collect();
            let items = left.into_iter().flat_map(|row| row.items).take(row.items.len()).collect();
            rows.push(TriageRow { versions, items, ..row });
        }
        Ok(Some((last.at, rows)))
    }
}

/// What an act leaves: how it is taken back, and what it did.
type Outcome = Result<Option<(Option<By>, Counts)>, Failure>;

fn approved(reviewed: &Reviewed) -> (Option<By>, Counts) {
    let counts = Counts { approved: reviewed.done.len() as u64, ..Counts::default() };
    (reviewed.review_seq.map(By::Review), counts)
}

fn approve(app: &App, act: Act, rows: &[TriageRow], names: &Names, shell: &mut Shell<'_, '_>) -> Outcome {
    let request = ReviewReq {
        versions: rows.iter().flat_map(|row| row.versions.clone()).collect(),
        verdict: "approve".to_owned(),
        ..ReviewReq::default()
    };
    if request.versions.len() > 1 {
        let plan = commands::review(app, ReviewReq { dry_run: true, ..request.clone() })?;
        let style = shell.style();
        if let Some(approval) = &plan.approval {
            shell.print(|out| print::inbox::approval(out, approval, style))?;
        }
    }
    if act == Act::ApproveRoutine && !is_meant("Approve what is routine?", shell)? {
        return Ok(None);
    }
    let reviewed = commands::review(app, request)?;
    reviewed_line("Approved", &reviewed, names, shell)?;
    Ok(Some(approved(&reviewed)))
}

fn roll_back(app: &App, row: &TriageRow, names: &Names, shell: &mut Shell<'_, '_>) -> Outcome {
    let request =
        ReviewReq { versions: row.versions.clone(), verdict: "reject".to_owned(), ..ReviewReq::default() };
    // What was deleted is put back, anything else is rolled back: one command, two words.
    let is_deleted = row.items.iter().all(|item| item.verb == ItemVerb::Deleted);
    if row.versions.len() > 1 {
        let plan = commands::review(app, ReviewReq { dry_run: true, ..request.clone() })?;
        let style = shell.style();
        if let Some(files) = &plan.act {
            shell.print(|out| print::act::act(out, "Rollback", files, names, style))?;
        }
        let amount = count(plan.done.len() as u64, "change", "changes");
        let question =
            if is_deleted { format!("Put back {amount}?") } else { format!("Roll back {amount}?") };
        if !is_meant(&question, shell)? {
            return Ok(None);
        }
    }
    let reviewed = commands::review(app, request)?;
    reviewed_line(if is_deleted { "Put back" } else { "Rolled back" }, &reviewed, names, shell)?;
    let counts = Counts { rolled_back: reviewed.done.len() as u64, ..Counts::default() };
    Ok(Some((reviewed.review_seq.map(By::Review), counts)))
}

/// The content in an editor; what comes back is written and approved.
fn edit(app: &App, row: &TriageRow, names: &Names, shell: &mut Shell<'_, '_>) -> Outcome {
    let Some(version) = row.versions.first() else { return Ok(None) };
    let shown = commands::show(app, ShowReq { version: version.clone(), content: true })?;
    let Some(before) = shown.content else { return Ok(None) };
    let path = row.items.first().and_then(|item| item.path.clone()).unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let failed = |error: std::io::Error| ApiError {
        code: Code::CannotWrite,
        message: Message::verbatim(format!("The text cannot be edited: {}.", retrace_api::wire::why(&error))),
        hint: Message::verbatim("VISUAL or EDITOR names the editor."),
        subject: path.clone(),
    };
    let folder = tempfile::tempdir().map_err(failed)?;
    let file = folder.path().join(if name.is_empty() { "memory.md" } else { name });
    std::fs::File::create_new(&file)
        .and_then(|mut file| file.write_all(before.as_bytes()))
        .map_err(failed)?;
    shell.io.stdout.flush()?;
    let ended = editor(shell).arg(&file).status().map_err(failed)?;
    let after = std::fs::read_to_string(&file).map_err(failed)?;
    if !ended.success() || after == before {
        shell.print(|out| writeln!(out, "The text was not changed; nothing is decided."))?;
        return Ok(None);
    }
    let request = ReviewReq {
        versions: vec![version.clone()],
        verdict: "approve".to_owned(),
        text: Some(after),
        ..ReviewReq::default()
    };
    let reviewed = commands::review(app, request)?;
    reviewed_line("Edited and approved", &reviewed, names, shell)?;
    Ok(Some(approved(&reviewed)))
}

/// The editor a person wants: VISUAL, EDITOR, or the system's own.
fn editor(shell: &Shell<'_, '_>) -> Command {
    let wish: Option<&OsString> = ["VISUAL", "EDITOR"].iter().find_map(|name| shell.io.variable(name));
    let usual = OsString::from(if cfg!(windows) { "notepad" } else { "vi" });
    let wish = wish.unwrap_or(&usual);
    if cfg!(windows) {
        return Command::new(wish);
    }
    // It may be a command line; the file comes as its own word.
    let mut line = wish.clone();
    line.push(" \"$@\"");
    let mut command = Command::new("sh");
    command.arg("-c").arg(line).arg("sh");
    command
}

/// The remedy of the row's finding: first what it does, then, when it is meant, the act.
fn mend(app: &App, row: &TriageRow, names: &Names, shell: &mut Shell<'_, '_>) -> Outcome {
    let (Some(finding), Some(item)) = (&row.finding, row.items.first()) else { return Ok(None) };
    let Some(remedy) = finding.remedies.iter().find(|one| !matches!(one, Remedy::Open { .. })) else {
        return Ok(None);
    };
    let (store, path) = (item.store_id.clone(), finding.path.clone());
    let act = |dry_run: bool| -> Result<ActResult, ApiError> {
        let (store, path) = (store.clone(), path.clone());
        match remedy.clone() {
            Remedy::PutBack { operation, path, deleted } => {
                let operation_seq = Some(operation);
                let request = RollbackReq { operation_seq, path, deleted, dry_run, ..RollbackReq::default() };
                commands::rollback(app, request)
            }
            Remedy::StripCharacter { rule, start, .. } => {
                let (rule, start) = (Some(rule), Some(start));
                let request =
                    StripCharactersReq { store, path, rule, start, line: None, expect: None, dry_run };
                commands::strip_characters(app, request)
            }
            Remedy::MoveLines { from, to } => {
                let (line, end_line, to) = (from, Some(to), ARCHIVE.to_owned());
                let request =
                    MoveEntryReq { store, path, line, end_line, to, expect: None, expect_to: None, dry_run };
                commands::move_entry(app, request)
            }
            Remedy::Redact { rule, start } => {
                let finding = Some(FindingPlace { store, path, rule, start });
                let request =
                    RedactReq { finding, live: true, transcripts: true, dry_run, ..RedactReq::default() };
                commands::redact(app, request)
            }
            Remedy::Reach { .. } | Remedy::Open { .. } => Ok(ActResult::default()),
        }
    };
    let (what, question) = match remedy {
        Remedy::PutBack { .. } => ("Put back", "Put it back?"),
        Remedy::StripCharacter { .. } => ("Removal of hidden characters", "Remove them?"),
        Remedy::MoveLines { .. } => ("Move", "Move the lines?"),
        Remedy::Redact { .. } => ("Redaction", "Redact it? It cannot be undone."),
        Remedy::Reach { .. } | Remedy::Open { .. } => return Ok(None),
    };
    let plan = act(true)?;
    let style = shell.style();
    shell.print(|out| print::act::act(out, what, &plan, names, style))?;
    if let Some(error) = plan.conflict_error() {
        return Err(error.into());
    }
    if !is_meant(question, shell)? {
        return Ok(None);
    }
    let done = shell.work(app, what, || act(false))?;
    shell.print(|out| print::act::act(out, what, &done, names, style))?;
    if let Some(error) = done.conflict_error() {
        return Err(error.into());
    }
    // A redaction is not taken back.
    let by = done.operation_seq.filter(|_| !matches!(remedy, Remedy::Redact { .. })).map(By::Operation);
    Ok(Some((by, Counts { mended: row.versions.len() as u64, ..Counts::default() })))
}

fn is_meant(question: &str, shell: &mut Shell<'_, '_>) -> Result<bool, Failure> {
    Ok(answer(&format!("{question} [y,n]"), shell)? == Some('y'))
}

/// The review in a line; what was left of it, with its reason.
fn reviewed_line(
    what: &str,
    reviewed: &Reviewed,
    names: &Names,
    shell: &mut Shell<'_, '_>,
) -> Result<(), Failure> {
    let style = shell.style();
    let is_any =
        |act: &&ActResult| !(act.writes.is_empty() && act.deletes.is_empty() && act.conflicts.is_empty());
    let files = reviewed.act.as_ref().filter(is_any);
    shell.print(|out| {
        let amount = count(reviewed.done.len() as u64, "change", "changes");
        writeln!(out, "{}", style.paint.green(&format!("{what}: {amount}")))?;
        if let Some(act) = files {
            print::act::act(out, "Files", act, names, style)?;
        }
        for item in &reviewed.skipped {
            let place = names.place(&item.store_id, item.path.as_deref());
            let reason = print::visible::line(&item.message);
            writeln!(out, "  {}  {place}: {reason}", style.paint.yellow("left"))?;
        }
        Ok(())
    })
}

/// What is left to review of the memories of a row, each as a row of its own, as it is now.
pub(super) fn left_of(app: &App, row: &TriageRow) -> Result<Vec<TriageRow>, ApiError> {
    let mut rows = Vec::new();
    for page in row.versions.chunks(PAGE) {
        let items = commands::inbox_items(app, InboxItemsReq { versions: page.to_vec() })?.items;
        rows.extend(items.into_iter().map(|item| single(item, row.reason)));
    }
    Ok(rows)
}

/// A change as a row of its own. What needed a decision among others needs it by itself; what has a finding by now does, too.
fn single(item: InboxItem, reason: Option<NeedReason>) -> TriageRow {
    // The worst finding is the one to be mended; notes are none.
    let grave = item.findings.iter().filter(|finding| finding.severity != Severity::Note);
    let finding = grave.max_by_key(|finding| finding.severity == Severity::Error).cloned();
    let found = finding.as_ref().map(|finding| match finding.severity {
        Severity::Error => NeedReason::Error,
        _ => NeedReason::Warning,
    });
    TriageRow {
        id: item.memory_id.clone(),
        kind: TriageKind::Single,
        reason: reason.or(found),
        finding,
        versions: vec![item.version_id.clone()],
        stores: vec![item.store_id.clone()],
        session: item.origin.as_ref().and_then(|origin| origin.session_id.clone()),
        actor: item.created_by.clone(),
        started_at: item.created_at.clone(),
        ended_at: item.created_at.clone(),
        items: vec![item],
    }
}
