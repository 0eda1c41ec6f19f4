//! A hub whose database was put back to an earlier state, as by an older backup: how that is found out, and what is told of it.
//!
//! A machine keeps the newest row of the hub's audit log that it was told of, signed by the hub, and shows it with its next request.
//! Nothing takes a row out of that log. A hub that signed for a row and has it not was put back.

use crate::messages::Bytes;
use retrace_model::OrgId;
use serde::{Deserialize, Serialize};

/// A row of the audit log, signed by the hub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Number of the row.
    pub seq: u64,
    /// Its time: after a backup was restored, another row may have the number.
    pub at: i64,
    /// The hub's signature.
    pub signature: Bytes,
}

/// Asks a hub what it is, whether joined or not.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AskHello {
    /// What it was that the hub signed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
}

/// What a hub signs of a row of its audit log.
#[must_use]
pub fn seen_text(org: OrgId, seq: u64, at: i64) -> Vec<u8> {
    let mut text = b"retrace.hub.seen.1\0".to_vec();
    for part in [&org.0[..], &seq.to_be_bytes(), &at.to_be_bytes()] {
        text.extend_from_slice(part);
    }
    text
}

/// The database of the hub was put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restored {
    /// The newest that it kept.
    pub kept_until: i64,
    /// The newest that a machine knows to be lost.
    pub lost_until: i64,
    /// When that was found.
    pub found_at: i64,
    /// One-time tokens that nobody had used in that state: they were ended.
    pub tokens: u64,
    /// True once an owner said that it was seen to.
    pub acknowledged: bool,
}

/// What an owner acknowledges: that the database was put back, without an order; else that machines which are gone will not carry
/// an order out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Acknowledge {
    /// Id of an order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
}
