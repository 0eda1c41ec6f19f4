//! Auto memory: where Claude Code keeps it for each project, and what lies at places it no longer uses.

use super::projects::{Folder, Project};
use super::settings::Switch;
use super::{Claude, folder_label};
use crate::scan::{Scan, is_directory, is_file};
use crate::slug::{MAX_SLUG_CHARS, slug, slug_matches};
use crate::{Found, Problem, validate_memory_path};
use retrace_message::Message;
use retrace_model::StoreKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where auto memory goes, and why there.
struct Place {
    directory: PathBuf,
    because: Message,
    /// Settings that would have led elsewhere and why they did not.
    notes: Vec<Message>,
    /// A setting or variable names the whole path.
    configured: bool,
}

/// Everything that leads to one directory.
#[derive(Default)]
struct Gathered<'a> {
    because: Vec<Message>,
    notes: Vec<Message>,
    configured: bool,
    /// It holds for every project, also for those nobody knows yet.
    for_all: bool,
    by_repository: BTreeMap<&'a Path, Vec<&'a Project>>,
    switch: Option<Switch>,
    /// Sentences about the projects that turned it off.
    off_for: Vec<Message>,
}

/// All auto memory directories: those in use, those configured or asked for, and those left behind.
pub(super) fn find(claude: &Claude<'_>, projects: &[Project], scan: &mut Scan) -> Vec<Found> {
    let mut places: BTreeMap<PathBuf, Gathered<'_>> = BTreeMap::new();
    for project in std::iter::once(None).chain(projects.iter().map(Some)) {
        if let Some(place) = place(claude, scan, project) {
            let switch = switch(claude, project);
            places.entry(place.directory.clone()).or_default().add(project, place, switch);
        }
    }
    let mut found = Vec::new();
    for (directory, gathered) in &places {
        found.extend(gathered.found(claude, scan, directory));
    }
    for folder in &claude.folders {
        if let Some(memory) =
            scan.directory(&folder.path, &["memory"]).filter(|memory| !places.contains_key(memory))
        {
            found.push(left_behind(claude, projects, scan, folder, memory));
        }
    }
    found
}

fn switch(claude: &Claude<'_>, project: Option<&Project>) -> Switch {
    claude.settings.switch(claude.surroundings, project.map(|project| &project.settings))
}

/// Where the memory of a project goes, or with `None` where all memory goes. First match wins: the override for hosts, the
/// `autoMemoryDirectory` setting, the default. Source: Claude Code documentation, memory page; the override is from
/// third-party descriptions.
fn place(claude: &Claude<'_>, scan: &mut Scan, project: Option<&Project>) -> Option<Place> {
    if let Some(directory) = claude.whole_path.clone() {
        let because = say::claude_cowork_memory_path_override();
        return Some(Place { directory, because, notes: Vec::new(), configured: true });
    }
    let mut notes = Vec::new();
    for (file, text, honoured) in claude.settings.directories(project.map(|project| &project.settings)) {
        let setting = say::automemorydirectory(file.path.display());
        if !honoured {
            notes.push(say::ignored_because_trust_dialog_not(setting));
            continue;
        }
        match validate_memory_path(text, &claude.surroundings.home) {
            Ok(directory) => {
                let because = say::names(setting);
                return Some(Place { directory, because, notes, configured: true });
            }
            Err(refused) => {
                notes.push(say::refused(&setting, &refused));
                scan.note(Problem::Refused { place: setting, refused });
                // The value that takes precedence is refused; the agent does not fall back to a weaker file.
                break;
            }
        }
    }
    let (folder, because) = default_folder(claude, project)?;
    let directory = claude.memory_base.join("projects").join(folder).join("memory");
    Some(Place { directory, because, notes, configured: false })
}

fn default_folder(claude: &Claude<'_>, project: Option<&Project>) -> Option<(String, Message)> {
    if let Some(name) = &claude.folder_name {
        return Some((name.clone(), say::claude_code_project_dir_name(name)));
    }
    let repository = project?.repository();
    let path = repository.to_string_lossy();
    let folder = match known_folders(claude, &path)[..] {
        [only] => only.name.clone(),
        // The hash behind a cut name is not public, so the folder of a long path is known only once it is there.
        [] if path.encode_utf16().count() > MAX_SLUG_CHARS => return None,
        [] => slug(&path),
        // Several long paths with one beginning: the transcripts say which is which.
        ref several => several.iter().find(|folder| folder.recorded.contains_key(repository))?.name.clone(),
    };
    let because = say::default_place_claude_code(repository.display());
    Some((folder, because))
}

/// The folders there are that can stand for a path.
fn known_folders<'a>(claude: &'a Claude<'_>, path: &str) -> Vec<&'a Folder> {
    let parent = claude.memory_base.join("projects");
    let fits = |folder: &&Folder| folder.path.parent() == Some(&parent) && slug_matches(&folder.name, path);
    claude.folders.iter().filter(fits).collect()
}

impl<'a> Gathered<'a> {
    fn add(&mut self, project: Option<&'a Project>, place: Place, switch: Switch) {
        push_new(&mut self.because, place.because);
        place.notes.into_iter().for_each(|note| push_new(&mut self.notes, note));
        self.configured |= place.configured;
        match project {
            Some(project) => self.by_repository.entry(project.repository()).or_default().push(project),
            None => self.for_all = true,
        }
        if let Some(project) = project.filter(|_| !switch.on) {
            self.off_for.push(say::off(project.directory.display(), &switch.reason));
        }
        // One project for which it is on is enough.
        if self.switch.as_ref().is_none_or(|known| switch.on && !known.on) {
            self.switch = Some(switch);
        }
    }

    fn found(&self, claude: &Claude<'_>, scan: &mut Scan, directory: &Path) -> Option<Found> {
        let named = self.by_repository.values().flatten().any(|project| project.named);
        let exists =
            if self.configured { is_directory(directory) } else { is_there(claude, scan, directory) };
        if !exists && !self.configured && (!named || directory.is_symlink()) {
            return None;
        }
        let project = self.project();
        let name = match project {
            Some(project) => folder_label(project),
            None if self.for_all => "All projects".to_owned(),
            None if self.configured => folder_label(directory),
            None => {
                directory.parent().map(folder_label).map(|label| unresolved_label(&label)).unwrap_or_default()
            }
        };
        let mut evidence = self.because.clone();
        if exists {
            evidence.extend(contents(directory));
        }
        self.describe_projects(&mut evidence);
        let switch = self.switch.as_ref();
        let mut found = Found::new(
            directory.to_owned(),
            StoreKind::ClaudeAuto,
            format!("{name} · auto memory"),
            evidence,
        )
        .of_project(project.map(Path::to_path_buf));
        found.exists = exists;
        found.enabled = switch.is_some_and(|switch| switch.on);
        let mut sentences: Vec<&Message> = switch.iter().map(|switch| &switch.reason).collect();
        if found.enabled {
            sentences.extend(self.off_for.iter());
        }
        sentences.extend(self.notes.iter());
        found.reason = sentences.into_iter().cloned().reduce(Message::then).unwrap_or_default();
        Some(found)
    }

    /// The one project the directory belongs to. When several share it because their folder names collide, the only one
    /// that is still there.
    fn project(&self) -> Option<&'a Path> {
        if self.for_all {
            return None;
        }
        let mut repositories: Vec<&Path> = self.by_repository.keys().copied().collect();
        if repositories.len() > 1 && !self.configured {
            repositories.retain(|repository| is_directory(repository));
        }
        match repositories[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    fn describe_projects(&self, evidence: &mut Vec<Message>) {
        if self.by_repository.len() > 1 && !self.configured && !self.for_all {
            let names: Vec<String> =
                self.by_repository.keys().map(|path| path.display().to_string()).collect();
            evidence.push(say::folder_name_stands_more_than(names.join(", ")));
        }
        if self.for_all {
            evidence.push(say::projects_known_here_use(self.by_repository.len()));
            return;
        }
        for (repository, projects) in &self.by_repository {
            for project in projects {
                if project.directory != *repository {
                    let (directory, repository) = (project.directory.display(), repository.display());
                    evidence.push(say::shares_part_repository(directory, repository));
                }
                evidence.extend(project.evidence.iter().cloned());
            }
        }
    }
}

/// True if a directory at a default place is there, no link on the way below `projects`.
fn is_there(claude: &Claude<'_>, scan: &mut Scan, directory: &Path) -> bool {
    let projects = claude.memory_base.join("projects");
    let parts: Vec<_> = directory
        .strip_prefix(&projects)
        .map(|below| below.components().map(|part| part.as_os_str()).collect())
        .unwrap_or_default();
    scan.directory(&projects, &parts).is_some()
}

/// Evidence in the directory itself that it is auto memory.
fn contents(directory: &Path) -> Vec<Message> {
    let mut evidence = Vec::new();
    if is_file(&directory.join("MEMORY.md")) {
        evidence.push(say::holds_index_memory_md());
    }
    if directory.join("team").is_dir() {
        evidence.push(say::holds_team_memory_shared_others());
    }
    evidence
}

/// Memory at a place that no project known here uses: left behind by a setting, by an older version, or of a project that
/// nothing names any more.
fn left_behind(
    claude: &Claude<'_>,
    projects: &[Project],
    scan: &mut Scan,
    folder: &Folder,
    memory: PathBuf,
) -> Found {
    let owner = owner(projects, &folder.name);
    // A free name was given by an earlier environment; the default place says nothing against it, a setting does.
    let free = owner.as_ref().is_some_and(|owner| owner.freely_named);
    let elsewhere = place(claude, scan, owner.as_ref().map(|owner| owner.project))
        .filter(|place| !free || place.configured || claude.folder_name.is_some());
    let mut evidence = vec![say::memory_directory_project_folder(folder.path.display())];
    evidence.extend(contents(&memory));
    match &owner {
        Some(owner) => {
            if owner.freely_named {
                evidence.push(say::folder_not_named_after_directory());
            }
            evidence.extend(owner.project.evidence.iter().cloned());
        }
        None => evidence.push(say::no_transcript_no_setting_names()),
    }
    let unused = if let Some(place) = elsewhere {
        let (directory, because) = (place.directory.display(), place.because);
        Some(say::not_used_now_claude_code(directory, because))
    } else if !folder.path.starts_with(&claude.memory_base) {
        let base = claude.memory_base.display();
        Some(say::not_used_now_claude_code_2(base))
    } else {
        None
    };
    let what = if unused.is_some() { "former auto memory" } else { "auto memory" };
    let switch = match unused {
        Some(reason) => Switch { on: false, reason },
        None => switch(claude, owner.as_ref().map(|owner| owner.project)),
    };
    let path = owner.map(|owner| owner.path.to_owned());
    let label = path.as_deref().map_or_else(|| unresolved_label(&folder.name), folder_label);
    let mut found = Found::new(memory, StoreKind::ClaudeAuto, format!("{label} · {what}"), evidence)
        .of_project(path)
        .because(switch.reason);
    found.enabled = switch.on;
    found
}

/// Label for the memory of a project folder whose project is not known. The folder's name begins with a hyphen, as an
/// option does in a terminal.
fn unresolved_label(folder: &str) -> String {
    folder.trim_start_matches('-').to_owned()
}

/// Whose memory an unused folder holds.
struct Owner<'a> {
    project: &'a Project,
    path: &'a Path,
    /// The folder's name says nothing about the path.
    freely_named: bool,
}

/// The strongest claim on a folder: a repository of that name, a directory of that name (before 2.1.63 every worktree had
/// memory of its own), or transcripts in it, when all of them belong to one repository.
fn owner<'a>(projects: &'a [Project], folder: &str) -> Option<Owner<'a>> {
    let named = |path: &Path| slug_matches(folder, &path.to_string_lossy());
    let by_repository = projects.iter().find(|project| named(project.repository()));
    if let Some(project) = by_repository {
        return Some(Owner { project, path: project.repository(), freely_named: false });
    }
    let by_directory = projects.iter().find(|project| named(&project.directory));
    if let Some(project) = by_directory {
        return Some(Owner { project, path: &project.directory, freely_named: false });
    }
    let mut recorded = projects.iter().filter(|project| project.folders.contains(folder));
    let project = recorded.next()?;
    recorded.all(|other| other.repository() == project.repository()).then(|| Owner {
        project,
        path: project.repository(),
        freely_named: true,
    })
}

fn push_new(list: &mut Vec<Message>, text: Message) {
    if !list.contains(&text) {
        list.push(text);
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "auto";
    claude_cowork_memory_path_override() => "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE names it",
    automemorydirectory(path) => "autoMemoryDirectory in {path}",
    ignored_because_trust_dialog_not(setting) => "{setting} is ignored, because the trust dialog was not accepted for this project or a directory above it.",
    names(setting) => "{setting} names it",
    refused(setting, refused) => "{setting} is refused: {refused}.",
    claude_code_project_dir_name(name) => "CLAUDE_CODE_PROJECT_DIR_NAME gives every project the folder {name}",
    default_place_claude_code(repository) => "default place of Claude Code for {repository}",
    off(directory, reason) => "Off for {directory}: {reason}",
    folder_name_stands_more_than(names) => "the folder name stands for more than one project: {names}",
    projects_known_here_use(count) => "projects known here that use it: {count}",
    shares_part_repository(directory, repository) => "{directory} shares it, as part of the repository {repository}",
    holds_index_memory_md() => "holds the index MEMORY.md",
    holds_team_memory_shared_others() => "holds team/, memory shared with others in the repository, recorded with it",
    memory_directory_project_folder(path) => "a memory directory in the project folder {path}",
    folder_not_named_after_directory() => "the folder is not named after the directory its transcripts were recorded in",
    no_transcript_no_setting_names() => "no transcript and no setting names its project",
    not_used_now_claude_code(directory, because) => "Not used now: Claude Code keeps this memory in {directory}, {because}.",
    not_used_now_claude_code_2(base) => "Not used now: CLAUDE_CODE_REMOTE_MEMORY_DIR keeps memory in {base}.",
}
