//! What acts on mirrors queue for their hosts, and how that is shown.

use super::path_there;
use crate::app::Inner;
use crate::commands;
use crate::plan::{Plan, Step};
use crate::wire::{self, ApiError, QueuedChange, RemoteQueue};
use retrace_log::{MirroredMemory, NewQueued, QueueKind, QueueRow, Reader};
use retrace_model::{RelPath, Sha256, StoreId, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// What the steps of a plan in mirrored stores become: changes for their hosts, in order. The operation is not known yet.
///
/// # Errors
/// `invalid` for a path or a content that is no text and for writing to an archived store, or a failure of the log.
pub(crate) fn changes_of(
    reader: &Reader<'_>,
    plan: &Plan,
    at: Timestamp,
) -> Result<Vec<NewQueued>, ApiError> {
    let mut queued = Vec::new();
    let mut mirrors: BTreeMap<StoreId, Option<Mirror>> = BTreeMap::new();
    for step in &plan.steps {
        if let std::collections::btree_map::Entry::Vacant(place) = mirrors.entry(step.store) {
            place.insert(Mirror::of(reader, step.store)?);
        }
    }
    let moved_from = |step: &Step| Some((step.store, step.wanted.as_ref()?.moved_from.clone()?));
    let moving: BTreeSet<(StoreId, RelPath)> = plan.steps.iter().filter_map(moved_from).collect();
    for step in &plan.steps {
        let Some(mirror) = &mirrors[&step.store] else { continue };
        refuse_what_no_host_takes(mirror, step)?;
        queued.extend(changes_of_step((reader, mirror), plan, &moving, step, at)?);
    }
    Ok(queued)
}

/// What steps ask of a mirror.
struct Mirror {
    archived: bool,
    /// Its live memories by path.
    live: BTreeMap<RelPath, MirroredMemory>,
}

impl Mirror {
    /// `None` for a store that is no mirror.
    fn of(reader: &Reader<'_>, store: StoreId) -> Result<Option<Self>, ApiError> {
        let Some(remote) = reader.remote(store)? else { return Ok(None) };
        let live = reader.mirrored_memories(store)?;
        let live = live.into_iter().map(|memory| (memory.path.clone(), memory)).collect();
        Ok(Some(Self { archived: remote.archived_at.is_some(), live }))
    }
}

fn refuse_what_no_host_takes(mirror: &Mirror, step: &Step) -> Result<(), ApiError> {
    let Some(wanted) = &step.wanted else { return Ok(()) };
    if mirror.archived {
        return Err(ApiError::invalid("The store is archived at its host.", step.path.to_text())
            .hint("An archived store takes deletions and redactions, and no other change."));
    }
    if path_there(&step.path).is_none() || std::str::from_utf8(&wanted.bytes).is_err() {
        return Err(ApiError::invalid("A hosted store takes text alone.", step.path.to_text()));
    }
    Ok(())
}

fn changes_of_step(
    (reader, mirror): (&Reader<'_>, &Mirror),
    plan: &Plan,
    moving: &BTreeSet<(StoreId, RelPath)>,
    step: &Step,
    at: Timestamp,
) -> Result<Vec<NewQueued>, ApiError> {
    let of_memory = |kind, standing: Option<&Standing>, path: &RelPath| NewQueued {
        store: step.store,
        kind,
        path: Some(path.clone()),
        moved_from: None,
        remote_memory: standing.map(|standing| standing.memory.clone()),
        remote_version: standing.and_then(|standing| standing.version.clone()),
        expected: standing.and_then(|standing| standing.sha256),
        content: None,
        operation_seq: None,
        source: plan.source,
        note: plan.note.clone(),
        at,
        message: None,
    };
    let moves_away = |path: &RelPath| moving.contains(&(step.store, path.clone()));
    let here = standing_at(reader, mirror, &step.path)?;
    let Some(wanted) = &step.wanted else {
        // What moves away is not deleted.
        let gone = here.as_ref().filter(|_| !moves_away(&step.path));
        return Ok(gone
            .map(|gone| of_memory(QueueKind::Delete, Some(gone), &step.path))
            .into_iter()
            .collect());
    };
    let mut changes = Vec::new();
    let content = Some(wanted.bytes.clone());
    match &wanted.moved_from {
        Some(from) => {
            if let Some(here) = here.as_ref().filter(|_| !moves_away(&step.path)) {
                changes.push(of_memory(QueueKind::Delete, Some(here), &step.path));
            }
            let moved = standing_at(reader, mirror, from)?;
            let kind = if moved.is_some() { QueueKind::Update } else { QueueKind::Create };
            let same = moved.as_ref().is_some_and(|moved| moved.sha256 == Some(wanted.sha256));
            changes.push(NewQueued {
                moved_from: moved.is_some().then(|| from.clone()),
                content: content.filter(|_| !same),
                ..of_memory(kind, moved.as_ref(), &step.path)
            });
        }
        None => {
            let kind = if here.is_some() { QueueKind::Update } else { QueueKind::Create };
            changes.push(NewQueued { content, ..of_memory(kind, here.as_ref(), &step.path) });
        }
    }
    Ok(changes)
}

/// A memory of a host as it stands at a path here.
struct Standing {
    memory: String,
    version: Option<String>,
    sha256: Option<Sha256>,
}

fn standing_at(reader: &Reader<'_>, mirror: &Mirror, path: &RelPath) -> Result<Option<Standing>, ApiError> {
    let Some(found) = mirror.live.get(path) else { return Ok(None) };
    let Some(memory) = found.remote_memory.clone() else { return Ok(None) };
    let sha256 = reader.version(found.head)?.content.map(|content| content.sha256);
    Ok(Some(Standing { memory, version: found.remote_version.clone(), sha256 }))
}

/// Steps of a plan whose memory has a change queued already, other than those the plan takes back.
pub(crate) fn waiting_for(reader: &Reader<'_>, plan: &Plan) -> Result<Vec<wire::Conflict>, ApiError> {
    let queued = reader.remote_queue(None)?;
    let concerns = |step: &Step, row: &QueueRow| {
        let change = &row.change;
        let moved_from = step.wanted.as_ref().and_then(|wanted| wanted.moved_from.as_ref());
        let paths = [change.path.as_ref(), change.moved_from.as_ref()];
        change.store == step.store
            && !matches!(change.kind, QueueKind::Redact | QueueKind::Archive)
            && !plan.withdraws.contains(&row.id)
            && paths.into_iter().flatten().any(|path| *path == step.path || Some(path) == moved_from)
    };
    let mut conflicts = Vec::new();
    for step in &plan.steps {
        if let Some(row) = queued.iter().find(|row| concerns(step, row)) {
            conflicts.push(wire::Conflict {
                store_id: step.store.to_string(),
                path: step.path.to_string(),
                expected_sha256: step.expected.map(|sha256| sha256.to_hex()),
                found_sha256: row.content_sha256.map(|sha256| sha256.to_hex()),
                expected_version_id: step.expected_version.map(|version| version.to_string()),
                found_version_id: None,
                wanted_version_id: step
                    .wanted
                    .as_ref()
                    .and_then(|wanted| wanted.version)
                    .map(|version| version.to_string()),
                message:
                    "A change of the memory waits to be sent to its host; send it or take it back first."
                        .to_owned(),
            });
        }
    }
    Ok(conflicts)
}

impl Inner {
    /// What is queued, for one mirror or all.
    pub(crate) fn shown_queue(&self, store: Option<StoreId>) -> Result<RemoteQueue, ApiError> {
        self.read(|reader| {
            let names: BTreeMap<StoreId, String> =
                reader.stores()?.into_iter().map(|row| (row.id, row.name)).collect();
            let rows = reader.remote_queue(store)?;
            let changes = rows.iter().map(|row| shown(reader, row, &names));
            Ok(RemoteQueue { changes: changes.collect::<Result<_, _>>()? })
        })
    }
}

fn shown(
    reader: &Reader<'_>,
    row: &QueueRow,
    names: &BTreeMap<StoreId, String>,
) -> Result<QueuedChange, ApiError> {
    let change = &row.change;
    let version_id = match (change.kind, &change.remote_version) {
        (QueueKind::Redact, Some(remote)) => match reader.version_of_host(change.store, remote)? {
            Some(seq) => Some(reader.version(seq)?.id.to_string()),
            None => None,
        },
        _ => None,
    };
    Ok(QueuedChange {
        id: row.id,
        store_id: change.store.to_string(),
        store_name: names.get(&change.store).cloned().unwrap_or_default(),
        kind: change.kind.as_str().to_owned(),
        path: change.path.as_ref().map(ToString::to_string),
        moved_from: change.moved_from.as_ref().map(ToString::to_string),
        version_id,
        expected_sha256: change.expected.map(|sha256| sha256.to_hex()),
        content_sha256: row.content_sha256.map(|sha256| sha256.to_hex()),
        content_size_bytes: change.content.as_ref().map(|content| content.len() as u64),
        operation_seq: change.operation_seq,
        created_at: change.at.to_rfc3339(),
        state: row.state.as_str().to_owned(),
        message: change.message.clone(),
        diff: difference(reader, row)?,
    })
}

/// What a change does, against the mirror's newest version.
fn difference(reader: &Reader<'_>, row: &QueueRow) -> Result<Option<wire::FileDiff>, ApiError> {
    let change = &row.change;
    let Some(path) = &change.path else { return Ok(None) };
    if matches!(change.kind, QueueKind::Redact | QueueKind::Archive) {
        return Ok(None);
    }
    let from = change.moved_from.as_ref().unwrap_or(path);
    let before = match reader.version_at(change.store, from, None)? {
        Some(version) if version.redaction.is_none() => {
            reader.content(&version)?.map(|content| content.bytes)
        }
        _ => None,
    };
    let after = match (change.kind, &change.content) {
        (QueueKind::Delete, _) => Vec::new(),
        (_, Some(content)) => content.clone(),
        (_, None) => before.clone().unwrap_or_default(),
    };
    Ok(Some(commands::diff_of(change.store, path, before, after)))
}
