//! `AGENTS.md` as Codex reads it: its own folder's, then from the project's root down to where the session starts, together up
//! to a limit. Sources: the program (0.169.0) and its public source text, `agents_md.rs`.

use super::reasons::say;
use super::{
    Instruction, InstructionAgent, InstructionScope, InstructionState, Instructions, downwards, open,
};
use crate::Surroundings;
use crate::git::lexical;
use crate::scan::Scan;
use retrace_message::Message;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

const AGENTS: &str = "AGENTS.md";
const AGENTS_OVERRIDE: &str = "AGENTS.override.md";
const CONFIG: &str = "config.toml";
const LIMIT: &str = "project_doc_max_bytes";
const MODEL_FILE: &str = "model_instructions_file";

/// Bytes of the project's files together, where no setting says otherwise.
const DEFAULT_LIMIT: u64 = 32 * 1024;

const AGENT: InstructionAgent = InstructionAgent::Codex;

type Table = Map<String, Value>;

/// The settings of a file; none where it is not there, or is no TOML.
fn table(scan: &mut Scan, file: &Path) -> Table {
    match if file.is_file() { scan.toml(file) } else { None } {
        Some(Value::Object(table)) => table,
        _ => Table::new(),
    }
}

/// What the settings say of instruction files.
struct Settings {
    limit: u64,
    names: Vec<String>,
    markers: Vec<String>,
}

/// A file of settings.
struct Layer {
    /// Directory that its paths begin in.
    folder: PathBuf,
    file: PathBuf,
    scope: InstructionScope,
    config: Table,
}

pub(super) fn find(surroundings: &Surroundings, scan: &mut Scan, found: &mut Instructions) {
    let own = surroundings.directory("CODEX_HOME", || surroundings.home.join(".codex"));
    let file = own.join(CONFIG);
    let config = table(scan, &file);
    of_home(scan, found, &own);
    let mut layers =
        vec![Layer { folder: own.clone(), file, scope: InstructionScope::User, config: config.clone() }];
    let Some(directory) = found.directory.clone() else {
        if let Some(reason) = of_settings(surroundings, scan, found, &layers) {
            super::refuse(found, AGENT, &reason);
        }
        return;
    };
    let markers = texts(&config, "project_root_markers").unwrap_or_else(|| vec![".git".to_owned()]);
    let root = root(&directory, &markers);
    let repository = trusted_repository(scan, &directory);
    let trust = |places: &[Option<&Path>]| trust(&config, places);
    for above in downwards(&directory, Some(&root)) {
        let folder = above.join(".codex");
        let is_trusted =
            || trust(&[Some(above.as_path()), Some(root.as_path()), repository.as_deref()]) == Some(true);
        // A project's own settings count only where the user trusts their place.
        if folder != own && is_trusted() {
            let file = folder.join(CONFIG);
            let config = table(scan, &file);
            layers.push(Layer { folder, file, scope: InstructionScope::Project, config });
        }
    }
    let refused = of_settings(surroundings, scan, found, &layers);
    let mut merged = Table::new();
    for layer in &layers {
        merged.extend(layer.config.clone());
    }
    let settings = Settings {
        limit: merged.get(LIMIT).and_then(Value::as_u64).unwrap_or(DEFAULT_LIMIT),
        names: names(&merged),
        markers,
    };
    // Markers of a root say nothing here.
    let is_untrusted = trust(&[Some(directory.as_path()), repository.as_deref()]) == Some(false);
    of_project(scan, found, &directory, &root, &settings, is_untrusted);
    if let Some(reason) = refused {
        super::refuse(found, AGENT, &reason);
    }
}

/// The repository that trust in a directory is kept for: that of the main working tree. A `.git` file that is not a linked
/// worktree's, such as a submodule's, stands for none.
fn trusted_repository(scan: &mut Scan, directory: &Path) -> Option<PathBuf> {
    let checkout = crate::git::checkout(scan, directory)?;
    let is_linked = checkout.worktree.join(".git").is_file();
    if is_linked && !crate::git::is_linked_worktree(scan, &checkout.worktree) {
        return None;
    }
    Some(checkout.repository)
}

/// The file of the user in Codex's folder, which no limit cuts.
fn of_home(scan: &mut Scan, found: &mut Instructions, own: &Path) {
    let mut taken = None;
    for name in [AGENTS_OVERRIDE, AGENTS] {
        let path = own.join(name);
        let Some(opened) = open(scan, own, &path) else { continue };
        let mut row = opened.row(AGENT, InstructionScope::User, path, say::every_session(AGENT.title()));
        match taken {
            Some(earlier) if row.is_taken() => shadow(&mut row, earlier),
            None if row.is_taken() => taken = Some(name),
            _ => {}
        }
        found.files.push(row);
    }
}

/// What the settings hold and what they name. Of each setting the last layer that has it counts.
/// Answers why Codex would not start with them.
fn of_settings(
    surroundings: &Surroundings,
    scan: &mut Scan,
    found: &mut Instructions,
    layers: &[Layer],
) -> Option<Message> {
    let last = |key: &str| {
        let has_it = |layer: &&Layer| layer.config.get(key).is_some_and(Value::is_string);
        let layer = layers.iter().rev().find(has_it)?;
        let text = layer.config.get(key).and_then(Value::as_str).unwrap_or_default();
        (!text.trim().is_empty()).then_some((layer, text))
    };
    let model_file = last(MODEL_FILE).and_then(|(layer, named)| {
        let path = match named.strip_prefix("~/") {
            Some(rest) => surroundings.home.join(rest),
            None => layer.folder.join(named),
        };
        let path = lexical(&path);
        let opened = open(scan, path.parent().unwrap_or(&layer.folder), &path)?;
        let reason = say::named_by_setting(MODEL_FILE, layer.file.display().to_string());
        Some(opened.row(AGENT, layer.scope, path, reason))
    });
    let instead = model_file.as_ref().filter(|row| row.is_taken()).map(|row| row.path.display().to_string());
    for key in ["instructions", "developer_instructions"] {
        let Some((layer, text)) = last(key) else { continue };
        let reason = say::held_by_setting(key, layer.file.display().to_string());
        let (state, reason) = match &instead {
            Some(file) if key == "instructions" => (InstructionState::Shadowed, say::stands_in_for_all(file)),
            _ => (InstructionState::Loaded, reason),
        };
        found.files.push(Instruction {
            agent: AGENT,
            scope: layer.scope,
            path: layer.file.clone(),
            leads_to: None,
            state,
            reason,
            cut_at: None,
            imported_by: None,
            depth: 0,
            size: text.len() as u64,
            text: Some(text.to_owned()),
            globs: Vec::new(),
        });
    }
    let limit = layers.iter().rev().find_map(|layer| Some((layer, layer.config.get(LIMIT)?)));
    let refused = limit.filter(|(_, limit)| limit.as_u64().is_none()).map(|(layer, limit)| {
        let setting = format!("{LIMIT} = {limit}");
        say::does_not_start(AGENT.title(), setting, layer.file.display().to_string())
    });
    let empty = model_file.as_ref().filter(|row| row.state == InstructionState::Empty);
    let empty =
        empty.map(|row| say::model_file_refused(AGENT.title(), MODEL_FILE, row.path.display().to_string()));
    found.files.extend(model_file);
    refused.or(empty)
}

fn of_project(
    scan: &mut Scan,
    found: &mut Instructions,
    directory: &Path,
    root: &Path,
    settings: &Settings,
    is_untrusted: bool,
) {
    let mut left = settings.limit;
    let top = if settings.markers.is_empty() { directory } else { root };
    let first = found.files.len();
    // With a limit of 0 it looks for nothing.
    let mut stopped_by =
        if settings.limit == 0 { None } else { unknown_marker(directory, &settings.markers) };
    for above in downwards(directory, Some(top)) {
        let reason = if above == directory {
            say::in_start_directory()
        } else {
            say::in_directory_above(above.display().to_string())
        };
        let mut taken: Option<&str> = None;
        for name in &settings.names {
            let path = above.join(name);
            if taken.is_none() && settings.limit > 0 && stopped_by.is_none() && !can_tell(&path) {
                stopped_by = Some(path.clone());
            }
            let Some(opened) = open(scan, &above, &path) else { continue };
            if std::fs::metadata(&path).is_err() {
                // A link that leads nowhere stands for nothing.
                found.files.push(opened.row(AGENT, InstructionScope::Project, path, reason.clone()));
                continue;
            }
            let mut row = opened.row(AGENT, InstructionScope::Project, path, reason.clone());
            if let Some(earlier) = taken {
                shadow(&mut row, earlier);
            } else {
                // The first that is there, even an empty one: it stands in for the others of its directory.
                taken = Some(name);
                if is_untrusted {
                    row.state = InstructionState::Untrusted;
                    row.reason = say::untrusted("trust_level = \"untrusted\"");
                } else {
                    if row.state == InstructionState::Unreadable && left > 0 {
                        stopped_by = stopped_by.or(Some(row.path.clone()));
                    }
                    limit(&mut row, &mut left, settings.limit);
                }
            }
            found.files.push(row);
        }
    }
    if let Some(path) = stopped_by {
        let reason = say::none_sent(path.display().to_string());
        for row in found.files[first..].iter_mut().filter(|row| row.is_taken() || row.path == path) {
            if row.is_taken() {
                row.state = InstructionState::Off;
            }
            row.reason = reason.clone();
        }
    }
}

/// False where it is not known whether something is at a place: a circle of links, a link through a file, no permission. Codex
/// then gives up on all files of the project.
fn can_tell(path: &Path) -> bool {
    match std::fs::metadata(path) {
        Ok(_) => true,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

/// The first marker of a root that Codex cannot tell whether it is there, in the order of [`root`].
fn unknown_marker(directory: &Path, markers: &[String]) -> Option<PathBuf> {
    let places = directory.ancestors().take(super::MAX_ANCESTORS);
    let mut places = places.flat_map(|above| markers.iter().map(move |marker| above.join(marker)));
    // The marker that is there ends the search.
    places.find(|place| place.exists() || !can_tell(place)).filter(|place| !place.exists())
}

/// Cuts a file that is more than what is left.
fn limit(row: &mut Instruction, left: &mut u64, limit: u64) {
    if !row.is_taken() && row.state != InstructionState::TooLarge {
        return;
    }
    if *left == 0 {
        row.state = InstructionState::OverLimit;
        row.reason = say::over_limit(limit, LIMIT);
        return;
    }
    if row.size > *left {
        let at = usize::try_from(*left).unwrap_or(usize::MAX);
        row.state = InstructionState::Cut;
        row.cut_at = Some(*left);
        row.reason = say::cut(*left, limit, LIMIT);
        // White space alone up to there is nothing, and uses nothing up.
        let kept = row.text.as_deref().map(|text| &text.as_bytes()[..at.min(text.len())]);
        if kept.is_some_and(|kept| String::from_utf8_lossy(kept).trim().is_empty()) {
            (row.state, row.reason, row.cut_at) = (InstructionState::Empty, say::empty(), None);
            return;
        }
        *left = 0;
    } else {
        *left -= row.size;
    }
}

fn shadow(row: &mut Instruction, by: &str) {
    row.state = InstructionState::Shadowed;
    row.reason = say::stands_in(by);
}

/// Names of a project's files. A further one is taken without white space around it; one that is a path is passed over.
fn names(config: &Table) -> Vec<String> {
    let mut names = vec![AGENTS_OVERRIDE.to_owned(), AGENTS.to_owned()];
    for name in texts(config, "project_doc_fallback_filenames").unwrap_or_default() {
        let name = name.trim().to_owned();
        let is_name = Path::new(&name).file_name().is_some_and(|last| last == name.as_str());
        if is_name && !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn texts(config: &Table, key: &str) -> Option<Vec<String>> {
    let list = config.get(key)?.as_array()?;
    Some(list.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect())
}

/// The nearest directory with one of the markers, else the session's own.
fn root(directory: &Path, markers: &[String]) -> PathBuf {
    let marked = |above: &&Path| markers.iter().any(|marker| above.join(marker).exists());
    directory.ancestors().take(super::MAX_ANCESTORS).find(marked).unwrap_or(directory).to_owned()
}

/// What the user said of the first of these places that the settings name: true for trusted.
fn trust(config: &Table, places: &[Option<&Path>]) -> Option<bool> {
    let projects = config.get("projects")?.as_object()?;
    places.iter().flatten().find_map(|place| {
        match projects.get(place.to_str()?)?.get("trust_level")?.as_str()? {
            "trusted" => Some(true),
            "untrusted" => Some(false),
            _ => None,
        }
    })
}
