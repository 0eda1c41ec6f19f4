//! Roles, policy, audit log, retention, the doctor, figures, backup and restore.

use super::{Hub, Machine, Signer, program, raw};
use retrace_api::commands;
use retrace_api::wire::{
    CheckReq, Code, Finding, FindingsReq, HealthReq, HubAuditReq, HubAuditRow, HubLeaveReq, HubMachineRef,
    HubPolicyReq, HubRole, HubRoleReq, HubShowReq, HubTokenReq, InboxReq, Nothing, ReviewReportReq,
    ReviewReq, SetFindingRule, TriageReq,
};
use retrace_hub::{Check, DoctorOptions, State, doctor};
use retrace_model::{MachineId, StoreId};
use retrace_sync::roles::{REQUESTS, Right, Role, allows, right_of};
use retrace_tests::network::Network;
use retrace_tests::postgres::{Database, Postgres};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// A content of the first organisation, one of the second, and the path of the latter.
const OURS: &str = "the needle of this organisation";
const THEIRS: &str = "the needle of another organisation";
const THEIR_PATH: &str = "of-the-others.md";

fn token(owner: &Machine, role: HubRole) -> String {
    let request = HubTokenReq { role: Some(role), ..HubTokenReq::default() };
    commands::hub_token(&owner.world.app, request).expect("a token").token
}

fn audit(machine: &Machine) -> Vec<HubAuditRow> {
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let request = HubAuditReq { after, limit: Some(7), ..HubAuditReq::default() };
        let page = commands::hub_audit(&machine.world.app, request).expect("a page");
        rows.extend(page.rows);
        match page.next {
            Some(next) => after = Some(next),
            None => return rows,
        }
    }
}

fn set_policy(machine: &Machine, key: &str, value: &str) -> Result<(), retrace_api::wire::ApiError> {
    let request = HubPolicyReq { key: key.to_owned(), value: value.to_owned() };
    commands::hub_set_policy(&machine.world.app, request).map(drop)
}

fn id_of(machine: &Machine) -> String {
    machine.status().machine.expect("it joined")
}

/// Waits until an expression holds in a database. The server looks again and again.
pub(super) fn wait_until(database: &Database, sql: &str) {
    database.sql(&format!(
        "DO $$ BEGIN FOR turn IN 1..600 LOOP
             IF ({sql}) THEN RETURN; END IF;
             PERFORM pg_sleep(0.1);
         END LOOP; RAISE EXCEPTION 'it does not come'; END $$"
    ));
}

/// Bodies that name everything of an organisation which a request may ask for.
fn bodies(store: &str, machine: &str, version: &str) -> Vec<Value> {
    let all = json!({
        "store": store, "machine": machine, "version": version, "id": version, "a": version, "b": version,
        "limit": 1000, "after": null, "seq": 1, "local_seqs": [], "time": 0, "role": "writer", "key": "transcripts",
        "value": "nothing", "text": "x", "person": "p", "path": null, "content": true, "versions": [], "contents": [],
        "kind": "rollback", "name": "x", "memory": version, "to_carry_out": true, "since": null,
    });
    // `audit` and lists take numbers where others take words.
    let mut numbers = all.clone();
    numbers["after"] = json!(0);
    let after = json!({ "after": format!("{store}.{machine}.0"), "limit": 1000, "machine": machine, "role": "auditor" });
    vec![json!({}), all, numbers, after]
}

/// An answer without its numbers and one-time texts, which differ from one answer to the next.
fn without_numbers(answer: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(answer) else { return answer.to_owned() };
    fn shape(value: Value) -> Value {
        match value {
            Value::Number(_) => Value::Null,
            Value::String(text) if text.starts_with("rthub_") || text.starts_with("rtagent_") => Value::Null,
            Value::String(text) if text.contains("apikey_") || text.starts_with("proposal_") => Value::Null,
            Value::Array(all) => all.into_iter().map(shape).collect(),
            Value::Object(all) => all.into_iter().map(|(key, value)| (key, shape(value))).collect(),
            other => other,
        }
    }
    shape(value).to_string()
}

#[test]
fn no_request_of_any_role_shows_another_organisation_or_a_content_to_an_auditor() {
    let Some(database) = Postgres::database() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let key_file = folder.path().join("hub.key").display().to_string();
    let log = folder.path().join("log");
    let words = ["--json", "hub", "serve", "--listen", "127.0.0.1:0", "--log", "json"];
    let url = database.url();
    let words = [&words[..], &["--database", &url, "--key-file", &key_file]].concat();
    let mut process = program(folder.path(), 0, 0, &words)
        .stdin(Stdio::piped())
        .stderr(std::fs::File::create(&log).expect("a file"))
        .spawn()
        .expect("a process");
    let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
    // The name of the test stands before it on the same line.
    let json = |line: String| line.find('{').map(|at| line[at..].to_owned());
    let said = lines.by_ref().map_while(Result::ok).find_map(json).expect("it started");
    let said: Value = serde_json::from_str(&said).expect("JSON");
    let (hub, first) =
        (said["url"].as_str().expect("an address"), said["owner_token"].as_str().expect("a token"));

    let owner = Machine::new("owner");
    owner.join(hub, first).expect("it joins");
    let others = [HubRole::Reviewer, HubRole::Writer, HubRole::Auditor].map(|role| {
        let machine = Machine::new(role.as_str());
        machine.join(hub, &token(&owner, role)).expect("it joins");
        machine
    });
    owner.record("fact.md", OURS);
    owner.synced();

    // Another organisation in the same database, as a process that was started for it serves it.
    database.sql("UPDATE hub SET org = '\\xffffffffffffffffffffffffffffffff'");
    let options = retrace_hub::HubOptions::new(&url, key_file.as_ref());
    let second = retrace_hub::start(options).expect("another process");
    let stranger = Machine::new("stranger");
    stranger.join(second.url(), second.owner_token().expect("nobody joined there")).expect("it joins");
    stranger.record(THEIR_PATH, THEIRS);
    stranger.synced();
    let theirs = &stranger.versions()[0];
    let (their_store, their_machine) = (theirs.store.clone(), theirs.machine.clone());
    let their_hash = theirs.content_sha256.clone().expect("a content");
    let their_org = Signer::of(&stranger).org;
    let hidden = [THEIRS, THEIR_PATH, &their_hash, &their_org, "stranger"];

    let roles = [
        (Role::Owner, &owner),
        (Role::Reviewer, &others[0]),
        (Role::Writer, &others[1]),
        (Role::Auditor, &others[2]),
    ];
    let ours = &owner.versions()[0];
    for (role, machine) in roles {
        let signer = Signer::of(machine);
        for (name, right) in REQUESTS {
            // These would end what is tried here.
            if ["leave", "role", "remove"].contains(name) && allows(role, *right) {
                continue;
            }
            let mut asked = bodies(&their_store, &their_machine, &theirs.store);
            asked.extend(bodies(&ours.store, &ours.machine, &ours.store).drain(1..3));
            for body in asked {
                let (status, answer) = signer.send(hub, name, body.to_string().as_bytes());
                assert!((200..500).contains(&status), "{role} {name}: {status} {answer}");
                if !allows(role, *right) {
                    assert_eq!(status, 403, "{role} {name}: {answer}");
                }
                for secret in hidden {
                    assert!(!answer.contains(secret), "{role} {name} shows {secret}: {answer}");
                }
                let is_content = answer.contains(OURS) || answer.contains("\"packed\":\"");
                assert!(
                    !is_content || allows(role, Right::ReadContent),
                    "{role} {name} shows a content: {answer}"
                );
            }
            // What is of another organisation is answered as what is nowhere: whether it is there cannot be told.
            let (no_store, no_machine) = (StoreId([7; 16]).to_string(), MachineId([7; 16]).to_string());
            let there = bodies(&their_store, &their_machine, &theirs.store);
            // The audit log grows with each of them. The last one says where a page begins, which any id may.
            let asked = there.iter().take(3).filter(|_| *name != "audit");
            for (there, nowhere) in asked.zip(bodies(&no_store, &no_machine, &no_store)) {
                let (status, answer) = signer.send(hub, name, there.to_string().as_bytes());
                let (other, nothing) = signer.send(hub, name, nowhere.to_string().as_bytes());
                let shown = |answer: &str| {
                    let answer = answer.replace(&no_store, &their_store).replace(&no_machine, &their_machine);
                    without_numbers(&answer)
                };
                let same = (status, shown(&answer)) == (other, shown(&nothing));
                assert!(same, "{role} {name}: {status} {answer} and {other} {nothing}");
            }
            // In the name of the other organisation nobody of this one asks anything.
            let headers = signer.headers(name, super::now(), b"{}").into_iter().map(|(header, value)| {
                (header, if header == "retrace-org" { their_org.clone() } else { value })
            });
            let headers: Vec<_> = headers.collect();
            let (status, answer) = super::post(hub, &format!("/hub/v1/{name}"), &headers, b"{}");
            assert_eq!(status, 401, "{role} {name}: {answer}");
        }
    }
    let (status, _) = Signer::of(&owner).send(hub, "no_such_request", b"{}");
    assert_eq!((status, right_of("no_such_request")), (404, None));
    process.kill().expect("it runs");
    process.wait().expect("it ends");
    let log = std::fs::read_to_string(&log).expect("log lines");
    assert!(log.lines().any(|line| line.contains("\"request\":\"append\"")), "{log}");
    for secret in [OURS, "fact.md", first, THEIRS, THEIR_PATH, &their_hash] {
        assert!(!log.contains(secret), "the log shows {secret}");
    }
}

#[test]
fn a_role_that_was_taken_is_not_given_again() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let app = &a.world.app;
    let named = |machine: &str, role| HubRoleReq { machine: machine.to_owned(), role };
    let refused = commands::hub_set_role(app, named("a", HubRole::Writer)).expect_err("the last owner");
    assert_eq!(refused.code, Code::Invalid);
    commands::hub_set_role(app, named("b", HubRole::Owner)).expect("another owner");
    let (left_over, of_b) = (token(&b, HubRole::Owner), id_of(&b));
    commands::hub_set_role(app, named(&of_b, HubRole::Auditor)).expect("a role");
    // A token that it made as an owner ends with that.
    let refused = Machine::new("c").join(hub.url(), &left_over).expect_err("a token that ended");
    assert_eq!(refused.code, Code::KeyRefused);
    let refused =
        commands::hub_token(&b.world.app, HubTokenReq::default()).map(drop).expect_err("an auditor");
    assert_eq!(refused.code, Code::KeyRefused);
    b.record("fact.md", "of an auditor\n");
    // It is refused as a whole or for its store.
    drop(b.sync());
    assert!(a.versions().is_empty(), "an auditor sends nothing");

    // The token it joined with brings back neither role nor membership.
    let again = token(&a, HubRole::Owner);
    let d = Machine::new("d");
    d.join(hub.url(), &again).expect("it joins");
    commands::hub_set_role(app, named("d", HubRole::Writer)).expect("a role");
    let listed = commands::hub_machines(app, Nothing {}).expect("a list");
    assert!(listed.machines.iter().any(|machine| machine.name == "d" && machine.role == HubRole::Writer));
    commands::hub_remove_machine(app, HubMachineRef { machine: "d".to_owned() }).expect("removed");
    assert_eq!(d.sync().map(drop).expect_err("it was removed").code, Code::KeyRefused);
    commands::hub_leave(&d.world.app, HubLeaveReq::default()).expect("it leaves");
    let (before, url) = (Signer::of_file(&d).machine(), hub.url());
    assert_eq!(d.join(url, &again).expect_err("it was removed").code, Code::KeyRefused);
    d.join(url, &token(&a, HubRole::Writer)).expect("an owner lets it join, as another machine");
    assert_ne!(Signer::of_file(&d).machine(), before);
    let listed = commands::hub_machines(app, Nothing {}).expect("a list");
    assert!(listed.machines.iter().any(|machine| machine.name == "d" && machine.removed_at.is_some()));
}

#[test]
fn a_machine_knows_its_new_role_after_a_sync() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    assert_eq!((a.status().role, b.status().role), (Some(HubRole::Owner), Some(HubRole::Writer)));
    for role in [HubRole::Reviewer, HubRole::Auditor] {
        let request = HubRoleReq { machine: "b".to_owned(), role };
        commands::hub_set_role(&a.world.app, request).expect("a role");
        // An auditor's sync is refused what it would send.
        drop(b.sync());
        assert_eq!(b.status().role, Some(role));
    }
    // What a machine does to itself it knows at once.
    let named = |machine: &str, role| HubRoleReq { machine: machine.to_owned(), role };
    commands::hub_set_role(&a.world.app, named("b", HubRole::Owner)).expect("another owner");
    commands::hub_set_role(&a.world.app, named("a", HubRole::Reviewer)).expect("it gives it up");
    assert_eq!(a.status().role, Some(HubRole::Reviewer));
    let refused = commands::hub_set_role(&a.world.app, named("a", HubRole::Owner)).map(drop);
    assert_eq!(refused.expect_err("it is no owner any more").code, Code::KeyRefused);
}

#[test]
fn the_audit_log_is_read_from_either_end() {
    let Some((_hub, [a, _b])) = Hub::with_machines(["a", "b"]) else { return };
    for days in 1..12 {
        set_policy(&a, "retention_days", &days.to_string()).expect("set");
    }
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let request = HubAuditReq { after, limit: Some(5), newest_first: true, since: None };
        let page = commands::hub_audit(&a.world.app, request).expect("a page");
        rows.extend(page.rows.into_iter().map(|row| row.seq));
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    rows.reverse();
    let forth: Vec<u64> = audit(&a).into_iter().map(|row| row.seq).collect();
    // Reading it is noted, after what was read.
    assert!(rows.len() > 11 && forth.starts_with(&rows), "{rows:?} and {forth:?}");
}

#[test]
fn what_is_done_and_refused_is_in_the_audit_log_for_good() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    set_policy(&a, "retention_days", "30").expect("set");
    set_policy(&a, "retention_days", "60").expect("set");
    assert_eq!(set_policy(&a, "retention", "1").expect_err("no key").code, Code::Invalid);
    assert_eq!(set_policy(&b, "transcripts", "everything").expect_err("a writer").code, Code::KeyRefused);
    let policy = commands::hub_policy(&b.world.app, Nothing {}).expect("a policy");
    assert_eq!((policy.retention_days["*"], policy.transcripts.as_str()), (60, "nothing"));
    b.record("fact.md", "a fact\n");
    b.synced();

    let rows = audit(&a);
    let row = |action: &str, outcome: &str| {
        rows.iter()
            .rfind(|row| row.action == action && row.outcome == outcome)
            .unwrap_or_else(|| panic!("{action}: {rows:?}"))
    };
    let changed = row("set_policy", "done");
    assert_eq!((changed.before.as_deref(), changed.after.as_deref()), (Some("30"), Some("60")));
    assert_eq!(row("set_policy", "refused").machine_name.as_deref(), Some("b"));
    assert_eq!(row("append", "done").machine.as_deref(), Some(id_of(&b).as_str()));
    for action in ["join", "token", "contents"] {
        row(action, "done");
    }
    assert!(!format!("{rows:?}").contains("fact.md"), "a path is in the log");
    let refused = commands::hub_audit(&b.world.app, HubAuditReq::default()).expect_err("a writer");
    assert_eq!(refused.code, Code::KeyRefused);
    let since = rows[rows.len() - 1].at.clone();
    let (exit, lines, errors) = a.run(&["hub", "audit", "--json", "--since", &since]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    assert!(lines.lines().count() < rows.len() && lines.lines().all(|line| line.starts_with('{')), "{lines}");

    for act in ["UPDATE audit SET action = 'x'", "DELETE FROM audit", "TRUNCATE audit"] {
        let kept = "SELECT count(*) FROM audit WHERE action <> 'x'";
        let before = hub.database.query(kept);
        hub.database.sql(&format!(
            "DO $$ BEGIN {act}; RAISE EXCEPTION 'it was done'; EXCEPTION WHEN restrict_violation THEN NULL; END $$"
        ));
        assert_eq!(hub.database.query(kept), before);
    }
}

#[test]
fn retention_ends_contents_and_never_a_chain() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    for content in ["first\n", "second\n", "third\n"] {
        a.record("fact.md", content);
    }
    a.record("gone.md", "of a deleted memory\n");
    a.world.remove("gone.md");
    a.world.scan();
    a.synced();
    set_policy(&a, "retention_days.notes", "30").expect("set");
    // All but the last version of the live memory were received long ago.
    hub.database.sql("UPDATE versions SET received_at = received_at - 31 * 86400000000");
    let checks = examine(&hub, false);
    assert_eq!(state_of(&checks, "retention"), State::Warning, "{checks:?}");
    let another = hub.another();
    wait_until(&hub.database, "(SELECT count(*) FROM contents) = 1");
    let mut states: Vec<_> =
        a.versions().into_iter().map(|version| (version.path.expect("a path"), version.content)).collect();
    states.sort();
    let expected = [
        ("fact.md", "expired"),
        ("fact.md", "expired"),
        ("fact.md", "kept"),
        ("gone.md", "expired"),
        ("gone.md", "none"),
    ];
    assert_eq!(states, expected.map(|(path, content)| (path.to_owned(), content.to_owned())));
    another.stop();
    let checks = examine(&hub, true);
    assert!(checks.iter().all(|check| check.state != State::Error), "{checks:?}");
    assert_eq!(state_of(&checks, "retention"), State::Ok);
    // What ended is not sent again; the same content in a new version is.
    a.synced();
    assert_eq!(hub.database.query("SELECT count(*) FROM contents"), "1");
    a.record("again.md", "first\n");
    a.synced();
    assert_eq!(hub.database.query("SELECT count(*) FROM contents"), "2");
}

fn examine(hub: &Hub, whole: bool) -> Vec<Check> {
    let key_file = Some(hub.folder.path().join("hub.key"));
    doctor(&DoctorOptions { database: hub.database.url(), key_file, whole, now: None }).expect("it examines")
}

fn state_of(checks: &[Check], name: &str) -> State {
    let found = checks.iter().filter(|check| check.name == name).map(|check| check.state).max();
    found.unwrap_or_else(|| panic!("{name} is not examined: {checks:?}"))
}

#[test]
fn the_doctor_sees_what_was_changed_past_the_hub() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    a.record("fact.md", "one\n");
    a.record("fact.md", "two\n");
    a.synced();
    for whole in [false, true] {
        let checks = examine(&hub, whole);
        assert!(checks.iter().all(|check| check.state != State::Error), "{checks:?}");
    }
    let harms = [
        (
            "chains",
            "UPDATE versions SET operation = 'deleted' WHERE seq = 1",
            "UPDATE versions SET operation = 'created' WHERE seq = 1",
        ),
        ("heads", "UPDATE heads SET seq = seq + 1", "UPDATE heads SET seq = seq - 1"),
        ("contents", "UPDATE contents SET size = size + 1", "UPDATE contents SET size = size - 1"),
        (
            "row_level_security",
            "ALTER TABLE versions NO FORCE ROW LEVEL SECURITY",
            "ALTER TABLE versions FORCE ROW LEVEL SECURITY",
        ),
        (
            "row_level_security",
            "GRANT SELECT ON versions_1 TO retrace_hub",
            "REVOKE SELECT ON versions_1 FROM retrace_hub",
        ),
        ("role", "GRANT DELETE ON audit TO retrace_hub", "REVOKE DELETE ON audit FROM retrace_hub"),
        ("audit", "ALTER TABLE audit DISABLE TRIGGER USER", "ALTER TABLE audit ENABLE TRIGGER USER"),
        (
            "migrations",
            "INSERT INTO refinery_schema_history (version, name) VALUES (99, 'x')",
            "DELETE FROM refinery_schema_history WHERE version = 99",
        ),
    ];
    for (name, harm, mend) in harms {
        hub.database.sql(harm);
        let checks = examine(&hub, true);
        assert_eq!(state_of(&checks, name), State::Error, "{harm}: {checks:?}");
        hub.database.sql(mend);
        let checks = examine(&hub, true);
        assert_eq!(state_of(&checks, name), State::Ok, "{mend}: {checks:?}");
    }
    hub.database.sql("UPDATE machines SET skew = 600000000, seen_at = 0");
    let checks = examine(&hub, false);
    assert_eq!((state_of(&checks, "clocks"), state_of(&checks, "seen")), (State::Warning, State::Warning));

    let url = hub.database.url();
    let key_file = hub.folder.path().join("hub.key").display().to_string();
    let (exit, text, _) = a.run(&["hub", "doctor", "--database", &url, "--key-file", &key_file]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{text}");
    std::fs::remove_file(&key_file).expect("removed");
    let (exit, text, _) = a.run(&["hub", "doctor", "--json", "--database", &url, "--key-file", &key_file]);
    assert_eq!(exit, retrace_cli::Exit(5), "{text}");
    assert!(
        text.lines().any(|line| line.contains("\"check\":\"key_file\"") && line.contains("\"error\"")),
        "{text}"
    );
    assert!(!std::path::Path::new(&key_file).exists(), "it makes no key file");
    let nowhere = doctor(&DoctorOptions {
        database: "host=/no/such/place".into(),
        key_file: None,
        whole: false,
        now: None,
    });
    assert_eq!(state_of(&nowhere.expect("checks"), "database"), State::Error);
}

#[test]
fn figures_are_told_to_those_who_may_read_them() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    a.record("fact.md", "one\n");
    a.synced();
    let get = |url: &str, header: &str| {
        raw(
            url,
            format!("GET /metrics HTTP/1.1\r\nhost: hub\r\nconnection: close\r\n{header}\r\n").as_bytes(),
            false,
        )
    };
    let (status, text) = get(hub.url(), "");
    assert_eq!(status, 200, "{text}");
    for line in [
        "retrace_hub_versions_appended_total 1",
        "retrace_hub_requests_total{request=\"append\",status=\"200\"} 1",
        "retrace_hub_request_seconds_count{request=\"append\"} 1",
        "retrace_hub_pool_connections",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let file = hub.folder.path().join("figures.token");
    std::fs::write(&file, "a token of some length\n").expect("written");
    let guarded = retrace_hub::HubOptions { metrics_token_file: Some(file), ..hub.options() };
    let guarded = retrace_hub::start(guarded).expect("another process");
    assert_eq!(get(guarded.url(), "").0, 401);
    assert_eq!(get(guarded.url(), "authorization: Bearer another token\r\n").0, 401);
    assert_eq!(get(guarded.url(), "authorization: Bearer a token of some length\r\n").0, 200);
}

#[test]
fn a_restored_dump_is_sound_and_what_it_lacks_is_sent_again() {
    let Some(postgres) = Postgres::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let key_file = folder.path().join("hub.key");
    let options = |database: &str| retrace_hub::HubOptions::new(&postgres.url_of(database), &key_file);
    postgres.sql("postgres", "CREATE DATABASE first");
    postgres.sql("postgres", "CREATE DATABASE second");
    let hub = retrace_hub::start(options("first")).expect("a hub");
    let network = Network::before(&[hub.url()]);
    let machine = Machine::new("a");
    machine.join(&network.url(), hub.owner_token().expect("a token")).expect("it joins");
    machine.record("fact.md", "before the dump\n");
    machine.synced();

    let dump = folder.path().join("hub.dump");
    let run = |name: &str, words: &[&str]| {
        let mut command = Command::new(postgres.programs().join(name));
        let output = command.args(words).stdin(Stdio::null()).output().expect("a program of PostgreSQL");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let file = dump.display().to_string();
    run("pg_dump", &["-Fc", "-f", &file, "-d", &postgres.url_of("first")]);
    machine.record("fact.md", "after the dump\n");
    machine.synced();
    hub.stop();
    postgres.sql("postgres", "DROP DATABASE first");
    run("pg_restore", &["--exit-on-error", "-d", &postgres.url_of("second"), &file]);

    let hub = retrace_hub::start(options("second")).expect("a hub over the restored database");
    assert_eq!(hub.owner_token(), None, "the owner is still there");
    network.turn_to(&[hub.url()]);
    let database = postgres.url_of("second");
    let examined = DoctorOptions { database, key_file: Some(key_file.clone()), whole: true, now: None };
    let checks = doctor(&examined).expect("it examines");
    assert!(checks.iter().all(|check| check.state != State::Error), "{checks:?}");
    let problems = machine.sync().expect("an answer").problems;
    assert_eq!(problems.iter().map(|problem| problem.code.as_str()).collect::<Vec<_>>(), ["hub_cut"]);
    let (exit, _, errors) = machine.run(&["sync", "--resend"]);
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    assert!(machine.versions().iter().all(|version| version.content == "kept"));
    assert_eq!(machine.versions().len(), 2);
    let checks = doctor(&examined).expect("it examines");
    assert!(checks.iter().all(|check| check.state != State::Error), "{checks:?}");
}

/// A rule that is about one content by itself, and a content that it finds something in.
const RULE: &str = "hidden/zero-width";
const HIDDEN: &str = "deploy\u{200b} on Fridays\n";

/// Where an agent's write of it is refused, though a configuration that the caller gives switches every rule off.
fn guarded(machine: &Machine) -> Vec<(&'static str, bool)> {
    const OFF: &str = "exclude = [\"**\"]\n[rules]\nhidden = \"off\"\nsecret = \"off\"\n";
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let root = machine.world.path("notes").display().to_string();
    let config = machine.world.path("guard.toml");
    std::fs::write(&config, OFF).expect("a file");
    let config = config.display().to_string();
    let write = || {
        let path = format!("/memories/tried-{}.md", NEXT.fetch_add(1, Ordering::SeqCst));
        json!({ "command": "create", "path": path, "file_text": HIDDEN })
    };
    let as_command = |guard: &str| {
        let request = json!({ "root": root, "input": write(), "guard": guard, "guard_config": OFF });
        let answer = machine.world.app.call("memory_tool", request).expect("an answer");
        answer["content"].as_str().expect("a text").contains(RULE)
    };
    let words =
        ["memory-tool", "--root", &root, "--session", "s", "--guard", "refuse", "--guard-config", &config];
    let (exit, terminal, errors) = machine.run_on(&words, format!("{}\n", write()).as_bytes());
    assert_eq!(exit, retrace_cli::Exit::DONE, "{errors}");
    vec![
        ("guard that refuses", as_command("refuse")),
        ("guard that warns", as_command("warn")),
        ("guard in a terminal", terminal.contains(RULE)),
        ("guard over MCP", over_mcp(machine, &[&words[..], &["--mcp"]].concat(), &write()).contains(RULE)),
    ]
}

/// The answer to one call of the tool from a client of the Model Context Protocol.
fn over_mcp(machine: &Machine, words: &[&str], input: &Value) -> String {
    let mut process = machine.command(words).stdin(Stdio::piped()).spawn().expect("a process");
    let client = json!({ "name": "test", "version": "0" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let mut stdin = process.stdin.take().expect("its input");
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "memory", "arguments": input } }),
    ] {
        writeln!(stdin, "{message}").expect("it reads");
    }
    let lines = BufReader::new(process.stdout.take().expect("its output")).lines();
    let answer = lines.map_while(Result::ok).find(|line| line.contains("\"id\":2")).expect("an answer");
    drop(stdin);
    process.wait().expect("it ends");
    answer
}

/// Where its findings are reported, by the doors through which a person sees them, and where they stop an agent.
fn doors(machine: &Machine) -> Vec<&'static str> {
    let app = &machine.world.app;
    let check = |target: String, config: Option<&str>, rules: &[&str]| {
        let request = CheckReq {
            target,
            config: config.map(str::to_owned),
            rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
            ..CheckReq::default()
        };
        commands::check(app, request).expect("a check").findings
    };
    let directory = machine.world.path("notes").display().to_string();
    let found = |findings: Vec<Finding>| findings.iter().any(|finding| finding.rule == RULE);
    let inbox = commands::inbox(app, InboxReq { limit: Some(100), ..InboxReq::default() }).expect("an inbox");
    let items: Vec<_> = inbox.groups.into_iter().flat_map(|group| group.items).collect();
    let health = commands::health(app, HealthReq { store: None, loads: false }).expect("health");
    let of_store = FindingsReq { store: "notes".to_owned(), path: None };
    let of_store = commands::findings(app, of_store).expect("findings").findings;
    let report = commands::review_report(app, ReviewReportReq::default()).expect("a report").text;
    let off = format!("[rules]\n\"{RULE}\" = \"off\"\n");
    let fact = items.iter().find(|item| item.path.as_deref() == Some("fact.md")).expect("it is unreviewed");
    let show = HubShowReq { version: fact.version_id.clone(), content: true };
    // Of several, as one alone is looked at.
    let versions = items.iter().map(|item| item.version_id.clone()).collect();
    let verdict = "approve".to_owned();
    let approve = ReviewReq { versions, verdict, dry_run: true, ..ReviewReq::default() };
    let approval = commands::review(app, approve).expect("a preview").approval.expect("of several").findings;
    let triage = commands::triage(app, TriageReq::default()).expect("rows");
    let triage = triage.needs.into_iter().filter_map(|row| row.finding).collect();
    // There is no hub to ask after leaving it.
    let shown = commands::hub_show(app, show).ok();
    let mut all = vec![
        ("check", found(check("notes".to_owned(), None, &[]))),
        ("check with a configuration", found(check("notes".to_owned(), Some(&off), &[]))),
        ("check of another rule", found(check("notes".to_owned(), None, &["links/wiki"]))),
        ("check of the directory", found(check(directory, None, &[]))),
        ("findings", found(of_store)),
        ("health", health.findings.iter().any(|found| found.finding.rule == RULE)),
        ("inbox", found(items.iter().flat_map(|item| item.findings.clone()).collect())),
        ("report", report.contains(&format!("{RULE} line "))),
        ("triage", found(triage)),
        ("approval", approval.iter().any(|found| found.rule == RULE)),
        ("hub", shown.is_some_and(|shown| found(shown.findings))),
    ];
    all.extend(guarded(machine));
    all.into_iter().filter_map(|(door, found)| found.then_some(door)).collect()
}

#[test]
fn a_required_rule_is_on_wherever_rules_are_read() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let app = &b.world.app;
    // A writer reads no contents at the hub.
    let reads = HubRoleReq { machine: "b".to_owned(), role: HubRole::Reviewer };
    commands::hub_set_role(&a.world.app, reads).expect("a role");
    let set = |value: Option<&str>| {
        let request = SetFindingRule { rule: RULE.to_owned(), setting: value.map(str::to_owned) };
        commands::set_finding_rule(app, request)
    };
    // Off by the person, and off with the path left out by what lies in the directory.
    b.record("retrace.toml", format!("exclude = [\"fact.md\"]\n[rules]\n\"{RULE}\" = \"off\"\n"));
    b.record("fact.md", HIDDEN);
    set(Some("off")).expect("it is off");
    b.synced();
    assert_eq!(doors(&b), Vec::<&str>::new());

    set_policy(&a, "required_rules", RULE).expect("a policy");
    // And one that a later program knows.
    let of_later = format!("'[\"{RULE}\", \"of/later\"]'");
    hub.database
        .sql(&format!("UPDATE policies SET policy = jsonb_set(policy, '{{required_rules}}', {of_later})"));
    assert_eq!(doors(&b), Vec::<&str>::new(), "nothing is asked of a machine before it syncs");
    b.synced();
    assert_eq!(
        doors(&b),
        [
            "check",
            "check with a configuration",
            "check of another rule",
            "check of the directory",
            "findings",
            "health",
            "inbox",
            "report",
            "triage",
            "approval",
            "hub",
            "guard that refuses",
            "guard that warns",
            "guard in a terminal",
            "guard over MCP",
        ]
    );
    let asked = b.status().asked.expect("it was told");
    assert_eq!((asked.required_rules.len(), asked.transcripts.as_str()), (2, "nothing"));
    for selector in [RULE, "hidden"] {
        let request = SetFindingRule { rule: selector.to_owned(), setting: Some("off".to_owned()) };
        let refused = commands::set_finding_rule(app, request).map(drop).expect_err("it is required");
        assert_eq!((refused.code, refused.subject.as_str()), (Code::Invalid, RULE));
        let url = b.status().url.expect("it joined");
        assert!(refused.message.text().contains(&url), "{}", refused.message.text());
        assert!(refused.hint.text().contains("required_rules"), "{}", refused.hint.text());
    }
    let listed = commands::finding_rules(app, Nothing {}).expect("rules").rules;
    let rule = listed.iter().find(|rule| rule.id == RULE).expect("it is listed");
    assert!(rule.required_by.is_some() && rule.own.as_deref() == Some("off"));
    let (_, table, _) = b.run(&["health", "rules", "list"]);
    assert!(table.lines().any(|line| line.contains(RULE) && line.contains("required")), "{table}");
    // More of it is allowed, and so is taking the own setting away.
    set(Some("error")).expect("another severity");
    set(Some("on")).expect("on");
    set(None).expect("no setting");

    // A file that says nothing any more is no way around it.
    let file = b.data_dir().join("findings.toml");
    std::fs::write(&file, format!("[rules]\n\"{RULE}\" = \"off\"\n")).expect("written");
    assert!(doors(&b).contains(&"check"));
    // Leaving frees the machine.
    commands::hub_leave(app, HubLeaveReq::default()).expect("it leaves");
    assert_eq!(doors(&b), Vec::<&str>::new());
    assert_eq!(b.status().asked, None);
}

#[test]
fn a_machine_sends_of_transcripts_what_it_was_told_and_nothing_else() {
    let Some((_hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let asked = |machine: &Machine| machine.status().asked.map(|asked| asked.transcripts);
    assert_eq!(asked(&b), None);
    for value in ["everything", "metadata", "nothing"] {
        set_policy(&a, "transcripts", value).expect("a policy");
        b.synced();
        assert_eq!(asked(&b).as_deref(), Some(value));
    }
}
