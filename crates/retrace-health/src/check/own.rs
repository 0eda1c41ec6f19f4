//! Settings of a person, in `findings.toml` of the data directory.

use super::{Place, invalid};
use crate::Checks;
use crate::keep;
use crate::wire::ApiError;
use retrace_findings::{Config, OwnRules};
use std::path::PathBuf;

/// The file's name.
const FILE: &str = "findings.toml";

impl Checks {
    /// Where the settings are kept.
    pub fn own_rules_file(&self) -> PathBuf {
        self.options.data_dir.join(FILE)
    }

    /// The settings; none where there is no file.
    ///
    /// # Errors
    /// `invalid` with the file's name when it cannot be used.
    pub fn own_rules(&self) -> Result<OwnRules, ApiError> {
        let file = self.own_rules_file();
        let text = keep::read(&file)?.unwrap_or_default();
        OwnRules::parse(&text).map_err(|error| {
            let mut error = invalid(&error);
            error.subject = crate::wire::show(&file);
            error
        })
    }

    /// Keeps the settings.
    ///
    /// # Errors
    /// `cannot_write`.
    pub fn keep_own_rules(&self, own: &OwnRules) -> Result<(), ApiError> {
        keep::replace(self, &self.own_rules_file(), own.to_text().as_bytes())
    }

    /// The configuration for a store: that which lies with it or in its repository, and over it what the person set.
    ///
    /// # Errors
    /// `invalid` when either cannot be used.
    pub fn configuration(&self, at: Place<'_>) -> Result<Config, ApiError> {
        let mut config = super::configuration(at, None)?;
        self.own_rules()?.apply(&mut config);
        Ok(config)
    }
}
