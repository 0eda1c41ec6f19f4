//! People: signing in at the organisation's identity provider. Requests and answers.
//!
//! The hub itself is the provider's client. A machine shows a person where to go and which code to enter there, and asks how it
//! stands; the ID token never leaves the hub.

use serde::{Deserialize, Serialize};

/// A sign-in that began.
#[derive(Clone, Serialize, Deserialize)]
pub struct SignInBegun {
    /// What the person enters at the provider.
    pub user_code: String,
    /// Where.
    pub verification_uri: String,
    /// The same with the code in it, where the provider has that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification_uri_complete: Option<String>,
    /// Seconds between two questions.
    pub interval: u64,
    /// When it ends without an answer.
    pub expires_at: i64,
    /// What the machine shows to finish it. Only the hub reads it, and it is of no use on another machine.
    pub handle: String,
}

/// Asks how a sign-in stands.
#[derive(Clone, Serialize, Deserialize)]
pub struct FinishSignIn {
    /// What came when it began.
    pub handle: String,
}

/// How a sign-in stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignInState {
    /// Who signed in; none while the person has not answered.
    pub signed_in: Option<SignedIn>,
    /// True if the machine asks too often.
    #[serde(default)]
    pub slower: bool,
}

/// A person who signed in on a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedIn {
    /// The verified address; name and subject where there is none.
    pub person: String,
    /// Their name.
    pub name: String,
    /// The provider.
    pub issuer: String,
    /// When it ends.
    pub ends_at: i64,
}
