//! The certificate and key of a server that other machines reach.

use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{Error, ServerConfig};

/// Who can reach a server, and who can read what is said to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// This machine only, not encrypted.
    #[default]
    ThisMachine,
    /// Whoever reaches the address, encrypted by TLS 1.2 or 1.3. Both files are PEM.
    Tls {
        /// The certificate, followed by those between it and the root.
        certificate: PathBuf,
        /// Its private key.
        key: PathBuf,
    },
    /// Whoever reaches the address, not encrypted: everybody on the way can read the token and every memory.
    InsecurePlainHttp,
}

impl Transport {
    /// True if other machines may reach the server.
    pub(crate) fn beyond_this_machine(&self) -> bool {
        *self != Self::ThisMachine
    }

    /// Acceptor of encrypted connections; `None` where they are not encrypted.
    ///
    /// # Errors
    /// [`Code::Invalid`] for files that cannot be read, hold nothing of the kind or do not belong together.
    pub(crate) fn acceptor(&self) -> Result<Option<TlsAcceptor>, ApiError> {
        let Self::Tls { certificate, key } = self else { return Ok(None) };
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .map_err(|error| refuse("The certificate cannot be read", &error.to_string(), certificate))?;
        let secret = PrivateKeyDer::from_pem_file(key)
            .map_err(|error| refuse("The private key cannot be read", &error.to_string(), key))?;
        let mut config = configured(chain, secret).map_err(|error| {
            refuse("The certificate cannot be used with this key", &error.to_string(), certificate)
        })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Some(TlsAcceptor::from(Arc::new(config))))
    }
}

fn configured(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<ServerConfig, Error> {
    ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)
}

fn refuse(what: &str, why: &str, file: &Path) -> ApiError {
    ApiError {
        code: Code::Invalid,
        message: Message::verbatim(format!("{what}: {why}.")),
        hint: Message::verbatim("Give PEM files with --tls-cert and --tls-key."),
        subject: file.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path, certificate: &str, key: &str) -> Transport {
        let (certificate_file, key_file) = (folder.join("cert.pem"), folder.join("key.pem"));
        std::fs::write(&certificate_file, certificate).expect("a file");
        std::fs::write(&key_file, key).expect("a file");
        Transport::Tls { certificate: certificate_file, key: key_file }
    }

    #[test]
    fn a_certificate_and_its_key_are_taken_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let made =
            || rcgen::generate_simple_self_signed(["memory.example".to_owned()]).expect("a certificate");
        let (one, other) = (made(), made());
        let (certificate, key) = (one.cert.pem(), one.signing_key.serialize_pem());
        assert!(files(folder.path(), &certificate, &key).acceptor().expect("a pair").is_some());
        assert!(Transport::ThisMachine.acceptor().expect("no files").is_none());
        for (certificate, key) in [
            (&*certificate, &*other.signing_key.serialize_pem()),
            ("", &*key),
            ("not PEM", &*key),
            (&*certificate, ""),
            (&*key, &*certificate),
        ] {
            let refused = files(folder.path(), certificate, key).acceptor().err().expect("a refusal");
            assert_eq!(refused.code, Code::Invalid, "{certificate} {key}");
        }
        let missing =
            Transport::Tls { certificate: folder.path().join("none"), key: folder.path().join("none") };
        assert_eq!(missing.acceptor().err().expect("a refusal").code, Code::Invalid);
    }
}
