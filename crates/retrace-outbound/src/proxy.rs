//! Proxies from the environment, chosen as the SDK's HTTP library chooses them.
//!
//! Source: `httpx2` 2.16.2 (`get_environment_proxies`) and Python's `urllib.request.getproxies`, which `anthropic`
//! 2.11.0 uses. The settings of the system's registry or network panel are not read.

use crate::config::{BadConfig, Endpoint};
use std::fmt;
use std::net::IpAddr;

/// Choice of a proxy for each host.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// For `https` addresses.
    pub https: Option<String>,
    /// For `http` addresses.
    pub http: Option<String>,
    /// Where the one above is not set.
    pub all: Option<String>,
    /// Hosts to be called directly, in the form of `NO_PROXY`.
    pub none_for: Vec<String>,
}

impl Proxies {
    /// Reads `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`; the names in lower case win over those in upper
    /// case, and an empty one switches off.
    pub fn from_environment(variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let read = |name: &str| {
            variable(name)
                .or_else(|| variable(&name.to_ascii_uppercase()))
                .map(|value| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        let none_for = read("no_proxy").unwrap_or_default();
        Self {
            https: read("https_proxy"),
            http: read("http_proxy"),
            all: read("all_proxy"),
            none_for: none_for
                .split(',')
                .map(|host| host.trim().to_owned())
                .filter(|host| !host.is_empty())
                .collect(),
        }
    }

    /// The proxy for an address. Never one for a loopback address: the key would leave the machine unencrypted.
    pub(crate) fn chosen(&self, endpoint: &Endpoint) -> Result<Option<ureq::Proxy>, BadConfig> {
        if endpoint.loopback
            || self.none_for.iter().any(|pattern| covers(&pattern.to_ascii_lowercase(), endpoint))
        {
            return Ok(None);
        }
        let (scheme, own) = if endpoint.secure { ("https", &self.https) } else { ("http", &self.http) };
        let Some(url) = own.as_ref().or(self.all.as_ref()) else { return Ok(None) };
        let url = if url.contains("://") { url.clone() } else { format!("http://{url}") };
        ureq::Proxy::new(&url).map(Some).map_err(|_| BadConfig::Proxy { scheme })
    }
}

impl fmt::Debug for Proxies {
    /// Says which are set, not their addresses, which may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxies")
            .field("https", &self.https.is_some())
            .field("http", &self.http.is_some())
            .field("all", &self.all.is_some())
            .field("none_for", &self.none_for)
            .finish()
    }
}

/// True if one entry of `NO_PROXY` is about an address: `*`, a name with its subdomains, `.name` or `*.name` for the
/// subdomains alone, an IP address or a block of them; with a scheme before and a port behind if wanted. In lower case.
fn covers(pattern: &str, endpoint: &Endpoint) -> bool {
    let pattern = match pattern.split_once("://") {
        Some(("all", rest)) => rest,
        Some((scheme, rest)) if (scheme == "https") == endpoint.secure => rest,
        Some(_) => return false,
        None => pattern,
    };
    if pattern == "*" {
        return true;
    }
    let host = bare(&endpoint.host);
    if let Ok(address) = host.parse::<IpAddr>()
        && in_block(address, pattern)
    {
        return true;
    }
    let (name, port) = split_port(pattern);
    if port.is_some_and(|port| port != endpoint.port) {
        return false;
    }
    if let Some(parent) = name.strip_prefix("*.").or_else(|| name.strip_prefix('.')) {
        return host.strip_suffix(parent).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'));
    }
    let name = bare(name);
    !name.is_empty()
        && (host == name
            || (name != "localhost" && host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'))))
}

fn bare(host: &str) -> &str {
    host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host)
}

fn split_port(pattern: &str) -> (&str, Option<u16>) {
    match pattern.rsplit_once(':') {
        // A second colon before it, outside brackets, makes it an IPv6 address without a port.
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => match port.parse() {
            Ok(port) => (host, Some(port)),
            Err(_) => (pattern, None),
        },
        _ => (pattern, None),
    }
}

/// True if an address is the one named, or in the block `address/bits`.
fn in_block(address: IpAddr, pattern: &str) -> bool {
    let (base, bits) = match pattern.split_once('/') {
        Some((base, bits)) => (base, bits.parse::<u32>().ok()),
        None => (pattern, Some(128)),
    };
    match (address, bare(base).parse::<IpAddr>(), bits) {
        (IpAddr::V4(address), Ok(IpAddr::V4(base)), Some(bits)) => {
            let shift = 32 - bits.min(32);
            let mask = u32::MAX.checked_shl(shift).unwrap_or(0);
            u32::from(address) & mask == u32::from(base) & mask
        }
        (IpAddr::V6(address), Ok(IpAddr::V6(base)), Some(bits)) => {
            let mask = u128::MAX.checked_shl(128 - bits.min(128)).unwrap_or(0);
            u128::from(address) & mask == u128::from(base) & mask
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn endpoint(url: &str) -> Endpoint {
        Config { base_url: url.into(), allow_insecure: true, ..Config::default() }.endpoint().unwrap()
    }

    fn host(proxies: &Proxies, url: &str) -> Option<String> {
        proxies.chosen(&endpoint(url)).unwrap().map(|proxy| proxy.host().to_owned())
    }

    #[test]
    fn the_scheme_chooses_and_lower_case_wins() {
        let variable = |name: &str| match name {
            "https_proxy" => Some("http://user:word@lower:3128".to_owned()),
            "HTTPS_PROXY" => Some("http://upper:3128".to_owned()),
            "ALL_PROXY" => Some("rest:3128".to_owned()),
            "NO_PROXY" => Some("A.example, 10.0.0.0/8".to_owned()),
            _ => None,
        };
        let proxies = Proxies::from_environment(&variable);
        assert_eq!(host(&proxies, "https://api.anthropic.com").as_deref(), Some("lower"));
        assert_eq!(host(&proxies, "http://api.anthropic.com").as_deref(), Some("rest"));
        assert_eq!(host(&proxies, "https://x.a.example"), None);
        assert_eq!(host(&proxies, "https://10.2.3.4"), None);
        assert_eq!(host(&proxies, "http://127.0.0.1:8080"), None);
        assert!(!format!("{proxies:?}").contains("word"));

        let off = Proxies::from_environment(&|name| match name {
            "https_proxy" => Some(String::new()),
            "HTTPS_PROXY" => Some("http://upper".to_owned()),
            _ => None,
        });
        assert_eq!(host(&off, "https://api.anthropic.com"), None);
    }

    #[test]
    fn exceptions_are_read_as_the_sdk_reads_them() {
        for (pattern, url, covered) in [
            ("*", "https://a.b", true),
            ("example.com", "https://example.com", true),
            ("example.com", "https://www.example.com", true),
            ("example.com", "https://wwwexample.com", false),
            (".example.com", "https://example.com", false),
            ("*.example.com", "https://www.example.com", true),
            ("example.com:8443", "https://example.com:8443", true),
            ("example.com:8443", "https://example.com", false),
            ("https://example.com", "https://example.com", true),
            ("http://example.com", "https://example.com", false),
            ("192.168.0.0/16", "https://192.168.9.9", true),
            ("192.168.0.0/16", "https://192.169.0.1", false),
            ("0.0.0.0/0", "https://8.8.8.8", true),
            ("192.168.0.1", "https://192.168.0.1", true),
            ("fe80::/10", "https://[fe80::1]", true),
            ("fe80::1", "https://[fe80::1]", true),
            ("[fe80::1]:443", "https://[fe80::1]", true),
            ("10.0.0.0/x", "https://10.0.0.1", false),
            (":", "https://example.com", false),
        ] {
            assert_eq!(covers(pattern, &endpoint(url)), covered, "{pattern} {url}");
        }
    }

    #[test]
    fn a_proxy_that_is_none_is_an_error_not_a_direct_call() {
        let proxies = Proxies { all: Some("gopher://x".into()), ..Proxies::default() };
        assert!(matches!(proxies.chosen(&endpoint("https://a")), Err(BadConfig::Proxy { scheme: "https" })));
    }

    proptest::proptest! {
        #[test]
        fn any_variable_is_taken_or_refused(text in "(all://|https?://)?\\PC{0,12}[:/.*\\[\\]0-9a-f]{0,12}") {
            let proxies = Proxies::from_environment(&|_| Some(text.clone()));
            for url in ["https://api.example", "https://[fe80::1]:8443", "https://192.0.2.7"] {
                let _ = proxies.chosen(&endpoint(url));
                covers(&text, &endpoint(url));
            }
        }
    }
}
