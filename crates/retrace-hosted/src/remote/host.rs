//! The calls that mirroring makes, and where hosts and their keys come from. Both are passed in, so that a test never calls
//! another machine nor touches the keyring of this one.

use crate::wire;
use retrace_model::{Sha256, Timestamp};
use retrace_remote::{
    Cancel, Config, Host, Key, KeyKind, KeySource, Listener, NewDream, Page, RemoteDream, RemoteError,
    RemoteMemory, RemoteStore, RemoteVersion, canonical_base_url, forget_key_for, keep_key_for, key_for,
};

/// Items of a page of memories, and of versions without their contents: the most the API gives.
const PAGE: u32 = 100;

/// Items of a page of versions with their contents: the most the API gives.
const FULL_PAGE: u32 = 20;

/// The calls that mirroring makes at a host. Paths are as the host has them, from their slash on.
pub trait HostCalls: Send + Sync {
    /// Every store, archived ones included.
    ///
    /// # Errors
    /// [`RemoteError`], as of all calls.
    fn stores(&self) -> Result<Vec<RemoteStore>, RemoteError>;

    /// One store.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn store(&self, store: &str) -> Result<RemoteStore, RemoteError>;

    /// Archives a store.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn archive(&self, store: &str) -> Result<RemoteStore, RemoteError>;

    /// A page of the memories, without their contents.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn memories(&self, store: &str, page: Option<&str>) -> Result<Page<RemoteMemory>, RemoteError>;

    /// One memory with its content.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn memory(&self, store: &str, memory: &str) -> Result<RemoteMemory, RemoteError>;

    /// A page of the versions, newest first, with their contents when `full`.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn versions(
        &self,
        store: &str,
        page: Option<&str>,
        full: bool,
    ) -> Result<Page<RemoteVersion>, RemoteError>;

    /// A page of the versions made not after an instant, newest first, without their contents.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn versions_until(
        &self,
        store: &str,
        until: Timestamp,
        page: Option<&str>,
    ) -> Result<Page<RemoteVersion>, RemoteError>;

    /// One version with its content.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn version(&self, store: &str, version: &str) -> Result<RemoteVersion, RemoteError>;

    /// Makes a memory where none is.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn create(&self, store: &str, path: &str, content: &str) -> Result<RemoteMemory, RemoteError>;

    /// Gives a memory another path, another content, or both, if its content has the hash.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn update(
        &self,
        store: &str,
        memory: &str,
        path: Option<&str>,
        content: Option<&str>,
        expected: Option<Sha256>,
    ) -> Result<RemoteMemory, RemoteError>;

    /// Deletes a memory, if its content has the hash.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn delete(&self, store: &str, memory: &str, expected: Option<Sha256>) -> Result<(), RemoteError>;

    /// Redacts a version.
    ///
    /// # Errors
    /// [`RemoteError`].
    fn redact(&self, store: &str, version: &str) -> Result<RemoteVersion, RemoteError>;

    /// A page of dreams, newest first.
    ///
    /// # Errors
    /// [`RemoteError`]; [`RemoteError::NotFound`] of a host that has no dreams, which is what is said unless it is done anew.
    fn dreams(&self, _include_archived: bool, _page: Option<&str>) -> Result<Page<RemoteDream>, RemoteError> {
        Err(without_dreams())
    }

    /// Asks for a dream.
    ///
    /// # Errors
    /// As [`HostCalls::dreams`].
    fn create_dream(&self, _new: &NewDream) -> Result<RemoteDream, RemoteError> {
        Err(without_dreams())
    }

    /// Stops a dream.
    ///
    /// # Errors
    /// As [`HostCalls::dreams`].
    fn cancel_dream(&self, _dream: &str) -> Result<RemoteDream, RemoteError> {
        Err(without_dreams())
    }

    /// Archives a dream.
    ///
    /// # Errors
    /// As [`HostCalls::dreams`].
    fn archive_dream(&self, _dream: &str) -> Result<RemoteDream, RemoteError> {
        Err(without_dreams())
    }
}

fn without_dreams() -> RemoteError {
    RemoteError::NotFound { message: say::host_no_dreams() }
}

/// Looks a variable of the environment up.
pub type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Where hosts and their keys come from. Base URLs are without `/v1`; none means where the environment leads, else the API's
/// own address.
pub trait Hosts: Send + Sync {
    /// One spelling for each base URL.
    ///
    /// # Errors
    /// [`RemoteError::Config`] for what is no base URL.
    fn base_url(&self, asked: Option<&str>, variable: Variable<'_>) -> Result<String, RemoteError>;

    /// A host to call. `reported` is told of each call, whose waits end with `cancel`.
    ///
    /// # Errors
    /// [`RemoteError::NoKey`] and [`RemoteError::Config`].
    fn open(
        &self,
        base_url: &str,
        variable: Variable<'_>,
        cancel: &Cancel,
        reported: Listener,
    ) -> Result<Box<dyn HostCalls>, RemoteError>;

    /// Where the key for a host comes from: `keyring` or `environment`; `None` when there is none.
    fn key(&self, base_url: &str, variable: Variable<'_>) -> Option<wire::KeySource>;

    /// Keeps the key for a host, in place of the one before.
    ///
    /// # Errors
    /// A sentence: no place to keep keys, or the text cannot be a key. Never the key.
    fn keep_key(&self, base_url: &str, text: &str) -> Result<(), String>;

    /// Forgets the key that is kept for a host.
    ///
    /// # Errors
    /// A sentence, where there is no place to keep keys or it is locked.
    fn forget_key(&self, base_url: &str) -> Result<(), String>;
}

/// Hosts over the network, with keys from the environment and the system's keyring. The environment's key goes only to where
/// the environment leads and to the API's own address.
#[derive(Clone, Copy, Debug, Default)]
pub struct NetworkHosts;

impl NetworkHosts {
    /// Configuration of calls to a host: with the environment's key where it is meant for it, else with the one that is
    /// kept.
    ///
    /// # Errors
    /// [`RemoteError::Config`].
    pub fn config(base_url: Option<&str>, variable: Variable<'_>) -> Result<Config, RemoteError> {
        let mut config = Config::for_host(base_url, variable)?;
        if !config.has_credential() {
            // A keyring that cannot be read is one without a key: the call then says that there is none.
            config.key = key_for(&config.base_url).ok().flatten();
        }
        Ok(config)
    }
}

impl Hosts for NetworkHosts {
    fn base_url(&self, asked: Option<&str>, variable: Variable<'_>) -> Result<String, RemoteError> {
        Ok(canonical_base_url(&Config::for_host(asked, variable)?.base_url)?)
    }

    fn open(
        &self,
        base_url: &str,
        variable: Variable<'_>,
        cancel: &Cancel,
        reported: Listener,
    ) -> Result<Box<dyn HostCalls>, RemoteError> {
        let host = Host::new(Self::config(Some(base_url), variable)?)?;
        Ok(Box::new(host.telling(reported).until(cancel)))
    }

    fn key(&self, base_url: &str, variable: Variable<'_>) -> Option<wire::KeySource> {
        let config = Self::config(Some(base_url), variable).ok()?;
        match config.key.as_ref().map(Key::source) {
            Some(KeySource::Keyring) => Some(wire::KeySource::Keyring),
            Some(_) => Some(wire::KeySource::Environment),
            None => config.has_credential().then_some(wire::KeySource::Environment),
        }
    }

    fn keep_key(&self, base_url: &str, text: &str) -> Result<(), String> {
        let key = Key::new(text, KeyKind::ApiKey, KeySource::Keyring).map_err(|error| error.to_string())?;
        keep_key_for(base_url, &key).map_err(|error| error.to_string())
    }

    fn forget_key(&self, base_url: &str) -> Result<(), String> {
        forget_key_for(base_url).map(drop).map_err(|error| error.to_string())
    }
}

impl HostCalls for Host {
    fn stores(&self) -> Result<Vec<RemoteStore>, RemoteError> {
        self.stores(true)
    }

    fn store(&self, store: &str) -> Result<RemoteStore, RemoteError> {
        self.store(store)
    }

    fn archive(&self, store: &str) -> Result<RemoteStore, RemoteError> {
        self.archive(store)
    }

    fn memories(&self, store: &str, page: Option<&str>) -> Result<Page<RemoteMemory>, RemoteError> {
        self.memories(store, page, false, PAGE)
    }

    fn memory(&self, store: &str, memory: &str) -> Result<RemoteMemory, RemoteError> {
        self.memory(store, memory)
    }

    fn versions(
        &self,
        store: &str,
        page: Option<&str>,
        full: bool,
    ) -> Result<Page<RemoteVersion>, RemoteError> {
        self.versions(store, page, full, if full { FULL_PAGE } else { PAGE })
    }

    fn versions_until(
        &self,
        store: &str,
        until: Timestamp,
        page: Option<&str>,
    ) -> Result<Page<RemoteVersion>, RemoteError> {
        self.versions_until(store, until, page, PAGE)
    }

    fn version(&self, store: &str, version: &str) -> Result<RemoteVersion, RemoteError> {
        self.version(store, version)
    }

    fn create(&self, store: &str, path: &str, content: &str) -> Result<RemoteMemory, RemoteError> {
        self.create(store, path, content)
    }

    fn update(
        &self,
        store: &str,
        memory: &str,
        path: Option<&str>,
        content: Option<&str>,
        expected: Option<Sha256>,
    ) -> Result<RemoteMemory, RemoteError> {
        self.update(store, memory, path, content, expected)
    }

    fn delete(&self, store: &str, memory: &str, expected: Option<Sha256>) -> Result<(), RemoteError> {
        self.delete(store, memory, expected)
    }

    fn redact(&self, store: &str, version: &str) -> Result<RemoteVersion, RemoteError> {
        self.redact(store, version)
    }

    fn dreams(&self, include_archived: bool, page: Option<&str>) -> Result<Page<RemoteDream>, RemoteError> {
        self.dreams(include_archived, page)
    }

    fn create_dream(&self, new: &NewDream) -> Result<RemoteDream, RemoteError> {
        self.create_dream(new)
    }

    fn cancel_dream(&self, dream: &str) -> Result<RemoteDream, RemoteError> {
        self.cancel_dream(dream)
    }

    fn archive_dream(&self, dream: &str) -> Result<RemoteDream, RemoteError> {
        self.archive_dream(dream)
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "host";
    host_no_dreams() => "this host has no dreams",
}
