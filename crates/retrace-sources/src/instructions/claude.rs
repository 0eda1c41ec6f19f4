//! Claude Code's hierarchy in load order: the administrator's, the user's, then every directory from the top down to where
//! the session starts; `AGENTS.md` where none of those gives a `CLAUDE.md`. Sources: Claude Code documentation, memory page, and
//! the program itself (2.1.330), whose order and limits these are. It takes the rules of one folder in the order of the file
//! system; here they are in the order of their names.

use super::imports::{Import, imports, is_text, loaded};
use super::reasons::say;
use super::{
    Instruction, InstructionAgent, InstructionScope, InstructionState, Instructions, MAX_IMPORT_HOPS, Opened,
    below, downwards, open, rule,
};
use crate::claude::settings::{ProjectSettings, Settings};
use crate::git::{Checkout, checkout, lexical};
use crate::scan::{Scan, Sort};
use crate::{Problem, Surroundings};
use globset::{GlobBuilder, GlobMatcher};
use retrace_message::Message;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const CLAUDE_MD: &str = "CLAUDE.md";
const AGENTS_MD: &str = "AGENTS.md";
const LOCAL: &str = "CLAUDE.local.md";
const FOLDER: &str = ".claude";
const RULES: &str = "rules";

/// First version that loads `AGENTS.md`.
const AGENTS_MD_SINCE: (u64, u64, u64) = (2, 1, 300);

/// Greatest depth of a folder of rules.
const MAX_RULE_DEPTH: usize = 16;

struct Walk<'a, 'l> {
    surroundings: &'a Surroundings,
    scan: &'l mut Scan,
    found: &'a mut Instructions,
    excludes: Vec<(GlobMatcher, Message)>,
    /// Imports from outside are approved.
    approved: bool,
    /// Where the session starts, as it really is: what lies outside it needs approval.
    start: Option<PathBuf>,
    /// The main working tree, where the session's lies within it: its own files are left out.
    main_tree: Option<Checkout>,
    /// Where files are really, with their place in the list.
    seen: BTreeMap<PathBuf, usize>,
    /// Why no `AGENTS.md` is loaded, where none is.
    no_agents_md: Option<Message>,
}

/// A file to be taken, and why it is looked at.
struct Candidate<'a> {
    path: PathBuf,
    /// Directory it was searched for in.
    base: &'a Path,
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
    let checkout = directory.as_deref().and_then(|directory| checkout(scan, directory));
    let worktree = found.repository.clone().or_else(|| directory.clone());
    let project_settings = match (&directory, &worktree) {
        (Some(directory), Some(worktree)) if directory.join(FOLDER) != config_root => {
            settings.of_project(scan, directory, worktree)
        }
        _ => ProjectSettings::default(),
    };
    found.switched_off = settings.no_instructions(surroundings, Some(&project_settings));
    let excludes = excludes(&settings, &project_settings, scan);
    // Kept for the repository that all its working trees share, else for the directory itself.
    let place = checkout.as_ref().map(|checkout| checkout.repository.clone()).or_else(|| directory.clone());
    let approved = place.as_deref().is_some_and(|place| settings.approved_imports(place));
    let main_tree = checkout
        .filter(|tree| tree.worktree != tree.repository && tree.worktree.starts_with(&tree.repository));
    let start = directory.as_deref().map(|start| start.canonicalize().unwrap_or_else(|_| start.to_owned()));
    let no_agents_md = found
        .version_of(InstructionAgent::ClaudeCode)
        .filter(|version| numbers(version).is_some_and(|numbers| numbers < AGENTS_MD_SINCE))
        .map(|version| say::agents_md_since(version, "2.1.300"));
    let too_old = no_agents_md.is_some();
    let seen = BTreeMap::new();
    let mut walk =
        Walk { surroundings, scan, found, excludes, approved, start, main_tree, seen, no_agents_md };
    walk.managed(&settings);
    walk.user(&config_root);
    if let Some(directory) = &directory {
        for above in downwards(directory, None) {
            walk.directory(&above, &above == directory);
        }
        walk.agents_md(directory, too_old);
        for folder in below(walk.scan, directory) {
            walk.below(directory, &folder);
        }
    }
    if found.switched_off.is_some() {
        for file in found.files.iter_mut().filter(|file| file.is_taken()) {
            file.state = InstructionState::Off;
        }
    }
}

/// The three numbers of a version.
fn numbers(version: &str) -> Option<(u64, u64, u64)> {
    let mut numbers = version.split(['.', '-', '+']).map_while(|part| part.parse().ok());
    Some((numbers.next()?, numbers.next()?, numbers.next()?))
}

fn excludes(settings: &Settings, project: &ProjectSettings, scan: &mut Scan) -> Vec<(GlobMatcher, Message)> {
    let mut matchers = Vec::new();
    for (file, glob) in settings.excludes(Some(project)) {
        match GlobBuilder::new(glob).literal_separator(true).build() {
            Ok(built) => {
                matchers.push((built.compile_matcher(), globs::claudemdexcludes(file.display(), glob)));
            }
            Err(error) => scan.note(Problem::Damaged {
                path: file.to_owned(),
                message: globs::claudemdexcludes_no_pattern(format!("{glob:?}"), error.kind().to_string()),
            }),
        }
    }
    matchers
}

retrace_message::messages! {
    /// Messages about patterns.
    mod globs in "claude";
    claudemdexcludes(file, glob) => "claudeMdExcludes in {file}: {glob}",
    claudemdexcludes_no_pattern(glob, kind) => "claudeMdExcludes: {glob} is no pattern: {kind}",
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
                reason: say::administrators_settings(),
                cut_at: None,
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
            scope: InstructionScope::Managed,
            reason: say::every_session_of_machine(),
            on_demand: false,
            is_rule: false,
        });
    }

    fn user(&mut self, config_root: &Path) {
        self.take(Candidate {
            path: config_root.join(CLAUDE_MD),
            base: config_root,
            scope: InstructionScope::User,
            reason: say::every_session(InstructionAgent::ClaudeCode.title()),
            on_demand: false,
            is_rule: false,
        });
        self.rules(config_root, config_root, InstructionScope::User, false);
    }

    /// The files of a directory at or above the session's.
    fn directory(&mut self, directory: &Path, is_start: bool) {
        let first = self.found.files.len();
        let reason = if is_start {
            say::in_start_directory()
        } else {
            say::in_directory_above(directory.display().to_string())
        };
        let candidate = |path: PathBuf, scope| Candidate {
            path,
            base: directory,
            scope,
            reason: reason.clone(),
            on_demand: false,
            is_rule: false,
        };
        if let Some(main) = self
            .main_tree
            .clone()
            .filter(|tree| directory.starts_with(&tree.repository) && !directory.starts_with(&tree.worktree))
        {
            for path in [directory.join(CLAUDE_MD), directory.join(FOLDER).join(CLAUDE_MD)] {
                let main = main.repository.display().to_string();
                self.list_only(directory, path, InstructionState::Shadowed, say::main_tree_left_out(main));
            }
        } else {
            self.take(candidate(directory.join(CLAUDE_MD), InstructionScope::Project));
            self.take(candidate(directory.join(FOLDER).join(CLAUDE_MD), InstructionScope::Project));
            self.rules(directory, &directory.join(FOLDER), InstructionScope::Project, false);
        }
        self.take(candidate(directory.join(LOCAL), InstructionScope::Local));
        let gives = self.found.files[first..].iter().find(|file| is_claude_md(file) && file.is_taken());
        if let Some(file) = gives.filter(|_| self.no_agents_md.is_none()) {
            self.no_agents_md = Some(say::claude_md_instead(file.path.display().to_string()));
        }
    }

    /// The `AGENTS.md` at and above the session's directory, which are taken all or none.
    fn agents_md(&mut self, directory: &Path, too_old: bool) {
        for above in downwards(directory, None) {
            let is_start = above == directory;
            for path in [above.join(AGENTS_MD), above.join(FOLDER).join(AGENTS_MD)] {
                if let Some(reason) = self.no_agents_md.clone() {
                    let state =
                        if too_old { InstructionState::NotInVersion } else { InstructionState::Shadowed };
                    self.list_only(&above, path, state, reason);
                    continue;
                }
                let reason = if is_start {
                    say::in_start_directory()
                } else {
                    say::in_directory_above(above.display().to_string())
                };
                self.take(Candidate {
                    path,
                    base: &above,
                    scope: InstructionScope::Project,
                    reason,
                    on_demand: false,
                    is_rule: false,
                });
            }
        }
    }

    /// The files of a directory below the session's, which are loaded once a file there is read.
    fn below(&mut self, directory: &Path, folder: &Path) {
        let first = self.found.files.len();
        let reason = say::file_below_read(folder.display().to_string());
        let candidate = |path: PathBuf, scope| Candidate {
            path,
            base: directory,
            scope,
            reason: reason.clone(),
            on_demand: true,
            is_rule: false,
        };
        self.take(candidate(folder.join(CLAUDE_MD), InstructionScope::Project));
        self.take(candidate(folder.join(FOLDER).join(CLAUDE_MD), InstructionScope::Project));
        self.take(candidate(folder.join(LOCAL), InstructionScope::Local));
        let gives = self.found.files[first..].iter().any(|file| is_claude_md(file) && file.is_taken());
        self.rules(directory, &folder.join(FOLDER), InstructionScope::Project, true);
        for path in [folder.join(AGENTS_MD), folder.join(FOLDER).join(AGENTS_MD)] {
            match self.no_agents_md.clone().or_else(|| gives.then(say::claude_md_beside)) {
                Some(reason) => self.list_only(directory, path, InstructionState::Shadowed, reason),
                None => self.take(candidate(path, InstructionScope::Project)),
            }
        }
    }

    /// Lists a file that is there and is not loaded, unless it is on the list already.
    fn list_only(&mut self, base: &Path, path: PathBuf, state: InstructionState, reason: Message) {
        let Some(opened) = open(self.scan, base, &path) else { return };
        if self.seen.contains_key(&opened.real) {
            return;
        }
        self.push(path, InstructionScope::Project, state, reason, None, 0, opened);
    }

    /// The rules in `folder`/rules, by path.
    fn rules(&mut self, base: &Path, folder: &Path, scope: InstructionScope, on_demand: bool) {
        let mut paths = Vec::new();
        let mut visited = BTreeSet::new();
        self.rule_paths(&folder.join(RULES), 0, &mut visited, &mut paths);
        for path in paths {
            self.take(Candidate {
                reason: say::rule_in(folder.join(RULES).display().to_string()),
                path,
                base,
                scope,
                on_demand,
                is_rule: true,
            });
        }
    }

    fn rule_paths(
        &mut self,
        folder: &Path,
        depth: usize,
        visited: &mut BTreeSet<PathBuf>,
        paths: &mut Vec<PathBuf>,
    ) {
        let Ok(real) = folder.canonicalize() else { return };
        // Links between folders may go round in circles.
        if depth > MAX_RULE_DEPTH || !visited.insert(real) {
            return;
        }
        for entry in self.scan.entries(folder) {
            let is_folder =
                entry.sort == Sort::Directory || (entry.sort == Sort::Link && entry.path.is_dir());
            if is_folder {
                self.rule_paths(&entry.path, depth + 1, visited, paths);
            } else if entry.name.ends_with(".md") {
                paths.push(entry.path);
            }
        }
    }

    /// True if `real` lies outside the session's directory and the user has not approved that for such a scope. What comes on
    /// demand is never from outside.
    fn is_barred(&self, scope: InstructionScope, state: InstructionState, real: &Path) -> bool {
        matches!(scope, InstructionScope::Project | InstructionScope::Local)
            && !(self.approved && state == InstructionState::Loaded)
            && !self.start.as_deref().is_some_and(|start| real.starts_with(start))
    }

    fn start_name(&self) -> String {
        self.found.directory.as_deref().map_or_else(String::new, |start| start.display().to_string())
    }

    /// Takes a file that is loaded by itself, with what it imports.
    fn take(&mut self, candidate: Candidate<'_>) {
        let Some(opened) = open(self.scan, candidate.base, &candidate.path) else {
            return;
        };
        let Candidate { path, scope, mut reason, on_demand, is_rule, .. } = candidate;
        // The way down passes the home directory, whose `.claude` is the user's.
        if self.seen.get(&opened.real).is_some_and(|first| self.found.files[*first].path == path) {
            return;
        }
        let mut state = if on_demand { InstructionState::OnDemand } else { InstructionState::Loaded };
        let at_start = state;
        let mut globs = Vec::new();
        if let (true, Ok(text)) = (is_rule, &opened.text) {
            globs = rule::globs(text);
            if !globs.is_empty() {
                state = InstructionState::OnDemand;
                reason = say::rule_on_demand();
            }
        }
        if is_rule && opened.leads_to.is_some() && self.is_barred(scope, at_start, &opened.real) {
            state = InstructionState::NotApproved;
            reason = say::rule_leads_outside(self.start_name());
        }
        // A rule is known by where it really is, any other file by its name.
        let real = opened.leads_to.as_deref().filter(|_| is_rule);
        if let Some(setting) = self.excluded(scope, &path, real) {
            state = InstructionState::Excluded;
            reason = say::setting_leaves_out(setting);
        }
        let index = self.push(path, scope, state, reason, None, 0, opened);
        self.found.files[index].globs = globs;
        // A rule for some files brings its imports at the start all the same.
        self.follow(index, at_start);
    }

    /// The setting that leaves out a file of one of these names; none leaves out the administrator's.
    fn excluded(&self, scope: InstructionScope, path: &Path, real: Option<&Path>) -> Option<Message> {
        if scope == InstructionScope::Managed {
            return None;
        }
        let places = [Some(path), real];
        let matches = |matcher: &GlobMatcher| places.iter().flatten().any(|path| matcher.is_match(path));
        self.excludes.iter().find(|(matcher, _)| matches(matcher)).map(|(_, place)| place.clone())
    }

    /// Puts a file on the list; what is wrong with it takes the place of the reason.
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
        let takes = state.is_taken();
        let mut text = None;
        match opened.text {
            Err((wrong, why)) if takes => (state, reason) = (wrong, why),
            Err(_) => {}
            Ok(read) => {
                if takes && loaded(&read).is_empty() {
                    (state, reason) = (InstructionState::Empty, say::empty());
                }
                text = Some(read).filter(|_| state != InstructionState::NotApproved);
            }
        }
        if takes && let Some(&first) = self.seen.get(&opened.real) {
            let earlier = self.found.files[first].path.display().to_string();
            let in_chain = self.chain(imported_by).any(|index| index == first);
            (state, reason) = if in_chain {
                (InstructionState::Cycle, say::imports_itself(earlier))
            } else {
                (InstructionState::AlreadyLoaded, say::stands_above(earlier))
            };
            text = None;
        }
        let index = self.found.files.len();
        if state.is_taken() {
            self.seen.insert(opened.real, index);
        }
        self.found.files.push(Instruction {
            agent: InstructionAgent::ClaudeCode,
            scope,
            path,
            leads_to: opened.leads_to,
            state,
            reason,
            cut_at: None,
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

    /// Takes what a file imports, in that state; what is not loaded imports nothing.
    fn follow(&mut self, index: usize, state: InstructionState) {
        let file = &self.found.files[index];
        if !file.is_taken() {
            return;
        }
        let named = file.text.as_deref().map(imports).unwrap_or_default();
        for import in named {
            self.import(index, &import, state);
        }
    }

    fn import(&mut self, by: usize, import: &Import, state: InstructionState) {
        let file = &self.found.files[by];
        let (scope, depth) = (file.scope, file.depth + 1);
        // Of a link, what it leads to says where its imports are.
        let from = file.leads_to.as_ref().unwrap_or(&file.path).parent().unwrap_or(Path::new("/"));
        let path = match import.target.strip_prefix("~/") {
            Some(rest) => self.surroundings.home.join(rest),
            None => from.join(&import.target),
        };
        let path = lexical(&path);
        let (by_file, line) = (file.path.display().to_string(), import.line);
        let here = std::fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_dir());
        let unread = Opened::unread(&path);
        if !here {
            if import.is_path && !path.is_dir() {
                let reason = say::imported_missing(by_file, line);
                self.push(path, scope, InstructionState::Missing, reason, Some(by), depth, unread);
            }
            return;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !is_text(&name) {
            let reason = say::imported_not_text(by_file, line);
            self.push(path, scope, InstructionState::NotText, reason, Some(by), depth, unread);
            return;
        }
        if depth > MAX_IMPORT_HOPS {
            let reason = say::imported_too_deep(by_file, line, MAX_IMPORT_HOPS);
            self.push(path, scope, InstructionState::TooDeep, reason, Some(by), depth, unread);
            return;
        }
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if self.is_barred(scope, state, &real) {
            let reason = say::imported_outside(by_file, line, self.start_name());
            self.push(path, scope, InstructionState::NotApproved, reason, Some(by), depth, unread);
            return;
        }
        let base = path.parent().unwrap_or(&path).to_path_buf();
        let Some(opened) = open(self.scan, &base, &path) else { return };
        if let Some(setting) = self.excluded(scope, &path, None) {
            let reason = say::setting_leaves_out(setting);
            self.push(path, scope, InstructionState::Excluded, reason, Some(by), depth, opened);
            return;
        }
        let index = self.push(path, scope, state, say::imported(by_file, line), Some(by), depth, opened);
        self.follow(index, state);
    }
}

/// True for a file that keeps `AGENTS.md` from being loaded: no rule, no import, not the user's.
fn is_claude_md(file: &Instruction) -> bool {
    let named = file.path.file_name().is_some_and(|name| name == CLAUDE_MD || name == LOCAL);
    named && file.depth == 0 && matches!(file.scope, InstructionScope::Project | InstructionScope::Local)
}
