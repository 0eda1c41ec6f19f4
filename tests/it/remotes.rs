//! Hosted stores: a mirror holds what its host held, nothing is lost wherever it is cut off, and what acts on it queue is sent
//! when the user says so.

use retrace_api::remote::api::RemoteError;
use retrace_api::wire::{self, Code};
use retrace_api::{App, commands};
use retrace_log::{LogFiles, ReadConnection};
use retrace_model::{Sha256, StoreId, Timestamp};
use retrace_tests::host::{FakeHost, STORE};
use retrace_tests::trap::{Spring, Trap};
use retrace_tests::{World, child, holds_bytes, options_of};
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
    RemoteError::Unreachable { status: None, tries: 3, cause: "nobody answers".to_owned() }
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
    queue(app).into_iter().map(|change| change.kind).collect()
}

impl Mirrored {
    /// A mirror of what `prepare` did at the host.
    fn new(prepare: impl FnOnce(&FakeHost)) -> Self {
        let host = FakeHost::default();
        prepare(&host);
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

#[test]
fn a_mirror_begins_with_the_hosts_history_as_its_baseline() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "one");
        host.write("b/c.md", "two");
        host.write("a.md", "three");
        host.rename("b/c.md", "d.md");
        host.write("gone.md", "four");
        host.delete("gone.md");
    });
    mirrored.assert_equal("after the first pull");
    assert_eq!(mirrored.inbox(), 0, "what was there is known");
    let newest = mirrored.log().remove(0);
    assert_eq!(newest.operation, "deleted");
    assert!(newest.created_at.starts_with("2026-09-01"), "{}", newest.created_at);
    assert!(
        matches!(newest.created_by, Some(wire::ActorView::SessionActor { session_id, .. }) if session_id == "sesn_agent")
    );
    let store = commands::stores(mirrored.app(), wire::Nothing {}).expect("stores").stores;
    let store = store.into_iter().find(|store| store.kind == "remote").expect("the mirror");
    assert_eq!((store.state.as_str(), store.memories, store.versions), ("recording", 2, 6));
    let remote = mirrored.remote();
    assert_eq!((remote.versions, remote.pulling, remote.problem), (6, false, None));
    let again = add(mirrored.app()).expect_err("it is mirrored already");
    assert_eq!(again.code, Code::Invalid);
    assert_eq!(
        (again.message.as_str(), again.hint.as_str()),
        ("The hosted store is mirrored already.", "It is the store \"hosted\".")
    );
}

#[test]
fn a_further_pull_brings_what_is_new_and_asks_for_no_more() {
    let mirrored = Mirrored::new(|host| {
        for number in 0..20 {
            host.write(&format!("{number}.md"), "one");
        }
    });
    let before = mirrored.host.calls();
    mirrored.host.write("3.md", "two");
    mirrored.host.delete("4.md");
    let pulled = pull(mirrored.app());
    assert_eq!((pulled.finished, pulled.versions, pulled.memories), (true, 2, 19));
    assert_eq!(pulled.calls, mirrored.host.calls() - before);
    let pages = mirrored.host.asked()[usize::try_from(before).expect("few")..].to_vec();
    assert_eq!(pages[0], "store");
    mirrored.assert_equal("after the second pull");
    assert_eq!(mirrored.inbox(), 2, "what came since is to be reviewed");
}

#[test]
fn a_host_that_cannot_be_reached_or_refuses_the_key_is_a_state_of_the_mirror() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "one");
    });
    let refused = RemoteError::KeyRefused { status: 401, message: "no".to_owned() };
    let missing = RemoteError::NotFound { message: "none".to_owned() };
    for (error, state) in [(unreachable(), "limited"), (refused, "denied"), (missing, "missing")] {
        mirrored.host.fail_after(0, error);
        let pulled = pull(mirrored.app());
        assert!(!pulled.finished && pulled.problem.is_some());
        let stores = commands::stores(mirrored.app(), wire::Nothing {}).expect("stores").stores;
        assert!(stores.iter().any(|store| store.kind == "remote" && store.state == state), "{state}");
    }
    assert!(pull(mirrored.app()).finished);
    assert_eq!(mirrored.remote().problem, None);
    let host = FakeHost::default();
    let world = World::with(|options| options.hosts = Arc::new(host.clone()));
    host.fail_after(0, unreachable());
    assert_eq!(add(&world.app).expect_err("nobody answers").code, Code::StoreUnavailable);
    let none = commands::remotes(&world.app, wire::Nothing {}).expect("mirrors").stores;
    assert!(none.is_empty(), "nothing is added then");
}

/// A history with everything in it, the same each time.
fn history(host: &FakeHost, part: u64) {
    for number in 0..7 {
        host.write(&format!("{number}.md"), &format!("{part} {number}"));
    }
    host.write("1.md", &format!("{part} again"));
    host.rename("2.md", &format!("moved/{part}.md"));
    host.delete("3.md");
    host.write("3.md", &format!("{part} anew"));
    let seen = host.versions().len();
    host.redact(&host.versions()[seen - 6].id.clone());
}

#[test]
fn a_pull_that_fails_at_any_call_goes_on_where_it_was() {
    for first in [true, false] {
        for fails_after in 0.. {
            let host = FakeHost::default();
            history(&host, 1);
            let world = World::with(|options| options.hosts = Arc::new(host.clone()));
            let id = if first {
                // The call that looks for the store comes before the pull.
                host.fail_after(fails_after + 1, unreachable());
                add(&world.app).expect("a mirror").id
            } else {
                let id = add(&world.app).expect("a mirror").id;
                history(&host, 2);
                host.fail_after(fails_after, unreachable());
                pull(&world.app);
                id
            };
            let whole =
                commands::remotes(&world.app, wire::Nothing {}).expect("mirrors").stores[0].problem.is_none();
            // Meanwhile the host goes on, and every second one forgets its cursors.
            history(&host, 3);
            host.refuse_cursors(fails_after % 2 == 1);
            let mut pulled = pull(&world.app);
            if !pulled.finished {
                host.refuse_cursors(false);
                pulled = pull(&world.app);
            }
            assert!(pulled.finished, "{pulled:?}");
            assert_equal(&world.path("data"), &id, &host, &format!("failed after {fails_after} calls"));
            world.verify();
            if whole {
                assert!(fails_after > 5, "{fails_after} calls are few");
                break;
            }
        }
    }
}

/// Not a test of its own: pulls until it is killed at a step that its task names.
#[test]
fn one_that_is_killed() {
    let Some((task, directory)) = child::task() else { return };
    let step = task.parse().expect("a number");
    let host = FakeHost::default();
    history(&host, 1);
    let spring = Spring::Call(Box::new(|| {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
            .expect("a process may kill itself");
    }));
    let trap = Trap::new(spring);
    let mut options = options_of(&directory, 1);
    options.faults = Arc::<Trap>::clone(&trap);
    options.hosts = Arc::new(host);
    let world = World::over(options);
    trap.set(step);
    drop(add(&world.app).expect("a mirror"));
    trap.release();
}

#[test]
fn a_pull_that_is_killed_at_any_step_goes_on_where_it_was() {
    for step in 1.. {
        let directory = tempfile::tempdir().expect("a directory");
        let output =
            child::command("remotes::one_that_is_killed", &step.to_string(), directory.path()).output();
        let done = output.expect("a process").status.success();
        let host = FakeHost::default();
        history(&host, 1);
        history(&host, 2);
        let mut options = options_of(directory.path(), 2);
        options.hosts = Arc::new(host.clone());
        let world = World::over(options);
        let mirrors = commands::remotes(&world.app, wire::Nothing {}).expect("mirrors").stores;
        let id = match mirrors.first() {
            Some(mirror) => mirror.store_id.clone(),
            None => add(&world.app).expect("a mirror").id,
        };
        let pulled = pull(&world.app);
        assert!(pulled.finished, "{pulled:?}");
        assert_equal(&world.path("data"), &id, &host, &format!("killed at step {step}"));
        if done {
            assert!(step > 10, "{step} steps are few");
            return;
        }
    }
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

#[test]
fn whatever_happens_at_the_host_its_mirror_is_like_it_and_loses_nothing_it_had() {
    for seed in 0..40 {
        let mut state = seed;
        let host = FakeHost::default();
        let world = World::with(|options| options.hosts = Arc::new(host.clone()));
        let id = add(&world.app).expect("a mirror").id;
        let mut mirrored: BTreeMap<String, u64> = BTreeMap::new();
        for round in 0..12 {
            for _ in 0..random(&mut state) % 9 {
                happens(&host, &mut state);
            }
            if random(&mut state).is_multiple_of(3) {
                host.fail_after(random(&mut state) % 8, unreachable());
            }
            if !pull(&world.app).finished {
                continue;
            }
            let when = format!("seed {seed}, round {round}");
            assert_equal(&world.path("data"), &id, &host, &when);
            let connection = ReadConnection::open(&LogFiles::new(world.path("data"))).expect("a log");
            let store = StoreId::parse(&id).expect("an id");
            for version in host.versions().iter().filter(|version| version.content.is_some()) {
                let found =
                    connection.snapshot(|reader| reader.version_of_host(store, &version.id)).expect("reads");
                mirrored.entry(version.id.clone()).or_insert(found.expect("a version"));
            }
            for (version, seq) in &mirrored {
                let found = connection
                    .snapshot(|reader| {
                        let row = reader.version(*seq)?;
                        Ok::<_, retrace_log::LogError>((
                            reader.version_of_host(store, version)?,
                            reader.content(&row)?.is_some(),
                        ))
                    })
                    .expect("reads");
                assert_eq!(found, (Some(*seq), true), "{version}: {when}");
            }
        }
    }
}

#[test]
fn a_rollback_waits_in_the_queue_and_is_sent_by_a_push() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "good");
        host.write("a.md", "bad");
        host.write("b.md", "other");
    });
    let versions = mirrored.log();
    let good = versions.iter().find(|version| version.operation == "created").expect("one");
    let calls = mirrored.host.calls();
    let done = mirrored.rollback("a.md", versions.last().expect("the first"));
    assert_eq!(good.path.as_deref(), Some("b.md"));
    assert_eq!((done.queued, done.conflicts.len()), (1, 0));
    assert_eq!(mirrored.host.calls(), calls, "nothing is sent before a push");
    let queued = queue(mirrored.app());
    assert_eq!((queued.len(), queued[0].kind.as_str(), queued[0].state.as_str()), (1, "update", "waiting"));
    assert!(queued[0].diff.is_some());
    assert_eq!(mirrored.host.live()["a.md"], "bad");
    let twice = mirrored.rollback("a.md", versions.last().expect("the first"));
    assert_eq!(twice.conflicts.len(), 1, "one change of a memory at a time: {twice:?}");
    let pushed = push(mirrored.app());
    assert_eq!((pushed.sent, pushed.conflicts, pushed.failed, pushed.problem), (1, 0, 0, None));
    assert_eq!(mirrored.host.live()["a.md"], "good");
    mirrored.assert_equal("after the push");
    assert_eq!((queue(mirrored.app()).len(), mirrored.inbox()), (0, 0));
    let newest = mirrored.log().remove(0);
    assert_eq!(newest.source, "rollback");
    assert!(matches!(newest.created_by, Some(wire::ActorView::UserActor { .. })), "the person's own");
    assert_eq!(pull(mirrored.app()).versions, 0, "it is known");
    // Undoing the act puts back what was sent.
    let undone = mirrored.undo(done.operation_seq.expect("an operation")).expect("undone");
    assert_eq!(undone.queued, 1);
    assert_eq!(push(mirrored.app()).sent, 1);
    assert_eq!(mirrored.host.live()["a.md"], "bad");
    mirrored.assert_equal("after the undo");
}

#[test]
fn what_is_queued_is_taken_back_by_undoing_the_act_or_by_itself() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "good");
        host.write("a.md", "bad");
    });
    let first = mirrored.log().pop().expect("the first");
    let done = mirrored.rollback("a.md", &first);
    let undone = mirrored.undo(done.operation_seq.expect("an operation")).expect("undone");
    assert_eq!(queue(mirrored.app()).len(), 0);
    // Once more, and back.
    let again = mirrored.undo(undone.operation_seq.expect("an operation")).expect("done again");
    assert_eq!((again.queued, kinds(mirrored.app())), (1, vec!["update".to_owned()]));
    let undone = mirrored.undo(again.operation_seq.expect("an operation")).expect("undone");
    assert_eq!((undone.queued, kinds(mirrored.app())), (0, Vec::<String>::new()));
    let done = mirrored.rollback("a.md", &first);
    let id = queue(mirrored.app())[0].id;
    commands::withdraw_queued(mirrored.app(), wire::WithdrawReq { ids: vec![id] }).expect("taken back");
    assert_eq!(queue(mirrored.app()).len(), 0);
    let refused = mirrored.undo(done.operation_seq.expect("an operation")).expect_err("it is undone");
    assert_eq!(refused.code, Code::Invalid);
    let unknown = commands::withdraw_queued(mirrored.app(), wire::WithdrawReq { ids: vec![id] });
    assert_eq!(unknown.expect_err("it is gone").code, Code::NotFound);
    assert_eq!(push(mirrored.app()).sent, 0);
    assert_eq!(mirrored.host.live()["a.md"], "bad");
}

#[test]
fn undoing_an_undo_queues_again_what_it_took_back() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "good");
        host.write("kept.md", "kept");
    });
    mirrored.host.write("a.md", "bad");
    mirrored.host.write("new.md", "came");
    pull(mirrored.app());
    assert_eq!(mirrored.inbox(), 2);
    let versions = mirrored.log().into_iter().take(2).map(|version| version.id).collect();
    let request = wire::ReviewReq { versions, verdict: "reject".to_owned(), ..wire::ReviewReq::default() };
    commands::review(mirrored.app(), request).expect("a review");
    let rejected = queue(mirrored.app());
    assert_eq!(
        (kinds(mirrored.app()), mirrored.inbox()),
        (vec!["update".to_owned(), "delete".to_owned()], 0)
    );
    let operation = rejected[0].operation_seq.expect("an operation");
    let undone = mirrored.undo(operation).expect("undone");
    assert_eq!((queue(mirrored.app()).len(), mirrored.inbox()), (0, 2));
    let preview =
        commands::undo(mirrored.app(), wire::UndoReq { operation_seq: undone.operation_seq, dry_run: true });
    assert_eq!(preview.expect("a preview").queued, 2);
    assert_eq!(queue(mirrored.app()).len(), 0, "a preview does nothing");
    let again = mirrored.undo(undone.operation_seq.expect("an operation")).expect("done again");
    let queued = queue(mirrored.app());
    assert_eq!((again.queued, kinds(mirrored.app())), (2, vec!["update".to_owned(), "delete".to_owned()]));
    assert_eq!(mirrored.inbox(), 0, "whoever does it again knows it");
    assert!(
        queued.iter().all(|change| change.operation_seq == again.operation_seq && change.state == "waiting")
    );
    assert!(queued[0].id > rejected[1].id, "numbers are not given twice");
    assert!(queued.iter().zip(&rejected).all(|(now, then)| now.content_sha256 == then.content_sha256));
    assert_eq!(push(mirrored.app()).sent, 2);
    let live: Vec<_> = mirrored.host.live().into_iter().collect();
    assert_eq!(live, [("a.md".to_owned(), "good".to_owned()), ("kept.md".to_owned(), "kept".to_owned())]);
    // What was done again and sent is undone by putting it back.
    let last = mirrored.undo(again.operation_seq.expect("an operation")).expect("undone");
    assert_eq!(last.queued, 2);
    assert_eq!(push(mirrored.app()).sent, 2);
    assert_eq!(mirrored.host.live()["a.md"], "bad");
    mirrored.assert_equal("after all");
}

#[test]
fn an_undo_is_not_undone_onto_a_newer_edit_or_beside_another_change() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "good");
        host.write("a.md", "bad");
    });
    let first = mirrored.log().pop().expect("the first");
    let undone = mirrored.rollback("a.md", &first).operation_seq.expect("an operation");
    let undo = mirrored.undo(undone).expect("undone").operation_seq.expect("an operation");
    mirrored.rollback("a.md", &first);
    let refused = mirrored.undo(undo).expect("an answer");
    assert!(refused.conflicts[0].message.contains("Another change"), "{refused:?}");
    assert_eq!((refused.queued, queue(mirrored.app()).len()), (0, 1));
    let ids = vec![queue(mirrored.app())[0].id];
    commands::withdraw_queued(mirrored.app(), wire::WithdrawReq { ids }).expect("taken back");
    mirrored.host.write("a.md", "newer");
    pull(mirrored.app());
    let refused = mirrored.undo(undo).expect("an answer");
    assert!(refused.conflicts[0].message.contains("changed at its host"), "{refused:?}");
    assert_eq!(queue(mirrored.app()).len(), 0);
}

#[test]
fn a_redaction_reaches_what_was_taken_back() {
    let secret = ["sk", "secret", "0123456789abcdef"].join("-");
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "one\n");
    });
    // A change whose content is in no version.
    let allow = wire::AllowFindingReq {
        store: mirrored.id.clone(),
        path: "a.md".to_owned(),
        rule: "links/wiki".to_owned(),
        reason: Some(secret.clone()),
        ..wire::AllowFindingReq::default()
    };
    let done = commands::allow_finding(mirrored.app(), allow).expect("an edit");
    assert_eq!(kinds(mirrored.app()), ["update"]);
    let undone = mirrored.undo(done.operation_seq.expect("an operation")).expect("undone");
    assert!(holds_bytes(&mirrored.world.path("data"), secret.as_bytes()), "it is kept, to be queued again");
    let request = wire::RedactReq { find: Some(secret.clone()), ..wire::RedactReq::default() };
    let redacted = commands::redact(mirrored.app(), request).expect("a redaction");
    assert!(redacted.warnings.is_empty(), "nothing of it was queued: {:?}", redacted.warnings);
    assert!(!holds_bytes(&mirrored.world.path("data"), secret.as_bytes()), "nothing here holds it");
    let refused = mirrored.undo(undone.operation_seq.expect("an operation")).expect_err("it is gone");
    assert_eq!(refused.code, Code::Invalid);
}

#[test]
fn undo_takes_back_the_whole_act_that_was_sent_and_not_its_last_change() {
    let mirrored = Mirrored::new(|host| {
        for path in ["a.md", "b.md", "c.md"] {
            host.write(path, "one");
        }
    });
    let undo = || commands::undo(mirrored.app(), wire::UndoReq::default());
    let session =
        wire::RollbackReq { session: Some("sesn_agent".to_owned()), ..wire::RollbackReq::default() };
    let done = commands::rollback(mirrored.app(), session).expect("a rollback");
    assert_eq!((done.queued, push(mirrored.app()).sent), (3, 3), "{done:?}");
    assert!(mirrored.host.live().is_empty());
    let undone = undo().expect("it is undone");
    assert_eq!((undone.queued, push(mirrored.app()).sent), (3, 3), "{undone:?}");
    assert_eq!(mirrored.host.live().len(), 3);
    // What the undoing sent is no act of its own; the newest one left is the agent's, which changed since.
    let older = undo().expect("an answer");
    assert_eq!((older.queued, older.conflicts.len()), (0, 1), "{older:?}");
}

#[test]
fn a_newer_edit_at_the_host_is_never_overwritten() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "good");
        host.write("a.md", "bad");
    });
    let first = mirrored.log().pop().expect("the first");
    mirrored.rollback("a.md", &first);
    mirrored.host.write("a.md", "newer");
    let pushed = push(mirrored.app());
    assert_eq!((pushed.sent, pushed.conflicts), (0, 1));
    assert_eq!(mirrored.host.live()["a.md"], "newer");
    let queued = queue(mirrored.app());
    assert_eq!(queued[0].state, "conflict");
    assert!(queued[0].message.is_some());
    assert_eq!(mirrored.remote().conflicts, 1);
    assert_eq!(push(mirrored.app()).conflicts, 0, "it is not sent again");
}

#[test]
fn an_answer_that_is_lost_is_found_done() {
    for (lost, pulls) in [(true, true), (true, false), (false, false)] {
        let mirrored = Mirrored::new(|host| {
            host.write("a.md", "good");
            host.write("a.md", "bad");
            host.write("gone.md", "was here");
            host.write("new.md", "came");
            host.delete("gone.md");
        });
        let versions = mirrored.log();
        let of = |path: &str, operation: &str| {
            let is_it = |version: &&wire::Version| {
                version.path.as_deref() == Some(path) && version.operation == operation
            };
            versions.iter().find(is_it).expect("one").clone()
        };
        for kind in ["update", "create", "delete"] {
            match kind {
                "update" => drop(mirrored.rollback("a.md", versions.last().expect("the first"))),
                "create" => drop(mirrored.rollback("gone.md", &of("gone.md", "created"))),
                _ => {
                    let operation_seq = Some(of("new.md", "created").operation_seq);
                    let request = wire::RollbackReq { operation_seq, ..wire::RollbackReq::default() };
                    commands::rollback(mirrored.app(), request).expect("a rollback");
                }
            }
            assert_eq!(kinds(mirrored.app()), [kind]);
            if lost {
                mirrored.host.lose_next_answer();
                assert!(push(mirrored.app()).problem.is_some(), "{kind}");
                assert_eq!(kinds(mirrored.app()), [kind], "it waits");
                if pulls {
                    assert!(pull(mirrored.app()).finished);
                }
            }
            let before = mirrored.host.versions().len();
            assert_eq!(push(mirrored.app()).sent, 1, "{kind}");
            assert_eq!(mirrored.host.versions().len() - before, usize::from(!lost), "nothing is done twice");
            assert_eq!(kinds(mirrored.app()), Vec::<String>::new());
        }
        assert!(pull(mirrored.app()).finished);
        mirrored.assert_equal(&format!("lost: {lost}, pulled: {pulls}"));
        let live: Vec<_> = mirrored.host.live().into_iter().collect();
        assert_eq!(
            live,
            [("a.md".to_owned(), "good".to_owned()), ("gone.md".to_owned(), "was here".to_owned())]
        );
        let deletions = mirrored.log().into_iter().filter(|version| version.operation == "deleted").count();
        assert_eq!(deletions, 2, "each deletion is here once");
    }
}

#[test]
fn a_restore_of_a_mirror_to_a_time_goes_by_the_hosts_clock() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "one");
        host.write("b.md", "two");
        host.rename("a.md", "c/a.md");
        host.delete("b.md");
    });
    let at = mirrored.log()[2].created_at.clone();
    let restore = wire::RestoreReq { store: mirrored.id.clone(), at, ..wire::RestoreReq::default() };
    let done = commands::restore(mirrored.app(), restore).expect("a restore");
    assert_eq!(done.queued, 2, "{done:?}");
    assert_eq!(kinds(mirrored.app()), ["update", "create"]);
    assert_eq!(push(mirrored.app()).sent, 2);
    let live: Vec<_> = mirrored.host.live().into_iter().collect();
    assert_eq!(live, [("a.md".to_owned(), "one".to_owned()), ("b.md".to_owned(), "two".to_owned())]);
    mirrored.assert_equal("after the restore");
}

#[test]
fn a_rejection_is_queued_and_comes_back_when_it_is_undone() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "good");
    });
    mirrored.host.write("a.md", "bad");
    pull(mirrored.app());
    assert_eq!(mirrored.inbox(), 1);
    let newest = mirrored.log().remove(0);
    let request = wire::ReviewReq {
        versions: vec![newest.id.clone()],
        verdict: "reject".to_owned(),
        ..wire::ReviewReq::default()
    };
    commands::review(mirrored.app(), request).expect("a review");
    assert_eq!((mirrored.inbox(), kinds(mirrored.app())), (0, vec!["update".to_owned()]));
    let ids = vec![queue(mirrored.app())[0].id];
    commands::withdraw_queued(mirrored.app(), wire::WithdrawReq { ids }).expect("taken back");
    assert_eq!(mirrored.inbox(), 1, "what was left to review is left again");
}

#[test]
fn a_redaction_reaches_the_host_by_the_queue_and_its_receipt_says_how_far_it_is() {
    let secret = ["sk", "secret", "0123456789abcdef"].join("-");
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", &format!("key {secret}\n"));
        host.write("a.md", "clean");
        host.write("b.md", &format!("also {secret}\n"));
    });
    // A change that holds it waits, and one is fetched that holds it.
    let first = mirrored.log().pop().expect("the first");
    mirrored.rollback("a.md", &first);
    assert_eq!(kinds(mirrored.app()), ["update"]);
    let request = wire::RedactReq { find: Some(secret.clone()), live: true, ..wire::RedactReq::default() };
    let done = commands::redact(mirrored.app(), request).expect("a redaction");
    assert!(done.warnings.iter().any(|warning| warning.contains("taken back")), "{:?}", done.warnings);
    assert_eq!(kinds(mirrored.app()), ["update", "redact", "redact"]);
    assert!(!holds_bytes(&mirrored.world.path("data"), secret.as_bytes()), "nothing here holds it");
    let receipt = done.receipt.expect("a receipt");
    let place = |receipt: &wire::Receipt| {
        let place =
            receipt.places.iter().find(|place| place.place == "Host hosted").expect("the host's place");
        (place.state.clone(), place.hits)
    };
    assert_eq!(place(&receipt), ("left".to_owned(), 2));
    let pushed = push(mirrored.app());
    assert_eq!((pushed.sent, pushed.queue.changes.len()), (3, 0), "{pushed:?}");
    let held = mirrored
        .host
        .versions()
        .into_iter()
        .any(|version| version.content.is_some_and(|content| content.contains(&secret)));
    assert!(!held, "the host does not have it any more");
    assert_eq!(mirrored.host.live()["b.md"], "also [redacted]\n");
    let again = commands::recheck_receipt(mirrored.app(), wire::ReceiptRef { receipt: receipt.id })
        .expect("a receipt");
    assert_eq!(place(&again), ("clean".to_owned(), 0));
    assert!(pull(mirrored.app()).finished);
    assert!(!holds_bytes(&mirrored.world.path("data"), secret.as_bytes()), "nothing came back");
}

#[test]
fn a_newest_version_is_not_redacted_at_the_host_before_there_is_a_newer_one() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "a secret of some length");
    });
    let head = mirrored.log().remove(0);
    let request = wire::RedactReq { versions: vec![head.id], ..wire::RedactReq::default() };
    commands::redact(mirrored.app(), request).expect("a redaction");
    let queued = queue(mirrored.app());
    assert!(queued[0].message.as_deref().is_some_and(|message| message.contains("newest")), "{queued:?}");
    let calls = mirrored.host.calls();
    assert_eq!(push(mirrored.app()).sent, 0);
    assert_eq!(mirrored.host.calls(), calls, "the host is not asked in vain");
    mirrored.host.write("a.md", "something else");
    pull(mirrored.app());
    assert_eq!(push(mirrored.app()).sent, 1);
    assert!(mirrored.host.versions()[0].redacted_at.is_some());
}

#[test]
fn what_the_host_redacted_is_said_and_kept_here() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "one");
        host.write("a.md", "two");
    });
    let first = mirrored.log().pop().expect("the first");
    mirrored.host.redact(&mirrored.host.versions()[0].id);
    let pulled = pull(mirrored.app());
    assert_eq!(pulled.redacted_at_host, [first.id]);
    assert_eq!(mirrored.remote().redacted_at_host, 1);
    assert_eq!(pull(mirrored.app()).redacted_at_host, Vec::<String>::new(), "said once");
}

/// A mirror of many versions, of which the oldest of `a.md` are redacted there since.
fn with_old_ones_redacted(count: usize) -> (Mirrored, Vec<String>) {
    let mirrored = Mirrored::new(|host| {
        for number in 0..90 {
            host.write("a.md", &format!("text {number}"));
        }
    });
    for version in &mirrored.host.versions()[..count] {
        mirrored.host.redact(&version.id);
    }
    let here = mirrored.log().into_iter().rev().take(count).map(|version| version.id).collect();
    (mirrored, here)
}

#[test]
fn what_the_host_redacted_long_ago_is_found_by_some_pulls_each_of_few_calls() {
    let (mirrored, old) = with_old_ones_redacted(2);
    // The fake host gives three a page: thirty are looked through as the newest ones, and fifteen more by each pull, of which
    // it saw the first one before.
    let mut found = Vec::new();
    for round in 1..=5 {
        let pulled = pull(mirrored.app());
        assert!(pulled.finished && pulled.calls < 30, "{pulled:?}");
        found.extend(pulled.redacted_at_host);
        assert_eq!(found.is_empty(), round < 5, "round {round}");
        assert_eq!(mirrored.remote().looked_through_at.is_some(), round == 5, "round {round}");
    }
    found.sort();
    assert_eq!(found, old);
    let remote = mirrored.remote();
    assert_eq!((remote.redacted_at_host, remote.redacted_versions), (2, old.clone()), "whoever pulled");
    // It begins anew, and finds what was redacted since.
    mirrored.host.redact(&mirrored.host.versions()[2].id.clone());
    let news: usize = (0..5).map(|_| pull(mirrored.app()).redacted_at_host.len()).sum();
    assert_eq!((news, mirrored.remote().redacted_versions.len()), (1, 3));
    // What is redacted here is offered no more.
    let request = wire::RedactReq { versions: old, ..wire::RedactReq::default() };
    commands::redact(mirrored.app(), request).expect("a redaction");
    assert_eq!(mirrored.remote().redacted_versions.len(), 1);
}

#[test]
fn a_full_pull_looks_through_all_versions_at_once() {
    let (mirrored, old) = with_old_ones_redacted(1);
    let full = wire::PullReq { full: true, ..wire::PullReq::default() };
    let pulled = commands::pull_remote(mirrored.app(), full.clone()).expect("the log works").stores.remove(0);
    assert_eq!((pulled.finished, &pulled.redacted_at_host), (true, &old));
    let remote = mirrored.remote();
    assert_eq!((&remote.redacted_versions, remote.looked_through_at.is_some()), (&old, true));
    // One that is cut off is gone on with by a pull as usual: thirty pages, of which it saw twenty.
    mirrored.host.redact(&mirrored.host.versions()[1].id.clone());
    mirrored.host.fail_after(24, unreachable());
    let cut = commands::pull_remote(mirrored.app(), full).expect("the log works").stores.remove(0);
    assert!(!cut.finished, "{cut:?}");
    let mut pulls = 0;
    while mirrored.remote().redacted_versions.len() < 2 {
        assert!(pull(mirrored.app()).finished);
        pulls += 1;
    }
    assert!(pulls <= 3, "{pulls} pulls");
}

#[test]
fn a_host_that_limits_the_look_through_old_versions_or_cannot_do_it_keeps_no_pull_from_its_end() {
    let refused = RemoteError::Refused {
        status: 400,
        kind: "invalid_request_error".to_owned(),
        message: "no".to_owned(),
    };
    let limited = RemoteError::Limited { retry_after: None, message: "slowly".to_owned() };
    for error in [limited, refused] {
        let (mirrored, old) = with_old_ones_redacted(1);
        let before = mirrored.host.calls();
        assert!(pull(mirrored.app()).finished);
        let asked = mirrored.host.asked();
        let first = asked.iter().position(|asked| asked == "older_versions").expect("it is asked");
        mirrored.host.fail_after(first as u64 - before + 1, error.clone());
        let pulled = pull(mirrored.app());
        assert!(pulled.finished && pulled.problem.is_none(), "{error}: {pulled:?}");
        assert_eq!(mirrored.remote().problem, None);
        while mirrored.remote().redacted_versions != old {
            assert!(pull(mirrored.app()).finished);
        }
    }
}

#[test]
fn archiving_is_queued_and_one_way() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "one");
        host.write("a.md", "two");
    });
    let store = wire::StoreRef { store: mirrored.id.clone() };
    assert_eq!(commands::archive_remote(mirrored.app(), store.clone()).expect("queued").changes.len(), 1);
    assert!(commands::archive_remote(mirrored.app(), store.clone()).is_err(), "once");
    assert_eq!(push(mirrored.app()).sent, 1);
    assert!(mirrored.remote().archived_at.is_some());
    let first = mirrored.log().pop().expect("the first");
    let request = wire::RollbackReq {
        memory: Some("hosted:a.md".to_owned()),
        to: Some(first.id),
        ..wire::RollbackReq::default()
    };
    assert_eq!(
        commands::rollback(mirrored.app(), request).expect_err("no host takes it").code,
        Code::Invalid
    );
}

#[test]
fn a_key_is_kept_for_its_host_and_never_answered() {
    let mirrored = Mirrored::new(|_| {});
    let key = ["sk", "of", "nobody"].join("-");
    let request = wire::HostKeyReq { key: Some(key.clone()), ..wire::HostKeyReq::default() };
    let remotes = commands::set_host_key(mirrored.app(), request).expect("kept");
    assert_eq!(remotes.hosts[0].key.as_deref(), Some("keyring"));
    assert!(!format!("{remotes:?}").contains(&key));
    let nothing_said = commands::set_host_key(mirrored.app(), wire::HostKeyReq::default());
    assert_eq!(nothing_said.expect_err("an empty request takes nothing away").code, wire::Code::Invalid);
    let forget = wire::HostKeyReq { remove: true, ..wire::HostKeyReq::default() };
    let remotes = commands::set_host_key(mirrored.app(), forget).expect("forgotten");
    assert_eq!(remotes.hosts[0].key, None);
}

/// A copy of a whole mirror's live memories is put back by one act, beside a directory's: a mixed plan.
#[test]
fn one_act_over_a_directory_and_a_mirror_writes_here_and_queues_there_and_is_undone_as_one() {
    let mirrored = Mirrored::new(|host| {
        host.write("shared.md", "at the host");
    });
    mirrored.world.record("here.md", "in the directory");
    let agent = |path: &str, text: &str| {
        mirrored.world.write(path, text);
        mirrored.host.write("shared.md", text);
    };
    agent("here.md", "worse");
    mirrored.world.scan();
    pull(mirrored.app());
    // Both are rejected by one act.
    let newest: Vec<String> = mirrored
        .world
        .log("here.md")
        .into_iter()
        .take(1)
        .chain(mirrored.log().into_iter().take(1))
        .map(|version| version.id)
        .collect();
    let request =
        wire::ReviewReq { versions: newest, verdict: "reject".to_owned(), ..wire::ReviewReq::default() };
    commands::review(mirrored.app(), request).expect("a review");
    assert_eq!(mirrored.world.read("here.md"), None, "nothing was known to be there");
    assert_eq!(kinds(mirrored.app()), ["update"]);
    assert_eq!(mirrored.host.live()["shared.md"], "worse");
    let undone = commands::undo(mirrored.app(), wire::UndoReq::default()).expect("undone");
    assert_eq!(undone.conflicts.len(), 0, "{undone:?}");
    assert_eq!(mirrored.world.read("here.md").as_deref(), Some("worse"));
    assert_eq!(kinds(mirrored.app()), Vec::<String>::new());
    assert_eq!(mirrored.inbox(), 1);
    // Done again, and undone after it was sent.
    let request = wire::RestoreReq {
        store: mirrored.id.clone(),
        at: mirrored.log().pop().expect("the first").created_at,
        ..wire::RestoreReq::default()
    };
    let done = commands::restore(mirrored.app(), request).expect("a restore");
    assert_eq!(push(mirrored.app()).sent, 1);
    assert_eq!(mirrored.host.live()["shared.md"], "at the host");
    mirrored.undo(done.operation_seq.expect("an operation")).expect("undone");
    assert_eq!(push(mirrored.app()).sent, 1);
    assert_eq!(mirrored.host.live()["shared.md"], "worse");
    mirrored.assert_equal("after all");
}

#[test]
fn whatever_acts_queue_and_hosts_do_meanwhile_no_edit_of_the_host_is_lost() {
    for seed in 100..120 {
        let mut state = seed;
        let mirrored = Mirrored::new(|host| {
            for _ in 0..6 {
                happens(host, &mut state);
            }
        });
        for round in 0..8 {
            for _ in 0..random(&mut state) % 3 {
                happens(&mirrored.host, &mut state);
            }
            let versions = mirrored.log();
            let whole: Vec<&wire::Version> =
                versions.iter().filter(|version| version.path.is_some()).collect();
            if !whole.is_empty() {
                let pick = usize::try_from(random(&mut state) % whole.len() as u64).expect("small");
                let request = wire::RestoreReq {
                    store: mirrored.id.clone(),
                    at: whole[pick].operation_seq.to_string(),
                    ..wire::RestoreReq::default()
                };
                drop(commands::restore(mirrored.app(), request).expect("a restore"));
            }
            if random(&mut state).is_multiple_of(2) {
                mirrored.host.lose_next_answer();
            }
            let written: Vec<String> =
                mirrored.host.versions().into_iter().map(|version| version.id).collect();
            push(mirrored.app());
            let after: Vec<String> = mirrored.host.versions().into_iter().map(|version| version.id).collect();
            assert_eq!(after[..written.len()], written[..], "a push only adds");
            while !pull(mirrored.app()).finished {}
            mirrored.assert_equal(&format!("seed {seed}, round {round}"));
            push(mirrored.app());
            let ids: Vec<u64> = queue(mirrored.app()).into_iter().map(|change| change.id).collect();
            commands::withdraw_queued(mirrored.app(), wire::WithdrawReq { ids }).expect("taken back");
            assert_eq!(queue(mirrored.app()).len(), 0);
        }
        while !pull(mirrored.app()).finished {}
        mirrored.assert_equal(&format!("seed {seed}, at last"));
    }
}

#[test]
fn what_the_host_did_between_the_pull_and_the_push_does_not_undo_what_was_sent() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "good");
        host.write("a.md", "bad");
    });
    let first = mirrored.log().pop().expect("the first");
    mirrored.rollback("a.md", &first);
    // Right before the update arrives an agent moves the memory, which its content does not tell.
    mirrored.host.before_next_write(|host| host.rename("a.md", "b.md"));
    assert_eq!(push(mirrored.app()).sent, 1);
    let live: Vec<_> = mirrored.host.live().into_iter().collect();
    assert_eq!(live, [("b.md".to_owned(), "good".to_owned())]);
    assert!(pull(mirrored.app()).finished);
    assert!(pull(mirrored.app()).finished);
    mirrored.assert_equal("after two pulls");
    assert_eq!(pull(mirrored.app()).versions, 0, "once");
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

/// Not a test of its own: pushes until it is killed, at the moment when its change arrives at the host.
#[test]
fn one_that_pushes() {
    let Some((_, directory)) = child::task() else { return };
    let host = good_then_bad();
    let mut options = options_of(&directory, 1);
    options.hosts = Arc::new(host.clone());
    let world = World::over(options);
    host.before_next_write(|_| {
        println!("pushing");
        // Until the parent ends this process.
        drop(std::io::stdin().lines().next());
    });
    push(&world.app);
}

#[test]
fn one_process_pushes_at_a_time_and_one_that_was_killed_keeps_nobody_from_it() {
    use std::io::BufRead as _;

    let directory = tempfile::tempdir().expect("a directory");
    let host = good_then_bad();
    let mut options = options_of(directory.path(), 2);
    options.hosts = Arc::new(host.clone());
    let world = World::over(options);
    add(&world.app).expect("a mirror");
    queued_rollback(&host, &world);
    let mut process = child::start("remotes::one_that_pushes", "push", directory.path());
    let mut output = std::io::BufReader::new(process.stdout.take().expect("its output"));
    let mut line = String::new();
    while !line.ends_with("pushing\n") {
        line.clear();
        assert!(output.read_line(&mut line).is_ok_and(|length| length > 0), "it did not come to its push");
    }
    let calls = host.calls();
    let refused = commands::push_remote(&world.app, wire::RemoteRef::default()).expect_err("one at a time");
    assert_eq!(refused.code, Code::Busy);
    assert!(refused.message.contains(&process.id().to_string()), "it says who: {}", refused.message);
    // The child's clock is at the first day, this one's at the second.
    assert!(refused.message.contains(", since 2026-11-21T"), "it says since when: {}", refused.message);
    assert_eq!((host.calls(), kinds(&world.app)), (calls, vec!["update".to_owned()]), "nothing was sent");
    process.kill().expect("it runs");
    process.wait().expect("it ends");
    assert_eq!(push(&world.app).sent, 1, "its lease ended with it");
    assert_eq!(host.live()["a.md"], "good");
}

#[test]
fn a_push_within_a_push_of_the_same_process_is_refused_as_well() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "good");
        host.write("a.md", "bad");
    });
    queued_rollback(&mirrored.host, &mirrored.world);
    // As a window and a server of one process have it.
    let app = App::open(options_of(&mirrored.world.path(""), 3)).expect("an app");
    let told = std::sync::mpsc::channel();
    mirrored.host.before_next_write(move |_| {
        drop(told.0.send(commands::push_remote(&app, wire::RemoteRef::default())));
    });
    assert_eq!(push(mirrored.app()).sent, 1);
    let refused = told.1.recv().expect("it was asked").expect_err("one at a time");
    assert_eq!(refused.code, Code::Busy);
    assert!(refused.message.starts_with("This process ("), "{}", refused.message);
    assert_eq!(push(mirrored.app()).sent, 0, "the lease was given back");
}

/// About now by the clock of the world, as the hosts' clocks are.
fn clock_of_the_world(host: &FakeHost) {
    host.set_clock(Timestamp::parse("2026-11-20T10:02:00Z").expect("a time"));
}

#[test]
fn what_was_sent_without_an_answer_is_the_persons_own_once_a_pull_brings_it() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "good");
        host.write("a.md", "bad");
        host.write("gone.md", "was here");
        host.write("new.md", "came");
        host.delete("gone.md");
    });
    clock_of_the_world(&mirrored.host);
    let versions = mirrored.log();
    let of = |path: &str, operation: &str| {
        let is_it = |version: &&wire::Version| {
            version.path.as_deref() == Some(path) && version.operation == operation
        };
        versions.iter().find(is_it).expect("one").clone()
    };
    for kind in ["update", "create", "delete"] {
        let done = match kind {
            "update" => mirrored.rollback("a.md", versions.last().expect("the first")),
            "create" => mirrored.rollback("gone.md", &of("gone.md", "created")),
            _ => {
                let operation_seq = Some(of("new.md", "created").operation_seq);
                let request = wire::RollbackReq { operation_seq, ..wire::RollbackReq::default() };
                commands::rollback(mirrored.app(), request).expect("a rollback")
            }
        };
        mirrored.host.lose_next_answer();
        assert!(push(mirrored.app()).problem.is_some(), "{kind}");
        assert_eq!(kinds(mirrored.app()), [kind], "nobody knows yet");
        assert!(pull(mirrored.app()).finished);
        assert_eq!((kinds(mirrored.app()), mirrored.inbox()), (Vec::<String>::new(), 0), "{kind}");
        let newest = mirrored.log().remove(0);
        assert_eq!(newest.source, "rollback", "{kind}");
        assert!(matches!(newest.created_by, Some(wire::ActorView::UserActor { .. })), "{kind}: {newest:?}");
        // The act is known to be sent, so that undoing it puts back what it did.
        let request = wire::UndoReq { operation_seq: done.operation_seq, dry_run: true };
        assert_eq!(commands::undo(mirrored.app(), request).expect("a preview").queued, 1, "{kind}");
    }
    mirrored.assert_equal("after all");
    // A push that finds it says that it was sent.
    mirrored.rollback("a.md", &of("a.md", "modified"));
    mirrored.host.lose_next_answer();
    push(mirrored.app());
    assert_eq!(push(mirrored.app()).sent, 1);
    assert_eq!(mirrored.log().remove(0).source, "rollback");
}

#[test]
fn what_others_did_alike_stays_theirs() {
    type Does = fn(&FakeHost);
    let by_an_agent: Does = |host| drop(host.write("a.md", "good"));
    let after_another: Does = |host| {
        host.write("a.md", "between");
        host.write_by_another_client("a.md", "good");
    };
    let long_after: Does = |host| {
        host.set_clock(Timestamp::parse("2026-11-20T11:00:00Z").expect("a time"));
        host.write_by_another_client("a.md", "good");
    };
    for does in [by_an_agent, after_another, long_after] {
        let mirrored = Mirrored::new(|host| {
            host.write("a.md", "good");
            host.write("a.md", "bad");
        });
        clock_of_the_world(&mirrored.host);
        mirrored.rollback("a.md", &mirrored.log().pop().expect("the first"));
        // The change does not arrive.
        let calls = pull(mirrored.app()).calls;
        mirrored.host.fail_after(calls, unreachable());
        assert!(push(mirrored.app()).problem.is_some());
        assert_eq!(mirrored.host.live()["a.md"], "bad");
        does(&mirrored.host);
        assert!(pull(mirrored.app()).finished);
        let newest = mirrored.log().remove(0);
        assert_eq!(newest.source, "api");
        assert!(!matches!(newest.created_by, Some(wire::ActorView::UserActor { .. })), "{newest:?}");
        assert!(mirrored.inbox() > 0, "it is to be reviewed");
    }
}

fn conflict(app: &App, id: u64) -> wire::QueuedConflict {
    commands::queued_conflict(app, wire::QueuedRef { id }).expect("a change")
}

fn retry(app: &App, id: u64, over: Option<&String>) -> Result<wire::RemoteQueue, wire::ApiError> {
    commands::retry_queued(app, wire::RetryQueuedReq { id, over: over.cloned() })
}

#[test]
fn a_change_that_met_a_newer_edit_is_queued_once_more_on_what_was_seen_there() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "good");
        host.write("a.md", "bad");
    });
    mirrored.rollback("a.md", &mirrored.log().pop().expect("the first"));
    let id = queue(mirrored.app())[0].id;
    assert!(!conflict(mirrored.app(), id).moved_on);
    assert_eq!(retry(mirrored.app(), id, None).expect_err("it waits").code, Code::Invalid);
    mirrored.host.write("a.md", "newer");
    assert_eq!(push(mirrored.app()).conflicts, 1);
    let seen = conflict(mirrored.app(), id);
    assert!(seen.moved_on);
    let (happened, would) = (seen.happened.expect("a difference"), seen.would.expect("a difference"));
    // Three contents: what it was, what is there now, what the change makes of it.
    assert_eq!(happened.from.content_sha256, Some(Sha256::of(b"bad").to_hex()));
    assert_eq!(happened.to.content_sha256, Some(Sha256::of(b"newer").to_hex()));
    assert_eq!(would.from.content_sha256, Some(Sha256::of(b"newer").to_hex()));
    assert_eq!(would.to.content_sha256, Some(Sha256::of(b"good").to_hex()));
    assert_eq!(seen.now_version_id.as_ref(), Some(&mirrored.log()[0].id));
    // What was seen is not what is there when a pull brought something else since.
    mirrored.host.write("a.md", "newest");
    pull(mirrored.app());
    let refused = retry(mirrored.app(), id, seen.now_version_id.as_ref()).expect_err("it moved on");
    assert_eq!((refused.code, queue(mirrored.app())[0].state.as_str()), (Code::HeadMoved, "conflict"));
    let seen = conflict(mirrored.app(), id);
    let queued = retry(mirrored.app(), id, seen.now_version_id.as_ref()).expect("queued").changes;
    assert_eq!((queued[0].id, queued[0].state.as_str(), &queued[0].message), (id, "waiting", &None));
    assert_eq!(queued[0].expected_sha256, Some(Sha256::of(b"newest").to_hex()));
    // It is as careful as before.
    mirrored.host.before_next_write(|host| drop(host.write("a.md", "at the last moment")));
    assert_eq!(push(mirrored.app()).conflicts, 1);
    assert_eq!(mirrored.host.live()["a.md"], "at the last moment");
    pull(mirrored.app());
    let seen = conflict(mirrored.app(), id);
    retry(mirrored.app(), id, seen.now_version_id.as_ref()).expect("queued");
    assert_eq!(push(mirrored.app()).sent, 1);
    assert_eq!(mirrored.host.live()["a.md"], "good");
    mirrored.assert_equal("after the retries");
}

#[test]
fn a_change_of_what_is_gone_or_taken_by_now_is_queued_as_what_it_has_to_be() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "good");
        host.write("a.md", "bad");
        host.write("b.md", "stays");
        host.write("c.md", "was here");
        host.delete("c.md");
    });
    let versions = mirrored.log();
    let made = |path: &str| {
        let is_it = |version: &&wire::Version| {
            version.path.as_deref() == Some(path) && version.operation == "created"
        };
        versions.iter().find(is_it).expect("one").clone()
    };
    mirrored.rollback("a.md", &made("a.md"));
    mirrored.rollback("c.md", &made("c.md"));
    let operation_seq = Some(made("b.md").operation_seq);
    let request = wire::RollbackReq { operation_seq, ..wire::RollbackReq::default() };
    commands::rollback(mirrored.app(), request).expect("a rollback");
    assert_eq!(kinds(mirrored.app()), ["update", "create", "delete"]);
    mirrored.host.delete("a.md");
    mirrored.host.write("c.md", "another one");
    mirrored.host.write("b.md", "edited");
    assert_eq!(push(mirrored.app()).conflicts, 3);
    let over = |id: u64| conflict(mirrored.app(), id).now_version_id;
    let queued = queue(mirrored.app());
    assert_eq!(over(queued[0].id), None, "nothing is there");
    for change in &queued {
        retry(mirrored.app(), change.id, over(change.id).as_ref()).expect("queued");
    }
    assert_eq!(kinds(mirrored.app()), ["create", "update", "delete"]);
    assert_eq!(push(mirrored.app()).sent, 3);
    let live: Vec<_> = mirrored.host.live().into_iter().collect();
    assert_eq!(live, [("a.md".to_owned(), "good".to_owned()), ("c.md".to_owned(), "was here".to_owned())]);
    assert!(pull(mirrored.app()).finished);
    mirrored.assert_equal("after the retries");
}

#[test]
fn a_log_of_all_stores_goes_by_the_time_of_each_version() {
    let mirrored = Mirrored::new(|host| {
        host.write("a.md", "one");
        host.write("a.md", "two");
        host.write("a.md", "three");
    });
    mirrored.world.record("here.md", "in the directory");
    let hosted = mirrored.log();
    let paths = |since: Option<&str>, until: Option<&str>, store: Option<&str>| -> Vec<String> {
        let request = wire::LogReq {
            since: since.map(str::to_owned),
            until: until.map(str::to_owned),
            store: store.map(str::to_owned),
            ..wire::LogReq::default()
        };
        let versions = commands::log(mirrored.app(), request).expect("a log").versions;
        versions.into_iter().map(|version| version.path.expect("a path")).collect()
    };
    // Two of the host's happened by then, long before anything was recorded here.
    let second = hosted[1].created_at.as_str();
    assert_eq!(paths(None, Some(second), None), ["a.md", "a.md"]);
    assert_eq!(paths(Some(second), None, None), ["here.md", "a.md", "a.md"]);
    assert_eq!(paths(Some("2026-11-01T00:00:00Z"), None, None), ["here.md"]);
    assert_eq!(paths(Some("2026-11-01T00:00:00Z"), None, Some("notes")), ["here.md"]);
    assert_eq!(paths(Some("2027-01-01T00:00:00Z"), None, None), Vec::<String>::new());
    assert_eq!(paths(None, Some("2026-08-01T00:00:00Z"), None), Vec::<String>::new());
    assert_eq!(paths(Some(second), Some(second), None), ["a.md"]);
}

#[test]
fn entries_are_moved_and_memories_expire_in_a_mirror() {
    let mirrored = Mirrored::new(|host| {
        host.write("MEMORY.md", "# Index\n\n- [Old](old.md)\n- Build with make.\n");
        host.write("old.md", "old\n");
    });
    let request = wire::MoveEntryReq {
        store: "hosted".to_owned(),
        path: "MEMORY.md".to_owned(),
        line: 4,
        to: "build.md".to_owned(),
        ..wire::MoveEntryReq::default()
    };
    let preview = wire::MoveEntryReq { dry_run: true, ..request.clone() };
    assert_eq!(commands::move_entry(mirrored.app(), preview).expect("a preview").queued, 2);
    assert_eq!(queue(mirrored.app()).len(), 0);
    let moved = commands::move_entry(mirrored.app(), request).expect("it is queued");
    assert_eq!((moved.queued, kinds(mirrored.app())), (2, vec!["update".to_owned(), "create".to_owned()]));
    assert!(!mirrored.host.live().contains_key("build.md"), "nothing is sent before a push");
    assert_eq!(push(mirrored.app()).sent, 2);
    assert!(mirrored.host.live()["build.md"].contains("Build with make."));
    assert!(!mirrored.host.live()["MEMORY.md"].contains("Build with make."));
    let request = wire::ExpireReq {
        store: "hosted".to_owned(),
        memories: vec![wire::ExpireMemory { path: "old.md".to_owned(), expect: None }],
        ..wire::ExpireReq::default()
    };
    let gone = commands::expire(mirrored.app(), request).expect("it is queued");
    assert_eq!((gone.queued, kinds(mirrored.app())), (2, vec!["update".to_owned(), "delete".to_owned()]));
    assert_eq!(push(mirrored.app()).sent, 2);
    let live = mirrored.host.live();
    assert!(!live.contains_key("old.md") && !live["MEMORY.md"].contains("old.md"), "{live:?}");
    assert!(pull(mirrored.app()).finished);
    mirrored.assert_equal("after both");
    let undone = mirrored.undo(gone.operation_seq.expect("an operation")).expect("undone");
    assert_eq!((undone.queued, push(mirrored.app()).sent), (2, 2));
    assert_eq!(mirrored.host.live()["old.md"], "old\n");
}
