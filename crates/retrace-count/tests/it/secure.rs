//! Over TLS: a certificate that is believed, one that is not, and a proxy.

use crate::server::{Reply, Server};
use crate::support::{client_of, key, request};
use retrace_count::{BadConfig, Cancel, Client, Config, CountError, Proxies, Roots};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// A server's settings, and its certificate in PEM form.
pub(crate) fn certificate(name: &str) -> (Arc<rustls::ServerConfig>, Vec<u8>) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let settings = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    (Arc::new(settings), made.cert.pem().into_bytes())
}

fn config(host: &str, port: u16, roots: Roots) -> Config {
    Config { base_url: format!("https://{host}:{port}"), key: key(), roots, retries: 0, ..Config::default() }
}

#[test]
fn a_call_over_tls_counts() {
    let (settings, pem) = certificate("localhost");
    let server = Server::start_with(|_, _| Reply::Count, Some(settings));
    let (client, _) = client_of(config("localhost", server.port, Roots::Pem(pem)));
    assert!(client.count(&request("hello"), &Cancel::new()).unwrap().input_tokens > 0);
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn a_stranger_does_not_receive_the_key() {
    let (settings, own) = certificate("localhost");
    let (_, other) = certificate("localhost");
    for roots in [Roots::System, Roots::Pem(other)] {
        let server = Server::start_with(|_, _| Reply::Count, Some(settings.clone()));
        let (client, timing) = client_of(Config { retries: 4, ..config("localhost", server.port, roots) });
        let error = client.count(&request("hello"), &Cancel::new()).unwrap_err();
        assert!(
            matches!(&error, CountError::Unavailable { tries: 1, cause, .. } if cause.contains("certificate")),
            "{error:?}"
        );
        assert_eq!(timing.seconds(), Vec::<f64>::new());
        assert!(server.seen().is_empty());
    }
    // The right certificate, but for another name.
    let server = Server::start_with(|_, _| Reply::Count, Some(settings));
    let (client, _) = client_of(config("127.0.0.1", server.port, Roots::Pem(own)));
    assert!(client.count(&request("hello"), &Cancel::new()).is_err());
    assert!(server.seen().is_empty());
}

#[test]
pub(crate) fn certificates_that_are_none_are_refused() {
    for pem in [&b""[..], b"nonsense", b"-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n"] {
        let error = Client::new(config("localhost", 1, Roots::Pem(pem.to_vec()))).unwrap_err();
        assert_eq!(error, CountError::Config(BadConfig::Roots));
    }
}

/// A proxy that joins every tunnel to one port of this machine, and says what it was asked for.
fn proxy(to: u16) -> (u16, std::sync::mpsc::Receiver<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, asked) = std::sync::mpsc::channel();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let mut lines = Vec::new();
            let mut reader = BufReader::new(client.try_clone().unwrap());
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
                    break;
                }
                lines.push(line.trim_end().to_owned());
            }
            let _ = sender.send(lines);
            let mut client = client;
            client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").unwrap();
            let server = TcpStream::connect(("127.0.0.1", to)).unwrap();
            let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            thread::spawn(move || std::io::copy(&mut from_client, &mut to_server));
            thread::spawn(move || std::io::copy(&mut { server }, &mut client));
        }
    });
    (port, asked)
}

#[test]
fn a_proxy_carries_the_call_without_seeing_into_it() {
    let (settings, pem) = certificate("api.example");
    let server = Server::start_with(|_, _| Reply::Count, Some(settings));
    let (port, asked) = proxy(server.port);
    let proxies = Proxies { https: Some(format!("http://name:word@127.0.0.1:{port}")), ..Proxies::default() };
    let (client, _) = client_of(Config { proxies, ..config("api.example", 443, Roots::Pem(pem)) });
    client.count(&request("hello"), &Cancel::new()).unwrap();

    let asked = asked.recv().unwrap();
    assert_eq!(asked[0], "CONNECT api.example:443 HTTP/1.1");
    assert!(asked.iter().all(|line| !line.to_ascii_lowercase().starts_with("authorization")), "{asked:?}");
    assert_eq!(server.seen().len(), 1);
    assert!(!format!("{client:?}").contains("word"));
}

#[test]
fn plain_calls_leave_the_machine_only_when_allowed() {
    let config = Config { base_url: "http://api.example".into(), key: key(), ..Config::default() };
    let refused = Client::new(config.clone()).unwrap_err();
    assert_eq!(refused, CountError::Config(BadConfig::NotSecure { host: "api.example".into() }));
    assert!(Client::new(Config { allow_insecure: true, ..config }).is_ok());
}

#[test]
fn silence_in_the_handshake_ends_by_the_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let timeout = std::time::Duration::from_millis(50);
    let (client, _) = client_of(Config { timeout, ..config("localhost", port, Roots::System) });
    let error = client.count(&request("hello"), &Cancel::new()).unwrap_err();
    assert_eq!(error, CountError::Timeout { timeout, tries: 1 });
}
