//! A hub that was put back to an earlier state gives nothing back that was taken: one-time tokens end, owners' machines end again what they
//! ended and name the rest, and it says so until an owner saw to it. Machines that are gone hold no redaction open for ever. Names
//! of machines are their own.

use super::kept_out::Restored;
use super::{Hub, Machine, post};
use retrace_api::commands;
use retrace_api::wire::{
    ApiError, Code, HubAcknowledgeReq, HubActKind, HubAgentTokenRef, HubAgentTokenReq, HubFault, HubLeaveReq,
    HubMachine, HubMachineRef, HubPolicyReq, HubReachState, HubRedaction, HubRedactionRef, HubRole,
    HubRoleReq, HubStatus, HubTokenReq, Nothing, RedactReq,
};
use retrace_hub::{Check, DoctorOptions, State, doctor};
use retrace_sync::sign::{SigningKey, join_text};
use serde_json::json;

const SECRET: &str = "quartz-heron-5521-opens";
const BODY: &str = "# Deploy\nkey quartz-heron-5521-opens\n";

fn token(owner: &Machine, role: HubRole) -> String {
    let request = HubTokenReq { role: Some(role), ..HubTokenReq::default() };
    commands::hub_token(&owner.world.app, request).expect("a token").token
}

fn set_policy(owner: &Machine, value: bool) {
    let request = HubPolicyReq { key: "two_person_redaction".to_owned(), value: value.to_string() };
    commands::hub_set_policy(&owner.world.app, request).expect("a policy");
}

fn set_role(owner: &Machine, machine: &str, role: HubRole) {
    let request = HubRoleReq { machine: machine.to_owned(), role };
    commands::hub_set_role(&owner.world.app, request).expect("a role");
}

fn remove(owner: &Machine, machine: &str) {
    commands::hub_remove_machine(&owner.world.app, HubMachineRef { machine: machine.to_owned() })
        .expect("it is removed");
}

fn machines(machine: &Machine) -> Vec<HubMachine> {
    commands::hub_machines(&machine.world.app, Nothing {}).expect("a list").machines
}

fn acknowledge(machine: &Machine, order: Option<&str>) -> Result<HubStatus, ApiError> {
    let request = HubAcknowledgeReq { order: order.map(str::to_owned) };
    commands::hub_acknowledge(&machine.world.app, request)
}

fn redactions(machine: &Machine) -> Vec<HubRedaction> {
    commands::hub_redactions(&machine.world.app, Nothing {}).expect("a list").redactions
}

fn redact_secret(machine: &Machine) {
    let request = RedactReq { find: Some(SECRET.to_owned()), live: true, ..RedactReq::default() };
    commands::redact(&machine.world.app, request).expect("a redaction");
}

fn checks(options: &DoctorOptions, name: &str) -> Vec<Check> {
    let mut all = doctor(options).expect("it examines");
    all.retain(|check| check.name == name);
    all
}

fn examined(hub: &Hub) -> DoctorOptions {
    DoctorOptions { database: hub.database.url(), key_file: None, whole: false, now: None }
}

#[test]
fn a_restored_hub_gives_back_no_access_that_was_taken() {
    let Some((restored, hub)) = Restored::start() else { return };
    let [a, b, removed, demoted, late] = ["a", "b", "removed", "demoted", "late"].map(Machine::new);
    let url = restored.network.url();
    a.join(&url, hub.owner_token().expect("a token")).expect("it joins");
    for machine in [&b, &removed] {
        machine.join(&url, &a.token()).expect("it joins");
    }
    demoted.join(&url, &token(&a, HubRole::Owner)).expect("it joins");
    let key = commands::hub_agent_token(&a.world.app, HubAgentTokenReq::default()).expect("a key");
    let (used, open) = (a.token(), a.token());
    for machine in [&a, &b, &removed, &demoted] {
        machine.record("fact.md", "a fact\n");
        machine.synced();
    }
    restored.dump();

    let ended = HubAgentTokenRef { id: key.made.id.clone() };
    commands::hub_agent_token_revoke(&a.world.app, ended).expect("it is ended");
    remove(&a, "removed");
    set_role(&a, "demoted", HubRole::Writer);
    set_policy(&a, true);
    late.join(&url, &used).expect("it joins");
    late.synced();
    demoted.synced();
    let hub = restored.restore(hub);
    let ask = || api_status(&hub, &key.token);
    assert_eq!(ask(), 200, "the dump has the key");
    assert_eq!(checks(&restored.examined(), "restored")[0].state, State::Ok, "nobody told it");

    // Whoever comes first, whether the hub knows it or not.
    assert!(late.sync().is_err(), "it joined since");
    let [found] = &checks(&restored.examined(), "restored")[..] else { panic!("one check") };
    assert_eq!(found.state, State::Warning);
    assert!(found.found.contains("2 tokens ended") && found.next.contains("hub acknowledge"), "{found:?}");
    for token in [&used, &open] {
        assert_eq!(late_join(&restored, token), Some(Code::KeyRefused), "a token gives its role once");
    }
    let waiting = b.synced().waiting.expect("what waits");
    assert!(waiting.restored.is_some(), "every machine hears of it");

    // What ends something is done again, the rest is named.
    let synced = a.sync().expect("an answer");
    let [problem] = &synced.problems[..] else { panic!("{:?}", synced.problems) };
    assert_eq!(problem.code, HubFault::Restored);
    assert!(problem.message.text().contains("Done again from this machine: 2; to look at: 2"), "{problem:?}");
    assert_eq!(ask(), 401);
    assert!(removed.sync().is_err(), "its key is never taken again");
    let status = a.status();
    let mut lost: Vec<_> = status.acts_lost.iter().map(|lost| (lost.kind, lost.again)).collect();
    lost.sort_by_key(|(kind, _)| kind.as_str());
    let wanted = [
        (HubActKind::Key, true),
        (HubActKind::Machine, true),
        (HubActKind::Policy, false),
        (HubActKind::Role, false),
    ];
    assert_eq!(lost, wanted);
    let (_, text, _) = a.run(&["hub", "status"]);
    assert!(text.contains("was ended again") && text.contains("writer` if that still holds"), "{text}");
    assert!(text.contains("its database was put back to"), "{text}");
    a.synced();

    // A token that is made now is good, whoever else finds the same restoration.
    let new = token(&a, HubRole::Writer);
    demoted.synced();
    assert_eq!(late_join(&restored, &new), None);
    assert_eq!(acknowledge(&b, None).expect_err("it is no owner's").code, Code::KeyRefused);
    let status = acknowledge(&a, None).expect("an owner saw to it");
    assert!(status.waiting.expect("what waits").restored.is_none());
    assert_eq!(checks(&restored.examined(), "restored")[0].state, State::Ok);
    assert!(a.synced().waiting.expect("what waits").restored.is_none());
    assert_eq!(acknowledge(&a, None).expect_err("once").code, Code::Invalid);
}

/// What a join by a machine of its own is refused with.
fn late_join(restored: &Restored, token: &str) -> Option<Code> {
    Machine::new("another").join(&restored.network.url(), token).err().map(|error| error.code)
}

fn api_status(hub: &retrace_hub::Running, key: &str) -> u16 {
    let request = format!(
        "GET /v1/memory_stores HTTP/1.1\r\nhost: hub\r\nconnection: close\r\nx-api-key: {key}\r\nanthropic-beta: agent-memory-2026-07-22\r\n\r\n"
    );
    super::raw(hub.url(), request.as_bytes(), false).0
}

#[test]
fn a_hub_that_was_not_put_back_says_nothing_of_it() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let open = a.token();
    set_policy(&a, true);
    remove(&a, "b");
    for _ in 0..2 {
        assert!(a.synced().waiting.expect("what waits").restored.is_none());
    }
    assert!(b.sync().is_err());
    // A row that nobody signed proves nothing.
    let body = json!({ "seen": { "seq": 9_999, "at": 1, "signature": "AAAA" } }).to_string();
    assert_eq!(post(hub.url(), "/hub/v1/hello", &[], body.as_bytes()).0, 200);
    assert_eq!(hub.database.query("SELECT count(*) FROM restored"), "0");
    Machine::new("c").join(hub.url(), &open).expect("the token is good");
}

#[test]
fn a_redaction_of_which_nothing_waits_is_ordered_and_keeps_its_time() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let reviewer = Machine::new("reviewer");
    reviewer.join(hub.url(), &token(&a, HubRole::Reviewer)).expect("it joins");
    set_policy(&a, true);
    for machine in [&a, &b] {
        machine.record("deploy.md", BODY);
        machine.synced();
    }
    redact_secret(&a);
    a.synced();
    let [waiting] = &redactions(&a)[..] else { panic!("one") };
    assert_eq!(waiting.state.as_str(), "waiting");
    let [check] = &checks(&examined(&hub), "redactions")[1..] else { panic!("one waits") };
    assert_eq!(check.found, "1 redaction waits for a second person.");

    set_policy(&a, false);
    let (exit, _, errors) = a.run(&["sync", "--resend"]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    b.synced();
    a.synced();
    let [done] = &redactions(&a)[..] else { panic!("one") };
    assert_eq!((done.state.as_str(), done.complete), ("ordered", true), "{done:?}");
    let late = HubRedactionRef { id: done.id.clone() };
    commands::hub_approve_redaction(&reviewer.world.app, late).expect("nothing is left to approve");
    let [after] = &redactions(&a)[..] else { panic!("one") };
    assert_eq!(after.destroyed_at, done.destroyed_at, "nothing was destroyed");
    assert!(after.complete && after.approved_by.is_none(), "{after:?}");
}

#[test]
fn what_another_redaction_took_out_waits_no_more() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    set_policy(&a, true);
    for machine in [&a, &b] {
        machine.record("deploy.md", BODY);
        machine.synced();
    }
    redact_secret(&a);
    a.synced();
    assert_eq!(redactions(&a)[0].state.as_str(), "waiting");
    set_policy(&a, false);
    redact_secret(&b);
    // A writer's machine says that it looked for the secret nowhere else.
    b.sync().expect("a sync");
    a.synced();
    b.synced();
    a.synced();
    for redaction in redactions(&a) {
        assert!(redaction.complete, "{redaction:?}");
    }
}

#[test]
fn a_machine_that_was_removed_holds_no_redaction_open_once_an_owner_says_so() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    for machine in [&a, &b] {
        machine.record("deploy.md", BODY);
        machine.synced();
    }
    redact_secret(&a);
    a.synced();
    assert_eq!(checks(&examined(&hub), "redactions")[0].state, State::Warning);
    let id = redactions(&a)[0].id.clone();
    assert_eq!(acknowledge(&a, Some(&id)).expect_err("it is there").code, Code::Invalid);
    remove(&a, "b");
    let [of_members, gone] = &checks(&examined(&hub), "redactions")[..] else { panic!("two checks") };
    assert_eq!(of_members.state, State::Ok);
    assert!(gone.found.contains("b (removed)") && gone.next.contains("hub acknowledge"), "{gone:?}");
    let (_, text, _) = a.run(&["hub", "redactions"]);
    assert!(text.contains("removed: out of reach") && text.contains("hub acknowledge order_"), "{text}");

    // The same log comes back under another key: that is told, and an owner still decides.
    b.run(&["hub", "leave", "--new-identity"]);
    b.join(hub.url(), &a.token()).expect("it joins as another machine");
    b.synced();
    b.synced();
    let reach = redactions(&a)[0].machines.iter().find(|reach| reach.removed).cloned().expect("it is listed");
    assert_eq!((reach.state, reach.carried_out_as.as_deref()), (HubReachState::Outstanding, Some("b")));
    assert!(!redactions(&a)[0].complete);
    acknowledge(&a, Some(&id)).expect("an owner says so");
    let redaction = redactions(&a).remove(0);
    assert!(redaction.complete, "{redaction:?}");
    let reach = redaction.machines.iter().find(|reach| reach.removed).expect("it is listed");
    assert!(reach.acknowledged_at.is_some() && reach.acknowledged_by.as_deref() == Some("a"), "{reach:?}");
    assert_eq!(a.synced().waiting.expect("what waits").outstanding, 0);
    assert_eq!(checks(&examined(&hub), "redactions").len(), 1);
    assert_eq!(checks(&examined(&hub), "redactions")[0].state, State::Ok);
    let (_, text, _) = a.run(&["hub", "redactions"]);
    assert!(text.contains("done, but for machines that are out of reach"), "{text}");
}

#[test]
fn every_machine_has_a_name_of_its_own() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    let [twin, third] = ["a", "a"].map(Machine::new);
    for machine in [&twin, &third] {
        machine.join(hub.url(), &a.token()).expect("it joins");
    }
    assert_eq!(twin.status().name.as_deref(), Some("a-2"));
    assert_eq!(third.status().name.as_deref(), Some("a-3"));
    set_role(&a, "a-2", HubRole::Reviewer);
    set_role(&a, "a", HubRole::Owner);

    // A program of somebody's own sends what it likes.
    let key = SigningKey::from_seed(&[9; 32]).expect("a seed");
    let id = a.status().machine.expect("it joined");
    for name in ["", "  ", "\u{200b}", "---", &id] {
        let token = a.token();
        let signature = base64(&key.sign(&join_text(&token, &key.public())));
        let body = json!({ "token": token, "public_key": base64(&key.public()), "signature": signature, "name": name });
        let (status, text) = post(hub.url(), "/hub/v1/join", &[], body.to_string().as_bytes());
        assert!(status >= 400 && text.contains("invalid"), "{name:?}: {status} {text}");
    }
    assert_eq!(machines(&a).len(), 3);
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[test]
fn a_machine_that_joins_again_keeps_its_name() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    commands::hub_leave(&b.world.app, HubLeaveReq::default()).expect("it leaves");
    b.join_with(hub.url(), &a.token(), |request| request.name = None).expect("it joins");
    assert_eq!(b.status().name.as_deref(), Some("b"));
    assert!(machines(&a).iter().any(|machine| machine.name == "b"));
}
