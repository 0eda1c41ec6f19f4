//! Instruction files beside a store's memory: what a session in its project would load.

use crate::Checks;
use crate::check::repository_above;
use crate::memories::{Bytes, Side, document_of};
use crate::wire::{
    self, ApiError, Code, Document, FigureKind, InstructionReq, InstructionRules, InstructionsReq,
    InstructionsTotal,
};
use crate::wire::{sentence, show};
use retrace_engine::counts::NEWEST_FAMILY;
use retrace_engine::{lock, root_of};
use retrace_log::{Reader, StoreRow};
use retrace_message::Message;
use retrace_model::{RelPath, StoreKind};
use retrace_sources::{
    Instruction, InstructionAgent, InstructionScope, InstructionState, Instructions, agent_memory,
    instructions as listed,
};
use retrace_tokens::{Counter, Family};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Time for which the repository of a store is remembered: a project that is known for the first time is compared soon.
const REPOSITORY_KEPT_MICROS: i64 = 60 * 1_000_000;

/// The instruction files of a session in a store's project, in a named directory, or of every session of this user. Only
/// reads.
///
/// # Errors
/// `not_found` for an unknown store or a directory that is not there, `invalid` for a path that is not absolute.
pub fn instructions(inner: &Arc<Checks>, request: InstructionsReq) -> Result<wire::Instructions, ApiError> {
    let (found, because) = inner.instructions(request.store.as_deref(), request.project.as_deref())?;
    let count = |file: &Instruction| Some(Counter::of(family_of(file.agent)).content(&file.loaded()?));
    let tokens: Vec<Option<u64>> = found.files.iter().map(count).collect();
    let recorded = inner.read(|reader| {
        let stores: Vec<(PathBuf, StoreRow)> = reader
            .stores()?
            .into_iter()
            .filter(|store| store.removed_at.is_none())
            .map(|store| (root_of(&store), store))
            .collect();
        found.files.iter().map(|file| recorded_in(reader, &stores, file)).collect::<Result<Vec<_>, _>>()
    })?;
    let mut totals: Vec<InstructionsTotal> = Vec::new();
    for (file, tokens) in found.files.iter().zip(&tokens) {
        let (InstructionState::Loaded | InstructionState::Cut, Some(tokens)) = (file.state, tokens) else {
            continue;
        };
        let agent = agent_word(file.agent);
        match totals.iter_mut().find(|total| total.agent == agent) {
            Some(total) => (total.files, total.tokens) = (total.files + 1, total.tokens + tokens),
            None => totals.push(InstructionsTotal { agent, files: 1, tokens: *tokens }),
        }
    }
    let rows = found.files.iter().zip(tokens).zip(recorded);
    Ok(wire::Instructions {
        files: rows.map(|((file, tokens), recorded)| row(file, tokens, recorded)).collect(),
        directory: found.directory.as_deref().map(show),
        because,
        repository: found.repository.as_deref().map(show),
        agents: rules_of(&found),
        switched_off: found.switched_off,
        totals,
        tokens_kind: FigureKind::CountedOffline,
        problems: found.problems.iter().map(sentence).collect(),
    })
}

/// The text of one of the files that [`instructions`] lists for the same request, as it is on disk now. A file that is not
/// listed, or is not read there, has none.
///
/// # Errors
/// As [`instructions`]; `not_found` for a file that is not listed with a text.
pub fn instruction(inner: &Arc<Checks>, request: InstructionReq) -> Result<Document, ApiError> {
    let (found, _) = inner.instructions(request.store.as_deref(), request.project.as_deref())?;
    let file = found.files.into_iter().find(|file| show(&file.path) == request.path && file.text.is_some());
    let Some(Instruction { path, text: Some(text), .. }) = file else {
        let message = say::no_instruction_file_path_read();
        return Err(ApiError::new(Code::NotFound, message, request.path)
            .hint(say::retrace_instructions_lists_them_reason()));
    };
    let name = path.file_name().and_then(|name| RelPath::parse(&name.to_string_lossy()).ok());
    let side = Side {
        target: request.path.clone(),
        store: None,
        path: name,
        version: None,
        bytes: Bytes::Kept(text.into_bytes()),
    };
    Ok(Document { path: Some(request.path), ..document_of(&side, request.highlight) })
}

impl Checks {
    fn instructions(
        &self,
        store: Option<&str>,
        project: Option<&str>,
    ) -> Result<(Instructions, Option<Message>), ApiError> {
        let surroundings = &self.options.surroundings;
        let (directory, because) = match (store, project) {
            (_, Some(project)) => {
                let path = Path::new(project);
                if !path.is_absolute() {
                    return Err(ApiError::invalid(say::directory_must_absolute_path(), project));
                }
                if !path.is_dir() {
                    return Err(ApiError::new(Code::NotFound, say::no_such_directory(), project));
                }
                (Some(path.to_path_buf()), None)
            }
            (Some(store), None) => {
                let store = self.read(|reader| self.store_named(reader, store))?;
                let (directory, because) = self.project_of(&store);
                (directory, Some(because))
            }
            (None, None) => (None, None),
        };
        Ok((listed(surroundings, directory.as_deref()), because))
    }

    /// The repository that a store's memories are about: that of the project an agent keeps them for, or the one they lie in.
    /// Asked again after a minute, since finding the project reads transcripts.
    pub fn repository_of(&self, store: &StoreRow) -> Option<PathBuf> {
        if !store.has_directory() {
            return None;
        }
        let now = self.now();
        if let Some((at, known)) = lock(&self.repositories).get(&store.id)
            && (0..REPOSITORY_KEPT_MICROS).contains(&now.micros().saturating_sub(at.micros()))
        {
            return known.clone();
        }
        let found = self.project_of(store).0.as_deref().and_then(repository_above);
        lock(&self.repositories).insert(store.id, (now, found.clone()));
        found
    }

    /// The project a store's memory belongs to, and why it is believed to be that one.
    fn project_of(&self, store: &StoreRow) -> (Option<PathBuf>, Message) {
        let surroundings = &self.options.surroundings;
        let root = root_of(store);
        if let Some(memory) = agent_memory(surroundings, &root) {
            let because = match memory.project {
                Some(_) => say::subagents_memory_lies(),
                None => say::subagents_memory_all_projects_these(),
            };
            return (memory.project, because);
        }
        if store.kind == StoreKind::ClaudeAuto {
            // Its folder's name is lossy; transcripts say which directory it stands for.
            let project = self.discovered(&root).and_then(|found| found.project);
            if let Some(project) = project {
                return match project.is_dir() {
                    true => (Some(project), say::claude_code_keeps_memory()),
                    false => {
                        let gone = say::claude_code_keeps_memory_not(project.display().to_string());
                        (None, gone)
                    }
                };
            }
        }
        match repository_above(&root) {
            Some(repository) => (Some(repository), say::store_lies_repository()),
            None => {
                let because = say::no_project_known_store_these();
                (None, because)
            }
        }
    }
}

/// The store that records a file, with its path there.
fn recorded_in(
    reader: &Reader<'_>,
    stores: &[(PathBuf, StoreRow)],
    file: &Instruction,
) -> Result<Option<(String, String)>, ApiError> {
    let real = file.leads_to.as_ref().unwrap_or(&file.path);
    for (root, store) in stores {
        let Ok(below) = real.strip_prefix(root) else { continue };
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        let Ok(path) = RelPath::parse(&parts.join("/")) else { continue };
        if reader.live_at(store.id, &path)?.is_some() {
            return Ok(Some((store.id.to_string(), path.to_string())));
        }
    }
    Ok(None)
}

/// The agents that are here or have files, with the versions that count.
fn rules_of(found: &Instructions) -> Vec<InstructionRules> {
    let is_listed = |agent: InstructionAgent| {
        found.files.iter().any(|file| file.agent == agent)
            || found.programs.iter().any(|program| program.agent == agent)
    };
    let agents = InstructionAgent::ALL.iter().copied().filter(|agent| is_listed(*agent));
    agents
        .map(|agent| {
            let program = found.programs.iter().find(|program| program.agent == agent);
            InstructionRules {
                agent: agent_word(agent),
                version: program.and_then(|program| program.version.clone()),
                version_from: program.and_then(|program| program.version_from.clone()),
                seen_with: agent.seen_with().to_owned(),
            }
        })
        .collect()
}

/// The vocabulary of the newest models that an agent is used with; of another one's it is an estimate.
fn family_of(agent: InstructionAgent) -> Family {
    match agent {
        InstructionAgent::Codex => Family::O200k,
        InstructionAgent::Gemini => Family::Other,
        _ => NEWEST_FAMILY,
    }
}

pub(super) fn agent_word(agent: InstructionAgent) -> wire::InstructionAgent {
    use wire::InstructionAgent as Word;
    match agent {
        InstructionAgent::ClaudeCode => Word::ClaudeCode,
        InstructionAgent::Codex => Word::Codex,
        InstructionAgent::Gemini => Word::Gemini,
        InstructionAgent::Opencode => Word::Opencode,
    }
}

fn scope_word(scope: InstructionScope) -> wire::InstructionScope {
    use wire::InstructionScope as Word;
    match scope {
        InstructionScope::Managed => Word::Managed,
        InstructionScope::User => Word::User,
        InstructionScope::Project => Word::Project,
        InstructionScope::Local => Word::Local,
    }
}

fn state_word(state: InstructionState) -> wire::InstructionState {
    use wire::InstructionState as Word;
    match state {
        InstructionState::Loaded => Word::Loaded,
        InstructionState::OnDemand => Word::OnDemand,
        InstructionState::Cut => Word::Cut,
        InstructionState::OverLimit => Word::OverLimit,
        InstructionState::Empty => Word::Empty,
        InstructionState::Excluded => Word::Excluded,
        InstructionState::Shadowed => Word::Shadowed,
        InstructionState::AlreadyLoaded => Word::AlreadyLoaded,
        InstructionState::Missing => Word::Missing,
        InstructionState::Cycle => Word::Cycle,
        InstructionState::TooDeep => Word::TooDeep,
        InstructionState::NotApproved => Word::NotApproved,
        InstructionState::Untrusted => Word::Untrusted,
        InstructionState::NotText => Word::NotText,
        InstructionState::TooLarge => Word::TooLarge,
        InstructionState::Unreadable => Word::Unreadable,
        InstructionState::NotInVersion => Word::NotInVersion,
        InstructionState::Off => Word::Off,
    }
}

fn row(file: &Instruction, tokens: Option<u64>, recorded: Option<(String, String)>) -> wire::Instruction {
    let (store_id, store_path) = recorded.unzip();
    wire::Instruction {
        agent: agent_word(file.agent),
        scope: scope_word(file.scope),
        path: show(&file.path),
        leads_to: file.leads_to.as_deref().map(show),
        state: state_word(file.state),
        reason: file.reason.clone(),
        cut_at: file.cut_at,
        imported_by: file.imported_by.map(|index| index as u64),
        depth: file.depth as u64,
        size_bytes: (file.text.is_some() || file.size > 0).then_some(file.size),
        lines: file.text.as_deref().map(|text| text.lines().count() as u64),
        tokens,
        globs: file.globs.clone(),
        store_id,
        store_path,
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "instructions";
    no_instruction_file_path_read() => "No instruction file of that path is read there.",
    retrace_instructions_lists_them_reason() => "`retrace instructions` lists them, with the reason why one is not read.",
    directory_must_absolute_path() => "The directory must be an absolute path.",
    no_such_directory() => "There is no such directory.",
    subagents_memory_lies() => "The subagent's memory lies in it.",
    subagents_memory_all_projects_these() => "The subagent's memory is for all projects; these files are loaded in each.",
    claude_code_keeps_memory() => "Claude Code keeps this memory for that directory.",
    claude_code_keeps_memory_not(project) => "Claude Code keeps this memory for {project}, which is not there. These files are loaded in every project.",
    store_lies_repository() => "The store lies in this repository.",
    no_project_known_store_these() => "No project is known for this store. These files are loaded in every project.",
}
