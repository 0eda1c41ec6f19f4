//! Proposals: restoring a store, refusing, taking back, and what a redaction takes back.

use super::{Hub, Machine, Signer};
use retrace_api::commands;
use retrace_api::wire::{
    Code, HubAcceptReq, HubProposal, HubProposalKind, HubProposalRef, HubProposeReq, HubRole, HubRoleReq,
    Nothing, RedactReq,
};

fn proposed(kind: HubProposalKind) -> HubProposeReq {
    HubProposeReq { kind, version: None, text: None, machine: None, store: None, at: None, note: None }
}

fn propose_restore(machine: &Machine, of: &str, at: u64) -> HubProposal {
    let request = HubProposeReq {
        machine: Some(of.to_owned()),
        store: Some("notes".to_owned()),
        at: Some(at.to_string()),
        ..proposed(HubProposalKind::Restore)
    };
    commands::hub_propose(&machine.world.app, request).expect("a proposal")
}

fn propose_edit(machine: &Machine, version: &str, text: &str) -> HubProposal {
    let request = HubProposeReq {
        version: Some(version.to_owned()),
        text: Some(text.to_owned()),
        ..proposed(HubProposalKind::Edit)
    };
    commands::hub_propose(&machine.world.app, request).expect("a proposal")
}

fn named(proposal: &HubProposal) -> HubProposalRef {
    HubProposalRef { id: proposal.id.clone() }
}

fn now(machine: &Machine, proposal: &HubProposal) -> HubProposal {
    let list = commands::hub_proposals(&machine.world.app, Nothing {}).expect("a list");
    list.proposals.into_iter().find(|one| one.id == proposal.id).expect("the proposal")
}

#[test]
fn a_store_is_restored_on_its_machine_and_not_over_what_came_since() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let first = b.record("notes.md", "first\n");
    b.record("notes.md", "second\n");
    b.record("later.md", "later\n");
    b.synced();

    let restore = propose_restore(&a, "b", first.operation_seq);
    assert_eq!((restore.state.as_str(), restore.path.as_deref()), ("waiting", None));
    let done = commands::hub_accept_proposal(&b.world.app, named(&restore)).expect("accepted");
    assert_eq!((done.state.as_str(), done.verified), ("done", Some(true)), "{done:?}");
    assert_eq!(b.world.read("notes.md").as_deref(), Some("first\n"));
    assert_eq!(b.world.read("later.md"), None, "it was not there then");
    b.synced();

    // By name or by id, and carried out by the sync of a store that accepts proposals.
    let accept = HubAcceptReq { store: "notes".to_owned(), accept: true };
    commands::hub_accept(&b.world.app, accept).expect("it accepts proposals");
    b.record("notes.md", "third\n");
    b.synced();
    let by_id = propose_restore(&a, &b.status().machine.expect("it joined"), first.operation_seq);
    assert_eq!(b.synced().proposals.len(), 1);
    assert_eq!(now(&a, &by_id).state, "done");
    assert_eq!(b.world.read("notes.md").as_deref(), Some("first\n"));
    b.synced();

    // Somebody wrote after the proposal was made: nothing is written over it.
    b.record("notes.md", "fourth\n");
    b.synced();
    let stale = propose_restore(&a, "b", first.operation_seq);
    b.record("notes.md", "newer than the proposal\n");
    b.synced();
    let ended = now(&a, &stale);
    assert_eq!((ended.state.as_str(), ended.verified), ("conflict", Some(true)));
    assert!(ended.reason.is_some(), "{ended:?}");
    assert_eq!(b.world.read("notes.md").as_deref(), Some("newer than the proposal\n"));

    let nowhere = HubProposeReq {
        machine: Some("c".to_owned()),
        store: Some("notes".to_owned()),
        at: Some("1".to_owned()),
        ..proposed(HubProposalKind::Restore)
    };
    let error = commands::hub_propose(&a.world.app, nowhere).expect_err("no such machine");
    assert_eq!(error.code, Code::NotFound);
}

#[test]
fn a_refused_proposal_changes_nothing_and_is_over() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let version = b.record("notes.md", "as it is\n");
    b.synced();
    let edit = propose_edit(&a, &version.id, "as it might be\n");
    let elsewhere = commands::hub_refuse_proposal(&a.world.app, named(&edit)).expect_err("not its machine");
    assert_eq!(elsewhere.code, Code::NotFound);
    let refused = commands::hub_refuse_proposal(&b.world.app, named(&edit)).expect("refused");
    assert_eq!((refused.state.as_str(), refused.verified), ("refused", Some(true)));
    let seen = now(&a, &edit);
    assert_eq!((seen.state.as_str(), seen.reason.as_deref()), ("refused", Some("refused_by_a_person")));
    assert_eq!(b.world.read("notes.md").as_deref(), Some("as it is\n"));
    for again in [
        commands::hub_refuse_proposal(&b.world.app, named(&edit)),
        commands::hub_accept_proposal(&b.world.app, named(&edit)),
        commands::hub_withdraw_proposal(&a.world.app, named(&edit)),
    ] {
        assert_eq!(again.expect_err("it is over").code, Code::NotFound);
    }
    let kept = hub
        .database
        .query("SELECT count(*) FROM proposals WHERE bytes IS NOT NULL OR wrapped_key IS NOT NULL");
    assert_eq!(kept, "0", "its text is of no use any more");
}

#[test]
fn who_proposed_takes_it_back_until_it_was_carried_out() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let version = b.record("notes.md", "as it is\n");
    b.synced();
    let edit = propose_edit(&a, &version.id, "as it might be\n");
    let error = commands::hub_withdraw_proposal(&b.world.app, named(&edit)).expect_err("a writer");
    assert_eq!(error.code, Code::KeyRefused);
    let machine = b.status().machine.expect("it joined");
    let role = HubRoleReq { machine, role: HubRole::Reviewer };
    commands::hub_set_role(&a.world.app, role).expect("another role");
    let error = commands::hub_withdraw_proposal(&b.world.app, named(&edit)).expect_err("not its own");
    assert_eq!(error.code, Code::NotFound);
    let withdrawn = commands::hub_withdraw_proposal(&a.world.app, named(&edit)).expect("withdrawn");
    assert_eq!((withdrawn.state.as_str(), withdrawn.verified), ("withdrawn", None));
    let error = commands::hub_accept_proposal(&b.world.app, named(&edit)).expect_err("it is over");
    assert_eq!(error.code, Code::NotFound);
    assert_eq!(b.world.read("notes.md").as_deref(), Some("as it is\n"));
    let kept = hub.database.query("SELECT count(*) FROM proposals WHERE bytes IS NOT NULL");
    assert_eq!(kept, "0");

    let done = propose_edit(&a, &version.id, "as it is now\n");
    commands::hub_accept_proposal(&b.world.app, named(&done)).expect("accepted");
    let error = commands::hub_withdraw_proposal(&a.world.app, named(&done)).expect_err("it was done");
    assert_eq!(error.code, Code::NotFound);
    assert_eq!(b.world.read("notes.md").as_deref(), Some("as it is now\n"));
}

#[test]
fn a_redaction_takes_back_what_would_put_it_there_again() {
    const SECRET: &str = "the gate opens with heron-5521\n";
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    a.record("gate.md", SECRET);
    a.synced();
    let held = b.record("gate.md", SECRET);
    let other = b.record("other.md", "nothing of it\n");
    b.synced();
    // One whose new text is what is redacted, one whose old text is, one that has nothing to do with it.
    let brings = propose_edit(&a, &other.id, SECRET);
    let replaces = propose_edit(&a, &held.id, "the gate is open\n");
    let beside = propose_edit(&a, &other.id, "nothing of it, either\n");
    let redact = RedactReq { find: Some("heron-5521".to_owned()), live: true, ..RedactReq::default() };
    commands::redact(&a.world.app, redact).expect("redacted");
    a.synced();
    for gone in [&brings, &replaces] {
        let gone = now(&a, gone);
        assert_eq!((gone.state.as_str(), gone.path, gone.expects), ("withdrawn", None, None));
    }
    assert_eq!(now(&a, &beside).state, "waiting");
    let hidden =
        hub.database.query("SELECT count(*) FROM proposals WHERE state = 'withdrawn' AND bytes IS NULL");
    assert_eq!(hidden, "2");
    b.synced();
    assert!(!b.world.read("gate.md").unwrap_or_default().contains("heron"), "it was ordered there");
    // What was redacted is not proposed any more.
    let request = HubProposeReq {
        version: Some(other.id.clone()),
        text: Some(SECRET.to_owned()),
        ..proposed(HubProposalKind::Edit)
    };
    let error = commands::hub_propose(&a.world.app, request).expect_err("it is kept out");
    assert_eq!(error.code, Code::ContentRedacted);
    // Nor does a forged result bring a withdrawn one back.
    let forged =
        format!("{{\"body\":\"{{\\\"proposal\\\":\\\"{}\\\"}}\",\"signature\":\"AA==\"}}", brings.id);
    let (status, _) = Signer::of(&b).send(hub.url(), "settle", forged.as_bytes());
    assert!((400..500).contains(&status), "{status}");
    assert_eq!(now(&a, &brings).state, "withdrawn");
}

/// Proposals that wait for a person do not stand before those that need none.
#[test]
fn proposals_that_wait_keep_no_other_from_being_carried_out() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    b.world.add("auto");
    std::fs::write(b.world.path("auto/z.md"), "first\n").expect("a file");
    let version = b.record("notes.md", "first\n");
    let own = b.world.log("").into_iter().find(|version| version.path.as_deref() == Some("z.md"));
    b.synced();
    let accept = HubAcceptReq { store: "auto".to_owned(), accept: true };
    commands::hub_accept(&b.world.app, accept).expect("it accepts proposals");
    let waiting: Vec<HubProposal> =
        (0..21).map(|count| propose_edit(&a, &version.id, &format!("proposed {count}\n"))).collect();
    let auto: Vec<HubProposal> = ["second\n", "never\n"]
        .map(|text| propose_edit(&a, &own.as_ref().expect("a version").id, text))
        .into();
    assert_eq!(b.synced().proposals.len(), 2);
    assert_eq!(std::fs::read_to_string(b.world.path("auto/z.md")).expect("a file"), "second\n");
    let states = auto.iter().map(|proposal| now(&a, proposal).state.as_str());
    assert_eq!(states.collect::<Vec<_>>(), ["done", "conflict"]);
    let last = waiting.last().expect("proposals");
    let done = commands::hub_accept_proposal(&b.world.app, named(last)).expect("it waits here");
    assert_eq!(done.state.as_str(), "done", "{done:?}");
    assert_eq!(b.world.read("notes.md").as_deref(), Some("proposed 20\n"));
}

/// Two syncs of one machine do not do the same work twice: the second would meet what the first wrote, and sign a conflict.
#[test]
fn two_syncs_at_once_carry_a_proposal_out_once() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let accept = HubAcceptReq { store: "notes".to_owned(), accept: true };
    commands::hub_accept(&b.world.app, accept).expect("it accepts proposals");
    for round in 0..8 {
        let version = b.record("notes.md", format!("round {round}\n"));
        b.synced();
        let proposal = propose_edit(&a, &version.id, &format!("proposed in round {round}\n"));
        let syncs: Vec<_> =
            (0..3).map(|_| b.command(&["--json", "sync"]).spawn().expect("a process")).collect();
        for mut sync in syncs {
            assert!(sync.wait().expect("it ends").success());
        }
        assert_eq!(now(&a, &proposal).state.as_str(), "done", "round {round}");
        assert_eq!(b.world.read("notes.md"), Some(format!("proposed in round {round}\n")));
        b.world.scan();
    }
}

#[test]
fn a_note_is_read_by_whoever_reads_the_content() {
    let Some((hub, [a, b, writer, auditor])) = Hub::with_machines(["a", "b", "writer", "auditor"]) else {
        return;
    };
    let version = b.record("notes.md", "first\n");
    b.synced();
    let role = HubRoleReq { machine: "auditor".to_owned(), role: HubRole::Auditor };
    commands::hub_set_role(&a.world.app, role).expect("a role");
    let request = HubProposeReq {
        version: Some(version.id),
        text: Some("second\n".to_owned()),
        note: Some("a quote of it".to_owned()),
        ..proposed(HubProposalKind::Edit)
    };
    let proposal = commands::hub_propose(&a.world.app, request).expect("a proposal");
    for (machine, reads) in [(&a, true), (&b, true), (&writer, false), (&auditor, false)] {
        assert_eq!(now(machine, &proposal).note.is_some(), reads, "{:?}", machine.status().name);
    }
    drop(hub);
}
