//! `AGENTS.md` as opencode reads it: the user's, then the first name of which there is one from where the session starts up to
//! the top of the repository, then what the settings name. Sources: the program (1.18.33) and its public source text,
//! `instruction.ts`. Addresses among the settings' `instructions` are not fetched here.

use super::reasons::say;
use super::{InstructionAgent, InstructionScope, InstructionState, Instructions, below, open};
use crate::Surroundings;
use crate::agents::{opencode_config, texts};
use crate::scan::Scan;
use globset::GlobBuilder;
use retrace_message::Message;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const AGENT: InstructionAgent = InstructionAgent::Opencode;
const AGENTS: &str = "AGENTS.md";
const CLAUDE: &str = "CLAUDE.md";

/// Variable that holds settings themselves.
const CONTENT: &str = "OPENCODE_CONFIG_CONTENT";

/// Largest file that is put into a setting, in bytes: it gives a name.
const MAX_PUT_IN: u64 = 4096;

/// Directories and files that one pattern is tried on.
const MAX_TRIED: usize = 20_000;

struct Walk<'a, 'l> {
    scan: &'l mut Scan,
    found: &'a mut Instructions,
    /// Paths that are listed as taken.
    seen: BTreeSet<PathBuf>,
}

pub(super) fn find(surroundings: &Surroundings, scan: &mut Scan, found: &mut Instructions) {
    let is_on = |name: &str| {
        surroundings.variable(name).is_some_and(|value| {
            matches!(value.to_string_lossy().to_ascii_lowercase().as_str(), "1" | "true")
        })
    };
    let no_claude = is_on("OPENCODE_DISABLE_CLAUDE_CODE") || is_on("OPENCODE_DISABLE_CLAUDE_CODE_PROMPT");
    let no_project = is_on("OPENCODE_DISABLE_PROJECT_CONFIG");
    let config = opencode_config(surroundings);
    let directory = found.directory.clone();
    // A `.git` that leads nowhere is no repository to git, which opencode asks.
    let top = found.repository.clone().filter(|top| {
        let git = top.join(".git");
        git.is_dir() || walks_to(scan, &git).is_some_and(|folder| folder.is_dir())
    });
    let mut walk = Walk { scan, found, seen: BTreeSet::new() };
    let home = surroundings.home.join(".claude");
    let mut taken = None;
    let other = other_config(surroundings);
    let own = other.iter().map(|other| (other, AGENTS, true));
    let own = own.chain([(&config, AGENTS, true), (&home, CLAUDE, !no_claude)]);
    for (base, name, counts) in own {
        let path = base.join(name);
        if !path.exists() || !counts {
            continue;
        }
        let reason = say::every_session(AGENT.title());
        let first = taken.get_or_insert_with(|| path.clone()).clone();
        let state = (first != path)
            .then(|| (InstructionState::Shadowed, say::stands_in_for_all(first.display().to_string())));
        walk.take(base, path, InstructionScope::User, reason, state);
    }
    let names: Vec<&str> =
        [AGENTS, CLAUDE, "CONTEXT.md"].into_iter().filter(|name| !no_claude || *name != CLAUDE).collect();
    // Outside a repository the way up ends at the root of the file system.
    let above: Vec<PathBuf> = directory
        .iter()
        .flat_map(|start| start.ancestors())
        .take(super::MAX_ANCESTORS)
        .take_while(|above| top.as_deref().is_none_or(|top| above.starts_with(top)))
        .map(Path::to_path_buf)
        .collect();
    if let (Some(directory), false) = (&directory, no_project) {
        walk.project(directory, &above, &names);
    }
    for (file, pattern) in walk.settings(surroundings, &config, if no_project { &[] } else { &above }) {
        walk.named(surroundings, &config, if no_project { &[] } else { &above }, &file, &pattern);
    }
    let Some(directory) = directory else { return };
    for folder in below(walk.scan, &directory) {
        let mut first: Option<&str> = None;
        for name in &names {
            let path = folder.join(name);
            if !path.exists() || walk.seen.contains(&path) {
                // One that a session has already still stands for its directory.
                first = first.or(path.exists().then_some(*name));
                continue;
            }
            let state = match first {
                Some(first) => (InstructionState::Shadowed, say::stands_in(first)),
                None => {
                    let reason = say::file_below_read(folder.display().to_string());
                    (InstructionState::OnDemand, reason)
                }
            };
            first = first.or(Some(name));
            let reason = state.1.clone();
            walk.take(&folder, path, InstructionScope::Project, reason, Some(state));
        }
    }
}

/// The directory of settings that a variable names beside the user's own.
fn other_config(surroundings: &Surroundings) -> Option<PathBuf> {
    surroundings.variable("OPENCODE_CONFIG_DIR").map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The directory that a `.git` file names.
fn walks_to(scan: &mut Scan, git: &Path) -> Option<PathBuf> {
    let text = scan.text(git, 16 * 1024)?;
    let path = text.lines().next()?.strip_prefix("gitdir:")?.trim();
    Some(crate::git::lexical(&git.parent()?.join(path)))
}

impl Walk<'_, '_> {
    fn project(&mut self, directory: &Path, above: &[PathBuf], names: &[&str]) {
        let mut taken: Option<PathBuf> = None;
        for name in names {
            let paths: Vec<(&PathBuf, PathBuf)> = above
                .iter()
                .map(|above| (above, above.join(name)))
                .filter(|(_, path)| path.exists())
                .collect();
            for (above, path) in &paths {
                let reason = if *above == directory {
                    say::in_start_directory()
                } else {
                    say::in_directory_above(above.display().to_string())
                };
                let state = taken
                    .as_ref()
                    .map(|by| (InstructionState::Shadowed, say::stands_in_for_all(by.display().to_string())));
                self.take(above, path.clone(), InstructionScope::Project, reason, state);
            }
            if taken.is_none() {
                taken = paths.into_iter().next().map(|(_, path)| path);
            }
        }
    }

    /// The patterns of `instructions` with the file each stands in: the user's settings, then the project's from the top down.
    fn settings(
        &mut self,
        surroundings: &Surroundings,
        config: &Path,
        above: &[PathBuf],
    ) -> Vec<(PathBuf, String)> {
        let mut files: Vec<PathBuf> =
            ["config.json", "opencode.json", "opencode.jsonc"].iter().map(|name| config.join(name)).collect();
        files.extend(surroundings.variable("OPENCODE_CONFIG").map(PathBuf::from));
        for folder in above.iter().rev() {
            files.extend(["opencode.json", "opencode.jsonc"].map(|name| folder.join(name)));
        }
        for folder in above.iter().rev() {
            files.extend(["opencode.json", "opencode.jsonc"].map(|name| folder.join(".opencode").join(name)));
        }
        let folders = [Some(surroundings.home.join(".opencode")), other_config(surroundings)];
        for folder in folders.into_iter().flatten() {
            files.extend(["opencode.json", "opencode.jsonc"].map(|name| folder.join(name)));
        }
        let mut patterns: Vec<(PathBuf, String)> = Vec::new();
        let mut add = |file: &Path, found: Vec<String>| {
            for pattern in found {
                if !patterns.iter().any(|(_, known)| *known == pattern) {
                    patterns.push((file.to_owned(), pattern));
                }
            }
        };
        for file in files.into_iter().filter(|file| file.is_absolute() && file.is_file()) {
            let value = self.scan.json5(&file).unwrap_or_default();
            let found = texts(&value["instructions"]).into_iter();
            let found = found.map(|pattern| self.put_in(surroundings, &file, &pattern)).collect();
            add(&file, found);
        }
        if let Some(text) = surroundings.variable(CONTENT) {
            let value: serde_json::Value = json5::from_str(&text.to_string_lossy()).unwrap_or_default();
            add(Path::new(CONTENT), texts(&value["instructions"]));
        }
        patterns
    }

    /// A text of a settings file with `{env:NAME}` and `{file:PATH}` put in; a path is relative to the file.
    fn put_in(&mut self, surroundings: &Surroundings, file: &Path, text: &str) -> String {
        let mut parts = text.split('{');
        let mut made = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let told = part.split_once('}').and_then(|(inside, rest)| Some((inside.split_once(':')?, rest)));
            match told {
                Some((("env", name), rest)) => {
                    made.push_str(
                        &surroundings.variable(name).map(|it| it.to_string_lossy()).unwrap_or_default(),
                    );
                    made.push_str(rest);
                }
                Some((("file", path), rest)) => {
                    let path = match path.strip_prefix("~/") {
                        Some(rest) => surroundings.home.join(rest),
                        None => file.parent().unwrap_or(file).join(path),
                    };
                    let inside = self.scan.text(&path, MAX_PUT_IN).unwrap_or_default();
                    made.push_str(inside.trim());
                    made.push_str(rest);
                }
                _ => {
                    made.push('{');
                    made.push_str(part);
                }
            }
        }
        made
    }

    /// The files that a pattern of the settings names: below each directory of the way up, or where an absolute one says.
    fn named(
        &mut self,
        surroundings: &Surroundings,
        config: &Path,
        above: &[PathBuf],
        file: &Path,
        pattern: &str,
    ) {
        if pattern.starts_with("https://") || pattern.starts_with("http://") {
            return;
        }
        let reason = say::named_by_setting("instructions", file.display().to_string());
        let absolute = match pattern.strip_prefix("~/") {
            Some(rest) => Some(surroundings.home.join(rest)),
            None => Some(PathBuf::from(pattern)).filter(|path| path.is_absolute()),
        };
        if let Some(path) = absolute {
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
            self.matching(folder, &name.to_string_lossy(), &reason);
            return;
        }
        let own = [config.to_path_buf()];
        for folder in if above.is_empty() { &own[..] } else { above } {
            self.matching(folder, pattern, &reason);
        }
    }

    /// Takes the files below `folder` that match.
    fn matching(&mut self, folder: &Path, pattern: &str, reason: &Message) {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        if !pattern.contains(['*', '?', '[', '{']) {
            let path = crate::git::lexical(&folder.join(pattern));
            if path.is_file() {
                self.take(folder, path, InstructionScope::Project, reason.clone(), None);
            }
            return;
        }
        let Ok(glob) = GlobBuilder::new(pattern).literal_separator(true).build() else { return };
        let matcher = glob.compile_matcher();
        // Only the part before the first sign is a place; below it as many levels as the pattern has.
        let fixed: PathBuf =
            pattern.split('/').take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
        let levels = if pattern.contains("**") { 16 } else { pattern.split('/').count() };
        let mut waiting = vec![(folder.join(&fixed), fixed.iter().count() + 1)];
        let (mut tried, mut paths) = (0, Vec::new());
        while let Some((place, level)) = waiting.pop() {
            for entry in self.scan.entries(&place) {
                tried += 1;
                if tried > MAX_TRIED {
                    self.scan.note(crate::Problem::TooMany { path: folder.to_owned(), limit: MAX_TRIED });
                    break;
                }
                let is_match = entry.path.strip_prefix(folder).is_ok_and(|below| matcher.is_match(below));
                if entry.path.is_file() && is_match {
                    paths.push(entry.path);
                } else if entry.sort == crate::scan::Sort::Directory && level < levels {
                    waiting.push((entry.path, level + 1));
                }
            }
        }
        paths.sort();
        for path in paths {
            self.take(folder, path, InstructionScope::Project, reason.clone(), None);
        }
    }

    fn take(
        &mut self,
        base: &Path,
        path: PathBuf,
        scope: InstructionScope,
        reason: Message,
        state: Option<(InstructionState, Message)>,
    ) {
        if self.seen.contains(&path) {
            return;
        }
        let Some(opened) = open(self.scan, base, &path) else { return };
        let mut row = opened.row(AGENT, scope, path.clone(), reason);
        // White space is sent as it is.
        if row.state == InstructionState::Empty && row.size > 0 {
            row.state = InstructionState::Loaded;
            row.reason = say::in_directory(base.display().to_string());
        }
        if let (Some((state, reason)), true) = (state, row.is_taken()) {
            (row.state, row.reason) = (state, reason);
        }
        if row.is_taken() {
            self.seen.insert(path);
        }
        self.found.files.push(row);
    }
}
