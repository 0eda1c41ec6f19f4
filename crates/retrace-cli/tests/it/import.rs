//! An import that Ctrl-C ends while git does not answer: nothing half is left, and doing it again brings all of it in.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_retrace");

/// Versions that git keeps of the one memory.
const COMMITS: usize = 12;

/// A git that says when it is asked for contents, and then does not answer.
const HELD: &str = r#"#!/bin/sh
case " $* " in
    *" cat-file "*) : >"$HELD"; exec cat "$NEVER" ;;
esac
exec "$GIT" "$@"
"#;

fn git(directory: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .current_dir(directory)
        .args(["-c", "user.name=A", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git runs");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// The program with a home and a data directory of its own.
fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).env("HOME", folder).env("RETRACE_DATA_DIR", folder.join("data"));
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let ran = program(folder, arguments).output().expect("the program runs");
    assert_eq!(ran.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    ran
}

fn lines(folder: &Path, arguments: &[&str]) -> usize {
    String::from_utf8(run(folder, arguments).stdout).expect("text").lines().count()
}

/// Where the shell finds git.
fn git_itself() -> String {
    let found = Command::new("sh").args(["-c", "command -v git"]).output().expect("a shell runs");
    String::from_utf8(found.stdout).expect("text").trim().to_owned()
}

/// Starts an import whose git does not answer, and waits until it was asked.
fn held(folder: &Path, memory: &str) -> Child {
    let bin = folder.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::write(bin.join("git"), HELD).unwrap();
    std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let (asked, never) = (folder.join("asked"), folder.join("never"));
    for pipe in [&asked, &never] {
        let made = Command::new("mkfifo").arg(pipe).status().expect("mkfifo runs");
        assert!(made.success());
    }
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let child = program(folder, &["import", "git", memory])
        .envs([("PATH", path), ("GIT", git_itself())])
        .envs([("HELD", &asked), ("NEVER", &never)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Opening a pipe to read waits for who opens it to write.
    std::fs::read(&asked).expect("git is asked");
    child
}

#[test]
fn ctrl_c_ends_an_import_that_hangs_and_leaves_nothing_half() {
    let folder = tempfile::tempdir().unwrap();
    let memory = folder.path().join("memory");
    std::fs::create_dir(&memory).unwrap();
    git(&memory, &["init", "-q"]);
    for at in 0..COMMITS {
        std::fs::write(memory.join("notes.md"), format!("note {at}\n")).unwrap();
        git(&memory, &["add", "notes.md"]);
        git(&memory, &["commit", "-q", "-m", "a note"]);
    }
    let memory = memory.to_str().unwrap();
    run(folder.path(), &["stores", "add", memory, "--name", "notes"]);
    let before = lines(folder.path(), &["--json", "log", "notes"]);

    let mut child = held(folder.path(), memory);
    let id = child.id().to_string();
    // The first one asks it to stop, which waits for git; the second does not wait. Two may arrive as one, so until it ends.
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is ours") {
            break status;
        }
        let sent = Command::new("kill").args(["-INT", &id]).stderr(Stdio::null()).status();
        assert!(sent.is_ok(), "kill runs");
    };
    // A pipe that ends is the end of the git as well, which nobody waits for any more.
    std::fs::write(folder.path().join("never"), "").unwrap();
    assert_eq!(status.code(), Some(130));

    assert_eq!(lines(folder.path(), &["--json", "log", "notes"]), before, "nothing came in");
    run(folder.path(), &["verify"]);
    run(folder.path(), &["import", "git", memory]);
    // Every commit, and the baseline, which has the content of the newest one.
    assert_eq!(lines(folder.path(), &["--json", "log", "notes"]), COMMITS + 1);
    run(folder.path(), &["verify"]);
}
