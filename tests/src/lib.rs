//! The harness of the feature tests: an app on temporary directories, with a clock that moves one second at each look and
//! randomness that is the same each time.

pub mod api;
pub mod child;
pub mod dreamer;
pub mod host;
pub mod messages_api;
pub mod model_api;
#[cfg(unix)]
pub mod network;
pub mod oidc;
#[cfg(unix)]
pub mod postgres;
pub mod trap;
pub mod tree;

use retrace_api::wire::{self, ApiError};
use retrace_api::{App, AppOptions, Defer, EngineOptions, Flushing, KeyInMemory, NoFaults, commands};
use retrace_model::Timestamp;
use retrace_sources::{Platform, Surroundings};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use tempfile::TempDir;

/// How many rounds a test makes of what costs much and differs by a seed alone: the first number, and the second in `make thorough`.
#[must_use]
pub fn rounds(usual: u64, thorough: u64) -> u64 {
    if std::env::var_os("RETRACE_THOROUGH").is_some() { thorough } else { usual }
}

/// An app with one store on temporary directories.
pub struct World {
    /// The app.
    pub app: App,
    /// Everything is in here.
    root: PathBuf,
    /// Goes with the world.
    owned: Option<TempDir>,
}

/// 2026-11-20T10:00:00Z, where the test clock starts.
const START_MICROS: i64 = 1_795_168_800_000_000;

impl World {
    /// A world whose store `notes` is empty.
    #[must_use]
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// The same, with other options than usual.
    #[must_use]
    pub fn with(change: impl FnOnce(&mut AppOptions)) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut options = options(directory.path());
        change(&mut options);
        let mut world = Self::over(options);
        world.owned = Some(directory);
        world.add("notes");
        world
    }

    /// A world over directories that were there before and stay: those of `options`.
    #[must_use]
    pub fn over(options: AppOptions) -> Self {
        commands::check_codes();
        let root = options.data_dir.parent().expect("the data directory lies in the world").to_path_buf();
        Self { app: App::open(options).expect("an app"), root, owned: None }
    }

    /// Adds a directory of this world as a store of the same name.
    pub fn add(&self, name: &str) -> wire::Store {
        let root = self.path(name);
        std::fs::create_dir_all(&root).expect("a store directory");
        let request = wire::AddStore {
            root: root.to_string_lossy().into_owned(),
            kind: None,
            name: Some(name.to_owned()),
        };
        commands::add_store(&self.app, request).expect("the store is added")
    }

    /// A path in this world.
    #[must_use]
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Writes a file of the store `notes`, and makes its directory.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let target = self.path("notes").join(path);
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("directories");
        std::fs::write(target, content).expect("a file");
    }

    /// As [`World::write`], but as careful editors do, to another file that is renamed: nobody sees it half written.
    pub fn write_by_rename(&self, path: &str, content: impl AsRef<[u8]>) {
        let beside = format!(".{}.{}", path.replace('/', "."), std::process::id());
        self.write(&beside, content);
        let notes = self.path("notes");
        std::fs::rename(notes.join(beside), notes.join(path)).expect("a file");
    }

    /// Reads a file of the store `notes`; `None` when there is none.
    #[must_use]
    pub fn read(&self, path: &str) -> Option<String> {
        std::fs::read(self.path("notes").join(path))
            .ok()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Removes a file of the store `notes`.
    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.path("notes").join(path)).expect("the file was there");
    }

    /// Scans every store; answers how many versions that made.
    pub fn scan(&self) -> u64 {
        let scanned = commands::scan(&self.app, wire::ScanReq::default()).expect("a scan");
        scanned.stores.iter().map(|store| store.versions).sum()
    }

    /// Writes and scans.
    pub fn record(&self, path: &str, content: impl AsRef<[u8]>) -> wire::Version {
        self.write(path, content);
        self.scan();
        self.log(path).into_iter().next().expect("a version")
    }

    /// The versions of a path, newest first; of everything when the path is empty.
    #[must_use]
    pub fn log(&self, path: &str) -> Vec<wire::Version> {
        let request = wire::LogReq {
            path: (!path.is_empty()).then(|| path.to_owned()),
            limit: Some(1000),
            ..wire::LogReq::default()
        };
        commands::log(&self.app, request).expect("the log").versions
    }

    /// The newest operation.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        commands::status(&self.app, wire::Nothing {}).expect("a status").cursor
    }

    /// Asserts that the log is sound.
    pub fn verify(&self) {
        let verified = commands::verify(&self.app, wire::VerifyReq::default()).expect("verification");
        assert_eq!(verified.problems, Vec::<&str>::new());
    }

    /// Puts a memory of the store `notes` back.
    ///
    /// # Errors
    /// Those of the command.
    pub fn rollback(&self, path: &str, to: &wire::Version) -> Result<wire::ActResult, ApiError> {
        let request = wire::RollbackReq {
            memory: Some(format!("notes:{path}")),
            to: Some(to.id.clone()),
            ..wire::RollbackReq::default()
        };
        commands::rollback(&self.app, request)
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // Every test ends with a sound log, unless it is failing already.
        if !std::thread::panicking() {
            self.verify();
        }
    }
}

/// The crates of the commands: the engine, the features over it, and the thin top.
#[must_use]
pub const fn api_crates() -> [&'static str; 12] {
    [
        "retrace-engine",
        "retrace-redact",
        "retrace-served",
        "retrace-hosted",
        "retrace-lab",
        "retrace-history",
        "retrace-import",
        "retrace-health",
        "retrace-review",
        "retrace-adherence",
        "retrace-joined",
        "retrace-api",
    ]
}

/// Options for an app whose data directory is `data` below `directory`, whose home is `home`, and which is the same each
/// time it runs.
#[must_use]
pub fn options(directory: &Path) -> AppOptions {
    options_of(directory, 0)
}

/// The same for the `process`-th process over these directories: a later day, and other random numbers.
#[must_use]
pub fn options_of(directory: &Path, process: u64) -> AppOptions {
    let day = i64::try_from(process).expect("a small number") * 86_400_000_000;
    let clock = Arc::new(AtomicI64::new(START_MICROS + day));
    let randomness = Arc::new(AtomicU64::new(1 + (process << 32)));
    let engine = EngineOptions {
        data_dir: directory.join("data"),
        clock: Arc::new(move || Timestamp::from_micros(clock.fetch_add(1_000_000, Ordering::SeqCst))),
        entropy: Arc::new(move |bytes| {
            for byte in bytes.chunks_mut(8) {
                let next = split_mix(randomness.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::SeqCst));
                byte.copy_from_slice(&next.to_le_bytes()[..byte.len()]);
            }
        }),
        user: "ada".to_owned(),
        surroundings: Surroundings::new(directory.join("home"), Platform::Linux),
        program: directory.join("bin/retrace"),
        program_version: "0.0.0-test",
        busy_wait: None,
        faults: Arc::new(NoFaults),
        boot: Some("boot-1".to_owned()),
        flushing: Flushing { defer: Defer::Everywhere, in_background: false },
    };
    AppOptions { engine, keys: Arc::new(KeyInMemory::default()), hosts: Arc::new(host::FakeHost::default()) }
}

/// One step of SplitMix64: spreads a counter over all bits.
fn split_mix(mut state: u64) -> u64 {
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

/// True if exact bytes stand in any file below a directory, as they are on disk.
#[must_use]
pub fn holds_bytes(directory: &Path, needle: &[u8]) -> bool {
    let mut folders = vec![directory.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read(&path)
                .is_ok_and(|bytes| bytes.windows(needle.len()).any(|part| part == needle))
            {
                return true;
            }
        }
    }
    false
}
