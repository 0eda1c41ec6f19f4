use super::*;
use crate::harness::{Fail, Store, path};
use crate::steps::NoFaults;
use retrace_model::Rules;
use rustix::io::Errno;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

fn holding(store: &Store) -> Root {
    let mut root = store.root();
    root.set_holding(true);
    root
}

/// Every way to change a file, held: the content it wrote, if any, and the act.
fn acts(root: &Root, steps: &dyn Steps) -> Vec<(Option<&'static str>, Held)> {
    let old = Sha256::of(b"old");
    let file = path("d/a.md");
    let replaced = || root.replace(&file, Expected::Hash(old), b"new", 1, steps);
    let deleted = || root.delete(&file, old, true, 2, steps);
    let mut acts = Vec::new();
    for (wrote, act) in
        [(Some("new"), &replaced as &dyn Fn() -> Result<crate::Done, FileError>), (None, &deleted)]
    {
        let held = act().unwrap().held.unwrap();
        acts.push((wrote, held.clone()));
        root.take_back(&held, 3, &NoFaults).unwrap();
    }
    acts
}

#[test]
fn what_is_taken_back_is_the_same_file_as_before() {
    let store = Store::new();
    store.write("d/a.md", "old");
    store.mode("d/a.md", 0o640);
    let before = fs::metadata(store.at("d/a.md")).unwrap();
    for (_, held) in acts(&holding(&store), &NoFaults) {
        assert_eq!(held.path(), &path("d/a.md"));
        let after = fs::metadata(store.at("d/a.md")).unwrap();
        assert_eq!((after.ino(), after.mtime_nsec()), (before.ino(), before.mtime_nsec()));
        assert_eq!(after.permissions().mode() & 0o777, 0o640);
        assert_eq!(store.files(), [("d/a.md".to_owned(), b"old".to_vec())].into());
    }
}

#[test]
fn a_new_file_and_the_directories_made_for_it_go_again() {
    let store = Store::new();
    let root = holding(&store);
    let done = root.create_private(&path("new/deep/a.md"), b"new", 1, &NoFaults).unwrap();
    root.take_back(&done.held.unwrap(), 2, &NoFaults).unwrap();
    assert!(store.files().is_empty() && !store.at("new").exists());
}

#[test]
fn until_it_is_let_go_of_the_displaced_content_is_there_and_afterwards_it_is_not() {
    let store = Store::new();
    store.write("d/a.md", "old");
    let root = holding(&store);
    let old = Sha256::of(b"old");
    let done = root.delete(&path("d/a.md"), old, true, 2, &NoFaults).unwrap();
    let [leftover] = &store.root().leftovers(&Rules::default())[..] else { panic!("one is held") };
    assert_eq!((leftover.kind, leftover.sha256), (LeftoverKind::Swap, old));
    let gone = root.let_go(&done.held.unwrap(), &NoFaults);
    assert_eq!(gone, LetGo { leftover: None, removed_directories: vec![path("d")] });
    assert!(!store.at("d").exists());
    store.write("a.md", "old");
    let done = root.replace(&path("a.md"), Expected::Hash(old), b"new", 3, &NoFaults).unwrap();
    assert_eq!(root.let_go(&done.held.unwrap(), &NoFaults), LetGo::default());
    assert_eq!(store.files(), [("a.md".to_owned(), b"new".to_vec())].into());
}

#[test]
fn what_was_written_into_the_displaced_file_stays() {
    let store = Store::new();
    store.write("a.md", "old");
    let root = holding(&store);
    let mut open = fs::OpenOptions::new().append(true).open(store.at("a.md")).unwrap();
    let done = root.replace(&path("a.md"), Expected::Hash(Sha256::of(b"old")), b"new", 3, &NoFaults).unwrap();
    std::io::Write::write_all(&mut open, b" and more").unwrap();
    let leftover = root.let_go(&done.held.unwrap(), &NoFaults).leftover.unwrap();
    assert_eq!(store.text(&leftover.to_text()).unwrap(), "old and more");
}

#[test]
fn a_newer_edit_is_not_taken_back() {
    for by_rename in [false, true] {
        for replaces in [false, true] {
            let store = Store::new();
            store.write("a.md", "old");
            let root = holding(&store);
            let old = Sha256::of(b"old");
            let done = if replaces {
                root.replace(&path("a.md"), Expected::Hash(old), b"new", 3, &NoFaults)
            } else {
                root.delete(&path("a.md"), old, false, 3, &NoFaults)
            };
            if by_rename {
                store.write_by_rename("a.md", "newer");
            } else {
                store.write("a.md", "newer");
            };
            let refused = root.take_back(&done.unwrap().held.unwrap(), 4, &NoFaults);
            assert!(matches!(refused, Err(FileError::Moved { .. })), "{refused:?}");
            assert_eq!(store.text("a.md").unwrap(), "newer");
        }
    }
}

#[test]
fn where_two_files_cannot_be_exchanged_it_holds_all_the_same() {
    let store = Store::new();
    store.write("d/a.md", "old");
    let cannot = Fail(vec![(Step::Exchange, Errno::INVAL), (Step::PutBack, Errno::INVAL)]);
    let root = holding(&store);
    let file = path("d/a.md");
    let done = root.replace(&file, Expected::Hash(Sha256::of(b"old")), b"new", 1, &cannot).unwrap();
    assert_eq!(store.text("d/a.md").unwrap(), "new");
    root.take_back(&done.held.unwrap(), 2, &cannot).unwrap();
    assert_eq!(store.files(), [("d/a.md".to_owned(), b"old".to_vec())].into());
    let done = root.replace(&file, Expected::Hash(Sha256::of(b"old")), b"new", 1, &cannot).unwrap();
    assert_eq!(root.let_go(&done.held.unwrap(), &NoFaults), LetGo::default());
    assert_eq!(store.files(), [("d/a.md".to_owned(), b"new".to_vec())].into());
}

#[test]
fn what_cannot_be_taken_back_is_an_error_and_stays_recoverable() {
    let store = Store::new();
    store.write("a.md", "old");
    let root = holding(&store);
    let old = Sha256::of(b"old");
    let done = root.replace(&path("a.md"), Expected::Hash(old), b"new", 1, &NoFaults).unwrap();
    let refused = root.take_back(&done.held.unwrap(), 2, &Fail(vec![(Step::PutBack, Errno::IO)]));
    assert!(matches!(refused, Err(FileError::Io { .. })), "{refused:?}");
    assert_eq!(store.text("a.md").unwrap(), "new");
    assert_eq!(store.root().leftovers(&Rules::default()).len(), 1);
}
