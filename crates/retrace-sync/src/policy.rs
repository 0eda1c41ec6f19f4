//! The policy of an organisation, its audit log, and who belongs to it: values, requests and answers.

use crate::roles::Role;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every store, as a key of [`Policy::retention_days`].
pub const EVERY_STORE: &str = "*";

/// Days of a retention, at most: a hundred years.
pub const MAX_DAYS: u32 = 36_525;

/// Rules that a policy may require, at most, and bytes of the name of one.
pub const MAX_RULES: usize = 200;

/// What of transcripts the hub may keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transcripts {
    /// Nothing.
    #[default]
    Nothing,
    /// Who, when and which calls, without their texts.
    Metadata,
    /// Everything.
    Everything,
}

/// What holds for all machines of an organisation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// True if a redaction that reaches other machines waits for a second person.
    pub two_person_redaction: bool,
    /// Days after which the hub drops the content of a version that is not the newest of a live memory; by id or name of the
    /// store, or [`EVERY_STORE`].
    pub retention_days: BTreeMap<String, u32>,
    /// What of transcripts the hub may keep.
    pub transcripts: Transcripts,
    /// Rules of findings that every machine checks.
    pub required_rules: Vec<String>,
}

/// Why a policy was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPolicy {
    /// There is no such key.
    #[error(
        "A policy has the keys two_person_redaction, retention_days.STORE, transcripts and required_rules"
    )]
    Key,
    /// The value is none of the key's.
    #[error("{0}")]
    Value(&'static str),
}

impl Policy {
    /// Sets one key: `two_person_redaction true|false`, `retention_days.STORE N|none` (`*` for every store),
    /// `transcripts nothing|metadata|everything`, `required_rules a,b|none`.
    ///
    /// # Errors
    /// [`BadPolicy`].
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), BadPolicy> {
        let value = value.trim();
        match key.split_once('.') {
            Some(("retention_days", store)) => self.set_days(store, value),
            None if key == "retention_days" => self.set_days(EVERY_STORE, value),
            None if key == "two_person_redaction" => {
                self.two_person_redaction =
                    value.parse().map_err(|_| BadPolicy::Value("It is true or false"))?;
                Ok(())
            }
            None if key == "transcripts" => {
                self.transcripts = match value {
                    "nothing" => Transcripts::Nothing,
                    "metadata" => Transcripts::Metadata,
                    "everything" => Transcripts::Everything,
                    _ => return Err(BadPolicy::Value("It is nothing, metadata or everything")),
                };
                Ok(())
            }
            None if key == "required_rules" => self.set_rules(value),
            _ => Err(BadPolicy::Key),
        }
    }

    fn set_days(&mut self, store: &str, value: &str) -> Result<(), BadPolicy> {
        let store = store.trim();
        if store.is_empty() || store.len() > 200 || store.chars().any(char::is_control) {
            return Err(BadPolicy::Value("A store is named by its id, its name, or *"));
        }
        if value == "none" {
            self.retention_days.remove(store);
            return Ok(());
        }
        let days = value.parse().ok().filter(|days| *days <= MAX_DAYS);
        let days = days.ok_or(BadPolicy::Value("It is a number of days up to 36525, or none"))?;
        self.retention_days.insert(store.to_owned(), days);
        Ok(())
    }

    fn set_rules(&mut self, value: &str) -> Result<(), BadPolicy> {
        let named = value.split(',').map(str::trim).filter(|rule| !rule.is_empty() && *rule != "none");
        let rules: Vec<String> = named.map(str::to_owned).collect();
        let sound = |rule: &String| {
            rule.len() <= 100
                && rule.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./".contains(letter))
        };
        if rules.len() > MAX_RULES || !rules.iter().all(sound) {
            return Err(BadPolicy::Value("They are names of rules with commas between them, or none"));
        }
        self.required_rules = rules;
        Ok(())
    }

    /// The value of a key as text, as [`Policy::set`] takes it.
    #[must_use]
    pub fn value(&self, key: &str) -> String {
        let days = |store: &str| {
            self.retention_days.get(store).map_or_else(|| "none".to_owned(), ToString::to_string)
        };
        match key.split_once('.') {
            Some(("retention_days", store)) => days(store.trim()),
            None if key == "retention_days" => days(EVERY_STORE),
            None if key == "two_person_redaction" => self.two_person_redaction.to_string(),
            None if key == "transcripts" => match self.transcripts {
                Transcripts::Nothing => "nothing".to_owned(),
                Transcripts::Metadata => "metadata".to_owned(),
                Transcripts::Everything => "everything".to_owned(),
            },
            None if key == "required_rules" && self.required_rules.is_empty() => "none".to_owned(),
            None if key == "required_rules" => self.required_rules.join(","),
            _ => String::new(),
        }
    }

    /// Days for a store: what is said of its id, else of its name, else of every store.
    #[must_use]
    pub fn days_of(&self, id: &str, name: &str) -> Option<u32> {
        let of = |key: &str| self.retention_days.get(key).copied();
        of(id).or_else(|| of(name)).or_else(|| of(EVERY_STORE))
    }
}

/// Changes one key of the policy.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SetPolicy {
    /// The key, as [`Policy::set`] takes it.
    pub key: String,
    /// The value.
    pub value: String,
}

/// The policy as it was changed, and what is worth knowing of that.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PolicySet {
    /// The policy.
    #[serde(flatten)]
    pub policy: Policy,
    /// The store that was named, where the hub has none of this name or id: one may come later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_store: Option<String>,
}

/// Gives a machine another role.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SetRole {
    /// The machine's id.
    pub machine: String,
    /// The role.
    pub role: Role,
}

/// Takes a machine out of the organisation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RemoveMachine {
    /// The machine's id.
    pub machine: String,
}

/// Asks for a page of the audit log.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ListAudit {
    /// Only what happened at this time or later.
    #[serde(default)]
    pub since: Option<i64>,
    /// Where the page before ended; 0 for the first page.
    #[serde(default)]
    pub after: u64,
    /// The newest row first.
    #[serde(default)]
    pub newest_first: bool,
    /// Rows of the page, at most.
    pub limit: u64,
}

/// A page of the audit log.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AuditPage {
    /// The rows.
    pub rows: Vec<AuditRow>,
    /// Where the next page begins; none after the last.
    pub next: Option<u64>,
}

/// One act, one reading of contents, or one refused attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRow {
    /// Its number; they grow, and need not follow each other.
    pub seq: u64,
    /// When.
    pub at: i64,
    /// The machine; none for what the hub does by itself.
    pub machine: Option<String>,
    /// Its name.
    pub machine_name: Option<String>,
    /// The person who was signed in there.
    pub person: Option<String>,
    /// True if that is who signed in at the organisation's identity provider.
    #[serde(default)]
    pub verified: bool,
    /// What was asked.
    pub action: String,
    /// Ids of what it concerned, or why it was refused.
    pub subject: String,
    /// What was so before, of a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What is so after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// `done` or `refused`.
    pub outcome: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_takes_its_values_and_no_others() {
        let mut policy = Policy::default();
        for (key, value) in [
            ("two_person_redaction", "true"),
            ("retention_days.notes", "30"),
            ("retention_days.*", "365"),
            ("transcripts", "metadata"),
            ("required_rules", "secret/aws,broken-link"),
        ] {
            policy.set(key, value).expect(key);
            assert_eq!(policy.value(key), value, "{key}");
        }
        assert_eq!(policy.value("retention_days"), "365");
        let same = policy.clone();
        for (key, value) in [
            ("two_person_redaction", "yes"),
            ("retention_days.notes", "-1"),
            ("retention_days.notes", "36526"),
            ("retention_days.", "1"),
            ("retention_days.a\nb", "1"),
            ("transcripts", "all"),
            ("required_rules", "a b"),
            ("two_person_redaction.x", "true"),
            ("roles", "x"),
            ("", ""),
        ] {
            policy.set(key, value).expect_err(key);
        }
        assert_eq!(policy, same);
        policy.set("retention_days.notes", "none").expect("removed");
        policy.set("required_rules", "none").expect("removed");
        assert_eq!((policy.retention_days.len(), policy.value("required_rules")), (1, "none".to_owned()));
    }

    #[test]
    fn what_is_said_of_a_store_comes_before_what_is_said_of_all() {
        let mut policy = Policy::default();
        assert_eq!(policy.days_of("memstore_1", "notes"), None);
        policy.set("retention_days", "10").expect("set");
        assert_eq!(policy.days_of("memstore_1", "notes"), Some(10));
        policy.set("retention_days.notes", "20").expect("set");
        policy.set("retention_days.memstore_1", "0").expect("set");
        assert_eq!(policy.days_of("memstore_1", "notes"), Some(0));
        assert_eq!(policy.days_of("memstore_2", "notes"), Some(20));
    }
}
