//! Figures of one process, as Prometheus reads them. Labels are names of requests and numbers of statuses, nothing of a memory.

use crate::Failure;
use deadpool_postgres::Status;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use retrace_model::Sha256;
use retrace_sync::roles::REQUESTS;
use std::path::Path;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    request: &'static str,
    status: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Named {
    request: &'static str,
}

/// Figures of one process since it started.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    seconds: Family<Named, Histogram>,
    versions: Counter,
    conflicts: Counter,
    connections: Gauge,
    in_use: Gauge,
    waiting: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("retrace_hub");
        let requests = Family::<Answered, Counter>::default();
        registry.register("requests", "Requests answered", requests.clone());
        // 1 ms to about 16 s.
        let histogram: fn() -> Histogram = || Histogram::new(exponential_buckets(0.001, 2.0, 15));
        let seconds = Family::<Named, Histogram>::new_with_constructor(histogram);
        registry.register("request_seconds", "Time from a request to its answer", seconds.clone());
        let (versions, conflicts) = (Counter::default(), Counter::default());
        registry.register("versions_appended", "Versions appended to chains", versions.clone());
        registry.register("conflicts", "Appends to a chain whose head had moved", conflicts.clone());
        let [connections, in_use, waiting] = [(); 3].map(|()| Gauge::default());
        registry.register("pool_connections", "Connections to the database", connections.clone());
        registry.register("pool_in_use", "Connections that requests have at present", in_use.clone());
        registry.register("pool_waiting", "Requests that wait for a connection", waiting.clone());
        Self { registry, requests, seconds, versions, conflicts, connections, in_use, waiting }
    }

    /// Counts an answer.
    pub(crate) fn answered(&self, request: &'static str, status: u16, took: Duration) {
        self.requests.get_or_create(&Answered { request, status: u64::from(status) }).inc();
        self.seconds.get_or_create(&Named { request }).observe(took.as_secs_f64());
    }

    /// Counts versions that were appended and are durable.
    pub(crate) fn appended(&self, versions: u64) {
        self.versions.inc_by(versions);
    }

    /// Counts an append to a chain whose head had moved.
    pub(crate) fn conflict(&self) {
        self.conflicts.inc();
    }

    /// Everything as text.
    pub(crate) fn text(&self, pool: Status) -> Result<String, Failure> {
        let number = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
        self.connections.set(number(pool.size));
        self.in_use.set(number(pool.size.saturating_sub(pool.available)));
        self.waiting.set(number(pool.waiting));
        let mut text = String::new();
        encode(&mut text, &self.registry)
            .map_err(|_| Failure::Machine("the figures cannot be written".into()))?;
        Ok(text)
    }
}

/// The name of a request for figures and log lines: one of ours, whatever was asked.
pub(crate) fn name_of(path: &str) -> &'static str {
    let name = path.strip_prefix("/hub/v1/").unwrap_or_default();
    let first = ["hello", "join", "window_hello", "window_join", "window_sign_in", "window_finish_sign_in"];
    let first = first.into_iter().find(|known| *known == name);
    let known = || REQUESTS.iter().find(|(known, _)| *known == name).map(|(known, _)| *known);
    first.or_else(known).unwrap_or("unknown")
}

/// Who may read the figures.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Readers {
    /// Whoever reaches the address, a loopback one.
    Anyone,
    /// Holders of the token with this hash.
    Bearer(Sha256),
    /// Nobody.
    Nobody,
}

impl Readers {
    /// With a token file its holders; without one whoever reaches a loopback address.
    pub(crate) fn of(token_file: Option<&Path>, is_loopback: bool) -> Result<Self, Failure> {
        let Some(file) = token_file else {
            return Ok(if is_loopback { Self::Anyone } else { Self::Nobody });
        };
        let refuse = |why: String| Failure::TokenFile(file.display().to_string(), why);
        let text = std::fs::read_to_string(file).map_err(|error| refuse(error.to_string()))?;
        let token = text.trim();
        if token.len() < 16 {
            return Err(refuse("it holds fewer than 16 characters".to_owned()));
        }
        Ok(Self::Bearer(Sha256::of(token.as_bytes())))
    }

    /// True if a request with this header may read them. Hashes are compared, so that no time tells how much of a token fits.
    pub(crate) fn let_in(self, authorization: Option<&str>) -> bool {
        match self {
            Self::Anyone => true,
            Self::Nobody => false,
            Self::Bearer(hash) => authorization
                .and_then(|header| header.strip_prefix("Bearer "))
                .is_some_and(|token| Sha256::of(token.trim().as_bytes()) == hash),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_name_requests_and_nothing_else() {
        let metrics = Metrics::new();
        metrics.answered(name_of("/hub/v1/append"), 200, Duration::from_millis(3));
        metrics.answered(name_of("/hub/v1/rthub_secret"), 404, Duration::from_millis(3));
        metrics.appended(7);
        metrics.conflict();
        let text = metrics.text(Status { max_size: 16, size: 3, available: 1, waiting: 0 }).expect("text");
        for line in [
            r#"retrace_hub_requests_total{request="append",status="200"} 1"#,
            r#"retrace_hub_requests_total{request="unknown",status="404"} 1"#,
            "retrace_hub_versions_appended_total 7",
            "retrace_hub_conflicts_total 1",
            "retrace_hub_pool_in_use 2",
            r#"retrace_hub_request_seconds_bucket{le="0.004",request="append"} 1"#,
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(!text.contains("secret"));
    }

    #[test]
    fn a_token_lets_its_holders_in_and_nobody_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        std::fs::write(&file, "0123456789abcdef\n").expect("written");
        let readers = Readers::of(Some(&file), true).expect("readers");
        assert!(readers.let_in(Some("Bearer 0123456789abcdef")));
        for other in [None, Some("Bearer 0123456789abcdeF"), Some("0123456789abcdef"), Some("Bearer ")] {
            assert!(!readers.let_in(other), "{other:?}");
        }
        assert!(Readers::of(None, true).expect("readers").let_in(None));
        assert!(!Readers::of(None, false).expect("readers").let_in(Some("Bearer 0123456789abcdef")));
        std::fs::write(&file, "short").expect("written");
        Readers::of(Some(&file), true).expect_err("too short");
        Readers::of(Some(&folder.path().join("none")), true).expect_err("no file");
    }
}
