//! A queued change is sent once, never over a newer edit, whatever happens to the answer or the process.

use super::{
    Mirrored, add, clock_of_the_world, good_then_bad, happens, kinds, pull, push, queue, queued_rollback,
    random,
};
use retrace_api::wire::{self, Code};
use retrace_api::{App, commands};
use retrace_model::Sha256;
use retrace_tests::{World, child, options_of};
use std::sync::Arc;

/// The newest version of a path that an operation of this kind made.
fn version_of(versions: &[wire::Version], path: &str, operation: &str) -> wire::Version {
    let is_it =
        |version: &&wire::Version| version.path.as_deref() == Some(path) && version.operation == operation;
    versions.iter().find(is_it).expect("one").clone()
}

#[test]
fn a_newer_edit_at_the_host_is_never_overwritten() {
    let (mirrored, first) = Mirrored::good_then_bad();
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
        let of = |path, operation| version_of(&versions, path, operation);
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
    let (mirrored, first) = Mirrored::good_then_bad();
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
    let mut process = child::start("remotes::pushing::one_that_pushes", "push", directory.path());
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
    let reported = std::sync::mpsc::channel();
    mirrored.host.before_next_write(move |_| {
        drop(reported.0.send(commands::push_remote(&app, wire::RemoteRef::default())));
    });
    assert_eq!(push(mirrored.app()).sent, 1);
    let refused = reported.1.recv().expect("it was asked").expect_err("one at a time");
    assert_eq!(refused.code, Code::Busy);
    assert!(refused.message.starts_with("This process ("), "{}", refused.message);
    assert_eq!(push(mirrored.app()).sent, 0, "the lease was given back");
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
    let of = |path, operation| version_of(&versions, path, operation);
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
    // The seen version is not the present one when a pull brought something else since.
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
    let made = |path| version_of(&versions, path, "created");
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
