//! Verification of the log.

use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Verifies the log.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct VerifyReq {
    /// Also prove that these bytes are in no file of the data directory.
    #[serde(default)]
    pub absent_base64: Option<String>,
    /// Forget what was redacted under a key that is gone: it is not kept out any more, and imports go on.
    #[serde(default)]
    pub forget_lost_key: bool,
}

/// Result of verification.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Verified {
    /// No problem at all.
    pub ok: bool,
    /// Versions checked.
    pub versions: u64,
    /// Contents checked.
    pub blobs: u64,
    /// Head of the chain.
    pub chain_head: String,
    /// Problems, each in a sentence.
    pub problems: Vec<Message>,
    /// True if the bytes are absent; null when not asked.
    pub absent: Option<bool>,
    /// With `absent`: where they were found.
    pub found_in: Vec<Message>,
    /// Things worth knowing, each a sentence.
    pub warnings: Vec<Message>,
}

/// Names a receipt.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ReceiptRef {
    /// `receipt_…`
    pub receipt: String,
}
