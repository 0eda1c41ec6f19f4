//! Exact counts over the network: where to and with which key, and the list of what was sent.

use crate::Lab;
use crate::wire;
use crate::wire::sentence;
use crate::wire::{ApiError, Code, CounterStatus, NetworkCall};
use retrace_count::{Cache, Config, Key, KeySource};
use retrace_engine::lock;
use std::collections::VecDeque;
use std::sync::Mutex;

/// Calls that are listed, the newest ones.
const LISTED: usize = 200;

/// State of counting over the network.
#[derive(Default)]
pub(crate) struct Counting {
    /// Answers known, opened at the first use.
    cache: Mutex<Option<Cache>>,
    sent: Mutex<Sent>,
}

#[derive(Default)]
struct Sent {
    calls: VecDeque<NetworkCall>,
    total: u64,
}

impl Counting {
    /// Calls made by this process, tries that failed among them.
    pub(crate) fn total(&self) -> u64 {
        lock(&self.sent).total
    }

    /// Notes a call.
    pub(crate) fn note(&self, call: NetworkCall) {
        let mut sent = lock(&self.sent);
        sent.total += 1;
        sent.calls.push_front(call);
        sent.calls.truncate(LISTED);
    }

    /// Counts tries that were made again; each was a call like one that is listed.
    pub(crate) fn note_retries(&self, retries: u64) {
        lock(&self.sent).total += retries;
    }

    /// Works with the answers known. Without a file they are forgotten with the process.
    pub(crate) fn with_cache<T>(&self, inner: &Lab, work: impl FnOnce(&mut Cache) -> T) -> T {
        let mut cache = lock(&self.cache);
        let open = || Cache::open(&inner.options.data_dir).unwrap_or_else(|_| Cache::in_memory());
        work(cache.get_or_insert_with(open))
    }

    /// Availability of exact counts, and the calls made for them.
    pub(crate) fn status(&self, inner: &Lab) -> Result<CounterStatus, ApiError> {
        let (config, keyring) = config(inner)?;
        Ok(CounterStatus {
            base_url: config.base_url,
            key_source: config.key.as_ref().map(source),
            keyring,
            calls: lock(&self.sent).calls.iter().cloned().collect(),
        })
    }
}

/// Configuration of calls: as the environment says, with the key from there or else from the keyring. Also whether
/// there is a keyring that can be used.
///
/// # Errors
/// `counter_unavailable` when the environment holds what cannot be used.
pub(crate) fn config(inner: &Lab) -> Result<(Config, bool), ApiError> {
    let env = &inner.options.surroundings.env;
    let variable = |name: &str| env.get(name)?.to_str().map(str::to_owned);
    let mut config = Config::from_environment(&variable).map_err(|error| {
        ApiError::new(Code::CounterUnavailable, sentence(&error), "environment")
            .hint(say::look_variables_anthropic_api_key())
    })?;
    let kept = inner.keys.key();
    let keyring = kept.is_ok();
    if config.key.is_none() {
        config.key = kept.ok().flatten();
    }
    Ok((config, keyring))
}

/// Where a key comes from, in the word for it.
pub(crate) fn source(key: &Key) -> wire::KeySource {
    match key.source() {
        KeySource::Environment => wire::KeySource::Environment,
        KeySource::Keyring => wire::KeySource::Keyring,
        KeySource::Given => wire::KeySource::Given,
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "counter";
    look_variables_anthropic_api_key() => "Look at the variables ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and ANTHROPIC_BASE_URL.",
}
