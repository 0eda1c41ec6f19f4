//! What people read: how wide it is, how things are named, what comes first; and that none of it changes `--json`.

use super::{Machine, Ran, START_MICROS};
use crate::Exit;
use retrace_model::Timestamp;
use std::sync::Arc;
use unicode_width::UnicodeWidthStr as _;

/// A machine whose store knows twelve notes; since then one was taken in all of five, three are gone, one holds a key, and one with
/// a long name of wide letters is new.
pub(super) fn worked_on() -> Machine {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.notes()).expect("a folder");
    for number in 1..=12 {
        write_at(&machine, 1, &format!("m{number}.md"), &format!("version: 1.{number}\nkeep\n"));
    }
    assert_eq!(machine.run(&["stores", "add", &machine.notes().display().to_string()]).exit, Exit::DONE);
    // Put together here, so that no scanner takes this file for a leak.
    write_at(&machine, 2, "leak.md", &format!("key {}_{}\n", "ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo"));
    for number in 1..=5 {
        write_at(&machine, 2, &format!("m{number}.md"), &format!("version: 2.{number}\nkeep\n"));
    }
    for number in 7..=9 {
        std::fs::remove_file(machine.notes().join(format!("m{number}.md"))).expect("it goes");
    }
    write_at(&machine, 2, &format!("{}.md", "とても長い名前".repeat(6)), "new\n");
    done(&machine.run(&["record", "--once"]));
    machine
}

/// The same three hours later.
pub(super) fn later(mut machine: Machine) -> Machine {
    let now = START_MICROS + 3 * 3600 * 1_000_000;
    machine.options.clock = Arc::new(move || Timestamp::from_micros(now));
    machine
}

fn write(machine: &Machine, name: &str, content: &str) {
    std::fs::write(machine.notes().join(name), content).expect("a file");
}

/// Writes a file so many hours after 1970: changes are recorded in the order of their times, and equal ones by path.
fn write_at(machine: &Machine, hour: u64, name: &str, content: &str) {
    write(machine, name, content);
    let file = std::fs::File::options().write(true).open(machine.notes().join(name)).expect("it is there");
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(hour * 3600)).expect("its time");
}

fn read(machine: &Machine, name: &str) -> Option<String> {
    std::fs::read_to_string(machine.notes().join(name)).ok()
}

fn done(ran: &Ran) {
    assert_eq!(ran.exit, Exit::DONE, "{}\n{}", ran.stderr, ran.stdout);
}

/// Changes left to review.
fn left(machine: &Machine) -> usize {
    machine
        .run(&["inbox", "--json"])
        .lines()
        .iter()
        .map(|group| group["items"].as_array().map_or(0, Vec::len))
        .sum()
}

/// The number of the newest version at a path.
fn number(machine: &Machine, path: &str) -> String {
    let found = machine.run(&["log", "--json", "--path", path]).lines().remove(0);
    found["seq"].to_string()
}

#[test]
fn what_people_read_fits_80_and_120_columns() {
    let machine = later(worked_on());
    let mut all = String::new();
    for width in [80, 120] {
        for arguments in [&[][..], &["inbox"], &["log"], &["health"], &["memories", "notes"]] {
            let ran = machine.on_terminal(width, arguments);
            done(&ran);
            // A command is to be copied whole.
            for line in ran.stdout.lines().filter(|line| !line.trim_start().starts_with("retrace ")) {
                assert!(line.width() <= width, "{arguments:?}: {} columns: {line}", line.width());
            }
            all.push_str(&format!("$ retrace {} # {width}\n{}\n", arguments.join(" "), ran.stdout));
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn columns_are_those_of_the_terminal_unless_said_and_none_into_a_pipe() {
    let mut machine = later(worked_on());
    let widest = |ran: &Ran| ran.stdout.lines().map(|line| line.width()).max().unwrap_or_default();
    let long = "とても長い名前".repeat(6);
    assert!(machine.run(&["log"]).stdout.contains(&long), "nothing is cut in a pipe");
    machine.env.insert("COLUMNS".to_owned(), "60".into());
    assert!(machine.run(&["log"]).stdout.contains(&long), "whatever the environment says");
    assert!(widest(&machine.on_terminal(120, &["log"])) <= 60);
    machine.env.insert("COLUMNS".to_owned(), "wide".into());
    let ran = machine.on_terminal(70, &["log"]);
    assert!((61..=70).contains(&widest(&ran)), "{}", ran.stdout);
}

#[test]
fn times_are_told_from_now_and_as_instants_where_more_is_asked_for() {
    let machine = later(worked_on());
    let short = machine.run(&["log", "--limit", "1"]).stdout;
    assert!(short.contains("  3 hours ago  ") || short.contains("  2 hours ago  "), "{short}");
    let whole = machine.run(&["log", "--limit", "1", "-v"]).stdout;
    assert!(whole.contains("  2026-11-20T10:00:") && whole.contains("memver_"), "{whole}");
    let shown = machine.run(&["show", "1"]).stdout;
    assert!(shown.contains("when       2026-11-20T10:00:") && shown.contains(" hours ago)\n"), "{shown}");
}

#[test]
fn json_is_the_same_whoever_reads_it() {
    let mut machine = later(worked_on());
    let id = machine.newest()["id"].as_str().expect("an id").to_owned();
    let all: [&[&str]; 8] = [
        &["log"],
        &["inbox"],
        &["inbox", "--triage"],
        &["health"],
        &["stores"],
        &["show", &id],
        &["diff", &id],
        &["memories", "notes"],
    ];
    let plain: Vec<String> =
        all.iter().map(|one| machine.run(&[*one, &["--json"]].concat()).stdout).collect();
    machine.env.insert("COLUMNS".to_owned(), "40".into());
    for (arguments, plain) in all.iter().zip(plain) {
        let arguments = [*arguments, &["--json"]].concat();
        assert_eq!(machine.on_terminal(80, &arguments).stdout, plain, "{arguments:?}");
        assert_eq!(machine.run(&[&arguments[..], &["-v"]].concat()).stdout, plain, "{arguments:?}");
    }
}

#[test]
fn the_number_in_the_first_column_is_taken_wherever_a_version_is() {
    let machine = worked_on();
    let leak = number(&machine, "leak.md");
    let same = |by_number: &[&str], by_id: &[&str]| {
        let (number, id) = (machine.run(by_number), machine.run(by_id));
        done(&number);
        assert_eq!(number.stdout, id.stdout);
    };
    let id =
        machine.run(&["log", "--json", "--path", "leak.md"]).lines()[0]["id"].as_str().unwrap().to_owned();
    for command in ["show", "origin"] {
        same(&[command, &leak, "--json"], &[command, &id, "--json"]);
    }
    same(&["diff", &leak], &["diff", &id]);
    same(&["blame", &leak, "-v"], &["blame", &id, "-v"]);
    done(&machine.run(&["diff", "1", "2"]));
    same(&["show", &id[..id.len() - 4], "--json"], &["show", &id, "--json"]);
    same(&["approve", &leak, "--dry-run", "--json"], &["approve", &id, "--dry-run", "--json"]);
    same(&["reject", &leak, "--dry-run", "--json"], &["reject", &id, "--dry-run", "--json"]);
    let first = number(&machine, "m1.md");
    done(&machine.run(&["rollback", "notes:m1.md", "--to", &first, "--dry-run"]));
    let redacted = machine.run(&["redact", &leak, "--dry-run", "--json"]).lines().remove(0);
    assert_eq!(redacted["matches"][0]["version_id"], id.as_str());

    for (name, exit, said) in [
        ("999", 3, "There is no version 999."),
        ("0", 3, "There is no version 0."),
        ("99999999999999999999999", 3, ""),
        ("memver_000", 2, "The ids of several versions begin so."),
        ("memver_zzz", 3, "No version has an id that begins so."),
    ] {
        let ran = machine.run(&["show", name]);
        assert_eq!(ran.exit, Exit(exit), "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{name}: {}", ran.stderr);
    }
    let ambiguous = machine.run(&["show", "memver_000"]).stderr;
    assert_eq!(ambiguous.matches("memver_00").count(), 6, "the candidates are named: {ambiguous}");
}

#[test]
fn a_store_that_has_a_number_for_its_name_keeps_it() {
    let machine = Machine::with_notes(&[("a.md", "one\n")]);
    let other = machine.folder.path().join("other");
    std::fs::create_dir_all(&other).expect("a folder");
    done(&machine.run(&["stores", "add", &other.display().to_string(), "--name", "1"]));
    std::fs::write(other.join("b.md"), "two\n").expect("a file");
    done(&machine.run(&["record", "--once"]));
    let of_store = machine.run(&["diff", "1@1", "1"]).stdout;
    assert!(of_store.contains("b.md"), "the store is meant: {of_store}");
    assert!(!machine.run(&["diff", "1"]).stdout.contains("a.md"), "the version of that number is not");
    assert!(
        machine.run(&["show", "1"]).stdout.contains("path       a.md"),
        "where only a version can stand it is"
    );
}

#[test]
fn a_session_is_taken_by_the_beginning_of_its_id() {
    let machine = Machine::new();
    let root = machine.notes().display().to_string();
    let call = |session: &str, path: &str| {
        let input = format!("{{\"command\":\"create\",\"path\":\"/memories/{path}\",\"file_text\":\"a\"}}\n");
        let arguments = ["memory-tool", "--root", &root, "--session", session];
        done(&machine.run_with(&arguments, input.as_bytes(), &mut Vec::new()));
    };
    call("7f3a9c10-1111-4111-8111-111111111111", "a.md");
    call("7f3b0000-2222-4222-8222-222222222222", "b.md");
    let writes = machine.run(&["session", "7f3a", "--json"]).lines().remove(0);
    assert_eq!(writes["session_id"], "7f3a9c10-1111-4111-8111-111111111111");
    assert_eq!(machine.run(&["log", "--actor", "7f3b", "--json"]).lines()[0]["path"], "b.md");
    done(&machine.run(&["rollback", "--session", "7f3a", "--dry-run"]));
    for arguments in [&["session", "7f3"][..], &["log", "--actor", "7f3"], &["rollback", "--session", "7f3"]]
    {
        let ran = machine.run(arguments);
        assert_eq!(ran.exit, Exit(2), "{arguments:?} {}", ran.stderr);
        for id in ["7f3a9c10-1111", "7f3b0000-2222"] {
            assert!(ran.stderr.contains(id), "{arguments:?} names the candidates: {}", ran.stderr);
        }
    }
    assert!(machine.run(&["log"]).stdout.contains("session 7f3a9c10,"), "{}", machine.run(&["log"]).stdout);
}

#[test]
fn a_line_of_the_inbox_is_decided_by_its_number() {
    let machine = worked_on();
    let deleted = number(&machine, "m9.md");
    let ran = machine.run(&["reject", "--group", &deleted]);
    done(&ran);
    assert!((7..=9).all(|note| read(&machine, &format!("m{note}.md")).is_some()), "{}", ran.stdout);
    let edited = number(&machine, "m5.md");
    done(&machine.run(&["approve", "--group", &edited]));
    assert_eq!(left(&machine), 2);
    assert_eq!(machine.run(&["approve", "--group", "same_edit_0"]).exit, Exit(3));
    let several = machine.run(&["approve", "--group", "mem_"]);
    assert_eq!(several.exit, if several.stderr.contains("mem_0") { Exit(2) } else { several.exit });
}

#[test]
fn alone_it_says_what_needs_a_person_in_ten_lines() {
    let machine = Machine::new();
    let nothing = machine.run(&[]);
    done(&nothing);
    assert!(nothing.stdout.contains("retrace discover --add"), "{}", nothing.stdout);
    assert!(!machine.options.data_dir.exists(), "looking makes no log");
    assert_eq!(machine.run(&["--json"]).lines()[0]["total"], 0);

    let machine = later(worked_on());
    for ran in [machine.run(&[]), machine.on_terminal(80, &[])] {
        done(&ran);
        assert!(ran.stdout.lines().count() <= 10, "{}", ran.stdout);
        assert!(
            ran.stdout.starts_with("10 changes to review: 4 need you, 6 are routine\n"),
            "{}",
            ran.stdout
        );
        assert!(ran.stdout.contains("secret") && ran.stdout.contains("deleted at once"), "{}", ran.stdout);
    }
    assert_eq!(machine.run(&["--json"]).lines()[0]["needs_total"], 4);
    done(&machine.run(&["review", "all", "--up-to", "2999-01-01T00:00:00Z", "--with-findings"]));
    let ran = machine.run(&[]);
    assert!(ran.stdout.starts_with("1 error stands in the live memories"), "{}", ran.stdout);
    std::fs::remove_file(machine.notes().join("leak.md")).expect("it is deleted");
    done(&machine.run(&["record", "--once"]));
    done(&machine.run(&["review", "all", "--up-to", "2999-01-01T00:00:00Z", "--with-findings"]));
    let ran = machine.run(&[]);
    assert!(ran.stdout.starts_with("Nothing needs you"), "{}", ran.stdout);
}

#[test]
fn a_review_by_key_does_what_the_keys_say() {
    let machine = worked_on();
    // The key is rolled back; the three that are gone are put back, after the question; the edit of five is approved.
    let ran = machine.answered(80, &["inbox", "-i"], "nnyyq");
    done(&ran);
    assert_eq!(read(&machine, "leak.md"), None, "{}", ran.stdout);
    assert!((7..=9).all(|note| read(&machine, &format!("m{note}.md")).is_some()));
    assert_eq!(left(&machine), 1, "what was not reached stays");
    assert!(ran.stdout.contains("Put back 3 changes? [y,n]"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("one difference for all 5:\n-version: 1.⟨5⟩\n+version: 2.⟨5⟩\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .ends_with("5 approved, 4 rolled back, 1 left (`retrace undo --review` takes the last back)\n")
    );
    done(&machine.run(&["undo", "--review"]));
    assert_eq!(left(&machine), 6, "the newest act is taken back as any other");
}

#[test]
fn what_was_pressed_by_mistake_is_taken_back_where_it_stood() {
    let machine = worked_on();
    let ran = machine.answered(80, &["inbox", "-i"], "jyujjauq");
    done(&ran);
    assert_eq!(left(&machine), 10, "{}", ran.stdout);
    assert_eq!(
        ran.stdout.matches("Taken back.").count(),
        1,
        "what was refused by n needs no way back: {}",
        ran.stdout
    );
    let ran = machine.answered(80, &["inbox", "-i"], "ayujjq");
    assert!(
        ran.stdout.contains("Approve 6\n") && ran.stdout.contains("Approved: 6 changes"),
        "{}",
        ran.stdout
    );
    assert_eq!(left(&machine), 10, "{}", ran.stdout);
    let after: Vec<&str> = ran.stdout.split("Taken back.").nth(1).expect("it was").lines().collect();
    let rows: Vec<&&str> = after.iter().filter(|line| line.contains("/4)  ")).collect();
    for (row, is) in
        rows.iter().zip(["(1/4)  secret", "(2/4)  3 changes, deleted", "(3/4)  5 changes, the same"])
    {
        assert!(row.starts_with(is), "the rows are as before: {}", ran.stdout);
    }
}

#[test]
fn a_cluster_is_split_and_decided_one_by_one() {
    let machine = worked_on();
    let ran = machine.answered(80, &["inbox", "-i"], "jsynq");
    done(&ran);
    assert!(
        ran.stdout.contains("Approved: 1 change") && ran.stdout.contains("Put back: 1 change"),
        "{}",
        ran.stdout
    );
    assert_eq!(left(&machine), 8);
    let there = (7..=9).filter(|note| read(&machine, &format!("m{note}.md")).is_some()).count();
    assert_eq!(there, 1, "{}", ran.stdout);
}

#[test]
fn answers_come_as_lines_where_no_person_sits() {
    let machine = worked_on();
    let mut stdout = Vec::new();
    let ran = machine.run_with(&["inbox", "-i"], "?\nno\n".as_bytes(), &mut stdout);
    done(&ran);
    assert!(ran.stdout.contains("\ny - approve"), "{}", ran.stdout);
    assert_eq!(read(&machine, "leak.md"), None, "the first letter counts: {}", ran.stdout);
    assert_eq!(left(&machine), 9, "the end of the input ends it, and keeps what was done");
    let ran = machine.run(&["inbox", "-i", "--json"]);
    assert_eq!((ran.exit, ran.error_code().as_str()), (Exit(2), "invalid"));
}

#[cfg(unix)]
#[test]
fn an_edited_text_is_written_and_approved() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut machine = worked_on();
    let editor = machine.folder.path().join("editor");
    std::fs::write(&editor, "#!/bin/sh\necho 'no key any more' > \"$2\"\n").expect("a file");
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
    machine.env.insert("EDITOR".to_owned(), format!("{} --wait", editor.display()).into());
    let ran = machine.answered(80, &["inbox", "-i"], "eq");
    done(&ran);
    assert_eq!(read(&machine, "leak.md").as_deref(), Some("no key any more\n"), "{}", ran.stdout);
    assert_eq!(left(&machine), 9);
    machine.env.insert("EDITOR".to_owned(), "true".into());
    let ran = machine.answered(80, &["inbox", "-i"], "jseq");
    done(&ran);
    assert_eq!(left(&machine), 9, "a text that was left as it is decides nothing: {}", ran.stdout);
}

#[test]
fn what_was_found_is_mended_after_it_was_said_how() {
    let machine = worked_on();
    let ran = machine.answered(80, &["inbox", "-i"], "mnmyq");
    done(&ran);
    assert!(ran.stdout.contains("Redact it? It cannot be undone. [y,n]"), "{}", ran.stdout);
    let live = read(&machine, "leak.md").expect("it is there");
    assert!(!live.contains("q7Rt2mZx9"), "{live}");
    assert!(ran.stdout.contains("1 mended"), "{}", ran.stdout);
}

#[test]
fn a_finding_is_redacted_by_its_place() {
    let machine = worked_on();
    let secret = ["ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo"].join("_");
    let preview = machine.run(&["redact", "--finding", "notes:leak.md:1:5", "--live", "--dry-run", "--json"]);
    done(&preview);
    assert_eq!(preview.lines()[0]["dry_run"], true);
    assert!(read(&machine, "leak.md").expect("it is there").contains(&secret));
    for (place, exit) in
        [("notes:leak.md:1:4", 3), ("notes:leak.md:9:1", 3), ("notes:leak.md", 2), ("none:a.md:1:1", 3)]
    {
        let ran = machine.run(&["redact", "--finding", place, "--live"]);
        assert_eq!(ran.exit, Exit(exit), "{place}: {}", ran.stderr);
    }
    let wrong = machine.run(&["redact", "--finding", "notes:leak.md:1:5", "--rule", "secret/aws", "--live"]);
    assert_eq!(wrong.exit, Exit(3), "{}", wrong.stderr);
    let ran = machine.run(&[
        "redact",
        "--finding",
        "notes:leak.md:1:5",
        "--rule",
        "secret/github",
        "--live",
        "--json",
    ]);
    done(&ran);
    assert_eq!(ran.lines()[0]["receipt"]["purge"], "done");
    assert!(!read(&machine, "leak.md").expect("it is there").contains(&secret));
    std::fs::write(machine.folder.path().join("secret"), &secret).expect("a file");
    let file = machine.folder.path().join("secret").display().to_string();
    done(&machine.run(&["verify", "--absent-file", &file]));
}

#[test]
fn a_refusal_says_that_nothing_was_changed() {
    let machine = worked_on();
    let first = number(&machine, "m1.md");
    let expect = "0".repeat(64);
    let before = read(&machine, "m1.md");
    let ran = machine.run(&["rollback", "notes:m1.md", "--to", &first, "--expect", &expect]);
    assert_eq!(ran.exit, Exit(4));
    assert!(ran.stderr.contains("Nothing was changed."), "{}", ran.stderr);
    assert_eq!(read(&machine, "m1.md"), before);
}
