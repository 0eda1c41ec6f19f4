//! Claude Code's hierarchy in load order: the administrator's, the user's, then every directory from the top down to where
//! the session starts. Source: Claude Code documentation, memory page.
//!
//! Where the documentation leaves an order open (a directory's own files, an import beside the file that names it), the order
//! here is: `CLAUDE.md`, `.claude/CLAUDE.md`, `.claude/rules`, `CLAUDE.local.md`; an import right after its file.

use super::imports::{Import, imports};
use super::{
    Instruction, InstructionAgent, InstructionScope, InstructionState, Instructions, MAX_IMPORT_HOPS, Opened,
    downwards, open, rule,
};
use crate::claude::settings::{ProjectSettings, Settings};
use crate::git::lexical;
use crate::scan::{Scan, Sort};
use crate::{Problem, Surroundings};
use globset::{GlobBuilder, GlobMatcher};
use retrace_message::Message;
use retrace_model::Rules;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const CLAUDE_MD: &str = "CLAUDE.md";
const LOCAL: &str = "CLAUDE.local.md";
const FOLDER: &str = ".claude";
const RULES: &str = "rules";

/// Greatest depth of a folder of rules.
const MAX_RULE_DEPTH: usize = 16;

/// Depth below the session's directory and number of directories instruction files are searched for, and in how many
/// directories.
const MAX_DEPTH_BELOW: usize = 8;
const MAX_DIRECTORIES_BELOW: usize = 5_000;

struct Walk<'a, 'l> {
    surroundings: &'a Surroundings,
    scan: &'l mut Scan,
    found: &'a mut Instructions,
    excludes: Vec<(GlobMatcher, Message)>,
    /// Imports from outside the project are approved.
    approved: bool,
    /// Directory of the project: its working tree, else the directory itself.
    project: Option<PathBuf>,
    /// Where files are really, with their place in the list.
    seen: BTreeMap<PathBuf, usize>,
}

/// A file to be taken, and why it is looked at.
struct Candidate<'a> {
    path: PathBuf,
    /// Directory it was searched for in.
    base: &'a Path,
    /// Where it may really be; anywhere without one.
    boundary: Option<&'a Path>,
    scope: InstructionScope,
    reason: Message,
    /// It is loaded only once a file below its directory is read.
    on_demand: bool,
    /// It is a rule, whose front matter may name the files it applies to.
    is_rule: bool,
}

pub(super) fn find(surroundings: &Surroundings, scan: &mut Scan, found: &mut Instructions) {
    let (config_root, settings) = crate::claude::settings(surroundings, scan);
    let directory = found.directory.clone();
    let worktree = found.repository.clone().or_else(|| directory.clone());
    let project_settings = match (&directory, &worktree) {
        (Some(directory), Some(worktree)) if directory.join(FOLDER) != config_root => {
            settings.of_project(scan, directory, worktree)
        }
        _ => ProjectSettings::default(),
    };
    found.switched_off = settings.no_instructions(surroundings, Some(&project_settings));
    let excludes = excludes(&settings, &project_settings, scan);
    let approved = directory.as_deref().is_some_and(|directory| settings.approved_imports(directory));
    let mut walk =
        Walk { surroundings, scan, found, excludes, approved, project: worktree, seen: BTreeMap::new() };
    walk.managed(&settings);
    walk.user(&config_root);
    if let Some(directory) = &directory {
        for above in downwards(directory, None) {
            walk.directory(&above, &above == directory);
        }
        walk.below(directory);
    }
    if found.switched_off.is_some() {
        for file in &mut found.files {
            if matches!(file.state, InstructionState::Loaded | InstructionState::OnDemand) {
                file.state = InstructionState::Off;
            }
        }
    }
}

fn excludes(settings: &Settings, project: &ProjectSettings, scan: &mut Scan) -> Vec<(GlobMatcher, Message)> {
    let mut matchers = Vec::new();
    for (file, glob) in settings.excludes(Some(project)) {
        match GlobBuilder::new(glob).literal_separator(true).build() {
            Ok(built) => {
                matchers.push((built.compile_matcher(), say::claudemdexcludes(file.display(), glob)));
            }
            Err(error) => scan.note(Problem::Damaged {
                path: file.to_owned(),
                message: say::claudemdexcludes_no_pattern(format!("{:?}", glob), error.kind().to_string()),
            }),
        }
    }
    matchers
}

impl Walk<'_, '_> {
    fn managed(&mut self, settings: &Settings) {
        for (path, text) in settings.managed_instructions() {
            self.found.files.push(Instruction {
                agent: InstructionAgent::ClaudeCode,
                scope: InstructionScope::Managed,
                path: path.to_owned(),
                leads_to: None,
                state: InstructionState::Loaded,
                reason: say::administrators_settings_hold_claudemd(),
                imported_by: None,
                depth: 0,
                size: text.len() as u64,
                text: Some(text.to_owned()),
                globs: Vec::new(),
            });
        }
        let base = &self.surroundings.managed_directory.clone();
        self.take(Candidate {
            path: base.join(CLAUDE_MD),
            base,
            boundary: None,
            scope: InstructionScope::Managed,
            reason: say::every_session_machine_loads_cannot(),
            on_demand: false,
            is_rule: false,
        });
    }

    fn user(&mut self, config_root: &Path) {
        // A user may keep configuration in a repository of its own and link to it.
        let home = self.surroundings.home.clone();
        self.take(Candidate {
            path: config_root.join(CLAUDE_MD),
            base: config_root,
            boundary: Some(&home),
            scope: InstructionScope::User,
            reason: say::every_session_user_loads(),
            on_demand: false,
            is_rule: false,
        });
        self.rules(config_root, config_root, &home, InstructionScope::User);
    }

    fn directory(&mut self, directory: &Path, is_start: bool) {
        // Directories above the project belong to nobody known: a link in one may lead within it.
        let project = self.project.clone().filter(|project| directory.starts_with(project));
        let boundary = project.as_deref().unwrap_or(directory);
        let place = if is_start {
            say::sessions_directory()
        } else {
            say::above_sessions_directory(directory.display())
        };
        let candidate = |path: PathBuf, scope| Candidate {
            path,
            base: directory,
            boundary: Some(boundary),
            scope,
            reason: say::it_is_in(&place),
            on_demand: false,
            is_rule: false,
        };
        self.take(candidate(directory.join(CLAUDE_MD), InstructionScope::Project));
        self.take(candidate(directory.join(FOLDER).join(CLAUDE_MD), InstructionScope::Project));
        self.rules(directory, &directory.join(FOLDER), boundary, InstructionScope::Project);
        self.take(candidate(directory.join(LOCAL), InstructionScope::Local));
    }

    /// The rules in `folder`/rules, by path.
    fn rules(&mut self, base: &Path, folder: &Path, boundary: &Path, scope: InstructionScope) {
        let mut paths = Vec::new();
        let mut visited = BTreeSet::new();
        self.rule_paths(&folder.join(RULES), boundary, 0, &mut visited, &mut paths);
        for path in paths {
            self.take(Candidate {
                reason: say::rule(folder.join(RULES).display()),
                path,
                base,
                boundary: Some(boundary),
                scope,
                on_demand: false,
                is_rule: true,
            });
        }
    }

    fn rule_paths(
        &mut self,
        folder: &Path,
        boundary: &Path,
        depth: usize,
        visited: &mut BTreeSet<PathBuf>,
        paths: &mut Vec<PathBuf>,
    ) {
        let Ok(real) = folder.canonicalize() else { return };
        // Links between folders may go round in circles.
        if depth > MAX_RULE_DEPTH || !visited.insert(real.clone()) {
            return;
        }
        if !boundary.canonicalize().is_ok_and(|boundary| real.starts_with(boundary)) {
            self.scan.note(Problem::Link { path: folder.to_owned() });
            return;
        }
        for entry in self.scan.entries(folder) {
            let is_folder =
                entry.sort == Sort::Directory || (entry.sort == Sort::Link && entry.path.is_dir());
            if is_folder {
                self.rule_paths(&entry.path, boundary, depth + 1, visited, paths);
            } else if entry.name.ends_with(".md") {
                paths.push(entry.path);
            }
        }
    }

    /// Instruction files below the session's directory, which are loaded once a file there is read.
    fn below(&mut self, directory: &Path) {
        let rules = Rules::default();
        let boundary = self.project.clone().unwrap_or_else(|| directory.to_owned());
        let mut waiting = vec![(directory.to_path_buf(), 0)];
        let (mut scanned, mut files) = (0, Vec::new());
        while let Some((folder, depth)) = waiting.pop() {
            scanned += 1;
            if scanned > MAX_DIRECTORIES_BELOW {
                self.scan.note(Problem::TooMany { path: directory.to_owned(), limit: MAX_DIRECTORIES_BELOW });
                break;
            }
            if depth > 0 {
                files.push(folder.join(FOLDER).join(CLAUDE_MD));
            }
            for entry in self.scan.entries(&folder) {
                let left_out = || {
                    entry.name.starts_with('.') || rules.leaves_out_directory(entry.name.as_bytes()).is_some()
                };
                if entry.sort == Sort::Directory && depth < MAX_DEPTH_BELOW && !left_out() {
                    waiting.push((entry.path, depth + 1));
                } else if depth > 0
                    && entry.sort != Sort::Directory
                    && matches!(&*entry.name, CLAUDE_MD | LOCAL)
                {
                    files.push(entry.path);
                }
            }
        }
        files.sort();
        for path in files {
            let folder = path.parent().unwrap_or(directory);
            let folder = if folder.ends_with(FOLDER) { folder.parent().unwrap_or(folder) } else { folder };
            let folder = folder.to_path_buf();
            let scope =
                if path.ends_with(LOCAL) { InstructionScope::Local } else { InstructionScope::Project };
            self.take(Candidate {
                reason: say::loaded_once_file_read(folder.display()),
                path,
                base: directory,
                boundary: Some(&boundary),
                scope,
                on_demand: true,
                is_rule: false,
            });
        }
    }

    /// Takes a file that is loaded by itself, with what it imports.
    fn take(&mut self, candidate: Candidate<'_>) {
        let Some(opened) = open(self.scan, candidate.base, &candidate.path, candidate.boundary) else {
            return;
        };
        let Candidate { path, scope, mut reason, on_demand, is_rule, .. } = candidate;
        // The way down passes the home directory, whose `.claude` is the user's.
        let known = path.canonicalize().ok().and_then(|real| self.seen.get(&real));
        if known.is_some_and(|first| self.found.files[*first].path == path) {
            return;
        }
        let mut state = if on_demand { InstructionState::OnDemand } else { InstructionState::Loaded };
        let mut globs = Vec::new();
        if let (true, Ok(text)) = (is_rule, &opened.text) {
            globs = rule::globs(text);
            if !globs.is_empty() {
                state = InstructionState::OnDemand;
                reason = say::rule_loaded_once_file_applies();
            }
        }
        if let Some(glob) = self.excluded(&path, &opened).filter(|_| scope != InstructionScope::Managed) {
            state = InstructionState::Excluded;
            reason = say::setting_leaves_out(glob);
        }
        let index = self.push(path, scope, state, reason, None, 0, opened);
        self.found.files[index].globs = globs;
        self.follow(index);
    }

    fn excluded(&self, path: &Path, opened: &Opened) -> Option<Message> {
        let places = [Some(path), opened.leads_to.as_deref()];
        let matches = |matcher: &GlobMatcher| places.iter().flatten().any(|path| matcher.is_match(path));
        self.excludes.iter().find(|(matcher, _)| matches(matcher)).map(|(_, place)| place.clone())
    }

    /// Puts a file on the list; it is told what is wrong with it there.
    #[allow(clippy::too_many_arguments, reason = "the parts of one row")]
    fn push(
        &mut self,
        path: PathBuf,
        scope: InstructionScope,
        mut state: InstructionState,
        mut reason: Message,
        imported_by: Option<usize>,
        depth: usize,
        opened: Opened,
    ) -> usize {
        let real =
            opened.leads_to.clone().or_else(|| path.canonicalize().ok()).unwrap_or_else(|| path.clone());
        let takes = matches!(state, InstructionState::Loaded | InstructionState::OnDemand);
        let mut text = None;
        match opened.text {
            Err((wrong, why)) if takes => (state, reason) = (wrong, why),
            Err(_) => {}
            Ok(read) => text = Some(read),
        }
        if takes && let Some(&first) = self.seen.get(&real) {
            let earlier = self.found.files[first].path.display().to_string();
            let in_chain = self.chain(imported_by).any(|index| index == first);
            (state, reason) = if in_chain {
                (InstructionState::Cycle, say::imports_itself_way(earlier))
            } else {
                (InstructionState::AlreadyLoaded, say::stands_above_already(earlier))
            };
            text = None;
        }
        let index = self.found.files.len();
        if matches!(state, InstructionState::Loaded | InstructionState::OnDemand) {
            self.seen.insert(real, index);
        }
        self.found.files.push(Instruction {
            agent: InstructionAgent::ClaudeCode,
            scope,
            path,
            leads_to: opened.leads_to,
            state,
            reason,
            imported_by,
            depth,
            size: opened.size,
            text,
            globs: Vec::new(),
        });
        index
    }

    /// A file and those that import it.
    fn chain(&self, from: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(from, |index| self.found.files[*index].imported_by)
    }

    /// Takes what a file imports; what is not loaded imports nothing.
    fn follow(&mut self, index: usize) {
        let file = &self.found.files[index];
        if !matches!(file.state, InstructionState::Loaded | InstructionState::OnDemand) {
            return;
        }
        let named = file.text.as_deref().map(imports).unwrap_or_default();
        for import in named {
            self.import(index, &import);
        }
    }

    fn import(&mut self, by: usize, import: &Import) {
        let file = &self.found.files[by];
        let (scope, state, depth) = (file.scope, file.state, file.depth + 1);
        let from = file.path.parent().unwrap_or(Path::new("/"));
        let path = match import.target.strip_prefix("~/") {
            Some(rest) => self.surroundings.home.join(rest),
            None => from.join(&import.target),
        };
        let path = lexical(&path);
        let (by_file, line) = (file.path.display().to_string(), import.line);
        let nothing = |text| Opened { leads_to: None, size: 0, text };
        let unread = || nothing(Err((InstructionState::Unreadable, Message::default())));
        let here = std::fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_dir());
        if !here {
            if import.is_path && !path.is_dir() {
                let reason = say::names_line_but_not(by_file, line);
                self.push(path, scope, InstructionState::Missing, reason, Some(by), depth, unread());
            }
            return;
        }
        if depth > MAX_IMPORT_HOPS {
            let reason = say::names_line_but_more_than(by_file, line, MAX_IMPORT_HOPS);
            self.push(path, scope, InstructionState::TooDeep, reason, Some(by), depth, unread());
            return;
        }
        let inside = self.project.clone().filter(|project| path.starts_with(project));
        let is_project = matches!(scope, InstructionScope::Project | InstructionScope::Local);
        if is_project && inside.is_none() && !self.approved {
            let reason = say::names_line_lies_outside_project(by_file, line);
            self.push(path, scope, InstructionState::NotApproved, reason, Some(by), depth, unread());
            return;
        }
        let base = path.parent().unwrap_or(&path).to_path_buf();
        let boundary = if is_project { inside } else { Some(self.surroundings.home.clone()) };
        let boundary = boundary.unwrap_or_else(|| base.clone());
        let Some(opened) = open(self.scan, &boundary_base(&path, &boundary, &base), &path, Some(&boundary))
        else {
            return;
        };
        let index = self.push(path, scope, state, say::names_line(by_file, line), Some(by), depth, opened);
        self.follow(index);
    }
}

/// The directory from which a file is reached: the boundary where it lies in it, so that links on the way are seen.
fn boundary_base(path: &Path, boundary: &Path, parent: &Path) -> PathBuf {
    if path.starts_with(boundary) { boundary.to_path_buf() } else { parent.to_path_buf() }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "claude";
    claudemdexcludes(file, glob) => "claudeMdExcludes in {file}: {glob}",
    claudemdexcludes_no_pattern(glob, kind) => "claudeMdExcludes: {glob} is no pattern: {kind}",
    administrators_settings_hold_claudemd() => "The administrator's settings hold it (claudeMd).",
    every_session_machine_loads_cannot() => "Every session on this machine loads it; it cannot be excluded.",
    every_session_user_loads() => "Every session of this user loads it.",
    sessions_directory() => "the session's directory",
    above_sessions_directory(directory) => "{directory}, above the session's directory",
    it_is_in(place) => "It is in {place}.",
    rule(folder) => "It is a rule in {folder}.",
    loaded_once_file_read(folder) => "It is loaded once a file in {folder} is read.",
    rule_loaded_once_file_applies() => "It is a rule that is loaded once a file it applies to is read.",
    setting_leaves_out(glob) => "A setting leaves it out: {glob}.",
    imports_itself_way(earlier) => "It imports itself by way of {earlier}.",
    stands_above_already(earlier) => "It stands above already, as {earlier}.",
    names_line_but_not(by_file, line) => "{by_file} names it in line {line}, but it is not there.",
    names_line_but_more_than(by_file, line, value) => "{by_file} names it in line {line}, but more than {value} imports lead to it.",
    names_line_lies_outside_project(by_file, line) => "{by_file} names it in line {line}. It lies outside the project, and imports from there are not approved for it in Claude Code.",
    names_line(by_file, line) => "{by_file} names it in line {line}.",
}
