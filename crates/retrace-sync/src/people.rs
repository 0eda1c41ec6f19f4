//! People: signing in at the organisation's identity provider. Requests and answers.
//!
//! The hub itself is the provider's client. A machine shows a person where to go and which code to enter there, and asks how it
//! stands; the ID token never leaves the hub.

use crate::messages::{Bytes, Joined};
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

/// The name that a window has in the list of machines.
#[must_use]
pub fn window_name(person: &str) -> String {
    format!("browser of {person}")
}

/// What a hub says to a window in which nobody signed in yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WindowHello {
    /// True if the provider signs people in there without a token.
    pub sign_in: bool,
}

/// A window begins to sign a person in, or asks how that stands.
#[derive(Clone, Serialize, Deserialize)]
pub struct WindowSignIn {
    /// Public key that the window will have.
    pub public_key: Bytes,
    /// What came when it began.
    #[serde(default)]
    pub handle: String,
}

/// How the sign-in of a window stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WindowSignedIn {
    /// How it stands.
    pub state: SignInState,
    /// The window, once a person signed in.
    pub joined: Option<Joined>,
}
