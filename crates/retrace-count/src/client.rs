//! One count: a call, and what its answer comes to.

use crate::answer::count_of;
use crate::error::CountError;
use crate::facts;
use crate::request::{CountRequest, Counted};
use retrace_message::Message;
use retrace_outbound::{Answer, Call, CallError, Cancel, Config, Method, SystemTiming, Timing};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Makes calls. Copies share their connections.
#[derive(Clone)]
pub struct Client {
    calls: retrace_outbound::Client,
    url: Arc<str>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.calls.fmt(f)
    }
}

impl Client {
    /// A client with these settings. Nothing is sent yet.
    pub fn new(config: Config) -> Result<Self, CountError> {
        Self::with_timing(config, Arc::new(SystemTiming))
    }

    /// The same, with its own clock, patience and chance.
    pub fn with_timing(config: Config, timing: Arc<dyn Timing>) -> Result<Self, CountError> {
        let calls = retrace_outbound::Client::with_timing(config, timing)?;
        let url = format!("{}{}", calls.endpoint().base, facts::PATH).into();
        Ok(Self { calls, url })
    }

    /// The settings it was made with.
    pub fn config(&self) -> &Config {
        self.calls.config()
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
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
        let beta = request.beta_header().map(|beta| ("anthropic-beta".to_owned(), beta));
        let call = Call {
            body: request.body(),
            headers: beta.into_iter().collect(),
            answer_limit: facts::ANSWER_LIMIT,
            ..Call::new(Method::Post, facts::PATH)
        };
        let answer = self.calls.call_telling(&Arc::new(call), cancel, patience, waiting)?;
        if !answer.is_good() {
            return Err(self.refusal(&answer));
        }
        let secrets = self.config().secrets();
        count_of(&answer)
            .map_err(|cause| CountError::BadAnswer { cause, request_id: answer.shown_request_id(&secrets) })
    }

    /// The error of an answer that is not good.
    fn refusal(&self, answer: &Answer) -> CountError {
        let (status, tries) = (answer.status, answer.tries);
        if (300..400).contains(&status) {
            return CountError::Redirected { status, host: self.calls.host_of(answer) };
        }
        let reported = answer.complaint(&self.config().secrets());
        let (message, request_id) = (reported.message, reported.request_id);
        match status {
            401 | 403 => CountError::BadKey { status, message, request_id },
            429 => {
                let retry_after = self.calls.asked_wait(answer);
                CountError::Limited { tries, retry_after, message, request_id }
            }
            408 | 409 | 500.. => CountError::Unavailable {
                status: Some(status),
                tries,
                cause: Message::verbatim(message),
                request_id,
            },
            400..500 => CountError::Refused { status, kind: reported.kind, message, request_id },
            _ => CountError::BadAnswer { cause: Message::verbatim(format!("HTTP {status}")), request_id },
        }
    }
}

impl From<CallError> for CountError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::NoKey => Self::NoKey,
            CallError::Config(error) => Self::Config(error),
            CallError::Unavailable { tries, cause } => {
                Self::Unavailable { status: None, tries, cause, request_id: None }
            }
            CallError::Timeout { timeout, tries } => Self::Timeout { timeout, tries },
            CallError::BadAnswer { cause } => Self::BadAnswer { cause, request_id: None },
            CallError::Cancelled => Self::Cancelled,
        }
    }
}
