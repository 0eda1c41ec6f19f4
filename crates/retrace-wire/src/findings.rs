//! Findings in memories.

use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Checks a directory or a store. Files that the request brings (configuration, baseline) are given as text, so that a
/// caller on another machine names no path on this one.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct CheckReq {
    /// A directory, or a store by id or name.
    pub target: String,
    /// Text of a configuration; `retrace.toml` of the directory, or of the repository it lies in, when absent.
    #[serde(default)]
    pub config: Option<String>,
    /// Only these rules, by id or group; as configured when empty.
    #[serde(default)]
    pub rules: Vec<String>,
    /// Severity from which `failed` is set: `note`, `warning`, `error` or `never`; the configuration's, or `error`,
    /// when absent.
    #[serde(default)]
    pub fail_on: Option<String>,
    /// Text of a baseline: findings in it do not count.
    #[serde(default)]
    pub baseline: Option<String>,
    /// Also make a baseline that accepts everything found.
    #[serde(default)]
    pub make_baseline: bool,
    /// Root of the repository the memories are about; found above the directory when absent.
    #[serde(default)]
    pub repository: Option<String>,
    /// Do not let comments in memories allow findings.
    #[serde(default)]
    pub no_inline_allow: bool,
    /// Also make a SARIF 2.1.0 log.
    #[serde(default)]
    pub sarif: bool,
}

/// One finding. Secrets and personal data are masked in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Finding {
    /// `group/name`.
    pub rule: String,
    /// `error`, `warning` or `note`.
    pub severity: super::Severity,
    /// Below the directory; empty for the directory as a whole.
    pub path: String,
    /// Line, from 1; 1 for the file as a whole.
    pub line: u32,
    /// Column, from 1, in Unicode scalar values, as compilers count; 1 for the file as a whole.
    pub column: u32,
    /// Line of the character after the last; null for the file as a whole.
    pub end_line: Option<u32>,
    /// Its column.
    pub end_column: Option<u32>,
    /// First byte in the file; null for the file as a whole.
    pub start: Option<u64>,
    /// The byte after the last.
    pub end: Option<u64>,
    /// One sentence about this place.
    pub message: Message,
    /// Advice.
    pub remedy: String,
    /// Acts that mend it, the one that does most first; each is previewed and can be undone, except for a redaction.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub remedies: Vec<Remedy>,
    /// Findings of the same rule in the same file that are left out behind this one, where one text has very many of them.
    /// `check` lists each.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(optional, as = "Option<_>")]
    pub more: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// An act that mends a finding, of the finding's store and path unless it says another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Remedy {
    /// `rollback` of what an operation did to what the finding is about.
    PutBack {
        /// Its sequence number.
        operation: u64,
        /// Only the memory at this path; null for every memory that it changed.
        #[serde(default)]
        path: Option<String>,
        /// True for what it deleted alone.
        #[serde(default)]
        deleted: bool,
    },
    /// `redact` of exactly what the rule finds there.
    Redact {
        /// The rule.
        rule: String,
        /// First byte in the file.
        start: u64,
    },
    /// `strip_characters`: takes characters out that are not seen.
    StripCharacter {
        /// The rule.
        rule: String,
        /// First byte in the file.
        start: u64,
        /// The byte after the last.
        end: u64,
    },
    /// `move_entry` of lines that are not loaded.
    MoveLines {
        /// First line, from 1: where there is one, the last that is loaded, which makes room for the link to the topic.
        from: u32,
        /// Last line.
        to: u32,
    },
    /// `reach` of these lines: which sessions had them, and why the others did not.
    Reach {
        /// First line, from 1.
        from: u32,
        /// Last line.
        to: u32,
    },
    /// The place to look at.
    Open {
        /// The memory.
        path: String,
        /// Its line, from 1.
        line: u32,
    },
}

impl Finding {
    /// How many findings it stands for: itself, and those left out behind it.
    #[must_use]
    pub const fn count(&self) -> u64 {
        1 + self.more
    }

    /// Name of its rule for people: `missing file`, `GitHub token`.
    #[must_use]
    pub fn rule_name(&self) -> String {
        match retrace_findings::rule(&self.rule) {
            Some(rule) => rule.name.clone(),
            // Of a newer program, or of a hosted store.
            None => self.rule.rsplit('/').next().unwrap_or(&self.rule).replace('-', " "),
        }
    }
}

/// Result of a check.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Checked {
    /// The directory.
    pub root: String,
    /// Root of the repository that claims were compared with; null when none was needed or found.
    pub repository: Option<String>,
    /// Findings that count, by path, place and rule.
    pub findings: Vec<Finding>,
    /// Number of errors.
    pub errors: u64,
    /// Number of warnings.
    pub warnings: u64,
    /// Number of notes.
    pub notes: u64,
    /// Number of further findings that a comment in a memory allows.
    pub allowed: u64,
    /// Number of further findings that the baseline accepts.
    pub accepted: u64,
    /// Files looked at.
    pub files: u64,
    /// Places that could not be looked at, each a sentence.
    pub problems: Vec<Message>,
    /// True if a finding is at or above the severity asked for.
    pub failed: bool,
    /// Text of the baseline, when asked for.
    pub baseline: Option<String>,
    /// Text of the SARIF log, when asked for.
    pub sarif: Option<String>,
}

/// Asks for the findings of a store, or of one memory of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct FindingsReq {
    /// Id, name or directory of a store.
    pub store: String,
    /// Only this memory.
    #[serde(default)]
    pub path: Option<String>,
}

/// Findings.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Findings {
    /// By path, place and rule; then those about changes that are left to review, by time.
    pub findings: Vec<Finding>,
    /// Number of further findings that comments in memories allow.
    pub allowed: u64,
    /// Files of the store.
    pub files: u64,
    /// Of these, files whose last result was used again.
    pub reused: u64,
}
