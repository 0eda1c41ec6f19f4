//! Exact counts over the network. Nothing is sent before the user agreed to what would be.

use super::simulations::Variant;
use crate::KeySource;
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Checks forecasts of a setting with `count_tokens`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ConfirmReq {
    /// See [`super::ContextShowReq::transcript`].
    pub transcript: String,
    /// The setting.
    pub variant: Variant,
    /// Indices of the requests to check; chosen where the setting acts when absent.
    #[serde(default)]
    pub requests: Option<Vec<u64>>,
    /// Number of points to choose; 4 when absent.
    #[serde(default)]
    pub points: Option<u64>,
    /// The user saw the plan and agreed. Without it nothing is sent, and only the plan is returned.
    #[serde(default)]
    pub agreed: bool,
    /// Name of the job, for progress and `cancel`.
    #[serde(default)]
    pub job: Option<String>,
}

/// The plan, and what came of it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Confirmed {
    /// Plan of the calls.
    pub plan: ConfirmPlan,
    /// Forecast beside exact. Empty until agreed.
    pub points: Vec<ConfirmedPoint>,
    /// True if it was stopped before its end.
    pub cancelled: bool,
}

/// Plan of calls to a host.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ConfirmPlan {
    /// Calls to make.
    pub calls: u64,
    /// Answers already known.
    pub cached: u64,
    /// Bytes to send.
    pub bytes: u64,
    /// To which address.
    pub base_url: String,
    /// Where the key comes from: `environment`, `keyring`; null when there is none.
    pub key_source: Option<KeySource>,
    /// Indices of the requests.
    pub requests: Vec<u64>,
    /// Content of the calls, in words: messages and tool results of the transcript, to that address.
    pub what: Message,
    /// Content that the count cannot hold, such as a system prompt that the file does not keep.
    pub limits: Vec<Message>,
}

/// One request, forecast beside exact.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ConfirmedPoint {
    /// Index of the request.
    pub request: u64,
    /// Forecast of what was sent, without and with the setting.
    pub forecast_before: u64,
    /// See `forecast_before`.
    pub forecast_after: u64,
    /// Answer of `count_tokens`, without and with the setting; null where it failed.
    pub exact_before: Option<u64>,
    /// See `exact_before`.
    pub exact_after: Option<u64>,
    /// Error of `forecast_after` in percent.
    pub error_percent: Option<f64>,
    /// Why it failed; null when it did not.
    pub problem: Option<Message>,
    /// True if the answer was already known.
    pub cached: bool,
}

/// True if exact counts are available.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CounterStatus {
    /// To which address calls would go.
    pub base_url: String,
    /// Where the key comes from: `environment`, `keyring`; null when there is none.
    pub key_source: Option<KeySource>,
    /// True if this machine has a keyring that can be used.
    pub keyring: bool,
    /// Calls made since the program started, newest first; at most 200.
    pub calls: Vec<NetworkCall>,
}

/// Puts a key into the system's keyring, or takes it out.
#[derive(Clone, Default, Serialize, Deserialize, TS)]
pub struct CounterKeyReq {
    /// The key to keep.
    #[serde(default)]
    pub key: Option<String>,
    /// Take the key out instead. Said in so many words, so that an empty request takes nothing away.
    #[serde(default)]
    pub remove: bool,
}

impl std::fmt::Debug for CounterKeyReq {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CounterKeyReq")
            .field("key", &self.key.as_ref().map(|_| "…"))
            .field("remove", &self.remove)
            .finish()
    }
}

/// One call over the network.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct NetworkCall {
    /// When.
    pub at: String,
    /// Purpose, such as `count_tokens`.
    pub purpose: String,
    /// To which address.
    pub url: String,
    /// Bytes sent.
    pub bytes: u64,
    /// Status of the answer; null without one.
    pub status: Option<u16>,
}
