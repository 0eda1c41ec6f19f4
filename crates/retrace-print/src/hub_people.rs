//! People who sign in at the identity provider of a hub.

use super::visible;
use retrace_api::wire::{HubPerson, HubSignIn};
use std::io::{Result, Write};

/// Where to go, and what to enter there.
pub fn begun(out: &mut dyn Write, begun: &HubSignIn) -> Result<()> {
    let (address, code) = (visible::line(&begun.verification_uri), visible::line(&begun.user_code));
    writeln!(out, "Open {address} and enter the code {code}")?;
    match &begun.verification_uri_complete {
        Some(address) => writeln!(out, "With the code in it: {}", visible::line(address)),
        None => Ok(()),
    }
}

/// A person who acted: who signed in is told from whom a machine names.
pub(crate) fn who(person: &str, verified: bool) -> String {
    let shown = visible::line(person);
    if verified { format!("{shown} (signed in)") } else { shown.to_string() }
}

/// Who signed in.
pub fn signed_in(out: &mut dyn Write, person: &HubPerson) -> Result<()> {
    writeln!(out, "Signed in as {}", line(person))
}

/// A person in one line.
pub(crate) fn line(person: &HubPerson) -> String {
    let shown = visible::line(&person.person);
    let name = match person.name == person.person {
        true => String::new(),
        false => format!("{}, ", visible::line(&person.name)),
    };
    format!("{shown} ({name}until {})", person.ends_at)
}
