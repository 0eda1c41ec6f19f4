//! Bringing what is new at a host into the log.
//!
//! The memories are listed first and the versions after that: whatever is gone from the list of memories has its deletion in
//! the list of versions, unless the host keeps it no longer. Versions come newest first and are kept page by page until a page
//! holds nothing new; then they are appended oldest first. A pull that is cut off, wherever it is, goes on there.

use super::{HostCalls, path_here};
use crate::Hosted;
use crate::decision::Who;
use crate::jobs::Job;
use crate::wire::{ApiError, Event, PulledStore};
use retrace_log::{Append, Change, HostVersion, MirroredMemory, Payload, RemoteFacts, RemoteRow};
use retrace_model::{Actor, Source, StoreState, Timestamp, VersionId, VersionOperation};
use retrace_remote::{RemoteError, RemoteMemory, RemoteStore, RemoteVersion};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Versions appended in one transaction.
const BATCH: usize = 200;

/// Pages of versions, of a hundred each, that a pull searches for versions redacted at the host since they were
/// mirrored: the newest ones.
const REDACTION_PAGES: usize = 10;

/// Further pages that a pull searches for the same, of the versions behind the newest ones. It goes on where the pull
/// before it stopped, and begins anew once it came to the oldest version: to search all at each pull would cost a call
/// for every hundred versions.
const SWEEP_PAGES: usize = 5;

/// Pages of versions that are searched when all are. Ours: ten million versions.
const ALL_PAGES: usize = 100_000;

/// Pages of memories that are asked for. A host has at most 2,000 memories a store; ours leaves room for more.
const MEMORY_PAGES: usize = 1_000;

/// Why a pull stopped.
enum Stop {
    /// A call failed.
    Host(RemoteError),
    /// The log failed.
    Log(ApiError),
    /// Another pull of the same mirror began.
    Overtaken,
}

impl From<RemoteError> for Stop {
    fn from(error: RemoteError) -> Self {
        Self::Host(error)
    }
}

impl From<ApiError> for Stop {
    fn from(error: ApiError) -> Self {
        Self::Log(error)
    }
}

/// A pull under way.
struct Pull<'a> {
    inner: &'a Arc<Hosted>,
    host: &'a dyn HostCalls,
    remote: &'a RemoteRow,
    job: &'a Job,
    task: &'a str,
    number: u64,
    calls: u64,
    fetched: u64,
    versions: u64,
    redacted: Vec<VersionId>,
    /// Versions of the host that hold what was redacted here before.
    held: BTreeSet<String>,
    confirmed: Vec<Option<u64>>,
    full: bool,
}

/// Result of a pull.
pub struct Done {
    pub answer: PulledStore,
    /// Queued changes that turned out to be done at the host: the operation that says so, where one was appended.
    pub(super) confirmed: Vec<Option<u64>>,
}

/// Progress of a sweep of the host's versions.
enum Swept {
    /// To the oldest one.
    All,
    /// Those made after this instant are behind it.
    To(Timestamp),
}

/// Mirrors what is new of one store; with `full`, all of its versions are searched for those that the host redacted.
/// A refusal by the host or for the key is a problem in the answer.
///
/// # Errors
/// A failure of the log.
pub fn pull(
    inner: &Arc<Hosted>,
    remote: &RemoteRow,
    (job, task): (&Job, &str),
    full: bool,
) -> Result<Done, ApiError> {
    let number = inner.write(|act| Ok(act.begin_pull(remote.store)?))?;
    let opened = inner.host(&remote.base_url, job);
    let mut pulled = PulledStore { store_id: remote.store.to_string(), ..PulledStore::default() };
    let mut confirmed = Vec::new();
    let stopped = match &opened {
        Err(error) => Some(Stop::Host(error.clone())),
        Ok(host) => {
            let mut pull = Pull {
                inner,
                host: &**host,
                remote,
                job,
                task,
                number,
                calls: 0,
                fetched: 0,
                versions: 0,
                redacted: Vec::new(),
                held: BTreeSet::new(),
                confirmed: Vec::new(),
                full,
            };
            let stopped = pull.run().err();
            pulled.redacted_before = std::mem::take(&mut pull.held).into_iter().collect();
            pulled.calls = pull.calls;
            pulled.versions = pull.versions;
            confirmed = std::mem::take(&mut pull.confirmed);
            pulled.redacted_at_host = pull.redacted.iter().map(ToString::to_string).collect();
            stopped
        }
    };
    match stopped {
        None => pulled.finished = true,
        Some(Stop::Log(error)) => return Err(error),
        Some(Stop::Host(error)) => pulled.problem = Some(inner.note_problem(remote, &error)?),
        Some(Stop::Overtaken) => {
            pulled.problem = Some(say::another_pull_store_began_meanwhile());
        }
    }
    (pulled.name, pulled.memories) =
        inner.read(|reader| Ok((reader.store(remote.store)?.name, reader.live_count(remote.store)?)))?;
    inner.stores_changed();
    Ok(Done { answer: pulled, confirmed })
}

impl Pull<'_> {
    fn run(&mut self) -> Result<(), Stop> {
        let store = self.call(|host, id| host.store(id))?;
        let facts = facts_of(&store);
        self.write(|act, store| Ok(act.set_remote_facts(store, &facts)?))?;
        let first = self.remote.pulled_at.is_none();
        if self.remote.listing && self.remote.cursor.is_some() {
            self.go_on_listing()?;
        }
        let (mark, there) = self.list_memories()?;
        self.list_versions()?;
        self.append_fetched()?;
        self.mirror_live_memories(mark, &there)?;
        // A first listing has just said it of all of them.
        if !first || self.full {
            self.find_redacted()?;
        }
        let at = self.inner.now();
        self.write(|act, store| {
            let without = act.reader().stores_without_baseline()?;
            if without.iter().any(|row| row.id == store) {
                act.mark_baseline(store)?;
            }
            act.pulled(store, at)?;
            Ok(act.set_store_state(store, StoreState::Recording, None)?)
        })
    }

    /// Makes a call, unless the pull was told to stop.
    fn call<T>(
        &mut self,
        call: impl FnOnce(&dyn HostCalls, &str) -> Result<T, RemoteError>,
    ) -> Result<T, RemoteError> {
        if self.job.is_stopped() {
            return Err(RemoteError::Cancelled);
        }
        self.calls += 1;
        call(self.host, &self.remote.remote_id)
    }

    /// Writes, as long as this is the newest pull of its mirror.
    fn write<T>(
        &self,
        write: impl FnOnce(&mut retrace_log::Act<'_>, retrace_model::StoreId) -> Result<T, ApiError>,
    ) -> Result<T, Stop> {
        let written = self.inner.write(|act| {
            if !act.check_pull(self.remote.store, self.number)? {
                return Ok(None);
            }
            write(act, self.remote.store).map(Some)
        })?;
        written.ok_or(Stop::Overtaken)
    }

    fn tell(&self) {
        let done = self.fetched + self.versions;
        self.inner.events.send(&Event::Progress { task: self.task.to_owned(), done, total: None });
    }

    /// Goes on with a listing that was cut off. One whose cursor the host refuses is begun anew by what follows.
    fn go_on_listing(&mut self) -> Result<(), Stop> {
        match self.list_pages(self.remote.cursor.clone(), true) {
            Err(Stop::Host(RemoteError::Refused { .. } | RemoteError::NotFound { .. })) => {
                self.write(|act, store| Ok(act.forget_cursor(store)?))
            }
            listed => listed,
        }
    }

    /// Lists the versions from the newest on.
    fn list_versions(&mut self) -> Result<(), Stop> {
        // Versions fetched by a listing that cannot be gone on with has gaps behind it.
        let whole = self.write(|act, store| {
            let whole = act.reader().remote(store)?.is_some_and(|remote| !remote.listing);
            act.begin_listing(store)?;
            Ok(whole)
        })?;
        self.list_pages(None, whole)
    }

    /// Keeps pages until one holds nothing new. `or_fetched`: what was fetched before counts as known.
    fn list_pages(&mut self, mut cursor: Option<String>, or_fetched: bool) -> Result<(), Stop> {
        let store = self.remote.store;
        loop {
            let page = self.call(|host, id| host.versions(id, cursor.as_deref(), true))?;
            let versions =
                page.items.into_iter().map(host_version).collect::<Result<Vec<_>, RemoteError>>()?;
            let (ended, held) = self.write(|act, _| {
                let mut news = false;
                for version in &versions {
                    news |= !act.reader().is_known_version(store, &version.id, or_fetched)?;
                }
                let next = page.next.as_deref().filter(|_| news || versions.is_empty());
                let held = act.keep_page(store, &versions, next)?;
                Ok((next.is_none(), held))
            })?;
            self.held.extend(held.into_iter().map(|version| version.id));
            self.fetched += versions.len() as u64;
            self.tell();
            if ended {
                return Ok(());
            }
            cursor = page.next;
        }
    }

    /// Appends what was fetched, oldest first.
    fn append_fetched(&mut self) -> Result<(), Stop> {
        loop {
            if self.job.is_stopped() {
                return Err(RemoteError::Cancelled.into());
            }
            let (person, at) = (self.inner.user(), self.inner.now());
            let who = Who { person: &person, at };
            let (taken, appended, confirmed) = self.write(|act, store| {
                let (mut taken, mut appended, mut confirmed) = (0, 0, Vec::new());
                while taken < BATCH
                    && let Some(version) = act.take_staged(store)?
                {
                    taken += 1;
                    let (mirrored, own) = super::push::mirror(act, store, &version, who)?;
                    appended += mirrored.versions.len() as u64;
                    confirmed.extend(own.then_some(mirrored.operation_seq));
                }
                Ok((taken, appended, confirmed))
            })?;
            self.versions += appended;
            self.confirmed.extend(confirmed);
            self.tell();
            if taken < BATCH {
                return Ok(());
            }
        }
    }

    /// The memories the host has now, and the newest version the log had before it was asked.
    fn list_memories(&mut self) -> Result<(u64, BTreeMap<String, RemoteMemory>), Stop> {
        let mark = self.inner.read(|reader| Ok(reader.last_version()?))?;
        let (mut there, mut cursor) = (BTreeMap::new(), None::<String>);
        for _ in 0..MEMORY_PAGES {
            let page = self.call(|host, id| host.memories(id, cursor.as_deref()))?;
            there.extend(page.items.into_iter().map(|memory| (memory.id.clone(), memory)));
            if page.next.is_none() {
                return Ok((mark, there));
            }
            cursor = page.next;
        }
        Err(RemoteError::NotUnderstood { cause: say::list_memories_not_end() }.into())
    }

    /// Compares the live memories with those of the host: one whose newest version was not listed is fetched, one that the
    /// host does not have any more is deleted.
    fn mirror_live_memories(
        &mut self,
        mark: u64,
        there: &BTreeMap<String, RemoteMemory>,
    ) -> Result<(), Stop> {
        let store = self.remote.store;
        for memory in there.values() {
            let known =
                self.inner.read(|reader| Ok(reader.is_known_version(store, &memory.version_id, true)?))?;
            if known {
                self.set_right(memory, mark)?;
            } else {
                self.fetch_head(memory)?;
            }
        }
        let here = self.inner.read(|reader| Ok(reader.mirrored_memories(store)?))?;
        let at_host = |memory: &MirroredMemory| {
            memory.remote_memory.as_ref().is_none_or(|remote| there.contains_key(remote))
        };
        // A memory that came after the memories were listed is not on that list.
        let gone: Vec<MirroredMemory> =
            here.into_iter().filter(|memory| memory.head <= mark && !at_host(memory)).collect();
        for memory in gone {
            self.record_gone(&memory)?;
        }
        Ok(())
    }

    /// Puts a memory back to its newest version where an older one came later: a push appends what it sent at once, before
    /// what happened at the host shortly before.
    fn set_right(&mut self, memory: &RemoteMemory, mark: u64) -> Result<(), Stop> {
        let store = self.remote.store;
        let path = path_here(&memory.path)?;
        // Asked first without a transaction: nearly every memory is right.
        let right = self.inner.read(|reader| {
            let seq = reader.version_of_host(store, &memory.version_id)?;
            let Some(seq) = seq else { return Ok(true) };
            let live = reader.live_at(store, &path)?;
            Ok(live.is_some_and(|live| live.version.seq == seq))
        })?;
        if right {
            return Ok(());
        }
        let (at, ids) = (self.inner.now(), (memory.id.as_str(), memory.version_id.as_str()));
        self.versions += self.write(|act, store| {
            Ok(act.set_right(store, ids, &path, mark, (at, &say::order_note()))?.versions.len() as u64)
        })?;
        Ok(())
    }

    /// Appends the newest version of a memory, which the host did not list.
    fn fetch_head(&mut self, memory: &RemoteMemory) -> Result<(), Stop> {
        let head = match self.call(|host, id| host.version(id, &memory.version_id)) {
            Ok(version) => host_version(version)?,
            Err(RemoteError::NotFound { .. }) => {
                match self.call(|host, id| host.memory(id, &memory.id)) {
                    // A newer version comes with the next pull, with its author.
                    Ok(now) if now.version_id != memory.version_id => return Ok(()),
                    Ok(now) => head_version(now)?,
                    Err(RemoteError::NotFound { .. }) => return Ok(()),
                    Err(error) => return Err(error.into()),
                }
            }
            Err(error) => return Err(error.into()),
        };
        let at = self.inner.now();
        let mirrored = self.write(|act, store| Ok(act.mirror(store, &head, at)?))?;
        self.versions += mirrored.versions.len() as u64;
        self.held.extend(mirrored.redacted.then_some(head.id));
        Ok(())
    }

    fn record_gone(&mut self, memory: &MirroredMemory) -> Result<(), Stop> {
        let at = self.inner.now();
        self.versions += self.write(|act, store| {
            // Whatever happened to it meanwhile made it newer.
            let live = act.reader().live_at(store, &memory.path)?;
            if live.is_none_or(|live| live.version.seq != memory.head) {
                return Ok(0);
            }
            let gone = Change { store, path: memory.path.clone(), payload: Payload::Gone };
            let appended = act.append(Append {
                store: Some(store),
                source: Source::Api,
                actor: &Actor::Unknown,
                note: Some(&say::gone_note()),
                at,
                undoes: None,
                changes: vec![gone],
                even_if_empty: false,
            })?;
            Ok(appended.versions.len() as u64)
        })?;
        Ok(())
    }

    /// Finds which versions the host redacted since they were mirrored: among the newest ones, and among a part of the others.
    fn find_redacted(&mut self) -> Result<(), Stop> {
        let newest = if self.full { ALL_PAGES } else { REDACTION_PAGES };
        let Swept::To(reached) = self.sweep(None, newest)? else { return Ok(()) };
        if self.full {
            return Err(RemoteError::NotUnderstood { cause: say::list_versions_not_end() }.into());
        }
        let from = self.remote.swept_to.filter(|swept| *swept < reached).unwrap_or(reached);
        match self.sweep(Some(from), SWEEP_PAGES) {
            Ok(_) => Ok(()),
            // All that is new is here, and the next pull goes on with the rest.
            Err(Stop::Host(RemoteError::Limited { .. })) => Ok(()),
            // Not every host can list up to an instant.
            Err(Stop::Host(RemoteError::Refused { .. } | RemoteError::NotFound { .. })) => {
                self.write(|act, store| Ok(act.swept(store, None, None)?))
            }
            Err(stop) => Err(stop),
        }
    }

    /// Searches so many pages of versions, newest first, for those the host redacted, and keeps how far it came. Without
    /// an instant it begins at the newest one.
    fn sweep(&mut self, until: Option<Timestamp>, pages: usize) -> Result<Swept, Stop> {
        // Where it goes on is kept for what is behind the newest ones, and for a scan of all that is cut off.
        let keeps = until.is_some() || self.full;
        let (mut cursor, mut seen, mut reached) = (None::<String>, BTreeSet::new(), until);
        for done in 1.. {
            let page = self.call(|host, id| match until {
                None => host.versions(id, cursor.as_deref(), false),
                Some(until) => host.versions_until(id, until, cursor.as_deref()),
            })?;
            // The host may know smaller parts of a second than are kept here.
            let last = page.items.last().map(|version| version.created_at.micros().saturating_add(1));
            reached = last.map(Timestamp::from_micros).or(reached);
            let ended = page.next.is_none();
            let swept = if ended { Some(Swept::All) } else { reached.filter(|_| keeps).map(Swept::To) };
            self.note_redacted(page.items, swept.as_ref())?;
            if ended {
                return Ok(Swept::All);
            }
            // A page full of versions of one instant is no way forward by instants.
            let goes_on = until.is_none() || reached < until;
            if done >= pages
                && goes_on
                && let Some(reached) = reached
            {
                return Ok(Swept::To(reached));
            }
            if !seen.insert(page.next.clone()) {
                return Err(RemoteError::NotUnderstood { cause: say::pages_lead_circle() }.into());
            }
            cursor = page.next;
        }
        Ok(Swept::All)
    }

    /// Notes what the host redacted among some versions, and how far the look through all of them came.
    fn note_redacted(&mut self, versions: Vec<RemoteVersion>, swept: Option<&Swept>) -> Result<(), Stop> {
        let redacted: Vec<_> =
            versions.into_iter().filter_map(|version| Some((version.id, version.redacted_at?))).collect();
        if redacted.is_empty() && swept.is_none() {
            return Ok(());
        }
        let now = self.inner.now();
        let news = self.write(|act, store| {
            let mut news = Vec::new();
            for (id, at) in &redacted {
                if let Some(seq) = act.redacted_at_host(store, id, *at)? {
                    news.push(act.reader().version(seq)?.id);
                }
            }
            match swept {
                Some(Swept::All) => act.swept(store, None, Some(now))?,
                Some(Swept::To(reached)) => act.swept(store, Some(*reached), None)?,
                None => {}
            }
            Ok(news)
        })?;
        self.redacted.extend(news);
        Ok(())
    }
}

/// Facts of a store at the host.
pub(super) fn facts_of(store: &RemoteStore) -> RemoteFacts {
    RemoteFacts {
        name: store.name.clone(),
        description: store.description.clone(),
        metadata: serde_json::json!(store.metadata).to_string(),
        archived_at: store.archived_at,
    }
}

/// A version as the log takes it.
fn host_version(version: RemoteVersion) -> Result<HostVersion, RemoteError> {
    let redacted = version.redacted_at.is_some();
    if !redacted
        && version.operation != VersionOperation::Deleted
        && (version.path.is_none() || version.content.is_none())
    {
        return Err(RemoteError::NotUnderstood { cause: say::version_no_content() });
    }
    Ok(HostVersion {
        id: version.id,
        memory: version.memory_id,
        operation: version.operation,
        path: version.path.as_deref().map(path_here).transpose()?,
        content: version.content.map(String::into_bytes).filter(|_| !redacted),
        actor: version.created_by.unwrap_or(Actor::Unknown),
        happened_at: version.created_at,
        redacted_at: version.redacted_at,
    })
}

/// A memory's newest version as the log takes it, where the host shows only the memory: nobody says who made it.
pub(super) fn head_version(memory: RemoteMemory) -> Result<HostVersion, RemoteError> {
    let content =
        memory.content.ok_or_else(|| RemoteError::NotUnderstood { cause: say::memory_no_content() })?;
    Ok(HostVersion {
        id: memory.version_id,
        memory: memory.id,
        operation: VersionOperation::Modified,
        path: Some(path_here(&memory.path)?),
        content: Some(content.into_bytes()),
        actor: Actor::Unknown,
        happened_at: memory.updated_at,
        redacted_at: None,
    })
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "pull";
    /// Why a deletion of nobody's is recorded.
    gone_note() => "The host does not have it any more and shows no deletion.",
    /// Why a memory is put back to a version it had.
    order_note() => "The host had made an older version shortly before, which came here later.",
    another_pull_store_began_meanwhile() => "Another pull of the store began meanwhile.",
    list_memories_not_end() => "its list of memories does not end",
    list_versions_not_end() => "its list of versions does not end",
    pages_lead_circle() => "its pages lead in a circle",
    version_no_content() => "a version in it has no content",
    memory_no_content() => "the memory in it has no content",
}
