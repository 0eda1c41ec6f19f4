//! What the doctor says of members: their roles, wrong clocks, and who was not there for long.

use super::{Hub, Machine, now};
use retrace_api::commands;
use retrace_api::wire::{ApiError, HubCommentRef, HubLeaveReq, HubPolicyReq, HubRedactionRef, HubShowReq};
use retrace_api::wire::{HubFault, HubRole, HubSend, HubSendReq, HubTokenReq, Nothing};
use retrace_hub::{Check, DoctorOptions, State, doctor};
use retrace_tests::network::Network;

const DAY: i64 = 24 * 3_600 * 1_000_000;

fn check(hub: &Hub, name: &str, at: i64) -> Check {
    let options =
        DoctorOptions { database: hub.database.url(), key_file: None, whole: false, now: Some(now() + at) };
    let checks = doctor(&options).expect("it examines");
    checks.into_iter().find(|check| check.name == name).unwrap_or_else(|| panic!("it looks at {name}"))
}

#[test]
fn a_wrong_clock_is_told_on_the_machine_in_the_list_and_by_the_doctor() {
    let Some(hub) = Hub::start() else { return };
    let machines = [Machine::new("right"), Machine::skewed("fast", 601), Machine::skewed("slow", -601)];
    hub.join_all(&machines);
    assert_eq!(check(&hub, "clocks", 0).state, State::Ok, "nobody synced yet");
    for machine in &machines {
        machine.record("fact.md", "a fact\n");
    }
    let [right, fast, slow] = &machines;
    right.synced();
    // The hub's clock goes on meanwhile.
    let told = |machine: &Machine| {
        let synced = machine.sync().expect("a sync");
        assert_eq!(synced.stores[0].versions, 1, "it is sent all the same");
        let [problem] = &synced.problems[..] else { panic!("{:?}", synced.problems) };
        assert_eq!(problem.code, HubFault::ClockSkew);
        assert!(!problem.hint.text().is_empty());
        problem.message.text().to_owned()
    };
    let (ahead, behind) = (told(fast), told(slow));
    assert!(ahead.contains("ahead of the hub") && behind.contains("behind the hub"), "{ahead} {behind}");
    let list = commands::hub_machines(&right.world.app, Nothing {}).expect("a list").machines;
    let skew =
        |name: &str| list.iter().find(|machine| machine.name == name).expect("it is a member").skew_seconds;
    assert!(skew("fast") > 500 && skew("slow") < -500 && skew("right").abs() < 100);
    let found = check(&hub, "clocks", 0);
    assert_eq!(found.state, State::Warning);
    assert!(found.found.contains("fast is ") && found.found.contains(" s ahead"), "{found:?}");
    assert!(found.found.contains("slow is ") && found.found.contains(" s behind"), "{found:?}");
    assert!(!found.found.contains("right") && !found.next.is_empty(), "{found:?}");
}

#[test]
fn the_doctor_names_roles_and_who_was_not_there_for_long() {
    let Some((hub, [a, _b])) = Hub::with_machines(["a", "b"]) else { return };
    let auditor = Machine::new("books");
    let request = HubTokenReq { role: Some(HubRole::Auditor), ..HubTokenReq::default() };
    let token = commands::hub_token(&a.world.app, request).expect("a token").token;
    auditor.join(hub.url(), &token).expect("it joins");
    let found = check(&hub, "machines", 0);
    assert_eq!(
        (found.state, &found.found[..]),
        (State::Ok, "3 machines joined. 1 owner: a; 1 writer: b; 1 auditor: books.")
    );

    assert_eq!(check(&hub, "seen", 29 * DAY).state, State::Ok);
    let found = check(&hub, "seen", 40 * DAY);
    assert_eq!(found.state, State::Warning);
    assert!(found.found.contains("b (writer, 40 days, last 20"), "{found:?}");
    assert!(found.next.contains("retrace hub remove"), "{found:?}");
}

#[test]
fn what_was_chosen_to_be_sent_holds_when_a_machine_leaves_and_joins_again() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    b.record("diary.md", "private\n");
    let chosen = HubSendReq { store: Some("notes".to_owned()), send: HubSend::Nothing };
    commands::hub_send(&b.world.app, chosen).expect("it is chosen");
    b.synced();
    for new_identity in [false, true] {
        commands::hub_leave(&b.world.app, HubLeaveReq { new_identity }).expect("it leaves");
        let token = commands::hub_token(&a.world.app, HubTokenReq::default()).expect("a token").token;
        b.join(hub.url(), &token).expect("it joins again");
        assert_eq!(b.status().stores[0].send, HubSend::Nothing, "new identity: {new_identity}");
        b.synced();
        assert!(a.versions().is_empty(), "nothing left the machine");
    }
}

#[test]
fn a_refusal_names_what_it_is_about_and_where_the_names_are() {
    let Some(hub) = Hub::start() else { return };
    let (network, a) = (Network::before(&[hub.url()]), Machine::new("a"));
    a.join(&network.url(), hub.running.owner_token().expect("nobody joined yet")).expect("it joins");
    let is = |error: &ApiError, subject: &str, hint: &str| {
        assert_eq!(error.subject, subject, "{error:?}");
        assert!(error.hint.text().contains(hint), "{error:?}");
    };
    let request = HubShowReq { version: "memver_nowhere".to_owned(), content: false };
    let error = commands::hub_show(&a.world.app, request).expect_err("it is nowhere");
    is(&error, "memver_nowhere", "retrace hub history");
    let request = HubRedactionRef { id: "order_nowhere".to_owned() };
    let error = commands::hub_approve_redaction(&a.world.app, request).expect_err("it is nowhere");
    is(&error, "order_nowhere", "retrace hub redactions");
    let removed = commands::hub_remove_comment(&a.world.app, HubCommentRef { number: 99 });
    is(&removed.expect_err("it is nowhere"), "99", "retrace hub show");
    let request = HubPolicyReq { key: "two_person_redaction".to_owned(), value: "maybe".to_owned() };
    let error = commands::hub_set_policy(&a.world.app, request).expect_err("it is no value");
    is(&error, "two_person_redaction", "");

    // Nothing of a list goes on with the next sync; and who left as the last owner is told what helps.
    let Hub { running, database, folder } = hub;
    running.stop();
    let error = commands::hub_machines(&a.world.app, Nothing {}).expect_err("nobody answers");
    assert!(error.hint.text().contains("run it again"), "{error:?}");
    let leave = || commands::hub_leave(&a.world.app, HubLeaveReq::default());
    assert!(leave().expect("it leaves here").not_told.is_some());
    let options = retrace_hub::HubOptions::new(&database.url(), &folder.path().join("hub.key"));
    let again = retrace_hub::start(options).expect("it starts again");
    network.turn_to(&[again.url()]);
    let error = leave().expect_err("an owner is left");
    assert!(error.hint.text().contains("--new-owner-token"), "{error:?}");
}
