//! A redaction reaches every place in which the log keeps a text, and names the places outside of it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_api::{commands, wire};
use retrace_tests::api::StoreApi;
use retrace_tests::{World, holds_bytes};
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

fn of(secret: &str) -> wire::RedactReq {
    wire::RedactReq { secret_base64: Some(STANDARD.encode(secret)), live: true, ..wire::RedactReq::default() }
}

fn redacted(world: &World, request: wire::RedactReq) -> wire::Receipt {
    commands::redact(&world.app, request).expect("a redaction").receipt.expect("a receipt")
}

fn verified(world: &World) -> wire::Verified {
    let request = wire::VerifyReq { absent_base64: Some(STANDARD.encode(SECRET)), forget_lost_key: false };
    commands::verify(&world.app, request).expect("verification")
}

fn place<'r>(receipt: &'r wire::Receipt, begins: &str) -> &'r wire::ReceiptPlace {
    receipt
        .places
        .iter()
        .find(|place| place.place.starts_with(begins))
        .unwrap_or_else(|| panic!("no {begins} in {:#?}", receipt.places))
}

/// True if nothing of the log's own holds it any more.
fn is_done(receipt: &wire::Receipt) -> bool {
    receipt.purge == "done" && receipt.places.iter().all(|place| !place.owned || place.state == "clean")
}

#[test]
fn files_of_the_directory_that_the_log_does_not_keep_are_named() {
    let world = World::new();
    world.record("k.md", format!("the key is {SECRET}\n"));
    let mut large = "x\n".repeat(6 << 20);
    large.push_str(SECRET);
    world.write("large.md", large);
    world.write("k.md~", format!("{SECRET}\n"));
    world.write(".env", format!("KEY={SECRET}\n"));
    std::fs::hard_link(world.path("notes/k.md"), world.path("other-name.md")).expect("a link");
    world.scan();
    let result = commands::redact(&world.app, of(SECRET)).expect("a redaction");
    assert!(result.warnings.iter().any(|warning| warning.contains("hard links")), "{:?}", result.warnings);
    let receipt = result.receipt.expect("a receipt");
    let linked = place(&receipt, "Other names of live files (hard links)");
    assert_eq!((&*linked.state.to_string(), linked.hits), ("left", 1));
    assert!(linked.detail.as_ref().is_some_and(|detail| detail.contains("k.md")), "{linked:?}");
    let beside = place(&receipt, "Files of notes that are not kept in the log");
    assert_eq!((&*beside.state.to_string(), beside.hits), ("left", 3));
    let remedy = beside.remedy.as_ref().expect("what to do").to_string();
    for name in ["large.md", "k.md~", ".env"] {
        assert!(remedy.contains(name), "{remedy}");
    }
    assert!(is_done(&receipt));
}

#[test]
fn texts_that_no_version_holds_are_found_and_go() {
    let world = World::new();
    let memory = world.record("a.md", "a fact\n");
    let review = wire::ReviewReq {
        versions: vec![memory.id],
        verdict: "approve".to_owned(),
        note: Some(format!("the key is {SECRET}")),
        ..wire::ReviewReq::default()
    };
    commands::review(&world.app, review).expect("a review");
    let session = wire::MemoryToolReq {
        store: Some("notes".to_owned()),
        session: Some(format!("session-{SECRET}")),
        input: json!({"command": "create", "path": "/memories/b.md", "file_text": "b\n"}),
        ..wire::MemoryToolReq::default()
    };
    commands::memory_tool(&world.app, session).expect("an answer");
    let variant = wire::Variant { name: format!("of {SECRET}"), config: json!({"edits": []}) };
    commands::save_variant(&world.app, variant).expect("saved");
    let api = StoreApi::of(&world.app);
    for deleted in [false, true] {
        let body = json!({ "name": format!("store {SECRET} {deleted}"), "description": SECRET, "metadata": {"key": SECRET} });
        let made = api.post("/v1/memory_stores", &body);
        let id = made["id"].as_str().expect("an id");
        if deleted {
            assert_eq!(api.call("DELETE", &format!("/v1/memory_stores/{id}"), &json!(null)).0, 200);
        }
    }
    drop(api);
    let before = verified(&world);
    assert_eq!(before.absent, Some(false));
    assert!(before.found_in.iter().any(|place| place.contains("Notes of reviews")), "{:?}", before.found_in);
    let preview =
        commands::redact(&world.app, wire::RedactReq { dry_run: true, ..of(SECRET) }).expect("a preview");
    let text = serde_json::to_string(&preview).expect("JSON");
    assert!(!text.contains(SECRET), "{text}");
    let receipt = redacted(&world, of(SECRET));
    for name in
        ["Notes of reviews", "Names of sessions", "Names, descriptions and metadata", "Saved settings"]
    {
        let place = place(&receipt, name);
        assert_eq!((place.state.as_str(), place.owned), ("clean", true), "{name}");
        assert!(preview.matches.iter().any(|found| found.path.as_deref() == Some(&*place.place)), "{name}");
    }
    assert!(is_done(&receipt), "{:#?}", receipt.places);
    let after = verified(&world);
    assert_eq!((after.absent, after.ok), (Some(true), true), "{:?} {:?}", after.found_in, after.problems);
    assert!(!holds_bytes(&world.path("data"), SECRET.as_bytes()));
    let variants = commands::variants(&world.app, wire::Nothing {}).expect("still read").variants;
    assert_eq!(variants[0].name, "of [redacted]");
    let nothing = commands::redact(&world.app, of(SECRET)).expect_err("nothing is left");
    assert_eq!(nothing.code, wire::Code::NotFound);
}

#[test]
fn what_is_left_in_a_place_of_the_log_is_reported_with_what_takes_it_out() {
    let world = World::new();
    world.record(&format!("{SECRET}.md"), "harmless\n");
    let receipt = redacted(&world, of(SECRET));
    let names = place(&receipt, "Names of live files");
    assert_eq!((names.state.as_str(), names.hits, names.owned), ("left", 1, true));
    assert!(names.remedy.as_deref().is_some_and(|remedy| remedy.starts_with("Rename the file")));
    assert!(!is_done(&receipt));
    let notes = world.path("notes");
    std::fs::rename(notes.join(format!("{SECRET}.md")), notes.join("plain.md")).expect("renamed");
    world.scan();
    let receipt = redacted(&world, of(SECRET));
    assert!(is_done(&receipt), "{:#?}", receipt.places);
    assert_eq!(verified(&world).absent, Some(true));
}

#[test]
fn other_forms_are_searched_for_and_reported() {
    let world = World::new();
    world.record("plain.md", format!("key {SECRET}\n"));
    let encoded =
        world.record("encoded.md", format!("blob: {}\n", STANDARD.encode(format!("key={SECRET};"))));
    let wide: Vec<u8> = format!("key {SECRET}\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    world.record("wide.txt", wide);
    let preview =
        commands::redact(&world.app, wire::RedactReq { dry_run: true, ..of(SECRET) }).expect("a preview");
    let forms: Vec<_> = preview.matches.iter().filter(|found| found.place == "encoded").collect();
    assert_eq!(forms.len(), 2, "{forms:#?}");
    assert!(forms.iter().any(|found| found.version_id.as_deref() == Some(&*encoded.id)
        && found.detail.as_deref() == Some("base64 1")));
    let receipt = redacted(&world, of(SECRET));
    let other = place(&receipt, "Other forms");
    assert_eq!((other.state.as_str(), other.hits, other.owned), ("left", 2, true));
    assert_eq!(verified(&world).warnings.iter().filter(|it| it.contains("another form")).count(), 1);
}

/// A session of Claude Code in the home of the world.
fn transcript(world: &World, name: &str, lines: &[String]) -> std::path::PathBuf {
    let folder = world.path("home/.claude/projects/-work");
    std::fs::create_dir_all(&folder).expect("folders");
    let path = folder.join(name);
    std::fs::write(&path, lines.join("\n")).expect("a transcript");
    path
}

#[test]
fn transcripts_are_left_unless_they_are_asked_for() {
    let world = World::new();
    let secret = "pass\"word\\with é and more";
    world.record("a.md", format!("password: {secret}\n"));
    let reported = serde_json::to_string(&format!("remember {secret}!")).expect("JSON");
    let line = format!(r#"{{"type":"user","n":1.50,"message":{{"content":{reported}}}}}"#);
    let other = r#"{"type":"assistant","message":{"content":"\u0041 kept"}}"#.to_owned();
    let path = transcript(&world, "s1.jsonl", &[line.clone(), other.clone(), String::new()]);
    let held = transcript(&world, "s2.jsonl", &[line]);
    let left = redacted(&world, of(secret));
    let transcripts = place(&left, "Transcripts on this machine");
    assert_eq!((transcripts.state.as_str(), transcripts.hits), ("left", 2));
    assert!(transcripts.remedy.as_deref().is_some_and(|remedy| remedy.contains("--transcripts")));
    assert!(is_done(&left), "a transcript is the agent's");
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o640);
        std::fs::set_permissions(&path, mode).expect("a mode");
    }
    let mode = std::fs::metadata(&path).expect("it").permissions();
    let modified = std::fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
    // Another program that holds one of them open.
    let mut holder = Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(std::fs::File::options().append(true).open(&held).expect("opens"))
        .spawn()
        .expect("a program");
    let asked = wire::RedactReq { transcripts: true, ..of(secret) };
    let receipt = redacted(&world, asked);
    drop(holder.stdin.take());
    holder.wait().expect("it ends");
    let after = std::fs::read_to_string(&path).expect("text");
    if cfg!(target_os = "linux") {
        let first = place(&receipt, &format!("Transcript {}", path.display()));
        assert_eq!(
            (first.state.as_str(), first.detail.as_deref()),
            ("clean", Some("replaced by a marker: 1"))
        );
        let second = place(&receipt, &format!("Transcript {}", held.display()));
        assert_eq!((second.state.as_str(), second.hits), ("left", 1));
        assert!(
            second.detail.as_deref().is_some_and(|why| why.starts_with("held open by cat")),
            "{second:?}"
        );
        let expected = r#"{"type":"user","n":1.50,"message":{"content":"remember [redacted]!"}}"#;
        assert_eq!(after, [expected, &other, ""].join("\n"));
        assert_eq!(
            std::fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time"),
            modified
        );
        assert!(std::fs::read_to_string(&held).expect("text").contains("remember pass"));
    }
    assert_eq!(std::fs::metadata(&path).expect("it").permissions(), mode);
}

fn git(directory: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .arg("-C")
        .arg(directory)
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        // Before the clock of the world began.
        .env("GIT_AUTHOR_DATE", "2026-11-01T00:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-11-01T00:00:00Z")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("git runs");
    assert!(done.success(), "{arguments:?}");
}

#[test]
fn repositories_worktrees_bundles_and_kept_copies_are_named_with_what_takes_it_out() {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: the program git is not there");
        return;
    }
    let world = World::new();
    let top = world.path("project");
    std::fs::create_dir_all(top.join("memory")).expect("folders");
    git(&top, &["init", "-q", "-b", "main"]);
    for content in [format!("key {SECRET}\n"), format!("key {SECRET}\nmore\n"), "clean\n".to_owned()] {
        std::fs::write(top.join("memory/a.md"), content).expect("a file");
        git(&top, &["add", "-A"]);
        git(&top, &["commit", "-q", "-m", "a change"]);
    }
    git(&top, &["commit", "-q", "--allow-empty", "-m", &format!("oops, {SECRET}")]);
    std::fs::write(top.join("staged.md"), format!("{SECRET} staged\n")).expect("a file");
    git(&top, &["add", "-A"]);
    let worktree = world.path("second");
    git(&top, &["worktree", "add", "-q", "--detach", &worktree.to_string_lossy(), "HEAD~2"]);
    let store = world.add("project/memory");
    world.scan();
    let import = wire::ImportGitReq {
        directory: top.join("memory").to_string_lossy().into_owned(),
        ..wire::ImportGitReq::default()
    };
    let import = commands::import_git(&world.app, import).expect("an import");
    assert!(import.versions >= 2, "{import:?}");
    let export = wire::ExportStoreReq {
        store: store.id,
        to: world.path("kept.retrace").to_string_lossy().into_owned(),
        ..wire::ExportStoreReq::default()
    };
    commands::export_store(&world.app, export).expect("a bundle");
    let copies = world.path("home/.claude/file-history/s1");
    std::fs::create_dir_all(&copies).expect("folders");
    std::fs::write(copies.join("aa@v1"), format!("key {SECRET}\n")).expect("a copy");
    let receipt = redacted(&world, of(SECRET));
    assert!(is_done(&receipt), "{:#?}", receipt.places);
    let left = |begins: &str| {
        let place = place(&receipt, begins);
        assert_eq!((place.state.as_str(), place.owned), ("left", false), "{place:?}");
        assert!(place.remedy.is_some(), "{place:?}");
        (place.hits, place.detail.as_ref().map(ToString::to_string))
    };
    let expected =
        "commits with a changed file or a message that holds it: 3; objects of no commit: 1".to_owned();
    assert_eq!(left("Git repository"), (4, Some(expected)));
    // The message of the commit, and the reflogs that repeat it.
    assert_eq!(left("Files of Git repository").1.as_deref(), Some("files: 3"));
    let remedy = place(&receipt, "Files of Git repository").remedy.clone().unwrap_or_default();
    assert!(remedy.contains("COMMIT_EDITMSG") && remedy.contains("reflog expire"), "{remedy}");
    let remedy = place(&receipt, "Git repository").remedy.clone().unwrap_or_default();
    assert!(remedy.contains("filter-repo") && !remedy.contains(SECRET), "{remedy}");
    assert_eq!(left("Worktree").0, 1);
    assert_eq!(left("Bundle").0, 2);
    assert_eq!(left("Copies Claude Code keeps").0, 1);
    // Once they are gone, there is nothing to name.
    std::fs::remove_file(world.path("kept.retrace")).expect("removed");
    std::fs::remove_dir_all(copies).expect("removed");
    let preview = wire::RedactReq { dry_run: true, ..of(SECRET) };
    let preview = commands::redact(&world.app, preview).expect("what is left outside is shown");
    let kinds: Vec<&str> = preview.matches.iter().map(|found| found.place.as_str()).collect();
    assert_eq!(kinds, ["worktree", "git", "git"]);
    let refused = commands::redact(&world.app, of(SECRET)).expect_err("there is nothing to do here");
    assert_eq!(refused.code, wire::Code::NotFound);
}

#[test]
fn files_of_a_repository_that_are_no_objects_are_named() {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: the program git is not there");
        return;
    }
    let world = World::new();
    let top = world.path("project");
    std::fs::create_dir_all(top.join("memory")).expect("folders");
    git(&top, &["init", "-q", "-b", "main"]);
    std::fs::write(top.join("memory/a.md"), "clean\n").expect("a file");
    git(&top, &["add", "-A"]);
    git(&top, &["commit", "-q", "-m", "a change"]);
    git(&top, &["remote", "add", "origin", &format!("https://ada:{SECRET}@example.org/app.git")]);
    world.add("project/memory");
    world.scan();
    std::fs::write(top.join("memory/a.md"), format!("key {SECRET}\n")).expect("a file");
    world.scan();
    let receipt = redacted(&world, of(SECRET));
    assert_eq!(place(&receipt, "Git repository").state.as_str(), "clean");
    let left = place(&receipt, "Files of Git repository");
    assert_eq!((left.state.as_str(), left.hits, left.owned), ("left", 1, false), "{left:?}");
    let remedy = left.remedy.clone().unwrap_or_default();
    assert!(remedy.contains("config") && !remedy.contains("reflog"), "{remedy}");
    git(&top, &["remote", "set-url", "origin", "https://example.org/app.git"]);
    world.record("b.md", format!("key {SECRET}\n"));
    let receipt = redacted(&world, of(SECRET));
    assert!(receipt.places.iter().all(|place| !place.place.starts_with("Files of Git")), "{receipt:?}");
}

#[test]
fn a_path_that_is_no_file_is_named_with_what_takes_it_out() {
    let world = World::new();
    let api = StoreApi::of(&world.app);
    let store = api.post("/v1/memory_stores", &json!({ "name": "shared" }));
    let memories = format!("/v1/memory_stores/{}/memories", store["id"].as_str().expect("an id"));
    let made = api.post(
        &memories,
        &json!({ "path": format!("/keys/{SECRET}/a.md"), "content": format!("is {SECRET}") }),
    );
    let receipt = redacted(&world, of(SECRET));
    let named = place(&receipt, "Paths of memories without a directory");
    assert_eq!((named.state.as_str(), named.hits), ("left", 1));
    assert!(named.remedy.is_some(), "{named:?}");
    assert!(!is_done(&receipt), "{receipt:?}");
    let found = verified(&world).found_in;
    assert!(
        found.iter().any(|place| place.contains("Paths of memories without a directory, 1")),
        "the place is named as in the receipt: {found:?}"
    );
    let memory = format!("{memories}/{}", made["id"].as_str().expect("an id"));
    assert_eq!(api.call("DELETE", &memory, &json!(null)).0, 200);
    assert!(is_done(&redacted(&world, of(SECRET))), "what is left goes with the version that deleted it");
    assert_eq!(verified(&world).absent, Some(true));
}
