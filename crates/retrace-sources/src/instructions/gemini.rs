//! `GEMINI.md` as Gemini CLI reads it: its own folder's, extensions', from the root of the project down to where the session
//! starts, the index of its private memory, with imports in place; and what stands in for its system prompt. Sources: the program (0.61.0) and its public source text,
//! `memoryDiscovery.ts` and `memoryImportProcessor.ts`.

use super::reasons::say;
use super::{
    InstructionAgent, InstructionScope, InstructionState, Instructions, Opened, below, downwards, open,
};
use crate::Surroundings;
use crate::agents::{gemini_home, texts};
use crate::gemini_projects::Projects;
use crate::git::lexical;
use crate::scan::Scan;
use retrace_message::Message;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const GEMINI: &str = "GEMINI.md";
const SETTINGS: &str = "settings.json";
/// Where it is kept which extensions are switched off, and in which directories.
const SWITCHES: &str = "extension-enablement.json";
const AGENT: InstructionAgent = InstructionAgent::Gemini;

/// Variable that names a file with another system prompt, or says that it is `.gemini/system.md`.
const SYSTEM_PROMPT: &str = "GEMINI_SYSTEM_MD";

/// Number of imports that a file may be away.
const MAX_HOPS: usize = 5;

struct Walk<'a, 'l> {
    scan: &'l mut Scan,
    found: &'a mut Instructions,
    names: Vec<String>,
    markers: Vec<String>,
    /// Where files that are loaded by themselves really are, with their place in the list.
    seen: BTreeMap<PathBuf, usize>,
}

pub(super) fn find(surroundings: &Surroundings, scan: &mut Scan, found: &mut Instructions) {
    let own = gemini_home(surroundings);
    let refused = [Some(own.clone()), found.directory.as_ref().map(|place| place.join(".gemini"))];
    let files = refused.into_iter().flatten().map(|folder| folder.join(SETTINGS));
    let refused = files.filter(|file| file.is_file()).find(|file| is_refused(scan, file));
    list(surroundings, scan, found);
    if let Some(file) = refused {
        super::refuse(found, AGENT, &say::settings_refused(AGENT.title(), file.display().to_string()));
    }
}

/// True for settings that the program does not start with: it takes JSON with comments, and nothing beyond (tried with 0.61.0).
fn is_refused(scan: &mut Scan, file: &Path) -> bool {
    let text = scan.text(file, MAX_VARIABLES_BYTES);
    text.is_some_and(|text| serde_json::from_str::<Value>(&without_comments(&text)).is_err())
}

/// JSON with white space in place of its comments.
fn without_comments(text: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(['"', '/']) {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        let end = if from.starts_with("//") {
            from.find('\n').unwrap_or(from.len())
        } else if let Some(comment) = from.strip_prefix("/*") {
            comment.find("*/").map_or(from.len(), |end| end + 4)
        } else if let Some(string) = from.strip_prefix('"') {
            let mut escaped = false;
            let ends = string.find(|letter: char| {
                let ends = letter == '"' && !escaped;
                escaped = letter == '\\' && !escaped;
                ends
            });
            let end = ends.map_or(from.len(), |end| end + 2);
            plain.push_str(&from[..end]);
            end
        } else {
            plain.push('/');
            1
        };
        rest = &from[end..];
    }
    plain.push_str(rest);
    plain
}

fn list(surroundings: &Surroundings, scan: &mut Scan, found: &mut Instructions) {
    let own = gemini_home(surroundings);
    let directory = found.directory.clone();
    let trust = trust(scan, &own, directory.as_deref());
    let mut layers = Vec::new();
    // A later one goes before an earlier one.
    let project = directory.as_ref().filter(|_| trust != Some(false)).map(|place| place.join(".gemini"));
    for folder in [Some(own.clone()), project.filter(|folder| *folder != own)].into_iter().flatten() {
        let file = folder.join(SETTINGS);
        if file.is_file() {
            layers.extend(scan.json5(&file));
        }
    }
    let of = |key: &str| layers.iter().rev().find_map(|layer| layer["context"].get(key));
    let mut names: Vec<String> = Vec::new();
    let expanded = |text: String| with_variables(&text, surroundings);
    let added: Vec<String> =
        of("fileName").map(texts).unwrap_or_default().into_iter().map(expanded).collect();
    for name in added.iter().map(|name| name.trim()).chain([GEMINI]) {
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    let markers = of("memoryBoundaryMarkers").map_or_else(|| vec![".git".to_owned()], texts);
    // Of these alone every layer counts.
    let mut included: Vec<String> = Vec::new();
    for place in layers.iter().flat_map(|layer| texts(&layer["context"]["includeDirectories"])).map(expanded)
    {
        if !included.contains(&place) {
            included.push(place);
        }
    }
    let ignores_project = layers.iter().rev().find_map(|layer| layer["advanced"].get("ignoreLocalEnv"));
    let variables = Variables {
        surroundings,
        own: &own,
        is_trusted: trust != Some(false),
        ignores_project: ignores_project == Some(&Value::Bool(true)),
    };
    system_prompt(scan, found, &variables);
    let mut walk = Walk { scan, found, names, markers, seen: BTreeMap::new() };
    for name in walk.names.clone() {
        walk.take(&own, own.join(name), InstructionScope::User, say::every_session(AGENT.title()), None);
    }
    walk.extensions(&own, directory.as_deref().unwrap_or(&surroundings.home));
    let Some(directory) = directory else { return };
    let mut roots = vec![(directory.clone(), None)];
    for place in included {
        let path = match place.strip_prefix("~/") {
            Some(rest) => surroundings.home.join(rest),
            None => directory.join(&place),
        };
        let path = lexical(&path);
        if path.is_dir() {
            roots.push((path.clone(), Some(path)));
        }
    }
    let untrusted = (trust == Some(false)).then(|| say::untrusted("trustedFolders.json"));
    for (root, included) in &roots {
        walk.upward(&own, root, included.as_deref(), untrusted.as_ref());
    }
    walk.private(&own, &directory);
    for (root, _) in &roots {
        for folder in below(walk.scan, root) {
            for name in walk.names.clone() {
                let reason = say::file_below_read(folder.display().to_string());
                let state = match &untrusted {
                    Some(reason) => Some((InstructionState::Untrusted, reason.clone())),
                    None => Some((InstructionState::OnDemand, reason.clone())),
                };
                walk.take(&folder, folder.join(name), InstructionScope::Project, reason, state);
            }
        }
    }
}

/// The variables that the program has, of its environment and of the one file of variables that it reads.
struct Variables<'s> {
    surroundings: &'s Surroundings,
    /// Its own folder.
    own: &'s Path,
    is_trusted: bool,
    /// True where the settings leave out files of variables that are neither in `.gemini` nor the home's.
    ignores_project: bool,
}

impl Variables<'_> {
    /// A variable, with the file that says it where the environment does not.
    fn get(
        &self,
        scan: &mut Scan,
        name: &str,
        directory: Option<&Path>,
    ) -> Option<(String, Option<PathBuf>)> {
        if let Some(value) = self.surroundings.env.get(name) {
            return Some((value.to_string_lossy().into_owned(), None));
        }
        // Of a project that is not trusted it takes keys alone.
        let file = self.file(directory).filter(|_| self.is_trusted)?;
        let text = scan.text(&file, MAX_VARIABLES_BYTES)?;
        Some((variable_in(&text, name)?, Some(file)))
    }

    /// The first file of variables from the session's directory upwards, then in the home.
    fn file(&self, directory: Option<&Path>) -> Option<PathBuf> {
        let home = self.own.parent()?;
        let above = directory.into_iter().flat_map(Path::ancestors).take(super::MAX_ANCESTORS);
        let files = above.chain([home]).flat_map(|place| {
            let plain = Some(place.join(".env")).filter(|_| !self.ignores_project || place == home);
            [Some(place.join(".gemini/.env")), plain]
        });
        files.flatten().find(|file| file.exists())
    }
}

/// Largest file of variables that is read, in bytes; no rule of the program.
const MAX_VARIABLES_BYTES: u64 = 1024 * 1024;

/// What a file of variables says of one, as the package `dotenv` reads it on one line: the last counts.
fn variable_in(text: &str, name: &str) -> Option<String> {
    text.lines().rev().find_map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("export ").map_or(line, str::trim_start);
        let rest = line.strip_prefix(name)?;
        let value = match rest.trim_start().strip_prefix('=') {
            Some(value) => value,
            None => rest.strip_prefix(": ")?,
        };
        let value = value.trim();
        let quote = value.chars().next().filter(|first| matches!(first, '\'' | '"' | '`'));
        let quoted = quote.and_then(|quote| value[1..].split_once(quote));
        Some(
            quoted
                .map_or_else(|| value.split('#').next().unwrap_or_default().trim(), |(inner, _)| inner)
                .to_owned(),
        )
    })
}

/// The file that stands in for the program's own system prompt.
fn system_prompt(scan: &mut Scan, found: &mut Instructions, variables: &Variables<'_>) {
    let directory = found.directory.clone();
    let Some((value, from)) = variables.get(scan, SYSTEM_PROMPT, directory.as_deref()) else { return };
    let named = value.trim();
    let home = variables.own.parent().unwrap_or(variables.own);
    let place = match (named.to_lowercase().as_str(), named.strip_prefix("~/")) {
        ("" | "0" | "false", _) => return,
        ("1" | "true", _) => PathBuf::from(".gemini/system.md"),
        (_, Some(rest)) => home.join(rest),
        _ => PathBuf::from(named),
    };
    // Without a directory it is known where an absolute path leads, and no other.
    let path = match &directory {
        Some(directory) => lexical(&directory.join(place)),
        None if place.is_absolute() => lexical(&place),
        None => return,
    };
    let is_projects =
        from.as_ref().is_some_and(|file| !file.starts_with(variables.own) && file.parent() != Some(home));
    let scope = if is_projects { InstructionScope::Project } else { InstructionScope::User };
    let setting = match from {
        Some(file) => format!("{SYSTEM_PROMPT} ({})", file.display()),
        None => SYSTEM_PROMPT.to_owned(),
    };
    let row = match open(scan, path.parent().unwrap_or(&path), &path).filter(|_| path.exists()) {
        Some(opened) => opened.row(AGENT, scope, path, say::system_prompt(&setting)),
        None => {
            let mut row = Opened::unread(&path).row(AGENT, scope, path, say::cannot_be_read());
            (row.state, row.reason) = (InstructionState::Missing, say::system_prompt_missing(&setting));
            row
        }
    };
    found.files.push(row);
}

/// A text of the settings with `$NAME` and `${NAME}` put in; a name that is not set stays as it is (tried with 0.61.0).
fn with_variables(text: &str, surroundings: &Surroundings) -> String {
    let mut parts = text.split('$');
    let mut expanded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = match part.strip_prefix('{').and_then(|part| part.split_once('}')) {
            Some((name, rest)) => (name, rest),
            None => part.split_at(
                part.find(|at: char| !at.is_ascii_alphanumeric() && at != '_').unwrap_or(part.len()),
            ),
        };
        match surroundings.variable(name).filter(|_| !name.is_empty()) {
            Some(value) => {
                expanded.push_str(&value.to_string_lossy());
                expanded.push_str(rest);
            }
            None => {
                expanded.push('$');
                expanded.push_str(part);
            }
        }
    }
    expanded
}

/// True if the user trusts the folder, false if not; none where the folder is not named, or trust is switched off.
fn trust(scan: &mut Scan, own: &Path, directory: Option<&Path>) -> Option<bool> {
    let settings = own.join("settings.json");
    let switched_off = settings.is_file()
        && scan.json5(&settings).is_some_and(|value| value["security"]["folderTrust"]["enabled"] == false);
    let file = own.join("trustedFolders.json");
    if switched_off || !file.is_file() {
        return None;
    }
    let value = scan.json5(&file)?;
    let folders = value.as_object()?;
    // The entry of the nearest directory counts.
    directory?.ancestors().find_map(|above| {
        let said = |place: &Path| folders.get(place.to_str()?).and_then(Value::as_str);
        match said(above) {
            Some("TRUST_FOLDER") => Some(true),
            Some("DO_NOT_TRUST") => Some(false),
            _ => folders.iter().find_map(|(place, word)| {
                (word == "TRUST_PARENT" && Path::new(place).parent() == Some(above)).then_some(true)
            }),
        }
    })
}

/// The rule by which an extension is switched off in a directory: the last one for it counts.
fn switched_off(rules: &Value, directory: &Path) -> Option<String> {
    let directory = format!("{}/", directory.to_string_lossy().replace('\\', "/").trim_end_matches('/'));
    let directory = if directory.starts_with('/') { directory } else { format!("/{directory}") };
    let rules = rules.as_array().map(Vec::as_slice).unwrap_or_default();
    let applies = |rule: &&str| is_for(rule.strip_prefix('!').unwrap_or(rule), &directory);
    let last = rules.iter().rev().filter_map(Value::as_str).find(applies)?;
    last.starts_with('!').then(|| last.to_owned())
}

/// True if a rule is for a directory, which ends with a slash. A star stands for anything, and the slash before it may be
/// missing then. Linear for the rules that the client writes, whose one star is their end.
fn is_for(rule: &str, directory: &str) -> bool {
    let mut pieces = rule.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = after_piece(directory, first, pieces.clone().next().is_some()) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, between)) = pieces.split_last() else { return rest.is_empty() };
    for piece in between {
        let piece = piece.trim_end_matches('/');
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// What follows the beginning of a rule in a directory.
fn after_piece<'d>(directory: &'d str, piece: &str, star_follows: bool) -> Option<&'d str> {
    let stem = if star_follows { piece.strip_suffix('/').unwrap_or(piece) } else { piece };
    let rest = directory.strip_prefix(stem)?;
    // After the slash of `place/*` comes a slash or nothing: `/placeholder/` is another directory.
    let is_place = stem.len() == piece.len() || rest.is_empty() || rest.starts_with('/');
    is_place.then_some(rest)
}

impl Walk<'_, '_> {
    /// The files from the root of the project that `start` lies in down to it.
    fn upward(&mut self, own: &Path, start: &Path, included: Option<&Path>, untrusted: Option<&Message>) {
        let root = root(start, &self.markers);
        let mut paths: Vec<(PathBuf, PathBuf)> = Vec::new();
        for above in downwards(start, Some(root.as_deref().unwrap_or(start))) {
            // Its own folder ends the way up.
            if above == own {
                paths.clear();
                continue;
            }
            paths.extend(self.names.iter().map(|name| (above.clone(), above.join(name))));
        }
        paths.sort_by(|(_, one), (_, other)| one.as_os_str().cmp(other.as_os_str()));
        for (above, path) in paths {
            let reason = match included {
                Some(included) => say::included_directory(included.display().to_string()),
                None if above == start => say::in_start_directory(),
                None => say::in_directory_above(above.display().to_string()),
            };
            let state = untrusted.map(|reason| (InstructionState::Untrusted, reason.clone()));
            self.take(&above, path, InstructionScope::Project, reason, state);
        }
    }

    /// The files of extensions, of those that are linked too. `start`: where the session starts.
    fn extensions(&mut self, own: &Path, start: &Path) {
        let folder = own.join("extensions");
        let switches = self.json(&folder.join(SWITCHES)).unwrap_or_default();
        let mut files = Vec::new();
        for entry in self.scan.entries(&folder) {
            let place = self.leads_to(&entry.path);
            let Some(value) = self.json(&place.join("gemini-extension.json")) else { continue };
            // One without a name or version, or with other letters in its name, is not loaded (tried with 0.61.0).
            let Some(name) = value["name"].as_str().filter(|_| value["version"].is_string()) else {
                continue;
            };
            let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
            if name.is_empty() || !name.chars().all(is_letter) {
                continue;
            }
            let name = name.to_owned();
            let switched_off = switched_off(&switches[name.as_str()]["overrides"], start);
            let mut names = texts(&value["contextFileName"]);
            if names.is_empty() {
                names.push(GEMINI.to_owned());
            }
            // A name that begins with a slash lies within its folder as well; one that leads out of it is not loaded.
            let inside = |one: String| {
                let path = lexical(&place.join(one.trim_start_matches(['/', '\\'])));
                let is_inside = path.starts_with(&place);
                is_inside.then(|| (path, place.clone(), name.clone(), switched_off.clone()))
            };
            files.extend(names.into_iter().filter_map(inside));
        }
        files.sort();
        for (path, base, name, switched_off) in files {
            let state = switched_off.map(|rule| {
                (InstructionState::Excluded, say::setting_leaves_out(format!("{SWITCHES}: {rule}")))
            });
            self.take(&base, path, InstructionScope::User, say::extension(name), state);
        }
    }

    /// Where an extension's files are: a linked one's stay where they were.
    fn leads_to(&mut self, place: &Path) -> PathBuf {
        let installed = self.json(&place.join(".gemini-extension-install.json")).unwrap_or_default();
        match installed["source"].as_str().filter(|_| installed["type"] == "link") {
            Some(source) => lexical(&place.join(source)),
            None => place.to_owned(),
        }
    }

    fn json(&mut self, file: &Path) -> Option<Value> {
        file.is_file().then(|| self.scan.json(file)).flatten()
    }

    /// The index of the private memory of the project.
    fn private(&mut self, own: &Path, directory: &Path) {
        let Some(folder) = Projects::read(self.scan, own).folder(self.scan, directory) else { return };
        let folder = folder.join("memory");
        let names = [vec!["MEMORY.md".to_owned()], self.names.clone()].concat();
        for name in names {
            let path = folder.join(&name);
            if path.is_file() {
                self.take(&folder, path, InstructionScope::Local, say::private_memory(), None);
                // Older names count only where there is no index.
                if name == "MEMORY.md" {
                    return;
                }
            }
        }
    }

    /// Takes a file that is loaded by itself, with what it imports.
    fn take(
        &mut self,
        base: &Path,
        path: PathBuf,
        scope: InstructionScope,
        reason: Message,
        state: Option<(InstructionState, Message)>,
    ) {
        let Some(opened) = open(self.scan, base, &path) else { return };
        let real = opened.real.clone();
        if self.seen.get(&real).is_some_and(|first| self.found.files[*first].path == path) {
            return;
        }
        let mut row = opened.row(AGENT, scope, path, reason);
        if row.is_taken() {
            if let Some((state, reason)) = state {
                (row.state, row.reason) = (state, reason);
            }
            if let Some(first) = self.seen.get(&real).filter(|_| row.is_taken()) {
                row.state = InstructionState::AlreadyLoaded;
                row.reason = say::stands_above(self.found.files[*first].path.display().to_string());
            }
        }
        let index = self.found.files.len();
        let takes = row.is_taken();
        let root = root(row.path.parent().unwrap_or(base), &self.markers)
            .unwrap_or_else(|| row.path.parent().unwrap_or(base).to_owned());
        self.found.files.push(row);
        if takes {
            self.seen.insert(real, index);
            self.follow(index, &root, &mut Vec::new());
        }
    }

    /// Takes what a file imports. `chain`: the imports that lead to it.
    fn follow(&mut self, by: usize, root: &Path, chain: &mut Vec<PathBuf>) {
        let file = &self.found.files[by];
        let (scope, state, depth) = (file.scope, file.state, file.depth + 1);
        let (by_name, base) = (file.path.display().to_string(), file.path.parent().map(Path::to_path_buf));
        let (Some(text), Some(base)) = (file.text.clone(), base) else { return };
        for (line, target) in imports(&text) {
            if self.found.files.len() > MAX_FILES {
                return;
            }
            let path = lexical(&base.join(&target));
            let mut unread = |state, reason| {
                let mut row = Opened::unread(&path).row(AGENT, scope, path.clone(), say::cannot_be_read());
                (row.state, row.reason, row.imported_by, row.depth) = (state, reason, Some(by), depth);
                self.found.files.push(row);
            };
            let inside = path.canonicalize().unwrap_or_else(|_| path.clone());
            let root_real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
            let is_here = path.is_file();
            if !(is_here || target.contains('.') || target.contains('/')) {
                continue;
            } else if depth > MAX_HOPS {
                if is_here {
                    unread(InstructionState::TooDeep, say::imported_too_deep(&by_name, line, MAX_HOPS));
                }
            } else if !inside.starts_with(&root_real) {
                let reason = say::imported_beyond(&by_name, line, root.display().to_string());
                unread(InstructionState::NotApproved, reason);
            } else if chain.contains(&path) {
                unread(InstructionState::Cycle, say::imports_itself(path.display().to_string()));
            } else if !is_here {
                unread(InstructionState::Missing, say::imported_missing(&by_name, line));
            } else if let Some(opened) = open(self.scan, &base, &path) {
                let mut row = opened.row(AGENT, scope, path.clone(), say::imported(&by_name, line));
                (row.imported_by, row.depth) = (Some(by), depth);
                let takes = row.is_taken();
                if takes {
                    row.state = state;
                }
                let index = self.found.files.len();
                self.found.files.push(row);
                if takes {
                    chain.push(path);
                    self.follow(index, root, chain);
                    chain.pop();
                }
            }
        }
    }
}

/// Rows after which no more imports are followed: one that is imported twice is put in place twice.
const MAX_FILES: usize = 5_000;

/// The nearest directory with one of the markers.
fn root(start: &Path, markers: &[String]) -> Option<PathBuf> {
    let usable = |marker: &&String| !Path::new(marker).is_absolute() && !marker.contains("..");
    let marked = |above: &&Path| markers.iter().filter(usable).any(|marker| above.join(marker).exists());
    start.ancestors().take(super::MAX_ANCESTORS).find(marked).map(Path::to_path_buf)
}

/// The imports of a text with their lines: what follows `@` at the start of a word, outside runs of backticks.
fn imports(text: &str) -> Vec<(usize, String)> {
    let code = code(text);
    let is_space = |letter: char| matches!(letter, ' ' | '\t' | '\n' | '\r');
    let mut found = Vec::new();
    let (mut at, mut line, mut counted, mut region) = (0, 1, 0, 0);
    while let Some(next) = text[at..].find('@').map(|offset| at + offset) {
        if text[..next].chars().next_back().is_some_and(|before| !is_space(before)) {
            at = next + 1;
            continue;
        }
        let end = text[next..].find(is_space).map_or(text.len(), |offset| next + offset);
        let target = &text[next + 1..end];
        at = (end + 1).min(text.len());
        while !text.is_char_boundary(at) {
            at += 1;
        }
        while code.get(region).is_some_and(|(_, end)| *end <= next) {
            region += 1;
        }
        let is_code = code.get(region).is_some_and(|(start, _)| *start <= next);
        if !is_code
            && target.starts_with(|first: char| first.is_ascii_alphabetic() || first == '.' || first == '/')
        {
            line += text.as_bytes()[counted..next].iter().filter(|byte| **byte == b'\n').count();
            counted = next;
            found.push((line, target.to_owned()));
        }
    }
    found
}

/// Text between two runs of backticks, the second as long as the first at least; the runs included.
fn code(text: &str) -> Vec<(usize, usize)> {
    let mut regions = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('`').map(|offset| at + offset) {
        let run = text[open..].bytes().take_while(|byte| *byte == b'`').count();
        // A run that nothing closes is tried again with fewer.
        let closed = (1..=run).rev().find_map(|length| {
            let fence = &text[open..open + length];
            text[open + length..].find(fence).map(|offset| open + 2 * length + offset)
        });
        match closed {
            Some(end) => {
                regions.push((open, end));
                at = end;
            }
            None => break,
        }
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn imports_begin_words_outside_code() {
        let text = "@./a.md\n@docs/b.md, x@no.md\n`@code.md` @~/tilde.md\n```\n@fenced.md\n```\n@last.md";
        let expected = [(1, "./a.md"), (2, "docs/b.md,"), (7, "last.md")];
        assert_eq!(imports(text), expected.map(|(line, target)| (line, target.to_owned())));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "([`@~ a./é]|\n){0,80}") {
            let _ = imports(&text);
        }
    }
}
