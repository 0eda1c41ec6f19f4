//! The key in the system's keyring: Keychain, Credential Manager, or the Secret Service over D-Bus.
//!
//! Each function may make the system ask the user to unlock the keyring, and waits for that; call them from a thread
//! that may wait. Where there is no keyring (a server, a container) they return [`KeyringError::Unavailable`].

use crate::key::{BadKeyText, Key, KeyKind, KeySource};
use keyring::{Entry, Error};

/// Name under which entries are kept.
const SERVICE: &str = "retrace";

/// Why the keyring did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    /// There is no keyring here, or it is locked. Says what the system answered.
    #[error("the system's keyring cannot be used: {cause}; set ANTHROPIC_API_KEY instead")]
    Unavailable {
        /// What the system said.
        cause: String,
    },
    /// There is an entry, but it is not a key.
    #[error(transparent)]
    BadText(#[from] BadKeyText),
    /// There are several entries of that name, so that it is not clear which one is meant.
    #[error("the system's keyring has several entries named {SERVICE} {user}; remove all but one")]
    Ambiguous {
        /// The entries' user name.
        user: String,
    },
}

/// The user name under which a key is kept.
fn user(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::ApiKey => "anthropic-api-key",
        KeyKind::AuthToken => "anthropic-auth-token",
    }
}

/// The key that [`keep_key`] put there: an API key, else a token; none when there is neither.
pub fn key_from_keyring() -> Result<Option<Key>, KeyringError> {
    for kind in [KeyKind::ApiKey, KeyKind::AuthToken] {
        match entry(kind)?.get_password() {
            Ok(text) => return Ok(Some(Key::new(&text, kind, KeySource::Keyring)?)),
            Err(Error::NoEntry) => {}
            Err(error) => return Err(refused(&error, kind)),
        }
    }
    Ok(None)
}

/// Keeps a key, in the place of one of the same kind.
pub fn keep_key(key: &Key) -> Result<(), KeyringError> {
    entry(key.kind())?.set_password(key.secret()).map_err(|error| refused(&error, key.kind()))
}

/// Takes the key of a kind out. False when there was none.
pub fn forget_key(kind: KeyKind) -> Result<bool, KeyringError> {
    match entry(kind)?.delete_credential() {
        Ok(()) => Ok(true),
        Err(Error::NoEntry) => Ok(false),
        Err(error) => Err(refused(&error, kind)),
    }
}

fn entry(kind: KeyKind) -> Result<Entry, KeyringError> {
    // The first use decides for the process whether there is a keyring; the reason is kept only there.
    if let Err(error) = Entry::store_status() {
        return Err(refused(error, kind));
    }
    Entry::new(SERVICE, user(kind)).map_err(|error| refused(&error, kind))
}

/// Some of the library's errors carry the stored bytes: those are not passed on.
fn refused(error: &Error, kind: KeyKind) -> KeyringError {
    match error {
        Error::BadEncoding(_) | Error::BadDataFormat(..) => KeyringError::BadText(BadKeyText),
        Error::Ambiguous(_) => KeyringError::Ambiguous { user: user(kind).to_owned() },
        other => KeyringError::Unavailable { cause: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_bytes_are_not_in_the_error() {
        let error = Error::BadEncoding(b"sk-secret\xff".to_vec());
        let said = format!("{:?}", refused(&error, KeyKind::ApiKey));
        assert!(!said.contains("secret") && !said.contains("115"), "{said}");
    }

    #[test]
    fn an_absent_keyring_is_said_with_a_way_out() {
        let error = Error::NoStorageAccess("no bus".into());
        let said = refused(&error, KeyKind::ApiKey).to_string();
        assert!(said.contains("no bus") && said.contains("ANTHROPIC_API_KEY"), "{said}");
    }
}
