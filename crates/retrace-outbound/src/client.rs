//! One call, tried again where that is of use.

use crate::answer::{Answer, presentable};
use crate::call::{Call, CallError, Listener, Made, Method};
use crate::cancel::Cancel;
use crate::config::{BadConfig, Config, Endpoint, Roots};
use crate::retry::{SystemTiming, Timing, asked_wait, backoff, is_retried};
use retrace_message::Message;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};
use ureq::http::{HeaderName, HeaderValue, Request, Uri};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

/// Makes calls. Copies share their connections.
#[derive(Clone)]
pub struct Client {
    agent: ureq::Agent,
    config: Arc<Config>,
    endpoint: Arc<Endpoint>,
    timing: Arc<dyn Timing>,
    listener: Option<Listener>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Result of one try.
enum Try {
    Answered(Answer),
    TimedOut,
    /// No answer: what the connection met.
    Broken(Message),
    /// No connection: nothing listens there.
    Refused,
    /// No answer, since the other side is not believed to be whom it claims to be. The SDK would try that again.
    Distrusted(Message),
    /// A fault that a further try would meet again.
    Impossible(CallError),
}

impl Try {
    /// True if the server may have done what was asked although it did not say so.
    fn leaves_doubt(&self) -> bool {
        match self {
            Self::Answered(answer) => answer.status == 408 || answer.status >= 500,
            Self::TimedOut | Self::Broken(_) => true,
            Self::Refused | Self::Distrusted(_) | Self::Impossible(_) => false,
        }
    }
}

impl Client {
    /// A client with these settings. Nothing is sent yet.
    ///
    /// # Errors
    /// [`CallError::NoKey`] and [`CallError::Config`].
    pub fn new(config: Config) -> Result<Self, CallError> {
        Self::with_timing(config, Arc::new(SystemTiming))
    }

    /// The same, with its own clock, patience and chance.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn with_timing(config: Config, timing: Arc<dyn Timing>) -> Result<Self, CallError> {
        let endpoint = config.endpoint()?;
        if !config.plain && !config.has_credential() {
            return Err(CallError::NoKey);
        }
        config.call_headers(0, Method::Post, &[])?;
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
        Ok(Self {
            agent: settings.into(),
            config: Arc::new(config),
            endpoint: Arc::new(endpoint),
            timing,
            listener: None,
        })
    }

    /// The same client, which tells of each try.
    #[must_use]
    pub fn telling(mut self, listener: Listener) -> Self {
        self.listener = Some(listener);
        self
    }

    /// The settings it was made with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Where it calls.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The wait that an answer asks for; none where it asks for none or for none that is more than zero.
    pub fn asked_wait(&self, answer: &Answer) -> Option<Duration> {
        asked_wait(answer, self.timing.now())
    }

    /// The host that an answer's `location` names, ready to be shown.
    pub fn host_of(&self, answer: &Answer) -> Option<String> {
        let target: Uri = answer.location.as_ref()?.parse().ok()?;
        target.host().map(|host| presentable(host, &self.config.secrets()))
    }

    /// Makes a call and waits for its answer, for at most `(retries + 1) · timeout + retries · longest_wait`; ends at
    /// once when stopped. The answer may have any status.
    ///
    /// # Errors
    /// [`CallError`], where the last try had no answer that can be read.
    pub fn call(&self, call: &Arc<Call>, cancel: &Cancel) -> Result<Answer, CallError> {
        self.call_telling(call, cancel, cancel, &|_| {})
    }

    /// The same; `waiting` is told before each wait how long it will be, and `patience` ends waits but no call in the
    /// air. It has to stop with `cancel`.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn call_telling(
        &self,
        call: &Arc<Call>,
        cancel: &Cancel,
        patience: &Cancel,
        waiting: &dyn Fn(Duration),
    ) -> Result<Answer, CallError> {
        let url = format!("{}{}", self.endpoint.base, call.target()?);
        let (mut tries, mut in_doubt) = (0, false);
        loop {
            let outcome = self.try_once(call, &url, tries, cancel)?;
            tries += 1;
            let wait = match &outcome {
                Try::Answered(answer)
                    if !answer.is_good() && is_retried(answer) && !answer.is_final(call.final_kinds) =>
                {
                    asked_wait(answer, self.timing.now())
                }
                Try::Refused if call.refused_is_final => return self.ended(outcome, tries, in_doubt),
                Try::TimedOut | Try::Broken(_) | Try::Refused => None,
                Try::Answered(_) | Try::Distrusted(_) | Try::Impossible(_) => {
                    return self.ended(outcome, tries, in_doubt);
                }
            };
            if tries > self.config.retries || wait.is_some_and(|wait| wait > self.config.longest_wait) {
                return self.ended(outcome, tries, in_doubt);
            }
            let wait = wait.unwrap_or_else(|| backoff(tries, self.timing.random()));
            waiting(wait);
            if self.timing.wait(wait, patience) {
                let stopped = cancel.is_cancelled();
                return if stopped {
                    Err(CallError::Cancelled)
                } else {
                    self.ended(outcome, tries, in_doubt)
                };
            }
            in_doubt |= outcome.leaves_doubt();
        }
    }

    /// One try, on a thread of its own so that stopping need not wait for it: a call in the air then ends by its
    /// timeout, and its answer is dropped.
    fn try_once(
        &self,
        call: &Arc<Call>,
        url: &str,
        tries_before: u32,
        cancel: &Cancel,
    ) -> Result<Try, CallError> {
        if cancel.is_cancelled() {
            return Err(CallError::Cancelled);
        }
        let headers = self.config.call_headers(tries_before, call.method, &call.headers)?;
        let at = self.timing.now();
        let slot = Arc::new(Mutex::new(None));
        let (agent, url) = (self.agent.clone(), url.to_owned());
        let (sent, filled, wakes) = (call.clone(), slot.clone(), cancel.clone());
        let spawned = thread::Builder::new().name("retrace-call".into()).spawn(move || {
            let outcome = send(&agent, &url, headers, &sent);
            *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
            wakes.wake();
        });
        if let Err(error) = spawned {
            return Ok(Try::Broken(say::no_thread_could_started(error)));
        }
        let outcome = cancel.wait_until(|| slot.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.tell(call, at, outcome.as_ref());
        outcome.ok_or(CallError::Cancelled)
    }

    fn tell(&self, call: &Call, at: SystemTime, outcome: Option<&Try>) {
        let Some(listener) = &self.listener else { return };
        let answer = match outcome {
            Some(Try::Answered(answer)) => Some(answer),
            _ => None,
        };
        listener(&Made {
            at,
            method: call.method,
            address: format!("{}{}", self.endpoint.base, call.path),
            status: answer.map(|answer| answer.status),
            sent: call.body.len() as u64,
            received: answer.map_or(0, |answer| answer.body.len() as u64),
        });
    }

    /// Result of the last try.
    fn ended(&self, outcome: Try, tries: u32, in_doubt: bool) -> Result<Answer, CallError> {
        match outcome {
            Try::Answered(answer) => Ok(Answer { tries, in_doubt, ..answer }),
            Try::TimedOut => Err(CallError::Timeout { timeout: self.config.timeout, tries }),
            Try::Broken(cause) | Try::Distrusted(cause) => {
                let shown = presentable(&cause, &self.config.secrets());
                let cause = if cause == shown.as_str() { cause } else { Message::verbatim(shown) };
                Err(CallError::Unavailable { tries, cause })
            }
            Try::Refused => Err(CallError::Unavailable { tries, cause: say::refuses_connections() }),
            Try::Impossible(error) => Err(error),
        }
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

fn send(agent: &ureq::Agent, url: &str, headers: Vec<(HeaderName, HeaderValue)>, call: &Call) -> Try {
    let mut request = Request::builder().method(call.method.as_str()).uri(url);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let answered = match call.method {
        Method::Post => request.body(call.body.as_slice()).map(|request| agent.run(request)),
        Method::Get | Method::Delete => request.body(()).map(|request| agent.run(request)),
    };
    let answer = match answered {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => return broken(error),
        Err(_) => {
            return Try::Impossible(CallError::Config(BadConfig::Url(say::address_cannot_called())));
        }
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
    match answer.into_body().into_with_config().limit(call.answer_limit).read_to_vec() {
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
        // Certificates and the like are refused below TLS in this form.
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            Try::Distrusted(Message::verbatim(error.to_string()))
        }
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => Try::Refused,
        ureq::Error::ConnectProxyFailed(_) => Try::Broken(say::proxy_did_not_let_call()),
        ureq::Error::HostNotFound => Try::Broken(say::hosts_name_not_known()),
        ureq::Error::LargeResponseHeader(..) => {
            Try::Impossible(CallError::BadAnswer { cause: say::headers_too_long() })
        }
        ureq::Error::Protocol(error) => Try::Broken(say::not_understood_http(error.to_string())),
        other => Try::Broken(Message::verbatim(other.to_string())),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "client";
    no_thread_could_started(error) => "no thread could be started: {error}",
    address_cannot_called() => "the address cannot be called",
    proxy_did_not_let_call() => "the proxy did not let the call through",
    refuses_connections() => "it refuses connections",
    hosts_name_not_known() => "the host's name is not known",
    headers_too_long() => "its headers are too long",
    not_understood_http(error) => "not understood as HTTP: {error}",
}
