//! Projects: named by the user, by `.claude.json`, by transcripts, and by git.

use super::Claude;
use super::settings::ProjectSettings;
use crate::git::{self, Checkout};
use crate::scan::{Scan, Sort};
use crate::slug::ancestor_named;
use crate::{Problem, RefusedPath};
use retrace_message::Message;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Transcripts read for each project folder, newest first. More than one, because one folder can stand for several paths.
const TRANSCRIPTS_READ: usize = 5;

/// Bytes read of each transcript. The first lines name the working directory, but a file snapshot may stand before them.
const TRANSCRIPT_BYTES: u64 = 256 * 1024;

/// A folder below `projects`: transcripts of one working directory, and perhaps memory of one repository.
pub(super) struct Folder {
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// Directories its transcripts were recorded in, with the transcript that says so.
    pub(super) recorded: BTreeMap<PathBuf, PathBuf>,
}

/// A directory an agent works in, or may.
pub(crate) struct Project {
    /// The directory, as its source writes it. It may be gone, or be a path of another platform.
    pub(crate) directory: PathBuf,
    /// Why it is known.
    pub(super) evidence: Vec<Message>,
    /// The user named it.
    pub(super) named: bool,
    /// Names of folders below `projects` whose transcripts were recorded in it.
    pub(super) folders: BTreeSet<String>,
    checkout: Option<Checkout>,
    pub(super) settings: ProjectSettings,
}

impl Project {
    /// Directory that names its auto memory: the repository all its worktrees share, else the directory itself. Source:
    /// Claude Code documentation, memory page; since 2.1.63 by its changelog.
    pub(crate) fn repository(&self) -> &Path {
        self.checkout.as_ref().map_or(&self.directory, |checkout| &checkout.repository)
    }
}

#[derive(Default)]
struct Draft {
    evidence: Vec<Message>,
    named: bool,
    folders: BTreeSet<String>,
}

/// The folders below `projects` of each base, without repeats.
pub(super) fn folders(scan: &mut Scan, bases: [&PathBuf; 2]) -> Vec<Folder> {
    let bases: BTreeSet<&PathBuf> = bases.into_iter().collect();
    let mut folders = Vec::new();
    for base in bases {
        // `projects` may be a link: people move it to another disk, and no repository can write there.
        for entry in scan.directories(&base.join("projects")) {
            let recorded = recorded(scan, &entry.path, &entry.name);
            folders.push(Folder { name: entry.name, path: entry.path, recorded });
        }
    }
    folders
}

/// All projects, by directory.
pub(super) fn collect(claude: &Claude<'_>, scan: &mut Scan) -> Vec<Project> {
    let mut drafts: BTreeMap<PathBuf, Draft> = BTreeMap::new();
    for directory in &claude.surroundings.projects {
        if directory.is_absolute() {
            if !directory.is_dir() {
                let reason = say::no_such_project_directory();
                scan.note(Problem::Unreadable { path: directory.clone(), reason });
            }
            let draft = drafts.entry(as_sessions_see_it(directory)).or_default();
            draft.named = true;
            draft.evidence.push(say::user_named(directory.display()));
        } else {
            let refused = RefusedPath::Relative(directory.to_string_lossy().into_owned());
            scan.note(Problem::Refused { place: say::project_directory(), refused });
        }
    }
    let state_file = &claude.settings.state_file;
    for directory in claude.settings.known_projects.iter().filter(|path| !path.is_empty()) {
        let draft = drafts.entry(without_trailing_separator(Path::new(directory))).or_default();
        draft.evidence.push(say::lists_project(state_file.display(), directory));
    }
    for folder in &claude.folders {
        for (directory, transcript) in &folder.recorded {
            let draft = drafts.entry(directory.clone()).or_default();
            let (transcript, directory) = (transcript.display(), directory.display());
            draft.evidence.push(say::transcript_recorded(transcript, directory));
            draft.folders.insert(folder.name.clone());
        }
    }
    add_checkouts(scan, &mut drafts);
    drafts.into_iter().map(|(directory, draft)| finish(claude, scan, directory, draft)).collect()
}

/// A directory the user named, with links resolved: a session's working directory never has any. Windows is left out,
/// because resolved paths there have a prefix that sessions do not write.
fn as_sessions_see_it(directory: &Path) -> PathBuf {
    if cfg!(windows) {
        return without_trailing_separator(directory);
    }
    directory.canonicalize().unwrap_or_else(|_| without_trailing_separator(directory))
}

fn without_trailing_separator(path: &Path) -> PathBuf {
    path.components().collect()
}

/// Adds the repository of every project and the repository's other worktrees.
fn add_checkouts(scan: &mut Scan, drafts: &mut BTreeMap<PathBuf, Draft>) {
    let known: Vec<PathBuf> = drafts.keys().cloned().collect();
    let repositories: BTreeSet<PathBuf> = known
        .iter()
        .filter_map(|directory| git::checkout(scan, directory))
        .map(|found| found.repository)
        .collect();
    for repository in repositories {
        for worktree in git::worktrees(scan, &repository) {
            if worktree.is_dir() && !drafts.contains_key(&worktree) {
                let (linked, main) = (worktree.display(), repository.display());
                let evidence = say::git_lists_worktree(linked, main);
                drafts.insert(worktree, Draft { evidence: vec![evidence], ..Draft::default() });
            }
        }
        drafts.entry(repository).or_default();
    }
}

fn finish(claude: &Claude<'_>, scan: &mut Scan, directory: PathBuf, draft: Draft) -> Project {
    let checkout = git::checkout(scan, &directory);
    let settings = if directory.is_absolute() && !claude.is_config_parent(&directory) {
        let worktree = checkout.as_ref().map_or(&directory, |checkout| &checkout.worktree);
        claude.settings.of_project(scan, &directory, worktree)
    } else {
        ProjectSettings::default()
    };
    let Draft { evidence, named, folders } = draft;
    Project { directory, evidence, named, folders, checkout, settings }
}

/// The directories the newest transcripts of a folder were recorded in, each with its transcript.
fn recorded(scan: &mut Scan, folder: &Path, name: &str) -> BTreeMap<PathBuf, PathBuf> {
    let mut transcripts: Vec<(SystemTime, PathBuf)> = scan
        .entries(folder)
        .into_iter()
        .filter(|entry| entry.sort == Sort::File && entry.name.ends_with(".jsonl"))
        .map(|entry| (modified(&entry.path), entry.path))
        .collect();
    transcripts.sort_by(|one, other| other.cmp(one));
    let mut recorded = BTreeMap::new();
    for (_, transcript) in transcripts.into_iter().take(TRANSCRIPTS_READ) {
        if let Some(directory) = recorded_directory(scan, &transcript, name) {
            recorded.entry(directory).or_insert(transcript);
        }
    }
    recorded
}

fn modified(path: &Path) -> SystemTime {
    fs::symlink_metadata(path).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The project a transcript was recorded in: the working directory of a line, or the directory above it that the folder is
/// named after, because an agent changes its directory while it works. Lines that do not parse are skipped: the last one
/// read may be cut.
fn recorded_directory(scan: &mut Scan, transcript: &Path, folder: &str) -> Option<PathBuf> {
    let bytes = scan.beginning(transcript, TRANSCRIPT_BYTES)?;
    let mut first = None;
    for line in bytes.split(|byte| *byte == b'\n') {
        if !line.windows(5).any(|part| part == b"\"cwd\"") {
            continue;
        }
        let Ok(value) = serde_json::from_slice::<Value>(line) else { continue };
        let Some(cwd) = value.get("cwd").and_then(Value::as_str).filter(|cwd| !cwd.is_empty()) else {
            continue;
        };
        if let Some(project) = ancestor_named(cwd, folder) {
            return Some(PathBuf::from(project));
        }
        first.get_or_insert_with(|| PathBuf::from(cwd));
    }
    first
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "projects";
    no_such_project_directory() => "there is no such project directory",
    user_named(directory) => "the user named {directory}",
    project_directory() => "project directory",
    lists_project(state_file, directory) => "{state_file} lists {directory} as a project",
    transcript_recorded(transcript, directory) => "transcript {transcript} was recorded in {directory}",
    git_lists_worktree(linked, main) => "git lists {linked} as a worktree of {main}",
}
