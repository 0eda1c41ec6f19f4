//! What a key of an agent gives at a hub, and what becomes of what it wrote: writers that race, redaction, the history of the
//! organisation.

use super::hosts::{Told, key, request};
use crate::hub::{Hub, Machine};
use retrace_api::commands;
use retrace_api::wire::{ApiError, Code, HubAgentTokenRef, HubAgentTokenReq, HubVersion, Nothing};
use retrace_model::Sha256;
use serde_json::{Value, json};
use std::sync::Barrier;

/// One agent: an address, and a key.
#[derive(Clone)]
struct Agent {
    origin: String,
    key: String,
}

impl Agent {
    fn ask(&self, method: &str, tail: &str, body: &Value) -> Told {
        let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let bearer = format!("Bearer {}", self.key);
        let headers = [("authorization", bearer.as_str()), ("anthropic-beta", "agent-memory-2026-07-22")];
        request(&self.origin, (method, &format!("/v1/memory_stores{tail}")), &headers, &bytes)
    }

    /// What is answered with 200.
    fn done(&self, method: &str, tail: &str, body: &Value) -> Value {
        let told = self.ask(method, tail, body);
        assert_eq!(told.status, 200, "{}", told.json());
        told.json()
    }

    /// Status and type of a refusal.
    fn refused(&self, method: &str, tail: &str, body: &Value) -> (u16, String) {
        let told = self.ask(method, tail, body);
        (told.status, told.json()["error"]["type"].as_str().expect("a type").to_owned())
    }

    fn store(&self, name: &str) -> String {
        id(&self.done("POST", "", &json!({ "name": name })))
    }
}

fn id(value: &Value) -> String {
    value["id"].as_str().expect("an id").to_owned()
}

fn new(path: &str, content: &str) -> Value {
    json!({ "path": path, "content": content })
}

fn start() -> Option<(Hub, Machine, Agent)> {
    let (hub, [owner]) = Hub::with_machines(["owner"])?;
    let agent = Agent { origin: hub.url().to_owned(), key: key(&owner, None, false, "all") };
    Some((hub, owner, agent))
}

#[test]
fn a_key_gives_its_store_and_no_other() {
    let Some((hub, owner, all)) = start() else { return };
    let (mine, other) = (all.store("Mine"), all.store("Other"));
    let agent = |store: &str, read_only, name: &str| Agent {
        origin: hub.url().to_owned(),
        key: key(&owner, Some(store), read_only, name),
    };
    let (writer, reader) = (agent("Mine", false, "writer"), agent(&mine, true, "reader"));
    let memory = id(&writer.done("POST", &format!("/{mine}/memories"), &new("/a.md", "a fact")));
    let in_mine = format!("/{mine}/memories/{memory}");
    for agent in [&writer, &reader] {
        assert_eq!(agent.done("GET", &in_mine, &Value::Null)["content"], "a fact");
        let listed = agent.done("GET", "", &Value::Null);
        assert_eq!(listed["data"].as_array().expect("a list").len(), 1, "{listed}");
        for (method, tail, body) in [
            ("GET", format!("/{other}"), Value::Null),
            ("GET", format!("/{other}/memories"), Value::Null),
            ("POST", format!("/{other}/memories"), new("/x", "x")),
            ("DELETE", format!("/{other}"), Value::Null),
        ] {
            assert_eq!(agent.refused(method, &tail, &body), (404, "not_found_error".to_owned()), "{tail}");
        }
        for (method, tail, body) in [
            ("POST", String::new(), json!({ "name": "No" })),
            ("POST", format!("/{mine}"), json!({ "name": "No" })),
            ("POST", format!("/{mine}/archive"), Value::Null),
            ("DELETE", format!("/{mine}"), Value::Null),
        ] {
            assert_eq!(agent.refused(method, &tail, &body), (403, "permission_error".to_owned()), "{tail}");
        }
    }
    let denied = (403, "permission_error".to_owned());
    assert_eq!(reader.refused("POST", &format!("/{mine}/memories"), &new("/b.md", "b")), denied);
    assert_eq!(reader.refused("POST", &in_mine, &json!({ "content": "b" })), denied);
    assert_eq!(reader.refused("DELETE", &in_mine, &Value::Null), denied);
    writer.done("POST", &in_mine, &json!({ "content": "another fact" }));
    let versions = reader.done("GET", &format!("/{mine}/memory_versions"), &Value::Null);
    for version in versions["data"].as_array().expect("a list") {
        assert_eq!(version["created_by"], json!({ "type": "api_actor", "api_key_id": "apikey_writer" }));
    }
}

#[test]
fn no_key_a_wrong_one_and_a_revoked_one_are_refused() {
    let Some((hub, owner, all)) = start() else { return };
    let store = all.store("Notes");
    let unknown = (401, "authentication_error".to_owned());
    let truncated = all.key[..all.key.len() - 1].to_owned();
    for key in ["", "sk-1", "rtagent_x_y", &truncated] {
        let stranger = Agent { origin: hub.url().to_owned(), key: key.to_owned() };
        assert_eq!(stranger.refused("GET", "", &Value::Null), unknown);
        assert_eq!(stranger.refused("POST", &format!("/{store}/memories"), &new("/a", "a")), unknown);
    }
    let revoke =
        |id: &str| commands::hub_agent_token_revoke(&owner.world.app, HubAgentTokenRef { id: id.to_owned() });
    let tokens = revoke("apikey_all").expect("revoked").tokens;
    assert!(tokens[0].revoked_at.is_some() && tokens[0].id == "apikey_all");
    assert_eq!(revoke("all").expect("once more").tokens[0].revoked_at, tokens[0].revoked_at);
    assert_eq!(all.refused("GET", "", &Value::Null), unknown);
    assert_eq!(revoke("apikey_none").map(drop).map_err(|error| error.code), Err(Code::NotFound));
    // The name is not used again, so that an author stays who it was.
    let again = HubAgentTokenReq { name: Some("all".to_owned()), ..HubAgentTokenReq::default() };
    let code = |made: Result<_, ApiError>| made.map(drop).map_err(|error| error.code);
    assert_eq!(code(commands::hub_agent_token(&owner.world.app, again)), Err(Code::Invalid));
    // No key is in the database.
    let kept = hub.database.query("SELECT row_to_json(t) FROM agent_tokens t");
    assert!(!kept.contains(all.key.splitn(3, '_').nth(2).expect("a secret")));
}

#[test]
fn an_owner_alone_makes_keys() {
    let Some((hub, [owner, member])) = Hub::with_machines(["owner", "member"]) else { return };
    let made = commands::hub_agent_token(&member.world.app, HubAgentTokenReq::default());
    assert_eq!(made.map(drop).map_err(|error| error.code), Err(Code::KeyRefused));
    let listed = commands::hub_agent_tokens(&member.world.app, Nothing {});
    assert_eq!(listed.map(drop).map_err(|error| error.code), Err(Code::KeyRefused));
    assert_eq!(hub.database.query("SELECT count(*) FROM agent_tokens"), "0");
    assert!(commands::hub_agent_tokens(&owner.world.app, Nothing {}).expect("a list").tokens.is_empty());
}

/// Runs a closure in `N` threads at once, each with its number.
fn at_once<const N: usize, T: Send>(run: impl Fn(usize) -> T + Sync) -> [T; N] {
    let barrier = Barrier::new(N);
    std::thread::scope(|scope| {
        let threads: [_; N] = std::array::from_fn(|at| {
            let (barrier, run) = (&barrier, &run);
            scope.spawn(move || {
                barrier.wait();
                run(at)
            })
        });
        threads.map(|thread| thread.join().expect("it ends"))
    })
}

#[test]
fn of_writers_that_race_at_two_hubs_one_wins() {
    let Some((hub, owner, all)) = start() else { return };
    let another = hub.another();
    let agents = [all.clone(), Agent { origin: another.url().to_owned(), key: all.key.clone() }];
    let store = all.store("Race");
    let tail = format!("/{store}/memories");
    for round in 0..5 {
        // The same path, and paths on each other's way.
        let statuses = at_once::<8, _>(|at| {
            let path = if at < 4 { format!("/{round}/a") } else { format!("/{round}/a/{}", at % 2) };
            agents[at % 2].ask("POST", &tail, &new(&path, &format!("{at}"))).status
        });
        let won = statuses.iter().filter(|status| **status == 200).count();
        let refused = statuses.iter().filter(|status| **status == 409).count();
        assert_eq!(won + refused, 8, "{statuses:?}");
        let listed = all.done("GET", &format!("{tail}?path_prefix=/{round}/&depth=0"), &Value::Null);
        let listed = listed["data"].as_array().expect("a list").clone();
        assert_eq!(listed.len(), won);
        let direct = listed.iter().filter(|item| item["path"] == format!("/{round}/a")).count();
        assert!(if direct == 1 { won == 1 } else { won == 2 }, "{statuses:?}");
        // Everybody expects the same content; one may replace it.
        let memory = id(&listed[0]);
        let before = listed[0]["content_sha256"].clone();
        let precondition = json!({ "type": "content_sha256", "content_sha256": before });
        let statuses = at_once::<8, _>(|at| {
            let body = json!({ "content": format!("by {at}"), "precondition": precondition });
            agents[at % 2].ask("POST", &format!("{tail}/{memory}"), &body).status
        });
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 7, "{statuses:?}");
    }
    // The chain has a link for each version, and none twice.
    let listed = owner.versions();
    let seqs: Vec<u64> = listed.iter().map(|version| version.seq).collect();
    assert_eq!(seqs, (1..=listed.len() as u64).collect::<Vec<_>>());
}

#[test]
fn the_database_refuses_paths_on_each_others_way() {
    let Some((hub, _owner, all)) = start() else { return };
    let store = all.store("Paths");
    all.done("POST", &format!("/{store}/memories"), &new("/a/b", "x"));
    let insert = |path: &str| {
        format!(
            "DO $$ BEGIN
                INSERT INTO api_memories SELECT org, store, decode(md5('{path}'), 'hex'), '{path}'::bytea, head, created_at
                FROM api_memories LIMIT 1;
                RAISE EXCEPTION 'it was taken' USING ERRCODE = 'P0001';
            EXCEPTION WHEN exclusion_violation OR unique_violation THEN NULL;
            END $$"
        )
    };
    for path in ["a", "a/b", "a/b/c"] {
        hub.database.sql(&insert(path));
    }
    let free =
        "INSERT INTO api_memories SELECT org, store, decode(md5('x'), 'hex'), 'a/c'::bytea, head, created_at
        FROM api_memories LIMIT 1";
    hub.database.sql(free);
}

fn of_api(owner: &Machine) -> Vec<HubVersion> {
    owner.versions().into_iter().filter(|version| version.machine_name == "api").collect()
}

#[test]
fn a_redaction_takes_content_and_key_from_the_database() {
    let Some((hub, owner, all)) = start() else { return };
    let store = all.store("Secrets");
    let tail = format!("/{store}/memories");
    let (secret, harmless) = ("the password is hunter2 and more", "nothing to see");
    let memory = all.done("POST", &tail, &new("/keys.md", secret));
    let sha256 = Sha256::of(secret.as_bytes()).to_hex();
    let kept = format!("SELECT count(*) FROM contents WHERE sha256 = decode('{sha256}', 'hex')");
    assert_eq!(hub.database.query(&kept), "1");
    all.done("POST", &format!("{tail}/{}", id(&memory)), &json!({ "content": harmless }));
    let versions = of_api(&owner);
    assert_eq!(versions.iter().map(|version| version.content.as_str()).collect::<Vec<_>>(), ["kept", "kept"]);
    assert_eq!(versions[0].content_sha256.as_deref(), Some(sha256.as_str()));
    assert_eq!((versions[0].store_name.as_str(), versions[0].path.as_deref()), ("Secrets", Some("keys.md")));
    let version = memory["memory_version_id"].as_str().expect("a version");
    all.done("POST", &format!("/{store}/memory_versions/{version}/redact"), &json!({}));
    assert_eq!(hub.database.query(&kept), "0", "bytes and key are gone");
    let left = format!("SELECT count(*) FROM versions WHERE content_sha256 = decode('{sha256}', 'hex')");
    assert_eq!(hub.database.query(&left), "0");
    let versions = of_api(&owner);
    assert_eq!((versions[0].content.as_str(), versions[0].path.as_deref()), ("redacted", None));
    assert_eq!(versions[1].content, "kept");
    // A deleted store is shown no more; what was recorded stays recorded.
    all.done("DELETE", &format!("/{store}"), &Value::Null);
    assert_eq!(all.refused("GET", &format!("/{store}"), &Value::Null).0, 404);
    assert_eq!(of_api(&owner).len(), 2);
}

#[test]
fn what_a_machine_redacts_goes_from_the_api_and_stays_out() {
    let Some((hub, owner, all)) = start() else { return };
    let store = all.store("Shared");
    let tail = format!("/{store}/memories");
    let secret = "the deploy key is 0123456789abcdef";
    let memory = all.done("POST", &tail, &new("/keys.md", secret));
    let version = owner.record("keys.md", secret);
    owner.synced();
    owner.record("keys.md", "moved to the vault");
    let (exit, _, errors) = owner.run(&["redact", &version.id]);
    assert_eq!(exit.0, 0, "{errors}");
    owner.synced();
    let sha256 = Sha256::of(secret.as_bytes()).to_hex();
    let kept = format!("SELECT count(*) FROM contents WHERE sha256 = decode('{sha256}', 'hex')");
    assert_eq!(hub.database.query(&kept), "0");
    let at_hub = all.done("GET", &format!("{tail}/{}", id(&memory)), &Value::Null);
    assert_eq!(at_hub["content"], "", "the memory lives; its content is gone");
    let versions = all.done("GET", &format!("/{store}/memory_versions"), &Value::Null);
    assert!(versions["data"][0]["redacted_at"].is_string(), "{versions}");
    assert_eq!(versions["data"][0]["path"], Value::Null);
    // The hub itself has nothing to carry out: nothing waits for it.
    let waits =
        "SELECT count(*) FROM order_machines o JOIN machines m ON m.machine = o.machine WHERE m.name = 'api'";
    assert_eq!(hub.database.query(waits), "0");
    assert_eq!(hub.database.query("SELECT count(*) FROM order_targets"), "0");
    assert_eq!(
        all.refused("POST", &tail, &new("/again.md", secret)),
        (400, "invalid_request_error".to_owned())
    );
    all.done("POST", &format!("{tail}/{}", id(&memory)), &json!({ "content": "moved to the vault" }));
}

#[test]
fn writes_and_reads_of_contents_are_in_the_audit_log() {
    let Some((hub, _owner, all)) = start() else { return };
    let store = all.store("Audited");
    let memory = id(&all.done("POST", &format!("/{store}/memories"), &new("/private.md", "a private fact")));
    all.done("GET", &format!("/{store}/memories/{memory}"), &Value::Null);
    all.done("GET", &format!("/{store}/memories"), &Value::Null);
    let rows = "SELECT person, action, outcome FROM audit WHERE action LIKE 'api%' ORDER BY seq";
    let expected = ["api_create_store", "api_create_memory", "api_read_memory"];
    let expected = expected.map(|action| format!("apikey_all|{action}|done")).join("\n");
    assert_eq!(hub.database.query(rows), expected);
    let whole = hub.database.query("SELECT row_to_json(a) FROM audit a");
    assert!(!whole.contains("private"), "neither path nor content");
}
