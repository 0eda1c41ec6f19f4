//! Hosted stores: a mirror holds what its host held, nothing is lost wherever it is cut off, and what acts on it queue is sent
//! when the user says so.

mod acts;
mod pulling;
mod pushing;
mod redaction;

use retrace_api::remote::api::RemoteError;
use retrace_api::wire;
use retrace_api::{App, commands};
use retrace_log::{LogFiles, ReadConnection};
use retrace_model::{StoreId, Timestamp};
use retrace_tests::World;
use retrace_tests::host::{FakeHost, STORE};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A world with a mirror of a fake host's store, which is named as there.
struct Mirrored {
    world: World,
    host: FakeHost,
    id: String,
}

fn unreachable() -> RemoteError {
    RemoteError::Unreachable {
        status: None,
        tries: 3,
        cause: retrace_api::wire::Message::verbatim("nobody answers"),
    }
}

fn add(app: &App) -> Result<wire::Store, wire::ApiError> {
    let request = wire::AddRemoteReq { remote_id: STORE.to_owned(), ..wire::AddRemoteReq::default() };
    commands::add_remote(app, request)
}

fn pull(app: &App) -> wire::PulledStore {
    let mut pulled = commands::pull_remote(app, wire::PullReq::default()).expect("the log works");
    pulled.stores.pop().expect("a mirror")
}

fn push(app: &App) -> wire::Pushed {
    commands::push_remote(app, wire::RemoteRef::default()).expect("the log works")
}

fn queue(app: &App) -> Vec<wire::QueuedChange> {
    commands::remote_queue(app, wire::RemoteRef::default()).expect("a queue").changes
}

fn kinds(app: &App) -> Vec<String> {
    queue(app).into_iter().map(|change| change.kind.to_string()).collect()
}

impl Mirrored {
    /// A mirror of `a.md` that was good and is bad, with its first version.
    fn good_then_bad() -> (Self, wire::Version) {
        let mirrored = Self::of(good_then_bad());
        let first = mirrored.log().pop().expect("the first");
        (mirrored, first)
    }

    /// A mirror of what `prepare` did at the host.
    fn new(prepare: impl FnOnce(&FakeHost)) -> Self {
        let host = FakeHost::default();
        prepare(&host);
        Self::of(host)
    }

    fn of(host: FakeHost) -> Self {
        let world = World::with(|options| options.hosts = Arc::new(host.clone()));
        let id = add(&world.app).expect("a mirror").id;
        Self { world, host, id }
    }

    fn app(&self) -> &App {
        &self.world.app
    }

    /// Asserts that the mirror holds what the host holds: live memories, and every version it has and had not redacted.
    fn assert_equal(&self, when: &str) {
        assert_equal(&self.world.path("data"), &self.id, &self.host, when);
    }

    fn log(&self) -> Vec<wire::Version> {
        let request = wire::LogReq { store: Some(self.id.clone()), ..wire::LogReq::default() };
        commands::log(self.app(), request).expect("a log").versions
    }

    fn rollback(&self, path: &str, to: &wire::Version) -> wire::ActResult {
        let request = wire::RollbackReq {
            memory: Some(format!("hosted:{path}")),
            to: Some(to.id.clone()),
            ..wire::RollbackReq::default()
        };
        commands::rollback(self.app(), request).expect("a rollback")
    }

    fn undo(&self, operation: u64) -> Result<wire::ActResult, wire::ApiError> {
        let request = wire::UndoReq { operation_seq: Some(operation), ..wire::UndoReq::default() };
        commands::undo(self.app(), request)
    }

    fn inbox(&self) -> u64 {
        let stores = commands::stores(self.app(), wire::Nothing {}).expect("stores").stores;
        stores.into_iter().find(|store| store.id == self.id).expect("the mirror").unreviewed
    }

    fn remote(&self) -> wire::RemoteStore {
        commands::remotes(self.app(), wire::Nothing {}).expect("mirrors").stores.remove(0)
    }
}

fn live_here(data: &Path, id: &str) -> BTreeMap<String, String> {
    let store = StoreId::parse(id).expect("an id");
    let connection = ReadConnection::open(&LogFiles::new(data)).expect("a log");
    connection
        .snapshot(|reader| -> Result<_, retrace_log::LogError> {
            let mut live = BTreeMap::new();
            for memory in reader.memories_at(store, None)? {
                let bytes = reader.content(&memory.version)?.map(|content| content.bytes).unwrap_or_default();
                let path = memory.path.expect("a path").to_text();
                live.insert(path, String::from_utf8(bytes).expect("text"));
            }
            Ok(live)
        })
        .expect("reads")
}

fn assert_equal(data: &Path, id: &str, host: &FakeHost, when: &str) {
    assert_eq!(live_here(data, id), host.live(), "{when}");
    let store = StoreId::parse(id).expect("an id");
    let connection = ReadConnection::open(&LogFiles::new(data)).expect("a log");
    connection
        .snapshot(|reader| -> Result<_, retrace_log::LogError> {
            for version in host.versions() {
                assert!(
                    reader.is_known_version(store, &version.id, false)?,
                    "{} is not known: {when}",
                    version.id
                );
                let here = reader.version_of_host(store, &version.id)?;
                let (Some(content), Some(seq)) = (&version.content, here) else {
                    assert!(version.content.is_none(), "{} has no version here: {when}", version.id);
                    continue;
                };
                let row = reader.version(seq)?;
                let bytes = reader.content(&row)?.map(|content| content.bytes);
                assert_eq!(bytes.as_deref(), Some(content.as_bytes()), "{}: {when}", version.id);
            }
            Ok(())
        })
        .expect("reads");
}

/// One step of SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Something happens at the host.
fn happens(host: &FakeHost, state: &mut u64) {
    let paths: Vec<String> = host.live().into_keys().collect();
    let mut pick = |of: usize| usize::try_from(random(state) % of.max(1) as u64).expect("small");
    let free = ["a.md", "b.md", "c/d.md", "c/e.md", "f.md"];
    let (path, text) = (free[pick(free.len())], format!("text {}", pick(4)));
    match (pick(12), paths.is_empty()) {
        (0..=4, _) | (_, true) => drop(host.write(path, &text)),
        (5..=6, _) if !paths.iter().any(|taken| taken == path) => {
            host.rename(&paths[pick(paths.len())], path);
        }
        (5..=7, _) => host.delete(&paths[pick(paths.len())]),
        (8..=9, _) => {
            let versions = host.versions();
            host.redact(&versions[pick(versions.len())].id);
        }
        (10, _) => host.evict(pick(4)),
        _ => drop(host.write(&paths[pick(paths.len())], &text)),
    }
}

/// A history with one change queued that puts `a.md` back.
fn queued_rollback(host: &FakeHost, world: &World) {
    let versions = commands::log(&world.app, wire::LogReq::default()).expect("a log").versions;
    let request = wire::RollbackReq {
        memory: Some("hosted:a.md".to_owned()),
        to: Some(versions.last().expect("the first").id.clone()),
        ..wire::RollbackReq::default()
    };
    assert_eq!(commands::rollback(&world.app, request).expect("a rollback").queued, 1);
    assert_eq!(host.live()["a.md"], "bad");
}

fn good_then_bad() -> FakeHost {
    let host = FakeHost::default();
    host.write("a.md", "good");
    host.write("a.md", "bad");
    host
}

/// About now by the clock of the world, as the hosts' clocks are.
fn clock_of_the_world(host: &FakeHost) {
    host.set_clock(Timestamp::parse("2026-11-20T10:02:00Z").expect("a time"));
}
