//! Keeps what a person chose for the desktop app beside its window. Whether there is a tray, and showing anything in it,
//! is the shell's.

use crate::App;
use crate::wire::show;
use crate::wire::{ApiError, Code, DesktopSettings};
use retrace_engine::keep;

/// Where it is kept, in the data directory.
const FILE: &str = "desktop.json";

impl App {
    /// Settings of the desktop.
    ///
    /// # Errors
    /// `internal` when the file is there and cannot be read.
    pub fn desktop_settings(&self) -> Result<DesktopSettings, ApiError> {
        let path = self.engine.options.data_dir.join(FILE);
        let Some(text) = keep::read(&path)? else { return Ok(DesktopSettings::default()) };
        serde_json::from_str(&text).map_err(|error| {
            ApiError::new(
                Code::Internal,
                say::what_chosen_desktop_cannot_read(error.to_string()),
                show(&path),
            )
            .hint(say::remove_file_begin_anew())
        })
    }

    /// Keeps what was chosen for the desktop.
    ///
    /// # Errors
    /// `cannot_write`.
    pub fn set_desktop_settings(&self, settings: &DesktopSettings) -> Result<(), ApiError> {
        let text = serde_json::to_vec_pretty(settings).expect("settings are plain values");
        keep::replace(&self.engine, &self.engine.options.data_dir.join(FILE), &text)
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "desktop";
    what_chosen_desktop_cannot_read(error) => "What was chosen for the desktop cannot be read: {error}.",
    remove_file_begin_anew() => "Remove the file to begin anew.",
}
