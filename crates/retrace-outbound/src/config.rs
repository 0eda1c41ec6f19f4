//! The settings of calls: where to, with which key and headers, how long.

use crate::call::Method;
use crate::facts;
use crate::key::{BadKeyText, Key};
use crate::proxy::Proxies;
use retrace_message::{AsMessage, Message};
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;
use ureq::http::{HeaderName, HeaderValue, Uri};

/// Configuration of calls. [`Config::default`] has no key and no proxy; [`Config::from_environment`] reads both.
#[derive(Clone)]
pub struct Config {
    /// Where calls go, without the endpoint's path: scheme, host, and a path in front of it if need be.
    pub base_url: String,
    /// The key. None is fine for a plan, not for a call.
    pub key: Option<Key>,
    /// The header that carries it.
    pub key_header: KeyHeader,
    /// Value of `anthropic-version`.
    pub version: String,
    /// Further headers, which win over ours of the same name (but not over those of a call, such as `anthropic-beta`).
    pub headers: Vec<(String, String)>,
    /// Time for one call, from the look-up of the name to the last byte of the answer.
    pub timeout: Duration,
    /// Of that, time to connect.
    pub connect_timeout: Duration,
    /// Further tries of one call.
    pub retries: u32,
    /// Longest wait between two tries that a server may ask for; a longer one ends the call.
    pub longest_wait: Duration,
    /// Calls in the air at the same time during a run; 0 is taken as 1.
    pub threads: usize,
    /// Allows calls without encryption to another machine. Key and content are then readable on the way.
    pub allow_insecure: bool,
    /// Proxies to go through. Never used for a loopback address.
    pub proxies: Proxies,
    /// Whose certificates are believed.
    pub roots: Roots,
    /// Sends no header of the Anthropic API and needs no credential: for services that are none of it, such as an identity
    /// provider. Headers of the settings and of a call are sent all the same.
    pub plain: bool,
}

/// The header that carries the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyHeader {
    /// `Authorization: Bearer KEY`, as `anthropic` 2.11.0 does for both kinds of key.
    #[default]
    Bearer,
    /// `x-api-key: KEY`, which older gateways expect.
    XApiKey,
}

/// Whose certificates are believed.
#[derive(Clone, PartialEq, Eq, Default)]
pub enum Roots {
    /// Those that the system believes.
    #[default]
    System,
    /// These alone: certificates in PEM form, one or more. For a company's own gateway.
    Pem(Vec<u8>),
}

impl fmt::Debug for Roots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System => f.write_str("System"),
            Self::Pem(bytes) => write!(f, "Pem({} bytes)", bytes.len()),
        }
    }
}

/// The settings cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, AsMessage)]
#[message("config", saved)]
pub enum BadConfig {
    /// The base URL is not one.
    #[error("the base URL cannot be used: {0}")]
    Url(Message),
    /// A call would go to another machine without encryption.
    #[error("\"{host}\" would be called without encryption; use https, or allow it explicitly")]
    NotSecure {
        /// The host.
        host: String,
    },
    /// A header has a name or value that cannot be sent, or is one that the connection itself sets.
    #[error("the header {name:?} cannot be sent")]
    Header {
        /// Its name.
        name: String,
    },
    /// The key in the environment is not one.
    #[error(transparent)]
    Key(#[from] BadKeyText),
    /// The proxy's address is not one.
    #[error("the proxy of {scheme} calls cannot be used")]
    Proxy {
        /// `http` or `https`.
        scheme: &'static str,
    },
    /// The certificates of [`Roots::Pem`] cannot be read, or there are none.
    #[error("the given certificates cannot be read")]
    Roots,
    /// A plan was made for another address than the client calls.
    #[error("the plan is for {planned}, not for {called}")]
    OtherPlan {
        /// Where the plan goes.
        planned: String,
        /// Where the client calls.
        called: String,
    },
}

/// Where calls go, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Scheme, host, port where the settings name one, and path, without a slash at the end.
    pub base: String,
    /// Host in lower case, as in the URL (brackets around an IPv6 address).
    pub host: String,
    /// Port, the scheme's own where the URL has none.
    pub port: u16,
    /// True if calls are encrypted.
    pub secure: bool,
    /// True if they stay on this machine.
    pub loopback: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            base_url: facts::DEFAULT_BASE_URL.to_owned(),
            key: None,
            key_header: KeyHeader::default(),
            version: facts::API_VERSION.to_owned(),
            headers: Vec::new(),
            timeout: Duration::from_secs(facts::DEFAULT_TIMEOUT_SECONDS),
            connect_timeout: Duration::from_secs(facts::CONNECT_SECONDS),
            retries: facts::DEFAULT_RETRIES,
            longest_wait: Duration::from_secs(facts::DEFAULT_LONGEST_WAIT_SECONDS),
            threads: facts::DEFAULT_THREADS,
            allow_insecure: false,
            proxies: Proxies::default(),
            roots: Roots::default(),
            plain: false,
        }
    }
}

impl Config {
    /// The defaults, changed by `ANTHROPIC_BASE_URL`, `ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN`,
    /// `ANTHROPIC_CUSTOM_HEADERS` and the variables of proxies. `variable` looks one up. The keyring is not asked:
    /// see [`crate::key_from_keyring`]. The SDK's profiles and workload identities are not read.
    pub fn from_environment(variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, BadConfig> {
        let mut config = Self { key: Key::from_environment(variable)?, ..Self::default() };
        if let Some(url) = variable("ANTHROPIC_BASE_URL").filter(|url| !url.trim().is_empty()) {
            config.base_url = url.trim().to_owned();
        }
        config.headers = custom_headers(&variable("ANTHROPIC_CUSTOM_HEADERS").unwrap_or_default());
        config.proxies = Proxies::from_environment(variable);
        Ok(config)
    }

    /// The settings for one host of several: those of the environment, but its key and custom headers only where they
    /// are meant for that host, so that no host is told the key of another. They are meant for the address that the
    /// environment itself leads to (`ANTHROPIC_BASE_URL`, else the API's own), and the key for the API's own as well.
    /// Without `base_url` it is that address. The keyring is not asked: see [`crate::key_for`].
    ///
    /// # Errors
    /// [`BadConfig`], where the address or the environment's key cannot be used.
    pub fn for_host(
        base_url: Option<&str>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, BadConfig> {
        let named = variable("ANTHROPIC_BASE_URL").filter(|url| !url.trim().is_empty());
        let meant = match (&named, base_url) {
            // An unusable variable matters only where it is used.
            (Some(url), Some(_)) => canonical_base_url(url).ok(),
            (Some(url), None) => Some(canonical_base_url(url)?),
            (None, _) => Some(facts::DEFAULT_BASE_URL.to_owned()),
        };
        let asked = match base_url {
            Some(url) => canonical_base_url(url)?,
            None => meant.clone().unwrap_or_else(|| facts::DEFAULT_BASE_URL.to_owned()),
        };
        let is_meant = meant.as_deref() == Some(asked.as_str());
        let mut config = Self { proxies: Proxies::from_environment(variable), ..Self::default() };
        if is_meant || asked == facts::DEFAULT_BASE_URL {
            config.key = Key::from_environment(variable)?;
        }
        if is_meant {
            config.headers = custom_headers(&variable("ANTHROPIC_CUSTOM_HEADERS").unwrap_or_default());
        }
        config.base_url = asked;
        Ok(config)
    }

    /// True if calls carry a credential: a key, or a header of the settings that is one.
    pub fn has_credential(&self) -> bool {
        self.key.is_some() || self.has_own_credential()
    }

    /// The proxy on the way to an address, as `host:port`.
    ///
    /// # Errors
    /// [`BadConfig::Proxy`].
    pub fn proxy_of(&self, endpoint: &Endpoint) -> Result<Option<String>, BadConfig> {
        let proxy = self.proxies.chosen(endpoint)?;
        Ok(proxy.map(|proxy| format!("{}:{}", proxy.host(), proxy.port())))
    }

    /// True if a header of the settings carries a credential, so that no key is needed.
    fn has_own_credential(&self) -> bool {
        self.headers.iter().any(|(name, value)| !value.is_empty() && carries_credential(name))
    }

    /// Values that an answer must not repeat: the key, and credentials among the headers.
    pub fn secrets(&self) -> Vec<&str> {
        let given = self.headers.iter().filter(|(name, _)| carries_credential(name));
        let given = given.map(|(_, value)| value.rsplit(' ').next().unwrap_or(value));
        let key = self.key.as_ref().map(Key::secret);
        given.chain(key).filter(|secret| !secret.is_empty()).collect()
    }

    /// The address, checked for form and safety.
    ///
    /// # Errors
    /// [`BadConfig::Url`] and [`BadConfig::NotSecure`].
    pub fn endpoint(&self) -> Result<Endpoint, BadConfig> {
        let text = self.base_url.trim();
        if text.contains('#') || text.contains('?') {
            return Err(BadConfig::Url(say::query_or_fragment()));
        }
        let uri: Uri = text.parse().map_err(|_| BadConfig::Url(say::not_url()))?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(BadConfig::Url(say::not_begin_https())),
        };
        let authority = uri.authority().ok_or(BadConfig::Url(say::no_host()))?;
        if authority.as_str().contains('@') {
            return Err(BadConfig::Url(say::holds_user_name_or_password()));
        }
        let host = authority.host().to_ascii_lowercase();
        if host.is_empty() {
            return Err(BadConfig::Url(say::no_host()));
        }
        let loopback = is_loopback(&host);
        if !secure && !loopback && !self.allow_insecure {
            return Err(BadConfig::NotSecure { host });
        }
        let port = authority.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let scheme = if secure { "https" } else { "http" };
        let path = uri.path().trim_end_matches('/');
        let base = format!("{scheme}://{authority}{path}");
        Ok(Endpoint { base, host, port, secure, loopback })
    }

    /// All headers of a call but those of the connection, ours first replaced by the settings', then by the call's.
    pub(crate) fn call_headers(
        &self,
        tries_before: u32,
        method: Method,
        own: &[(String, String)],
    ) -> Result<Vec<(HeaderName, HeaderValue)>, BadConfig> {
        let mut layers: Vec<(String, String)> = vec![("accept".into(), "application/json".into())];
        if !self.plain {
            layers.extend([
                ("anthropic-version".into(), self.version.clone()),
                ("x-stainless-retry-count".into(), tries_before.to_string()),
                ("x-stainless-read-timeout".into(), self.timeout.as_secs().max(1).to_string()),
            ]);
        }
        // The SDK sends it with DELETE too, and with a POST that has no body.
        if method != Method::Get {
            layers.push(("content-type".into(), "application/json".into()));
        }
        if let Some(key) = &self.key {
            layers.push(match self.key_header {
                KeyHeader::Bearer => ("authorization".into(), format!("Bearer {}", key.secret())),
                KeyHeader::XApiKey => ("x-api-key".into(), key.secret().to_owned()),
            });
        }
        layers.extend(self.headers.iter().cloned());
        layers.extend(own.iter().cloned());

        let mut headers: Vec<(HeaderName, HeaderValue)> = Vec::with_capacity(layers.len());
        for (name, value) in layers {
            let (name, value) = header(&name, &value)?;
            headers.retain(|(earlier, _)| *earlier != name);
            headers.push((name, value));
        }
        Ok(headers)
    }
}

/// Headers that describe the connection or the body: the settings may not change them.
const OF_THE_CONNECTION: [&str; 9] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "expect",
    "upgrade",
    "te",
    "trailer",
    "proxy-authorization",
];

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), BadConfig> {
    let refused = || BadConfig::Header { name: name.chars().take(80).collect() };
    let parsed = HeaderName::try_from(name).map_err(|_| refused())?;
    if OF_THE_CONNECTION.contains(&parsed.as_str()) {
        return Err(refused());
    }
    let mut value = HeaderValue::try_from(value).map_err(|_| refused())?;
    value.set_sensitive(true);
    Ok((parsed, value))
}

fn carries_credential(name: &str) -> bool {
    name.eq_ignore_ascii_case("authorization") || name.eq_ignore_ascii_case("x-api-key")
}

/// `name: value` lines; a line without a colon is passed over, as in the SDK.
fn custom_headers(lines: &str) -> Vec<(String, String)> {
    lines
        .split('\n')
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect()
}

/// One spelling for each base URL: scheme and host in lower case, no port that is the scheme's own, no slash at the end.
/// Encryption is not asked for here, but when it is called.
///
/// # Errors
/// [`BadConfig::Url`].
pub fn canonical_base_url(text: &str) -> Result<String, BadConfig> {
    let open = Config { base_url: text.to_owned(), allow_insecure: true, ..Config::default() };
    let Endpoint { base, host, port, secure, .. } = open.endpoint()?;
    let (scheme, own) = if secure { ("https", 443) } else { ("http", 80) };
    let rest = base.split_once("://").map_or("", |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    let port = if port == own { String::new() } else { format!(":{port}") };
    Ok(format!("{scheme}://{host}{port}{path}"))
}

fn is_loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl fmt::Debug for Config {
    /// Shows the names of headers but not their values, which may hold credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Config")
            .field("key", &self.key)
            .field("key_header", &self.key_header)
            .field("version", &self.version)
            .field("headers", &headers)
            .field("timeout", &self.timeout)
            .field("connect_timeout", &self.connect_timeout)
            .field("retries", &self.retries)
            .field("longest_wait", &self.longest_wait)
            .field("threads", &self.threads)
            .field("allow_insecure", &self.allow_insecure)
            .field("proxies", &self.proxies)
            .field("roots", &self.roots)
            .field("plain", &self.plain)
            .field("endpoint", &self.endpoint())
            .finish_non_exhaustive()
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "config";
    query_or_fragment() => "it has a query or a fragment",
    not_url() => "it is not a URL",
    not_begin_https() => "it does not begin with https://",
    no_host() => "it has no host",
    holds_user_name_or_password() => "it holds a user name or password",
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{KeyKind, KeySource};

    fn at(url: &str) -> Result<Endpoint, BadConfig> {
        Config { base_url: url.into(), ..Config::default() }.endpoint()
    }

    #[test]
    fn the_base_has_no_slash_at_its_end() {
        assert_eq!(at("https://api.anthropic.com").unwrap().base, "https://api.anthropic.com");
        let endpoint = at("https://Gateway.example:8443/prefix/").unwrap();
        assert_eq!(endpoint.base, "https://Gateway.example:8443/prefix");
        assert_eq!((endpoint.host.as_str(), endpoint.port), ("gateway.example", 8443));
    }

    #[test]
    fn plain_http_stays_on_this_machine() {
        for url in ["http://127.0.0.1:9", "http://127.8.8.8", "http://[::1]:80/x", "http://localhost"] {
            assert!(at(url).unwrap().loopback, "{url}");
        }
        for url in
            ["http://10.0.0.1", "http://127.0.0.1.example.com", "http://localhost.example", "http://[::2]"]
        {
            assert!(matches!(at(url), Err(BadConfig::NotSecure { .. })), "{url}");
        }
        let open = Config { base_url: "http://10.0.0.1".into(), allow_insecure: true, ..Config::default() };
        assert!(!open.endpoint().unwrap().secure);
    }

    #[test]
    fn what_is_not_a_base_url_is_refused() {
        for url in [
            "",
            "api.anthropic.com",
            "ftp://a",
            "https://",
            "https://u:p@a",
            "https://a/?k=1",
            "https://a#b",
            "https://a b",
        ] {
            assert!(matches!(at(url), Err(BadConfig::Url(_))), "{url}");
        }
    }

    #[test]
    fn later_headers_win_without_regard_to_case() {
        let config = Config {
            key: Some(Key::new("sk-1", KeyKind::ApiKey, KeySource::Given).unwrap()),
            headers: custom_headers(
                "Authorization: Bearer other\nno colon\nAnthropic-Beta: mine\nX-Team: a:b ",
            ),
            ..Config::default()
        };
        let value = |beta: Option<&str>, name: &str| {
            let own: Vec<_> =
                beta.map(|beta| ("anthropic-beta".to_owned(), beta.to_owned())).into_iter().collect();
            let headers = config.call_headers(2, Method::Post, &own).unwrap();
            let found: Vec<_> = headers.iter().filter(|(given, _)| given == name).collect();
            assert!(found.len() <= 1);
            found.first().map(|(_, value)| value.to_str().unwrap().to_owned())
        };
        assert_eq!(value(None, "authorization").unwrap(), "Bearer other");
        assert_eq!(value(None, "anthropic-beta").unwrap(), "mine");
        assert_eq!(value(Some("a,b"), "anthropic-beta").unwrap(), "a,b");
        assert_eq!(value(None, "x-team").unwrap(), "a:b");
        assert_eq!(value(None, "x-stainless-retry-count").unwrap(), "2");
        assert_eq!(value(None, "no colon"), None);
        assert!(!format!("{config:?}").contains("Bearer other"));
        assert!(config.has_own_credential());
    }

    #[test]
    fn a_plain_call_says_nothing_of_the_api() {
        let config = Config { plain: true, ..Config::default() };
        let headers = config.call_headers(1, Method::Get, &[]).unwrap();
        let names: Vec<_> = headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["accept"]);
        assert!(crate::Client::new(config).is_ok() && crate::Client::new(Config::default()).is_err());
    }

    #[test]
    fn headers_that_cannot_be_sent_are_named() {
        for (name, value) in [("a b", "x"), ("x", "a\nb"), ("Content-Length", "1"), ("", "x")] {
            let config = Config { headers: vec![(name.into(), value.into())], ..Config::default() };
            assert!(
                matches!(config.call_headers(0, Method::Get, &[]), Err(BadConfig::Header { .. })),
                "{name}"
            );
        }
    }

    #[test]
    fn the_environment_is_read_as_the_sdk_does() {
        let variable = |name: &str| match name {
            "ANTHROPIC_BASE_URL" => Some("https://gateway.example/a".to_owned()),
            "ANTHROPIC_API_KEY" => Some("sk-1".to_owned()),
            "ANTHROPIC_CUSTOM_HEADERS" => Some("X-A: 1\nX-B:2".to_owned()),
            _ => None,
        };
        let config = Config::from_environment(&variable).unwrap();
        assert_eq!(config.endpoint().unwrap().host, "gateway.example");
        assert_eq!(config.key.as_ref().unwrap().secret(), "sk-1");
        assert_eq!(config.headers, [("X-A".into(), "1".into()), ("X-B".into(), "2".into())]);
        let none = Config::from_environment(&|_| Some(String::new())).unwrap();
        assert_eq!((none.key, none.base_url.as_str()), (None, facts::DEFAULT_BASE_URL));
    }

    #[test]
    fn an_address_has_one_spelling() {
        for (text, expected) in [
            (" HTTPS://API.Anthropic.com:443/ ", "https://api.anthropic.com"),
            ("https://Gateway.example:8443/Prefix/", "https://gateway.example:8443/Prefix"),
            ("http://[::1]:80/x", "http://[::1]/x"),
            ("http://10.0.0.1", "http://10.0.0.1"),
        ] {
            assert_eq!(canonical_base_url(text).as_deref(), Ok(expected), "{text}");
        }
        assert!(canonical_base_url("api.anthropic.com").is_err());
    }

    #[test]
    fn a_host_receives_its_own_key_alone() {
        let variable = |name: &str| match name {
            "ANTHROPIC_BASE_URL" => Some("https://gateway.example/a/".to_owned()),
            "ANTHROPIC_API_KEY" => Some("sk-1".to_owned()),
            "ANTHROPIC_CUSTOM_HEADERS" => Some("X-A: 1".to_owned()),
            _ => None,
        };
        let settings = |url: Option<&str>| {
            let config = Config::for_host(url, &variable).unwrap();
            (config.base_url.clone(), config.key.is_some(), config.headers.len())
        };
        assert_eq!(settings(None), ("https://gateway.example/a".into(), true, 1));
        assert_eq!(
            settings(Some("https://GATEWAY.example/a")),
            ("https://gateway.example/a".into(), true, 1)
        );
        assert_eq!(settings(Some(facts::DEFAULT_BASE_URL)), (facts::DEFAULT_BASE_URL.into(), true, 0));
        assert_eq!(
            settings(Some("https://gateway.example/b")),
            ("https://gateway.example/b".into(), false, 0)
        );
        assert_eq!(settings(Some("https://other.example")), ("https://other.example".into(), false, 0));

        let plain = Config::for_host(None, &|_| None).unwrap();
        assert_eq!((plain.base_url.as_str(), plain.key), (facts::DEFAULT_BASE_URL, None));
        assert!(Config::for_host(Some("gateway"), &|_| None).is_err());
        let odd = |name: &str| (name == "ANTHROPIC_BASE_URL").then(|| "gateway".to_owned());
        assert!(Config::for_host(None, &odd).is_err());
        assert!(Config::for_host(Some("https://a.example"), &odd).is_ok());
    }

    proptest::proptest! {
        #[test]
        fn any_setting_is_taken_or_refused(host: String, name: String, value: String) {
            for base_url in [host.clone(), format!("http://{host}"), format!("https://{host}/{value}")] {
                let config = Config { base_url, headers: vec![(name.clone(), value.clone())], ..Config::default() };
                if let Ok(endpoint) = config.endpoint() {
                    assert!(endpoint.secure || endpoint.loopback);
                    let canonical = canonical_base_url(&config.base_url).unwrap();
                    assert_eq!(canonical_base_url(&canonical).as_ref(), Ok(&canonical));
                }
                let _ = config.call_headers(0, Method::Post, &[(name.clone(), value.clone())]);
            }
        }
    }
}
