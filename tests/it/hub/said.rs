//! Comments and proposals that a hub lost, since its database was restored from an older backup: the machine that made them finds out,
//! says so, and names them; the doctor does too.

use super::kept_out::Restored;
use super::{Hub, Machine};
use retrace_api::commands;
use retrace_api::wire::{
    HubCommentRef, HubCommentReq, HubFault, HubLostKind, HubProposalKind, HubProposeReq, HubRole, HubRoleReq,
    HubShown,
};
use retrace_hub::{State, doctor};

fn comment(machine: &Machine, version: &str, text: &str) -> HubShown {
    let request = HubCommentReq { version: version.to_owned(), text: text.to_owned() };
    commands::hub_comment(&machine.world.app, request).expect("a comment")
}

fn propose(machine: &Machine, version: &str) {
    let request = HubProposeReq {
        kind: HubProposalKind::Edit,
        version: Some(version.to_owned()),
        text: Some("as it might be\n".to_owned()),
        machine: None,
        store: None,
        at: None,
        note: None,
    };
    commands::hub_propose(&machine.world.app, request).expect("a proposal");
}

/// The problems of a sync, each with its sentence.
fn problems(machine: &Machine) -> Vec<(HubFault, String)> {
    let problems = machine.sync().expect("an answer").problems;
    problems.into_iter().map(|problem| (problem.code, problem.message.text().to_owned())).collect()
}

#[test]
fn comments_and_proposals_that_a_restored_hub_lost_are_named() {
    let Some((restored, hub)) = Restored::start() else { return };
    let (a, b) = (Machine::new("a"), Machine::new("b"));
    a.join(&restored.network.url(), hub.owner_token().expect("a token")).expect("it joins");
    b.join(&restored.network.url(), &a.token()).expect("it joins");
    let fact = b.record("fact.md", "a fact\n").id;
    b.synced();
    comment(&a, &fact, "said before the backup");
    a.synced();
    restored.dump();
    comment(&a, &fact, "said since");
    let removed = comment(&a, &fact, "taken back").comments.last().expect("a comment").number;
    commands::hub_remove_comment(&a.world.app, HubCommentRef { number: removed }).expect("it goes");
    propose(&a, &fact);
    // The hub gives back that it knows all this.
    a.synced();
    assert!(a.status().lost.is_empty());
    // And this no sync heard of.
    comment(&a, &fact, "said last");
    let _hub = restored.restore(hub);

    let [(code, said)] = &problems(&a)[..] else { panic!("one thing to tell") };
    assert_eq!(*code, HubFault::SaidLost);
    assert!(said.contains("Comments: 2, proposals: 1"), "{said}");
    assert_eq!(problems(&a), [], "it is told once");
    assert_eq!(problems(&b), [], "who lost nothing hears nothing");
    let lost = a.status().lost;
    let kinds: Vec<_> = lost.iter().map(|lost| lost.kind).collect();
    assert_eq!(kinds, [HubLostKind::Comment, HubLostKind::Proposal, HubLostKind::Comment]);
    assert!(lost.iter().all(|lost| lost.about == fact), "{lost:?}");
    let (_, text, _) = a.run(&["hub", "status"]);
    let line = format!("the hub lost a proposal of this machine on {fact}");
    assert!(text.contains(&line) && !text.contains("said since"), "{text}");
    let checks = doctor(&restored.examined()).expect("it examines");
    let found = checks.iter().find(|check| check.name == "said").expect("it looks at that");
    assert_eq!(found.state, State::Warning);
    assert!(found.found.contains("a: 2 comments, 1 proposal") && !found.next.is_empty(), "{found:?}");

    // Said again it is there, and is not missed.
    comment(&a, &fact, "said again");
    propose(&a, &fact);
    a.synced();
    let (exit, _, errors) = a.run(&["sync", "--resend"]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    assert_eq!(a.status().lost.len(), 3);
}

#[test]
fn a_comment_that_an_owner_removed_was_not_lost() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let role = HubRoleReq { machine: "b".to_owned(), role: HubRole::Reviewer };
    commands::hub_set_role(&a.world.app, role).expect("a role");
    let fact = a.record("fact.md", "a fact\n").id;
    a.synced();
    let number = comment(&b, &fact, "beside the point").comments[0].number;
    commands::hub_remove_comment(&a.world.app, HubCommentRef { number }).expect("it goes");
    b.synced();
    let (exit, _, errors) = b.run(&["sync", "--resend"]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    assert!(b.status().lost.is_empty());
}
