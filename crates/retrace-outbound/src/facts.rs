//! Conventions of the vendor's SDK for its calls, and the limits that are ours.
//!
//! Source of each fact, unless another is given: the Python package `anthropic` 2.11.0 (`_constants.py`,
//! `_base_client.py`, `_client.py`).
//!
//! - `ANTHROPIC_API_KEY` wins over `ANTHROPIC_AUTH_TOKEN`; an empty variable is as good as none.
//! - `ANTHROPIC_CUSTOM_HEADERS` holds `name: value` lines, which win over the SDK's own headers.
//! - Tried again: connection errors and timeouts, and the answers 408, 409, 429 and 500 or more.
//!   `x-should-retry: true` or `false` decides for any status.
//! - The wait: `retry-after-ms`, else `retry-after` as seconds (a fraction is allowed) or as a date, where that is more
//!   than zero; else [`FIRST_WAIT_SECONDS`] · 2ⁿ up to [`LONGEST_BACKOFF_SECONDS`], less up to a quarter of it by
//!   chance.
//! - The SDK follows redirects, without `Authorization` when the host changes. Here none is followed, since the body
//!   is the user's content too.
//! - The SDK also describes itself (`User-Agent`, `X-Stainless-Lang`, `-OS`, `-Runtime` and so on). Those are left
//!   out here, since they would not be true; the user agent is ours.

/// Where calls go when neither the settings nor the environment say otherwise.
pub const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";
/// Value of the header `anthropic-version`.
pub const API_VERSION: &str = "2026-10-21";

/// Seconds of the first wait between two tries.
pub const FIRST_WAIT_SECONDS: f64 = 0.5;
/// Seconds after which the waits grow no more.
pub const LONGEST_BACKOFF_SECONDS: f64 = 8.0;
/// The share of a wait that chance may take off.
pub const JITTER: f64 = 0.25;
/// Seconds to connect.
pub const CONNECT_SECONDS: u64 = 5;

/// Seconds for one whole call. Ours: the SDK waits 600, which serves long answers; what is called here answers in a
/// moment.
pub const DEFAULT_TIMEOUT_SECONDS: u64 = 60;
/// Tries after the first. Ours: the SDK's 2 is meant for one call, while a run shares the account's limit among
/// its threads.
pub const DEFAULT_RETRIES: u32 = 4;
/// Longest wait that a server may ask for, in seconds. Ours: the SDK does whatever it is told, up to 50 days; here
/// a longer one ends the call, and the answer says how long it would have been.
pub const DEFAULT_LONGEST_WAIT_SECONDS: u64 = 60;
/// Calls in the air at the same time during a run. Ours.
pub const DEFAULT_THREADS: usize = 4;
/// Bytes of an answer that are read when a call says nothing else. Ours.
pub const ANSWER_LIMIT: u64 = 256 * 1024;
/// Characters of a server's message that are passed on. Ours.
pub const MESSAGE_LIMIT: usize = 600;
