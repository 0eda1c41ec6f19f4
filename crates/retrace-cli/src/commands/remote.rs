//! `retrace remote`

use super::context::stoppable;
use super::tokens::bytes;
use super::{Ended, dreams, mounts};
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::{Failure, Shell};
use clap::{Args, Subcommand};
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{
    AddRemoteReq, ApiError, Code, HostKeyReq, HostRef, Nothing, PullReq, Pulled, Pushed, QueuedRef,
    RemoteQueue, RemoteRef, RetryQueuedReq, StoreRef, WithdrawReq,
};
use std::path::PathBuf;

/// Mirror hosted memory stores: pull, push, dreams, mounts
///
/// A mirror holds every version the host still has, and keeps it when the host
/// no longer does. Rollback, redaction and edits of a mirror are queued; nothing
/// of it is sent before `retrace remote push`, which never overwrites a newer
/// edit. The key comes from `retrace remote key set`, or from ANTHROPIC_API_KEY
/// for the API's own address and for ANTHROPIC_BASE_URL. Exits with 7 when a host
/// is not available or refuses, with 4 when a queued change met a newer edit.
/// Memories of a directory come into a hosted store by `retrace stores accept`.
///
///     retrace remote key set < key.txt
///     retrace remote add memstore_01HxAbCdEfGhJkMnPqRsTuVw --name notes
///     retrace remote pull
///     retrace stores accept my-notes notes --dry-run
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// The stores of a host, and which of them are mirrored; calls the host
    ///
    ///     retrace remote list --url https://gateway.example
    #[command(verbatim_doc_comment)]
    List {
        #[command(flatten)]
        host: HostArguments,
    },
    /// Mirror a hosted store from now on, beginning with all its versions
    ///
    /// Ctrl-C stops it without harm; `retrace remote pull` goes on where it was.
    ///
    ///     retrace remote add memstore_01HxAbCdEfGhJkMnPqRsTuVw
    ///     retrace remote add https://gateway.example memstore_01Hx --name notes
    #[command(verbatim_doc_comment, override_usage = "retrace remote add [OPTIONS] [URL] <STORE_ID>")]
    Add {
        /// The store's id at the host; before it the host's base URL, without /v1 [default: the API's own]
        #[arg(value_name = "STORE_ID", required = true, num_args = 1..=2)]
        store: Vec<String>,
        /// A name of your own [default: the host's]
        #[arg(long, allow_hyphen_values = true)]
        name: Option<String>,
    },
    /// The mirrors, their hosts, and the calls this process made; calls no host
    ///
    ///     retrace remote status
    #[command(verbatim_doc_comment)]
    Status,
    /// Bring what is new at the hosts
    ///
    /// Ctrl-C stops it without harm; the next pull goes on where it was.
    ///
    ///     retrace remote pull notes
    #[command(verbatim_doc_comment)]
    Pull {
        /// Id or name of the mirror [default: all]
        store: Option<String>,
        /// Look through all versions for those the host redacted since; otherwise the newest 1,000 and a part of the others
        #[arg(long)]
        full: bool,
    },
    /// Send what is queued, each change only if its memory is still as expected
    ///
    ///     retrace remote push notes --dry-run
    #[command(verbatim_doc_comment)]
    Push {
        /// Id or name of the mirror [default: all]
        store: Option<String>,
        /// Show the queue, and send nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// List queued changes, in the order in which it is sent
    ///
    ///     retrace remote queue --diff
    #[command(verbatim_doc_comment)]
    Queue {
        /// Id or name of the mirror [default: all]
        store: Option<String>,
        /// Show what each change changes
        #[arg(long)]
        diff: bool,
    },
    /// Take queued changes back; the mirror is then as before them
    ///
    ///     retrace remote withdraw 12 13
    #[command(verbatim_doc_comment)]
    Withdraw {
        /// Numbers of `retrace remote queue`
        #[arg(required = true, value_name = "ID")]
        ids: Vec<u64>,
    },
    /// Look at a change that met a newer edit, and queue it once more on what is there now
    ///
    /// Pulls first, then shows what happened at the host since the change was made
    /// and what the change would do to that. With --over it is queued once more,
    /// over the version that was shown and no other; a push sends it then.
    ///
    ///     retrace remote retry 12
    ///     retrace remote retry 12 --over memver_00000cw4zj9kq2m7x1b3a
    #[command(verbatim_doc_comment)]
    Retry {
        /// Number of `retrace remote queue`
        id: u64,
        /// The version that was shown as what is there now; `nothing` where there was none
        #[arg(long, value_name = "VERSION")]
        over: Option<String>,
    },
    /// Queue that a hosted store be archived; once sent, nobody can write it again
    ///
    ///     retrace remote archive notes
    #[command(verbatim_doc_comment)]
    Archive {
        /// Id or name of the mirror
        store: String,
    },
    /// The key for a host: keep one in the system's keyring, or take it out
    ///
    ///     retrace remote key set --url https://gateway.example < key.txt
    #[command(verbatim_doc_comment)]
    Key {
        #[command(subcommand)]
        action: KeyAction,
    },
    Dreams(dreams::Arguments),
    Mounts(mounts::Arguments),
}

#[derive(Subcommand)]
enum KeyAction {
    /// Keep a key, read from standard input or a file; never an argument, which others could see
    ///
    ///     retrace remote key set --key-file key.txt
    #[command(verbatim_doc_comment)]
    Set {
        #[command(flatten)]
        host: HostArguments,
        /// Read it from this file
        #[arg(long, value_name = "FILE", default_value = "-", hide_default_value = true)]
        key_file: PathBuf,
    },
    /// Take the key out
    ///
    ///     retrace remote key forget
    #[command(verbatim_doc_comment)]
    Forget {
        #[command(flatten)]
        host: HostArguments,
    },
}

/// Host to use.
#[derive(Args, Clone)]
pub(super) struct HostArguments {
    /// Base URL of the host, without /v1 [default: the API's own]
    #[arg(long, value_name = "URL")]
    pub(super) url: Option<String>,
}

/// Name of the job; there is one in the process.
const JOB: &str = "Calling the host";

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    match arguments.action {
        Action::List { host } => list(host, shell),
        Action::Add { store, name } => add(store, name, shell),
        Action::Status => status(shell),
        Action::Pull { store, full } => pull(store, full, shell),
        Action::Push { store, dry_run: true } => queue(store, true, shell),
        Action::Push { store, dry_run: false } => push(store, shell),
        Action::Queue { store, diff } => queue(store, diff, shell),
        Action::Withdraw { ids } => {
            let app = shell.app()?;
            let left = commands::withdraw_queued(&app, WithdrawReq { ids })?;
            print_queue(&left, false, shell)
        }
        Action::Retry { id, over: None } => conflict(id, shell),
        Action::Retry { id, over: Some(over) } => {
            let app = shell.app()?;
            let over = Some(over).filter(|over| over != NOTHING);
            let queued = commands::retry_queued(&app, RetryQueuedReq { id, over })?;
            print_queue(&queued, false, shell)
        }
        Action::Archive { store } => {
            let app = shell.app()?;
            let queued = commands::archive_remote(&app, StoreRef { store })?;
            print_queue(&queued, false, shell)
        }
        Action::Key { action } => key(action, shell),
        Action::Dreams(arguments) => dreams::run(arguments, shell),
        Action::Mounts(arguments) => mounts::run(arguments, shell),
    }
}

fn list(host: HostArguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let request = HostRef { base_url: host.url };
    let hosted = shell.work(&app, "Asking the host", || commands::hosted_stores(&app, request))?;
    if hosted.stores.is_empty() {
        shell.note(&format!("{} has no memory stores that this key can see.", hosted.base_url));
    }
    let (as_json, style) = (shell.json, shell.style());
    shell.print(|out| match as_json {
        true => hosted.stores.iter().try_for_each(|store| json::line(out, store)),
        false if hosted.stores.is_empty() => Ok(()),
        false => print::remote::hosted(out, &hosted, style),
    })?;
    Ok(Exit::DONE)
}

fn add(mut words: Vec<String>, name: Option<String>, shell: &mut Shell<'_, '_>) -> Ended {
    let is_url = |word: &String| word.contains("://");
    let base_url = words.iter().position(is_url).map(|at| words.remove(at));
    let remote_id = match (words.pop(), words.is_empty()) {
        (Some(id), true) => id,
        _ => {
            return Err(ApiError {
                code: Code::Invalid,
                message: Message::verbatim(
                    "A store's id is wanted, with the address of its host before it if need be.",
                ),
                hint: Message::verbatim("An address begins with https://, an id with memstore_."),
                subject: words.first().cloned().unwrap_or_default(),
            }
            .into());
        }
    };
    let app = shell.app()?;
    let request = AddRemoteReq { base_url, remote_id, name, job: Some(JOB.to_owned()) };
    let store = stoppable(shell, &app, "Mirroring", JOB, || commands::add_remote(&app, request))?;
    if shell.json || !shell.quiet {
        shell.print_one(&store, |out, _| print::stores::one(out, "mirrored", &store))?;
    }
    stopped(shell, "`retrace remote pull` goes on where it was.");
    Ok(Exit::DONE)
}

fn status(shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let remotes = commands::remotes(&app, Nothing {})?;
    if remotes.stores.is_empty() {
        shell.note("No hosted store is mirrored yet. `retrace remote list` shows what a host has.");
    }
    shell.print_one(&remotes, |out, style| print::remote::status(out, &remotes, style))?;
    Ok(Exit::DONE)
}

fn pull(store: Option<String>, full: bool, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let request = PullReq { store, job: Some(JOB.to_owned()), full };
    let pulled = stoppable(shell, &app, "Pulling", JOB, || commands::pull_remote(&app, request))?;
    if shell.json || !shell.quiet {
        shell.print_one(&pulled, |out, style| print::remote::pulled(out, &pulled, style))?;
    }
    if stopped(shell, "The next pull goes on where it was.") {
        return Ok(Exit::DONE);
    }
    match unfinished(&pulled) {
        Some(error) => Err(Failure::Api(error)),
        None => Ok(Exit::DONE),
    }
}

/// A pull that did not come to its end is a failure all the same: the caller of a script must notice.
fn unfinished(pulled: &Pulled) -> Option<ApiError> {
    let store = pulled.stores.iter().find(|store| store.problem.is_some())?;
    Some(ApiError {
        code: Code::StoreUnavailable,
        message: store.problem.clone().unwrap_or_default(),
        hint: Message::verbatim("Pull again; it goes on where it was."),
        subject: store.name.clone(),
    })
}

fn push(store: Option<String>, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let request = RemoteRef { store, job: Some(JOB.to_owned()) };
    let pushed = stoppable(shell, &app, "Pushing", JOB, || commands::push_remote(&app, request))?;
    if shell.json || !shell.quiet {
        shell.print_one(&pushed, |out, style| print::remote::pushed(out, &pushed, style))?;
    }
    if stopped(shell, "What was not sent is still queued.") {
        return Ok(Exit::DONE);
    }
    match left_over(&pushed) {
        Some(error) => Err(Failure::Api(error)),
        None => Ok(Exit::DONE),
    }
}

/// A change that was not taken is a failure: a newer edit before a host that refuses.
fn left_over(pushed: &Pushed) -> Option<ApiError> {
    let with = |state: &str| pushed.queue.changes.iter().find(|change| change.state == state);
    let subject = |state: &str| {
        with(state).map_or_else(String::new, |change| {
            format!("{}:{}", change.store_name, change.path.as_deref().unwrap_or_default())
        })
    };
    if pushed.conflicts > 0 {
        return Some(ApiError {
            code: Code::HeadMoved,
            message: Message::verbatim(
                "A memory changed at its host since the change was made; it was left as it is.",
            ),
            hint: Message::verbatim(
                "`retrace remote retry ID` shows both, and queues the change once more; `withdraw` drops it.",
            ),
            subject: subject("conflict"),
        });
    }
    let message = pushed.problem.clone().or_else(|| {
        (pushed.failed > 0).then(|| {
            let sentence = with("failed").and_then(|change| change.message.clone());
            sentence.unwrap_or_else(|| Message::verbatim("The host refused a change."))
        })
    })?;
    Some(ApiError {
        code: Code::StoreUnavailable,
        message,
        hint: Message::verbatim("What was not sent is still queued; `retrace remote queue` shows it."),
        subject: subject("failed"),
    })
}

fn queue(store: Option<String>, diff: bool, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let queue = commands::remote_queue(&app, RemoteRef { store, job: None })?;
    print_queue(&queue, diff, shell)
}

fn print_queue(queue: &RemoteQueue, diff: bool, shell: &mut Shell<'_, '_>) -> Ended {
    if queue.changes.is_empty() {
        shell.note("Nothing is queued.");
    }
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        if as_json {
            queue.changes.iter().try_for_each(|change| json::line(out, change))?;
        } else {
            print::remote::queue(out, queue, diff, style)?;
        }
        Ok(())
    })?;
    if !queue.changes.is_empty() {
        shell.note(
            "Nothing of it is sent before `retrace remote push`; `retrace remote withdraw` takes it back.",
        );
    }
    Ok(Exit::DONE)
}

/// Value of --over where nothing is at the host any more.
const NOTHING: &str = "nothing";

fn conflict(id: u64, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let known = commands::queued_conflict(&app, QueuedRef { id })?;
    let request = PullReq { store: Some(known.change.store_id), job: Some(JOB.to_owned()), full: false };
    let pulled = stoppable(shell, &app, "Pulling", JOB, || commands::pull_remote(&app, request))?;
    if let Some(error) = unfinished(&pulled) {
        return Err(Failure::Api(error));
    }
    let now = commands::queued_conflict(&app, QueuedRef { id })?;
    shell.print_one(&now, |out, style| print::remote::conflict(out, &now, style))?;
    let over = now.now_version_id.as_deref().unwrap_or(NOTHING);
    shell.note(&format!("To queue it once more on that: retrace remote retry {id} --over {over}"));
    shell.note(&format!("To leave it as it is there: retrace remote withdraw {id}"));
    Ok(Exit::DONE)
}

fn key(action: KeyAction, shell: &mut Shell<'_, '_>) -> Ended {
    let request = match action {
        KeyAction::Set { host, key_file } => {
            let text = String::from_utf8_lossy(&bytes(&key_file, shell.io.stdin)?).trim().to_owned();
            if text.is_empty() {
                // An absent key means to forget the one there is.
                return Err(ApiError {
                    code: Code::Invalid,
                    message: Message::verbatim("There is no key: what was read is empty."),
                    hint: Message::verbatim("Pipe the key in, or name a file with --key-file."),
                    subject: key_file.display().to_string(),
                }
                .into());
            }
            HostKeyReq { base_url: host.url, key: Some(text), remove: false }
        }
        KeyAction::Forget { host } => HostKeyReq { base_url: host.url, key: None, remove: true },
    };
    let app = shell.app()?;
    let remotes = commands::set_host_key(&app, request)?;
    shell.print_one(&remotes, |out, _| print::remote::hosts(out, &remotes.hosts))?;
    Ok(Exit::DONE)
}

/// Says so when the user stopped the work. Whether they did.
fn stopped(shell: &mut Shell<'_, '_>, then: &str) -> bool {
    let stopped = shell.io.stop.is_requested();
    if stopped {
        shell.warn(&format!("It was stopped before its end. {then}"));
    }
    stopped
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn push_of(conflicts: u64, failed: u64, problem: Option<&str>) -> Option<Code> {
        let pushed = json!({"sent": 0, "conflicts": conflicts, "failed": failed, "operations": [],
            "queue": {"changes": []}, "problem": problem});
        left_over(&serde_json::from_value(pushed).expect("an answer")).map(|error| error.code)
    }

    #[test]
    fn a_push_that_left_something_fails_with_the_code_that_says_why() {
        assert_eq!(push_of(0, 0, None), None);
        assert_eq!(push_of(1, 1, Some("stopped")), Some(Code::HeadMoved));
        assert_eq!(push_of(0, 1, None), Some(Code::StoreUnavailable));
        assert_eq!(push_of(0, 0, Some("The host is not available.")), Some(Code::StoreUnavailable));
    }

    #[test]
    fn a_pull_that_did_not_come_to_its_end_fails() {
        let pulled = |problem: Option<&str>| {
            let store = json!({"store_id": "memstore_1", "name": "notes", "finished": problem.is_none(), "versions": 0,
                "memories": 0, "redacted_at_host": [], "calls": 1, "problem": problem});
            serde_json::from_value::<Pulled>(json!({"stores": [store]})).expect("an answer")
        };
        assert_eq!(unfinished(&pulled(None)), None);
        let error = unfinished(&pulled(Some("The host is not available."))).expect("a failure");
        assert_eq!((error.code.exit_code(), error.subject.as_str()), (7, "notes"));
    }
}
