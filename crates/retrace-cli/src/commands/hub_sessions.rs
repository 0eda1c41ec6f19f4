//! `retrace hub`: sessions that machines share

use super::Ended;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::{Subcommand, ValueEnum};
use retrace_api::commands;
use retrace_api::wire::{HubAdherenceReq, HubPresenceReq, HubSessionsReq, HubShare, HubShareReq};

/// What the sessions of a store share.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Share {
    /// Nothing
    Nothing,
    /// Times, figures, and where memories and rules stood; no text
    Summary,
    /// The transcripts as well
    Everything,
}

impl From<Share> for HubShare {
    fn from(share: Share) -> Self {
        match share {
            Share::Nothing => Self::Nothing,
            Share::Summary => Self::Summary,
            Share::Everything => Self::Everything,
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum Shared {
    /// Choose what the sessions of a store share: nothing, summary, everything
    ///
    /// Nothing is shared before. `summary` is times, cost, tokens, and what became of
    /// memories and rules in each session, no text of a transcript; `everything` is
    /// the transcripts as well. The hub's policy `transcripts` says what it keeps of
    /// that. What was sent before stays at the hub.
    ///
    ///     retrace hub share-sessions notes summary
    #[command(verbatim_doc_comment)]
    ShareSessions {
        /// The store
        store: String,
        /// What they share
        #[arg(value_enum, hide_possible_values = true)]
        share: Share,
    },
    /// List the shared sessions of all machines
    ///
    ///     retrace hub sessions
    ///     retrace hub sessions --machine laptop --json
    #[command(verbatim_doc_comment)]
    Sessions {
        /// Only this machine, by id or name
        #[arg(long)]
        machine: Option<String>,
    },
    /// In how many sessions of all machines a memory was before a model
    ///
    ///     retrace hub presence notes:keys.md
    #[command(verbatim_doc_comment)]
    Presence {
        /// STORE:PATH
        memory: String,
    },
    /// How the sessions of all machines fared with rules
    ///
    ///     retrace hub adherence
    ///     retrace hub adherence --rule rule_5f3c2a1099aabbcc --json
    #[command(verbatim_doc_comment)]
    Adherence {
        /// One rule, by its id at the hub
        #[arg(long)]
        rule: Option<String>,
    },
}

pub(crate) fn run(what: Shared, shell: &mut Shell<'_, '_>) -> Ended {
    match what {
        Shared::ShareSessions { store, share } => {
            let app = shell.app()?;
            let status = commands::hub_share_sessions(&app, HubShareReq { store, share: share.into() })?;
            shell.print_one(&status, |out, _| print::hub::status(out, &status))?;
            Ok(Exit::DONE)
        }
        Shared::Sessions { machine } => list(machine.as_deref(), shell),
        Shared::Presence { memory } => {
            let app = shell.app()?;
            let presence = commands::hub_presence(&app, HubPresenceReq { memory })?;
            shell.print_one(&presence, |out, _| print::hub_sessions::presence(out, &presence))?;
            Ok(Exit::DONE)
        }
        Shared::Adherence { rule } => {
            let app = shell.app()?;
            let ledger = commands::hub_adherence(&app, HubAdherenceReq { rule })?;
            shell.print_one(&ledger, |out, _| print::hub_sessions::adherence(out, &ledger))?;
            Ok(Exit::DONE)
        }
    }
}

fn list(machine: Option<&str>, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let as_json = shell.json;
    shell.print_long(|out| {
        let mut after = None;
        loop {
            let request = HubSessionsReq { machine: machine.map(str::to_owned), after, limit: None };
            let page = commands::hub_sessions(&app, request)?;
            for session in &page.sessions {
                if as_json { json::line(out, session)? } else { print::hub_sessions::session(out, session)? }
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    })?;
    Ok(Exit::DONE)
}
