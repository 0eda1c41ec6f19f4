//! The key in the system's keyring: Keychain, Credential Manager, or the Secret Service over D-Bus.
//!
//! The API's own keys have one entry each; a host of hosted stores has one for its base URL, so that no host is told
//! the key of another.
//!
//! Each function may make the system ask the user to unlock the keyring, and waits for that; call them from a thread
//! that may wait. Where there is no keyring (a server, a container) they return [`KeyringError::Unavailable`].

use crate::config::{BadConfig, canonical_base_url};
use crate::facts;
use crate::key::{BadKeyText, Key, KeyKind, KeySource};
use keyring::{Entry, Error};
use retrace_message::AsMessage;

/// Name under which entries are kept.
const SERVICE: &str = "retrace";

/// Why the keyring did not do what was asked.
#[derive(Debug, thiserror::Error, AsMessage)]
#[message("keyring")]
pub enum KeyringError {
    /// There is no keyring here, or it is locked. Says what the system answered.
    #[error("the system's keyring cannot be used: {cause}")]
    Unavailable {
        /// Error of the system.
        cause: String,
    },
    /// There is an entry, but it is not a key.
    #[error(transparent)]
    BadText(#[from] BadKeyText),
    /// The base URL is not one.
    #[error(transparent)]
    BadUrl(#[from] BadConfig),
    /// There are several entries of that name, so that it is not clear which one is meant.
    #[error("the system's keyring has several entries named {SERVICE} {user}; remove all but one")]
    Ambiguous {
        /// The entries' user name.
        user: String,
    },
}

/// The user name under which a key of the API is kept.
fn user(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::ApiKey => "anthropic-api-key",
        KeyKind::AuthToken => "anthropic-auth-token",
    }
}

/// The key that [`keep_key`] put there: an API key, else a token; none when there is neither.
///
/// # Errors
/// [`KeyringError`], as with each function here.
pub fn key_from_keyring() -> Result<Option<Key>, KeyringError> {
    for kind in [KeyKind::ApiKey, KeyKind::AuthToken] {
        if let Some(key) = read(user(kind), kind)? {
            return Ok(Some(key));
        }
    }
    Ok(None)
}

/// Keeps a key, in the place of one of the same kind.
///
/// # Errors
/// [`KeyringError`].
pub fn keep_key(key: &Key) -> Result<(), KeyringError> {
    write(user(key.kind()), key)
}

/// Takes the key of a kind out. False when there was none.
///
/// # Errors
/// [`KeyringError`].
pub fn forget_key(kind: KeyKind) -> Result<bool, KeyringError> {
    remove(user(kind))
}

/// The key for a base URL. For the API's own address it is the one of [`key_from_keyring`].
///
/// # Errors
/// [`KeyringError`].
pub fn key_for(base_url: &str) -> Result<Option<Key>, KeyringError> {
    match host_user(base_url)? {
        None => key_from_keyring(),
        Some(user) => read(&user, KeyKind::ApiKey),
    }
}

/// Keeps a key for a base URL, in the place of the one before. For the API's own address it is [`keep_key`].
///
/// # Errors
/// [`KeyringError`].
pub fn keep_key_for(base_url: &str, key: &Key) -> Result<(), KeyringError> {
    match host_user(base_url)? {
        None => keep_key(key),
        Some(user) => write(&user, key),
    }
}

/// Takes the key for a base URL out. False when there was none.
///
/// # Errors
/// [`KeyringError`].
pub fn forget_key_for(base_url: &str) -> Result<bool, KeyringError> {
    match host_user(base_url)? {
        None => Ok(forget_key(KeyKind::ApiKey)? | forget_key(KeyKind::AuthToken)?),
        Some(user) => remove(&user),
    }
}

/// The user name under which the key for a base URL is kept; none for the API's own address.
fn host_user(base_url: &str) -> Result<Option<String>, BadConfig> {
    let url = canonical_base_url(base_url)?;
    Ok((url != facts::DEFAULT_BASE_URL).then(|| format!("host {url}")))
}

fn read(user: &str, kind: KeyKind) -> Result<Option<Key>, KeyringError> {
    match entry(user)?.get_password() {
        Ok(text) => Ok(Some(Key::new(&text, kind, KeySource::Keyring)?)),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(refused(&error, user)),
    }
}

fn write(user: &str, key: &Key) -> Result<(), KeyringError> {
    entry(user)?.set_password(key.secret()).map_err(|error| refused(&error, user))
}

fn remove(user: &str) -> Result<bool, KeyringError> {
    match entry(user)?.delete_credential() {
        Ok(()) => Ok(true),
        Err(Error::NoEntry) => Ok(false),
        Err(error) => Err(refused(&error, user)),
    }
}

fn entry(user: &str) -> Result<Entry, KeyringError> {
    // The first use decides for the process whether there is a keyring; the reason is kept only there.
    if let Err(error) = Entry::store_status() {
        return Err(refused(error, user));
    }
    Entry::new(SERVICE, user).map_err(|error| refused(&error, user))
}

/// Some of the library's errors carry the stored bytes: those are not passed on.
fn refused(error: &Error, user: &str) -> KeyringError {
    match error {
        Error::BadEncoding(_) | Error::BadDataFormat(..) => KeyringError::BadText(BadKeyText),
        Error::Ambiguous(_) => KeyringError::Ambiguous { user: user.to_owned() },
        other => KeyringError::Unavailable { cause: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_bytes_are_not_in_the_error() {
        let error = Error::BadEncoding(b"sk-secret\xff".to_vec());
        let reported = format!("{:?}", refused(&error, user(KeyKind::ApiKey)));
        assert!(!reported.contains("secret") && !reported.contains("115"), "{reported}");
    }

    #[test]
    fn an_absent_keyring_is_reported_with_its_cause() {
        let error = Error::NoStorageAccess("no bus".into());
        let reported = refused(&error, user(KeyKind::ApiKey)).to_string();
        assert!(reported.contains("keyring") && reported.contains("no bus"), "{reported}");
    }

    #[test]
    fn each_address_has_its_own_entry_and_the_api_the_one_it_had() {
        assert_eq!(host_user("https://API.anthropic.com/").unwrap(), None);
        let of = |url| host_user(url).unwrap().unwrap();
        assert_eq!(of("https://Gateway.example/a/"), "host https://gateway.example/a");
        assert_ne!(of("https://gateway.example/a"), of("https://gateway.example"));
        assert!(host_user("gateway").is_err());
    }
}
