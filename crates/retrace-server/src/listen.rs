//! The address to listen on, and the names it is reached by.

use axum::http::uri::Authority;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};

/// Reads an address with its port: `127.0.0.1:8080`, `[::1]:0`, `localhost:8080`. Port 0 takes any free one. Names are not
/// looked up: `localhost` is the IPv4 loopback address.
///
/// # Errors
/// [`Code::Invalid`] for anything that is not an address with a port, and for one that other machines reach unless `beyond`.
pub(crate) fn parse(text: &str, beyond: bool) -> Result<SocketAddr, ApiError> {
    let address = match text.strip_prefix("localhost:").map(str::parse) {
        Some(Ok(port)) => Some(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)),
        Some(Err(_)) => None,
        None => text.parse().ok(),
    };
    let Some(address) = address else {
        return Err(refuse("This is not an address with a port.", "Give one such as 127.0.0.1:8080.", text));
    };
    if !address.ip().is_loopback() && !beyond {
        return Err(refuse(
            "Other machines reach this address, and nothing would be encrypted.",
            "Give a loopback address such as 127.0.0.1:8080, or a certificate with --tls-cert and --tls-key.",
            text,
        ));
    }
    Ok(address)
}

/// Reads a name that clients use for this server, with or without a port: `memory.example`, `192.0.2.7`, `[2001:db8::7]:443`.
///
/// # Errors
/// [`Code::Invalid`] for what no client could name in its `Host` header.
pub(crate) fn name(text: &str) -> Result<Authority, ApiError> {
    let hint = "Give one such as memory.example or memory.example:8443.";
    text.parse()
        .ok()
        .filter(|name: &Authority| !name.as_str().contains('@') && !name.host().is_empty())
        .ok_or_else(|| refuse("This is not the name of a host.", hint, text))
}

/// Takes the address.
///
/// # Errors
/// [`Code::Invalid`] when it is in use or cannot be used.
pub(crate) fn bind(address: SocketAddr) -> Result<TcpListener, ApiError> {
    TcpListener::bind(address).and_then(|listener| listener.set_nonblocking(true).map(|()| listener)).map_err(
        |error| match error.kind() {
            std::io::ErrorKind::AddrInUse => refuse(
                "Another program listens on this address.",
                "Give another port with --listen; port 0 takes any free one.",
                &address.to_string(),
            ),
            _ => refuse(
                &format!("Cannot listen on this address: {}.", retrace_api::wire::why(&error)),
                "",
                &address.to_string(),
            ),
        },
    )
}

fn refuse(message: &str, hint: &str, subject: &str) -> ApiError {
    let (message, hint) = (Message::verbatim(message), Message::verbatim(hint));
    ApiError { code: Code::Invalid, message, hint, subject: subject.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_addresses_are_read() {
        for (text, printed) in [
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("127.9.9.9:80", "127.9.9.9:80"),
            ("[::1]:8080", "[::1]:8080"),
            ("localhost:8080", "127.0.0.1:8080"),
        ] {
            assert_eq!(parse(text, false).expect("an address").to_string(), printed);
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "8080",
            "127.0.0.1",
            "0.0.0.0:80",
            "[::]:80",
            "192.168.0.2:80",
            "example.org:80",
            "localhost:x",
        ] {
            assert_eq!(parse(text, false).expect_err(text).code, Code::Invalid);
        }
    }

    #[test]
    fn an_address_that_others_reach_is_taken_where_that_was_asked_for() {
        for text in ["0.0.0.0:80", "[::]:80", "192.168.0.2:80"] {
            assert_eq!(parse(text, true).expect("an address").to_string(), text);
        }
        assert!(parse("example.org:80", true).is_err(), "names are not looked up");
    }

    #[test]
    fn names_of_hosts_are_read() {
        for text in ["memory.example", "memory.example:8443", "192.0.2.7", "[2001:db8::7]:443"] {
            assert_eq!(name(text).expect("a name").as_str(), text);
        }
        for text in ["", "me@memory.example", "http://memory.example", "two words", "a/b", "a:b:c"] {
            assert_eq!(name(text).expect_err(text).code, Code::Invalid);
        }
    }

    #[test]
    fn an_address_in_use_is_refused() {
        let taken = bind(parse("127.0.0.1:0", false).expect("an address")).expect("a listener");
        let address = taken.local_addr().expect("an address");
        assert_eq!(bind(address).expect_err("in use").code, Code::Invalid);
    }
}
