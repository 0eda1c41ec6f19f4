//! One window for each data directory: who starts first holds a lock there and listens; who comes later asks the first to
//! show its window, and ends.
//!
//! The lock is the system's on `desktop.lock`, so that it goes with its process however that ends. `desktop.door` says where
//! the first listens, on the loopback address alone, and holds what has to be said there; only this user can read it. A name
//! on the desktop's bus would be one for the program, whatever its data directory, and there may be no bus.
//!
//! The first answers from the moment that it has the lock, before its window is there, and no longer once it is ending. So
//! of two that start at the same time one waits for the other's answer, and one that starts as the first is ending waits for
//! the lock. Where neither comes for some seconds, the later one starts all the same: two windows over one log are safe, no
//! window is not.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Held by the first.
const LOCK: &str = "desktop.lock";

/// Where the first listens, and its word.
const DOOR: &str = "desktop.door";

/// Pictures of the tray, which desktops read from files.
const PICTURES: &str = "tray";

/// Answer of the first instance once it was asked to show its window.
const SHOWN: &str = "shown";

/// Longest wait for one answer. Both are on this machine.
const PATIENCE: Duration = Duration::from_secs(2);

/// Longest time a start tries to get the lock or an answer. From the lock to the answer, and from the last answer to
/// the end, a first takes milliseconds on a machine at rest.
const TRYING: Duration = Duration::from_secs(5);

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// Longest line that is read of a stranger, in bytes.
const LONGEST: u64 = 200;

/// Result of a start.
#[derive(Debug)]
pub(crate) enum Start {
    /// No other window is open over this data directory, or none that answers. `None`: this one cannot be asked by others.
    First(Option<Instance>),
    /// Another window is open and was asked to come to the front.
    Other,
}

/// The first window's lock and its ear. Dropped, the next start is the first.
#[derive(Debug)]
pub(crate) struct Instance {
    listener: TcpListener,
    word: String,
    door: PathBuf,
    /// True if it is ending, and asks later starts to wait for the lock.
    is_leaving: AtomicBool,
    _lock: File,
}

/// Takes the place of the one window over `data_dir`, or asks the window that has it to come to the front. `random` fills a
/// buffer with random bytes. Blocks, for some seconds at most.
pub(crate) fn start(data_dir: &Path, random: &dyn Fn(&mut [u8])) -> Start {
    start_within(TRYING, data_dir, random)
}

fn start_within(trying: Duration, data_dir: &Path, random: &dyn Fn(&mut [u8])) -> Start {
    let begun = Instant::now();
    loop {
        match lock(data_dir) {
            // Without a lock, for instance on a disk that is full or knows none, the app works all the same.
            Err(_) => return Start::First(None),
            Ok(Some(lock)) => return Start::First(Instance::open(data_dir, lock, random).ok()),
            Ok(None) if ask(&data_dir.join(DOOR)).is_ok() => return Start::Other,
            // The first has not said yet where it listens, or is ending.
            Ok(None) if begun.elapsed() < trying => std::thread::sleep(PAUSE),
            Ok(None) => return Start::First(None),
        }
    }
}

/// The lock, or `None` when another process holds it.
fn lock(data_dir: &Path) -> io::Result<Option<File>> {
    let mut folder = DirBuilder::new();
    folder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder.create(data_dir)?;
    let file = private().open(data_dir.join(LOCK))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Opens files for this user alone, and makes them.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Asks the window behind a door to come to the front.
fn ask(door: &Path) -> io::Result<()> {
    let text = std::fs::read_to_string(door)?;
    let (port, word) = text.trim_end().split_once(' ').ok_or(io::ErrorKind::InvalidData)?;
    let port: u16 = port.parse().map_err(|_| io::ErrorKind::InvalidData)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    writeln!(stream, "{word}")?;
    if line(&stream)? == SHOWN { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// One line of the other side, without its end.
fn line(stream: &TcpStream) -> io::Result<String> {
    let mut line = String::new();
    BufReader::new(stream.take(LONGEST)).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

impl Instance {
    fn open(data_dir: &Path, lock: File, random: &dyn Fn(&mut [u8])) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let mut bytes = [0; 16];
        random(&mut bytes);
        let word: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let door = data_dir.join(DOOR);
        writeln!(private().open(&door)?, "{} {word}", listener.local_addr()?.port())?;
        Ok(Self { listener, word, door, is_leaving: AtomicBool::new(false), _lock: lock })
    }

    /// A directory for the pictures of the tray, of this window alone, without those of windows before.
    pub(crate) fn tray_pictures(&self) -> PathBuf {
        let folder = self.door.with_file_name(PICTURES);
        // A folder that stays is written over.
        drop(std::fs::remove_dir_all(&folder));
        folder
    }

    /// No later start is answered any more: the window goes. The lock stays until the process has ended.
    pub(crate) fn leave(&self) {
        self.is_leaving.store(true, Ordering::Relaxed);
    }

    /// Calls `show` each time a later start asks, for as long as the process runs. Blocks.
    pub(crate) fn answer(&self, show: impl Fn()) {
        for stream in self.listener.incoming().flatten() {
            // Who does not know the word, or is slow, gets no answer.
            drop(self.answer_one(&stream, &show));
        }
    }

    fn answer_one(&self, mut stream: &TcpStream, show: &impl Fn()) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        if line(stream)? == self.word && !self.is_leaving.load(Ordering::Relaxed) {
            show();
            writeln!(stream, "{SHOWN}")?;
        }
        Ok(())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // A door that stays leads nowhere, which the next start finds out.
        drop(std::fs::remove_file(&self.door));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, channel};

    fn random(bytes: &mut [u8]) {
        bytes.fill(7);
    }

    fn first(data_dir: &Path) -> Instance {
        match start(data_dir, &random) {
            Start::First(Some(instance)) => instance,
            other => panic!("not the first: {other:?}"),
        }
    }

    /// Lets an instance answer; what it shows can be received.
    fn answering(instance: &Arc<Instance>) -> Receiver<()> {
        let (shown, seen) = channel();
        let instance = Arc::clone(instance);
        std::thread::spawn(move || instance.answer(|| shown.send(()).expect("somebody waits")));
        seen
    }

    #[test]
    fn a_second_start_brings_the_first_window_to_the_front_and_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let data_dir = folder.path().join("new/data");
        let instance = Arc::new(first(&data_dir));
        let seen = answering(&instance);
        for _ in 0..3 {
            assert!(matches!(start(&data_dir, &random), Start::Other));
            seen.recv().expect("the window is shown");
        }
        // Another data directory is another app.
        drop(first(&folder.path().join("other")));
    }

    #[test]
    fn after_the_first_the_next_is_first_whatever_was_left() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(first(folder.path()));
        assert!(!folder.path().join(DOOR).exists());
        for left in ["", "nonsense", "99999 word", "1 word"] {
            std::fs::write(folder.path().join(DOOR), left).expect("a file");
            drop(first(folder.path()));
        }
    }

    #[test]
    fn a_first_that_does_not_answer_stops_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        let held = lock(folder.path()).expect("a lock").expect("it is free");
        let start = || start_within(Duration::ZERO, folder.path(), &random);
        assert!(matches!(start(), Start::First(None)), "there is no door");
        std::fs::write(folder.path().join(DOOR), "1 word\n").expect("a file");
        assert!(matches!(start(), Start::First(None)), "nobody is behind it");
        drop(held);
        drop(first(folder.path()));
    }

    #[test]
    fn a_start_waits_for_a_first_that_has_no_door_yet() {
        let folder = tempfile::tempdir().expect("a folder");
        let held = lock(folder.path()).expect("a lock").expect("it is free");
        // File that an instance before left behind; its port is nobody's.
        std::fs::write(folder.path().join(DOOR), "1 word\n").expect("a file");
        let path = folder.path().to_owned();
        let later = std::thread::spawn(move || start_within(Duration::MAX, &path, &random));
        let instance = Arc::new(Instance::open(folder.path(), held, &random).expect("it listens"));
        let seen = answering(&instance);
        assert!(matches!(later.join().expect("it ends"), Start::Other));
        seen.recv().expect("the window is shown");
    }

    #[test]
    fn a_start_while_the_first_ends_is_the_next_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let instance = Arc::new(first(folder.path()));
        let seen = answering(&instance);
        instance.leave();
        assert!(
            matches!(start_within(Duration::ZERO, folder.path(), &random), Start::First(None)),
            "no answer, and the lock is still held"
        );
        assert!(seen.try_recv().is_err(), "a window that goes is not shown");
        let held = lock(folder.path()).expect("no error");
        assert!(held.is_none(), "until the process has ended");
    }

    #[test]
    fn a_stranger_is_not_answered_and_the_door_is_the_users_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let instance = Arc::new(first(folder.path()));
        let door = folder.path().join(DOOR);
        let text = std::fs::read_to_string(&door).expect("a door");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&door).expect("a door").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let seen = answering(&instance);
        let (port, word) = text.trim_end().split_once(' ').expect("two words");
        for wrong in ["", "wrong", &word[1..], &"x".repeat(1000)] {
            let strange = folder.path().join("strange");
            std::fs::write(&strange, format!("{port} {wrong}\n")).expect("a file");
            ask(&strange).expect_err("no answer");
        }
        assert!(seen.try_recv().is_err());
        ask(&door).expect("an answer");
    }
}
