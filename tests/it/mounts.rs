//! File systems of a test's own: full ones and read-only ones. A test that needs them runs in a process with mounts of its
//! own, and is skipped where the system does not allow that.

use retrace_tests::child;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory to work in, when this process has mounts of its own. Otherwise runs `test` in one that has, waits for it,
/// and answers `None`.
pub(crate) fn own(test: &str) -> Option<PathBuf> {
    if let Some((_, directory)) = child::task() {
        return Some(directory);
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut probe = Command::new("unshare");
    probe.args(["--mount", "--user", "--map-root-user", "mount", "-t", "tmpfs", "t"]).arg(directory.path());
    if !run(&mut probe) {
        println!("skipped: this system does not let a test mount a file system");
        return None;
    }
    let output = child::with_own_mounts(test, directory.path()).output().expect("a process");
    let reported = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&reported));
    None
}

fn run(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Mounts an empty file system of `kibibytes` at `at`.
pub(crate) fn small(at: &Path, kibibytes: u32) {
    std::fs::create_dir_all(at).expect("a directory");
    let size = format!("size={kibibytes}k,mode=755");
    let mut command = Command::new("mount");
    command.args(["-t", "tmpfs", "-o", &size, "retrace-test"]).arg(at);
    assert!(run(&mut command), "mounts are allowed here");
}

/// Makes what is below `at` read-only.
pub(crate) fn read_only(at: &Path) {
    assert!(run(Command::new("mount").arg("--bind").args([at, at])), "mounts are allowed here");
    assert!(run(Command::new("mount").args(["-o", "remount,bind,ro"]).arg(at)), "mounts are allowed here");
}

/// Makes what was made read-only writable again.
pub(crate) fn writable(at: &Path) {
    assert!(run(Command::new("umount").arg(at)), "it was mounted here");
}

/// Fills the file system that holds `ballast` until no more than `left` bytes are free.
pub(crate) fn fill(ballast: &Path, left: usize) {
    let mut file = std::fs::File::create(ballast).expect("a file");
    let page = [b'#'; 4096];
    let mut written = 0u64;
    while file.write_all(&page).is_ok() {
        written += 4096;
    }
    file.set_len(written.saturating_sub(left as u64)).expect("it shrinks");
}
