//! What comes before a request is carried out: who claims to ask, and its body.
//!
//! Neither a place among the requests that are carried out nor a connection to the database is held while a body comes. Before it
//! is shown that a machine of the hub signed a request, nobody sends more than a small body.

use crate::Failure;
use crate::database::now;
use crate::requests;
use crate::routes::{Hub, Whence};
use axum::body::{Body, HttpBody as _};
use axum::http::HeaderMap;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_model::{MachineId, OrgId, Sha256};
use retrace_store_api::Refused;
use retrace_store_http::{BODY_TIME, arrived};
use retrace_sync::messages::{self as m, BODY_HEADER, MAX_BODY_BYTES, MAX_SKEW_MICROS};
use retrace_sync::sign::{is_signed, request_text_of};
use std::time::Duration;
use tokio::sync::SemaphorePermit;

/// Bytes of a body that anybody may send before it is known who asks.
pub(crate) const SMALL_BODY: usize = 64 * 1024;

/// Longest time for a large body to arrive: a machine gives up after it.
pub(crate) const LARGE_BODY_TIME: Duration = Duration::from_secs(60);

/// Who claims to ask, and since when the claim is signed.
pub(crate) struct Claim {
    pub(crate) org: OrgId,
    pub(crate) machine: MachineId,
    pub(crate) at: i64,
    signature: Vec<u8>,
    /// Hash of the body, where it was told beside it.
    body: Option<Sha256>,
}

/// A request that is there as a whole.
pub(crate) struct Arrived<'h> {
    pub(crate) body: Vec<u8>,
    /// Who signed it; nobody where that is not wanted yet.
    pub(crate) claim: Option<Claim>,
    /// A large body has a place of its own, until it is let go.
    _large: Option<SemaphorePermit<'h>>,
}

fn claim(headers: &HeaderMap) -> Option<Claim> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    Some(Claim {
        org: OrgId::parse(text("retrace-org")?).ok()?,
        machine: MachineId::parse(text("retrace-machine")?).ok()?,
        at: text("retrace-time")?.parse().ok()?,
        signature: STANDARD.decode(text("retrace-signature")?).ok()?,
        body: text(BODY_HEADER).and_then(Sha256::from_hex),
    })
}

/// True for what is asked before there is a key of a machine.
fn is_unsigned(whence: Whence, name: &str) -> bool {
    let of_windows = ["window_hello", "window_join", "window_sign_in", "window_finish_sign_in"];
    ["hello", "join"].contains(&name) || (whence == Whence::Inside && of_windows.contains(&name))
}

/// Waits for the request, as far as whoever sends it may send.
pub(crate) async fn arrive<'h>(
    hub: &'h Hub,
    whence: Whence,
    path: &str,
    headers: &HeaderMap,
    body: Body,
) -> Result<Arrived<'h>, Failure> {
    let name = path.strip_prefix("/hub/v1/").unwrap_or_default();
    if is_unsigned(whence, name) {
        return Ok(Arrived { body: small(body).await?, claim: None, _large: None });
    }
    let claim = claim(headers).ok_or_else(not_signed)?;
    if now().saturating_sub(claim.at).saturating_abs() > MAX_SKEW_MICROS {
        let message = "The request's time is more than five minutes from the hub's.";
        return Err(Failure::refused(m::CLOCK_SKEW, message));
    }
    let known = hub.database.scoped(claim.org).await?;
    let caller = requests::caller(&known, claim.org, claim.machine).await?;
    known.commit().await?;
    let is_signed = |sha256: &Sha256| {
        is_signed(&caller.public_key, &request_text_of(path, claim.at, sha256), &claim.signature)
    };
    let Some(said) = claim.body else {
        let body = small(body).await?;
        return match is_signed(&Sha256::of(&body)) {
            true => Ok(Arrived { body, claim: Some(claim), _large: None }),
            false => Err(not_signed()),
        };
    };
    if !is_signed(&said) {
        return Err(not_signed());
    }
    let is_large = body.size_hint().upper().is_none_or(|bytes| bytes > SMALL_BODY as u64);
    let large = match is_large {
        true => Some(hub.large_at_once.acquire().await.map_err(|_| about_to_stop())?),
        false => None,
    };
    let body = arrived(body, MAX_BODY_BYTES, LARGE_BODY_TIME).await.map_err(broken)?;
    if Sha256::of(&body) != said {
        let message = "The request is not the one that the machine signed: something changed it on its way.";
        return Err(Failure::refused(m::BAD_SIGNATURE, message));
    }
    Ok(Arrived { body, claim: Some(claim), _large: large })
}

async fn small(body: Body) -> Result<Vec<u8>, Failure> {
    arrived(body, SMALL_BODY, BODY_TIME).await.map_err(|refused| match refused {
        Refused::TooLarge => {
            Failure::refused(m::INVALID, "The request is too large for one that shows no signed hash of it.")
        }
        other => broken(other),
    })
}

fn broken(refused: Refused) -> Failure {
    Failure::refused(
        m::INVALID,
        match refused {
            Refused::TooLarge => "The request is too large.",
            Refused::TooSlow => "The request did not arrive in time.",
            _ => "The request broke off.",
        },
    )
}

pub(crate) fn not_signed() -> Failure {
    Failure::refused(m::BAD_SIGNATURE, "The request is not signed by a machine.")
}

pub(crate) fn about_to_stop() -> Failure {
    Failure::refused(m::UNAVAILABLE, "The hub is about to stop.")
}
