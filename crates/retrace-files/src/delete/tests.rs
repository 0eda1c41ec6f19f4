use crate::harness::{Both, Disturb, Fail, FailLater, Store, crash, path, steps_of};
use crate::{Done, FileError, Guard, LeftoverKind, NoFaults, Step, Steps};
use retrace_model::{Rules, Sha256};
use rustix::io::Errno;
use std::fs;
use std::io::Write as _;

const STEPS: [Step; 4] = [Step::SetAside, Step::CheckDisplaced, Step::SyncDirectory, Step::Unlink];

fn store() -> Store {
    let store = Store::new();
    store.write("a.md", "old");
    store
}

fn delete(store: &Store, steps: &dyn Steps) -> Result<Done, FileError> {
    store.root().delete(&path("a.md"), Sha256::of(b"old"), false, 7, steps)
}

#[test]
fn the_file_is_gone_and_nothing_is_left() {
    let store = store();
    let mut result = None;
    assert_eq!(steps_of(|steps| result = Some(delete(&store, steps))), STEPS);
    assert_eq!(result.unwrap().unwrap(), Done::new(Guard::Atomic));
    assert!(store.files().is_empty());
    assert!(matches!(delete(&store, &NoFaults), Err(FileError::Moved { found: None, kept: None, .. })));
}

#[test]
fn a_crash_at_any_step_can_be_taken_back_or_finished() {
    for before in 0..=STEPS.len() {
        let store = store();
        let stopped = crash(before, |steps| drop(delete(&store, steps)));
        let leftovers = store.root().leftovers(&Rules::default());
        if before == 0 || before == STEPS.len() {
            assert!(leftovers.is_empty());
            assert_eq!(store.text("a.md").is_some(), before == 0);
            continue;
        }
        assert_eq!(store.text("a.md"), None, "before {stopped:?}");
        let [leftover] = &leftovers[..] else { panic!("{leftovers:?}") };
        assert_eq!((leftover.kind, &leftover.target), (LeftoverKind::Swap, &None));
        assert!(leftover.is_of(&path("a.md")) && !leftover.is_of(&path("b.md")));
        store.root().put_back(leftover, &path("a.md")).unwrap();
        assert_eq!(store.files(), [("a.md".to_owned(), b"old".to_vec())].into());
    }
}

#[test]
fn a_failure_at_any_step_changes_nothing_or_is_reported_with_the_change() {
    for step in STEPS {
        let store = store();
        let result = delete(&store, &Fail(vec![(step, Errno::IO)]));
        match step {
            Step::SyncDirectory | Step::Unlink => {
                let done = result.unwrap();
                assert_eq!(done.synced, step != Step::SyncDirectory);
                assert_eq!(store.text("a.md"), None);
                assert_eq!(store.text(&done.leftover.unwrap().to_text()).unwrap(), "old");
            }
            _ => {
                assert!(matches!(result, Err(FileError::Io { .. })), "{step:?}: {result:?}");
                assert_eq!(store.files(), [("a.md".to_owned(), b"old".to_vec())].into(), "{step:?}");
            }
        }
    }
}

#[test]
fn an_edit_by_rename_at_any_step_stays_in_place() {
    for step in STEPS {
        let store = store();
        let result = delete(&store, &Disturb::at(step, || store.write_by_rename("a.md", "theirs")));
        assert_eq!(store.files(), [("a.md".to_owned(), b"theirs".to_vec())].into(), "{step:?}");
        match result {
            Ok(_) => assert_ne!(step, Step::SetAside),
            Err(FileError::Moved { found, kept: None, .. }) => assert_eq!(found, Some(Sha256::of(b"theirs"))),
            Err(error) => panic!("{step:?}: {error}"),
        }
    }
}

#[test]
fn an_edit_in_place_through_an_open_file_at_any_step_survives() {
    for step in STEPS {
        let store = store();
        let mut open = fs::OpenOptions::new().append(true).open(store.at("a.md")).unwrap();
        let result = delete(&store, &Disturb::at(step, || open.write_all(b" and more").unwrap()));
        if step == Step::Unlink {
            let kept = result.unwrap().kept.expect("what was written late");
            assert_eq!(store.files(), [(kept.to_text(), b"old and more".to_vec())].into());
        } else {
            assert!(matches!(result, Err(FileError::Moved { .. })), "{step:?}");
            assert_eq!(store.files(), [("a.md".to_owned(), b"old and more".to_vec())].into(), "{step:?}");
        }
    }
}

#[test]
fn two_edits_at_once_both_survive() {
    let store = store();
    let steps = Disturb::at(Step::SetAside, || store.write_by_rename("a.md", "first"))
        .and(Step::PutBack, || store.write("a.md", "second"));
    match delete(&store, &steps) {
        Err(FileError::Moved { found, kept: Some(kept), .. }) => {
            assert_eq!(found, Some(Sha256::of(b"second")));
            assert_eq!(store.text(&kept.to_text()).unwrap(), "first");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(store.text("a.md").unwrap(), "second");
}

#[test]
fn a_directory_or_a_link_that_comes_in_between_is_put_back() {
    let store = store();
    let result = delete(
        &store,
        &Disturb::at(Step::SetAside, || {
            fs::remove_file(store.at("a.md")).unwrap();
            store.write("a.md/inner", "theirs");
        }),
    );
    assert!(matches!(result, Err(FileError::IsDirectory { .. })), "{result:?}");
    assert_eq!(store.files(), [("a.md/inner".to_owned(), b"theirs".to_vec())].into());

    let store = self::store();
    let result = delete(
        &store,
        &Disturb::at(Step::SetAside, || {
            fs::remove_file(store.at("a.md")).unwrap();
            store.link("nowhere", "a.md");
        }),
    );
    assert!(matches!(result, Err(FileError::Link { .. })), "{result:?}");
    assert!(fs::read_link(store.at("a.md")).is_ok());
}

#[test]
fn without_a_rename_to_a_free_name_a_second_name_does() {
    for error in [Errno::INVAL, Errno::NOSYS] {
        let store = store();
        assert_eq!(delete(&store, &Fail(vec![(Step::SetAside, error)])).unwrap(), Done::new(Guard::Atomic));
        assert!(store.files().is_empty());
    }
}

#[test]
fn without_a_second_name_either_a_plain_rename_to_a_fresh_name_does() {
    let store = store();
    // A directory cannot have a second name.
    let directory = Disturb::at(Step::SetAside, || {
        fs::remove_file(store.at("a.md")).unwrap();
        store.write("a.md/inner", "theirs");
    });
    let unsupported = Fail(vec![(Step::SetAside, Errno::INVAL), (Step::PutBack, Errno::INVAL)]);
    let result = delete(&store, &Both(&directory, &unsupported));
    assert!(matches!(result, Err(FileError::IsDirectory { .. })), "{result:?}");
    assert_eq!(store.files(), [("a.md/inner".to_owned(), b"theirs".to_vec())].into());
}

#[test]
fn empty_directories_go_only_when_asked_and_only_when_empty() {
    let delete = |store: &Store, prune| {
        store.root().delete(&path("x/y/z/a.md"), Sha256::of(b"old"), prune, 7, &NoFaults).unwrap()
    };
    let store = Store::new();
    store.write("x/y/z/a.md", "old");
    store.write("x/.hidden", "");
    assert_eq!(delete(&store, false).removed_directories, []);
    assert!(store.at("x/y/z").is_dir());
    store.write("x/y/z/a.md", "old");
    assert_eq!(delete(&store, true).removed_directories, [path("x/y/z"), path("x/y")]);
    assert!(store.at("x").is_dir(), "it holds a hidden file");

    let store = Store::new();
    store.write("x/y/z/a.md", "old");
    assert_eq!(delete(&store, true).removed_directories.len(), 3);
    assert!(store.at("").is_dir(), "the root stays");

    let store = Store::new();
    store.write("x/y/z/a.md", "old");
    let failing = Fail(vec![(Step::RemoveDirectory, Errno::IO)]);
    let done = store.root().delete(&path("x/y/z/a.md"), Sha256::of(b"old"), true, 7, &failing).unwrap();
    assert_eq!(done.removed_directories, []);
}

#[test]
fn without_the_right_to_write_nothing_happens() {
    let store = Store::new();
    store.write("closed/a.md", "old");
    store.mode("closed", 0o500);
    let error = store.unprivileged(|root| {
        root.delete(&path("closed/a.md"), Sha256::of(b"old"), true, 1, &NoFaults).unwrap_err()
    });
    assert!(matches!(error, FileError::Denied { .. }), "{error}");
    assert_eq!(store.files().len(), 1);
}

#[test]
fn a_file_deleted_meanwhile_is_no_failure_of_the_disk() {
    let store = store();
    let gone = Disturb::at(Step::SetAside, || fs::remove_file(store.at("a.md")).unwrap());
    let result = delete(&store, &gone);
    assert!(matches!(result, Err(FileError::Moved { found: None, kept: None, .. })), "{result:?}");
    assert!(store.files().is_empty());
}

#[test]
fn every_directory_that_goes_is_waited_for() {
    let store = Store::new();
    let delete = |steps: &dyn Steps| {
        store.write("x/y/a.md", "old");
        store.root().delete(&path("x/y/a.md"), Sha256::of(b"old"), true, 7, steps).unwrap()
    };
    let pruning = [Step::RemoveDirectory, Step::SyncDirectory, Step::RemoveDirectory, Step::SyncDirectory];
    let steps = steps_of(|steps| assert!(delete(steps).synced));
    assert_eq!(steps, [&STEPS[..], &pruning].concat());
    // The first of them is that of the file itself.
    for passes in [1, 2] {
        let done = delete(&FailLater::after(passes, Step::SyncDirectory));
        assert!(!done.synced && done.leftover.is_none());
        assert_eq!(done.removed_directories, [path("x/y"), path("x")]);
    }
}

#[test]
fn what_an_act_that_holds_cannot_put_back_is_held_unless_another_file_took_its_place() {
    let holding = |store: &Store, steps: &dyn Steps| {
        let mut root = store.root();
        root.set_holding(true);
        root.delete(&path("a.md"), Sha256::of(b"old"), false, 7, steps)
    };
    let store = store();
    let edit = Disturb::at(Step::SetAside, || store.write_by_rename("a.md", "theirs"));
    let done = holding(&store, &Both(&edit, &Fail(vec![(Step::PutBack, Errno::IO)]))).unwrap();
    assert_eq!(store.text("a.md"), None);
    let leftover = store.root().let_go(&done.held.unwrap(), &NoFaults).leftover.unwrap();
    assert_eq!(store.text(&leftover.to_text()).unwrap(), "theirs");

    let store = self::store();
    let steps = Disturb::at(Step::SetAside, || store.write_by_rename("a.md", "first"))
        .and(Step::PutBack, || store.write("a.md", "second"));
    match holding(&store, &steps) {
        Err(FileError::Moved { found, kept: Some(kept), .. }) => {
            assert_eq!(found, Some(Sha256::of(b"second")));
            assert_eq!(store.text(&kept.to_text()).unwrap(), "first");
        }
        other => panic!("{other:?}"),
    }
}
