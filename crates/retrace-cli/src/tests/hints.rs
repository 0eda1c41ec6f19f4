//! The next step of each error.

use super::terminal::worked_on;
use super::{Machine, Ran, file};
use crate::Exit;
use serde_json::Value;

/// What an error advises.
fn hint(ran: &Ran) -> String {
    let error: Value = serde_json::from_str(&ran.stderr).expect("an error as JSON");
    error["error"]["hint"].as_str().expect("a hint").to_owned()
}

#[test]
fn each_refusal_names_the_next_step() {
    let machine = worked_on();
    std::fs::write(machine.notes().join("MEMORY.md"), "- one\n").expect("a file");
    assert_eq!(machine.run(&["record", "--once"]).exit, Exit::DONE);
    let folder = machine.folder.path();
    let (empty, words) = (file(folder, "empty", b""), file(folder, "words", b"no JSON"));
    let bundle = file(folder, "x.retrace", b"nothing");
    let data = machine.options.data_dir.display().to_string();
    let here = folder.display().to_string();
    let half = file(folder, "half.json", br#"{"kind":"command_never","sentence":"x"}"#);
    let mut without = Vec::new();
    for (arguments, advice) in [
        (&["undo", "99"][..], "`retrace log -v` prints both"),
        (&["rollback", "--operation", "99"], "`retrace log -v` prints both"),
        (&["undo", "--review", "99"], "`retrace undo --review` without one"),
        (&["adherence", "--rule", "rule_9"], "`retrace rule list --removed`"),
        (&["rule", "remove", "rule_9"], "`retrace rule list --removed`"),
        (&["rule", "guard", "rule_9"], "`retrace rule list --removed`"),
        (&["rule", "seen", "break_9"], "`retrace rule broken`"),
        (&["presence", "notes:none.md"], "`retrace memories notes`"),
        (&["worth", "notes:none.md"], "`retrace memories notes`"),
        (&["diff", "notes:none.md@1"], "`retrace log notes --path none.md`"),
        (&["redact", "--find", "(", "--dry-run"], "unclosed group"),
        (&["rule", "add", &words], "`retrace rule add --help`"),
        (&["rule", "add", &half], "`retrace rule propose --json`"),
        (&["redact", "--secret-file", &empty], "Write into it"),
        (&["import", "bundle", &bundle, "--store", "notes"], "`retrace export STORE --to FILE.retrace`"),
        (&["stores", "add", &data], "--data-dir"),
        (&["stores", "add", &here, "--kind", "remote"], "`retrace remote add --help`"),
        (&["rollback", "notes:m1.md", "--to", "1", "--expect", "x"], "`retrace show VERSION --json`"),
        (&["check", &here, "--rule", "nonsense"], "`retrace health rules`"),
        (&["check", &here, "--fail-on", "foo"], "`retrace help`"),
        (&["health", "move-entry", "notes:MEMORY.md:8-9", "--to", "b.md"], "`retrace blame STORE:PATH`"),
        (&["log", "notes:m1.md"], "`retrace log notes --path m1.md`"),
        (&["log", "5"], "`retrace show 5`"),
        (&["show", "notes:m1.md"], "`retrace log notes --path m1.md`"),
        (&["instructions", "nosuch"], "It is no directory here either"),
        (&["tokens", &here], "DIR/*.md"),
        (&["diff", "notes:../x.md"], "below the directory of the store"),
        (&["restore", "notes", "--at", "999"], "`retrace log -v` prints both"),
    ] {
        let ran = machine.run(&[arguments, &["--json"]].concat());
        assert_ne!(ran.exit, Exit::DONE, "{arguments:?}");
        assert!(ran.stderr.starts_with("{\"error\""), "{arguments:?}: {}", ran.stderr);
        if !hint(&ran).contains(advice) {
            without.push(format!("{arguments:?}: {}", ran.stderr));
        }
    }
    assert!(without.is_empty(), "{}", without.join("\n"));
    let never = machine.run(&["check", &here, "--fail-on", "foo"]);
    assert!(never.stderr.contains("never"), "{}", never.stderr);
    let call = machine.run_with(&["rule", "check", "--json"], b"words", &mut Vec::new());
    assert!(hint(&call).contains("--command"), "{}", call.stderr);
    let taken = ["show", "1", "--json"];
    assert!(hint(&Machine::new().run(&taken)).contains("`retrace discover`"));
    let no_directory = machine.run(&["--data-dir", &empty, "log", "--json"]);
    assert!(hint(&no_directory).contains("--data-dir"), "{}", no_directory.stderr);
}

#[test]
fn errors_of_the_system_are_in_its_words_without_its_numbers() {
    let machine = worked_on();
    let folder = machine.folder.path();
    let (none, here) = (folder.join("none").display().to_string(), folder.display().to_string());
    let below = format!("{none}/x");
    for arguments in [
        &["tokens", &none][..],
        &["rule", "add", &none],
        &["check", &here, "--config", &none],
        &["redact", "--secret-file", &none],
        &["import", "bundle", &none, "--store", "notes"],
        &["context", "simulate", &none],
        &["man", "/dev/null/x"],
        &["verify", "--absent-file", &none],
        &["report", "--html", &below],
        &["tokens", &here],
        &["stores", "add", &none],
        &["serve", "--token-file", &here, "--listen", "127.0.0.1:0"],
    ] {
        let ran = machine.run(&[arguments, &["--json"]].concat());
        assert_ne!(ran.exit, Exit::DONE, "{arguments:?}");
        assert!(!ran.stderr.contains("os error"), "{arguments:?}: {}", ran.stderr);
        let error: Value = serde_json::from_str(&ran.stderr).expect("an error as JSON");
        for part in ["code", "message", "hint", "subject"] {
            assert_ne!(error["error"][part], "", "{arguments:?} has no {part}: {error}");
        }
    }
}

#[test]
fn what_is_undone_already_says_how_to_go_on() {
    let machine = worked_on();
    assert_eq!(machine.run(&["review", "all", "--up-to", "now", "--with-findings"]).exit, Exit::DONE);
    assert_eq!(machine.run(&["undo", "--review"]).exit, Exit::DONE);
    let again = machine.run(&["undo", "--review", "1", "--json"]);
    assert!(hint(&again).contains("`retrace inbox`"), "{}", again.stderr);
}

#[test]
fn a_rejection_of_what_was_approved_fails_and_names_the_way_back() {
    let machine = worked_on();
    std::fs::write(machine.notes().join("new.md"), "- one\n").expect("a file");
    assert_eq!(machine.run(&["record", "--once"]).exit, Exit::DONE);
    let newest = machine.run(&["log", "notes", "--path", "new.md", "--json"]).stdout;
    let newest: Value = serde_json::from_str(newest.lines().next().unwrap_or_default()).expect("a version");
    let newest = newest["id"].as_str().expect("an id");
    assert_eq!(machine.run(&["approve", newest]).exit, Exit::DONE);
    assert_eq!(machine.run(&["approve", newest]).exit, Exit::DONE);
    let rejected = machine.run(&["reject", newest, "--json"]);
    assert_eq!(rejected.exit, Exit::of(retrace_api::wire::Code::HeadMoved), "{}", rejected.stderr);
    assert!(hint(&rejected).contains("`retrace undo --review`"), "{}", rejected.stderr);
}

#[test]
fn a_conflict_names_commands_that_show_it() {
    let machine = worked_on();
    let expect = "0".repeat(64);
    let arguments = ["rollback", "notes:m1.md", "--to", "1", "--expect", &expect];
    let ran = machine.run(&[&arguments[..], &["--json"]].concat());
    assert!(hint(&ran).contains("`retrace log --path m1.md`"), "{}", ran.stderr);
}

#[test]
fn a_wrong_use_is_told_whole_in_json() {
    let machine = Machine::new();
    let said = |arguments: &[&str]| {
        let error: Value = serde_json::from_str(&machine.run(arguments).stderr).expect("JSON");
        let text = |field: &str| error["error"][field].as_str().expect("text").to_owned();
        (text("message"), text("hint"))
    };
    let (message, _) = said(&["show", "--json"]);
    assert_eq!(message, "The following required arguments were not provided: <VERSION>.");
    let (message, hint) = said(&["stors", "--json"]);
    assert!(message.contains("'stors'") && hint.contains("'stores'"), "{message} {hint}");
}
