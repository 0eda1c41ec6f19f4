//! Dreams of a host: asked for, listed, stopped, and taken over in whole or in part.

use retrace_api::commands;
use retrace_api::remote::NetworkHosts;
use retrace_api::wire::{
    AcceptMemoriesReq, AddRemoteReq, Code, CompareStoresReq, CreateDreamReq, Dream, DreamRef, DreamsReq,
    FindingsReq, HealthReq, MountsReq, PullReq, RemoteRef, UndoReq,
};
use retrace_tests::World;
use retrace_tests::api::StoreApi;
use retrace_tests::dreamer::Dreamer;
use serde_json::json;
use std::sync::Arc;

/// A host with a store, and a world that has a key for it.
struct Hosted {
    /// The app behind the host; the host lives no longer.
    _there: World,
    host: Dreamer,
    /// Its store.
    input: String,
    world: World,
}

impl Hosted {
    fn new() -> Self {
        let there = World::new();
        let host = Dreamer::start(StoreApi::of(&there.app));
        let input = host.stores().store("Notes");
        for (path, content) in [("/a.md", "one\n"), ("/b.md", "two\n"), ("/old.md", "moved\n")] {
            host.stores().create(&input, path, content);
        }
        let base_url = host.base_url();
        let world = World::with(|options| {
            options.hosts = Arc::new(NetworkHosts);
            options.surroundings.env.extend([
                ("ANTHROPIC_BASE_URL".to_owned(), base_url.into()),
                ("ANTHROPIC_API_KEY".to_owned(), "a key of nobody".replace(' ', "-").into()),
            ]);
        });
        Self { _there: there, host, input, world }
    }

    fn mirror(&self, remote_id: &str) -> String {
        let request = AddRemoteReq { remote_id: remote_id.to_owned(), ..AddRemoteReq::default() };
        commands::add_remote(&self.world.app, request).expect("it is mirrored").id
    }

    fn request(&self) -> CreateDreamReq {
        CreateDreamReq {
            store: self.input.clone(),
            sessions: vec!["sesn_1".to_owned(), "sesn_2".to_owned()],
            model: "a-model".to_owned(),
            instructions: Some("Tidy up.".to_owned()),
            ..CreateDreamReq::default()
        }
    }

    fn dream(&self) -> Dream {
        commands::create_dream(&self.world.app, self.request()).expect("a dream")
    }

    fn named(dream: &str) -> DreamRef {
        DreamRef { base_url: None, dream: dream.to_owned() }
    }

    fn listed(&self, include_archived: bool) -> Vec<String> {
        let request = DreamsReq { base_url: None, include_archived };
        let listed = commands::dreams(&self.world.app, request).expect("dreams");
        listed.dreams.into_iter().map(|dream| format!("{} {}", dream.id, dream.status)).collect()
    }
}

#[test]
fn dreams_are_asked_for_listed_stopped_and_archived() {
    let hosted = Hosted::new();
    let app = &hosted.world.app;
    let first = hosted.dream();
    assert_eq!((first.status.as_str(), first.output_behavior.as_str()), ("pending", "create_new"));
    assert_eq!(first.input_remote_id.as_ref(), Some(&hosted.input));
    assert_eq!((first.input_store_id.as_ref(), first.output_remote_id.as_ref()), (None, None));
    assert_eq!((first.usage.input_tokens, first.usage.cache_read_input_tokens), (5, 2));
    hosted.dream();
    hosted.dream();
    assert_eq!(hosted.listed(false), ["drm_03 pending", "drm_02 pending", "drm_01 pending"]);
    let early = commands::archive_dream(app, Hosted::named("drm_01")).expect_err("it has not ended");
    assert_eq!(early.code, Code::Invalid, "{early:?}");
    for _ in 0..2 {
        let stopped = commands::cancel_dream(app, Hosted::named("drm_01")).expect("it is stopped");
        assert_eq!(stopped.status, "canceled");
    }
    let archived = commands::archive_dream(app, Hosted::named("drm_01")).expect("it is archived");
    assert!(archived.archived_at.is_some());
    assert_eq!(hosted.listed(false), ["drm_03 pending", "drm_02 pending"]);
    assert_eq!(hosted.listed(true).len(), 3);
    hosted.host.finish("drm_02", &[]);
    let ended = commands::cancel_dream(app, Hosted::named("drm_02")).expect_err("it has ended");
    assert_eq!(ended.code, Code::Invalid);
    let unknown = commands::cancel_dream(app, Hosted::named("drm_99")).expect_err("there is none");
    assert_eq!(unknown.code, Code::NotFound);
    let calls = hosted.host.calls();
    assert!(calls.iter().all(|call| call.ends_with(" dreaming-2026-04-21")), "{calls:?}");
}

#[test]
fn a_dream_is_not_asked_for_while_changes_of_its_store_are_queued_here() {
    let hosted = Hosted::new();
    let app = &hosted.world.app;
    let mirror = hosted.mirror(&hosted.input);
    let plan = |request: CreateDreamReq| commands::plan_dream(app, request).expect("a plan");
    assert_eq!(plan(hosted.request()).queued.changes.len(), 0);
    let accept = AcceptMemoriesReq {
        from: "notes".to_owned(),
        into: mirror.clone(),
        delete: true,
        ..AcceptMemoriesReq::default()
    };
    let queued = commands::accept_memories(app, accept).expect("it is queued").queued;
    assert_eq!(queued, 3, "all of it is deleted");
    let calls = hosted.host.calls().len();
    // By its name here, and by its id at the host.
    for store in [mirror.clone(), hosted.input.clone()] {
        let request = CreateDreamReq { store, ..hosted.request() };
        let refused = commands::create_dream(app, request.clone()).expect_err("it would not read them");
        assert_eq!(refused.code, Code::HeadMoved);
        assert!(refused.message.starts_with("3 changes of the store are queued here"), "{}", refused.message);
        let planned = plan(request);
        assert_eq!((planned.queued.changes.len(), planned.input_store_id.as_ref()), (3, Some(&mirror)));
        assert_eq!(
            (planned.input_remote_id.as_str(), planned.base_url),
            (hosted.input.as_str(), hosted.host.base_url())
        );
    }
    assert_eq!(hosted.host.calls().len(), calls, "no host was called");
    let request = CreateDreamReq { without_queued: true, ..hosted.request() };
    commands::create_dream(app, request).expect("the person says so");
    commands::push_remote(app, RemoteRef::default()).expect("it is sent");
    hosted.dream();
}

#[test]
fn what_a_host_would_refuse_is_not_sent() {
    let hosted = Hosted::new();
    let app = &hosted.world.app;
    let refused = |request: CreateDreamReq| {
        let error = commands::create_dream(app, request.clone()).expect_err("it is refused");
        assert_eq!(error.code, Code::Invalid, "{request:?}: {error:?}");
    };
    let usual = hosted.request();
    refused(CreateDreamReq { sessions: Vec::new(), ..usual.clone() });
    refused(CreateDreamReq { sessions: vec!["sesn_1".to_owned(), "sesn_1".to_owned()], ..usual.clone() });
    refused(CreateDreamReq { sessions: vec!["session".to_owned()], ..usual.clone() });
    refused(CreateDreamReq { instructions: Some("x".repeat(4_097)), ..usual.clone() });
    refused(CreateDreamReq { instructions: Some(String::new()), ..usual.clone() });
    refused(CreateDreamReq { model: String::new(), ..usual.clone() });
    refused(CreateDreamReq { store: "notes".to_owned(), ..usual.clone() });
    refused(CreateDreamReq { store: "memstore_a/../b".to_owned(), ..usual.clone() });
    let unknown = CreateDreamReq { store: "no such name".to_owned(), ..usual };
    assert_eq!(commands::create_dream(app, unknown).expect_err("no such store").code, Code::NotFound);
    for dream in ["", "drm_", "drm_a/../b", "sesn_1"] {
        let error = commands::cancel_dream(app, Hosted::named(dream)).expect_err("no id");
        assert_eq!(error.code, Code::Invalid, "{dream}");
    }
    assert_eq!(hosted.host.calls(), Vec::<String>::new());
}

#[test]
fn a_dream_is_taken_over_into_its_input() {
    let hosted = Hosted::new();
    let app = &hosted.world.app;
    let input = hosted.mirror(&hosted.input);
    let asked = CreateDreamReq { store: input.clone(), ..hosted.request() };
    let dream = commands::create_dream(app, asked).expect("a dream");
    assert_eq!(dream.input_store_id.as_ref(), Some(&input), "the mirror is named");
    let written = [("/a.md", Some("one, better\n")), ("/old.md", None), ("/new.md", Some("moved\n"))];
    let output = hosted.host.finish(&dream.id, &written);
    let output = hosted.mirror(&output);
    let listed = commands::dreams(app, DreamsReq::default()).expect("dreams").dreams.remove(0);
    assert_eq!((listed.status.as_str(), listed.output_store_id.as_ref()), ("completed", Some(&output)));

    let request = CompareStoresReq { from: input.clone(), to: output.clone() };
    let compared = commands::compare_stores(app, request).expect("a comparison");
    let changes: Vec<String> =
        compared.memories.iter().map(|memory| format!("{} {}", memory.change, memory.path)).collect();
    assert_eq!((compared.same, changes), (1, vec!["modified a.md".to_owned(), "moved new.md".to_owned()]));

    // In part first: it waits here, and the host has what it had.
    let before = hosted.host.stores().contents(&hosted.input);
    let part = AcceptMemoriesReq {
        from: output.clone(),
        into: input.clone(),
        paths: vec!["a.md".to_owned()],
        ..AcceptMemoriesReq::default()
    };
    let preview = commands::accept_memories(app, AcceptMemoriesReq { dry_run: true, ..part.clone() });
    assert_eq!(preview.expect("a preview").queued, 1);
    let done = commands::accept_memories(app, part).expect("it is queued");
    assert_eq!((done.queued, done.conflicts.len()), (1, 0));
    assert_eq!(hosted.host.stores().contents(&hosted.input), before, "nothing is sent before a push");
    let undo = UndoReq { operation_seq: done.operation_seq, dry_run: false };
    commands::undo(app, undo).expect("it is taken back");
    let queue = commands::remote_queue(app, RemoteRef::default()).expect("the queue");
    assert_eq!(queue.changes.len(), 0);

    // Then whole, and sent.
    let whole =
        AcceptMemoriesReq { from: output, into: input.clone(), delete: true, ..AcceptMemoriesReq::default() };
    let done = commands::accept_memories(app, whole).expect("it is queued");
    assert!(done.queued > 0 && done.conflicts.is_empty(), "{done:?}");
    let pushed = commands::push_remote(app, RemoteRef::default()).expect("it is sent");
    assert_eq!((pushed.sent, pushed.conflicts, pushed.failed), (done.queued, 0, 0), "{pushed:?}");
    let after: Vec<(String, String)> = hosted.host.stores().contents(&hosted.input).into_iter().collect();
    let expected = [("/a.md", "one, better\n"), ("/b.md", "two\n"), ("/new.md", "moved\n")];
    assert_eq!(after, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    let request = CompareStoresReq { from: compared.from_store_id, to: compared.to_store_id };
    let compared = commands::compare_stores(app, request).expect("a comparison");
    assert_eq!((compared.same, compared.memories.len()), (3, 0));
}

#[test]
fn a_local_directory_is_taken_into_a_hosted_store() {
    let hosted = Hosted::new();
    let app = &hosted.world.app;
    let mirror = hosted.mirror(&hosted.input);
    hosted.world.write("mine/c.md", "of this machine\n");
    hosted.world.write("large.md", "x".repeat(102_401));
    let request =
        AcceptMemoriesReq { from: "notes".to_owned(), into: mirror.clone(), ..AcceptMemoriesReq::default() };
    let done = commands::accept_memories(app, request).expect("it is queued");
    assert_eq!((done.queued, done.warnings.len()), (1, 1), "{:?}", done.warnings);
    commands::push_remote(app, RemoteRef::default()).expect("it is sent");
    let there = hosted.host.stores().contents(&hosted.input);
    assert_eq!(there.get("/mine/c.md").map(String::as_str), Some("of this machine\n"));
    // Mount of the store for a session.
    let resources = json!([{ "type": "memory_store", "memory_store_id": hosted.input }]);
    let mounts = commands::check_mounts(app, MountsReq { resources, model: None }).expect("an answer");
    assert_eq!((mounts.ok, mounts.mounts[0].store_id.as_ref()), (true, Some(&mirror)));
    assert_eq!(mounts.mounts[0].files, 4);
    assert!(!mounts.mounts[0].mount_path_assumed, "the host said its name");
    // Its memories are checked like any other's.
    let found = commands::findings(app, FindingsReq { store: mirror.clone(), path: None }).expect("findings");
    assert_eq!(found.files, 4);
    let health =
        commands::health(app, HealthReq { store: Some(mirror.clone()), loads: false }).expect("health");
    assert_eq!((health.stores[0].files, health.stores[0].problems.len()), (4, 0), "{:?}", health.stores[0]);
    hosted.host.stores().post(&format!("/v1/memory_stores/{}/archive", hosted.input), &json!({}));
    commands::pull_remote(app, PullReq::default()).expect("a pull");
    let resources = json!([{ "type": "memory_store", "memory_store_id": hosted.input }]);
    let mounts = commands::check_mounts(app, MountsReq { resources, model: None }).expect("an answer");
    assert!(!mounts.ok, "an archived store is not attached");
    let request =
        AcceptMemoriesReq { from: "notes".to_owned(), into: mirror, ..AcceptMemoriesReq::default() };
    let archived = commands::accept_memories(app, request).expect_err("archived");
    assert_eq!(archived.code, Code::Invalid);
}

#[test]
fn a_dream_into_its_own_input_is_one_at_a_time() {
    let hosted = Hosted::new();
    let app = &hosted.world.app;
    let mirror = hosted.mirror(&hosted.input);
    let request = CreateDreamReq { update_existing: true, ..hosted.request() };
    let dream = commands::create_dream(app, request.clone()).expect("a dream");
    assert_eq!(dream.output_behavior, "update_existing");
    let second = commands::create_dream(app, request).expect_err("one is running");
    assert_eq!(second.code, Code::HeadMoved, "{second:?}");
    hosted.host.finish(&dream.id, &[("/a.md", Some("dreamt\n"))]);
    let dream = commands::dreams(app, DreamsReq::default()).expect("dreams").dreams.remove(0);
    assert_eq!(dream.input_store_id, Some(mirror.clone()));
    assert_eq!(dream.output_store_id, dream.input_store_id);
    // Its writes are versions of the store; the state before it is one instant of the mirror.
    let then = hosted.world.cursor();
    commands::pull_remote(app, PullReq::default()).expect("a pull");
    let request = CompareStoresReq { from: format!("{mirror}@{then}"), to: mirror };
    let compared = commands::compare_stores(app, request).expect("a comparison");
    assert_eq!(compared.memories.len(), 1);
    assert_eq!(compared.memories[0].path, "a.md");
}

#[test]
fn without_a_key_no_host_is_called() {
    let world = World::with(|options| options.hosts = Arc::new(NetworkHosts));
    let request = DreamsReq { base_url: Some("http://127.0.0.1:1".to_owned()), include_archived: false };
    let refused = commands::dreams(&world.app, request).expect_err("there is no key");
    assert_eq!(refused.code, Code::KeyRefused, "{refused:?}");
}
