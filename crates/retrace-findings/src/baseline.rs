//! Findings that were there before and are accepted: a JSON file that is committed beside the memories.
//!
//! A finding is known again by rule, path and what was found, not by its line. The fingerprints are hashes with a salt that
//! stands in the file; of a secret only 16 bits go into them ([`Evidence`](crate::Evidence)), so that trying all short
//! passwords against the file names none.

use crate::finding::{Behind, Finding};
use retrace_message::AsMessage;
use retrace_model::Sha256;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use thiserror::Error;

/// Bytes of a salt.
pub const SALT_BYTES: usize = 16;

/// The only version of the file there is.
const VERSION: u32 = 1;

/// Why a baseline cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("baseline")]
pub enum BaselineError {
    /// Not JSON in the shape of a baseline.
    #[error("the baseline cannot be read: {0}")]
    Syntax(String),
    /// Written by a newer program.
    #[error("the baseline has version {0}; this program knows version {VERSION}")]
    Newer(u32),
}

/// Findings that are accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    salt: String,
    accepted: BTreeMap<String, Accepted>,
}

/// One of them, for people who read the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// The rule's id.
    pub rule: String,
    /// The path below the directory.
    pub path: String,
}

#[derive(Serialize, Deserialize)]
struct Written {
    version: u32,
    salt: String,
    findings: BTreeMap<String, Accepted>,
}

impl Baseline {
    /// A baseline that accepts `findings`, with a salt of random bytes.
    #[must_use]
    pub fn of(findings: &[Finding], salt: [u8; SALT_BYTES]) -> Self {
        let salt: String = salt.iter().map(|byte| format!("{byte:02x}")).collect();
        let accepted = fingerprints(findings, &salt)
            .into_iter()
            .zip(findings)
            .map(|(print, finding)| {
                (print, Accepted { rule: finding.rule.id.clone(), path: finding.path.clone() })
            })
            .collect();
        Self { salt, accepted }
    }

    /// Reads the file.
    ///
    /// # Errors
    /// [`BaselineError`].
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let written: Written =
            serde_json::from_str(text).map_err(|error| BaselineError::Syntax(error.to_string()))?;
        if written.version != VERSION {
            return Err(BaselineError::Newer(written.version));
        }
        Ok(Self { salt: written.salt, accepted: written.findings })
    }

    /// The text of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let written = Written { version: VERSION, salt: self.salt.clone(), findings: self.accepted.clone() };
        let text =
            serde_json::to_string_pretty(&written).expect("strings and numbers can be written as JSON");
        format!("{text}\n")
    }

    /// Number of findings it accepts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.accepted.len()
    }

    /// True if it accepts none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.accepted.is_empty()
    }

    /// Divides findings into new ones and accepted ones, each in their order.
    #[must_use]
    pub fn divide(&self, findings: Vec<Finding>) -> (Vec<Finding>, Vec<Finding>) {
        let prints = fingerprints(&findings, &self.salt);
        let (accepted, new): (Vec<_>, Vec<_>) =
            findings.into_iter().zip(prints).partition(|(_, print)| self.accepted.contains_key(print));
        let alone = |pairs: Vec<(Finding, String)>| pairs.into_iter().map(|(finding, _)| finding).collect();
        (alone(new), alone(accepted))
    }
}

/// Of the findings of a content, those that the content before it did not have: the same rule on the same evidence counts as
/// often as it stood there before. Paths are not compared, so that a move makes nothing new. Where findings of a rule are counted
/// and not listed, and are others or more than before, the last listed one stands for as many as there are more, at least one.
/// One that is about text behind it is new again where that became more or another.
#[must_use]
pub fn new_since(before: &[Finding], after: &[Finding]) -> Vec<Finding> {
    let key = |finding: &Finding| (finding.rule.id.as_str(), finding.evidence);
    let mut known: HashMap<_, u32> = HashMap::new();
    let mut rests: HashMap<&str, (u64, u64)> = HashMap::new();
    let mut behind: HashMap<_, Behind> = HashMap::new();
    for finding in before {
        if finding.behind != Behind::default() {
            behind.insert(key(finding), finding.behind);
        }
        *known.entry(key(finding)).or_default() += 1;
        if finding.rest.count > 0 {
            rests.insert(&finding.rule.id, (finding.rest.count, finding.rest.digest));
        }
    }
    let mut is_new = |finding: &Finding| match known.get_mut(&key(finding)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    let mut new = Vec::new();
    for finding in after {
        let before = behind.get(&key(finding)).copied().unwrap_or_default();
        let is_listed_new = is_new(finding) || finding.behind.is_more_than(before);
        let (count, digest) = rests.get(finding.rule.id.as_str()).copied().unwrap_or_default();
        let mut rest = finding.rest;
        rest.count = match rest.count {
            0 => 0,
            now if now == count => u64::from(rest.digest != digest),
            now => now.saturating_sub(count),
        };
        if is_listed_new {
            new.push(Finding { rest, ..finding.clone() });
        } else if rest.count > 0 {
            rest.count -= 1;
            new.push(Finding { rest, ..finding.clone() });
        }
    }
    new
}

/// A fingerprint for each finding, 64 hexadecimal digits: of rule, path, what was found, and how many of the same stand
/// before it.
#[must_use]
pub fn fingerprints(findings: &[Finding], salt: &str) -> Vec<String> {
    let mut seen: HashMap<(&str, &str, [u8; 16]), u32> = HashMap::new();
    findings
        .iter()
        .map(|finding| {
            let count = seen.entry((&finding.rule.id, &finding.path, finding.evidence.0)).or_default();
            *count += 1;
            let mut bytes = Vec::new();
            for part in [salt, &finding.rule.id, &finding.path] {
                bytes.extend_from_slice(part.as_bytes());
                bytes.push(0);
            }
            bytes.extend_from_slice(&finding.evidence.0);
            bytes.extend_from_slice(&count.to_le_bytes());
            if finding.rest.count > 0 {
                bytes.extend_from_slice(&finding.rest.count.to_le_bytes());
            }
            Sha256::of(&bytes).to_hex()
        })
        .collect()
}
