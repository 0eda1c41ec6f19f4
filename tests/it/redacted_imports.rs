//! Importing again after a redaction: what was redacted stays out, and everything else of the same commit comes in. Git says what
//! was there.

use crate::git_states::{FOLDER, Git, Maker, Random, add_store, import, versions};
use crate::rebuilt::Repository;
use base64::Engine as _;
use retrace_api::{commands, wire};
use retrace_model::{Sha256, Timestamp};
use retrace_tests::{World, holds_bytes};
use std::collections::{BTreeMap, BTreeSet};

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

/// Content that was redacted as a whole.
const MASKED: &str = "[redacted]\n";

/// Memories of a store at a time, by path. Those that are redacted have none, and are left out.
fn state_at(world: &World, at: &str) -> BTreeMap<String, String> {
    let (store, at) = ("kept".to_owned(), Some(at.to_owned()));
    let request = wire::MemoriesReq { store, at, ..wire::MemoriesReq::default() };
    let memories = commands::memories(&world.app, request).expect("memories").memories;
    memories.into_iter().filter_map(|memory| Some((memory.path?, memory.content_sha256?))).collect()
}

fn undo(world: &World, operation_seq: Option<u64>) {
    commands::undo(&world.app, wire::UndoReq { operation_seq, dry_run: false }).expect("undone");
}

fn by_secret(world: &World, secret: &str) {
    let secret_base64 = Some(base64::engine::general_purpose::STANDARD.encode(secret));
    let request = wire::RedactReq { secret_base64, ..wire::RedactReq::default() };
    commands::redact(&world.app, request).expect("a redaction");
}

fn by_version(world: &World, is_it: impl Fn(&wire::Version) -> bool) {
    let chosen = versions(world, "kept").into_iter().filter(is_it).map(|version| version.id).collect();
    let request = wire::RedactReq { versions: chosen, ..wire::RedactReq::default() };
    commands::redact(&world.app, request).expect("a redaction");
}

/// Three commits: the second renames, deletes, adds, and adds `k.md` with the text, which the third takes out.
fn repository(world: &World, text: &str) -> Option<Repository> {
    let mut git = Repository::new(world.path("repository"))?;
    git.write("memory/a.md", "one\n");
    git.write("memory/b.md", "b\n");
    git.commit("First");
    git.git(&["mv", "memory/a.md", "memory/ren.md"]);
    git.git(&["rm", "-q", "memory/b.md"]);
    git.write("memory/n.md", "new\n");
    git.write("memory/k.md", text);
    git.commit("Second");
    git.write("memory/k.md", "clean\n");
    git.commit("Third");
    add_memory(world, &git);
    Some(git)
}

/// Adds the folder of memories of a repository as the store `kept`.
fn add_memory(world: &World, git: &Repository) {
    let request = wire::AddStore {
        root: git.folder().join("memory").to_string_lossy().into_owned(),
        kind: None,
        name: Some("kept".to_owned()),
    };
    commands::add_store(&world.app, request).expect("a store");
}

fn import_path(world: &World, git: &Repository, path: &str) -> wire::ImportResult {
    let request = wire::ImportGitReq {
        directory: git.folder().to_string_lossy().into_owned(),
        path: Some(path.to_owned()),
        store: Some("kept".to_owned()),
        ..wire::ImportGitReq::default()
    };
    commands::import_git(&world.app, request).expect("an import")
}

/// A memory whose first sight is redacted has no path any more: what lies at a path it had before is another's.
#[test]
fn a_new_memory_at_a_path_that_a_redacted_one_left_keeps_its_past() {
    let world = World::new();
    let Some(mut git) = Repository::new(world.path("repository")) else { return };
    git.write("memory/notes.md", "one\n");
    git.commit("First");
    git.git(&["mv", "memory/notes.md", "memory/keys.md"]);
    git.commit("Second");
    git.write("memory/notes.md", "of another\n");
    git.commit("Third");
    git.write("memory/keys.md", &format!("one\nkey {SECRET}\n"));
    git.commit("Fourth");
    add_memory(&world, &git);
    assert_eq!(import_path(&world, &git, "memory").versions, 4);
    by_secret(&world, SECRET);
    let again = import_path(&world, &git, "memory");
    assert_eq!((again.operation_seq, again.versions), (None, 0), "git did not change: {again:?}");
}

/// Ways in which an import comes after a redaction.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Imported, redacted, imported again.
    Again,
    /// Imported, redacted, the import undone, imported again.
    Undone,
    /// One file imported, redacted, all imported.
    OneFile,
    /// Redacted elsewhere before the first import.
    Before,
}

const WAYS: [Way; 4] = [Way::Again, Way::Undone, Way::OneFile, Way::Before];

/// Goes one of the ways; `None` where there is no git.
fn go(way: Way, text: &str, redact: impl Fn(&World)) -> Option<(World, wire::ImportResult)> {
    let world = World::new();
    let git = repository(&world, text)?;
    if way == Way::Before {
        world.record("elsewhere.md", text);
        by_secret(&world, SECRET);
        let done = import_path(&world, &git, FOLDER);
        return Some((world, done));
    }
    let first = import_path(&world, &git, if way == Way::OneFile { "memory/k.md" } else { FOLDER });
    redact(&world);
    if way == Way::Undone {
        undo(&world, first.operation_seq);
    }
    let done = import_path(&world, &git, FOLDER);
    Some((world, done))
}

#[test]
fn an_import_after_a_redaction_leaves_out_nothing_else_of_the_commit() {
    let long = format!("k {SECRET}\n");
    let of_second = |version: &wire::Version| {
        version.path.as_deref() == Some("k.md") && version.created_at.starts_with("2026-11-01T02")
    };
    for way in WAYS {
        for (text, is_short) in [(long.as_str(), false), ("pin 7391\n", true)] {
            // A text that is too short for a tag is known by the place of its version alone.
            if is_short && way == Way::Before {
                continue;
            }
            let redact = |world: &World| {
                if is_short { by_version(world, of_second) } else { by_secret(world, SECRET) }
            };
            let Some((world, done)) = go(way, text, redact) else { return };
            let label = format!("{way:?}, {text:?}: {done:?}");
            let paths = |at: &str| -> Vec<String> {
                state_at(&world, at).into_keys().filter(|path| path != "k.md").collect()
            };
            assert_eq!(paths("2026-11-01T01:30:00Z"), ["a.md", "b.md"], "{label}");
            assert_eq!(paths("2026-11-01T02:30:00Z"), ["n.md", "ren.md"], "{label}");
            assert_eq!(paths("2026-11-01T03:30:00Z"), ["n.md", "ren.md"], "{label}");
            assert!(state_at(&world, "2026-11-01T03:30:00Z").contains_key("k.md"), "{label}");
            let second = state_at(&world, "2026-11-01T02:30:00Z").get("k.md").cloned();
            let is_marked = way == Way::Undone || way == Way::Before;

            assert_eq!(second, is_marked.then(|| Sha256::of(MASKED.as_bytes()).to_hex()), "{label}");
            assert_eq!(done.redacted, 1, "{label}");
            let told = &done.warnings[0];
            assert_eq!(told.contains("stands in its place"), is_marked, "{label}");
            assert_eq!(told.contains("does not come in again"), !is_marked, "{label}");
            if !is_short {
                assert!(!holds_bytes(&world.path("data"), SECRET.as_bytes()), "{label}");
            }
            // What the state was is certain for all other paths, and for that one it is not.
            let request = wire::RestoreReq {
                store: "kept".to_owned(),
                at: "2026-11-01T02:30:00Z".to_owned(),
                from_imported: true,
                dry_run: true,
            };
            let preview = commands::restore(&world.app, request).expect("a preview");
            for state in &preview.imported {
                assert_eq!(state.certain, state.path != "k.md", "{label}: {state:?}");
            }
            assert!(preview.deletes.is_empty(), "{label}: {preview:?}");
            let again = import_path(&world, &Repository::at(world.path("repository")), FOLDER);
            assert_eq!(again.operation_seq, None, "{label}: a third import: {again:?}");
            world.verify();
        }
    }
}

#[test]
fn a_bundle_imported_after_a_redaction_leaves_out_nothing_else_of_its_time() {
    let from = World::new();
    from.write("a.md", "one\n");
    from.write("b.md", "b\n");
    from.scan();
    std::fs::rename(from.path("notes/a.md"), from.path("notes/ren.md")).expect("renamed");
    std::fs::remove_file(from.path("notes/b.md")).expect("removed");
    from.write("k.md", format!("k {SECRET}\n"));
    from.write("n.md", "new\n");
    from.scan();
    let bundle = from.path("notes.retrace").to_string_lossy().into_owned();
    let request =
        wire::ExportStoreReq { store: "notes".to_owned(), to: bundle.clone(), ..Default::default() };
    commands::export_store(&from.app, request).expect("a bundle");
    let last = from.log("k.md")[0].created_at.clone();
    for is_undone in [false, true] {
        let clock = retrace_tests::options_of(std::path::Path::new("/"), 9).engine.clock;
        let world = World::with(|options| options.clock = clock);
        add_store(&world, "kept", [("mine.md".to_owned(), b"mine\n".to_vec())].into_iter());
        let import = || {
            let (file, store) = (bundle.clone(), Some("kept".to_owned()));
            let request = wire::ImportBundleReq { file, store, ..wire::ImportBundleReq::default() };
            commands::import_bundle(&world.app, request).expect("an import")
        };
        let first = import();
        by_secret(&world, SECRET);
        if is_undone {
            undo(&world, first.operation_seq);
        }
        let done = import();
        let mut paths: Vec<String> = state_at(&world, &last).into_keys().collect();
        paths.retain(|path| path != "k.md");
        assert_eq!(paths, ["n.md", "ren.md"], "{done:?}");
        assert_eq!(import().operation_seq, None);
        assert!(!holds_bytes(&world.path("data"), SECRET.as_bytes()));
        world.verify();
    }
}

/// Compares each commit's state with git's, but for contents that were redacted: there nothing or a marker may stand.
fn agrees_without(world: &World, git: &Git<'_>, redacted: &BTreeSet<String>, label: &str) -> usize {
    let commits = git.commits();
    let mut compared = 0;
    for (place, commit) in commits.iter().enumerate() {
        if commits.get(place + 1).is_some_and(|next| next.at == commit.at) {
            continue;
        }
        let at = Timestamp::from_micros(commit.at * 1_000_000).to_rfc3339();
        let mut expected = git.state(&commit.id);
        let mut found = state_at(world, &at);
        let is_redacted =
            |(path, sha256): (&String, &String)| redacted.contains(sha256).then(|| path.clone());
        let paths: Vec<String> = expected.iter().filter_map(is_redacted).collect();
        for path in &paths {
            expected.remove(path);
            let stands = found.remove(path);
            assert!(stands.is_none_or(|sha256| !redacted.contains(&sha256)), "{label}: {path} at {at}");
        }
        assert_eq!(found, expected, "{label}, commit {place}: its state at {at}, without {paths:?}");
        compared += 1;
    }
    compared
}

#[test]
fn states_of_histories_at_random_agree_with_git_but_for_what_was_redacted() {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (first, seeds) = (number("RETRACE_TEST_SEED", 31), number("RETRACE_TEST_SEEDS", 8));
    let mut masked = 0;
    for seed in first..first + seeds {
        // An import of one file may tell of times that one of all does not, and is then added to (docs/decisions/0029).
        let way = WAYS[usize::try_from(seed % 2).expect("small")];
        let world = World::new();
        let Some(repository) = Repository::new(world.path("repository")) else { return };
        let mut maker = Maker::new(seed, false);
        while maker.marks < 50 {
            maker.step();
        }
        repository.stream(maker.stream.as_bytes());
        add_store(&world, "kept", std::iter::empty());
        let git = Git::new(&repository);
        let mut random = Random(seed | 1);
        let first = import(&world, &repository, "kept");
        // A file of a commit that has more.
        let told = versions(&world, "kept");
        let mut by_time: BTreeMap<&str, Vec<&wire::Version>> = BTreeMap::new();
        for version in told.iter().filter(|version| version.rebuilt) {
            by_time.entry(&version.created_at).or_default().push(version);
        }
        let with_more: Vec<&wire::Version> = by_time
            .values()
            .filter(|of_commit| of_commit.len() > 1)
            .flatten()
            .copied()
            .filter(|version| version.content_sha256.is_some())
            .collect();
        let chosen = random.pick(&with_more).expect("a version");
        let redacted: BTreeSet<String> = chosen.content_sha256.clone().into_iter().collect();
        by_version(&world, |version| version.id == chosen.id);
        masked += versions(&world, "kept").iter().filter(|version| version.redacted_at.is_some()).count();
        if way == Way::Undone {
            undo(&world, first.operation_seq);
        }
        let label = format!("history {seed}, {way:?}");
        import(&world, &repository, "kept");
        assert!(agrees_without(&world, &git, &redacted, &label) > 5, "{label}");
        assert_eq!(import(&world, &repository, "kept").versions, 0, "{label}: nothing comes in twice");
        world.verify();
    }
    assert!(masked as u64 >= seeds);
}
