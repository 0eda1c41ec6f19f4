//! Prose on a terminal: it fits, and the row of a review stays on the screen.

use super::terminal::{later, worked_on};
use super::{Machine, file};
use crate::{Exit, Key, Terminal};
use unicode_width::UnicodeWidthStr as _;

#[test]
fn prose_fits_the_terminal_and_goes_whole_into_a_pipe() {
    let machine = later(worked_on());
    let secret = file(machine.folder.path(), "secret", b"version: 1.1");
    assert_eq!(machine.run(&["redact", "--secret-file", &secret, "--live"]).exit, Exit::DONE);
    for width in [60, 80] {
        for arguments in [
            &[][..],
            &["inbox", "-v"],
            &["log", "-v"],
            &["health", "-v"],
            &["check"],
            &["worth"],
            &["receipts"],
            &["verify"],
            &["clients"],
            &["context", "transcripts"],
            &["instructions", "notes"],
            &["undo", "99"],
            &["restore", "notes", "--at", "soon"],
            &["rule", "list"],
        ] {
            let ran = machine.on_terminal(width, arguments);
            for line in ran.stdout.lines().chain(ran.stderr.lines()) {
                let is_command = line.trim_start().starts_with("retrace ");
                let is_one_word = !line.trim().contains(' ');
                let is_progress = line.contains('\x1b');
                assert!(
                    line.trim_end().width() <= width || is_command || is_one_word || is_progress,
                    "{arguments:?}: {} columns: {line}",
                    line.width()
                );
            }
        }
    }
    let whole = machine.run(&["restore", "notes", "--at", "soon"]).stderr;
    assert_eq!(whole.lines().count(), 2, "{whole}");
}

#[test]
fn the_head_of_a_row_stays_on_a_small_screen() {
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    // Each line takes five of a terminal with 80 columns.
    let long: String = (0..30).map(|number| format!("{number} {}\n", "word ".repeat(70))).collect();
    std::fs::write(machine.notes().join("a.md"), long).expect("a file");
    assert_eq!(machine.run(&["record", "--once"]).exit, Exit::DONE);
    for height in [12, 24, 40] {
        let terminal = Terminal { stdout: true, stderr: true, width: 80, height };
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let arguments = ["--no-pager", "--color", "never", "inbox", "-i"];
        let keys = || Ok(Key::Char('q'));
        machine.run_at(terminal, Some(Box::new(keys)), &arguments, b"", &mut stdout, &mut stderr);
        let text = String::from_utf8(stdout).expect("text");
        let screen = text.split("\n\n").nth(1).expect("the row");
        let (screen, _) = screen.split_once("]? ").expect("the question");
        let rows: usize = screen.lines().map(|line| line.width().div_ceil(80).max(1)).sum();
        assert!(rows < height, "{rows} rows on {height}: {screen}");
        assert!(screen.starts_with("(1/1)") && screen.contains("more: v"), "{screen}");
    }
}
