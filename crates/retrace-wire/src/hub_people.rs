//! People who sign in at the identity provider of an organisation, and what it asks of machines.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A person who signed in on a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HubPerson {
    /// The verified address; name and subject where there is none.
    pub person: String,
    /// Their name.
    pub name: String,
    /// The identity provider.
    pub issuer: String,
    /// When the sign-in ends.
    pub ends_at: String,
}

/// A sign-in that began: where a person goes, and what they enter there.
#[derive(Clone, Serialize, Deserialize, TS)]
pub struct HubSignIn {
    /// Where to go.
    pub verification_uri: String,
    /// The same with the code in it; null where the provider has none.
    pub verification_uri_complete: Option<String>,
    /// What to enter there.
    pub user_code: String,
    /// Seconds to wait between two questions about how it stands.
    pub interval_seconds: u32,
    /// When it ends without an answer.
    pub expires_at: String,
    /// Finishes it, on this machine alone.
    pub handle: String,
}

/// Asks how a sign-in stands.
#[derive(Clone, Serialize, Deserialize, TS)]
pub struct HubSignInReq {
    /// What came when it began.
    pub handle: String,
}

/// How a sign-in stands.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubSignInState {
    /// Who signed in; null while the person has not answered.
    pub signed_in: Option<HubPerson>,
    /// True if it was asked too soon: five seconds more between questions from now on.
    pub slower: bool,
}

/// What the organisation asks of every machine, as of the last sync.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HubAsked {
    /// Rules of findings that cannot be switched off here.
    pub required_rules: Vec<String>,
    /// What of transcripts may be sent: `nothing`, `metadata` or `everything`.
    pub transcripts: String,
    /// When that was said.
    pub at: String,
}
