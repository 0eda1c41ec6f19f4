//! Changes that acts on mirrors queue for their hosts, and how that is shown.

use crate::diff;
use crate::engine::Engine;
use crate::plan::{Plan, Step};
use crate::wire::{self, ApiError, Code, QueuedChange, QueuedConflict, RemoteQueue};
use retrace_log::{MirroredMemory, NewQueued, QueueKind, QueueRow, QueueState, Reader, VersionRow};
use retrace_message::Message;
use retrace_model::{MemoryId, RelPath, Sha256, StoreId, Timestamp, VersionId};
use std::collections::{BTreeMap, BTreeSet};

/// Message where a redaction of a live memory's newest version waits.
pub fn head_waits() -> Message {
    say::head_waits()
}

/// Turns the steps of a plan in mirrored stores into changes for their hosts, in order. The operation is not known yet.
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

/// Changes that steps ask of a mirror.
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
        return Err(ApiError::invalid(say::store_archived_host(), step.path.to_text())
            .hint(say::archived_store_takes_deletions_redactions()));
    }
    if path_there(&step.path).is_none() || std::str::from_utf8(&wanted.bytes).is_err() {
        return Err(ApiError::invalid(say::hosted_store_takes_text_alone(), step.path.to_text()));
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
        note: plan.note.as_ref().map(|note| note.text().to_owned()),
        at,
        message: None,
    };
    let moves_away = |path: &RelPath| moving.contains(&(step.store, path.clone()));
    let here = standing_at(reader, mirror, &step.path)?;
    let Some(wanted) = &step.wanted else {
        // A memory that moves away is not deleted.
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
                reason: wire::ConflictReason::Queue,
                message: say::change_memory_waits_sent_host(),
            });
        }
    }
    Ok(conflicts)
}

/// Changes that a plan queues again and that the mirror or the queue has moved on from.
pub(crate) fn overtaken(reader: &Reader<'_>, plan: &Plan) -> Result<Vec<wire::Conflict>, ApiError> {
    if plan.requeues.is_empty() {
        return Ok(Vec::new());
    }
    let rows = reader.remote_queue_and_withdrawn()?;
    let stands = |row: &&QueueRow| row.withdrawn_by.is_none() && !plan.withdraws.contains(&row.id);
    let mut conflicts = Vec::new();
    for id in &plan.requeues {
        let Some(row) = rows.iter().find(|row| row.id == *id && row.withdrawn_by.is_some()) else {
            return Err(ApiError::new(Code::HeadMoved, say::change_queued_again_already(), id.to_string()));
        };
        let change = &row.change;
        let now = now_at(reader, change)?;
        let message = if rows.iter().filter(stands).any(|other| is_of_same(&other.change, change)) {
            say::another_change_memory_waits_sent()
        } else if moved_on(change, now.as_ref()) {
            say::memory_changed_host_since_change()
        } else {
            continue;
        };
        conflicts.push(wire::Conflict {
            store_id: change.store.to_string(),
            path: change.path.as_ref().map(ToString::to_string).unwrap_or_default(),
            expected_sha256: change.expected.map(|sha256| sha256.to_hex()),
            found_sha256: now.as_ref().and_then(|now| now.sha256).map(|sha256| sha256.to_hex()),
            expected_version_id: None,
            found_version_id: now.map(|now| now.here.to_string()),
            wanted_version_id: None,
            reason: wire::ConflictReason::Queue,
            message: message.to_owned(),
        });
    }
    Ok(conflicts)
}

/// The memories here that changes are of, each with its newest version.
pub fn concerned(reader: &Reader<'_>, rows: &[QueueRow]) -> Result<BTreeMap<MemoryId, u64>, ApiError> {
    let mut concerned = BTreeMap::new();
    for row in rows {
        if let Some(now) = now_at(reader, &row.change)? {
            concerned.insert(now.memory_here, now.here.seq);
        }
    }
    Ok(concerned)
}

/// True if two changes are of the same memory or path.
fn is_of_same(one: &NewQueued, other: &NewQueued) -> bool {
    let same_memory = one.remote_memory.is_some() && one.remote_memory == other.remote_memory;
    one.store == other.store && (same_memory || (one.path.is_some() && one.path == other.path))
}

/// A memory of a mirror as it is now.
pub(crate) struct Now {
    /// Its newest version in the log.
    pub here: VersionId,
    /// The memory in the log.
    pub memory_here: MemoryId,
    /// Its path.
    pub path: RelPath,
    /// Its id at the host.
    pub memory: String,
    /// Its newest version at the host.
    pub version: Option<String>,
    /// Hash of its content; `None` where it is redacted.
    pub sha256: Option<Sha256>,
}

/// Version that a change would meet in the mirror now: its memory, or what is at the path where it makes one.
pub(crate) fn now_at(reader: &Reader<'_>, change: &NewQueued) -> Result<Option<Now>, ApiError> {
    let found =
        reader.mirrored_memories(change.store)?.into_iter().find(|live| match &change.remote_memory {
            Some(memory) => live.remote_memory.as_ref() == Some(memory),
            None => Some(&live.path) == change.path.as_ref(),
        });
    let Some(MirroredMemory { path, head, remote_memory: Some(memory), remote_version, .. }) = found else {
        return Ok(None);
    };
    let head = reader.version(head)?;
    let sha256 = head.content.map(|content| content.sha256);
    Ok(Some(Now { here: head.id, memory_here: head.memory, path, memory, version: remote_version, sha256 }))
}

/// True if a change was made on something else than what is there now.
fn moved_on(change: &NewQueued, now: Option<&Now>) -> bool {
    match (change.kind, now) {
        (QueueKind::Redact | QueueKind::Archive, _) | (QueueKind::Create, None) => false,
        (QueueKind::Create, Some(_)) | (_, None) => true,
        // The hash goes when the content it is of is redacted; the version stands for it then.
        (_, Some(now)) => match change.expected {
            Some(expected) => now.sha256 != Some(expected),
            None => now.version != change.remote_version,
        },
    }
}

/// A queued change as it would be on what is there now: over `now`, or where nothing is. `None` where nothing is left to do.
fn made_over(reader: &Reader<'_>, row: &QueueRow, now: Option<&Now>) -> Result<Option<NewQueued>, ApiError> {
    let change = row.change.clone();
    let content_of_base = || -> Result<Option<Vec<u8>>, ApiError> {
        let base = base_of(reader, &change)?.filter(|base| base.redaction.is_none());
        Ok(base.map(|base| reader.content(&base)).transpose()?.flatten().map(|content| content.bytes))
    };
    Ok(match (change.kind, now) {
        (QueueKind::Redact | QueueKind::Archive, _) | (QueueKind::Create, None) => Some(change),
        (QueueKind::Delete, None) => None,
        (QueueKind::Update, None) => {
            // Where it only moved the memory, its content is the one it had.
            let content = match &change.content {
                Some(content) => Some(content.clone()),
                None => content_of_base()?,
            };
            let Some(content) = content else {
                return Err(ApiError::new(
                    Code::ContentRedacted,
                    say::memory_gone_host_content_redacted(),
                    row.id.to_string(),
                )
                .hint(say::take_change_back()));
            };
            Some(NewQueued {
                kind: QueueKind::Create,
                moved_from: None,
                remote_memory: None,
                remote_version: None,
                expected: None,
                content: Some(content),
                ..change
            })
        }
        (kind, Some(now)) => {
            let moves = change.moved_from.is_some() && change.path.as_ref() != Some(&now.path);
            // A change that does not move the memory leaves it where the host has it.
            let path =
                if moves || kind == QueueKind::Create { change.path.clone() } else { Some(now.path.clone()) };
            Some(NewQueued {
                kind: if kind == QueueKind::Delete { kind } else { QueueKind::Update },
                path,
                moved_from: moves.then(|| now.path.clone()),
                remote_memory: Some(now.memory.clone()),
                remote_version: now.version.clone(),
                expected: now.sha256,
                ..change
            })
        }
    })
}

/// The version a change was made against, as it is here.
fn base_of(reader: &Reader<'_>, change: &NewQueued) -> Result<Option<VersionRow>, ApiError> {
    let Some(version) = change.remote_version.as_ref().filter(|_| change.kind != QueueKind::Redact) else {
        return Ok(None);
    };
    let seq = reader.version_of_host(change.store, version)?;
    Ok(seq.map(|seq| reader.version(seq)).transpose()?)
}

fn text_of(reader: &Reader<'_>, version: &VersionRow) -> Result<Option<Vec<u8>>, ApiError> {
    if version.redaction.is_some() {
        return Ok(None);
    }
    Ok(reader.content(version)?.map(|content| content.bytes))
}

/// A queued change by its number.
///
/// # Errors
/// `not_found` when none of this number is queued.
fn queued(reader: &Reader<'_>, id: u64) -> Result<QueueRow, ApiError> {
    reader.remote_queue(None)?.into_iter().find(|row| row.id == id).ok_or_else(|| {
        ApiError::new(Code::NotFound, say::no_such_change_queue(), id.to_string())
            .hint(say::retrace_remote_queue_lists_them())
    })
}

impl Engine {
    /// A queued change beside what it would meet.
    pub fn conflict_of(&self, id: u64) -> Result<QueuedConflict, ApiError> {
        self.read(|reader| {
            let row = queued(reader, id)?;
            let names = BTreeMap::from([(row.change.store, reader.store(row.change.store)?.name)]);
            let (base, now) = (base_of(reader, &row.change)?, now_at(reader, &row.change)?);
            let head = now.as_ref().map(|now| reader.version(now.here.seq)).transpose()?;
            let path = row.change.path.clone().or_else(|| now.as_ref().map(|now| now.path.clone()));
            let is_change = !matches!(row.change.kind, QueueKind::Redact | QueueKind::Archive);
            let there = head.as_ref().map(|head| text_of(reader, head)).transpose()?.flatten();
            let (mut happened, mut would) = (None, None);
            if let Some(path) = path.filter(|_| is_change) {
                if let Some(base) = base.as_ref().map(|base| text_of(reader, base)).transpose()?.flatten() {
                    let after = there.clone().unwrap_or_default();
                    happened = Some(diff::diff_of(row.change.store, &path, Some(base), after));
                }
                let after = match (row.change.kind, &row.change.content) {
                    (QueueKind::Delete, _) => Vec::new(),
                    (_, Some(content)) => content.clone(),
                    (_, None) => there.clone().unwrap_or_default(),
                };
                would = Some(diff::diff_of(row.change.store, &path, there, after));
            }
            Ok(QueuedConflict {
                base_version_id: base.map(|base| base.id.to_string()),
                now_version_id: now.as_ref().map(|now| now.here.to_string()),
                now_by: head.as_ref().and_then(|head| crate::view::actor(&head.actor)),
                now_at: head.as_ref().map(|head| head.created_at.to_rfc3339()),
                moved_on: is_change && moved_on(&row.change, now.as_ref()),
                happened,
                would,
                change: shown(reader, &row, &names)?,
            })
        })
    }

    /// Queues a change once more, on what was seen there.
    pub fn retry(&self, id: u64, over: Option<&str>) -> Result<StoreId, ApiError> {
        self.write(|act| {
            let row = queued(&act.reader(), id)?;
            if row.state == QueueState::Waiting {
                return Err(ApiError::invalid(say::change_waits_already(), id.to_string())
                    .hint(say::retrace_remote_push_sends()));
            }
            let is_change = !matches!(row.change.kind, QueueKind::Redact | QueueKind::Archive);
            let now = now_at(&act.reader(), &row.change)?;
            if is_change && now.as_ref().map(|now| now.here.to_string()).as_deref() != over {
                return Err(ApiError::new(
                    Code::HeadMoved,
                    say::what_now_not_version_named(),
                    id.to_string(),
                )
                .hint(say::look_again_retrace_remote_retry()));
            }
            match made_over(&act.reader(), &row, now.as_ref())? {
                Some(change) => act.retarget(id, &change)?,
                None => act.unqueue(id)?,
            };
            Ok(row.change.store)
        })
    }

    /// Queued changes, for one mirror or all.
    pub fn shown_queue(&self, store: Option<StoreId>) -> Result<RemoteQueue, ApiError> {
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
        kind: change.kind.into(),
        path: change.path.as_ref().map(ToString::to_string),
        moved_from: change.moved_from.as_ref().map(ToString::to_string),
        version_id,
        expected_sha256: change.expected.map(|sha256| sha256.to_hex()),
        content_sha256: row.content_sha256.map(|sha256| sha256.to_hex()),
        content_size_bytes: change.content.as_ref().map(|content| content.len() as u64),
        operation_seq: change.operation_seq,
        created_at: change.at.to_rfc3339(),
        state: row.state.into(),
        message: change.message.as_deref().map(Message::of_saved),
        diff: difference(reader, row)?,
    })
}

/// Effect of a change, against the mirror's newest version.
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
    Ok(Some(diff::diff_of(change.store, path, before, after)))
}

/// The path a memory has at its host; `None` where it is no text.
pub fn path_there(path: &RelPath) -> Option<String> {
    std::str::from_utf8(path.as_bytes()).ok().map(|path| format!("/{path}"))
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "queue";
    head_waits() => "It is the newest version of a live memory; the host redacts it once there is a newer one.",
    store_archived_host() => "The store is archived at its host.",
    archived_store_takes_deletions_redactions() => "An archived store takes deletions and redactions, and no other change.",
    hosted_store_takes_text_alone() => "A hosted store takes text alone.",
    change_memory_waits_sent_host() => "A change of the memory waits to be sent to its host; send it or take it back first.",
    change_queued_again_already() => "The change is queued again already.",
    another_change_memory_waits_sent() => "Another change of the memory waits to be sent to its host; send it or take it back first.",
    memory_changed_host_since_change() => "The memory changed at its host since the change was made; make it anew on what is there now.",
    memory_gone_host_content_redacted() => "The memory is gone at the host, and its content is redacted here.",
    take_change_back() => "Take the change back.",
    no_such_change_queue() => "There is no such change in the queue.",
    retrace_remote_queue_lists_them() => "`retrace remote queue` lists them; what was sent is not there any more.",
    change_waits_already() => "The change waits already.",
    retrace_remote_push_sends() => "`retrace remote push` sends it.",
    what_now_not_version_named() => "What is there now is not the version that was named.",
    look_again_retrace_remote_retry() => "Look again (`retrace remote retry ID`), then name what it shows.",
}
