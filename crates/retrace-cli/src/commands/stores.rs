//! `retrace stores`

use super::{Ended, accept, discover, snapshot};
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::{Args, Subcommand};
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{
    AddStore, ApiError, Code, MountStoreReq, NewProjectsReq, Nothing, RelocateStoreReq, ShareStoreReq,
    StoreRef,
};
use std::path::Path;
use std::path::PathBuf;

/// Add, remove, pause, share, mount and compare stores
///
/// A store is a directory of memories. Its name, its id and its directory all
/// name it in other commands.
///
///     retrace stores
///     retrace stores add ~/.claude/projects/-home-me-app/memory --name app
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// All stores with their state and size
    ///
    ///     retrace stores list --json
    #[command(verbatim_doc_comment)]
    List,
    /// Record a directory from now on, beginning with what it holds
    ///
    ///     retrace stores add ./memory --kind memory-tool --name notes
    #[command(verbatim_doc_comment)]
    Add {
        /// The directory
        #[arg(value_name = "DIR")]
        root: PathBuf,
        /// Whose memory it is: claude-auto, claude-agent, memory-tool, codex, gemini, letta, openclaw, basic-memory, copilot,
        /// cline, plain [default: as `retrace discover` says, else plain]
        #[arg(long)]
        kind: Option<String>,
        /// A name of your own [default: as `retrace discover` says, else the directory's]
        #[arg(long, allow_hyphen_values = true)]
        name: Option<String>,
    },
    /// Take a store off the list; its history stays, and adding it again brings it back
    ///
    ///     retrace stores remove notes
    #[command(verbatim_doc_comment)]
    Remove {
        /// Id, name or directory
        store: String,
    },
    /// Stop recording a store until it is resumed
    ///
    ///     retrace stores pause notes
    #[command(verbatim_doc_comment)]
    Pause {
        /// Id, name or directory
        store: String,
    },
    /// Record a paused store again
    ///
    ///     retrace stores resume notes
    #[command(verbatim_doc_comment)]
    Resume {
        /// Id, name or directory
        store: String,
    },
    /// Say that the directory which stands at a store's path now is the store's
    ///
    /// For a store in the state "moved": a link or another directory was put in
    /// its place, and nothing in it was read or written since.
    ///
    ///     retrace stores relocate notes --dry-run
    #[command(verbatim_doc_comment)]
    Relocate {
        /// Id, name or directory
        store: String,
        /// Only say how much of what is there the log knows
        #[arg(long)]
        dry_run: bool,
    },
    /// Show a directory's store in the Memory Stores API of `retrace serve`
    ///
    ///     retrace stores share notes
    #[command(verbatim_doc_comment)]
    Share {
        /// Id, name or directory
        store: String,
    },
    /// Show it there no longer
    ///
    ///     retrace stores unshare notes
    #[command(verbatim_doc_comment)]
    Unshare {
        /// Id, name or directory
        store: String,
    },
    /// Keep a directory in step with a store that the Memory Stores API made
    ///
    ///     retrace stores mount notes ./notes
    #[command(verbatim_doc_comment)]
    Mount {
        /// Id or name
        store: String,
        /// An empty directory, made when missing
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    Compare(accept::CompareArguments),
    Accept(accept::AcceptArguments),
    Snapshot(snapshot::Arguments),
    /// Keep it in step no longer; the files stay
    ///
    ///     retrace stores unmount notes
    #[command(verbatim_doc_comment)]
    Unmount {
        /// Id, name or directory
        store: String,
    },
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let mut added = None;
    let (done, store) = match arguments.action.unwrap_or(Action::List) {
        Action::List => return list(shell),
        Action::Compare(arguments) => return accept::compare(&arguments, shell),
        Action::Accept(arguments) => return accept::accept(arguments, shell),
        Action::Snapshot(arguments) => return snapshot::run(arguments, shell),
        Action::Relocate { store, dry_run } => {
            let request = RelocateStoreReq { store, dry_run };
            let done =
                shell.work(&app, "Looking at the directory", || commands::relocate_store(&app, request))?;
            if shell.json || !shell.quiet || dry_run {
                shell.print_one(&done, |out, _| print::stores::relocated(out, &done))?;
            }
            return Ok(Exit::DONE);
        }
        Action::Add { root, kind, name } => {
            let request = AddStore { root: text(&root)?, kind, name };
            let first = commands::status(&app, Nothing {})?.first_run;
            let store = shell.work(&app, "Taking the baseline", || commands::add_store(&app, request))?;
            // What is on the machine beside it is not new later.
            commands::set_new_projects(&app, NewProjectsReq::default())?;
            added = Some(first);
            ("added", store)
        }
        Action::Remove { store } => {
            let store = commands::remove_store(&app, StoreRef { store })?;
            if shell.json || !shell.quiet {
                shell.print_one(&store, |out, _| print::stores::removed(out, &store))?;
            }
            return Ok(Exit::DONE);
        }
        Action::Pause { store } => ("paused", commands::pause_store(&app, StoreRef { store })?),
        Action::Resume { store } => ("resumed", commands::resume_store(&app, StoreRef { store })?),
        Action::Share { store } => {
            ("shared", commands::share_store(&app, ShareStoreReq { store, shared: true })?)
        }
        Action::Unshare { store } => {
            ("no longer shared:", commands::share_store(&app, ShareStoreReq { store, shared: false })?)
        }
        Action::Mount { store, directory } => {
            let request = MountStoreReq { store, directory: Some(text(&directory)?) };
            ("mounted", shell.work(&app, "Writing the files", || commands::mount_store(&app, request))?)
        }
        Action::Unmount { store } => {
            let listed = commands::stores(&app, Nothing {})?.stores;
            let named = listed.into_iter().find(|one| one.id == store || one.name == store);
            let decline = named.into_iter().map(|one| one.root).collect();
            // Its directory is no store's on purpose: not a new project.
            commands::set_new_projects(&app, NewProjectsReq { decline, ..NewProjectsReq::default() })?;
            ("no longer mounted:", commands::mount_store(&app, MountStoreReq { store, directory: None })?)
        }
    };
    if shell.json || !shell.quiet {
        shell.print_one(&store, |out, _| print::stores::one(out, done, &store))?;
    }
    match added {
        Some(true) => discover::opening(&app, shell)?,
        Some(false) => discover::opening_of(&app, &store.id, shell)?,
        None => {}
    }
    Ok(Exit::DONE)
}

fn list(shell: &mut Shell<'_, '_>) -> Ended {
    let stores = commands::stores(&*shell.app()?, Nothing {})?.stores;
    if stores.is_empty() {
        shell.note("No directory is recorded yet. `retrace discover` shows what there is.");
    }
    let (as_json, style) = (shell.json, shell.style());
    shell.print(|out| match as_json {
        true => stores.iter().try_for_each(|store| json::line(out, store)),
        false if stores.is_empty() => Ok(()),
        false => print::stores::table(out, &stores, style),
    })?;
    Ok(Exit::DONE)
}

/// A path as JSON can carry it.
///
/// # Errors
/// [`Code::Invalid`] for a path that is not UTF-8.
pub(super) fn text(path: &Path) -> Result<String, ApiError> {
    path.to_str().map(str::to_owned).ok_or_else(|| ApiError {
        code: Code::Invalid,
        message: Message::verbatim("The path is not UTF-8."),
        hint: Message::verbatim("Reach the directory through a link with another name."),
        subject: path.display().to_string(),
    })
}
