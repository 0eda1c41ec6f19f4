//! Hosted stores in the terminal, as far as no host is called: `tests/hosted.rs` has one. Sharing, mounting, comparing,
//! taking over, attach lists.

use super::{Machine, file};
use crate::Exit;
use serde_json::{Value, json};

/// A machine with the stores `notes` and `dreamt`.
fn two_stores() -> Machine {
    let machine = Machine::with_notes(&[("a.md", "one\n"), ("b.md", "same\n"), ("c.md", "old\n")]);
    let other = machine.folder.path().join("dreamt");
    std::fs::create_dir_all(&other).expect("a folder");
    for (name, content) in [("a.md", "one\ntwo\n"), ("b.md", "same\n"), ("d.md", "new\n")] {
        file(&other, name, content.as_bytes());
    }
    assert_eq!(machine.run(&["stores", "add", &other.display().to_string()]).exit, Exit::DONE);
    machine
}

#[test]
fn a_store_is_shared_and_its_directory_taken_away_and_given_back() {
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    let after = |arguments: &[&str]| -> Value {
        let ran = machine.run(&[&["--json", "stores"], arguments].concat());
        assert_eq!(ran.exit, Exit::DONE, "{arguments:?}: {}", ran.stderr);
        ran.lines().remove(0)
    };
    assert_eq!(after(&["share", "notes"])["shared"], true);
    assert_eq!(after(&["unshare", "notes"])["shared"], false);
    let reported = machine.run(&["stores", "share", "notes"]).stdout;
    assert_eq!(reported, "shared notes (plain): recording, 1 memory\n");

    let directory = machine.folder.path().join("elsewhere");
    let elsewhere = directory.display().to_string();
    let twice = machine.run(&["stores", "mount", "notes", &elsewhere]);
    assert_eq!((twice.exit, twice.stdout.as_str()), (Exit(2), ""), "{}", twice.stderr);
    assert_eq!(after(&["unmount", "notes"])["mounted"], false);
    assert!(machine.notes().join("a.md").exists(), "its files stay");
    assert_eq!(after(&["mount", "notes", &elsewhere])["mounted"], true);
    assert_eq!(std::fs::read_to_string(directory.join("a.md")).expect("the file"), "one\n");
    assert_eq!(machine.run(&["stores", "share", "nothing"]).exit, Exit(3));
}

#[test]
fn two_stores_are_compared_and_one_takes_over_a_part() {
    let machine = two_stores();
    let compared = machine.run(&["stores", "compare", "notes", "dreamt"]);
    assert_eq!(compared.exit, Exit::DONE, "{}", compared.stderr);
    insta::assert_snapshot!("compare", compared.stdout);
    let as_json = machine.run(&["stores", "compare", "notes", "dreamt", "--json"]).lines().remove(0);
    assert_eq!((&as_json["same"], as_json["memories"].as_array().map(Vec::len)), (&json!(1), Some(3)));

    let read = |name: &str| std::fs::read_to_string(machine.notes().join(name)).ok();
    let preview = machine.run(&["stores", "accept", "dreamt", "notes", "--delete", "--dry-run"]);
    assert_eq!(preview.exit, Exit::DONE, "{}", preview.stderr);
    assert!(preview.stdout.starts_with("Taking over, not done (dry run): 3 files\n"), "{}", preview.stdout);
    assert_eq!(read("a.md").as_deref(), Some("one\n"));

    let one = machine.run(&["stores", "accept", "dreamt", "notes", "--path", "a.md", "--json"]);
    assert_eq!(one.exit, Exit::DONE, "{}", one.stderr);
    assert_eq!(one.lines()[0]["writes"][0]["path"], "a.md");
    assert_eq!((read("a.md").as_deref(), read("d.md")), (Some("one\ntwo\n"), None));

    assert_eq!(machine.run(&["stores", "accept", "dreamt", "notes"]).exit, Exit::DONE);
    assert_eq!((read("d.md").as_deref(), read("c.md").as_deref()), (Some("new\n"), Some("old\n")));
    assert_eq!(machine.run(&["undo"]).exit, Exit::DONE);
    assert_eq!(read("d.md"), None);
    assert_eq!(machine.run(&["stores", "compare", "notes", "nothing"]).exit, Exit(3));
}

#[test]
fn an_attach_list_is_checked_before_it_is_sent() {
    let machine = Machine::with_notes(&[("a.md", "one two three\n")]);
    let shared = machine.run(&["--json", "stores", "share", "notes"]).lines().remove(0);
    let list = json!({"resources": [{"type": "memory_store", "memory_store_id": shared["id"],
        "access": "read_only", "instructions": "Read it first."}]});
    let path = file(machine.folder.path(), "session.json", list.to_string().as_bytes());
    let checked = machine.run(&["remote", "mounts", &path]);
    assert_eq!(checked.exit, Exit::DONE, "{}", checked.stderr);
    insta::assert_snapshot!("mounts", checked.stdout);

    let wrong = json!([{"type": "memory_store", "memory_store_id": shared["id"], "access": "append"}]);
    let ran =
        machine.run_with(&["--json", "remote", "mounts", "-"], wrong.to_string().as_bytes(), &mut Vec::new());
    assert_eq!((ran.exit, &ran.lines()[0]["ok"]), (Exit::FINDINGS, &json!(false)));
    let ran = machine.run_with(&["remote", "mounts", "-"], b"{", &mut Vec::new());
    assert_eq!((ran.exit, ran.stdout.as_str()), (Exit(2), ""));
}

#[test]
fn an_empty_key_is_not_taken_for_the_wish_to_forget() {
    let machine = Machine::new();
    let ran = machine.run_with(&["remote", "key", "set"], b" \n", &mut Vec::new());
    assert_eq!((ran.exit, ran.stdout.as_str()), (Exit(2), ""));
    assert!(!machine.options.data_dir.exists(), "wrong use makes no log");
}
