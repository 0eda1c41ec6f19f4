//! History from before the app was there: from git, from transcripts and kept copies, from a bundle; and who wrote each line.

#![expect(
    clippy::needless_pass_by_value,
    reason = "values made for one line of a transcript read better where it is called"
)]

use retrace_api::{commands, wire};
use retrace_model::Timestamp;
use retrace_sources::{Platform, Surroundings};
use retrace_tests::World;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Changes of versions, newest first: sign, path, and what is said of them.
fn reported(versions: &[wire::Version]) -> Vec<String> {
    let tell = |version: &wire::Version| {
        let sign = match version.operation.as_str() {
            "created" => '+',
            "deleted" => '-',
            _ => '~',
        };
        let rebuilt = if version.rebuilt { " rebuilt" } else { "" };
        format!("{sign} {}{rebuilt}", version.path.as_deref().unwrap_or("(redacted)"))
    };
    versions.iter().map(tell).collect()
}

fn content(world: &World, version: &wire::Version) -> String {
    let request = wire::ShowReq { version: version.id.clone(), content: true };
    commands::show(&world.app, request).expect("a version").content.unwrap_or_default()
}

fn blame(world: &World, target: &str) -> wire::Blame {
    commands::blame(&world.app, wire::BlameReq { target: target.to_owned(), job: None }).expect("a blame")
}

/// Text of each line with the content its version has of it, which must be the same.
fn lines_of(world: &World, blame: &wire::Blame) -> Vec<(String, u64)> {
    blame
        .lines
        .iter()
        .map(|line| {
            let version = &blame.versions[line.version.expect("a version") as usize];
            let request = wire::ShowReq { version: version.version_id.clone(), content: true };
            let then = commands::show(&world.app, request).expect("a version").content.expect("a content");
            assert_eq!(then.lines().nth(line.line_then as usize - 1), Some(line.text.as_str()));
            (line.text.clone(), version.seq)
        })
        .collect()
}

/// A repository made commit by commit, an hour apart.
pub(crate) struct Repository {
    folder: PathBuf,
    commits: i64,
}

impl Repository {
    /// `None`, with the reason printed, where git is not there.
    pub(crate) fn new(folder: PathBuf) -> Option<Self> {
        if Command::new("git").arg("--version").output().is_err() {
            println!("skipped: the program git is not there");
            return None;
        }
        std::fs::create_dir_all(&folder).expect("a folder");
        let repository = Self { folder, commits: 0 };
        repository.git(&["init", "-q", "-b", "main"]);
        Some(repository)
    }

    /// One that is there.
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { folder, commits: 0 }
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        // 2026-11-01T00:00:00Z and so many hours.
        let date = format!("{} +0000", 1_793_491_200 + self.commits * 3600);
        let status = Command::new("git")
            .current_dir(&self.folder)
            .args([
                "-c",
                "user.name=Grace",
                "-c",
                "user.email=grace@example.org",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .output()
            .expect("git runs");
        assert!(status.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&status.stderr));
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Answer of git.
    pub(crate) fn ask(&self, arguments: &[&str]) -> Vec<u8> {
        let done = Command::new("git")
            .current_dir(&self.folder)
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("git runs");
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        done.stdout
    }

    /// Makes commits of a stream for `git fast-import`.
    pub(crate) fn stream(&self, stream: &[u8]) {
        let mut child = Command::new("git")
            .current_dir(&self.folder)
            .args(["fast-import", "--quiet"])
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::piped())
            .spawn()
            .expect("git runs");
        let mut input = child.stdin.take().expect("an input");
        input.write_all(stream).expect("git reads");
        drop(input);
        assert!(child.wait().expect("git ends").success());
    }

    /// Commits one text each, a second apart, without a file on disk.
    pub(crate) fn fast_import(&self, texts: impl Iterator<Item = (String, String)>) {
        let mut stream = String::new();
        for (step, (path, text)) in texts.enumerate() {
            let at = 1_793_491_200 + step;
            stream.push_str(&format!(
                "commit refs/heads/main\ncommitter Grace <grace@example.org> {at} +0000\ndata 4\nstep\n\
                 M 100644 inline {path}\ndata {}\n{text}\n",
                text.len()
            ));
        }
        self.stream(stream.as_bytes());
    }

    /// Writes a file of it.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    /// Commits everything.
    pub(crate) fn commit(&mut self, subject: &str) {
        self.commit_by(subject, "Grace");
    }

    /// Commits everything that somebody of this name wrote.
    pub(crate) fn commit_by(&mut self, subject: &str, author: &str) {
        self.commits += 1;
        self.git(&["add", "-A"]);
        let author = format!("--author={author} <grace@example.org>");
        self.git(&["commit", "-q", "--allow-empty", &author, "-m", subject]);
    }
}

fn import_git(world: &World, directory: &Path, store: Option<&str>, dry_run: bool) -> wire::ImportResult {
    let request = wire::ImportGitReq {
        directory: directory.to_string_lossy().into_owned(),
        store: store.map(str::to_owned),
        dry_run,
        ..wire::ImportGitReq::default()
    };
    commands::import_git(&world.app, request).expect("an import")
}

#[test]
fn commits_come_before_what_was_observed_and_are_undone_as_one() {
    let world = World::new();
    let Some(mut git) = Repository::new(world.path("repository")) else { return };
    git.write("old/notes.md", "- one\n");
    git.write("README.md", "elsewhere\n");
    git.commit("Begin");
    git.write("old/notes.md", "- one\n- two\n");
    git.commit("Two");
    std::fs::create_dir_all(git.folder.join("memory")).expect("a folder");
    git.git(&["mv", "old/notes.md", "memory/notes.md"]);
    git.write("memory/-n; rm -rf.md", "odd\n");
    git.commit("Move it");
    git.git(&["mv", "memory/notes.md", "memory/MEMORY.md"]);
    git.write("memory/MEMORY.md", "- one\n- two\n- three\n");
    git.commit("Three");
    git.git(&["rm", "-q", "memory/-n; rm -rf.md"]);
    git.commit("Gone");
    let head = std::fs::read(git.folder.join(".git/HEAD")).expect("a head");
    let root = git.folder.join("memory");
    let request = wire::AddStore {
        root: root.to_string_lossy().into_owned(),
        kind: None,
        name: Some("memory".to_owned()),
    };
    commands::add_store(&world.app, request).expect("a store");
    std::fs::write(root.join("MEMORY.md"), "- one\n- two, changed\n- three\n").expect("a file");
    world.scan();
    assert_eq!(reported(&world.log("")), ["~ MEMORY.md", "+ MEMORY.md"]);
    let cursor = world.cursor();

    let dry = import_git(&world, &root, None, true);
    assert_eq!((dry.dry_run, dry.operation_seq, dry.versions, dry.memories), (true, None, 5, 2));
    assert_eq!(world.cursor(), cursor, "a preview does nothing");
    let done = import_git(&world, &root, None, false);
    assert_eq!((done.versions, done.found, done.unchanged), (5, 6, 1), "{done:?}");
    assert_eq!(done.first_at.as_deref(), Some("2026-11-01T01:00:00.000000Z"));
    let history = world.log("MEMORY.md");
    let expected =
        ["~ MEMORY.md", "+ MEMORY.md", "~ MEMORY.md rebuilt", "~ notes.md rebuilt", "+ notes.md rebuilt"];
    assert_eq!(reported(&history), expected);
    // The last commit is what was there when recording began: its date and writer are known, and the baseline is of it.
    let baseline = history[1].baseline_of.as_ref().expect("a baseline of something older");
    assert_eq!((baseline.seq, &baseline.written_by), (history[2].seq, &history[2].created_by));
    assert_eq!(history[1].created_by, history[2].created_by);
    assert_eq!(content(&world, &history[3]), "- one\n- two\n");
    let first = &history[4];
    assert_eq!((first.source.as_str(), first.created_at.as_str()), ("import", "2026-11-01T01:00:00.000000Z"));
    assert!(
        first
            .note
            .as_deref()
            .is_some_and(|note| note.starts_with("Begin (") && note.ends_with("old/notes.md"))
    );
    let author = wire::ActorView::UserActor { user_id: "Grace <grace@example.org>".to_owned() };
    assert_eq!(first.created_by, Some(author));
    assert_eq!(reported(&world.log("-n; rm -rf.md")), ["- -n; rm -rf.md rebuilt", "+ -n; rm -rf.md rebuilt"]);

    let again = import_git(&world, &root, None, false);
    assert_eq!((again.operation_seq, again.versions), (None, 0), "nothing comes in twice");
    let then = blame(&world, "memory:notes.md@2026-11-01T02:30:00Z");
    assert_eq!(then.lines.len(), 2);
    let now = blame(&world, "memory:MEMORY.md");
    let seqs: Vec<u64> = lines_of(&world, &now).into_iter().map(|(_, seq)| seq).collect();
    assert_eq!(seqs, [first.seq, history[0].seq, history[2].seq]);

    // Nobody has it to review, a rollback reaches it, an undo takes it out of every list.
    let status = commands::status(&world.app, wire::Nothing {}).expect("a status");
    assert_eq!(status.unreviewed, 1);
    let request = wire::RollbackReq {
        memory: Some("memory:MEMORY.md".to_owned()),
        to: Some(history[3].id.clone()),
        ..wire::RollbackReq::default()
    };
    commands::rollback(&world.app, request).expect("a rollback");
    assert_eq!(std::fs::read_to_string(root.join("notes.md")).expect("a file"), "- one\n- two\n");
    let operation_seq = done.operation_seq;
    let undone = commands::undo(&world.app, wire::UndoReq { operation_seq, dry_run: false }).expect("undone");
    assert!(undone.operation_seq.is_some() && undone.writes.is_empty() && undone.deletes.is_empty());
    assert_eq!(undone.withdrawn, 5, "an undo that writes no file says what it does");
    assert!(world.log("").iter().all(|version| !version.rebuilt));
    assert_eq!(import_git(&world, &root, None, false).versions, 5, "it can be brought in again");
    world.verify();
    assert_eq!(std::fs::read(git.folder.join(".git/HEAD")).expect("a head"), head);
    assert!(!git.folder.join(".git/index.lock").exists());
}

#[test]
fn branches_and_merges_come_in_the_order_of_time_and_another_directory_counts_as_a_store() {
    let world = World::new();
    let Some(mut git) = Repository::new(world.path("elsewhere")) else { return };
    git.write("a.md", "1\n2\n3\n4\n5\n6\n7\n");
    git.commit("base");
    git.git(&["checkout", "-q", "-b", "side"]);
    git.write("a.md", "1\n2\n3\n4\n5\n6\nside\n");
    git.commit("side");
    git.git(&["checkout", "-q", "main"]);
    git.write("a.md", "main\n2\n3\n4\n5\n6\n7\n");
    git.commit("main");
    git.commits += 1;
    git.git(&["merge", "-q", "-m", "merge", "side"]);
    world.record("a.md", "observed\n");
    let done = import_git(&world, &git.folder, Some("notes"), false);
    assert_eq!(done.versions, 4, "{done:?}");
    let notes: Vec<String> = world
        .log("a.md")
        .iter()
        .filter_map(|version| version.note.as_ref().map(|note| note.text().to_owned()))
        .collect();
    let subjects: Vec<&str> = notes.iter().filter_map(|note| note.split(' ').next()).collect();
    assert_eq!(subjects, ["merge", "side", "main", "base"]);
    let merged = world.log("a.md").into_iter().nth(1).expect("a version");
    assert_eq!(content(&world, &merged), "main\n2\n3\n4\n5\n6\nside\n");
    let request = wire::ImportGitReq {
        directory: world.path("home").to_string_lossy().into_owned(),
        store: Some("notes".to_owned()),
        ..wire::ImportGitReq::default()
    };
    std::fs::create_dir_all(world.path("home")).expect("a folder");
    let refused = commands::import_git(&world.app, request).expect_err("no repository");
    assert_eq!(refused.code, wire::Code::NotFound);
    world.verify();
}

#[test]
fn a_repository_that_a_store_lies_in_means_the_stores_part_of_it() {
    let world = World::new();
    let Some(mut git) = Repository::new(world.path("repository")) else { return };
    let request = || wire::ImportGitReq {
        directory: git_folder(&world),
        store: Some("notes".to_owned()),
        ..wire::ImportGitReq::default()
    };
    let empty = commands::import_git(&world.app, request()).expect_err("no commit yet");
    assert_eq!(
        (empty.code, empty.message.text()),
        (wire::Code::NotFound, "The repository has no commits yet.")
    );
    git.write(".claude/memory/a.md", "one\n");
    git.write("README.md", "elsewhere\n");
    git.commit("First");
    git.write(".claude/memory/a.md", "two\n");
    git.write("docs/b.md", "b\n");
    git.commit("Second");
    let add = |folder: &str, name: &str| {
        let root = git.folder.join(folder).to_string_lossy().into_owned();
        commands::add_store(&world.app, wire::AddStore { root, kind: None, name: Some(name.to_owned()) })
            .expect("a store");
    };
    add(".claude/memory", "kept");
    for store in [Some("kept"), None] {
        let dry = import_git(&world, &git.folder, store, true);
        assert_eq!((dry.versions, dry.files.len()), (2, 1), "{dry:?}");
        assert_eq!(dry.files[0].path, "a.md");
    }
    add("docs", "docs");
    let unclear = wire::ImportGitReq { store: None, ..request() };
    let refused = commands::import_git(&world.app, unclear).expect_err("it is not clear which");
    assert_eq!(refused.code, wire::Code::Invalid);
    assert_eq!(import_git(&world, &git.folder, Some("docs"), false).versions, 1);
    assert_eq!(import_git(&world, &git.folder, Some("kept"), false).versions, 2);
    world.verify();
}

fn git_folder(world: &World) -> String {
    world.path("repository").to_string_lossy().into_owned()
}

/// A session's transcript, below the home of a world.
pub(crate) struct Session {
    file: PathBuf,
    id: String,
    lines: Vec<Value>,
}

impl Session {
    /// An empty one.
    pub(crate) fn new(world: &World, id: &str) -> Self {
        let file = world.path("home/.claude/projects/-home-ada-app").join(format!("{id}.jsonl"));
        Self { file, id: id.to_owned(), lines: Vec::new() }
    }

    fn line(&mut self, at: &str, kind: &str, message: Value, result: Value) {
        let parent = self.lines.len();
        let parent = if parent == 0 { Value::Null } else { json!(format!("{}-{parent}", self.id)) };
        let mut line = json!({
            "type": kind, "uuid": format!("{}-{}", self.id, self.lines.len() + 1), "parentUuid": parent,
            "sessionId": self.id, "isSidechain": false, "cwd": "/home/ada/app", "version": "2.1.181",
            "timestamp": at, "message": message,
        });
        if !result.is_null() {
            line["toolUseResult"] = result;
        }
        self.lines.push(line);
    }

    /// A person asks something.
    pub(crate) fn asked(&mut self, at: &str, prompt: &str) {
        self.line(at, "user", json!({"role": "user", "content": prompt}), Value::Null);
    }

    /// The model calls a tool, which answers.
    pub(crate) fn call(&mut self, at: &str, tool: &str, input: Value, content: &str, result: Value) {
        let id = format!("toolu_{}_{}", self.id, self.lines.len());
        let message = json!({
            "id": format!("msg_{}_{}", self.id, self.lines.len()), "role": "assistant", "model": "claude-opus-4-6",
            "stop_reason": "tool_use", "usage": {"input_tokens": 5, "output_tokens": 5},
            "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}],
        });
        self.line(at, "assistant", message, Value::Null);
        let content = json!([{"type": "tool_result", "tool_use_id": id, "content": content}]);
        self.line(at, "user", json!({"role": "user", "content": content}), result);
    }

    /// The client keeps a copy before an edit.
    pub(crate) fn keeps(&mut self, at: &str, path: &Path, name: &str, text: &str) {
        let line = json!({
            "type": "file-history-snapshot", "messageId": "m", "isSnapshotUpdate": true,
            "snapshot": {"messageId": "m", "timestamp": at, "trackedFileBackups": {
                path.to_string_lossy(): {"backupFileName": name, "version": 1, "backupTime": at}}},
        });
        self.lines.push(line);
        let folder = self.file.ancestors().nth(3).expect("a home").join("file-history").join(&self.id);
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(name), text).expect("a copy");
    }

    /// Writes it.
    pub(crate) fn save(&self) {
        std::fs::create_dir_all(self.file.parent().expect("a parent")).expect("a folder");
        let text: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&self.file, text).expect("a transcript");
    }
}

fn import_transcripts(world: &World, store: &str) -> wire::ImportResult {
    let request = wire::ImportTranscriptsReq { store: store.to_owned(), dry_run: false, job: None };
    commands::import_transcripts(&world.app, request).expect("an import")
}

#[test]
fn what_another_session_wrote_before_recording_is_put_back_with_the_rest_of_a_session() {
    let world = World::new();
    let root = world.path("home/.claude/projects/-home-ada-app/memory");
    std::fs::create_dir_all(&root).expect("a folder");
    let file = root.join("deploy.md");
    let path = file.to_string_lossy().into_owned();
    let (first, second) = ("- use the blue host\n", "- use the blue host\n- at night\n");
    let mut one = Session::new(&world, "aaaa-1");
    one.asked("2026-11-10T10:00:00Z", "Remember the host.");
    let input = json!({"file_path": path, "content": first});
    let result = json!({"type": "create", "filePath": path, "content": first, "originalFile": null});
    one.call("2026-11-10T10:00:01Z", "Write", input, "done", result);
    one.save();
    let mut two = Session::new(&world, "bbbb-2");
    two.asked("2026-11-11T10:00:00Z", "At night.");
    let (old, new) = ("blue host\n", "blue host\n- at night\n");
    let input = json!({"file_path": path, "old_string": old, "new_string": new});
    let result = json!({"filePath": path, "oldString": old, "newString": new, "originalFile": first,
        "replaceAll": false, "userModified": false});
    two.call("2026-11-11T10:00:01Z", "Edit", input, "done", result);
    two.save();
    std::fs::write(&file, second).expect("a file");
    let (root, name) = (root.to_string_lossy().into_owned(), Some("memory".to_owned()));
    commands::add_store(&world.app, wire::AddStore { root, kind: None, name }).expect("a store");
    import_transcripts(&world, "memory");
    let request = wire::RollbackReq {
        session: Some("bbbb-2".to_owned()),
        include: vec![world.log("deploy.md")[0].id.clone()],
        ..wire::RollbackReq::default()
    };
    let done = commands::rollback(&world.app, request).expect("a rollback");
    assert_eq!((done.writes.len(), done.deletes.len()), (1, 0), "{done:?}");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), first);
    world.verify();
}

#[test]
fn writes_edits_reads_and_kept_copies_are_rebuilt_and_blamed_to_turn_and_prompt() {
    let world = World::new();
    let root = world.path("home/.claude/projects/-home-ada-app/memory");
    std::fs::create_dir_all(&root).expect("a folder");
    let file = root.join("MEMORY.md");
    // The transcript names the home of another machine.
    let named = "/Users/ada/.claude/projects/-home-ada-app/memory/MEMORY.md";
    let mut session = Session::new(&world, "aaaa-1");
    session.asked("2026-11-10T10:00:00Z", "Remember the port.");
    let input = json!({"file_path": named, "content": "- port 8080\n"});
    session.call(
        "2026-11-10T10:00:01Z",
        "Write",
        input,
        "done",
        json!({"type": "create", "filePath": named, "content": "- port 8080\n", "originalFile": null}),
    );
    session.asked("2026-11-10T10:05:00Z", "It is 9090 now, and remember the host.");
    let input = json!({"file_path": named, "old_string": "8080\n", "new_string": "9090\n- host box\n"});
    session.call("2026-11-10T10:05:01Z", "Edit", input, "done", json!({"filePath": named, "oldString": "8080\n", "newString": "9090\n- host box\n", "originalFile": "- port 8080\n", "replaceAll": false, "userModified": false}));
    session.save();
    let mut later = Session::new(&world, "bbbb-2");
    later.asked("2026-11-12T10:00:00Z", "What do you know?");
    later.keeps("2026-11-12T10:00:30Z", Path::new(named), "aa@v1", "- port 9090\n- host box\n- by hand\n");
    later.save();
    std::fs::write(&file, "- port 9090\n- host box\n- by hand\n- newest\n").expect("a file");
    let request = wire::AddStore {
        root: root.to_string_lossy().into_owned(),
        kind: None,
        name: Some("memory".to_owned()),
    };
    commands::add_store(&world.app, request).expect("a store");

    let done = import_transcripts(&world, "memory");
    assert_eq!((done.versions, done.memories, done.warnings.len()), (3, 1, 0), "{done:?}");
    let history = world.log("MEMORY.md");
    assert_eq!(
        reported(&history)[1..],
        ["~ MEMORY.md rebuilt", "~ MEMORY.md rebuilt", "+ MEMORY.md rebuilt"]
    );
    assert_eq!(content(&world, &history[1]), "- port 9090\n- host box\n- by hand\n");
    assert_eq!(history[1].created_by, None, "nobody is known to have written what was found");
    let session = |version: &wire::Version| match &version.created_by {
        Some(wire::ActorView::SessionActor { session_id, evidence }) => {
            Some((session_id.clone(), evidence.clone()))
        }
        _ => None,
    };
    assert_eq!(session(&history[2]), Some(("aaaa-1".to_owned(), "exact_content".to_owned())));
    assert_eq!(import_transcripts(&world, "memory").versions, 0, "nothing comes in twice");

    let reported = blame(&world, "memory:MEMORY.md");
    let seqs: Vec<u64> = lines_of(&world, &reported).into_iter().map(|(_, seq)| seq).collect();
    assert_eq!(seqs, [history[2].seq, history[2].seq, history[1].seq, history[0].seq]);
    let version = &reported.versions[reported.lines[0].version.expect("a version") as usize];
    let origin = version.origin.as_ref().expect("who wrote it");
    assert_eq!((origin.session_id.as_deref(), origin.confidence.as_str()), (Some("aaaa-1"), "exact_content"));
    assert_eq!(origin.turn, Some(2), "{origin:?}");
    assert_eq!(origin.prompt.as_deref(), Some("It is 9090 now, and remember the host."));
    let request = wire::SessionRef { session: "aaaa-1".to_owned() };
    let writes = commands::session_writes(&world.app, request).expect("a session");
    assert_eq!((writes.versions.len(), writes.unrecorded.len()), (2, 0), "each call has its rebuilt version");
    let operation_seq = done.operation_seq;
    commands::undo(&world.app, wire::UndoReq { operation_seq, dry_run: false }).expect("undone");
    assert_eq!(world.log("MEMORY.md").len(), 1);
    let request = wire::SessionRef { session: "aaaa-1".to_owned() };
    let writes = commands::session_writes(&world.app, request).expect("a session");
    assert_eq!(writes.unrecorded.len(), 2, "what is withdrawn is no version of a call");
    world.verify();
}

/// A store of two files whose history git has, imported; and the number of the import.
fn with_imported() -> Option<(World, u64)> {
    let world = World::new();
    let mut git = Repository::new(world.path("repository"))?;
    git.write("memory/a.md", "one\n");
    git.write("memory/gone.md", "was there\n");
    git.commit("First");
    git.write("memory/a.md", "two\n");
    git.git(&["rm", "-q", "memory/gone.md"]);
    git.write("memory/later.md", "later\n");
    git.commit("Second");
    git.write("memory/unknown.md", "never committed\n");
    let request = wire::AddStore {
        root: git.folder.join("memory").to_string_lossy().into_owned(),
        kind: None,
        name: Some("kept".to_owned()),
    };
    commands::add_store(&world.app, request).expect("a store");
    let done = import_git(&world, &git.folder.join("memory"), None, false);
    Some((world, done.operation_seq.expect("an operation")))
}

#[test]
fn an_imported_version_is_not_reviewed_and_that_is_said() {
    let Some((world, _)) = with_imported() else { return };
    let versions = world.log("a.md");
    let imported = versions.iter().find(|version| version.rebuilt).expect("an imported version");
    let request = wire::ReviewReq {
        versions: vec![imported.id.clone()],
        verdict: "approve".to_owned(),
        ..wire::ReviewReq::default()
    };
    let reviewed = commands::review(&world.app, request).expect("an answer");
    assert_eq!((reviewed.done.len(), reviewed.skipped[0].reason.as_str()), (0, "imported"));
    let error = reviewed.conflict_error().expect("an error");
    assert_eq!(error.code, wire::Code::NotFound);
    assert!(error.message.text().contains("was imported"), "{error:?}");
}

#[test]
fn a_clock_that_was_ahead_when_recording_began_keeps_no_later_time_from_being_restored() {
    use std::sync::atomic::{AtomicI64, Ordering};
    let ahead = std::sync::Arc::new(AtomicI64::new(86_400_000_000));
    let off = std::sync::Arc::clone(&ahead);
    let world = World::with(|options| {
        let clock = std::sync::Arc::clone(&options.engine.clock);
        options.engine.clock = std::sync::Arc::new(move || {
            Timestamp::from_micros(clock().micros() + off.load(Ordering::SeqCst))
        });
    });
    world.record("a.md", "1\n");
    ahead.store(0, Ordering::SeqCst);
    let second = world.record("a.md", "2\n");
    world.record("a.md", "3\n");
    let request = wire::RestoreReq {
        store: "notes".to_owned(),
        at: second.created_at.clone(),
        ..wire::RestoreReq::default()
    };
    commands::restore(&world.app, request).expect("it was recorded");
    assert_eq!(world.read("a.md").as_deref(), Some("2\n"));
    let request = wire::RestoreReq {
        store: "notes".to_owned(),
        at: "2026-11-20T09:00:00Z".to_owned(),
        ..wire::RestoreReq::default()
    };
    let error = commands::restore(&world.app, request).expect_err("nothing was recorded by then");
    assert_eq!(error.code, wire::Code::BeforeRecording);
}

#[test]
fn a_time_before_recording_began_is_restored_from_what_was_imported_alone() {
    let Some((world, import)) = with_imported() else { return };
    let restore = |at: &str, from_imported, dry_run| {
        let (store, at) = ("kept".to_owned(), at.to_owned());
        commands::restore(&world.app, wire::RestoreReq { store, at, from_imported, dry_run })
    };
    let file = |path: &str| std::fs::read_to_string(world.path("repository/memory").join(path)).ok();
    // The first commit was at 01:00.
    let (early, then) = ("2026-11-01T00:30:00Z", "2026-11-01T01:30:00Z");
    for at in [early, then, "0"] {
        for dry_run in [true, false] {
            let refused = restore(at, false, dry_run).expect_err("nothing was recorded by then");
            assert_eq!(
                (refused.code, refused.code.exit_code()),
                (wire::Code::BeforeRecording, 4),
                "{refused:?}"
            );
            assert_eq!(refused.hint.contains("--from-imported"), at == then, "{refused:?}");
        }
    }
    assert_eq!(file("a.md").as_deref(), Some("two\n"), "nothing was done");
    assert!(restore(early, true, false).is_err(), "nothing is known of that time");
    let export = |at: &str, from_imported| {
        let to = world.path("exported").to_string_lossy().into_owned();
        let (store, at) = ("kept".to_owned(), Some(at.to_owned()));
        commands::export_store(&world.app, wire::ExportStoreReq { store, at, from_imported, to })
    };
    for (at, from_imported) in [(early, false), (early, true), (then, false), ("0", false), ("0", true)] {
        let refused = export(at, from_imported).expect_err("nothing was recorded by then");
        assert_eq!(refused.code, wire::Code::BeforeRecording, "{refused:?}");
        assert_eq!(refused.hint.contains("--from-imported"), at == then, "{refused:?}");
        assert!(!world.path("exported").exists(), "nothing is made");
    }
    assert_eq!(export(then, true).expect("what is known of it").written, 2);
    let now = "2999-01-01T00:00:00Z";
    assert_eq!(export(now, true).expect_err("it was recorded").code, wire::Code::Invalid);
    let warned = |a: &str, b: Option<&str>| -> Vec<String> {
        let (a, b) = (format!("kept@{a}"), b.map(|b| format!("kept@{b}")));
        match commands::diff(&world.app, wire::DiffReq { a, b, ..wire::DiffReq::default() }) {
            Ok(wire::DiffResult::Store(diff)) => diff.warnings.iter().map(ToString::to_string).collect(),
            other => panic!("{other:?}"),
        }
    };
    let [nothing, known]: [String; 2] = warned(early, Some(then)).try_into().expect("of both sides");
    assert!(nothing.contains("Nothing is known of kept@2026-11-01T00:30:00Z"), "{nothing}");
    assert!(known.contains("known from imported history: 2"), "{known}");
    assert_eq!(warned("0", None).len(), 1);
    assert_eq!(warned(now, None), [""; 0]);
    let memories = |at: &str| {
        let (store, at) = ("kept".to_owned(), Some(at.to_owned()));
        commands::memories(&world.app, wire::MemoriesReq { store, at, kind: None }).expect("a list")
    };
    assert_eq!((memories(early).warnings.len(), memories(early).memories.len()), (1, 0));
    assert_eq!((memories(then).warnings.len(), memories(now).warnings.len()), (1, 0));
    let preview = restore(then, true, true).expect("a preview");
    let reported: Vec<(&str, &str, bool)> = preview
        .imported
        .iter()
        .map(|state| (state.path.as_str(), state.act.as_str(), state.certain))
        .collect();
    let expected = [
        ("unknown.md", "leave", false),
        ("a.md", "write", true),
        ("gone.md", "write", true),
        ("later.md", "delete", true),
    ];
    assert_eq!(reported, expected);
    assert_eq!(file("a.md").as_deref(), Some("two\n"), "a preview does nothing");
    let done = restore(then, true, false).expect("a restore");
    assert_eq!((done.writes.len(), done.deletes.len()), (2, 1));
    assert_eq!(file("a.md").as_deref(), Some("one\n"));
    assert_eq!(file("gone.md").as_deref(), Some("was there\n"));
    assert_eq!((file("later.md"), file("unknown.md").as_deref()), (None, Some("never committed\n")));
    let undone = commands::undo(&world.app, wire::UndoReq::default()).expect("undone");
    assert_eq!(undone.undoes.map(|act| act.operation_seq), done.operation_seq);
    assert_eq!(file("later.md").as_deref(), Some("later\n"));
    // A recorded time is restored as ever, and from what is recorded alone.
    let now = world.cursor().to_string();
    assert_eq!(restore(&now, true, true).expect_err("it was recorded").code, wire::Code::Invalid);
    restore(&now, false, true).expect("a preview");
    assert!(import > 0);
    world.verify();
}

#[test]
fn an_undo_says_what_it_takes_back_and_passes_over_no_redaction() {
    let Some((world, import)) = with_imported() else { return };
    let redact = wire::RedactReq { find: Some("was there".to_owned()), ..wire::RedactReq::default() };
    commands::redact(&world.app, redact).expect("a redaction");
    let undo = |operation_seq, dry_run| commands::undo(&world.app, wire::UndoReq { operation_seq, dry_run });
    let refused = undo(None, false).expect_err("a redaction is the newest act");
    assert_eq!(refused.code, wire::Code::Invalid);
    assert!(refused.hint.contains(&format!("retrace undo {import}")), "{refused:?}");
    assert!(refused.hint.contains("import from git"), "{refused:?}");
    let undone = undo(Some(import), true).expect("a preview").undoes.expect("what it takes back");
    assert_eq!((undone.operation_seq, undone.source.as_str()), (import, "import"));
    assert!(undone.note.is_some_and(|note| note.starts_with("import from git")));
    undo(Some(import), false).expect("undone, as it was named");
    assert!(undo(None, false).is_err());
}

#[test]
fn lines_are_traced_through_renames_and_through_moves_between_files() {
    let world = World::new();
    let block = "- the port is 9090\n- the host is box\n- the proxy is off\n- the key is elsewhere\n";
    world.record("MEMORY.md", format!("# Index\n{block}"));
    let first = world.log("MEMORY.md").remove(0);
    world.write("MEMORY.md", "# Index\n- see topic.md\n");
    world.write("topic.md", format!("# Topic\n{block}"));
    world.scan();
    let second = world.cursor();
    std::fs::rename(world.path("notes/topic.md"), world.path("notes/deep.md")).expect("a rename");
    world.scan();
    let reported = blame(&world, "notes:deep.md");
    let seqs = lines_of(&world, &reported);
    assert!(seqs[1..].iter().all(|(_, seq)| *seq == first.seq), "{seqs:?}");
    let moved = reported.versions.iter().find(|version| version.seq == first.seq).expect("the first");
    assert_eq!(moved.moved_from.as_deref(), Some("MEMORY.md"));
    let title = &reported.versions[reported.lines[0].version.expect("a version") as usize];
    assert_eq!((title.moved_from.as_deref(), title.path_then.as_deref()), (None, Some("topic.md")));
    let made = world.log("deep.md").into_iter().find(|version| version.seq == title.seq).expect("a version");
    assert_eq!(made.operation_seq, second);
    world.write("deep.md", "not recorded\n");
    let reported = blame(&world, "notes:deep.md");
    assert_eq!((reported.version_id, reported.lines[0].version), (None, None));
}

#[test]
fn a_bundle_carries_history_to_another_log_without_what_was_redacted() {
    let world = World::new();
    world.record("a.md", "one\n");
    let secret = ["sec", "ret"].concat();
    let bad = world.record("a.md", format!("one\n{secret}\n"));
    world.record("a.md", "two\n");
    let request = wire::RedactReq { versions: vec![bad.id], ..wire::RedactReq::default() };
    commands::redact(&world.app, request).expect("a redaction");
    let bundle = world.path("notes.retrace");
    let request = wire::ExportStoreReq {
        store: "notes".to_owned(),
        to: bundle.to_string_lossy().into_owned(),
        ..wire::ExportStoreReq::default()
    };
    let written = commands::export_store(&world.app, request.clone()).expect("a bundle");
    assert_eq!((written.written, written.warnings.len()), (2, 1));
    assert!(commands::export_store(&world.app, request).is_err(), "a file that is there is left");
    let other =
        World::with(|options| options.clock = retrace_tests::options_of(Path::new("/"), 9).engine.clock);
    other.record("a.md", "two\n");
    let import = |file: &Path| {
        let file = file.to_string_lossy().into_owned();
        let request = wire::ImportBundleReq { file, ..wire::ImportBundleReq::default() };
        commands::import_bundle(&other.app, request)
    };
    let done = import(&bundle).expect("an import");
    assert_eq!((done.versions, done.unchanged), (2, 0), "{done:?}");
    let history = other.log("a.md");
    assert_eq!(reported(&history), ["+ a.md", "~ a.md rebuilt", "+ a.md rebuilt"]);
    assert_eq!(history[0].baseline_of.as_ref().map(|older| older.seq), Some(history[1].seq));
    other.verify();
    let mut bytes = std::fs::read(&bundle).expect("a bundle");
    for at in [0, bytes.len() / 2, bytes.len() - 1] {
        bytes[at] ^= 1;
        let damaged = world.path("damaged.retrace");
        std::fs::write(&damaged, &bytes).expect("a file");
        assert_eq!(import(&damaged).expect_err("damaged").code, wire::Code::Invalid);
        bytes[at] ^= 1;
    }
    let files = world.path("then");
    let request = wire::ExportStoreReq {
        store: "notes".to_owned(),
        at: Some("1".to_owned()),
        to: files.to_string_lossy().into_owned(),
        ..wire::ExportStoreReq::default()
    };
    let written = commands::export_store(&world.app, request).expect("files");
    assert_eq!((written.kind.as_str(), written.written), ("files", 1));
    assert_eq!(std::fs::read_to_string(files.join("a.md")).expect("a file"), "one\n");
}

/// Real transcripts that write a `MEMORY.md`. Skipped where they are not.
#[cfg(unix)]
#[test]
fn a_bundle_carries_permissions_and_what_is_put_back_has_them() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| std::fs::metadata(path).expect("a file").permissions().mode() & 0o7777;
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("permissions");
    };
    let from = World::new();
    from.write("private.md", "mine\n");
    from.write("shared.md", "ours\n");
    from.write("here.md", "elsewhere\n");
    set(&from.path("notes/private.md"), 0o600);
    set(&from.path("notes/shared.md"), 0o664);
    set(&from.path("notes/here.md"), 0o640);
    from.scan();
    let file = from.path("notes.retrace").to_string_lossy().into_owned();
    let request = wire::ExportStoreReq { store: "notes".to_owned(), to: file.clone(), ..Default::default() };
    commands::export_store(&from.app, request).expect("a bundle");
    let at = from.log("private.md")[0].created_at.clone();
    let world =
        World::with(|options| options.clock = retrace_tests::options_of(Path::new("/"), 9).engine.clock);
    world.write("here.md", "here\n");
    set(&world.path("notes/here.md"), 0o600);
    world.scan();
    let store = Some("notes".to_owned());
    let import = wire::ImportBundleReq { file, store, ..wire::ImportBundleReq::default() };
    assert_eq!(commands::import_bundle(&world.app, import).expect("an import").versions, 3);
    let store = "notes".to_owned();
    let restore = wire::RestoreReq { store, at, from_imported: true, dry_run: false };
    commands::restore(&world.app, restore).expect("a restore");
    assert_eq!(mode(&world.path("notes/private.md")), 0o600);
    assert_eq!(mode(&world.path("notes/shared.md")), 0o664);
    assert_eq!(mode(&world.path("notes/here.md")), 0o600, "what stands keeps its own");
    world.verify();
}

#[test]
fn real_sessions_rebuild_their_memory_and_every_line_has_its_turn_and_prompt() {
    let shared = std::env::var_os("RETRACE_SHARED_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let home = shared.join("data/home");
    let projects = std::fs::read_dir(home.join(".claude/projects")).into_iter().flatten().flatten();
    let slug = projects
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .find(|name| name.ends_with("cipher-box"));
    let Some(slug) = slug else {
        println!("skipped: there are no such transcripts below {}", home.display());
        return;
    };
    let world =
        World::with(|options| options.surroundings = Surroundings::new(home.clone(), Platform::Linux));
    let root = world.path("there/.claude/projects").join(slug).join("memory");
    std::fs::create_dir_all(&root).expect("a folder");
    std::fs::write(root.join("MEMORY.md"), "# as it is now\n").expect("a file");
    let request = wire::AddStore {
        root: root.to_string_lossy().into_owned(),
        kind: None,
        name: Some("memory".to_owned()),
    };
    commands::add_store(&world.app, request).expect("a store");
    let done = import_transcripts(&world, "memory");
    let history = world.log("MEMORY.md");
    assert_eq!(history.len() as u64, done.versions + 1);
    println!("{done:?}");
    let mut traced = 0;
    for version in history.iter().filter(|version| version.rebuilt) {
        let reported = blame(&world, &version.id);
        lines_of(&world, &reported);
        for line in &reported.lines {
            let from = &reported.versions[line.version.expect("a version") as usize];
            let Some(origin) = &from.origin else { continue };
            assert_eq!(origin.confidence, "exact_content");
            assert!(origin.turn.is_some() && origin.prompt.is_some(), "{from:?}");
            traced += 1;
        }
    }
    assert!(traced > 0, "lines are blamed to a turn and a prompt");
    println!("lines blamed to a turn: {traced}");
    world.verify();
}

#[test]
fn git_is_quoted_where_it_does_not_read_a_repository() {
    let world = World::new();
    let directory = world.path("notes");
    let init = std::process::Command::new("git").args(["init", "-q"]).arg(&directory).status();
    assert!(init.expect("git runs").success());
    let config = directory.join(".git/config");
    let good = std::fs::read_to_string(&config).expect("settings");
    std::fs::write(&config, format!("{good}[core]\n\tbare = per\u{202e}haps\n")).expect("settings");
    let request = wire::ImportGitReq {
        directory: directory.to_string_lossy().into_owned(),
        ..wire::ImportGitReq::default()
    };
    let error = commands::import_git(&world.app, request).expect_err("git does not read it");
    assert_eq!(error.code, wire::Code::StoreUnavailable, "{error:?}");
    let message = error.message.to_string();
    assert!(message.contains("core.bare") && !message.contains('\u{202e}'), "{message}");
    assert!(error.hint.is_empty(), "no advice that does not help: {}", error.hint);
}

#[test]
fn a_name_that_no_file_can_have_is_invalid() {
    let world = World::new();
    world.record("a.md", "one\n");
    for to in ["a\0b", "a\0b.retrace"] {
        let to = world.path(to).to_string_lossy().into_owned();
        let request = wire::ExportStoreReq { store: "notes".to_owned(), to, ..Default::default() };
        let error = commands::export_store(&world.app, request).expect_err("it has no name");
        assert_eq!(error.code, wire::Code::Invalid, "{error:?}");
    }
}
