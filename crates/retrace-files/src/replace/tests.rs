use crate::harness::{Both, Disturb, Fail, Store, crash, path, steps_of};
use crate::{Done, Expected, FileError, Guard, LeftoverKind, NoFaults, Step, Steps};
use retrace_model::{Rules, Sha256};
use rustix::io::Errno;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

const STEPS: [Step; 8] = [
    Step::WriteTemporary,
    Step::CopyAttributes,
    Step::SyncTemporary,
    Step::NameSwap,
    Step::Exchange,
    Step::CheckDisplaced,
    Step::SyncDirectory,
    Step::Unlink,
];

fn store() -> Store {
    let store = Store::new();
    store.write("a.md", "old");
    store
}

fn replace(store: &Store, steps: &dyn Steps) -> Result<Done, FileError> {
    store.root().replace(&path("a.md"), Expected::Hash(Sha256::of(b"old")), b"new content", 7, steps)
}

fn place(store: &Store, at: &str, steps: &dyn Steps) -> Result<Done, FileError> {
    store.root().replace(&path(at), Expected::Absent, b"new content", 7, steps)
}

/// The hash that was found, and the content of the file that was kept.
fn moved(store: &Store, result: Result<Done, FileError>) -> (Option<Sha256>, Option<String>) {
    match result {
        Err(FileError::Moved { found, kept, .. }) => {
            (found, kept.map(|kept| store.text(&kept.to_text()).expect("the file that was kept")))
        }
        other => panic!("not moved but {other:?}"),
    }
}

#[test]
fn content_is_replaced_and_nothing_is_left() {
    let store = store();
    let done = replace(&store, &NoFaults).unwrap();
    assert_eq!(store.files(), [("a.md".to_owned(), b"new content".to_vec())].into());
    assert_eq!(done.seen, store.root().seen(&path("a.md")).unwrap());
    assert_eq!(done, Done { seen: done.seen, ..Done::new(Guard::Atomic) });
    let steps = steps_of(|steps| {
        let expected = Expected::Hash(Sha256::of(b"new content"));
        store.root().replace(&path("a.md"), expected, b"", 8, steps).unwrap();
    });
    assert_eq!(steps, STEPS);
}

#[test]
fn a_crash_at_any_step_leaves_the_file_old_or_new_and_loses_nothing() {
    for before in 0..=STEPS.len() {
        let store = store();
        let stopped = crash(before, |steps| drop(replace(&store, steps)));
        assert_eq!(stopped, STEPS.get(before).copied());
        let exchanged = before > 4;
        let live = store.text("a.md").unwrap();
        assert_eq!(live, if exchanged { "new content" } else { "old" }, "before {stopped:?}");
        let leftovers = store.root().leftovers(&Rules::default());
        for leftover in &leftovers {
            assert_eq!(leftover.target, Some(path("a.md")));
            assert!(leftover.is_of(&path("a.md")));
        }
        // The displaced content is in a file whose name says that it may be worth keeping.
        if exchanged && stopped.is_some() {
            assert_eq!(leftovers.len(), 1);
            assert_eq!(leftovers[0].kind, LeftoverKind::Swap);
            assert_eq!(leftovers[0].bytes.as_deref(), Some(&b"old"[..]));
        }
        store.recover();
        assert_eq!(store.files().len(), 1, "before {stopped:?}");
    }
}

#[test]
fn a_failure_at_any_step_changes_nothing_or_is_reported_with_the_change() {
    for step in STEPS {
        let store = store();
        let result = replace(&store, &Fail(vec![(step, Errno::IO)]));
        match step {
            Step::SyncDirectory | Step::Unlink => {
                let done = result.unwrap();
                assert_eq!(done.synced, step != Step::SyncDirectory);
                assert_eq!(store.text("a.md").unwrap(), "new content");
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
fn reasons_have_their_errors() {
    for (error, wanted) in [(Errno::NOSPC, "full"), (Errno::DQUOT, "full"), (Errno::ROFS, "read-only")] {
        for step in [Step::WriteTemporary, Step::SyncTemporary, Step::Exchange] {
            let store = store();
            let result = replace(&store, &Fail(vec![(step, error)]));
            let fits = match result {
                Err(FileError::Full { .. }) => wanted == "full",
                Err(FileError::ReadOnly { .. }) => wanted == "read-only",
                _ => false,
            };
            assert!(fits, "{error} at {step:?}");
            assert_eq!(store.files().len(), 1);
        }
    }
}

#[test]
fn an_ordinary_conflict_touches_nothing() {
    let store = store();
    store.write("a.md", "theirs");
    let untouched = fs::metadata(store.at("")).unwrap().mtime_nsec();
    assert_eq!(moved(&store, replace(&store, &NoFaults)), (Some(Sha256::of(b"theirs")), None));
    assert_eq!(fs::metadata(store.at("")).unwrap().mtime_nsec(), untouched);
    fs::remove_file(store.at("a.md")).unwrap();
    assert_eq!(moved(&store, replace(&store, &NoFaults)), (None, None));
    let below = store.root().replace(&path("x/a.md"), Expected::Hash(Sha256::of(b"old")), b"", 1, &NoFaults);
    assert_eq!(moved(&store, below), (None, None));
}

#[test]
fn an_edit_by_rename_at_any_step_stays_in_place() {
    for step in STEPS {
        let store = store();
        let result = replace(&store, &Disturb::at(step, || store.write_by_rename("a.md", "theirs")));
        assert_eq!(store.text("a.md").unwrap(), "theirs", "{step:?}");
        assert!(store.hidden().is_empty(), "{step:?}");
        let before_the_exchange = STEPS.iter().position(|other| *other == step) <= Some(4);
        match result {
            Ok(_) => assert!(!before_the_exchange, "{step:?}"),
            Err(_) => assert_eq!(moved(&store, result), (Some(Sha256::of(b"theirs")), None), "{step:?}"),
        }
    }
}

#[test]
fn an_edit_in_place_through_an_open_file_at_any_step_survives() {
    for step in STEPS {
        let store = store();
        let mut open = fs::OpenOptions::new().append(true).open(store.at("a.md")).unwrap();
        let result = replace(&store, &Disturb::at(step, || open.write_all(b" and more").unwrap()));
        if step == Step::Unlink {
            // Too late to go back: it is kept beside.
            let kept = result.unwrap().kept.expect("what was written late");
            assert_eq!(store.text(&kept.to_text()).unwrap(), "old and more");
            assert_eq!(store.text("a.md").unwrap(), "new content");
        } else {
            assert_eq!(moved(&store, result), (Some(Sha256::of(b"old and more")), None), "{step:?}");
            assert_eq!(store.files(), [("a.md".to_owned(), b"old and more".to_vec())].into(), "{step:?}");
        }
    }
}

#[test]
fn two_edits_at_once_both_survive() {
    let store = store();
    let steps = Disturb::at(Step::Exchange, || store.write_by_rename("a.md", "first"))
        .and(Step::PutBack, || store.write_by_rename("a.md", "second"));
    let result = replace(&store, &steps);
    assert_eq!(moved(&store, result), (Some(Sha256::of(b"second")), Some("first".to_owned())));
    assert_eq!(store.text("a.md").unwrap(), "second");
}

#[test]
fn an_edit_that_cannot_be_put_back_is_kept() {
    let store = store();
    let edit = Disturb::at(Step::Exchange, || store.write_by_rename("a.md", "theirs"));
    let result = replace(&store, &Both(&edit, &Fail(vec![(Step::PutBack, Errno::IO)])));
    assert_eq!(moved(&store, result), (Some(Sha256::of(b"theirs")), Some("theirs".to_owned())));
    assert_eq!(store.text("a.md").unwrap(), "new content");

    let store = self::store();
    let steps = Disturb::at(Step::Exchange, || store.write_by_rename("a.md", "theirs"))
        .and(Step::PutBack, || fs::remove_file(store.at("a.md")).unwrap());
    let result = replace(&store, &steps);
    assert_eq!(moved(&store, result), (Some(Sha256::of(b"theirs")), Some("theirs".to_owned())));
    assert_eq!(store.text("a.md"), None);
}

#[test]
fn a_file_deleted_meanwhile_stays_deleted() {
    let store = store();
    let result = replace(&store, &Disturb::at(Step::Exchange, || fs::remove_file(store.at("a.md")).unwrap()));
    assert_eq!(moved(&store, result), (None, None));
    assert!(store.files().is_empty());
}

#[test]
fn what_is_no_file_is_refused_even_when_it_comes_in_between() {
    for step in [Step::WriteTemporary, Step::Exchange] {
        let clear = |store: &Store| fs::remove_file(store.at("a.md")).unwrap();
        let store = store();
        let directory = Disturb::at(step, || {
            clear(&store);
            store.write("a.md/inner", "theirs");
        });
        let result = replace(&store, &directory);
        assert!(matches!(result, Err(FileError::IsDirectory { .. })), "{result:?}");
        assert_eq!(store.files(), [("a.md/inner".to_owned(), b"theirs".to_vec())].into());

        let store = self::store();
        store.write("target", "target");
        let link = Disturb::at(step, || {
            clear(&store);
            store.link("target", "a.md");
        });
        let result = replace(&store, &link);
        assert!(matches!(result, Err(FileError::Link { .. })), "{result:?}");
        assert_eq!(fs::read_link(store.at("a.md")).unwrap().to_str(), Some("target"));
        assert_eq!(store.text("target").unwrap(), "target");

        let store = self::store();
        let fifo = Disturb::at(step, || {
            clear(&store);
            store.fifo("a.md");
        });
        let result = replace(&store, &fifo);
        assert!(matches!(result, Err(FileError::NotAFile { .. })), "{result:?}");
        assert!(store.hidden().is_empty());
    }
}

#[test]
fn without_exchange_the_content_is_compared_right_before_the_rename() {
    let unsupported = |error| Fail(vec![(Step::Exchange, error), (Step::NameSwap, error)]);
    for error in [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP] {
        let store = store();
        assert_eq!(replace(&store, &unsupported(error)).unwrap().guard, Guard::CheckThenRename);
        assert_eq!(store.files(), [("a.md".to_owned(), b"new content".to_vec())].into());
    }
    let store = store();
    let edit = Disturb::at(Step::CheckDisplaced, || store.write_by_rename("a.md", "theirs"));
    let result = replace(&store, &Both(&edit, &unsupported(Errno::INVAL)));
    assert_eq!(moved(&store, result), (Some(Sha256::of(b"theirs")), None));
    assert_eq!(store.files(), [("a.md".to_owned(), b"theirs".to_vec())].into());
}

#[test]
fn mode_and_owner_and_attributes_are_kept() {
    let store = store();
    store.mode("a.md", 0o640);
    let root = rustix::process::geteuid().is_root();
    if root {
        std::os::unix::fs::chown(store.at("a.md"), Some(1234), Some(4321)).unwrap();
    }
    let flags = rustix::fs::XattrFlags::empty();
    let attributes = rustix::fs::setxattr(store.at("a.md"), "user.note", b"kept", flags).is_ok();
    let before = fs::metadata(store.at("a.md")).unwrap();
    let done = replace(&store, &NoFaults).unwrap();
    assert!(done.owner_kept && done.attributes_lost.is_empty(), "{done:?}");
    let after = fs::metadata(store.at("a.md")).unwrap();
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    if attributes {
        let mut value = [0; 4];
        rustix::fs::getxattr(store.at("a.md"), "user.note", &mut value[..]).unwrap();
        assert_eq!(&value, b"kept");
    }
}

#[test]
fn an_access_control_list_is_kept() {
    // The form of the attribute, little endian: version 2, then tag, rights and id of each entry
    // (linux/posix_acl_xattr.h): owner rw, user 1234 r, group none, mask r, others none.
    let entries: [(u16, u16, u32); 5] =
        [(1, 6, u32::MAX), (2, 4, 1234), (4, 0, u32::MAX), (16, 4, u32::MAX), (32, 0, u32::MAX)];
    let mut list = 2u32.to_le_bytes().to_vec();
    for (tag, rights, id) in entries {
        list.extend(tag.to_le_bytes());
        list.extend(rights.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    let store = store();
    let name = "system.posix_acl_access";
    if rustix::fs::setxattr(store.at("a.md"), name, &list, rustix::fs::XattrFlags::empty()).is_err() {
        return; // A file system without such lists has none to keep.
    }
    assert!(replace(&store, &NoFaults).unwrap().attributes_lost.is_empty());
    let mut value = vec![0; 256];
    let length = rustix::fs::getxattr(store.at("a.md"), name, &mut value[..]).unwrap();
    assert_eq!(value[..length], list);
}

#[test]
fn an_owner_that_cannot_be_kept_is_reported() {
    if !rustix::process::geteuid().is_root() {
        return; // Only root can make a file that belongs to somebody else.
    }
    let store = store();
    // The directory is theirs, the file is not: renaming needs rights on the directory alone.
    store.unprivileged(|_| ());
    std::os::unix::fs::chown(store.at("a.md"), Some(1234), Some(4321)).unwrap();
    store.mode("a.md", 0o4644);
    let done = store.as_nobody(|root| {
        root.replace(&path("a.md"), Expected::Hash(Sha256::of(b"old")), b"newer", 2, &NoFaults)
    });
    assert!(!done.unwrap().owner_kept);
    assert_eq!(fs::metadata(store.at("a.md")).unwrap().permissions().mode() & 0o7777, 0o644);
}

#[test]
fn without_the_right_to_write_nothing_happens() {
    let store = Store::new();
    store.write("closed/a.md", "old");
    store.mode("closed", 0o500);
    let old = Expected::Hash(Sha256::of(b"old"));
    let (replaced, placed) = store.unprivileged(|root| {
        (
            root.replace(&path("closed/a.md"), old, b"new", 1, &NoFaults).unwrap_err(),
            root.replace(&path("closed/x/b.md"), Expected::Absent, b"new", 2, &NoFaults).unwrap_err(),
        )
    });
    assert!(matches!(replaced, FileError::Denied { .. }), "{replaced}");
    assert!(matches!(placed, FileError::Denied { .. }), "{placed}");
    store.mode("closed", 0o700);
    assert_eq!(store.files(), [("closed/a.md".to_owned(), b"old".to_vec())].into());
}

#[test]
fn a_new_file_is_put_where_nothing_was_with_its_directories() {
    let store = Store::new();
    store.mode("", 0o700);
    let done = place(&store, "x/y/a.md", &NoFaults).unwrap();
    assert_eq!(done.made_directories, [path("x"), path("x/y")]);
    assert_eq!(done.seen, store.root().seen(&path("x/y/a.md")).unwrap());
    assert_eq!(store.files(), [("x/y/a.md".to_owned(), b"new content".to_vec())].into());
    let mode = |name| fs::metadata(store.at(name)).unwrap().permissions().mode() & 0o077;
    assert_eq!((mode("x"), mode("x/y/a.md")), (0, 0), "no more open than the store");
    assert_eq!(moved(&store, place(&store, "x/y/a.md", &NoFaults)).0, Some(Sha256::of(b"new content")));
}

#[test]
fn a_failure_takes_made_directories_back() {
    for step in [Step::MakeDirectory, Step::WriteTemporary, Step::SyncTemporary, Step::Exchange] {
        let store = Store::new();
        assert!(place(&store, "x/y/a.md", &Fail(vec![(step, Errno::IO)])).is_err());
        assert_eq!(fs::read_dir(store.at("")).unwrap().count(), 0, "{step:?}");
    }
    let store = Store::new();
    let result = place(&store, "x/a.md", &Disturb::at(Step::Exchange, || store.write("x/a.md", "theirs")));
    assert_eq!(moved(&store, result), (Some(Sha256::of(b"theirs")), None));
    assert_eq!(store.files(), [("x/a.md".to_owned(), b"theirs".to_vec())].into());
}

#[test]
fn a_crash_while_a_new_file_is_placed_leaves_it_absent_or_whole() {
    let mut before = 0;
    loop {
        let store = Store::new();
        let stopped = crash(before, |steps| drop(place(&store, "x/a.md", steps)));
        let whole = stopped.is_none() || stopped == Some(Step::SyncDirectory);
        assert_eq!(store.text("x/a.md").as_deref(), whole.then_some("new content"), "before {stopped:?}");
        store.recover();
        assert_eq!(store.hidden(), Vec::<String>::new());
        if stopped.is_none() {
            break;
        }
        before += 1;
    }
    assert!(before > 4);
}

#[test]
fn without_a_rename_to_a_free_name_a_second_name_does() {
    let store = Store::new();
    let unsupported = Fail(vec![(Step::Exchange, Errno::INVAL)]);
    assert_eq!(place(&store, "a.md", &unsupported).unwrap().guard, Guard::Atomic);
    let edit = Disturb::at(Step::Exchange, || store.write("b.md", "theirs"));
    let result = place(&store, "b.md", &Both(&edit, &unsupported));
    assert_eq!(moved(&store, result), (Some(Sha256::of(b"theirs")), None));
    assert!(store.hidden().is_empty());
}

#[test]
fn a_new_file_never_goes_behind_a_link() {
    let store = Store::new();
    store.write("outside/kept", "");
    store.link("outside", "link");
    store.link("nowhere", "dangling.md");
    assert!(matches!(place(&store, "link/a.md", &NoFaults), Err(FileError::Link { .. })));
    assert!(matches!(place(&store, "link/x/a.md", &NoFaults), Err(FileError::Link { .. })));
    assert!(matches!(place(&store, "dangling.md", &NoFaults), Err(FileError::Link { .. })));
    store.write("file", "");
    assert!(matches!(place(&store, "file/a.md", &NoFaults), Err(FileError::BelowAFile { .. })));
    assert!(matches!(place(&store, "outside", &NoFaults), Err(FileError::IsDirectory { .. })));
    assert_eq!(store.files().len(), 2);
}

#[test]
fn the_longest_names_work() {
    let store = Store::new();
    let name = "n".repeat(255);
    place(&store, &name, &NoFaults).unwrap();
    let old = Expected::Hash(Sha256::of(b"new content"));
    store.root().replace(&path(&name), old, b"newer", 9, &NoFaults).unwrap();
    assert_eq!(store.files(), [(name, b"newer".to_vec())].into());
}
