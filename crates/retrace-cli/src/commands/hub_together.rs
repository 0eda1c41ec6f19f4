//! `retrace hub`: what machines do to each other

use super::Ended;
use super::hub::ASKING;
use crate::exit::Exit;
use crate::input;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::{Args, Subcommand, ValueEnum};
use retrace_api::commands;
use retrace_api::wire::{
    Code, HubAcceptReq, HubAcknowledgeReq, HubApproveReq, HubBackgroundReq, HubCommentRef, HubCommentReq,
    HubDiffReq, HubHistoryReq, HubInboxReq, HubProposal, HubProposalKind, HubProposalRef, HubProposeReq,
    HubRedactionRef, HubShowReq, Nothing,
};
use std::path::PathBuf;

/// On or off.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// On
    On,
    /// Off
    Off,
}

#[derive(Subcommand)]
pub(crate) enum Together {
    /// List what nobody reviewed, on all machines whose contents this one may read
    ///
    /// One line a memory, newest first, with the id of its newest version.
    ///
    ///     retrace hub inbox
    ///     retrace hub inbox --machine laptop --json
    #[command(verbatim_doc_comment)]
    Inbox {
        /// Only this machine, by id or name
        #[arg(long)]
        machine: Option<String>,
    },
    /// List the versions of a memory on all machines
    ///
    /// The store is named by its id, or by a name that any machine gives it; stores
    /// of the same project on other machines are listed with it.
    ///
    ///     retrace hub history notes:keys.md
    #[command(verbatim_doc_comment)]
    History {
        /// STORE:PATH
        memory: String,
    },
    /// Show a version of any machine, its comments and who approved it
    ///
    ///     retrace hub show memver_… --content
    #[command(verbatim_doc_comment)]
    Show {
        /// `memver_…`, or `memver_…@machine_…` where several machines have it
        version: String,
        /// With its content
        #[arg(long)]
        content: bool,
    },
    /// Compare two versions of any machines, or one with the version before it
    ///
    ///     retrace hub diff memver_…
    #[command(verbatim_doc_comment)]
    Diff {
        /// The older version, or the only one
        a: String,
        /// The newer version
        b: Option<String>,
    },
    /// Approve versions of any machine, for everybody
    ///
    /// Each machine notes it in its own log at its next sync, with who approved.
    ///
    ///     retrace hub approve memver_…
    #[command(verbatim_doc_comment)]
    Approve {
        /// The versions
        #[arg(required = true, value_name = "VERSION")]
        versions: Vec<String>,
    },
    /// Comment on a version of any machine, or remove a comment
    ///
    /// `retrace hub show` lists comments with their numbers. Whoever wrote one removes
    /// it; an owner removes any.
    ///
    ///     retrace hub comment memver_… "Which key is this?"
    ///     retrace hub comment --remove 12
    #[command(verbatim_doc_comment)]
    Comment {
        /// The version
        #[arg(required_unless_present = "remove")]
        version: Option<String>,
        /// The text
        #[arg(required_unless_present = "remove")]
        text: Option<String>,
        /// Remove the comment of this number
        #[arg(long, value_name = "NUMBER", conflicts_with_all = ["version", "text"])]
        remove: Option<u64>,
    },
    /// List projects, and the stores that each has on every machine
    ///
    ///     retrace hub projects
    #[command(verbatim_doc_comment)]
    Projects,
    /// Redactions of all machines: how far each reached, with signed receipts
    ///
    /// What one machine redacts is destroyed at the hub, with its key, for all
    /// machines; each of them carries it out at its next sync and signs a receipt.
    ///
    ///     retrace hub redactions
    ///     retrace hub redactions approve order_…
    ///     retrace hub redactions recheck order_…
    #[command(verbatim_doc_comment)]
    Redactions(RedactionArguments),
    /// Acknowledge what the hub warns of; only an owner does
    ///
    /// Without an order: that its database was put back to an earlier state, once you
    /// looked at machines, keys of agents and policy. With one: that machines which
    /// left or were removed will not carry that redaction out.
    ///
    ///     retrace hub acknowledge
    ///     retrace hub acknowledge order_…
    #[command(verbatim_doc_comment)]
    Acknowledge {
        /// `order_…`
        order: Option<String>,
    },
    /// Propose a change to another machine
    ///
    /// The machine carries it out at its next sync where its store accepts proposals,
    /// else once somebody there accepts it. It is a conflict where the live content
    /// is another than the hub knew.
    ///
    ///     retrace hub propose rollback memver_…
    ///     retrace hub propose edit memver_… --file new.md
    ///     retrace hub propose restore laptop notes --at 2026-01-31T12:00:00Z
    #[command(verbatim_doc_comment)]
    Propose {
        #[command(subcommand)]
        what: What,
        /// Why
        #[arg(long, global = true)]
        note: Option<String>,
    },
    /// List proposals; accept, refuse or withdraw one
    ///
    ///     retrace hub proposals
    ///     retrace hub proposals accept proposal_…
    #[command(verbatim_doc_comment)]
    Proposals(ProposalArguments),
    /// Carry out proposals for a store at a sync, without accepting each one
    ///
    ///     retrace hub accept-proposals notes on
    #[command(verbatim_doc_comment)]
    AcceptProposals {
        /// The store
        store: String,
        /// On or off
        #[arg(value_enum, hide_possible_values = true)]
        switch: Switch,
    },
    /// Sync in the background while this machine records; off by default
    ///
    ///     retrace hub background on
    #[command(verbatim_doc_comment)]
    Background {
        /// On or off
        #[arg(value_enum, hide_possible_values = true)]
        switch: Switch,
    },
}

#[derive(Args)]
pub(crate) struct RedactionArguments {
    #[command(subcommand)]
    what: Option<OfRedaction>,
}

#[derive(Subcommand)]
enum OfRedaction {
    /// Approve a redaction that waits for a second person
    ///
    ///     retrace hub redactions approve order_…
    #[command(verbatim_doc_comment)]
    Approve {
        /// `order_…`
        id: String,
    },
    /// Have every machine that carried it out look again at what was left there
    ///
    /// Each looks at its next sync, and signs a new receipt. Take out first what its
    /// own receipt names (`retrace receipts` there).
    ///
    ///     retrace hub redactions recheck order_…
    #[command(verbatim_doc_comment)]
    Recheck {
        /// `order_…`
        id: String,
    },
}

#[derive(Subcommand)]
pub(crate) enum What {
    /// Put a memory back to an earlier version
    ///
    ///     retrace hub propose rollback memver_…
    #[command(verbatim_doc_comment)]
    Rollback {
        /// The version to put it back to
        version: String,
    },
    /// Write another text in the place of a version
    ///
    ///     retrace hub propose edit memver_… --file new.md
    #[command(verbatim_doc_comment)]
    Edit {
        /// The version that is replaced
        version: String,
        /// File with the new text; - for standard input
        #[arg(long, value_name = "FILE")]
        file: PathBuf,
    },
    /// Put a whole store back to an instant
    ///
    ///     retrace hub propose restore laptop notes --at 2026-01-31T12:00:00Z
    #[command(verbatim_doc_comment)]
    Restore {
        /// The machine, by id or name
        machine: String,
        /// The store there, by id or name
        store: String,
        /// 2h (ago), today, 14:00, 2026-11-26, RFC 3339, or the number of an operation there
        #[arg(long)]
        at: String,
    },
}

#[derive(Args)]
pub(crate) struct ProposalArguments {
    #[command(subcommand)]
    what: Option<OfProposal>,
}

#[derive(Subcommand)]
enum OfProposal {
    /// Carry out a proposal for this machine now
    ///
    ///     retrace hub proposals accept proposal_…
    #[command(verbatim_doc_comment)]
    Accept {
        /// `proposal_…`
        id: String,
    },
    /// Refuse a proposal for this machine
    ///
    ///     retrace hub proposals refuse proposal_…
    #[command(verbatim_doc_comment)]
    Refuse {
        /// `proposal_…`
        id: String,
    },
    /// Take back a proposal of this machine
    ///
    ///     retrace hub proposals withdraw proposal_…
    #[command(verbatim_doc_comment)]
    Withdraw {
        /// `proposal_…`
        id: String,
    },
}

pub(crate) fn run(what: Together, shell: &mut Shell<'_, '_>) -> Ended {
    match what {
        Together::Inbox { machine } => inbox(machine.as_deref(), shell),
        Together::History { memory } => history(&memory, shell),
        Together::Show { version, content } => {
            let app = shell.app()?;
            let shown =
                shell.work(&app, ASKING, || commands::hub_show(&app, HubShowReq { version, content }))?;
            shell.print_one(&shown, |out, _| print::hub_together::shown(out, &shown))?;
            Ok(Exit::DONE)
        }
        Together::Diff { a, b } => {
            let app = shell.app()?;
            let diff = shell.work(&app, ASKING, || commands::hub_diff(&app, HubDiffReq { a, b }))?;
            shell.print_one(&diff, |out, style| print::diff::file(out, &diff, style))?;
            Ok(Exit::DONE)
        }
        Together::Approve { versions } => {
            let app = shell.app()?;
            let approved =
                shell.work(&app, ASKING, || commands::hub_approve(&app, HubApproveReq { versions }))?;
            shell.print_one(&approved, |out, _| {
                writeln!(out, "{} approved", print::count(approved.memories, "memory", "memories"))
            })?;
            Ok(Exit::DONE)
        }
        Together::Comment { version, text, remove } => {
            let app = shell.app()?;
            let shown = match remove {
                Some(number) => shell
                    .work(&app, ASKING, || commands::hub_remove_comment(&app, HubCommentRef { number }))?,
                None => {
                    let (version, text) = (version.unwrap_or_default(), text.unwrap_or_default());
                    shell
                        .work(&app, ASKING, || commands::hub_comment(&app, HubCommentReq { version, text }))?
                }
            };
            shell.print_one(&shown, |out, _| print::hub_together::shown(out, &shown))?;
            Ok(Exit::DONE)
        }
        Together::Projects => {
            let app = shell.app()?;
            let list = shell.work(&app, ASKING, || commands::hub_projects(&app, Nothing {}))?;
            shell.print_one(&list, |out, _| print::hub_together::projects(out, &list))?;
            Ok(Exit::DONE)
        }
        Together::Redactions(RedactionArguments { what }) => redactions(what, shell),
        Together::Acknowledge { order } => acknowledge(order, shell),
        Together::Propose { what, note } => propose(what, note, shell),
        Together::Proposals(ProposalArguments { what }) => proposals(what, shell),
        Together::AcceptProposals { store, switch } => {
            let app = shell.app()?;
            let accept = switch == Switch::On;
            let status = commands::hub_accept(&app, HubAcceptReq { store, accept })?;
            shell.print_one(&status, |out, _| print::hub::status(out, &status))?;
            Ok(Exit::DONE)
        }
        Together::Background { switch } => {
            let app = shell.app()?;
            let status = commands::hub_background(&app, HubBackgroundReq { on: switch == Switch::On })?;
            shell.print_one(&status, |out, _| print::hub::status(out, &status))?;
            Ok(Exit::DONE)
        }
    }
}

fn inbox(machine: Option<&str>, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let as_json = shell.json;
    let asked = |after| HubInboxReq { after, limit: None, machine: machine.map(str::to_owned) };
    let mut page = shell.work(&app, ASKING, || commands::hub_inbox(&app, asked(None)))?;
    shell.print_long(|out| {
        loop {
            if let (Some(total), false) = (page.total, as_json) {
                print::hub_together::left(out, total, page.total_is_least)?;
            }
            for item in &page.items {
                if as_json { json::line(out, item)? } else { print::hub_together::item(out, item)? }
            }
            match page.next {
                Some(next) => page = commands::hub_inbox(&app, asked(Some(next)))?,
                None => return Ok(()),
            }
        }
    })?;
    Ok(Exit::DONE)
}

fn history(memory: &str, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let as_json = shell.json;
    let asked = |after| HubHistoryReq { memory: memory.to_owned(), after, limit: None };
    let mut page = shell.work(&app, ASKING, || commands::hub_history(&app, asked(None)))?;
    shell.print_long(|out| {
        loop {
            for item in &page.versions {
                if as_json { json::line(out, item)? } else { print::hub_together::item(out, item)? }
            }
            match page.next {
                Some(next) => page = commands::hub_history(&app, asked(Some(next)))?,
                None => return Ok(()),
            }
        }
    })?;
    Ok(Exit::DONE)
}

fn redactions(what: Option<OfRedaction>, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let list = match what {
        None => shell.work(&app, ASKING, || commands::hub_redactions(&app, Nothing {}))?,
        Some(OfRedaction::Approve { id }) => {
            shell.work(&app, ASKING, || commands::hub_approve_redaction(&app, HubRedactionRef { id }))?
        }
        Some(OfRedaction::Recheck { id }) => {
            shell.work(&app, ASKING, || commands::hub_recheck_redaction(&app, HubRedactionRef { id }))?
        }
    };
    shell.print_one(&list, |out, style| print::hub_together::redactions(out, &list, style))?;
    Ok(Exit::DONE)
}

fn acknowledge(order: Option<String>, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let status = shell.work(&app, ASKING, || commands::hub_acknowledge(&app, HubAcknowledgeReq { order }))?;
    shell.print_one(&status, |out, _| print::hub::status(out, &status))?;
    Ok(Exit::DONE)
}

fn propose(what: What, note: Option<String>, shell: &mut Shell<'_, '_>) -> Ended {
    let nothing = HubProposeReq {
        kind: HubProposalKind::Rollback,
        version: None,
        text: None,
        machine: None,
        store: None,
        at: None,
        note,
    };
    let request = match what {
        What::Rollback { version } => HubProposeReq { version: Some(version), ..nothing },
        What::Edit { version, file } => HubProposeReq {
            kind: HubProposalKind::Edit,
            version: Some(version),
            text: Some(input::read_text(&file, shell.io.stdin)?),
            ..nothing
        },
        What::Restore { machine, store, at } => HubProposeReq {
            kind: HubProposalKind::Restore,
            machine: Some(machine),
            store: Some(store),
            at: Some(shell.instant(&at)?),
            ..nothing
        },
    };
    let app = shell.app()?;
    let made = shell.work(&app, ASKING, || commands::hub_propose(&app, request))?;
    shell.print_one(&made, |out, style| print::hub_together::proposal(out, &made, style))?;
    Ok(Exit::DONE)
}

fn proposals(what: Option<OfProposal>, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let settled = match what {
        None => {
            let list = shell.work(&app, ASKING, || commands::hub_proposals(&app, Nothing {}))?;
            shell.print_one(&list, |out, style| {
                let mut each = list.proposals.iter();
                each.try_for_each(|proposal| print::hub_together::proposal(out, proposal, style))
            })?;
            return Ok(Exit::DONE);
        }
        Some(OfProposal::Accept { id }) => {
            shell.work(&app, ASKING, || commands::hub_accept_proposal(&app, HubProposalRef { id }))?
        }
        Some(OfProposal::Refuse { id }) => {
            shell.work(&app, ASKING, || commands::hub_refuse_proposal(&app, HubProposalRef { id }))?
        }
        Some(OfProposal::Withdraw { id }) => {
            shell.work(&app, ASKING, || commands::hub_withdraw_proposal(&app, HubProposalRef { id }))?
        }
    };
    shell.print_one(&settled, |out, style| print::hub_together::proposal(out, &settled, style))?;
    Ok(exit_of(&settled))
}

fn exit_of(proposal: &HubProposal) -> Exit {
    if proposal.state == "conflict" { Exit::of(Code::HeadMoved) } else { Exit::DONE }
}
