//! `retrace hub agent-token`, `agent-tokens` and `agent-token-revoke`

use super::Ended;
use crate::exit::Exit;
use crate::print;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::{HubAgentTokenRef, HubAgentTokenReq, Nothing};

/// What a key is for.
#[derive(Args)]
pub(crate) struct NewKey {
    /// The memory store that it is for, by id or name
    #[arg(required_unless_present = "all")]
    store: Option<String>,
    /// Every memory store, with the right to make, archive and delete them and to redact
    #[arg(long, conflicts_with = "store")]
    all: bool,
    /// A key that reads only
    #[arg(long)]
    read_only: bool,
    /// Its name: letters, digits, dots, hyphens, underscores [default: made up]
    #[arg(long)]
    name: Option<String>,
}

/// Makes a key and prints it.
pub(crate) fn make(key: NewKey, shell: &mut Shell<'_, '_>) -> Ended {
    let NewKey { store, all: _, read_only, name } = key;
    let app = shell.app()?;
    let made = commands::hub_agent_token(&app, HubAgentTokenReq { store, read_only, name })?;
    shell.note(&format!("The key is {}. It is shown this once.", made.made.id));
    shell.print_one(&made, |out, _| writeln!(out, "{}", made.token))?;
    Ok(Exit::DONE)
}

/// Lists the keys.
pub(crate) fn list(shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let tokens = commands::hub_agent_tokens(&app, Nothing {})?;
    shell.print_one(&tokens, |out, _| print::hub::agent_tokens(out, &tokens))?;
    Ok(Exit::DONE)
}

/// Ends a key.
pub(crate) fn revoke(id: String, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let tokens = commands::hub_agent_token_revoke(&app, HubAgentTokenRef { id })?;
    shell.print_one(&tokens, |out, _| print::hub::agent_tokens(out, &tokens))?;
    Ok(Exit::DONE)
}
