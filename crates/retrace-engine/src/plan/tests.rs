use super::*;
use retrace_log::{LogFiles, NewStore, Writer};
use retrace_model::{StoreKind, Timestamp};
use tempfile::TempDir;

fn path(text: &str) -> RelPath {
    RelPath::parse(text).expect("a path")
}

/// A step from one content to another, in a store with this number.
fn step(store: u8, at: &str, from: Option<&str>, to: Option<&str>) -> Step {
    let wanted = to.map(|text| Wanted {
        bytes: text.as_bytes().to_vec(),
        sha256: Sha256::of(text.as_bytes()),
        version: None,
        moved_from: None,
    });
    Step {
        store: StoreId([store; 16]),
        path: path(at),
        expected: from.map(|text| Sha256::of(text.as_bytes())),
        expected_version: None,
        wanted,
        deletion: None,
    }
}

fn moving(store: u8, from: &str, to: &str, text: &str) -> Step {
    let mut step = step(store, to, None, Some(text));
    if let Some(wanted) = &mut step.wanted {
        wanted.moved_from = Some(path(from));
    }
    step
}

fn plan(steps: Vec<Step>) -> Plan {
    Plan { steps, ..Plan::new(Source::Rollback, None) }
}

/// Store, path, and whether it is written.
fn told(steps: &[Step]) -> Vec<(u8, String, bool)> {
    steps.iter().map(|step| (step.store.0[0], step.path.to_text(), step.wanted.is_some())).collect()
}

fn at(store: u8, path: &str, is_written: bool) -> (u8, String, bool) {
    (store, path.to_owned(), is_written)
}

#[test]
fn a_plan_is_empty_when_it_neither_takes_a_step_nor_changes_a_queue() {
    let empty = || plan(Vec::new());
    let with_a_step = plan(vec![step(1, "a.md", None, Some("a"))]);
    let withdrawing = Plan { withdraws: vec![1], ..empty() };
    let requeuing = Plan { requeues: vec![1], ..empty() };
    let both = Plan { withdraws: vec![1], requeues: vec![2], ..empty() };
    let plans = [&empty(), &with_a_step, &withdrawing, &requeuing, &both];
    assert_eq!(plans.map(Plan::is_empty), [true, false, false, false, false]);
    assert_eq!(plans.map(Plan::is_for_queue), [false, false, true, true, true]);
    assert!(!Plan { withdraws: vec![1], ..with_a_step }.is_empty());
}

#[test]
fn what_changes_is_written_before_anything_is_deleted_and_the_rest_is_checked() {
    let mut plan = plan(vec![
        step(2, "gone.md", Some("x"), None),
        step(1, "gone.md", Some("x"), None),
        step(2, "a.md", Some("x"), Some("y")),
        step(1, "same.md", Some("x"), Some("x")),
        step(1, "b.md", None, Some("y")),
        step(1, "a.md", Some("x"), Some("y")),
        step(1, "nothing.md", None, None),
    ]);
    plan.tidy();
    let expected = [
        at(1, "a.md", true),
        at(1, "b.md", true),
        at(2, "a.md", true),
        at(1, "gone.md", false),
        at(2, "gone.md", false),
    ];
    assert_eq!(told(&plan.steps), expected);
    assert_eq!(told(&plan.checks), [at(1, "same.md", true), at(1, "nothing.md", false)]);
}

#[test]
fn where_one_memory_comes_and_another_goes_the_one_that_comes_is_written() {
    // One memory leaves `a.md` for `b.md`, and another, with the same content, comes to `a.md`.
    let mut plan = plan(vec![
        moving(1, "a.md", "b.md", "x"),
        step(1, "a.md", Some("x"), None),
        step(1, "a.md", Some("x"), Some("x")),
        step(2, "a.md", Some("x"), None),
        step(2, "c.md", Some("x"), Some("x")),
    ]);
    plan.tidy();
    assert_eq!(told(&plan.steps), [at(1, "a.md", true), at(1, "b.md", true), at(2, "a.md", false)]);
    assert_eq!(told(&plan.checks), [at(2, "c.md", true)]);
}

fn write(path: &str) -> wire::FileWrite {
    wire::FileWrite {
        store_id: "s".to_owned(),
        path: path.to_owned(),
        from_sha256: None,
        to_sha256: None,
        diff: None,
    }
}

#[test]
fn a_conflict_is_an_error_that_says_how_much_was_done() {
    let conflict = |path: &str| wire::Conflict {
        reason: ConflictReason::Changed,
        store_id: "s".to_owned(),
        path: path.to_owned(),
        expected_sha256: None,
        found_sha256: None,
        expected_version_id: None,
        found_version_id: None,
        wanted_version_id: None,
        message: retrace_message::Message::verbatim(format!("{path} moved on.")),
    };
    assert!(ActResult::default().conflict_error().is_none());
    let conflicts = vec![conflict("a.md"), conflict("b.md")];
    let refused = ActResult { conflicts, ..ActResult::default() };
    let error = refused.conflict_error().expect("an error");
    assert_eq!((error.code, error.message.text()), (Code::HeadMoved, "a.md moved on. Nothing was changed."));
    assert_eq!(error.subject, "a.md");
    let partial = ActResult {
        partial: true,
        writes: vec![write("c.md"), write("d.md"), write("e.md")],
        deletes: vec![write("f.md"), write("g.md")],
        left: vec![write("h.md"), write("i.md"), write("j.md"), write("k.md")],
        ..refused
    };
    let error = partial.conflict_error().expect("an error");
    assert_eq!(error.message, "Only 5 of 11 files were changed.");
}

/// A log with two stores.
fn log() -> (TempDir, Writer, [StoreId; 2]) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut number = 0_u8;
    let entropy = move |bytes: &mut [u8]| {
        number += 1;
        bytes.fill(number);
    };
    let mut writer =
        Writer::open(LogFiles::new(folder.path().join("data")), Box::new(entropy)).expect("a log");
    let mut act = writer.begin().expect("a transaction");
    let stores = ["notes", "others"].map(|name| {
        let new = NewStore {
            kind: StoreKind::Plain,
            root: format!("/stores/{name}").into_bytes(),
            name: name.to_owned(),
            at: Timestamp::from_micros(1),
        };
        act.add_store(&new).expect("a store")
    });
    act.commit().expect("commits");
    (folder, writer, stores)
}

fn in_store(store: StoreId, step: Step) -> Step {
    Step { store, ..step }
}

#[test]
fn what_was_done_is_one_operation_of_its_store_or_of_none_where_there_are_several() {
    let (_folder, mut writer, stores) = log();
    let steps = [
        in_store(stores[0], step(0, "a.md", None, Some("one"))),
        in_store(stores[0], step(0, "b.md", None, Some("two"))),
        in_store(stores[1], step(0, "a.md", None, Some("three"))),
    ];
    let plan = plan(Vec::new());
    let (person, at) = (Actor::User { id: "ada".to_owned() }, Timestamp::from_micros(2));
    let mut append = |steps: &[Step], plan: &Plan, queues| {
        let done: Vec<DoneStep<'_>> = steps.iter().map(|step| DoneStep { step, seen: None }).collect();
        let mut act = writer.begin().expect("a transaction");
        let appended = append_done(&mut act, plan, &done, (&person, at), queues).expect("appends");
        act.commit().expect("commits");
        let operation = appended.operation_seq.map(|seq| writer.reader().operation(seq).expect("reads"));
        (appended.versions.len(), operation.map(|operation| operation.store))
    };
    assert_eq!(append(&steps[..2], &plan, false), (2, Some(Some(stores[0]))));
    assert_eq!(append(&steps[..2], &plan, false), (0, None), "nothing changed");
    let others = [
        in_store(stores[0], step(0, "c.md", None, Some("one"))),
        in_store(stores[1], step(0, "c.md", None, Some("two"))),
    ];
    assert_eq!(append(&others, &plan, false), (2, Some(None)));
    // What is queued, or taken back from a queue, is an operation though no version comes of it.
    assert_eq!(append(&[], &plan, true), (0, Some(None)));
    let withdrawing = Plan { withdraws: vec![1], ..plan };
    assert_eq!(append(&[], &withdrawing, false), (0, Some(None)));
}

#[test]
fn a_step_stands_while_the_log_has_at_its_path_what_it_expects() {
    let (_folder, mut writer, [store, _]) = log();
    let there = in_store(store, step(0, "a.md", None, Some("one")));
    let plan = plan(Vec::new());
    let mut act = writer.begin().expect("a transaction");
    let done = [DoneStep { step: &there, seen: None }];
    append_done(&mut act, &plan, &done, (&Actor::Unknown, Timestamp::from_micros(2)), false)
        .expect("appends");
    act.commit().expect("commits");
    let stands = |path: &str, from: Option<&str>| {
        let step = in_store(store, step(0, path, from, Some("new")));
        stands_as_expected(&writer.reader(), &step).expect("reads")
    };
    assert!(stands("a.md", Some("one")) && stands("b.md", None));
    assert!(!stands("a.md", Some("other")) && !stands("a.md", None) && !stands("b.md", Some("one")));
}
