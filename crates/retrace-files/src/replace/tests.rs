use crate::harness::{Both, Disturb, Fail, FailLater, Store, crash, path, steps_of};
use crate::{
    Done, Durable, Expected, FileError, Guard, LeftoverKind, LetGo, NoFaults, Root, Step, Steps, names,
};
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

/// Of a new file whose directory is missing.
const PLACING: [Step; 7] = [
    Step::MakeDirectory,
    Step::SyncDirectory,
    Step::WriteTemporary,
    Step::CopyAttributes,
    Step::SyncTemporary,
    Step::Exchange,
    Step::SyncDirectory,
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

/// The permission bits of a file or directory.
fn mode(store: &Store, name: &str) -> u32 {
    fs::metadata(store.at(name)).unwrap().permissions().mode() & 0o7777
}

fn holding(store: &Store) -> Root {
    let mut root = store.root();
    root.set_holding(true);
    root
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
        let whole =
            stopped.is_none() || before > PLACING.iter().position(|step| *step == Step::Exchange).unwrap();
        assert_eq!(store.text("x/a.md").as_deref(), whole.then_some("new content"), "before {stopped:?}");
        store.recover();
        assert_eq!(store.hidden(), Vec::<String>::new());
        if stopped.is_none() {
            break;
        }
        before += 1;
    }
    assert_eq!(before, PLACING.len());
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
    let steps = steps_of(|steps| {
        assert!(matches!(place(&store, "file/a.md", steps), Err(FileError::BelowAFile { .. })));
        assert!(matches!(place(&store, "link/x/a.md", steps), Err(FileError::Link { .. })));
    });
    assert_eq!(steps, [], "not even tried");
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

#[test]
fn a_new_file_and_its_directory_are_waited_for() {
    let store = Store::new();
    let steps = steps_of(|steps| assert!(place(&store, "x/a.md", steps).unwrap().synced));
    assert_eq!(steps, PLACING);

    // Not so the directory: nothing is placed. Not so the file: it is in place, and the act says so.
    let store = Store::new();
    place(&store, "x/a.md", &Fail(vec![(Step::SyncDirectory, Errno::IO)])).unwrap_err();
    assert_eq!(fs::read_dir(store.at("")).unwrap().count(), 0);
    let done = place(&store, "x/a.md", &FailLater::after(1, Step::SyncDirectory)).unwrap();
    assert!(!done.synced);
    assert_eq!(store.text("x/a.md").unwrap(), "new content");
}

#[test]
fn a_private_file_is_for_its_owner_alone_whatever_it_and_its_directory_allowed() {
    let store = store();
    store.mode("", 0o777);
    store.mode("a.md", 0o666);
    let root = store.root();
    let done = root.replace_private(&path("a.md"), Sha256::of(b"old"), b"new", 1, &NoFaults).unwrap();
    assert_eq!(done, Done { seen: root.seen(&path("a.md")).unwrap(), ..Done::new(Guard::Atomic) });
    assert_eq!((store.text("a.md").unwrap().as_str(), mode(&store, "a.md")), ("new", 0o600));

    let done = root.create_private(&path("x/y/b.md"), b"new", 2, &NoFaults).unwrap();
    assert_eq!(done.made_directories, [path("x"), path("x/y")]);
    assert_eq!(store.text("x/y/b.md").unwrap(), "new");
    assert_eq!(["x", "x/y", "x/y/b.md"].map(|name| mode(&store, name)), [0o700, 0o700, 0o600]);

    assert_eq!(root.make_private_parents(&path("x/z/c.md"), &NoFaults).unwrap(), [path("x/z")]);
    assert_eq!(mode(&store, "x/z"), 0o700);
    assert_eq!(root.make_private_parents(&path("d.md"), &NoFaults).unwrap(), []);
    assert!(!store.at("x/z/c.md").exists() && !store.at("d.md").exists());
}

#[test]
fn directories_made_in_vain_go_again() {
    let store = Store::new();
    let second = FailLater::after(1, Step::MakeDirectory);
    store.root().make_private_parents(&path("x/y/a.md"), &second).unwrap_err();
    assert_eq!(fs::read_dir(store.at("")).unwrap().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn the_mask_of_the_process_holds_for_what_is_shared_and_not_for_what_is_private() {
    use crate::harness::masked;
    let store = Store::new();
    store.mode("", 0o2755);
    let shared = |mask, at: &str| drop(masked(mask, || place(&store, at, &NoFaults)).unwrap());
    shared(0, "open/a.md");
    assert_eq!(["open", "open/a.md"].map(|name| mode(&store, name) & 0o777), [0o755, 0o644]);
    shared(0o027, "masked/a.md");
    assert_eq!(["masked", "masked/a.md"].map(|name| mode(&store, name) & 0o777), [0o750, 0o640]);
    // A mask that takes rights from the owner too.
    masked(0o333, || store.root().create_private(&path("own/a.md"), b"new", 3, &NoFaults)).unwrap();
    assert_eq!(["own", "own/a.md"].map(|name| mode(&store, name) & 0o777), [0o700, 0o600]);
}

#[test]
fn a_directory_that_somebody_else_makes_meanwhile_is_theirs() {
    let store = Store::new();
    let theirs = Disturb::at(Step::MakeDirectory, || fs::create_dir(store.at("x")).unwrap());
    let done = place(&store, "x/y/a.md", &theirs).unwrap();
    assert_eq!(done.made_directories, [path("x/y")]);
    assert_eq!(store.text("x/y/a.md").unwrap(), "new content");

    let store = Store::new();
    let theirs = Disturb::at(Step::MakeDirectory, || fs::create_dir(store.at("x")).unwrap());
    place(&store, "x/y/a.md", &Both(&theirs, &Fail(vec![(Step::Exchange, Errno::IO)]))).unwrap_err();
    assert!(store.at("x").is_dir() && !store.at("x/y").exists());
}

#[test]
fn a_place_that_cannot_be_asked_about_is_not_written_to() {
    let store = Store::new();
    let name = "n".repeat(256);
    let steps = steps_of(|steps| drop(place(&store, &name, steps).unwrap_err()));
    assert_eq!(steps, []);
}

#[test]
fn an_error_is_not_taken_for_somebody_elses_file() {
    let store = Store::new();
    let edit = Disturb::at(Step::Exchange, || store.write("a.md", "theirs"));
    let result = place(&store, "a.md", &Both(&edit, &Fail(vec![(Step::Exchange, Errno::IO)])));
    assert!(matches!(result, Err(FileError::Io { .. })), "{result:?}");
    assert_eq!(store.files(), [("a.md".to_owned(), b"theirs".to_vec())].into());
}

#[test]
fn an_attribute_that_cannot_be_kept_is_reported() {
    if !rustix::process::geteuid().is_root() {
        return; // Only root can give a file an attribute that others may read and not set.
    }
    let store = store();
    store.unprivileged(|_| ());
    let flags = rustix::fs::XattrFlags::empty();
    if rustix::fs::setxattr(store.at("a.md"), "security.note", b"lost", flags).is_err() {
        return; // A file system without such attributes has none to lose.
    }
    let done = store.as_nobody(|root| {
        root.replace(&path("a.md"), Expected::Hash(Sha256::of(b"old")), b"newer", 2, &NoFaults)
    });
    assert_eq!(done.unwrap().attributes_lost, ["security.note"]);
}

#[test]
fn hidden_names_that_are_taken_are_passed_over_a_few_times() {
    let random = 7; // as the acts of these tests have it
    let taken = |store: &Store, how_many: u64| {
        for attempt in 0..how_many {
            let name = names::hidden(b"a.md", random + attempt, LeftoverKind::New);
            store.write(std::str::from_utf8(&name).unwrap(), "theirs");
        }
    };
    for how_many in [1, 2, 8] {
        let store = Store::new();
        taken(&store, how_many);
        place(&store, "a.md", &NoFaults).unwrap();
        assert_eq!(store.text("a.md").unwrap(), "new content");
        assert_eq!(store.hidden(), vec!["theirs"; usize::try_from(how_many).unwrap()]);
    }
    let store = Store::new();
    taken(&store, 9);
    place(&store, "a.md", &NoFaults).unwrap_err();
    assert_eq!(store.files().len(), 9);
    // Another error is no reason to try again.
    let store = Store::new();
    let mut tried = 0;
    let steps = steps_of(|steps| {
        let closed = Disturb::at(Step::WriteTemporary, || tried += 1);
        let failing = Fail(vec![(Step::WriteTemporary, Errno::IO)]);
        place(&store, "a.md", &Both(steps, &Both(&closed, &failing))).unwrap_err();
    });
    assert_eq!((steps, tried), (vec![Step::WriteTemporary], 1));
}

/// Size and time are what tells that a displaced file was written to: either of them alone does.
#[test]
fn an_edit_in_place_is_noticed_by_its_size_or_by_its_time() {
    for (text, at_the_same_time) in [("old and more", true), ("OLD", false)] {
        let store = store();
        let open = fs::OpenOptions::new().write(true).open(store.at("a.md")).unwrap();
        let before = open.metadata().unwrap().modified().unwrap();
        let edit = Disturb::at(Step::SyncDirectory, || {
            (&open).write_all(text.as_bytes()).unwrap();
            let later = std::time::Duration::from_secs(if at_the_same_time { 0 } else { 1 });
            open.set_modified(before + later).unwrap();
        });
        let result = replace(&store, &edit);
        assert_eq!(moved(&store, result), (Some(Sha256::of(text.as_bytes())), None));
        assert_eq!(store.files(), [("a.md".to_owned(), text.as_bytes().to_vec())].into());
    }
}

#[test]
fn what_an_act_that_holds_cannot_put_back_is_held() {
    let store = store();
    let edit = Disturb::at(Step::Exchange, || store.write_by_rename("a.md", "theirs"));
    let failing = Both(&edit, &Fail(vec![(Step::PutBack, Errno::IO)]));
    let old = Expected::Hash(Sha256::of(b"old"));
    let root = holding(&store);
    let done = root.replace(&path("a.md"), old, b"new content", 7, &failing).unwrap();
    assert_eq!(store.text("a.md").unwrap(), "new content");
    // It was never compared, so letting go does not remove it.
    let leftover = root.let_go(&done.held.unwrap(), &NoFaults).leftover.unwrap();
    assert_eq!(store.text(&leftover.to_text()).unwrap(), "theirs");
}

#[test]
fn without_exchange_the_old_content_is_held_until_the_names_are_on_the_disk() {
    let unsupported = (Step::Exchange, Errno::INVAL);
    for (durable, sync_fails, stays) in
        [(Durable::Now, false, false), (Durable::Now, true, true), (Durable::Later, false, false)]
    {
        let store = store();
        let mut root = holding(&store);
        root.set_durable(durable);
        let mut failing = vec![unsupported];
        failing.extend(sync_fails.then_some((Step::SyncDirectory, Errno::IO)));
        let old = Expected::Hash(Sha256::of(b"old"));
        let done = root.replace(&path("a.md"), old, b"new", 7, &Fail(failing)).unwrap();
        assert_eq!(done.synced, durable == Durable::Now && !sync_fails);
        let LetGo { leftover, .. } = root.let_go(&done.held.unwrap(), &NoFaults);
        assert_eq!(leftover.is_some(), stays, "{durable:?}, {sync_fails}");
    }
}
