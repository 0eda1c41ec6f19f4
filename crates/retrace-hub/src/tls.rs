//! The address of the database, and whether the connection to it is encrypted.
//!
//! An address that asks for TLS never falls back to a plain connection: the server's certificate and name are checked, whether
//! it says `require`, `verify-ca` or `verify-full`. One that says nothing is plain on a socket and a loopback address alone.

use crate::Failure;
use percent_encoding::percent_decode_str;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// What an address says of TLS, which the driver does not understand.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    mode: Option<String>,
    roots: Option<PathBuf>,
}

/// Reads the address of a database. With it comes what TLS believes, where the connection is to be encrypted.
pub(crate) fn parse(address: &str) -> Result<(Config, Option<ClientConfig>), Failure> {
    let (config, roots) = read(address)?;
    let tls = (config.get_ssl_mode() == SslMode::Require).then(|| client(roots)).transpose()?;
    Ok((config, tls))
}

/// The address, and the file of the roots that it names.
fn read(address: &str) -> Result<(Config, Option<PathBuf>), Failure> {
    let unreadable = || Failure::Database("the address of the database is not one".into());
    let (rest, said) = if address.starts_with("postgresql://") || address.starts_with("postgres://") {
        of_url(address)
    } else {
        of_pairs(address).ok_or_else(unreadable)?
    };
    // The parser's own words could quote a password.
    let mut config: Config = rest.parse().map_err(|_| unreadable())?;
    let encrypted = match said.mode.as_deref() {
        None => !is_local(&config),
        Some("disable") => false,
        Some("require" | "verify-ca" | "verify-full") => true,
        Some(_) => {
            let message = "sslmode is disable, require, verify-ca or verify-full";
            return Err(Failure::Database(message.into()));
        }
    };
    config.ssl_mode(if encrypted { SslMode::Require } else { SslMode::Disable });
    Ok((config, said.roots))
}

/// True if nothing of the connection leaves this machine.
fn is_local(config: &Config) -> bool {
    let is_loopback = |address: &IpAddr| address.is_loopback();
    let hosts = config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|address| is_loopback(&address)),
        #[cfg(unix)]
        Host::Unix(_) => true,
    });
    let addresses = config.get_hostaddrs();
    if addresses.is_empty() { hosts } else { addresses.iter().all(is_loopback) }
}

fn client(roots: Option<PathBuf>) -> Result<ClientConfig, Failure> {
    let refused = |error: &dyn std::fmt::Display| {
        Failure::Database(format!("its certificate cannot be checked: {error}"))
    };
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(&error))?;
    let Some(file) = roots else {
        use rustls_platform_verifier::BuilderVerifierExt as _;
        let builder = builder.with_platform_verifier().map_err(|error| refused(&error))?;
        return Ok(builder.with_no_client_auth());
    };
    let mut store = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(&file).map_err(|error| refused(&error))?;
    for certificate in certificates {
        store.add(certificate.map_err(|error| refused(&error))?).map_err(|error| refused(&error))?;
    }
    if store.is_empty() {
        return Err(refused(&"the file of sslrootcert holds none"));
    }
    Ok(builder.with_root_certificates(store).with_no_client_auth())
}

/// Takes what is said of TLS out of a URL.
fn of_url(url: &str) -> (String, Said) {
    let Some((start, query)) = url.split_once('?') else { return (url.to_owned(), Said::default()) };
    let (mut said, mut kept) = (Said::default(), Vec::new());
    for pair in query.split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = || percent_decode_str(value).decode_utf8_lossy().into_owned();
        match key {
            "sslmode" => said.mode = Some(value()),
            "sslrootcert" => said.roots = Some(PathBuf::from(value())),
            _ => kept.push(pair),
        }
    }
    let query = kept.join("&");
    (if query.is_empty() { start.to_owned() } else { format!("{start}?{query}") }, said)
}

/// Takes what is said of TLS out of `key=value` pairs; `None` where they are not such.
fn of_pairs(text: &str) -> Option<(String, Said)> {
    let (mut said, mut kept, mut rest) = (Said::default(), String::new(), text.trim());
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        let (key, after) = (key.trim(), after.trim_start());
        let length = value_length(after)?;
        let (value, left) = after.split_at_checked(length)?;
        match key {
            "sslmode" => said.mode = Some(plain(value)),
            "sslrootcert" => said.roots = Some(PathBuf::from(plain(value))),
            _ => {
                kept.push_str(key);
                kept.push('=');
                kept.push_str(value);
                kept.push(' ');
            }
        }
        rest = left.trim_start();
    }
    Some((kept.trim_end().to_owned(), said))
}

/// Bytes of the value that a text begins with, its quotes included.
fn value_length(text: &str) -> Option<usize> {
    let quoted = text.starts_with('\'');
    let mut letters = text.char_indices().skip(usize::from(quoted));
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '\'' if quoted => return Some(at + 1),
            letter if !quoted && letter.is_whitespace() => return Some(at),
            _ => {}
        }
    }
    (!quoted).then_some(text.len())
}

/// A value without its quotes and backslashes.
fn plain(value: &str) -> String {
    let inner = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')).unwrap_or(value);
    let mut plain = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        plain.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(address: &str) -> SslMode {
        read(address).expect(address).0.get_ssl_mode()
    }

    #[test]
    fn what_leaves_the_machine_is_encrypted_unless_it_says_otherwise() {
        for plain in [
            "postgresql:///retrace?host=/run/postgresql",
            "postgresql://retrace@localhost/retrace",
            "postgresql://127.0.0.1/retrace",
            "postgresql://db.example/retrace?sslmode=disable",
            "host=db.example sslmode = disable dbname=retrace",
            "host='/run/my sockets' user=retrace",
        ] {
            assert_eq!(mode(plain), SslMode::Disable, "{plain}");
        }
        for encrypted in [
            "postgresql://db.example/retrace",
            "postgresql://a.example,localhost/retrace",
            "postgresql://localhost/retrace?sslmode=require",
            "postgresql://localhost/retrace?sslmode=verify-full&application_name=x",
            "host=db.example user=retrace",
            "host=localhost hostaddr=192.0.2.7 user=retrace",
            "host=localhost sslmode='verify-ca'",
        ] {
            assert_eq!(mode(encrypted), SslMode::Require, "{encrypted}");
        }
    }

    #[test]
    fn what_could_fall_back_or_is_no_address_is_refused() {
        let secret = "hunter2";
        for bad in [
            format!("postgresql://retrace:{secret}@db.example/x?sslmode=prefer"),
            format!("host=db.example password={secret} sslmode=allow"),
            format!("host=db.example password='{secret}"),
            format!("postgresql://retrace:{secret}@db.example/x?unknown=1"),
            format!("postgresql://retrace:{secret}@db.example/x?sslmode=require&sslrootcert=/no/such/file"),
            secret.to_owned(),
        ] {
            let failure = parse(&bad).map(drop).expect_err(&bad);
            assert!(!failure.to_string().contains(secret), "{failure}");
        }
    }

    #[test]
    fn pairs_are_read_as_libpq_reads_them() {
        let (rest, said) =
            of_pairs(r"password='a \' b' sslrootcert='/etc/my roots.pem' host=x").expect("pairs");
        assert_eq!(rest, r"password='a \' b' host=x");
        assert_eq!(said.roots, Some(PathBuf::from("/etc/my roots.pem")));
        let (rest, said) = of_url("postgresql://h/d?sslrootcert=%2Fetc%2Fr.pem&connect_timeout=3");
        assert_eq!(rest, "postgresql://h/d?connect_timeout=3");
        assert_eq!(said.roots, Some(PathBuf::from("/etc/r.pem")));
    }
}
