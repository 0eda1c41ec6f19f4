//! Calls of the identity provider: its description, its keys, and the device authorization grant (RFC 8628).
//!
//! Nothing is remembered between calls: a sign-in reads description and keys anew, so that a key that the provider took back is
//! believed no more. What the provider hands out stays in this process until it was read, and is neither kept nor logged.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use retrace_outbound::{Call, Cancel, Client, Config, Method, Proxies};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Time of one call.
const CALL_TIME: Duration = Duration::from_secs(10);

/// Bytes of an answer that are read.
const ANSWER_BYTES: u64 = 1 << 20;

/// What a form keeps as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The scopes that are asked for: who it is, their name and their address.
const SCOPES: &str = "openid profile email";

/// Why the provider did not do what was asked. A sentence without anything that the provider handed out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProviderError {
    #[error("The identity provider is not reached or does not answer as one: {0}.")]
    Unusable(&'static str),
    #[error("The identity provider has no device authorization.")]
    NoDeviceFlow,
    #[error("The person did not allow it.")]
    Denied,
    #[error("The time for it is over, or it was used already.")]
    Over,
    #[error("The identity provider refuses this client ({0}).")]
    Refused(String),
}

/// What a provider publishes about itself.
#[derive(Clone, Deserialize)]
pub(crate) struct Description {
    issuer: String,
    pub(crate) jwks_uri: String,
    pub(crate) token_endpoint: String,
    #[serde(default)]
    device_authorization_endpoint: Option<String>,
}

/// A sign-in that began.
#[derive(Deserialize)]
pub(crate) struct Device {
    pub(crate) device_code: String,
    pub(crate) user_code: String,
    // One provider has the name of the draft.
    #[serde(alias = "verification_url")]
    pub(crate) verification_uri: String,
    #[serde(default)]
    pub(crate) verification_uri_complete: Option<String>,
    pub(crate) expires_in: u64,
    #[serde(default = "five")]
    pub(crate) interval: u64,
}

fn five() -> u64 {
    5
}

/// How a sign-in stands.
pub(crate) enum Polled {
    /// The person has not answered yet; asked too often where `slower`.
    Waiting { slower: bool },
    /// The ID token.
    Done(String),
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    id_token: Option<String>,
}

#[derive(Deserialize)]
struct Complaint {
    error: String,
}

/// The client of a provider, as the hub is registered there.
pub(crate) struct Asked<'a> {
    pub(crate) issuer: &'a str,
    pub(crate) client_id: &'a str,
    pub(crate) secret: Option<&'a str>,
}

impl Asked<'_> {
    /// Refuses an issuer that would be called without encryption on another machine.
    pub(crate) fn is_callable(&self) -> Result<(), ProviderError> {
        let config = Config { base_url: self.issuer.to_owned(), plain: true, ..Config::default() };
        Client::new(config).map(drop).map_err(|_| ProviderError::Unusable("its address cannot be called"))
    }

    /// What the provider publishes, checked to be its own.
    pub(crate) fn description(&self) -> Result<Description, ProviderError> {
        let url = format!("{}/.well-known/openid-configuration", self.issuer.trim_end_matches('/'));
        let found: Description = self.get(&url)?;
        if found.issuer != self.issuer {
            return Err(ProviderError::Unusable("its description names another issuer"));
        }
        Ok(found)
    }

    /// Begins a sign-in.
    pub(crate) fn begin(&self, description: &Description, nonce: &str) -> Result<Device, ProviderError> {
        let url = description.device_authorization_endpoint.as_ref().ok_or(ProviderError::NoDeviceFlow)?;
        let form = [("client_id", self.client_id), ("scope", SCOPES), ("nonce", nonce)];
        let (good, body) = self.post(url, &form)?;
        if !good {
            return Err(refused(&body));
        }
        read(&body)
    }

    /// Asks whether the person answered.
    pub(crate) fn poll(&self, token_endpoint: &str, device_code: &str) -> Result<Polled, ProviderError> {
        let form = [
            ("client_id", self.client_id),
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("device_code", device_code),
        ];
        let (good, body) = self.post(token_endpoint, &form)?;
        if good {
            let tokens: Tokens = read(&body)?;
            return tokens.id_token.map(Polled::Done).ok_or(ProviderError::Unusable("it sent no ID token"));
        }
        match read::<Complaint>(&body)?.error.as_str() {
            "authorization_pending" => Ok(Polled::Waiting { slower: false }),
            "slow_down" => Ok(Polled::Waiting { slower: true }),
            "access_denied" => Err(ProviderError::Denied),
            "expired_token" | "invalid_grant" => Err(ProviderError::Over),
            _ => Err(refused(&body)),
        }
    }

    /// The published keys.
    pub(crate) fn keys(&self, jwks_uri: &str) -> Result<Value, ProviderError> {
        self.get(jwks_uri)
    }

    fn get<T: DeserializeOwned>(&self, url: &str) -> Result<T, ProviderError> {
        let (good, body) = self.call(url, Method::Get, None)?;
        if good { read(&body) } else { Err(ProviderError::Unusable("it refused a request")) }
    }

    fn post(&self, url: &str, form: &[(&str, &str)]) -> Result<(bool, Vec<u8>), ProviderError> {
        let encoded = |text: &str| utf8_percent_encode(text, PLAIN).to_string();
        let mut fields: Vec<String> =
            form.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        if let Some(secret) = self.secret {
            fields.push(format!("client_secret={}", encoded(secret)));
        }
        self.call(url, Method::Post, Some(fields.join("&").into_bytes()))
    }

    fn call(
        &self,
        url: &str,
        method: Method,
        form: Option<Vec<u8>>,
    ) -> Result<(bool, Vec<u8>), ProviderError> {
        let bad = ProviderError::Unusable("an address of its description cannot be called");
        // An encrypted provider does not send the hub elsewhere without encryption.
        if self.issuer.starts_with("https://") && !url.starts_with("https://") {
            return Err(bad);
        }
        let begins = url.find("://").map(|at| at + 3).ok_or(bad.clone())?;
        let path = url.get(begins..).and_then(|rest| rest.find('/')).map_or(url.len(), |at| begins + at);
        let (base, path) = url.split_at_checked(path).ok_or(bad.clone())?;
        let config = Config {
            base_url: base.to_owned(),
            timeout: CALL_TIME,
            retries: 0,
            proxies: Proxies::from_environment(&|name| std::env::var(name).ok()),
            plain: true,
            ..Config::default()
        };
        let client = Client::new(config).map_err(|_| bad)?;
        let mut call = Call { answer_limit: ANSWER_BYTES, ..Call::new(method, path) };
        if let Some(form) = form {
            call.headers = vec![("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned())];
            call.body = form;
        }
        let answer = client
            .call(&Arc::new(call), &Cancel::new())
            .map_err(|_| ProviderError::Unusable("a request got no answer"))?;
        if answer.too_long {
            return Err(ProviderError::Unusable("an answer is too long"));
        }
        Ok((answer.is_good(), answer.body))
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ProviderError> {
    // The parser's own words could quote what came.
    serde_json::from_slice(body).map_err(|_| ProviderError::Unusable("an answer is not understood"))
}

/// The code of an error, which says what is wrong with the client's registration.
fn refused(body: &[u8]) -> ProviderError {
    let code = serde_json::from_slice::<Complaint>(body).map(|complaint| complaint.error).unwrap_or_default();
    let is_code = !code.is_empty()
        && code.len() <= 60
        && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    ProviderError::Refused(if is_code { code } else { "without a reason".to_owned() })
}
