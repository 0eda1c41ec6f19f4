//! Availability of exact counts, and the key for them.

use crate::Lab;
use crate::wire::{ApiError, Code, CounterKeyReq, CounterStatus, Nothing};
use retrace_message::Message;
use std::sync::Arc;

/// Where exact counts would come from, and which calls were made. Calls nothing.
///
/// # Errors
/// `counter_unavailable` when the environment's settings cannot be used.
pub fn counter_status(inner: &Arc<Lab>, _: Nothing) -> Result<CounterStatus, ApiError> {
    inner.lab.counting.status(inner)
}

/// Keeps a key in the system's keyring, or takes it out.
///
/// # Errors
/// `counter_unavailable` when there is no keyring or it refuses, `invalid` for a text that cannot be a key and
/// for a request that says neither or both.
pub fn set_counter_key(inner: &Arc<Lab>, request: CounterKeyReq) -> Result<CounterStatus, ApiError> {
    let keys = &inner.keys;
    // A keyring that cannot be reached for reading cannot be reached for writing.
    let reachable = keys.key().map(drop);
    let unavailable = |cause: String| {
        ApiError::new(Code::CounterUnavailable, crate::wire::sentence(&cause), "keyring")
            .hint(say::set_variable_anthropic_api_key())
    };
    match (request.key, request.remove) {
        // An entry that cannot be read may be replaced or taken out all the same.
        (Some(text), false) => keys.keep(&text).map_err(|cause| match &reachable {
            Ok(()) => ApiError::invalid(crate::wire::sentence(&cause), "key"),
            Err(_) => unavailable(cause),
        })?,
        (None, true) => keys.forget().map_err(unavailable)?,
        _ => {
            return Err(ApiError::invalid(say::provide_key_or_remove_saved(), "key")
                .hint(Message::verbatim("`{\"key\": …}` or `{\"remove\": true}`.")));
        }
    }
    inner.lab.counting.status(inner)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "counter";
    set_variable_anthropic_api_key() => "Set the variable ANTHROPIC_API_KEY for this program instead.",
    provide_key_or_remove_saved() => "Provide a key, or remove the saved one.",
}
