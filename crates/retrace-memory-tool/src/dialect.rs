//! Whose memory tool is spoken.

use retrace_message::AsMessage;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// One of the three definitions of the tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The documentation page "Memory tool".
    #[default]
    Docs,
    /// The file-system class of the Python SDK, `anthropic` 2.12.0.
    Py,
    /// The file-system class of the TypeScript SDK, `@anthropic-ai/sdk` 1.12.0.
    Ts,
}

/// A word that names no dialect.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("dialect")]
#[error("{0:?} is not one of: docs, py, ts")]
pub struct UnknownDialect(pub String);

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 3] = [Self::Docs, Self::Py, Self::Ts];

    /// The printed form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Docs => "docs",
            Self::Py => "py",
            Self::Ts => "ts",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Self, UnknownDialect> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.as_str() == text)
            .ok_or_else(|| UnknownDialect(text.to_owned()))
    }
}
