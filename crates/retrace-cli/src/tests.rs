//! Whole runs in process.

mod context;
mod hints;
mod inbox;
mod prose;
mod remote;
mod rollouts;
mod said;
mod terminal;
mod times;

use crate::args::Arguments;
use crate::overview::GROUPS;
use crate::{Exit, Io, Key, NextKey, Stop, Terminal, Zone, run};
use clap::CommandFactory as _;
use retrace_api::{AppOptions, KeyInMemory};
use retrace_model::Timestamp;
use retrace_sources::{Platform, Surroundings};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};
use tempfile::TempDir;

/// 2026-11-20T10:00:00Z, where the clock starts; it moves one second at each scan.
const START_MICROS: i64 = 1_795_168_800_000_000;

/// A machine of its own: a data directory, a home and a directory of memories.
struct Machine {
    folder: TempDir,
    options: AppOptions,
    env: BTreeMap<String, OsString>,
}

/// Output and exit code of a run.
struct Ran {
    exit: Exit,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect("one object a line")).collect()
    }

    fn error_code(&self) -> String {
        let error: Value = serde_json::from_str(&self.stderr).expect("an error as JSON");
        error["error"]["code"].as_str().expect("a code").to_owned()
    }
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut options = AppOptions::for_this_machine(Some(folder.path().join("data"))).expect("options");
        let (now, random) = (AtomicI64::new(START_MICROS), AtomicU8::new(1));
        options.clock = Arc::new(move || Timestamp::from_micros(now.fetch_add(1_000_000, Ordering::SeqCst)));
        options.entropy = Arc::new(move |bytes: &mut [u8]| bytes.fill(random.fetch_add(1, Ordering::SeqCst)));
        options.user = "ada".to_owned();
        options.keys = Arc::new(KeyInMemory::default());
        options.surroundings = Surroundings::new(folder.path().join("home"), Platform::Linux);
        Self { folder, options, env: BTreeMap::new() }
    }

    /// A machine with one store, `notes`, that holds these files.
    fn with_notes(files: &[(&str, &str)]) -> Self {
        let machine = Self::new();
        std::fs::create_dir_all(machine.notes()).expect("a folder");
        for (name, content) in files {
            std::fs::write(machine.notes().join(name), content).expect("a file");
        }
        let root = machine.notes().display().to_string();
        assert_eq!(machine.run(&["stores", "add", &root]).exit, Exit::DONE);
        machine
    }

    fn notes(&self) -> PathBuf {
        self.folder.path().join("notes")
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, b"", &mut Vec::new())
    }

    fn run_with(&self, arguments: &[&str], stdin: &[u8], stdout: &mut Vec<u8>) -> Ran {
        let mut stderr = Vec::new();
        let exit = self.run_into(arguments, stdin, stdout, &mut stderr);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        Ran { exit, stdout: text(stdout), stderr: text(&stderr) }
    }

    fn run_into(
        &self,
        arguments: &[&str],
        stdin: &[u8],
        stdout: &mut (dyn Write + Send),
        stderr: &mut (dyn Write + Send),
    ) -> Exit {
        self.run_at(Terminal::NONE, None, arguments, stdin, stdout, stderr)
    }

    /// On a terminal of so many columns, without a pager.
    fn on_terminal(&self, width: usize, arguments: &[&str]) -> Ran {
        self.answered(width, arguments, "")
    }

    /// The same, where a person presses these keys.
    fn answered(&self, width: usize, arguments: &[&str], keys: &str) -> Ran {
        let terminal = Terminal { stdout: true, stderr: true, width, height: 40 };
        let mut pressed = keys.chars();
        let next = || Ok(pressed.next().map_or(Key::End, Key::Char));
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let arguments = [&["--no-pager", "--color", "never"], arguments].concat();
        let exit = self.run_at(terminal, Some(Box::new(next)), &arguments, b"", &mut stdout, &mut stderr);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        Ran { exit, stdout: text(stdout), stderr: text(stderr) }
    }

    fn run_at(
        &self,
        terminal: Terminal,
        keys: Option<NextKey<'_>>,
        arguments: &[&str],
        mut stdin: &[u8],
        stdout: &mut (dyn Write + Send),
        stderr: &mut (dyn Write + Send),
    ) -> Exit {
        let options = |data_dir: Option<PathBuf>| {
            let mut options = self.options.clone();
            options.engine.data_dir = data_dir.unwrap_or(options.engine.data_dir);
            Ok(options)
        };
        let mut io = Io {
            stdin: &mut stdin,
            keys,
            stdout,
            stderr,
            terminal,
            env: self.env.clone(),
            zone: Zone::Utc,
            options: &options,
            stop: Stop::default(),
        };
        run(arguments.iter().map(OsString::from), &mut io)
    }

    fn newest(&self) -> Value {
        self.run(&["log", "--json", "--limit", "1"]).lines().remove(0)
    }
}

fn file(folder: &Path, name: &str, content: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("a file");
    path.display().to_string()
}

/// Every command that help lists, with the program itself as the empty one.
fn every_command() -> Vec<String> {
    fn below(command: &clap::Command, prefix: &str, found: &mut Vec<String>) {
        found.push(prefix.to_owned());
        let visible = command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help");
        for one in visible {
            below(one, format!("{prefix} {}", one.get_name()).trim_start(), found);
        }
    }
    let mut found = Vec::new();
    below(&Arguments::command(), "", &mut found);
    found
}

#[test]
fn the_overview_lists_every_command_once_in_short_lines() {
    let program = Arguments::command();
    let mut visible: Vec<&str> =
        program.get_subcommands().filter(|one| !one.is_hide_set()).map(clap::Command::get_name).collect();
    let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    visible.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, visible);
    let overview = Machine::new().run(&["-h"]).stdout;
    assert!(overview.lines().all(|line| line.chars().count() <= 80), "{overview}");
    assert!(overview.lines().count() <= 64, "{overview}");
}

#[test]
fn old_names_work_and_print_the_new_one() {
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    let program = Arguments::command();
    let hidden: Vec<&str> =
        program.get_subcommands().filter(|one| one.is_hide_set()).map(clap::Command::get_name).collect();
    // Twelve old names, and what nobody types: the program behind a window, and the pages of the manual.
    assert_eq!(hidden.len(), 14);
    for name in hidden {
        assert_eq!(machine.run(&[name, "--help"]).exit, Exit::DONE, "{name}");
    }
    for (old, new) in [("rules", "health rules"), ("expiry", "health expiry")] {
        let words: Vec<&str> = new.split(' ').collect();
        let (before, now) = (machine.run(&[old]), machine.run(&words));
        assert_eq!((before.exit, &before.stdout), (now.exit, &now.stdout));
        assert!(
            before.stderr.contains(&format!("`retrace {old}` is now `retrace {new}`")),
            "{}",
            before.stderr
        );
        assert!(!now.stderr.contains("is now"));
    }
}

#[test]
fn every_command_has_help() {
    let machine = Machine::new();
    let mut without = Vec::new();
    for command in &every_command() {
        let mut arguments: Vec<&str> = command.split(' ').filter(|word| !word.is_empty()).collect();
        arguments.push("--help");
        let ran = machine.run(&arguments);
        assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::DONE, ""), "{command}");
        // The options of every command stand in the help of the program.
        let own = if command.is_empty() {
            &ran.stdout
        } else {
            ran.stdout.split("\nEverywhere:").next().expect("text")
        };
        if !own.contains("\n    retrace ") {
            without.push(command.clone());
        }
        insta::assert_snapshot!(format!("help {command}").trim_end().replace(' ', "_"), own);
    }
    assert_eq!(without, Vec::<String>::new(), "each command has an example");
    assert!(!machine.options.data_dir.exists(), "help must not make a log");
}

#[test]
fn wrong_use_exits_with_2_and_makes_no_log() {
    let machine = Machine::new();
    for arguments in [
        &["frobnicate"][..],
        &["stores", "add"],
        &["log", "--limit", "many"],
        &["log", "--color", "sometimes"],
        &["rollback", "notes:a.md"],
        &["rollback", "--to", "memver_1"],
        &["rollback", "notes:a.md", "--to", "memver_1", "--session", "s"],
        &["rollback", "notes:a.md", "--session", "s"],
        &["rollback", "--session", "s", "--operation", "1"],
        &["rollback", "--session", "s", "--expect", "00"],
        &["redact"],
        &["redact", "memver_1", "--find", "x"],
        &["redact", "--find", "x", "--secret-file", "-"],
        &["receipts", "--recheck"],
        &["undo", "x"],
        &["serve", "--listen", "0.0.0.0:80", "--token-file", "/nonexistent/token"],
        &["verify", "--absent-file", "-"],
        &["remote", "add"],
        &["remote", "add", "https://a.example"],
        &["remote", "add", "memstore_1", "memstore_2"],
        &["remote", "key", "set"],
        &["remote", "key", "set", "sk-1"],
        &["remote", "withdraw", "one"],
        &["stores", "accept", "a", "b", "--path", "x", "--delete"],
        &["remote", "dreams", "create", "notes", "--model", "m"],
        &["remote", "mounts", "-"],
    ] {
        let ran = machine.run(arguments);
        assert_eq!((ran.exit, ran.stdout.as_str()), (Exit(2), ""), "{arguments:?} {}", ran.stderr);
        let mut as_json = vec!["--json"];
        as_json.extend(arguments);
        let ran = machine.run(&as_json);
        assert_eq!((ran.exit, ran.error_code()), (Exit(2), "invalid".to_owned()), "{arguments:?}");
    }
}

#[test]
fn a_change_is_recorded_shown_and_put_back() {
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    let first = machine.newest();
    std::fs::write(machine.notes().join("a.md"), "two\n").expect("a file");
    let scanned = machine.run(&["record", "--once", "--json"]);
    assert_eq!((scanned.exit, scanned.lines().len()), (Exit::DONE, 1));
    assert_eq!(scanned.lines()[0], machine.newest());
    assert_eq!(machine.newest()["operation"], "modified");

    let id = machine.newest()["id"].as_str().expect("an id").to_owned();
    assert_eq!(machine.run(&["show", &id, "--content"]).stdout, "two\n");
    assert_eq!(machine.run(&["show", &id, "--content", "--json"]).lines()[0]["content"], "two\n");
    let diff = machine.run(&["diff", &id]).stdout;
    assert!(diff.ends_with("@@ -1 +1 @@\n-one\n+two\n"), "{diff}");
    assert_eq!(machine.run(&["search", "two", "--json"]).lines()[0]["version_id"], id);

    let to = first["id"].as_str().expect("an id");
    let preview = machine.run(&["rollback", "notes:a.md", "--to", to, "--dry-run", "--json"]);
    assert_eq!((preview.exit, &preview.lines()[0]["operation_seq"]), (Exit::DONE, &Value::Null));
    assert_eq!(machine.run(&["rollback", "notes:a.md", "--to", to]).exit, Exit::DONE);
    assert_eq!(std::fs::read(machine.notes().join("a.md")).expect("a file"), b"one\n");
    assert_eq!(machine.run(&["undo"]).exit, Exit::DONE);
    assert_eq!(std::fs::read(machine.notes().join("a.md")).expect("a file"), b"two\n");
    let restored = machine.run(&["restore", "notes", "--at", "1", "--json"]);
    assert_eq!(
        (restored.exit, restored.lines()[0]["writes"].as_array().map(Vec::len)),
        (Exit::DONE, Some(1))
    );
    assert_eq!(machine.run(&["verify", "--quiet"]).stdout, "");
}

#[test]
fn a_name_that_could_be_another_one_then_is_told() {
    let machine = Machine::with_notes(&[("log", "other\n"), ("log@2030-01-01", "mine\n")]);
    let ran = machine.run(&["blame", "notes:log@2030-01-01"]);
    assert!(ran.stdout.contains("mine"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("warning:") && ran.stderr.contains("notes:log@2030-01-01T00:00:00"),
        "{}",
        ran.stderr
    );
    let ran = machine.run(&["blame", "notes:log@2031-01-01"]);
    assert!(ran.stdout.contains("other") && ran.stderr.is_empty(), "{} {}", ran.stdout, ran.stderr);
}

#[test]
fn a_change_that_a_rejection_leaves_exits_with_4() {
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    std::fs::write(machine.notes().join("big.md"), vec![b'x'; 10 * 1024 * 1024 + 1]).expect("a file");
    assert_eq!(machine.run(&["record", "--once"]).exit, Exit::DONE);
    let id = machine.newest()["id"].as_str().expect("an id").to_owned();
    let ran = machine.run(&["reject", &id, "--json"]);
    assert_eq!((ran.exit, ran.error_code()), (Exit(4), "head_moved".to_owned()));
    assert_eq!(ran.lines()[0]["skipped"][0]["reason"], "too_large");
}

#[test]
fn a_newer_edit_is_a_conflict() {
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    let first = machine.newest()["id"].as_str().expect("an id").to_owned();
    std::fs::write(machine.notes().join("a.md"), "two\n").expect("a file");
    let expect = "0".repeat(64);
    let arguments = ["rollback", "notes:a.md", "--to", &first, "--expect", &expect, "--json"];
    let ran = machine.run(&arguments);
    assert_eq!((ran.exit, ran.error_code()), (Exit(4), "head_moved".to_owned()));
    assert_eq!(ran.lines()[0]["conflicts"][0]["path"], "a.md");
    let ran = machine.run(&arguments[..6]);
    assert!(
        ran.stdout.contains("conflict") && ran.stderr.starts_with("error: "),
        "{} {}",
        ran.stdout,
        ran.stderr
    );
    assert_eq!(std::fs::read(machine.notes().join("a.md")).expect("a file"), b"two\n");
}

#[test]
fn a_secret_is_taken_out_and_proved_absent() {
    let machine = Machine::with_notes(&[("a.md", "the key is hunter2-hunter2\n")]);
    let secret = file(machine.folder.path(), "secret", b"hunter2-hunter2\n");
    let found = machine.run(&["verify", "--absent-file", &secret, "--json"]);
    assert_eq!((found.exit, &found.lines()[0]["absent"]), (Exit::FINDINGS, &Value::Bool(false)));
    let preview = machine.run(&["redact", "--secret-file", &secret, "--live", "--dry-run"]);
    assert!(!format!("{}{}", preview.stdout, preview.stderr).contains("hunter2"), "{}", preview.stdout);
    let redacted = machine.run_with(
        &["redact", "--secret-file", "-", "--live", "--reason", "leaked", "--json"],
        b"hunter2-hunter2\n",
        &mut Vec::new(),
    );
    let receipt = redacted.lines()[0]["receipt"].clone();
    assert_eq!((redacted.exit, &receipt["purge"]), (Exit::DONE, &Value::from("done")), "{}", redacted.stderr);
    assert_eq!(machine.run(&["verify", "--absent-file", &secret]).exit, Exit::DONE);
    let id = receipt["id"].as_str().expect("an id");
    assert_eq!(machine.run(&["receipts", "--json"]).lines()[0]["id"], id);
    assert!(machine.run(&["receipts", id]).stdout.contains("leaked"));
    assert_eq!(machine.run(&["receipts", id, "--recheck"]).exit, Exit::DONE);
    let left = std::fs::read_to_string(machine.notes().join("a.md")).expect("a file");
    assert!(!left.contains("hunter2"));
}

#[test]
fn an_event_of_a_hook_brings_no_redacted_text_back() {
    const SECRET: &str = "hunter2-hunter2-hunter2";
    let machine = Machine::with_notes(&[("a.md", SECRET)]);
    let secret = file(machine.folder.path(), "secret", SECRET.as_bytes());
    assert_eq!(machine.run(&["redact", "--secret-file", &secret, "--live"]).exit, Exit::DONE);
    let event = serde_json::json!({"hook_event_name": "InstructionsLoaded", "session_id": format!("s-{SECRET}"),
        "file_path": format!("/w/{SECRET}/CLAUDE.md"), "load_reason": "session_start"});
    let ran = machine.run_with(&["hook"], event.to_string().as_bytes(), &mut Vec::new());
    assert_eq!((ran.exit, ran.stdout.as_str()), (Exit::DONE, ""), "{}", ran.stderr);
    let verified = machine.run(&["verify", "--absent-file", &secret]);
    assert_eq!(verified.exit, Exit::DONE, "{}", verified.stdout);
    let kept = std::fs::read_to_string(machine.folder.path().join("data/instructions-loaded.jsonl"));
    assert!(kept.expect("an event").contains("/w/[redacted]/CLAUDE.md"));
}

#[test]
fn what_is_not_there_exits_with_3() {
    let machine = Machine::with_notes(&[]);
    for arguments in [
        &["log", "none"][..],
        &["show", "memver_none"],
        &["redact", "--secret-file", "/nonexistent/secret"],
        &["verify", "--absent-file", "/nonexistent/secret"],
        &["tokens", "/nonexistent/secret"],
        &["diff", "none:a.md"],
        &["diff", "notes:a.md"],
        &["stores", "pause", "none"],
        &["receipts", "receipt_none"],
        &["search", "x", "--store", "none"],
        &["restore", "none", "--at", "1"],
    ] {
        let ran = machine.run(arguments);
        assert_eq!((ran.exit, ran.stdout.as_str()), (Exit(3), ""), "{arguments:?} {}", ran.stderr);
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    }
}

#[test]
fn a_missing_directory_exits_with_7() {
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    std::fs::remove_dir_all(machine.notes()).expect("the folder goes");
    let ran = machine.run(&["record", "--once", "--json"]);
    assert_eq!((ran.exit, ran.error_code()), (Exit(7), "store_unavailable".to_owned()));
    assert_eq!(machine.run(&["stores", "--json"]).lines()[0]["state"], "missing");
}

#[test]
fn stores_can_be_paused_and_removed() {
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    assert_eq!(machine.run(&["stores", "pause", "notes", "--json"]).lines()[0]["state"], "paused");
    assert_eq!(machine.run(&["stores", "resume", "notes", "--json"]).lines()[0]["state"], "recording");
    assert!(machine.run(&["stores"]).stdout.contains("notes"));
    assert_eq!(machine.run(&["stores", "remove", "notes", "--quiet"]).stdout, "");
    let empty = machine.run(&["stores", "list"]);
    assert_eq!(empty.stdout, "");
    assert!(empty.stderr.contains("retrace discover"));
    assert_eq!(machine.run(&["stores", "list", "--quiet"]).stderr, "");
}

#[test]
fn discovery_adds_what_is_in_use() {
    let machine = Machine::new();
    let memory = machine.folder.path().join("home/.claude/projects/-home-ada-app/memory");
    std::fs::create_dir_all(&memory).expect("a folder");
    std::fs::write(memory.join("MEMORY.md"), "one\n").expect("a file");
    let found = machine.run(&["discover", "--json"]).lines();
    assert!(found.iter().any(|found| found["kind"] == "claude-auto"), "{found:?}");
    let added = machine.run(&["discover", "--add", "--json"]);
    assert_eq!(added.exit, Exit::DONE, "{}", added.stderr);
    let recorded = added.lines().iter().filter(|found| found["store_id"].is_string()).count();
    assert_eq!(machine.run(&["stores", "--json"]).lines().len(), recorded);
    assert_eq!(machine.run(&["discover", "--add"]).exit, Exit::DONE, "again, nothing is left to add");
    // A name that is taken is no reason to leave a directory out.
    let name = found[0]["name"].as_str().expect("a name");
    let other = Machine::new();
    std::fs::create_dir_all(other.notes()).expect("a folder");
    assert_eq!(
        other.run(&["stores", "add", &other.notes().display().to_string(), "--name", name]).exit,
        Exit::DONE
    );
    std::fs::rename(machine.folder.path().join("home"), other.folder.path().join("home")).expect("a home");
    let added = other.run(&["discover", "--add"]);
    assert_eq!(added.exit, Exit::DONE, "{}", added.stderr);
}

#[test]
fn the_log_is_printed_whole_or_as_far_as_asked() {
    let machine = Machine::with_notes(&[("a.md", "1\n"), ("b.md", "2\n"), ("c.md", "3\n")]);
    let seqs = |arguments: &[&str]| -> Vec<u64> {
        let mut all = vec!["log", "--json"];
        all.extend(arguments);
        machine.run(&all).lines().iter().map(|version| version["seq"].as_u64().expect("a number")).collect()
    };
    assert_eq!(seqs(&[]), [3, 2, 1]);
    assert_eq!(seqs(&["--limit", "2"]), [3, 2]);
    assert_eq!(seqs(&["--limit", "0"]), [0; 0]);
    assert_eq!(seqs(&["--before", "3"]), [2, 1]);
    assert_eq!(seqs(&["--operation", "1"]), [3, 2, 1]);
    assert_eq!(seqs(&["--operation", "deleted"]), [0; 0]);
    assert_eq!(seqs(&["notes", "--path", "b.md", "--actor", "unknown"]), [2]);
}

#[test]
fn recording_prints_what_it_records_until_stopped() {
    let machine = Machine::with_notes(&[]);
    std::fs::write(machine.notes().join("a.md"), "one\n").expect("a file");
    let options = |_: Option<PathBuf>| Ok(machine.options.clone());
    let stop = Stop::default();
    let mut stdout = StopAtLine { stop: stop.clone(), bytes: Vec::new() };
    let mut stderr = Vec::new();
    let mut io = Io {
        stdin: &mut std::io::empty(),
        keys: None,
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminal: Terminal::NONE,
        env: BTreeMap::new(),
        zone: Zone::Utc,
        options: &options,
        stop,
    };
    let exit = run(["record", "notes"].map(OsString::from), &mut io);
    drop(io);
    assert_eq!(exit, Exit::DONE, "{}", String::from_utf8_lossy(&stderr));
    let printed = String::from_utf8(stdout.bytes).expect("text");
    assert!(printed.contains("+ notes:a.md"), "{printed}");
    assert_eq!(machine.newest()["path"], "a.md");
}

/// Asks to stop once a line was written.
struct StopAtLine {
    stop: Stop,
    bytes: Vec<u8>,
}

impl Write for StopAtLine {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if bytes.contains(&b'\n') {
            self.stop.request();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A pipe whose reader has gone.
struct Closed(ErrorKind);

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_no_error_and_a_full_disk_is() {
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    let mut stderr = Vec::new();
    assert_eq!(machine.run_into(&["log"], b"", &mut Closed(ErrorKind::BrokenPipe), &mut stderr), Exit::DONE);
    assert_eq!(stderr, b"");
    assert_eq!(machine.run_into(&["log"], b"", &mut Closed(ErrorKind::StorageFull), &mut stderr), Exit(1));
    assert!(String::from_utf8_lossy(&stderr).starts_with("error: The output cannot be written"));
    for arguments in [&["--help"][..], &["help", "log"], &["--version"]] {
        let mut stderr = Vec::new();
        let ended = machine.run_into(arguments, b"", &mut Closed(ErrorKind::StorageFull), &mut stderr);
        assert_eq!(ended, Exit(1), "{arguments:?}");
        assert!(String::from_utf8_lossy(&stderr).starts_with("error: The output cannot be written"));
        let ended = machine.run_into(arguments, b"", &mut Closed(ErrorKind::BrokenPipe), &mut Vec::new());
        assert_eq!(ended, Exit::DONE, "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_log_that_cannot_be_looked_at_is_not_taken_for_none() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let machine = Machine::new();
    std::os::unix::fs::symlink(&machine.options.data_dir, &machine.options.data_dir).expect("a link");
    let ran = machine.run(&[]);
    assert!(ran.exit != Exit::DONE && ran.stdout.is_empty(), "{}{}", ran.stdout, ran.stderr);
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    let data = &machine.options.data_dir;
    if data.metadata().expect("metadata").uid() == 0 {
        println!("skipped in part: permissions do not bind root");
        return;
    }
    let allow = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("permissions");
    };
    for path in [data.clone(), data.join("retrace.db")] {
        let before = path.metadata().expect("metadata").mode() & 0o777;
        allow(&path, 0o000);
        for arguments in [&[][..], &["log"], &["inbox"]] {
            let ran = machine.run(arguments);
            assert_eq!((ran.exit, &*ran.stdout), (Exit(1), ""), "{arguments:?} {}", ran.stderr);
            assert!(ran.stderr.contains("The data directory cannot be read."), "{}", ran.stderr);
        }
        allow(&path, before);
        assert_eq!(machine.run(&["log"]).exit, Exit::DONE);
    }
}

#[test]
fn errors_in_the_live_memories_are_told_where_nothing_is_left_to_review() {
    let key = format!("- token: {}_{}\n", "ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo");
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    let said = machine.run(&[]).stdout;
    assert!(said.contains("Nothing needs you: every change is reviewed."), "{said}");
    let second = machine.folder.path().join("second");
    std::fs::create_dir_all(&second).expect("a folder");
    std::fs::write(second.join("key.md"), key).expect("a file");
    let added = machine.run(&["stores", "add", &second.display().to_string()]).stdout;
    assert!(added.contains("1 memory checked. Already there:\n  1 secret"), "{added}");
    let said = machine.run(&[]).stdout;
    assert!(said.contains("1 error stands in the live memories: `retrace health` lists it."), "{said}");
    assert!(said.contains("Every change is reviewed.") && !said.contains("Nothing needs you"), "{said}");
    let inbox = machine.run(&["inbox"]);
    assert_eq!(inbox.stdout, "");
    assert!(inbox.stderr.contains("1 error stands in the live memories"), "{}", inbox.stderr);
}

#[test]
fn the_data_directory_is_the_flags_before_the_environments() {
    let mut machine = Machine::new();
    let (flag, variable) = (machine.folder.path().join("flag"), machine.folder.path().join("variable"));
    machine.env.insert("RETRACE_DATA_DIR".to_owned(), variable.clone().into());
    assert_eq!(machine.run(&["stores", "--data-dir", &flag.display().to_string()]).exit, Exit::DONE);
    assert!(flag.exists() && !variable.exists());
    assert_eq!(machine.run(&["stores"]).exit, Exit::DONE);
    assert!(variable.exists() && !machine.options.data_dir.exists());
}

#[test]
fn colours_are_used_when_asked_for() {
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    assert!(!machine.run(&["log"]).stdout.contains('\x1b'));
    assert!(machine.run(&["log", "--color", "always"]).stdout.contains('\x1b'));
    assert!(!machine.run(&["log", "--color", "always", "--json"]).stdout.contains('\x1b'));
}

#[test]
fn no_memory_reaches_the_terminal_raw() {
    let machine = Machine::with_notes(&[("\x1b]0;own\x07\u{202e}.md", "\x1b[2J \u{200b}\u{9b}1m word\n")]);
    let id = machine.newest()["id"].as_str().expect("an id").to_owned();
    for arguments in [
        &["log"][..],
        &["log", "--json"],
        &["show", &id],
        &["show", &id, "--content", "--json"],
        &["diff", &id],
        &["diff", &id, "--json"],
        &["diff", "notes@0", "notes"],
        &["search", "word"],
        &["search", "--history", "word", "--json"],
        &["restore", "notes", "--at", "0", "--dry-run"],
        &["redact", "--find", "word", "--live", "--dry-run"],
        &["log", "no\x1b[2Jne"],
        &["frob\x1b[2Jnicate"],
    ] {
        let ran = machine.run(arguments);
        let printed = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!printed.is_empty(), "{arguments:?}");
        let raw: Vec<char> = printed
            .chars()
            .filter(|letter| *letter != '\n' && *letter != '\t' && crate::print::visible::is_hidden(*letter))
            .collect();
        assert_eq!(raw, [] as [char; 0], "{arguments:?}: {printed:?}");
    }
    // Into a file go the exact bytes.
    assert_eq!(machine.run(&["show", &id, "--content"]).stdout, "\x1b[2J \u{200b}\u{9b}1m word\n");
}

#[test]
fn the_memory_tool_says_what_of_a_call_is_not_recorded() {
    let machine = Machine::new();
    let root = machine.notes().display().to_string();
    let input = concat!(
        r#"{"command":"create","path":"/memories/a.md","file_text":"a"}"#,
        "\n",
        r#"{"command":"create","path":"/memories/.draft.md","file_text":"b"}"#,
        "\n\nno JSON\n"
    );
    let ran = machine.run_with(&["memory-tool", "--root", &root], input.as_bytes(), &mut Vec::new());
    assert_eq!(ran.exit, Exit::DONE);
    let answers = ran.lines();
    assert_eq!(answers.len(), 3, "{}", ran.stdout);
    assert_eq!(answers[0].get("not_recorded"), None);
    assert_eq!(answers[1]["not_recorded"], serde_json::json!([".draft.md"]));
    assert_eq!(answers[2]["is_error"], true);
    for option in ["--dialect", "--guard"] {
        let ran = machine.run(&["memory-tool", "--root", &root, option, "none"]);
        assert_eq!(ran.exit, Exit(2));
        assert!(ran.stderr.contains(option), "{}", ran.stderr);
    }
}

#[test]
fn completions_are_made_for_every_shell() {
    let machine = Machine::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = machine.run(&["completions", shell]);
        assert_eq!(ran.exit, Exit::DONE);
        assert!(ran.stdout.contains("rollback"), "{shell}");
    }
}

/// Pages of a command and of those below it, as `man` names them.
fn pages_of(command: &clap::Command, name: &str, pages: &mut BTreeSet<String>) {
    pages.insert(format!("{name}.1"));
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        pages_of(below, &format!("{name}-{}", below.get_name()), pages);
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let machine = Machine::new();
    let share = machine.folder.path().join("share");
    let ran = machine.run(&["man", &share.to_string_lossy()]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (Exit::DONE, ""), "{}", ran.stderr);

    let mut wanted = BTreeSet::new();
    pages_of(&Arguments::command(), "retrace", &mut wanted);
    assert!(wanted.contains("retrace-hub-serve.1") && !wanted.contains("retrace-man.1"), "{wanted:?}");
    let pages = share.join("man/man1");
    let made: BTreeSet<String> = std::fs::read_dir(&pages)
        .expect("pages")
        .map(|entry| entry.expect("a page").file_name().into_string().expect("text"))
        .collect();
    assert_eq!(made, wanted);
    for page in &made {
        let text = std::fs::read_to_string(pages.join(page)).expect("a page");
        let name = page.trim_end_matches(".1").replace('-', "\\-");
        // What `apropos` finds it by.
        assert!(
            text.contains(&format!(".SH NAME\n{name} \\- ")),
            "{page} does not say what it is for: {text}"
        );
    }
}

#[test]
fn completions_lie_where_the_shells_look() {
    let machine = Machine::new();
    let share = machine.folder.path().join("share");
    assert_eq!(machine.run(&["man", &share.to_string_lossy()]).exit, Exit::DONE);
    for (shell, place) in [
        ("bash", "bash-completion/completions/retrace"),
        ("zsh", "zsh/site-functions/_retrace"),
        ("fish", "fish/vendor_completions.d/retrace.fish"),
    ] {
        let script = std::fs::read_to_string(share.join(place)).expect("a script");
        assert_eq!(script, machine.run(&["completions", shell]).stdout, "{shell}");
    }
}

#[test]
fn a_manual_that_cannot_be_written_is_an_error() {
    let machine = Machine::new();
    let file = machine.folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let ran = machine.run(&["man", &file.to_string_lossy()]);
    assert_ne!(ran.exit, Exit::DONE);
    assert!(ran.stderr.contains("The manual cannot be written"), "{}", ran.stderr);
}
