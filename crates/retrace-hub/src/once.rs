//! A signed request that somebody sends again, within the time in which it is taken, is not carried out again.

use crate::Failure;
use crate::database::{Scoped, now};
use crate::requests::Caller;
use retrace_model::Sha256;
use retrace_sync::messages::{self as m, MAX_SKEW_MICROS};

/// Requests that read, or whose second run does nothing that the first did not. A machine sends them again by itself, on a bad
/// network. What is not here is carried out once.
const REPEATABLE: &[&str] = &[
    "agent_tokens",
    "append",
    "approve",
    "approve_order",
    "audit",
    "clock",
    "contents",
    "copy_refused",
    "decisions",
    // The provider takes a sign-in once.
    "finish_sign_in",
    "head",
    "history",
    "inbox",
    "left",
    "link",
    "machines",
    "name",
    "of_project",
    "orders",
    "policy",
    "projects",
    "proposals",
    "put_entries",
    "put_session_rules",
    "put_sessions",
    "receipt",
    "recheck_order",
    "redact",
    "redactions",
    "revoke_agent_token",
    "said",
    "search",
    "search_sessions",
    "search_texts",
    "session_ledger",
    "session_presence",
    "sessions",
    "sessions_known",
    "settle",
    "show",
    "sign_head",
    "sign_in",
    "told",
    "versions",
    "waiting",
    "withdrawn",
];

/// Notes in the transaction of a request that it is carried out; refuses one that was before.
pub(crate) async fn spend(
    scoped: &Scoped,
    caller: &Caller,
    name: &str,
    signed: &[u8],
    at: i64,
) -> Result<(), Failure> {
    if REPEATABLE.contains(&name) {
        return Ok(());
    }
    let client = scoped.client()?;
    // Two processes of the hub may have different clocks as well.
    let too_old = now().saturating_sub(MAX_SKEW_MICROS.saturating_mul(2));
    client.execute("DELETE FROM spent WHERE org = $1 AND at < $2", &[&&caller.org.0[..], &too_old]).await?;
    let request = Sha256::of(&[&caller.machine.0[..], signed].concat());
    let new = client
        .execute(
            "INSERT INTO spent (org, request, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            &[&&caller.org.0[..], &&request.0[..], &at],
        )
        .await?;
    if new == 1 {
        return Ok(());
    }
    let message = "This request was carried out before, and its answer may have been lost. Look whether it was done before you ask again.";
    Err(Failure::refused(m::REPEATED, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrace_sync::roles::right_of;

    #[test]
    fn every_repeatable_request_is_one() {
        for name in REPEATABLE {
            assert!(right_of(name).is_some(), "{name}");
        }
        for name in ["token", "leave", "role", "set_policy", "agent_token", "comment"] {
            assert!(!REPEATABLE.contains(&name), "{name} does something each time");
        }
    }
}
