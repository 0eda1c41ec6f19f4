//! `retrace rollback`, and what every act on files has in common

use super::Ended;
use crate::exit::Exit;
use crate::print;
use crate::print::names::Names;
use crate::shell::{Failure, Shell};
use clap::{ArgGroup, Args};
use retrace_api::wire::Message;
use retrace_api::wire::{ActResult, ApiError, Code, Nothing, Receipt, RollbackReq};
use retrace_api::{App, commands};

/// Roll back a memory, a session or an operation
///
/// Nothing is lost: what is replaced is recorded first, and `retrace undo`
/// takes the rollback back. A file that changed meanwhile is never
/// overwritten: the command then does nothing and exits with 4.
///
/// With --session, changes that the session is only likely to have made (by
/// time alone, or by the file's front matter) are listed and stay as they are
/// unless they are included.
///
///     retrace rollback notes:api/auth.md --to 824
///     retrace rollback --session 5f3c --dry-run
#[derive(Args)]
#[command(
    verbatim_doc_comment,
    override_usage = "retrace rollback [OPTIONS] <STORE:PATH> --to <VERSION>\n       \
                      retrace rollback [OPTIONS] --session <ID>\n       \
                      retrace rollback [OPTIONS] --operation <SEQ>",
    group = ArgGroup::new("what").required(true).args(["to", "session", "operation"])
)]
pub(crate) struct Arguments {
    /// The memory to put back, with --to
    #[arg(value_name = "STORE:PATH", requires = "to", conflicts_with_all = ["session", "operation"])]
    memory: Option<String>,
    /// To this version, by number or id
    #[arg(long, value_name = "VERSION", requires = "memory")]
    to: Option<String>,
    /// Take back what this session wrote; the beginning of its id will do
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// With --session, also what it is only likely to have written
    #[arg(long, requires = "session")]
    include_likely: bool,
    /// With --session, this version of what it is only likely to have written
    #[arg(long, value_name = "VERSION", requires = "session")]
    include: Vec<String>,
    /// With --session, leave this version as it is
    #[arg(long, value_name = "VERSION", requires = "session")]
    except: Vec<String>,
    /// Take back what this operation changed
    #[arg(long, value_name = "SEQ")]
    operation: Option<u64>,
    /// With --operation, only what it did to the memory at this path
    #[arg(long, value_name = "PATH", requires = "operation")]
    path: Option<String>,
    /// With --operation, only what it deleted
    #[arg(long, requires = "operation")]
    deleted: bool,
    /// Only if the file has this hash now [default: that of its newest version]
    #[arg(long, value_name = "SHA256", requires = "to", conflicts_with_all = ["session", "operation"])]
    expect: Option<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let Arguments {
        memory,
        to,
        session,
        include_likely,
        include,
        except,
        operation,
        path,
        deleted,
        expect,
        dry_run,
    } = arguments;
    let request = RollbackReq {
        memory,
        to,
        session,
        include_likely,
        include,
        except,
        operation_seq: operation,
        path,
        deleted,
        expect,
        dry_run,
    };
    let result = commands::rollback(&app, request)?;
    end_of_act(&app, "Rollback", &result, shell)
}

/// Prints what an act did. Conflicts and a pending purge are failures all the same: the caller of a script must notice.
pub(super) fn end_of_act(app: &App, what: &str, result: &ActResult, shell: &mut Shell<'_, '_>) -> Ended {
    let failure = result.conflict_error().or_else(|| result.choice_error()).or_else(|| pending(result));
    // A preview is the answer, so that it is printed with --quiet too.
    if shell.json || !shell.quiet || result.dry_run || failure.is_some() {
        let names = if shell.json { Names::default() } else { Names::of(commands::stores(app, Nothing {})?) };
        shell.print_one(result, |out, style| print::act::act(out, what, result, &names, style))?;
    }
    match failure {
        Some(error) => Err(Failure::Api(error)),
        None => Ok(Exit::DONE),
    }
}

fn pending(result: &ActResult) -> Option<ApiError> {
    unfinished(result.receipt.as_ref()?)
}

/// Failure where a redaction is not done: its purge is pending, or a place of the log's own still holds it.
pub(super) fn unfinished(receipt: &Receipt) -> Option<ApiError> {
    if receipt.purge == "pending" {
        return Some(purge_pending(receipt));
    }
    let mut left = receipt.places.iter().filter(|place| place.owned && place.state == "left").peekable();
    left.peek()?;
    // A place without hits is one that was not searched.
    let message = match left.any(|place| place.hits > 0) {
        true => "The content is redacted, but the log still holds it elsewhere.",
        false => "The content is redacted, but not every place could be searched for it.",
    };
    Some(ApiError {
        code: Code::PurgePending,
        message: Message::verbatim(message),
        hint: Message::verbatim("The receipt names each place, and what takes it out of there."),
        subject: receipt.id.clone(),
    })
}

/// The redaction is done, but its bytes are still in the files.
fn purge_pending(receipt: &Receipt) -> ApiError {
    // A purge that failed has a warning that says why.
    let has_failed = receipt.warnings.iter().any(|warning| warning.id().ends_with(PURGE_FAILED));
    let why = match has_failed {
        true => "The receipt says why. Mend that",
        false => "Another process reads the log. Close it",
    };
    ApiError {
        code: Code::PurgePending,
        message: Message::verbatim(
            "The content is redacted, but its bytes are still in the database's files.",
        ),
        hint: Message::verbatim(format!("{why}, then run `retrace receipts {} --recheck`.", receipt.id)),
        subject: receipt.id.clone(),
    }
}

/// End of the id of the message that a purge failed.
const PURGE_FAILED: &str = ".purge_could_not_done_yet";
