//! How the vendor's SDK calls `count_tokens`, and the limits that are ours.
//!
//! Source of each fact, unless another is given: the Python package `anthropic` 2.11.0. The lines below were
//! recorded by running its `client.messages.count_tokens` and `client.beta.messages.count_tokens` against a local
//! server; the constants were read in its `_constants.py`, `_base_client.py` and `_client.py`.
//!
//! ```text
//! POST /v1/messages/count_tokens            the beta call too: no `?beta=true` is sent
//! Accept: application/json
//! Content-Type: application/json
//! Authorization: Bearer KEY                 for an API key and for an auth token alike; no `x-api-key`
//! anthropic-version: 2026-10-21
//! anthropic-beta: A,B,token-counting-2024-11-01     the beta call only; the caller's values first, as given
//! x-stainless-retry-count: 0                counts up with each further try
//! x-stainless-read-timeout: 600             seconds
//!
//! {"messages":…,"model":…,"context_management":…,"system":…,"thinking":…,"tool_choice":…,"tools":…}
//! ```
//!
//! - Members that were not given are left out. Text is UTF-8, without escapes for other scripts.
//! - The SDK also describes itself (`User-Agent`, `X-Stainless-Lang`, `-OS`, `-Runtime` and so on). Those are left
//!   out here, since they would not be true; the user agent is ours.
//! - `ANTHROPIC_API_KEY` wins over `ANTHROPIC_AUTH_TOKEN`; an empty variable is as good as none.
//! - `ANTHROPIC_CUSTOM_HEADERS` holds `name: value` lines, which win over the SDK's own headers.
//! - Tried again: connection errors and timeouts, and the answers 408, 409, 429 and 500 or more.
//!   `x-should-retry: true` or `false` decides for any status.
//! - The wait: `retry-after-ms`, else `retry-after` as seconds (a fraction is allowed) or as a date, where that is more
//!   than zero; else [`FIRST_WAIT_SECONDS`] · 2ⁿ up to [`LONGEST_BACKOFF_SECONDS`], less up to a quarter of it by
//!   chance.
//! - The SDK follows redirects, without `Authorization` when the host changes. Here none is followed, since the body
//!   is the user's content too.
//! - The request's id is the answer's header `request-id`; errors repeat it as `request_id`.

/// Where calls go when neither the settings nor the environment say otherwise.
pub const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";
/// The endpoint, appended to the base URL's path.
pub const PATH: &str = "/v1/messages/count_tokens";
/// Value of the header `anthropic-version`.
pub const API_VERSION: &str = "2026-10-21";
/// What the SDK's beta call adds after the caller's values in `anthropic-beta`.
pub const COUNTING_BETA: &str = "token-counting-2024-11-01";
/// The beta that the `clear_…` edits need. Source: the vendor's page "Context editing".
pub const CONTEXT_MANAGEMENT_BETA: &str = "context-management-2025-06-27";
/// The beta that the `compact_20260112` edit needs. Source: the vendor's page "Compaction".
pub const COMPACT_EDIT_BETA: &str = "compact-2026-01-12";
/// The beta that the top-level member `compaction` needs. Source: the SDK's compaction runner.
pub const COMPACTION_BETA: &str = "compact-2026-09-04";

/// Members of a message request that the endpoint takes, in the order in which the SDK writes them.
pub const MEMBERS: [&str; 13] = [
    "messages",
    "model",
    "billing_policy",
    "cache_control",
    "compaction",
    "context_management",
    "mcp_servers",
    "output_config",
    "speed",
    "system",
    "thinking",
    "tool_choice",
    "tools",
];
/// Those of [`MEMBERS`] that only the SDK's beta call takes.
pub const BETA_MEMBERS: [&str; 4] = ["billing_policy", "compaction", "context_management", "mcp_servers"];

/// Seconds of the first wait between two tries.
pub const FIRST_WAIT_SECONDS: f64 = 0.5;
/// Seconds after which the waits grow no more.
pub const LONGEST_BACKOFF_SECONDS: f64 = 8.0;
/// The share of a wait that chance may take off.
pub const JITTER: f64 = 0.25;
/// Seconds to connect.
pub const CONNECT_SECONDS: u64 = 5;

/// Seconds for one whole call. Ours: the SDK waits 600, which serves long answers; a count answers in a moment.
pub const DEFAULT_TIMEOUT_SECONDS: u64 = 60;
/// Tries after the first. Ours: the SDK's 2 is meant for one call, while a run shares the account's limit among
/// its threads.
pub const DEFAULT_RETRIES: u32 = 4;
/// Longest wait that a server may ask for, in seconds. Ours: the SDK does whatever it is told, up to 50 days; here
/// a longer one ends the call, and the answer says how long it would have been.
pub const DEFAULT_LONGEST_WAIT_SECONDS: u64 = 60;
/// Calls in the air at the same time during a run. Ours.
pub const DEFAULT_THREADS: usize = 4;
/// Bytes of an answer that are read before it is called bad. Ours: a real one has fewer than 200.
pub const ANSWER_LIMIT: u64 = 256 * 1024;
/// Characters of a server's message that are passed on. Ours.
pub const MESSAGE_LIMIT: usize = 600;
