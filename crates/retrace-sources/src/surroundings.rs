//! The machine as the caller describes it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// The operating system whose conventions for places apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux, WSL included.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// The platform this program was built for; any other Unix counts as Linux.
    #[must_use]
    pub const fn current() -> Self {
        if cfg!(target_os = "macos") {
            Self::MacOs
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::Linux
        }
    }

    /// Where administrators put Claude Code's managed settings. Source: Claude Code documentation, settings page.
    #[must_use]
    pub const fn managed_settings_directory(self) -> &'static str {
        match self {
            Self::Linux => "/etc/claude-code",
            Self::MacOs => "/Library/Application Support/ClaudeCode",
            Self::Windows => "C:\\Program Files\\ClaudeCode",
        }
    }
}

/// Where to look. Nothing is read from the process: a discovery of another home, or of a copy, is the same call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// The user's home directory, absolute.
    pub home: PathBuf,
    /// Environment variables that agents read, by name, in upper case also on Windows. Give the process environment, or an empty map for a copied home.
    pub env: BTreeMap<String, OsString>,
    /// Project directories the user named, absolute; they are examined besides those the agents' own files name.
    pub projects: Vec<PathBuf>,
    /// Whose conventions apply.
    pub platform: Platform,
    /// Directory of Claude Code's managed settings; [`Platform::managed_settings_directory`] unless a copy is looked at.
    pub managed_directory: PathBuf,
}

impl Surroundings {
    /// A home on this machine with no environment and no named projects.
    #[must_use]
    pub fn new(home: PathBuf, platform: Platform) -> Self {
        Self {
            home,
            env: BTreeMap::new(),
            projects: Vec::new(),
            platform,
            managed_directory: PathBuf::from(platform.managed_settings_directory()),
        }
    }

    /// The value of a variable; one that is set to nothing counts as not set.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsString> {
        self.env.get(name).filter(|value| !value.is_empty())
    }

    /// The directory a variable names, or `fallback` when it is not set or is not absolute.
    pub(crate) fn directory(&self, name: &str, fallback: impl FnOnce() -> PathBuf) -> PathBuf {
        self.variable(name).map(PathBuf::from).filter(|path| path.is_absolute()).unwrap_or_else(fallback)
    }

    /// The directory in which applications keep their settings for this user.
    pub(crate) fn application_data(&self) -> PathBuf {
        match self.platform {
            Platform::Linux => self.directory("XDG_CONFIG_HOME", || self.home.join(".config")),
            Platform::MacOs => self.home.join("Library/Application Support"),
            Platform::Windows => self.directory("APPDATA", || self.home.join("AppData").join("Roaming")),
        }
    }
}
