//! `retrace hub` and `retrace sync`

use super::{Ended, hub_agents, hub_people, hub_policy, hub_sessions, hub_together, hub_window};
use crate::exit::Exit;
use crate::input;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::{Args, Subcommand, ValueEnum};
use retrace_api::commands;
use retrace_api::wire::{
    ApiError, Code, HubFault, HubJoinReq, HubLeaveReq, HubSend, HubSendReq, HubSyncReq, HubTokenReq,
    HubVersionsReq, Message, Nothing,
};
use retrace_hub::{Failure, HubOptions, TlsFiles};
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

/// What is shown while a hub is asked.
pub(super) const ASKING: &str = "Asking the hub";

/// One history for many machines: serve a hub, join one, use it
///
/// A hub keeps the versions of every machine that joined it, in PostgreSQL.
/// Nothing leaves this machine before it joined; then `retrace sync` sends
/// what each store may send.
///
///     retrace hub serve --database postgresql:///retrace
///     retrace hub join http://127.0.0.1:7900 --token TOKEN
///     retrace sync
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

/// What a store may send.
#[derive(Clone, Copy, ValueEnum)]
enum Send {
    /// Versions and contents
    Everything,
    /// Versions with paths and hashes, no content
    Metadata,
    /// Nothing
    Nothing,
}

impl From<Send> for HubSend {
    fn from(send: Send) -> Self {
        match send {
            Send::Everything => Self::Everything,
            Send::Metadata => Self::Metadata,
            Send::Nothing => Self::Nothing,
        }
    }
}

#[derive(Subcommand)]
enum What {
    /// Serve a hub over a PostgreSQL database, 15 or newer
    ///
    /// Migrates the database, then serves until stopped. The first start prints
    /// the owner's one-time token. Any number of processes may stand before one
    /// database with the same key file. Without the key file no content can be
    /// read: back it up, elsewhere than the database.
    ///
    ///     retrace hub serve --database postgresql:///retrace
    ///     retrace hub serve --database URL --listen 0.0.0.0:7900 --tls-cert c.pem --tls-key k.pem
    ///     retrace hub serve --database URL … --window --host hub.example
    #[command(verbatim_doc_comment)]
    Serve {
        /// The database, as libpq takes it; the environment variable keeps a password out of the list of processes
        #[arg(long, value_name = "URL", env = "RETRACE_HUB_DATABASE", hide_env_values = true)]
        database: String,
        /// Address and port; port 0 takes a free one. Any but a loopback address wants --tls-cert
        #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7900")]
        listen: String,
        /// The hub's keys; made, readable by you only, when missing [default: hub.key in the data directory]
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
        /// The certificate, and those between it and the root, as PEM
        #[arg(long, value_name = "FILE", requires = "tls_key")]
        tls_cert: Option<PathBuf>,
        /// Its private key, as PEM
        #[arg(long, value_name = "FILE", requires = "tls_cert")]
        tls_key: Option<PathBuf>,
        /// Make one more token for an owner, where the first was lost
        #[arg(long)]
        new_owner_token: bool,
        /// The token that /metrics wants; without one, /metrics is there on a loopback address alone
        #[arg(long, value_name = "FILE")]
        metrics_token_file: Option<PathBuf>,
        /// Write log lines to standard error, as text or as JSON; they hold no content, path or token
        #[arg(long, value_enum, hide_possible_values = true, value_name = "FORMAT")]
        log: Option<hub_policy::Log>,
        #[command(flatten)]
        window: hub_window::Options,
        #[command(flatten)]
        provider: hub_people::Provider,
    },
    /// Join a hub with a one-time token
    ///
    /// Joining sends the machine's name and public key, nothing of a memory. Then
    /// `retrace sync` sends versions and contents of every store, unless --send or
    /// `retrace hub send` says less.
    ///
    ///     retrace hub join http://127.0.0.1:7900 --token TOKEN
    ///     retrace hub join https://hub.example --token TOKEN --send metadata
    #[command(verbatim_doc_comment)]
    Join {
        /// Address of the hub
        url: String,
        /// The token; the environment variable keeps it out of the list of processes
        #[arg(long, env = "RETRACE_HUB_TOKEN", hide_env_values = true)]
        token: String,
        /// What stores may send for which nothing else is chosen
        #[arg(long, value_enum, default_value = "everything", hide_possible_values = true)]
        send: Send,
        /// Name of this machine [default: the host's]
        #[arg(long)]
        name: Option<String>,
        /// Certificates to believe, as PEM, where the system does not know the hub's
        #[arg(long, value_name = "FILE")]
        ca: Option<PathBuf>,
    },
    /// Leave the hub; what was sent stays there
    ///
    /// Where the hub is not reached, the machine leaves it here all the same and
    /// says so: run it again to tell the hub.
    ///
    ///     retrace hub leave
    #[command(verbatim_doc_comment)]
    Leave {
        /// Forget this machine's key too, so that it joins as another machine next time
        #[arg(long)]
        new_identity: bool,
    },
    /// The hub that this machine joined, and what each store sends
    ///
    ///     retrace hub status
    #[command(verbatim_doc_comment)]
    Status,
    /// Choose what a store may send: everything, metadata, nothing
    ///
    /// `metadata` is versions with paths and hashes, no content. What was sent
    /// before stays at the hub; a redaction takes it away.
    ///
    ///     retrace hub send notes metadata
    ///     retrace hub send --default nothing
    #[command(verbatim_doc_comment)]
    Send {
        /// The store
        #[arg(required_unless_present = "default")]
        store: Option<String>,
        /// What it may send
        #[arg(value_enum, hide_possible_values = true, required_unless_present = "default")]
        send: Option<Send>,
        /// Every store for which nothing is chosen
        #[arg(long, value_enum, hide_possible_values = true, value_name = "SEND", conflicts_with = "store")]
        default: Option<Send>,
    },
    /// List the versions of all machines
    ///
    ///     retrace hub versions --json
    #[command(verbatim_doc_comment)]
    Versions,
    /// Make a one-time token with which one more machine joins
    ///
    ///     retrace hub token
    ///     retrace hub token --role reviewer
    #[command(verbatim_doc_comment)]
    Token {
        /// The role it gives: owner, reviewer, writer or auditor [default: writer]
        #[arg(long, value_enum, hide_possible_values = true, conflicts_with = "owner")]
        role: Option<hub_policy::Role>,
        /// The token of an owner's machine, which makes tokens itself
        #[arg(long)]
        owner: bool,
    },
    /// List the machines of the hub
    ///
    /// Each with its role, when it last called, how far its clock is wrong, and
    /// whether it left.
    ///
    ///     retrace hub machines
    #[command(verbatim_doc_comment)]
    Machines,
    /// Give a machine another role: owner, reviewer, writer, auditor
    ///
    /// An owner does everything. A reviewer reads, comments and approves the
    /// memories of all machines. A writer sends its own; of other machines it
    /// reads no content. An auditor reads metadata and the audit log, no content.
    ///
    ///     retrace hub role laptop reviewer
    #[command(verbatim_doc_comment)]
    Role {
        /// The machine, by name or id
        machine: String,
        /// Its role from now on
        #[arg(value_enum, hide_possible_values = true)]
        role: hub_policy::Role,
    },
    /// Take a machine out of the hub
    ///
    /// What it sent stays. Its key is never taken again; the same computer may
    /// join as another machine (`retrace hub leave --new-identity` there).
    ///
    ///     retrace hub remove old-laptop
    #[command(verbatim_doc_comment)]
    Remove {
        /// The machine, by name or id
        machine: String,
    },
    /// Sign in at the identity provider of the hub
    ///
    /// Prints an address and a code: enter the code there, in any browser. The
    /// hub then knows who acts on this machine, until the sign-in ends.
    ///
    ///     retrace hub sign-in
    #[command(verbatim_doc_comment)]
    SignIn,
    /// Sign out on this machine
    ///
    ///     retrace hub sign-out
    #[command(verbatim_doc_comment)]
    SignOut,
    /// Show the policy of the organisation, or change it
    ///
    ///     retrace hub policy
    ///     retrace hub policy set two_person_redaction true
    ///     retrace hub policy set retention_days.notes 90
    ///     retrace hub policy set transcripts metadata
    #[command(verbatim_doc_comment)]
    Policy(hub_policy::Arguments),
    /// Export the audit log: who did and saw what
    ///
    /// Oldest first. It names machines, people, requests and ids; no content, path
    /// or token. Owners and auditors read it.
    ///
    ///     retrace hub audit --since 2026-11-01 --json
    #[command(verbatim_doc_comment)]
    Audit {
        /// Only what happened then or later: 3d (ago), today, 2026-11-26, RFC 3339
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
    },
    /// Examine the database of a hub, its key file and its chains
    ///
    /// Changes nothing. Each line is ok, a warning or an error with the next step;
    /// an error ends with the exit code 5.
    ///
    ///     retrace hub doctor --database postgresql:///retrace
    ///     retrace hub doctor --database URL --key-file hub.key --whole --json
    #[command(verbatim_doc_comment)]
    Doctor(hub_policy::Doctor),
    /// Make a key with which an agent uses the hub's memory stores
    ///
    /// The hub serves the Memory Stores API at its own address: a client of that
    /// API takes the key as its API key. Whoever has a key of one store reads and
    /// changes its memories.
    ///
    ///     retrace hub agent-token --all --name deploy
    ///     retrace hub agent-token notes --read-only
    #[command(verbatim_doc_comment)]
    AgentToken(hub_agents::NewKey),
    /// List the keys of agents
    ///
    ///     retrace hub agent-tokens
    #[command(verbatim_doc_comment)]
    AgentTokens,
    /// End a key of an agent
    ///
    ///     retrace hub agent-token-revoke apikey_deploy
    #[command(verbatim_doc_comment)]
    AgentTokenRevoke {
        /// Its id
        id: String,
    },
    #[command(flatten)]
    Sessions(hub_sessions::Shared),
    #[command(flatten)]
    Together(hub_together::Together),
}

/// Send the hub what it lacks
///
/// Then carries out here what other machines redacted, and proposals for stores
/// that accept them. Goes on where it stopped, whatever stopped it. A fork, a chain
/// that was cut short or a lost acknowledgement is reported with its next step and
/// ends with the exit code 4.
///
///     retrace sync
///     retrace sync notes
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct SyncArguments {
    /// Only this store
    store: Option<String>,
    /// Send again what the hub acknowledged and has no more, as after a restored backup
    #[arg(long)]
    resend: bool,
}

/// Interval at which a served hub is asked whether it still answers.
const WATCH: Duration = Duration::from_millis(500);

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    match arguments.what {
        What::Serve {
            database,
            listen,
            key_file,
            tls_cert,
            tls_key,
            new_owner_token,
            metrics_token_file,
            log,
            window,
            provider,
        } => {
            if let Some(format) = log {
                retrace_hub::log_to_stderr(format.into());
            }
            let key_file = match key_file {
                Some(file) => file,
                None => shell.options()?.data_dir.join("hub.key"),
            };
            let tls = tls_cert.zip(tls_key).map(|(certificate, key)| TlsFiles { certificate, key });
            let (people, client_secret_file) = provider.told();
            let (beside, window_hours) = window.told()?;
            let options = HubOptions {
                database,
                listen,
                key_file,
                tls,
                new_owner_token,
                metrics_token_file,
                people,
                client_secret_file,
                beside,
                window_hours,
            };
            serve(options, shell)
        }
        What::Join { url, token, send, name, ca } => {
            let certificates = ca.map(|file| input::read_text(&file, shell.io.stdin)).transpose()?;
            let send = Some(send.into());
            let app = shell.app()?;
            let status = shell.work(&app, ASKING, || {
                commands::hub_join(&app, HubJoinReq { url, token, name, send, certificates })
            })?;
            shell.note(&format!("`retrace sync` sends {} of each store.", status.send.as_str()));
            shell.print_one(&status, |out, _| print::hub::status(out, &status))?;
            Ok(Exit::DONE)
        }
        What::Leave { new_identity } => {
            let app = shell.app()?;
            let status =
                shell.work(&app, ASKING, || commands::hub_leave(&app, HubLeaveReq { new_identity }))?;
            shell.print_one(&status, |out, _| print::hub::status(out, &status))?;
            if let Some(problem) = status.not_told.as_ref().filter(|_| !shell.json) {
                shell.warn(&format!("{} {}", problem.message.text(), problem.hint.text()));
            }
            Ok(Exit::DONE)
        }
        What::Status => {
            let app = shell.app()?;
            let status = commands::hub_status(&app, Nothing {})?;
            shell.print_one(&status, |out, _| print::hub::status(out, &status))?;
            Ok(Exit::DONE)
        }
        What::Send { store, send, default } => {
            let app = shell.app()?;
            let Some(send) = send.or(default) else {
                return Err(ApiError::invalid(Message::verbatim("Say what may be sent."), "send").into());
            };
            let status = commands::hub_send(&app, HubSendReq { store, send: send.into() })?;
            shell.print_one(&status, |out, _| print::hub::status(out, &status))?;
            Ok(Exit::DONE)
        }
        What::Versions => versions(shell),
        What::Machines => hub_policy::machines(shell),
        What::Role { machine, role } => hub_policy::set_role(machine, role, shell),
        What::Remove { machine } => hub_policy::remove(machine, shell),
        What::SignIn => hub_people::sign_in(shell),
        What::SignOut => hub_people::sign_out(shell),
        What::Policy(arguments) => hub_policy::run(arguments, shell),
        What::Audit { since } => hub_policy::audit(since.as_deref(), shell),
        What::Doctor(arguments) => hub_policy::doctor(arguments, shell),
        What::Sessions(what) => hub_sessions::run(what, shell),
        What::Together(what) => hub_together::run(what, shell),
        What::AgentToken(key) => hub_agents::make(key, shell),
        What::AgentTokens => hub_agents::list(shell),
        What::AgentTokenRevoke { id } => hub_agents::revoke(id, shell),
        What::Token { owner, role } => {
            let app = shell.app()?;
            let made = shell.work(&app, ASKING, || {
                commands::hub_token(&app, HubTokenReq { owner, role: role.map(Into::into) })
            })?;
            shell.print_one(&made, |out, _| writeln!(out, "{}", made.token))?;
            Ok(Exit::DONE)
        }
    }
}

fn serve(options: HubOptions, shell: &mut Shell<'_, '_>) -> Ended {
    shell.io.stop.listen();
    let hub = retrace_hub::start(options).map_err(|failure| refused(&failure))?;
    let answer = json!({ "url": hub.url(), "owner_token": hub.owner_token() });
    shell.print_one(&answer, |out, _| {
        writeln!(out, "The hub is at {}", hub.url())?;
        match hub.owner_token() {
            Some(token) => writeln!(out, "One-time token of the owner: {token}"),
            None => Ok(()),
        }
    })?;
    while hub.is_running() && !shell.io.stop.wait(WATCH) {}
    hub.stop();
    Ok(Exit::DONE)
}

fn refused(failure: &Failure) -> ApiError {
    let code = match failure {
        Failure::Database(_) => Code::StoreUnavailable,
        Failure::Machine(_) | Failure::Refused(..) => Code::Internal,
        _ => Code::Invalid,
    };
    ApiError::new(code, Message::verbatim(failure.to_string()), "hub").hint(Message::verbatim(failure.hint()))
}

fn versions(shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let as_json = shell.json;
    let asked = |after| HubVersionsReq { after, limit: None };
    let mut page = shell.work(&app, ASKING, || commands::hub_versions(&app, asked(None)))?;
    shell.print_long(|out| {
        loop {
            for version in &page.versions {
                if as_json { json::line(out, version)? } else { print::hub::version(out, version)? }
            }
            match page.next {
                Some(next) => page = commands::hub_versions(&app, asked(Some(next)))?,
                None => return Ok(()),
            }
        }
    })?;
    Ok(Exit::DONE)
}

pub(crate) fn sync(arguments: SyncArguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let SyncArguments { store, resend } = arguments;
    let request = HubSyncReq { store, resend, job: None };
    let synced = shell.work(&app, "Sending", || commands::hub_sync(&app, request))?;
    shell.print_one(&synced, |out, _| print::hub::synced(out, &synced))?;
    for problem in &synced.problems {
        if !shell.json {
            shell.warn(&format!("{} {}", problem.message.text(), problem.hint.text()));
        }
    }
    let stands = synced
        .problems
        .iter()
        .any(|problem| !matches!(problem.code, HubFault::ClockSkew | HubFault::NotSearched));
    Ok(if stands { Exit::of(Code::HeadMoved) } else { Exit::DONE })
}
