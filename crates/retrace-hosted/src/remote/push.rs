//! Sending what is queued, in order, each change with the hash it expects to replace.
//!
//! News of the host is pulled first. What the host took is appended here at once, as the person's own; when that
//! is cut off, the next pull brings it and the next push finds it done. A change that met a newer edit stays in the
//! queue as a conflict, one that was refused as failed.

use super::pull::{facts_of, head_version};
use super::{HostCalls, path_there, refusal};
use crate::Hosted;
use crate::decision::{self, Who};
use crate::jobs::Job;
use crate::queue::head_waits;
use crate::wire::sentence;
use crate::wire::{ApiError, Event, Pushed};
use retrace_log::{
    Act, Append, Appended, Change, HostVersion, Mirrored, MirroredMemory, Payload, QueueKind, QueueRow,
    QueueState, Reader, RemoteRow,
};
use retrace_message::Message;
use retrace_model::{Actor, Sha256, StoreState, Timestamp, VersionOperation};
use retrace_remote::{RemoteError, RemoteMemory};
use std::sync::Arc;

/// Answer of the host to a change.
enum Answer {
    /// The version the change made.
    Version(HostVersion),
    /// The memory is deleted.
    Deleted,
    /// The version is redacted, or not there any more.
    Redacted(Timestamp),
    /// The store is archived.
    Archived(retrace_log::RemoteFacts),
    /// It was done before.
    Done,
    /// It stays in the queue, for a reason.
    Stays(QueueState, Message),
}

/// Why a push of one store ended early.
enum Stop {
    Host(RemoteError),
    Log(ApiError),
}

impl From<ApiError> for Stop {
    fn from(error: ApiError) -> Self {
        Self::Log(error)
    }
}

impl From<RemoteError> for Stop {
    fn from(error: RemoteError) -> Self {
        Self::Host(error)
    }
}

/// Sends what is queued for one store, and adds what came of it.
///
/// # Errors
/// A failure of the log.
pub fn push(
    inner: &Arc<Hosted>,
    remote: &RemoteRow,
    job: &Job,
    task: &str,
    pushed: &mut Pushed,
) -> Result<(), ApiError> {
    let ids: Vec<u64> = inner.read(|reader| {
        let rows = reader.remote_queue(Some(remote.store))?;
        Ok(rows.iter().filter(|row| row.state == QueueState::Waiting).map(|row| row.id).collect())
    })?;
    if ids.is_empty() {
        return Ok(());
    }
    let calls = inner.read(|reader| {
        let rows = reader.remote_queue(Some(remote.store))?;
        for row in rows.iter().filter(|row| row.state == QueueState::Waiting) {
            if without_a_call(reader, row)?.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    })?;
    if calls {
        // Changes at the host before come before those sent now.
        let pulled = super::pull(inner, remote, (job, task), false)?;
        // Changes that an earlier push had sent without learning of it.
        pushed.sent += pulled.confirmed.len() as u64;
        pushed.operations.extend(pulled.confirmed.into_iter().flatten());
        if let Some(problem) = pulled.answer.problem {
            pushed.problem = Some(problem);
            return Ok(());
        }
    }
    let sent = match inner.host(&remote.base_url, job) {
        Err(error) => Err(Stop::Host(error)),
        Ok(host) => send_all(inner, &*host, remote, (job, task), &ids, pushed),
    };
    match sent {
        Ok(()) => {
            let recovers = remote.problem.is_some();
            if recovers {
                inner.write(|act| {
                    act.set_remote_problem(remote.store, None)?;
                    Ok(act.set_store_state(remote.store, StoreState::Recording, None)?)
                })?;
            }
        }
        Err(Stop::Log(error)) => return Err(error),
        Err(Stop::Host(error)) => pushed.problem = Some(inner.note_problem(remote, &error)?),
    }
    inner.stores_changed();
    Ok(())
}

fn send_all(
    inner: &Arc<Hosted>,
    host: &dyn HostCalls,
    remote: &RemoteRow,
    (job, task): (&Job, &str),
    ids: &[u64],
    pushed: &mut Pushed,
) -> Result<(), Stop> {
    for (done, id) in ids.iter().enumerate() {
        if job.is_stopped() {
            return Err(RemoteError::Cancelled.into());
        }
        // Read anew, for it may have been taken back.
        let row = inner.read(|reader| {
            let rows = reader.remote_queue(Some(remote.store))?;
            Ok(rows.into_iter().find(|row| row.id == *id))
        })?;
        let Some(row) = row else { continue };
        let answer = send(inner, host, remote, &row)?;
        finish(inner, &row, answer, pushed)?;
        let (done, total) = (done as u64 + 1, Some(ids.len() as u64));
        inner.events.send(&Event::Progress { task: task.to_owned(), done, total });
    }
    Ok(())
}

/// Sends one change. What ends the push is an error.
fn send(
    inner: &Arc<Hosted>,
    host: &dyn HostCalls,
    remote: &RemoteRow,
    row: &QueueRow,
) -> Result<Answer, Stop> {
    if let Some(answer) = inner.read(|reader| without_a_call(reader, row))? {
        return Ok(answer);
    }
    let at = inner.now();
    inner.write(|act| Ok(act.being_sent(row.id, at)?))?;
    let sent = match row.change.kind {
        QueueKind::Create => create(host, remote, row),
        QueueKind::Update => update(host, remote, row),
        QueueKind::Delete => delete(host, remote, row),
        QueueKind::Redact => redact(inner, host, remote, row),
        QueueKind::Archive => host.archive(&remote.remote_id).map(|store| Answer::Archived(facts_of(&store))),
    };
    match sent {
        Ok(answer) => Ok(answer),
        Err(error) => match error {
            RemoteError::PreconditionFailed { .. }
            | RemoteError::PathConflict { .. }
            | RemoteError::NotFound { .. } => Ok(Answer::Stays(QueueState::Conflict, sentence(&error))),
            RemoteError::Refused { .. } | RemoteError::TooLarge { .. } | RemoteError::BadId { .. } => {
                Ok(Answer::Stays(QueueState::Failed, refusal(&error, "").message))
            }
            error => Err(Stop::Host(error)),
        },
    }
}

/// A change that the mirror shows already needs no call, and what the host would refuse gets none.
fn without_a_call(reader: &Reader<'_>, row: &QueueRow) -> Result<Option<Answer>, ApiError> {
    let change = &row.change;
    let memories = reader.mirrored_memories(change.store)?;
    let live = |memory: &MirroredMemory| -> Result<bool, ApiError> {
        let content = reader.version(memory.head)?.content.map(|content| content.sha256);
        Ok(change.path.as_ref().is_none_or(|path| *path == memory.path)
            && row.content_sha256.is_none_or(|wanted| content == Some(wanted)))
    };
    let this = memories
        .iter()
        .find(|memory| memory.remote_memory.is_some() && memory.remote_memory == change.remote_memory);
    let done = match change.kind {
        QueueKind::Create => {
            let there = memories.iter().find(|memory| Some(&memory.path) == change.path.as_ref());
            there.map(live).transpose()?.unwrap_or(false)
        }
        QueueKind::Update => match this {
            // The mirror may have had this content before; only what came after the change was made is its result.
            Some(memory) => memory.remote_version != change.remote_version && live(memory)?,
            None => false,
        },
        QueueKind::Delete => this.is_none(),
        QueueKind::Archive => reader.remote(change.store)?.is_some_and(|remote| remote.archived_at.is_some()),
        QueueKind::Redact => {
            let id = change.remote_version.as_deref().unwrap_or_default();
            let is_head = memories.iter().any(|memory| memory.remote_version.as_deref() == Some(id));
            if is_head {
                return Ok(Some(Answer::Stays(QueueState::Waiting, head_waits())));
            }
            reader.is_redacted_at_host(change.store, id)?
        }
    };
    Ok(done.then_some(Answer::Done))
}

fn text(bytes: Option<&Vec<u8>>) -> Result<Option<&str>, RemoteError> {
    bytes
        .map(|bytes| std::str::from_utf8(bytes))
        .transpose()
        .map_err(|_| RemoteError::BadId { wanted: say::text_all_host_takes() })
}

fn create(host: &dyn HostCalls, remote: &RemoteRow, row: &QueueRow) -> Result<Answer, RemoteError> {
    let path = row.change.path.as_ref().and_then(path_there).unwrap_or_default();
    let content = text(row.change.content.as_ref())?.unwrap_or_default();
    let made = match host.create(&remote.remote_id, &path, content) {
        // An answer of ours may have been lost.
        Err(RemoteError::PathConflict { path: taken, memory_id: Some(memory) }) if taken == path => {
            let now = host.memory(&remote.remote_id, &memory)?;
            if now.path != path || now.content.as_deref() != Some(content) {
                return Err(RemoteError::PathConflict { path: taken, memory_id: Some(memory) });
            }
            now
        }
        made => made?,
    };
    version_of(host, remote, row, made)
}

fn update(host: &dyn HostCalls, remote: &RemoteRow, row: &QueueRow) -> Result<Answer, RemoteError> {
    let change = &row.change;
    let memory = change.remote_memory.as_deref().unwrap_or_default();
    let path = match (&change.moved_from, &change.path) {
        (Some(_), Some(path)) => path_there(path),
        _ => None,
    };
    let content = text(change.content.as_ref())?;
    let expected = expected(host, remote, row)?;
    let now = match host.update(&remote.remote_id, memory, path.as_deref(), content, Some(expected)) {
        // An answer of ours may have been lost.
        Err(error @ RemoteError::PreconditionFailed { .. }) => {
            let now = host.memory(&remote.remote_id, memory)?;
            let as_asked = path.as_ref().is_none_or(|path| now.path == *path)
                && content.is_none_or(|content| now.content.as_deref() == Some(content));
            if !as_asked || content.is_none() {
                return Err(error);
            }
            now
        }
        now => now?,
    };
    version_of(host, remote, row, now)
}

/// The hash a memory must have: as queued, or, where that was taken out with the content it is of, the hash of the version the
/// change was made against, while that is the newest one.
fn expected(host: &dyn HostCalls, remote: &RemoteRow, row: &QueueRow) -> Result<Sha256, RemoteError> {
    if let Some(expected) = row.change.expected {
        return Ok(expected);
    }
    let now = host.memory(&remote.remote_id, row.change.remote_memory.as_deref().unwrap_or_default())?;
    if Some(&now.version_id) == row.change.remote_version.as_ref() {
        return Ok(now.content_sha256);
    }
    Err(RemoteError::PreconditionFailed { message: say::newer_version() })
}

fn delete(host: &dyn HostCalls, remote: &RemoteRow, row: &QueueRow) -> Result<Answer, RemoteError> {
    let memory = row.change.remote_memory.as_deref().unwrap_or_default();
    let deleted = expected(host, remote, row)
        .and_then(|expected| host.delete(&remote.remote_id, memory, Some(expected)));
    match deleted {
        Ok(()) => Ok(Answer::Deleted),
        // Whoever deleted it: the next pull brings the deletion with its author.
        Err(RemoteError::NotFound { .. }) => Ok(Answer::Done),
        Err(error) => Err(error),
    }
}

fn redact(
    inner: &Arc<Hosted>,
    host: &dyn HostCalls,
    remote: &RemoteRow,
    row: &QueueRow,
) -> Result<Answer, RemoteError> {
    let version = row.change.remote_version.as_deref().unwrap_or_default();
    match host.redact(&remote.remote_id, version) {
        Ok(redacted) => Ok(Answer::Redacted(redacted.redacted_at.unwrap_or_else(|| inner.now()))),
        // The host keeps versions for a time; one it does not have any more holds nothing.
        Err(RemoteError::NotFound { .. }) => Ok(Answer::Redacted(inner.now())),
        Err(error) => Err(error),
    }
}

/// The version that a change made, with its content.
fn version_of(
    host: &dyn HostCalls,
    remote: &RemoteRow,
    row: &QueueRow,
    mut memory: RemoteMemory,
) -> Result<Answer, RemoteError> {
    let sent = text(row.change.content.as_ref())?;
    memory.content = match sent {
        Some(sent) if Sha256::of(sent.as_bytes()) == memory.content_sha256 => Some(sent.to_owned()),
        _ => host.memory(&remote.remote_id, &memory.id)?.content,
    };
    Ok(Answer::Version(head_version(memory)?))
}

/// Writes down what came of a change.
fn finish(inner: &Arc<Hosted>, row: &QueueRow, answer: Answer, pushed: &mut Pushed) -> Result<(), ApiError> {
    let (person, at) = (inner.user(), inner.now());
    let appended = inner.write(|act| {
        let change = &row.change;
        let cause = (change.source, &person, change.note.as_deref());
        let appended = match &answer {
            Answer::Stays(state, message) => {
                act.set_queue_state(row.id, *state, Some(message))?;
                return Ok(None);
            }
            Answer::Version(version) => {
                let mirrored = act.mirror_as(change.store, version, at, cause)?;
                Appended { operation_seq: mirrored.operation_seq, versions: mirrored.versions }
            }
            Answer::Deleted => append_deletion(act, row, at, cause)?,
            Answer::Redacted(redacted_at) => {
                let version = change.remote_version.as_deref().unwrap_or_default();
                act.redacted_at_host(change.store, version, *redacted_at)?;
                Appended::default()
            }
            Answer::Archived(facts) => {
                act.set_remote_facts(change.store, facts)?;
                Appended::default()
            }
            Answer::Done => Appended::default(),
        };
        taken(act, row, &appended, Who { person: &person, at })?;
        Ok(Some(appended))
    })?;
    match (appended, answer) {
        (Some(appended), _) => {
            pushed.sent += 1;
            pushed.operations.extend(appended.operation_seq);
        }
        (None, Answer::Stays(QueueState::Conflict, _)) => pushed.conflicts += 1,
        (None, Answer::Stays(QueueState::Failed, _)) => pushed.failed += 1,
        (None, _) => {}
    }
    Ok(())
}

/// Writes down that the host took a change, with what was appended for it.
fn taken(act: &mut Act<'_>, row: &QueueRow, appended: &Appended, who: Who<'_>) -> Result<(), ApiError> {
    decision::note(act, who, appended, None, None)?;
    if let (Some(queued_by), Some(sent)) = (row.change.operation_seq, appended.operation_seq) {
        act.note_sent(queued_by, sent)?;
    }
    act.unqueue(row.id)?;
    Ok(())
}

/// Largest difference between the time that a host gives a version and the time at which the change was sent, in
/// microseconds: ten minutes. Ours; it is for two clocks and for further tries.
const AWAY: i64 = 10 * 60 * 1_000_000;

/// Appends a version of the host. Where it is what a change from here made whose answer was lost, it is the person's
/// own, as if the answer had come: a change that was being sent, and a version that follows the one it was made
/// against, does exactly the same, and was made by a client of the API at that time.
///
/// # Errors
/// A failure of the log.
pub(super) fn mirror(
    act: &mut Act<'_>,
    store: retrace_model::StoreId,
    version: &HostVersion,
    who: Who<'_>,
) -> Result<(Mirrored, bool), ApiError> {
    let Some(row) = change_behind(&act.reader(), store, version)? else {
        return Ok((act.mirror(store, version, who.at)?, false));
    };
    let cause = (row.change.source, who.person, row.change.note.as_deref());
    let mirrored = act.mirror_as(store, version, who.at, cause)?;
    let appended = Appended { operation_seq: mirrored.operation_seq, versions: mirrored.versions.clone() };
    taken(act, &row, &appended, who)?;
    Ok((mirrored, true))
}

/// The queued change that a version of the host is, if it is one.
fn change_behind(
    reader: &Reader<'_>,
    store: retrace_model::StoreId,
    version: &HostVersion,
) -> Result<Option<QueueRow>, ApiError> {
    let by_a_client = !matches!(version.actor, Actor::Session { .. } | Actor::User { .. });
    if !by_a_client || reader.is_known_version(store, &version.id, false)? {
        return Ok(None);
    }
    let in_time = |row: &QueueRow| {
        row.sent_at.is_some_and(|sent| {
            let away = version.happened_at.micros().saturating_sub(sent.micros());
            away.saturating_abs() <= AWAY
        })
    };
    let rows = reader.remote_queue(Some(store))?;
    let Some(row) = rows.into_iter().find(|row| in_time(row) && does_the_same(row, version)) else {
        return Ok(None);
    };
    if row.change.kind == QueueKind::Create {
        return Ok(Some(row));
    }
    let memories = reader.mirrored_memories(store)?;
    let now = memories.iter().find(|memory| memory.remote_memory == row.change.remote_memory);
    let follows = now.is_some_and(|now| {
        let stays =
            row.change.moved_from.is_some() || version.path.as_ref().is_none_or(|path| *path == now.path);
        now.remote_version == row.change.remote_version && stays
    });
    Ok(Some(row).filter(|_| follows))
}

/// True if a version does exactly what a change is to do.
fn does_the_same(row: &QueueRow, version: &HostVersion) -> bool {
    let change = &row.change;
    let made = version.content.as_deref().map(Sha256::of);
    let same_memory = change.remote_memory.as_ref() == Some(&version.memory);
    match (change.kind, version.operation) {
        (QueueKind::Create, VersionOperation::Created) => {
            version.path.is_some()
                && version.path == change.path
                && made.is_some()
                && made == row.content_sha256
        }
        (QueueKind::Update, VersionOperation::Modified) => {
            let path = change.moved_from.is_none() || version.path == change.path;
            same_memory && path && made.is_some() && made == row.content_sha256.or(change.expected)
        }
        (QueueKind::Delete, VersionOperation::Deleted) => same_memory,
        _ => false,
    }
}

/// Deletes here what the host deleted. Its own word of it comes with the next pull and is known then.
fn append_deletion(
    act: &mut Act<'_>,
    row: &QueueRow,
    at: Timestamp,
    (source, actor, note): (retrace_model::Source, &retrace_model::Actor, Option<&str>),
) -> Result<Appended, ApiError> {
    let store = row.change.store;
    let memories = act.reader().mirrored_memories(store)?;
    let live = memories.into_iter().find(|memory| memory.remote_memory == row.change.remote_memory);
    let Some(live) = live else { return Ok(Appended::default()) };
    let changes = vec![Change { store, path: live.path, payload: Payload::Gone }];
    let store = Some(store);
    Ok(act.append(Append { store, source, actor, note, at, undoes: None, changes, even_if_empty: false })?)
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "push";
    newer_version() => "it has a newer version",
    text_all_host_takes() => "text, which is all that a host takes",
}
