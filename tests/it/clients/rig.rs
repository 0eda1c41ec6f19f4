//! What the tests with real clients share.

use retrace_api::{commands, wire};
use retrace_model::Timestamp;
use retrace_tests::World;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// The program of a client: the one a variable names, else the one on the search path. Where there is none the test says so
/// and is skipped.
pub(super) fn program(variable: &str, name: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = || std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    let program = named.or_else(on_path);
    if program.is_none() {
        println!("skipped: {name} is not installed; scripts/oracles installs it ({variable} names another)");
    }
    program
}

/// A world by the clock of the machine, since clients date what they write, whose home is `home`.
pub(super) fn world(change: impl FnOnce(&mut retrace_api::AppOptions)) -> World {
    World::with(|options| {
        options.clock = std::sync::Arc::new(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
        });
        change(options);
    })
}

/// A command of a client in an environment of its own: the home of the world, its project, and loopback alone.
pub(super) fn command(program: &Path, world: &World) -> Command {
    let mut command = Command::new(program);
    command.current_dir(world.path("project")).stdin(Stdio::null());
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", world.path("home"));
    // Some unpack libraries there and leave them.
    let temporary = world.path("temporary");
    std::fs::create_dir_all(&temporary).expect("a folder");
    command.env("TMPDIR", temporary);
    // What it asks of any other host goes nowhere.
    command.env("HTTPS_PROXY", "http://127.0.0.1:9").env("HTTP_PROXY", "http://127.0.0.1:9");
    command.env("NO_PROXY", "127.0.0.1,localhost");
    command
}

/// Runs it to its end.
pub(super) fn run(command: &mut Command) {
    let ran = command.output().expect("the client runs");
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success(), "{told}{}", String::from_utf8_lossy(&ran.stdout));
}

/// A repository with nothing in it, as git lays it out.
pub(super) fn repository(world: &World) -> PathBuf {
    let project = world.path("project");
    std::fs::create_dir_all(project.join(".git/objects")).expect("a folder");
    std::fs::create_dir_all(project.join(".git/refs/heads")).expect("a folder");
    std::fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").expect("a file");
    std::fs::write(project.join(".git/config"), "[core]\n\trepositoryformatversion = 0\n").expect("a file");
    project
}

/// Adds a directory as a store.
pub(super) fn add_store(world: &World, root: &Path, name: &str) {
    std::fs::create_dir_all(root).expect("a folder");
    let root = root.to_string_lossy().into_owned();
    let request = wire::AddStore { root, kind: None, name: Some(name.to_owned()) };
    commands::add_store(&world.app, request).expect("a store");
}

/// The sessions of a format that the index finds.
pub(super) fn sessions(world: &World, format: &str) -> Vec<wire::TranscriptRow> {
    let request = wire::TranscriptsReq { refresh: true, wait: true, ..wire::TranscriptsReq::default() };
    let transcripts = commands::transcripts(&world.app, request).expect("transcripts");
    assert!(transcripts.problems.is_empty(), "{:?}", transcripts.problems);
    transcripts.transcripts.into_iter().filter(|row| row.format == format).collect()
}

/// A conversation, with nothing in it that was not understood.
pub(super) fn shown(world: &World, transcript: &str) -> wire::ContextShow {
    let request = wire::ContextShowReq { transcript: transcript.to_owned() };
    let shown = commands::context_show(&world.app, request).expect("a transcript");
    assert!(shown.remarks.is_empty(), "{transcript}: {:?}", shown.remarks);
    shown
}

/// The session that wrote the newest version of a memory, as found in the transcripts.
pub(super) fn writer(world: &World, store: &str, path: &str) -> Option<String> {
    origin(world, store, path).note.session_id
}

/// What is known of how the newest version of a memory came to be.
pub(super) fn origin(world: &World, store: &str, path: &str) -> wire::Origin {
    let request = wire::LogReq {
        store: Some(store.to_owned()),
        path: Some(path.to_owned()),
        limit: Some(1),
        ..wire::LogReq::default()
    };
    let versions = commands::log(&world.app, request).expect("the log").versions;
    let version = versions.first().unwrap_or_else(|| panic!("{path} was not recorded")).id.clone();
    commands::origin(&world.app, wire::OriginReq { version, around: None }).expect("an origin")
}

/// Numbers that follow from a seed.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
