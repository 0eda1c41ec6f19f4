//! Answers that are no silence.

use super::terminal::worked_on;
use super::{Machine, file};
use crate::Exit;

fn rule(machine: &Machine) {
    let rule = br#"{"kind":"command_never","program":"npm","sentence":"pnpm, never npm"}"#;
    let ran = machine.run_with(&["rule", "add", "-"], rule, &mut Vec::new());
    assert_eq!(ran.exit, Exit::DONE, "{}", ran.stderr);
}

#[test]
fn a_preview_is_printed_with_quiet_too() {
    let machine = worked_on();
    for arguments in [
        &["-q", "rollback", "notes:m1.md", "--to", "1", "--dry-run"][..],
        &["-q", "approve", "14", "--dry-run"],
    ] {
        let ran = machine.run(arguments);
        assert_eq!(ran.exit, Exit::DONE, "{}", ran.stderr);
        assert!(ran.stdout.contains("not done (dry run)"), "{arguments:?}: {}", ran.stdout);
    }
}

#[test]
fn a_report_replaces_no_file() {
    let machine = worked_on();
    let there = file(machine.folder.path(), "report.html", b"mine");
    let ran = machine.run(&["report", "--html", &there]);
    assert_eq!(ran.exit, Exit(4), "{}", ran.stderr);
    assert!(ran.stderr.contains("Name a file that is not there yet"), "{}", ran.stderr);
    assert_eq!(std::fs::read(&there).expect("a file"), b"mine");
}

#[test]
fn nothing_is_said_where_nothing_is() {
    let machine = worked_on();
    let said = |arguments: &[&str]| machine.run(arguments).stderr;
    assert_eq!(said(&["log", "notes", "--path", "nosuch"]), "No change matches.\n");
    assert_eq!(said(&["log", "--limit", "0"]), "");
    let none = machine.run(&["search", "version", "--limit", "0"]);
    assert_eq!((none.stdout.as_str(), none.stderr.as_str()), ("", ""));
    assert_eq!(machine.run(&["log", "-n", "2", "--json"]).lines().len(), 2);
    let deleted = machine.run(&["log", "--path", "m7.md", "--json"]).lines()[0]["seq"].to_string();
    assert!(said(&["blame", &deleted]).contains("was deleted with this version"));
    assert!(said(&["show", &deleted, "--content"]).contains("lists the versions before it"));
    assert!(said(&["rule", "check", "--command", "ls"]).contains("No rule is confirmed yet"));
    rule(&machine);
    assert_eq!(said(&["rule", "check", "--command", "ls"]), "The command breaks no rule.\n");
    assert_eq!(machine.run(&["rule", "check", "--command", "npm ci"]).exit, Exit::FINDINGS);
    let removed = machine.run(&["stores", "remove", "notes"]).stdout;
    assert_eq!(
        removed,
        "removed notes (plain): no longer recorded; its history stays, and so do its files\n"
    );
    assert!(said(&["record", "--once"]).contains("`retrace discover`"));
}

#[test]
fn a_preview_counts_what_stands_in_its_way() {
    let machine = worked_on();
    let expect = "0".repeat(64);
    let preview = machine.run(&["rollback", "notes:m1.md", "--to", "1", "--expect", &expect, "--dry-run"]);
    assert!(preview.stdout.starts_with("Rollback, not done (dry run): 1 conflict\n"), "{}", preview.stdout);
}

#[test]
fn proposed_rules_come_with_what_confirms_them() {
    let machine = Machine::with_notes(&[("MEMORY.md", "Never use npm.\n")]);
    let ran = machine.run(&["rule", "propose"]);
    assert!(ran.stderr.contains("`retrace rule add rules.jsonl`"), "{}{}", ran.stdout, ran.stderr);
    let none = Machine::with_notes(&[("a.md", "one\n")]).run(&["rule", "propose"]);
    assert_eq!(none.stderr, "");
}

#[test]
fn one_change_is_told_as_one() {
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    std::fs::write(machine.notes().join("a.md"), "two\n").expect("a file");
    assert_eq!(machine.run(&["record", "--once"]).exit, Exit::DONE);
    let ran = machine.run(&["inbox"]);
    assert!(ran.stdout.starts_with("1 change to review; it is routine\n"), "{}", ran.stdout);
}
