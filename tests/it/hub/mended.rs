//! A hub that lost rows, or was changed past it: what it mends by itself, and what its doctor names.

use super::kept_out::Restored;
use super::stores_off_the_list::api;
use super::{Hub, Machine, raw};
use crate::rebuilt::Repository;
use retrace_api::commands;
use retrace_api::wire::{
    HubAgentTokenReq, HubApproveReq, HubHistoryReq, HubInboxReq, HubShowReq, ImportGitReq, ReviewReq, UndoReq,
};
use retrace_hub::{Check, DoctorOptions, State, doctor};
use serde_json::json;

fn examine(hub: &Hub, whole: bool) -> Vec<Check> {
    let key_file = Some(hub.folder.path().join("hub.key"));
    doctor(&DoctorOptions { database: hub.database.url(), key_file, whole, now: None }).expect("it examines")
}

fn is_sound(hub: &Hub) {
    for whole in [false, true] {
        let checks = examine(hub, whole);
        assert!(checks.iter().all(|check| check.state != State::Error), "{checks:?}");
    }
}

/// A key for all stores, and the memories of a new store, as an address.
fn agent(hub: &Hub, owner: &Machine) -> (String, String) {
    let key = commands::hub_agent_token(&owner.world.app, HubAgentTokenReq::default()).expect("a key").token;
    let store = api(hub, &key, "/v1/memory_stores", &json!({ "name": "of agents" }), "sesn_agent");
    let memories = format!("/v1/memory_stores/{}/memories", store["id"].as_str().expect("an id"));
    (key, memories)
}

fn write(hub: &Hub, (key, memories): &(String, String), path: &str) {
    let new = json!({ "path": path, "content": format!("the content of {path}\n") });
    let written = api(hub, key, memories, &new, "sesn_agent");
    assert_eq!(written["path"], path, "{written}");
}

#[test]
fn versions_of_agents_are_counted() {
    let Some((hub, [owner])) = Hub::with_machines(["owner"]) else { return };
    owner.record("fact.md", "one\n");
    owner.synced();
    let agent = agent(&hub, &owner);
    write(&hub, &agent, "/a.md");
    write(&hub, &agent, "/b.md");
    let (_, text) = raw(hub.url(), b"GET /metrics HTTP/1.1\r\nhost: hub\r\nconnection: close\r\n\r\n", false);
    assert!(text.contains("retrace_hub_versions_appended_total 3\n"), "{text}");
}

#[test]
fn a_lost_head_is_made_anew_from_the_versions() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    for number in 0..3 {
        a.record("fact.md", format!("{number}\n"));
    }
    a.synced();
    let agent = agent(&hub, &a);
    write(&hub, &agent, "/a.md");
    let heads = "SELECT string_agg(seq::text || encode(digest, 'hex'), ' ' ORDER BY store) FROM heads";
    let before = hub.database.query(heads);
    let of_a = "machine = (SELECT machine FROM machines WHERE name = 'a')";
    let lost = format!("DELETE FROM heads WHERE {of_a}");
    let behind = format!("UPDATE heads SET seq = 0, digest = decode(repeat('00', 32), 'hex') WHERE {of_a}");
    for loss in [&lost, &behind] {
        for words in [&["sync", "--resend"][..], &["sync"]] {
            hub.database.sql(loss);
            let checks = examine(&hub, false);
            let named = |check: &Check| check.name == "heads" && check.state == State::Error;
            assert!(checks.iter().any(named), "{checks:?}");
            let (exit, output, errors) = a.run(words);
            assert_eq!(exit, retrace_cli::Exit::DONE, "{loss} {words:?}: {output} {errors}");
            assert_eq!(hub.database.query(heads), before);
            is_sound(&hub);
        }
    }
    hub.database.sql(&lost);
    a.record("fact.md", "more\n");
    assert_eq!(a.synced().stores[0].versions, 1);
    is_sound(&hub);
    let mended = hub.database.query("SELECT count(*) FROM audit WHERE action = 'mend_head'");
    assert_eq!(mended, "5");

    // The hub signs for the machine that it is to the stores of agents.
    hub.database.sql("DELETE FROM heads");
    write(&hub, &agent, "/b.md");
    a.synced();
    is_sound(&hub);
}

#[test]
fn a_chain_that_does_not_hold_together_is_told_as_that() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    for number in 0..3 {
        a.record("fact.md", format!("{number}\n"));
    }
    a.synced();
    hub.database.sql("DELETE FROM heads; DELETE FROM versions WHERE seq = 2");
    let problems = a.sync().expect("an answer").problems;
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    let said = problem.message.text();
    assert!(said.contains("broken at version 2") && !said.contains("reach its database"), "{said}");
    assert!(problem.hint.text().contains("hub doctor"), "{:?}", problem.hint);
}

#[test]
fn what_is_in_the_way_is_not_told_as_a_database_that_is_not_reached() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    a.record("fact.md", "one\n");
    a.synced();
    // A version stands where the next one belongs, and the head does not know of it.
    hub.database.sql(
        "CREATE FUNCTION in_the_way() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             RAISE unique_violation USING CONSTRAINT = 'versions_pkey', TABLE = 'versions'; END $$;
         CREATE TRIGGER in_the_way BEFORE INSERT ON versions FOR EACH ROW EXECUTE FUNCTION in_the_way()",
    );
    a.record("fact.md", "two\n");
    let problem = a.sync().expect("an answer").problems.remove(0);
    let said = problem.message.text();
    assert!(said.contains("something in the way") && !said.contains("reach its database"), "{said}");
}

#[test]
fn the_doctor_names_what_was_lost_or_weakened() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    a.record("fact.md", "one\n");
    a.record("fact.md", "two\n");
    a.record("again.md", "one\n");
    a.record("gone.md", "redacted later\n");
    a.synced();
    let gone = a.world.log("gone.md").remove(0).id;
    let (exit, _, errors) = a.run(&["--quiet", "redact", &gone, "--live"]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    a.synced();
    let agent = agent(&hub, &a);
    write(&hub, &agent, "/a.md");
    is_sound(&hub);
    let rule = "(org = decode(current_setting('retrace.org', true), 'hex'))";
    let policy = format!("CREATE POLICY of_organisation ON comments USING {rule} WITH CHECK {rule}");
    let drop = "DROP POLICY of_organisation ON comments";
    let harms = [
        ("policies", drop.to_owned(), policy.clone(), "comments"),
        (
            "policies",
            "CREATE POLICY more ON contents FOR SELECT USING (true)".to_owned(),
            "DROP POLICY more ON contents".to_owned(),
            "more ON contents",
        ),
        (
            "policies",
            format!("{drop}; CREATE POLICY of_organisation ON comments USING (true) WITH CHECK {rule}"),
            format!("{drop}; {policy}"),
            "of_organisation ON comments",
        ),
        (
            "row_level_security",
            "ALTER TABLE comments DISABLE ROW LEVEL SECURITY".to_owned(),
            "ALTER TABLE comments ENABLE ROW LEVEL SECURITY".to_owned(),
            "comments",
        ),
        (
            "rights",
            "GRANT UPDATE (leaf) ON versions TO retrace_hub".to_owned(),
            "REVOKE UPDATE (leaf) ON versions FROM retrace_hub".to_owned(),
            "UPDATE (leaf) ON versions",
        ),
        (
            "rights",
            "GRANT DELETE ON versions TO retrace_hub".to_owned(),
            "REVOKE DELETE ON versions FROM retrace_hub".to_owned(),
            "DELETE ON versions",
        ),
        (
            "rights",
            "GRANT SELECT ON hub TO PUBLIC".to_owned(),
            "REVOKE SELECT ON hub FROM PUBLIC".to_owned(),
            "SELECT ON hub for PUBLIC",
        ),
        (
            "rights",
            "REVOKE INSERT ON heads FROM retrace_hub".to_owned(),
            "GRANT INSERT ON heads TO retrace_hub".to_owned(),
            "INSERT ON heads",
        ),
    ];
    for (name, harm, mend, named) in harms {
        hub.database.sql(&harm);
        let checks = examine(&hub, false);
        let found = checks.iter().find(|check| check.name == name && check.state == State::Error);
        let found = found.unwrap_or_else(|| panic!("{harm}: {checks:?}"));
        assert!(found.found.contains(named) && !found.next.is_empty(), "{harm}: {found:?}");
        hub.database.sql(&mend);
        is_sound(&hub);
    }
    // What is written as the next step mends it.
    hub.database.sql("GRANT TRUNCATE ON contents TO retrace_hub");
    let checks = examine(&hub, false);
    let found = checks.iter().find(|check| check.state == State::Error).expect("an error");
    hub.database.sql(&found.next);
    is_sound(&hub);

    // Contents that are gone: three of four versions that nobody redacted, and the marker in the place of the redacted one.
    let all = hub.database.query("SELECT count(*) FROM contents");
    hub.database.sql("DELETE FROM contents WHERE machine = (SELECT machine FROM machines WHERE name = 'a')");
    for whole in [false, true] {
        let checks = examine(&hub, whole);
        let lost = |check: &&Check| check.name == "contents" && check.state == State::Error;
        let found = checks.iter().find(lost).unwrap_or_else(|| panic!("{checks:?}"));
        assert!(found.found.contains("4 in versions 1 to 5 of "), "{found:?}");
        assert!(found.next.contains("--resend"), "{found:?}");
    }
    let (exit, _, errors) = a.run(&["sync", "--resend"]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    assert_eq!(hub.database.query("SELECT count(*) FROM contents"), all);
    is_sound(&hub);
}

#[test]
fn an_import_that_was_taken_back_is_told_as_undone() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let Some(mut git) = Repository::new(b.world.path("notes")) else { return };
    git.write("fact.md", "one\n");
    git.commit("One");
    git.write("fact.md", "two\n");
    git.commit("Two");
    b.record("fact.md", "three\n");
    b.synced();
    let inbox = || {
        let items = commands::hub_inbox(&a.world.app, HubInboxReq::default()).expect("an inbox").items;
        items.into_iter().map(|item| (item.id, item.undone)).collect::<Vec<_>>()
    };
    let history = || {
        let memory = "notes:fact.md".to_owned();
        let request = HubHistoryReq { memory, after: None, limit: None };
        commands::hub_history(&a.world.app, request).expect("a history").versions.len()
    };
    let undone = || a.versions().into_iter().filter(|version| version.undone).count();
    let (before, versions) = (inbox(), history());

    let import = ImportGitReq {
        directory: b.world.path("notes").to_string_lossy().into_owned(),
        store: Some("notes".to_owned()),
        ..ImportGitReq::default()
    };
    let imported = commands::import_git(&b.world.app, import.clone()).expect("an import");
    let operation = imported.operation_seq.expect("something came in");
    b.synced();
    assert_eq!((undone(), history()), (0, versions + 2));
    let request = UndoReq { operation_seq: Some(operation), dry_run: false };
    commands::undo(&b.world.app, request).expect("it is undone");
    b.synced();
    assert_eq!((undone(), history()), (2, versions));
    assert_eq!(inbox(), before);
    let (_, text, _) = a.run(&["hub", "versions"]);
    assert_eq!(text.matches("(undone)").count(), 2, "{text}");
    // What is sent later changes nothing about it, and nor does sending everything again.
    b.record("fact.md", "four\n");
    b.synced();
    assert_eq!(undone(), 2);
    hub.database.sql("UPDATE versions SET withdrawn = false");
    let (exit, _, errors) = b.run(&["sync", "--resend"]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    assert_eq!(undone(), 2);
    // Importing it again brings in other versions.
    let before = history();
    commands::import_git(&b.world.app, import).expect("an import");
    b.synced();
    assert_eq!((undone(), history()), (2, before + 2));
}

#[test]
fn a_plain_sync_tells_a_restored_hub_what_it_lacks_beside_versions() {
    let Some((restored, hub)) = Restored::start() else { return };
    let (a, b) = (Machine::new("a"), Machine::new("b"));
    a.join(&restored.network.url(), hub.owner_token().expect("a token")).expect("it joins");
    b.join(&restored.network.url(), &a.token()).expect("it joins");
    let fact = b.record("fact.md", "a fact\n").id;
    let own = b.record("own.md", "reviewed on its machine\n").id;
    b.record("left.md", "nobody looked at this\n");
    b.synced();
    a.synced();
    restored.dump();

    let approve = |version: &str| {
        let request = HubApproveReq { versions: vec![version.to_owned()] };
        commands::hub_approve(&a.world.app, request).expect("approved")
    };
    approve(&fact);
    assert_eq!(b.synced().reviews, 1);
    let verdict = "approve".to_owned();
    let request = ReviewReq { versions: vec![own], verdict, ..ReviewReq::default() };
    commands::review(&b.world.app, request).expect("a review");
    b.synced();
    a.synced();
    let inbox = || {
        let items = commands::hub_inbox(&a.world.app, HubInboxReq::default()).expect("an inbox").items;
        items.into_iter().filter_map(|item| item.path).collect::<Vec<_>>()
    };
    assert_eq!(inbox(), ["left.md"]);

    let _hub = restored.restore(hub);
    assert_eq!(inbox().len(), 3);
    a.synced();
    let synced = b.synced();
    assert_eq!(
        (synced.reviews, synced.stores[0].versions),
        (0, 0),
        "nothing is noted twice, no version was lost"
    );
    assert_eq!(inbox(), ["left.md"]);
    let show = HubShowReq { version: fact, content: false };
    let reviews = commands::hub_show(&a.world.app, show).expect("a version").reviews;
    assert_eq!(reviews.len(), 1, "{reviews:?}");
    // Approvals have the same numbers again as some that the machine took before.
    let next = b.record("next.md", "one more\n").id;
    b.synced();
    approve(&next);
    assert_eq!(b.synced().reviews, 1);
    for machine in [&a, &b] {
        assert_eq!(machine.synced().reviews, 0);
    }
}

#[test]
fn an_approval_that_a_hub_lost_before_the_next_sync_is_made_again() {
    let Some((restored, hub)) = Restored::start() else { return };
    let a = Machine::new("a");
    a.join(&restored.network.url(), hub.owner_token().expect("a token")).expect("it joins");
    let fact = a.record("fact.md", "a fact\n").id;
    a.synced();
    restored.dump();
    let request = HubApproveReq { versions: vec![fact] };
    commands::hub_approve(&a.world.app, request).expect("approved");
    let _hub = restored.restore(hub);
    let left = || commands::hub_inbox(&a.world.app, HubInboxReq::default()).expect("an inbox").items.len();
    assert_eq!(left(), 1);
    a.synced();
    assert_eq!(left(), 0);
}
