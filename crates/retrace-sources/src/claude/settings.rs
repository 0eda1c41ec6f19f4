//! Claude Code's settings files, in their order of precedence, and what the user trusts.

use crate::Surroundings;
use crate::problem::Problem;
use crate::scan::{Scan, Sort, type_name};
use retrace_message::Message;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Variables that switch auto memory. They may stand in the `env` object of a settings file, which overrides the process
/// environment. Source: Claude Code documentation, environment variables page, "Precedence".
const SWITCHES: [&str; 4] = [
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_SAFE_MODE",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
];

/// Relevant part of one settings file.
#[derive(Clone, Debug)]
pub(crate) struct SettingsFile {
    pub(crate) path: PathBuf,
    /// `autoMemoryDirectory`, as written.
    pub(crate) directory: Option<String>,
    /// `autoMemoryEnabled`.
    enabled: Option<bool>,
    /// The switches in `env`.
    env: BTreeMap<&'static str, String>,
    /// It lies in a project, so that a stranger may have written it.
    pub(crate) from_project: bool,
    /// `claudeMdExcludes`, as written.
    pub(crate) excludes: Vec<String>,
    /// `claudeMd`: instructions in the settings themselves. Only those of the administrator count.
    pub(crate) instructions: Option<String>,
}

impl SettingsFile {
    fn read(scan: &mut Scan, path: PathBuf, from_project: bool) -> Option<Self> {
        let value = scan.json(&path)?;
        if !value.is_object() {
            // Reported as the wrong type of the file as a whole.
            let found = type_name(&value);
            scan.note(Problem::WrongType { path, key: say::whole_file(), expected: say::object(), found });
            return None;
        }
        let directory = scan.setting(&path, &value, "autoMemoryDirectory", say::text(), Value::as_str);
        let enabled = scan.setting(&path, &value, "autoMemoryEnabled", say::true_or_false(), Value::as_bool);
        let block = scan.setting(&path, &value, "env", say::object(), |env| env.is_object().then_some(env));
        let mut env = BTreeMap::new();
        for name in SWITCHES {
            let text = block.and_then(|block| scan.setting(&path, block, name, say::text(), Value::as_str));
            env.extend(text.map(|text| (name, text.to_owned())));
        }
        let excludes = scan.setting(&path, &value, "claudeMdExcludes", say::list_text(), |list| {
            list.as_array()?
                .iter()
                .map(|glob| glob.as_str().map(str::to_owned))
                .collect::<Option<Vec<String>>>()
        });
        let instructions =
            scan.setting(&path, &value, "claudeMd", say::text(), Value::as_str).map(str::to_owned);
        Some(Self {
            directory: directory.map(str::to_owned),
            enabled,
            env,
            from_project,
            excludes: excludes.unwrap_or_default(),
            instructions,
            path,
        })
    }
}

/// The settings every project shares.
pub(crate) struct Settings {
    /// Highest precedence first.
    managed: Vec<SettingsFile>,
    user: Option<SettingsFile>,
    /// Keys of `projects` in `.claude.json`: every directory Claude Code was started in.
    pub(crate) known_projects: Vec<String>,
    pub(crate) state_file: PathBuf,
    trusted: BTreeSet<PathBuf>,
    approved: BTreeSet<PathBuf>,
}

/// The settings of one project directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProjectSettings {
    /// Highest precedence first: local, then project.
    files: Vec<SettingsFile>,
    trusted: bool,
}

/// State of auto memory, with the reason as a sentence.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    pub(crate) on: bool,
    pub(crate) reason: Message,
}

impl Settings {
    pub(crate) fn read(
        surroundings: &Surroundings,
        config_root: &Path,
        state_file: &Path,
        scan: &mut Scan,
    ) -> Self {
        let (known_projects, trusted, approved) = state(scan, state_file);
        Self {
            managed: managed(scan, &surroundings.managed_directory),
            user: SettingsFile::read(scan, config_root.join("settings.json"), false),
            known_projects,
            state_file: state_file.to_owned(),
            trusted,
            approved,
        }
    }

    /// The settings of a session started in `directory`, which lies in the working tree `worktree`. Each file is taken
    /// from the directory itself, else from the top of the working tree.
    pub(crate) fn of_project(&self, scan: &mut Scan, directory: &Path, worktree: &Path) -> ProjectSettings {
        let mut places = vec![directory];
        if worktree != directory {
            places.push(worktree);
        }
        let files = ["settings.local.json", "settings.json"]
            .into_iter()
            .filter_map(|name| {
                places
                    .iter()
                    .find_map(|place| SettingsFile::read(scan, place.join(".claude").join(name), true))
            })
            .collect();
        ProjectSettings { files, trusted: directory.ancestors().any(|above| self.trusted.contains(above)) }
    }

    /// Globs of the settings for instruction files that leave some out, each with the file it stands in. Lists of all
    /// scopes are put together (Claude Code documentation, settings page).
    pub(crate) fn excludes<'a>(
        &'a self,
        project: Option<&'a ProjectSettings>,
    ) -> impl Iterator<Item = (&'a Path, &'a str)> {
        self.layers(project)
            .flat_map(|file| file.excludes.iter().map(|glob| (file.path.as_path(), glob.as_str())))
    }

    /// Instructions in the administrator's settings, with the file they stand in.
    pub(crate) fn managed_instructions(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.managed.iter().filter_map(|file| Some((file.path.as_path(), file.instructions.as_deref()?)))
    }

    /// Reason why instruction files are not loaded, if so. `--bare` is not known here. Source: Claude
    /// Code documentation, environment variables page.
    pub(crate) fn no_instructions(
        &self,
        surroundings: &Surroundings,
        project: Option<&ProjectSettings>,
    ) -> Option<Message> {
        ["CLAUDE_CODE_DISABLE_CLAUDE_MDS", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"]
            .into_iter()
            .find_map(|name| match self.flag(surroundings, project, name) {
                Some((true, place)) => Some(say::is_one_in(name, place)),
                _ => None,
            })
    }

    /// True if the user approved imports from outside for a project: its repository, else the directory itself.
    pub(crate) fn approved_imports(&self, project: &Path) -> bool {
        self.approved.contains(project)
    }

    /// Files by precedence: managed, local, project, user. Source: Claude Code documentation, settings page.
    fn layers<'a>(&'a self, project: Option<&'a ProjectSettings>) -> impl Iterator<Item = &'a SettingsFile> {
        let of_project = project.into_iter().flat_map(|project| &project.files);
        self.managed.iter().chain(of_project).chain(&self.user)
    }

    /// The settings files that name a memory directory, by precedence, and whether each is honoured.
    ///
    /// One inside a project counts only under the workspace trust rule (Claude Code documentation, memory page): the user
    /// accepted the trust dialog for the directory or one above it. A `-p` session asks nobody and is not considered.
    pub(crate) fn directories<'a>(
        &'a self,
        project: Option<&'a ProjectSettings>,
    ) -> impl Iterator<Item = (&'a SettingsFile, &'a str, bool)> {
        let trusted = project.is_some_and(|project| project.trusted);
        self.layers(project).filter_map(move |file| {
            file.directory.as_deref().map(|text| (file, text, trusted || !file.from_project))
        })
    }

    /// State of auto memory for a project, or for none in particular. First match wins. Source: Claude Code
    /// documentation, memory and environment variables pages; the remote rule is from third-party descriptions.
    ///
    /// `autoMemoryEnabled` counts in every scope, an untrusted project's too: no source makes it depend on trust.
    pub(crate) fn switch(&self, surroundings: &Surroundings, project: Option<&ProjectSettings>) -> Switch {
        let flag = |name: &str| self.flag(surroundings, project, name);
        if let Some((disabled, place)) = flag("CLAUDE_CODE_DISABLE_AUTO_MEMORY") {
            let (value, effect) =
                if disabled { (1, say::turns_auto_memory_off()) } else { (0, say::forces_auto_memory()) };
            return Switch {
                on: !disabled,
                reason: say::claude_code_disable_auto_memory(value, place, effect),
            };
        }
        for (name, meaning) in [
            ("CLAUDE_CODE_SIMPLE", say::bare_mode_no_auto_memory()),
            ("CLAUDE_CODE_SAFE_MODE", say::safe_mode_no_auto_memory()),
            ("CLAUDE_CODE_DISABLE_CLAUDE_MDS", say::neither_instruction_files_nor_auto()),
        ] {
            if let Some((true, place)) = flag(name) {
                return Switch { on: false, reason: say::is_one_because(name, place, meaning) };
            }
        }
        let remote =
            surroundings.variable("CLAUDE_CODE_REMOTE").and_then(|value| truth(&value.to_string_lossy()));
        if remote == Some(true) && surroundings.variable("CLAUDE_CODE_REMOTE_MEMORY_DIR").is_none() {
            let reason = say::claude_code_remote_1_no();
            return Switch { on: false, reason: reason.to_owned() };
        }
        if let Some((on, path)) = self.layers(project).find_map(|file| Some((file.enabled?, &file.path))) {
            return Switch { on, reason: say::automemoryenabled(on, path.display()) };
        }
        Switch { on: true, reason: say::auto_memory_default() }
    }

    /// A switch and where it is set: in the `env` of a settings file, those of an untrusted project left out, else in the
    /// process environment.
    fn flag(
        &self,
        surroundings: &Surroundings,
        project: Option<&ProjectSettings>,
        name: &str,
    ) -> Option<(bool, Message)> {
        let trusted = project.is_some_and(|project| project.trusted);
        let from_file = self
            .layers(project)
            .filter(|file| trusted || !file.from_project)
            .find_map(|file| file.env.get(name).map(|value| (value.clone(), say::env(file.path.display()))));
        let (value, place) = from_file.or_else(|| {
            let value = surroundings.variable(name)?;
            Some((value.to_string_lossy().into_owned(), say::environment()))
        })?;
        truth(&value).map(|on| (on, place))
    }
}

/// `1` and `true` are on, `0` and `false` off, in any case; anything else is neither. Source: Claude Code documentation,
/// environment variables page.
fn truth(value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "1" | "true" => Some(true),
        "0" | "false" => Some(false),
        _ => None,
    }
}

/// `managed-settings.json`, overridden by the files of `managed-settings.d` in the order of their names. Source: Claude
/// Code documentation, settings page.
fn managed(scan: &mut Scan, directory: &Path) -> Vec<SettingsFile> {
    let mut paths = vec![directory.join("managed-settings.json")];
    let drop_ins = scan.entries(&directory.join("managed-settings.d")).into_iter().filter(|entry| {
        entry.sort != Sort::Directory && entry.name.ends_with(".json") && !entry.name.starts_with('.')
    });
    paths.extend(drop_ins.map(|entry| entry.path));
    paths.into_iter().rev().filter_map(|path| SettingsFile::read(scan, path, false)).collect()
}

/// The projects `.claude.json` names; those among them the user trusts (`hasTrustDialogAccepted`); and those for which
/// the user approved imports from outside (`hasClaudeMdExternalIncludesApproved`, third-party description).
fn state(scan: &mut Scan, path: &Path) -> (Vec<String>, BTreeSet<PathBuf>, BTreeSet<PathBuf>) {
    let value = scan.json(path);
    let projects = value
        .as_ref()
        .and_then(|value| scan.setting(path, value, "projects", say::object(), Value::as_object));
    let Some(projects) = projects else { return Default::default() };
    let with = |key: &str| {
        let of = projects.iter().filter(|(_, state)| state.get(key).and_then(Value::as_bool) == Some(true));
        of.map(|(path, _)| PathBuf::from(path)).collect()
    };
    let (trusted, approved) = (with("hasTrustDialogAccepted"), with("hasClaudeMdExternalIncludesApproved"));
    (projects.keys().cloned().collect(), trusted, approved)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "settings";
    text() => "text",
    whole_file() => "the whole file",
    object() => "an object",
    true_or_false() => "true or false",
    list_text() => "a list of text",
    is_one_in(name, place) => "{name} is 1 in {place}.",
    turns_auto_memory_off() => "turns auto memory off",
    forces_auto_memory() => "forces auto memory on",
    claude_code_disable_auto_memory(value, place, effect) => "CLAUDE_CODE_DISABLE_AUTO_MEMORY is {value} in {place}, which {effect}.",
    bare_mode_no_auto_memory() => "the bare mode has no auto memory",
    safe_mode_no_auto_memory() => "the safe mode has no auto memory",
    neither_instruction_files_nor_auto() => "neither instruction files nor auto memory are loaded",
    is_one_because(name, place, meaning) => "{name} is 1 in {place}: {meaning}.",
    claude_code_remote_1_no() => "CLAUDE_CODE_REMOTE is 1 and no CLAUDE_CODE_REMOTE_MEMORY_DIR is set: a remote run without a lasting memory directory has no auto memory.",
    automemoryenabled(on, path) => "autoMemoryEnabled is {on} in {path}.",
    auto_memory_default() => "Auto memory is on by default.",
    env(path) => "env of {path}",
    environment() => "the environment",
}
