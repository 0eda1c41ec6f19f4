//! Shared by the tests: settings for a server, patience that does not wait, requests.

use crate::server::{KEY, Server};
use retrace_count::{Cancel, Client, Config, CountRequest, Key, KeyKind, KeySource, Timing};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Writes waits down instead of waiting.
#[derive(Default)]
pub(crate) struct Impatient {
    pub waits: Mutex<Vec<Duration>>,
    /// Stops this token at the first wait.
    pub stops: Option<Cancel>,
}

impl Timing for Impatient {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH
    }

    fn wait(&self, time: Duration, cancel: &Cancel) -> bool {
        self.waits.lock().unwrap().push(time);
        if let Some(stops) = &self.stops {
            stops.cancel();
        }
        cancel.is_cancelled()
    }

    fn random(&self) -> f64 {
        0.0
    }
}

impl Impatient {
    pub(crate) fn seconds(&self) -> Vec<f64> {
        self.waits.lock().unwrap().iter().map(Duration::as_secs_f64).collect()
    }
}

pub(crate) fn key() -> Option<Key> {
    Some(Key::new(KEY, KeyKind::ApiKey, KeySource::Given).unwrap())
}

pub(crate) fn config(server: &Server) -> Config {
    Config { base_url: server.url(), key: key(), ..Config::default() }
}

pub(crate) fn client(server: &Server) -> (Client, Arc<Impatient>) {
    client_of(config(server))
}

pub(crate) fn client_of(config: Config) -> (Client, Arc<Impatient>) {
    let timing = Arc::new(Impatient::default());
    (Client::with_timing(config, timing.clone()).unwrap(), timing)
}

pub(crate) fn request(text: &str) -> CountRequest {
    CountRequest {
        model: "claude-opus-4-6".into(),
        messages: json!([{"role": "user", "content": text}]),
        ..CountRequest::default()
    }
}
