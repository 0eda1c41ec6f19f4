//! `retrace hub policy`, `machines`, `role`, `remove`, `audit` and `doctor`

use super::Ended;
use super::hub::ASKING;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::{Args, Subcommand, ValueEnum};
use retrace_api::commands;
use retrace_api::wire::{
    ApiError, Code, HubAuditReq, HubMachineRef, HubPolicyReq, HubRole, HubRoleReq, Message, Nothing,
};
use retrace_hub::{Check, DoctorOptions, LogFormat, State};
use serde_json::json;
use std::path::PathBuf;

/// Exit code where something is wrong with a hub.
const FINDINGS: Exit = Exit(5);

/// What a machine is to its organisation.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Role {
    /// Everything
    Owner,
    /// Reads, comments and approves the memories of all machines
    Reviewer,
    /// Sends its own memories
    Writer,
    /// Reads metadata and the audit log
    Auditor,
}

impl From<Role> for HubRole {
    fn from(role: Role) -> Self {
        match role {
            Role::Owner => Self::Owner,
            Role::Reviewer => Self::Reviewer,
            Role::Writer => Self::Writer,
            Role::Auditor => Self::Auditor,
        }
    }
}

impl From<Role> for retrace_hub::Role {
    fn from(role: Role) -> Self {
        match role {
            Role::Owner => Self::Owner,
            Role::Reviewer => Self::Reviewer,
            Role::Writer => Self::Writer,
            Role::Auditor => Self::Auditor,
        }
    }
}

/// How log lines of a hub are written.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Log {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

impl From<Log> for LogFormat {
    fn from(log: Log) -> Self {
        match log {
            Log::Text => Self::Text,
            Log::Json => Self::Json,
        }
    }
}

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// Change one key of the policy; only an owner does
    ///
    /// Keys and values:
    ///
    ///     two_person_redaction   true, false
    ///     retention_days.STORE   days by id or name of a store, * for every other; none
    ///     transcripts            nothing, metadata, everything
    ///     required_rules         names with commas between them; none
    ///
    ///     retrace hub policy set retention_days.notes 90
    ///     retrace hub policy set required_rules none
    #[command(verbatim_doc_comment)]
    Set {
        /// The key
        key: String,
        /// Its value from now on
        value: String,
    },
}

/// What is to be examined.
#[derive(Args)]
pub(crate) struct Doctor {
    /// The database, as libpq takes it; the environment variable keeps a password out of the list of processes
    #[arg(long, value_name = "URL", env = "RETRACE_HUB_DATABASE", hide_env_values = true)]
    database: String,
    /// The hub's keys [default: hub.key in the data directory, where it is]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Examine every link and every content; without it the newest of each chain
    #[arg(long)]
    whole: bool,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let policy = match arguments.what {
        None => shell.work(&app, ASKING, || commands::hub_policy(&app, Nothing {}))?,
        Some(What::Set { key, value }) => {
            shell.work(&app, ASKING, || commands::hub_set_policy(&app, HubPolicyReq { key, value }))?
        }
    };
    shell.print_one(&policy, |out, _| print::hub_policy::policy(out, &policy))?;
    Ok(Exit::DONE)
}

pub(crate) fn machines(shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let machines = shell.work(&app, ASKING, || commands::hub_machines(&app, Nothing {}))?;
    listed(&machines, shell)
}

fn listed(machines: &retrace_api::wire::HubMachines, shell: &mut Shell<'_, '_>) -> Ended {
    let (as_json, style) = (shell.json, shell.style());
    shell.print(|out| {
        for machine in &machines.machines {
            if as_json { json::line(out, machine)? } else { print::hub_policy::machine(out, machine, style)? }
        }
        Ok(())
    })?;
    Ok(Exit::DONE)
}

pub(crate) fn set_role(machine: String, role: Role, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let machines = shell
        .work(&app, ASKING, || commands::hub_set_role(&app, HubRoleReq { machine, role: role.into() }))?;
    listed(&machines, shell)
}

pub(crate) fn remove(machine: String, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let machines =
        shell.work(&app, ASKING, || commands::hub_remove_machine(&app, HubMachineRef { machine }))?;
    listed(&machines, shell)
}

pub(crate) fn audit(since: Option<&str>, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let since = shell.time_if_any(since)?;
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        let mut after = None;
        loop {
            let page = commands::hub_audit(
                &app,
                HubAuditReq { since: since.clone(), after, ..HubAuditReq::default() },
            )?;
            for row in &page.rows {
                if as_json { json::line(out, row)? } else { print::hub_policy::audit(out, row, style)? }
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    })?;
    Ok(Exit::DONE)
}

pub(crate) fn doctor(arguments: Doctor, shell: &mut Shell<'_, '_>) -> Ended {
    let Doctor { database, key_file, whole } = arguments;
    let default = shell.options()?.data_dir.join("hub.key");
    let key_file = key_file.or_else(|| default.exists().then_some(default));
    let checks = retrace_hub::doctor(&DoctorOptions { database, key_file, whole, now: None })
        .map_err(|failure| ApiError::new(Code::Internal, Message::verbatim(failure.to_string()), "hub"))?;
    let as_json = shell.json;
    shell.print(|out| {
        for check in &checks {
            if as_json {
                let Check { name, state, found, next } = check;
                let state = state.as_str();
                json::line(out, &json!({ "check": name, "state": state, "found": found, "next": next }))?;
            } else {
                let Check { name, state, found, next } = check;
                print::hub_policy::check(out, state.as_str(), name, found, next)?;
            }
        }
        Ok(())
    })?;
    let harm = checks.iter().any(|check| check.state == State::Error);
    Ok(if harm { FINDINGS } else { Exit::DONE })
}
