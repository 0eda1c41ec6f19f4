//! A copy of a log that goes on under the same identity: what waits at the hub for the one is not carried out by the other.

use super::{Hub, Machine};
use retrace_api::commands;
use retrace_api::wire::{
    Code, HubAcceptReq, HubApproveReq, HubFault, HubProposalKind, HubProposalRef, HubProposeReq, InboxReq,
    Nothing, RedactReq,
};
use retrace_hub::{DoctorOptions, State, doctor};

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

#[test]
fn whoever_is_at_the_machine_hears_of_a_refused_copy() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let copy = forked(&b);
    let examined = || {
        let options = DoctorOptions { database: hub.database.url(), key_file: None, whole: false, now: None };
        let checks = doctor(&options).expect("it examines");
        checks.into_iter().find(|check| check.name == "copies").expect("it is examined")
    };
    b.synced();
    assert!(b.status().waiting.expect("it synced").copy.is_none());
    assert_eq!(examined().state, State::Ok);
    let problem = copy.sync().expect("an answer").problems.remove(0);
    assert_eq!(problem.code, HubFault::Fork);

    b.synced();
    let told = b.status().waiting.expect("it synced").copy.expect("a copy was refused");
    assert_eq!((told.store_name.as_deref(), told.seq), (Some("notes"), 2));
    let (_, text, _) = b.run(&["hub", "status"]);
    assert!(text.contains("a copy of this machine's data directory was refused"), "{text}");
    assert!(text.contains("from version 2 of notes on") && text.contains("--new-identity"), "{text}");
    assert!(copy.status().waiting.is_none_or(|waiting| waiting.copy.is_none()), "the copy knows of itself");
    let listed = commands::hub_machines(&a.world.app, Nothing {}).expect("a list").machines;
    let of = |name: &str| listed.iter().find(|machine| machine.name == name).expect("it is listed");
    assert!(of("a").copy.is_none() && of("b").copy.is_some());
    let (_, text, _) = a.run(&["hub", "machines"]);
    assert!(
        text.lines().any(|line| line.starts_with("b ") && line.contains("a copy of it was refused")),
        "{text}"
    );
    let check = examined();
    assert_eq!(check.state, State::Warning);
    assert!(check.found.contains("of b,") && check.next.contains("--new-identity"), "{check:?}");
    let noted = "SELECT count(*) FROM audit WHERE action = 'copy_refused'";
    assert_eq!(hub.database.query(noted), "1");
    // It is told for thirty days.
    hub.database.sql("UPDATE machines SET copy_at = copy_at - 31 * 86400000000");
    b.synced();
    assert!(b.status().waiting.expect("it synced").copy.is_none());
    assert_eq!(examined().state, State::Ok);
}
