//! `retrace review` with its commands, two of which have a short name: `retrace approve`, `retrace reject`

use super::Ended;
use super::inbox::{self, Narrowed};
use super::report;
use crate::exit::Exit;
use crate::print;
use crate::print::names::Names;
use crate::print::triage::number;
use crate::shell::{Failure, Shell};
use clap::{ArgGroup, Args, Subcommand};
use retrace_api::App;
use retrace_api::commands::{self, InboxList};
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, Nothing, ReviewReq, ReviewUpToReq, Reviewed, SkipReason, TriageRow};

/// Review changes: list, approve, reject, report
///
/// `retrace inbox`, `retrace approve`, `retrace reject` and `retrace report` are
/// short for the commands of that name here.
///
///     retrace review inbox
///     retrace review all --up-to 2026-11-20T18:00:00Z --dry-run
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Inbox(inbox::Arguments),
    Approve(ApproveArguments),
    Reject(RejectArguments),
    All(UpToArguments),
    Report(report::Arguments),
}

/// Approve changes as they stand
///
/// A memory that changed since you looked is left in the inbox, and the
/// command exits with 4 after it did the others. Of several, those with findings
/// of severity error are left too: name one alone, or say --with-findings. What
/// is approved, what is left and what the rules found among them is said first;
/// `retrace undo --review` takes the whole approval back.
///
///     retrace approve 824
///     retrace approve --group 824
///     retrace approve --group group_1284 --with-findings
#[derive(Args)]
#[command(verbatim_doc_comment, group = ArgGroup::new("what").required(true).args(["versions", "group"]))]
pub(crate) struct ApproveArguments {
    #[command(flatten)]
    items: Items,
    /// Of several, approve also those with findings of severity error
    #[arg(long)]
    with_findings: bool,
}

/// Reject changes: restore what you last reviewed
///
/// A memory that is new is deleted, a deleted one is restored. What is replaced
/// stays in the log. A file that changed since you looked is never overwritten,
/// nor is one that is too large to be kept: it is left, and the command exits
/// with 4 after it did the others.
///
///     retrace reject 824 --dry-run
///     retrace reject --group group_1284 --note "made up"
#[derive(Args)]
#[command(verbatim_doc_comment, group = ArgGroup::new("what").required(true).args(["versions", "group"]))]
pub(crate) struct RejectArguments {
    #[command(flatten)]
    items: Items,
}

#[derive(Args)]
struct Items {
    /// Newest versions of the memories, as `retrace inbox` lists them, by number or id
    #[arg(value_name = "VERSION")]
    versions: Vec<String>,
    /// Everything in this group, as the inbox listed it; or in a line of it, by the number it begins with
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    note: Option<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

/// Approve everything recorded up to a point
///
/// The point is a version, the number of an operation, or a time; it and all
/// that was recorded before it counts. A memory that changed after it stays in
/// the inbox, and so does one with findings of severity error, unless you say
/// --with-findings. What is approved, what is left and what the rules found
/// among them is said first; `retrace undo --review` takes all of it back.
///
///     retrace review all --up-to 2026-11-20T18:00:00Z --dry-run
///     retrace review all --up-to 2026-11-20T18:00:00Z
///     retrace review all --up-to memver_00000cw4zj9kq2m7x1b3a --store notes
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct UpToArguments {
    /// The last thing that is reviewed: a version by id, an operation by number (`retrace log -v` prints both), or a time (2h ago, today, 14:00, 2026-11-26, RFC 3339)
    #[arg(long, value_name = "VERSION|SEQ|TIME")]
    up_to: String,
    /// Only in this store, by id, name or directory
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// Only what `retrace inbox --kind` lists
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Approve also memories with findings of severity error
    #[arg(long)]
    with_findings: bool,
    /// Why
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    note: Option<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    match arguments.action {
        Action::Inbox(arguments) => inbox::run(arguments, shell),
        Action::Approve(arguments) => approve(arguments, shell),
        Action::Reject(arguments) => reject(arguments, shell),
        Action::All(arguments) => up_to(arguments, shell),
        Action::Report(arguments) => report::run(arguments, shell),
    }
}

pub(crate) fn approve(arguments: ApproveArguments, shell: &mut Shell<'_, '_>) -> Ended {
    review(("approve", "Approved"), arguments.items, arguments.with_findings, shell)
}

pub(crate) fn reject(arguments: RejectArguments, shell: &mut Shell<'_, '_>) -> Ended {
    review(("reject", "Rejected"), arguments.items, false, shell)
}

fn review(
    (verdict, what): (&str, &str),
    items: Items,
    with_findings: bool,
    shell: &mut Shell<'_, '_>,
) -> Ended {
    let app = shell.app()?;
    let versions = match &items.group {
        Some(group) => versions_of(&app, group)?,
        None => items.versions,
    };
    let request = ReviewReq {
        versions,
        verdict: verdict.to_owned(),
        note: items.note,
        dry_run: items.dry_run,
        with_findings,
        ..ReviewReq::default()
    };
    if verdict == "approve" && request.versions.len() > 1 && !request.dry_run && tells_first(shell) {
        let plan = commands::review(&app, ReviewReq { dry_run: true, ..request.clone() })?;
        tell_first(&plan, shell)?;
    }
    let reviewed = commands::review(&app, request)?;
    let ended = end_of_review(&app, what, &reviewed, shell)?;
    match rejects_nothing(verdict, &reviewed) {
        Some(error) => Err(Failure::Api(error)),
        None => Ok(ended),
    }
}

/// The error of a rejection that put nothing back, since all was reviewed before. To approve again is none: it stands.
fn rejects_nothing(verdict: &str, reviewed: &Reviewed) -> Option<ApiError> {
    let first = reviewed.skipped.first().filter(|_| verdict == "reject" && reviewed.done.is_empty())?;
    let all_reviewed = reviewed.skipped.iter().all(|item| item.reason == SkipReason::AlreadyReviewed);
    all_reviewed.then(|| {
        ApiError::new(
            Code::HeadMoved,
            first.message.clone(),
            first.path.clone().unwrap_or_else(|| first.version_id.clone()),
        )
        .hint(Message::verbatim(
            "Nothing was put back. `retrace undo --review` takes your newest review back; `retrace rollback STORE:PATH --to VERSION` \
             puts an earlier version back.",
        ))
    })
}

pub(crate) fn up_to(arguments: UpToArguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let UpToArguments { up_to, store, kind, with_findings, note, dry_run } = arguments;
    let up_to = if up_to.starts_with(VERSION) { up_to } else { shell.instant(&up_to)? };
    let ticked = Vec::new();
    let request = ReviewUpToReq { up_to, store, kind, with_findings, ticked, note, dry_run };
    if !dry_run && tells_first(shell) {
        let plan = commands::review_up_to(&app, ReviewUpToReq { dry_run: true, ..request.clone() })?;
        tell_first(&plan, shell)?;
    }
    let reviewed = commands::review_up_to(&app, request)?;
    end_of_review(&app, "Reviewed", &reviewed, shell)
}

/// How ids of versions begin.
const VERSION: &str = "memver_";

/// True if what several approvals come to is printed before they are made. The one object of `--json` holds it.
fn tells_first(shell: &Shell<'_, '_>) -> bool {
    !shell.json && !shell.quiet
}

fn tell_first(plan: &Reviewed, shell: &mut Shell<'_, '_>) -> Result<(), Failure> {
    let style = shell.style();
    match &plan.approval {
        Some(approval) => shell.print(|out| print::inbox::approval(out, approval, style)),
        None => Ok(()),
    }
}

/// Lines that an error names where several are meant.
const CANDIDATES: usize = 5;

/// The versions of a group of the inbox, as it was listed; or those of a line, by the number it begins with, or by its id or a
/// beginning of it.
fn versions_of(app: &App, group: &str) -> Result<Vec<String>, ApiError> {
    let list = InboxList::read(app.review(), &Narrowed::of_group(group).request())?;
    if let Some(versions) = list.versions(app.review(), group)? {
        return Ok(versions);
    }
    let failure = |code, message: &str, hint: String| ApiError {
        code,
        message: Message::verbatim(message),
        hint: Message::verbatim(hint),
        subject: group.to_owned(),
    };
    let rows = inbox::rows(&Narrowed::default(), app)?;
    let is_meant = |row: &&TriageRow| number(row) == group || row.id.starts_with(group);
    let all = rows.needs.into_iter().chain(rows.routine);
    let mut found: Vec<TriageRow> = all.filter(|row| !group.is_empty() && is_meant(&row)).collect();
    match found.len() {
        0 => Err(failure(
            Code::NotFound,
            "There is no such group in the inbox.",
            "A group that changed has another name: look at `retrace inbox` again.".to_owned(),
        )),
        1 => Ok(found.remove(0).versions),
        _ => {
            let names: Vec<&str> = found.iter().take(CANDIDATES).map(|row| row.id.as_str()).collect();
            let hint = format!("One of: {}.", names.join(", "));
            Err(failure(Code::Invalid, "Several lines of the inbox have an id that begins so.", hint))
        }
    }
}

/// Prints what a review did. Items that changed meanwhile are a failure all the same: the caller of a script must notice.
pub(super) fn end_of_review(app: &App, what: &str, reviewed: &Reviewed, shell: &mut Shell<'_, '_>) -> Ended {
    let failure = reviewed.conflict_error();
    // A preview is the answer, so that it is printed with --quiet too.
    if shell.json || !shell.quiet || reviewed.dry_run || failure.is_some() {
        let names = if shell.json { Names::default() } else { Names::of(commands::stores(app, Nothing {})?) };
        shell.print_one(reviewed, |out, style| print::inbox::reviewed(out, what, reviewed, &names, style))?;
    }
    match failure {
        Some(error) => Err(Failure::Api(error)),
        None => Ok(Exit::DONE),
    }
}
