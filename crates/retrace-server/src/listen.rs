//! The address to listen on.

use retrace_api::wire::{ApiError, Code};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};

/// Reads an address with its port: `127.0.0.1:8080`, `[::1]:0`, `localhost:8080`. Port 0 takes any free one. Names are not
/// looked up: `localhost` is the IPv4 loopback address.
///
/// # Errors
/// [`Code::Invalid`] for anything that is not a loopback address with a port.
pub(crate) fn parse(text: &str) -> Result<SocketAddr, ApiError> {
    let address = match text.strip_prefix("localhost:").map(str::parse) {
        Some(Ok(port)) => Some(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)),
        Some(Err(_)) => None,
        None => text.parse().ok(),
    };
    let Some(address) = address else {
        return Err(refuse("This is not an address with a port.", "Give one such as 127.0.0.1:8080.", text));
    };
    if !address.ip().is_loopback() {
        return Err(refuse(
            "Retrace listens on this machine only.",
            "Give a loopback address such as 127.0.0.1:8080. To reach it from elsewhere, use an SSH tunnel.",
            text,
        ));
    }
    Ok(address)
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
            _ => refuse(&format!("Cannot listen on this address: {error}."), "", &address.to_string()),
        },
    )
}

fn refuse(message: &str, hint: &str, subject: &str) -> ApiError {
    let (message, hint, subject) = (message.to_owned(), hint.to_owned(), subject.to_owned());
    ApiError { code: Code::Invalid, message, hint, subject }
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
            assert_eq!(parse(text).expect("an address").to_string(), printed);
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
            assert_eq!(parse(text).expect_err(text).code, Code::Invalid);
        }
    }

    #[test]
    fn an_address_in_use_is_refused() {
        let taken = bind(parse("127.0.0.1:0").expect("an address")).expect("a listener");
        let address = taken.local_addr().expect("an address");
        assert_eq!(bind(address).expect_err("in use").code, Code::Invalid);
    }
}
