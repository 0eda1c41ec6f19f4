//! `retrace hub sign-in` and `sign-out`

use super::Ended;
use super::hub_policy::Role;
use crate::exit::Exit;
use crate::print;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::{ApiError, Code, HubSignInReq, Message, Nothing};
use retrace_hub::{People, ProviderOptions};
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

/// Seconds more between two questions once the provider said that they come too fast; RFC 8628 has this number.
const SLOWER: u64 = 5;

/// The identity provider of a hub.
#[derive(Args)]
pub(crate) struct Provider {
    /// Identity provider at which people sign in: its issuer, exactly as it names itself; none: no provider from now on
    ///
    /// Kept in the database: all processes and later starts have it.
    #[arg(long, value_name = "URL")]
    oidc_issuer: Option<String>,
    /// The hub's client id at the provider
    #[arg(long, value_name = "ID", requires = "oidc_issuer")]
    oidc_client_id: Option<String>,
    /// File with the client's secret, where the provider wants one; each process has it
    #[arg(long, value_name = "FILE")]
    oidc_client_secret_file: Option<PathBuf>,
    /// Take only people with a verified address in this domain; may be given several times
    #[arg(long, value_name = "DOMAIN", requires = "oidc_issuer")]
    oidc_allowed_domain: Vec<String>,
    /// Hours that a sign-in lasts
    #[arg(long, value_name = "HOURS", default_value_t = 12, requires = "oidc_issuer")]
    oidc_hours: u32,
    /// Let these people sign in in the hub's window without a token, as reviewer, writer or auditor
    #[arg(long, value_enum, value_name = "ROLE", hide_possible_values = true, requires = "oidc_issuer")]
    oidc_window_role: Option<Role>,
}

impl Provider {
    /// What a start of the hub is told, and the file of the secret.
    pub(crate) fn told(self) -> (People, Option<PathBuf>) {
        let people = match self.oidc_issuer {
            None => People::AsBefore,
            Some(issuer) if issuer == "none" => People::NoProvider,
            Some(issuer) => People::Of(ProviderOptions {
                issuer,
                client_id: self.oidc_client_id.unwrap_or_default(),
                domains: self.oidc_allowed_domain,
                hours: self.oidc_hours,
                window_role: self.oidc_window_role.map(Into::into),
            }),
        };
        (people, self.oidc_client_secret_file)
    }
}

pub(crate) fn sign_in(shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    shell.io.stop.listen();
    let begun = commands::hub_sign_in(&app, Nothing {})?;
    let shown = json!({
        "verification_uri": begun.verification_uri,
        "verification_uri_complete": begun.verification_uri_complete,
        "user_code": begun.user_code,
        "expires_at": begun.expires_at,
    });
    shell.print_one(&shown, |out, _| print::hub_people::begun(out, &begun))?;
    let mut wait = u64::from(begun.interval_seconds);
    loop {
        let asked = commands::hub_finish_sign_in(&app, HubSignInReq { handle: begun.handle.clone() })?;
        if let Some(person) = &asked.signed_in {
            shell.print_one(person, |out, _| print::hub_people::signed_in(out, person))?;
            return Ok(Exit::DONE);
        }
        if asked.slower {
            wait += SLOWER;
        }
        if shell.io.stop.wait(Duration::from_secs(wait)) {
            let message = Message::verbatim("The sign-in was stopped; nobody signed in.");
            return Err(ApiError::new(Code::Busy, message, "hub").into());
        }
    }
}

pub(crate) fn sign_out(shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    commands::hub_sign_out(&app, Nothing {})?;
    shell.print_one(&json!({ "signed_in": null }), |out, _| writeln!(out, "Nobody is signed in here."))?;
    Ok(Exit::DONE)
}
