//! What a redaction of one machine may destroy for others: contents that it had, or that somebody who reads contents approved.

use super::{Hub, Machine, Signer, now};
use retrace_api::commands;
use retrace_api::wire::{
    Code, HubPolicyReq, HubRedaction, HubRedactionRef, HubRole, HubTokenReq, Nothing, RedactReq,
};
use serde_json::{Value, json};

const SECRET: &str = "quartz-heron-5521-opens";

fn join_as(machine: &Machine, hub: &Hub, owner: &Machine, role: HubRole) {
    let request = HubTokenReq { role: Some(role), ..HubTokenReq::default() };
    let token = commands::hub_token(&owner.world.app, request).expect("a token").token;
    machine.join(hub.url(), &token).expect("it joins");
}

fn two_persons(owner: &Machine) {
    let policy = HubPolicyReq { key: "two_person_redaction".to_owned(), value: "true".to_owned() };
    commands::hub_set_policy(&owner.world.app, policy).expect("the policy is set");
}

fn redactions(machine: &Machine) -> Vec<HubRedaction> {
    commands::hub_redactions(&machine.world.app, Nothing {}).expect("a list").redactions
}

fn approve(machine: &Machine, id: &str) -> Result<(), Code> {
    let request = HubRedactionRef { id: id.to_owned() };
    commands::hub_approve_redaction(&machine.world.app, request).map(drop).map_err(|error| error.code)
}

fn redact_secret(machine: &Machine) {
    let request = RedactReq { find: Some(SECRET.to_owned()), live: true, ..RedactReq::default() };
    commands::redact(&machine.world.app, request).expect("a redaction");
}

/// Names contents by their hashes alone, as a program of somebody's own would.
fn name(hub: &Hub, machine: &Machine, receipt: &str, paths: &[&str]) -> Value {
    let wanted = machine.versions().into_iter().filter(|version| {
        version.path.as_deref().is_some_and(|path| paths.contains(&path)) && version.content_sha256.is_some()
    });
    let contents: Vec<Value> =
        wanted.map(|version| json!({ "sha256": version.content_sha256, "parts": [] })).collect();
    assert_eq!(contents.len(), paths.len(), "{paths:?}");
    let order = json!({ "receipt": receipt, "live": true, "method": "secret", "at": now() });
    let body = json!({ "order": order, "contents": contents }).to_string();
    let (status, answer) = Signer::of(machine).send(hub.url(), "name", body.as_bytes());
    assert_eq!(status, 200, "{answer}");
    serde_json::from_str(&answer).expect("JSON")
}

#[test]
fn a_writer_that_never_had_a_content_does_not_destroy_it() {
    let Some((hub, [owner, writer])) = Hub::with_machines(["owner", "writer"]) else { return };
    owner.record("plan.md", "the plan for the next year\n");
    owner.record("both.md", "what both of them have\n");
    writer.record("own.md", "what both of them have\n");
    owner.synced();
    writer.synced();

    let answer = name(&hub, &writer, "rcpt_forged", &["plan.md"]);
    assert_eq!(answer["waiting"], true, "{answer}");
    owner.synced();
    assert_eq!(owner.world.read("plan.md").as_deref(), Some("the plan for the next year\n"));
    let [order] = &redactions(&owner)[..] else { panic!("one order") };
    assert_eq!((order.state.as_str(), order.by_name.as_str()), ("waiting", "writer"));
    assert_eq!(approve(&writer, &order.id), Err(Code::KeyRefused));

    // What it had goes from everybody, as before.
    let version = writer.world.log("own.md").remove(0).id;
    let request = RedactReq { versions: vec![version], live: true, ..RedactReq::default() };
    commands::redact(&writer.world.app, request).expect("a redaction");
    writer.synced();
    assert_eq!(owner.synced().redactions.len(), 1);
    assert_eq!(owner.world.read("both.md").as_deref(), Some("[redacted]\n"));
    assert!(owner.world.read("plan.md").is_some_and(|text| text.contains("next year")));

    // An owner may agree.
    approve(&owner, &order.id).expect("an owner");
    owner.synced();
    assert_eq!(owner.world.read("plan.md").as_deref(), Some("[redacted]\n"));
}

/// A version may claim any hash; only its bytes show that the machine had the content.
#[test]
fn a_claimed_hash_is_no_content() {
    let Some((hub, [owner, writer])) = Hub::with_machines(["owner", "writer"]) else { return };
    let send = retrace_api::wire::HubSendReq { store: None, send: retrace_api::wire::HubSend::Metadata };
    commands::hub_send(&writer.world.app, send).expect("chosen");
    for machine in [&owner, &writer] {
        machine.record("same.md", "the same at both of them\n");
        machine.synced();
    }
    let answer = name(&hub, &owner, "rcpt_owner", &[]);
    assert_eq!(answer["waiting"], false, "nothing was named: {answer}");
    let version = writer.world.log("same.md").remove(0).id;
    let request = RedactReq { versions: vec![version], live: true, ..RedactReq::default() };
    commands::redact(&writer.world.app, request).expect("a redaction");
    writer.synced();
    assert!(owner.synced().redactions.is_empty());
    let waiting = redactions(&owner).remove(0);
    assert_eq!(waiting.state, "waiting");
    approve(&owner, &waiting.id).expect("an owner");
    assert_eq!(owner.synced().redactions.len(), 1);
    assert_eq!(owner.world.read("same.md").as_deref(), Some("[redacted]\n"));
}

#[test]
fn an_approval_is_for_the_contents_that_waited() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    let (b, c) = (Machine::new("b"), Machine::new("c"));
    join_as(&b, &hub, &a, HubRole::Owner);
    a.record("a.md", format!("{SECRET}\n"));
    b.record("b.md", format!("old {SECRET}\n"));
    a.synced();
    b.synced();
    two_persons(&a);
    redact_secret(&a);
    a.synced();
    let order = redactions(&a).remove(0);
    approve(&b, &order.id).expect("the second person");
    b.synced();
    a.synced();
    assert!(redactions(&a).iter().all(|order| order.complete), "{:?}", redactions(&a));

    join_as(&c, &hub, &a, HubRole::Reviewer);
    c.record("c.md", format!("another, later {SECRET}\n"));
    c.synced();
    let (exit, _, errors) = a.run(&["sync", "--resend"]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    assert!(c.synced().redactions.is_empty());
    assert!(c.world.read("c.md").is_some_and(|text| text.contains(SECRET)), "nobody approved that");
    let again = redactions(&a).into_iter().find(|one| one.id == order.id).expect("the order");
    assert_eq!((again.state.as_str(), again.complete), ("waiting", false));
    assert_eq!(approve(&a, &order.id), Err(Code::KeyRefused));
    approve(&b, &order.id).expect("the second person");
    assert_eq!(c.synced().redactions.len(), 1);
    assert!(c.world.read("c.md").is_some_and(|text| !text.contains(SECRET)));

    // An old order that is done opens no door for contents of somebody's choice.
    c.record("kept.md", "nobody redacted this one\n");
    c.synced();
    let receipts = commands::receipts(&a.world.app, Default::default()).expect("receipts");
    let receipt = receipts.receipts.first().expect("a receipt").id.clone();
    let answer = name(&hub, &a, &receipt, &["kept.md"]);
    assert_eq!(answer["waiting"], true, "{answer}");
    assert!(c.synced().redactions.is_empty());
}

/// What was left in a live file is taken out there, and the count goes with a new receipt once the machine looked again.
#[test]
fn a_machine_looks_again_at_what_was_left() {
    let Some((_hub, [owner, b])) = Hub::with_machines(["owner", "b"]) else { return };
    let keys = owner.record("keys.md", format!("deploy with {SECRET}\n"));
    b.record("other.md", format!("and here {SECRET}\n"));
    b.record("same.md", format!("deploy with {SECRET}\n"));
    owner.synced();
    b.synced();
    let request = RedactReq { find: Some(SECRET.to_owned()), live: false, ..RedactReq::default() };
    commands::redact(&owner.world.app, request).expect("a redaction");
    owner.synced();
    b.synced();
    owner.synced();
    let order = redactions(&owner).remove(0);
    let left = |name: &str| {
        let order = redactions(&owner).remove(0);
        let of = order.machines.into_iter().find(|reach| reach.name == name).expect("it is concerned");
        let receipt = of.receipt.expect("a receipt");
        assert!(receipt.verified, "{receipt:?}");
        (receipt.places_left, of.recheck, receipt.created_at)
    };
    assert!(left("owner").0 > 0 && left("b").0 > 0, "{order:?}");
    let recheck = |machine: &Machine| machine.run(&["hub", "redactions", "recheck", &order.id]);
    assert_eq!(recheck(&b).0, retrace_cli::Exit::of(Code::KeyRefused), "a writer asks nobody");

    // Looking again without anything taken out leaves the count, with a newer receipt.
    let before = left("b");
    let (exit, text, errors) = recheck(&owner);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    assert!(text.contains("asked to look again"), "{text}");
    assert!(left("b").1 && left("owner").1);
    b.synced();
    let after = left("b");
    assert_eq!((after.0, after.1), (before.0, false));
    assert!(after.2 > before.2);

    b.world.write("other.md", "and here nothing\n");
    b.world.remove("same.md");
    b.world.scan();
    recheck(&owner);
    b.synced();
    assert_eq!((left("b").0, left("b").1), (0, false));
    assert!(left("owner").0 > 0);
    // Whoever looks again at the machine itself tells the hub with the next sync.
    owner.world.write("keys.md", "deploy with nothing\n");
    owner.world.scan();
    let receipts = commands::receipts(&owner.world.app, Nothing {}).expect("receipts").receipts;
    let (exit, _, errors) = owner.run(&["receipts", &receipts[0].id, "--recheck"]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    owner.synced();
    assert_eq!(left("owner").0, 0, "{keys:?}");
    let sent = left("owner").2;
    owner.synced();
    assert_eq!(left("owner").2, sent, "nothing is sent again");
}
