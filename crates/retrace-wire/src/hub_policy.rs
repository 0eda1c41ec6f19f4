//! Policy, roles, machines and audit log of the hub.

use super::{HubPerson, HubRole, Message};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// What holds for all machines of an organisation.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubPolicy {
    /// True if a redaction that reaches other machines waits for a second person.
    pub two_person_redaction: bool,
    /// Days after which the hub drops the content of a version that is not the newest of a live memory; by id or name of the
    /// store, or `*` for every other.
    #[ts(type = "Record<string, number>")]
    pub retention_days: BTreeMap<String, u32>,
    /// What of transcripts the hub may keep: `nothing`, `metadata` or `everything`.
    pub transcripts: String,
    /// Rules of findings that every machine checks.
    pub required_rules: Vec<String>,
    /// What is worth knowing of the change that was just made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note: Option<Message>,
}

/// Changes one key of the policy.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubPolicyReq {
    /// `two_person_redaction`, `retention_days.STORE`, `transcripts` or `required_rules`.
    pub key: String,
    /// The value as text; `none` takes days or rules away.
    pub value: String,
}

/// The machines of the organisation, by name.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubMachines {
    /// The machines; those that left are among them.
    pub machines: Vec<HubMachine>,
    /// True if the hub has an identity provider at which people sign in.
    #[serde(default)]
    pub sign_in: bool,
}

/// A machine of the organisation.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubMachine {
    /// Its id.
    pub machine: String,
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: HubRole,
    /// True for the machine that asks.
    pub is_this: bool,
    /// When it joined.
    pub joined_at: String,
    /// When it last called.
    pub seen_at: String,
    /// How far its clock was ahead of the hub's, in seconds.
    #[ts(type = "number")]
    pub skew_seconds: i64,
    /// When it left.
    pub left_at: Option<String>,
    /// When an owner removed it.
    pub removed_at: Option<String>,
    /// Of a window that the hub serves: when it ends. Absent of a machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub window_ends_at: Option<String>,
    /// Who is signed in there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub signed_in: Option<HubPerson>,
    /// The copy of its data directory that the hub refused last; absent for none in the last thirty days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub copy: Option<HubRefusedCopy>,
}

/// A copy of a machine's data directory that went on under the same identity: the hub takes nothing from it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubRefusedCopy {
    /// When it last called.
    pub at: String,
    /// The store whose chain showed it.
    pub store: String,
    /// Its name at the hub.
    pub store_name: Option<String>,
    /// The first version of that chain that the copy does not have, or has another one of.
    #[ts(type = "number")]
    pub seq: u64,
}

/// Gives a machine another role.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubRoleReq {
    /// Its id, or its name where no other has it.
    pub machine: String,
    /// The role.
    pub role: HubRole,
}

/// Names a machine of the organisation.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubMachineRef {
    /// Its id, or its name where no other has it.
    pub machine: String,
}

/// Asks for a page of the audit log.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubAuditReq {
    /// Only what happened then or later, as RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub since: Option<String>,
    /// Where the page before ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub after: Option<u64>,
    /// Rows of the page, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
    /// The newest row first; the oldest where absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub newest_first: bool,
}

/// A page of the audit log.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubAudit {
    /// The rows.
    pub rows: Vec<HubAuditRow>,
    /// Where the next page begins; null after the last.
    #[ts(type = "number | null")]
    pub next: Option<u64>,
}

/// One act, one reading of contents, or one refused attempt.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubAuditRow {
    /// Its number; they grow, and need not follow each other.
    #[ts(type = "number")]
    pub seq: u64,
    /// When.
    pub at: String,
    /// The machine; null for what the hub does by itself.
    pub machine: Option<String>,
    /// Its name.
    pub machine_name: Option<String>,
    /// The person who was signed in there.
    pub person: Option<String>,
    /// True if that is who signed in at the organisation's identity provider.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub verified: bool,
    /// What was asked: `append`, `redact`, `role`, …
    pub action: String,
    /// Ids of what it concerned, or why it was refused.
    pub subject: String,
    /// What was so before, of a change.
    pub before: Option<String>,
    /// What is so after it.
    pub after: Option<String>,
    /// `done` or `refused`.
    pub outcome: String,
}
