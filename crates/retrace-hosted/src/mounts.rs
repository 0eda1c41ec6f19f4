//! Attach lists: what a session of managed agents would get mounted, from the stores that are here.
//!
//! The rules of a list by itself are in `retrace_store_api::mounts`. No host is called: a store that is neither mirrored nor
//! shown by this program's own API is not known, and said to be so.

use crate::Hosted;
use crate::wire::MountAccess;
use crate::wire::{ApiError, MountPreview, MountProblem, MountedFile, Mounts, MountsReq, Severity};
use retrace_engine::counts::NEWEST_FAMILY;
use retrace_log::{LogError, Reader, VersionRow};
use retrace_model::{StoreId, Timestamp};
use retrace_store_api::MemoryPath;
use retrace_store_api::mounts::Access;
use retrace_store_api::mounts::{self, Attachment, MountPath, Problem, Weight};
use retrace_tokens::{Counter, Family, family_of};
use std::sync::Arc;

/// Files told of each store; its other files are counted all the same.
const LARGEST: usize = 100;

/// Checks an attach list and says what it would mount.
///
/// # Errors
/// A failure of the database. A list that is not in order is an answer with problems.
pub fn check_mounts(inner: &Arc<Hosted>, request: MountsReq) -> Result<Mounts, ApiError> {
    let list = mounts::read(&request.resources);
    let family =
        request.model.as_deref().map_or(NEWEST_FAMILY, |model| family_of(model, NEWEST_FAMILY).family);
    let (known, unreviewed) = inner.read(|reader| {
        let known =
            list.stores.iter().map(|store| known_as(reader, &store.id)).collect::<Result<Vec<_>, _>>()?;
        Ok((known, reader.unreviewed_counts(&inner.user())?))
    })?;
    let names: Vec<Option<&str>> =
        known.iter().map(|store| store.as_ref().map(|store| store.name.as_str())).collect();
    let paths = mounts::mount_paths(&names);
    let mut answer = Mounts {
        ok: false,
        problems: list.problems.iter().map(problem_view).collect(),
        mounts: Vec::new(),
        tokens: 0,
        prompt_tokens: 0,
    };
    for ((store, known), path) in list.stores.iter().zip(&known).zip(paths) {
        let mut preview = preview_of(store, known.as_ref(), path.as_ref());
        if let Some(known) = known {
            inner.read(|reader| inner.add_files(reader, known.id, family, &store.at, &mut preview))?;
            preview.unreviewed = unreviewed.get(&known.id).copied().unwrap_or(0);
        }
        answer.tokens += preview.tokens;
        answer.prompt_tokens += prompt_tokens(store, known.as_ref(), path.as_ref(), family);
        answer.mounts.push(preview);
    }
    let problems = answer.problems.iter().chain(answer.mounts.iter().flat_map(|mount| &mount.problems));
    answer.ok = problems.into_iter().all(|problem| problem.severity != Severity::Error);
    Ok(answer)
}

/// A store of an attach list that is known here.
struct Known {
    id: StoreId,
    /// Its name as its API has it.
    name: String,
    description: String,
    archived_at: Option<Timestamp>,
    /// The name is the mirror's here, for no pull said the host's, which may be another one.
    name_assumed: bool,
}

/// The store here that an id of an attach list means.
fn known_as(reader: &Reader<'_>, text: &str) -> Result<Option<Known>, ApiError> {
    if let Ok(id) = StoreId::parse(text)
        && let Some(store) = reader.api_store(id)?
    {
        return Ok(Some(Known {
            id,
            name: store.name,
            description: store.description,
            archived_at: store.archived_at,
            name_assumed: false,
        }));
    }
    let Some(mirror) = reader.remotes()?.into_iter().find(|mirror| mirror.remote_id == text) else {
        return Ok(None);
    };
    Ok(Some(Known {
        id: mirror.store,
        name_assumed: mirror.host_name.is_none(),
        name: match mirror.host_name {
            Some(name) => name,
            None => reader.store(mirror.store)?.name,
        },
        description: mirror.description,
        archived_at: mirror.archived_at,
    }))
}

fn preview_of(store: &Attachment, known: Option<&Known>, path: Option<&MountPath>) -> MountPreview {
    let mut problems: Vec<MountProblem> = store.problems.iter().map(problem_view).collect();
    let id_at = format!("{}/memory_store_id", store.at);
    match known {
        Some(Known { archived_at: Some(at), .. }) => {
            let sentence = say::store_archived_cannot_attached_any(at.to_rfc3339());
            problems.push(problem_view(&Problem::error(&id_at, sentence)));
        }
        Some(_) => {}
        None if store.id.is_empty() => {}
        None => {
            let sentence = say::store_not_known_here_what();
            problems.push(problem_view(&Problem::warning(&id_at, sentence)));
        }
    }
    if path.is_some_and(|path| path.collides) {
        let sentence = say::another_store_list_name_gives();
        problems.push(problem_view(&Problem::warning(&store.at, sentence)));
    }
    MountPreview {
        index: store.index as u64,
        memory_store_id: store.id.clone(),
        store_id: known.map(|known| known.id.to_string()),
        name: known.map(|known| known.name.clone()),
        access: match store.access {
            Access::ReadWrite => MountAccess::ReadWrite,
            Access::ReadOnly => MountAccess::ReadOnly,
        },
        instructions_chars: store.instructions.as_ref().map_or(0, |text| text.chars().count() as u64),
        mount_path: path.map(|path| path.path.clone()),
        mount_path_assumed: path.is_some_and(|path| path.assumed)
            || known.is_some_and(|known| known.name_assumed),
        files: 0,
        bytes: 0,
        tokens: 0,
        largest: Vec::new(),
        unreviewed: 0,
        problems,
    }
}

fn problem_view(problem: &Problem) -> MountProblem {
    MountProblem {
        severity: match problem.weight {
            Weight::Error => Severity::Error,
            Weight::Warning => Severity::Warning,
        },
        at: problem.at.clone(),
        message: problem.message.clone(),
    }
}

/// Tokens of what the system prompt gains by a store. The sentences around it are the host's own.
fn prompt_tokens(store: &Attachment, known: Option<&Known>, path: Option<&MountPath>, family: Family) -> u64 {
    let description = known.map_or("", |known| known.description.as_str());
    let parts = [
        known.map_or("", |known| known.name.as_str()),
        path.map_or("", |path| path.path.as_str()),
        store.access.as_str(),
        description,
        store.instructions.as_deref().unwrap_or_default(),
    ];
    Counter::of(family).content(&parts.join("\n"))
}

impl Hosted {
    /// Adds the files that a store would have when mounted: its memories, without what its API cannot show.
    fn add_files(
        &self,
        reader: &Reader<'_>,
        store: StoreId,
        family: Family,
        at: &str,
        preview: &mut MountPreview,
    ) -> Result<(), ApiError> {
        let mut files = Vec::new();
        let mut redacted = 0;
        for memory in reader.memories_at(store, None)? {
            let Some(path) = memory.path.as_ref().and_then(MemoryPath::of) else { continue };
            let version = &memory.version;
            if version.content.is_some_and(|content| !content.is_text) {
                continue;
            }
            redacted += u64::from(version.redaction.is_some());
            let file = MountedFile {
                path: path.as_str()[1..].to_owned(),
                bytes: version.content.map_or(0, |content| content.size),
                tokens: self.tokens_with(reader, version, family)?,
            };
            preview.files += 1;
            preview.bytes += file.bytes;
            preview.tokens += file.tokens.unwrap_or(0);
            files.push(file);
        }
        if redacted > 0 {
            let sentence = say::memories_redacted_here_what_host(redacted);
            preview.problems.push(problem_view(&Problem::warning(at, sentence)));
        }
        files.sort_by(|a, b| (b.bytes, &a.path).cmp(&(a.bytes, &b.path)));
        files.truncate(LARGEST);
        preview.largest = files;
        Ok(())
    }

    /// Tokens of a version's content in a family of models; `None` where it is no text or not kept.
    fn tokens_with(
        &self,
        reader: &Reader<'_>,
        version: &VersionRow,
        family: Family,
    ) -> Result<Option<u64>, ApiError> {
        if family == NEWEST_FAMILY {
            return self.token_counts.of(&reader.recent(), version);
        }
        match reader.content(version) {
            Ok(Some(content)) => {
                let text = std::str::from_utf8(&content.bytes).ok();
                Ok(text.map(|text| Counter::of(family).content(text)))
            }
            Ok(None) | Err(LogError::Redacted(_) | LogError::NotKept(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "mounts";
    store_archived_cannot_attached_any(at) => "The store was archived at {at} and cannot be attached any more.",
    store_not_known_here_what() => "The store is not known here, so what is in it cannot be shown. Mirror it first.",
    another_store_list_name_gives() => "Another store of the list has a name that gives the same mount path. Which of them gets another one is not public: read `mount_path` in the answer.",
    memories_redacted_here_what_host(redacted) => "{redacted} memories are redacted here; what the host has of them is not known.",
}
