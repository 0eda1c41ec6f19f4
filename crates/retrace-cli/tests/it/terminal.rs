//! The program on a pseudo-terminal: keys without Enter, widths of the terminal, and the terminal as it was afterwards.

#![cfg(unix)]

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use unicode_width::UnicodeWidthStr as _;

/// A terminal of so many columns with a program on it.
struct Session {
    terminal: File,
    /// Keeps the other end open, so that what was printed can be read to the end.
    other_end: File,
    child: Child,
    seen: String,
}

impl Session {
    fn start(folder: &Path, columns: u16, arguments: &[&str]) -> Self {
        let terminal: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&terminal).expect("it is ours");
        unlockpt(&terminal).expect("it opens");
        let name = ptsname(&terminal, Vec::new()).expect("its name");
        let size = Winsize { ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).expect("its size");
        let name = Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
        let other_end = OpenOptions::new().read(true).write(true).open(name).expect("its other end");
        let end = || other_end.try_clone().expect("a descriptor");
        let mut command = Command::new(env!("CARGO_BIN_EXE_retrace"));
        command.args(arguments).env("RETRACE_DATA_DIR", folder.join("data")).env("HOME", folder);
        command.env("RETRACE_PAGER", "").env("TERM", "xterm").env_remove("COLUMNS").env_remove("NO_COLOR");
        command.stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().expect("it starts");
        Self { terminal: File::from(terminal), other_end, child, seen: String::new() }
    }

    /// Reads until `text` was printed.
    fn until(&mut self, text: &str) {
        let mut bytes = Vec::new();
        while !self.seen.contains(text) {
            let mut page = [0; 4096];
            let read = self.terminal.read(&mut page).expect("output");
            assert!(read > 0, "no {text:?} in {}", self.seen);
            bytes.extend_from_slice(&page[..read]);
            if let Ok(text) = std::str::from_utf8(&bytes) {
                self.seen.push_str(text);
                bytes.clear();
            }
        }
    }

    /// Presses a key once the question is there, and forgets what was printed before.
    fn press(&mut self, question: &str, key: &[u8]) {
        self.until(question);
        self.until("]? ");
        self.seen.clear();
        self.types(key);
    }

    /// Presses a key once it is waited for: before that, the terminal itself would take it.
    fn types(&mut self, key: &[u8]) {
        let modes = || tcgetattr(&self.other_end).expect("its modes").local_modes;
        while modes().contains(LocalModes::ICANON) {
            std::thread::yield_now();
        }
        self.terminal.write_all(key).expect("a key");
    }

    /// Waits for the end; what was printed since the last key.
    fn end(mut self, last: &str) -> (ExitStatus, String) {
        self.until(last);
        let status = self.child.wait().expect("it ends");
        let modes = tcgetattr(&self.other_end).expect("its modes").local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO), "the terminal is as it was");
        (status, self.seen)
    }
}

fn retrace(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrace"));
    command.args(arguments).env("RETRACE_DATA_DIR", folder.join("data")).env("HOME", folder);
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// A store with nine notes of which three are gone since, and a new one with a long name of wide letters.
fn worked_on(folder: &Path) {
    let notes = folder.join("notes");
    std::fs::create_dir_all(&notes).expect("a folder");
    for number in 1..=9 {
        std::fs::write(notes.join(format!("m{number}.md")), "keep\n").expect("a file");
    }
    retrace(folder, &["stores", "add", &notes.display().to_string()]);
    for number in 7..=9 {
        std::fs::remove_file(notes.join(format!("m{number}.md"))).expect("it goes");
    }
    std::fs::write(notes.join(format!("{}.md", "とても長い名前".repeat(6))), "new\n").expect("a file");
    retrace(folder, &["record", "--once"]);
}

fn left(folder: &Path) -> usize {
    let groups = retrace(folder, &["inbox", "--json"]);
    let groups = groups.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    groups.map(|group| group["items"].as_array().map_or(0, Vec::len)).sum()
}

#[test]
fn one_key_decides_without_enter_and_leaves_the_terminal_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    worked_on(folder.path());
    let mut session = Session::start(folder.path(), 80, &["inbox", "-i", "--color", "never"]);
    session.press("(1/2) Approve these 3 changes", b"n");
    // Another question in between.
    session.until("Put back 3 changes? [y,n] ");
    session.types(b"y");
    session.press("(1/1) Approve this change", b"u");
    session.press("(1/2) Approve these 3 changes", b"y");
    session.press("(1/1) Approve this change", b"\x03");
    let (status, printed) = session.end("1 left");
    assert!(status.success(), "{status:?}");
    assert!(printed.contains("3 approved, 1 left"), "{printed}");
    assert!(!folder.path().join("notes/m9.md").exists(), "what was put back was taken back");
    assert_eq!(left(folder.path()), 1, "who quits in the middle loses nothing");
}

#[test]
fn lists_fit_the_width_of_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    worked_on(folder.path());
    for columns in [80_u16, 120] {
        for (arguments, last) in [
            (&["--color", "never"][..], "lists them."),
            (&["inbox", "--color", "never"], "lists each change."),
            (&["log", "--color", "never"], "m1.md"),
            (&["stores", "--color", "never"], "notes"),
            (&["memories", "notes", "--color", "never"], "とても"),
        ] {
            let session = Session::start(folder.path(), columns, arguments);
            let (status, printed) = session.end(last);
            assert!(status.success(), "{arguments:?}");
            for line in printed.lines() {
                assert!(line.width() <= usize::from(columns), "{arguments:?}, {columns} columns: {line}");
            }
        }
    }
    let mut colours = Session::start(folder.path(), 80, &["log"]);
    colours.until("\x1b[33m");
    colours.end("m1.md");
}
