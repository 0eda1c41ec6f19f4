//! Times as people type them, at each option that takes one.

use super::terminal::{later, worked_on};
use super::{Machine, START_MICROS};
use crate::Exit;
use retrace_model::Timestamp;
use std::sync::Arc;

/// Rows of the log.
fn rows(machine: &Machine, arguments: &[&str]) -> usize {
    let ran = machine.run(&[&["log", "--json"], arguments].concat());
    assert_eq!(ran.exit, Exit::DONE, "{arguments:?}: {}", ran.stderr);
    ran.lines().len()
}

#[test]
fn the_log_is_narrowed_by_every_form_of_a_time() {
    // Three hours after 10:00 on 20 November, in UTC.
    let machine = later(worked_on());
    let all = rows(&machine, &[]);
    for (since, until) in [
        ("4h", "2h"),
        ("1d", "30m"),
        ("1w", "now"),
        ("today", "now"),
        ("yesterday", "12:00"),
        ("09:59:30", "13:00"),
        ("2026-11-20", "2026-11-21"),
        ("2026-11-20 09:00", "2026-11-20 11:00:00"),
        ("2026-11-20T09:00", "2026-11-20T11:00Z"),
        ("2026-11-20T09:00:00", "2026-11-20T11:00:00+00:00"),
    ] {
        assert_eq!(rows(&machine, &["--since", since, "--until", until]), all, "{since} to {until}");
        assert_eq!(rows(&machine, &["--since", until]), 0, "after {until}");
        assert_eq!(rows(&machine, &["--until", since]), 0, "before {since}");
    }
}

#[test]
fn each_option_that_takes_a_time_reads_what_people_type() {
    let machine = later(worked_on());
    let report = |name: &str| machine.folder.path().join(name).display().to_string();
    let (html, out) = (report("report.html"), report("then"));
    for arguments in [
        &["diff", "notes@2h", "notes", "--stat"][..],
        &["diff", "notes:m1.md@now", "notes:m1.md"],
        &["blame", "notes:m1.md@12:30"],
        &["memories", "notes", "--at", "today 12:00"],
        &["memories", "notes", "--at", "12:00"],
        &["restore", "notes", "--at", "1h", "--dry-run"],
        &["review", "all", "--up-to", "2h", "--dry-run"],
        &["review", "all", "--up-to", "1", "--dry-run"],
        &["adherence", "--since", "yesterday"],
        &["presence", "notes:m1.md", "--since", "3d"],
        &["export", "notes", "--at", "2026-11-20 12:00", "--to", &out],
        &["report", "--html", &html, "--since", "today"],
        &["stores", "compare", "notes@2h", "notes"],
    ] {
        let ran = machine.run(arguments);
        let is_nonsense = arguments.contains(&"today 12:00");
        assert_eq!(ran.exit, if is_nonsense { Exit(2) } else { Exit::DONE }, "{arguments:?}: {}", ran.stderr);
    }
    // JSON has what was asked for in UTC.
    let diff = machine.run(&["diff", "notes@12:30", "notes", "--json"]).lines().remove(0);
    assert_eq!(diff["from"]["target"], "notes@2026-11-20T12:30:00Z");
}

#[test]
fn what_is_no_time_is_refused_with_the_forms() {
    let machine = Machine::with_notes(&[("a@2h.md", "one\n")]);
    for arguments in [
        &["log", "--since", "soon"][..],
        &["restore", "notes", "--at", "soon"],
        &["report", "--html", "-", "--since", "soon"],
        &["review", "all", "--up-to", "soon"],
        &["hub", "audit", "--since", "soon"],
    ] {
        let ran = machine.run(arguments);
        assert_eq!(ran.exit, Exit(2), "{arguments:?}");
        for form in ["\"soon\" is not a time.", "`2h`", "`yesterday`", "`14:00`", "`2026-11-26`", "RFC 3339"]
        {
            assert!(ran.stderr.contains(form), "{arguments:?}: {}", ran.stderr);
        }
    }
    let number = machine.run(&["restore", "notes", "--at", "99"]);
    assert!(number.stderr.contains("The number of an operation is meant"), "{}", number.stderr);
    // What stands behind an @ and is no time belongs to the name.
    assert_eq!(machine.run(&["diff", "notes:a@2h.md"]).exit, Exit::DONE);
}

#[test]
fn a_day_is_that_of_the_clock_that_is_passed() {
    let mut machine = worked_on();
    let two_days_on = START_MICROS + 48 * 3600 * 1_000_000;
    machine.options.clock = Arc::new(move || Timestamp::from_micros(two_days_on));
    assert_eq!(rows(&machine, &["--since", "yesterday"]), 0);
    assert!(rows(&machine, &["--since", "3d", "--until", "yesterday"]) > 0);
}
