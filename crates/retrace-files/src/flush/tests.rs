use crate::harness::{Fail, Store, crash, path, steps_of};
use crate::{Done, Durable, Expected, NoFaults, Root, Step, Steps};
use retrace_model::{Rules, Sha256};
use rustix::io::Errno;
use std::fs;

fn later(store: &Store) -> Root {
    let mut root = store.root();
    root.set_durable(Durable::Later);
    root
}

fn replace(store: &Store, steps: &dyn Steps) -> Result<Done, crate::FileError> {
    later(store).replace(&path("a.md"), Expected::Hash(Sha256::of(b"old")), b"new content", 7, steps)
}

#[test]
fn an_act_that_is_flushed_later_waits_for_the_device_alone_and_says_so() {
    let store = Store::new();
    store.write("a.md", "old");
    let steps = steps_of(|steps| assert!(!replace(&store, steps).unwrap().synced));
    let expected = [
        Step::WriteTemporary,
        Step::CopyAttributes,
        Step::WriteOut,
        Step::NameSwap,
        Step::Exchange,
        Step::CheckDisplaced,
        Step::Unlink,
    ];
    assert_eq!(steps, expected);
    let steps = steps_of(|steps| {
        let done = later(&store).create_private(&path("d/b.md"), b"b", 8, steps).unwrap();
        assert!(!done.synced && done.seen.is_some());
    });
    let expected =
        [Step::MakeDirectory, Step::WriteTemporary, Step::CopyAttributes, Step::WriteOut, Step::Exchange];
    assert_eq!(steps, expected);
    let steps = steps_of(|steps| {
        let hash = Sha256::of(b"b");
        assert!(!later(&store).delete(&path("d/b.md"), hash, true, 9, steps).unwrap().synced);
    });
    assert_eq!(steps, [Step::SetAside, Step::CheckDisplaced, Step::Unlink, Step::RemoveDirectory]);
    assert_eq!(store.files(), [("a.md".to_owned(), b"new content".to_vec())].into());
    store.root().flush([&path("a.md"), &path("d/b.md")]).unwrap();
}

#[test]
fn a_process_that_stops_in_between_leaves_the_file_old_or_new() {
    for before in 0..8 {
        let store = Store::new();
        store.write("a.md", "old");
        let stopped = crash(before, |steps| drop(replace(&store, steps)));
        let live = store.text("a.md").unwrap();
        assert_eq!(live, if before > 4 { "new content" } else { "old" }, "before {stopped:?}");
        for leftover in store.root().leftovers(&Rules::default()) {
            assert!(leftover.is_of(&path("a.md")), "before {stopped:?}");
        }
        store.recover();
        assert_eq!(store.files().len(), 1, "before {stopped:?}");
    }
}

#[test]
fn a_content_that_does_not_reach_the_device_replaces_nothing() {
    let store = Store::new();
    store.write("a.md", "old");
    replace(&store, &Fail(vec![(Step::WriteOut, Errno::IO)])).unwrap_err();
    assert_eq!(store.files(), [("a.md".to_owned(), b"old".to_vec())].into());
}

/// Sizes on both sides of a page and of what is read back; each comes back as it was written, whatever the file system.
#[test]
fn contents_of_every_size_are_written_whole() {
    let store = Store::new();
    for (number, size) in [0, 1, 4095, 4096, 4097, 262_144, 262_145].into_iter().enumerate() {
        let bytes: Vec<u8> = (0..size).map(|at: usize| b'a' + (at % 23) as u8).collect();
        let name = path(&format!("{number}.md"));
        later(&store).create_private(&name, &bytes, 7, &NoFaults).unwrap();
        assert!(store.root().read(&name, u64::MAX).unwrap().bytes == Some(bytes), "{size} bytes");
    }
}

#[test]
fn what_is_not_there_is_flushed_by_what_is_above_it() {
    let store = Store::new();
    store.write("d/a.md", "a");
    store.write("file", "");
    store.link("d", "link");
    let root = store.root();
    let none: [&retrace_model::RelPath; 0] = [];
    root.flush(none).unwrap();
    let paths = ["d/a.md", "d/none.md", "none/deep/a.md", "file/below.md", "link/a.md", "d", "link"];
    root.flush(&paths.map(path)).unwrap();
}

#[test]
fn a_file_that_may_not_be_read_is_not_flushed() {
    let store = Store::new();
    store.write("a.md", "a");
    store.mode("a.md", 0o000);
    store.unprivileged(|root| {
        assert!(matches!(root.flush([&path("a.md")]), Err(crate::FileError::Denied { .. })));
    });
}

#[test]
fn a_file_system_in_memory_keeps_no_order() {
    let Ok(memory) = tempfile::tempdir_in("/dev/shm") else { return };
    assert!(!Root::open(memory.path()).unwrap().keeps_order());
    fs::write(memory.path().join("a.md"), "a").unwrap();
    Root::open(memory.path()).unwrap().flush([&path("a.md")]).unwrap();
}
