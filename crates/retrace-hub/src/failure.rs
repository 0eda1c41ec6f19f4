//! Why a hub cannot start or cannot answer.

use retrace_sync::messages::{self, Refused};

/// A failure. Its sentences name no secret.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// The address to listen on cannot be used.
    #[error("The hub cannot listen on {0}: {1}.")]
    Listen(String, String),
    /// Other machines reach the address and nothing would be encrypted.
    #[error("Other machines reach {0}, and nothing would be encrypted.")]
    NotEncrypted(String),
    /// Certificate or key cannot be used.
    #[error("The certificate or its key cannot be used: {0}.")]
    Certificate(String),
    /// The key file cannot be used.
    #[error("The key file {0} cannot be used: {1}.")]
    KeyFile(String, String),
    /// The file with the token for figures cannot be used.
    #[error("The token file {0} cannot be used: {1}.")]
    TokenFile(String, String),
    /// The file with the secret of the hub as a client of its identity provider cannot be used.
    #[error("The secret file {0} cannot be used: {1}.")]
    SecretFile(String, String),
    /// What a start says about the identity provider cannot be used.
    #[error("The identity provider cannot be used: {0}.")]
    Provider(String),
    /// The database belongs to another key file.
    #[error("The database belongs to another key file than {0}.")]
    OtherKeyFile(String),
    /// The database was made with a key file that is not there.
    #[error("The database was made with a key file, and {0} is missing.")]
    NoKeyFile(String),
    /// The database cannot be used.
    #[error("The database cannot be used: {0}.")]
    Database(String),
    /// The machine lacks something.
    #[error("The hub cannot go on: {0}.")]
    Machine(String),
    /// A request is refused: status of HTTP, kind and sentence.
    #[error("{}", .1.message)]
    Refused(u16, Refused),
}

impl Failure {
    pub(crate) fn refused(kind: &str, message: impl Into<String>) -> Self {
        let status = match kind {
            messages::BAD_SIGNATURE | messages::NOT_REGISTERED | messages::CLOCK_SKEW => 401,
            messages::BAD_TOKEN
            | messages::NOT_ALLOWED
            | messages::SECOND_PERSON
            | messages::SIGN_IN_REFUSED
            | messages::SIGN_IN_WANTED => 403,
            messages::NOT_FOUND => 404,
            messages::REPEATED | messages::DAMAGED => 409,
            messages::HEAD_MOVED => 412,
            messages::PROVIDER_FAILED => 502,
            messages::UNAVAILABLE => 503,
            _ => 400,
        };
        Self::Refused(status, Refused { kind: kind.to_owned(), message: message.into() })
    }

    /// Next step for whoever starts the hub.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Listen(..) => "Give another address with --listen; port 0 takes any free one.",
            Self::NotEncrypted(_) => {
                "Give a certificate with --tls-cert and --tls-key, or a loopback address."
            }
            Self::Certificate(_) => "Give PEM files with --tls-cert and --tls-key.",
            Self::KeyFile(..) => "Give the key file with --key-file; it is made when missing.",
            Self::TokenFile(..) => "Give a file with a token of at least 16 characters.",
            Self::SecretFile(..) => "Give a file with the secret that the provider gave this client.",
            Self::Provider(_) => {
                "Give --oidc-issuer exactly as the provider names itself, and --oidc-client-id; `--oidc-issuer none` does without."
            }
            Self::OtherKeyFile(_) | Self::NoKeyFile(_) => {
                "Give the key file that the hub was first started with. Without it no content can be read."
            }
            Self::Database(_) => {
                "Check that PostgreSQL 15 or newer answers at --database, its rights, and sslmode and sslrootcert there."
            }
            Self::Machine(_) | Self::Refused(..) => "",
        }
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        // The text of a database error may quote values; its code and first message do not quote ours, which are parameters.
        match error.as_db_error() {
            // Class 22: a value that no column holds, such as a text with a zero byte. It came with the request.
            Some(error) if error.code().code().starts_with("22") => {
                Self::refused(messages::INVALID, "The request holds a value that cannot be kept.")
            }
            // Class 23: what is to be there once is there already, or what a row belongs to is not. The database answers.
            Some(error) if error.code().code().starts_with("23") => Self::refused(
                messages::DAMAGED,
                format!(
                    "The hub's database has something in the way of the request: its rule {} of the table {} ({}).",
                    error.constraint().unwrap_or("unnamed"),
                    error.table().unwrap_or("unnamed"),
                    error.code().code()
                ),
            ),
            Some(error) => Self::Database(format!("{} ({})", error.message(), error.code().code())),
            // "error connecting to server" alone would not say whether a file, an address or a port is wrong.
            None => Self::Database(match std::error::Error::source(&error) {
                Some(cause) => format!("{error}: {cause}"),
                None => error.to_string(),
            }),
        }
    }
}

impl From<deadpool_postgres::PoolError> for Failure {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        match error {
            deadpool_postgres::PoolError::Backend(error) => error.into(),
            error => Self::Database(error.to_string()),
        }
    }
}
