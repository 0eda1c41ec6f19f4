//! One call, before it is made.

use crate::Rules;
use crate::list::{Listed, listed};
use retrace_engine::{Engine, EngineOptions, root_of};
use retrace_lab::{is_beside, is_of_project, project_of, project_of_file};
use retrace_log::{LogFiles, ReadConnection, Reader, StoreRow};
use retrace_rules::{Outcome, Rule, judge, proposed_call};
use retrace_sources::{Surroundings, repository_of, slug_matches};
use retrace_wire::{ApiError, CheckRuleReq, CheckedRule};
use serde::Deserialize;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a transcript in which the directory of its session is looked for: a hook has no time for all of it.
const BEGINNING: u64 = 256 << 10;

/// The rules on the list that a call would break. Nothing but the call is known: rules about an order, the end of a session and
/// questions to the person are left out.
///
/// # Errors
/// `not_found` for an id that no rule has.
pub fn check_memory_rule(inner: &Arc<Rules>, request: CheckRuleReq) -> Result<CheckedRule, ApiError> {
    let surroundings = &inner.options.surroundings;
    inner.read(|reader| check(reader, surroundings, &request))
}

/// As [`check_memory_rule`], without opening the log for writing: a hook runs before every call of an agent. Where there is no
/// log there are no rules.
///
/// # Errors
/// As [`check_memory_rule`]; `invalid` for a log of an older format, which is brought up to date when it is opened for writing.
pub fn check_call(options: &EngineOptions, request: &CheckRuleReq) -> Result<CheckedRule, ApiError> {
    if !Engine::has_log(options) {
        return Ok(CheckedRule { broken: Vec::new() });
    }
    let connection = ReadConnection::open(&LogFiles::new(&options.data_dir))?;
    connection.snapshot(|reader| check(reader, &options.surroundings, request))
}

fn check(
    reader: &Reader<'_>,
    surroundings: &Surroundings,
    request: &CheckRuleReq,
) -> Result<CheckedRule, ApiError> {
    let deeds = proposed_call(&request.tool, &request.input, request.directory.as_deref());
    let breaks = |rule: &Rule| {
        rule.pattern.is_of_one_call()
            && judge(&rule.pattern, &deeds).iter().any(|verdict| verdict.outcome == Outcome::Broken)
    };
    let mut broken: Vec<Listed> = listed(reader, request.rule.as_deref())?;
    broken.retain(|(_, rule)| breaks(rule));
    if let Some(transcript) = request.transcript.as_deref().map(Path::new) {
        // As a hook: what is off the list guards nothing, and neither does a rule of another project.
        broken.retain(|(view, _)| view.removed_at.is_none());
        let stores = if broken.is_empty() { Vec::new() } else { reader.stores()? };
        // A call may come from where the session went; what it has it has by where it began.
        let (ran_in, mut began_in) = (request.directory.as_deref(), None);
        broken.retain(|(_, rule)| {
            let Some(place) = place_of(rule, &stores, surroundings) else { return true };
            let mut began = || began_in.get_or_insert_with(|| first_directory(transcript)).clone();
            has_rule(&place, transcript, ran_in) || has_rule(&place, transcript, began().as_deref())
        });
    }
    Ok(CheckedRule { broken: broken.into_iter().map(|(view, _)| view).collect() })
}

/// True if a session can have what stands in a directory, by where it ran alone: what it read of another project is not known
/// here.
fn has_rule(place: &Place, transcript: &Path, ran_in: Option<&str>) -> bool {
    if is_beside(&place.directory, transcript) {
        return true;
    }
    if let Some(folder) = folder_of_memory(&place.directory) {
        return ran_in.is_some_and(|ran| {
            // One memory belongs to a repository: to all below it, and to its worktrees.
            let repository = repository_of(Path::new(ran)).map(|repository| retrace_wire::show(&repository));
            slug_matches(folder, repository.as_deref().unwrap_or(ran))
        });
    }
    let project = place.project.as_deref();
    project.is_none_or(|project| ran_in.is_some_and(|ran| is_of_project(project, ran)))
}

/// The folder in which Claude Code keeps the memory of a project, called as the project's directory.
fn folder_of_memory(place: &Path) -> Option<&str> {
    let folder = place.parent().filter(|_| place.file_name() == Some("memory".as_ref()))?;
    let name = folder.file_name()?.to_str()?;
    // Of an absolute path: one without a drive begins with a dash.
    let is_of_path = name.starts_with('-') || name.get(1..3) == Some("--");
    let is_kept = folder.parent().and_then(Path::file_name) == Some("projects".as_ref());
    (is_kept && is_of_path).then_some(name)
}

/// The directory that the first lines of a transcript name: where its session began.
fn first_directory(transcript: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Line {
        cwd: String,
    }
    let mut begin = Vec::new();
    File::open(transcript).ok()?.take(BEGINNING).read_to_end(&mut begin).ok()?;
    let mut lines = begin.split(|byte| *byte == b'\n');
    lines.find_map(|line| serde_json::from_slice::<Line>(line).ok()).map(|line| line.cwd)
}

/// Where a rule's source lies.
struct Place {
    directory: PathBuf,
    /// The directory whose sessions can load it; `None` where its own directory tells which can, or all can.
    project: Option<PathBuf>,
}

impl Place {
    fn of_store(root: PathBuf) -> Self {
        Self { project: project_of(&root), directory: root }
    }
}

/// Where a rule's source lies. `None` where nobody said, and for a store without a directory.
fn place_of(rule: &Rule, stores: &[StoreRow], surroundings: &Surroundings) -> Option<Place> {
    let source = rule.source.as_deref()?;
    let named = stores.iter().find(|store| {
        let follows = |name: &str| source.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
        follows(&store.name) || follows(&store.id.to_string())
    });
    if let Some(store) = named {
        return store.has_directory().then(|| Place::of_store(root_of(store)));
    }
    let (file, _) =
        source.rsplit_once(':').filter(|(_, line)| line.parse::<u64>().is_ok()).unwrap_or((source, ""));
    let file = Path::new(file);
    let holds = stores.iter().filter(|store| store.removed_at.is_none() && store.has_directory());
    let store = holds.map(root_of).find(|root| file.starts_with(root));
    if let Some(root) = store {
        return Some(Place::of_store(root));
    }
    let directory = file.parent().filter(|_| file.is_absolute())?.to_path_buf();
    Some(Place { directory, project: project_of_file(surroundings, file) })
}
