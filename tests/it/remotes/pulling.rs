//! A mirror holds what its host held, and a pull that is cut off anywhere loses nothing.

use super::{Mirrored, add, assert_equal, clock_of_the_world, happens, pull, push, random, unreachable};
use retrace_api::commands;
use retrace_api::remote::api::RemoteError;
use retrace_api::wire::{self, Code};
use retrace_log::{LogFiles, ReadConnection};
use retrace_model::{StoreId, Timestamp};
use retrace_tests::host::FakeHost;
use retrace_tests::trap::{Spring, Trap};
use retrace_tests::{World, child, options_of};
use std::collections::BTreeMap;
use std::sync::Arc;

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
        (again.message.text(), again.hint.text()),
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
    let missing = RemoteError::NotFound { message: retrace_api::wire::Message::verbatim("none") };
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
                // The call that searches for the store comes before the pull.
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
            child::command("remotes::pulling::one_that_is_killed", &step.to_string(), directory.path())
                .output();
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
