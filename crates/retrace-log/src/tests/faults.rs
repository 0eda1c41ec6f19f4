//! A disk that is full, a file that may not grow, a directory that may not be written.

#![cfg(unix)]

use super::harness::*;
use super::processes::{Running, child_command, child_directory};
use crate::*;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small file system of its own in memory, which only root can mount; gone with its value.
struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// `None`, with the reason printed, where it is unavailable.
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(folder.path());
        if mount.output().is_ok_and(|output| output.status.success()) {
            return Some(Self { folder });
        }
        println!("skipped: a small file system cannot be mounted here");
        None
    }

    fn remount(&self, how: &str) -> bool {
        let mut remount = Command::new("mount");
        remount.args(["-o", &format!("remount,{how}")]).arg(self.folder.path());
        remount.status().is_ok_and(|status| status.success())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let gone = Command::new("umount").arg(self.folder.path()).status();
        assert!(gone.is_ok_and(|status| status.success()), "the small file system is unmounted");
    }
}

/// Appends until the disk refuses; answers why, with the cursor and the head of the chain from before the refusal.
fn append_until_refused(writer: &mut Writer) -> (LogError, u64, retrace_model::Sha256) {
    let store = writer.reader().stores().expect("stores")[0].id;
    for number in 0..10_000 {
        let before =
            (writer.reader().cursor().expect("a cursor"), writer.reader().chain_head().expect("a head"));
        let changes = vec![
            put(store, "a.md", noise(number, 5000)),
            put(store, &format!("{number}.md"), noise(number, 4999)),
        ];
        if let Err(error) = writer.append(scan(store, START, changes)) {
            return (error, before.0, before.1);
        }
    }
    panic!("nothing refused fifty megabytes");
}

#[test]
fn a_full_disk_is_reported_and_nothing_is_half_done() {
    let Some(disk) = SmallDisk::mount() else { return };
    let files = LogFiles::new(disk.folder.path().join("data"));
    let mut writer = Writer::open(files.clone(), entropy(1)).expect("a log");
    let store = add_store(&mut writer, "notes");
    let (error, cursor, head) = append_until_refused(&mut writer);
    assert!(matches!(error, LogError::Full), "{error:?}");
    let reader = writer.reader();
    assert_eq!((reader.cursor().expect("a cursor"), reader.chain_head().expect("a head")), (cursor, head));
    assert_eq!(reader.verify().expect("verifies").problems, Vec::<String>::new());
    assert!(
        matches!(writer.purge(&Needles::default()), Err(LogError::Full)),
        "there is no room to write it anew"
    );
    drop(writer);
    assert!(disk.remount("size=64m"), "the disk gets larger");
    let mut writer = Writer::open(files, entropy(2)).expect("opens again");
    writer.append(scan(store, START, vec![put(store, "late.md", "it goes on")])).expect("appends");
    writer.purge(&Needles::default()).expect("purges");
    assert_eq!(writer.reader().cursor().expect("a cursor"), cursor + 1);
    assert_eq!(writer.reader().verify().expect("verifies").problems, Vec::<String>::new());
}

#[test]
fn a_log_on_a_full_disk_is_read_and_written_once_there_is_room() {
    let Some(disk) = SmallDisk::mount() else { return };
    let files = LogFiles::new(disk.folder.path().join("data"));
    let mut writer = Writer::open(files.clone(), entropy(1)).expect("a log");
    let store = add_store(&mut writer, "notes");
    writer.append(scan(store, START, vec![put(store, "a.md", "before")])).expect("appends");
    let cursor = writer.reader().cursor().expect("a cursor");
    drop(writer);
    // Every byte of it, so that not even the index of a write-ahead log can be made.
    let mut rest = std::fs::File::create(disk.folder.path().join("rest")).expect("a file");
    while std::io::Write::write_all(&mut rest, &[1; 512]).is_ok() {}
    drop(rest);

    let mut writer = Writer::open(files.clone(), entropy(2)).expect("opens for reading");
    assert_eq!(writer.reader().cursor().expect("a cursor"), cursor);
    let refused = writer.append(scan(store, START, vec![put(store, "b.md", "in vain")]));
    assert!(matches!(refused, Err(LogError::Full)), "{refused:?}");
    assert!(matches!(writer.purge(&Needles::default()), Err(LogError::Full)));
    let reader = ReadConnection::open(&files).expect("opens");
    assert!(!reader.sees_what_follows());
    assert_eq!(reader.snapshot(|reader| reader.cursor()).expect("a cursor"), cursor);
    drop(reader);

    std::fs::remove_file(disk.folder.path().join("rest")).expect("there is room");
    writer.append(scan(store, START, vec![put(store, "b.md", "it goes on")])).expect("appends");
    assert_eq!(writer.reader().cursor().expect("a cursor"), cursor + 1);
    let reader = ReadConnection::open(&files).expect("opens");
    assert!(reader.sees_what_follows());
    assert_eq!(reader.snapshot(|reader| reader.verify()).expect("verifies").problems, Vec::<String>::new());
}

/// Not a test of its own: what the child of the next one does.
#[test]
fn child_whose_files_may_not_grow() {
    let Some(directory) = child_directory() else { return };
    let mut writer = Writer::open(LogFiles::new(directory), entropy(3)).expect("a log");
    let (error, cursor, head) = append_until_refused(&mut writer);
    let reader = writer.reader();
    assert_eq!((reader.cursor().expect("a cursor"), reader.chain_head().expect("a head")), (cursor, head));
    let kind = match error {
        LogError::Full => "full",
        LogError::CannotWrite(_) => "cannot write",
        other => panic!("{other:?}"),
    };
    println!("child: {kind} after {cursor}");
}

#[test]
fn a_file_that_may_not_grow_is_reported_and_nothing_is_half_done() {
    let log = TestLog::new();
    let child = child_command("tests::faults::child_whose_files_may_not_grow", log.files().directory());
    // The limit is in blocks of 512 bytes; the signal that comes with it is turned into an error.
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 1000; exec \"$@\"", "sh"]).arg(child.get_program());
    limited.args(child.get_args());
    limited.envs(child.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
    let mut running = Running(limited.spawn().expect("a child"));
    let reported = running.lines("child: ").next().expect("it is refused in the end");
    let (kind, cursor) = reported.split_once(" after ").expect("both");
    assert!(["full", "cannot write"].contains(&kind), "{reported}");
    drop(running);
    let mut log = log.reopen(4);
    assert_eq!(log.writer.reader().cursor().expect("a cursor").to_string(), cursor);
    log.assert_sound();
    log.put("late.md", "it goes on");
    log.assert_sound();
}

/// A directory with a log that may be read but not written, with what undoes that; `None` where it is unavailable.
fn read_only() -> Option<(LogFiles, Box<dyn std::any::Any>)> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let make = |data: PathBuf| {
        let mut writer = Writer::open(LogFiles::new(data), entropy(1)).expect("a log");
        add_store(&mut writer, "notes");
    };
    let folder = tempfile::tempdir().expect("a folder");
    if folder.path().metadata().expect("metadata").uid() != 0 {
        let data = folder.path().join("data");
        make(data.clone());
        let allow = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("permissions");
        };
        allow(&data.join("retrace.db"), 0o400);
        allow(&data, 0o500);
        return Some((LogFiles::new(data), Box::new(folder)));
    }
    // Permissions do not bind root; a file system that is mounted for reading does.
    let disk = SmallDisk::mount()?;
    let data = disk.folder.path().join("data");
    make(data.clone());
    if !disk.remount("ro") {
        println!("skipped: running as root, and a file system cannot be made read-only here");
        return None;
    }
    Some((LogFiles::new(data), Box::new(disk)))
}

#[test]
fn a_directory_that_may_not_be_written_is_reported() {
    let Some((files, _undo)) = read_only() else { return };
    let mut writer = Writer::open(files.clone(), entropy(2)).expect("opens for reading");
    let store = writer.reader().stores().expect("stores")[0].id;
    let cursor = writer.reader().cursor().expect("a cursor");
    let refused = writer.append(scan(store, START, vec![put(store, "a.md", "one")])).map(drop);
    assert!(matches!(refused, Err(LogError::CannotWrite(_))), "{refused:?}");
    let connection = ReadConnection::open(&files).expect("opens");
    assert_eq!(connection.snapshot(|reader| reader.cursor()).expect("a cursor"), cursor);
    let refused = Lease::take(&files, 1);
    assert!(matches!(refused, Err(LogError::CannotWrite(_))), "{refused:?}");
    assert_eq!(Lease::holder(&files), None);
    let new = LogFiles::new(files.directory().join("new"));
    let refused = Writer::open(new, entropy(2)).map(drop);
    assert!(matches!(refused, Err(LogError::CannotWrite(_))), "{refused:?}");
}
