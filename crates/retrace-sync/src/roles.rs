//! Roles, and what each may do. One table for all requests.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a machine is to its organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Everything.
    Owner,
    /// Sends its own chains; reads contents of all machines, comments, approves, proposes.
    Reviewer,
    /// Sends its own chains and reads them; of other machines it reads metadata.
    Writer,
    /// Reads metadata and the audit log, never a content.
    Auditor,
}

impl Role {
    /// Every role, the one with most rights first.
    pub const ALL: [Self; 4] = [Self::Owner, Self::Reviewer, Self::Writer, Self::Auditor];

    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Reviewer => "reviewer",
            Self::Writer => "writer",
            Self::Auditor => "auditor",
        }
    }

    /// The role of a word. `member` is what a writer was called before.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        if word == "member" {
            return Some(Self::Writer);
        }
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// To belong to the organisation: its clock, its policy, leaving.
    Belong,
    /// To send its own chains, to read what it sent, and to carry out what waits for it.
    Send,
    /// To read metadata of all machines: versions without their contents.
    ReadMetadata,
    /// To read contents of all machines.
    ReadContent,
    /// To comment, approve and propose.
    Review,
    /// To read the audit log.
    ReadAudit,
    /// To change who belongs, with which role, and the policy.
    Administer,
}

impl Right {
    /// Every right.
    pub const ALL: [Self; 7] = [
        Self::Belong,
        Self::Send,
        Self::ReadMetadata,
        Self::ReadContent,
        Self::Review,
        Self::ReadAudit,
        Self::Administer,
    ];
}

/// True if the role has the right.
#[must_use]
pub fn allows(role: Role, right: Right) -> bool {
    match right {
        Right::Belong | Right::ReadMetadata => true,
        Right::Send => role != Role::Auditor,
        Right::ReadContent | Right::Review => matches!(role, Role::Owner | Role::Reviewer),
        Right::ReadAudit => matches!(role, Role::Owner | Role::Auditor),
        Right::Administer => role == Role::Owner,
    }
}

/// True if a window that the hub serves may have the right. It has no chain, and carries nothing out.
#[must_use]
pub fn is_for_windows(right: Right) -> bool {
    right != Right::Send
}

/// The right that each request of a registered machine needs. A request that is not here is refused. `hello` and `join` are for
/// those who are not registered yet.
pub const REQUESTS: &[(&str, Right)] = &[
    ("acknowledge", Right::Administer),
    ("agent_token", Right::Administer),
    ("agent_tokens", Right::Administer),
    ("append", Right::Send),
    ("approve", Right::Review),
    ("approve_order", Right::Review),
    ("audit", Right::ReadAudit),
    ("clock", Right::Belong),
    ("comment", Right::Review),
    ("contents", Right::Send),
    ("copy_refused", Right::Send),
    ("decisions", Right::Send),
    ("finish_sign_in", Right::Belong),
    ("head", Right::Send),
    ("history", Right::ReadMetadata),
    ("inbox", Right::ReadMetadata),
    ("leave", Right::Belong),
    ("left", Right::Send),
    ("link", Right::Send),
    ("machines", Right::ReadMetadata),
    ("name", Right::Send),
    ("of_project", Right::Send),
    ("orders", Right::Send),
    ("policy", Right::Belong),
    ("projects", Right::ReadMetadata),
    ("proposals", Right::ReadMetadata),
    ("propose", Right::Review),
    ("put_entries", Right::Send),
    ("put_session_rules", Right::Send),
    ("put_sessions", Right::Send),
    ("receipt", Right::Send),
    ("recheck_order", Right::Review),
    ("redact", Right::Send),
    ("redactions", Right::ReadMetadata),
    ("remove", Right::Administer),
    ("remove_comment", Right::Belong),
    ("revoke_agent_token", Right::Administer),
    ("role", Right::Administer),
    ("said", Right::Send),
    ("search", Right::ReadContent),
    ("search_sessions", Right::Send),
    ("search_texts", Right::ReadContent),
    ("session_ledger", Right::ReadMetadata),
    ("session_presence", Right::ReadMetadata),
    ("sessions", Right::ReadMetadata),
    ("sessions_known", Right::Send),
    ("set_policy", Right::Administer),
    ("settle", Right::Send),
    ("show", Right::ReadMetadata),
    ("sign_head", Right::Send),
    ("sign_in", Right::Belong),
    ("sign_out", Right::Belong),
    ("token", Right::Administer),
    ("told", Right::Send),
    ("versions", Right::ReadMetadata),
    ("waiting", Right::Belong),
    ("withdraw", Right::Review),
    ("withdrawn", Right::Send),
];

/// The right that a request needs; `None` for one that there is not.
#[must_use]
pub fn right_of(request: &str) -> Option<Right> {
    REQUESTS.iter().find(|(name, _)| *name == request).map(|(_, right)| *right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_has_its_rights_and_no_other() {
        let rights = |role| Right::ALL.into_iter().filter(|right| allows(role, *right)).collect::<Vec<_>>();
        assert_eq!(rights(Role::Owner), Right::ALL);
        assert_eq!(
            rights(Role::Reviewer),
            [Right::Belong, Right::Send, Right::ReadMetadata, Right::ReadContent, Right::Review]
        );
        assert_eq!(rights(Role::Writer), [Right::Belong, Right::Send, Right::ReadMetadata]);
        assert_eq!(rights(Role::Auditor), [Right::Belong, Right::ReadMetadata, Right::ReadAudit]);
    }

    #[test]
    fn a_word_is_a_role_and_back() {
        for role in Role::ALL {
            assert_eq!(Role::parse(role.as_str()), Some(role));
        }
        assert_eq!(Role::parse("member"), Some(Role::Writer));
        assert_eq!(Role::parse("Owner"), None);
    }

    #[test]
    fn every_request_stands_once_in_the_table() {
        let names: std::collections::BTreeSet<&str> = REQUESTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), REQUESTS.len());
        assert_eq!(right_of("token"), Some(Right::Administer));
        assert_eq!(right_of("drop"), None);
    }
}
