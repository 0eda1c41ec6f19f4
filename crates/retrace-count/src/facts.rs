//! Calls of the vendor's SDK to `count_tokens`, and the limits that are ours.
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
//! - Keys, further tries, waits and redirects: see [`retrace_outbound::facts`].
//! - The request's id is the answer's header `request-id`; errors repeat it as `request_id`.

pub use retrace_outbound::facts::{
    API_VERSION, CONNECT_SECONDS, DEFAULT_BASE_URL, DEFAULT_LONGEST_WAIT_SECONDS, DEFAULT_RETRIES,
    DEFAULT_THREADS, DEFAULT_TIMEOUT_SECONDS, FIRST_WAIT_SECONDS, JITTER, LONGEST_BACKOFF_SECONDS,
    MESSAGE_LIMIT,
};

/// The endpoint, appended to the base URL's path.
pub const PATH: &str = "/v1/messages/count_tokens";
/// Value that the SDK's beta call adds after the caller's values in `anthropic-beta`.
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

/// Bytes of an answer that are read before it is called bad. Ours: a real one has fewer than 200.
pub const ANSWER_LIMIT: u64 = 256 * 1024;
