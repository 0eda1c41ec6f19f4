//! Sending: acknowledged versions, forks, chains cut short, redactions, kills.

use super::{Hub, HubProcess, Machine, Signer};
use retrace_api::commands;
use retrace_api::wire::{
    Code, HubFault, HubLeaveReq, HubMachineRef, HubSend, HubSendReq, HubTokenReq, Nothing,
};
use retrace_tests::network::Network;
use retrace_tests::postgres::Postgres;
use serde_json::json;

#[test]
fn two_machines_see_the_same_versions() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    a.record("fact.md", "fact of a\n");
    b.record("fact.md", "fact of b\n");
    assert_eq!((a.synced().stores[0].versions, b.synced().stores[0].versions), (1, 1));
    let seen = a.versions();
    let names: Vec<&str> = seen.iter().map(|version| version.machine_name.as_str()).collect();
    assert!(names.contains(&"a") && names.contains(&"b") && seen.len() == 2, "{seen:?}");
    assert!(
        seen.iter().all(|version| version.content == "kept" && version.path.as_deref() == Some("fact.md"))
    );
    assert_eq!(format!("{seen:?}"), format!("{:?}", b.versions()));
    assert_eq!(a.synced().stores[0].versions, 0, "nothing is sent twice");
}

#[test]
fn a_token_is_taken_once() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    commands::hub_leave(&b.world.app, HubLeaveReq::default()).expect("it leaves");
    let refused = b.join(hub.url(), "rthub_wrong").expect_err("a wrong token");
    assert_eq!(refused.code, Code::KeyRefused);
    let token = a.token();
    b.join(hub.url(), &token).expect("it joins again");
    let other = Machine::new("c");
    let refused = other.join(hub.url(), &token).expect_err("a token that was used");
    assert_eq!(refused.code, Code::KeyRefused);
    let refused = b.run(&["hub", "token"]);
    assert_eq!(refused.0, retrace_cli::Exit::of(Code::KeyRefused), "{}", refused.2);
}

#[test]
fn a_killed_hub_loses_nothing_that_it_acknowledged() {
    let Some(database) = Postgres::database() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let hub = HubProcess::start(&database.url(), folder.path());
    let network = Network::before(&[&hub.url]);
    let machine = Machine::new("a");
    let token = hub.owner_token.clone().expect("the first start makes a token");
    machine.join(&network.url(), &token).expect("it joins");
    machine.record("fact.md", "one\n");
    machine.synced();
    hub.kill();
    for count in 1..=3 {
        machine.record("fact.md", format!("{count}\n"));
    }
    let hub = HubProcess::start(&database.url(), folder.path());
    assert_eq!(hub.owner_token, None, "a second start makes no token");
    network.turn_to(&[&hub.url]);
    assert_eq!(machine.synced().stores[0].versions, 3);
    assert_eq!(machine.versions().len(), 4);
}

#[test]
fn a_fork_and_a_cut_chain_are_seen() {
    let Some((_hub, [machine])) = Hub::with_machines(["a"]) else { return };
    machine.record("fact.md", "both\n");
    machine.synced();
    let (fork, cut) = (machine.copy(), machine.copy());
    machine.record("fact.md", "here\n");
    machine.synced();
    // The copy watches the same directory.
    machine.world.write("fact.md", "there\n");
    fork.world.scan();
    let seen = fork.sync().expect("an answer").problems;
    assert_eq!(seen.iter().map(|problem| problem.code).collect::<Vec<_>>(), [HubFault::Fork]);
    let seen = cut.sync().expect("an answer").problems;
    assert_eq!(seen.iter().map(|problem| problem.code).collect::<Vec<_>>(), [HubFault::ChainCut]);
    let (exit, _, _) = cut.run(&["--json", "sync"]);
    assert_eq!(exit, retrace_cli::Exit::of(Code::HeadMoved));
    assert_eq!(machine.versions().len(), 2, "nothing of them was taken");
}

#[test]
fn a_redaction_takes_the_content_from_the_hub() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    b.record("fact.md", "what must go\n");
    b.synced();
    let version = b.world.log("fact.md").remove(0);
    let (exit, _, errors) = b.run(&["--quiet", "redact", &version.id]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    assert_eq!(b.synced().stores[0].redacted, 1);
    let at_hub = a.versions();
    assert_eq!((at_hub[0].content.as_str(), at_hub[0].path.as_ref()), ("redacted", None));
}

#[test]
fn the_advice_for_a_fork_leaves_the_other_copy_alone() {
    let Some((hub, [original])) = Hub::with_machines(["a"]) else { return };
    original.record("fact.md", "one\n");
    original.synced();
    let copy = original.copy();
    original.record("fact.md", "two by the original\n");
    original.synced();
    // The copy watches the same directory.
    original.world.write("fact.md", "two by the copy\n");
    copy.world.scan();
    let problems = copy.sync().expect("an answer").problems;
    assert_eq!(problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [HubFault::Fork]);
    commands::hub_leave(&copy.world.app, HubLeaveReq { new_identity: true }).expect("it leaves");
    original.synced();
    copy.join(hub.url(), &original.token()).expect("it joins as another machine");
    copy.synced();
    assert_ne!(copy.status().machine, original.status().machine);
}

#[test]
fn the_last_owner_does_not_leave() {
    let Some((hub, [owner, member])) = Hub::with_machines(["owner", "member"]) else { return };
    for new_identity in [false, true] {
        let request = HubLeaveReq { new_identity };
        let refused = commands::hub_leave(&owner.world.app, request).expect_err("the last owner");
        assert_eq!(refused.code, Code::Invalid);
        assert!(refused.hint.text().contains("hub role MACHINE owner"), "{refused:?}");
    }
    owner.synced();
    commands::hub_leave(&member.world.app, HubLeaveReq::default()).expect("it leaves");
    let request = HubTokenReq { owner: true, ..HubTokenReq::default() };
    let token = commands::hub_token(&owner.world.app, request).expect("a token").token;
    member.join(hub.url(), &token).expect("it joins");
    commands::hub_leave(&owner.world.app, HubLeaveReq::default()).expect("another owner is there");
}

#[test]
fn a_machine_that_was_removed_joins_as_another_one() {
    let Some((hub, [owner, member])) = Hub::with_machines(["owner", "member"]) else { return };
    member.record("fact.md", "one\n");
    member.synced();
    let before = member.status().machine;
    let removed = HubMachineRef { machine: "member".to_owned() };
    commands::hub_remove_machine(&owner.world.app, removed).expect("it is removed");
    let refused = member.sync().expect_err("it is not registered");
    assert!(refused.hint.text().contains("retrace hub leave"), "{refused:?}");
    commands::hub_leave(&member.world.app, HubLeaveReq::default()).expect("it leaves");
    member.join(hub.url(), &owner.token()).expect("it joins again");
    assert_ne!(member.status().machine, before);
    member.synced();
    // The key alone goes where no hub is joined.
    commands::hub_leave(&member.world.app, HubLeaveReq::default()).expect("it leaves");
    let key = Signer::of_file(&member).machine();
    commands::hub_leave(&member.world.app, HubLeaveReq { new_identity: true }).expect("its key goes");
    member.join(hub.url(), &owner.token()).expect("it joins again");
    assert_ne!(Signer::of_file(&member).machine(), key);
}

/// Processes change the same file; none takes back what another one wrote.
#[test]
fn what_a_store_may_send_is_not_lost_while_a_sync_runs() {
    let Some((hub, [machine])) = Hub::with_machines(["a"]) else { return };
    for round in 0..12 {
        for file in 0..30 {
            machine.world.write(&format!("f{round}-{file}.md"), format!("{round} {file}\n"));
        }
        machine.world.scan();
        let send = |send| HubSendReq { store: Some("notes".to_owned()), send };
        commands::hub_send(&machine.world.app, send(HubSend::Metadata)).expect("chosen");
        let mut sync = machine.command(&["--json", "sync"]).spawn().expect("a process");
        let mut choose = machine.command(&["hub", "send", "notes", "nothing"]).spawn().expect("a process");
        assert!(choose.wait().expect("it ends").success());
        let late = format!("late-{round}.md");
        machine.record(&late, "written after the choice\n");
        sync.wait().expect("it ends");
        assert_eq!(machine.status().stores[0].send, HubSend::Nothing, "round {round}");
        assert_eq!(hub.tables_with(&late), Vec::<String>::new(), "round {round}");
    }
}

#[test]
fn leaving_a_hub_that_is_not_reached_says_so_and_is_told_later() {
    let Some((hub, [owner, far, other])) = Hub::with_machines(["owner", "far", "other"]) else { return };
    let network = Network::before(&[hub.url()]);
    let is_member = |name: &str| {
        let listed = commands::hub_machines(&owner.world.app, Nothing {}).expect("a list").machines;
        listed.iter().any(|machine| machine.name == name && machine.left_at.is_none())
    };
    for (machine, name) in [(&far, "far"), (&other, "other")] {
        commands::hub_leave(&machine.world.app, HubLeaveReq::default()).expect("it leaves");
        machine.join(&network.url(), &owner.token()).expect("it joins through the network");
        assert!(is_member(name));
    }
    network.turn_to(&["http://127.0.0.1:1"]);
    let id = far.status().machine.expect("it joined");
    let (exit, output, errors) = far.run(&["hub", "leave"]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{output} {errors}");
    assert!(output.contains("No hub is joined"), "{output}");
    assert!(errors.contains("was not told") && errors.contains("`retrace hub leave` once more"), "{errors}");
    assert!(errors.contains(&format!("retrace hub remove {id}")), "{errors}");
    let again = commands::hub_leave(&far.world.app, HubLeaveReq::default()).expect("it says so again");
    assert_eq!(again.not_told.expect("not told").code, HubFault::Unreachable);
    let answer = other.world.app.call("hub_leave", json!({ "new_identity": true })).expect("it leaves");
    assert_eq!(answer["not_told"]["code"], "unreachable", "{answer}");
    assert!(answer["not_told"]["hint"].to_string().contains("retrace hub remove"), "{answer}");
    assert!(is_member("far") && is_member("other"));

    network.turn_to(&[hub.url()]);
    let told = commands::hub_leave(&far.world.app, HubLeaveReq::default()).expect("it tells the hub");
    assert!(told.not_told.is_none() && !is_member("far"));
    let nowhere = commands::hub_leave(&far.world.app, HubLeaveReq::default()).expect_err("it left");
    assert_eq!(nowhere.code, Code::NotFound);
    // Without its key it cannot tell it.
    let gone = commands::hub_leave(&other.world.app, HubLeaveReq::default()).expect_err("it left");
    assert_eq!((gone.code, is_member("other")), (Code::NotFound, true));
}
