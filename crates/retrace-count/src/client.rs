//! One call, tried again where that is of use.

use crate::answer::{Answer, presentable};
use crate::cancel::Cancel;
use crate::config::{BadConfig, Config, Endpoint, Roots};
use crate::error::CountError;
use crate::facts;
use crate::request::{CountRequest, Counted};
use crate::retry::{SystemTiming, Timing, asked_wait, backoff, is_retried};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use ureq::http::{HeaderName, HeaderValue, Uri};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

/// Makes calls. Copies share their connections.
#[derive(Clone)]
pub struct Client {
    agent: ureq::Agent,
    config: Arc<Config>,
    endpoint: Arc<Endpoint>,
    timing: Arc<dyn Timing>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("config", &self.config).finish_non_exhaustive()
    }
}

/// What one try came to.
enum Try {
    Answered(Answer),
    TimedOut,
    /// No answer: what the connection met.
    Broken(String),
    /// No answer, since the other side is not believed to be whom it claims to be. The SDK would try that again.
    Distrusted(String),
    /// A fault that a further try would meet again.
    Impossible(CountError),
}

/// What is sent, the same on every try.
struct Call {
    body: Vec<u8>,
    beta: Option<String>,
}

impl Client {
    /// A client with these settings. Nothing is sent yet.
    pub fn new(config: Config) -> Result<Self, CountError> {
        Self::with_timing(config, Arc::new(SystemTiming))
    }

    /// The same, with its own clock, patience and chance.
    pub fn with_timing(config: Config, timing: Arc<dyn Timing>) -> Result<Self, CountError> {
        let endpoint = config.endpoint()?;
        if config.key.is_none() && !config.has_own_credential() {
            return Err(CountError::NoKey);
        }
        config.call_headers(0, None)?;
        let settings = ureq::Agent::config_builder()
            .proxy(config.proxies.chosen(&endpoint)?)
            .tls_config(TlsConfig::builder().root_certs(roots(&config.roots)?).build())
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("retrace/", env!("CARGO_PKG_VERSION")))
            .timeout_global(Some(config.timeout))
            .timeout_connect(Some(config.connect_timeout))
            .max_idle_connections_per_host(config.threads.max(1))
            .build();
        Ok(Self { agent: settings.into(), config: Arc::new(config), endpoint: Arc::new(endpoint), timing })
    }

    /// The settings it was made with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn url(&self) -> &str {
        &self.endpoint.url
    }

    /// Counts one request, without plan or cache. Waits for the answer, for at most
    /// `(retries + 1) · timeout + retries · longest_wait`; ends at once when stopped.
    pub fn count(&self, request: &CountRequest, cancel: &Cancel) -> Result<Counted, CountError> {
        self.count_telling(request, cancel, cancel, &|_| {})
    }

    /// The same; `waiting` is told before each wait how long it will be, and `patience` ends waits but no call in the
    /// air. It has to stop with `cancel`.
    pub(crate) fn count_telling(
        &self,
        request: &CountRequest,
        cancel: &Cancel,
        patience: &Cancel,
        waiting: &dyn Fn(Duration),
    ) -> Result<Counted, CountError> {
        let call = Arc::new(Call { body: request.body(), beta: request.beta_header() });
        let mut tries = 0;
        loop {
            let outcome = self.try_once(&call, tries, cancel)?;
            tries += 1;
            let wait = match &outcome {
                Try::Answered(answer) if (200..300).contains(&answer.status) => {
                    return answer.count().map_err(|cause| CountError::BadAnswer {
                        cause,
                        request_id: answer.request_id(&self.config.secrets()),
                    });
                }
                Try::Answered(answer) if is_retried(answer) => asked_wait(answer, self.timing.now()),
                Try::TimedOut | Try::Broken(_) => None,
                Try::Answered(_) | Try::Distrusted(_) | Try::Impossible(_) => {
                    return Err(self.failure(outcome, tries));
                }
            };
            if tries > self.config.retries || wait.is_some_and(|wait| wait > self.config.longest_wait) {
                return Err(self.failure(outcome, tries));
            }
            let wait = wait.unwrap_or_else(|| backoff(tries, self.timing.random()));
            waiting(wait);
            if self.timing.wait(wait, patience) {
                let stopped = cancel.is_cancelled();
                return Err(if stopped { CountError::Cancelled } else { self.failure(outcome, tries) });
            }
        }
    }

    /// One call, on a thread of its own so that stopping need not wait for it: a call in the air then ends by its
    /// timeout, and its answer is dropped.
    fn try_once(&self, call: &Arc<Call>, tries_before: u32, cancel: &Cancel) -> Result<Try, CountError> {
        if cancel.is_cancelled() {
            return Err(CountError::Cancelled);
        }
        let headers = self.config.call_headers(tries_before, call.beta.as_deref())?;
        let slot = Arc::new(Mutex::new(None));
        let (agent, url) = (self.agent.clone(), self.endpoint.url.clone());
        let (call, filled, wakes) = (call.clone(), slot.clone(), cancel.clone());
        let spawned = thread::Builder::new().name("count_tokens".into()).spawn(move || {
            let outcome = send(&agent, &url, headers, &call.body);
            *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
            wakes.wake();
        });
        if let Err(error) = spawned {
            return Ok(Try::Broken(format!("no thread could be started: {error}")));
        }
        let outcome = cancel.wait_until(|| slot.lock().unwrap_or_else(PoisonError::into_inner).take());
        outcome.ok_or(CountError::Cancelled)
    }

    /// The error of the last try.
    fn failure(&self, outcome: Try, tries: u32) -> CountError {
        let answer = match outcome {
            Try::Answered(answer) => answer,
            Try::TimedOut => return CountError::Timeout { timeout: self.config.timeout, tries },
            Try::Broken(cause) | Try::Distrusted(cause) => {
                let cause = presentable(&cause, &self.config.secrets());
                return CountError::Unavailable { status: None, tries, cause, request_id: None };
            }
            Try::Impossible(error) => return error,
        };
        let status = answer.status;
        if (300..400).contains(&status) {
            return CountError::Redirected { status, host: self.host_of(&answer) };
        }
        let said = answer.complaint(&self.config.secrets());
        let (message, request_id) = (said.message, said.request_id);
        match status {
            401 | 403 => CountError::BadKey { status, message, request_id },
            429 => {
                let retry_after = asked_wait(&answer, self.timing.now());
                CountError::Limited { tries, retry_after, message, request_id }
            }
            408 | 409 | 500.. => {
                CountError::Unavailable { status: Some(status), tries, cause: message, request_id }
            }
            400..500 => CountError::Refused { status, kind: said.kind, message, request_id },
            _ => CountError::BadAnswer { cause: format!("HTTP {status}"), request_id },
        }
    }

    fn host_of(&self, answer: &Answer) -> Option<String> {
        let target: Uri = answer.location.as_ref()?.parse().ok()?;
        target.host().map(|host| presentable(host, &self.config.secrets()))
    }
}

fn roots(roots: &Roots) -> Result<RootCerts, BadConfig> {
    let Roots::Pem(bytes) = roots else { return Ok(RootCerts::PlatformVerifier) };
    let mut certificates: Vec<Certificate<'static>> = Vec::new();
    for item in parse_pem(bytes) {
        if let PemItem::Certificate(certificate) = item.map_err(|_| BadConfig::Roots)? {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        return Err(BadConfig::Roots);
    }
    Ok(RootCerts::new_with_certs(&certificates))
}

fn send(agent: &ureq::Agent, url: &str, headers: Vec<(HeaderName, HeaderValue)>, body: &[u8]) -> Try {
    let mut request = agent.post(url);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let answer = match request.send(body) {
        Ok(answer) => answer,
        Err(error) => return broken(error),
    };
    let header = |name: &str| Some(answer.headers().get(name)?.to_str().ok()?.to_owned());
    let mut read = Answer {
        status: answer.status().as_u16(),
        request_id: header("request-id"),
        location: header("location"),
        retry_after: header("retry-after"),
        retry_after_ms: header("retry-after-ms"),
        should_retry: header("x-should-retry"),
        ..Answer::default()
    };
    match answer.into_body().into_with_config().limit(facts::ANSWER_LIMIT).read_to_vec() {
        Ok(body) => read.body = body,
        Err(ureq::Error::BodyExceedsLimit(_)) => read.too_long = true,
        // An error's status says enough without its text.
        Err(_) if read.status >= 300 => {}
        Err(error) => return broken(error),
    }
    Try::Answered(read)
}

/// Sorts the library's errors. Their texts name hosts and faults; those that could carry more are replaced.
fn broken(error: ureq::Error) -> Try {
    match error {
        ureq::Error::Timeout(_) => Try::TimedOut,
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => Try::TimedOut,
        // How certificates and the like are refused below TLS.
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            Try::Distrusted(error.to_string())
        }
        ureq::Error::ConnectProxyFailed(_) => Try::Broken("the proxy did not let the call through".into()),
        ureq::Error::HostNotFound => Try::Broken("the host's name is not known".into()),
        ureq::Error::LargeResponseHeader(..) => Try::Impossible(CountError::BadAnswer {
            cause: "its headers are too long".into(),
            request_id: None,
        }),
        ureq::Error::Protocol(error) => Try::Broken(format!("not understood as HTTP: {error}")),
        other => Try::Broken(other.to_string()),
    }
}
