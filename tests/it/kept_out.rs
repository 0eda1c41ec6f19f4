//! Redacted content stays out (law 11): no way into the log brings it back, and each says what it left out.

use crate::rebuilt::{Repository, Session};
use base64::Engine as _;
use retrace_api::{commands, wire};
use retrace_tests::api::StoreApi;
use retrace_tests::host::{FakeHost, STORE};
use retrace_tests::{World, holds_bytes};
use serde_json::{Value, json};
use std::sync::Arc;

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

fn by_secret(secret: &str, live: bool) -> wire::RedactReq {
    let secret_base64 = Some(base64::engine::general_purpose::STANDARD.encode(secret));
    wire::RedactReq { secret_base64, live, ..wire::RedactReq::default() }
}

fn redact(world: &World, secret: &str) -> Result<wire::ActResult, wire::ApiError> {
    commands::redact(&world.app, by_secret(secret, true))
}

/// A world whose file `keys.md` held the secret until it was redacted.
fn redacted() -> World {
    redacted_in(World::new())
}

fn redacted_in(world: World) -> World {
    world.record("keys.md", format!("the key is {SECRET}\n"));
    redact(&world, SECRET).expect("a redaction");
    world
}

fn is_absent(world: &World, secret: &str) -> bool {
    let absent_base64 = Some(base64::engine::general_purpose::STANDARD.encode(secret));
    let request = wire::VerifyReq { absent_base64, ..wire::VerifyReq::default() };
    commands::verify(&world.app, request).expect("verification").absent == Some(true)
        && !holds_bytes(&world.path("data"), secret.as_bytes())
}

fn contents(world: &World, path: &str) -> Vec<String> {
    let versions = world.log(path).into_iter().filter(|version| version.redacted_at.is_none());
    versions
        .map(|version| {
            let request = wire::ShowReq { version: version.id, content: true };
            commands::show(&world.app, request).expect("a version").content.unwrap_or_default()
        })
        .collect()
}

fn import_git(world: &World, folder: &str, dry_run: bool) -> Result<wire::ImportResult, wire::ApiError> {
    let request = wire::ImportGitReq {
        directory: world.path(folder).to_string_lossy().into_owned(),
        store: Some("notes".to_owned()),
        dry_run,
        ..wire::ImportGitReq::default()
    };
    commands::import_git(&world.app, request)
}

fn import_transcripts(world: &World) -> wire::ImportResult {
    let request = wire::ImportTranscriptsReq { store: "notes".to_owned(), dry_run: false, job: None };
    commands::import_transcripts(&world.app, request).expect("an import")
}

fn export_bundle(world: &World, file: &str) {
    let to = world.path(file).to_string_lossy().into_owned();
    let request = wire::ExportStoreReq { store: "notes".to_owned(), to, ..Default::default() };
    commands::export_store(&world.app, request).expect("a bundle");
}

fn import_bundle(world: &World, file: &str) -> wire::ImportResult {
    let file = world.path(file).to_string_lossy().into_owned();
    let request =
        wire::ImportBundleReq { file, store: Some("notes".to_owned()), ..wire::ImportBundleReq::default() };
    commands::import_bundle(&world.app, request).expect("an import")
}

fn tool(world: &World, input: Value) -> wire::MemoryToolAnswer {
    let request =
        wire::MemoryToolReq { store: Some("notes".to_owned()), input, ..wire::MemoryToolReq::default() };
    commands::memory_tool(&world.app, request).expect("an answer")
}

#[test]
fn a_second_import_from_git_brings_nothing_back() {
    let world = World::new();
    let Some(mut git) = Repository::new(world.path("repository")) else { return };
    git.write("keys.md", &format!("the key is {SECRET}\n"));
    git.commit("A key");
    git.write("keys.md", &format!("the key is {SECRET}\nrotate it\n"));
    git.commit(&format!("Rotate {SECRET}"));
    git.write("keys.md", &format!("the key is {SECRET}\nrotate it soon\n"));
    world.write("keys.md", format!("the key is {SECRET}\nrotate it soon\n"));
    world.scan();
    import_git(&world, "repository", false).expect("an import");
    redact(&world, SECRET).expect("a redaction");
    assert!(is_absent(&world, SECRET));
    git.commit("Soon");
    git.write("other.md", &format!("{SECRET} is the key\n"));
    git.commit("Another");
    let preview = import_git(&world, "repository", true).expect("a preview");
    let done = import_git(&world, "repository", false).expect("an import");
    assert!(is_absent(&world, SECRET), "{done:?}");
    for reported in [&preview, &done] {
        assert!(reported.redacted >= 2, "{reported:?}");
        let files: Vec<&str> = reported.redacted_files.iter().map(|file| file.path.as_str()).collect();
        assert!(files.contains(&"other.md") && files.contains(&"keys.md"), "{files:?}");
        assert!(
            reported.warnings[0].contains("redacted before") && reported.warnings[0].contains("other.md")
        );
    }
    assert_eq!(contents(&world, "other.md"), ["[redacted] is the key\n"]);
    assert_eq!(import_git(&world, "repository", false).expect("an import").operation_seq, None);
}

#[test]
fn neither_writers_nor_texts_that_are_it_bring_it_back() {
    let world = World::new();
    // A content that is the secret and nothing else.
    world.record("keys.md", SECRET);
    redact(&world, SECRET).expect("a redaction");
    let Some(mut git) = Repository::new(world.path("repository")) else { return };
    git.write("named.md", "named\n");
    git.write(SECRET, "named after it\n");
    git.commit_by("The key", SECRET);
    let done = import_git(&world, "repository", false).expect("an import");
    assert_eq!(done.redacted, 2, "{done:?}");
    let writer = world.log("named.md").remove(0).created_by.expect("a writer");
    assert!(format!("{writer:?}").contains("[redacted]"), "{writer:?}");
    assert!(is_absent(&world, SECRET));
    world.record("plain.md", "plain\n");
    let version = world.log("plain.md").remove(0).id;
    let approve = wire::ReviewReq {
        versions: vec![version],
        verdict: "approve".to_owned(),
        note: Some(SECRET.to_owned()),
        ..wire::ReviewReq::default()
    };
    commands::review(&world.app, approve).expect("a review");
    assert!(is_absent(&world, SECRET));
    let input = json!({ "command": "create", "path": "/memories/told.md", "file_text": "told\n" });
    let (store, session) = (Some("notes".to_owned()), Some(format!("session {SECRET}")));
    let request = wire::MemoryToolReq { store, input, session, ..wire::MemoryToolReq::default() };
    commands::memory_tool(&world.app, request).expect("an answer");
    let writer = world.log("told.md").remove(0).created_by.expect("a writer");
    assert!(format!("{writer:?}").contains("session [redacted]"), "{writer:?}");
    assert!(is_absent(&world, SECRET));
}

#[test]
fn what_a_person_names_does_not_bring_it_back() {
    let world = redacted();
    std::fs::create_dir(world.path("other")).expect("a directory");
    let named = wire::AddStore {
        root: world.path("other").to_string_lossy().into_owned(),
        kind: None,
        name: Some(format!("the {SECRET} store")),
    };
    let refused = commands::add_store(&world.app, named).expect_err("a name that holds it");
    assert_eq!((refused.code, refused.subject.as_str()), (wire::Code::Invalid, "name"));
    world.record("more.md", "another-secret-of-some-length\n");
    let reason = Some(format!("as {SECRET}"));
    let request = wire::RedactReq { reason, ..by_secret("another-secret-of-some-length", false) };
    let refused = commands::redact(&world.app, request).expect_err("a reason that holds it");
    assert_eq!((refused.code, refused.subject.as_str()), (wire::Code::Invalid, "reason"));
    // The path of a directory is kept as well.
    let directory = world.path(&format!("m-{SECRET}"));
    std::fs::create_dir(&directory).expect("a directory");
    let root = directory.to_string_lossy().into_owned();
    let unnamed = wire::AddStore { root, kind: None, name: Some("unnamed".to_owned()) };
    let refused = commands::add_store(&world.app, unnamed).expect_err("a path that holds it");
    assert_eq!((refused.code, refused.subject.as_str()), (wire::Code::Invalid, "root"));
    let variant = wire::Variant { name: format!("v {SECRET}"), config: json!({}) };
    let refused = commands::save_variant(&world.app, variant).expect_err("a name that holds it");
    assert_eq!((refused.code, refused.subject.as_str()), (wire::Code::Invalid, "name"));
    assert!(is_absent(&world, SECRET));
}

#[test]
fn a_place_whose_path_holds_it_is_not_kept() {
    let world = redacted();
    let folder = format!("repository-{SECRET}");
    if let Some(mut git) = Repository::new(world.path(&folder)) {
        git.write("plain.md", "plain\n");
        git.commit("Plain");
        let done = import_git(&world, &folder, false).expect("an import");
        assert_eq!(done.versions, 1, "{done:?}");
        assert!(is_absent(&world, SECRET));
    }
    export_bundle(&world, &format!("bundle-{SECRET}"));
    assert!(is_absent(&world, SECRET));
}

#[test]
fn neither_transcripts_nor_kept_copies_nor_bundles_bring_it_back() {
    let world = World::new();
    world.record("keys.md", format!("the key is {SECRET}\n"));
    world.record("keys.md", format!("the key is {SECRET}, still\n"));
    export_bundle(&world, "before.retrace");
    redact(&world, SECRET).expect("a redaction");
    let file = world.path("notes/early.md");
    let mut session = Session::new(&world, "aaaa-1");
    session.asked("2026-11-10T10:00:00Z", "Remember the key.");
    let named = file.to_string_lossy().into_owned();
    let text = format!("key: {SECRET}\n");
    let result = json!({"type": "create", "filePath": named, "content": text, "originalFile": null});
    let input = json!({"file_path": named, "content": text});
    session.call("2026-11-10T10:00:01Z", "Write", input, "done", result);
    session.keeps("2026-11-11T10:00:30Z", &file, "aa@v1", &format!("key: {SECRET}\nand a copy\n"));
    session.save();
    let done = import_transcripts(&world);
    assert_eq!((done.versions, done.redacted), (2, 2), "{done:?}");
    assert_eq!(contents(&world, "early.md"), ["key: [redacted]\nand a copy\n", "key: [redacted]\n"]);
    assert!(is_absent(&world, SECRET));

    let other = redacted_in(World::with(|options| {
        options.clock = retrace_tests::options_of(std::path::Path::new("/"), 9).engine.clock;
    }));
    std::fs::copy(world.path("before.retrace"), other.path("before.retrace")).expect("a copy");
    let done = import_bundle(&other, "before.retrace");
    assert_eq!((done.versions, done.redacted), (2, 2), "{done:?}");
    assert!(is_absent(&other, SECRET));
}

#[test]
fn a_pull_brings_nothing_back() {
    let host = FakeHost::default();
    host.write("keys.md", &format!("the key is {SECRET}\n"));
    host.write(&format!("{SECRET}.md"), "named after it\n");
    host.describe(&format!("what agents know of {SECRET}"), [("key", SECRET)]);
    let world = redacted_in(World::with(|options| options.hosts = Arc::new(host.clone())));
    let request = wire::AddRemoteReq { remote_id: STORE.to_owned(), ..wire::AddRemoteReq::default() };
    let added = commands::add_remote(&world.app, request).expect("a mirror");
    assert_eq!(added.redacted_before.len(), 2, "{added:?}");
    let pull = || {
        let pulled = commands::pull_remote(&world.app, wire::PullReq::default()).expect("the log works");
        pulled.stores.into_iter().next().expect("a mirror")
    };
    assert!(is_absent(&world, SECRET));
    host.write("keys.md", &format!("the key is {SECRET}, still\n"));
    assert_eq!(pull().redacted_before.len(), 1);
    assert_eq!(pull().redacted_before.len(), 0, "what is known is not told again");
    let live: Vec<String> = contents(&world, "keys.md");
    assert!(live.contains(&"the key is [redacted], still\n".to_owned()), "{live:?}");
    assert!(is_absent(&world, SECRET));
}

#[test]
fn neither_accept_nor_rollback_nor_restore_nor_undo_brings_it_back() {
    let world = redacted();
    // By hand it reappears, and is recorded: law 5.
    let back = world.record("back.md", format!("again {SECRET}\n"));
    let operation = world.cursor();
    world.record("back.md", "clean\n");
    let done = world.rollback("back.md", &back).expect("a rollback");
    assert!(done.warnings.iter().any(|warning| warning.starts_with("back.md: ")), "{:?}", done.warnings);
    assert_eq!(world.read("back.md").as_deref(), Some("again [redacted]\n"));
    let undo = |operation_seq| {
        commands::undo(&world.app, wire::UndoReq { operation_seq, dry_run: false })
            .expect("undone")
            .operation_seq
    };
    let undone = undo(done.operation_seq);
    assert_eq!(world.read("back.md").as_deref(), Some("clean\n"));
    undo(undone);
    assert_eq!(world.read("back.md").as_deref(), Some("again [redacted]\n"));
    let request = wire::RestoreReq {
        store: "notes".to_owned(),
        at: operation.to_string(),
        ..wire::RestoreReq::default()
    };
    commands::restore(&world.app, request).expect("a restore");
    assert_eq!(world.read("back.md").as_deref(), Some("again [redacted]\n"));

    world.add("dream");
    std::fs::write(world.path("dream/new.md"), format!("a dream of {SECRET}\n")).expect("a file");
    world.scan();
    let request = wire::AcceptMemoriesReq {
        from: "dream".to_owned(),
        into: "notes".to_owned(),
        ..wire::AcceptMemoriesReq::default()
    };
    let preview =
        commands::accept_memories(&world.app, wire::AcceptMemoriesReq { dry_run: true, ..request.clone() })
            .expect("a preview");
    let done = commands::accept_memories(&world.app, request).expect("taken over");
    assert_eq!(preview.warnings, done.warnings);
    assert!(done.warnings.iter().any(|warning| warning.starts_with("new.md: it holds what was redacted")));
    assert_eq!(world.read("new.md").as_deref(), Some("a dream of [redacted]\n"));
}

#[test]
fn no_act_writes_a_path_that_holds_it() {
    let world = redacted();
    let secret_path = format!("d/{SECRET}.md");
    let back = world.record(&secret_path, "a body\n");
    world.record("e.md", "else\n");
    let there = world.cursor();
    let moved = {
        std::fs::rename(world.path("notes").join(&secret_path), world.path("notes/moved.md"))
            .expect("a move");
        world.scan();
        world.log("moved.md").remove(0)
    };
    world.record("e.md", "changed\n");
    let is_gone = || {
        assert!(!world.path("notes").join(&secret_path).exists(), "it is back");
        assert_eq!(world.read("moved.md").as_deref(), Some("a body\n"), "and the memory stays");
    };
    let refused = world.rollback("moved.md", &back).expect_err("a path that holds it");
    assert_eq!(refused.code, wire::Code::Invalid);
    assert!(!format!("{refused:?}").contains(SECRET), "{refused:?}");
    is_gone();
    let of_the_move =
        wire::RollbackReq { operation_seq: Some(moved.operation_seq), ..wire::RollbackReq::default() };
    assert_eq!(commands::rollback(&world.app, of_the_move).expect_err("refused").code, wire::Code::Invalid);
    is_gone();
    let request =
        wire::RestoreReq { store: "notes".to_owned(), at: there.to_string(), ..wire::RestoreReq::default() };
    let restored = commands::restore(&world.app, request).expect("the rest is put back");
    let told: Vec<String> = restored.warnings.iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|told| told.contains("[redacted]") && !told.contains(SECRET)), "{told:?}");
    assert_eq!(world.read("e.md").as_deref(), Some("else\n"));
    is_gone();
    world.add("dream");
    let request = wire::AcceptMemoriesReq {
        from: format!("notes@{there}"),
        into: "dream".to_owned(),
        ..wire::AcceptMemoriesReq::default()
    };
    commands::accept_memories(&world.app, request).expect("the rest is taken over");
    assert!(world.path("dream/e.md").exists() && !world.path("dream").join(&secret_path).exists());
}

#[test]
fn a_path_that_holds_it_is_reported_when_it_is_found() {
    let world = redacted();
    let path = format!("d/{SECRET}.md");
    world.write(&path, "a body\n");
    let scanned = commands::scan(&world.app, wire::ScanReq::default()).expect("a scan");
    assert_eq!(scanned.stores[0].redacted_back, [path]);
}

#[test]
fn the_memory_tool_and_the_api_refuse_it_and_let_stand_what_stands() {
    let world = redacted();
    let create = |path: &str, text: &str| {
        tool(&world, json!({"command": "create", "path": format!("/memories/{path}"), "file_text": text}))
    };
    let refused = create("new.md", &format!("again {SECRET}\n"));
    assert!(refused.is_error && refused.content.contains("was redacted"), "{refused:?}");
    assert!(!refused.content.contains(SECRET));
    assert_eq!(world.read("new.md"), None);
    assert!(create(&format!("{SECRET}.md"), "named after it\n").is_error);
    assert!(!create("new.md", "harmless\n").is_error);
    assert!(is_absent(&world, SECRET));

    let api = StoreApi::of(&world.app);
    let store = api.store("hosted here");
    for facts in [
        json!({"name": SECRET}),
        json!({"name": "x", "description": format!("of {SECRET}")}),
        json!({"name": "x", "metadata": {"key": SECRET}}),
        json!({"name": "x", "metadata": {SECRET: "key"}}),
    ] {
        assert_eq!(api.call("POST", "/v1/memory_stores", &facts).0, 400, "{facts}");
        let mut change = facts.clone();
        if change["name"] == "x" {
            change.as_object_mut().expect("an object").remove("name");
        }
        assert_eq!(api.call("POST", &format!("/v1/memory_stores/{store}"), &change).0, 400, "{facts}");
    }
    assert!(is_absent(&world, SECRET));
    let memories = format!("/v1/memory_stores/{store}/memories");
    let (status, answer) =
        api.call("POST", &memories, &json!({"path": "/a.md", "content": format!("again {SECRET}\n")}));
    assert_eq!((status, answer["error"]["type"].as_str()), (400, Some("invalid_request_error")), "{answer}");
    let memory = api.create(&store, "/a.md", "harmless\n");
    let update = json!({"content": format!("now {SECRET}\n")});
    assert_eq!(api.call("POST", &format!("{memories}/{memory}"), &update).0, 400);
    assert_eq!(
        api.call("POST", &format!("{memories}/{memory}"), &json!({"path": format!("/{SECRET}.md")})).0,
        400
    );
    assert_eq!(api.contents(&store)["/a.md"], "harmless\n");
    assert!(is_absent(&world, SECRET));

    // A secret that a person left on disk can still be edited.
    world.record("left.md", format!("here is {SECRET}\n"));
    let edit =
        json!({"command": "insert", "path": "/memories/left.md", "insert_line": 1, "insert_text": "more\n"});
    let edited = tool(&world, edit);
    assert!(!edited.is_error, "{edited:?}");
    assert_eq!(world.read("left.md"), Some(format!("here is {SECRET}\nmore\n")));
}

#[test]
fn what_reappears_by_hand_is_recorded_and_reported_until_it_is_gone() {
    let world = redacted();
    world.write("back.md", format!("again {SECRET}\n"));
    let scanned = commands::scan(&world.app, wire::ScanReq::default()).expect("a scan");
    assert_eq!(
        (scanned.stores[0].versions, &*scanned.stores[0].redacted_back),
        (1, &["back.md".to_owned()][..])
    );
    let reported = || {
        let health = commands::health(&world.app, wire::HealthReq::default()).expect("a scan");
        let found = health.findings.into_iter().map(|found| found.finding);
        found.filter(|found| found.rule == "events/redacted-back").map(|found| found.path).collect::<Vec<_>>()
    };
    assert_eq!(reported(), ["back.md"]);
    let inbox = || commands::inbox(&world.app, wire::InboxReq::default()).expect("an inbox");
    let items: Vec<wire::InboxItem> = inbox().groups.into_iter().flat_map(|group| group.items).collect();
    let item = items.iter().find(|item| item.path.as_deref() == Some("back.md")).expect("an item");
    let remedies = |items: &[wire::InboxItem]| -> Vec<usize> {
        let item = items.iter().find(|item| item.path.as_deref() == Some("back.md")).expect("an item");
        let back = item.findings.iter().filter(|found| found.rule == "events/redacted-back");
        back.map(|found| found.remedies.len()).collect()
    };
    assert_eq!(remedies(&items), [2], "put back, or look: {:?}", item.findings);
    let request = wire::ReviewReq {
        verdict: "approve".to_owned(),
        versions: vec![item.version_id.clone()],
        ..wire::ReviewReq::default()
    };
    drop(commands::review(&world.app, request));
    assert_eq!(reported(), ["back.md"], "whoever looked at it, it stands there");
    redact(&world, SECRET).expect("a redaction");
    assert_eq!(reported(), Vec::<String>::new());
    assert!(is_absent(&world, SECRET));
}

#[test]
fn a_lost_key_is_reported_and_nothing_is_imported_until_a_person_says_so() {
    let world = redacted();
    let Some(mut git) = Repository::new(world.path("repository")) else { return };
    git.write("early.md", &format!("the key is {SECRET}\n"));
    git.commit("A key");
    let key = world.path("data/redaction.key");
    let kept = std::fs::read(&key).expect("a key");
    std::fs::remove_file(&key).expect("gone");
    let world = reopened(world);
    let verify = |forget_lost_key| {
        let request = wire::VerifyReq { forget_lost_key, ..wire::VerifyReq::default() };
        commands::verify(&world.app, request).expect("verification")
    };
    let verified = verify(false);
    assert!(!verified.ok && verified.problems[0].contains("redaction.key"), "{:?}", verified.problems);
    let refused = import_git(&world, "repository", true).expect_err("refused");
    assert_eq!((refused.code, refused.subject.as_str()), (wire::Code::ContentRedacted, "redaction.key"));
    std::fs::write(&key, kept).expect("put back");
    assert!(verify(false).ok);
    assert_eq!(import_git(&world, "repository", true).expect("a preview").redacted, 1);
    std::fs::remove_file(&key).expect("gone for good");
    assert!(verify(true).ok);
    assert_eq!(
        import_git(&world, "repository", true).expect("a preview").redacted,
        0,
        "it is not known any more"
    );
}

/// The same world after the program ended and began again.
fn reopened(world: World) -> World {
    let over = World::over(retrace_tests::options_of(&world.path(""), 1));
    std::mem::forget(world);
    over
}

#[test]
fn a_preview_says_that_short_texts_are_not_kept_out() {
    let world = World::new();
    world.record("pin.md", "pin 7391\n");
    let preview = wire::RedactReq { dry_run: true, ..by_secret("7391", true) };
    let preview = commands::redact(&world.app, preview).expect("a preview");
    assert!(
        preview.warnings.iter().any(|warning| warning.contains("is not kept out")),
        "{:?}",
        preview.warnings
    );
    world.record("key.md", format!("{SECRET}\n"));
    let preview = commands::redact(&world.app, wire::RedactReq { dry_run: true, ..by_secret(SECRET, true) });
    assert!(!preview.expect("a preview").warnings.iter().any(|warning| warning.contains("not kept out")));
}

/// Numbers that look random and are the same each time (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).expect("below the limit")
    }
}

const PATHS: [&str; 4] = ["MEMORY.md", "keys.md", "deep/notes.md", "other.md"];

/// Every way in, with secrets that are redacted at some time or other.
struct Ways {
    random: Random,
    world: World,
    host: FakeHost,
    git: Repository,
    session: Session,
    api_store: String,
    secrets: Vec<String>,
    redacted: Vec<String>,
    steps: usize,
    bundles: usize,
}

impl Ways {
    fn new(seed: u64) -> Option<Self> {
        let host = FakeHost::default();
        let world = World::with(|options| options.hosts = Arc::new(host.clone()));
        let mut git = Repository::new(world.path("repository"))?;
        git.write("begin.md", "begin\n");
        git.commit("Begin");
        let request = wire::AddRemoteReq { remote_id: STORE.to_owned(), ..wire::AddRemoteReq::default() };
        commands::add_remote(&world.app, request).expect("a mirror");
        let api_store = StoreApi::of(&world.app).store("served");
        let session = Session::new(&world, &format!("sess-{seed}"));
        let secrets =
            (0..4).map(|number| format!("tok_{seed:03}_{number}_{}", "q7Rt2mZx9Lk4".repeat(number + 1)));
        Some(Self {
            random: Random(seed),
            host,
            git,
            session,
            api_store,
            secrets: secrets.collect(),
            redacted: Vec::new(),
            steps: 0,
            bundles: 0,
            world,
        })
    }

    fn path(&mut self) -> &'static str {
        PATHS[self.random.below(PATHS.len())]
    }

    fn secret(&mut self) -> String {
        self.secrets[self.random.below(self.secrets.len())].clone()
    }

    /// A text that mostly holds a secret, redacted or not.
    fn text(&mut self) -> String {
        let (secret, step) = (self.secret(), self.steps);
        match self.random.below(4) {
            0 => format!("step {step}\n"),
            1 => format!("{secret}\n"),
            2 => format!("- step {step}\n- {secret}{secret}\n"),
            _ => format!("# Keys\n\nthe key is {secret}, of step {step}\n"),
        }
    }

    fn step(&mut self) -> &'static str {
        self.steps += 1;
        let (path, text) = (self.path(), self.text());
        let is_redacted = self.redacted.iter().any(|secret| text.contains(secret));
        let app = &self.world.app;
        match self.random.below(14) {
            0 if !is_redacted => {
                self.world.write(path, &text);
                // Before it is redacted, a path may hold it as well.
                let (secret, step) = (&self.secrets[self.steps % self.secrets.len()], self.steps);
                if step % 3 == 0 && !self.redacted.contains(secret) {
                    self.world.write(&format!("named/{secret}.md"), format!("of step {step}\n"));
                }
                self.world.scan();
                "by hand"
            }
            0 | 1 => {
                self.git.write(path, &text);
                self.git.commit(&format!("Commit {text}"));
                "a commit"
            }
            2 => {
                drop(import_git(&self.world, "repository", false).expect("an import"));
                "an import from git"
            }
            3 => {
                let at = format!("2026-11-10T10:{:02}:{:02}Z", self.steps / 60, self.steps % 60);
                let file = self.world.path("notes").join(path);
                self.session.keeps(&at, &file, &format!("copy@v{}", self.steps), &text);
                self.session.save();
                "a copy"
            }
            4 => {
                drop(import_transcripts(&self.world));
                "an import of transcripts"
            }
            5 => {
                self.bundles += 1;
                export_bundle(&self.world, &format!("{}.retrace", self.bundles));
                "an export"
            }
            6 if self.bundles > 0 => {
                let bundle = 1 + self.random.below(self.bundles);
                drop(import_bundle(&self.world, &format!("{bundle}.retrace")));
                "an import of a bundle"
            }
            6 | 7 => {
                self.host.write(path, &text);
                drop(commands::pull_remote(app, wire::PullReq::default()).expect("the log works"));
                "a pull"
            }
            8 => {
                let api = StoreApi::of(app);
                let memories = format!("/v1/memory_stores/{}/memories", self.api_store);
                let body = json!({"path": format!("/{path}"), "content": text});
                let (status, _) = api.call("POST", &memories, &body);
                assert!(!is_redacted || status != 200, "it was taken");
                "a write through the API"
            }
            9 => {
                let path = format!("/memories/{path}");
                let answer = tool(&self.world, json!({"command": "create", "path": path, "file_text": text}));
                assert!(!is_redacted || answer.is_error, "it was taken");
                "a call of the memory tool"
            }
            10 => {
                let secret = self.secret();
                // The name of a live file is left by a redaction, so it goes first.
                drop(std::fs::remove_file(self.world.path(&format!("notes/named/{secret}.md"))));
                self.world.scan();
                if redact(&self.world, &secret).is_ok() && !self.redacted.contains(&secret) {
                    self.redacted.push(secret);
                }
                "a redaction"
            }
            11 => {
                let versions = self.world.log("");
                if let Some(version) = versions.get(self.random.below(versions.len().max(1))) {
                    let memory = Some(version.memory_id.clone());
                    let to = Some(version.id.clone());
                    drop(commands::rollback(
                        app,
                        wire::RollbackReq { memory, to, ..wire::RollbackReq::default() },
                    ));
                }
                "a rollback"
            }
            12 => {
                let at = 1 + self.random.below(usize::try_from(self.world.cursor()).expect("few") + 1);
                let request = wire::RestoreReq {
                    store: "notes".to_owned(),
                    at: at.to_string(),
                    ..wire::RestoreReq::default()
                };
                drop(commands::restore(app, request));
                "a restore"
            }
            _ => {
                // Of an act, or of an undo.
                let back = self.random.below(3) as u64;
                let operation_seq = (back > 0).then(|| (self.world.cursor() + 1).saturating_sub(back));
                drop(commands::undo(app, wire::UndoReq { operation_seq, dry_run: false }));
                "an undo"
            }
        }
    }

    fn nothing_is_back(&self, after: &str) {
        for secret in &self.redacted {
            let bytes = secret.as_bytes();
            assert!(!holds_bytes(&self.world.path("data"), bytes), "{secret} in the log after {after}");
            assert!(!holds_bytes(&self.world.path("notes"), bytes), "{secret} on disk after {after}");
        }
    }
}

/// Runs of this many steps; more with `RETRACE_TEST_STEPS=1000 RETRACE_TEST_SEED=100`.
#[test]
fn any_sequence_of_imports_acts_redactions_and_undos_keeps_it_out() {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (steps, first) = (number("RETRACE_TEST_STEPS", 60), number("RETRACE_TEST_SEED", 1));
    let mut redactions = 0;
    for seed in first..first + 4 {
        let Some(mut ways) = Ways::new(seed) else { return };
        for step in 0..steps {
            let what = ways.step();
            ways.nothing_is_back(&format!("step {step} of seed {seed}, {what}"));
        }
        redactions += ways.redacted.len();
    }
    assert!(redactions > 0, "a run without a redaction shows nothing");
}
