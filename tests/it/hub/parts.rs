//! A redaction of a text takes that text out of the contents of other machines, whatever they sent and whenever they sync, and leaves the
//! rest of them. And what such a redaction says of itself.

use super::stores_off_the_list::api;
use super::{Hub, Machine};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_api::commands;
use retrace_api::wire::{
    ActResult, ApiError, Code, HubAcceptReq, HubAgentTokenReq, HubHistoryReq, HubPolicyReq, HubProposalKind,
    HubProposalRef, HubProposeReq, HubRedaction, HubRedactionRef, HubRole, HubSend, HubSendReq, HubTokenReq,
    Nothing, RedactReq, StoreRef,
};
use serde_json::json;

const SECRET: &str = "quartz-heron-5521-opens";
const BODY: &str = "# Deploy\nimportant line one\nkey quartz-heron-5521-opens\nimportant line two\n";
const LEFT: &str = "# Deploy\nimportant line one\nkey [redacted]\nimportant line two\n";

fn of_secret(secret: &str) -> RedactReq {
    RedactReq { secret_base64: Some(STANDARD.encode(secret)), live: true, ..RedactReq::default() }
}

fn redact(machine: &Machine, request: RedactReq) -> ActResult {
    commands::redact(&machine.world.app, request).expect("a redaction")
}

fn send(machine: &Machine, send: HubSend) {
    let request = HubSendReq { store: Some("notes".to_owned()), send };
    commands::hub_send(&machine.world.app, request).expect("it is chosen");
}

fn redactions(machine: &Machine) -> Vec<HubRedaction> {
    commands::hub_redactions(&machine.world.app, Nothing {}).expect("a list").redactions
}

/// Contents of a memory's versions in the log, the oldest first: those that are redacted have none.
fn contents(machine: &Machine, path: &str) -> Vec<bool> {
    let mut versions = machine.world.log(path);
    versions.reverse();
    versions.iter().map(|version| version.path.is_none()).collect()
}

#[test]
fn a_secret_alone_goes_from_equal_contents_of_machines_that_sync_later_or_send_metadata() {
    let Some((_hub, [a, early, metadata, late])) = Hub::with_machines(["a", "early", "metadata", "late"])
    else {
        return;
    };
    send(&metadata, HubSend::Metadata);
    for machine in [&a, &early, &metadata, &late] {
        machine.record("deploy.md", BODY);
    }
    early.synced();
    metadata.synced();
    a.synced();
    redact(&a, of_secret(SECRET));
    a.synced();
    for machine in [&early, &metadata, &late] {
        let done = machine.synced();
        assert_eq!(done.redactions.len(), 1, "{done:?}");
        assert_eq!(machine.world.read("deploy.md").as_deref(), Some(LEFT), "{done:?}");
        machine.synced();
        assert_eq!(machine.world.read("deploy.md").as_deref(), Some(LEFT));
    }
    assert_eq!(a.world.read("deploy.md").as_deref(), Some(LEFT));
    a.synced();
    assert!(redactions(&a).iter().all(|redaction| redaction.complete), "{:?}", redactions(&a));
}

#[test]
fn a_writers_redaction_of_a_secret_leaves_the_rest_of_equal_contents() {
    let Some((_hub, [owner, writer, other])) = Hub::with_machines(["owner", "writer", "other"]) else {
        return;
    };
    for machine in [&writer, &other] {
        machine.record("deploy.md", BODY);
        machine.synced();
    }
    redact(&writer, of_secret(SECRET));
    writer.sync().expect("a sync");
    other.synced();
    assert_eq!(other.world.read("deploy.md").as_deref(), Some(LEFT));
    owner.synced();
}

#[test]
fn a_secret_that_was_redacted_before_joining_goes_alone_from_equal_contents() {
    let Some(hub) = Hub::start() else { return };
    let (owner, late) = (Machine::new("owner"), Machine::new("late"));
    hub.join_all(std::slice::from_ref(&owner));
    send(&owner, HubSend::Metadata);
    owner.record("deploy.md", BODY);
    owner.synced();
    late.record("deploy.md", BODY);
    redact(&late, of_secret(SECRET));
    let request = HubTokenReq { role: Some(HubRole::Reviewer), ..HubTokenReq::default() };
    let token = commands::hub_token(&owner.world.app, request).expect("a token").token;
    late.join(hub.url(), &token).expect("it joins");
    late.synced();
    assert_eq!(owner.synced().redactions.len(), 1);
    assert_eq!(owner.world.read("deploy.md").as_deref(), Some(LEFT));
}

#[test]
fn a_version_that_is_redacted_goes_as_a_whole() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let version = a.record("deploy.md", BODY);
    b.record("deploy.md", BODY);
    b.synced();
    a.synced();
    redact(&a, RedactReq { versions: vec![version.id], live: true, ..RedactReq::default() });
    a.synced();
    b.synced();
    assert_eq!(b.world.read("deploy.md").as_deref(), Some("[redacted]\n"));
}

#[test]
fn a_short_text_goes_from_equal_contents_and_is_looked_for_nowhere_else() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let body = "the code is 4711, ask first\n";
    a.record("code.md", body);
    b.record("code.md", body);
    b.record("other.md", "4711 is a perfume as well\n");
    b.synced();
    a.synced();
    redact(&a, RedactReq { find: Some("4711".to_owned()), live: true, ..RedactReq::default() });
    a.synced();
    b.synced();
    assert_eq!(b.world.read("code.md").as_deref(), Some("the code is [redacted], ask first\n"));
    assert_eq!(b.world.read("other.md").as_deref(), Some("4711 is a perfume as well\n"));
}

#[test]
fn a_content_whose_path_alone_held_the_secret_stays_with_the_others() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let body = "nothing of it is in here\n";
    a.record(&format!("{SECRET}.md"), body);
    b.record("plain.md", body);
    b.synced();
    a.synced();
    redact(&a, of_secret(SECRET));
    a.synced();
    assert!(b.synced().redactions.is_empty());
    assert_eq!(b.world.read("plain.md").as_deref(), Some(body));
    assert_eq!(contents(&b, "plain.md"), [false]);
}

#[test]
fn what_an_order_led_to_on_its_machine_is_of_that_order() {
    for two in [false, true] {
        let Some((hub, [a, c])) = Hub::with_machines(["a", "c"]) else { return };
        let b = Machine::new("b");
        let request = HubTokenReq { role: Some(HubRole::Reviewer), ..HubTokenReq::default() };
        let token = commands::hub_token(&a.world.app, request).expect("a token").token;
        b.join(hub.url(), &token).expect("it joins");
        let policy = HubPolicyReq { key: "two_person_redaction".to_owned(), value: two.to_string() };
        commands::hub_set_policy(&a.world.app, policy).expect("a policy");
        send(&c, HubSend::Metadata);
        a.record("deploy.md", BODY);
        c.record("deploy.md", BODY);
        c.record("only.md", format!("only here: {SECRET}\n"));
        c.synced();
        a.synced();
        redact(&a, of_secret(SECRET));
        a.synced();
        if two {
            let waiting = redactions(&a).into_iter().find(|one| one.state.as_str() == "waiting");
            let id = waiting.expect("it waits").id;
            commands::hub_approve_redaction(&b.world.app, HubRedactionRef { id }).expect("approved");
        }
        let done = c.synced();
        assert_eq!(done.redactions.len(), 1, "{done:?}");
        let waiting = done.waiting.expect("what waits");
        assert_eq!((waiting.redactions, waiting.to_approve), (0, 0), "with two persons: {two}");
        assert_eq!(c.world.read("only.md").as_deref(), Some("only here: [redacted]\n"));
        a.synced();
        let list = redactions(&a);
        assert_eq!(list.len(), 1, "{list:?}");
        assert!(list[0].complete, "{list:?}");
    }
}

#[test]
fn a_version_of_the_api_loses_path_and_content_each_where_it_holds_the_secret() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    let key = commands::hub_agent_token(&a.world.app, HubAgentTokenReq::default()).expect("a key").token;
    let store = api(&hub, &key, "/v1/memory_stores", &json!({ "name": "of agents" }), "sesn_agent");
    let memories = format!("/v1/memory_stores/{}/memories", store["id"].as_str().expect("an id"));
    let write = |path: &str, content: &str| {
        let new = json!({ "path": path, "content": content });
        let written = api(&hub, &key, &memories, &new, "sesn_agent");
        assert_eq!(written["path"], path, "{written}");
    };
    write(&format!("/both-{SECRET}.md"), &format!("it has {SECRET} as well\n"));
    write(&format!("/path-{SECRET}.md"), "clean, and it stays\n");
    a.record("local.md", format!("local {SECRET}\n"));
    a.synced();
    redact(&a, of_secret(SECRET));
    a.synced();
    let mut of_api: Vec<_> =
        a.versions().into_iter().filter(|version| version.store_name == "of agents").collect();
    of_api.sort_by_key(|version| version.seq);
    let said: Vec<_> = of_api
        .iter()
        .map(|version| (version.path.is_some(), version.content_sha256.is_some(), version.content.as_str()))
        .collect();
    assert_eq!(said, [(false, false, "redacted"), (false, true, "kept")]);
    assert!(hub.tables_with(SECRET).is_empty());
    let lost =
        "SELECT count(*) FROM versions v WHERE content_sha256 IS NOT NULL AND kept AND NOT EXISTS (SELECT 1
        FROM contents c WHERE c.sha256 = v.content_sha256)";
    assert_eq!(hub.database.query(lost), "0");
}

#[test]
fn a_history_is_found_by_every_path_and_of_the_apis_stores_too() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    b.record("old.md", "some content that is long enough\n");
    b.synced();
    std::fs::rename(b.world.path("notes/old.md"), b.world.path("notes/new.md")).expect("renamed");
    b.world.scan();
    b.synced();
    let key = commands::hub_agent_token(&a.world.app, HubAgentTokenReq::default()).expect("a key").token;
    let store = api(&hub, &key, "/v1/memory_stores", &json!({ "name": "Api" }), "sesn_agent");
    let id = store["id"].as_str().expect("an id");
    let memories = format!("/v1/memory_stores/{id}/memories");
    api(&hub, &key, &memories, &json!({ "path": "/d/b.md", "content": "one" }), "sesn_agent");
    let versions = |memory: &str| {
        let request = HubHistoryReq { memory: memory.to_owned(), ..HubHistoryReq::default() };
        commands::hub_history(&a.world.app, request).map(|history| history.versions.len())
    };
    assert_eq!(versions("notes:new.md").expect("a history"), 2);
    assert_eq!(versions("notes:old.md").expect("a history"), 2);
    for memory in ["Api:d/b.md", "Api:/d/b.md", &format!("{id}:/d/b.md")] {
        assert_eq!(versions(memory).unwrap_or_else(|error| panic!("{memory}: {error:?}")), 1);
    }
    assert_eq!(versions("Api:d").expect_err("there is none").code, Code::NotFound);
}

#[test]
fn a_secret_that_another_machine_holds_alone_is_looked_for_by_the_next_sync() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let writer = Machine::new("writer");
    writer.join(hub.url(), &a.token()).expect("it joins");
    a.record("mine.md", "mine\n");
    let theirs = b.record("deploy.md", BODY);
    b.synced();
    a.synced();
    writer.synced();
    let hint = |machine: &Machine, request: RedactReq| {
        let error: ApiError = commands::redact(&machine.world.app, request).map(drop).expect_err("refused");
        (error.code, error.hint.text().to_string())
    };
    let (code, said) = hint(&writer, of_secret(SECRET));
    assert_eq!(code, Code::NotFound);
    assert!(said.contains("an owner or a reviewer"), "{said}");
    let (_, said) = hint(&a, of_secret("4711"));
    assert!(said.contains("fewer than 12 bytes"), "{said}");
    let (_, said) = hint(&a, RedactReq { find: Some(SECRET.to_owned()), ..RedactReq::default() });
    assert!(said.contains("--secret-file"), "{said}");
    let (code, said) = hint(&a, RedactReq { versions: vec![theirs.id], ..RedactReq::default() });
    assert_eq!(code, Code::NotFound);
    assert!(said.contains("another machine"), "{said}");

    let dry = redact(&a, RedactReq { dry_run: true, ..of_secret(SECRET) });
    assert!(dry.dry_run && dry.receipt.is_none() && dry.warnings.len() == 1, "{dry:?}");
    let done = redact(&a, of_secret(SECRET));
    assert!(done.receipt.is_some(), "{done:?}");
    assert!(done.warnings[0].text().contains("retrace sync"), "{done:?}");
    a.synced();
    assert_eq!(b.synced().redactions.len(), 1);
    assert_eq!(b.world.read("deploy.md").as_deref(), Some(LEFT));
    a.synced();
    assert!(redactions(&a).iter().all(|redaction| redaction.complete));
}

#[test]
fn nothing_is_carried_out_in_a_store_that_is_off_the_list() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let accept = |accept| {
        let request = HubAcceptReq { store: "notes".to_owned(), accept };
        commands::hub_accept(&b.world.app, request).expect("it is chosen")
    };
    let propose = |version: &str| {
        let request = HubProposeReq {
            kind: HubProposalKind::Rollback,
            version: Some(version.to_owned()),
            text: None,
            machine: None,
            store: None,
            at: None,
            note: None,
        };
        commands::hub_propose(&a.world.app, request).expect("a proposal").id
    };
    accept(true);
    let first = b.record("fact.md", "one\n");
    b.record("fact.md", "two\n");
    b.synced();
    let store = StoreRef { store: "notes".to_owned() };
    commands::remove_store(&b.world.app, store).expect("it is taken off");
    let by_itself = propose(&first.id);
    b.synced();
    assert_eq!(b.world.read("fact.md").as_deref(), Some("two\n"));
    let refused =
        commands::hub_accept_proposal(&b.world.app, HubProposalRef { id: by_itself }).expect("an answer");
    assert_eq!(refused.state.as_str(), "refused");
    assert_eq!(refused.reason.as_deref(), Some("store_off_the_list"));
    assert!(refused.why.expect("a reason").text().contains("off the list"));
    assert_eq!(b.world.read("fact.md").as_deref(), Some("two\n"));

    // It comes back, and asks again before anything is carried out.
    b.world.add("notes");
    assert!(b.status().stores.iter().all(|store| !store.accept_proposals));
    let asked = propose(&first.id);
    assert!(b.synced().proposals.is_empty());
    let done = commands::hub_accept_proposal(&b.world.app, HubProposalRef { id: asked }).expect("accepted");
    assert_eq!(done.state.as_str(), "done");
    assert_eq!(b.world.read("fact.md").as_deref(), Some("one\n"));
}

#[test]
fn a_hub_that_refuses_connections_is_not_tried_again_by_a_command() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    a.record("fact.md", "one\n");
    hub.running.stop();
    let error = a.sync().expect_err("nothing listens there");
    assert_eq!(error.code, Code::StoreUnavailable);
    assert_eq!(error.message.text(), "The hub is not reached: it refuses connections.");
    let (exit, _, errors) = a.run(&["hub", "inbox"]);
    assert_ne!(exit.0, 0);
    assert!(errors.contains("it refuses connections"), "{errors}");
}
