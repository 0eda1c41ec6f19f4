//! Where the key for exact counts is kept. Passed in, so that a test never touches the keyring of the machine it runs on.

use retrace_count::{Key, KeyKind, KeySource, KeyringError, forget_key, keep_key, key_from_keyring};
use std::sync::Mutex;

/// Keeps one key safely.
pub trait KeyStore: Send + Sync {
    /// The key that was kept; `None` when there is none.
    ///
    /// # Errors
    /// A sentence, where there is no place to keep keys or it is locked.
    fn key(&self) -> Result<Option<Key>, String>;

    /// Keeps an API key in place of the one before.
    ///
    /// # Errors
    /// A sentence: no place to keep keys, or the text cannot be a key.
    fn keep(&self, text: &str) -> Result<(), String>;

    /// Takes the key out.
    ///
    /// # Errors
    /// A sentence, where there is no place to keep keys or it is locked.
    fn forget(&self) -> Result<(), String>;
}

/// The keyring of the system. It may ask the person to unlock it, and waits for that.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemKeyring;

impl KeyStore for SystemKeyring {
    fn key(&self) -> Result<Option<Key>, String> {
        key_from_keyring().map_err(|error| error.to_string())
    }

    fn keep(&self, text: &str) -> Result<(), String> {
        let key = api_key(text)?;
        keep_key(&key).map_err(|error| error.to_string())
    }

    fn forget(&self) -> Result<(), String> {
        let forget = |kind| forget_key(kind).map(drop);
        let forgotten: Result<(), KeyringError> =
            [KeyKind::ApiKey, KeyKind::AuthToken].into_iter().try_for_each(forget);
        forgotten.map_err(|error| error.to_string())
    }
}

/// Keeps the key for as long as the process lives.
#[derive(Default)]
pub struct KeyInMemory(Mutex<Option<Key>>);

impl KeyStore for KeyInMemory {
    fn key(&self) -> Result<Option<Key>, String> {
        Ok(retrace_engine::lock(&self.0).clone())
    }

    fn keep(&self, text: &str) -> Result<(), String> {
        *retrace_engine::lock(&self.0) = Some(api_key(text)?);
        Ok(())
    }

    fn forget(&self) -> Result<(), String> {
        *retrace_engine::lock(&self.0) = None;
        Ok(())
    }
}

fn api_key(text: &str) -> Result<Key, String> {
    Key::new(text, KeyKind::ApiKey, KeySource::Keyring).map_err(|error| error.to_string())
}
