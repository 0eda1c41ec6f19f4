//! Sessions that machines share, and those that agents mirror.

use super::{Hub, Machine, post};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_api::commands;
use retrace_api::wire::{
    self, HubAdherence, HubAdherenceReq, HubAgentTokenReq, HubPolicyReq, HubPresence, HubPresenceReq,
    HubRole, HubSession, HubSessionsReq, HubShare, HubShareReq, RedactReq,
};
use retrace_tests::network::Network;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Stands in every transcript, and nowhere else.
const MARKER: &str = "zebra-quill-8841";
const SECRET: &str = "sk-live-quartz-heron-5521";
const RULE: &str = "Use pnpm, never npm.";

/// A session on a machine that reads the memory `build.md` and runs commands, each in an answer of its own.
fn session(machine: &Machine, id: &str, hour: u32, commands: &[String]) {
    let world = &machine.world;
    let folder = world.path("home/.claude/projects/-home-ada-app");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut lines: Vec<String> = Vec::new();
    let mut line = |fields: Value| {
        let number = lines.len();
        let mut row = json!({"uuid": format!("{id}-u{number}"), "sessionId": id, "cwd": "/home/ada/app", "version": "2.1.181",
            "parentUuid": (number > 0).then(|| format!("{id}-u{}", number - 1)), "isSidechain": false,
            "timestamp": format!("2031-11-20T{hour:02}:00:00.{number:03}Z")});
        row.as_object_mut().expect("a row").extend(fields.as_object().expect("fields").clone());
        lines.push(row.to_string());
    };
    line(json!({"type": "user", "message": {"role": "user", "content": format!("Go on, {MARKER}.")}}));
    let memory = world.path("notes/build.md").display().to_string();
    let text = std::fs::read_to_string(&memory).expect("the memory");
    let shown: String = text.lines().zip(1..).map(|(line, number)| format!("{number}\t{line}\n")).collect();
    let read = json!({"name": "Read", "input": {"file_path": memory}});
    let calls = commands.iter().map(|command| json!({"name": "Bash", "input": {"command": command}}));
    for (number, call) in std::iter::once(read).chain(calls).enumerate() {
        let of = format!("{id}-{number}");
        let mut block = json!({"type": "tool_use", "id": of});
        block.as_object_mut().expect("a block").extend(call.as_object().expect("a call").clone());
        line(
            json!({"type": "assistant", "message": {"id": format!("msg_{of}"), "role": "assistant", "model": "claude-opus-5",
            "content": [block], "usage": {"input_tokens": 7, "output_tokens": 5}}}),
        );
        let result = if number == 0 { shown.as_str() } else { "ok" };
        line(json!({"type": "user", "message": {"role": "user", "content":
            [{"type": "tool_result", "tool_use_id": of, "content": result}]}}));
    }
    std::fs::write(folder.join(format!("{id}.jsonl")), lines.join("\n") + "\n").expect("a transcript");
}

fn words(commands: &[&str]) -> Vec<String> {
    commands.iter().map(|command| (*command).to_owned()).collect()
}

/// A memory with a rule, and the rule confirmed.
fn with_rule(machine: &Machine) {
    machine.record("build.md", format!("# Build\n- {RULE}\n"));
    let rule =
        json!({"kind": "command_never", "program": "npm", "sentence": RULE, "source": "notes:build.md:2"});
    commands::add_memory_rule(&machine.world.app, wire::AddMemoryRule { rule, dismissed: false })
        .expect("a rule");
}

fn share(machine: &Machine, share: HubShare) {
    let request = HubShareReq { store: "notes".to_owned(), share };
    commands::hub_share_sessions(&machine.world.app, request).expect("it is chosen");
}

fn policy(owner: &Machine, value: &str) {
    let request = HubPolicyReq { key: "transcripts".to_owned(), value: value.to_owned() };
    commands::hub_set_policy(&owner.world.app, request).expect("the policy is set");
}

fn sessions(machine: &Machine) -> Vec<HubSession> {
    commands::hub_sessions(&machine.world.app, HubSessionsReq::default()).expect("a list").sessions
}

fn presence(machine: &Machine) -> HubPresence {
    let request = HubPresenceReq { memory: "notes:build.md".to_owned() };
    commands::hub_presence(&machine.world.app, request).expect("presence")
}

fn ledger(machine: &Machine) -> HubAdherence {
    commands::hub_adherence(&machine.world.app, HubAdherenceReq::default()).expect("a ledger")
}

fn role(owner: &Machine, hub: &Hub, name: &str, role: HubRole) -> Machine {
    let request = wire::HubTokenReq { role: Some(role), ..wire::HubTokenReq::default() };
    let token = commands::hub_token(&owner.world.app, request).expect("a token").token;
    let machine = Machine::new(name);
    machine.join(hub.url(), &token).expect("it joins");
    machine
}

#[test]
fn nothing_leaves_before_a_person_and_the_policy_say_so() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    with_rule(&a);
    session(&a, "aaaa", 8, &words(&["npm ci"]));
    policy(&a, "everything");
    assert_eq!(a.synced().shared, None);
    policy(&a, "nothing");
    share(&a, HubShare::Everything);
    assert_eq!(a.synced().shared, None);
    assert_eq!(hub.database.query("SELECT count(*) FROM sessions"), "0");
    policy(&a, "everything");
    assert_eq!(a.synced().shared.map(|shared| shared.sessions), Some(1));
    // What the policy keeps no more is gone at once.
    assert_ne!(hub.database.query("SELECT count(*) FROM session_entries WHERE bytes IS NOT NULL"), "0");
    policy(&a, "nothing");
    for table in ["sessions", "session_entries", "session_presence", "session_verdicts", "session_rules"] {
        assert_eq!(hub.database.query(&format!("SELECT count(*) FROM {table}")), "0", "{table}");
    }
}

#[test]
fn two_machines_share_and_each_role_reads_what_it_may() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    let (reviewer, auditor) =
        (role(&a, &hub, "reviewer", HubRole::Reviewer), role(&a, &hub, "auditor", HubRole::Auditor));
    policy(&a, "metadata");
    for machine in [&a, &b] {
        with_rule(machine);
        share(machine, HubShare::Summary);
    }
    session(&a, "aaaa", 8, &words(&["npm ci", "npm test"]));
    session(&a, "aabb", 9, &words(&["pnpm ci"]));
    session(&b, "bbbb", 10, &words(&["npm ci"]));
    let shared = a.synced().shared.expect("it shares");
    assert_eq!((shared.sessions, shared.entries), (2, 0));
    b.synced();
    assert_eq!(a.synced().shared.map(|shared| shared.sessions), Some(0), "nothing is sent twice");

    let listed = sessions(&reviewer);
    let ids: Vec<&str> = listed.iter().map(|session| session.session.as_str()).collect();
    assert_eq!(ids, ["bbbb", "aabb", "aaaa"]);
    assert_eq!((listed[2].requests, listed[2].input_tokens, listed[2].output_tokens), (3, 21, 15));
    assert_eq!((listed[2].machine_name.as_str(), listed[2].agent.as_str()), ("a", "claude-code"));
    assert_eq!(listed[2].stores, ["notes"]);

    let there = presence(&reviewer);
    assert_eq!((there.sums.sessions, there.sums.present, there.machines.len()), (3, 3, 2), "{there:?}");
    assert!(there.sums.last_at.is_some());
    // In JSON the sums stand beside what they are of.
    let json = serde_json::to_value(&there).expect("JSON");
    let sums = ["absent", "inferred", "last_at", "present", "sessions"];
    let with = |names: &[&str]| BTreeSet::from_iter(sums.iter().chain(names).map(|name| (*name).to_owned()));
    let fields = |of: &Value| of.as_object().expect("an object").keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(fields(&json), with(&["memory", "machines"]));
    assert_eq!(fields(&json["machines"][0]), with(&["machine", "machine_name", "store", "store_name"]));
    let counted = ledger(&reviewer);
    assert_eq!((counted.sessions, counted.rules.len()), (3, 1));
    let rule = &counted.rules[0];
    // The same figures as the machines' own.
    let own = |machine: &Machine| {
        commands::adherence(&machine.world.app, wire::AdherenceReq::default())
            .expect("a ledger")
            .rules
            .remove(0)
    };
    let (of_a, of_b) = (own(&a), own(&b));
    assert!(of_a.broken == 2 && of_b.broken == 1, "{of_a:?}");
    for (sum, one, other) in [
        (rule.ledger.opportunities, of_a.opportunities, of_b.opportunities),
        (rule.ledger.followed, of_a.followed, of_b.followed),
        (rule.ledger.broken, of_a.broken, of_b.broken),
        (rule.ledger.broken_present, of_a.broken_present, of_b.broken_present),
        (rule.ledger.sessions, of_a.sessions, of_b.sessions),
    ] {
        assert_eq!(sum, one + other, "{rule:?}");
    }
    assert_eq!((rule.ledger.rule.sentence.as_str(), rule.machines.len()), (RULE, 2));

    // An auditor sees the counts and no sentence; a writer its own machine.
    let audited = ledger(&auditor);
    assert_eq!((audited.rules[0].ledger.broken, audited.rules[0].ledger.rule.sentence.as_str()), (3, ""));
    assert_eq!((sessions(&auditor).len(), presence(&auditor).sums.present), (3, 3));
    assert_eq!(sessions(&b).iter().map(|session| session.session.as_str()).collect::<Vec<_>>(), ["bbbb"]);
    assert_eq!((presence(&b).sums.sessions, ledger(&b).rules[0].ledger.broken), (1, 1));

    // No text of a transcript is there, sealed or not, and no command.
    assert_eq!(hub.database.query("SELECT count(*) FROM session_entries"), "0");
    for text in [MARKER, "npm ci", RULE] {
        assert_eq!(hub.tables_with(text), Vec::<String>::new(), "{text}");
    }
    let named: Vec<&str> = vec!["--json", "hub", "adherence", "--rule", &rule.ledger.rule_id];
    let (exit, out, errors) = reviewer.run(&named);
    assert!(exit.0 == 0 && out.contains(RULE), "{out} {errors}");
}

#[test]
fn a_policy_of_metadata_keeps_texts_out_that_a_machine_would_send() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    with_rule(&a);
    share(&a, HubShare::Everything);
    session(&a, "aaaa", 8, &words(&["npm ci"]));
    policy(&a, "metadata");
    assert_eq!(a.synced().shared.map(|shared| (shared.sessions, shared.entries)), Some((1, 0)));
    let signer = super::Signer::of(&a);
    let raw = MARKER.as_bytes();
    let packed = STANDARD.encode(zstd_of(raw));
    let sha256 = retrace_model::Sha256::of(raw).to_hex();
    let entry = json!({"content": {"sha256": sha256, "size": raw.len(), "packed": packed}});
    let body = json!({"session": "aaaa", "part": "", "after": 0, "entries": [entry]}).to_string();
    let (status, answer) = signer.send(hub.url(), "put_entries", body.as_bytes());
    assert!(status == 403 && answer.contains("not_allowed"), "{status} {answer}");
    assert_eq!(hub.database.query("SELECT count(*) FROM session_entries"), "0");
    policy(&a, "everything");
    let shared = a.synced().shared.expect("it shares");
    assert_eq!((shared.sessions, shared.entries), (1, 5));
    assert_eq!(sessions(&a)[0].entries, 5);
    let (status, answer) = signer.send(hub.url(), "put_entries", body.as_bytes());
    assert!(status == 200 && answer.contains("5"), "what is there stays: {status} {answer}");
    assert_eq!(hub.tables_with(MARKER), Vec::<String>::new(), "texts are encrypted");
}

#[test]
fn texts_of_sessions_end_with_their_time_and_what_they_say_of_memories_stays() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    with_rule(&a);
    session(&a, "aaaa", 8, &words(&["npm ci", "pnpm test"]));
    policy(&a, "everything");
    share(&a, HubShare::Everything);
    a.synced();
    let kept = "SELECT count(*) FROM session_entries WHERE bytes IS NOT NULL";
    let all = hub.database.query("SELECT count(*) FROM session_entries");
    assert_eq!(hub.database.query(kept), all);
    let before = (presence(&a).sums.present, ledger(&a).rules[0].ledger.opportunities);

    let days = HubPolicyReq { key: "retention_days.transcripts".to_owned(), value: "30".to_owned() };
    commands::hub_set_policy(&a.world.app, days).expect("the policy is set");
    // The hub's own clock counts: the first lines came long ago, the last two not.
    hub.database.sql("UPDATE session_entries SET received_at = received_at - 31 * 86400000000 WHERE number < (SELECT max(number) - 1 FROM session_entries)");
    let another = hub.another();
    super::policy::wait_until(&hub.database, &format!("({kept}) = 2"));
    another.stop();
    assert_eq!(hub.database.query("SELECT count(*) FROM session_entries"), all, "their places stay");
    let listed = sessions(&a).remove(0);
    assert_eq!(listed.without_text + 2, listed.entries, "{listed:?}");
    assert_eq!((presence(&a).sums.present, ledger(&a).rules[0].ledger.opportunities), before);
    let noted = "SELECT count(*) FROM audit WHERE action = 'retention' AND machine IS NULL";
    assert_ne!(hub.database.query(noted), "0");
    // What ended is not sent again.
    a.synced();
    assert_eq!(hub.database.query(kept), "2");
}

#[test]
fn a_memory_that_did_not_exist_yet_is_not_one_that_nobody_opened() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    with_rule(&a);
    a.record("later.md", "written after the first session\n");
    session(&a, "aaaa", 8, &words(&["npm ci"]));
    session(&a, "bbbb", 9, &words(&["npm ci"]));
    // The second is older than anything that was recorded.
    let old = a.world.path("home/.claude/projects/-home-ada-app/bbbb.jsonl");
    let text = std::fs::read_to_string(&old).expect("a transcript").replace("2031-", "2021-");
    std::fs::write(&old, text).expect("a transcript");
    policy(&a, "metadata");
    share(&a, HubShare::Summary);
    a.synced();
    let of = |memory: &str| {
        let request = HubPresenceReq { memory: memory.to_owned() };
        commands::hub_presence(&a.world.app, request).expect("presence")
    };
    let later = of("notes:later.md");
    assert_eq!((later.sums.sessions, later.sums.present), (2, 0));
    let causes = [("did_not_exist".to_owned(), 1), ("not_opened".to_owned(), 1)];
    assert_eq!(later.sums.absent, causes.into_iter().collect());
    // What may be older than recording is not said to have been missing.
    hub.database.sql("UPDATE stores SET recorded_since = 1000");
    assert_eq!(of("notes:later.md").sums.absent, [("not_opened".to_owned(), 2)].into_iter().collect());
    hub.database.sql("UPDATE stores SET recorded_since = NULL");
    assert_eq!(of("notes:later.md").sums.absent, [("not_opened".to_owned(), 2)].into_iter().collect());
}

/// A zstd frame of one raw block.
fn zstd_of(bytes: &[u8]) -> Vec<u8> {
    let size = u32::try_from(bytes.len()).expect("few bytes");
    let header = (size << 3) | 1;
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, u8::try_from(size).expect("few bytes")];
    frame.extend_from_slice(&header.to_le_bytes()[..3]);
    frame.extend_from_slice(bytes);
    frame
}

#[test]
fn a_sync_of_sessions_that_is_killed_goes_on() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    policy(&a, "everything");
    let network = Network::before(&[hub.url()]);
    let b = Machine::new("b");
    b.join(&network.url(), &a.token()).expect("it joins");
    with_rule(&b);
    b.synced();
    share(&b, HubShare::Everything);
    for number in 0..3 {
        let commands: Vec<String> = (0..40).map(|call| format!("npm run task-{number}-{call}")).collect();
        session(&b, &format!("bbb{number}"), 8 + number, &commands);
    }
    let (mut after, mut killed_between) = (1_000, false);
    // The hub may still be taking what reached it when the machine died. Steps below the size of one request see to it that one
    // dies in the request that tells of the sessions, when their entries were acknowledged.
    while b.kill_sync(&network, after) {
        let entries = hub.database.query("SELECT count(*) FROM session_entries");
        let told = hub.database.query("SELECT count(*) FROM sessions WHERE digest IS NOT NULL");
        killed_between |= entries != "0" && told != "3";
        after += 700;
    }
    b.synced();
    assert!(killed_between, "it was never killed in between");
    // One row a line, in order, each once.
    let rows = "SELECT string_agg(n || ':' || m, ' ') FROM (SELECT count(*) AS n, max(number) AS m FROM session_entries
        GROUP BY id ORDER BY id) r";
    assert_eq!(hub.database.query(rows), "83:83 83:83 83:83");
    assert_eq!(hub.database.query("SELECT count(*) FROM sessions WHERE digest IS NOT NULL"), "3");
    assert_eq!(ledger(&a).rules[0].ledger.broken, 120);
}

#[test]
fn a_redaction_takes_a_secret_from_mirrored_transcripts() {
    let Some((hub, [a, b])) = Hub::with_machines(["a", "b"]) else { return };
    policy(&a, "everything");
    for machine in [&a, &b] {
        with_rule(machine);
        share(machine, HubShare::Everything);
    }
    a.record("keys.md", format!("deploy with {SECRET}\n"));
    session(&a, "aaaa", 8, &words(&[&format!("deploy {SECRET}"), "ls"]));
    session(&b, "bbbb", 9, &words(&["ls", &format!("echo {SECRET}")]));
    let key = agent_key(&a, "ci");
    let told = json!({"type": "user", "uuid": "e1", "message": {"role": "user", "content": format!("use {SECRET}")}});
    let other = json!({"type": "user", "uuid": "e2", "message": {"role": "user", "content": "go on"}});
    let of = json!({"projectKey": "-w-app", "sessionId": "cccc"});
    ask(&hub, &key, "append", &json!({"key": of, "entries": [told, other]}));
    a.synced();
    b.synced();
    let kept = "SELECT count(*) FROM session_entries WHERE bytes IS NOT NULL";
    assert_eq!(hub.database.query(kept), "16");

    let secret_base64 = Some(STANDARD.encode(SECRET));
    let request = RedactReq { secret_base64, live: true, ..RedactReq::default() };
    commands::redact(&a.world.app, request).expect("a redaction");
    a.synced();
    // One entry in each of the three sessions held it: text, hash and key are gone, and the place stays.
    assert_eq!(hub.database.query(kept), "13");
    let gone =
        "SELECT count(*) FROM session_entries WHERE bytes IS NULL AND wrapped_key IS NULL AND sha256 IS NULL";
    assert_eq!(hub.database.query(gone), "3");
    let loaded = ask(&hub, &key, "load", &json!({"key": of}));
    assert_eq!(loaded["entries"], json!([other]));
    // It stays out, whoever sends it again.
    ask(&hub, &key, "append", &json!({"key": of, "entries": [told]}));
    let again = json!({"projectKey": "-w-app", "sessionId": "dddd"});
    ask(&hub, &key, "append", &json!({"key": again, "entries": [told]}));
    assert_eq!(ask(&hub, &key, "load", &json!({"key": again}))["entries"], Value::Null);
    // Its transcript still holds it, and a new line as well: neither is sent.
    session(&a, "eeee", 10, &words(&[&format!("deploy again {SECRET}")]));
    a.synced();
    let without =
        "SELECT count(*) FROM session_entries e JOIN sessions s ON s.id = e.id WHERE s.session = 'eeee'
        AND e.bytes IS NULL";
    assert_eq!(hub.database.query(without), "1");
}

#[test]
fn another_organisation_sees_nothing_of_it() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    policy(&a, "everything");
    with_rule(&a);
    share(&a, HubShare::Everything);
    session(&a, "aaaa", 8, &words(&["npm ci"]));
    a.synced();
    let key = agent_key(&a, "ci");
    let of = json!({"projectKey": "-w-app", "sessionId": "cccc"});
    ask(&hub, &key, "append", &json!({"key": of, "entries": [{"type": "user", "uuid": "e1"}]}));
    // Another organisation in the same database, as a process that was started for it serves it.
    hub.database.sql("UPDATE hub SET org = '\\xffffffffffffffffffffffffffffffff'");
    let second = hub.another();
    let stranger = Machine::new("stranger");
    stranger.join(second.url(), second.owner_token().expect("nobody joined there")).expect("it joins");
    assert!(sessions(&stranger).is_empty() && ledger(&stranger).rules.is_empty());
    assert_eq!(ledger(&stranger).sessions, 0);
    commands::hub_presence(&stranger.world.app, HubPresenceReq { memory: "notes:build.md".to_owned() })
        .expect_err("it knows of none");
    let theirs = agent_key(&stranger, "ci");
    assert_eq!(ask(&hub, &theirs, "load", &json!({"key": of}))["entries"], Value::Null);
    let sql = "BEGIN; SET LOCAL ROLE retrace_hub;
        SELECT set_config('retrace.org', 'ffffffffffffffffffffffffffffffff', true);";
    for table in [
        "sessions",
        "session_stores",
        "session_entries",
        "session_presence",
        "session_verdicts",
        "session_rules",
    ] {
        let seen = hub.database.query(&format!("{sql} SELECT count(*) FROM {table}; COMMIT"));
        assert!(seen.lines().any(|line| line.trim() == "0"), "{table}: {seen}");
    }
}

fn agent_key(owner: &Machine, name: &str) -> String {
    let request = HubAgentTokenReq { name: Some(name.to_owned()), ..HubAgentTokenReq::default() };
    commands::hub_agent_token(&owner.world.app, request).expect("a key").token
}

fn ask_raw(hub: &Hub, key: &str, operation: &str, body: &Value) -> (u16, String) {
    let headers = [("content-type", "application/json".to_owned()), ("x-api-key", key.to_owned())];
    let path = format!("/v1/agent_sessions/{operation}");
    post(hub.url(), &path, &headers, body.to_string().as_bytes())
}

fn ask(hub: &Hub, key: &str, operation: &str, body: &Value) -> Value {
    let (status, answer) = ask_raw(hub, key, operation, body);
    assert_eq!(status, 200, "{operation}: {answer}");
    serde_json::from_str(&answer).expect("JSON")
}

#[test]
fn an_agent_mirrors_a_session_and_loads_it_again() {
    let Some((hub, [a])) = Hub::with_machines(["a"]) else { return };
    let key = agent_key(&a, "ci");
    let of = json!({"projectKey": "/srv/some app", "sessionId": "5f3c2a10-99"});
    let answer = |uuid: &str, output: u64| {
        json!({"type": "assistant", "uuid": uuid, "timestamp": "2031-11-20T08:00:01.000Z", "odd": [1.10, 0.1],
            "message": {"id": "msg_1", "usage": {"input_tokens": 7, "output_tokens": output}, "content": MARKER}})
    };
    let (one, two, title) = (answer("e1", 1), answer("e2", 9), json!({"type": "title", "title": "A title"}));
    let all = json!({"key": of, "entries": [one, two, title]});
    let (status, said) = ask_raw(&hub, &key, "append", &all);
    assert!(status == 403 && said.contains("permission_error"), "the policy keeps nothing: {status} {said}");
    policy(&a, "everything");
    assert_eq!(ask(&hub, &key, "load", &json!({"key": of})), json!({"entries": null, "next": null}));
    assert_eq!(ask(&hub, &key, "append", &all)["taken"], 3);
    assert_eq!(ask(&hub, &key, "append", &json!({"key": of, "entries": [one, two]}))["taken"], 0);
    assert_eq!(ask(&hub, &key, "load", &json!({"key": of}))["entries"], json!([one, two, title]));
    let sub =
        json!({"projectKey": "/srv/some app", "sessionId": "5f3c2a10-99", "subpath": "subagents/agent-a1"});
    ask(&hub, &key, "append", &json!({"key": sub, "entries": [one]}));
    assert_eq!(ask(&hub, &key, "subkeys", &json!({"key": of}))["subpaths"], json!(["subagents/agent-a1"]));
    assert_eq!(ask(&hub, &key, "load", &json!({"key": sub}))["entries"], json!([one]));
    let listed = ask(&hub, &key, "list", &json!({"key": {"projectKey": "/srv/some app"}}));
    assert_eq!(listed["sessions"][0]["sessionId"], "5f3c2a10-99");
    let other = json!({"key": {"projectKey": "/srv/other"}});
    assert_eq!(ask(&hub, &key, "list", &other)["sessions"], json!([]));

    let shown = &sessions(&a)[0];
    assert_eq!((shown.session.as_str(), shown.entries, shown.requests), ("5f3c2a10-99", 4, 1));
    assert_eq!((shown.input_tokens, shown.output_tokens, shown.subagents), (7, 9, 1));
    assert_eq!(hub.tables_with(MARKER), Vec::<String>::new(), "entries are encrypted");
    assert_eq!(hub.tables_with("some app"), Vec::<String>::new(), "so is the project's name");
    for bad in ["../x", "a b", "/etc"] {
        let key_of = json!({"projectKey": "p", "sessionId": "s", "subpath": bad});
        assert_eq!(ask_raw(&hub, &key, "append", &json!({"key": key_of, "entries": []})).0, 400, "{bad}");
    }
    assert_eq!(ask_raw(&hub, "rtagent_no_key", "load", &json!({"key": of})).0, 401);
    let read_only = commands::hub_agent_token(
        &a.world.app,
        HubAgentTokenReq { read_only: true, name: Some("reader".to_owned()), ..HubAgentTokenReq::default() },
    )
    .expect("a key");
    assert_eq!(ask_raw(&hub, &read_only.token, "append", &all).0, 403);
    assert_eq!(ask(&hub, &read_only.token, "load", &json!({"key": of}))["entries"], json!([one, two, title]));

    // Under `metadata` nothing of a text is kept, of what is there as of what comes.
    policy(&a, "metadata");
    assert_eq!(ask(&hub, &key, "load", &json!({"key": of}))["entries"], Value::Null);
    ask(&hub, &key, "append", &json!({"key": of, "entries": [answer("e3", 2)]}));
    assert_eq!(hub.database.query("SELECT count(*) FROM session_entries WHERE bytes IS NOT NULL"), "0");
    let shown = &sessions(&a)[0];
    assert_eq!((shown.entries, shown.without_text), (5, 5));
    ask(&hub, &key, "delete", &json!({"key": of}));
    assert!(sessions(&a).is_empty());
}
