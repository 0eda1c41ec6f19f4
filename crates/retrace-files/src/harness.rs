//! A store in a temporary directory, and hooks that fail, stop or disturb an act between its steps.

use crate::names;
use crate::{Root, Step, Steps};
use retrace_model::{RelPath, Rules};
use rustix::fs::Mode;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;

pub(crate) struct Store(tempfile::TempDir);

pub(crate) fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

/// The user that root becomes to feel permissions: "nobody" by convention.
const NOBODY: u32 = 65534;

/// Gives up root's rights in this thread alone, which only Linux can.
#[cfg(target_os = "linux")]
fn become_nobody() {
    use rustix::fs::{Gid, Uid};
    let (uid, gid) = (Some(Uid::from_raw(NOBODY)), Some(Gid::from_raw(NOBODY)));
    rustix::thread::set_thread_groups(&[]).unwrap();
    rustix::thread::set_thread_res_gid(gid, gid, gid).unwrap();
    rustix::thread::set_thread_res_uid(uid, uid, uid).unwrap();
}

#[cfg(not(target_os = "linux"))]
fn become_nobody() {
    panic!("run these tests as an ordinary user");
}

/// Runs `body` in a thread of which the mask for new files is `mask`. Only Linux gives a thread its own.
#[cfg(target_os = "linux")]
pub(crate) fn masked<T: Send>(mask: u32, body: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let masked = scope.spawn(|| {
            #[expect(
                deprecated,
                reason = "it is called unsafe for the table of open files, which stays shared"
            )]
            rustix::thread::unshare(rustix::thread::UnshareFlags::FS).unwrap();
            rustix::process::umask(Mode::from_bits_truncate(mask));
            body()
        });
        masked.join().unwrap()
    })
}

impl Store {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn root(&self) -> Root {
        Root::open(self.0.path()).unwrap()
    }

    /// Writes in place, parents included.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), bytes).unwrap();
    }

    /// Writes as careful editors do: to another file that is renamed.
    pub(crate) fn write_by_rename(&self, name: &str, bytes: impl AsRef<[u8]>) {
        self.write("editor~", bytes);
        fs::rename(self.at("editor~"), self.at(name)).unwrap();
    }

    pub(crate) fn link(&self, to: &str, name: &str) {
        symlink(to, self.at(name)).unwrap();
    }

    pub(crate) fn fifo(&self, name: &str) {
        rustix::fs::mkfifoat(rustix::fs::CWD, self.at(name), Mode::from_bits_truncate(0o644)).unwrap();
    }

    pub(crate) fn mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.at(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Runs `body` as a user for whom permissions hold, who owns everything in the store.
    pub(crate) fn unprivileged<T: Send>(&self, body: impl FnOnce(&Root) -> T + Send) -> T {
        if !rustix::process::geteuid().is_root() {
            return body(&self.root());
        }
        self.give_away(self.0.path());
        self.as_nobody(body)
    }

    /// Runs `body` as a user without rights; only root can become one.
    pub(crate) fn as_nobody<T: Send>(&self, body: impl FnOnce(&Root) -> T + Send) -> T {
        std::thread::scope(|scope| {
            scope
                .spawn(|| {
                    become_nobody();
                    body(&self.root())
                })
                .join()
                .unwrap()
        })
    }

    fn give_away(&self, at: &std::path::Path) {
        std::os::unix::fs::lchown(at, Some(NOBODY), Some(NOBODY)).unwrap();
        if fs::symlink_metadata(at).unwrap().is_dir() {
            for entry in fs::read_dir(at).unwrap() {
                self.give_away(&entry.unwrap().path());
            }
        }
    }

    /// Every regular file by its path, hidden ones included.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        fn walk(at: &std::path::Path, prefix: &str, into: &mut BTreeMap<String, Vec<u8>>) {
            for entry in fs::read_dir(at).unwrap() {
                let entry = entry.unwrap();
                let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    walk(&entry.path(), &format!("{name}/"), into);
                } else if kind.is_file() {
                    into.insert(name, fs::read(entry.path()).unwrap());
                }
            }
        }
        let mut files = BTreeMap::new();
        walk(self.0.path(), "", &mut files);
        files
    }

    /// The content of a live file as text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        fs::read(self.at(name)).ok().map(|bytes| String::from_utf8(bytes).unwrap())
    }

    /// Contents of the hidden files of acts.
    pub(crate) fn hidden(&self) -> Vec<String> {
        let is_hidden = |name: &str| names::parse(name.rsplit('/').next().unwrap().as_bytes()).is_some();
        self.files()
            .into_iter()
            .filter(|(name, _)| is_hidden(name))
            .map(|(_, bytes)| String::from_utf8(bytes).unwrap())
            .collect()
    }

    /// Discards every leftover, as recovery does once their contents are in the log.
    pub(crate) fn recover(&self) {
        let root = self.root();
        for leftover in root.leftovers(&Rules::default()) {
            root.discard(&leftover).unwrap();
        }
    }
}

/// Fails the steps it lists, with an error number each.
pub(crate) struct Fail(pub Vec<(Step, rustix::io::Errno)>);

impl Steps for Fail {
    fn before(&self, step: Step) -> io::Result<()> {
        match self.0.iter().find(|(failing, _)| *failing == step) {
            Some((_, error)) => Err((*error).into()),
            None => Ok(()),
        }
    }
}

/// Fails a step of this kind after it passed so many times.
pub(crate) struct FailLater {
    step: Step,
    passes: Cell<usize>,
}

impl FailLater {
    pub(crate) fn after(passes: usize, step: Step) -> Self {
        Self { step, passes: Cell::new(passes) }
    }
}

impl Steps for FailLater {
    fn before(&self, step: Step) -> io::Result<()> {
        if step != self.step {
            return Ok(());
        }
        match self.passes.get().checked_sub(1) {
            Some(left) => self.passes.set(left),
            None => return Err(rustix::io::Errno::IO.into()),
        }
        Ok(())
    }
}

/// Does something else before steps, once each.
pub(crate) struct Disturb<'a>(RefCell<Vec<(Step, Disturbance<'a>)>>);

type Disturbance<'a> = Box<dyn FnOnce() + 'a>;

impl<'a> Disturb<'a> {
    pub(crate) fn at(step: Step, what: impl FnOnce() + 'a) -> Self {
        Self(RefCell::new(vec![(step, Box::new(what))]))
    }

    pub(crate) fn and(self, step: Step, what: impl FnOnce() + 'a) -> Self {
        self.0.borrow_mut().push((step, Box::new(what)));
        self
    }
}

impl Steps for Disturb<'_> {
    fn before(&self, step: Step) -> io::Result<()> {
        let at = self.0.borrow().iter().position(|(when, _)| *when == step);
        if let Some(at) = at {
            let (_, what) = self.0.borrow_mut().remove(at);
            what();
        }
        Ok(())
    }
}

/// Both: the second is asked when the first lets the step pass.
pub(crate) struct Both<'a>(pub &'a dyn Steps, pub &'a dyn Steps);

impl Steps for Both<'_> {
    fn before(&self, step: Step) -> io::Result<()> {
        self.0.before(step)?;
        self.1.before(step)
    }
}

struct Stop {
    before: usize,
    passed: Cell<usize>,
    at: Cell<Option<Step>>,
}

impl Steps for Stop {
    fn before(&self, step: Step) -> io::Result<()> {
        if self.passed.get() == self.before {
            self.at.set(Some(step));
            // Unwinding runs no clean-up of files, as in a crash; and no message is printed.
            resume_unwind(Box::new(()));
        }
        self.passed.set(self.passed.get() + 1);
        Ok(())
    }
}

/// Stops `act` before its step number `before`, as a crash would; the step at which it stopped, or `None` when it has
/// fewer steps and came to its end.
pub(crate) fn crash(before: usize, act: impl FnOnce(&dyn Steps)) -> Option<Step> {
    let stop = Stop { before, passed: Cell::new(0), at: Cell::new(None) };
    let _ = catch_unwind(AssertUnwindSafe(|| act(&stop)));
    stop.at.get()
}

/// Hooks `act` with nothing and says which steps it takes.
pub(crate) fn steps_of(act: impl FnOnce(&dyn Steps)) -> Vec<Step> {
    struct Listen(RefCell<Vec<Step>>);
    impl Steps for Listen {
        fn before(&self, step: Step) -> io::Result<()> {
            self.0.borrow_mut().push(step);
            Ok(())
        }
    }
    let listen = Listen(RefCell::new(Vec::new()));
    act(&listen);
    listen.0.into_inner()
}
