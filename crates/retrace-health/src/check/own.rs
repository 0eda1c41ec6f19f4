//! Settings of a person, in `findings.toml` of the data directory.

use super::{Place, invalid};
use crate::Checks;
use crate::keep;
use crate::wire::ApiError;
use retrace_engine::asked;
use retrace_findings::{Config, OwnRules};
use std::path::{Path, PathBuf};

/// The file's name.
const FILE: &str = "findings.toml";

/// What an organisation requires of the machine with this data directory, over no settings.
///
/// # Errors
/// `internal` where the file that keeps it cannot be read.
pub(crate) fn required_of(data_dir: &Path) -> Result<OwnRules, ApiError> {
    asked::under(OwnRules::default(), data_dir)
}

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
        let own = OwnRules::parse(&text).map_err(|error| {
            let mut error = invalid(&error);
            error.subject = crate::wire::show(&file);
            error
        })?;
        asked::under(own, &self.options.data_dir)
    }

    /// No settings, and what is required all the same: for lists that are shown whatever stands in the file of settings.
    pub(crate) fn required_alone(&self) -> OwnRules {
        // Where what is required cannot be read, a sync says so.
        required_of(&self.options.data_dir).unwrap_or_default()
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
