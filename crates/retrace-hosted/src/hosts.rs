//! Hosted stores: mirrors, and what is queued for their hosts.

use crate::Hosted;
use crate::remote::{self, refusal};
use crate::stores::answer as store_answer;
use crate::stores::{checked_name, free_name_for};
use crate::wire::{
    AddRemoteReq, ApiError, Code, HostKeyReq, HostRef, HostedStore, HostedStores, Nothing, PullReq, Pulled,
    Pushed, QueuedConflict, QueuedRef, RemoteHost, RemoteQueue, RemoteRef, RemoteStore, Remotes,
    RetryQueuedReq, Store, StoreRef,
};
use retrace_log::{Lease, NewQueued, NewRemote, QueueKind, QueueRow, QueueState, RemoteRow};
use retrace_message::Message;
use retrace_model::{Source, StoreId, VersionId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Name of the progress of a pull and of a push without a name.
const PULL: &str = "pull";
const PUSH: &str = "push";

/// Versions redacted at a host that are named with its mirror. Ours; the rest are named once these are redacted here.
const MAX_REDACTED: u64 = 1_000;

/// The stores of a host. Calls the host.
///
/// # Errors
/// `invalid` for what is no base URL, `store_unavailable` when the host cannot be reached, its limit is reached, or there is no
/// key that it takes.
pub fn hosted_stores(inner: &Arc<Hosted>, request: HostRef) -> Result<HostedStores, ApiError> {
    let base_url = inner.base_url(request.base_url.as_deref())?;
    let job = inner.jobs.begin(None)?;
    let listed = inner.host(&base_url, &job).and_then(|host| host.stores());
    let listed = listed.map_err(|error| refusal(&error, &base_url))?;
    let mirrors = inner.read(|reader| Ok(reader.remotes()?))?;
    let mirror = |remote_id: &str| {
        let is_it = |row: &&RemoteRow| row.base_url == base_url && row.remote_id == remote_id;
        mirrors.iter().find(is_it).map(|row| row.store.to_string())
    };
    let stores = listed
        .into_iter()
        .map(|store| HostedStore {
            store_id: mirror(&store.id),
            remote_id: store.id,
            name: store.name,
            description: store.description,
            created_at: store.created_at.to_rfc3339(),
            archived_at: store.archived_at.map(|at| at.to_rfc3339()),
        })
        .collect();
    Ok(HostedStores { base_url, stores })
}

/// The mirrored stores, their hosts and the calls made for them.
///
/// # Errors
/// A failure of the database.
pub fn remotes(inner: &Arc<Hosted>, _: Nothing) -> Result<Remotes, ApiError> {
    let stores = inner.read(|reader| {
        let queue = reader.remote_queue(None)?;
        let mut stores = Vec::new();
        for row in reader.remotes()? {
            let name = reader.store(row.store)?.name;
            let redacted = reader.redacted_at_host_of(row.store, MAX_REDACTED)?;
            stores.push(shown(&row, name, &queue, &redacted));
        }
        Ok(stores)
    })?;
    let urls: BTreeSet<&str> = stores.iter().map(|store| store.base_url.as_str()).collect();
    let hosts = urls
        .into_iter()
        .map(|url| {
            let key = inner.hosts.key(url, &|name| inner.variable(name));
            RemoteHost { base_url: url.to_owned(), key }
        })
        .collect();
    Ok(Remotes { stores, hosts, calls: inner.remote_calls.listed() })
}

fn shown(row: &RemoteRow, name: String, queue: &[QueueRow], redacted: &[VersionId]) -> RemoteStore {
    let queued = || queue.iter().filter(|queued| queued.change.store == row.store);
    RemoteStore {
        store_id: row.store.to_string(),
        name,
        base_url: row.base_url.clone(),
        remote_id: row.remote_id.clone(),
        description: row.description.clone(),
        archived_at: row.archived_at.map(|at| at.to_rfc3339()),
        pulled_at: row.pulled_at.map(|at| at.to_rfc3339()),
        pulling: row.listing || row.staged > 0,
        problem: row.problem.as_deref().map(Message::of_saved),
        versions: row.versions,
        never_seen: row.never_seen,
        redacted_at_host: row.redacted_at_host,
        redacted_versions: redacted.iter().map(ToString::to_string).collect(),
        looked_through_at: row.swept_at.map(|at| at.to_rfc3339()),
        queued: queued().count() as u64,
        conflicts: queued().filter(|queued| queued.state == QueueState::Conflict).count() as u64,
    }
}

/// Begins to mirror a hosted store, and takes its baseline. What cuts the first pull off is said by the store; the next one
/// goes on.
///
/// # Errors
/// Those of `hosted_stores`; `not_found` when the host has no such store, `invalid` when it is mirrored already or the name is
/// taken.
pub fn add_remote(inner: &Arc<Hosted>, request: AddRemoteReq) -> Result<Store, ApiError> {
    let job = inner.jobs.begin(request.job.as_deref())?;
    let base_url = inner.base_url(request.base_url.as_deref())?;
    let remote_id = request.remote_id.trim().to_owned();
    refuse_known(inner, &base_url, &remote_id)?;
    let found = inner.host(&base_url, &job).and_then(|host| host.store(&remote_id));
    let found = found.map_err(|error| refusal(&error, &remote_id))?;
    let name = match request.name.as_deref().map(str::trim) {
        Some("") => return Err(ApiError::invalid(say::name_empty(), "name")),
        Some(name) => checked_name(inner, name)?,
        None => free_name_for(inner, &found.name)?,
    };
    let at = inner.now();
    let new = NewRemote { base_url, remote_id, name, at };
    let id = inner.write(|act| Ok(act.add_remote(&new)?))?;
    inner.stores_changed();
    let row = mirror(inner, id)?;
    let pulled = remote::pull(inner, &row, (&job, request.job.as_deref().unwrap_or(PULL)), false)?;
    Ok(Store { redacted_before: pulled.answer.redacted_before, ..store_answer(inner, id)? })
}

/// Refuses a hosted store that is mirrored already.
fn refuse_known(inner: &Hosted, base_url: &str, remote_id: &str) -> Result<(), ApiError> {
    let known = inner.read(|reader| {
        let mut mirrors = reader.remotes()?.into_iter();
        let known = mirrors.find(|row| row.base_url == base_url && row.remote_id == remote_id);
        Ok(known.map(|row| reader.store(row.store)).transpose()?)
    })?;
    match known {
        Some(store) if store.removed_at.is_none() => {
            Err(ApiError::invalid(say::hosted_store_mirrored_already(), remote_id)
                .hint(say::store(format!("{:?}", store.name))))
        }
        _ => Ok(()),
    }
}

/// Mirrors what is new at the hosts. Paused mirrors are passed over unless they are named. With `full`, every version a host
/// has is searched for those redacted there since; without it, the newest ones and a part of the others.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for one that is no mirror, or a failure of the log. What a host or a key stands
/// in the way of is a problem in the answer.
pub fn pull_remote(inner: &Arc<Hosted>, request: PullReq) -> Result<Pulled, ApiError> {
    let job = inner.jobs.begin(request.job.as_deref())?;
    let task = request.job.as_deref().unwrap_or(PULL);
    let mut stores = Vec::new();
    for row in mirrors(inner, request.store.as_deref(), true)? {
        stores.push(remote::pull(inner, &row, (&job, task), request.full)?.answer);
    }
    Ok(Pulled { stores })
}

/// Sends what is queued. One push at a time, whoever makes it: two would send the same changes.
///
/// # Errors
/// As `pull_remote`; `busy` while another push is under way.
pub fn push_remote(inner: &Arc<Hosted>, request: RemoteRef) -> Result<Pushed, ApiError> {
    let job = inner.jobs.begin(request.job.as_deref())?;
    let task = request.job.as_deref().unwrap_or(PUSH);
    let rows = mirrors(inner, request.store.as_deref(), false)?;
    let _lease = push_lease(inner)?;
    let mut pushed = Pushed::default();
    for row in &rows {
        remote::push(inner, row, &job, task, &mut pushed)?;
    }
    pushed.queue = inner.shown_queue(named(inner, request.store.as_deref())?)?;
    Ok(pushed)
}

/// The right to send. A process that ends, however it ends, gives it back.
fn push_lease(inner: &Hosted) -> Result<Lease, ApiError> {
    let own = std::process::id();
    if let Some(lease) = Lease::take_to_push(&inner.files, own, inner.now())? {
        return Ok(lease);
    }
    let holder = Lease::pusher(&inner.files);
    let since = holder.and_then(|holder| holder.since).map(|since| since.to_rfc3339());
    let message = match (holder.map_or(0, |holder| holder.process), since) {
        (0, None) => say::another_process_sending_what_queued(),
        (0, Some(since)) => say::another_process_sending_what_queued_2(since),
        (process, None) if process == own => say::process_sending_what_queued(process),
        (process, Some(since)) if process == own => say::process_sending_what_queued_since(process, since),
        (process, None) => say::another_process_sending_what_queued_3(process),
        (process, Some(since)) => say::another_process_sending_what_queued_4(process, since),
    };
    Err(ApiError::new(Code::Busy, message, "push").hint(say::wait_until_done_then_push()))
}

/// Queued changes.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for one that is no mirror.
pub fn remote_queue(inner: &Arc<Hosted>, request: RemoteRef) -> Result<RemoteQueue, ApiError> {
    inner.shown_queue(named(inner, request.store.as_deref())?)
}

/// A queued change beside what it would meet: what happened at the host since it was made, and what it would do to that.
/// Calls no host; a pull brings what is new there.
///
/// # Errors
/// `not_found` when none of this number is queued.
pub fn queued_conflict(inner: &Arc<Hosted>, request: QueuedRef) -> Result<QueuedConflict, ApiError> {
    inner.conflict_of(request.id)
}

/// Queues a change that met a newer edit, or that the host refused, once more: on the version that was seen there. Where the
/// memory is gone it is made anew; where nothing is left to delete the change goes.
///
/// # Errors
/// `not_found` when none of this number is queued, `invalid` for one that waits already, `head_moved` where something else is
/// there by now, `content_redacted` where its content is nowhere any more.
pub fn retry_queued(inner: &Arc<Hosted>, request: RetryQueuedReq) -> Result<RemoteQueue, ApiError> {
    let store = inner.retry(request.id, request.over.as_deref())?;
    inner.stores_changed();
    inner.shown_queue(Some(store))
}

/// Queues that a hosted store be archived, which is one-way.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for one that is no mirror, is archived already, or is queued to be.
pub fn archive_remote(inner: &Arc<Hosted>, request: StoreRef) -> Result<RemoteQueue, ApiError> {
    let row = one_mirror(inner, &request.store)?;
    if row.archived_at.is_some() {
        return Err(ApiError::invalid(say::store_archived_host_already(), &request.store));
    }
    let at = inner.now();
    inner.write(|act| {
        let queued = act.reader().remote_queue(Some(row.store))?;
        if queued.iter().any(|queued| queued.change.kind == QueueKind::Archive) {
            return Err(ApiError::invalid(say::store_queued_archived_already(), &request.store));
        }
        act.queue(&NewQueued {
            store: row.store,
            kind: QueueKind::Archive,
            path: None,
            moved_from: None,
            remote_memory: None,
            remote_version: None,
            expected: None,
            content: None,
            operation_seq: None,
            source: Source::Api,
            note: None,
            at,
            message: None,
        })?;
        Ok(())
    })?;
    inner.stores_changed();
    inner.shown_queue(Some(row.store))
}

/// Keeps the key for a host in the keyring, or forgets it.
///
/// # Errors
/// `invalid` for what is no base URL or cannot be a key, `store_unavailable` where there is no place to keep keys.
pub fn set_host_key(inner: &Arc<Hosted>, request: HostKeyReq) -> Result<Remotes, ApiError> {
    let base_url = inner.base_url(request.base_url.as_deref())?;
    let hosts = &inner.hosts;
    let done = match (request.key.as_deref().map(str::trim), request.remove) {
        (Some(""), _) => return Err(ApiError::invalid(say::key_empty(), "key")),
        (Some(key), false) => hosts.keep_key(&base_url, key),
        (None, true) => hosts.forget_key(&base_url),
        _ => return Err(ApiError::invalid(say::provide_key_or_remove_saved(), "key")),
    };
    done.map_err(|sentence| {
        ApiError::new(Code::StoreUnavailable, crate::wire::sentence(&sentence), &base_url)
            .hint(say::without_keyring_anthropic_base_url())
    })?;
    inner.stores_changed();
    remotes(inner, Nothing {})
}

fn named(inner: &Hosted, store: Option<&str>) -> Result<Option<StoreId>, ApiError> {
    store.map(|store| one_mirror(inner, store).map(|row| row.store)).transpose()
}

fn one_mirror(inner: &Hosted, store: &str) -> Result<RemoteRow, ApiError> {
    let id = inner.read(|reader| Ok(inner.store_named(reader, store)?.id))?;
    mirror(inner, id).map_err(|mut error| {
        store.clone_into(&mut error.subject);
        error
    })
}

fn mirror(inner: &Hosted, id: StoreId) -> Result<RemoteRow, ApiError> {
    inner.read(|reader| Ok(reader.remote(id)?))?.ok_or_else(|| {
        ApiError::invalid(say::store_no_mirror_hosted_one(), id.to_string())
            .hint(say::retrace_remote_add_mirrors_hosted())
    })
}

/// The mirrors meant: the named one, or all, of which `unpaused` leaves paused ones out.
fn mirrors(inner: &Arc<Hosted>, store: Option<&str>, unpaused: bool) -> Result<Vec<RemoteRow>, ApiError> {
    if let Some(store) = store {
        return Ok(vec![one_mirror(inner, store)?]);
    }
    inner.read(|reader| {
        let mut rows = reader.remotes()?;
        if unpaused {
            let stores = reader.stores()?;
            rows.retain(|row| !stores.iter().any(|store| store.id == row.store && store.paused));
        }
        Ok(rows)
    })
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "remote";
    name_empty() => "The name is empty.",
    hosted_store_mirrored_already() => "The hosted store is mirrored already.",
    store(name) => "It is the store {name}.",
    another_process_sending_what_queued() => "Another process is sending what is queued.",
    another_process_sending_what_queued_2(since) => "Another process is sending what is queued, since {since}.",
    process_sending_what_queued(process) => "This process ({process}) is sending what is queued.",
    process_sending_what_queued_since(process, since) => "This process ({process}) is sending what is queued, since {since}.",
    another_process_sending_what_queued_3(process) => "Another process ({process}) is sending what is queued.",
    another_process_sending_what_queued_4(process, since) => "Another process ({process}) is sending what is queued, since {since}.",
    wait_until_done_then_push() => "Wait until it is done, then push what is left. If that process ended, push again.",
    store_archived_host_already() => "The store is archived at its host already.",
    store_queued_archived_already() => "The store is queued to be archived already.",
    key_empty() => "The key is empty.",
    provide_key_or_remove_saved() => "Provide a key, or remove the saved one.",
    without_keyring_anthropic_base_url() => "Without a keyring, ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY in the environment name the host and its key.",
    store_no_mirror_hosted_one() => "The store is no mirror of a hosted one.",
    retrace_remote_add_mirrors_hosted() => "`retrace remote add` mirrors a hosted store.",
}
