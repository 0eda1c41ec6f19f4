//! A copy of a log that goes on under the same identity: what waits at the hub for the one is not carried out by the other.

use super::{Hub, Machine};
use retrace_api::commands;
use retrace_api::wire::{
    Code, HubAcceptReq, HubApproveReq, HubFault, HubProposalKind, HubProposalRef, HubProposeReq, InboxReq,
    RedactReq,
};

const SECRET: &str = "quartz-heron-5521-opens";

/// A machine whose second version is `two.md`, and a copy of it whose second version is another.
fn forked(machine: &Machine) -> Machine {
    machine.record("fact.md", "the first\n");
    machine.synced();
    let copy = machine.copy();
    // Both record the same directory.
    machine.world.write("harmless.md", "harmless words of the copy\n");
    copy.world.scan();
    std::fs::remove_file(machine.world.path("notes/harmless.md")).expect("it was there");
    machine.record("two.md", format!("before, with {SECRET}\n"));
    machine.synced();
    copy
}

#[test]
fn a_fork_carries_no_redaction_out_and_takes_no_approval() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let copy = forked(&b);
    let second = b.world.log("two.md").remove(0);
    let approve = HubApproveReq { versions: vec![second.id.clone()] };
    commands::hub_approve(&a.world.app, approve).expect("it is approved");
    a.record("own.md", format!("own {SECRET}\n"));
    let redact = RedactReq { find: Some(SECRET.to_owned()), live: true, ..RedactReq::default() };
    commands::redact(&a.world.app, redact).expect("a redaction");
    a.synced();

    let left = |machine: &Machine| {
        let inbox = commands::inbox(&machine.world.app, InboxReq::default()).expect("an inbox");
        format!("{inbox:?}")
    };
    let before = left(&copy);
    for again in 0..2 {
        let synced = copy.sync().expect("an answer");
        let problems: Vec<_> = synced.problems.iter().map(|problem| problem.code).collect();
        assert_eq!(problems, [HubFault::Fork], "{again}");
        let said = synced.problems[0].message.text();
        assert!(said.contains("forks at version 2"), "{said}");
        assert!(synced.redactions.is_empty() && synced.reviews == 0, "{synced:?}");
        assert_eq!(copy.world.log("harmless.md").remove(0).redacted_at, None);
        assert_eq!(left(&copy), before);
    }

    // The machine that is meant does both.
    let synced = b.synced();
    assert_eq!(synced.redactions.len(), 1);
    let redacted = b.world.log("").into_iter().find(|version| version.id == second.id).expect("the version");
    assert!(redacted.redacted_at.is_some());
    assert!(!b.world.read("two.md").unwrap_or_default().contains(SECRET));
}

#[test]
fn a_fork_is_named_where_the_chains_part() {
    let Some((_hub, [a])) = Hub::with_machines(["a"]) else { return };
    for number in 0..9 {
        a.record("fact.md", format!("{number}\n"));
    }
    a.synced();
    let copy = a.copy();
    for number in 0..5 {
        a.world.write("fact.md", format!("of the copy {number}\n"));
        copy.world.scan();
    }
    for number in 0..7 {
        a.record("fact.md", format!("of the machine {number}\n"));
    }
    a.synced();
    let problem = copy.sync().expect("an answer").problems.remove(0);
    assert!(problem.message.text().contains("forks at version 10"), "{:?}", problem.message);
}

#[test]
fn a_fork_restores_nothing_that_was_proposed() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let copy = forked(&b);
    let request = HubProposeReq {
        kind: HubProposalKind::Restore,
        version: None,
        text: None,
        machine: Some("b".to_owned()),
        store: Some("notes".to_owned()),
        at: Some("1".to_owned()),
        note: None,
    };
    let proposal = commands::hub_propose(&a.world.app, request).expect("a proposal");
    let accept = HubAcceptReq { store: "notes".to_owned(), accept: true };
    commands::hub_accept(&copy.world.app, accept).expect("it accepts proposals");
    let synced = copy.sync().expect("an answer");
    assert!(synced.proposals.is_empty(), "{:?}", synced.proposals);
    assert!(copy.world.log("").iter().all(|version| version.source != "restore"));
    let asked = HubProposalRef { id: proposal.id.clone() };
    let refused =
        commands::hub_accept_proposal(&copy.world.app, asked.clone()).map(drop).expect_err("a fork");
    assert_eq!(refused.code, Code::Invalid);
    let done = commands::hub_accept_proposal(&b.world.app, asked).expect("the machine that is meant");
    assert_eq!(done.state.as_str(), "done");
}
