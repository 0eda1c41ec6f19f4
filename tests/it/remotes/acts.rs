//! Acts on mirrors: each waits in the queue, and undoing it takes it back or queues what it took back.

use super::{Mirrored, kinds, pull, push, queue};
use retrace_api::commands;
use retrace_api::wire::{self, Code};

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
    let (mirrored, first) = Mirrored::good_then_bad();
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
    // An act that was done again and sent is undone by putting it back.
    let last = mirrored.undo(again.operation_seq.expect("an operation")).expect("undone");
    assert_eq!(last.queued, 2);
    assert_eq!(push(mirrored.app()).sent, 2);
    assert_eq!(mirrored.host.live()["a.md"], "bad");
    mirrored.assert_equal("after all");
}

#[test]
fn an_undo_is_not_undone_onto_a_newer_edit_or_beside_another_change() {
    let (mirrored, first) = Mirrored::good_then_bad();
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
    // The changes that the undoing sent are no act of its own, and what is left is the agent's.
    assert_eq!(undo().expect_err("no act is left").code, Code::NotFound);
}

#[test]
fn a_path_of_a_mirror_is_taken_as_its_api_prints_it() {
    let mirrored = Mirrored::new(|host| drop(host.write("a.md", "one\n")));
    for memory in ["hosted:/a.md", "hosted:a.md"] {
        let request = wire::BlameReq { target: memory.to_owned(), job: None };
        assert_eq!(commands::blame(mirrored.app(), request).expect("it is there").lines.len(), 1);
    }
    let request = wire::LogReq { path: Some("/a.md".to_owned()), ..wire::LogReq::default() };
    assert_eq!(commands::log(mirrored.app(), request).expect("a log").versions.len(), 1);
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
    let nothing_reported = commands::set_host_key(mirrored.app(), wire::HostKeyReq::default());
    assert_eq!(nothing_reported.expect_err("an empty request takes nothing away").code, wire::Code::Invalid);
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
