//! A real host: this program serves the Memory Stores API over one data directory, and mirrors it into another over HTTP.

use retrace_api::remote::NetworkHosts;
use retrace_api::wire::{self, Code};
use retrace_api::{App, commands};
use retrace_server::{Assets, Running, StartOptions, Transport, start};
use retrace_tests::World;
use retrace_tests::api::StoreApi;
use serde_json::{Value, json};
use std::sync::Arc;

/// A host over a directory of its own, and who writes there.
struct Host {
    client: StoreApi,
    running: Running,
    _world: World,
    _folder: tempfile::TempDir,
}

impl Host {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let world = World::new();
        let options = StartOptions {
            listen: "127.0.0.1:0".to_owned(),
            token_file: folder.path().join("token"),
            entropy: Arc::new(|bytes: &mut [u8]| bytes.fill(0xa5)),
            assets: Assets::from_files([]),
            transport: Transport::default(),
            hosts: Vec::new(),
            legacy_stores: false,
        };
        let shared = Arc::new(App::open(retrace_tests::options_of(&world.path(""), 1)).expect("an app"));
        let running = start(Arc::clone(&shared), options).expect("a server");
        let client = StoreApi::of(&shared);
        Self { client, running, _world: world, _folder: folder }
    }

    /// A world that mirrors from this host, with the key in its environment when `keyed`.
    fn mirroring(&self, keyed: bool) -> World {
        World::with(|options| {
            options.hosts = Arc::new(NetworkHosts);
            let env = &mut options.surroundings.env;
            env.insert("ANTHROPIC_BASE_URL".to_owned(), self.running.origin().into());
            let key = if keyed { self.running.token_file().token.reveal() } else { "another-token" };
            env.insert("ANTHROPIC_API_KEY".to_owned(), key.into());
        })
    }
}

fn pull(world: &World) -> wire::PulledStore {
    let mut pulled = commands::pull_remote(&world.app, wire::PullReq::default()).expect("the log works");
    pulled.stores.pop().expect("a mirror")
}

#[test]
fn a_store_served_here_is_mirrored_reviewed_and_written_back_over_http() {
    let host = Host::new();
    let post = |path: &str, body: Value| host.client.post(path, &body);
    let get = |path: &str| host.client.call("GET", path, &Value::Null).1;
    let store =
        post("/v1/memory_stores", json!({ "name": "team" }))["id"].as_str().expect("an id").to_owned();
    let memories = format!("/v1/memory_stores/{store}/memories");
    let memory = post(&memories, json!({ "path": "/notes/a.md", "content": "good\n" }));
    let memory = format!("{memories}/{}", memory["id"].as_str().expect("an id"));
    for number in 0..45 {
        post(&memories, json!({ "path": format!("/many/{number}.md"), "content": format!("{number}\n") }));
    }
    post(&memory, json!({ "content": "bad\n" }));

    let world = host.mirroring(true);
    let listed = commands::hosted_stores(&world.app, wire::HostRef::default()).expect("stores");
    assert_eq!((listed.stores.len(), listed.stores[0].name.as_str()), (1, "team"));
    let add = wire::AddRemoteReq { remote_id: store.clone(), ..wire::AddRemoteReq::default() };
    let mirror = commands::add_remote(&world.app, add).expect("a mirror");
    assert_eq!((mirror.memories, mirror.versions, mirror.unreviewed), (46, 47, 0));

    let log = |path: &str| {
        let request = wire::LogReq {
            store: Some(mirror.id.clone()),
            path: Some(path.to_owned()),
            ..wire::LogReq::default()
        };
        commands::log(&world.app, request).expect("a log").versions
    };
    let versions = log("notes/a.md");
    let rollback = wire::RollbackReq {
        memory: Some("team:notes/a.md".to_owned()),
        to: Some(versions[1].id.clone()),
        ..wire::RollbackReq::default()
    };
    let done = commands::rollback(&world.app, rollback).expect("a rollback");
    assert_eq!(done.queued, 1);
    let pushed = commands::push_remote(&world.app, wire::RemoteRef::default()).expect("the log works");
    assert_eq!((pushed.sent, pushed.problem), (1, None));
    assert_eq!(get(&format!("{memory}?view=full"))["content"], "good\n");
    let pulled = pull(&world);
    assert_eq!((pulled.finished, pulled.versions), (true, 0), "{pulled:?}");
    assert_eq!(log("notes/a.md").len(), 3);

    // The middle version goes at the host as well.
    let redact = wire::RedactReq { versions: vec![versions[0].id.clone()], ..wire::RedactReq::default() };
    let receipt = commands::redact(&world.app, redact).expect("a redaction").receipt.expect("a receipt");
    let pushed = commands::push_remote(&world.app, wire::RemoteRef::default()).expect("the log works");
    assert_eq!((pushed.sent, pushed.queue.changes.len()), (1, 0), "{pushed:?}");
    let receipt =
        commands::recheck_receipt(&world.app, wire::ReceiptRef { receipt: receipt.id }).expect("a receipt");
    assert!(
        receipt.places.iter().any(|place| place.place == "Host team" && place.state == "clean"),
        "{receipt:?}"
    );
    let kept = get(&format!("/v1/memory_stores/{store}/memory_versions?limit=100"));
    let redacted =
        kept["data"].as_array().expect("versions").iter().filter(|version| !version["redacted_at"].is_null());
    assert_eq!(redacted.count(), 1);

    // A version written there meanwhile is to be reviewed here, and a deletion made here is theirs.
    post(&memory, json!({ "content": "better\n", "path": "/notes/b.md" }));
    assert_eq!(pull(&world).versions, 1);
    let stores = commands::stores(&world.app, wire::Nothing {}).expect("stores").stores;
    assert!(stores.iter().any(|row| row.id == mirror.id && row.unreviewed == 1));
    let newest = log("notes/b.md").remove(0);
    assert_eq!(newest.previous_path.as_deref(), Some("notes/a.md"));
    let calls = commands::remotes(&world.app, wire::Nothing {}).expect("mirrors");
    assert_eq!(calls.hosts[0].key.as_deref(), Some("environment"));
    assert!(calls.calls.iter().any(|call| call.method == "POST" && call.status == Some(200)));
    let status = commands::status(&world.app, wire::Nothing {}).expect("a status");
    assert!(status.network_calls >= calls.calls.len() as u64, "each call counts");
}

#[test]
fn a_key_the_host_does_not_know_is_reported_and_not_shown() {
    let host = Host::new();
    let stranger = host.mirroring(false);
    let refused = commands::hosted_stores(&stranger.app, wire::HostRef::default()).expect_err("another key");
    assert_eq!(refused.code, Code::KeyRefused);
    assert!(!refused.to_string().contains("another-token"));
}
