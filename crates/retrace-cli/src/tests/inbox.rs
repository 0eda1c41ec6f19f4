//! The inbox in the terminal: listing, each verdict, the way back, and what is left with its reason.

use super::{Machine, Ran};
use crate::Exit;
use serde_json::Value;

/// A machine whose store knows `a.md` and `b.md`, both changed since, and `c.md`, which is new.
fn changed() -> Machine {
    let machine = Machine::with_notes(&[("a.md", "one\n"), ("b.md", "one\n")]);
    for (name, content) in [("a.md", "one\ntwo\n"), ("b.md", "two\n"), ("c.md", "new\n")] {
        write(&machine, name, content);
    }
    machine
}

fn write(machine: &Machine, name: &str, content: &str) {
    std::fs::write(machine.notes().join(name), content).expect("a file");
    assert_eq!(machine.run(&["record", "--once"]).exit, Exit::DONE);
}

fn read(machine: &Machine, name: &str) -> Option<String> {
    std::fs::read_to_string(machine.notes().join(name)).ok()
}

/// The items of all groups.
fn items(machine: &Machine) -> Vec<Value> {
    let ran = machine.run(&["inbox", "--json"]);
    assert_eq!(ran.exit, Exit::DONE, "{}", ran.stderr);
    let groups = ran.lines();
    groups.iter().flat_map(|group| group["items"].as_array().cloned().unwrap_or_default()).collect()
}

/// The newest version of a path, as the inbox names it.
fn version(machine: &Machine, path: &str) -> String {
    let found = items(machine).into_iter().find(|item| item["path"] == path);
    let found = found.unwrap_or_else(|| panic!("{path} is not in the inbox"));
    found["version_id"].as_str().expect("an id").to_owned()
}

fn paths(machine: &Machine) -> Vec<String> {
    let mut paths: Vec<String> =
        items(machine).iter().filter_map(|item| item["path"].as_str().map(str::to_owned)).collect();
    paths.sort();
    paths
}

fn done(ran: &Ran) {
    assert_eq!(ran.exit, Exit::DONE, "{}", ran.stderr);
}

#[test]
fn the_inbox_says_what_changed_since_it_was_known() {
    let machine = changed();
    let shown = machine.run(&["inbox", "-v"]).stdout;
    for (sign, path) in [("~", "notes:a.md"), ("~", "notes:b.md"), ("+", "notes:c.md")] {
        assert!(shown.contains(&format!("{sign} {path}")), "{shown}");
    }
    let a = items(&machine).into_iter().find(|item| item["path"] == "a.md").expect("it changed");
    assert_eq!((&a["verb"], &a["added"], &a["removed"]), (&"changed".into(), &1.into(), &0.into()));
    let stores = machine.run(&["stores", "list", "--json"]).lines();
    assert_eq!(stores[0]["unreviewed"], 3, "badge = rows");
}

#[test]
fn approving_rejecting_and_taking_each_back() {
    let machine = changed();
    done(&machine.run(&["approve", &version(&machine, "a.md")]));
    assert_eq!(paths(&machine), ["b.md", "c.md"]);

    let preview = machine.run(&["reject", &version(&machine, "b.md"), "--dry-run"]);
    done(&preview);
    assert_eq!(read(&machine, "b.md").as_deref(), Some("two\n"), "a preview does nothing");
    done(&machine.run(&["reject", &version(&machine, "b.md"), "--note", "made up"]));
    assert_eq!(read(&machine, "b.md").as_deref(), Some("one\n"));
    done(&machine.run(&["reject", &version(&machine, "c.md")]));
    assert_eq!((read(&machine, "c.md"), paths(&machine)), (None, Vec::new()));

    for (path, left) in [("c.md", vec!["c.md"]), ("b.md", vec!["b.md", "c.md"])] {
        done(&machine.run(&["undo", "--review"]));
        assert_eq!(paths(&machine), left, "{path} is back");
        assert!(read(&machine, path).is_some_and(|content| content != "one\n"), "{path} is as it was");
    }
    done(&machine.run(&["undo", "--review"]));
    assert_eq!(paths(&machine), ["a.md", "b.md", "c.md"]);
    assert_eq!(machine.run(&["undo", "--review"]).exit, Exit(3), "there is none any more");
}

#[test]
fn what_changed_since_is_left_with_its_reason() {
    let machine = changed();
    let (a, b) = (version(&machine, "a.md"), version(&machine, "b.md"));
    write(&machine, "b.md", "three\n");
    let ran = machine.run(&["approve", &a, &b]);
    assert_eq!(ran.exit, Exit(4));
    assert!(ran.stdout.contains("left") && ran.stdout.contains("notes:b.md"), "{}", ran.stdout);
    assert_eq!(paths(&machine), ["b.md", "c.md"], "the others are done");
    let ran = machine.run(&["reject", &b, "--json"]);
    assert_eq!((ran.exit, ran.error_code().as_str()), (Exit(4), "head_moved"));
    assert_eq!(read(&machine, "b.md").as_deref(), Some("three\n"), "a newer edit is never overwritten");
}

#[test]
fn groups_and_everything_up_to_a_point() {
    let machine = changed();
    let b = version(&machine, "b.md");
    done(&machine.run(&["review", "all", "--up-to", &b]));
    assert_eq!(paths(&machine), ["c.md"]);
    done(&machine.run(&["undo", "--review"]));
    assert_eq!(paths(&machine).len(), 3);

    let group = machine.run(&["inbox", "--json"]).lines()[0]["id"].as_str().expect("an id").to_owned();
    done(&machine.run(&["approve", "--group", &group]));
    assert_eq!(paths(&machine), Vec::<String>::new());
    assert_eq!(machine.run(&["approve", "--group", &group]).exit, Exit(3), "it is empty");
}

#[test]
fn a_kind_alone_is_listed_and_a_group_is_what_was_listed() {
    let machine = changed();
    write(&machine, "MEMORY.md", "- [C](c.md)\n");
    let listed = |kind: &str| {
        let ran = machine.run(&["inbox", "--kind", kind, "--json"]);
        assert_eq!(ran.exit, Exit::DONE, "{}", ran.stderr);
        ran.lines()
    };
    let indexes = listed("index");
    assert_eq!((indexes.len(), &indexes[0]["total"]), (1, &1.into()));
    assert_eq!(indexes[0]["items"][0]["path"], "MEMORY.md");
    assert_eq!(listed("topic")[0]["total"], 3);
    assert!(listed("team").is_empty());
    let refused = machine.run(&["inbox", "--kind", "topics"]);
    assert_eq!((refused.exit, refused.stderr.contains("daily_log")), (Exit(2), true), "{}", refused.stderr);

    // All four are one burst; what is approved is what was listed under the name.
    let group = indexes[0]["id"].as_str().expect("an id").to_owned();
    done(&machine.run(&["approve", "--group", &group]));
    assert_eq!(paths(&machine), ["a.md", "b.md", "c.md"]);
    write(&machine, "MEMORY.md", "- [B](b.md)\n");
    done(&machine.run(&["review", "all", "--up-to", "2999-01-01T00:00:00Z", "--kind", "topic"]));
    assert_eq!(paths(&machine), ["MEMORY.md"]);
    let ran = machine.run(&["memories", "notes", "--kind", "index", "--json"]);
    assert_eq!(ran.lines().iter().map(|memory| &memory["path"]).collect::<Vec<_>>(), ["MEMORY.md"]);
}

/// Put together here, so that no scanner takes this file for a leak.
fn secret() -> String {
    format!("key {}_{}\n", "ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo")
}

#[test]
fn an_approval_of_several_says_what_it_comes_to_first_and_leaves_errors() {
    let machine = changed();
    write(&machine, "leak.md", &secret());
    let group = machine.run(&["inbox", "--json"]).lines()[0]["id"].as_str().expect("an id").to_owned();
    let account = "Approve 3, leave 1 with findings\n";
    let preview = machine.run(&["approve", "--group", &group, "--dry-run"]);
    done(&preview);
    assert!(preview.stdout.starts_with(account), "{}", preview.stdout);
    assert!(preview.stdout.contains("error in 1 memory [secret/github]"), "{}", preview.stdout);
    assert_eq!(paths(&machine).len(), 4);
    let ran = machine.run(&["approve", "--group", &group]);
    done(&ran);
    assert!(ran.stdout.starts_with(account), "the account comes first: {}", ran.stdout);
    assert!(ran.stdout.contains("left  notes:leak.md"), "{}", ran.stdout);
    assert_eq!(paths(&machine), ["leak.md"]);
    done(&machine.run(&["undo", "--review"]));
    assert_eq!(paths(&machine).len(), 4, "all of it is taken back");

    let up_to = ["review", "all", "--up-to", "2999-01-01T00:00:00Z"];
    let ran = machine.run(&up_to);
    done(&ran);
    assert!(
        ran.stdout.starts_with(account) && ran.stdout.contains("everything recorded up to"),
        "{}",
        ran.stdout
    );
    assert_eq!(paths(&machine), ["leak.md"]);
    let ran = machine.run(&[&up_to[..], &["--with-findings", "--json"]].concat());
    done(&ran);
    let approval = &ran.lines()[0]["approval"];
    assert_eq!((&approval["approved"], &approval["left"]), (&1.into(), &0.into()));
    assert_eq!(paths(&machine), Vec::<String>::new());

    write(&machine, "leak.md", &format!("again\n{}", secret()));
    write(&machine, "more.md", &secret());
    done(&machine.run(&["approve", &version(&machine, "more.md")]));
    assert_eq!(paths(&machine), ["leak.md"], "one by itself is approved as it stands");
}
