//! Claude Code: auto memory and subagent memory.
//!
//! Where a fact comes from stands beside it: "Claude Code documentation" is the vendor's, "third-party description" means
//! that several independent ones agree.

use retrace_message::Message;
mod agents;
mod auto;
mod projects;
pub(crate) mod settings;
#[cfg(test)]
mod tests;

pub(crate) use projects::Project;

use crate::scan::Scan;
use crate::{Found, Problem, Surroundings, validate_memory_path};
use projects::Folder;
use settings::Settings;
use std::path::{Path, PathBuf};

/// Facts about this user's Claude Code before any project is looked at.
struct Claude<'a> {
    surroundings: &'a Surroundings,
    /// `CLAUDE_CONFIG_DIR`, else `.claude` in the home directory (Claude Code documentation, environment variables page).
    config_root: PathBuf,
    /// Replacement of the configuration root for memory in a remote run: `CLAUDE_CODE_REMOTE_MEMORY_DIR` (third-party
    /// description).
    memory_base: PathBuf,
    /// `CLAUDE_CODE_PROJECT_DIR_NAME`, where it is valid and in force.
    folder_name: Option<String>,
    /// `CLAUDE_COWORK_MEMORY_PATH_OVERRIDE` after validation: the whole path, for every project (third-party description).
    whole_path: Option<PathBuf>,
    settings: Settings,
    folders: Vec<Folder>,
}

/// Claude Code's configuration directory and its settings, without a scan of any project.
pub(crate) fn settings(surroundings: &Surroundings, scan: &mut Scan) -> (PathBuf, Settings) {
    let configured = absolute_variable(surroundings, scan, "CLAUDE_CONFIG_DIR");
    let state_file = configured.as_ref().unwrap_or(&surroundings.home).join(".claude.json");
    let config_root = configured.unwrap_or_else(|| surroundings.home.join(".claude"));
    let settings = Settings::read(surroundings, &config_root, &state_file, scan);
    (config_root, settings)
}

/// Finds Claude Code's memory, and the projects its files and the user name.
pub(crate) fn find(surroundings: &Surroundings, scan: &mut Scan) -> (Vec<Found>, Vec<Project>) {
    let claude = Claude::read(surroundings, scan);
    let projects = projects::collect(&claude, scan);
    let mut found = auto::find(&claude, &projects, scan);
    found.extend(agents::find(&claude, &projects, scan));
    (found, projects)
}

impl<'a> Claude<'a> {
    fn read(surroundings: &'a Surroundings, scan: &mut Scan) -> Self {
        let configured = absolute_variable(surroundings, scan, "CLAUDE_CONFIG_DIR");
        let config_root = configured.clone().unwrap_or_else(|| surroundings.home.join(".claude"));
        let state_file = configured.as_ref().unwrap_or(&surroundings.home).join(".claude.json");
        let memory_base = absolute_variable(surroundings, scan, "CLAUDE_CODE_REMOTE_MEMORY_DIR")
            .unwrap_or_else(|| config_root.clone());
        let folders = projects::folders(scan, [&config_root, &memory_base]);
        Self {
            folder_name: folder_name(surroundings, scan, configured.is_some()),
            whole_path: whole_path(surroundings, scan),
            settings: Settings::read(surroundings, &config_root, &state_file, scan),
            surroundings,
            config_root,
            memory_base,
            folders,
        }
    }

    /// True if `<directory>/.claude` is the configuration root, so that what is in it belongs to the user, not a project.
    fn is_config_parent(&self, directory: &Path) -> bool {
        directory.join(".claude") == self.config_root
    }
}

/// Claude Code's configuration directory: `CLAUDE_CONFIG_DIR` where that is an absolute path, else `.claude` in the home
/// directory. Source: Claude Code documentation, environment variables page.
#[must_use]
pub fn config_root(surroundings: &Surroundings) -> PathBuf {
    surroundings.directory("CLAUDE_CONFIG_DIR", || surroundings.home.join(".claude"))
}

fn absolute_variable(surroundings: &Surroundings, scan: &mut Scan, name: &str) -> Option<PathBuf> {
    let value = surroundings.variable(name)?;
    let path = PathBuf::from(value);
    if path.is_absolute() {
        return Some(path);
    }
    scan.note(Problem::Variable {
        name: name.to_owned(),
        value: value.to_string_lossy().into_owned(),
        expected: say::absolute_path(),
    });
    None
}

/// Source: Claude Code documentation, sessions page: 1 to 64 letters, digits, `-` and `_`; only with `CLAUDE_CONFIG_DIR`;
/// from the process environment only.
fn folder_name(surroundings: &Surroundings, scan: &mut Scan, has_config_dir: bool) -> Option<String> {
    let value = surroundings.variable("CLAUDE_CODE_PROJECT_DIR_NAME")?.to_string_lossy().into_owned();
    let letters = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    let expected = if !has_config_dir {
        say::used_together_claude_config_dir()
    } else if !letters || value.len() > 64 {
        say::n1_64_letters_digits_hyphens()
    } else {
        return Some(value);
    };
    scan.note(Problem::Variable { name: "CLAUDE_CODE_PROJECT_DIR_NAME".to_owned(), value, expected });
    None
}

fn whole_path(surroundings: &Surroundings, scan: &mut Scan) -> Option<PathBuf> {
    const NAME: &str = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE";
    let value = surroundings.variable(NAME)?;
    let Some(text) = value.to_str() else {
        scan.note(Problem::Variable {
            name: NAME.to_owned(),
            value: value.to_string_lossy().into_owned(),
            expected: say::utf_8_text(),
        });
        return None;
    };
    validate_memory_path(text, &surroundings.home)
        .map_err(|refused| scan.note(Problem::Refused { place: Message::verbatim(NAME), refused }))
        .ok()
}

/// The last component of a path for people, by the separators of any platform.
pub(crate) fn folder_label(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = text.trim_end_matches(['/', '\\']);
    let is_windows = text.as_bytes().get(1) == Some(&b':');
    let last = text.rsplit(|letter| letter == '/' || (is_windows && letter == '\\')).next();
    last.filter(|name| !name.is_empty()).unwrap_or("/").to_owned()
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "claude";
    utf_8_text() => "UTF-8 text",
    absolute_path() => "an absolute path",
    used_together_claude_config_dir() => "used together with CLAUDE_CONFIG_DIR",
    n1_64_letters_digits_hyphens() => "1 to 64 letters, digits, hyphens and underscores",
}
