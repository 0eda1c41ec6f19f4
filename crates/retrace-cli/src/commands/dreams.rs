//! `retrace remote dreams`

use super::Ended;
use super::remote::HostArguments;
use super::tokens::bytes;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::{Args, Subcommand};
use retrace_api::commands;
use retrace_api::wire::{CreateDreamReq, Dream, DreamRef, DreamsReq};
use std::path::PathBuf;

/// List, create, cancel and archive dreams of a host
///
/// Each of these calls the host. To look at what a dream made, mirror its output
/// (`retrace remote add`), compare it with the input (`retrace stores compare`), and take
/// over what is good (`retrace stores accept`).
///
///     retrace remote dreams list
///     retrace stores compare notes dreamt
///     retrace stores accept dreamt notes --path prefs/format.md
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// The dreams of a host, newest first
    ///
    ///     retrace remote dreams list --archived --json
    #[command(verbatim_doc_comment)]
    List {
        #[command(flatten)]
        host: HostArguments,
        /// Archived ones as well
        #[arg(long)]
        archived: bool,
    },
    /// Ask for a dream; it runs at the host and is billed there
    ///
    /// It reads the store at the host. While changes of it are queued here, which
    /// the dream would not read, it is not asked for: push them first.
    ///
    ///     retrace remote dreams create notes --session sesn_01Hx --model claude-opus-5
    #[command(verbatim_doc_comment)]
    Create {
        /// The store to read: a mirror here, or an id at the host
        store: String,
        /// A session to read; repeat it for up to 100
        #[arg(long = "session", value_name = "ID", required = true)]
        sessions: Vec<String>,
        /// Model
        #[arg(long)]
        model: String,
        /// File with its instructions; - for standard input
        #[arg(long, value_name = "FILE")]
        instructions_file: Option<PathBuf>,
        /// Write into the store itself instead of a new one
        #[arg(long)]
        update_existing: bool,
        /// Ask for it although changes are queued here that it does not read
        #[arg(long)]
        without_queued: bool,
        /// Say what would be asked for, and what is queued; calls no host
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        host: HostArguments,
    },
    /// Stop a dream that has not ended
    ///
    ///     retrace remote dreams cancel drm_01Hx
    #[command(verbatim_doc_comment)]
    Cancel {
        /// Its id, drm_…
        dream: String,
        #[command(flatten)]
        host: HostArguments,
    },
    /// Put away a dream that has ended
    ///
    ///     retrace remote dreams archive drm_01Hx
    #[command(verbatim_doc_comment)]
    Archive {
        /// Its id, drm_…
        dream: String,
        #[command(flatten)]
        host: HostArguments,
    },
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let task = "Asking the host";
    let dream = match arguments.action {
        Action::List { host, archived } => {
            let request = DreamsReq { base_url: host.url, include_archived: archived };
            let dreams = shell.work(&app, task, || commands::dreams(&app, request))?;
            return list(&dreams.dreams, shell);
        }
        Action::Create {
            store,
            sessions,
            model,
            instructions_file,
            update_existing,
            without_queued,
            dry_run,
            host,
        } => {
            let instructions = match instructions_file {
                Some(path) => Some(String::from_utf8_lossy(&bytes(&path, shell.io.stdin)?).into_owned()),
                None => None,
            };
            let base_url = host.url;
            let request = CreateDreamReq {
                base_url,
                store,
                sessions,
                model,
                instructions,
                update_existing,
                without_queued,
            };
            if dry_run {
                let plan = commands::plan_dream(&app, request)?;
                shell.print_one(&plan, |out, style| print::dreams::plan(out, &plan, style))?;
                return Ok(Exit::DONE);
            }
            shell.work(&app, task, || commands::create_dream(&app, request))?
        }
        Action::Cancel { dream, host } => {
            shell.work(&app, task, || commands::cancel_dream(&app, DreamRef { base_url: host.url, dream }))?
        }
        Action::Archive { dream, host } => shell
            .work(&app, task, || commands::archive_dream(&app, DreamRef { base_url: host.url, dream }))?,
    };
    shell.print_one(&dream, |out, style| print::dreams::one(out, &dream, style))?;
    Ok(Exit::DONE)
}

fn list(dreams: &[Dream], shell: &mut Shell<'_, '_>) -> Ended {
    if dreams.is_empty() {
        shell.note("The host has no dreams that this key can see.");
    }
    let (as_json, style) = (shell.json, shell.style());
    shell.print(|out| match as_json {
        true => dreams.iter().try_for_each(|dream| json::line(out, dream)),
        false => dreams.iter().try_for_each(|dream| print::dreams::one(out, dream, style)),
    })?;
    Ok(Exit::DONE)
}
