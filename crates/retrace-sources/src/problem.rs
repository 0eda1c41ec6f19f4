//! Failures and refusals during a discovery.

use crate::RefusedPath;
use retrace_message::{AsMessage, Message};
use std::path::PathBuf;
use thiserror::Error;

/// Something a discovery could not read, did not accept or cut short. It never stops the rest.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Error, AsMessage)]
#[message("sources")]
pub enum Problem {
    /// A file or directory that is there cannot be read.
    #[error("{} cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// Error of the system, or the expected content.
        reason: Message,
    },
    /// A settings file is larger than any settings file should be.
    #[error("{} is larger than {limit} bytes and was not read", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A settings file is not valid JSON.
    #[error("{} is not valid JSON: {message}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Message of the parser, with the position.
        message: Message,
    },
    /// A setting has a value of another type than its documentation says.
    #[error("\"{key}\" in {} must be {expected}, but is {found}; it is ignored", path.display())]
    WrongType {
        /// The settings file.
        path: PathBuf,
        /// The setting.
        key: Message,
        /// The type it should have.
        expected: Message,
        /// The type it has.
        found: Message,
    },
    /// An environment variable has a value that cannot be used.
    #[error("\"{name}\" must be {expected}, but is {value:?}; it is ignored")]
    Variable {
        /// The variable.
        name: String,
        /// Its value; bytes that are not UTF-8 are replaced.
        value: String,
        /// Expected form.
        expected: Message,
    },
    /// A configured memory directory is refused.
    #[error("{place}: {refused}")]
    Refused {
        /// Where it was configured: a setting with its file, or an environment variable.
        place: Message,
        /// Why.
        refused: RefusedPath,
    },
    /// A directory that would be memory is a symbolic link, or lies behind one.
    #[error("{} is a symbolic link and was not followed; add the directory it leads to by hand if it is memory", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A directory has more entries than are looked at.
    #[error("{} has more than {limit} entries; the others were not looked at", path.display())]
    TooMany {
        /// The directory.
        path: PathBuf,
        /// Number of examined ones.
        limit: usize,
    },
}
